"""All formats: recognition of a folder's format, reading, and writing of our models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import safetensors.torch
from pydantic import ValidationError
from torch import Tensor

from regard.arguments import checked
from regard.checkpoint import CONFIG, LoadedModel, aside, check_output, check_symbols
from regard.errors import ModelFolderError, RegardError, SettingsError, hub_hint, nearest_hint
from regard.interop import marian, onnx
from regard.interop.ctranslate2.layout import MODEL
from regard.interop.ctranslate2.reader import read as read_ctranslate2
from regard.interop.ctranslate2.writer import write as write_ctranslate2
from regard.interop.files import ForeignConfig, find_folder, is_hub_name, read_json, read_optional, read_tensors
from regard.interop.foreign import Blueprint, ForeignModel
from regard.interop.foreign_tokenizers import read_tokenizers, write_tokenizer
from regard.interop.hugging_face import bart, bert, bert_decoder, bert_generation, gpt2, t5
from regard.interop.hugging_face.reference import TransformersReference
from regard.interop.hugging_face.settings import (
    SYMBOLS,
    check_others,
    generation_notes,
    never_written,
    with_standard_names,
)
from regard.interop.mapping import Account
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import Model
from regard.models.registry import unpruned
from regard.names import exists, is_file, is_folder
from regard.text.file_changes import TRIES, read_unchanged
from regard.text.tokenizer import Symbols

BLUEPRINTS: dict[str, Callable[[ForeignConfig, Mapping[str, Tensor]], Blueprint]] = {
    "bert": lambda config, tensors: (bert_decoder if bert_decoder.is_decoder(config) else bert).blueprint(
        config, tensors
    ),
    "roberta": bert.blueprint,
    "distilbert": bert.blueprint,
    **dict.fromkeys(bert.SAME_SHAPE, bert.blueprint),
    "gpt2": gpt2.blueprint,
    "bert-generation": bert_generation.blueprint,
    "encoder-decoder": bert_generation.pair_blueprint,
    "marian": bart.blueprint,
    "bart": bart.blueprint,
    "t5": t5.blueprint,
}
"""The reader of each `model_type` of Hugging Face."""
DEFAULT_CLASSES = {
    "gpt2": "GPT2LMHeadModel", "marian": "MarianMTModel", "bart": "BartForConditionalGeneration",
    "t5": "T5ForConditionalGeneration", "bert-generation": "BertGenerationEncoder", "encoder-decoder": "EncoderDecoderModel",
}  # fmt: skip
FORMATS = (
    "bert",
    "roberta",
    "distilbert",
    "gpt2",
    "bert-generation",
    "encoder-decoder",
    "marian",
    "ctranslate2",
    "onnx",
)
"""The formats that can be written."""


ENDINGS = {".json", ".safetensors", ".bin", ".npz", ".model", ".spm", ".yml", ".yaml", ".txt"}
"""The endings of the names of files that models consist of."""


@dataclass(frozen=True)
class Format:
    """A format that models are read from."""

    name: str
    matches: Callable[[Path], bool]
    """Whether a file or folder is in this format."""
    read: Callable[[Path], ForeignModel]
    """A function that reads the model; it may raise anything."""


@checked
def add_format(format: Format) -> None:
    """Let `load`, `convert` and all commands read a format of your own. It is tried before those that were there.

    Raises:
        SettingsError: there is another format of this name.
    """
    for known in READ:
        if known.name == format.name and known != format:
            raise SettingsError(f"a format must have a new name; got {format.name}.")
    if format not in READ:
        READ.insert(0, format)


def is_foreign(path: Path | str) -> bool:
    """Whether something is not a model folder of ours: another format, or a model of the hub."""
    return is_hub_name(path) or _format_of(Path(path)) is not None


def _format_of(path: Path) -> Format | None:
    return next((format for format in READ if format.matches(path)), None)


def _is_hugging_face(path: Path) -> bool:
    return is_file(path / CONFIG) and "model_type" in read_json(path / CONFIG)


def read_foreign(name: Path | str) -> ForeignModel:
    """Read a model in another format, as ours.

    Args:
        name: a folder in Hugging Face's format or CTranslate2's, a Marian `.npz` or the folder of one, or `hf:owner/name`
            on the Hugging Face hub.
    Raises:
        ModelFolderError: it cannot be found, read or represented.
    """
    path = find_folder(name)
    format = _format_of(path)
    if format is None and is_file(path / CONFIG):
        format = HUGGING_FACE  # which says what its config.json lacks
    try:
        if format is not None:
            read = format.read
            changed = ModelFolderError(
                f"{path} must not change while it is read; it did, {TRIES} times. Load it again later."
            )
            return read_unchanged(_model_files(path), lambda: read(path), changed)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the configuration"
        raise ModelFolderError(f"{path}: {key}: {first['msg']}; got {first['input']!r}.") from error
    except RegardError:
        raise
    except Exception as error:  # foreign files can be wrong in more ways than can be listed
        raise ModelFolderError(
            f"{path} must be a whole model in a format that Regard reads; got {type(error).__name__}: {error}."
        ) from error
    what = "a model" if exists(path) else "an existing folder"
    hint = "" if exists(path) else hub_hint(path)
    raise ModelFolderError(
        f"{path} must be {what}: Hugging Face's with config.json, CTranslate2's with model.bin, or Marian's .npz.{hint}"
    )


def _model_files(path: Path) -> list[Path]:
    """Paths of the files of a model; others, such as logs, may change."""
    beside = path.iterdir() if is_folder(path) else (path, *path.parent.iterdir()) if path.parent.is_dir() else (path,)
    return sorted(file for file in beside if file.suffix in ENDINGS)


def _npz(path: Path) -> Path | None:
    if path.suffix == ".npz" and is_file(path):
        return path
    found = sorted(path.glob("*.npz")) if is_folder(path) else []
    return found[0] if len(found) == 1 else None


def _read_marian(path: Path) -> ForeignModel:
    npz = _npz(path)
    assert npz is not None
    return marian.read(npz)


def _read_hugging_face(folder: Path) -> ForeignModel:
    content = with_standard_names(read_json(folder / CONFIG), folder / CONFIG)
    generation = ForeignConfig(read_optional(folder / "generation_config.json"), folder / "generation_config.json")
    content |= {key: generation.values[key] for key in SYMBOLS if generation.values.get(key) is not None}
    notes = generation_notes(content | generation.values)
    if isinstance(content.get("eos_token_id"), list):
        content["eos_token_id"] = content["eos_token_id"][0]
        notes.append(f"of several end symbols the first ends a text: {content['eos_token_id']}")
    config = ForeignConfig(content, folder / CONFIG)
    model_type = config.require("model_type", str)
    if model_type not in BLUEPRINTS:  # no hint with a similar name: bart is another model than mbart
        raise ModelFolderError(
            f"{config.where}: model_type must be one that Regard can represent; got {model_type!r}. Supported: "
            f"{', '.join(sorted(BLUEPRINTS))}."
        )
    tensors = _with_new_names(read_tensors(folder))
    if not content.get("architectures"):
        content["architectures"] = [_default_class(model_type, tensors)]
    blueprint = BLUEPRINTS[model_type](config, tensors)
    banned_ids, also = never_written(config)
    check_others(config, generation)
    symbols = blueprint.symbols
    if symbols.pad_id in {*symbols.source_begin_ids, *symbols.source_end_ids}:
        notes.append(
            f"pad_token_id {symbols.pad_id} is a symbol around a text, too: as padding, no other token attends to it"
        )
    symbols = symbols.model_copy(update={"banned_ids": sorted({*symbols.banned_ids, *banned_ids})})
    notes += also
    model, account = blueprint.build(tensors, where=str(folder))
    by_word = isinstance(model, Encoder) and model.config.task == "tag"
    source, target = read_tokenizers(folder, symbols, num_ids=model.config.vocab_size, by_word=by_word)
    check_symbols(config.where, model.config, target, source)
    return ForeignModel(
        f"Hugging Face {model_type}",
        LoadedModel(model, target, source),
        account,
        blueprint.notes + notes,
        lambda path: TransformersReference(path, target.symbols, content["architectures"][0]),
        folder,
        blueprint.refs(model),
    )


HUGGING_FACE = Format("Hugging Face", _is_hugging_face, _read_hugging_face)
READ = [
    Format("CTranslate2", lambda path: is_file(path / MODEL), read_ctranslate2),
    Format("Marian", lambda path: not is_file(path / CONFIG) and _npz(path) is not None, _read_marian),
    HUGGING_FACE,
]
"""The formats that are read, in the order in which they are tried."""


def _with_new_names(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of checkpoints that came from TensorFlow: their norms have a gamma and a beta."""
    endings = {".gamma": ".weight", ".beta": ".bias"}
    return {
        next((name.removesuffix(old) + new for old, new in endings.items() if name.endswith(old)), name): tensor
        for name, tensor in tensors.items()
    }


