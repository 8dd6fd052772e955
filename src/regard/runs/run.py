"""A run of any kind of task: model, training, checkpoints, scores, model folder."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.adapters import Base, weights_digest
from regard.checkpoint import CONFIDENCE, REPORT, remove_leftovers
from regard.data.prefetching import num_loading_processes
from regard.errors import SettingsError, TrainingError
from regard.evaluation.score_table import OLD_TASK
from regard.inspection.html_report import report_html
from regard.memory import WEIGHT_BYTES, check_room_to_train, meta_model
from regard.models.adaptation import add_adapter
from regard.models.interface import Model
from regard.models.parameter_names import parameters_named
from regard.models.registry import build, token_parameters
from regard.pipelines.devices import left_out, resolve_device
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.runs.cpu_contention import watched_threads
from regard.runs.dry_run import plan
from regard.runs.old_task import OldTask
from regard.runs.progress import Callbacks, RunDisplay, UserCallback, clock, quantity
from regard.runs.report import training_report
from regard.runs.resuming import check_state, environment, fingerprint, is_written, newest_state
from regard.runs.run_folder import FolderWriter, write_results
from regard.runs.settings.defaults import RATE, notes, resolve_defaults, to_fit
from regard.runs.settings.run_settings import RunSettings, checked_section
from regard.runs.storing import AdapterStore, ModelStore, Store
from regard.runs.tasks.initial_model import UNKNOWN, UNKNOWN_RATE
from regard.runs.tasks.task import Task
from regard.runs.training_result import TrainingResult
from regard.text.lines import write_whole
from regard.text.wording import counted
from regard.training.distributed import ALONE, World
from regard.training.precision import is_bfloat16_fast, resolve_precision
from regard.training.state import (
    TrainingState,
    best_folder,
    clear,
    remove_snapshots_after,
    snapshot_folder,
    state_folder,
)
from regard.training.trainer import Trainer
from regard.training.training_run import Callback, SavingTimes, TrainingRun
from regard.training.updates import Updater
from regard.version import __version__

DECIDED_BY_DATA = {"vocab_size", "source_vocab_size", "pad_id", "separator_id", "labels"}


@dataclass(frozen=True)
class RunOptions:
    """Options of a run that do not change its result: devices, processes, checkpoints, callbacks."""

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
    is_dry: bool = False
    """Only say what the run would take."""
    adapts: Path | None = None
    """The model that an adapter learns for; None: the whole model is stored."""
    compiles: bool = False
    """Compile the model."""
    old_task: OldTask | None = None
    """Data of what the model in `--from` was trained for, to measure what the run loses of it."""

    def report_effect(self, display: RunDisplay) -> None:
        """Say which options have no effect, or not the one that is expected."""
        device = resolve_device(self.device)
        if reason := left_out(self.device, device):
            display.say(reason)
        if self.compiles and device.type == "cpu":
            display.say("--compile is for GPUs; on a CPU it was measured to be slower (docs/gpu.md)")
        if self.shard and self.world.size == 1:
            display.say("--shard has no effect with one process; start several with torchrun")


def run(task: Task, output: Path, options: RunOptions, *, display: RunDisplay, preset: str | None) -> TrainingResult:
    """The run itself: model, training, scores, model folder.

    Of several processes, the main one measures and writes the scores; the others return when training is over.

    Args:
        output: `claimed`.
        preset: its name; None: the sizes are those of the model that the run begins with.
    """
    start = time.perf_counter()
    device = resolve_device(options.device)
    resumed = newest_state(state_folder(output), display) if options.resume else None
    task.settings = resolve_defaults(task.settings, task.epoch_steps, task.usual_metric)
    settings, tokenizer, world = task.settings, task.tokenizer, options.world
    if resumed is None:  # else it is compared with that of the checkpoint
        checked_section("model", type(settings.model), settings.model.model_dump())  # what is written must be readable
    for each in filter(None, {tokenizer, task.source_tokenizer}):
        each.check_saved()
    for note in [*task.notes, *notes(settings)]:
        display.say(note)
    if settings.training.precision == "bfloat16" and not is_bfloat16_fast(device):
        display.say("this processor multiplies bfloat16 no faster; --precision float32 is faster")
    if task.initial is None:
        check_room(settings, device, world, shard=options.shard)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = build(settings.model) if task.initial is None else task.initial
        whole = choose_what_learns(model, settings, task.new_parameters, adds_tokens=task.adds_tokens)
    store, model = _store(task, whole), model.to(device)
    if task.begun_with is not None and resumed is None:
        _fit_to_texts(task, model, display)
    settings = task.settings
    facts = _facts(model, task) | ({"processes": world.size} if world.size > 1 else {})
    padding = f", {task.padding:.1%} padding" if task.padding else ""
    display.say(
        f"{quantity(facts['sizes']['num_parameters'])} parameters{_learning(model)}, vocabulary {len(tokenizer):,}, "
        f"{facts['machine']['precision']} on {device}, {counted(settings.training.steps, 'step')}{padding}"
        + (f", {world.size} processes" if world.size > 1 else "")
    )
    task.num_processes = num_loading_processes(device, int(os.environ.get("LOCAL_WORLD_SIZE", 1)))  # as torchrun says
    if options.is_dry:
        planned = plan(model, task, store, output, world, compiles=options.compiles)
        for line in planned.lines():
            display.say(line)
        return TrainingResult(output, TrainingRun(), None, planned.record())
    facts |= {"task": task.name, "preset": preset, "settings": _shown(task)}
    given = [UserCallback(each, device) for each in options.callbacks] if world.is_main else []
    callbacks = Callbacks([display, *watched_threads(device, world, display.say), *given])
    record = _train(model, task, store, output, options, resumed, display, callbacks, facts)
    if not world.is_main:
        return TrainingResult(output, record, None, {})
    loaded: Any = store.load(output, device)
    scores = None if record.interrupted else _scores(task, loaded, record, display)
    results: dict[str, Any] = {}
    if scores is not None:
        results = scores | {
            "evaluated_on": task.validation_facts["name"],
            "validation_loss": record.best_scores["loss"],
            **facts,
            "steps": {"trained": record.step, "kept": record.best_step, "skipped": record.skipped_steps},
            "seconds": {"training": record.seconds, "total": time.perf_counter() - start},
            "target_tokens_per_second": record.tokens_per_second,
        }
        _write(output, store, loaded, results, record, is_changed=loaded.model.config != settings.model)
        if options.old_task is not None:
            results[OLD_TASK] = options.old_task.after(loaded)  # whatever happens there, the rest is written
            _write(output, store, loaded, results, record, is_changed=False)
    callbacks.on_end(results)
    return TrainingResult(output, record, loaded, results, options.adapts)


def _write(
    output: Path, store: Store, loaded: Any, results: dict[str, Any], record: TrainingRun, *, is_changed: bool
) -> None:
    """Write the results of a run beside its model.

    Args:
        is_changed: whether the configuration has changed since the model was stored.
    """
    if isinstance(loaded, Translator) and loaded.confidence:
        loaded.confidence.write(output / CONFIDENCE)
    if is_changed:
        store.rewrite_config(output, loaded.model)
    results["sizes"]["weights_bytes"] = (output / store.weights).stat().st_size
    write_results(output, results)
    report = training_report(output.absolute().name, results, record)
    write_whole(output / REPORT, report_html(report).encode("utf-8"))


def check_what_learns(settings: RunSettings) -> None:
    """Make sure, before data are read, that the parts of a model that the settings name are there.

    Raises:
        SettingsError: one is not, or nothing is left to learn, or an adapter and frozen parts are both asked for.
    """
    if settings.adapter.rank is not None and settings.training.freeze:
        raise SettingsError(
            "`training.freeze` has no effect with an adapter, which freezes the whole model. Remove it."
        )
    if settings.adapter.rank is not None or settings.training.freeze:
        choose_what_learns(meta_model(settings.with_least_vocabulary().model), settings)


def choose_what_learns(
    model: Model, settings: RunSettings, new_parameters: Sequence[str] = (), *, adds_tokens: bool = False
) -> list[str]:
    """Put adapters into a model, or freeze parts of it, as the settings say. Returns the names of the parameters that learn as
    a whole beside adapters.

    Args:
        new_parameters: those that the model in `--from` does not have: they learn beside adapters.
        adds_tokens: whether the vocabulary has grown: then what has a row for each token learns beside adapters.
    Raises:
        SettingsError: a part that the model does not have, or nothing is left to learn.
    """
    if settings.adapter.rank is not None:
        whole = add_adapter(model, settings.adapter)
        whole += [name for name in (token_parameters(model) if adds_tokens else []) if name not in whole]
        for name in (*new_parameters, *whole):
            model.get_parameter(name).requires_grad_(True)
        return [name for name in whole if name not in new_parameters]
    for name in parameters_named(model, settings.training.freeze, "training.freeze"):
        model.get_parameter(name).requires_grad_(False)
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise SettingsError("training.freeze must leave a part of the model that learns; got all of them.")
    return []


def _scores(task: Task, loaded: Pipeline, run: TrainingRun, display: RunDisplay) -> dict[str, Any] | None:
    """The scores of the kept model; None: interrupted, and `run` says so."""
    metric = task.settings.training.metric
    if (before := _better_before(run, metric)) is not None:
        display.say(f"no validation was better than the model it began with: {metric} {before:.3f}")
    if run.skipped_steps:
        display.say(
            f"{run.skipped_steps:,} of {counted(run.step, 'step')} changed nothing, as loss or gradient was not a finite number"
        )
    display.say(f"trained in {clock(run.seconds)}; measuring the kept model (step {run.best_step:,}) ...")
    try:
        return task.evaluate(loaded)
    except KeyboardInterrupt:
        run.interrupted = True
        return None


def _fit_to_texts(task: Task, model: Model, display: RunDisplay) -> None:
    """Where the model that a run begins with knows nothing of the new texts, raise the learning rate, unless the user gave one;
    of an adapter, say what it lacks.
    """
    settings = task.settings
    adapts, fits = settings.adapter.rank is not None, RATE in to_fit(settings)
    if settings.is_frozen or task.new_parameters or getattr(model.config, "labels", None):  # of other losses by chance
        return
    if (settings.adapter.whole or task.adds_tokens) if adapts else not fits:
        return
    with torch.no_grad():
        loss = task.loss(model.eval())
    model.train()
    chance = math.log(model.config.vocab_size)
    if not loss >= UNKNOWN * chance:  # as where it is not a number
        return
    display.say(
        f"{task.begun_with} knows nothing of these texts: a loss of {loss:.2f} nats a token, by chance {chance:.2f}"
    )
    if adapts:
        display.say("an adapter learns more if embeddings learn, too: --set adapter.whole=[embeddings]")
        return
    rate = float(f"{UNKNOWN_RATE * (settings.training.learning_rate or 0):.2g}")
    task.settings = settings.changed({RATE: rate}, [RATE])
    display.say(f"so the learning rate is {rate:g}, {UNKNOWN_RATE} times the usual one")


def _store(task: Task, whole: Sequence[str]) -> Store:
    """The store of a run's model, of which some parameters learn as a whole beside an adapter."""
    if task.settings.adapter.rank is None:
        return ModelStore(*task.stored_tokenizers)
    base = task.base
    assert base is not None
    tokens = task.settings.tokenizer.add if task.adds_tokens else []
    return AdapterStore(
        Base(name=str(task.begun_with), sha256=weights_digest(base.model)), base, task.new_parameters, whole, tokens
    )


