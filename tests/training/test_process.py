"""A run among other processes: one at a time in a folder, and stopped between two steps."""

import errno
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from regard.errors import TrainingError
from regard.training.process import LOCK, run_lock, stopping_on_signals
from regard.training.state import clear

locked = pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")


@locked
def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    folder = tmp_path / "model.training"
    with run_lock(folder):
        clear(folder)  # a run begins with it, and goes on being the only one
        with pytest.raises(TrainingError, match="one run at a time"), run_lock(folder):
            raise AssertionError
        assert (folder / LOCK).is_file()
    assert not folder.exists()
    with run_lock(folder):
        (folder / "step-00000001").mkdir()
    assert [path.name for path in folder.iterdir()] == ["step-00000001"]


@locked
def test_what_a_killed_run_left_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / LOCK).touch()
    for name in ("metrics.jsonl", ".metrics.jsonl.0123456789abcdef.part"):
        (tmp_path / name).touch()
    with run_lock(tmp_path):
        clear(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [LOCK]


@locked
def test_a_lock_that_its_owner_has_just_removed_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    flock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        (tmp_path / LOCK).unlink()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(TrainingError, match="one run at a time"), run_lock(tmp_path):
        raise AssertionError


@locked
def test_where_files_cannot_be_locked_runs_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with run_lock(tmp_path), run_lock(tmp_path):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_is_noted_and_a_second_one_acts(number: signal.Signals) -> None:
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    for each in before:
        signal.signal(each, signal.default_int_handler)  # or it would end the tests, or be ignored in the background
    try:
        with stopping_on_signals() as stop:
            assert not stop
            os.kill(os.getpid(), number)
            assert stop
            with pytest.raises(KeyboardInterrupt):
                _interrupt_again(number)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopping_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGINT)
            assert not stop
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt_again(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)
    time.sleep(5)


def test_other_threads_are_left_alone() -> None:
    seen = []

    def enter() -> None:
        with stopping_on_signals() as stop:
            seen.append(bool(stop))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [False]
