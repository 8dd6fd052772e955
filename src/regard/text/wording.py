"""Numbers with their nouns, for what people read."""

from __future__ import annotations

import reprlib

_short = reprlib.Repr()
_short.maxstring = 60


def counted(number: int, noun: str) -> str:
    """A number of things: `1 thread`, `2 threads`, `1,000 target tokens`.

    Args:
        noun: of one thing; several of them are written with an s.
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def shortened(text: str) -> str:
    """A text as Python spells it, its middle left out where it is long."""
    return _short.repr(text)
