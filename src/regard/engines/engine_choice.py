"""The choice of the engine that decodes with a model, and models compiled for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from regard.compiled.library import Library, find
from regard.engines.model_changes import Snapshot
from regard.engines.native_model import NativeModel
from regard.engines.native_recurrent import NativeRecurrent, unsupported_in_recurrent
from regard.engines.native_transformer import NativeTransformer, unsupported_in_transformer
from regard.engines.packed import is_divided, manual_change, packed
from regard.engines.shapes import misfit
from regard.errors import SettingsError, nearest_hint
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import check_not_training
from regard.models.recurrent import Recurrent

NATIVE = {"native": torch.float32, "native-bfloat16": torch.bfloat16, "native-int8": torch.int8}
"""The type that the layers in C store weights in, by the name of the engine."""
ENGINE_OF = {dtype: engine for engine, dtype in NATIVE.items()}
MOST_NATIVE_WORKERS = 8
"""The number of batches decoded side by side in C for which there is time for Python between steps."""
ENGINES = ("auto", "torch", *NATIVE)


def check_engine(engine: str) -> None:
    """Make sure that there is an engine of this name.

    Raises:
        SettingsError: there is none.
    """
    if engine not in ENGINES:
        hint = nearest_hint(engine, ENGINES)
        if engine == "ctranslate2":
            hint = "`regard convert MODEL --to ctranslate2` writes a model for it."
        raise SettingsError(f"engine must be {', '.join(ENGINES)}; got {engine!r}. {hint}")


def explain_engine(model: Any) -> str:
    """A sentence for people: the engine that decodes with a model by default, and the reason."""
    reason = unsupported_reason(model)
    return f"torch, as {reason}" if reason else f"{ENGINE_OF[model.weights_dtype]}, {find().reason}"


def compile_model(model: Any, engine: str = "auto") -> Any:
    """Compile a model for an engine.

    Args:
        engine: `torch`; `native`, layers in C; `native-bfloat16` and `native-int8`, the same with weights stored in 16 and 8
            bits; or `auto`: native where it can be, with bytes if the model's file holds bytes (docs/engines.md).
    Raises:
        SettingsError: an unknown engine, or a native one and a model or machine that cannot be run so.
    """
    check_engine(engine)
    reason = "it was not asked for" if engine == "torch" else unsupported_reason(model)
    if engine in NATIVE and reason:
        raise SettingsError(f"engine={engine} cannot decode with this model: {reason}. Take engine=torch, or auto.")
    library = find().library
    if reason or library is None:
        return packed(model)
    return native_model(model, library, NATIVE.get(engine, model.weights_dtype))


def native_model(model: Any, library: Library, dtype: torch.dtype = torch.float32) -> NativeModel:
    """A model that runs in C, of one that `unsupported_reason` finds nothing in.

    Args:
        dtype: of the stored weights of linear maps, as for `NativeLinear`.
    """
    return (NativeRecurrent if type(model) is Recurrent else NativeTransformer)(model, library, dtype)


def unsupported_reason(model: Any) -> str:
    """The reason why a model cannot run in C here, for people; empty: it can."""
    parameters = list(model.parameters())
    if is_divided(model):
        return "the model is divided among processes"
    if any(each.device.type != "cpu" for each in parameters):
        return "the model is not on a CPU"
    if any(each.dtype != torch.float32 for each in parameters):
        return "the model is not in float32"
    if type(model) not in (EncoderDecoder, Decoder, Recurrent):
        return f"models of arch {model.config.arch} are not written in C"
    if reason := manual_change(model):
        return reason
    is_recurrent = type(model) is Recurrent
    if reason := (unsupported_in_recurrent if is_recurrent else unsupported_in_transformer)(model):
        return reason
    if part := misfit(model):
        return f"the shapes of {part} do not fit those of the rest"
    found = find()
    return "" if found.library is not None else f"the library is {found.reason}"


def check_finite(models: Sequence[Any]) -> None:
    """Make sure that all numbers that models compute with are finite, and variances not below 0: of others, no token is likelier
    than another, and nothing is written.

    Raises:
        SettingsError: one is not.
    """
    for model in models:
        for name, tensor in () if is_divided(model) else (*model.named_parameters(), *model.named_buffers()):
            if not bool(tensor.isfinite().all()):
                raise SettingsError(f"{name} must hold finite numbers to decode; it does not.")
            if name.endswith("running_var") and bool((tensor < 0).any()):
                raise SettingsError(f"{name} must hold numbers from 0 to decode; got {float(tensor.min()):g}.")


class CompiledModels:
    """Models that are compiled when they are needed, and again when they have changed. It can be pickled.

    Args:
        made: makes the models that are compiled from `models`, anew when these have changed; None: they are compiled
            themselves.
    """

    def __init__(self, models: Sequence[Any], made: Callable[[], Sequence[Any]] | None = None) -> None:
        self._models, self._made = list(models), made
        self.asked = "auto"
        """The engine that was asked for."""
        self.is_watched = True
        """Whether a program holds the models, and so may change them."""
        self._current: tuple[Snapshot, list[Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """All attributes but packed weights, which PyTorch cannot store."""
        return {**vars(self), "_current": None}

    def use(self, engine: str) -> None:
        """Decode with another engine from now on.

        Raises:
            SettingsError: as `compile_model`.
        """
        check_engine(engine)
        self.asked = engine
        self.refresh()
        self.check()

    def check(self) -> None:
        """Make sure that a native engine that was asked for can decode with the models.

        Raises:
            SettingsError: as `compile_model`.
        """
        if self.asked in NATIVE:
            self.current()

    @property
    def engine(self) -> str:
        """The engine that decodes: any but `auto`."""
        models = self.current()
        return ENGINE_OF[models[0].dtype] if all(isinstance(each, NativeModel) for each in models) else "torch"

    def current(self) -> list[Any]:
        """The models, compiled as they are now.

        Raises:
            SettingsError: a model is in training mode or has weights that are not finite, or as `compile_model`.
        """
        current = self._current
        if current is None or current[0].has_changed(only_globally=not self.is_watched):
            for model in self._models:
                check_not_training(model)
            check_finite(self._models)
            snapshot = Snapshot(self._models)
            models = self._models if self._made is None else self._made()
            current = self._current = (snapshot, [compile_model(model, self.asked) for model in models])
        return current[1]

    def refresh(self) -> None:
        """Copy all weights again before the next text."""
        self._current = None
