"""The symbols and the tokenizer of a CTranslate2 folder: its vocabulary, its configuration, and files beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tokenizers

from regard.errors import ModelFolderError
from regard.interop.files import ForeignConfig
from regard.interop.foreign_tokenizers import sentence_pieces, whole_tokens
from regard.text.tokenizer import Symbols, Tokenizer

PIECES = ("spm.model", "sentencepiece.model")
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


def tokenizer_of(
    folder: Path, side: str, tokens: list[str], symbols: Symbols, pieces: Path | None = None
) -> tuple[Tokenizer, str]:
    """The SentencePiece model `pieces`, or the tokenizer in the folder, or else the vocabulary alone."""
    if pieces is not None:
        return Tokenizer(sentence_pieces(pieces), symbols, tokens), ""
    for name in tokenizer_files(side):
        if (folder / name).is_file():
            backend = tokenizers.Tokenizer.from_str(Tokenizer.load(folder / name).backend_json)
            return Tokenizer(backend, symbols, tokens), ""
    for name in (f"{side}.spm", *PIECES):
        if (folder / name).is_file():
            return Tokenizer(sentence_pieces(folder / name), symbols, tokens), ""
    backend, note = whole_tokens(tokens, symbols)
    return Tokenizer(backend, symbols), note
