"""Boxes and arrows as SVG, in colours that follow the reader's light or dark theme."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plots import FOLDER

THEME = (
    ":root{--ink:#1b1f24;--faint:#59636e;--line:#8c959f;--box:#eef1f4;--paper:#ffffff;"
    "--query:#0b5cad;--key:#b35900;--value:#1a7f37}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#9198a1;--line:#7d8590;--box:#21262d;"
    "--paper:#0d1117;--query:#58a6ff;--key:#f0a35e;--value:#56d364}}"
)
"""Queries are blue, keys orange, values green, in every diagram of the guide."""
QUERY, KEY, VALUE, LINE, INK, FAINT = (f"var(--{name})" for name in ("query", "key", "value", "line", "ink", "faint"))
HEAD = 5

Point = tuple[float, float]


class Diagram:
    """A drawing that grows by boxes, arrows and words.

    Args:
        title: the text for readers who cannot see it.
    """

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []

    def box(self, middle: float, top: float, text: str, *, width: float = 170, colour: str = LINE) -> None:
        """A box 30 high, around a line of text."""
        self.parts.append(
            f'<rect x="{middle - width / 2}" y="{top}" width="{width}" height="30" rx="5" fill="var(--box)" '
            f'stroke="{colour}" stroke-width="1.5"/>'
        )
        self.text(middle, top + 20, text)

    def frame(self, left: float, top: float, width: float, height: float) -> None:
        """A dashed frame."""
        self.parts.append(
            f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="9" fill="none" stroke="{LINE}" '
            'stroke-dasharray="5 4"/>'
        )

    def text(self, x: float, y: float, text: str, *, colour: str = INK, anchor: str = "middle", size: int = 14) -> None:
        """A line of text, `y` being its base line."""
        self.parts.append(
            f'<text x="{x}" y="{y}" fill="{colour}" font-size="{size}" text-anchor="{anchor}">{escape(text)}</text>'
        )

    def arrow(self, *points: Point, colour: str = LINE, head: bool = True) -> None:
        """A line through the points, with a head at its end."""
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        if head:
            self.parts.append(f'<path d="{_head(points)}" fill="{colour}"/>')

    def save(self, name: str) -> None:
        """The drawing as `name`.svg."""
        (FOLDER / f"{name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" font-family="system-ui,sans-serif"><title>{escape(self.title)}</title>'
            f'<style>{THEME}</style><rect width="100%" height="100%" fill="var(--paper)"/>{"".join(self.parts)}</svg>\n',
            encoding="utf-8",
        )


def _head(points: Sequence[Point]) -> str:
    """A triangle at the last point, for a last line that is horizontal or vertical."""
    (x_before, y_before), (x, y) = points[-2:]
    if x == x_before:
        back = y + HEAD * (1 if y_before > y else -1) * 1.6
        return f"M{x} {y}L{x - HEAD} {back}L{x + HEAD} {back}z"
    back = x + HEAD * (1 if x_before > x else -1) * 1.6
    return f"M{x} {y}L{back} {y - HEAD}L{back} {y + HEAD}z"
