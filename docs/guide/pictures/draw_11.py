"""Draws the picture of chapter 11, from the weights that its page prints: `python docs/guide/pictures/draw_11.py`."""

import re
from pathlib import Path

from matplotlib.figure import Figure
from plots import plain, save

PAGE = Path(__file__).parents[1] / "11-attention-that-computes.md"
TEXT = "abacab"


def draw_histogram() -> None:
    """The weights that were set, and those that were learnt."""
    rows = re.findall(r"^[abc] ((?:\d\.\d\d ?){7})  ((?:\d\.\d\d ?){7})$", PAGE.read_text(), re.M)
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    for axes, side, title in zip(figure.subplots(1, 2), (0, 1), ("Set by hand", "Learnt"), strict=True):
        axes.imshow([[float(cell) for cell in row[side].split()] for row in rows], cmap="Blues", vmin=0, vmax=0.6)
        axes.set_xticks(range(7), ["begin", *TEXT])
        axes.set_yticks(range(6), list(TEXT))
        plain(axes, title, "key", "query")
    save(figure, "11-histogram")


if __name__ == "__main__":
    draw_histogram()
