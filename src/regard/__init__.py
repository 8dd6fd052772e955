"""Regard trains Transformers, runs them, and lets people look inside them.

    import regard

    translator = regard.load("model")
    translator.translate(["Two dogs play."])

`import regard` is quick: torch is imported when it is first needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from regard.errors import (
    DataError,
    MissingExtraError,
    ModelFolderError,
    RegardError,
    SettingsError,
    ShapeError,
    TrainingError,
)
from regard.version import __version__ as __version__

if TYPE_CHECKING:
    from regard.analysis.comparison.comparing import compare
    from regard.interop.convert import convert
    from regard.pipelines.language_model import LanguageModel
    from regard.pipelines.loading import load
    from regard.pipelines.predictor import Prediction, Predictor
    from regard.pipelines.translation import Candidate, ForcedScore, Translation
    from regard.pipelines.translator import Translator
    from regard.runs.own_loop import batches, new
    from regard.runs.train import train
    from regard.runs.training_result import TrainingResult

__all__ = [
    "Candidate",
    "DataError",
    "ForcedScore",
    "LanguageModel",
    "MissingExtraError",
    "ModelFolderError",
    "Prediction",
    "Predictor",
    "RegardError",
    "SettingsError",
    "ShapeError",
    "TrainingError",
    "TrainingResult",
    "Translation",
    "Translator",
    "batches",
    "compare",
    "convert",
    "load",
    "new",
    "train",
]

_LATER = {
    "regard.interop.convert": ("convert",),
    "regard.analysis.comparison.comparing": ("compare",),
    "regard.pipelines.language_model": ("LanguageModel",),
    "regard.pipelines.loading": ("load",),
    "regard.pipelines.predictor": ("Prediction", "Predictor"),
    "regard.runs.training_result": ("TrainingResult",),
    "regard.runs.own_loop": ("batches", "new"),
    "regard.runs.train": ("train",),
    "regard.pipelines.translation": ("Candidate", "ForcedScore", "Translation"),
    "regard.pipelines.translator": ("Translator",),
}

_SUBMODULES = ("analysis", "errors", "extending", "nn")
"""Modules that are a library of their own."""


def __dir__() -> list[str]:
    """All public names, without importing what is not yet needed."""
    return [*__all__, "__version__", *_SUBMODULES]


def __getattr__(name: str) -> Any:
    """Import a name that needs torch when it is first asked for."""
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(module), name)
    if name in _SUBMODULES:
        return import_module(f"regard.{name}")
    raise AttributeError(f"module 'regard' has no attribute {name!r}")
