"""BERT, RoBERTa, DistilBERT, ELECTRA and ALBERT: encoders of one shape, with heads, under five sets of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import MOST_SHARED, TEXT_TASKS, EncoderConfig, LabelledConfig, TransformerConfig
from regard.models.encoder import Encoder
from regard.text.tokenizer import Symbols

ACTIVATIONS = {
    "gelu": "gelu", "gelu_python": "gelu", "gelu_new": "gelu_tanh", "gelu_fast": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh",
    "quick_gelu": "quick_gelu", "relu": "relu", "silu": "silu", "swish": "silu", "tanh": "tanh",
}  # fmt: skip
THEIR_ACTIVATIONS = {ours: theirs for theirs, ours in reversed(ACTIVATIONS.items())}
RELATIVE = ("relative_key", "relative_key_query")
"""Their position types that `transformers` 5 removed."""
RELATIVE_NOTE = "transformers 5 does not compute BERT's relative positions, and cannot be compared; transformers 4 does"
POSITIONS = {"absolute": "learned"} | {name: name for name in RELATIVE}
TASKS = {
    "ForNextSentencePrediction": "classify",
    "ForMaskedLM": "mlm",
    "ForPreTraining": "mlm",
    "ForSequenceClassification": "classify",
    "ForTokenClassification": "tag",
    "ForQuestionAnswering": "spans",
    "Model": "none",
}
CLASSES = {
    "mlm": "ForMaskedLM", "tag": "ForTokenClassification", "spans": "ForQuestionAnswering", "none": "Model",
    **dict.fromkeys(TEXT_TASKS, "ForSequenceClassification"),
}  # fmt: skip
"""The ending of the name of the class that is written for each task of ours."""
PROBLEMS = {
    "single_label_classification": "classify",
    "multi_label_classification": "multilabel",
    "regression": "regression",
}
"""Our task for each `problem_type` of a classifier of texts."""
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
ALBERT_LAYER = {
    "self_attention.query_proj": "attention.query",
    "self_attention.key_proj": "attention.key",
    "self_attention.value_proj": "attention.value",
    "self_attention.output_proj": "attention.dense",
    "self_attention_residual.norm": "attention.LayerNorm",
    "feed_forward.inner_proj": "ffn",
    "feed_forward.output_proj": "ffn_output",
    "feed_forward_residual.norm": "full_layer_layer_norm",
}
BERT_EMBEDDINGS = {
    "embedding": "embeddings.word_embeddings",
    "segment_embedding": "embeddings.token_type_embeddings",
    "positions.learned.table": "embeddings.position_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
}


Place = tuple[int, int]
"""A group of ALBERT's layers, and a layer of it."""


