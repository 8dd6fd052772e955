"""All formats: recognition of a folder's format, reading, and writing of our models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regard.arguments import checked
from regard.checkpoint import CONFIG, LoadedModel, aside, check_output
from regard.errors import ModelFolderError, RegardError, SettingsError, first_problem, missing_hint, nearest_hint
from regard.foreign_files import find_folder, is_hub_name
from regard.interop import argos, marian, onnx
from regard.interop.argos import ARGOS
from regard.interop.ctranslate2.layout import MODEL
from regard.interop.ctranslate2.reader import read as read_ctranslate2
from regard.interop.ctranslate2.writer import write as write_ctranslate2
from regard.interop.foreign import ForeignModel
from regard.interop.hugging_face import bert, gemma, llama, t5gemma
from regard.interop.hugging_face import folder as hugging_face
from regard.interop.marian_binary import is_binary
from regard.models.config import TEXT_TASKS
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import Model
from regard.models.registry import unpruned
from regard.names import exists, is_file, is_folder
from regard.text.file_changes import TRIES, read_unchanged
from regard.tokenizer_formats import language_tokenizers

ENDINGS = {argos.ENDING, ".json", ".safetensors", ".bin", ".npz", ".model", ".spm", ".yml", ".yaml", ".txt", ".gz"}
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


def read_foreign(name: Path | str) -> ForeignModel:
    """Read a model in another format, as ours.

    Args:
        name: a folder in Hugging Face's format or CTranslate2's, a Marian `.npz` or `.bin` or the folder of one, an Argos
            package, or `hf:owner/name` on the Hugging Face hub.
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
        raise ModelFolderError(f"{path}: {first_problem(error)}") from error
    except ModelFolderError as error:
        if str(path) in str(error):
            raise
        raise ModelFolderError(f"{path}: {error}") from error
    except RegardError as error:
        raise ModelFolderError(f"{path}: {error}") from error
    except Exception as error:  # foreign files can be wrong in more ways than can be listed
        raise ModelFolderError(
            f"{path} must be a whole model in a format that Regard reads; got {type(error).__name__}: {error}."
        ) from error
    what = "a model" if exists(path) else "an existing folder"
    hint = "" if exists(path) else missing_hint(path)
    raise ModelFolderError(
        f"{path} must be {what}: Hugging Face's with config.json, CTranslate2's with model.bin, Marian's "
        f".npz or .bin, or an .argosmodel.{hint}"
    )


def _model_files(path: Path) -> list[Path]:
    """Paths of the files of a model; others, such as logs, may change."""
    beside = path.iterdir() if is_folder(path) else (path, *path.parent.iterdir()) if path.parent.is_dir() else (path,)
    return sorted(file for file in beside if file.suffix in ENDINGS or file == path)


def _is_marian(path: Path) -> bool:
    return not is_file(path / CONFIG) and marian.model_file(path) is not None


def _read_marian(path: Path) -> ForeignModel:
    file = marian.model_file(path)
    assert file is not None
    return marian.read(file)


HUGGING_FACE = Format("Hugging Face", hugging_face.is_hugging_face, hugging_face.read)
READ = [
    Format("Argos", argos.is_argos, argos.read),
    Format("CTranslate2", lambda path: is_file(path / MODEL) and not is_binary(path / MODEL), read_ctranslate2),
    Format("Marian", _is_marian, _read_marian),
    HUGGING_FACE,
]
"""The formats that are read, in the order in which they are tried."""
WRITE: dict[str, Callable[[LoadedModel, Path], ForeignModel]] = {
    **{name: partial(hugging_face.write, format=name) for name, known in hugging_face.TYPES.items() if known.exports},
    "ctranslate2": write_ctranslate2,
    "marian-npz": marian.write,
    "onnx": onnx.write,
}
"""The writers of formats, by name."""
FORMATS = (*WRITE, ARGOS)
"""The formats that can be written."""
LANGUAGES_KEPT = (*language_tokenizers.RULES, "ctranslate2", "onnx")
"""The formats that models of several languages can be written in."""
GEMMAS = (*gemma.NAMES, t5gemma.TYPE)
"""The formats of scores and logits that are bounded."""
LATER_ENCODERS = ("modernbert", "eurobert")
"""The formats of encoders whose layers are not BERT's."""
EIGHT_BITS = "regard-int8"
"""The name of our own format with matrices of 8 bits."""


