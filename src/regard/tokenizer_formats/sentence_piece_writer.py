"""A writer of SentencePiece models: what a tokenizer of the library `tokenizers` does, said by pieces, scores and rules.

SentencePiece cuts a whole text; the pieces of ours never reach across a cut that ours makes beforehand, so that both
choose among the same cuts. Source: Kudo and Richardson 2018; Kudo 2018 for unigram; Sennrich et al. 2016 for byte pairs.

Some texts may be cut otherwise. A text that begins with a space has one more `▁` in SentencePiece. Unknown characters
in a row are always one unknown token there. A symbol that a text spells out, such as `</s>`, may be cut at other places.
Of two cuts that a unigram model finds equally likely, either may be chosen, where its scores are not rounded as ours.
"""

from __future__ import annotations

import base64
import io
import itertools
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from regard.errors import MissingExtraError, ModelFolderError
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizing.character_map import LONGEST_MATCHES
from regard.tokenizer_formats.sentence_piece_reader import (
    BEGINS_AS_WITH_SPACE,
    BYTE,
    BYTE_PAIR,
    CONTROL,
    NORMAL,
    SYMBOL_NAMES,
    UNIGRAM,
    WITHOUT_EXTRA_SPACES,
)

UNKNOWN = 2
"""The code of the piece that stands for what is in no other."""
TEXTS_TOGETHER = 10_000
"""The number of texts that are cut at a time by both."""
SCORE_OF_SYMBOLS = 0.0
INSIDE_SYMBOLS = ("<(?=", "(?<=")
"""The beginnings of expressions for cuts inside the spelling of a symbol: of our training, and of our reader."""


def sentence_piece_model(tokenizer: Tokenizer, texts: Iterable[str] = ()) -> bytes:
    """The content of a SentencePiece model that cuts texts as a tokenizer does.

    Args:
        texts: texts that both must cut alike. A model of byte pairs that were merged by our rules needs some: SentencePiece
            merges any two pieces that are a piece together, ours only the pairs that were learnt.
    Raises:
        ModelFolderError: the tokenizer has a rule that SentencePiece lacks, or a text is cut otherwise.
        MissingExtraError: `sentencepiece` is not installed.
    """
    messages = _messages()
    content = json.loads(tokenizer.backend_json)
    if (kind := content["model"]["type"]) not in ("Unigram", "BPE"):
        _refuse("the tokenizer's kind", "words" if kind == "WordLevel" else kind)
    proto, pieces = messages.ModelProto(), _pieces(content)
    _add_rules(proto, content)
    symbols = _symbol_names(tokenizer) | _cut_inside(content, [piece for piece, _ in pieces])
    unknown = _unknown_piece(content["model"])
    falls_back = bool(content["model"].get("byte_fallback"))
    for piece, score in pieces:
        kind = UNKNOWN if piece == unknown else CONTROL if piece in symbols else NORMAL
        if falls_back and len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
            kind = BYTE
        proto.pieces.add(piece=piece, score=score if kind == NORMAL else SCORE_OF_SYMBOLS, type=kind)
    spec, ids = proto.trainer_spec, {piece: id for id, (piece, _) in enumerate(pieces)}
    spec.model_type = UNIGRAM if content["model"]["type"] == "Unigram" else BYTE_PAIR
    spec.vocab_size, spec.byte_fallback = len(pieces), falls_back
    spec.split_by_whitespace = not any("▁" in piece[1:] for piece in ids)
    spec.unk_piece, spec.unk_id = unknown, ids[unknown]
    for name, piece in (("pad", "<pad>"), ("bos", "<s>"), ("eos", "</s>")):
        setattr(spec, f"{name}_piece", piece)
        setattr(spec, f"{name}_id", ids.get(piece, -1) if piece in symbols else -1)
    written = proto.SerializeToString()
    count = _check_texts(tokenizer, written, texts, ties=spec.model_type == UNIGRAM)
    if spec.model_type == BYTE_PAIR and not count and not _merges_any(content["model"]):
        raise ModelFolderError(
            "a byte-pair tokenizer can be written for SentencePiece only where both cut given texts alike, as their rules of "
            "merging differ; got no texts. Add `--valid` with text such as that of the training, or train with "
            "`--set tokenizer.kind=unigram`."
        )
    return written


def _messages() -> Any:
    try:
        from sentencepiece import sentencepiece_model_pb2
    except ImportError as error:
        raise MissingExtraError("writing a SentencePiece model", "convert") from error
    return sentencepiece_model_pb2


def _refuse(what: str, value: object) -> None:
    raise ModelFolderError(f"{what} must be one that a SentencePiece model can say; got {value}.")


def _symbol_names(tokenizer: Tokenizer) -> set[str]:
    """The tokens that are never read from a text."""
    ids = sorted(id for id in tokenizer.symbols.special_ids if id >= 0)
    return {*SYMBOL_NAMES, *tokenizer.tokens(ids)}


