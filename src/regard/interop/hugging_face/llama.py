"""Llama and models of its kind, Mistral, Qwen 2, Qwen 3 and Phi-3: pre-norm decoders with gates and rotary positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bert import layer_names, refuse, sizes_of, sizes_written
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

LAYER = {
    "self_attention_residual.norm": "input_layernorm",
    "self_attention.query_proj": "self_attn.q_proj",
    "self_attention.key_proj": "self_attn.k_proj",
    "self_attention.value_proj": "self_attn.v_proj",
    "self_attention.query_norm": "self_attn.q_norm",
    "self_attention.key_norm": "self_attn.k_norm",
    "self_attention.output_proj": "self_attn.o_proj",
    "feed_forward_residual.norm": "post_attention_layernorm",
    "feed_forward.inner_proj": "mlp.gate_proj",
    "feed_forward.gate_proj": "mlp.up_proj",
    "feed_forward.output_proj": "mlp.down_proj",
}


@dataclass(frozen=True)
class Kind:
    """A model of Llama's kind: its class, and what it has where a file does not say."""

    name: str
    num_kv_heads: int | None = None
    """None: as many as heads of queries."""
    head_dim: int | None = None
    norm_epsilon: float = 1e-6
    max_positions: int = 32_768
    window: int | None = None
    bos_id: int | None = 1
    eos_id: int | None = 2
    pad_id: int | None = None


KINDS = {
    "llama": Kind("LlamaForCausalLM", max_positions=2048),
    "mistral": Kind("MistralForCausalLM", num_kv_heads=8, max_positions=131_072, window=4096),
    "qwen2": Kind("Qwen2ForCausalLM", num_kv_heads=32, window=4096, bos_id=None, eos_id=None),
    "qwen3": Kind("Qwen3ForCausalLM", num_kv_heads=32, head_dim=128, window=4096, bos_id=None, eos_id=None),
    "phi3": Kind("Phi3ForCausalLM", norm_epsilon=1e-5, max_positions=4096, eos_id=32_000, pad_id=32_000),
}
KEYS = {
    "vocab_size": "vocab_size", "model_dim": "hidden_size", "ff_dim": "intermediate_size", "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads", "max_positions": "max_position_embeddings", "activation": "hidden_act",
    "attention_dropout": "attention_dropout", "norm_epsilon": "rms_norm_eps",
}  # fmt: skip
"""Their key for each of ours that is the same there."""


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign model of Llama's kind."""
    model_type = config.require("model_type", str)
    kind = KINDS[model_type]
    decoders.check_class(config, kind.name)
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=False)
    usual = {"max_positions": kind.max_positions, "norm_epsilon": kind.norm_epsilon}
    sizes = sizes_of(config, KEYS, usual | {"attention_dropout": 0.0, "activation": "silu"})
    head_dim = config.get("head_dim", kind.head_dim or sizes["model_dim"] // max(sizes["num_heads"], 1))
    max_positions = sizes["max_positions"]
    settings = decoders.rotary(config, head_dim, max_positions) | _biases(config, model_type)
    if model_type == "phi3":
        config.get("original_max_position_embeddings")  # read with longrope alone
        settings["dropout"] = config.get("resid_pdrop", 0.0)
        notes += _no_code(config)
    elif "rotary_dim" in settings:
        raise ModelFolderError(
            f"{config.where}: partial_rotary_factor must be 1.0 for {model_type}; got one that turns "
            f"{settings['rotary_dim']} of {head_dim} dimensions."
        )
    symbols = decoders.symbols(
        config, sizes["vocab_size"], bos_token_id=kind.bos_id, eos_token_id=kind.eos_id, pad_token_id=kind.pad_id
    )
    ours = DecoderConfig(
        **sizes,
        num_kv_heads=decoders.stored_or(config, "num_key_value_heads", kind.num_kv_heads),
        head_dim=head_dim,
        norm_kind="rms",
        gated=True,
        positions="rotary",
        windows=_windows(config, kind, sizes["num_layers"], max_positions),
        query_key_norm=model_type == "qwen3",
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
        **{"dropout": 0.0} | settings,
    )
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, is_fused=model_type == "phi3"),
        symbols,
        aliases={embedding: (output,)} if tied else {},
        explained=decoders.OLD_ROTARY,
        notes=notes,
    )


def _biases(config: ForeignConfig, model_type: str) -> dict[str, Any]:
    """Our settings of biases: those of attention, of the map after its heads, of feed-forward layers."""
    if model_type == "qwen2":
        return {"bias": True, "attention_output_bias": False, "feed_forward_bias": False}
    in_attention = config.get("attention_bias", False) if model_type in ("llama", "qwen3") else False
    in_feed_forward = config.get("mlp_bias", False) if model_type == "llama" else False
    return {"bias": in_attention} | ({"feed_forward_bias": in_feed_forward} if in_feed_forward != in_attention else {})


