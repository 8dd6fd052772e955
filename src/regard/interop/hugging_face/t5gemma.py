"""T5Gemma: an encoder-decoder whose two sides are Gemma 2, with cross-attention in the decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders, gemma
from regard.interop.hugging_face.bert import layer_names, refuse
from regard.interop.hugging_face.settings import CHOICES, GENERATION_WITHOUT_EFFECT, IDS, WITHOUT_EFFECT
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols

TYPE, NAME, SIDE_TYPE = "t5gemma", "T5GemmaForConditionalGeneration", "t5_gemma_module"
OUTPUT = "lm_head.out_proj"
PREFIX = "model."
ENCODER_LAYER = {
    ours: theirs for ours, theirs in gemma.LAYER.items() if "query_norm" not in ours and "key_norm" not in ours
} | {
    "self_attention_residual.norm": "pre_self_attn_layernorm",
    "self_attention_residual.output_norm": "post_self_attn_layernorm",
}
DECODER_LAYER = ENCODER_LAYER | {
    "cross_attention_residual.norm": "pre_cross_attn_layernorm",
    "cross_attention_residual.output_norm": "post_cross_attn_layernorm",
    **{
        ours.replace("self_attention", "cross_attention"): theirs.replace("self_attn", "cross_attn")
        for ours, theirs in ENCODER_LAYER.items()
        if ours.startswith("self_attention.")
    },
}
"""Their module for each of ours in a layer."""
NO_EFFECT = {
    *WITHOUT_EFFECT, *GENERATION_WITHOUT_EFFECT, *CHOICES, *IDS, "is_decoder", "dropout_rate", "attention_dropout",
    "cross_attention_hidden_size", "tie_word_embeddings",
}  # fmt: skip
"""Settings of a side that change nothing: those of the whole decide, or those of the other side."""


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign T5Gemma.

    Raises:
        ModelFolderError: ours cannot represent it; its sides differ in more than the number of layers.
    """
    config.refuse_unless("architectures", [NAME])
    found, num_layers, divisors = {}, {}, {}
    for side in ("encoder", "decoder"):
        part = ForeignConfig(config.require(side, dict), f"{config.where}: {side}")
        found[side] = gemma.sizes(part, "gemma2")
        found[side] |= decoders.rotary(part, found[side]["head_dim"], found[side]["max_positions"])
        num_layers[side], divisors[side] = part.require("num_hidden_layers"), gemma.score_divisor(part)
        part.refuse_others(NO_EFFECT)
    of_each = ("vocab_size", "windows", "logit_cap")  # both may have their own; the last is of the output alone
    for key in found["encoder"] | found["decoder"]:
        if key not in of_each:
            config.refuse_difference(key, found["encoder"].get(key), found["decoder"].get(key))
    config.refuse_difference("query_pre_attn_scalar", divisors["encoder"], divisors["decoder"])
    ids = ForeignConfig(_ids(config), config.where)
    ids.overlay(config, IDS)
    symbols = decoders.symbols(ids, found["decoder"]["vocab_size"], bos_token_id=2, eos_token_id=1, pad_token_id=0)
    start = config.id("decoder_start_token_id", symbols.bos_id)
    output = f"{OUTPUT}.weight"
    tied, notes = decoders.is_tied(config, tensors, f"{PREFIX}decoder.embed_tokens.weight", output, default=True)
    config.refuse_unless("vocab_size", found["decoder"]["vocab_size"])
    ours = EncoderDecoderConfig(
        **found["decoder"],
        encoder_windows=None if (windows := _of_encoder(found["encoder"])) == found["decoder"]["windows"] else windows,
        source_vocab_size=None if (size := found["encoder"]["vocab_size"]) == found["decoder"]["vocab_size"] else size,
        num_encoder_layers=num_layers["encoder"],
        num_decoder_layers=num_layers["decoder"],
        dropout=config.get("dropout_rate", 0.0),
        attention_dropout=config.get("attention_dropout", 0.0),
        tied_embeddings="target" if tied else "none",
        pad_id=symbols.pad_id,
    )
    for key in ("classifier_dropout_rate", "forced_bos_token_id", *IDS):
        config.get(key)
    return Blueprint(
        ours,
        lambda model: _refs(model, divisors["decoder"]),
        symbols.model_copy(update={"start_ids": [start]}),
        aliases={f"{PREFIX}decoder.embed_tokens.weight": (output,)} if tied else {},
        explained=decoders.OLD_ROTARY,
        notes=notes,
    )


