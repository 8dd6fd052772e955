"""BERT's layers as decoders: BertLMHeadModel and BertGeneration alone, EncoderDecoderModel behind an encoder.

Source: Rothe et al. 2020.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import (
    BERT_EMBEDDINGS,
    BERT_KEYS,
    BERT_LAYER,
    HEADLESS,
    encoder_refs,
    layer_names,
    plain_layers,
    refuse,
    sizes_of,
    sizes_written,
)
from regard.interop.hugging_face.bert import symbols as bert_symbols
from regard.interop.hugging_face.settings import SYMBOLS, WITHOUT_EFFECT, of_generation, start_ids
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, TransformerConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols

BERT_HEAD = "cls.predictions"
KIND_TABLE = "embeddings.token_type_embeddings.weight"
KINDS = {"bert": "bert", "bert-generation": "bert-generation"}
"""The kinds of models that make up an EncoderDecoderModel of ours."""
OLD_BIAS = {"*lm_head.bias": "nothing reads it", "*cls.predictions.bias": "nothing reads it"}
"""The reason why a second output bias is not read, where it differs from the decoder's."""
KEYS = {ours: theirs for ours, theirs in BERT_KEYS.items() if ours not in ("num_layers", "num_segments")}
POST_NORM: dict[str, Any] = {"norm": "post", "positions": "learned"}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a BertGeneration encoder or decoder alone."""
    config.refuse_unless("position_embedding_type", "absolute")
    is_decoder = (config.get("architectures") or ["BertGenerationEncoder"])[0] == "BertGenerationDecoder"
    config.refuse_unless("is_decoder", is_decoder, False)  # which makes its attention causal
    config.refuse_unless("add_cross_attention", False)
    config.get("tie_word_embeddings")  # without effect where there is no output
    sizes = _layer_sizes(config)
    pad_id = config.id("pad_token_id", 0)
    found = bert_symbols(config, pad_id, bos=config.id("bos_token_id", 2), eos=config.id("eos_token_id", 1))
    if not is_decoder:
        prefix = "bert." if any(name.startswith("bert.") for name in tensors) else ""
        ours: EncoderConfig | DecoderConfig = EncoderConfig(
            **sizes, num_layers=config.get("num_hidden_layers", 24), num_segments=0, task="none", pad_id=pad_id
        )
        return Blueprint(ours, lambda model: encoder_refs(model, "bert", prefix), found, explained=HEADLESS)
    ours = DecoderConfig(
        **sizes, num_layers=config.get("num_hidden_layers", 24), embedding_norm=True, output_bias=True, pad_id=pad_id,
        tied_embeddings=config.get("tie_word_embeddings", True),
    )  # fmt: skip
    return Blueprint(
        ours, _decoder_refs, found, aliases={"lm_head.decoder.bias": ("lm_head.bias",)}, explained=OLD_BIAS
    )


def bert_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign BERT that is a decoder. Its vector of kind 0, added to every token, goes
    into the positions.
    """
    for key, value in (("is_decoder", True), ("add_cross_attention", False), ("position_embedding_type", "absolute")):
        config.refuse_unless(key, value)
    pad_id = config.id("pad_token_id", 0)
    config.get("type_vocab_size")  # a decoder reads kind 0 only
    chunk = config.get("chunk_size_feed_forward", 0) or None
    ours = DecoderConfig(
        **_layer_sizes(config), num_layers=config.require("num_hidden_layers"), embedding_norm=True, output_bias=True,
        output_transform=True, tied_embeddings=config.get("tie_word_embeddings", True), pad_id=pad_id, feed_forward_chunk=chunk,
    )  # fmt: skip
    return Blueprint(
        ours,
        partial(_decoder_refs, head=BERT_HEAD),
        bert_symbols(config, pad_id, bos=101, eos=102),
        aliases={f"{BERT_HEAD}.decoder.bias": (f"{BERT_HEAD}.bias",)},
        explained=HEADLESS
        | {f"{BERT_HEAD}.bias": "nothing reads it", "*position_ids": "not a weight", "*token_type_ids": "not a weight"},
        prepare=_with_kind_in_positions,
    )


