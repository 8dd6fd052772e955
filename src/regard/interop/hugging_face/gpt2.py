"""GPT-2: a pre-norm decoder with fused, transposed projections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import ACTIVATIONS, THEIR_ACTIVATIONS, layer_names, plain_layers, refuse
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

KEYS: dict[str, tuple[str, Any]] = {
    "vocab_size": ("vocab_size", 50257), "model_dim": ("n_embd", 768), "num_heads": ("n_head", 12),
    "num_layers": ("n_layer", 12), "max_positions": ("n_positions", 1024), "dropout": ("resid_pdrop", 0.1),
    "attention_dropout": ("attn_pdrop", 0.1), "norm_epsilon": ("layer_norm_epsilon", 1e-5),
    "tied_embeddings": ("tie_word_embeddings", True),
}  # fmt: skip
"""Their key for each of ours, and its default."""
LAYER = {
    "self_attention_residual.norm": "ln_1",
    "self_attention.output_proj": "attn.c_proj",
    "feed_forward_residual.norm": "ln_2",
    "feed_forward.inner_proj": "mlp.c_fc",
    "feed_forward.output_proj": "mlp.c_proj",
}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign GPT-2. It has no padding symbol: ours is no token."""
    config.refuse_unless("add_cross_attention", False)
    if (config.get("architectures") or ["GPT2Model"])[0] not in ("GPT2LMHeadModel", "GPT2Model"):
        config.refuse_unless("architectures", ["GPT2LMHeadModel"])
    sizes = {ours: config.get(theirs, default) for ours, (theirs, default) in KEYS.items()}
    ours = DecoderConfig(
        **sizes,
        ff_dim=config.get("n_inner", 4 * sizes["model_dim"]),
        activation=config.choose("activation_function", ACTIVATIONS, "gelu_new"),
        pad_id=-1,
    )
    end = config.id("eos_token_id", ours.vocab_size - 1)
    prefix = "transformer." if any(name.startswith("transformer.") for name in tensors) else ""
    is_divided, by_layer = config.get("scale_attn_weights", True), config.get("scale_attn_by_inverse_layer_idx", False)
    root = 1.0 if is_divided else ours.head_dim**0.5
    factors = [root / (layer + 1 if by_layer else 1) for layer in range(ours.num_layers)]
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, factors),
        Symbols(pad_id=-1, unk_id=end, bos_id=end, eos_id=end, start_ids=[config.id("bos_token_id", end)],
                source_end_ids=[], banned_ids=[], lines_end=False),
        aliases={f"{prefix}wte.weight": ("lm_head.weight",)},
        explained={"*.attn.bias": "not a weight: the causal mask", "*.attn.masked_bias": "not a weight"},
    )  # fmt: skip


def _refs(model: Decoder, prefix: str, factors: Sequence[float] = ()) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter.

    Args:
        factors: of the queries of each layer, in place of other divisors of scores than sqrt(head_dim); empty: 1.
    """
    names = {
        "embedding": f"{prefix}wte",
        "positions.learned.table": f"{prefix}wpe",
        "norm": f"{prefix}ln_f",
        "output_embedding": "lm_head",
    }
    layers = layer_names("layers", f"{prefix}h", model.config.num_layers, LAYER)
    for index in range(model.config.num_layers):
        for part, projection in enumerate(("query_proj", "key_proj", "value_proj")):
            layers[f"layers.{index}.self_attention.{projection}"] = TensorRef(
                f"{prefix}h.{index}.attn.c_attn",
                first_row=part * model.config.model_dim,
                factor=factors[index] if factors and part == 0 else 1.0,
            )
    return modules(model, names, layers, transposed=True)


def export(model: Decoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as GPT-2."""
    ours = model.config
    refuse(kind, plain_layers(ours, "pre") | {
        "positions": (ours.positions, "learned"),
        "embedding_norm": (ours.embedding_norm, False),
        "output_bias": (ours.output_bias, False),
    })  # fmt: skip
    config = {theirs: getattr(ours, key) for key, (theirs, _) in KEYS.items()} | {
        "architectures": ["GPT2LMHeadModel"],
        "n_inner": ours.ff_dim,
        "embd_pdrop": ours.dropout,
        "activation_function": THEIR_ACTIVATIONS[ours.activation],
        "bos_token_id": symbols.start_ids[-1] if not symbols.lines_end else symbols.eos_id,
        "eos_token_id": symbols.eos_id,
    }
    if symbols.pad_id >= 0:
        config["pad_token_id"] = symbols.pad_id
    return config, export_tensors(model, _refs(model, "transformer."))