@dataclass(frozen=True)
class Style:
    """The names of one of these formats."""

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
    embedding_proj: str = ""
    """The map from embeddings to states, inside the encoder, of formats that have `embedding_size`."""
    headless_pooler: str = "pooler.dense"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """The values of our keys where a file does not say; others are in `DEFAULTS`."""

    def head(self, task: str) -> dict[str, str]:
        """The modules of the head of a task, theirs by ours."""
        task = "classify" if task in TEXT_TASKS else task
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
FACTORISED_KEYS = BERT_KEYS | {"embedding_dim": "embedding_size"}
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
    "electra": Style(
        "Electra", "encoder.layer", BERT_LAYER,
        ("generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head"),
        "classifier.dense", "classifier.out_proj", "generator_lm_head.bias", FACTORISED_KEYS, mlm_activation="gelu",
        class_activation="gelu", embedding_proj="embeddings_project",
    ),
    "albert": Style(
        "Albert", "encoder.albert_layer_groups.{}.albert_layers", ALBERT_LAYER,
        ("predictions.dense", "predictions.LayerNorm", "predictions.decoder"),
        ".pooler", "classifier", "predictions.decoder.bias", FACTORISED_KEYS,
        embedding_proj="encoder.embedding_hidden_mapping_in", headless_pooler="pooler",
        defaults={"activation": "gelu_new", "dropout": 0.0, "attention_dropout": 0.0},
    ),
}  # fmt: skip
SAME_SHAPE = {"xlm-roberta": "roberta", "camembert": "roberta"}
"""Model types that are another one under another name."""
NEXT_SENTENCE = "BertForNextSentencePrediction"
NEXT_LABELS = ("next", "not next")
"""The classes of BERT's second task, in its order. Source: Devlin et al. 2019, section 3.1, task 2, and its code."""
NEXT_HEAD = "cls.seq_relationship"
MOST_LABELS = 1 << 20
DEFAULTS = {
    "activation": "gelu", "dropout": 0.1, "attention_dropout": 0.1, "max_positions": 512, "num_segments": 2,
    "norm_epsilon": 1e-12, "embedding_dim": 128,
}  # fmt: skip


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign encoder."""
    model_type = config.require("model_type", str)
    kind = SAME_SHAPE.get(model_type, model_type)
    style = STYLES[kind]
    for key in ("is_decoder", "add_cross_attention"):
        config.refuse_unless(key, False)
    task = task_of(config)
    sizes = sizes_of(config, style.keys, {**DEFAULTS, **style.defaults})
    sizes.setdefault("num_segments", 0)
    places: list[Place] = []
    if kind == "electra":
        if task == "mlm":
            config.refuse_unless("architectures", ["ElectraForMaskedLM"])
        if sizes["embedding_dim"] == sizes["model_dim"]:
            sizes["embedding_dim"] = None
    elif kind == "albert":
        config.get("classifier_dropout_prob")
        places = _places(config, sizes["num_layers"])
        first = {place: layer for layer, place in reversed(list(enumerate(places)))}
        sizes |= {"num_layers": len(places), "weights_from": [first[place] for place in places]}
    pad_id = config.id("pad_token_id", 1 if kind == "roberta" else 0)
    positions = config.choose("position_embedding_type", POSITIONS, "absolute")
    skipped = pad_id + 1 if kind == "roberta" else 0
    if positions == "learned":
        sizes["max_positions"] -= skipped
    head_activation = {
        "mlm": style.mlm_activation or sizes["activation"],
        **dict.fromkeys(TEXT_TASKS, style.class_activation),
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
        pooler=task == "none" and any(name.endswith(f"{style.headless_pooler}.weight") for name in tensors),
    )
    prefix = model_prefix(kind, tensors)

    old_bias = style.mlm_bias.replace(".decoder", "")
    explained = {
        old_bias: f"where it differs from {style.mlm_bias}, nothing reads it",
        "*position_ids": "not a weight",
        "*token_type_ids": "not a weight",
        f"{NEXT_HEAD}.*": "the head for the next sentence, which only BertForNextSentencePrediction reads",
        "sop_classifier.*": "the head for the order of sentences, which ours does not have",
    }
    if positions != "learned":
        explained["*position_embeddings.weight"] = f"not read with position_embedding_type {positions}"
    if task not in TEXT_TASKS and not ours.pooler:
        explained |= HEADLESS
    return Blueprint(
        ours,
        lambda model: encoder_refs(model, kind, prefix, skipped=skipped, places=places),
        symbols(config, pad_id, bos=None if kind == "roberta" else 101, eos=None if kind == "roberta" else 102),
        aliases={style.mlm_bias: (old_bias,)},
        explained=explained,
    )


def next_sentence_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """The same for `BertForNextSentencePrediction`: a classifier of pairs."""
    found = blueprint(config, tensors)
    head = {f"head.output_proj.{part}": TensorRef(f"{NEXT_HEAD}.{part}") for part in ("weight", "bias")}
    unread = {"cls.predictions.*": f"the head for hidden tokens, which {NEXT_SENTENCE} does not read"}
    return replace(
        found,
        config=found.config.model_copy(update={"labels": list(NEXT_LABELS)}),
        refs=lambda model: found.refs(model) | head,
        explained={**found.explained, **unread},
    )


def _places(config: ForeignConfig, num_layers: int) -> list[Place]:
    """The weights of each of our layers: of ALBERT's, each group of which has several of ours."""
    groups, inner = config.get("num_hidden_groups", 1), config.get("inner_group_num", 1)
    for key, value in {"num_hidden_layers": num_layers, "num_hidden_groups": groups, "inner_group_num": inner}.items():
        if not 1 <= value <= MOST_SHARED:
            raise ModelFolderError(f"{config.where}: {key} must be from 1 to {MOST_SHARED}; got {value}.")
    if num_layers * inner > MOST_SHARED:
        raise ModelFolderError(f"{config.where}: inner_group_num must make at most {MOST_SHARED} layers; got {inner}.")
    return placed(num_layers, groups, inner)


def placed(num_layers: int, groups: int, inner: int) -> list[Place]:
    """The group of each layer, and its place there: groups one after the other, each for as many layers."""
    return [(int(index / (num_layers / groups)), part) for index in range(num_layers) for part in range(inner)]


