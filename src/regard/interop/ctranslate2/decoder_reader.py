"""A reader of CTranslate2's decoders: GPT-2's, Llama's and BLOOM's kind, by their positions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig, read_optional
from regard.interop.ctranslate2.layout import ACTIVATIONS, MAX_POSITIONS, MODEL, POSITIONS
from regard.interop.ctranslate2.model_file import dequantized, kinds_of, notes_on_types, read_vocabulary
from regard.interop.ctranslate2.reference import GeneratorReference
from regard.interop.ctranslate2.rotary import NUMBERS, OF_OTHER_SCALINGS, number_of_all, read_rotary
from regard.interop.ctranslate2.symbols_and_tokenizers import symbols_of, tokenizer_of
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.mapping import TensorRef, modules
from regard.models.config import MOST_LAYERS, DecoderConfig
from regard.models.decoder import Decoder

NAME = "TransformerDecoderSpec"
FIRST = "decoder/layer_0/self_attention"
UNDERSTOOD = {
    *("activation", "num_heads", "pre_norm", "scale_embeddings", "alibi"),
    *("num_heads_kv", "head_dim", *NUMBERS, *OF_OTHER_SCALINGS),
    *("alignment_heads", "alignment_layer", "embeddings_merge"),  # without effect
    "alibi_use_positive_positions",  # the softmax does not see the difference
}
"""The single numbers that are read, by the last part of their names. Others must be 0."""
LAYER = {
    "self_attention_residual.norm": "self_attention/layer_norm",
    "self_attention.query_norm": "self_attention/q_norm",
    "self_attention.key_norm": "self_attention/k_norm",
    "self_attention.output_proj": "self_attention/linear_1",
    "feed_forward_residual.norm": "ffn/layer_norm",
    "feed_forward.inner_proj": "ffn/linear_0",
    "feed_forward.gate_proj": "ffn/linear_0_noact",
    "feed_forward.output_proj": "ffn/linear_1",
}
MODULES = {
    "embedding": "decoder/embeddings",
    "embedding_norm": "decoder/layernorm_embedding",
    "norm": "decoder/layer_norm",
    "output_embedding": "decoder/projection",
}


def read(folder: Path, variables: Mapping[str, np.ndarray]) -> ForeignModel:
    """Read a decoder without encoder.

    Raises:
        ModelFolderError: it has something that ours cannot represent.
    """
    tensors = dequantized(variables)
    settings = ForeignConfig(read_optional(folder / "config.json"), folder / "config.json")
    config = _config({key: x for key, x in variables.items() if x.ndim == 0}, tensors, settings, str(folder / MODEL))
    tokens = read_vocabulary(folder, "target", config.vocab_size, settings.get("unk_token", "<unk>"))
    symbols = symbols_of(settings, tokens, tokens)
    settings.get("multi_query_attention")  # which the numbers of heads say
    settings.refuse_others(())
    symbols = symbols.model_copy(update={"start_ids": [symbols.bos_id]})
    notes = notes_on_types(variables)
    if config.positions != "learned":
        notes.append(f"CTranslate2 knows no longest text; ours is {MAX_POSITIONS:,} tokens")
    tokenizer, note = tokenizer_of(folder, "target", tokens, symbols)
    blueprint = Blueprint(config, _refs, symbols, explained={"*/rotary_*": "rotary positions, which ours computes"})
    model, account = blueprint.build(tensors, where=str(folder / MODEL))
    model.weights_dtype = torch.int8 if "int8" in kinds_of(variables) else torch.float32
    return ForeignModel(
        "CTranslate2", LoadedModel(model, tokenizer, tokenizer), account, notes + ([note] if note else []),
        lambda path: GeneratorReference(path, tokens, symbols), folder, blueprint.refs(model),
    )  # fmt: skip


def _config(
    scalars: Mapping[str, np.ndarray], tensors: Mapping[str, Tensor], settings: ForeignConfig, where: str
) -> DecoderConfig:
    def number(name: str, default: float = 0) -> float:
        return float(scalars[name].item()) if name in scalars else default

    def has(ending: str) -> bool:
        return any(name.endswith(ending) for name in tensors)

    _refuse_unknown(scalars, tensors, where)
    table = tensors["decoder/embeddings/weight"]
    output, positions = tensors.get("decoder/projection/weight"), tensors.get(POSITIONS.format("decoder"))
    num_layers = len(
        {name.split("/")[1] for name in tensors if name.startswith("decoder/layer_") and name.count("/") > 2}
    )
    attentions = [f"decoder/layer_{layer}/self_attention" for layer in range(min(num_layers, MOST_LAYERS))]
    num_kv_heads, head_dim = (number_of_all(scalars, attentions, name, where) for name in ("num_heads_kv", "head_dim"))
    num_heads = int(number("decoder/num_heads"))
    is_rms = not has("layer_norm/beta")
    own: dict[str, Any] = {}
    if head_dim is not None:
        own["head_dim"] = int(head_dim)
    elif num_heads:
        own["head_dim"] = tensors[f"{FIRST}/linear_1/weight"].shape[1] // num_heads
    if rotary := read_rotary(scalars, attentions, own.get("head_dim", 0), where):
        own |= rotary
    elif number("decoder/alibi"):
        own["positions"] = "alibi"
    return DecoderConfig(
        vocab_size=table.shape[0],
        model_dim=table.shape[1],
        ff_dim=tensors["decoder/layer_0/ffn/linear_0/weight"].shape[0],
        num_heads=num_heads,
        num_kv_heads=int(num_kv_heads or 0) or None,
        num_layers=num_layers,
        norm="pre" if number("decoder/pre_norm", 1) else "post",
        norm_kind="rms" if is_rms else "layer",
        norm_epsilon=settings.get("layer_norm_epsilon", 1e-6 if is_rms else 1e-5),
        activation=ForeignConfig({"activation": int(number("decoder/activation"))}, where).choose(
            "activation", ACTIVATIONS, 0
        ),
        gated=has("ffn/linear_0_noact/weight"),
        bias=has("self_attention/linear_0/bias"),
        attention_output_bias=has("self_attention/linear_1/bias"),
        feed_forward_bias=has("ffn/linear_0/bias"),
        query_key_norm=has("q_norm/gamma"),
        max_positions=MAX_POSITIONS if positions is None else len(positions),
        embedding_norm="decoder/layernorm_embedding/gamma" in tensors,
        scale_embeddings=_is_scaled(
            scalars.get("decoder/scale_embeddings", np.array(1, np.int8)), table.shape[1], where
        ),
        tied_embeddings=output is None or (output.shape == table.shape and torch.equal(output, table)),
        output_bias="decoder/projection/bias" in tensors,
        pad_id=-1,
        **own,
    )


def _is_scaled(said: np.ndarray, model_dim: int, where: str) -> bool:
    """Whether embeddings are multiplied by sqrt(model_dim), as a flag says, or the factor itself as a float."""
    if said.dtype.kind != "f" or float(said) == 1:
        return said.dtype.kind != "f" and bool(said)
    if abs(float(said) - model_dim**0.5) > 1e-3:
        raise ModelFolderError(
            f"{where}: scale_embeddings must be 1 or sqrt({model_dim}) to be represented in Regard; got {float(said):g}."
        )
    return True


def _refuse_unknown(scalars: Mapping[str, np.ndarray], tensors: Mapping[str, Tensor], where: str) -> None:
    for name, value in scalars.items():
        last = name.rpartition("/")[2]
        if last not in UNDERSTOOD and not name.endswith("weight_scale") and value:
            raise ModelFolderError(f"{where}: {name} must be 0 to be represented in Regard; got {value}.")
    strange = (
        "project_in",
        "relative",
        "input_layer_norm",
        "shared_layer_norm",
        "weight_zero",
        "queries_scale",
        "v_norm",
    )
    for name in tensors:
        if any(part in name for part in strange):
            raise ModelFolderError(
                f"{where}: {name} cannot be represented in Regard: norms on both sides, parallel layers, relative positions, "
                "inner maps of embeddings and weights of 4 bits are not read from CTranslate2."
            )
    needed = ("decoder/embeddings/weight", "decoder/layer_0/ffn/linear_0/weight", f"{FIRST}/linear_1/weight")
    if missing := next((name for name in needed if name not in tensors or tensors[name].ndim != 2), None):
        raise ModelFolderError(f"{where} must hold {missing}, a matrix; it does not.")
    if POSITIONS.format("decoder") not in tensors and not (
        f"{FIRST}/rotary_dim" in scalars or scalars.get("decoder/alibi")
    ):
        raise ModelFolderError(f"{where} must hold {POSITIONS.format('decoder')}, or have rotary positions or ALiBi.")


def _refs(model: Decoder) -> dict[str, TensorRef]:
    """The variable of each parameter."""
    ours = model.config
    names = {f"layers.{layer}.{module}": f"decoder/layer_{layer}/{theirs}"
             for layer in range(ours.num_layers) for module, theirs in LAYER.items()}  # fmt: skip
    queries, keys = ours.num_heads * ours.head_dim, (ours.num_kv_heads or ours.num_heads) * ours.head_dim
    fused = {f"layers.{layer}.self_attention.{module}": TensorRef(f"decoder/layer_{layer}/self_attention/linear_0", first_row)
             for layer in range(ours.num_layers)
             for module, first_row in (("query_proj", 0), ("key_proj", queries), ("value_proj", queries + keys))}  # fmt: skip
    refs = modules(model, MODULES, names, fused)
    found = {}
    for name, ref in refs.items():
        module, _, kind = ref.name.rpartition(".")
        is_norm = isinstance(model.get_submodule(name.rpartition(".")[0]), (nn.LayerNorm, nn.RMSNorm))
        last = {"weight": "gamma", "bias": "beta"}[kind] if is_norm else kind
        found[name] = TensorRef(f"{module}/{last}", first_row=ref.first_row)
    return found | {
        "positions.learned.table.weight": TensorRef(POSITIONS.format("decoder")),
        "output_bias": TensorRef("decoder/projection/bias"),
    }
