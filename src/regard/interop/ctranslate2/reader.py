"""A reader of CTranslate2 model folders."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.interop.check import Reference
from regard.interop.ctranslate2 import decoder_reader
from regard.interop.ctranslate2.layout import ACTIVATIONS, MODEL, POSITIONS, variable_refs
from regard.interop.ctranslate2.model_file import dequantized, read_variables, read_vocabulary
from regard.interop.ctranslate2.reference import CTranslate2Reference
from regard.interop.ctranslate2.symbols_and_tokenizers import symbols_of, tokenizer_of, with_kept
from regard.interop.files import ForeignConfig, read_optional
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.mapping import PAD, add_zero_start
from regard.models.config import EncoderDecoderConfig

SPECIFICATIONS = ("TransformerBase", "TransformerBig", "TransformerSpec")
SCALARS = {
    *("pre_norm", "activation", "num_heads", "head_dim", "scale_embeddings", "multiply_by_sqrt_depth"),
    *("start_from_zero_embedding", "with_source_bos", "with_source_eos", "with_target_bos"),
    *(
        "alignment_layer",
        "alignment_heads",
        "embeddings_merge",
    ),  # without effect: what is shown, and for several tables
}
"""The single numbers that are understood, by the last part of their names. Others must be 0."""


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
    kinds = {str(array.dtype) for key, array in variables.items() if key.endswith("/weight") and array.ndim == 2}
    scalars = {key: array for key, array in variables.items() if array.ndim == 0}
    tensors = dequantized(variables)
    settings = ForeignConfig(read_optional(folder / "config.json"), folder / "config.json")
    tables = {
        "source": _first(
            tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=str(folder / MODEL)
        ),
        "target": _first(tensors, "decoder/embeddings/weight", where=str(folder / MODEL)),
    }
    unk = settings.get("unk_token", "<unk>")
    vocabularies = {side: read_vocabulary(folder, side, len(table), unk) for side, table in tables.items()}
    names = {side: list(tokens) for side, tokens in vocabularies.items()}
    if scalars.get("decoder/start_from_zero_embedding", 0):
        _add_zero_start(tensors, vocabularies)
    for key in ("bos", "eos"):
        if f"with_source_{key}" in scalars:  # its place in files from before CTranslate2 3
            settings.values.setdefault(f"add_source_{key}", bool(scalars[f"with_source_{key}"]))
    symbols = {side: symbols_of(settings, vocabularies[side], names[side]) for side in names}
    added = bool(settings.get("add_source_bos", False)), bool(settings.get("add_source_eos", False))
    if scalars.get("decoder/start_from_zero_embedding", 0):
        # Marian's sources end with </s>, which some converters leave to the tokenizer.
        end = symbols["source"].eos_id
        symbols["source"] = symbols["source"].model_copy(update={"source_end_ids": [end]})
    symbols = {side: with_kept(folder, side, found, len(vocabularies[side])) for side, found in symbols.items()}
    config = _config(scalars, tensors, settings, str(folder / MODEL))
    settings.refuse_others(())
    lengths = {
        side: len(tensors[name]) for side in ("encoder", "decoder") if (name := POSITIONS.format(side)) in tensors
    }
    notes = [f"weights were {', '.join(sorted(kinds))}; they are float32 now"] if kinds != {"float32"} else []
    if "int8" in kinds:
        notes = ["weights were int8; `--to regard-int8` writes them so"]
    if len(set(lengths.values())) > 1:
        notes.append(f"positions from {config.max_positions} on, which one side lacks, are left out")
    tokenizers = {}
    for side, tokens in vocabularies.items():
        tokenizers[side], note = tokenizer_of(folder, side, tokens, symbols[side], pieces)
        if note and note not in notes:
            notes.append(note)
    blueprint = Blueprint(
        config,
        lambda model: variable_refs(model, lengths),
        symbols["target"],
        aliases={"encoder/embeddings_0/weight": ("encoder/embeddings/weight",)},
        explained={
            "*/encodings": "sinusoids, which ours computes",
            "decoder/alignment*": "which heads CTranslate2 shows; ours shows any",
        },
    )
    model, account = blueprint.build(tensors, where=str(folder / MODEL))
    if "int8" in kinds:
        model.weights_dtype = torch.int8
    loaded = LoadedModel(model, tokenizers["target"], tokenizers["source"])

    def reference(path: Path) -> Reference:
        start, *prefix = tokenizers["target"].tokens(symbols["target"].start_ids)
        given = start if getattr(tokenizers["target"].languages, "starts", False) else None
        return CTranslate2Reference(path, names["source"], names["target"], added, prefix, given)

    return ForeignModel("CTranslate2", loaded, account, notes, reference, folder)


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


def _config(
    scalars: dict[str, np.ndarray], tensors: dict[str, Tensor], settings: ForeignConfig, where: str
) -> EncoderDecoderConfig:
    def flag(name: str, default: int = 0) -> int:
        return int(scalars.get(name, default))

    for name, value in scalars.items():
        if name.rpartition("/")[2] not in SCALARS and not name.endswith("weight_scale") and value:
            raise ModelFolderError(f"{where}: {name} must be 0 to be represented in Regard; got {value}.")
    for name in ("pre_norm", "activation", "num_heads"):
        both = [scalars[key].item() for side in ("encoder", "decoder") if (key := f"{side}/{name}") in scalars]
        if len({*both}) > 1:
            raise ModelFolderError(
                f"{where}: {name} must be equal on both sides to be represented in Regard; got {both[0]} and {both[1]}."
            )
    for name in tensors:
        if "relative" in name or "project_in" in name or "embeddings_1" in name or "/linear_0_noact" in name:
            raise ModelFolderError(f"{where}: {name} cannot be represented in Regard: relative positions inside "
                                   "attention, gates and source factors are read from other formats only.")  # fmt: skip
    embedded = _first(tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=where)
    target = tensors["decoder/embeddings/weight"]
    model_dim = int(target.shape[1])
    layers = {side: len({name.split("/")[1] for name in tensors if name.startswith(f"{side}/layer_") and name.count("/") > 2})
              for side in ("encoder", "decoder")}  # fmt: skip
    is_pre = bool(flag("encoder/pre_norm", 1))
    table = tensors.get(POSITIONS.format("decoder"))
    head_dim = scalars.get("encoder/layer_0/self_attention/head_dim")
    output = tensors.get("decoder/projection/weight", target)
    is_shared = embedded.shape == target.shape and torch.equal(embedded, target)
    is_tied = output.shape == target.shape and torch.equal(output, target)
    num_heads = flag("encoder/num_heads") or flag("num_heads")
    if not num_heads:
        num_heads = 8 if model_dim != 1024 else 16  # old files of TransformerBase and TransformerBig do not say it
    return EncoderDecoderConfig(
        vocab_size=target.shape[0],
        source_vocab_size=None if is_shared else embedded.shape[0],
        model_dim=model_dim,
        ff_dim=tensors["encoder/layer_0/ffn/linear_0/weight"].shape[0],
        num_heads=num_heads,
        **({"head_dim": int(head_dim)} if head_dim is not None else {}),
        num_encoder_layers=layers["encoder"],
        num_decoder_layers=layers["decoder"],
        norm="pre" if is_pre else "post",
        norm_kind="layer" if "encoder/layer_0/ffn/layer_norm/beta" in tensors else "rms",
        norm_epsilon=settings.get("layer_norm_epsilon", 1e-5),
        activation=ForeignConfig({"activation": flag("encoder/activation")}, where).choose("activation", ACTIVATIONS, 0),
        positions=_positions(table),
        max_positions=1024 if table is None else min(
            len(tensors[name]) for side in ("encoder", "decoder") if (name := POSITIONS.format(side)) in tensors
        ),
        scale_embeddings=_is_scaled(scalars, model_dim, where),
        embedding_norm="both" if "encoder/layernorm_embedding/gamma" in tensors else "none",
        output_bias="decoder/projection/bias" in tensors,
        tied_embeddings={(True, True): "all", (True, False): "source", (False, True): "target"}.get(
            (is_shared, is_tied), "none"
        ),
        pad_id=-1,
    )  # fmt: skip


def _is_scaled(scalars: dict[str, np.ndarray], model_dim: int, where: str) -> bool:
    """Whether embeddings are multiplied by sqrt(model_dim), as a flag says, or the factor itself as a float."""
    answers = set()
    for side, table in (("encoder", "embeddings_0"), ("decoder", "embeddings")):
        names = (f"{side}/scale_embeddings", f"{side}/{table}/multiply_by_sqrt_depth")
        said = next((scalars[name] for name in names if name in scalars), np.int8(1))
        if said.dtype.kind != "f":
            answers.add(bool(said))
        elif float(said) == 1 or abs(float(said) - model_dim**0.5) < 1e-3:
            answers.add(float(said) != 1)
        else:
            answers |= {True, False}
    if len(answers) > 1:
        raise ModelFolderError(
            f"{where}: scale_embeddings must be the same on both sides, 1 or sqrt({model_dim}), to be represented in Regard."
        )
    return answers.pop()


def _positions(table: Tensor | None) -> Literal["sinusoidal_opennmt", "learned"]:
    """The position scheme: CTranslate2 computes OpenNMT's sinusoids where a model brings no table."""
    return "sinusoidal_opennmt" if table is None else "learned"


def _first(tensors: dict[str, Tensor], *names: str, where: str) -> Tensor:
    found = next((tensors[name] for name in names if name in tensors), None)
    if found is None:
        raise ModelFolderError(f"{where} must hold {names[0]}; it does not.")
    return found