def sizes_of(config: ForeignConfig, keys: Mapping[str, str], defaults: Mapping[str, Any] = DEFAULTS) -> dict[str, Any]:
    """The settings of ours that a configuration has.

    Args:
        keys: their key for each of ours.
        defaults: where the configuration does not say; a key without one must be there.
    """
    sizes = {
        ours: config.get(theirs, defaults[ours]) if ours in defaults else config.require(theirs)
        for ours, theirs in keys.items()
        if ours != "activation"
    }
    return sizes | {"activation": config.choose(keys["activation"], ACTIVATIONS, defaults["activation"])}


def sizes_written(ours: TransformerConfig, keys: Mapping[str, str]) -> dict[str, Any]:
    """The opposite of `sizes_of`."""
    written = {theirs: getattr(ours, key) for key, theirs in keys.items()}
    return written | {keys["activation"]: THEIR_ACTIVATIONS[ours.activation]}


def task_of(config: ForeignConfig) -> str:
    """The task of ours that a model's class is for."""
    architecture = (config.get("architectures") or ["Model"])[0]
    for ending, task in TASKS.items():
        if architecture.endswith(ending) and task == "classify":
            usual = "regression" if len(_names_of_labels(config)) == 1 else "single_label_classification"
            return str(config.choose("problem_type", PROBLEMS, usual))
        if architecture.endswith(ending):
            config.refuse_unless("problem_type", "single_label_classification")
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
    begin = config.id("bos_token_id", 0 if bos is None else bos)
    end = config.id("eos_token_id", 2 if eos is None else eos)
    return Symbols(
        pad_id=pad_id, unk_id=pad_id, bos_id=begin, eos_id=end, start_ids=[begin],
        source_begin_ids=[begin], source_end_ids=[end], banned_ids=[pad_id], lines_end=False,
    )  # fmt: skip


def model_prefix(kind: str, tensors: Mapping[str, Tensor]) -> str:
    """The beginning of the encoder's names: empty in a checkpoint without a head."""
    return f"{kind}." if any(name.startswith(f"{kind}.") for name in tensors) else ""


def encoder_refs(
    model: Encoder, kind: str, prefix: str, *, skipped: int = 0, places: Sequence[Place] = ()
) -> dict[str, TensorRef]:
    """The foreign tensor of each parameter of an encoder.

    Args:
        skipped: rows in front of the table of positions that nothing reads.
        places: of the weights of each layer, in ALBERT.
    """
    style = STYLES[kind]
    names = {ours: prefix + theirs for ours, theirs in BERT_EMBEDDINGS.items()}
    names["embedding_proj"] = prefix + style.embedding_proj
    for layer, (group, part) in enumerate(places):
        theirs = f"{prefix}{style.layers.format(group)}.{part}"
        names |= {f"layers.{layer}.{module}": f"{theirs}.{name}" for module, name in style.layer.items()}
    for ours, theirs in style.head(model.config.task).items():
        names[ours] = prefix + theirs[1:] if theirs.startswith(".") else theirs
    if model.pooler is not None:
        names["pooler"] = prefix + style.headless_pooler
    parts = {"positions.learned.table": TensorRef(f"{prefix}embeddings.position_embeddings", first_row=skipped)}
    if not places:
        parts |= layer_names("layers", prefix + style.layers, model.config.num_layers, style.layer)
    refs = modules(model, names, parts)
    if model.config.task == "mlm":
        refs["head.bias"] = TensorRef(style.mlm_bias)
    return refs


def layer_names(ours: str, theirs: str, num_layers: int, layer: Mapping[str, str | TensorRef]) -> dict[str, TensorRef]:
    """The modules of all layers, for `modules`: theirs by ours."""
    places = {module: TensorRef(place) if isinstance(place, str) else place for module, place in layer.items()}
    return {
        f"{ours}.{index}.{module}": replace(place, name=f"{theirs}.{index}.{place.name}")
        for index in range(num_layers)
        for module, place in places.items()
    }


