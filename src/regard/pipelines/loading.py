"""Any model folder, ready to use: a translator, a language model or a predictor, depending on its family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import torch

from regard.adapters import Adapter, adapt, read_adapter, weights_digest, with_adapter
from regard.arguments import checked
from regard.checkpoint import CONFIDENCE, LoadedModel, load_model
from regard.engines.engine_choice import check_engine
from regard.errors import ModelFolderError, SettingsError, check_known
from regard.evaluation.confidence import Confidence
from regard.interop.foreign import ForeignModel
from regard.interop.formats import is_foreign, read_foreign
from regard.interop.peft import is_peft, read_peft
from regard.models.interface import PairModel
from regard.pipelines.adapter_set import AdapterSet
from regard.pipelines.any_pipeline import AnyPipeline
from regard.pipelines.devices import resolve_device
from regard.pipelines.pipeline import Pipeline, unwatched
from regard.pipelines.pipeline_types import pipeline_type
from regard.pipelines.translator import Translator
from regard.training.precision import resolve_precision

PRECISIONS = ("float32", "bfloat16", "auto")
Kind = TypeVar("Kind", bound=Pipeline)


@overload
def load(
    path: Path | str, *, kind: type[Kind], device: str = "auto", precision: str = "float32",
    others: Sequence[Path | str] = (), adapter: Path | str | None = None,
    adapters: Mapping[str, Path | str] | None = None, engine: str = "auto",
) -> Kind: ...  # fmt: skip


@overload
def load(  # type: ignore[overload-overlap]
    path: Path | str, *, kind: None = None, device: str = "auto", precision: str = "float32",
    adapters: Mapping[str, Path | str], engine: str = "auto",
) -> Translator: ...  # fmt: skip


@overload
def load(
    path: Path | str, *, kind: None = None, device: str = "auto", precision: str = "float32",
    others: Sequence[Path | str] = (), adapter: Path | str | None = None,
    adapters: Mapping[str, Path | str] | None = None, engine: str = "auto",
) -> AnyPipeline: ...  # fmt: skip


@checked
def load(
    path: Path | str,
    *,
    kind: type[Pipeline] | None = None,
    device: str = "auto",
    precision: str = "float32",
    others: Sequence[Path | str] = (),
    adapter: Path | str | None = None,
    adapters: Mapping[str, Path | str] | None = None,
    engine: str = "auto",
) -> Any:
    """A model, ready to use: a `Translator`, a `LanguageModel` or a `Predictor`.

    Args:
        kind: what it must be, such as `regard.Translator`; None: it is what the folder says, and type checkers let it be used
            as any of the three.
        path: a model folder of ours, or one in a format that we read (Hugging Face, CTranslate2, Marian); or
            `hf:owner/name`, a model of the Hugging Face hub.
        device: `auto`, `cpu`, `cuda`.
        precision: `float32`, `bfloat16`, or `auto`, which is bfloat16 where the machine multiplies it faster.
        others: more models that turn one text into another, with the same tokenizers: an ensemble.
        adapter: an adapter of the model, which `train(..., rank=8)` or PEFT wrote; it is added to the weights.
        adapters: several, by names of your own, of a model that turns one text into another. `translate`
            takes the adapter of each text.
        engine: `torch`, `native`, `native-bfloat16`, `native-int8`, or `auto`: what computes while the model
            decodes (docs/engines.md).
    Raises:
        ModelFolderError: a folder that is missing, incomplete or damaged, a foreign model that we cannot represent, or an
            adapter of another model.
        SettingsError: a device that this machine lacks, models that do not make an ensemble, several adapters together with
            another argument or for another kind of model, an engine that cannot decode with this model, or a model of another
            kind than `kind`.
    """
    check_engine(engine)
    check_known("precision", precision, PRECISIONS, ", ".join(PRECISIONS))
    on = resolve_device(device)
    dtype = resolve_precision(precision, on)
    if adapters:
        if adapter is not None or others:
            raise SettingsError(
                "`adapters` needs one model, without `adapter` and `others`. Remove them, or `adapters`."
            )
        pipeline: Pipeline = _with_adapters(path, adapters, on, dtype)
    else:
        parts = load_any(path) if adapter is None else _adapted(path, adapter)
        pipeline = _pipeline(parts, path if adapter is None else adapter, on, dtype)
        pipeline = _ensemble(path, others, pipeline, dtype) if others else pipeline
    if kind is not None and not isinstance(pipeline, kind):
        raise SettingsError(
            f"kind must be {type(pipeline).__name__}, which {path} holds; got {kind.__name__}. Or leave it out."
        )
    pipeline.use_engine(engine)
    return pipeline if others or adapters else unwatched(pipeline)


def load_with_adapters(
    path: Path | str,
    adapters: Mapping[str, Path],
    *,
    device: str = "auto",
    precision: str = "float32",
    engine: str = "auto",
) -> tuple[Pipeline, dict[str, Pipeline]]:
    """A model, with those of some adapters that belong to it.

    A model that turns one text into another has them. Of another, the second result is the model with
    each of them, by name. What is not adapted is in memory once.

    Raises:
        ModelFolderError: as for `load`.
    """
    on = resolve_device(device)
    dtype = resolve_precision(precision, on)
    parts = load_any(path)
    parts.model.to(on)
    found = {name: read_adapter(folder) for name, folder in adapters.items()}
    sha256 = weights_digest(parts.model) if found else ""
    own = {name: each for name, each in found.items() if each.base is None or each.base.sha256 == sha256}
    if own and issubclass(pipeline_type(parts.model.config), Translator):
        translator = _adapted_translator(path, parts, own, sha256, on, dtype)
        translator.use_engine(engine)
        return translator, {}
    adapted = {name: with_adapter(parts, adapter, sha256) for name, adapter in own.items()}
    pipelines = {name: _pipeline(each, adapters[name], on, dtype) for name, each in adapted.items()}
    base = _pipeline(parts, path, on, dtype)
    for pipeline in (base, *pipelines.values()):
        pipeline.use_engine(engine)
    return base if pipelines else unwatched(
        base
    ), pipelines  # who changes one of them changes what it shares with the base


def _with_adapters(
    path: Path | str, adapters: Mapping[str, Path | str], device: torch.device, dtype: torch.dtype
) -> Translator:
    """A model with several adapters, of our format or of PEFT's.

    Raises:
        ModelFolderError: one does not belong to the model, or cannot be read.
        SettingsError: the model does not turn one text into another.
    """
    foreign = read_foreign(path) if is_foreign(path) else None
    parts = load_model(path) if foreign is None else foreign.loaded
    if not issubclass(pipeline_type(parts.model.config), Translator):
        raise SettingsError(
            f"`adapters` needs a model that turns one text into another; {path} does not. Load it with one `adapter`."
        )
    found = {name: _read(folder, path, foreign) for name, folder in adapters.items()}
    return _adapted_translator(path, parts, found, weights_digest(parts.model), device, dtype)


def _adapted_translator(
    path: Path | str,
    parts: LoadedModel,
    adapters: Mapping[str, Adapter],
    sha256: str,
    device: torch.device,
    dtype: torch.dtype,
) -> Translator:
    if (name := next((name for name, each in adapters.items() if each.whole), None)) is not None:
        raise SettingsError(
            f"adapters that share batches must be updates of linear maps alone; {name} has parts of its own, such as "
            "embeddings (`adapter.whole`). Make a model of it: `regard average MODEL --adapter ADAPTER -o NEW`."
        )
    parts.model.to(device, dtype)
    models = {name: cast("PairModel", adapt(parts, each, sha256)) for name, each in adapters.items()}
    folders = {name: each.weights.parent for name, each in adapters.items()}
    confidences = {name: Confidence.read(folder / CONFIDENCE) for name, folder in folders.items()}
    translator = Translator(
        cast("PairModel", parts.model),
        parts.tokenizer,
        parts.source_tokenizer,
        adapters=AdapterSet(models, confidences),
    )
    translator.confidence = Confidence.read(Path(path) / CONFIDENCE)
    return translator


def _pipeline(parts: LoadedModel, path: Path | str, device: torch.device, dtype: torch.dtype) -> Pipeline:
    """A loaded model, ready to use; what is known of its confidence is in the folder `path`."""
    parts.model.to(device, dtype)
    pipeline = pipeline_type(parts.model.config).of(parts)
    if isinstance(pipeline, Translator):
        pipeline.confidence = Confidence.read(Path(path) / CONFIDENCE)
    return pipeline


def _ensemble(path: Path | str, others: Sequence[Path | str], first: Pipeline, dtype: torch.dtype) -> Translator:
    """A translator of several models."""
    models = []
    for name in (path, *others):
        pipeline = first if name is path else pipeline_type((parts := load_any(name)).model.config).of(parts)
        if not isinstance(pipeline, Translator):
            raise SettingsError(f"an ensemble needs models that turn one text into another; {name} does not.")
        models.append(pipeline)
    translator = models[0]
    for name, other in zip(others, models[1:], strict=True):
        if any(
            (theirs.identity, theirs.languages) != (ours.identity, ours.languages)
            for theirs, ours in (
                (other.tokenizer, translator.tokenizer),
                (other.source_tokenizer, translator.source_tokenizer),
            )
        ):
            raise SettingsError(
                f"models of an ensemble must have one tokenizer; got another one in {name} than in {path}. "
                "Train them on the same files, `--valid` included, with the same tokenizer settings."
            )
    rest = [other.model.to(translator.device, dtype) for other in models[1:]]
    return Translator(translator.model, translator.tokenizer, translator.source_tokenizer, rest)


def _adapted(path: Path | str, adapter: Path | str) -> LoadedModel:
    """A model with an adapter of our format, or of PEFT's, added to its weights. The errors are those of `_read`."""
    foreign = read_foreign(path) if is_foreign(path) else None
    return with_adapter(load_model(path) if foreign is None else foreign.loaded, _read(adapter, path, foreign))


