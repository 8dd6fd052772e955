"""Pictures as text: SVG of an alignment, of a learning curve and of small matrices, and a heat map for a terminal.

Drawn as SVG and not as pixels so that the reader's own fonts set every script, and so that one picture follows the
reader's light or dark theme: colours are CSS variables, defined by the page or, in a file of its own, by the picture.
The theme of a terminal is not known: there, the filled part of a cell is the weight, in a colour visible on both.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import combining, east_asian_width

import numpy

from regard.inspection.record import Matrix, Tokens

THEME = (
    ":root{--ink:#1b1f24;--faint:#59636e;--line:#d1d9e0;--paper:#ffffff;--heat:#0b5cad;--second:#b35900}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--paper:#0d1117;"
    "--heat:#58a6ff;--second:#f0a35e}}"
)
NOTEBOOK = (
    "--ink:currentColor;--faint:#7d8590;--line:#8c959f66;--paper:transparent;--heat:#2f81f7;--second:#c9761b;"
    "font:14px/1.5 system-ui,sans-serif"
)
"""Colours that are seen on light and on dark notebooks, for one drawing alone."""
CELL = 24
LINE_HEIGHT = 15
VISIBLE_WEIGHT = 0.005
PANEL_GAP = 40
SHADES = 20
LEGEND_SHADES = (0, 0.25, 0.5, 0.75, 1)
CHARACTERS, BARS = " .:-=+*#%@", " ▁▂▃▄▅▆▇█"
"""The characters for a weight from 0 to 1 in a terminal: without colours and with."""
BAR_COLOUR = "\x1b[38;5;32m"
"""A blue that stands out from white (contrast 3.9) and from black (5.4)."""
LONGEST_LABEL = 16
TERMINAL_CELL = 2
LEGEND_WIDTH = 150


def alignment_svg(
    columns: Sequence[str], rows: Sequence[str], weights: Sequence[Sequence[float]], *, standalone: bool = False
) -> str:
    """Draw a matrix: source tokens across, target tokens down, each cell as strong as the weight is high.

    Args:
        columns: the tokens that were read.
        rows: the tokens that were written.
        weights: a row for each of these.
        standalone: with the theme's colours inside, for a file of its own.
    """
    left = 14 + max(_text_width(label) for label in map(readable, rows))
    top = 14 + max(_text_width(label) for label in map(readable, columns))
    bottom = top + CELL * len(rows)
    width, height = left + max(CELL * len(columns), LEGEND_WIDTH) + 14, bottom + CELL + 10
    parts = [_frame(left, top, CELL * len(columns), CELL * len(rows))]
    for x, token in enumerate(columns):
        at_x, at_y = left + CELL * x + CELL / 2 + 4, top - 6
        parts.append(_text(at_x, at_y, readable(token), "ink", f'transform="rotate(-90 {at_x} {at_y})"'))
    for y, token in enumerate(rows):
        parts.append(_text(left - 6, top + CELL * y + CELL / 2 + 4, readable(token), "ink", 'text-anchor="end"'))
        for x, weight in enumerate(weights[y]):
            if weight >= VISIBLE_WEIGHT:
                tip = escape(f"{readable(token)} from {readable(columns[x])}: {weight:.2f}")
                parts.append(
                    f'<rect x="{left + CELL * x + 1}" y="{top + CELL * y + 1}" width="{CELL - 2}" height="{CELL - 2}" '
                    f'fill="var(--heat)" fill-opacity="{weight:.3f}"><title>{tip}</title></rect>'
                )
    parts.append(_legend(left, bottom + 10))
    return _svg(parts, width, height, "Alignment: which source tokens each target token was written from", standalone)


def curve_svg(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    x_label: str,
    y_label: str,
    width: int = 640,
    height: int = 300,
    y_range: tuple[float, float] | None = None,
) -> str:
    """Draw at most two curves over one axis, each named at its last point; one that has a single point is a dot.

    Args:
        curves: points (x, y) by name, x above 0.
        y_range: the ends of a linear y axis; None: it is logarithmic, and every y above 0.
    """
    left, right, top, bottom = 60, max(110, *(10 + _text_width(name) for name in curves)), 16, 40
    points = [point for curve in curves.values() for point in curve]
    last_x = max(x for x, _ in points)
    low, high = y_range or _log_range([y for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        share = ((y if y_range else math.log10(y)) - low) / (high - low)
        return (
            left + (width - left - right) * x / last_x,
            height - bottom - (height - top - bottom) * share,
        )

    parts = []
    for value in (_ticks if y_range else _log_ticks)(low, high):
        _, y = place(0, value)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>')
        parts.append(_text(left - 8, y + 4, f"{value:g}", "faint", 'text-anchor="end"'))
    for step in sorted({round(last_x * share) for share in (0, 0.25, 0.5, 0.75, 1)}):
        x = left + (width - left - right) * step / last_x
        parts.append(_text(x, height - bottom + 18, f"{step:,}", "faint", 'text-anchor="middle"'))
    names_y = _spread([place(*curve[-1])[1] for curve in curves.values()], LINE_HEIGHT)
    for (name, curve), colour, name_y in zip(curves.items(), ("heat", "second"), names_y, strict=False):
        places = [place(*point) for point in curve]
        if len(places) == 1:
            parts.append(f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="4" fill="var(--{colour})"/>')
        else:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(f'<polyline points="{path}" fill="none" stroke="var(--{colour})" stroke-width="2"/>')
        parts.append(_text(width - right + 8, name_y + 4, name, colour))
    parts.append(_text((left + width - right) / 2, height - 4, x_label, "faint", 'text-anchor="middle"'))
    parts.append(_text(left, top - 4, y_label, "faint"))
    return _svg(parts, width, height, f"{y_label} over {x_label}", standalone=False)


@dataclass(frozen=True)
class Panel:
    """A small matrix of a figure."""

    title: str
    values: Sequence[Sequence[float]]
    """The numbers of the cells, from -1 to 1: positive cells in one colour, negative ones in another, each as strong as
    it is far from 0.
    """


def panels_svg(
    panels: Sequence[Panel],
    *,
    title: str,
    x_label: str,
    y_label: str,
    columns: int = 4,
    cell: float = 14,
    standalone: bool = False,
) -> str:
    """Draw small matrices side by side, `columns` to a row, all with the same axes: first row on top, first column
    left.

    Args:
        cell: width and height of a cell, in pixels.
        standalone: with the theme's colours inside, for a file of its own.
    """
    width = max(max(len(panel.values[0]) * cell, _text_width(panel.title)) for panel in panels) + PANEL_GAP
    height = max(len(panel.values) for panel in panels) * cell + PANEL_GAP + LINE_HEIGHT
    parts = []
    for index, panel in enumerate(panels):
        left, top = 24 + index % columns * width, 2 * LINE_HEIGHT + index // columns * height
        panel_width, panel_height = len(panel.values[0]) * cell, len(panel.values) * cell
        parts.append(_text(left, top - 6, panel.title, "ink"))
        parts.extend(_cells(panel.values, left, top, cell))
        parts.append(_frame(left, top, panel_width, panel_height))
        under, beside = top + panel_height + LINE_HEIGHT, top + panel_height
        parts.append(_text(left, under, f"{x_label} →", "faint", 'font-size="11"'))
        turned = f'font-size="11" transform="rotate(-90 {left - 6:g} {beside:g})"'
        parts.append(_text(left - 6, beside, f"← {y_label}", "faint", turned))
    rows = math.ceil(len(panels) / columns)
    return _svg(parts, 24 + min(len(panels), columns) * width, LINE_HEIGHT + rows * height, title, standalone)


def _cells(values: Sequence[Sequence[float]], left: float, top: float, cell: float) -> list[str]:
    """The cells of a matrix, one path for each shade: a twentieth of the elements that one per cell would need."""
    by_shade: dict[int, list[str]] = {}
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            shade = round(value * SHADES)
            if shade:
                square = f"M{left + x * cell:g} {top + y * cell:g}h{cell:g}v{cell:g}h-{cell:g}z"
                by_shade.setdefault(shade, []).append(square)
    return [
        f'<path d="{"".join(squares)}" fill="var(--{"heat" if shade > 0 else "second"})" '
        f'fill-opacity="{abs(shade) / SHADES:.3g}"/>'
        for shade, squares in sorted(by_shade.items())
    ]


def heat_map(matrix: Matrix, rows: Tokens, keys: Tokens, *, width: int = 80, colour: bool = True) -> str:
    """Draw a matrix for a terminal: rows down, keys across, each cell as full as its weight is high; forbidden cells
    are dots.

    Keys are numbered, and named below; where they do not fit side by side, further blocks follow. The last lines say which
    weight each filling stands for.

    Args:
        width: of the terminal, in characters.
        colour: False: characters alone, for files and pipes.
    """
    shades = BARS if colour else CHARACTERS
    labels = [_cut(readable(token)) for token in rows.spelled]
    margin = max(_columns(label) for label in labels) + 1
    at_once = max((width - margin) // TERMINAL_CELL, 1)
    values, forbidden = matrix.filled(0), numpy.ma.getmaskarray(matrix)
    lines: list[str] = []
    for first in range(0, len(keys), at_once):
        block = range(first, min(first + at_once, len(keys)))
        lines.append(" " * margin + "".join(map(_number, block)).rstrip())
        for row, label in enumerate(labels):
            cells = "".join(
                " ·" if forbidden[row, key] else f" {_shade(float(values[row, key]), shades)}" for key in block
            )
            lines.append(" " * (margin - 1 - _columns(label)) + label + " " + (_coloured(cells) if colour else cells))
    names = [f"{key} {readable(token)}" for key, token in enumerate(keys.spelled)]
    steps = [f"{shade} {step / (len(shades) - 1):.2f}" for step, shade in enumerate(shades)]
    legend = ["share of the row:", "blank 0", *steps[1:], *(["· forbidden by a mask"] if forbidden.any() else [])]
    told = _wrapped(legend, width)
    return "\n".join([*lines, *_wrapped(names, width), "", *(map(_coloured, told) if colour else told)])


def _number(key: int) -> str:
    """The number of a column; from 9 on, every other one if they would touch."""
    return f"{key % 100:>{TERMINAL_CELL}}" if key < 9 or key % 2 == 0 else " " * TERMINAL_CELL


def _shade(value: float, shades: str) -> str:
    return shades[round(min(max(value, 0.0), 1.0) * (len(shades) - 1))]


def _coloured(text: str) -> str:
    """A text with its bars in their colour."""
    bars = re.escape(BARS.strip())
    return re.sub(f"[{bars}](?:[ {bars}]*[{bars}])?", lambda found: f"{BAR_COLOUR}{found[0]}\x1b[0m", text)


def _wrapped(names: list[str], width: int) -> list[str]:
    lines = [""]
    for name in names:
        if lines[-1] and _columns(lines[-1]) + 2 + _columns(name) > width:
            lines.append("")
        lines[-1] += ("  " if lines[-1] else "") + name
    return lines


def _cut(label: str) -> str:
    while _columns(label) > LONGEST_LABEL:
        label = label.removesuffix("…")[:-1] + "…"
    return label


def _columns(text: str) -> int:
    """The number of columns of a terminal that a text takes."""
    return sum(0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1 for character in text)


def readable(token: str) -> str:
    """A token for display: without the mark of a space before a word; a space alone stays visible."""
    return token.removeprefix("▁").replace("▁", "␣") or "␣"


def _svg(parts: Sequence[str], width: float, height: float, title: str, standalone: bool) -> str:
    style = f"<style>{THEME}</style>" if standalone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>{style}'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="var(--{colour})" {more}>{escape(text)}</text>'


def _frame(left: float, top: float, width: float, height: float) -> str:
    at = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {at} fill="none" stroke="var(--line)"/>'


def _text_width(text: str) -> int:
    """The approximate width of a text in pixels: the fonts of the reader are not known."""
    return sum(14 if east_asian_width(character) in "WF" else 8 for character in text)


def _spread(places: Sequence[float], distance: float) -> list[float]:
    """Move y coordinates down where they are nearer than `distance` to the one above."""
    moved = list(places)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for above, below in itertools.pairwise(order):
        moved[below] = max(moved[below], moved[above] + distance)
    return moved


def _legend(left: float, top: float) -> str:
    """A legend: the meaning of the colours of an alignment."""
    size, begin = 12, left + 14
    cells = "".join(
        f'<rect x="{begin + size * place:g}" y="{top:g}" width="{size}" height="{size}" fill="var(--heat)" '
        f'fill-opacity="{shade}" stroke="var(--line)"/>'
        for place, shade in enumerate(LEGEND_SHADES)
    )
    end = begin + size * len(LEGEND_SHADES)
    texts = ((left, "0"), (end + 6, "1"), (end + 26, "weight"))
    return f'<g class="legend">{cells}{"".join(_text(x, top + 11, text, "faint") for x, text in texts)}</g>'


def _log_range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis, as powers of ten, with a little room around the values."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return low - 0.03, max(high, low + 0.1) + 0.03


def _ticks(low: float, high: float) -> list[float]:
    """At most six round numbers between two others."""
    power = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(step * power for step in (1, 2, 5, 10) if (high - low) / (step * power) <= 5 + 1e-9)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between two powers of ten; more of them when the span is short."""
    steps = (1, 2, 5) if high - low > 0.5 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    decades = range(math.floor(low), math.ceil(high) + 1)
    values = [step * 10.0**decade for decade in decades for step in steps]
    return [value for value in values if low <= math.log10(value) <= high]
