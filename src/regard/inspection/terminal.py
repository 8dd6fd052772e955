"""A matrix of weights as coloured text, for a terminal of any width."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

import numpy

from regard.inspection.figures import readable
from regard.inspection.record import Matrix, Tokens

SHADES = " .:-=+*#%@"
GREYS = (232, 255)
"""The 24 greys of a terminal with 256 colours, from black to white."""
LONGEST_LABEL = 16
CELL = 2


def heat_map(matrix: Matrix, rows: Tokens, keys: Tokens, *, width: int = 80, colour: bool = True) -> str:
    """Rows down, keys across, each cell as strong as its weight is high; forbidden cells are dots.

    Keys are numbered, and named below; where they do not fit side by side, further blocks follow.

    Args:
        width: of the terminal, in characters.
        colour: False: shades of characters instead, for files and pipes.
    """
    labels = [_cut(readable(token)) for token in rows.spelled]
    margin = max(_width(label) for label in labels) + 1
    at_once = max((width - margin) // CELL, 1)
    values, forbidden = matrix.filled(0), numpy.ma.getmaskarray(matrix)
    lines: list[str] = []
    for first in range(0, len(keys), at_once):
        block = range(first, min(first + at_once, len(keys)))
        lines.append(" " * margin + "".join(f"{key % 100:>2}" for key in block))
        for row, label in enumerate(labels):
            cells = "".join(_cell(float(values[row, key]), bool(forbidden[row, key]), colour) for key in block)
            lines.append(" " * (margin - 1 - _width(label)) + label + " " + cells)
    names = [f"{key} {readable(token)}" for key, token in enumerate(keys.spelled)]
    return "\n".join([*lines, *_wrapped(names, width)])


def _cell(value: float, is_forbidden: bool, colour: bool) -> str:
    if is_forbidden:
        return " ·"
    if colour:
        low, high = GREYS
        shade = low + round(min(max(value, 0.0), 1.0) * (high - low))
        return f"\x1b[48;5;{shade}m{' ' * CELL}\x1b[0m"
    return " " + SHADES[round(min(max(value, 0.0), 1.0) * (len(SHADES) - 1))]


def _wrapped(names: list[str], width: int) -> list[str]:
    lines = [""]
    for name in names:
        if lines[-1] and _width(lines[-1]) + 2 + _width(name) > width:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + name
    return lines


def _cut(label: str) -> str:
    while _width(label) > LONGEST_LABEL:
        label = label.removesuffix("…")[:-1] + "…"
    return label


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)
