"""The base of all pipelines: a loaded model, its tokenizer, and the commands that use them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from regard.arguments import checked
from regard.checkpoint import LoadedModel, check_output, save_new
from regard.engines.engine_choice import NATIVE, CompiledModels, check_engine
from regard.errors import SettingsError
from regard.inspection.html_report import facts_html
from regard.inspection.inspection import Inspection
from regard.inspection.lookup import Lookup, compute_row
from regard.inspection.record import HeadName
from regard.models.adaptation import merged
from regard.models.deviation import changed_call
from regard.models.interface import Model
from regard.pipelines.devices import resolve_device
from regard.text.tokenizer import Tokenizer

Own = TypeVar("Own", bound="Pipeline")
AnyModel = TypeVar("AnyModel", bound=Model)
MOST_LABELS = 8
"""Classes that are named in a notebook."""


class Pipeline(ABC):
    """A model in evaluation mode and its tokenizer, ready to use."""

    model: Model
    """The model. What a program changes in it is seen before it decodes again (docs/engines.md)."""
    _model: Model
    kind: str
    """The name of such a model in messages, with its article."""
    commands: Sequence[str]
    """The commands that use and measure such a model, `{}` being its folder."""

    _prepared: CompiledModels | None = None
    """The models as they decode; None: they do not."""

    def __init_subclass__(cls) -> None:
        """Have every public method check its arguments."""
        for name, method in list(vars(cls).items()):
            if isfunction(method) and not name.startswith("_"):
                setattr(cls, name, checked(method))

    def __init__(self, model: Model, tokenizer: Tokenizer) -> None:
        self._model = self.model = self._of_kind(model)
        self.tokenizer = tokenizer

    def _of_kind(self, model: AnyModel) -> AnyModel:
        """A model that this is for, in evaluation mode.

        Raises:
            SettingsError: it is of another kind.
        """
        if not self._takes(model):
            raise SettingsError(f"a {type(self).__name__} needs {self.kind}; got one of arch {model.config.arch}.")
        return model.eval()

    @classmethod
    def _takes(cls, model: Model) -> bool:
        """Whether a model is of the kind that this is for."""
        return isinstance(model, Model)

    if not TYPE_CHECKING:  # type checkers find misspelt attributes

        def __getattr__(self, name: str) -> Any:
            """The model, when a program asks for it for the first time: from then on, changes are looked for."""
            if name != "model" or "_model" not in vars(self):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if self._prepared is not None:
                self._prepared.is_watched = True
            self.model = self._model
            return self._model

    @classmethod
    def of(cls: type[Own], loaded: LoadedModel) -> Own:
        """The pipeline of a loaded model."""
        return cls(loaded.model, loaded.tokenizer)

    @abstractmethod
    def evaluate_files(
        self, data: Sequence[str | os.PathLike[str]], *, tell: Callable[[str], None] = lambda hint: None, **options: Any
    ) -> dict[str, Any]:
        """Every score of the model on some files, by name: what `regard evaluate` does.

        Args:
            data: as for training.
            tell: is called with advice on how to measure the data better.
        Raises:
            DataError: files that cannot be read as what the model needs.
            SettingsError: options that the model does not have, or a model whose scores are measured in training only.
        """

    @property
    def device(self) -> torch.device:
        """Where the model is, and computes."""
        return next(self._model.parameters()).device

    @checked
    def to(self: Own, device: str | torch.device) -> Own:
        """This pipeline itself, its models moved to a device: `auto`, `cpu`, `cuda`, as for `load`.

        Nothing may decode with it meanwhile. The type of the weights stays: `load(..., precision="bfloat16")` sets it.

        Raises:
            SettingsError: a device that this machine lacks, or an engine that was asked for and is not there.
        """
        on = resolve_device(str(device))
        for model in self._held():
            model.to(on)
        if self._prepared is not None:
            self._prepared.refresh()
            self._prepared.check()
        for pipeline in self._derived():
            pipeline.to(device)
        return self

    def _held(self) -> list[Model]:
        """All models that this computes with."""
        return [self._model]

    def _derived(self) -> Sequence[Pipeline]:
        """The pipelines that were made of this one: they are where it is, and decode with its engine."""
        return ()

    @property
    def engine(self) -> str:
        """The inference backend: `torch`, `native`, `native-bfloat16` or `native-int8` (docs/engines.md)."""
        return "torch" if self._prepared is None else self._prepared.engine

    @checked
    def use_engine(self, engine: str) -> None:
        """Decode with another engine from now on: `torch`, `native`, `native-bfloat16`, `native-int8`, or `auto`:
        native where it can be.

        Raises:
            SettingsError: an unknown engine, or a native one and a model or machine that cannot be run so.
        """
        check_engine(engine)
        if self._prepared is not None:
            self._prepared.use(engine)
            for pipeline in self._derived():
                pipeline.use_engine(engine)
        elif engine in NATIVE:
            raise SettingsError(
                f"engine={engine} is for models that write; got {self.kind}. Take engine=torch, or auto."
            )

    def refresh(self) -> None:
        """Take over all weights of the model anew. It is needed only after single numbers of a large tensor were written through
        `.data` or NumPy: every other change of the model is seen by itself (docs/engines.md).
        """
        if self._prepared is not None:
            self._prepared.refresh()

    @checked
    def save(self, folder: Path | str, *, overwrite: bool = False) -> None:
        """Write the model and its tokenizers to a model folder, whole or not at all, as after training of the user's own.

        A model that was read from another format is written in ours. An adapter is added to the weights. What a run or
        `regard evaluate --calibrate` has measured (`results.json`, `confidence.json`) is not written, because the weights may
        have changed since.

        Args:
            overwrite: whether a model that is at `folder` is replaced.
        Raises:
            ModelFolderError: there is something else at `folder`, or a model and `overwrite` is False; or it cannot be written.
            SettingsError: the models of an ensemble, or a model with hooks or replaced methods, which no folder holds.
        """
        if others := getattr(self, "others", ()):
            raise SettingsError(
                f"`save` needs one model; got an ensemble of {1 + len(others)}. Load and save each by itself."
            )
        if reason := changed_call(self._model):
            raise SettingsError(
                f"a model must be without changes by hand to be saved; got one in which {reason}. Take it off: no file holds it."
            )
        check_output(Path(folder), overwrite=overwrite)
        given = merged(self._model), self.tokenizer, getattr(self, "source_tokenizer", None)
        save_new(Path(folder), *given, dtype=self._model.weights_dtype)

    def _refuse(self, options: Mapping[str, Any]) -> None:
        """Make sure that no options are given where there are none.

        Raises:
            SettingsError: one is given.
        """
        if options:
            raise SettingsError(f"{', '.join(options)} must be left out: a {type(self).__name__} has no such options.")

    @abstractmethod
    def inspect(self, text: str, *, hidden_states: bool = False, norms: bool = False) -> Inspection:
        """The attention of every head while the model reads a text.

        Args:
            hidden_states: also every layer's states, and what each layer would predict.
            norms: how much of each token a head really moves, in place of its weights.
        """

    @checked
    def lookup(self, seen: Inspection, head: str, row: int) -> Lookup:
        """The computation of a row of a head's weights: query, keys, scores and softmax, in numbers.

            seen = translator.inspect("Two dogs play.")
            translator.lookup(seen, "cross.2.3", 0).scores

        Args:
            seen: an inspection by this model.
            row: from 0.
        Raises:
            SettingsError: a head or row that is not, an inspection by another kind of model, or a model in training mode.
        """
        name, arch = HeadName.parse(head), self._model.config.arch
        if seen.arch != arch:
            raise SettingsError(
                f"seen must be an inspection by this model, of arch {arch}; got one of arch {seen.arch}."
            )
        return compute_row(self._model, seen.read_ids, name, row, len(seen.rows(name.kind)))

    def __repr__(self) -> str:
        model, others = self._model, getattr(self, "others", ())
        num_parameters = sum(parameter.numel() for parameter in model.parameters())
        task = getattr(model.config, "task", "")
        dtype = str(next(model.parameters()).dtype).removeprefix("torch.")
        return (
            f"{type(self).__name__}({model.config.arch}{', ' if task else ''}{task}, {num_parameters:,} parameters, "
            f"vocabulary {len(self.tokenizer):,}, {dtype} on {self.device}"
            f"{f', and {len(others)} more models' if others else ''})"
        )

    def _repr_html_(self) -> str:
        """For notebooks: what the model is, and where."""
        return facts_html({type(self).__name__: self.kind, **self._facts()})

    def _facts(self) -> dict[str, str]:
        """The facts that a notebook shows, by name."""
        config, first = self._model.config, next(self._model.parameters())
        task, others = getattr(config, "task", ""), len(getattr(self, "others", ()))
        labels = ", ".join(self._model.class_names[:MOST_LABELS])
        more = len(self._model.class_names) - MOST_LABELS
        facts = {
            "family": f"{config.arch}{', ' if task else ''}{task}{f', and {others} more models' if others else ''}",
            "parameters": f"{sum(parameter.numel() for parameter in self._model.parameters()):,}",
            "vocabulary": f"{len(self.tokenizer):,} tokens",
            "longest text": f"{config.max_positions:,} tokens",
            "labels": f"{labels} and {more} more" if more > 0 else labels,
            "adapters": ", ".join(getattr(self, "adapters", ())),
            "weights": f"{str(first.dtype).removeprefix('torch.')} on {first.device}",
        }
        return {name: value for name, value in facts.items() if value}


def unwatched(pipeline: Own) -> Own:
    """The pipeline itself, whose model no program holds yet: it cannot change until somebody asks for it."""
    del pipeline.model
    if pipeline._prepared is not None:
        pipeline._prepared.is_watched = False
    return pipeline
