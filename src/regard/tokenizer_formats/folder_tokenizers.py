"""Readers of the tokenizer in a folder: `tokenizer.json`, BERT's and GPT-2's vocabulary files, SentencePiece models.

Ours keep their ids. Where somebody's model numbers the pieces of a SentencePiece model by a list of its own, as Marian
does, our tokenizer has that list as its `vocabulary`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

from regard.errors import ModelFolderError
from regard.foreign_files import read_json, read_optional
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing.backends import guarded, read_backend, read_content
from regard.tokenizer_formats.sentence_piece_reader import SYMBOL_NAMES, sentence_pieces
from regard.tokenizer_formats.tokenizer_settings import (
    BYTE_PAIRS,
    SENTENCE_PIECE,
    WORD_PIECE,
    check_beside,
    read_settings,
    refuse_others,
    with_frame,
)
from regard.tokenizer_formats.vocabulary_lists import vocabulary_list

KNOWN_FILES = (
    "tokenizer.json, vocab.txt, vocab.json with merges.txt, source.spm and target.spm, spiece.model, or "
    "sentencepiece.bpe.model"
)
MOST_SENTINELS = 1 << 16
ADDED_FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
"""The flags that say how an added token is found in a text."""


def read_tokenizers(
    folder: Path, symbols: Symbols, *, num_ids: int | None = None, by_word: bool = False, any_frame: bool = False
) -> tuple[Tokenizer, Tokenizer]:
    """Read the source and target tokenizers of a Hugging Face folder; the same one if there is only one.

    Args:
        symbols: the ids that the model's configuration knows; the tokenizer's own files say it better where they do.
        num_ids: how many tokens the model knows; what its tokenizer has beyond is unknown.
        by_word: texts come in words, as in tagging: a tokenizer of bytes reads each as if after a space.
        any_frame: as for `with_frame`.
    Raises:
        ModelFolderError: there is no tokenizer that we can read.
    """
    with guarded(folder, "be read as a tokenizer"):
        if (folder / "source.spm").is_file() and (folder / "vocab.json").is_file():
            return _marian(folder, symbols)
        backend = read_folder(folder)
        if by_word and isinstance(backend.pre_tokenizer, pre_tokenizers.ByteLevel):
            backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        named = with_named_symbols(folder, backend, symbols, num_ids)
        found = with_frame(folder, backend, named, any_frame=any_frame)
    tokenizer = Tokenizer(backend, found, num_ids=num_ids)
    return tokenizer, tokenizer


def read_folder(folder: Path) -> tokenizers.Tokenizer:
    """The tokenizer of a folder, from the first of the known files that it has.

    Raises:
        ModelFolderError: there is none.
    """
    path = folder / "tokenizer.json"
    if path.is_file():
        backend = _with_sentinels(read_backend(read_content(path), path))
        check_beside(folder, backend)
        return backend
    if (folder / "vocab.txt").is_file():
        return _with_added(folder, word_pieces(folder))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _with_added(folder, byte_pairs(folder))
    for name in ("spiece.model", "sentencepiece.model", "tokenizer.model"):
        if (folder / name).is_file():
            settings = read_settings(folder, SENTENCE_PIECE)
            refuse_others(settings)
            return _with_added(folder, sentence_pieces(folder / name))
    raise ModelFolderError(f"{folder} must hold a tokenizer: {KNOWN_FILES}; got none.")


def _with_added(folder: Path, backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Add the tokens that `added_tokens.json`, `tokenizer_config.json` or T5's count of sentinels name to a tokenizer:
    they are found anywhere in a text and never cut. Those that the vocabulary has keep their ids; the others come after
    it.

    Raises:
        ModelFolderError: a token has another id in the vocabulary, or one that does not follow.
    """
    settings = read_optional(folder / "tokenizer_config.json")
    named = read_optional(folder / "special_tokens_map.json") | settings
    symbols = {spelling(named.get(f"{name}_token")) for name in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}
    ids, flags = {token: int(id) for token, id in read_optional(folder / "added_tokens.json").items()}, {}
    for id, entry in (settings.get("added_tokens_decoder") or {}).items():
        if (token := spelling(entry) if isinstance(entry, dict) else None) is not None:
            ids.setdefault(token, int(id))
            flags[token] = {flag: bool(entry[flag]) for flag in ADDED_FLAGS if flag in entry}
    sentinels = settings.get("extra_ids", 100 if "T5" in str(settings.get("tokenizer_class")) else 0)
    if not isinstance(sentinels, int) or not 0 <= sentinels <= MOST_SENTINELS:
        raise ModelFolderError(
            f"{folder / 'tokenizer_config.json'}: extra_ids must be from 0 to {MOST_SENTINELS:,}; got {sentinels!r}."
        )
    first = backend.get_vocab_size()
    for number in range(sentinels):
        ids.setdefault(f"<extra_id_{number}>", first + sentinels - 1 - number)
    for token, id in sorted(ids.items(), key=lambda item: item[1]):
        known = backend.token_to_id(token)
        if id != (backend.get_vocab_size() if known is None else known):
            expected = f"the next, {backend.get_vocab_size()}" if known is None else f"that of the vocabulary, {known}"
            raise ModelFolderError(f"{folder}: the id of the added token {token!r} must be {expected}; got {id}.")
        if token in symbols:  # one that is spelled out in a text is never read as one
            backend.add_special_tokens([token])
        else:
            backend.add_tokens([AddedToken(token, special=False, **{"normalized": False} | flags.get(token, {}))])
    return backend