def _cut_inside(content: dict[str, Any], pieces: list[str]) -> set[str]:
    """The pieces that are never read from a text, as it is cut inside them first."""
    cuts = (_pattern(step) for step in _steps(content["pre_tokenizer"], "pretokenizers"))
    found = [re.compile(cut) for cut in cuts if cut.startswith(INSIDE_SYMBOLS)]
    return {
        piece for piece in pieces if any(0 < cut.end() < len(piece) for one in found for cut in one.finditer(piece))
    }


def _pattern(step: dict[str, Any]) -> str:
    """The regular expression of a step that cuts a text; empty: it has none."""
    return str(step.get("pattern", {}).get("Regex", ""))


def _unknown_piece(model: dict[str, Any]) -> str:
    if model["type"] == "Unigram":
        if model.get("unk_id") is None:
            _refuse("the unknown token of the tokenizer", None)
        return str(model["vocab"][model["unk_id"]][0])
    if model.get("unk_token") is None:
        _refuse("the unknown token of the tokenizer", None)
    return str(model["unk_token"])


def _pieces(content: dict[str, Any]) -> list[tuple[str, float]]:
    """The pieces with their scores, in the order of their ids."""
    model = content["model"]
    kept = {id: token for token, id in model["vocab"].items()} if model["type"] == "BPE" else {}
    size = len(model["vocab"])
    for token in content["added_tokens"]:
        if token["id"] >= size or not token["special"]:
            raise ModelFolderError(
                f"a token that was added to a tokenizer cannot be said in a SentencePiece model; got {token['content']!r}."
            )
    if model["type"] == "Unigram":
        pieces = [(str(piece), float(score)) for piece, score in model["vocab"]]
    else:
        for rule in ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges"):
            if model.get(rule):
                _refuse(f"{rule} of the tokenizer", repr(model[rule]))
        if sorted(kept) != list(range(size)):
            _refuse("the ids of the tokenizer", "ids that do not follow each other")
        ranks: dict[str, int] = {}
        for rank, (left, right) in enumerate(_pairs(model)):
            ranks.setdefault(left + right, rank)
        pieces = [(kept[id], -float(ranks.get(kept[id], size + id))) for id in range(size)]
    _check_digits(content, [piece for piece, _ in pieces])
    return pieces


def _pairs(model: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        yield left, right


def _merges_any(model: dict[str, Any]) -> bool:
    """Whether a model of byte pairs merges any two pieces that are a piece together, as SentencePiece does."""
    pieces, pairs = set(model["vocab"]), set(_pairs(model))
    return all(
        (piece[:place], piece[place:]) in pairs
        for piece in pieces
        if piece not in SYMBOL_NAMES
        for place in range(1, len(piece))
        if piece[:place] in pieces and piece[place:] in pieces
    )


def _check_digits(content: dict[str, Any], pieces: list[str]) -> None:
    """Make sure that no piece holds a digit and more, where the tokenizer cuts numbers into digits."""
    cuts = any(step["type"] == "Digits" for step in _steps(content["pre_tokenizer"], "pretokenizers"))
    for piece in pieces if cuts else ():
        if len(piece) > 1 and piece[:1] != "<" and any(character.isnumeric() for character in piece):
            _refuse("a piece of a tokenizer that cuts numbers into digits", repr(piece))


def _steps(rule: dict[str, Any] | None, name: str) -> list[dict[str, Any]]:
    if rule is None:
        return []
    return list(rule[name]) if rule["type"] == "Sequence" else [rule]


def _add_rules(proto: Any, content: dict[str, Any]) -> None:
    """Set how a text is changed before it is cut, from the normalizer and the pre-tokenizer.

    Raises:
        ModelFolderError: there is a step that SentencePiece lacks.
    """
    spec = proto.normalizer_spec
    spec.name, spec.escape_whitespaces = "user_defined", True
    strips = False
    is_prepended = False
    steps, spec.remove_extra_whitespaces = _without_space_steps(_steps(content["normalizer"], "normalizers"))
    says_longest = json.loads(LONGEST_MATCHES.__getstate__())
    for step in [each for each in steps if each != says_longest]:
        kind = step["type"]
        if kind == "Precompiled":
            spec.precompiled_charsmap = base64.b64decode(step["precompiled_charsmap"])
        elif kind == "NFC":
            spec.precompiled_charsmap = _composition()
        elif kind == "Strip" and step["strip_left"] and step["strip_right"]:
            strips = True
        elif kind == "Replace" and (step["pattern"], step["content"]) == ({"Regex": " {2,}"}, " ") and strips:
            spec.remove_extra_whitespaces = True
        elif kind == "Prepend" and step["prepend"] == "▁":
            is_prepended = True
        else:
            _refuse("the normalization of the tokenizer", kind)
    if strips and not spec.remove_extra_whitespaces:
        _refuse("the normalization of the tokenizer", "Strip alone")
    first, *others = _steps(content["pre_tokenizer"], "pretokenizers") or [{"type": "none"}]
    scheme = first.get("prepend_scheme")
    if first["type"] != "Metaspace" or first.get("replacement") != "▁" or scheme not in ("always", "never"):
        _refuse("the first cut of the tokenizer", f"{first['type']} {scheme or ''}".rstrip())
    for step in others:
        _check_cut(step)
    spec.add_dummy_prefix = is_prepended or scheme == "always"
    proto.denormalizer_spec.SetInParent()


def _without_space_steps(steps: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """The steps without those that leave out extra spaces, as we read them of a SentencePiece model; and whether all of
    them are there, in order.
    """
    wanted = [({"Regex": pattern}, content) for pattern, content in WITHOUT_EXTRA_SPACES]
    replaced = [(step.get("pattern"), step.get("content")) for step in steps]
    for at in range(len(steps)):
        end = at + len(wanted)
        if replaced[at:end] == wanted:
            pattern, content = BEGINS_AS_WITH_SPACE
            end += replaced[end : end + 1] == [({"Regex": pattern}, content)]
            return steps[:at] + steps[end:], True
    return steps, False


def _check_cut(step: dict[str, Any]) -> None:
    """Make sure that a cut beforehand is one that the pieces keep to by themselves: between digits and characters, and inside
    the spelling of a symbol.
    """
    is_of_digits = step["type"] == "Digits" and step["individual_digits"]
    pattern = _pattern(step)
    is_of_symbols = step["type"] == "Split" and pattern.startswith(INSIDE_SYMBOLS)
    is_of_characters = step["type"] == "Split" and pattern == r"[\s\S]" and step["behavior"] == "Isolated"
    if not (is_of_digits or is_of_symbols or is_of_characters):
        _refuse("a cut of the tokenizer", step["type"])


@cache
def _composition() -> bytes:
    """Rules that compose characters (NFC), in SentencePiece's form, which its own trainer makes of a table.

    Marks in an order that Unicode does not allow are composed where they all become one character.
    """
    import sentencepiece

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "rules.tsv")
        lines = ("\t".join(" ".join(f"{ord(character):X}" for character in side) for side in rule) for rule in _rules())
        table.write_text("\n".join(lines) + "\n")
        made = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a"]), model_writer=made, model_type="char", vocab_size=5, hard_vocab_limit=False,
            normalization_rule_tsv=str(table), minloglevel=2,
        )  # fmt: skip
    proto = _messages().ModelProto()
    proto.ParseFromString(made.getvalue())
    return bytes(proto.normalizer_spec.precompiled_charsmap)


