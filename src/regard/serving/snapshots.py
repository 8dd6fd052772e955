"""The models that a run of training kept (`training.keep_every`), behind a model that is served."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from regard.pipelines.loading import load
from regard.pipelines.pipeline import Pipeline
from regard.serving.limits import ServingError
from regard.training.state import snapshots


class Snapshots:
    """Snapshots, loaded when they are asked for. The last one stays in memory."""

    def __init__(self, device: str, precision: str) -> None:
        self._device, self._precision = device, precision
        self._lock = Lock()
        self._loaded: tuple[Path, Pipeline] | None = None

    def at(self, folder: Path, step: int) -> Pipeline:
        """The model of a folder as it was after a step of training.

        Raises:
            ServingError: 404, there is none.
        """
        found = snapshots(folder)
        if step not in found:
            known = ", ".join(map(str, found)) or "none"
            raise ServingError(404, f"This model has no snapshot of step {step}. Its snapshots: {known}.")
        with self._lock:
            if self._loaded is None or self._loaded[0] != found[step]:
                self._loaded = None  # before the next one needs memory
                self._loaded = found[step], load(found[step], device=self._device, precision=self._precision)
            return self._loaded[1]
