"""How well a model still does what it was trained for before a run: fine-tuning on new data loses a part of that."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.pipelines.loading import load
from regard.pipelines.pipeline import Pipeline


@dataclass(frozen=True)
class OldTask:
    """Data of the task that the model in `--from` was trained for, and that model's scores on them."""

    data: Sequence[str | os.PathLike[str]]
    before: Mapping[str, Any]

    @classmethod
    def measured(cls, data: Sequence[str | os.PathLike[str]], model: Path | str, device: str) -> OldTask:
        """Measure the model that a run begins with.

        Raises:
            RegardError: what `evaluate` raises of this model and these files.
        """
        return cls(data, load(model, device=device).evaluate_files(data))

    def after(self, trained: Pipeline) -> dict[str, Any]:
        """The scores of both models, for `results.json`; and under `error` why the new one has none."""
        found: dict[str, Any] = {"data": " + ".join(map(str, self.data)), "before": dict(self.before)}
        try:
            return found | {"after": trained.evaluate_files(self.data)}
        except RegardError as error:  # such as labels that the new model does not have; the run is not lost by it
            return found | {"error": str(error)}