def pair_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign EncoderDecoderModel of BERT or BertGeneration.

    A BERT decoder adds the vector of kind 0 to every token; ours has it in its table of positions.
    """
    sides = {
        side: ForeignConfig(config.require(side, dict), f"{config.where}: {side}") for side in ("encoder", "decoder")
    }
    kinds = {side: part.choose("model_type", KINDS, "bert") for side, part in sides.items()}
    for part in sides.values():
        part.refuse_unless("position_embedding_type", "absolute")
    encoder, decoder = sides["encoder"], sides["decoder"]
    for key in ("is_decoder", "add_cross_attention"):
        encoder.refuse_unless(key, False)
        decoder.refuse_unless(key, True)
    encoder.get("tie_word_embeddings")  # it has no output
    for part in sides.values():
        part.get("type_vocab_size")  # a decoder reads kind 0 only, and BertGeneration none
    lengths = [part.get("max_position_embeddings", 512) for part in sides.values()]
    sizes = _layer_sizes(decoder) | {"max_positions": min(lengths)}
    for key, value in _layer_sizes(encoder).items():
        if key not in ("vocab_size", "dropout", "attention_dropout", "max_positions"):
            config.refuse_difference(key, value, sizes[key])
    pad_id = decoder.id("pad_token_id", config.id("pad_token_id", 0))
    start = config.id("decoder_start_token_id", decoder.id("bos_token_id", 101))
    end = config.id("eos_token_id", decoder.id("eos_token_id", 102))
    begin = encoder.id("bos_token_id", start)
    is_tied = decoder.get("tie_word_embeddings", True)
    ours = EncoderDecoderConfig(
        **sizes,
        source_vocab_size=encoder.require("vocab_size"),
        num_source_types=encoder.get("type_vocab_size", 2) if kinds["encoder"] == "bert" else 0,
        num_encoder_layers=encoder.get("num_hidden_layers", 12),
        num_decoder_layers=decoder.get("num_hidden_layers", 12),
        scale_embeddings=False,
        embedding_norm="both",
        output_bias=True,
        output_transform=kinds["decoder"] == "bert",
        tied_embeddings="target" if is_tied else "none",
        pad_id=-1 if pad_id in (*start_ids(config, start), begin, end) else pad_id,
    )
    config.get("tie_word_embeddings")  # the decoder's own counts
    for part in sides.values():
        part.refuse_others(WITHOUT_EFFECT | of_generation(part) | set(SYMBOLS))
    head = "decoder.cls.predictions" if kinds["decoder"] == "bert" else "decoder.lm_head"
    return Blueprint(
        ours,
        lambda model: _pair_refs(model, head, lengths),
        Symbols(
            pad_id=ours.pad_id, unk_id=pad_id, bos_id=begin, eos_id=end, start_ids=start_ids(config, start),
            source_begin_ids=[begin], source_end_ids=[encoder.id("eos_token_id", end)], banned_ids=[pad_id], lines_end=False,
        ),
        aliases={f"{head}.decoder.bias": (f"{head}.bias",)},
        explained=HEADLESS | OLD_BIAS | {"*position_ids": "not a weight"},
        notes=[] if lengths[0] == lengths[1] else [f"positions from {min(lengths)} on, which one side lacks, are left out"],
        prepare=partial(_with_kind_in_positions, decoder="decoder.bert") if kinds["decoder"] == "bert" else None,
    )  # fmt: skip


def _with_kind_in_positions(tensors: dict[str, Tensor], decoder: str = "bert") -> dict[str, str]:
    """Add a decoder's vector of kind 0 to its positions, in place, and say what became of which tensor."""
    kinds, table = f"{decoder}.{KIND_TABLE}", f"{decoder}.embeddings.position_embeddings.weight"
    if kinds not in tensors or table not in tensors:
        return {}
    tensors[table] = tensors[table].float() + tensors.pop(kinds)[0].float()
    return {kinds: "row 0 is added to the decoder's positions; a decoder reads no other"}


