"""A reader of CTranslate2 model folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig, read_optional
from regard.interop.check import Reference
from regard.interop.ctranslate2 import decoder_reader
from regard.interop.ctranslate2.encoder_decoder_config import first, output_factor, parse, query_factor
from regard.interop.ctranslate2.layout import MODEL, POSITIONS, variable_refs
from regard.interop.ctranslate2.model_file import (
    dequantized,
    kinds_of,
    notes_on_types,
    read_variables,
    read_vocabulary,
)
from regard.interop.ctranslate2.reference import CTranslate2Reference
from regard.interop.ctranslate2.symbols_and_tokenizers import symbols_of, tokenizer_of, with_kept
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.mapping import PAD, add_zero_start
from regard.models.config import EncoderDecoderConfig
from regard.text.tokenizer import Symbols, Tokenizer

SPECIFICATIONS = ("TransformerBase", "TransformerBig", "TransformerSpec")
SCALED = (
    "the last states are divided before an output matrix that is not the embeddings: converters that ran with transformers 5 "
    "write this of T5 1.1, Flan-T5, MADLAD and mT5, whose originals do not divide. Convert the original with `regard convert`"
)
"""A note on files that are as CTranslate2 computes, but not as the original does."""


def read(folder: Path, pieces: Path | None = None) -> ForeignModel:
    """Read the model of a folder.

    Args:
        pieces: the SentencePiece model of both sides; None: that in the folder.
    Raises:
        ModelFolderError: a file is damaged, or the model is of a kind that we cannot represent.
    """
    name, variables = read_variables(folder / MODEL)
    if name == decoder_reader.NAME:
        return decoder_reader.read(folder, variables)
    if name not in SPECIFICATIONS:
        raise ModelFolderError(f"{folder / MODEL} must be a Transformer with a decoder; got {name!r}.")
    where = str(folder / MODEL)
    scalars = {key: array for key, array in variables.items() if array.ndim == 0}
    tensors = dequantized(variables)
    settings = ForeignConfig(read_optional(folder / "config.json"), folder / "config.json")
    tables = {
        "source": first(tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=where),
        "target": first(tensors, "decoder/embeddings/weight", where=where),
    }
    unk = settings.get("unk_token", "<unk>")
    vocabularies = {side: read_vocabulary(folder, side, len(table), unk) for side, table in tables.items()}
    names = {side: list(tokens) for side, tokens in vocabularies.items()}
    starts_from_zero = bool(scalars.get("decoder/start_from_zero_embedding", 0))
    if starts_from_zero:
        _add_zero_start(tensors, vocabularies)
    config = parse(scalars, tensors, settings, where)
    for key in ("bos", "eos"):
        if f"with_source_{key}" in scalars:  # its place in files from before CTranslate2 3
            settings.values.setdefault(f"add_source_{key}", bool(scalars[f"with_source_{key}"]))
    symbols = {side: symbols_of(settings, vocabularies[side], names[side]) for side in names}
    added = bool(settings.get("add_source_bos", False)), bool(settings.get("add_source_eos", False))
    if starts_from_zero or config.positions == "t5":
        # Sources of Marian and T5 end with </s>, which some converters leave to the tokenizer.
        symbols = {side: found.model_copy(update={"source_end_ids": [found.eos_id]}) for side, found in symbols.items()}
    symbols = {side: with_kept(folder, side, found, len(vocabularies[side])) for side, found in symbols.items()}
    settings.refuse_others(())
    notes = _notes(variables, tensors, config, lengths := _lengths(tensors))
    source, target = _tokenizers(folder, vocabularies, symbols, pieces, notes)
    factors = {"query_factor": query_factor(scalars, config), "output_factor": output_factor(scalars)}
    blueprint = Blueprint(
        config,
        lambda model: variable_refs(model, lengths, **factors),
        target.symbols,
        aliases={"encoder/embeddings_0/weight": ("encoder/embeddings/weight",)},
        explained={
            "*/encodings": "sinusoids, which ours computes",
            "*/rotary_*": "rotary positions, which ours computes",
            "decoder/alignment*": "which heads CTranslate2 shows; ours shows any",
        },
    )
    model, account = blueprint.build(tensors, where=where)
    model.weights_dtype = torch.int8 if "int8" in kinds_of(variables) else torch.float32

    def reference(path: Path) -> Reference:
        start, *prefix = target.tokens(target.symbols.start_ids)
        given = start if getattr(target.languages, "starts", False) else None
        return CTranslate2Reference(
            path, names["source"], names["target"], added, prefix, given, target.symbols.banned_ids
        )

    return ForeignModel("CTranslate2", LoadedModel(model, target, source), account, notes, reference, folder)


def _lengths(tensors: Mapping[str, Tensor]) -> dict[str, int]:
    """The number of positions of the tables of `encoder` and `decoder`, those that there are."""
    names = {side: POSITIONS.format(side) for side in ("encoder", "decoder")}
    return {side: len(tensors[name]) for side, name in names.items() if name in tensors}


def _notes(
    variables: Mapping[str, np.ndarray],
    tensors: Mapping[str, Tensor],
    config: EncoderDecoderConfig,
    lengths: Mapping[str, int],
) -> list[str]:
    """Notes for users: what is not as in the file."""
    notes = notes_on_types(variables)
    if config.positions in ("t5", "rotary"):
        notes.append(f"CTranslate2 knows no longest text; ours is {config.max_positions:,} tokens")
    output, embedding = tensors.get("decoder/projection/weight"), tensors["decoder/embeddings/weight"]
    if "decoder/scale_outputs" in variables and not (output is None or torch.equal(output, embedding)):
        notes.append(SCALED)
    if len(set(lengths.values())) > 1:
        notes.append(f"positions from {config.max_positions} on, which one side lacks, are left out")
    return notes


def _tokenizers(
    folder: Path,
    vocabularies: Mapping[str, list[str]],
    symbols: Mapping[str, Symbols],
    pieces: Path | None,
    notes: list[str],
) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizers of source and target, one object where they are equal. Adds notes to `notes`."""
    found = []
    for side in ("source", "target"):
        tokenizer, note = tokenizer_of(folder, side, vocabularies[side], symbols[side], pieces)
        found.append(tokenizer)
        if note and note not in notes:
            notes.append(note)
    source, target = found
    are_equal = (source.identity, source.languages) == (target.identity, target.languages)
    return (target if are_equal else source), target


def _add_zero_start(tensors: dict[str, Tensor], vocabularies: dict[str, list[str]]) -> None:
    """Add a token whose vector is zero to a model of Marian's, in refs: its decoder starts from a zero vector."""
    decoder, encoder = "decoder/embeddings/weight", "encoder/embeddings_0/weight"
    tables = [decoder, "decoder/projection/weight"]
    if encoder in tensors and torch.equal(tensors[encoder], tensors[decoder]):
        tables.append(encoder)
        vocabularies["source"].append(PAD)
    vocabularies["target"].append(PAD)
    tensors.setdefault("decoder/projection/bias", torch.zeros(len(tensors[decoder])))
    add_zero_start(tensors, tables, "decoder/projection/bias")
