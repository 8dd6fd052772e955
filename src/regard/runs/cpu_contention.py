"""Threads for a run on a machine that other processes use, too.

Threads of one PyTorch operation wait for each other, and spin meanwhile. Where another process has taken the processor of one of
them, all wait, and two runs side by side can take many times as long as one after the other. One thread waits for nobody. Where
the number of threads must stay, those that wait can at least sleep.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import Any

import torch

from regard.processors import Usage, may_choose_threads, num_allowed, num_free, usage
from regard.training.distributed import World
from regard.training.training_run import Callback, Progress, Scores

WINDOW_SECONDS = 3.0
"""The time of training between two looks at the processors."""
LEAST_SHARE = 0.8
"""The least share of the time of its threads that a run gets on a machine of its own."""
CALM_SECONDS = 30.0
"""After a change of threads, before there may be more of them again."""


def watched_threads(device: torch.device, world: World, say: Callable[[str], None]) -> list[Callback]:
    """The callback that watches the threads of a run, where it is alone and on a CPU. In somebody else's process, the number of
    threads stays.
    """
    if device.type != "cpu" or world.size > 1:
        return []
    may_change = may_choose_threads.get()
    remedy = "torch.set_num_threads({})" if may_change is None else "--threads {}"
    return [ThreadsWatch(say, may_change=bool(may_change), remedy=remedy)]


class ThreadsWatch(Callback):
    """Lets a run on a CPU use fewer threads while other processes use the processors, and more again later.

    Args:
        say: prints one line.
        may_change: False: the number of threads was chosen by the user. It stays, so that the results are the same to the last
            bit; threads that wait then sleep, and the user is told that fewer would be faster.
        remedy: how the user has fewer threads; `{}` is their number.
    """

    def __init__(self, say: Callable[[str], None], *, may_change: bool, remedy: str = "--threads {}") -> None:
        self._say, self._may_change, self._remedy = say, may_change, remedy
        self._most = torch.get_num_threads()
        self._is_told = False
        self._sleep: Event | None = None
        self._since: Usage | None = None
        self._changed_at = -CALM_SECONDS

    def on_start(self, facts: Mapping[str, Any]) -> None:
        """Begin to look, unless there is nothing to choose."""
        if num_allowed() > 1:
            self._since = usage()

    def on_step(self, progress: Progress) -> None:
        """Look at the processors now and then."""
        if self._since is None or time.perf_counter() - self._since.clock < WINDOW_SECONDS:
            return
        before, now = self._since, usage()
        if now is None:
            return
        self._since, threads = now, torch.get_num_threads()
        free, share = num_free(before, now), (now.own - before.own) / (now.clock - before.clock) / threads
        is_calm = now.clock - self._changed_at > CALM_SECONDS
        if threads > 1 and self._sleep is None and share < LEAST_SHARE and free < threads - 0.4:
            self._is_crowded(threads, max(1, min(threads - 1, round(free))))
        elif self._sleep is not None and is_calm and free > threads - 0.3:
            self._spin_again()
        elif threads < self._most and is_calm and free > threads + 0.7:
            self._change(threads, min(self._most, int(free + 0.3)), "there is room again")

    def on_end(self, results: Mapping[str, Any]) -> None:
        """Leave nothing behind."""
        self._spin_again()

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """Leave out the time of validation."""
        if self._since is not None:
            self._since = usage()

    def _is_crowded(self, threads: int, fewer: int) -> None:
        if self._may_change:
            self._change(threads, fewer, "other processes use the processors")
            return
        self._sleep, self._changed_at = sleeping_while_waiting(), time.perf_counter()
        if not self._is_told:
            self._is_told = True
            self._say(
                f"other processes use the processors, and {threads} threads wait for each other; "
                f"{self._remedy.format(fewer)} would be faster"
            )

    def _spin_again(self) -> None:
        if self._sleep is not None:
            self._sleep.set()
            self._sleep, self._changed_at = None, time.perf_counter()

    def _change(self, threads: int, new: int, reason: str) -> None:
        torch.set_num_threads(new)
        self._changed_at = time.perf_counter()
        self._say(f"{reason}: going on with {new} thread{'s' * (new > 1)} instead of {threads}; --threads N keeps N")


def sleeping_while_waiting() -> Event:
    """Let threads of an operation that wait for each other sleep, until the event is set.

    OpenMP's GNU runtime, which PyTorch uses on Linux, lets waiting threads spin for a shorter time where a process has more
    threads than there are processors. A thread here begins some more, which then do nothing. Elsewhere this changes nothing.
    """
    threads = torch.get_num_threads()
    is_over, begun = Event(), Event()

    def hold() -> None:
        torch.set_num_threads(num_allowed() + 1)
        torch.ones(1 << 22).add_(1)  # large enough for all threads
        begun.set()
        is_over.wait()

    Thread(target=hold, daemon=True).start()
    begun.wait()
    torch.set_num_threads(threads)  # what a thread says holds for threads to come, too
    return is_over