def spelling(token: Any) -> str | None:
    """The spelling of a token in a configuration."""
    token = token.get("content") if isinstance(token, dict) else token
    return token if isinstance(token, str) else None


def _with_sentinels(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Make T5's sentinels ordinary tokens: they stand in texts on purpose, other than symbols such as </s>."""
    content = json.loads(backend.to_str())
    sentinels = [token for token in content["added_tokens"] if re.fullmatch(r"<extra_id_\d+>", token["content"])]
    if not sentinels:
        return backend
    for token in sentinels:
        token["special"] = False
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def word_pieces(folder: Path) -> tokenizers.Tokenizer:
    """BERT's tokenizer from its `vocab.txt`. Source: Devlin et al. 2019, section 3, and Wu et al. 2016, section 4.1."""
    settings = read_settings(folder, WORD_PIECE)
    for key, usual in (("do_basic_tokenize", True), ("wordpieces_prefix", "##")):
        settings.refuse_unless(key, usual)
    lines = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    backend = tokenizers.Tokenizer(
        models.WordPiece(
            {token: id for id, token in enumerate(lines)}, unk_token=spelling(settings.get("unk_token")) or "[UNK]"
        )
    )
    backend.normalizer = normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case", True),
        strip_accents=settings.get("strip_accents"),
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
    )
    refuse_others(settings)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    return backend


def byte_pairs(folder: Path) -> tokenizers.Tokenizer:
    """GPT-2's, RoBERTa's and BART's tokenizer from `vocab.json` and `merges.txt`. Source: Radford et al. 2019, section 2.2."""
    settings = read_settings(folder, BYTE_PAIRS)
    try:
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    except Exception as error:  # the library's only word for a damaged file
        raise ModelFolderError(f"{folder} must hold a vocab.json and merges.txt that fit; got: {error}.") from error
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=settings.get("add_prefix_space", False))
    backend.decoder = decoders.ByteLevel()
    settings.get("add_bos_token", False)
    refuse_others(settings)
    named = (settings.get(f"{name}_token") for name in ("bos", "eos", "unk", "pad", "mask"))
    special = [token if isinstance(token, str) else token.get("content") for token in named if token]
    backend.add_special_tokens([token for token in special if token and backend.token_to_id(token) is not None])
    begin = spelling(settings.get("bos_token"))
    if settings.get("add_bos_token", False) and begin is not None and backend.token_to_id(begin) is not None:
        backend.post_processor = processors.TemplateProcessing(
            single=[begin, "$A"], special_tokens=[(begin, backend.token_to_id(begin))]
        )
    return backend


