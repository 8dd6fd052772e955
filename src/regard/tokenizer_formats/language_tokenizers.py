"""Tokenizers of M2M100, NLLB-200, SMaLL-100, mBART and Pegasus: their files, read and written, their languages, and the place of
these in a text.

fairseq's vocabularies begin with four symbols. Then come the pieces of a SentencePiece model without its own first three, and the
languages. M2M100 numbers its pieces by a list, `vocab.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tokenizers
from pydantic import ValidationError

from regard.errors import ModelFolderError, first_problem
from regard.foreign_files import ForeignConfig, read_json, read_optional
from regard.text.languages import Languages
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing.backends import guarded
from regard.tokenizer_formats.folder_tokenizers import read_folder, spelling, with_named_symbols
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.sentence_piece_writer import sentence_piece_model
from regard.tokenizer_formats.tokenizer_json import write_tokenizer
from regard.tokenizer_formats.tokenizer_settings import FILE, read_settings, refuse_others, with_frame
from regard.tokenizer_formats.vocabulary_lists import vocabulary_list

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
BEFORE: dict[str, Any] = {"source_begin": ["source"], "begins": True}
BEHIND: dict[str, Any] = {"source_end": ["source"], "begins": True}
STARTS: dict[str, Any] = {"source_end": ["source"], "starts": True}
TARGET_BEFORE: dict[str, Any] = {"source_begin": ["target"]}
RULES: dict[str, list[dict[str, Any]]] = {"m2m_100": [BEFORE, BEHIND, TARGET_BEFORE], "mbart": [BEFORE, STARTS]}
"""The places that languages may have, by the model type; these types are written, too."""


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
        symbols = with_named_symbols(folder, backend, symbols, num_ids)
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
        return TARGET_BEFORE
    is_old = settings.get("legacy_behaviour", False)
    if model_type == "mbart":
        is_25 = name == "MBartTokenizer" or (name != "MBart50Tokenizer" and not start_is_end)
        if is_25:
            return STARTS
        is_old = False
    return BEHIND if is_old else BEFORE


def written_languages(tokenizer: Tokenizer, kind: str) -> tuple[Languages | None, Symbols]:
    """The languages of a tokenizer of ours as the reader will find them in a folder of a model type, and the symbols of their
    usual direction. A tokenizer of one direction of a model gets all languages of the model back.

    Raises:
        ModelFolderError: their tokens or places are none of this model type.
    """
    symbols = tokenizer.symbols
    if not symbols.language_ids:
        if symbols.source_begin_ids or len(symbols.source_end_ids) != 1:
            raise ModelFolderError(
                f"the symbols around a source must be one behind it to be written as {kind}; got "
                f"{len(symbols.source_begin_ids)} before and {len(symbols.source_end_ids)} behind. Try another format, such as "
                "onnx."
            )
        return None, symbols
    spelled = tokenizer.tokens(symbols.language_ids)
    tokens = _languages(kind, spelled)
    if len(tokens) < len(spelled):
        other = next(token for token in spelled if token not in tokens.values())
        raise ModelFolderError(
            f"the tokens of languages must be spelled as those of {kind} to be written so, such as "
            f"{'eng_Latn or __en__' if kind == 'm2m_100' else 'en_XX'}; got {other!r}."
        )
    if (had := tokenizer.languages) is not None:
        expected = (Languages(tokens=tokens, source=had.source, target=had.target, **rule) for rule in RULES[kind])
        if had.model_copy(update={"trained": []}) in expected:
            return had, tokenizer.directed(had.source, had.target).symbols
    elif (found := _of_direction(tokenizer, kind, tokens)) is not None:
        return found, symbols
    raise ModelFolderError(
        f"the tokens of languages must stand where {kind} has them to be written so, and each language must be read and written; "
        "they do not. Try another format, such as onnx."
    )


def _of_direction(tokenizer: Tokenizer, kind: str, tokens: dict[str, str]) -> Languages | None:
    """The languages whose direction has the symbols of a tokenizer; None: there are none."""
    symbols, by_id = tokenizer.symbols, {tokenizer.id_of(token): code for code, token in tokens.items()}
    around = [by_id[id] for id in (*symbols.source_begin_ids, *symbols.source_end_ids) if id in by_id]
    written = by_id.get(symbols.start_ids[-1])
    ends = [id for id in symbols.source_end_ids if id not in by_id]
    plain = tokenizer.with_symbols(
        symbols.model_copy(update={"source_begin_ids": [], "source_end_ids": ends, "start_ids": symbols.start_ids[:1]})
    )
    for rule in RULES[kind] if len(around) == 1 else ():
        is_small = rule == TARGET_BEFORE
        source, target = (None, around[0]) if is_small else (around[0], written)
        languages = Languages(tokens=tokens, source=source, target=target, **rule)
        if target is not None and plain.with_languages(languages).directed(source, target).symbols == symbols:
            return languages
    return None


def write(
    folder: Path, tokenizer: Tokenizer, kind: str, languages: Languages | None, symbols: Symbols, *, vocab_size: int,
    max_positions: int,
) -> list[str]:  # fmt: skip
    """Write a tokenizer of ours for the tokenizers of a model type in `transformers`. Returns notes for the user.

    Args:
        languages, symbols: those of `written_languages`.
        vocab_size: how many tokens the model has.
    Raises:
        ModelFolderError: their files cannot say what it does.
    """
    settings: dict[str, Any] = {}
    rule = None if languages is None else next(rule for rule in RULES[kind] if _has(languages, rule))
    if languages is not None:
        named = {"src_lang": languages.source, "tgt_lang": languages.target}
        settings |= {key: code for key, code in named.items() if code is not None}
        settings["tokenizer_class"] = _class(kind, languages, rule)
        if rule == BEHIND:
            settings["legacy_behaviour"] = True
    notes = []
    if rule == TARGET_BEFORE:
        notes.append("transformers has no class of this tokenizer: put tokenization_small100.py of SMaLL-100 beside it")
    if tokenizer.vocabulary is None:
        if languages is not None:
            settings["extra_special_tokens"] = list(languages.tokens.values())
            settings["added_tokens_decoder"] = _added(tokenizer, languages)
        frame = symbols.source_begin_ids, symbols.source_end_ids
        write_tokenizer(
            folder, tokenizer, frame=frame, pad_id=symbols.pad_id, max_positions=max_positions, settings=settings
        )
        return notes
    listed, settings["language_codes"] = _listed(tokenizer.vocabulary, languages)
    settings["num_madeup_words"] = vocab_size - len(tokenizer.vocabulary)
    ids = {"pad": symbols.pad_id, "unk": symbols.unk_id, "bos": symbols.bos_id, "eos": symbols.eos_id}
    settings |= {f"{name}_token": tokenizer.tokens([id])[0] for name, id in ids.items()}
    name = LISTED_CLASSES[1 if rule == TARGET_BEFORE else 0]
    settings |= {"tokenizer_class": name, "model_max_length": max_positions}
    (folder / PIECES).write_bytes(sentence_piece_model(tokenizer))
    _save(folder / LIST, {token: id for id, token in enumerate(listed)})
    _save(folder / FILE, settings)
    return notes


def _has(languages: Languages, rule: dict[str, Any]) -> bool:
    """Whether tokens stand where a rule says."""
    return languages == languages.model_copy(
        update={"source_begin": [], "source_end": [], "starts": False, "begins": False} | rule
    )


def _class(kind: str, languages: Languages, rule: dict[str, Any] | None) -> str:
    """The class of a tokenizer in `transformers`."""
    if kind == "mbart":
        return "MBartTokenizer" if rule == STARTS else "MBart50Tokenizer"
    if rule == TARGET_BEFORE:
        return LISTED_CLASSES[1]
    is_listed = any(code != token for code, token in languages.tokens.items())
    return "PreTrainedTokenizerFast" if is_listed else "NllbTokenizer"  # M2M100's reads no tokenizer.json


def _added(tokenizer: Tokenizer, languages: Languages) -> dict[str, Any]:
    """The added tokens by their ids: without them, `transformers` would number them anew."""
    special = {*languages.tokens.values()}
    flags = ("content", "lstrip", "normalized", "rstrip", "single_word", "special")
    added = json.loads(tokenizer.backend_json)["added_tokens"]
    return {
        str(token["id"]): {flag: token[flag] for flag in flags}
        | ({"special": True} if token["content"] in special else {})
        for token in added
    }


def _listed(vocabulary: list[str], languages: Languages | None) -> tuple[list[str], str]:
    """The list of M2M100 without its languages, whose class has them, and the name of these there.

    Raises:
        ModelFolderError: they are others, or do not come last.
    """
    for name, codes in M2M100_LANGUAGES.items():
        tokens = [f"__{code}__" for code in codes.split()]
        if languages is not None and [*languages.tokens.values()] == tokens == vocabulary[-len(tokens) :]:
            return vocabulary[: -len(tokens)], name
    raise ModelFolderError(
        f"the last tokens of a vocabulary beside a SentencePiece model must be the languages of M2M100, in its order, to be "
        f"written as m2m_100; got {', '.join(vocabulary[-3:])}. Try another format, such as onnx."
    )


def _save(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
