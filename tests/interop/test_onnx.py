"""ONNX export is traced, which the shape checks of all other tests cannot be: `written_onnx.py` runs without them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxscript")


def test_what_is_written_as_onnx_answers_as_ours() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(Path(__file__).with_name("written_onnx.py"))],
        env={**os.environ, "REGARD_TESTS_UNCHECKED": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:]
    assert "passed" in result.stdout
    assert "skipped" not in result.stdout
