"""BertLMHeadModel: BERT's layers as a decoder alone, with the layer before the output that predicts hidden tokens in BERT."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from regard.interop.files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import HEADLESS, refuse
from regard.interop.hugging_face.bert import symbols as bert_symbols
from regard.interop.hugging_face.bert_generation import (
    KIND_TABLE,
    bert_layers,
    config_of,
    decoder_refs,
    layer_sizes,
    with_both_biases,
    with_kind_in_positions,
)
from regard.interop.mapping import export_tensors
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.text.tokenizer import Symbols

HEAD = "cls.predictions"


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
    pad_id = config.get("pad_token_id", 0)
    config.get("type_vocab_size")  # a decoder reads kind 0 only
    chunk = config.get("chunk_size_feed_forward", 0) or None
    ours = DecoderConfig(
        **layer_sizes(config), num_layers=config.require("num_hidden_layers"), embedding_norm=True, output_bias=True,
        output_transform=True, tied_embeddings=config.get("tie_word_embeddings", True), pad_id=pad_id, feed_forward_chunk=chunk,
    )  # fmt: skip
    return Blueprint(
        ours,
        partial(decoder_refs, head=HEAD),
        bert_symbols(config, pad_id, bos=101, eos=102),
        aliases={f"{HEAD}.decoder.bias": (f"{HEAD}.bias",)},
        explained=HEADLESS
        | {f"{HEAD}.bias": "nothing reads it", "*position_ids": "not a weight", "*token_type_ids": "not a weight"},
        prepare=with_kind_in_positions,
    )


def export(model: Decoder, symbols: Symbols) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as BertLMHeadModel.

    Raises:
        ModelFolderError: the decoder has something that theirs does not.
    """
    ours = model.config
    refuse("bert", bert_layers(ours) | {
        "embedding_norm": (ours.embedding_norm, True),
        "output_bias": (ours.output_bias, True),
        "output_transform": (ours.output_transform, True),
        "pad_id": (ours.pad_id >= 0, True),
    })  # fmt: skip
    config = config_of(ours, ours.num_layers, symbols) | {
        "type_vocab_size": 1,
        "model_type": "bert",
        "architectures": ["BertLMHeadModel"],
        "is_decoder": True,
        "position_embedding_type": "absolute",
        "chunk_size_feed_forward": ours.feed_forward_chunk or 0,
        "tie_word_embeddings": ours.tied_embeddings,
        "torch_dtype": "float32",
    }
    tensors = with_both_biases(export_tensors(model, decoder_refs(model, HEAD)), HEAD)
    return config, tensors | {f"bert.{KIND_TABLE}": torch.zeros(1, ours.model_dim)}