def _learning(model: Model) -> str:
    """The number of parameters that learn, if not all."""
    learning = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    share = learning / sum(parameter.numel() for parameter in model.parameters())
    return "" if share == 1 else f" ({quantity(learning)} of them learn, {share:.2%})"


def _shown(task: Task) -> dict[str, Any]:
    """The settings that a run used: of a vocabulary that was not learnt, which tokens were added."""
    without: dict[str, Any] = {"model": DECIDED_BY_DATA} | (
        {"adapter": True} if task.settings.adapter.rank is None else {}
    )
    found = task.settings.model_dump(mode="json", exclude=without)
    return found | ({"tokenizer": {"add": found["tokenizer"]["add"]}} if task.has_given_vocabulary else {})


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


def _train(
    model: Model,
    task: Task,
    store: Store,
    output: Path,
    options: RunOptions,
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
    world, states = options.world, state_folder(output)
    made_of, made_on = fingerprint(task, model), environment(model, world)
    if len(set(map(json.dumps, world.gather(made_of)))) > 1:
        raise TrainingError("all processes of a run must have the same data and settings; theirs differ.")
    if world.is_main:
        remove_leftovers(output)
    if options.resume:
        check_state(resumed, output / store.weights, task, model, world, display)
    is_saved = resumed is not None and is_written(resumed)
    writer = FolderWriter(task, store, output, made_of | made_on, is_saved=is_saved)
    updater: Updater[Model, Any] = Updater(
        model, task.settings.training, world, shard=options.shard, teacher=task.teacher, compiles=options.compiles
    )
    trainer = Trainer(
        updater, task, writer, callbacks, saving=options.saving, resumed=resumed,
        validates_first=task.begun_with is not None,
    )  # fmt: skip
    callbacks.on_start({**facts, "step": trainer.progress.step})
    if world.is_main:  # last, so that nothing is lost where this run cannot begin
        if options.resume:
            remove_snapshots_after(output, -1 if resumed is None else resumed.step)
        else:
            clear(states)
    if every := task.settings.training.keep_every:
        size = WEIGHT_BYTES * sum(parameter.numel() for parameter in model.parameters())
        display.say(
            f"{counted(task.settings.training.steps // every + 1, 'snapshot')} of {quantity(size)}B each will be in "
            f"{snapshot_folder(output)}"
        )
    run = trainer.train()
    if world.is_main and not writer.is_saved:
        raise KeyboardInterrupt
    if task.settings.training.keep_best > 1 and (count := len(list(best_folder(output).glob("*")))) > 1:
        averages = "" if options.adapts is not None else "; `regard average` can average them"
        display.say(f"the {count} best models are in {best_folder(output)}{averages}")
    return run


def _facts(model: Model, task: Task) -> dict[str, Any]:
    """The part of `results.json` on data, sizes, machine and versions."""
    device = next(model.parameters()).device
    precision = str(resolve_precision(task.settings.training.precision, device)).removeprefix("torch.")
    encoder, decoder = task.pretrained_parts or (None, None)
    sizes = {"num_parameters": sum(each.numel() for each in model.parameters()), "vocab_size": len(task.tokenizer)}
    if task.source_tokenizer is not None and task.source_tokenizer is not task.tokenizer:
        sizes["source_vocab_size"] = len(task.source_tokenizer)
    return {
        "arch": task.settings.model.arch,
        "from": task.begun_with,
        "encoder": encoder,
        "decoder": decoder,
        "teacher": task.taught_by,
        "data": {"training": task.training_facts, "validation": task.validation_facts},
        "sizes": sizes,
        "machine": {"device": str(device), "precision": precision, "threads": torch.get_num_threads(),
                    "processors": os.cpu_count(), "system": platform.platform()},
        "versions": {"regard": __version__, "torch": torch.__version__, "python": platform.python_version()},
    }  # fmt: skip
