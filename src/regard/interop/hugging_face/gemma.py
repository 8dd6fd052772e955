"""Gemma 2 and Gemma 3's text model: norms on both sides of sublayers, scaled embeddings, windows by layer. Gemma 2 bounds scores
and logits; Gemma 3 normalises queries and keys, and has two bases of rotary positions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders, llama
from regard.interop.hugging_face.bert import layer_names, refuse, sizes_of, sizes_written
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import MOST_LAYERS, DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

NAMES = {"gemma2": "Gemma2ForCausalLM", "gemma3_text": "Gemma3ForCausalLM"}
"""The class of each type of model. Our decoders are written as all of them."""
WITHOUT_OUTPUT = {"gemma2": "Gemma2Model", "gemma3_text": "Gemma3TextModel"}
"""The class of a model without the output matrix."""
WINDOW_PATTERN = {"gemma2": 2, "gemma3_text": 6}
"""The number of layers of which one sees everything, where no key says it."""
MAX_POSITIONS = {"gemma2": 8_192, "gemma3_text": 131_072}
LAYER = llama.LAYER | {
    "self_attention_residual.output_norm": "post_attention_layernorm",
    "feed_forward_residual.norm": "pre_feedforward_layernorm",
    "feed_forward_residual.output_norm": "post_feedforward_layernorm",
}
BASES = {"full_attention": ("rope_theta", 1_000_000.0), "sliding_attention": ("rope_local_base_freq", 10_000.0)}
KEYS = {ours: theirs for ours, theirs in llama.KEYS.items() if ours not in ("num_layers", "attention_dropout")} | {
    "head_dim": "head_dim", "activation": "hidden_activation", "bias": "attention_bias",
}  # fmt: skip
DEFAULTS = {"head_dim": 256, "norm_epsilon": 1e-6, "activation": "gelu_pytorch_tanh", "bias": False}
CAPS = {"score_cap": ("attn_logit_softcapping", 50.0), "logit_cap": ("final_logit_softcapping", 30.0)}
"""Their key of each bound, and what it is in Gemma 2 where the key is missing."""


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign Gemma."""
    model_type = config.require("model_type", str)
    if config.get("architectures") != [WITHOUT_OUTPUT[model_type]]:
        config.refuse_unless("architectures", [NAMES[model_type]])
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=True)
    settings = sizes(config, model_type)
    if model_type == "gemma2":
        settings |= decoders.rotary(config, settings["head_dim"], settings["max_positions"])
        config.refuse_unless("hidden_act", config.get("hidden_activation", "gelu_pytorch_tanh"))  # its old name
        config.refuse_unless("use_bidirectional_attention", False)
    else:
        config.refuse_unless(CAPS["score_cap"][0], None)  # which `transformers` does not look at
        settings |= decoders.rotary_by_type(config, settings["max_positions"], BASES, scaled=True)
    symbols = decoders.symbols(config, settings["vocab_size"], bos_token_id=2, eos_token_id=1, pad_token_id=0)
    ours = DecoderConfig(
        **settings,
        num_layers=config.require("num_hidden_layers"),
        dropout=0.0,
        attention_dropout=config.get("attention_dropout", 0.0),
        query_key_norm=model_type == "gemma3_text",
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
    )
    divisor = score_divisor(config)
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, divisor),
        symbols,
        aliases={embedding: (output,)} if tied else {},
        explained=decoders.OLD_ROTARY,
        notes=notes,
    )


def sizes(config: ForeignConfig, model_type: str) -> dict[str, Any]:
    """The settings that a Gemma has as each side of a T5Gemma does, but for rotary positions.

    Args:
        model_type: a key of `NAMES`, whose defaults are taken.
    """
    num_layers = config.require("num_hidden_layers")
    every = max(
        config.get("sliding_window_pattern", config.get("_sliding_window_pattern", WINDOW_PATTERN[model_type])), 1
    )
    types = [
        "sliding_attention" if (layer + 1) % every else "full_attention"
        for layer in range(min(num_layers, MOST_LAYERS))
    ]
    caps = {}
    for key, (theirs, default) in CAPS.items():
        missing = default if model_type == "gemma2" and theirs not in config.values else None
        caps[key] = missing if config.get(theirs) is None else config.require(theirs, float)
    return caps | sizes_of(config, KEYS, DEFAULTS | {"max_positions": MAX_POSITIONS[model_type]}) | {
        "num_kv_heads": config.get("num_key_value_heads", 4),
        "norm": "sandwich",
        "norm_kind": "rms",
        "gated": True,
        "feed_forward_bias": False,
        "positions": "rotary",
        "windows": decoders.windows(
            config, decoders.layer_types(config, types), decoders.stored_or(config, "sliding_window", 4096)
        ),
        "scale_embeddings": True,
    }  # fmt: skip