def write_foreign(
    loaded: LoadedModel,
    output: Path,
    format: str,
    *,
    plan: argos.Plan | None = None,
    accept: Callable[[ForeignModel], None] = lambda written: None,
) -> ForeignModel:
    """Write a model of ours in another format, into a new folder, or an Argos package; whole or not at all.

    Args:
        format: one of `FORMATS`.
        plan: the languages of an Argos package.
        accept: checks the written model before it is renamed into place; if it raises, nothing is left behind.
    Raises:
        SettingsError: an unknown format, or one for another family of models.
        ModelFolderError: the format cannot represent this model, or the folder cannot be written.
    """
    if format not in FORMATS:
        hint = nearest_hint(format, (EIGHT_BITS, *FORMATS))
        raise SettingsError(f"format must be one that Regard writes; got {format!r}. {hint}")
    check_output(output, overwrite=False)
    past = loaded.model.config.decoder_past if isinstance(loaded.model, EncoderDecoder) else "self_attention"
    if past != "self_attention" and format != "marian-npz":
        raise ModelFolderError(
            f"decoder_past must be self_attention to be written as {format}; got {past}. Only models read from Marian's "
            "files can be written, as marian-npz."
        )
    if format != "onnx":
        bert.refuse(format, _ours_alone(loaded.model, format))
    if loaded.source_tokenizer.symbols.language_ids and format not in LANGUAGES_KEPT:
        raise ModelFolderError(
            f"a model of several languages, or one direction of it, cannot be written as {format}, which does not keep where "
            f"the tokens of languages stand. Formats that do: {', '.join(LANGUAGES_KEPT)}."
        )
    if format == ARGOS and output.suffix != argos.ENDING:
        raise SettingsError(f"the name of an Argos package must end in {argos.ENDING}; got {output.name}.")
    loaded = loaded._replace(model=unpruned(loaded.model))  # other formats have as many heads in every layer
    with aside(output) as new:
        written = (
            WRITE[format](loaded, new) if format != ARGOS else argos.write(loaded, new, plan or argos.Plan.of(None))
        )
        accept(written)
        if format == ARGOS:
            argos.pack(new)
    return written.at(output)


def _ours_alone(model: Model, format: str) -> dict[str, tuple[Any, Any]]:
    """Settings that no format but ours and ONNX has, or only those that check them: the value of a model, and the value that it
    must have to be written.
    """
    config: Any = model.config
    wanted: dict[str, tuple[Any, Any]] = {}
    if hasattr(config, "value_head_dim"):
        wanted["value_head_dim"] = config.value_head_dim or config.head_dim, config.head_dim
    if format in LATER_ENCODERS and isinstance(model, Encoder):
        return wanted | {
            "score_cap": (config.score_cap, None),
            "embedding_dim": (config.embedding_dim, None),
            "weights_from": (config.weights_from, []),
        }
    if hasattr(config, "value_head_dim") and format not in (*llama.KINDS, *GEMMAS):
        wanted["attention_output_bias"] = config.has_attention_output_bias, config.bias
        wanted["feed_forward_bias"] = config.feed_forward_bias in (None, config.bias), True
        wanted["query_key_norm"] = config.query_key_norm, False
        wanted["windows"] = config.windows, []
    if hasattr(config, "value_head_dim"):
        wanted["norm_bias"] = config.norm_bias or config.norm_kind != "layer", True
        if format != "gemma3_text":
            wanted["local_rotary_base"] = config.local_rotary_base, None
        if format not in GEMMAS or format == "gemma3_text":
            wanted["score_cap"] = config.score_cap, None
    if isinstance(model, EncoderDecoder) and format not in GEMMAS:
        wanted["encoder_windows"] = config.windows_of("encoder"), []
    if format not in GEMMAS:
        wanted["logit_cap"] = getattr(config, "logit_cap", None), None
    if isinstance(model, Encoder):
        usual = "norm" if config.task == "mlm" else "dense" if config.task in TEXT_TASKS else "none"
        wanted["first_norm"] = config.first_norm, True
        wanted["head_transform"] = config.head_transform or usual, usual
        wanted["pooling"] = config.pooling, "first"
        if format not in ("electra", "albert"):
            wanted["embedding_dim"] = config.embedding_dim, None
        if format != "albert":
            wanted["weights_from"] = config.weights_from, []
    if isinstance(model, Decoder):
        wanted["scale_embeddings"] = config.scale_embeddings, format in gemma.NAMES
        wanted["cross_attention"] = config.cross_attention, False
        wanted["parallel_residual"] = config.parallel_residual, False
        wanted["output_transform"] = config.output_transform, format == "bert"
    return wanted
