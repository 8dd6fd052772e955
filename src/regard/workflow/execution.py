"""A run of any kind of task: model, training, checkpoints, scores, model folder."""

from __future__ import annotations

import json
import math
import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from regard.checkpoint import (
    ABOUT_WEIGHTS,
    CARD,
    CONFIDENCE,
    METRICS,
    REPORT,
    RESULTS,
    WEIGHTS,
    check_output,
    remove_leftovers,
    save_new,
    save_weights,
)
from regard.errors import DataError, SettingsError, TrainingError
from regard.inspection.drawing.report import curve_html, report_html
from regard.memory import WEIGHT_BYTES, check_room_to_train
from regard.models.families import build
from regard.models.interface import Model
from regard.text.lines import write_whole
from regard.text.wording import counted
from regard.training.distributed import ALONE, World
from regard.training.precision import resolve_precision
from regard.training.process import only_run
from regard.training.run import Callback, SavingTimes, TrainingRun
from regard.training.state import (
    TrainingState,
    best_folder,
    checkpoints,
    clear,
    remove_snapshots_after,
    snapshot_folder,
    state_folder,
    write_state,
)
from regard.training.trainer import Trainer
from regard.training.updates import Updater
from regard.version import __version__
from regard.workflow.card import model_card, shown_scores
from regard.workflow.loading import load, resolve_device
from regard.workflow.pipeline import Pipeline
from regard.workflow.progress import Callbacks, RunDisplay, clock, quantity
from regard.workflow.reporting import training_report
from regard.workflow.resuming import STEPS, check_state, is_written, made_of, made_on, newest_state
from regard.workflow.settings import RunSettings
from regard.workflow.settings.fitting import fitted, notes
from regard.workflow.tasks.task import Task
from regard.workflow.translation.translator import Translator

DECIDED_BY_DATA = {"vocab_size", "source_vocab_size", "pad_id", "labels"}


@dataclass(frozen=True)
class Execution:
    """How a run is executed: options that do not change the result."""

    device: str = "auto"
    resume: bool = False
    """Resume from the newest checkpoint."""
    saving: SavingTimes | None = None
    """When checkpoints are written; None: never."""
    world: World = ALONE
    """The processes that take part."""
    shard: bool = False
    """Divide the weights among them."""
    callbacks: Sequence[Callback] = ()
    """Called by the main process, after the display."""


@dataclass(frozen=True, repr=False)
class TrainingResult:
    """A finished (or interrupted) run: its folder, its record, and the kept model, ready to use."""

    folder: Path
    run: TrainingRun
    loaded: Pipeline | None
    """A `Translator`, a `LanguageModel` or a `Predictor`, depending on the family; None in other processes."""
    results: dict[str, Any]
    """What `results.json` holds; empty when the run was interrupted."""

    def __repr__(self) -> str:
        run, scores = self.run, shown_scores(self.results)
        said = ", ".join(f"{title} {score}" for title, score in scores.items()) or "not measured"
        return f"TrainingResult({str(self.folder)!r}, step {run.best_step:,} of {run.step:,} kept: {said})"

    def _repr_html_(self) -> str:
        """For notebooks: the scores, and the learning curve."""
        run = self.run
        facts = {"folder": str(self.folder)} | shown_scores(self.results)
        facts |= {"steps": f"{run.step:,}; kept: the weights of step {run.best_step:,}", "training": clock(run.seconds)}
        return curve_html(facts, run.history)

    @property
    def translator(self) -> Translator:
        """The kept encoder-decoder.

        Raises:
            SettingsError: the model is of another family.
        """
        if not isinstance(self.loaded, Translator):
            raise SettingsError(
                f"`translator` needs a model that turns one text into another; got a {type(self.loaded).__name__}. Use `loaded`."
            )
        return self.loaded


@contextmanager
def claimed(output: Path, world: World = ALONE, *, overwrite: bool, resume: bool = False) -> Iterator[None]:
    """While this context lasts, this run alone writes to its folders; and nothing is lost there by mistake.

    Raises:
        ModelFolderError: there is something else at `output`, or a model and `overwrite` is False.
        SettingsError: there are checkpoints of an earlier run, and neither `overwrite` nor `resume` is True.
        TrainingError: another run writes there.
    """
    _check_folders(output, overwrite=overwrite, resume=resume)
    if not world.is_main:
        yield
        return
    with only_run(state_folder(output)):
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
    check_output(output, overwrite=overwrite or (resume and earlier))