def score_divisor(config: ForeignConfig) -> float:
    """Scores are divided by the root of this, in place of that of head_dim."""
    return float(config.get("query_pre_attn_scalar", 256.0))


def rescaled(
    refs: Mapping[str, TensorRef], ours: DecoderConfig | EncoderDecoderConfig, divisor: float
) -> dict[str, TensorRef]:
    """The same with norms that multiply by 1 + theirs, and queries that undo the division of our scores.

    Args:
        divisor: that of `score_divisor`.
    """
    factor, query = math.sqrt(ours.head_dim / divisor), "query_norm." if ours.query_key_norm else "query_proj."
    return {
        name: replace(ref, offset=1.0 if "norm." in name else 0.0, factor=factor if query in name else 1.0)
        for name, ref in refs.items()
    }


def _refs(model: Decoder, prefix: str, divisor: float) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter."""
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}norm", "output_embedding": "lm_head"}
    layers = layer_names("layers", f"{prefix}layers", model.config.num_layers, LAYER)
    return rescaled(modules(model, names, layers), model.config, divisor)


def export(model: Decoder, symbols: Symbols, model_type: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as a Gemma."""
    ours = model.config
    refuse(model_type, written_settings(ours) | {
        "query_key_norm": (ours.query_key_norm, model_type == "gemma3_text"),
        "embedding_norm": (ours.embedding_norm, False),
    })  # fmt: skip
    config = (
        written_sizes(ours)
        | written_windows(model_type, ours.windows, ours.num_layers, ours)
        | {
            "architectures": [NAMES[model_type]],
            "attention_dropout": ours.attention_dropout,
            "tie_word_embeddings": ours.tied_embeddings,
        }
    )
    if model_type == "gemma3_text":
        has_own_base = ours.local_rotary_base is not None
        if any(ours.windows) and ours.rotary_scaling is not None and not has_own_base:
            refuse(model_type, {"local_rotary_base": (None, "set, beside rotary_scaling and windows,")})
        config["rope_local_base_freq"] = ours.local_rotary_base if has_own_base else ours.rotary_base
    config |= decoders.symbols_written(symbols)
    return config, export_tensors(model, _refs(model, "model.", float(ours.head_dim)))


def written_settings(ours: DecoderConfig | EncoderDecoderConfig) -> dict[str, tuple[Any, Any]]:
    """The settings of ours that all Gemmas have one value of, and that value, for `refuse`."""
    is_divisible = ours.model_dim % ours.num_heads == 0
    return decoders.gated_layers(ours, "sandwich") | {
        "output_bias": (ours.output_bias, False),
        "feed_forward_bias": (ours.has_feed_forward_bias, False),
        "model_dim": (
            ours.model_dim,
            ours.model_dim if is_divisible else f"a multiple of num_heads, {ours.num_heads},",
        ),
    }


def written_windows(
    model_type: str, windows: Sequence[int | None], num_layers: int, ours: DecoderConfig | EncoderDecoderConfig
) -> dict[str, Any]:
    """Their settings of the layers of a stack. `transformers` asks for a size of windows even where no layer has one.

    Raises:
        ModelFolderError: windows are of several sizes.
    """
    sliding = decoders.window_sizes(windows)
    refuse(model_type, {"windows": (windows, windows if len(sliding) < 2 else "of one size")})
    return {
        "num_hidden_layers": num_layers,
        "layer_types": llama.types_of_windows(windows, num_layers),
        "sliding_window": sliding[0] if sliding else ours.max_positions,
    }


def written_sizes(ours: DecoderConfig | EncoderDecoderConfig) -> dict[str, Any]:
    """Their settings of ours that a Gemma has as each side of a T5Gemma does."""
    keys = KEYS | {ours_key: theirs for ours_key, (theirs, _) in CAPS.items()}
    return sizes_written(ours, keys) | decoders.rotary_written(ours) | {
        "num_key_value_heads": ours.num_kv_heads or ours.num_heads,
        "query_pre_attn_scalar": ours.head_dim,
    }  # fmt: skip
