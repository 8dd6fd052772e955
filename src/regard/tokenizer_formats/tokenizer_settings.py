"""Settings of `tokenizer_config.json`: some are without effect; any other that nobody reads is refused by its name."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import tokenizers

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig, read_optional
from regard.text.tokenizer import Symbols

FILE = "tokenizer_config.json"
WITHOUT_EFFECT = {
    # where it comes from
    "name_or_path", "_name_or_path", "tokenizer_file", "vocab_file", "merges_file", "special_tokens_map_file", "processor_class",
    "transformers_version", "use_fast", "backend", "is_local", "local_files_only", "files_loaded", "_commit_hash",
    # batches and lengths, which are ours to choose; what stands in them
    "model_max_length", "max_len", "max_length", "padding_side", "truncation_side", "padding", "truncation", "stride",
    "pad_to_multiple_of", "pad_token_type_id", "return_tensors", "model_input_names", "truncation_strategy",
    # tokens that the model's files name as well
    "added_tokens_decoder", "additional_special_tokens", "extra_special_tokens", "extra_ids",
    # of texts that are put together again, and of templates around texts
    "clean_up_tokenization_spaces", "spaces_between_special_tokens", "errors", "trim_offsets", "chat_template",
    # of languages: metadata of Marian's models
    "source_lang", "target_lang", "separate_vocabs", "legacy",
}  # fmt: skip
"""Settings that do not change how a text is cut."""
WORD_PIECE = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer", "ConvBertTokenizer")
BYTE_PAIRS = ("GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer", "LEDTokenizer")
SENTENCE_PIECE = ("T5Tokenizer", "MarianTokenizer", "BertGenerationTokenizer")
ANY = ("", "PreTrainedTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend")
"""Names of classes that cut texts as one of our readers does; those of the first three may end in `Fast`."""


def read_settings(folder: Path, classes: Collection[str]) -> ForeignConfig:
    """Read the settings of a tokenizer whose class must be among the given ones.

    Raises:
        ModelFolderError: it is another: it cuts texts otherwise than by its vocabulary's files alone.
    """
    settings = ForeignConfig(read_optional(folder / FILE), folder / FILE)
    name = settings.get("tokenizer_class", "")
    known = {*classes, *(f"{each}Fast" for each in classes), *ANY}
    if name not in known:
        raise ModelFolderError(
            f"{settings.where}: tokenizer_class must be one that cuts texts by these files alone, {', '.join(classes)}; "
            f"got {name!r}. Save it as tokenizer.json with transformers."
        )
    return settings


def refuse_others(settings: ForeignConfig) -> None:
    """Make sure that nothing is set that no reader asked for and that may change how a text is cut.

    Raises:
        ModelFolderError: something is.
    """
    named = {key for key in settings.values if key.endswith(("_token", "_token_id")) and not key.startswith("add_")}
    settings.refuse_others(WITHOUT_EFFECT | named)


def check_beside(folder: Path, backend: tokenizers.Tokenizer) -> None:
    """Make sure that `tokenizer_config.json` does not contradict the `tokenizer.json` beside it: `transformers` would follow it.

    Raises:
        ModelFolderError: it does.
    """
    settings, content = read_optional(folder / FILE), json.loads(backend.to_str())
    normalizer, pre_tokenizer = content.get("normalizer") or {}, content.get("pre_tokenizer") or {}
    pairs: list[tuple[str, Any]] = []
    if normalizer.get("type") == "BertNormalizer":
        names = {
            "do_lower_case": "lowercase",
            "strip_accents": "strip_accents",
            "tokenize_chinese_chars": "handle_chinese_chars",
        }
        pairs += [(theirs, normalizer.get(inside)) for theirs, inside in names.items()]
    if pre_tokenizer.get("type") == "ByteLevel":
        pairs.append(("add_prefix_space", pre_tokenizer.get("add_prefix_space")))
    for key, inside in pairs:
        if settings.get(key) is not None and settings[key] != inside:
            raise ModelFolderError(
                f"{folder / FILE}: {key} must be that of tokenizer.json, {inside!r}; got {settings[key]!r}."
            )


def with_frame(folder: Path, backend: tokenizers.Tokenizer, symbols: Symbols, *, any_frame: bool = False) -> Symbols:
    """The symbols with those that a tokenizer's post-processor puts around a text, where it puts any.

    Args:
        any_frame: whether the model's family may have any symbols there.
    Raises:
        ModelFolderError: it puts more or fewer than the model's family has.
    """
    settings = read_optional(folder / FILE)
    found = backend.encode("a")
    is_added = [bool(mark) for mark in found.special_tokens_mask]
    first = is_added.index(False) if False in is_added else 0
    last = len(is_added) - is_added[::-1].index(False) if False in is_added else len(is_added)
    begin, end = found.ids[:first], found.ids[last:]
    for key, added in (("add_bos_token", begin), ("add_eos_token", end)):
        if settings.get(key) and not added:
            raise ModelFolderError(
                f"{folder / FILE}: {key} must be false, as tokenizer.json adds none; got {settings[key]!r}."
            )
    expected = symbols.source_begin_ids, symbols.source_end_ids
    if (begin, end) in (([], []), expected):
        return symbols
    if any_frame:
        return symbols.model_copy(update={"source_begin_ids": begin, "source_end_ids": end})
    if expected == ([], []) and not end and begin in ([symbols.bos_id], symbols.start_ids):
        return symbols.model_copy(update={"source_begin_ids": begin})  # a decoder: its prompts begin so
    if (len(begin), len(end)) != (len(expected[0]), len(expected[1])):
        raise ModelFolderError(
            f"{folder / 'tokenizer.json'}: post_processor must put {len(expected[0])} symbols before a text and "
            f"{len(expected[1])} behind it; got {len(begin)} and {len(end)}."
        )
    changes: dict[str, Any] = {"source_begin_ids": begin, "source_end_ids": end}
    if expected[0] == [symbols.bos_id] == symbols.start_ids:  # an encoder's frame
        changes |= {"bos_id": begin[0], "start_ids": begin} | (
            {"eos_id": end[0]} if expected[1] == [symbols.eos_id] else {}
        )
    return symbols.model_copy(update=changes)
