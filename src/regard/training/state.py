"""Checkpoints: everything that a run needs to continue as if it had never stopped, in a folder beside the model.

A checkpoint is a folder `step-00001000`: `state.safetensors` with weights, averages, the optimizer's moments and the random
generators, and `state.json` with the record of the run, what the run was made of, and a checksum. It is written aside,
synced and renamed; the newest two are kept, so that a damaged one costs no more than the steps since the one before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from regard.checkpoint import METRICS
from regard.checkpoint import PARTS as MODEL_PARTS
from regard.errors import RegardError, TrainingError
from regard.text.lines import digest_of, write_whole

TENSORS, RECORD = "state.safetensors", "state.json"
FORMAT_VERSION = 1
RENAMED = {"next_place": "next_cursor"}
"""Old names of fields of the progress, in checkpoints of earlier versions."""
CHECKSUM_LENGTH = 32
NOT_WRITTEN = "Error while serializing: I/O error: "
"""The beginning of safetensors' message before the system's reason."""
KEPT = 2
"""The number of checkpoints that stay."""
WHOLE, BEGUN = "step-????????", ".step-*.part"
"""The names of checkpoints, finished and while they are written."""
STATES, BEST, SNAPSHOTS, EVENTS = ".training", "best", "snapshots", "tensorboard"
"""Other folders of a run beside them: the best models, models every so many steps, and TensorBoard's event files."""
PARTS = (WHOLE, BEGUN, BEST, SNAPSHOTS, EVENTS, METRICS, f".{METRICS}.*.part")
"""All files of a run in its folder. Other files belong to the user."""


@dataclass(frozen=True)
class TrainingState:
    """The state of a run between two steps."""

    tensors: dict[str, Tensor]
    """The tensors by name: `weights.*`, `average.*`, `optimizer.*`, `random.*`."""
    progress: dict[str, Any]
    """The record of the run so far."""
    fingerprint: dict[str, Any]
    """Settings and checksums of the data: what must stay the same for the run to continue unchanged."""

    @property
    def next_cursor(self) -> tuple[int, int]:
        """The position of the batch after the last one: epoch, and number in it."""
        epoch, number = self.progress["next_cursor"]
        return int(epoch), int(number)

    @property
    def step(self) -> int:
        """The number of updates so far."""
        return int(self.progress["step"])


def state_folder(output: Path) -> Path:
    """The folder of a run's checkpoints: beside its model folder, with links resolved."""
    real = Path(os.path.realpath(output))
    return real.with_name(f"{real.name}{STATES}")


def best_folder(output: Path) -> Path:
    """The folder of the best few models of a run."""
    return state_folder(output) / BEST


def snapshot_folder(output: Path) -> Path:
    """The folder of the models that a run kept every so many steps."""
    return state_folder(output) / SNAPSHOTS


def finished_model(kept: Path) -> Path | None:
    """The model folder of the run that kept a model among its best or its snapshots; None: no run did. It need not exist.

    Args:
        kept: a folder such as `model.training/best/step-00001000`.
    """
    parent = Path(os.path.realpath(kept)).parent
    states = parent.parent
    if parent.name not in (BEST, SNAPSHOTS) or not states.name.endswith(STATES) or states.name == STATES:
        return None
    return states.with_name(states.name.removesuffix(STATES))


def snapshots(output: Path) -> dict[int, Path]:
    """The models that a run kept every `training.keep_every` steps: step to model folder, ascending.

    Args:
        output: the run's model folder; it need not exist any more.
    Returns:
        Empty where there are none. What is half written, or half removed, is not among them.
    """
    named = (
        (re.fullmatch(r"step-(\d{8,10})", path.name, re.ASCII), path) for path in snapshot_folder(output).glob("*")
    )
    found = {int(name[1]): path for name, path in named if name is not None}
    return {step: path for step, path in sorted(found.items()) if all((path / part).is_file() for part in MODEL_PARTS)}


