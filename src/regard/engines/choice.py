"""Which engine decodes with a model, and models made ready for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn

from regard.engines.library import find
from regard.engines.native_model import NativeModel, misfit
from regard.engines.packed import packed
from regard.errors import SettingsError, nearest_hint

ENGINES = ("auto", "torch", "native")


def check_engine(engine: str) -> None:
    """Make sure that there is an engine of this name.

    Raises:
        SettingsError: there is none.
    """
    if engine not in ENGINES:
        raise SettingsError(f"engine must be {', '.join(ENGINES)}; got {engine!r}. {nearest_hint(engine, ENGINES)}")


def explained(model: Any) -> str:
    """Which engine decodes with a model by default, and why, for people."""
    reason = misfit(model)
    return f"torch, as {reason}" if reason else f"native, {find().reason}"


def prepared(model: Any, engine: str = "auto") -> Any:
    """A model as an engine decodes with it.

    Args:
        engine: `torch`; `native`, layers in C; or `auto`: native where it can be, as it is faster there (docs/engines.md).
    Raises:
        SettingsError: an unknown engine, or `native` and a model or machine that cannot be run so.
    """
    check_engine(engine)
    reason = "it was not asked for" if engine == "torch" else misfit(model)
    if engine == "native" and reason:
        raise SettingsError(f"engine=native cannot decode with this model: {reason}. Take engine=torch, or auto.")
    library = find().library
    return packed(model) if reason or library is None else NativeModel(model, library)


class Prepared:
    """Some models, made ready when they are needed, and anew when they have changed. It can be pickled."""

    def __init__(self, models: Sequence[Any]) -> None:
        self._models, self._engine = list(models), "auto"
        self._modules: list[nn.Module] = []
        self._current: tuple[list[Any], list[Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but packed weights, which PyTorch cannot store."""
        return {**vars(self), "_current": None, "_modules": []}

    def use(self, engine: str) -> None:
        """Decode with another engine from now on.

        Raises:
            SettingsError: as `prepared`.
        """
        check_engine(engine)
        self._engine, self._current = engine, None
        if engine == "native":
            self.current()  # so that what it cannot do is told at once

    @property
    def engine(self) -> str:
        """The engine that decodes: `torch` or `native`."""
        return "native" if all(isinstance(each, NativeModel) for each in self.current()) else "torch"

    def current(self) -> list[Any]:
        """The models as their engine decodes with them."""
        stamp = _stamp(self._modules)
        if self._current is None or self._current[0] != stamp:
            self._modules = [module for model in self._models for module in model.modules()]
            self._current = _stamp(self._modules), [prepared(model, self._engine) for model in self._models]
        return self._current[1]


def _stamp(modules: Sequence[nn.Module]) -> list[Any]:
    """What changes when a weight, a module or a method of one of these modules is changed or replaced, or a hook is set."""
    found: list[Any] = []
    for module in modules:
        found += (len(vars(module)), len(module._forward_hooks), len(module._forward_pre_hooks))
        found += map(id, module._modules.values())
        # Tensors of inference mode, such as a divided model's while it is put together, count no versions.
        found += [(id(x), x.is_inference() or x._version) for x in module._parameters.values() if x is not None]
    return found
