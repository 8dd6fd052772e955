"""The processors: their maker, and, on Linux, the share of them that other processes use."""

from __future__ import annotations

import os
import platform
import time
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

STATISTICS, PROPERTIES = Path("/proc/stat"), Path("/proc/cpuinfo")
IDLE = (3, 4)
"""The columns of `/proc/stat` in which a processor does nothing: idle, and waiting for a disk."""

may_choose_threads: ContextVar[bool | None] = ContextVar("may_choose_threads", default=None)
"""Whether the number of PyTorch's threads was left to this process; None: it is somebody else's process, who sets them."""


class Usage(NamedTuple):
    """The time of processors used up to a moment, in seconds."""

    clock: float
    busy: float
    """The time of the processors that this process may use, used by all processes."""
    own: float
    """The time used by this process."""


def usage() -> Usage | None:
    """Measure the time used up to now; None: this system does not say."""
    try:
        allowed = os.sched_getaffinity(0)
        lines = STATISTICS.read_text(encoding="ascii").splitlines()
        ticks = os.sysconf("SC_CLK_TCK")
    except (AttributeError, OSError, ValueError):
        return None
    busy = 0
    for name, *columns in (line.split() for line in lines if line.startswith("cpu")):
        if name[3:].isdecimal() and int(name[3:]) in allowed:
            busy += sum(int(x) for index, x in enumerate(columns[:8]) if index not in IDLE)
    return Usage(time.perf_counter(), busy / ticks, time.process_time())


def is_made_by_intel() -> bool:
    """Whether the processor is Intel's."""
    try:
        told = PROPERTIES.read_text(encoding="utf-8", errors="replace")
    except OSError:  # not on Linux
        told = platform.processor()
    return "GenuineIntel" in told


def num_allowed() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def num_free(before: Usage, after: Usage) -> float:
    """The number of processors that other processes have left to this one, on average between two moments."""
    others = (after.busy - before.busy) - (after.own - before.own)
    return num_allowed() - max(others, 0.0) / max(after.clock - before.clock, 1e-9)