def _windows(config: ForeignConfig, kind: Kind, num_layers: int, max_positions: int) -> list[int | None]:
    """Our windows: Mistral and Phi-3 have one in all layers, Qwen in those that `layer_types` names, or in the last ones."""
    if kind.name.startswith("Llama"):
        return []
    window = decoders.stored_or(config, "sliding_window", kind.window)
    if not kind.name.startswith("Qwen"):
        types = ["full_attention" if window is None else "sliding_attention"] * num_layers
        return decoders.windows(config, types, window, max_positions)
    window = window if config.get("use_sliding_window", False) else None
    first = config.get("max_window_layers", 28)
    first = num_layers if window is None else first
    types = ["full_attention" if layer < first else "sliding_attention" for layer in range(num_layers)]
    return decoders.windows(config, decoders.layer_types(config, types), window, max_positions)


def _no_code(config: ForeignConfig) -> list[str]:
    if not config.get("auto_map", {}):
        return []
    return ["auto_map names code that came with the model: none is run, it is read as the Phi-3 of transformers"]


def _refs(model: Decoder, prefix: str, *, is_fused: bool) -> dict[str, TensorRef]:
    ours = model.config
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}norm", "output_embedding": "lm_head"}
    first_key = ours.num_heads * ours.head_dim
    first_value = first_key + (ours.num_kv_heads or ours.num_heads) * ours.head_dim
    fused = {
        "self_attention.query_proj": TensorRef("self_attn.qkv_proj"),
        "self_attention.key_proj": TensorRef("self_attn.qkv_proj", first_row=first_key),
        "self_attention.value_proj": TensorRef("self_attn.qkv_proj", first_row=first_value),
        "feed_forward.inner_proj": TensorRef("mlp.gate_up_proj"),
        "feed_forward.gate_proj": TensorRef("mlp.gate_up_proj", first_row=ours.ff_dim),
    }
    layer = LAYER | fused if is_fused else LAYER
    return modules(model, names, layer_names("layers", f"{prefix}layers", ours.num_layers, layer))


def export(model: Decoder, symbols: Symbols, model_type: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as a model of Llama's kind."""
    ours = model.config
    refuse(model_type, _wanted(ours, model_type))
    config: dict[str, Any] = sizes_written(ours, KEYS) | {
        "architectures": [KINDS[model_type].name],
        "head_dim": ours.head_dim,
        "tie_word_embeddings": ours.tied_embeddings,
        "num_key_value_heads": ours.num_kv_heads or ours.num_heads,
    }
    config |= decoders.rotary_written(ours) | decoders.symbols_written(symbols)
    if model_type in ("llama", "qwen3"):
        config["attention_bias"] = ours.bias
    if model_type == "llama":
        config["mlp_bias"] = ours.has_feed_forward_bias
        return config, export_tensors(model, _refs(model, "model.", is_fused=False))
    config["sliding_window"] = next((window for window in ours.windows if window is not None), None)
    if model_type == "phi3":
        config |= {
            "partial_rotary_factor": (ours.rotary_dim or ours.head_dim) / ours.head_dim,
            "original_max_position_embeddings": ours.max_positions,
            "resid_pdrop": ours.dropout,
        }
    elif model_type != "mistral":
        config["layer_types"] = types_of_windows(ours.windows, ours.num_layers)
        config["use_sliding_window"] = config["sliding_window"] is not None
    return config, export_tensors(model, _refs(model, "model.", is_fused=model_type == "phi3"))


def types_of_windows(windows: Sequence[int | None], num_layers: int) -> list[str]:
    """The `layer_types` of our windows."""
    return ["full_attention" if window is None else "sliding_attention" for window in windows or [None] * num_layers]


def _wanted(ours: DecoderConfig, model_type: str) -> dict[str, tuple[Any, Any]]:
    """The settings of ours, and what they must be, for `refuse`."""
    wanted = decoders.gated_layers(ours, "pre") | {
        "embedding_norm": (ours.embedding_norm, False),
        "output_bias": (ours.output_bias, False),
        "query_key_norm": (ours.query_key_norm, model_type == "qwen3"),
        "attention_output_bias": (ours.has_attention_output_bias, ours.bias and model_type != "qwen2"),
    }
    if model_type == "phi3":  # which has longrope alone, and may turn a part of each head
        wanted["rotary_scaling"] = ours.rotary_scaling, None
        del wanted["rotary_dim"]
    if model_type in ("mistral", "qwen2", "phi3"):
        wanted["bias"] = ours.bias, model_type == "qwen2"
    if model_type != "llama":
        wanted["feed_forward_bias"] = ours.has_feed_forward_bias, False
    sliding = decoders.window_sizes(ours.windows)
    if len(sliding) > 1 or (sliding and model_type == "llama"):
        wanted["windows"] = ours.windows, [] if model_type == "llama" else "of one size"
    if sliding and model_type in ("mistral", "phi3"):
        wanted["windows"] = ours.windows, [sliding[0]] * ours.num_layers
    if ours.model_dim % ours.num_heads:
        wanted["model_dim"] = ours.model_dim, f"a multiple of num_heads, {ours.num_heads},"
    return wanted
