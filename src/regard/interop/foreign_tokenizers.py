"""Readers of foreign tokenizers: `tokenizer.json`, BERT's and GPT-2's vocabulary files, SentencePiece models.

Ours keep their ids. Where somebody's model numbers the pieces of a SentencePiece model by a list of its own, as Marian
does, our tokenizer has that list as its `vocabulary`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from regard.errors import MissingExtraError, ModelFolderError
from regard.interop.files import read_json, read_optional, read_small
from regard.interop.tokenizer_settings import (
    BYTE_PAIRS,
    SENTENCE_PIECE,
    WORD_PIECE,
    check_beside,
    read_settings,
    refuse_others,
    with_frame,
)
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing.backends import guarded, read_backend, read_content
from regard.text.tokenizing.spaces import spaces_decoder

KNOWN_FILES = (
    "tokenizer.json, vocab.txt, vocab.json with merges.txt, source.spm and target.spm, spiece.model, or "
    "sentencepiece.bpe.model"
)
MOST_SENTINELS = 1 << 16
SYMBOL_NAMES = ("<s>", "</s>", "<unk>", "<pad>")
UNLIKELY = -100.0
"""The score of a piece that no text should be cut into."""
ADDED_FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
"""The flags that say how an added token is found in a text."""
SMALLEST, BELOW_BEST = 2.0**-126, 0.1
"""A user-defined symbol of SentencePiece is worth this much less than the best piece for each of its bytes; the best is
worth at least the smallest float32. Source: `unigram_model.cc`.
"""
UNIGRAM, BYTE_PAIR, NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 2, 1, 3, 4, 6
"""The codes of SentencePiece's files: kinds of model, and kinds of piece."""


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
    if (folder / "source.spm").is_file() and (folder / "vocab.json").is_file():
        with guarded(folder, "be read as a tokenizer"):
            return _marian(folder, symbols)
    with guarded(folder, "be read as a tokenizer"):
        backend = read_folder(folder)
    if by_word and isinstance(backend.pre_tokenizer, pre_tokenizers.ByteLevel):
        backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    with guarded(folder, "be read as a tokenizer"):
        found = with_frame(folder, backend, with_named_symbols(folder, backend, symbols), any_frame=any_frame)
    if num_ids is not None and found.mask_id is not None and found.mask_id >= num_ids:
        found = found.model_copy(update={"mask_id": None})
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
            flags[token] = {
                flag: bool(entry[flag]) for flag in ("lstrip", "rstrip", "single_word", "normalized") if flag in entry
            }
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


def sentence_pieces(path: Path, *, first: Sequence[str] = (), replaced: int = 0) -> tokenizers.Tokenizer:
    """A model of SentencePiece, with its normalisation. Source: Kudo and Richardson 2018; Sennrich et al. 2016 for byte pairs.

    Args:
        first: symbols that stand before the pieces, in place of as many of the first as `replaced` says.
    Raises:
        ModelFolderError: it is damaged, or a model of words or characters, or has symbols or a place for spaces that we read
            otherwise.
        MissingExtraError: `sentencepiece` is not installed.
    """
    proto = _read_proto(path)
    if proto.trainer_spec.model_type not in (UNIGRAM, BYTE_PAIR):
        raise ModelFolderError(
            f"{path} must be a unigram or byte-pair model; got another kind. Convert it to tokenizer.json."
        )
    if proto.trainer_spec.treat_whitespace_as_suffix:
        raise ModelFolderError(f"{path} must mark spaces before words; it marks them after words.")
    defined = [piece.piece for piece in proto.pieces if piece.type == USER_DEFINED]
    if defined and proto.trainer_spec.model_type != UNIGRAM:
        raise ModelFolderError(
            f"{path} must have no user-defined symbols, as it is no unigram model; it has some. Convert it to "
            "tokenizer.json with transformers."
        )
    # Control symbols and the unknown one are never read from a text.
    pieces = [(name, 0.0 if name in SYMBOL_NAMES else UNLIKELY) for name in first]
    best = max([SMALLEST, *(piece.score for piece in proto.pieces if piece.type == NORMAL)])
    for piece in proto.pieces[replaced:]:
        score = len(piece.piece.encode()) * best - BELOW_BEST if piece.type == USER_DEFINED else piece.score
        pieces.append((piece.piece, score))
    unk_id = first.index("<unk>") if "<unk>" in first else proto.trainer_spec.unk_id + len(first) - replaced
    fallback = proto.trainer_spec.byte_fallback
    if proto.trainer_spec.model_type == UNIGRAM:
        model: models.Model = models.Unigram(pieces, unk_id=unk_id, byte_fallback=fallback)
    else:
        normal = {piece.piece: piece.score for piece in proto.pieces if piece.type == NORMAL}
        ids = {piece: id for id, (piece, _) in enumerate(pieces)}
        model = models.BPE(ids, _merges(normal), unk_token=pieces[unk_id][0], fuse_unk=True, byte_fallback=fallback)
    backend = tokenizers.Tokenizer(model)
    steps: list[normalizers.Normalizer] = []
    if proto.normalizer_spec.precompiled_charsmap:
        steps.append(normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap))
    scheme = "always" if proto.normalizer_spec.add_dummy_prefix else "never"
    prepended = scheme
    if proto.normalizer_spec.remove_extra_whitespaces:
        steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    elif scheme == "always":  # the library's Metaspace puts no space before a text that begins with one
        steps.append(normalizers.Prepend("▁"))
        prepended = "never"
    backend.normalizer = normalizers.Sequence(steps)
    for name in defined:
        if normalizers.Sequence(steps[:1]).normalize_str(name) != name or " " in name or "▁" in name:
            raise ModelFolderError(f"{path}: a user-defined symbol must be one that stays as it is; got {name!r}.")
    crosses_spaces = any("▁" in piece.piece[1:] for piece in proto.pieces if piece.type == NORMAL)
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prepended, split=not crosses_spaces)
    backend.decoder = decoders.Metaspace(prepend_scheme="never" if scheme == "never" else "always")
    if crosses_spaces or proto.trainer_spec.byte_fallback or prepended != scheme:
        bytes_first = [decoders.ByteFallback()] if proto.trainer_spec.byte_fallback else []
        backend.decoder = spaces_decoder(scheme == "always", *bytes_first)
    return backend


