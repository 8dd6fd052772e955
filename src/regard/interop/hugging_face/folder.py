"""Hugging Face's model folders: every `model_type` that is read or written, and the files around the weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import safetensors.torch
from torch import Tensor

from regard.checkpoint import CONFIG, LoadedModel, check_symbols
from regard.errors import ModelFolderError, SettingsError
from regard.foreign_files import ForeignConfig, read_json, read_optional, read_tensors
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.hugging_face import (
    bart,
    bert,
    bert_decoders,
    gemma,
    gpt2,
    later_encoders,
    llama,
    older_decoders,
    t5,
    t5gemma,
)
from regard.interop.hugging_face.reference import TransformersReference
from regard.interop.hugging_face.settings import (
    SYMBOLS,
    check_others,
    first_end,
    generation_notes,
    name_of,
    never_written,
    with_standard_names,
)
from regard.interop.mapping import Account
from regard.models.config import LabelledConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.encoder_decoder_classifier import EncoderDecoderClassifier
from regard.models.interface import Model
from regard.names import is_file
from regard.text.tokenizer import Symbols
from regard.tokenizer_formats import language_tokenizers
from regard.tokenizer_formats.folder_tokenizers import read_tokenizers
from regard.tokenizer_formats.tokenizer_json import write_tokenizer

Export = Callable[[Any, Symbols, str], tuple[dict[str, Any], dict[str, Tensor]]]
"""A function of a model, its symbols and the `model_type` that gives the content of `config.json` but for what all have, and the
tensors. It raises a `ModelFolderError` where the model has something that theirs does not.
"""


@dataclass(frozen=True)
class ModelType:
    """A `model_type` of Hugging Face. A new one is a record in `TYPES`."""

    blueprint: Callable[[ForeignConfig, Mapping[str, Tensor]], Blueprint]
    """The reader of its configuration, which raises a `ModelFolderError` where ours cannot represent it."""
    default_class: str
    """The class of a model whose configuration names none; of BERT and its like the name without the head."""
    exports: Mapping[type[Model], Export] = field(default_factory=dict)
    """The writers of our models, by their class; none: it is not written."""
    separators: int = 1
    """The number of end symbols between the texts of a pair, for models with labels."""
    any_frame: bool = False
    """Whether its tokenizer may put any symbols around a source."""


BY_HEAD = {"Bert", "Roberta", "DistilBert", "Electra", "Albert", "XLMRoberta", "Camembert", "ModernBert", "EuroBert"}
"""The default classes that the head gives its ending."""


HEADS_OF_TOKENS = (
    "cls.predictions.", "lm_head.", "vocab_transform.", "decoder.", "generator_predictions.", "predictions.",
)  # fmt: skip
"""The beginnings of the names of heads that predict tokens."""


def _bert(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    others = {bert.NEXT_SENTENCE: bert.next_sentence_blueprint, "BertLMHeadModel": bert_decoders.bert_blueprint}
    return others.get((config.get("architectures") or [""])[0], bert.blueprint)(config, tensors)


TYPES: dict[str, ModelType] = {
    "bert": ModelType(_bert, "Bert", {Encoder: bert.export, Decoder: bert_decoders.export_bert}),
    "roberta": ModelType(bert.blueprint, "Roberta", {Encoder: bert.export}, separators=2),
    "distilbert": ModelType(bert.blueprint, "DistilBert", {Encoder: bert.export}),
    "electra": ModelType(bert.blueprint, "Electra", {Encoder: bert.export}),
    "albert": ModelType(bert.blueprint, "Albert", {Encoder: bert.export}),
    "xlm-roberta": ModelType(bert.blueprint, "XLMRoberta", separators=2),
    "camembert": ModelType(bert.blueprint, "Camembert", separators=2),
    "modernbert": ModelType(later_encoders.modernbert, "ModernBert", {Encoder: later_encoders.export_modernbert}),
    "eurobert": ModelType(later_encoders.eurobert, "EuroBert", {Encoder: later_encoders.export_eurobert}),
    **{
        name: ModelType(gemma.blueprint, class_name, {Decoder: gemma.export})
        for name, class_name in gemma.NAMES.items()
    },
    **{name: ModelType(llama.blueprint, kind.name, {Decoder: llama.export}) for name, kind in llama.KINDS.items()},
    "opt": ModelType(older_decoders.opt, older_decoders.OPT),
    "bloom": ModelType(older_decoders.bloom, older_decoders.BLOOM),
    "gpt_neox": ModelType(older_decoders.gpt_neox, older_decoders.GPT_NEOX),
    "gpt2": ModelType(gpt2.blueprint, "GPT2LMHeadModel", {Decoder: gpt2.export}),
    "bert-generation": ModelType(
        bert_decoders.blueprint, "BertGenerationEncoder", dict.fromkeys((Encoder, Decoder), bert_decoders.export)
    ),
    "marian": ModelType(bart.blueprint, "MarianMTModel", {EncoderDecoder: bart.export}),
    "encoder-decoder": ModelType(
        bert_decoders.pair_blueprint, "EncoderDecoderModel", {EncoderDecoder: bert_decoders.export_pair}
    ),
    "bart": ModelType(
        bart.blueprint,
        bart.FAMILIES["bart"].architecture,
        {EncoderDecoder: bart.export, EncoderDecoderClassifier: bart.export_classifier},
        separators=2,
    ),
    **{
        name: ModelType(bart.blueprint, bart.FAMILIES[name].architecture, {EncoderDecoder: bart.export})
        for name in ("m2m_100", "mbart", "pegasus")
    },
    "t5": ModelType(t5.blueprint, "T5ForConditionalGeneration", {EncoderDecoder: t5.export}),
    "mt5": ModelType(t5.blueprint, "MT5ForConditionalGeneration"),
    t5gemma.TYPE: ModelType(t5gemma.blueprint, t5gemma.NAME, {EncoderDecoder: t5gemma.export}, any_frame=True),
    "umt5": ModelType(t5.blueprint, "UMT5ForConditionalGeneration", {EncoderDecoder: t5.export}),
}

LACKING = {
    "gemma3": ", which reads images, too; its text model, gemma3_text, can be read",
    "t5gemma2": ", which looks at source and target by one softmax",
}
"""The features that ours lacks, for types of models that many look for."""


def is_hugging_face(path: Path) -> bool:
    """Whether a folder is in this format."""
    return is_file(path / CONFIG) and "model_type" in read_json(path / CONFIG)


def read(folder: Path) -> ForeignModel:
    """A model of a `model_type` in `TYPES`, with its tokenizers.

    Raises:
        ModelFolderError: it cannot be represented, or a file is missing or damaged.
    """
    content = with_standard_names(read_json(folder / CONFIG), folder / CONFIG)
    generation = ForeignConfig(read_optional(folder / "generation_config.json"), folder / "generation_config.json")
    config = ForeignConfig(content, folder / CONFIG)
    config.overlay(generation, SYMBOLS)
    notes = generation_notes(content | generation.values) + first_end(config)
    model_type = config.require("model_type", str)
    if model_type not in TYPES:  # no hint with a similar name: bart is another model than mbart
        raise ModelFolderError(
            f"{config.where}: model_type must be one that Regard can represent; got {model_type!r}"
            f"{LACKING.get(model_type, '')}. Supported: {', '.join(sorted(TYPES))}."
        )
    tensors = _with_new_names(read_tensors(folder))
    if not content.get("architectures"):
        content["architectures"] = [_default_class(model_type, tensors)]
    known = TYPES[model_type]
    blueprint = known.blueprint(config, tensors)
    banned_ids, also = never_written(config)
    check_others(config, generation)
    symbols = blueprint.symbols
    if symbols.pad_id in {*symbols.source_begin_ids, *symbols.source_end_ids}:
        notes.append(
            f"pad_token_id {symbols.pad_id} is a symbol around a text, too: as padding, no other token attends to it"
        )
    symbols = symbols.model_copy(update={"banned_ids": sorted({*symbols.banned_ids, *banned_ids})})
    notes += also
    if content.get("position_embedding_type") in bert.RELATIVE:
        notes.append(bert.RELATIVE_NOTE)
    model, account = blueprint.build(tensors, where=str(folder))
    by_word = isinstance(model, Encoder) and model.config.task == "tag"
    num_ids = model.config.vocab_size
    if model_type in language_tokenizers.SPELLED:
        source = target = language_tokenizers.read_tokenizer(folder, symbols, config, num_ids=num_ids)
    else:
        source, target = read_tokenizers(folder, symbols, num_ids=num_ids, by_word=by_word, any_frame=known.any_frame)
    check_symbols(config.where, model.config, target, source, name=partial(name_of, config))
    if isinstance(model.config, LabelledConfig):
        pairs = {"pair_separators": known.separators, "separator_id": source.eos_id}
        model.config = model.config.model_copy(update=pairs)
    return ForeignModel(
        f"Hugging Face {model_type}",
        LoadedModel(model, target, source),
        account,
        blueprint.notes + notes,
        lambda path: TransformersReference(path, target.symbols, content["architectures"][0]),
        folder,
        blueprint.refs(model),
    )


def _with_new_names(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of checkpoints that came from TensorFlow: their norms have a gamma and a beta."""
    endings = {".gamma": ".weight", ".beta": ".bias"}
    return {
        next((name.removesuffix(old) + new for old, new in endings.items() if name.endswith(old)), name): tensor
        for name, tensor in tensors.items()
    }


