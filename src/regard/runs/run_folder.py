"""The folders of a run: who may write to them, and what is written there."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from regard.checkpoint import ABOUT_WEIGHTS, CARD, METRICS, RESULTS, check_output
from regard.errors import DataError, SettingsError
from regard.models.interface import Model
from regard.runs.card import model_card
from regard.runs.resuming import STEPS
from regard.runs.storing import Store
from regard.runs.tasks.task import Task
from regard.text.lines import write_whole
from regard.training.distributed import ALONE, World
from regard.training.process import run_lock
from regard.training.state import TrainingState, best_folder, checkpoints, snapshot_folder, state_folder, write_state
from regard.training.training_run import TrainingRun


@contextmanager
def claimed(output: Path, world: World = ALONE, *, overwrite: bool, resume: bool = False) -> Iterator[None]:
    """While this context lasts, this run alone writes to its folders; and nothing is lost there by mistake.

    Raises:
        ModelFolderError: there is something else at `output`, or a model and `overwrite` is False.
        SettingsError: there are checkpoints of an earlier run, and neither `overwrite` nor `resume` is True, or both are.
        TrainingError: another run writes there.
    """
    _check_folders(output, overwrite=overwrite, resume=resume)
    if not world.is_main:
        yield
        return
    with run_lock(state_folder(output)):
        _check_folders(output, overwrite=overwrite, resume=resume)  # another run may have ended since
        yield


def _check_folders(output: Path, *, overwrite: bool, resume: bool) -> None:
    states = state_folder(output)
    try:
        is_usable = not states.exists() or (states.is_dir() and os.access(states, os.W_OK))
    except OSError as error:
        raise DataError(
            f"{states} must be a folder that can be written, for checkpoints; got: {error.strerror}."
        ) from error
    if not is_usable:
        raise DataError(f"{states} must be a folder that can be written, for checkpoints; it is not.")
    earlier = bool(checkpoints(states))
    if earlier and not (resume or overwrite):
        raise SettingsError(
            f"{states} holds checkpoints of an earlier run. Continue it with `--resume`, or replace them and the "
            "model with `--overwrite`."
        )
    if earlier and resume and overwrite:
        raise SettingsError(
            f"`--resume` contradicts `--overwrite`: {states} holds checkpoints of an earlier run, which one continues and the "
            "other replaces. Remove one of them."
        )
    check_output(output, overwrite=overwrite or (resume and earlier))


class FolderWriter:
    """Writes a run into its model folder and, for checkpoints, the folder beside it."""

    def __init__(self, task: Task, store: Store, output: Path, made_of: Mapping[str, Any], *, is_saved: bool) -> None:
        self.task, self.store, self.output, self.is_saved = task, store, output, is_saved
        self._made_of = {**made_of, STEPS: task.settings.training.steps}

    def save(self, tensors: dict[str, torch.Tensor], run: TrainingRun) -> None:
        """Write a checkpoint."""
        write_state(state_folder(self.output), TrainingState(tensors, asdict(run), self._made_of))

    def keep(self, model: Model, run: TrainingRun) -> None:
        """Store the model: in the output folder if it is the best, and among the best few."""
        settings = self.task.settings.training
        if settings.keep_best > 1:
            self._keep_among(model, run, run.best_steps(settings.metric, settings.keep_best))
        if run.best_step in (0, run.step):
            if self.is_saved:
                for name in ABOUT_WEIGHTS:
                    (self.output / name).unlink(missing_ok=True)
                self.store.rewrite(self.output, model)
            else:
                self._save(self.output, model)
                self.is_saved = True

    def keep_snapshot(self, model: Model, run: TrainingRun) -> None:
        """Store the model as it is at this step, beside the checkpoints."""
        self._save(snapshot_folder(self.output) / f"step-{run.step:08d}", model)

    def record(self, run: TrainingRun) -> None:
        """Store the scores: in the model folder, or beside the checkpoints as long as there is none.

        Raises:
            DataError: the folder cannot be written.
        """
        if not (self.is_saved or run.history):
            return
        early = state_folder(self.output) / METRICS
        try:
            if self.is_saved:
                early.unlink(missing_ok=True)
            else:
                early.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{early.parent} must be a folder that can be written; got: {error.strerror}.") from error
        lines = (json.dumps(in_json(record)) + "\n" for record in run.history)
        write_whole(self.output / METRICS if self.is_saved else early, "".join(lines).encode("utf-8"))

    def _keep_among(self, model: Model, run: TrainingRun, steps: list[int]) -> None:
        names = {f"step-{step:08d}" for step in steps}
        folder = best_folder(self.output)
        path = folder / f"step-{run.step:08d}"
        shutil.rmtree(path, ignore_errors=True)  # of a run that was killed here before it went on
        self._save(path, model)
        for old in folder.iterdir():
            if old.name not in names:
                shutil.rmtree(old, ignore_errors=True)

    def _save(self, path: Path, model: Model) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.store.write(path, model)


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json` of a model folder, and the README rendered from it."""
    content = json.dumps(in_json(results), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / RESULTS, content.encode("utf-8"))
    write_whole(folder / CARD, model_card(folder.name, results).encode("utf-8"))


def in_json(value: Any) -> Any:
    """A record for JSON: null in place of numbers that are not finite."""
    if isinstance(value, Mapping):
        return {name: in_json(part) for name, part in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
