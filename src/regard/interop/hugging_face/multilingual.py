"""Tokenizers of M2M100, NLLB-200, SMaLL-100, mBART and Pegasus: their files, their languages, and the place of these in a text.

fairseq's vocabularies begin with four symbols. Then come the pieces of a SentencePiece model without its own first three, and the
languages. M2M100 numbers its pieces by a list, `vocab.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tokenizers
from pydantic import ValidationError

from regard.errors import ModelFolderError, first_problem
from regard.interop.files import ForeignConfig, read_json, read_optional
from regard.interop.foreign_tokenizers import (
    read_folder,
    sentence_pieces,
    spelling,
    vocabulary_list,
    with_named_symbols,
)
from regard.interop.tokenizer_settings import FILE, read_settings, refuse_others, with_frame
from regard.text.languages import Languages
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing.backends import guarded

PIECES, LIST, PEGASUS_PIECES = "sentencepiece.bpe.model", "vocab.json", "spiece.model"
FAIRSEQ_SYMBOLS = ("<s>", "<pad>", "</s>", "<unk>")
FAIRSEQ_CLASSES = ("NllbTokenizer", "MBartTokenizer", "MBart50Tokenizer")
LISTED_CLASSES = ("M2M100Tokenizer", "SMALL100Tokenizer")
PEGASUS_OFFSET = 103
"""The distance of the ids of Pegasus's pieces from those in its SentencePiece model."""
M2M100_LANGUAGES = {
    "m2m100": (
        "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu hy id "
        "ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru sd si "
        "sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
    ),
    "wmt21": "en ha is ja cs ru zh de",
}
"""The languages of M2M100 in the order of their ids, which its files do not say, by `language_codes`."""
SPELLED = {
    "m2m_100": re.compile(r"__([a-z]{2,3})__|([a-z]{3}_[A-Z][a-z]{3})"),
    "mbart": re.compile(r"([a-z]{2,3}_[A-Z]{2})"),
    "pegasus": re.compile(r"(?!)"),
}
"""The tokens of languages and the codes in them, by model type. Pegasus has none."""


def read_tokenizer(folder: Path, symbols: Symbols, config: ForeignConfig, *, num_ids: int) -> Tokenizer:
    """Read the tokenizer of a folder of one of the model types of `SPELLED`, with its languages if it has any.

    Args:
        symbols: the ids that the model's configuration knows.
        num_ids: how many tokens the model knows.
    Raises:
        ModelFolderError: there is no tokenizer that we can read, or its languages are not those of the model.
    """
    model_type = config.require("model_type", str)
    settings = ForeignConfig(read_optional(folder / FILE), folder / FILE)
    with guarded(folder, "be read as a tokenizer"):
        backend, vocabulary = _files(folder, model_type)
        symbols = with_named_symbols(folder, backend, symbols)
        if symbols.mask_id is not None and symbols.mask_id >= num_ids:
            symbols = symbols.model_copy(update={"mask_id": None})
        tokens = _languages(model_type, vocabulary or _special(folder, backend))
        if not tokens:
            symbols = with_frame(folder, backend, symbols)
    if vocabulary is not None:  # where its own ids are others than the model's
        symbols = symbols.model_copy(update={"unk_id": vocabulary.index("<unk>"), "mask_id": None})
    if not tokens:
        return Tokenizer(backend, symbols, vocabulary, num_ids=num_ids)
    start, *forced = symbols.start_ids
    plain = Tokenizer(backend, symbols.model_copy(update={"start_ids": [start]}), vocabulary, num_ids=num_ids)
    rule = _rule(folder, model_type, config, settings, start_is_end=start == symbols.eos_id)
    by_id = {plain.id_of(token): code for code, token in tokens.items()}
    named = {name: _code(settings, key, tokens) for name, key in (("source", "src_lang"), ("target", "tgt_lang"))}
    chosen = next((by_id[id] for id in (*forced, start) if id in by_id), named["target"])
    try:
        return plain.with_languages(Languages(tokens=tokens, source=named["source"], target=chosen, **rule))
    except ValidationError as error:
        raise ModelFolderError(f"{folder} must have languages with tokens; got: {first_problem(error)}") from error