def _merges(scores: Mapping[str, float]) -> list[tuple[str, str]]:
    """The pairs of pieces that are pieces together, as SentencePiece merges them: first those of the highest score."""
    found = [
        (score, left, right)
        for piece, score in scores.items()
        for place in range(1, len(piece))
        if (left := piece[:place]) in scores and (right := piece[place:]) in scores
    ]
    return [(left, right) for _, left, right in sorted(found, key=lambda pair: -pair[0])]


def _read_proto(path: Path) -> Any:
    try:
        from google.protobuf.message import DecodeError
        from sentencepiece import sentencepiece_model_pb2
    except ImportError as error:
        raise MissingExtraError(f"{path.name} (a SentencePiece model)", "convert") from error
    messages: Any = sentencepiece_model_pb2
    proto = messages.ModelProto()
    try:
        proto.ParseFromString(read_small(path))
    except DecodeError as error:
        raise ModelFolderError(f"{path} must be a SentencePiece model; got: {error}. Is it whole?") from error
    if not proto.pieces or not proto.HasField("trainer_spec"):
        lack = "pieces" if not proto.pieces else "settings, which come after the pieces"
        raise ModelFolderError(f"{path} must be a SentencePiece model; it has no {lack}. Is it whole?")
    return proto


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


def vocabulary_list(ids: Mapping[str, Any], path: Path) -> list[str]:
    """The tokens in the order of their ids.

    Raises:
        ModelFolderError: the ids are not 0, 1, 2 and so on.
    """
    if sorted(ids.values(), key=str) != sorted(range(len(ids)), key=str):
        raise ModelFolderError(f"{path} must number its {len(ids)} tokens from 0; it does not.")
    return sorted(ids, key=ids.__getitem__)


def whole_tokens(vocabulary: Sequence[str], symbols: Symbols) -> tuple[tokenizers.Tokenizer, str]:
    """A tokenizer for a vocabulary without tokenizer, and a note on how it splits: into characters, or words at spaces."""
    is_symbol = re.compile(r"<[^<>]+>").fullmatch  # "<blank>", for example
    ordinary = [token for id, token in enumerate(vocabulary) if id not in symbols.special_ids and not is_symbol(token)]
    unk = vocabulary[symbols.unk_id]
    backend = tokenizers.Tokenizer(models.WordLevel({token: id for id, token in enumerate(vocabulary)}, unk_token=unk))
    if ordinary and all(len(token) == 1 for token in ordinary):
        backend.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), behavior="isolated")
        backend.decoder = decoders.Fuse()
        return backend, "the vocabulary is one of characters: texts are cut into them"
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return backend, "the vocabulary came without a tokenizer: texts must be tokens with spaces between them"


