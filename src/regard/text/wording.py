"""Numbers with their nouns, for what people read."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number of things: `1 thread`, `2 threads`, `1,000 target tokens`.

    Args:
        noun: of one thing; several of them are written with an s.
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
