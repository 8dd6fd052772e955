"""Looking inside a trained model: texts in; matrices, rankings, smaller models and pictures out.

The names here are public, and `docs/inspection.md` describes them. `import regard.analysis` does not import torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.analysis.experiments import experiment
    from regard.analysis.explaining import contributions, head_values, why_key
    from regard.analysis.next_token import next_tokens
    from regard.analysis.patching import patch
    from regard.analysis.states import decoder_lens, mean_difference, probe
    from regard.inspection.capture import capture
    from regard.inspection.steering import steered

__all__ = [
    "capture",
    "contributions",
    "decoder_lens",
    "experiment",
    "head_values",
    "mean_difference",
    "next_tokens",
    "patch",
    "probe",
    "steered",
    "why_key",
]

_LATER = {
    "regard.analysis.experiments": ("experiment",),
    "regard.analysis.explaining": ("contributions", "head_values", "why_key"),
    "regard.analysis.next_token": ("next_tokens",),
    "regard.analysis.patching": ("patch",),
    "regard.analysis.states": ("decoder_lens", "mean_difference", "probe"),
    "regard.inspection.capture": ("capture",),
    "regard.inspection.steering": ("steered",),
}


def __dir__() -> list[str]:
    """All public names, without importing what is not yet needed."""
    return [*__all__]


def __getattr__(name: str) -> Any:
    """Import a name that needs torch when it is first asked for."""
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'regard.analysis' has no attribute {name!r}")
