"""T5, mT5 and umT5: pre-norm without biases, distances in buckets, scores that are not scaled.

T5's scores are not divided by sqrt(head_dim), ours are: its query projections are multiplied by it. A T5 whose embeddings
were its output matrix, too, divides its last states by sqrt(model_dim): ours has an output matrix that is divided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import layer_names, refuse
from regard.interop.hugging_face.settings import start_ids
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import EncoderConfig, EncoderDecoderConfig, TransformerConfig
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols

MAX_POSITIONS = 4096
"""The longest text: T5 has none, and our configuration needs one."""
NUM_BUCKETS, MAX_DISTANCE = 32, 128
FEED_FORWARD = {
    "relu": ("relu", False),
    "gelu": ("gelu", False),
    "gelu_new": ("gelu_tanh", False),
    "silu": ("silu", False),
    "gated-relu": ("relu", True),
    "gated-gelu": ("gelu_tanh", True),
    "gated-silu": ("silu", True),
}
"""The meaning of `feed_forward_proj`; gated-gelu is T5's name for the approximated one."""
ACTIVATION_NAMES = {"gelu_tanh": "gelu_new"}
CLASSES = {"t5": "T5", "mt5": "MT5", "umt5": "UMT5"}
"""The beginning of the names of a `model_type`'s classes."""
OLD_CLASS = "T5WithLMHeadModel"
DEFAULTS: dict[str, tuple[int, int, int, str]] = {
    "t5": (2048, 6, 8, "relu"), "mt5": (1024, 8, 6, "gated-gelu"), "umt5": (1024, 8, 6, "gated-gelu"),
}  # fmt: skip
"""The values of `d_ff`, `num_layers`, `num_heads` and `feed_forward_proj` where the file has none."""
SHARED = "shared.weight"
SCALED = "scale_decoder_outputs"
"""The key of newer files for whether the last states are divided by sqrt(model_dim)."""
TABLES = {
    "source": "encoder.embed_tokens.weight",
    "target": "decoder.embed_tokens.weight",
    "output": "lm_head.weight",
}
"""The names of the matrices of embeddings, where they are not one."""
EXPLAINED = {
    "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": "of old checkpoints; nothing reads it",
    SHARED: "nothing reads it: both sides have matrices of their own",
}
TABLE = "layer.0.SelfAttention.relative_attention_bias.weight"
"""The end of the name of a layer's table of distances."""
PROJECTIONS = {"key_proj": "k", "value_proj": "v", "output_proj": "o"}
OF_DECODERS = dict.fromkeys(("decoder.*", TABLES["output"]), "the decoder, which an encoder alone does not have")


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign T5, mT5 or umT5, or of the encoder of one."""
    kind = config.require("model_type", str)
    if config.get("architectures") == [f"{CLASSES[kind]}EncoderModel"]:
        return _encoder_blueprint(config, tensors, kind)
    if kind != "t5" or config.get("architectures") != [OLD_CLASS]:
        config.refuse_unless("architectures", [f"{CLASSES[kind]}ForConditionalGeneration"])
    tables = _tables(tensors)
    sizes, num_layers = _sizes(config, kind)
    factor = sizes["model_dim"] ** -0.5 if _is_scaled(config, kind) else 1.0
    is_shared, is_tied = tables["source"] == tables["target"], tables["output"] == tables["target"] and factor == 1
    pad_id = config.id("pad_token_id", 0)
    start = start_ids(config, config.id("decoder_start_token_id", pad_id))
    end = config.id("eos_token_id", 1)
    ours = EncoderDecoderConfig(
        **sizes,
        num_encoder_layers=num_layers,
        num_decoder_layers=config.get("num_decoder_layers", num_layers),
        scale_embeddings=False,
        tied_embeddings={(True, True): "all", (True, False): "source", (False, True): "target"}.get(
            (is_shared, is_tied), "none"
        ),
        pad_id=-1 if pad_id in (*start, end) else pad_id,
    )
    return Blueprint(
        ours,
        lambda model: _refs(model, tables, factor, per_layer=kind == "umt5"),
        Symbols(
            pad_id=ours.pad_id, unk_id=pad_id, bos_id=pad_id, eos_id=end, start_ids=start, source_end_ids=[end], banned_ids=[],
            lines_end=False,
        ),
        explained=EXPLAINED,
        notes=[*_notes(kind), *_output_notes(config, kind)],
    )  # fmt: skip


def _encoder_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor], kind: str) -> Blueprint:
    """Parse the configuration of an encoder alone. Texts have no symbol in front: ours is the padding, which no token sees."""
    sizes, num_layers = _sizes(config, kind)
    for key in ("num_decoder_layers", "tie_word_embeddings", SCALED):
        config.get(key)  # of decoders and their output
    pad_id, end = config.id("pad_token_id", 0), config.id("eos_token_id", 1)
    ours = EncoderConfig(
        **sizes, num_layers=num_layers, num_segments=0, embedding_norm=False, task="none",
        pad_id=-1 if pad_id == end else pad_id,
    )  # fmt: skip
    table = _tables(tensors)["source"]
    return Blueprint(
        ours,
        lambda model: _encoder_refs(model, table, per_layer=kind == "umt5"),
        Symbols(
            pad_id=ours.pad_id, unk_id=pad_id, bos_id=pad_id, eos_id=end, start_ids=[pad_id], source_end_ids=[end],
            banned_ids=[], lines_end=False,
        ),
        explained=EXPLAINED | OF_DECODERS,
        notes=_notes(kind),
    )  # fmt: skip


def _sizes(config: ForeignConfig, kind: str) -> tuple[dict[str, Any], int]:
    """The settings that an encoder has as an encoder-decoder does, and the number of the encoder's layers."""
    d_ff, num_layers, num_heads, feed_forward = DEFAULTS[kind]
    config.refuse_unless("relative_attention_num_buckets", NUM_BUCKETS)
    config.refuse_unless("relative_attention_max_distance", MAX_DISTANCE)
    activation, gated = config.choose("feed_forward_proj", FEED_FORWARD, feed_forward)
    config.refuse_unless("is_decoder", False)
    config.refuse_unless("is_gated_act", gated)  # the same again, as newer files say it
    config.refuse_unless("dense_act_fn", ACTIVATION_NAMES.get(activation, activation))
    for key in ("n_positions", "scalable_attention"):
        config.get(key)  # of published files; nothing reads them
    sizes = {
        "vocab_size": config.require("vocab_size"),
        "model_dim": config.get("d_model", 512),
        "ff_dim": config.get("d_ff", d_ff),
        "num_heads": config.get("num_heads", num_heads),
        "head_dim": config.get("d_kv", 64),
        "dropout": config.get("dropout_rate", 0.1),
        "norm": "pre",
        "norm_kind": "rms",
        "norm_epsilon": config.get("layer_norm_epsilon", 1e-6),
        "activation": activation,
        "gated": gated,
        "bias": False,
        "positions": "t5",
        "max_positions": MAX_POSITIONS,
    }
    return sizes, config.get("num_layers", num_layers)