def run_task(task: Task, output: Path, execution: Execution, *, display: RunDisplay, preset: str) -> TrainingResult:
    """The run itself: model, training, scores, model folder.

    Of several processes, the main one measures and writes the scores; the others return when training is over.

    Args:
        output: `claimed`.
    """
    start = time.perf_counter()
    device = resolve_device(execution.device)
    resumed = newest_state(state_folder(output), display) if execution.resume else None
    task.settings = fitted(task.settings, task.epoch_steps, task.usual_metric)
    settings, tokenizer, world = task.settings, task.tokenizer, execution.world
    for note in [*task.notes, *notes(settings)]:
        display.say(note)
    if task.initial is None:
        check_room(settings, device, world, shard=execution.shard)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = (build(settings.model) if task.initial is None else task.initial).to(device)
    facts = _facts(model, task) | ({"processes": world.size} if world.size > 1 else {})
    padding = f", {task.padding:.1%} padding" if task.padding else ""
    display.say(
        f"{quantity(facts['sizes']['num_parameters'])} parameters, vocabulary {len(tokenizer):,}, "
        f"{facts['machine']['precision']} on {device}, {counted(settings.training.steps, 'step')}{padding}"
        + (f", {world.size} processes" if world.size > 1 else "")
    )
    chosen = settings.model_dump(mode="json", exclude={"model": DECIDED_BY_DATA})
    facts |= {"task": task.name, "preset": preset, "settings": chosen}
    callbacks = Callbacks([display, *(execution.callbacks if world.is_main else ())])
    run = _run_trainer(model, task, output, execution, resumed, display, callbacks, facts)
    if not world.is_main:
        return TrainingResult(output, run, None, {})
    loaded = load(output, device=str(device))
    if run.interrupted:
        callbacks.on_end({})
        return TrainingResult(output, run, loaded, {})

    if (before := _better_before(run, settings.training.metric)) is not None:
        display.say(f"no validation was better than the model it began with: {settings.training.metric} {before:.3f}")
    display.say(f"trained in {clock(run.seconds)}; measuring the kept model (step {run.best_step:,}) ...")
    try:
        scores = task.evaluate(loaded)
    except KeyboardInterrupt:
        run.interrupted = True
        callbacks.on_end({})
        return TrainingResult(output, run, loaded, {})
    results = scores | {
        "evaluated_on": task.validation_facts["name"],
        "validation_loss": run.best_scores["loss"],
        **facts,
        "steps": {"trained": run.step, "kept": run.best_step, "skipped": run.skipped_steps},
        "seconds": {"training": run.seconds, "total": time.perf_counter() - start},
        "target_tokens_per_second": run.tokens_per_second,
    }
    if isinstance(loaded, Translator) and loaded.confidence:
        loaded.confidence.write(output / CONFIDENCE)
    results["sizes"]["weights_bytes"] = (output / WEIGHTS).stat().st_size
    write_results(output, results)
    report = training_report(output.absolute().name, results, run)
    write_whole(output / REPORT, report_html(report).encode("utf-8"))
    callbacks.on_end(results)
    return TrainingResult(output, run, loaded, results)


def _better_before(run: TrainingRun, metric: str) -> float | None:
    """The score of the model that a run began with, if it is better than that of the kept one."""
    name, sign = f"valid_{metric}", 1 if metric == "loss" else -1
    first = next((record[name] for record in run.history if record["step"] == 0 and name in record), math.nan)
    return first if sign * first < sign * run.best_scores.get(metric, math.nan) else None


def check_room(settings: RunSettings, device: torch.device, world: World = ALONE, *, shard: bool = False) -> None:
    """Make sure, before anything is made, that a model can be trained there: its weights and gradients in float32, Adam's two
    moments, the average, and the copy that computes in bfloat16.

    Raises:
        SettingsError: there is no room; the message says how much it would take.
    """
    training = settings.training
    held: float = WEIGHT_BYTES * (4 + bool(training.average_decay))
    if shard and world.size > 1:
        held = max(held / world.size, WEIGHT_BYTES)  # each process makes the whole model first
    elif resolve_precision(training.precision, device) == torch.bfloat16:
        held += 4  # 2 bytes for a weight, 2 for its gradient
    check_room_to_train(settings.model, device, bytes_per_parameter=held)


