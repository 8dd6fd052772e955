"""Draws the pictures of "What a head does", from the numbers of its page: `python docs/guide/pictures/draw_17.py`."""

import re
from itertools import pairwise
from pathlib import Path

from diagrams import FAINT, KEY, LINE, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

PAGE = (Path(__file__).parents[1] / "17-what-a-head-does.md").read_text()


def draw_induction() -> None:
    """What two heads do for the last word of a text."""
    found = Diagram(470, 400, "A previous-token head writes which word stood before; an induction head looks for it")
    places = {"ant": 40, "bee": 150, "cat": 275}
    for x, word in zip((*places.values(), 352, 425), ("ant", "bee", "cat", "...", "ant"), strict=True):
        found.text(x, 390, word)
    for (before, left), (word, x) in pairwise(places.items()):
        found.arrow((x, 374), (x, 330), head=False)
        found.arrow((left, 374), (left, 348), (x - 20, 348), (x - 20, 332), colour=VALUE)
        found.box(x, 300, f"{word}, after {before}", width=116, colour=KEY if word == "bee" else LINE)
    found.text(8, 318, "layer 0", colour=FAINT, anchor="start", size=13)
    found.arrow((425, 374), (425, 252))
    found.box(425, 220, "ant", width=66, colour=QUERY)
    found.arrow((392, 235), (170, 235), (170, 298), colour=QUERY)
    found.text(281, 227, "looks for what is after ant", colour=FAINT, size=13)
    found.text(8, 240, "layer 1", colour=FAINT, anchor="start", size=13)
    found.arrow((130, 300), (130, 192), colour=VALUE)
    found.box(130, 160, "bee", width=66, colour=VALUE)
    found.arrow((130, 160), (130, 115), (425, 115), (425, 92), colour=VALUE)
    found.arrow((425, 220), (425, 117), head=False)
    found.box(425, 60, "bee", width=66)
    found.text(425, 48, "next word", colour=FAINT, size=13)
    found.save("17-induction")


def draw_forming() -> None:
    """Losses and scores while the model learns."""
    rows = re.findall(r"^ *(\d+) +(\d\.\d+) +(\d\.\d+) +(\d\.\d+) +(\d\.\d+)$", PAGE, re.M)
    steps, first, again, previous, induction = (list(map(float, column)) for column in zip(*rows, strict=True))
    figure = Figure(figsize=(4.8, 6.2), layout="constrained")
    losses, scores = figure.subplots(2, 1, sharex=True)
    losses.plot(steps, first, color=SERIES[1], label="words for the first time")
    losses.plot(steps, again, color=SERIES[0], label="repeated words")
    losses.set_ylim(0, 4)
    plain(losses, "Loss", "", "nats per word")
    scores.plot(steps, previous, color=SERIES[2], label="previous token")
    scores.plot(steps, induction, color=SERIES[0], label="induction")
    scores.set_ylim(0, 1)
    plain(scores, "Highest score of a head", "step", "mean weight")
    for axes in (losses, scores):
        axes.legend(fontsize=8, frameon=False)
    save(figure, "17-forming")


def draw_patching() -> None:
    """The effect of each state and of each head."""
    words = re.search(r"^after +(.*)$", PAGE, re.M)
    assert words is not None
    states = [list(map(float, row.split())) for row in re.findall(r"^layer \d +(\d\.[ \d.]+)$", PAGE, re.M)]
    by_head = re.search(r"((?:^decoder\.\d\.\d  \d\.\d\d\n)+)induction heads together", PAGE, re.M)
    assert by_head is not None
    effects = [float(line.split()[1]) for line in by_head[1].splitlines()]
    figure = Figure(figsize=(4.8, 4.4), layout="constrained")
    above, below = figure.subplots(2, 1)
    tables = (states, [effects[:2], effects[2:]])
    for axes, table, title in zip((above, below), tables, ("States", "Heads, at all positions"), strict=True):
        shown = axes.imshow(table, cmap="Blues", vmin=0, vmax=1, origin="lower", aspect="auto")
        for layer, row in enumerate(table):
            for place, value in enumerate(row):
                if value >= 0.005:
                    colour = "white" if value > 0.7 else "black"
                    axes.text(place, layer, f"{value:.2f}", ha="center", va="center", fontsize=7, color=colour)
        axes.set_yticks(range(2), ["layer 0", "layer 1"])
        plain(axes, title, "", "")
    above.set_xticks(range(len(states[0])), words[1].split(), rotation=45)
    below.set_xticks(range(2), ["head 0", "head 1"])
    figure.colorbar(shown, ax=(above, below), location="bottom", label="effect", shrink=0.6, ticks=[0, 0.5, 1])
    save(figure, "17-patching")


if __name__ == "__main__":
    draw_induction()
    draw_forming()
    draw_patching()
