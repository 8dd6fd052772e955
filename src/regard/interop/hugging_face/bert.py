"""BERT, RoBERTa and DistilBERT: encoders of one shape, with heads, under three sets of names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from regard.errors import ModelFolderError
from regard.interop.files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import EncoderConfig, TransformerConfig
from regard.models.encoder import Encoder
from regard.text.tokenizer import Symbols

ACTIVATIONS = {
    "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "relu": "relu", "silu": "silu", "swish": "silu",
}  # fmt: skip
THEIR_ACTIVATIONS = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
POSITIONS = {"absolute": "learned", "relative_key": "relative_key", "relative_key_query": "relative_key_query"}
TASKS = {
    "ForMaskedLM": "mlm",
    "ForPreTraining": "mlm",
    "ForSequenceClassification": "classify",
    "ForTokenClassification": "tag",
    "ForQuestionAnswering": "spans",
    "Model": "none",
}
HEADLESS = dict.fromkeys(("pooler.*", "*.pooler.*"), "the pooler, which only a classifier reads")

BERT_LAYER = {
    "self_attention.query_proj": "attention.self.query",
    "self_attention.key_proj": "attention.self.key",
    "self_attention.value_proj": "attention.self.value",
    "self_attention.output_proj": "attention.output.dense",
    "self_attention.attention.positions.table": "attention.self.distance_embedding",
    "self_attention_residual.norm": "attention.output.LayerNorm",
    "cross_attention.query_proj": "crossattention.self.query",
    "cross_attention.key_proj": "crossattention.self.key",
    "cross_attention.value_proj": "crossattention.self.value",
    "cross_attention.output_proj": "crossattention.output.dense",
    "cross_attention_residual.norm": "crossattention.output.LayerNorm",
    "feed_forward.inner_proj": "intermediate.dense",
    "feed_forward.output_proj": "output.dense",
    "feed_forward_residual.norm": "output.LayerNorm",
}
DISTILBERT_LAYER = {
    "self_attention.query_proj": "attention.q_lin",
    "self_attention.key_proj": "attention.k_lin",
    "self_attention.value_proj": "attention.v_lin",
    "self_attention.output_proj": "attention.out_lin",
    "self_attention_residual.norm": "sa_layer_norm",
    "feed_forward.inner_proj": "ffn.lin1",
    "feed_forward.output_proj": "ffn.lin2",
    "feed_forward_residual.norm": "output_layer_norm",
}
BERT_EMBEDDINGS = {
    "embedding": "embeddings.word_embeddings",
    "segment_embedding": "embeddings.token_type_embeddings",
    "positions.learned.table": "embeddings.position_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
}


@dataclass(frozen=True)
class Style:
    """The names of one of the three formats."""

    arch: str
    """The beginning of the names of its classes."""
    layers: str
    layer: Mapping[str, str]
    mlm: tuple[str, str, str]
    """The modules that predict tokens: the layer before the output, its norm, and the output."""
    pooler: str
    """The module that a classifier reads a text's first state by. A name that begins with a dot stands inside the encoder."""
    classifier: str
    """The output of a classifier of texts."""
    mlm_bias: str
    keys: Mapping[str, str]
    """The foreign key for each key of ours."""
    mlm_activation: str | None = None
    """The activation of the head that predicts tokens; None: the layers' own."""
    class_activation: str = "tanh"

    def head(self, task: str) -> dict[str, str]:
        """The modules of the head of a task, theirs by ours."""
        return {
            "mlm": dict(zip(("head.inner_proj", "head.norm", "output_embedding"), self.mlm, strict=True)),
            "classify": {"head.pooler": self.pooler, "head.output_proj": self.classifier},
            "tag": {"head.output_proj": "classifier"},
            "spans": {"head.output_proj": "qa_outputs"},
        }.get(task, {})


