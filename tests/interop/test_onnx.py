"""ONNX export is traced, which the shape checks of all other tests cannot be: `written_onnx.py` runs without them."""

from pathlib import Path

import pytest

from unchecked import run_unchecked

pytest.importorskip("onnxscript")
WRITTEN = Path(__file__).with_name("written_onnx.py")


def test_what_is_written_as_onnx_answers_as_ours() -> None:
    printed = run_unchecked(WRITTEN)
    assert "skipped" not in printed


@pytest.mark.slow
def test_what_is_rare_answers_as_ours() -> None:
    printed = run_unchecked(WRITTEN, "-m", "slow")
    assert "skipped" not in printed