def export(model: Encoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours in their format."""
    style, ours = STYLES[kind], model.config
    mlm_activation = style.mlm_activation or ours.activation
    wanted = plain_layers(ours, "post") | {"embedding_norm": (ours.embedding_norm, True)}
    if ours.task == "mlm":
        wanted["head_activation"] = (ours.head_activation or "gelu", mlm_activation)
    if ours.task in TEXT_TASKS:
        wanted["head_activation"] = (ours.head_activation or "tanh", style.class_activation)
    if kind == "distilbert":
        wanted |= {
            "pooler": (ours.pooler, False),
            "num_segments": (ours.num_segments, 0),
            "norm_epsilon": (ours.norm_epsilon, 1e-12),
        }
    else:
        wanted["num_segments"] = (ours.num_segments >= 1, True)
        if ours.pooler:
            wanted["head_activation"] = (ours.head_activation or "tanh", "tanh")
    if kind != "bert":
        wanted["positions"] = (ours.positions, "learned")
    refuse(kind, wanted)
    if ours.positions not in POSITIONS.values():
        refuse(kind, {"positions": (ours.positions, "learned")})
    if ours.pad_id < 0:
        refuse(kind, {"pad_id": (ours.pad_id, "an id of the vocabulary")})
    skipped = ours.pad_id + 1 if kind == "roberta" else 0
    places = _check_embeddings(ours, kind)
    positions = next(name for name, our_name in POSITIONS.items() if our_name == ours.positions)
    config = {
        **written_head(ours, symbols, style.arch),
        **sizes_written(ours, style.keys),
        "max_position_embeddings": ours.max_positions + skipped,
        "position_embedding_type": positions,
        "chunk_size_feed_forward": ours.feed_forward_chunk or 0,
    }
    if kind in ("electra", "albert"):
        config["embedding_size"] = ours.embedding_dim or ours.model_dim
    if kind == "albert":
        config |= {"num_hidden_groups": len(set(places)), "inner_group_num": 1}
    prefix = "" if ours.task == "none" else f"{kind}."
    tensors = export_tensors(model, encoder_refs(model, kind, prefix, skipped=skipped, places=places))
    if style.mlm_bias in tensors:  # readers of either name find it
        tensors[style.mlm_bias.replace(".decoder", "")] = tensors[style.mlm_bias].clone()
    return config, tensors


def written_head(ours: EncoderConfig, symbols: Symbols, arch: str) -> dict[str, Any]:
    """Their settings of our task, its labels and our symbols.

    Args:
        arch: the beginning of the names of their classes.
    """
    config: dict[str, Any] = {
        "architectures": [arch + CLASSES[ours.task]],
        "pad_token_id": ours.pad_id,
        "bos_token_id": symbols.bos_id,
        "eos_token_id": symbols.eos_id,
        "tie_word_embeddings": ours.tied_embeddings,
    }
    return config | written_labels(ours)


def written_labels(ours: LabelledConfig) -> dict[str, Any]:
    """Their settings of our labels."""
    config: dict[str, Any] = {}
    if ours.labels:
        config["id2label"] = {str(id): label for id, label in enumerate(ours.labels)}
        config["label2id"] = {label: id for id, label in enumerate(ours.labels)}
    if ours.task in TEXT_TASKS:
        config["problem_type"] = next(name for name, task in PROBLEMS.items() if task == ours.task)
    return config


def _check_embeddings(ours: EncoderConfig, kind: str) -> list[Place]:
    """Make sure that a format has the embeddings and shared weights of an encoder; the places of ALBERT's layers."""
    if kind == "electra":
        has_map, is_wide = ours.embedding_dim is not None, ours.embedding_dim == ours.model_dim
        refuse(kind, {"embedding_dim": (ours.embedding_dim, None if has_map and is_wide else ours.embedding_dim)})
    if kind != "albert":
        return []
    if ours.embedding_dim is None:
        refuse(kind, {"embedding_dim": (None, "a width, with its map,")})
    own = list(range(ours.num_layers))
    found = ours.weights_from or own
    places = placed(ours.num_layers, len(set(found)), 1)
    theirs = [places.index(place) for place in places]
    refuse(kind, {"weights_from": (found, theirs)})
    return places


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
            hint = "" if key == "arch" or kind == "onnx" else " Try another format, such as onnx."
            raise ModelFolderError(f"{key} must be {needed} to be written as {kind}; got {found}.{hint}")


def labels_of(config: ForeignConfig, task: str) -> list[str]:
    """The names of the classes, tags or numbers of a task; none: it has no labels."""
    labels = _names_of_labels(config) if task in (*TEXT_TASKS, "tag") else []
    if task == "classify" and len(labels) < 2:
        raise ModelFolderError(f"{config.where}: id2label must name at least 2 classes; got {len(labels)}.")
    return labels


def _names_of_labels(config: ForeignConfig) -> list[str]:
    names = config.get("id2label")
    if names:
        return [str(name) for _, name in sorted(names.items(), key=lambda item: int(item[0]))]
    if (count := config.get("num_labels", 2)) > MOST_LABELS:
        raise ModelFolderError(f"{config.where}: num_labels must be at most {MOST_LABELS:,}; got {count:,}.")
    return [f"LABEL_{index}" for index in range(count)]