BERT_KEYS = {
    "vocab_size": "vocab_size", "model_dim": "hidden_size", "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads", "ff_dim": "intermediate_size", "activation": "hidden_act",
    "dropout": "hidden_dropout_prob", "attention_dropout": "attention_probs_dropout_prob",
    "max_positions": "max_position_embeddings", "num_segments": "type_vocab_size", "norm_epsilon": "layer_norm_eps",
}  # fmt: skip
STYLES = {
    "bert": Style(
        "Bert", "encoder.layer", BERT_LAYER,
        ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.decoder"),
        ".pooler.dense", "classifier", "cls.predictions.decoder.bias", BERT_KEYS,
    ),
    "roberta": Style(
        "Roberta", "encoder.layer", BERT_LAYER, ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder"),
        "classifier.dense", "classifier.out_proj", "lm_head.decoder.bias", BERT_KEYS, mlm_activation="gelu",
    ),
    "distilbert": Style(
        "DistilBert", "transformer.layer", DISTILBERT_LAYER, ("vocab_transform", "vocab_layer_norm", "vocab_projector"),
        "pre_classifier", "classifier", "vocab_projector.bias",
        {
            "vocab_size": "vocab_size", "model_dim": "dim", "num_layers": "n_layers", "num_heads": "n_heads",
            "ff_dim": "hidden_dim", "activation": "activation", "dropout": "dropout",
            "attention_dropout": "attention_dropout", "max_positions": "max_position_embeddings",
        },
        class_activation="relu",
    ),
}  # fmt: skip
SAME_SHAPE = {"xlm-roberta": "roberta", "camembert": "roberta"}
"""Model types that are one of the three under another name."""
MOST_LABELS = 1 << 20
DEFAULTS = {
    "activation": "gelu", "dropout": 0.1, "attention_dropout": 0.1, "max_positions": 512, "num_segments": 2,
    "norm_epsilon": 1e-12,
}  # fmt: skip


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign encoder.

    Raises:
        ModelFolderError: ours cannot represent its configuration.
    """
    model_type = config.require("model_type", str)
    kind = SAME_SHAPE.get(model_type, model_type)
    style = STYLES[kind]
    for key in ("is_decoder", "add_cross_attention"):
        config.refuse_unless(key, False)
    task = task_of(config)
    sizes = sizes_of(config, style.keys)
    sizes.setdefault("num_segments", 0)
    pad_id = config.get("pad_token_id", 1 if kind == "roberta" else 0)
    positions = config.choose("position_embedding_type", POSITIONS, "absolute")
    skipped = pad_id + 1 if kind == "roberta" else 0
    if positions == "learned":
        sizes["max_positions"] -= skipped
    head_activation = {
        "mlm": style.mlm_activation or sizes["activation"],
        "classify": style.class_activation,
    }.get(task)
    ours = EncoderConfig(
        **sizes,
        positions=positions,
        pad_id=pad_id,
        task=task,
        labels=labels_of(config, task),
        head_activation=head_activation,
        tied_embeddings=config.get("tie_word_embeddings", True),
        feed_forward_chunk=config.get("chunk_size_feed_forward", 0) or None,
        pooler=task == "none" and any(name.endswith("pooler.dense.weight") for name in tensors),
    )
    prefix = model_prefix(kind, tensors)

    def refs(model: nn.Module) -> dict[str, TensorRef]:
        return encoder_refs(model, kind, prefix, skipped=skipped)

    old_bias = style.mlm_bias.replace(".decoder", "")
    explained = {
        old_bias: f"where it differs from {style.mlm_bias}, nothing reads it",
        "*position_ids": "not a weight",
        "*token_type_ids": "not a weight",
        "cls.seq_relationship.*": "the head for the next sentence, which ours does not have",
    }
    if positions != "learned":
        explained["*position_embeddings.weight"] = f"not read with position_embedding_type {positions}"
    if task != "classify" and not ours.pooler:
        explained |= HEADLESS
    return Blueprint(
        ours,
        refs,
        symbols(config, pad_id, bos=None if kind == "roberta" else 101, eos=None if kind == "roberta" else 102),
        aliases={style.mlm_bias: (old_bias,)},
        explained=explained,
    )


def sizes_of(config: ForeignConfig, keys: Mapping[str, str]) -> dict[str, Any]:
    """The settings of ours that a configuration has.

    Args:
        keys: their key for each of ours.
    """
    sizes = {
        ours: config.get(theirs, DEFAULTS[ours]) if ours in DEFAULTS else config.require(theirs)
        for ours, theirs in keys.items()
        if ours != "activation"
    }
    return sizes | {"activation": config.choose(keys["activation"], ACTIVATIONS, "gelu")}


def task_of(config: ForeignConfig) -> str:
    """The task of ours that a model's class is for."""
    architecture = (config.get("architectures") or ["Model"])[0]
    for ending, task in TASKS.items():
        if architecture.endswith(ending):
            return task
    raise ModelFolderError(
        f"{config.where}: architectures must end with one of {', '.join(TASKS)}; got {architecture}."
    )