def _read(adapter: Path | str, path: Path | str, foreign: ForeignModel | None) -> Adapter:
    """An adapter of our format, or of PEFT's, for the model at a path.

    Raises:
        ModelFolderError: it cannot be read, or is not for models of this format.
    """
    if not is_peft(adapter):
        return read_adapter(adapter)
    if foreign is None or not foreign.refs:
        raise ModelFolderError(
            f"{adapter} is in PEFT's format, and needs its model in Hugging Face's format; {path} is in another one. "
            "Convert the adapter with `regard convert`."
        )
    return read_peft(adapter, foreign)


def load_any(path: Path | str) -> LoadedModel:
    """The parts of a model, of ours or of a foreign one, on the CPU.

    Raises:
        ModelFolderError: as for `load`.
    """
    return read_foreign(path).loaded if is_foreign(path) else load_model(path)


def load_as(
    path: Path | str,
    kind: type[Kind],
    *,
    device: str = "auto",
    precision: str = "float32",
    others: Sequence[Path | str] = (),
    adapter: Path | str | None = None,
    engine: str = "auto",
) -> Kind:
    """The model of a folder, which must be of one kind.

    Raises:
        SettingsError: it is of another kind; the message names the command that it is for.
    """
    loaded = load(path, device=device, precision=precision, others=others, adapter=adapter, engine=engine)
    if not isinstance(loaded, kind):
        needed, use = kind.commands[0].partition(" ")[0], loaded.commands[0].format(path)
        raise SettingsError(
            f"`regard {needed}` needs {kind.kind}; {path} is {loaded.kind} (arch {loaded.model.config.arch}). "
            f"Use `regard {use}`."
        )
    return loaded
