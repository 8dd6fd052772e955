"""Training on a machine that other processes use: alone, two side by side, and beside processes that only compute.

    python benchmarks/busy.py work/general.en work/general.de

Prints how many steps each run takes in the same time. `--threads` fixes the threads of all runs; without, runs choose.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUSY = "while True: pass"


def begun(pair: list[str], folder: Path, threads: int | None) -> tuple[subprocess.Popen[str], Path]:
    """A training that goes on until it is stopped, and the file of what it says."""
    log = folder / "log"
    folder.mkdir()
    words = [
        sys.executable,
        "-m",
        "regard",
        "train",
        *pair,
        "--valid",
        *pair,
        "-o",
        str(folder / "model"),
        "--preset",
        "tiny",
    ]
    words += ["--steps", "100000", "--precision", "float32", "--set", "training.validate_every=100000"]
    words += [] if threads is None else ["--threads", str(threads)]
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    with log.open("w") as output:
        return subprocess.Popen(words, stderr=output, stdout=output, env=environment, text=True), log


def steps_of(log: Path) -> int:
    """The newest step that a run has said."""
    return max((int(found.replace(",", "")) for found in re.findall(r"step ([\d,]+)", log.read_text())), default=0)


def followed(logs: list[Path], seconds: float) -> list[float]:
    """Steps a minute of each run, from its first line after now to its last."""
    seen: list[list[tuple[float, int]]] = [[] for _ in logs]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(0.1)
        for points, log in zip(seen, logs, strict=True):
            step = steps_of(log)
            if not points or step != points[-1][1]:
                points.append((time.perf_counter(), step))
    rates = []
    for points in seen:
        later = points[1:]  # the first was said at any time before
        (x, first), (y, last) = (
            (later[0], later[-1]) if len(later) > 1 else ((end - seconds, points[0][1]), (end, points[-1][1]))
        )
        rates.append(60 * (last - first) / (y - x))
    return rates


def measure(name: str, pair: list[str], runs: int, busy: int, threads: int | None, seconds: float) -> None:
    """Steps a minute after all runs have begun."""
    with tempfile.TemporaryDirectory() as place:
        others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(busy)]
        started = [begun(pair, Path(place, str(index)), threads) for index in range(runs)]
        try:
            while any(not steps_of(log) for _, log in started):
                time.sleep(1)
                assert all(process.poll() is None for process, _ in started), started[0][1].read_text()
            rates = followed([log for _, log in started], seconds)
        finally:
            for process, _ in started:
                process.send_signal(signal.SIGKILL)
            for process in others:
                process.kill()
        print(f"| {name} | {', '.join(f'{each:.0f}' for each in rates)} | {sum(rates):.0f} |", flush=True)
        for _, log in started:
            for line in log.read_text().splitlines():
                if "thread" in line:
                    print(f"    {line}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pair", nargs=2)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seconds", type=float, default=75)
    chosen = parser.parse_args()
    print("| | steps a minute, each run | together |\n|---|---:|---:|")
    for name, runs, busy in (("alone", 1, 0), ("two side by side", 2, 0), ("beside 8 busy processes", 1, 8)):
        measure(name, chosen.pair, runs, busy, chosen.threads, chosen.seconds)
