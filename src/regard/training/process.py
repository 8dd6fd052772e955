"""The process of a run: signals to stop it, its random numbers, and the lock on its folder."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from regard.errors import TrainingError
from regard.text.locks import lock

LOCK = ".lock"
"""The lock file of a run, so that no other one writes to the same folder."""


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Keep other runs from writing to a folder of checkpoints while this context lasts.

    The system releases the lock when the process ends, for whatever reason. On systems without locks, two runs can collide.

    Raises:
        TrainingError: another run writes to the folder, or it cannot be written.
    """
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = path.open("a")
    except OSError as error:
        raise TrainingError(f"{folder} must be a folder that can be written; got: {error.strerror}.") from error
    with stream:
        if not _locked(stream.fileno()):
            raise TrainingError(
                f"{folder} must be written by one run at a time; another run is writing to it. Wait for it, or choose another "
                "output folder."
            )
        try:
            yield
        finally:
            with suppress(OSError):  # the folder has other files, or was replaced
                path.unlink(missing_ok=True)
                folder.rmdir()


def _locked(descriptor: int) -> bool:
    """Lock a file that is open; False: another process holds it, or has removed it since."""
    is_ours = lock(descriptor)
    return is_ours is None or (is_ours and os.fstat(descriptor).st_nlink > 0)


SCHEDULED = [getattr(signal, name) for name in ("SIGTERM", "SIGUSR1") if hasattr(signal, name)]
"""The signals by which a scheduler announces that the time is up; Slurm sends SIGUSR1 where `--signal` asks for it."""


class StopRequest:
    """A flag that is set when the run was asked to stop: by Ctrl-C, or by a scheduler."""

    def __init__(self) -> None:
        self.asked = False
        self.by_scheduler = False

    def __bool__(self) -> bool:
        return self.asked


@contextmanager
def stopping_on_signals() -> Iterator[StopRequest]:
    """Let a first Ctrl-C, SIGTERM or SIGUSR1 only note that a stop is asked for, while this context lasts: a step is
    never cut in two.

    A second one ends the process as usual. A signal that is ignored, as in a shell's background, stays ignored; and nothing
    is done outside the main thread, where signals cannot be caught.
    """
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *SCHEDULED)}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}

    def note(number: int, frame: FrameType | None) -> None:
        stop.asked, stop.by_scheduler = True, number in SCHEDULED
        _restore(before)

    for number in before:
        signal.signal(number, note)
    try:
        yield stop
    finally:
        _restore(before)


def _restore(handlers: dict[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def device_with_randomness(device: torch.device) -> str:
    """The kind of a device that has random numbers of its own; empty: the CPU's are all."""
    return device.type if device.type in ("cuda", "xpu") else ""


def random_numbers_kept(device: torch.device) -> AbstractContextManager[None]:
    """Give PyTorch's random generators back as they were found, the CPU's and the device's, when this context ends."""
    kind = device_with_randomness(device)
    return torch.random.fork_rng([device] if kind else [], device_type=kind or "cuda")
