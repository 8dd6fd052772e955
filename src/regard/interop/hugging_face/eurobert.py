"""EuroBERT: Llama's layers, which look both ways, with heads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bert import (
    ACTIVATIONS,
    THEIR_ACTIVATIONS,
    labels_of,
    layer_names,
    refuse,
    symbols,
    task_of,
    written_head,
)
from regard.interop.hugging_face.llama import LAYER
from regard.interop.mapping import TensorRef, add_zeros, export_tensors, modules
from regard.models.config import TEXT_TASKS, EncoderConfig
from regard.models.encoder import Encoder
from regard.text.tokenizer import Symbols

HEADS = {
    "mlm": {"output_embedding": "lm_head"},
    "classify": {"head.pooler": "dense", "head.output_proj": "classifier"},
    "tag": {"head.output_proj": "classifier"},
}
HEADS |= dict.fromkeys(TEXT_TASKS, HEADS["classify"])
"""The modules of the head of each task, theirs by ours."""
POOLING = {"late": "late", "mean": "mean", "bos": "first"}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign EuroBERT."""
    task = task_of(config)
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=False)
    model_dim, num_heads = config.require("hidden_size"), config.require("num_attention_heads")
    head_dim = config.get("head_dim", model_dim // max(num_heads, 1))
    max_positions = config.get("max_position_embeddings", 8192)
    settings = decoders.rotary(config, head_dim, max_positions)
    if "rotary_dim" in settings:
        raise ModelFolderError(f"{config.where}: partial_rotary_factor must be 1.0; got another.")
    pad_id = config.get("pad_token_id", 128_001)
    has_bias = config.get("mlp_bias", False)
    ours = EncoderConfig(
        vocab_size=config.require("vocab_size"),
        model_dim=model_dim,
        ff_dim=config.require("intermediate_size"),
        num_heads=num_heads,
        num_kv_heads=config.get("num_key_value_heads"),
        head_dim=head_dim,
        num_layers=config.require("num_hidden_layers"),
        num_segments=0,
        max_positions=max_positions,
        dropout=0.0,
        attention_dropout=config.get("attention_dropout", 0.0),
        norm="pre",
        norm_kind="rms",
        norm_epsilon=config.get("rms_norm_eps", 1e-5),
        embedding_norm=False,
        activation=config.choose("hidden_act", ACTIVATIONS, "silu"),
        gated=True,
        bias=config.get("attention_bias", False),
        feed_forward_bias=has_bias,
        positions="rotary",
        pad_id=pad_id,
        task=task,
        labels=labels_of(config, task),
        head_activation="gelu" if task in TEXT_TASKS else None,
        head_transform="none" if task == "mlm" else None,
        pooling=config.choose("classifier_pooling", POOLING, "late"),
        tied_embeddings=tied,
        **settings,
    )
    zeros = {"lm_head.bias": ours.vocab_size} if task == "mlm" and not has_bias else {}
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix),
        symbols(config, pad_id, bos=128_000, eos=128_001),
        aliases={embedding: (output,)} if tied else {},
        prepare=lambda found: add_zeros(found, zeros),
        explained=decoders.OLD_ROTARY,
        notes=notes + [f"{name} is zeros: theirs has none" for name in zeros],
    )


def _refs(model: nn.Module, prefix: str) -> dict[str, TensorRef]:
    assert isinstance(model, Encoder)
    ours = model.config
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}norm"} | HEADS.get(ours.task, {})
    names |= layer_names("layers", f"{prefix}layers", ours.num_layers, LAYER)
    refs = modules(names, model)
    return refs | ({"head.bias": TensorRef("lm_head.bias")} if ours.task == "mlm" else {})


def export(model: Encoder, symbols: Symbols) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours as EuroBERT.

    Raises:
        ModelFolderError: the encoder has something that EuroBERT does not.
    """
    ours = model.config
    transform = {"mlm": "none", **dict.fromkeys(TEXT_TASKS, "dense")}.get(ours.task)
    refuse("eurobert", {
        "positions": (ours.positions, "rotary"),
        "rotary_dim": (ours.rotary_dim or ours.head_dim, ours.head_dim),
        "norm": (ours.norm, "pre"),
        "norm_kind": (ours.norm_kind, "rms"),
        "gated": (ours.gated, True),
        "attention_output_bias": (ours.has_attention_output_bias, ours.bias),
        "query_key_norm": (ours.query_key_norm, False),
        "pooling": (ours.pooling, ours.pooling if ours.pooling in POOLING.values() else "first, mean or late"),
        "windows": (ours.windows, []),
        "embedding_norm": (ours.embedding_norm, False),
        "first_norm": (ours.first_norm, True),
        "num_segments": (ours.num_segments, 0),
        "pooler": (ours.pooler, False),
        "task": (ours.task, ours.task if ours.task != "spans" else "mlm, classes, tags or none"),
        "head_transform": (ours.head_transform or ("norm" if ours.task == "mlm" else transform), transform),
        "pad_id": (ours.pad_id, ours.pad_id if ours.pad_id >= 0 else "an id of the vocabulary"),
    })  # fmt: skip
    if ours.task in TEXT_TASKS:
        refuse("eurobert", {"head_activation": (ours.head_activation or "tanh", "gelu")})
    config = written_head(ours, symbols, "EuroBert") | decoders.rotary_written(ours) | {
        "model_type": "eurobert",
        "vocab_size": ours.vocab_size,
        "hidden_size": ours.model_dim,
        "intermediate_size": ours.ff_dim,
        "num_hidden_layers": ours.num_layers,
        "num_attention_heads": ours.num_heads,
        "num_key_value_heads": ours.num_kv_heads or ours.num_heads,
        "head_dim": ours.head_dim,
        "max_position_embeddings": ours.max_positions,
        "rms_norm_eps": ours.norm_epsilon,
        "hidden_act": THEIR_ACTIVATIONS[ours.activation],
        "attention_bias": ours.bias,
        "mlp_bias": ours.has_feed_forward_bias,
        "attention_dropout": ours.attention_dropout,
        "classifier_pooling": next(theirs for theirs, name in POOLING.items() if name == ours.pooling),
    }  # fmt: skip
    tensors = export_tensors(model, _refs(model, "" if ours.task == "none" else "model."))
    if not ours.has_feed_forward_bias and (bias := tensors.pop("lm_head.bias", None)) is not None and bias.any():
        refuse("eurobert", {"head.bias": ("other numbers", "zeros, as feed_forward_bias is false,")})
    return config, tensors