def _is_scaled(config: ForeignConfig, kind: str) -> bool:
    """Whether the last states are divided by sqrt(model_dim) before the output.

    T5 and umT5 say it by `tie_word_embeddings`, whatever their output matrix is, and newer files by a key of its own. Of umT5,
    `transformers` 4 and 5.24 read it so, and the versions between divide always. mT5's states never are divided.
    """
    is_tied = config.get("tie_word_embeddings", True)
    return kind != "mt5" and bool(config.get(SCALED, is_tied))


def _notes(kind: str) -> list[str]:
    notes = [f"T5 knows no longest text; ours is {MAX_POSITIONS:,} tokens"]
    if kind != "umt5":
        notes.append("the table of distances, which T5's layers share, is copied into each layer")
    return notes


def _output_notes(config: ForeignConfig, kind: str) -> list[str]:
    """Notes on last states that `transformers` 4 and 5 treat differently."""
    is_tied = config.get("tie_word_embeddings")
    if kind == "umt5" and is_tied is False and config.get(SCALED) is None:
        return [
            "tie_word_embeddings is false: the last states are not divided by sqrt(d_model), as in transformers 4 and 5.24; "
            "transformers 5.0 to 5.23 divides them all the same, and is compared without that"
        ]
    if kind == "mt5" and is_tied is True and str(config.values.get("transformers_version")).startswith("4."):
        return ["tie_word_embeddings is true: transformers 4 divided the last states by sqrt(d_model), 5 does not"]
    return []