def _marian(folder: Path, symbols: Symbols) -> tuple[Tokenizer, Tokenizer]:
    """Read Marian's two tokenizers: each cuts by its own SentencePiece model; one list numbers the pieces, or one for
    each side.
    """
    target_list = folder / "target_vocab.json"
    names = {"source": folder / "vocab.json", "target": target_list if target_list.is_file() else folder / "vocab.json"}
    found = {}
    for side, path in names.items():
        refuse_others(read_settings(folder, SENTENCE_PIECE))
        vocabulary = vocabulary_list(read_json(path), path)
        backend = sentence_pieces(folder / f"{side}.spm")
        languages = [token for token in vocabulary if token.startswith(">>") and token.endswith("<<")]
        added = read_optional(folder / "added_tokens.json")
        if wrong := next((token for token, id in added.items() if not _is_at(vocabulary, token, id)), None):
            raise ModelFolderError(
                f"{folder}: the added token {wrong!r} must have its id in {path.name}; got {added[wrong]}."
            )
        languages += [token for token in added if token not in SYMBOL_NAMES]
        backend.add_tokens([AddedToken(token, normalized=False, special=False) for token in languages])
        found[side] = Tokenizer(backend, _symbols_by_name(symbols, vocabulary, is_source=side == "source"), vocabulary)
    return found["source"], found["target"]


def _is_at(vocabulary: Sequence[str], token: str, id: object) -> bool:
    return isinstance(id, int) and 0 <= id < len(vocabulary) and vocabulary[id] == token


def _symbols_by_name(symbols: Symbols, vocabulary: Sequence[str], *, is_source: bool) -> Symbols:
    """The symbols of one side by their names in its list: in the source's only those that stand in sources."""
    ids = {token: id for id, token in enumerate(vocabulary)}
    unk_id, end = ids.get("<unk>", symbols.unk_id), ids.get("</s>", symbols.eos_id)
    if not is_source:
        return symbols.model_copy(update={"unk_id": unk_id})
    return symbols.model_copy(
        update={"unk_id": unk_id, "bos_id": end, "eos_id": end, "start_ids": [ids.get("<pad>", end)],
                "source_begin_ids": [], "source_end_ids": [end], "banned_ids": []}
    )  # fmt: skip


def with_named_symbols(
    folder: Path, backend: tokenizers.Tokenizer, symbols: Symbols, num_ids: int | None = None
) -> Symbols:
    """The symbols, corrected by the tokenizer's files.

    Args:
        backend: its tokenizer.
        num_ids: how many tokens the model knows; a mask beyond is none.
    """
    named = read_optional(folder / "special_tokens_map.json") | read_optional(folder / "tokenizer_config.json")

    def id_of(*names: str, usual: Sequence[str]) -> int | None:
        """The id of the first of some symbols that the tokenizer has: as the files spell them, or else as is usual."""
        spelled = [spelling(named.get(f"{name}_token")) for name in names]
        ids = (backend.token_to_id(token) for token in (*spelled, *usual) if token is not None)
        return next((id for id in ids if id is not None), None)

    mask, unk = id_of("mask", usual=("[MASK]", "<mask>")), id_of("unk", usual=("<unk>", "[UNK]"))
    changes: dict[str, Any] = {
        "mask_id": None if mask is not None and num_ids is not None and mask >= num_ids else mask,
        "unk_id": _own_unknown(backend, symbols.unk_id) if unk is None else unk,
    }
    if symbols.source_begin_ids == [symbols.bos_id] and symbols.source_end_ids:
        # An encoder's frame: [CLS] and [SEP], whatever ids the configuration has by default.
        begin, end = id_of("cls", "bos", usual=("[CLS]",)), id_of("sep", "eos", usual=("[SEP]",))
        if begin is not None and end is not None:
            changes |= {"bos_id": begin, "source_begin_ids": [begin], "source_end_ids": [end]}
            if symbols.start_ids == [symbols.bos_id]:
                changes |= {"eos_id": end, "start_ids": [begin]}
    return symbols.model_copy(update=changes)


def _own_unknown(backend: tokenizers.Tokenizer, otherwise: int) -> int:
    """The id that a tokenizer gives to pieces that it does not know, where its files do not name it."""
    model = json.loads(backend.to_str())["model"]
    found = model.get("unk_id")  # of a unigram model; the others have the token
    if found is None and isinstance(token := model.get("unk_token"), str):
        found = backend.token_to_id(token)
    return otherwise if found is None else int(found)
