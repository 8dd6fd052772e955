"""Resuming a run: from which checkpoint, and which settings and data must be the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import torch

from regard.errors import SettingsError, TrainingError
from regard.models.config import current
from regard.models.interface import Model
from regard.models.registry import architecture
from regard.runs.progress import RunDisplay
from regard.runs.settings.defaults import ARCH, RECORDED_AS, recorded
from regard.runs.settings.reading import DECIDED
from regard.runs.settings.run_settings import SECTIONS, RunSettings
from regard.runs.tasks.task import Task
from regard.text.wording import counted
from regard.training.distributed import World
from regard.training.precision import resolve_precision
from regard.training.schedules import FALLING
from regard.training.state import TrainingState, first_difference, read_state

CHANGEABLE = {"steps", "report_every", "patience"}
"""Settings that may differ when a run is resumed."""
STEPS = "training.steps"
UNCOMPARED = {STEPS, RECORDED_AS}
PRECISION = "training.precision"
OPTIONS = {ARCH: "--arch", "training.seed": "--seed", PRECISION: "--precision"}
"""The options of settings that have one of their own."""
NOT_GIVEN = {"model.vocab_size", *(f"model.{key}" for key in DECIDED if key not in ("arch", "task"))}
"""Settings that the data and others decide."""
INITIAL = "data.from"
"""The key of the checksum of the weights that a run began with."""


def fingerprint(task: Task, model: Model) -> dict[str, Any]:
    """The data and settings that must be the same for a run to continue unchanged, by names that users know."""
    device = next(model.parameters()).device
    found: dict[str, Any] = {f"model.{key}": value for key, value in model.config.model_dump(mode="json").items()}
    for section in ("tokenizer", "data", "training", "adapter"):
        values = getattr(task.settings, section).model_dump(mode="json")
        found |= {f"{section}.{key}": value for key, value in values.items() if key not in CHANGEABLE}
    found[PRECISION] = str(resolve_precision(task.settings.training.precision, device))
    return found | {RECORDED_AS: recorded(task.settings)} | task.data_digests


def environment(model: Model, world: World) -> dict[str, Any]:
    """The machine. Another one changes the last bits of a resumed run: sums are rounded differently, random numbers differ."""
    return {
        "machine.processes": world.size,
        "machine.device": next(model.parameters()).device.type,
        "machine.threads": torch.get_num_threads(),
        "machine.torch": torch.__version__,
    }


def newest_state(states: Path, display: RunDisplay) -> TrainingState | None:
    """The newest intact checkpoint of a folder, None if there is none yet; damaged ones are reported.

    Raises:
        TrainingError: there are checkpoints, and all are damaged.
    """
    state, damaged = read_state(states)
    for sentence in damaged:
        display.say(f"{sentence}. Until validation finds a better one, the kept model may be of a later step")
    if state is None:
        display.say(f"nothing to resume in {states}: starting a new run")
    return state


def check_state(
    state: TrainingState | None, weights: Path, task: Task, model: Model, world: World, display: RunDisplay
) -> None:
    """Make sure that a run can continue from its checkpoint, the same in all processes, and report what will differ.

    Args:
        state: None: there is none yet.
        weights: the file of the best model so far.
    Raises:
        SettingsError: data or settings differ, and the message names the difference; or more steps were done than there are
            to be; or its best model is gone.
        TrainingError: processes see different checkpoints.
    """
    if state is not None:
        _compare(state, fingerprint(task, model), environment(model, world), task.settings, display)
    steps = world.gather(0 if state is None else state.step)
    if len(set(steps)) > 1:
        raise TrainingError(
            "all processes of a run must see the same checkpoints, on a disk that they share; process "
            f"{steps.index(max(steps))} found step {max(steps):,}, process {steps.index(min(steps))} step {min(steps):,}."
        )
    if world.is_main and state is not None and is_written(state) and not weights.is_file():
        raise SettingsError(
            f"`--resume` needs the best model so far, of step {state.progress['best_step']:,}; it is not in {weights.parent}. "
            "Move it back, or start over with `--overwrite`."
        )


def check_steps(state: TrainingState, settings: RunSettings) -> None:
    """Make sure that a run ends no earlier than its checkpoint: what was learnt after that step cannot be taken back.

    Raises:
        SettingsError: it would.
    """
    steps = settings.training.steps
    if state.step <= steps:
        return
    then = state.fingerprint.get(STEPS, state.step)
    hint = f" Add `--steps {max(then, state.step)}`." if STEPS not in settings.explicit else ""
    raise SettingsError(f"{STEPS} must be at least the {state.step:,} that this run has done; got {steps:,}.{hint}")


def is_written(state: TrainingState) -> bool:
    """Whether the best model so far is in its folder. The resumed run writes one of the checkpoint's own step again."""
    return state.progress["best_step"] not in (0, state.step)


