"""Threads where other processes work, too: chosen at the start, fewer when it becomes crowded, more when it is calm again."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from regard.cli import option_types as options
from regard.processors import Usage, may_choose_threads, num_allowed, num_free, usage
from regard.runs import cpu_contention
from regard.runs.cpu_contention import ThreadsWatch, sleeping_while_waiting, watched_threads
from regard.training.distributed import World
from regard.training.training_run import Progress

STEP = Progress(1, 10, 1.0, 0.1, 1.0, 1.0, 1.0)


@pytest.fixture(autouse=True)
def four_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before, token = torch.get_num_threads(), may_choose_threads.set(None)
    torch.set_num_threads(4)
    for place in (cpu_contention, options):
        monkeypatch.setattr(place, "num_allowed", lambda: 4, raising=False)
    monkeypatch.setattr("regard.processors.num_allowed", lambda: 4)
    yield
    torch.set_num_threads(before)
    may_choose_threads.reset(token)


class Machine:
    """A machine of four processors on which time passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = Usage(0.0, 0.0, 0.0)
        monkeypatch.setattr(cpu_contention, "usage", lambda: self.now)
        monkeypatch.setattr(cpu_contention.time, "perf_counter", lambda: self.now.clock)

    def passes(self, seconds: float, *, others: float, own: float) -> None:
        """Time in which other processes and this one use so many processors."""
        clock, busy, mine = self.now
        self.now = Usage(clock + seconds, busy + (others + own) * seconds, mine + own * seconds)


def test_what_other_processes_leave() -> None:
    assert num_free(Usage(0, 0, 0), Usage(10, 25, 10)) == pytest.approx(2.5)
    assert num_free(Usage(0, 0, 0), Usage(10, 9, 10)) == 4  # clocks differ a little


@pytest.mark.skipif(usage() is None, reason="this system does not say how busy processors are")
def test_usage_of_this_machine() -> None:
    before = usage()
    sum(range(3_000_000))
    after = usage()
    assert before is not None
    assert after is not None
    assert after.own > before.own
    assert after.busy >= before.busy
    assert num_allowed() >= 1


def test_fewer_threads_while_others_work_and_more_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, said = Machine(monkeypatch), []
    watch = ThreadsWatch(said.append, may_change=True)
    watch.on_start({})

    def step_after(seconds: float, **use: float) -> int:
        machine.passes(seconds, **use)
        watch.on_step(STEP)
        return torch.get_num_threads()

    assert step_after(5, others=0.1, own=3.9) == 4
    assert step_after(1, others=2.0, own=2.0) == 4  # too short to judge
    assert step_after(4, others=2.0, own=2.0) == 2
    assert said == ["other processes use the processors: going on with 2 threads instead of 4; --threads N keeps N"]
    assert step_after(5, others=2.0, own=2.0) == 2
    assert step_after(5, others=0.0, own=2.0) == 2  # only just calm
    assert step_after(40, others=2.0, own=2.0) == 2
    assert step_after(5, others=0.0, own=2.0) == 4
    assert said[1:] == ["there is room again: going on with 4 threads instead of 2; --threads N keeps N"]
    assert step_after(5, others=8.0, own=0.3) == 1  # more than there are: one thread at least


def test_waiting_for_data_is_no_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, said = Machine(monkeypatch), []
    watch = ThreadsWatch(said.append, may_change=True)
    watch.on_start({})
    machine.passes(10, others=0.2, own=1.0)
    watch.on_step(STEP)
    assert torch.get_num_threads() == 4
    machine.passes(10, others=3.0, own=0.5)
    watch.on_validation(1, {}, True)  # which is not looked at
    machine.passes(4, others=0.0, own=4.0)
    watch.on_step(STEP)
    assert torch.get_num_threads() == 4
    assert not said


def test_threads_that_were_asked_for_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, said, before = Machine(monkeypatch), [], threading.active_count()
    watch = ThreadsWatch(said.append, may_change=False)
    watch.on_start({})
    for _ in range(3):
        machine.passes(5, others=2.0, own=2.0)
        watch.on_step(STEP)
    assert torch.get_num_threads() == 4
    assert said == [
        "other processes use the processors, and 4 threads wait for each other; --threads 2 would be faster"
    ]
    assert threading.active_count() == before + 1
    machine.passes(60, others=0.0, own=4.0)
    watch.on_step(STEP)
    machine.passes(5, others=2.0, own=2.0)
    watch.on_step(STEP)
    watch.on_end({})
    assert len(said) == 1
    for thread in threading.enumerate():
        if thread.name.endswith("(hold)"):
            thread.join(5)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("may_choose", "threads", "told"),
    [
        (None, 4, "4 threads wait for each other; torch.set_num_threads(2) would be faster"),
        (False, 4, "4 threads wait for each other; --threads 2 would be faster"),
        (True, 2, "going on with 2 threads instead of 4; --threads N keeps N"),
    ],
)
def test_every_run_on_a_cpu_is_watched(
    monkeypatch: pytest.MonkeyPatch, may_choose: bool | None, threads: int, told: str
) -> None:
    """In a program of one's own, two runs side by side took twenty times as long as one after the other."""
    machine, said = Machine(monkeypatch), []
    may_choose_threads.set(may_choose)
    (watch,) = watched_threads(torch.device("cpu"), World(), said.append)
    watch.on_start({})
    machine.passes(5, others=2.0, own=2.0)
    watch.on_step(STEP)
    assert torch.get_num_threads() == threads
    (line,) = said
    assert told in line
    watch.on_end({})
    assert watched_threads(torch.device("cuda"), World(), said.append) == []
    assert watched_threads(torch.device("cpu"), World(rank=0, size=2), said.append) == []


def test_sleeping_changes_no_result() -> None:
    def step() -> Any:
        torch.manual_seed(1)
        linear = torch.nn.Linear(300, 400)
        linear(torch.randn(500, 300)).square().mean().backward()
        return linear.weight.grad

    expected = step()
    is_over = sleeping_while_waiting()
    assert torch.get_num_threads() == 4
    assert torch.equal(step(), expected)
    is_over.set()
    assert torch.equal(step(), expected)


def test_commands_begin_with_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([Usage(0, 0, 0), Usage(1, 2.1, 0.2)] * 3)
    monkeypatch.setattr(options, "usage", lambda: next(found))
    monkeypatch.setattr(options, "LOOKING_SECONDS", 0.0)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    options.prepare_process(None)
    assert torch.get_num_threads() == 2
    assert may_choose_threads.get() is True
    options.prepare_process(3)
    assert torch.get_num_threads() == 3
    assert may_choose_threads.get() is False
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    options.prepare_process(None)
    assert torch.get_num_threads() == 3
    assert may_choose_threads.get() is False