def symbols(config: ForeignConfig, pad_id: int, *, bos: int | None, eos: int | None) -> Symbols:
    """The ids that the configuration knows; the tokenizer's files know better where they are there.

    Args:
        bos: what stands in front of a text, where the configuration does not say; None: 0.
        eos: what stands behind it; None: 2.
    """
    begin = config.get("bos_token_id", 0 if bos is None else bos)
    end = config.get("eos_token_id", 2 if eos is None else eos)
    return Symbols(
        pad_id=pad_id, unk_id=pad_id, bos_id=begin, eos_id=end, start_ids=[begin],
        source_begin_ids=[begin], source_end_ids=[end], banned_ids=[pad_id], lines_end=False,
    )  # fmt: skip


def model_prefix(kind: str, tensors: Mapping[str, Tensor]) -> str:
    """The beginning of the encoder's names: empty in a checkpoint without a head."""
    return f"{kind}." if any(name.startswith(f"{kind}.") for name in tensors) else ""


def encoder_refs(model: nn.Module, kind: str, prefix: str, *, skipped: int = 0) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter of an encoder.

    Args:
        skipped: rows in front of the table of positions that nothing reads.
    """
    assert isinstance(model, Encoder)
    style = STYLES[kind]
    names = {ours: prefix + theirs for ours, theirs in BERT_EMBEDDINGS.items()}
    names |= layer_names("layers", prefix + style.layers, model.config.num_layers, style.layer)
    for ours, theirs in style.head(model.config.task).items():
        names[ours] = prefix + theirs[1:] if theirs.startswith(".") else theirs
    if model.pooler is not None:
        names["pooler"] = f"{prefix}pooler.dense"
    refs = modules(names, model)
    table = "positions.learned.table.weight"
    if table in refs:
        refs[table] = TensorRef(refs[table].name, first_row=skipped)
    if model.config.task == "mlm":
        refs["head.bias"] = TensorRef(style.mlm_bias)
    return refs


def layer_names(ours: str, theirs: str, num_layers: int, layer: Mapping[str, str]) -> dict[str, str]:
    """The modules of all layers: theirs by ours."""
    return {
        f"{ours}.{index}.{our_module}": f"{theirs}.{index}.{their_module}"
        for index in range(num_layers)
        for our_module, their_module in layer.items()
    }


def fused_names(theirs: str, num_layers: int, layer: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """The modules of all layers that are rows of a larger one: theirs, and the first row, by ours."""
    return {
        f"layers.{index}.{our_module}": (f"{theirs}.{index}.{their_module}", first_row)
        for index in range(num_layers)
        for our_module, (their_module, first_row) in layer.items()
    }


def export(model: Encoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours in their format.

    Args:
        kind: `bert`, `roberta` or `distilbert`.
    Raises:
        ModelFolderError: the encoder has something that theirs does not.
    """
    style, ours = STYLES[kind], model.config
    classes = {"mlm": "ForMaskedLM", "classify": "ForSequenceClassification", "tag": "ForTokenClassification",
               "spans": "ForQuestionAnswering", "none": "Model"}  # fmt: skip
    mlm_activation = style.mlm_activation or ours.activation
    wanted = plain_layers(ours, "post") | {"embedding_norm": (ours.embedding_norm, True)}
    if ours.task == "mlm":
        wanted["head_activation"] = (ours.head_activation or "gelu", mlm_activation)
    if ours.task == "classify":
        wanted["head_activation"] = (ours.head_activation or "tanh", style.class_activation)
    if kind == "distilbert":
        wanted |= {
            "pooler": (ours.pooler, False),
            "num_segments": (ours.num_segments, 0),
            "norm_epsilon": (ours.norm_epsilon, 1e-12),
        }
    else:
        wanted["num_segments"] = (ours.num_segments >= 1, True)
    if kind != "bert":
        wanted["positions"] = (ours.positions, "learned")
    refuse(kind, wanted)
    if ours.positions not in POSITIONS.values():
        refuse(kind, {"positions": (ours.positions, "learned")})
    if ours.pad_id < 0:
        refuse(kind, {"pad_id": (ours.pad_id, "an id of the vocabulary")})
    skipped = ours.pad_id + 1 if kind == "roberta" else 0
    theirs = {their_key: getattr(ours, our_key) for our_key, their_key in style.keys.items()}
    positions = next(name for name, our_name in POSITIONS.items() if our_name == ours.positions)
    config = {
        **theirs,
        style.keys["activation"]: THEIR_ACTIVATIONS[ours.activation],
        "max_position_embeddings": ours.max_positions + skipped,
        "model_type": kind,
        "architectures": [style.arch + classes[ours.task]],
        "position_embedding_type": positions,
        "chunk_size_feed_forward": ours.feed_forward_chunk or 0,
        "pad_token_id": ours.pad_id,
        "bos_token_id": symbols.bos_id,
        "eos_token_id": symbols.eos_id,
        "tie_word_embeddings": ours.tied_embeddings,
        "torch_dtype": "float32",
    }
    if ours.labels:
        config["id2label"] = {str(id): label for id, label in enumerate(ours.labels)}
        config["label2id"] = {label: id for id, label in enumerate(ours.labels)}
    prefix = "" if ours.task == "none" else f"{kind}."
    tensors = export_tensors(model, encoder_refs(model, kind, prefix, skipped=skipped))
    if style.mlm_bias in tensors:  # readers of either name find it
        tensors[style.mlm_bias.replace(".decoder", "")] = tensors[style.mlm_bias].clone()
    return config, tensors