def _layer_sizes(config: ForeignConfig) -> dict[str, Any]:
    """The settings of ours that encoders and decoders of BERT's layers have."""
    return POST_NORM | sizes_of(config, KEYS)


def _decoder_refs(model: Decoder, head: str = "lm_head") -> dict[str, TensorRef]:
    """The foreign tensor of each parameter of a decoder alone."""
    names = {ours: f"bert.{theirs}" for ours, theirs in BERT_EMBEDDINGS.items()} | _output_names(head)
    layers = layer_names("layers", "bert.encoder.layer", model.config.num_layers, BERT_LAYER)
    return modules(model, names, layers) | {"output_bias": TensorRef(f"{head}.decoder.bias")}


def _output_names(head: str) -> dict[str, str]:
    """The modules after the last layer; BERT alone has the first two."""
    return {
        "output_transform.inner_proj": f"{head}.transform.dense",
        "output_transform.norm": f"{head}.transform.LayerNorm",
        "output_embedding": f"{head}.decoder",
    }


def _pair_refs(model: EncoderDecoder, head: str, lengths: Sequence[int | None] = (None, None)) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter of an encoder-decoder.

    Args:
        lengths: how many positions the encoder's table and the decoder's have, where they may have more than ours.
    """
    names = {
        "source_embedding": "encoder.embeddings.word_embeddings",
        "source_type_embedding": "encoder.embeddings.token_type_embeddings",
        "source_norm": "encoder.embeddings.LayerNorm",
        "target_embedding": "decoder.bert.embeddings.word_embeddings",
        "target_norm": "decoder.bert.embeddings.LayerNorm",
    } | _output_names(head)
    parts = layer_names("encoder_layers", "encoder.encoder.layer", model.config.num_encoder_layers, BERT_LAYER)
    parts |= layer_names("decoder_layers", "decoder.bert.encoder.layer", model.config.num_decoder_layers, BERT_LAYER)
    for side, theirs, length in zip(("source", "target"), ("encoder", "decoder.bert"), lengths, strict=True):
        table = TensorRef(f"{theirs}.embeddings.position_embeddings", num_rows=length)
        parts[f"{side}_positions.learned.table"] = table
    return modules(model, names, parts) | {"output_bias": TensorRef(f"{head}.decoder.bias")}


def _bert_layers(ours: TransformerConfig) -> dict[str, tuple[Any, Any]]:
    """The settings of ours that BERT's layers have one value of, and that value."""
    return plain_layers(ours, "post") | {"positions": (ours.positions, "learned")}


def _config_of(ours: TransformerConfig, num_layers: int, symbols: Symbols) -> dict[str, Any]:
    """The foreign configuration of an encoder or decoder of BERT's layers."""
    return sizes_written(ours, KEYS) | {
        "num_hidden_layers": num_layers,
        "pad_token_id": symbols.pad_id if symbols.pad_id >= 0 else symbols.start_ids[0],
        "bos_token_id": symbols.bos_id,
        "eos_token_id": symbols.eos_id,
    }