def _default_class(model_type: str, tensors: Mapping[str, Tensor]) -> str:
    """The class of a model whose configuration does not name it."""
    if model_type in DEFAULT_CLASSES:
        return DEFAULT_CLASSES[model_type]
    predicts = any(name.startswith(("cls.predictions.", "lm_head.", "vocab_transform.")) for name in tensors)
    family = {"bert": "Bert", "roberta": "Roberta", "distilbert": "DistilBert", "xlm-roberta": "XLMRoberta",
              "camembert": "Camembert"}[model_type]  # fmt: skip
    return family + ("ForMaskedLM" if predicts else "Model")


def write_foreign(
    loaded: LoadedModel, output: Path, format: str, *, accept: Callable[[ForeignModel], None] = lambda written: None
) -> ForeignModel:
    """Write a model of ours in another format, into a new folder, whole or not at all.

    Args:
        format: one of `FORMATS`.
        accept: checks the written model before it is renamed into place; if it raises, nothing is left behind.
    Raises:
        SettingsError: an unknown format, or one for another family of models.
        ModelFolderError: the format cannot represent this model, or the folder cannot be written.
    """
    if format not in FORMATS:
        raise SettingsError(f"format must be one that Regard writes; got {format!r}. {nearest_hint(format, FORMATS)}")
    check_output(output, overwrite=False)
    writers = {"ctranslate2": write_ctranslate2, "onnx": onnx.write}
    write = writers.get(format, partial(_write_hugging_face, format=format))
    if format != "onnx":
        bert.refuse(format, _ours_alone(loaded.model, format))
    loaded = loaded._replace(model=unpruned(loaded.model))  # other formats have as many heads in every layer
    with aside(output) as new:
        written = write(loaded, new)
        accept(written)
    return written.at(output)


