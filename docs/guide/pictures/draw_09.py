"""Draws the pictures of chapter 9, two of them from what its page prints and stores: `python docs/guide/pictures/draw_09.py`."""

import itertools
import re
from pathlib import Path

from diagrams import FAINT, KEY, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import plain, save

GUIDE = Path(__file__).parents[1]
SOURCE = ["the", "small", "black", "cat", "likes", "the", "house", "</s>"]


def draw_step() -> None:
    """One step of the decoder: what it looks up, and what goes into its new state."""
    found = Diagram(460, 500, "One step of the recurrent decoder with attention")
    places = (130, 215, 300, 385)
    for number, place in enumerate(places, start=1):
        found.box(place, 400, f"h{number}", width=56)
        found.arrow((place, 462), (place, 430))
        found.text(place, 480, f"x{number}")
        found.arrow((place, 400), (place, 342), colour=KEY)
    for left, right in itertools.pairwise(places):
        found.arrow((left + 28, 409), (right - 28, 409))
        found.arrow((right - 28, 421), (left + 28, 421))
    found.text(62, 420, "encoder", colour=FAINT, size=13)
    found.text(392, 380, "keys", colour=KEY, anchor="start", size=13)
    found.box(257, 312, "score(s, h), softmax", width=320)
    found.arrow((257, 312), (257, 272))
    found.text(265, 297, "weights α", colour=FAINT, anchor="start", size=13)
    found.box(257, 242, "sum of α h", width=180)
    found.arrow((413, 415), (445, 415), (445, 257), (347, 257), colour=VALUE)
    found.text(438, 250, "values", colour=VALUE, anchor="end", size=13)
    found.arrow((257, 242), (257, 172))
    found.text(265, 208, "context c(i)", colour=FAINT, anchor="start", size=13)
    found.box(60, 142, "s(i − 1)", width=90)
    found.arrow((60, 172), (60, 327), (97, 327), colour=QUERY)
    found.text(68, 250, "query", colour=QUERY, anchor="start", size=13)
    found.arrow((105, 157), (187, 157))
    found.box(257, 142, "gated unit", width=140)
    found.arrow((327, 157), (360, 157))
    found.box(402, 142, "s(i)", width=84)
    found.arrow((257, 92), (257, 142))
    found.text(257, 84, "y(i − 1), the word before")
    found.arrow((402, 142), (402, 62))
    found.text(452, 50, "y(i), the next word", anchor="end")
    found.text(60, 130, "decoder", colour=FAINT, size=13)
    found.save("09-step")


def draw_alignment() -> None:
    """Which words of the toy language each word was written from."""
    printed = (GUIDE / "09-recurrence-with-attention.md").read_text().split("## The alignment")[1]
    rows = re.findall(r"^(\S+) +((?:(?:\d\.\d|\.) *){8})$", printed, re.M)[: len(SOURCE)]
    weights = [[0.0 if cell == "." else float(cell) for cell in cells.split()] for _, cells in rows]
    figure = Figure(figsize=(4.6, 3.8), layout="constrained")
    axes = figure.subplots()
    shown = axes.imshow(weights, cmap="Greens", vmin=0, vmax=1)
    axes.set_xticks(range(len(SOURCE)), SOURCE, rotation=60)
    axes.set_yticks(range(len(rows)), [word.removeprefix("\u2581") for word, _ in rows])
    plain(axes, "Weights of the recurrent model", "read", "written")
    figure.colorbar(shown, ax=axes, shrink=0.8).set_label("weight", fontsize=9)
    save(figure, "09-alignment")


def draw_captions() -> None:
    """How two trained models align a caption of the test set."""
    tables = (GUIDE / "trainings" / "09-alignments.txt").read_text(encoding="utf-8").strip().split("\n\n")
    figure = Figure(figsize=(5.2, 9), layout="constrained")
    panels = figure.subplots(len(tables), 1)
    for axes, table in zip(panels, tables, strict=True):
        name, header, *lines = table.split("\n")
        rows = [line.split("\t") for line in lines]
        shown = axes.imshow([[float(cell) for cell in row[1:]] for row in rows], cmap="Greens", vmin=0, vmax=1)
        read = header.split("\t")[1:]
        axes.set_xticks(range(len(read)), read, rotation=60)
        axes.set_yticks(range(len(rows)), [row[0] for row in rows])
        plain(axes, name, "read", "written")
    figure.colorbar(shown, ax=panels, shrink=0.5).set_label("weight", fontsize=9)
    save(figure, "09-captions")


if __name__ == "__main__":
    draw_step()
    draw_alignment()
    draw_captions()
