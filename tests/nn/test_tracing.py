"""PyTorch's ways of looking at a function from outside: compile, export, vmap and others.

The shape checks of all other tests cannot be traced, so `traced.py` runs in a process of its own without them.
"""

import os
import subprocess
import sys
from pathlib import Path


def test_what_traces_works() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__).with_name("traced.py"))],
        env={**os.environ, "REGARD_TESTS_UNCHECKED": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:]
    assert "skipped" not in result.stdout.splitlines()[-1] or "g++" in result.stdout