def with_named_symbols(folder: Path, backend: tokenizers.Tokenizer, symbols: Symbols) -> Symbols:
    """The symbols, corrected by the tokenizer's files.

    Args:
        backend: its tokenizer.
    """
    named = read_optional(folder / "special_tokens_map.json") | read_optional(folder / "tokenizer_config.json")

    def id_of(*names: str) -> int | None:
        for name in names:
            token = spelling(named.get(f"{name}_token"))
            if token is not None and (id := backend.token_to_id(token)) is not None:
                return id
        return None

    changes: dict[str, Any] = {"mask_id": id_of("mask") if id_of("mask") is not None else _usual_mask(backend)}
    unk = id_of("unk")
    if unk is None:
        unk = next((id for name in ("<unk>", "[UNK]") if (id := backend.token_to_id(name)) is not None), None)
    changes["unk_id"] = _own_unknown(backend, symbols.unk_id) if unk is None else unk
    if symbols.source_begin_ids == [symbols.bos_id] and symbols.source_end_ids:
        # An encoder's frame: [CLS] and [SEP], whatever ids the configuration has by default.
        begin, end = id_of("cls", "bos"), id_of("sep", "eos")
        begin = backend.token_to_id("[CLS]") if begin is None else begin
        end = backend.token_to_id("[SEP]") if end is None else end
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


def _usual_mask(backend: tokenizers.Tokenizer) -> int | None:
    return next((id for name in ("[MASK]", "<mask>") if (id := backend.token_to_id(name)) is not None), None)


def write_tokenizer(
    folder: Path,
    tokenizer: Tokenizer,
    *,
    frame: tuple[list[int], list[int]] | None,
    pad_id: int,
    max_positions: int,
    separators: int = 1,
    second_kind: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write a tokenizer of ours for Hugging Face's `AutoTokenizer`: `tokenizer.json` and `tokenizer_config.json`.

    Args:
        frame: the symbols in front of a text and behind it; None: it puts none there.
        pad_id: what shorter texts are filled up with, which may be a token of ours; -1: nothing is.
        separators: how often what stands behind a text stands between the two texts of a pair.
        second_kind: the kind of the second text's tokens, 0 or 1; the first's is 0. Where both are, models do not ask for it.
        settings: more of `tokenizer_config.json`.
    Raises:
        ModelFolderError: it has a vocabulary of its own, which `tokenizer.json` cannot say.
    """
    if tokenizer.vocabulary is not None:
        raise ModelFolderError(
            "a tokenizer with a vocabulary beside its SentencePiece model cannot be written as tokenizer.json. "
            "Take the spm and vocabulary files of the model that it came from."
        )
    content = json.loads(tokenizer.backend_json)
    symbols = tokenizer.symbols
    if frame is not None:
        content["post_processor"] = _template(tokenizer, *frame, separators, second_kind)
    (folder / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
    ids = {"pad": pad_id, "unk": symbols.unk_id, "bos": symbols.bos_id, "eos": symbols.eos_id}
    if symbols.mask_id is not None:
        ids["mask"] = symbols.mask_id
    named: dict[str, Any] = {f"{name}_token": tokenizer.tokens([id])[0] for name, id in ids.items() if id >= 0}
    if frame is not None:
        named |= {"cls_token": named["bos_token"], "sep_token": named["eos_token"]}
    named |= {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": max_positions,
        "model_input_names": ["input_ids", *["token_type_ids"] * second_kind, "attention_mask"],
        "clean_up_tokenization_spaces": False,
    } | dict(settings or {})
    (folder / "tokenizer_config.json").write_text(json.dumps(named, ensure_ascii=False, indent=2), encoding="utf-8")


def _template(
    tokenizer: Tokenizer, begin: list[int], end: list[int], separators: int, second_kind: int
) -> dict[str, Any]:
    """The post-processor that puts symbols around a text, and around the texts of a pair."""
    names = dict(zip([*begin, *end], tokenizer.tokens([*begin, *end]), strict=True))

    def piece(kind: str, id: str, type_id: int = 0) -> dict[str, Any]:
        return {kind: {"id": id, "type_id": type_id}}

    first = [*(piece("SpecialToken", names[id]) for id in begin), piece("Sequence", "A")]
    single, between = ([*first, *(piece("SpecialToken", names[id]) for id in end * times)] for times in (1, separators))
    second = [piece("Sequence", "B", second_kind), *(piece("SpecialToken", names[id], second_kind) for id in end)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": between + second,
        "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]} for id, name in names.items()},
    }
