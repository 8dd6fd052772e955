"""BertLMHeadModel: BERT's layers as a decoder alone, with the layer before the output that predicts hidden tokens in BERT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from regard.interop.files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import (
    BERT_EMBEDDINGS,
    BERT_LAYER,
    DEFAULTS,
    HEADLESS,
    STYLES,
    THEIR_ACTIVATIONS,
    layer_names,
    refuse,
    symbols,
)
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

HEAD = "cls.predictions"
KINDS, POSITIONS = "bert.embeddings.token_type_embeddings.weight", "bert.embeddings.position_embeddings.weight"


def is_decoder(config: ForeignConfig) -> bool:
    """Whether a BERT's class predicts the next token."""
    return (config.get("architectures") or [""])[0] == "BertLMHeadModel"


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign BERT that is a decoder. Its vector of kind 0, added to every token, goes
    into the positions.

    Raises:
        ModelFolderError: ours cannot represent its configuration.
    """
    for key, value in (("is_decoder", True), ("add_cross_attention", False), ("position_embedding_type", "absolute")):
        config.refuse_unless(key, value)
    sizes: dict[str, Any] = {
        ours: config.get(theirs, DEFAULTS[ours]) if ours in DEFAULTS else config.require(theirs)
        for ours, theirs in STYLES["bert"].keys.items()
        if ours not in ("num_segments", "activation")
    }
    pad_id = config.get("pad_token_id", 0)
    config.get("type_vocab_size")  # a decoder reads kind 0 only
    chunk = config.get("chunk_size_feed_forward", 0) or None
    ours = DecoderConfig(
        **sizes, norm="post", positions="learned", embedding_norm=True, output_bias=True, output_transform=True,
        activation=config.choose("hidden_act", {theirs: ours for ours, theirs in THEIR_ACTIVATIONS.items()}, "gelu"),
        tied_embeddings=config.get("tie_word_embeddings", True), pad_id=pad_id, feed_forward_chunk=chunk,
    )  # fmt: skip
    return Blueprint(
        ours,
        _refs,
        symbols(config, pad_id, bos=101, eos=102),
        aliases={f"{HEAD}.decoder.bias": (f"{HEAD}.bias",)},
        explained=HEADLESS
        | {f"{HEAD}.bias": "nothing reads it", "*position_ids": "not a weight", "*token_type_ids": "not a weight"},
        prepare=_with_kind_in_positions,
    )


def _with_kind_in_positions(tensors: dict[str, Tensor]) -> dict[str, str]:
    """Add the vector of kind 0 to the positions, in place, and say what became of which tensor."""
    if KINDS not in tensors or POSITIONS not in tensors:
        return {}
    tensors[POSITIONS] = tensors[POSITIONS].float() + tensors.pop(KINDS)[0].float()
    return {KINDS: "row 0 is added to the positions; a decoder reads no other"}


def _refs(model: nn.Module) -> dict[str, TensorRef]:
    assert isinstance(model, Decoder)
    names = {ours: f"bert.{theirs}" for ours, theirs in BERT_EMBEDDINGS.items()}
    names |= layer_names("layers", "bert.encoder.layer", model.config.num_layers, BERT_LAYER)
    names |= {
        "output_transform.inner_proj": f"{HEAD}.transform.dense",
        "output_transform.norm": f"{HEAD}.transform.LayerNorm",
        "output_embedding": f"{HEAD}.decoder",
    }
    return modules(names, model) | {"output_bias": TensorRef(f"{HEAD}.decoder.bias")}


def export(model: Decoder, symbols: Symbols) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as BertLMHeadModel.

    Raises:
        ModelFolderError: the decoder has something that theirs does not.
    """
    ours = model.config
    refuse("bert", {
        "norm": (ours.norm, "post"),
        "norm_kind": (ours.norm_kind, "layer"),
        "positions": (ours.positions, "learned"),
        "gated": (ours.gated, False),
        "bias": (ours.bias, True),
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "head_dim": (ours.head_dim * ours.num_heads, ours.model_dim),
        "embedding_norm": (ours.embedding_norm, True),
        "output_bias": (ours.output_bias, True),
        "output_transform": (ours.output_transform, True),
        "pad_id": (ours.pad_id >= 0, True),
    })  # fmt: skip
    config = {theirs: getattr(ours, key) for key, theirs in STYLES["bert"].keys.items() if hasattr(ours, key)} | {
        "hidden_act": THEIR_ACTIVATIONS[ours.activation],
        "type_vocab_size": 1,
        "model_type": "bert",
        "architectures": ["BertLMHeadModel"],
        "is_decoder": True,
        "position_embedding_type": "absolute",
        "chunk_size_feed_forward": ours.feed_forward_chunk or 0,
        "pad_token_id": ours.pad_id,
        "bos_token_id": symbols.bos_id,
        "eos_token_id": symbols.eos_id,
        "tie_word_embeddings": ours.tied_embeddings,
        "torch_dtype": "float32",
    }
    tensors = export_tensors(model, _refs(model)) | {KINDS: torch.zeros(1, ours.model_dim)}
    return config, tensors | {f"{HEAD}.bias": tensors[f"{HEAD}.decoder.bias"].clone()}