def _rules() -> Iterator[tuple[str, str]]:
    """Each sequence of characters that is one character when it is composed, and each character that is written otherwise."""
    for code in itertools.chain(range(0x20, 0xD800), range(0xE000, 0x110000)):
        character = chr(code)
        composed, (first, *marks) = normalize("NFC", character), list(normalize("NFD", character))
        if composed != character:
            yield character, composed
            continue
        found = set()
        for order in itertools.permutations(marks):
            for place in range(len(order)):
                sequence = normalize("NFC", first + "".join(order[:place])) + "".join(order[place:])
                if normalize("NFC", sequence) == character:
                    found.add(sequence)
        for sequence in sorted(found):
            yield sequence, character


def _check_texts(tokenizer: Tokenizer, written: bytes, texts: Iterable[str], *, ties: bool) -> int:
    """Make sure that a SentencePiece model cuts texts as a tokenizer does. Returns their number.

    Args:
        ties: whether either of two cuts with the same score will do.
    """
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_proto=written)
    unknown, count, rest = processor.id_to_piece(processor.unk_id()), 0, iter(texts)
    while portion := list(itertools.islice(rest, TEXTS_TOGETHER)):
        portion = [text for text in portion if text.strip()]
        for text, ids in zip(portion, tokenizer.encode_batch(portion), strict=True):
            ours = _one_unknown(tokenizer.tokens(ids), tokenizer.tokens([tokenizer.unk_id])[0])
            theirs = _one_unknown([processor.id_to_piece(id) for id in processor.encode(text)], unknown)
            if ours != theirs and not text.startswith((" ", "▁")) and not (ties and _tie(processor, ours, theirs)):
                place = next(i for i, pair in enumerate(itertools.zip_longest(ours, theirs)) if len({*pair}) > 1)
                raise ModelFolderError(
                    "a SentencePiece model of this tokenizer must cut texts as it does; got another cut of "
                    f"{text[:60]!r}: {' '.join(theirs[place : place + 3])!r} in place of {' '.join(ours[place : place + 3])!r}. "
                    "Train with `--set tokenizer.kind=unigram`."
                )
        count += len(portion)
    return count


def _tie(processor: Any, ours: list[str], theirs: list[str]) -> bool:
    """Whether two cuts of a text are equally likely, but for rounding."""
    scores = [sum(processor.get_score(processor.piece_to_id(token)) for token in cut) for cut in (ours, theirs)]
    return abs(scores[0] - scores[1]) <= 1e-6 * abs(scores[0])


def _one_unknown(tokens: list[str], unknown: str) -> list[str]:
    """Tokens with one unknown token in place of several in a row."""
    return [token for place, token in enumerate(tokens) if token != unknown or tokens[place - 1 : place] != [unknown]]
