"""Draws the picture of chapter 9, from the weights that its page prints: `python docs/guide/pictures/draw_09.py`."""

import re
from pathlib import Path

from matplotlib.figure import Figure
from plots import plain, save

PAGE = Path(__file__).parents[1] / "09-recurrence-with-attention.md"
SOURCE = ["the", "small", "black", "cat", "likes", "the", "house", "</s>"]


def draw_alignment() -> None:
    """Which words each word was written from."""
    printed = PAGE.read_text().split("## The alignment")[1]
    rows = re.findall(r"^(\S+) +((?:(?:\d\.\d|\.) *){8})$", printed, re.M)[: len(SOURCE)]
    weights = [[0.0 if cell == "." else float(cell) for cell in cells.split()] for _, cells in rows]
    figure = Figure(figsize=(4.2, 3.8), layout="constrained")
    axes = figure.subplots()
    axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(SOURCE)), SOURCE, rotation=60)
    axes.set_yticks(range(len(rows)), [word.removeprefix("\u2581") for word, _ in rows])
    plain(axes, "Weights of the recurrent model", "read", "written")
    save(figure, "09-alignment")


if __name__ == "__main__":
    draw_alignment()
