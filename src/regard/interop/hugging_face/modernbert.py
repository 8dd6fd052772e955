"""ModernBERT: a pre-norm encoder with gates, rotary positions, and windows in two layers of three."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bert import (
    ACTIVATIONS,
    THEIR_ACTIVATIONS,
    fused_names,
    labels_of,
    layer_names,
    refuse,
    symbols,
    task_of,
    written_head,
)
from regard.interop.hugging_face.llama import types_of_windows
from regard.interop.mapping import TensorRef, add_zeros, export_tensors, fused_modules, modules
from regard.models.config import MOST_LAYERS, TEXT_TASKS, EncoderConfig
from regard.models.encoder import Encoder
from regard.text.tokenizer import Symbols

LAYER = {
    "self_attention_residual.norm": "attn_norm",
    "self_attention.output_proj": "attn.Wo",
    "feed_forward_residual.norm": "mlp_norm",
    "feed_forward.output_proj": "mlp.Wo",
}
HEADS = {
    "mlm": {"head.inner_proj": "head.dense", "head.norm": "head.norm", "output_embedding": "decoder"},
    "classify": {"head.pooler": "head.dense", "head.norm": "head.norm", "head.output_proj": "classifier"},
    "tag": {
        "head.transform.inner_proj": "head.dense", "head.transform.norm": "head.norm", "head.output_proj": "classifier",
    },
}  # fmt: skip
HEADS |= {"spans": HEADS["tag"], **dict.fromkeys(TEXT_TASKS, HEADS["classify"])}
"""The modules of the head of each task, theirs by ours."""
BASES = {"full_attention": ("global_rope_theta", 160_000.0), "sliding_attention": ("local_rope_theta", 10_000.0)}
POOLING = {"cls": "first", "mean": "mean"}
WITHOUT_EFFECT = (
    "layer_norm_eps", "position_embedding_type", "reference_compile", "repad_logits_with_grad", "deterministic_flash_attn",
    "sparse_prediction", "sparse_pred_ignore_index", "initializer_cutoff_factor", "mlp_dropout",
)  # fmt: skip
"""Keys of published files that nothing reads, or training alone."""


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign ModernBERT."""
    for key in WITHOUT_EFFECT:
        config.get(key)
    task, num_layers = task_of(config), config.require("num_hidden_layers")
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding = f"{prefix}embeddings.tok_embeddings.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, "decoder.weight", default=True)
    max_positions = config.get("max_position_embeddings", 8192)
    every = max(config.get("global_attn_every_n_layers", 3), 1)
    types = [
        "sliding_attention" if layer % every else "full_attention" for layer in range(min(num_layers, MOST_LAYERS))
    ]
    reach = config.get("local_attention", 128) // 2
    settings = decoders.rotary_by_type(config, max_positions, BASES)
    pad_id = config.get("pad_token_id", 50_283)
    activation = config.choose("classifier_activation", ACTIVATIONS, "gelu")
    ours = EncoderConfig(
        vocab_size=config.require("vocab_size"),
        model_dim=config.require("hidden_size"),
        ff_dim=config.require("intermediate_size"),
        num_heads=config.require("num_attention_heads"),
        num_layers=num_layers,
        num_segments=0,
        max_positions=max_positions,
        dropout=config.get("embedding_dropout", 0.0),
        attention_dropout=config.get("attention_dropout", 0.0),
        norm="pre",
        norm_epsilon=config.get("norm_eps", 1e-5),
        norm_bias=config.get("norm_bias", False),
        first_norm=False,
        activation=config.choose("hidden_activation", ACTIVATIONS, "gelu"),
        gated=True,
        bias=config.get("attention_bias", False),
        feed_forward_bias=config.get("mlp_bias", False),
        positions="rotary",
        windows=decoders.windows(config, decoders.layer_types(config, types), reach + 1),
        pad_id=pad_id,
        task=task,
        labels=labels_of(config, task),
        head_activation=None if task == "none" else activation,
        head_transform=None if task == "none" else "norm",
        pooling=config.choose("classifier_pooling", POOLING, "cls"),
        tied_embeddings=tied,
        **settings,
    )
    zeros = {}
    if task != "none" and not config.get("classifier_bias", False):
        zeros["head.dense.bias"] = ours.model_dim
    if not config.get("decoder_bias", True) and task == "mlm":
        zeros["decoder.bias"] = ours.vocab_size
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix),
        symbols(config, pad_id, bos=50_281, eos=50_282),
        aliases={embedding: ("decoder.weight",)} if tied else {},
        prepare=lambda found: add_zeros(found, zeros),
        notes=notes + [f"{name} is zeros: theirs has none" for name in zeros],
    )