def _of_encoder(settings: Mapping[str, Any]) -> list[int | None]:
    """Our windows of theirs: encoders of `transformers` see tokens that are a whole window away, decoders do not."""
    return [None if window is None else window + 1 for window in settings["windows"]]


def _ids(config: ForeignConfig) -> dict[str, Any]:
    """The symbols of the whole, and where it has none, those of the decoder."""
    decoder = config.require("decoder", dict)
    return {key: config.values.get(key, decoder.get(key)) for key in IDS if key in config.values or key in decoder}


def _refs(model: EncoderDecoder, divisor: float) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter."""
    names = {"output_embedding": TensorRef(OUTPUT)}
    for side, embedding, layer, num_layers in (
        ("encoder", "source_embedding", ENCODER_LAYER, model.config.num_encoder_layers),
        ("decoder", "target_embedding", DECODER_LAYER, model.config.num_decoder_layers),
    ):
        names |= {
            embedding: TensorRef(f"{PREFIX}{side}.embed_tokens"),
            f"{side}_norm": TensorRef(f"{PREFIX}{side}.norm"),
        }
        names |= layer_names(f"{side}_layers", f"{PREFIX}{side}.layers", num_layers, layer)
    return gemma.rescaled(modules(model, names), model.config, divisor)


def export(model: EncoderDecoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder-decoder of ours as T5Gemma.

    Each side has a matrix of embeddings of its own there: one that ours share is written twice.
    """
    ours = model.config
    of_encoder = ours.windows_of("encoder")
    windows = {
        "encoder": [None if window is None else window - 1 for window in of_encoder],
        "decoder": ours.windows_of("decoder"),
    }
    refuse(kind, gemma.written_settings(ours) | {
        "encoder_windows": (of_encoder, "of at least 2 positions" if 1 in of_encoder else of_encoder),
        "query_key_norm": (ours.query_key_norm, False),
        "embedding_norm": (ours.embedding_norm, "none"),
        "scale_embeddings": (ours.scale_embeddings, True),
        "output_transform": (ours.output_transform, False),
        "num_source_types": (ours.num_source_types, 0),
        "start_ids": (symbols.start_ids, symbols.start_ids[:1]),
    })  # fmt: skip
    side = gemma.written_sizes(ours) | {
        "model_type": SIDE_TYPE,
        "dropout_rate": ours.dropout,
        "attention_dropout": ours.attention_dropout,
    }
    is_tied = ours.tied_embeddings in ("all", "target")
    ids = decoders.symbols_written(symbols)
    config: dict[str, Any] = ids | {
        "architectures": [NAME],
        "is_encoder_decoder": True,
        "decoder_start_token_id": symbols.start_ids[0],
        "vocab_size": ours.vocab_size,
        "dropout_rate": ours.dropout,
        "attention_dropout": ours.attention_dropout,
        "tie_word_embeddings": is_tied,
    }
    for name, num_layers in (("encoder", ours.num_encoder_layers), ("decoder", ours.num_decoder_layers)):
        config[name] = side | ids | gemma.written_windows(kind, windows[name], num_layers, ours) | {
            "is_decoder": name == "decoder",
            "cross_attention_hidden_size": ours.model_dim if name == "decoder" else None,
        }  # fmt: skip
    config["encoder"]["vocab_size"] = ours.source_vocab_size or ours.vocab_size
    tensors = export_tensors(model, _refs(model, float(ours.head_dim)))
    for name, table in (("encoder", model.source_embedding), ("decoder", model.target_embedding)):
        tensors.setdefault(f"{PREFIX}{name}.embed_tokens.weight", table.weight.detach().clone())
    if not is_tied:
        tensors.setdefault(f"{OUTPUT}.weight", model.output_embedding.weight.detach().clone())
    else:
        tensors.pop(f"{OUTPUT}.weight", None)
    return config, tensors
