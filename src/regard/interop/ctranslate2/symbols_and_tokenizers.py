"""The symbols and the tokenizer of a CTranslate2 folder: its vocabulary, its configuration, and files beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tokenizers

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.text.tokenizer import Symbols, Tokenizer
from regard.tokenizer_formats.sentence_piece_reader import sentence_pieces
from regard.tokenizer_formats.vocabulary_lists import whole_tokens

PIECES = ("spm.model", "sentencepiece.model", "spiece.model")
"""Names of tokenizers that are often stored with a model."""


def symbols_of(settings: ForeignConfig, tokens: Sequence[str], their_tokens: Sequence[str]) -> Symbols:
    """The ids of a side's symbols; a decoder starts from the token of ours that they do not have."""
    starts_from_zero = len(tokens) > len(their_tokens)
    ids = {token: id for id, token in enumerate(tokens)}

    def id_of(key: str, default: str) -> int:
        token = settings.get(key, default)
        if token not in ids:
            raise ModelFolderError(f"{settings.where}: {key} must be a token of the vocabulary; got {token!r}.")
        return ids[token]

    end = id_of("eos_token", "</s>")
    begin = ids.get(settings.get("bos_token", "<s>"), end)
    start = ids.get(settings.get("decoder_start_token", "<s>"), begin)
    return Symbols(
        pad_id=-1,
        unk_id=ids.get(settings.get("unk_token", "<unk>"), 0),
        bos_id=begin,
        eos_id=end,
        start_ids=[len(tokens) - 1 if starts_from_zero else start],
        source_begin_ids=[begin] if settings.get("add_source_bos", False) else [],
        source_end_ids=[end] if settings.get("add_source_eos", False) else [],
        banned_ids=[len(tokens) - 1] if starts_from_zero else [],
        lines_end=False,
    )


def tokenizer_files(side: str) -> tuple[str, str]:
    """The names of the tokenizers that we write beside a model."""
    return f"{side}_tokenizer.json", "tokenizer.json"


def with_kept(folder: Path, side: str, symbols: Symbols, vocab_size: int) -> Symbols:
    """The symbols with those that CTranslate2's configuration has no place for, but the tokenizer has that we write beside a
    model: tokens that a decoder reads between its start token and those that it writes, the tokens of languages, and those that
    are never written.
    """
    path = next((path for name in tokenizer_files(side) if (path := folder / name).is_file()), None)
    if path is None:
        return symbols
    tokenizer = Tokenizer.load(path)
    kept, languages = tokenizer.symbols, tokenizer.languages
    if max(kept.banned_ids, default=0) < vocab_size:
        symbols = symbols.model_copy(update={"banned_ids": sorted({*symbols.banned_ids, *kept.banned_ids})})
    if tokenizer.is_ours and not kept.language_ids:
        return symbols
    ids = (*kept.start_ids, *kept.source_begin_ids, *kept.source_end_ids, *kept.language_ids)
    if max(ids) >= vocab_size:
        return symbols
    names = ["source_begin_ids", "source_end_ids", "language_ids"] if kept.language_ids else []
    is_given = languages is not None and languages.starts  # by whoever translates
    if side == "target" and (is_given or kept.start_ids[:1] == symbols.start_ids):
        names.append("start_ids")
    return symbols.model_copy(update={name: getattr(kept, name) for name in names})


def tokenizer_of(
    folder: Path, side: str, tokens: list[str], symbols: Symbols, pieces: Path | None = None
) -> tuple[Tokenizer, str]:
    """The SentencePiece model `pieces`, or the tokenizer in the folder, or else the vocabulary alone."""
    if pieces is not None:
        return Tokenizer(sentence_pieces(pieces), symbols, tokens), ""
    for name in tokenizer_files(side):
        if (folder / name).is_file():
            kept = Tokenizer.load(folder / name)
            found = Tokenizer(tokenizers.Tokenizer.from_str(kept.backend_json), symbols, tokens)
            return found if kept.languages is None else found.with_languages(kept.languages), ""
    for name in (f"{side}.spm", *PIECES):
        if (folder / name).is_file():
            return Tokenizer(sentence_pieces(folder / name), symbols, tokens), ""
    backend, note = whole_tokens(tokens, symbols)
    return Tokenizer(backend, symbols), note