def _default_class(model_type: str, tensors: Mapping[str, Tensor]) -> str:
    """The class of a model whose configuration does not name it."""
    name = TYPES[model_type].default_class
    if name not in BY_HEAD:
        return name
    return name + ("ForMaskedLM" if any(each.startswith(HEADS_OF_TOKENS) for each in tensors) else "Model")


def write(loaded: LoadedModel, output: Path, *, format: str) -> ForeignModel:
    """Write a model of ours as one of a `model_type`, into a folder.

    Raises:
        SettingsError: the `model_type` is for another family of models.
    """
    symbols, model = loaded.tokenizer.symbols, loaded.model
    if isinstance(model.config, LabelledConfig) and model.config.reads_pairs:
        bert.refuse(format, {"pair_separators": (model.config.pair_separators, TYPES[format].separators)})
    if format in language_tokenizers.RULES and isinstance(model, EncoderDecoder):
        if loaded.source_tokenizer is not loaded.tokenizer:
            raise ModelFolderError(f"source and target must have one tokenizer to be written as {format}; got two.")
        languages, directed = language_tokenizers.written_languages(loaded.tokenizer, format)
        config, tensors = _exported(model, directed, format)
        notes = language_tokenizers.write(
            output, loaded.tokenizer, format, languages, directed, vocab_size=model.config.vocab_size,
            max_positions=model.config.max_positions,
        )  # fmt: skip
    else:
        config, tensors = _exported(model, symbols, format)
        notes = _write_tokenizers(loaded, output, config.get("pad_token_id", -1), TYPES[format].separators)
    if config.get("position_embedding_type") in bert.RELATIVE:
        notes.append(bert.RELATIVE_NOTE)
    safetensors.torch.save_file(tensors, output / "model.safetensors", metadata={"format": "pt"})
    (output / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False), encoding="utf-8")
    if isinstance(model, EncoderDecoder | Decoder):
        keys = (*SYMBOLS, "forced_eos_token_id")
        generation: dict[str, Any] = {key: config[key] for key in keys if config.get(key) is not None}
        if symbols.banned_ids:  # transformers refuses an empty list
            generation["bad_words_ids"] = [[id] for id in symbols.banned_ids]
        (output / "generation_config.json").write_text(json.dumps(generation, indent=2), encoding="utf-8")
    account = Account([(name, name) for name in tensors])
    return ForeignModel(
        f"Hugging Face {format}",
        loaded,
        account,
        notes,
        lambda folder: TransformersReference(folder, symbols, config["architectures"][0]),
        output,
    )


