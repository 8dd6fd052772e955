"""The benchmark for GPUs runs: here on the CPU, with sizes that need no time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "gpu.py"
PARTS = ("training", "steps", "kernels", "padding", "loss", "waits", "decoding")


def test_every_part_runs_and_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARK), "--device", "cpu", "--tiny", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-2000:]
    for part in PARTS:
        assert f"\n{part}\n\n| " in done.stdout
        assert json.loads((tmp_path / f"{part}.json").read_text())
    (tmp_path / "loss.json").write_text('[{"kept": 1}]')
    again = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert "| kept |\n| --- |\n| 1 |" in again.stdout  # nothing is measured twice
