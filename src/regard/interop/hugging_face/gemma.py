"""Gemma 3's text model: norms on both sides of sublayers, scaled embeddings, and two bases of rotary positions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from regard.interop.files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders, llama
from regard.interop.hugging_face.bert import ACTIVATIONS, THEIR_ACTIVATIONS, layer_names, refuse
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import MOST_LAYERS, DecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

NAME = "Gemma3ForCausalLM"
WRITTEN = ("gemma3_text",)
"""The types that our decoders are written as."""
LAYER = llama.LAYER | {
    "self_attention_residual.output_norm": "post_attention_layernorm",
    "feed_forward_residual.norm": "pre_feedforward_layernorm",
    "feed_forward_residual.output_norm": "post_feedforward_layernorm",
}
BASES = {"full_attention": ("rope_theta", 1_000_000.0), "sliding_attention": ("rope_local_base_freq", 10_000.0)}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign Gemma 3."""
    if config.get("architectures") != ["Gemma3TextModel"]:
        config.refuse_unless("architectures", [NAME])
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=True)
    vocab_size, num_layers = config.require("vocab_size"), config.require("num_hidden_layers")
    max_positions, head_dim = config.get("max_position_embeddings", 131_072), config.get("head_dim", 256)
    every = max(config.get("sliding_window_pattern", config.get("_sliding_window_pattern", 6)), 1)
    types = [
        "sliding_attention" if (layer + 1) % every else "full_attention"
        for layer in range(min(num_layers, MOST_LAYERS))
    ]
    symbols = decoders.symbols(config, vocab_size, bos_token_id=2, eos_token_id=1, pad_token_id=0)
    ours = DecoderConfig(
        vocab_size=vocab_size,
        model_dim=config.require("hidden_size"),
        ff_dim=config.require("intermediate_size"),
        num_heads=config.require("num_attention_heads"),
        num_kv_heads=config.get("num_key_value_heads", 4),
        head_dim=head_dim,
        num_layers=num_layers,
        max_positions=max_positions,
        dropout=0.0,
        attention_dropout=config.get("attention_dropout", 0.0),
        norm="sandwich",
        norm_kind="rms",
        norm_epsilon=config.get("rms_norm_eps", 1e-6),
        activation=config.choose("hidden_activation", ACTIVATIONS, "gelu_pytorch_tanh"),
        gated=True,
        bias=config.get("attention_bias", False),
        feed_forward_bias=False,
        positions="rotary",
        windows=decoders.windows(
            config, decoders.layer_types(config, types), decoders.stored_or(config, "sliding_window", 4096)
        ),
        query_key_norm=True,
        tied_embeddings=tied,
        scale_embeddings=True,
        pad_id=symbols.pad_id,
        **decoders.rotary_by_type(config, max_positions, BASES, scaled=True),
    )
    divisor = config.get("query_pre_attn_scalar", 256.0)
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, divisor),
        symbols,
        aliases={embedding: (output,)} if tied else {},
        explained=decoders.OLD_ROTARY,
        notes=notes,
    )


def _refs(model: nn.Module, prefix: str, divisor: float) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter: norms multiply by 1 + theirs.

    Args:
        divisor: theirs divides scores by its root, in place of that of head_dim.
    """
    assert isinstance(model, Decoder)
    ours = model.config
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}norm", "output_embedding": "lm_head"}
    names |= layer_names("layers", f"{prefix}layers", ours.num_layers, LAYER)
    refs = modules(names, model)
    for name, ref in refs.items():
        if "norm." in name:
            is_query = name.endswith("query_norm.weight")
            refs[name] = replace(ref, offset=1.0, factor=math.sqrt(ours.head_dim / divisor) if is_query else 1.0)
    return refs


def export(model: Decoder, symbols: Symbols) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as Gemma 3.

    Raises:
        ModelFolderError: the decoder has something that Gemma 3 does not.
    """
    ours = model.config
    output_bias = ours.bias if ours.attention_output_bias is None else ours.attention_output_bias
    sliding = sorted({window for window in ours.windows if window is not None})
    refuse("gemma3_text", {
        "positions": (ours.positions, "rotary"),
        "rotary_dim": (ours.rotary_dim or ours.head_dim, ours.head_dim),
        "norm": (ours.norm, "sandwich"),
        "norm_kind": (ours.norm_kind, "rms"),
        "gated": (ours.gated, True),
        "query_key_norm": (ours.query_key_norm, True),
        "embedding_norm": (ours.embedding_norm, False),
        "output_bias": (ours.output_bias, False),
        "attention_output_bias": (output_bias, ours.bias),
        "feed_forward_bias": (ours.bias if ours.feed_forward_bias is None else ours.feed_forward_bias, False),
        "windows": (ours.windows, ours.windows if len(sliding) < 2 else "of one size"),
    })  # fmt: skip
    has_own_base = ours.local_rotary_base is not None
    if sliding and ours.rotary_scaling is not None and not has_own_base:
        refuse("gemma3_text", {"local_rotary_base": (None, "set, beside rotary_scaling and windows,")})
    if ours.model_dim % ours.num_heads:
        refuse("gemma3_text", {"model_dim": (ours.model_dim, f"a multiple of num_heads, {ours.num_heads},")})
    config: dict[str, Any] = {theirs: getattr(ours, key) for key, theirs in llama.KEYS.items()} | {
        "model_type": "gemma3_text",
        "architectures": [NAME],
        "hidden_activation": THEIR_ACTIVATIONS[ours.activation],
        "num_key_value_heads": ours.num_kv_heads or ours.num_heads,
        "attention_bias": ours.bias,
        "query_pre_attn_scalar": ours.head_dim,
        "sliding_window": sliding[0] if sliding else None,
        "layer_types": llama.types_of_windows(ours),
        "rope_local_base_freq": ours.local_rotary_base if has_own_base else ours.rotary_base,
        "torch_dtype": "float32",
    }
    config |= decoders.rotary_written(ours) | decoders.symbols_written(symbols)
    return config, export_tensors(model, _refs(model, "model.", float(ours.head_dim)))