def _compare(
    state: TrainingState,
    made_of: dict[str, Any],
    environment_now: dict[str, Any],
    settings: RunSettings,
    display: RunDisplay,
) -> None:
    """Make sure that a run has the data and settings of its checkpoint, and report allowed differences."""
    then = {
        key: current(key.rpartition(".")[2], value)
        for key, value in state.fingerprint.items()
        if key not in environment_now and key not in UNCOMPARED
    }
    uncompared = UNCOMPARED if INITIAL in then else {*UNCOMPARED, INITIAL}  # earlier versions did not note it
    now = {key: value for key, value in made_of.items() if key not in uncompared}
    asked = {key: value for key, value in now.items() if key in then or not _is_default(settings, key, value)}
    changed_now = {key for key in now if key in settings.explicit and key in then and then[key] != now[key]}
    if changed_now:  # of which others may follow
        then, asked = ({key: values[key] for key in changed_now} for values in (then, asked))
    elif lacking := to_give_again(then, now, settings, state.fingerprint.get(RECORDED_AS, ())):
        raise SettingsError(
            f"`--resume` needs the same data and settings as the interrupted run; got no `{' '.join(lacking)}`. Add it, or the "
            "`--config` that has it."
        )
    if (difference := first_difference(then, asked)) is not None:
        raise SettingsError(
            f"`--resume` needs the same data and settings as the interrupted run; got a change: {difference}."
        )
    check_steps(state, settings)
    changes = [
        f"{name} was {state.fingerprint[name]} and is {value}"
        for name, value in environment_now.items()
        if state.fingerprint.get(name, value) != value
    ]
    note = f"; {', '.join(changes)}, so results may differ in the last bits" if changes else ""
    display.say(f"resumed at step {state.step:,}{note}")
    steps, schedule = settings.training.steps, settings.training.schedule
    if schedule in FALLING and state.fingerprint.get(STEPS, steps) != steps and state.step < steps:
        display.say(
            f"{STEPS} was {state.fingerprint[STEPS]:,} and is {steps:,}: from here on, the learning rate follows a {schedule} "
            f"schedule of {counted(steps, 'step')}"
        )


def _is_default(settings: RunSettings, name: str, value: Any) -> bool:
    """Whether a setting has its default, with which earlier versions without this setting agree."""
    section, _, key = name.partition(".")
    fields = type(getattr(settings, section)).model_fields if section in SECTIONS else {}
    if key not in fields or fields[key].is_required() or fields[key].default_factory_takes_validated_data:
        return False
    return bool(fields[key].get_default(call_default_factory=True) == value)


def to_give_again(
    then: Mapping[str, Any], now: Mapping[str, Any], settings: RunSettings, recorded_then: Collection[str]
) -> list[str]:
    """The options with which a run began and that it lacks now, such as `--set training.batch_tokens=150`.

    Args:
        then: what the run was made of at its start.
        now: what it is made of.
        recorded_then: the names of the settings that nobody gave at its start.
    """
    if INITIAL in then and then[INITIAL] != now.get(INITIAL):  # another model, of other sizes
        return []
    kept = settings.explicit | set(recorded_then) | NOT_GIVEN
    fields = {f"{section}.{key}" for section in SECTIONS for key in type(getattr(settings, section)).model_fields}
    lacking = sorted(key for key in (fields & then.keys()) - kept if then[key] != now.get(key))
    if ARCH in then and then[ARCH] != now.get(ARCH):
        return [] if ARCH in kept else [_option(ARCH, then[ARCH])]
    if "data.directions" in lacking:
        return [f"--direction {languages}=DATA" for languages in then["data.directions"] or []]
    if "data.tags" in lacking and "tokenizer.add" in lacking:  # which has the tags
        lacking.remove("tokenizer.add")
    found = []
    if (preset := _preset_of(then, lacking, settings)) is not None:
        values = RunSettings.build(preset, arch=settings.model.arch)
        found = [f"--preset {preset}"]
        lacking = [key for key in lacking if values.value(key) != then[key]]
    return found + [_option(key, then[key]) for key in lacking]


def _preset_of(then: Mapping[str, Any], lacking: Collection[str], settings: RunSettings) -> str | None:
    """The preset of a run, by its sizes, if it has another one now; None: not known, or the same."""
    if "model.model_dim" not in lacking:
        return None
    for name, preset in architecture(settings.model.arch).presets.items():
        sizes = {f"model.{key}": value for key, value in preset["model"].items() if key != "dropout"}
        if all(then.get(key) == value for key, value in sizes.items() if key not in settings.explicit):
            return name
    return None


def _option(name: str, value: Any) -> str:
    """The option that gives a setting, as a shell reads it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if name == PRECISION:
        text = text.removeprefix("torch.")
    return f"{OPTIONS[name]} {shlex.quote(text)}" if name in OPTIONS else f"--set {shlex.quote(f'{name}={text}')}"