def _refs(model: nn.Module, prefix: str) -> dict[str, TensorRef]:
    assert isinstance(model, Encoder)
    ours = model.config
    names = {"embedding": "embeddings.tok_embeddings", "embedding_norm": "embeddings.norm", "norm": "final_norm"}
    names |= layer_names("layers", "layers", ours.num_layers, LAYER)
    names = {key: prefix + name for key, name in names.items()} | HEADS.get(ours.task, {})
    refs = modules(names, model)
    if ours.task == "mlm":
        refs["head.bias"] = TensorRef("decoder.bias")
    width = ours.num_heads * ours.head_dim
    fused = {
        "self_attention.query_proj": ("attn.Wqkv", 0),
        "self_attention.key_proj": ("attn.Wqkv", width),
        "self_attention.value_proj": ("attn.Wqkv", 2 * width),
        "feed_forward.inner_proj": ("mlp.Wi", 0),
        "feed_forward.gate_proj": ("mlp.Wi", ours.ff_dim),
    }
    return refs | fused_modules(fused_names(f"{prefix}layers", ours.num_layers, fused), model)


def export(model: Encoder, symbols: Symbols) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours as ModernBERT.

    Raises:
        ModelFolderError: the encoder has something that ModernBERT does not.
    """
    ours = model.config
    sliding = decoders.window_sizes(ours.windows)
    refuse("modernbert", {
        "positions": (ours.positions, "rotary"),
        "rotary_dim": (ours.rotary_dim or ours.head_dim, ours.head_dim),
        "norm": (ours.norm, "pre"),
        "norm_kind": (ours.norm_kind, "layer"),
        "gated": (ours.gated, True),
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "head_dim": (ours.head_dim * ours.num_heads, ours.model_dim),
        "attention_output_bias": (ours.has_attention_output_bias, ours.bias),
        "query_key_norm": (ours.query_key_norm, False),
        "embedding_norm": (ours.embedding_norm, True),
        "first_norm": (ours.first_norm, False),
        "num_segments": (ours.num_segments, 0),
        "pooler": (ours.pooler, False),
        "pooling": (ours.pooling, ours.pooling if ours.pooling in POOLING.values() else "first or mean"),
        "windows": (ours.windows, ours.windows if len(sliding) < 2 else "of one size"),
        "pad_id": (ours.pad_id, ours.pad_id if ours.pad_id >= 0 else "an id of the vocabulary"),
    })  # fmt: skip
    if ours.task != "none":
        refuse(
            "modernbert", {"head_transform": (ours.head_transform or ("norm" if ours.task == "mlm" else None), "norm")}
        )
    local = ours.rotary_base if ours.local_rotary_base is None else ours.local_rotary_base
    everywhere = decoders.rotary_parameters(ours)
    config = written_head(ours, symbols, "ModernBert") | {
        "model_type": "modernbert",
        "vocab_size": ours.vocab_size,
        "hidden_size": ours.model_dim,
        "intermediate_size": ours.ff_dim,
        "num_hidden_layers": ours.num_layers,
        "num_attention_heads": ours.num_heads,
        "max_position_embeddings": ours.max_positions,
        "norm_eps": ours.norm_epsilon,
        "norm_bias": ours.norm_bias,
        "hidden_activation": THEIR_ACTIVATIONS[ours.activation],
        "attention_bias": ours.bias,
        "mlp_bias": ours.has_feed_forward_bias,
        "attention_dropout": ours.attention_dropout,
        "embedding_dropout": ours.dropout,
        "mlp_dropout": ours.dropout,
        "layer_types": types_of_windows(ours.windows, ours.num_layers),
        "local_attention": 2 * (sliding[0] - 1) if sliding else 128,
        "global_rope_theta": ours.rotary_base,
        "local_rope_theta": local,
        "rope_parameters": {
            "full_attention": everywhere,
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
        "classifier_activation": THEIR_ACTIVATIONS[ours.head_activation or ("gelu" if ours.task == "mlm" else "tanh")],
        "classifier_pooling": next(theirs for theirs, name in POOLING.items() if name == ours.pooling),
        "classifier_bias": ours.task != "none",
        "decoder_bias": True,
    }
    return config, export_tensors(model, _refs(model, "" if ours.task == "none" else "model."))
