"""PyTorch's ways of looking at a function from outside: compile, export, vmap and others, tested by `traced.py`."""

from pathlib import Path

import pytest

from unchecked import run_unchecked

TRACED = Path(__file__).with_name("traced.py")


def test_what_traces_works() -> None:
    run_unchecked(TRACED)


@pytest.mark.slow
def test_what_takes_long_to_compile_works() -> None:
    """The other combinations, and PyTorch's own compiler, which begins by compiling its headers."""
    printed = run_unchecked(TRACED, "-m", "slow")
    assert "skipped" not in printed.splitlines()[-1] or "g++" in printed