def plain_layers(ours: TransformerConfig, norm: str) -> dict[str, tuple[Any, Any]]:
    """The settings of layers that all these formats have one value of, for `refuse`: ours, and theirs."""
    return {
        "norm": (ours.norm, norm),
        "norm_kind": (ours.norm_kind, "layer"),
        "gated": (ours.gated, False),
        "bias": (ours.bias, True),
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "head_dim": (ours.head_dim * ours.num_heads, ours.model_dim),
    }


def refuse(kind: str, wanted: Mapping[str, tuple[Any, Any]]) -> None:
    """Make sure that a format can hold our model.

    Args:
        wanted: for each key, what our model has and what it must have.
    """
    for key, (found, needed) in wanted.items():
        if found != needed:
            raise ModelFolderError(
                f"{key} must be {needed} to be written as {kind}; got {found}. Try another format, such as onnx."
            )


def labels_of(config: ForeignConfig, task: str) -> list[str]:
    """The names of the classes or tags of a task; none: it has no labels."""
    config.refuse_unless("problem_type", "single_label_classification")
    labels = _names_of_labels(config) if task in ("classify", "tag") else []
    if task == "classify" and len(labels) < 2:
        raise ModelFolderError(
            f"{config.where}: id2label must name at least 2 classes; got {len(labels)}: a regression model."
        )
    return labels


def _names_of_labels(config: ForeignConfig) -> list[str]:
    names = config.get("id2label")
    if names:
        return [str(name) for _, name in sorted(names.items(), key=lambda item: int(item[0]))]
    if (count := config.get("num_labels", 2)) > MOST_LABELS:
        raise ModelFolderError(f"{config.where}: num_labels must be at most {MOST_LABELS:,}; got {count:,}.")
    return [f"LABEL_{index}" for index in range(count)]