def remove_snapshots_after(output: Path, step: int) -> None:
    """Remove the snapshots after a step, and what is not a whole one: a run that goes on from there writes its own."""
    kept = [path for number, path in snapshots(output).items() if number <= step]
    for path in snapshot_folder(output).glob("*"):
        if path not in kept:
            shutil.rmtree(path, ignore_errors=True)


def clear(folder: Path) -> None:
    """Remove what an earlier run left in its folder of checkpoints, and nothing else."""
    for path in (found for name in PARTS for found in folder.glob(name)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


def write_state(folder: Path, state: TrainingState) -> None:
    """Write a checkpoint whole or not at all, and remove all but the newest `KEPT`.

    Raises:
        TrainingError: the disk is full or the folder cannot be written; what was there before is whole.
    """
    name = f"step-{state.step:08d}"
    aside = folder / f".{name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left_behind in folder.glob(BEGUN):
            shutil.rmtree(left_behind, ignore_errors=True)
        aside.mkdir()
        safetensors.torch.save_file(state.tensors, aside / TENSORS)
        with (aside / TENSORS).open("rb+") as stream:
            os.fsync(stream.fileno())
        record = {
            "format_version": FORMAT_VERSION,
            "tensors_sha256": digest_of(aside / TENSORS),
            "progress": state.progress,
            "made_of": state.fingerprint,
        }
        write_whole(aside / RECORD, json.dumps(record | {"record_sha256": _digest(record)}).encode("utf-8"))
        if (folder / name).exists():
            shutil.rmtree(folder / name)
        aside.rename(folder / name)
        for old in checkpoints(folder)[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    except (OSError, RegardError, SafetensorError) as error:
        shutil.rmtree(aside, ignore_errors=True)
        reason = getattr(error, "strerror", None) or str(error).removeprefix(NOT_WRITTEN).rstrip(".")
        raise TrainingError(f"{folder} must be writable, with room for a checkpoint; got: {reason}.") from error


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest first."""
    return sorted(folder.glob(WHOLE), reverse=True)


def read_state(folder: Path) -> tuple[TrainingState | None, list[str]]:
    """Read the newest whole checkpoint of a folder, with a sentence about each damaged one that was passed over.

    Returns:
        None where there is no checkpoint.
    Raises:
        TrainingError: there are checkpoints, and all are damaged.
    """
    damaged: list[str] = []
    for path in checkpoints(folder):
        try:
            return _read(path), damaged
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, SafetensorError) as error:
            damaged.append(f"{path} is damaged ({error}); the checkpoint before it is used")
    if damaged:
        raise TrainingError(f"{folder} must hold an intact checkpoint to resume from; all are damaged. Start over.")
    return None, []


def newest_fingerprint(folder: Path) -> dict[str, Any] | None:
    """The fingerprint of the run of a folder, by its newest record that can be read; None where there is none."""
    for path in checkpoints(folder):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return dict(_read_record(path)["made_of"])
    return None


def _read_record(path: Path) -> dict[str, Any]:
    record = dict(json.loads((path / RECORD).read_text(encoding="utf-8")))
    if record.pop("record_sha256") != _digest(record):
        raise ValueError("the checksum of its record differs")
    return record


def _read(path: Path) -> TrainingState:
    record = _read_record(path)
    if record["format_version"] != FORMAT_VERSION:
        raise ValueError(f"of format {record['format_version']}, not {FORMAT_VERSION}")
    if digest_of(path / TENSORS) != record["tensors_sha256"]:
        raise ValueError("the checksum of its tensors differs")
    progress = {RENAMED.get(key, key): value for key, value in record["progress"].items()}
    return TrainingState(safetensors.torch.load_file(path / TENSORS), progress, record["made_of"])


def _digest(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode("utf-8")).hexdigest()


def first_difference(then: dict[str, Any], now: dict[str, Any]) -> str | None:
    """A text with the first difference between a run's fingerprints then and now; None: there is none."""
    for key in sorted(then.keys() | now.keys()):
        before, after = then.get(key), now.get(key)
        if before != after and isinstance(before, str) and len(before) >= CHECKSUM_LENGTH:
            return f"{key} is not what it was"
        if before != after:
            return f"{key} was {before!r} and is {after!r}"
    return None