def _ours_alone(model: Model, format: str) -> dict[str, tuple[Any, Any]]:
    """Settings that no format but ours and ONNX has: the value of a model, and the value that it must have to be
    written.
    """
    config: Any = model.config
    wanted: dict[str, tuple[Any, Any]] = {}
    if hasattr(config, "value_head_dim"):
        wanted["value_head_dim"] = config.value_head_dim or config.head_dim, config.head_dim
        has_bias = config.bias if config.attention_output_bias is None else config.attention_output_bias
        wanted["attention_output_bias"] = has_bias, config.bias
    if isinstance(model, Decoder):
        wanted["cross_attention"] = config.cross_attention, False
        wanted["output_transform"] = config.output_transform, format == "bert"
    return wanted


def _write_hugging_face(loaded: LoadedModel, output: Path, *, format: str) -> ForeignModel:
    symbols, model = loaded.tokenizer.symbols, loaded.model
    config, tensors = _exported(model, symbols, format)
    frame = None
    if isinstance(model, Encoder):
        frame = [symbols.bos_id], [symbols.eos_id]
    elif isinstance(model, EncoderDecoder):
        frame = symbols.source_begin_ids, symbols.source_end_ids
    max_positions = model.config.max_positions
    write_tokenizer(output, loaded.source_tokenizer, frame=frame, max_positions=max_positions)
    notes = []
    if loaded.source_tokenizer is not loaded.tokenizer:
        (output / "target").mkdir()
        write_tokenizer(output / "target", loaded.tokenizer, frame=None, max_positions=max_positions)
        notes.append("tokenizer.json is the source's; the target's is in the folder target")
    safetensors.torch.save_file(tensors, output / "model.safetensors", metadata={"format": "pt"})
    (output / "config.json").write_text(json.dumps(config, indent=2, ensure_ascii=False), encoding="utf-8")
    if isinstance(model, EncoderDecoder | Decoder):
        keys = (*SYMBOLS, "forced_eos_token_id")
        generation = {key: config[key] for key in keys if config.get(key) not in (None, [])}
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


def _exported(model: Model, symbols: Symbols, format: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    if format in bert.STYLES and isinstance(model, Encoder):
        return bert.export(model, symbols, format)
    if format == "bert" and isinstance(model, Decoder):
        return bert_decoder.export(model, symbols)
    if format == "gpt2" and isinstance(model, Decoder):
        return gpt2.export(model, symbols)
    if format == "bert-generation" and isinstance(model, Encoder | Decoder):
        return bert_generation.export(model, symbols)
    if format == "encoder-decoder" and isinstance(model, EncoderDecoder):
        return bert_generation.export_pair(model, symbols)
    if format == "marian" and isinstance(model, EncoderDecoder):
        return bart.export(model, symbols)
    suitable = {
        "encoder-decoder": "marian, encoder-decoder, ctranslate2, onnx",
        "decoder": "gpt2, bert, bert-generation, onnx",
        "encoder": "bert, roberta, distilbert, bert-generation, onnx",
        "rnn": "none",
    }.get(model.config.arch, "none of them")
    raise SettingsError(
        f"a model of arch {model.config.arch} cannot be written as {format}. Supported formats: {suitable}."
    )