def _tables(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """The names of the tensors that embed the source and the target and that predict.

    The file decides: each is its own where there is one, else the shared one, and without that the first of the others. One that
    is equal to the shared one is the shared one.
    """
    shared = next((name for name in (SHARED, *TABLES.values()) if name in tensors), SHARED)
    return {
        side: name if name in tensors and not _are_equal(tensors[name], tensors[shared]) else shared
        for side, name in TABLES.items()
    }


def _are_equal(one: Tensor, other: Tensor) -> bool:
    return one.dtype == other.dtype and torch.equal(one, other)


def _refs(model: EncoderDecoder, tables: Mapping[str, str], factor: float, *, per_layer: bool) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter of an encoder-decoder.

    Args:
        tables: the names of `_tables`.
        factor: of the output matrix.
        per_layer: whether each layer has a table of distances of its own.
    """
    config = model.config
    names = {"encoder_norm": "encoder.final_layer_norm", "decoder_norm": "decoder.final_layer_norm"}
    stacks = _stack("encoder_layers", "encoder", config.num_encoder_layers, config, per_layer=per_layer)
    stacks |= _stack("decoder_layers", "decoder", config.num_decoder_layers, config, per_layer=per_layer)
    embeddings = {f"{side}_embedding.weight": TensorRef(name) for side, name in tables.items()}
    embeddings["output_embedding.weight"] = TensorRef(tables["output"], factor=factor)
    return embeddings | modules(model, names, stacks)


def _encoder_refs(model: Encoder, table: str, *, per_layer: bool) -> dict[str, TensorRef]:
    config = model.config
    names = {"norm": "encoder.final_layer_norm"}
    stack = _stack("layers", "encoder", config.num_layers, config, per_layer=per_layer)
    return {"embedding.weight": TensorRef(table)} | modules(model, names, stack)


def _stack(
    ours: str, theirs: str, num_layers: int, config: TransformerConfig, *, per_layer: bool
) -> dict[str, TensorRef]:
    """The modules of the layers of a stack, theirs by ours."""
    attentions = {"self_attention": "layer.0.SelfAttention"}
    if theirs == "decoder":
        attentions["cross_attention"] = "layer.1.EncDecAttention"
    last = f"layer.{len(attentions)}"
    layer: dict[str, str | TensorRef] = {
        "feed_forward.inner_proj": f"{last}.DenseReluDense.{'wi_0' if config.gated else 'wi'}",
        "feed_forward.gate_proj": f"{last}.DenseReluDense.wi_1",
        "feed_forward.output_proj": f"{last}.DenseReluDense.wo",
        "feed_forward_residual.norm": f"{last}.layer_norm",
    }
    for number, (name, attention) in enumerate(attentions.items()):
        layer |= {f"{name}.{ours_name}": f"{attention}.{letter}" for ours_name, letter in PROJECTIONS.items()}
        layer[f"{name}.query_proj"] = TensorRef(f"{attention}.q", factor=config.head_dim**0.5)  # undoes our division
        layer[f"{name}_residual.norm"] = f"layer.{number}.layer_norm"
    places = layer_names(ours, f"{theirs}.block", num_layers, layer)
    for index in range(num_layers):
        table = f"{theirs}.block.{index if per_layer else 0}.{TABLE.removesuffix('.weight')}"
        places[f"{ours}.{index}.self_attention.attention.positions.table"] = TensorRef(table)
    return places


def export(model: EncoderDecoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder-decoder of ours as T5 or umT5.

    Embeddings that ours multiplies by sqrt(model_dim) are stored multiplied. An output matrix that is the source's embeddings
    divided by sqrt(model_dim) is not stored: a tied T5 divides its states instead.

    Args:
        kind: `t5`, whose layers share a table of distances, or `umt5`, whose layers have one each.
    """
    ours = model.config
    _refuse(ours, symbols, kind)
    factor = ours.model_dim**-0.5
    embeddings, head = model.source_embedding.weight, model.output_embedding.weight
    is_tied = torch.equal(head, embeddings if ours.scale_embeddings else embeddings * factor)
    tables = {"source": SHARED, "target": SHARED, "output": TABLES["output"]}
    refs = _refs(model, tables, factor if kind == "umt5" else 1.0, per_layer=True)
    if ours.scale_embeddings:
        refs["source_embedding.weight"] = TensorRef(SHARED, factor=factor)
    tensors = export_tensors(model, refs)
    if is_tied:
        tensors.pop(TABLES["output"], None)
    elif TABLES["output"] not in tensors:  # it is the source's embeddings, and they are not scaled
        tensors[TABLES["output"]] = tensors[SHARED] / refs["output_embedding.weight"].factor
    if kind == "t5":
        check_shared_tables(model, kind)
        for name in [name for name in tensors if name.endswith(TABLE) and ".block.0." not in name]:
            del tensors[name]
    return _written(ours, symbols, kind, is_tied=is_tied), tensors


def _refuse(ours: EncoderDecoderConfig, symbols: Symbols, kind: str) -> None:
    """Make sure that T5 has all that a model of ours has."""
    refuse(kind, {
        "norm": (ours.norm, "pre"),
        "norm_kind": (ours.norm_kind, "rms"),
        "positions": (ours.positions, "t5"),
        "bias": (ours.bias, False),
        "embedding_norm": (ours.embedding_norm, "none"),
        "output_bias": (ours.output_bias, False),
        "output_transform": (ours.output_transform, False),
        "num_source_types": (ours.num_source_types, 0),
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "source_vocab_size": (ours.source_vocab_size, None),
        "start_ids": (symbols.start_ids, symbols.start_ids[:2]),
        "source_begin_ids": (symbols.source_begin_ids, []),
        "source_end_ids": (symbols.source_end_ids, symbols.source_end_ids[:1] or "one symbol"),
    })  # fmt: skip
    if ours.tied_embeddings not in ("all", "source"):
        refuse(kind, {"tied_embeddings": (ours.tied_embeddings, "all or source")})
    if (ours.activation, ours.gated) not in FEED_FORWARD.values():
        refuse(kind, {"activation": (ours.activation, "gelu_tanh, relu or silu, where feed-forward layers are gated,")})


def check_shared_tables(model: EncoderDecoder, kind: str) -> None:
    """Make sure that all layers of a stack have one table of distances, for formats that store one.

    Raises:
        ModelFolderError: they differ.
    """
    for stack, layers in model.layer_stacks().items():
        first, *others = [layer.get_submodule("self_attention.attention.positions.table") for layer in layers]
        for number, table in enumerate(others, start=1):
            if not torch.equal(cast("Tensor", table.weight), cast("Tensor", first.weight)):
                raise ModelFolderError(
                    f"the tables of distances of the {stack}'s layers must be equal to be written as {kind}, whose layers "
                    f"share one; got others in layers 0 and {number}. Write it as umt5, whose layers have one each."
                )


def _written(ours: EncoderDecoderConfig, symbols: Symbols, kind: str, *, is_tied: bool) -> dict[str, Any]:
    """The content of `config.json`."""
    names = {ours_names: theirs for theirs, ours_names in FEED_FORWARD.items()}
    config: dict[str, Any] = {
        "architectures": [f"{CLASSES[kind]}ForConditionalGeneration"],
        "vocab_size": ours.vocab_size,
        "d_model": ours.model_dim,
        "d_kv": ours.head_dim,
        "d_ff": ours.ff_dim,
        "num_layers": ours.num_encoder_layers,
        "num_decoder_layers": ours.num_decoder_layers,
        "num_heads": ours.num_heads,
        "relative_attention_num_buckets": NUM_BUCKETS,
        "relative_attention_max_distance": MAX_DISTANCE,
        "dropout_rate": ours.dropout,
        "layer_norm_epsilon": ours.norm_epsilon,
        "feed_forward_proj": names[ours.activation, ours.gated],
        "tie_word_embeddings": is_tied or kind == "umt5",
        "is_encoder_decoder": True,
        "pad_token_id": symbols.pad_id if symbols.pad_id >= 0 else symbols.start_ids[0],
        "eos_token_id": symbols.eos_id,
        "decoder_start_token_id": symbols.start_ids[0],
    }
    if len(symbols.start_ids) > 1:
        config["forced_bos_token_id"] = symbols.start_ids[1]
    return config
