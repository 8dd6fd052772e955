"""A reader of SentencePiece models, as tokenizers of the library `tokenizers` that cut texts as SentencePiece does."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from regard.errors import MissingExtraError, ModelFolderError
from regard.foreign_files import read_small
from regard.text.tokenizing.character_map import LONGEST_MATCHES
from regard.text.tokenizing.spaces import spaces_decoder

SYMBOL_NAMES = ("<s>", "</s>", "<unk>", "<pad>")
SMALLEST, BELOW_BEST = 2.0**-126, 0.1
"""A user-defined symbol of SentencePiece is worth this much less than the best piece for each of its bytes; the best is
worth at least the smallest float32. Source: `unigram_model.cc`.
"""
WITHOUT_EXTRA_SPACES = ((r"\A +", ""), (" {2,}", " "), (r"[ ▁]+\z", ""))
"""Replacements that leave out extra spaces as SentencePiece does. Only U+0020 is a space then, and at the end `▁`, too, as
spaces are written so before they are removed there. Source: `normalizer.cc`.
"""
BEGINS_AS_WITH_SPACE = (r"\A▁", "▁▁")
"""The replacement that keeps a `▁` that a text begins with: the library's Metaspace puts no space before it."""
UNIGRAM, BYTE_PAIR, NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 2, 1, 3, 4, 6
"""The codes of SentencePiece's files: kinds of model, and kinds of piece."""


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
    pieces = [(name, 0.0) for name in first]
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
        steps += [normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap), LONGEST_MATCHES]
    scheme = "always" if proto.normalizer_spec.add_dummy_prefix else "never"
    prepended = scheme
    if proto.normalizer_spec.remove_extra_whitespaces:
        steps += [normalizers.Replace(Regex(pattern), to) for pattern, to in WITHOUT_EXTRA_SPACES]
        if scheme == "always":
            steps.append(normalizers.Replace(Regex(BEGINS_AS_WITH_SPACE[0]), BEGINS_AS_WITH_SPACE[1]))
    elif scheme == "always":  # the library's Metaspace puts no space before a text that begins with one
        steps.append(normalizers.Prepend("▁"))
        prepended = "never"
    backend.normalizer = normalizers.Sequence(steps)
    for name in defined:
        if normalizers.Sequence(steps[:1]).normalize_str(name) != name or " " in name or "▁" in name:
            raise ModelFolderError(f"{path}: a user-defined symbol must be one that stays as it is; got {name!r}.")
    crosses_spaces = any("▁" in piece.piece[1:] for piece in proto.pieces if piece.type == NORMAL)
    cuts: list[pre_tokenizers.PreTokenizer] = [
        pre_tokenizers.Metaspace(prepend_scheme=prepended, split=not crosses_spaces)
    ]
    if proto.trainer_spec.model_type == UNIGRAM:  # byte pairs are merged to what is read alone
        read = {piece.piece for piece in proto.pieces if piece.type in (NORMAL, USER_DEFINED)}
        unread = {piece for piece, _ in pieces} - read
        if single := next((piece for piece in unread if len(piece) == 1), None):
            raise ModelFolderError(f"{path}: a symbol must have two characters or more; got {single!r}.")
        if unread:
            cuts.append(_cut_inside(unread, read))
    backend.pre_tokenizer = pre_tokenizers.Sequence(cuts)
    backend.decoder = decoders.Metaspace(prepend_scheme="never" if scheme == "never" else "always")
    if crosses_spaces or proto.trainer_spec.byte_fallback or prepended != scheme:
        bytes_first = [decoders.ByteFallback()] if proto.trainer_spec.byte_fallback else []
        backend.decoder = spaces_decoder(scheme == "always", *bytes_first)
    return backend


def _cut_inside(unread: Collection[str], read: Collection[str]) -> pre_tokenizers.Split:
    """A cut inside each piece that is never read from a text, such as a control symbol that the text spells out.

    It is made where no piece that is read holds what stands on both sides, if there is such a place: it changes nothing
    else then.

    Args:
        unread: the pieces that are never read, each of two characters or more.
        read: the others.
    """
    together = {pair for piece in read for pair in pairwise(piece)}
    by_begin = defaultdict[str, list[str]](list)
    for piece in unread:
        places = [place for place in range(1, len(piece)) if (piece[place - 1], piece[place]) not in together]
        # Two unknown characters in a row are one unknown token only where no cut is between them.
        known = (place for place in places if {piece[place - 1], piece[place]} & {*read})
        place = next(known, next(iter(places), 1))
        by_begin[piece[:place]].append(piece[place:])
    cuts = (
        f"(?<={re.escape(begin)})(?={'|'.join(map(re.escape, sorted(ends)))})"
        for begin, ends in sorted(by_begin.items())
    )
    return pre_tokenizers.Split(Regex("|".join(cuts)), behavior="isolated")


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
