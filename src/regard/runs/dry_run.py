"""The plan of a run, measured over a few steps: `regard train --dry-run`."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from regard.memory import WEIGHT_BYTES, free_bytes
from regard.models.interface import Model
from regard.runs.progress import clock, quantity, size
from regard.runs.storing import ModelStore, Store
from regard.runs.tasks.task import Task
from regard.training.distributed import World
from regard.training.precision import resolve_precision
from regard.training.state import KEPT, state_folder
from regard.training.updates import Updater

MEASURED_STEPS = 3


@dataclass(frozen=True)
class Plan:
    """The time, memory and files that a run would take."""

    steps: int
    epochs: float
    """The number of epochs; NaN: unknown."""
    seconds_per_step: float
    """The median of `MEASURED_STEPS` steps, after one that is not counted."""
    tokens_per_second: float
    validations: int
    seconds_per_validation: float
    held_bytes: int
    """Weights, gradients, moments of the optimizer, average and copies, without what a batch needs."""
    free_bytes: int | None
    model_bytes: int
    """The size of the folder that would be written, tokenizers not counted."""
    checkpoint_bytes: int
    folder: str

    @property
    def seconds(self) -> float:
        """The time of the whole training, reading of data not counted."""
        return self.steps * self.seconds_per_step + self.validations * self.seconds_per_validation

    def lines(self) -> list[str]:
        """The lines to print."""
        folders = f"{self.folder}: {size(self.model_bytes)}"
        free = "" if self.free_bytes is None else f" of {size(self.free_bytes)} that are free"
        epochs = "" if math.isnan(self.epochs) else f" ({self.epochs:,.1f} epochs)"
        return [
            f"expected time: {clock(self.seconds)}, for {self.steps:,} steps{epochs} of {self.seconds_per_step:.2f} s and "
            f"{self.validations:,} validations of {self.seconds_per_validation:.1f} s",
            f"speed: {quantity(self.tokens_per_second)} tokens/s, measured over {MEASURED_STEPS} steps",
            f"memory: {size(self.held_bytes)}{free}, and what a batch needs",
            f"would write {folders}; {state_folder(Path(self.folder))}: {KEPT} checkpoints of {size(self.checkpoint_bytes)}",
            "nothing was written",
        ]

    def record(self) -> dict[str, Any]:
        """The plan as a record, with the total."""
        return {**asdict(self), "seconds": self.seconds}


def plan(model: Model, task: Task, store: Store, output: Path, world: World, *, compiles: bool = False) -> Plan:
    """Train a few steps, validate once, and say what the whole run would take. The model is changed, and then of no use.

    Args:
        compiles: compile the model, in the first step, whose time does not count.
    """
    training = task.settings.training
    updater: Updater[Model, Any] = Updater(model, training, world, teacher=task.teacher, compiles=compiles)
    batches, times, num_tokens = task.batches((0, 0), (0, 1)), [], 0
    for number in range(1 + MEASURED_STEPS):
        start = time.perf_counter()
        rows = [next(batches) for _ in range(training.accumulation)]
        _ = updater.step(rows, 1e-9).loss  # a GPU has done the step when its loss is known
        if number:
            times.append(time.perf_counter() - start)
            num_tokens += sum(batch.num_counted for batch in rows)
    start = time.perf_counter()
    updater.measure(task.validate)
    seconds_per_validation = time.perf_counter() - start
    validations = -(-training.steps // training.validate_every) + (task.begun_with is not None)
    learning, all_of_them = (
        sum(each.numel() for each in model.parameters() if each.requires_grad or not only) for only in (True, False)
    )
    is_copied = resolve_precision(training.precision, next(model.parameters()).device) == torch.bfloat16
    held = WEIGHT_BYTES * (all_of_them + learning * (3 + bool(training.average_decay))) + 2 * is_copied * (
        all_of_them + learning
    )
    stored = all_of_them if isinstance(store, ModelStore) else learning
    checkpoint = WEIGHT_BYTES * (all_of_them + learning * (2 + bool(training.average_decay)))
    return Plan(
        training.steps, training.steps / task.epoch_steps if math.isfinite(task.epoch_steps) else math.nan,
        sorted(times)[len(times) // 2], num_tokens / sum(times), validations, seconds_per_validation, held,
        free_bytes(next(model.parameters()).device), WEIGHT_BYTES * stored, checkpoint, str(output),
    )  # fmt: skip
