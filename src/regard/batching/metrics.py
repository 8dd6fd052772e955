"""Counts of what a server does, as Prometheus reads them: base units, live gauges.

Source: the Prometheus text format 0.0.4.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

HELP = {
    "regard_requests_total": "Requests, by interface and HTTP status.",
    "regard_request_seconds": "Time from a request to its answer.",
    "regard_rejected_total": "Requests that were refused or given up, by reason.",
    "regard_queue_seconds": "Time that sentences waited for a slot.",
    "regard_sentence_seconds": "Time from a sentence's arrival to its translation.",
    "regard_tokens_total": "Tokens written.",
    "regard_decode_seconds_total": "Time spent in decoding steps.",
    "regard_steps_total": "Decoding steps.",
    "regard_step_sentences_total": "Sentences in decoding steps; divided by the steps, the mean batch.",
    "regard_crashes_total": "Batches that failed.",
    "regard_queue_depth": "Sentences that wait for a slot.",
    "regard_active_sentences": "Sentences that are decoded now.",
    "regard_models": "Models that are loaded.",
    "regard_workers": "Processes that answer requests.",
}
SHARED = {"regard_models"}
"""Gauges of what all processes share: theirs are not added."""
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the buckets of times, in seconds."""
ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Numbers(NamedTuple):
    """The metrics of a process at one moment. JSON has them as a list."""

    counts: dict[str, float]
    """Each counter by its name and labels, as `regard_requests_total{interface="native",status="200"}`."""
    times: dict[str, list[float]]
    """For each histogram its buckets, then number and sum."""
    gauges: dict[str, float]


class Metrics:
    """Counters, histograms of times, and gauges that are asked when they are read. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, float] = defaultdict(float)
        self._times: dict[str, list[float]] = {}
        self._gauges: dict[str, Callable[[], float]] = {}

    def count(self, name: str, amount: float = 1.0, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._counts[name + _written(labels)] += amount

    def observe(self, name: str, seconds: float) -> None:
        """Note a time."""
        with self._lock:
            held = self._times.setdefault(name, [0.0] * (len(BOUNDS) + 2))  # buckets, then number and sum
            for index, bound in enumerate(BOUNDS):
                held[index] += seconds <= bound
            held[-2] += 1
            held[-1] += seconds

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Have a number read whenever the metrics are."""
        self._gauges[name] = read

    def mean(self, name: str) -> float:
        """The mean of the times that were noted; 0 where there are none."""
        with self._lock:
            held = self._times.get(name)
            return held[-1] / held[-2] if held else 0.0

    def numbers(self) -> Numbers:
        """All of it as it is now."""
        with self._lock:
            counts, times = dict(self._counts), {name: list(held) for name, held in self._times.items()}
        return Numbers(counts, times, {name: read() for name, read in self._gauges.items()})


def text_of(processes: Sequence[Numbers]) -> str:
    """The metrics of some processes together, as Prometheus reads them."""
    counts: dict[str, float] = defaultdict(float)
    times: dict[str, list[float]] = {}
    gauges: dict[str, float] = defaultdict(float)
    for each in processes:
        for counted, value in each.counts.items():
            counts[counted] += value
        for name, held in each.times.items():
            before = times.get(name, [0.0] * len(held))
            times[name] = [one + other for one, other in zip(before, held, strict=True)]
        for name, value in each.gauges.items():
            gauges[name] = max(gauges[name], value) if name in SHARED else gauges[name] + value
    lines: list[str] = []
    for name, series in groupby(sorted(counts.items()), lambda item: item[0].partition("{")[0]):
        lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} counter"]
        lines += [f"{written} {_number(value)}" for written, value in series]
    for name, held in sorted(times.items()):
        lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} histogram"]
        lines += [f'{name}_bucket{{le="{bound:g}"}} {_number(held[index])}' for index, bound in enumerate(BOUNDS)]
        lines += [
            f'{name}_bucket{{le="+Inf"}} {_number(held[-2])}',
            f"{name}_sum {held[-1]:.6f}",
            f"{name}_count {_number(held[-2])}",
        ]
    for name, value in sorted(gauges.items()):
        lines += [f"# HELP {name} {HELP[name]}", f"# TYPE {name} gauge", f"{name} {_number(value)}"]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    """A number with all its digits: a counter of millions goes up by single ones."""
    return str(int(value)) if value == int(value) else repr(value)


def _written(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{value.translate(ESCAPED)}"' for name, value in sorted(labels.items()))
    return f"{{{inside}}}" if inside else ""