def _write_tokenizers(loaded: LoadedModel, output: Path, pad_id: int, separators: int) -> list[str]:
    """Write the tokenizers of source and target. Returns notes for the user.

    Args:
        pad_id: what the model's shorter texts are filled up with.
        separators: how many end symbols stand between the texts of a pair, for encoders.
    """
    symbols, model = loaded.tokenizer.symbols, loaded.model
    frame, second_kind = None, 0
    if isinstance(model.config, LabelledConfig):
        frame = [symbols.bos_id], [symbols.eos_id]
        second_kind = int(separators == 1 and getattr(model.config, "num_segments", 0) > 1)
    elif isinstance(model, EncoderDecoder):
        frame = symbols.source_begin_ids, symbols.source_end_ids
    max_positions = model.config.max_positions
    is_one = loaded.source_tokenizer is loaded.tokenizer
    pad_id = pad_id if is_one else symbols.pad_id
    write_tokenizer(
        output, loaded.source_tokenizer, frame=frame, pad_id=pad_id, max_positions=max_positions, separators=separators,
        second_kind=second_kind,
    )  # fmt: skip
    if is_one:
        return []
    (output / "target").mkdir()
    write_tokenizer(output / "target", loaded.tokenizer, frame=None, pad_id=pad_id, max_positions=max_positions)
    return ["tokenizer.json is the source's; the target's is in the folder target"]


def _exported(model: Model, symbols: Symbols, format: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    export = TYPES[format].exports.get(type(model))
    if export is not None:
        config, tensors = export(model, symbols, format)
        return {"model_type": format, **config, "torch_dtype": "float32"}, tensors
    suitable = [name for name, known in TYPES.items() if type(model) in known.exports]
    suitable += ["ctranslate2"] if isinstance(model, EncoderDecoder) else []
    suitable += ["onnx"] if suitable else ["none of them"]
    raise SettingsError(
        f"a model of arch {model.config.arch} cannot be written as {format}. Supported formats: {', '.join(suitable)}."
    )