def _run_trainer(
    model: Model,
    task: Task,
    output: Path,
    execution: Execution,
    resumed: TrainingState | None,
    display: RunDisplay,
    callbacks: Callback,
    facts: Mapping[str, Any],
) -> TrainingRun:
    """Train, and keep the best weights in the output folder, with the record of the run beside them.

    Args:
        resumed: the checkpoint to continue from; None: from the beginning.
        facts: what the callbacks are told at the start.
    Raises:
        KeyboardInterrupt: interrupted before anything was saved.
    """
    world, states = execution.world, state_folder(output)
    is_made_of, is_made_on = made_of(task, model), made_on(model, world)
    if len(set(map(json.dumps, world.of_all(is_made_of)))) > 1:
        raise TrainingError("all processes of a run must have the same data and settings; theirs differ.")
    if world.is_main:
        remove_leftovers(output)
    if execution.resume:
        check_state(resumed, output, task, model, world, display)
    writer = _Writer(task, output, is_made_of | is_made_on, is_saved=resumed is not None and is_written(resumed))
    updater: Updater[Model, Any] = Updater(model, task.settings.training, world, shard=execution.shard)
    trainer = Trainer(
        updater, task, writer, callbacks, saving=execution.saving, resumed=resumed,
        validates_first=task.begun_with is not None,
    )  # fmt: skip
    callbacks.on_start({**facts, "step": trainer.progress.step})
    if world.is_main:  # last, so that nothing is lost where this run cannot begin
        if execution.resume:
            remove_snapshots_after(output, -1 if resumed is None else resumed.step)
        else:
            clear(states)
    if every := task.settings.training.keep_every:
        size = WEIGHT_BYTES * sum(parameter.numel() for parameter in model.parameters())
        display.say(
            f"{counted(task.settings.training.steps // every + 1, 'snapshot')} of {quantity(size)}B each will be in "
            f"{snapshot_folder(output)}"
        )
    run = trainer.run()
    if world.is_main and not writer.is_saved:
        raise KeyboardInterrupt
    if task.settings.training.keep_best > 1 and (count := len(list(best_folder(output).glob("*")))) > 1:
        display.say(f"the {count} best models are in {best_folder(output)}; `regard average` can average them")
    return run


class _Writer:
    """Writes a run into its model folder and, for checkpoints, the folder beside it."""

    def __init__(self, task: Task, output: Path, made_of: Mapping[str, Any], *, is_saved: bool) -> None:
        self.task, self.output, self.is_saved = task, output, is_saved
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
                save_weights(self.output, model)
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
        save_new(path, model, self.task.tokenizer, self.task.source_tokenizer)


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json` of a model folder, and the README rendered from it."""
    content = json.dumps(in_json(results), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / RESULTS, content.encode("utf-8"))
    write_whole(folder / CARD, model_card(folder.name, results).encode("utf-8"))


def _facts(model: Model, task: Task) -> dict[str, Any]:
    """The part of `results.json` on data, sizes, machine and versions."""
    device = next(model.parameters()).device
    precision = str(resolve_precision(task.settings.training.precision, device)).removeprefix("torch.")
    return {
        "arch": task.settings.model.arch,
        "from": task.begun_with,
        "data": {"training": task.training_facts, "validation": task.validation_facts},
        "sizes": {"num_parameters": sum(parameter.numel() for parameter in model.parameters()),
                  "vocab_size": len(task.tokenizer)},
        "machine": {"device": str(device), "precision": precision, "threads": torch.get_num_threads(),
                    "processors": os.cpu_count(), "system": platform.platform()},
        "versions": {"regard": __version__, "torch": torch.__version__, "python": platform.python_version()},
    }  # fmt: skip


def in_json(value: Any) -> Any:
    """A record for JSON: null in place of numbers that are not finite."""
    if isinstance(value, Mapping):
        return {name: in_json(part) for name, part in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