def _files(folder: Path, model_type: str) -> tuple[tokenizers.Tokenizer, list[str] | None]:
    """The tokenizer, and the list that numbers its tokens where there is one."""
    pieces = folder / PIECES
    if pieces.is_file() and (folder / LIST).is_file():
        read = _known(folder, LISTED_CLASSES)
        listed = read.choose("language_codes", M2M100_LANGUAGES, "m2m100")
        refuse_others(read)
        vocabulary = vocabulary_list(read_json(folder / LIST), folder / LIST)
        if "<unk>" not in vocabulary:
            raise ModelFolderError(f"{folder / LIST} must have the token <unk>; it does not.")
        names = (f"__{code}__" for code in listed.split())
        return sentence_pieces(pieces), list(dict.fromkeys([*vocabulary, *names]))
    if pieces.is_file() and not (folder / "tokenizer.json").is_file():
        read = _known(folder, FAIRSEQ_CLASSES)
        refuse_others(read)
        backend = sentence_pieces(pieces, first=FAIRSEQ_SYMBOLS, replaced=3)
        named = _languages(model_type, _named(folder))
        if not named and model_type != "pegasus":
            raise ModelFolderError(
                f"{folder} must name the languages of {PIECES}, as additional_special_tokens in special_tokens_map.json, or "
                f"have a tokenizer.json; got neither. Save its tokenizer with transformers."
            )
        backend.add_special_tokens([*named.values(), "<mask>"])
        return _checked(folder, backend), None
    if model_type == "pegasus" and (folder / PEGASUS_PIECES).is_file() and not (folder / "tokenizer.json").is_file():
        read = _known(folder, ("PegasusTokenizer",))
        read.refuse_unless("offset", PEGASUS_OFFSET)
        read.refuse_unless("mask_token_sent", "<mask_1>")
        refuse_others(read)
        first = ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{number}>" for number in range(2, PEGASUS_OFFSET))]
        return sentence_pieces(folder / PEGASUS_PIECES, first=first, replaced=2), None
    return read_folder(folder), None


def _known(folder: Path, classes: tuple[str, ...]) -> ForeignConfig:
    """The settings of a tokenizer of one of some classes."""
    settings = read_settings(folder, classes)
    for key in ("src_lang", "tgt_lang", "legacy_behaviour", "num_madeup_words", "auto_map"):
        settings.get(key)
    return settings


def _named(folder: Path) -> list[str]:
    """The special tokens that the files beside a SentencePiece model name, in their order.

    Raises:
        ModelFolderError: they are no lists.
    """
    found = list[Any]()
    for file in ("special_tokens_map.json", FILE):
        content = ForeignConfig(read_optional(folder / file), folder / file)
        for key in ("additional_special_tokens", "extra_special_tokens"):
            named = content.get(key)
            found += named.values() if isinstance(named, dict) else content.get(key, [])
    added = content.get("added_tokens_decoder", {})
    found += [added[id] for id in sorted(added, key=int)]
    return list(dict.fromkeys(token for entry in found if (token := spelling(entry)) is not None))


def _checked(folder: Path, backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """The tokenizer, whose ids must be those that its files name.

    Raises:
        ModelFolderError: they are not.
    """
    ids = dict(read_optional(folder / "added_tokens.json"))
    for id, entry in (read_optional(folder / FILE).get("added_tokens_decoder") or {}).items():
        if (token := spelling(entry)) is not None:
            ids.setdefault(token, int(id))
    for token, id in ids.items():
        if backend.token_to_id(token) != id:
            raise ModelFolderError(
                f"{folder}: the id of the added token {token!r} must be {backend.token_to_id(token)}; got {id}."
            )
    return backend


def _special(folder: Path, backend: tokenizers.Tokenizer) -> list[str]:
    """The special tokens of a tokenizer, in the order of their ids."""
    added = backend.get_added_tokens_decoder()
    found = {token.content: id for id, token in added.items() if token.special}
    found |= {token: id for token in _named(folder) if (id := backend.token_to_id(token)) is not None}
    return sorted(found, key=found.__getitem__)


def _languages(model_type: str, tokens: Iterable[str]) -> dict[str, str]:
    """The tokens that are languages, by their codes."""
    found = {}
    for token in tokens:
        if (match := SPELLED[model_type].fullmatch(token)) is not None:
            found[next(filter(None, match.groups()))] = token
    return found


def _code(settings: ForeignConfig, key: str, tokens: dict[str, str]) -> str | None:
    """The code of a language that a setting names.

    Raises:
        ModelFolderError: there is no such language.
    """
    code = settings.get(key, "")
    if code and code not in tokens:
        raise ModelFolderError(f"{settings.where}: {key} must be one of the {len(tokens)} languages; got {code!r}.")
    return code or None


def _rule(
    folder: Path, model_type: str, config: ForeignConfig, settings: ForeignConfig, *, start_is_end: bool
) -> dict[str, Any]:
    """The place of the languages.

    Args:
        start_is_end: whether a decoder starts from the end symbol, where no class of a tokenizer is named.
    """
    name = (settings.get("tokenizer_class", "") or config.get("tokenizer_class", "")).removesuffix("Fast")
    if name == "SMALL100Tokenizer" or (folder / "tokenization_small100.py").is_file():
        return {"source_begin": ["target"]}
    is_old = settings.get("legacy_behaviour", False)
    if model_type == "mbart":
        is_25 = name == "MBartTokenizer" or (name != "MBart50Tokenizer" and not start_is_end)
        if is_25:
            return {"source_end": ["source"], "starts": True}
        is_old = False
    return {"source_end" if is_old else "source_begin": ["source"], "begins": True}
