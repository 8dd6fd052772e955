"""Draws the pictures of "Attention that computes": `python docs/guide/pictures/draw_11.py`."""

import re
from pathlib import Path

from diagrams import FAINT, KEY, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import plain, save

PAGE = Path(__file__).parents[1] / "11-attention-that-computes.md"
TEXT = "abacab"


def draw_counting() -> None:
    """What the head that counts does for the first letter."""
    found = Diagram(410, 330, "The counting head: scores, weights and values for the first letter of abacab")
    tokens = ["begin", *TEXT]
    places = [80 + 50 * place for place in range(7)]
    found.box(places[1], 14, "query of a", width=120, colour=QUERY)
    for x, token in zip(places, tokens, strict=True):
        found.box(x, 100, token, width=46, colour=KEY)
        is_seen = token in ("begin", "a")
        if is_seen:
            found.arrow((places[1], 44), (places[1], 66), (x, 66), (x, 100), colour=QUERY)
        found.text(x, 156, "200" if is_seen else "0")
        found.text(x, 186, "1/4" if is_seen else "0")
        found.box(x, 204, "1" if token == "begin" else "0", width=46, colour=VALUE)
    for y, name in ((120, "key"), (156, "score"), (186, "weight"), (224, "value")):
        found.text(48, y, name, anchor="end", colour=FAINT, size=12)
    found.arrow((places[0], 234), (places[0], 278), colour=VALUE)
    found.box(places[0] + 40, 278, "output 1/4", width=140)
    found.arrow((places[0] + 110, 293), (240, 293))
    found.text(248, 298, "count = 4 - 1 = 3", anchor="start")
    found.save("11-counting")


def draw_histogram() -> None:
    """The weights that were set, and those that were learnt."""
    rows = re.findall(r"^[abc] ((?:\d\.\d\d ?){7})  ((?:\d\.\d\d ?){7})$", PAGE.read_text(), re.M)
    figure = Figure(figsize=(4.0, 6.0), layout="constrained")
    panels = figure.subplots(2, 1)
    for axes, side, title in zip(panels, (0, 1), ("Set by hand", "Learnt"), strict=True):
        table = [[float(cell) for cell in row[side].split()] for row in rows]
        image = axes.imshow(table, cmap="Blues", vmin=0, vmax=0.6)
        axes.set_xticks(range(7), ["begin", *TEXT])
        axes.set_yticks(range(6), list(TEXT))
        plain(axes, title, "key", "query")
    figure.colorbar(image, ax=panels, label="weight", shrink=0.6)
    save(figure, "11-histogram")


if __name__ == "__main__":
    draw_counting()
    draw_histogram()
