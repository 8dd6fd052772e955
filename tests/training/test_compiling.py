"""`regard train --compile`, tested by `compiled.py`."""

from pathlib import Path

from unchecked import run_unchecked


def test_compiled_steps_are_the_same() -> None:
    run_unchecked(Path(__file__).with_name("compiled.py"))
