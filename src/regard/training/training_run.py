"""A training run: its saving times, its record, and its callbacks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, runtime_checkable

from torch import Tensor

from regard.data.batch import Batch, LabelledBatch
from regard.errors import SettingsError

AnyBatch = TypeVar("AnyBatch", bound=Batch | LabelledBatch)
Scores = dict[str, float]
SECONDS = {"s": 1, "m": 60, "h": 3600}


@runtime_checkable
class TrainingTask(Protocol):
    """A task to learn: the data, and the scores of a model."""

    def batches(self, start: tuple[int, int], shard: tuple[int, int]) -> Iterator[Any]:
        """Batches without an end, from a cursor on: the rows of each that process r of n reads."""

    def validate(self, model: Any) -> Scores:
        """The scores of a model; those of the best `metric` are kept."""

    def sample(self, model: Any) -> dict[str, Any]:
        """The model's output for some fixed examples, noted at each validation; may be empty."""

    def example(self, index: int) -> str:
        """The place of an example in the data, in words, by its index."""


@runtime_checkable
class RunWriter(Protocol):
    """The writer of a run's models, records and checkpoints."""

    def keep(self, model: Any, run: TrainingRun) -> None:
        """Write a model that is among the `keep_best` best so far; the best itself is at `run.best_step`."""

    def keep_snapshot(self, model: Any, run: TrainingRun) -> None:
        """Write a model that `keep_every` asks for, before any checkpoint of the same step."""

    def record(self, run: TrainingRun) -> None:
        """Write the record of the run: after each validation, and at the end, however the run ends."""

    def save(self, tensors: dict[str, Tensor], run: TrainingRun) -> None:
        """Write a checkpoint, before `keep`."""


@dataclass(frozen=True)
class Progress:
    """The state of a run after a step, for display."""

    step: int
    num_steps: int
    loss: float
    """The loss of this step in nats per target token, against smoothed labels."""
    learning_rate: float
    tokens_per_second: float
    """Target tokens, or where there is no target, tokens that are read; padding not counted, nor the time of validation."""
    elapsed_seconds: float
    remaining_seconds: float


@dataclass(frozen=True)
class SavingTimes:
    """The times at which checkpoints are written: every `every_steps` steps or `every_seconds` seconds, or else at each
    validation.
    """

    every_steps: int | None = None
    every_seconds: float | None = None

    @classmethod
    def parse(cls, text: str | None) -> SavingTimes:
        """Parse `20` (steps), `30s`, `10m` or `2h`; None: at each validation.

        Raises:
            SettingsError: the text has another form.
        """
        if text is None:
            return cls()
        if (parts := re.fullmatch(r"(0{0,8}[1-9]\d{0,8})([smh]?)", text, re.ASCII)) is not None:
            number, unit = int(parts[1]), parts[2]
            return cls(every_seconds=number * SECONDS[unit]) if unit else cls(every_steps=number)
        raise SettingsError(
            f"--save-every must be a number of steps, such as 500, or a time, such as 30s, 10m or 2h; got {text!r}."
        )

    def is_due(self, step: int, seconds: float, *, validated: bool) -> bool:
        """Whether to save after this step, `seconds` after the last time."""
        if self.every_steps is not None:
            return step % self.every_steps == 0
        return validated if self.every_seconds is None else seconds >= self.every_seconds


class Callback:
    """A program that is called while a model is trained: the display, TensorBoard, a tracker of experiments.

    A callback of your own derives from this class, and is given to `regard.train(..., callbacks=[...])`. Of several processes,
    only the main one calls it. It changes nothing in the run: it gets copies, and PyTorch's random generators are given back as
    they were found. If it raises an exception, the run writes a checkpoint and ends, and `train` raises the same exception.
    """

    def on_start(self, facts: Mapping[str, Any]) -> None:
        """Begin: called before the first step.

        Args:
            facts: what `results.json` will have on `data`, `sizes`, `machine`, `versions`, `task`, `preset` and `settings`; and
                `step`, 0 or the step that a resumed run goes on from.
        """

    def on_step(self, progress: Progress) -> None:
        """Take note of a step; called after every one."""

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Take note of a validation; called after every one.

        Args:
            step: 0 for the model that a run begins with.
            scores: by name, such as `loss`.
            is_best: whether the model is the best so far, and is kept.
        """

    def on_end(self, results: Mapping[str, Any]) -> None:
        """End: called after the run, when the model folder is complete. A run that ends with an error does not call
        this.

        Args:
            results: what `results.json` has; empty if the run was interrupted.
        """


@dataclass
class TrainingRun:
    """The record of a run: its steps, its scores, and the best validation."""

    step: int = 0
    seconds: float = 0.0
    validation_seconds: float = 0.0
    num_tokens: int = 0
    """The number of tokens that `tokens_per_second` counts."""
    best_step: int = 0
    best_scores: Scores = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list, repr=False)
    """The records of `metrics.jsonl`: for every `report_every` steps, and for every validation."""
    snapshots: list[dict[str, Any]] = field(default_factory=list, repr=False)
    """The model's output for some fixed examples at each validation, with the step."""
    interrupted: bool = False
    is_scheduled_stop: bool = False
    """Whether a scheduler asked for the end, by SIGTERM or SIGUSR1, so that the run is to go on later."""
    skipped_steps: int = 0
    """Steps whose loss or gradient was not finite, and that were skipped."""
    skipped_in_a_row: int = 0
    validations_since_best: int = 0
    next_cursor: tuple[int, int] = (0, 0)
    """The position of the batch after the last one: epoch, and number in it."""

    def best_steps(self, metric: str, count: int) -> list[int]:
        """The steps of the best validations so far by a metric, the best first. Of two that are equal, as those of few texts
        often are, the one of lower loss; then the earlier.

        Losses fall, all else rises; what is not a number is not among them, nor is step 0.
        """
        name, sign = f"valid_{metric}", 1 if metric == "loss" else -1
        measured = [record for record in self.history if record["step"] and math.isfinite(record.get(name, math.nan))]
        measured.sort(key=lambda record: (sign * record[name], record.get("valid_loss", 0), record["step"]))
        return [int(record["step"]) for record in measured[:count]]

    @property
    def is_measured(self) -> bool:
        """Whether there was a validation after the last step."""
        return any(record["step"] == self.step and "valid_loss" in record for record in reversed(self.history))

    @property
    def tokens_per_second(self) -> float:
        """Target tokens, or where there is no target, tokens that are read; padding not counted, nor the time of validation."""
        return self.num_tokens / max(self.seconds - self.validation_seconds, 1e-9)
