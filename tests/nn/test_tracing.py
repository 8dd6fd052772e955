"""PyTorch's ways of looking at a function from outside: compile, export, vmap and others, tested by `traced.py`."""

from pathlib import Path

from unchecked import run_unchecked


def test_what_traces_works() -> None:
    printed = run_unchecked(Path(__file__).with_name("traced.py"))
    assert "skipped" not in printed.splitlines()[-1] or "g++" in printed
