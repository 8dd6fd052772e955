"""Tests of what PyTorch traces. The shape checks of all other tests cannot be traced, so these run in a process without them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_unchecked(path: Path, *options: str) -> str:
    """Run a file of tests, which must pass, with options of pytest; what was printed."""
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(path)],
        env={**os.environ, "REGARD_TESTS_UNCHECKED": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:]
    return result.stdout
