"""A task and a writer for tests of the trainer alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor

from regard.training.training_run import Scores, TrainingRun


class StubTask:
    """Batches that a test gives, and a loss."""

    def __init__(
        self,
        batches: Callable[[tuple[int, int], tuple[int, int]], Iterator[Any]],
        validate: Callable[[Any], Scores] = lambda model: {"loss": 1.0},
    ) -> None:
        self.given, self.measured = batches, validate

    def batches(self, start: tuple[int, int], shard: tuple[int, int]) -> Iterator[Any]:
        return self.given(start, shard)

    def validate(self, model: Any) -> Scores:
        return self.measured(model)

    def sample(self, model: Any) -> dict[str, Any]:
        return {}

    def example(self, index: int) -> str:
        return f"example {index}"


class StubWriter:
    """Writes nothing; a test replaces what it wants to see."""

    def keep(self, model: Any, run: TrainingRun) -> None: ...
    def keep_snapshot(self, model: Any, run: TrainingRun) -> None: ...
    def record(self, run: TrainingRun) -> None: ...
    def save(self, tensors: dict[str, Tensor], run: TrainingRun) -> None: ...
