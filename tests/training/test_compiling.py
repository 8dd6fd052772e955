"""`regard train --compile`, tested by `compiled.py`."""

from pathlib import Path

import pytest

from unchecked import run_unchecked

COMPILED = Path(__file__).with_name("compiled.py")


def test_compiled_steps_are_the_same() -> None:
    run_unchecked(COMPILED)


@pytest.mark.slow
def test_compiled_backward_passes_are_the_same() -> None:
    run_unchecked(COMPILED, "-m", "slow")