def export(model: Encoder | Decoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder or decoder of ours as BertGeneration."""
    ours = model.config
    config = _config_of(ours, ours.num_layers, symbols)
    if isinstance(model, Encoder):
        refuse(kind, _bert_layers(ours) | {
            "task": (model.config.task, "none"), "num_segments": (model.config.num_segments, 0),
            "embedding_norm": (model.config.embedding_norm, True),
        })  # fmt: skip
        return config | {"architectures": ["BertGenerationEncoder"]}, export_tensors(
            model, encoder_refs(model, "bert", "")
        )
    refuse(kind, _bert_layers(ours) | {
        "embedding_norm": (model.config.embedding_norm, True), "output_bias": (model.config.output_bias, True),
    })  # fmt: skip
    extra = {
        "architectures": ["BertGenerationDecoder"],
        "is_decoder": True,
        "tie_word_embeddings": model.config.tied_embeddings,
    }
    return config | extra, _with_both_biases(export_tensors(model, _decoder_refs(model)), "lm_head")


def export_bert(model: Decoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a decoder of ours as BertLMHeadModel."""
    ours = model.config
    refuse(kind, _bert_layers(ours) | {
        "embedding_norm": (ours.embedding_norm, True),
        "output_bias": (ours.output_bias, True),
        "output_transform": (ours.output_transform, True),
        "pad_id": (ours.pad_id >= 0, True),
    })  # fmt: skip
    config = _config_of(ours, ours.num_layers, symbols) | {
        "type_vocab_size": 1,
        "architectures": ["BertLMHeadModel"],
        "is_decoder": True,
        "position_embedding_type": "absolute",
        "chunk_size_feed_forward": ours.feed_forward_chunk or 0,
        "tie_word_embeddings": ours.tied_embeddings,
    }
    tensors = _with_both_biases(export_tensors(model, _decoder_refs(model, BERT_HEAD)), BERT_HEAD)
    return config, tensors | {f"bert.{KIND_TABLE}": torch.zeros(1, ours.model_dim)}


def _with_both_biases(tensors: dict[str, Tensor], head: str) -> dict[str, Tensor]:
    """The output bias under both of its names: readers of either find it."""
    return tensors | {f"{head}.bias": tensors[f"{head}.decoder.bias"].clone()}


def export_pair(model: EncoderDecoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder-decoder of ours as EncoderDecoderModel, of BERT where it has kinds
    of source token or a layer before the output, and else of BertGeneration.
    """
    ours = model.config
    refuse(kind, _bert_layers(ours) | {
        "embedding_norm": (ours.embedding_norm, "both"),
        "output_bias": (ours.output_bias, True),
        "scale_embeddings": (ours.scale_embeddings, False),
    })  # fmt: skip
    sides = {"encoder": ours.num_source_types > 0, "decoder": ours.output_transform}
    config: dict[str, Any] = {
        "architectures": ["EncoderDecoderModel"],
        "is_encoder_decoder": True,
        "decoder_start_token_id": symbols.start_ids[0],
        "pad_token_id": symbols.pad_id if symbols.pad_id >= 0 else symbols.start_ids[0],
        "eos_token_id": symbols.eos_id,
        "tie_word_embeddings": False,
    }
    for side, is_bert in sides.items():
        num_layers = ours.num_encoder_layers if side == "encoder" else ours.num_decoder_layers
        config[side] = _config_of(ours, num_layers, symbols) | {"model_type": "bert" if is_bert else "bert-generation"}
    config["encoder"]["vocab_size"] = ours.source_vocab_size or ours.vocab_size
    config["encoder"]["type_vocab_size"] = max(ours.num_source_types, 1)
    config["decoder"] |= {
        "type_vocab_size": 1,
        "is_decoder": True,
        "add_cross_attention": True,
        "tie_word_embeddings": ours.tied_embeddings in ("all", "target"),
    }
    head = "decoder.cls.predictions" if ours.output_transform else "decoder.lm_head"
    tensors = _with_both_biases(export_tensors(model, _pair_refs(model, head)), head)
    if ours.tied_embeddings in ("all", "source"):
        tensors["decoder.bert.embeddings.word_embeddings.weight"] = model.target_embedding.weight.detach().clone()
    if ours.output_transform:
        tensors[f"decoder.bert.{KIND_TABLE}"] = torch.zeros(1, ours.model_dim)
    return config, tensors
