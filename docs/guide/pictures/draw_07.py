"""Draws the pictures of "Train it": `python docs/guide/pictures/draw_07.py`. What was trained is read from trainings/."""

import json
import math
from pathlib import Path
from typing import Any

from diagrams import FAINT, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

STORED = Path(__file__).parents[1] / "trainings" / "07-french.json"
HEADS = {
    "encoder": ("encoder.1.3", "encoder.2.1"),
    "decoder": ("decoder.0.3", "decoder.1.1"),
    "cross": ("cross.2.2", "cross.1.3"),
}
"""Of each kind, the two that the chapter speaks of."""


def draw_data() -> None:
    """The three parts of the data, and what each is for."""
    found = Diagram(460, 372, "Training, validation and test captions, and what each is used for")
    parts = (
        (44, "29,000 captions", "to train", "gradients", "change the weights, at each step"),
        (164, "1,014 captions", "to validate", "choices", "which step to keep, which settings"),
        (284, "1,000 captions", "to test", "one number", "once, at the end: what is reported"),
    )
    for top, count, name, use, words in parts:
        found.text(85, top - 12, name)
        found.box(85, top, count, width=150)
        found.arrow((160, top + 15), (220, top + 15))
        found.box(330, top, use, width=220)
        found.text(330, top + 48, words, colour=FAINT, size=14)
    for top, words in ((100, "a model at each step"), (220, "the chosen model")):
        found.arrow((260, top), (260, top + 58))
        found.text(270, top + 34, words, colour=FAINT, anchor="start", size=14)
    found.save("07-data")


def draw_losses(stored: dict[str, Any]) -> None:
    """Loss while training, and the perplexity of the validation captions."""
    figure = Figure(figsize=(4.8, 6.2), layout="constrained")
    losses, perplexities = figure.subplots(2, 1)
    losses.plot(*zip(*stored["losses"], strict=True), color=SERIES[0], linewidth=1, label="training, one batch")
    losses.plot(*zip(*stored["validation"], strict=True), "o-", color=SERIES[1], markersize=4, label="validation")
    losses.legend(fontsize=9, frameon=False)
    plain(losses, "Loss", "step", "nats per token")
    steps, values = zip(*stored["validation"], strict=True)
    perplexities.plot(steps, [math.exp(value) for value in values], "o-", color=SERIES[1], markersize=4)
    perplexities.set_yscale("log")
    ticks = (5, 10, 20, 50, 100, 200)
    perplexities.set_yticks(ticks, labels=[str(tick) for tick in ticks])
    perplexities.minorticks_off()
    plain(perplexities, "Perplexity of the validation captions", "step", "perplexity, log scale")
    save(figure, "07-losses")


def draw_heads(stored: dict[str, Any], kind: str) -> None:
    """Two heads of one kind: the token of a row looks at those of the columns."""
    read = ["<s>", *stored["written"][:-1]] if kind == "decoder" else stored["read"]
    rows = stored["read"] if kind == "encoder" else stored["written"]
    read, rows = ([token.strip("▁") for token in tokens] for tokens in (read, rows))
    names = HEADS[kind]
    figure = Figure(figsize=(5, 8.6), layout="constrained")
    all_axes = figure.subplots(len(names), 1)
    for axes, name in zip(all_axes, names, strict=True):
        image = axes.imshow(stored["attention"][name], cmap="Blues", vmin=0, vmax=1)
        axes.set_xticks(range(len(read)), labels=read, rotation=90, fontsize=11)
        axes.set_yticks(range(len(rows)), labels=rows, fontsize=11)
        axes.set_title(name, fontsize=12)
        axes.set_ylabel("looks" if kind == "encoder" else "writes", fontsize=11)
        axes.set_xlabel("at", fontsize=11)
    bar = figure.colorbar(image, ax=all_axes, shrink=0.4, location="bottom", label="weight")
    bar.ax.tick_params(labelsize=10)
    save(figure, f"07-{kind}")


if __name__ == "__main__":
    draw_data()
    stored = json.loads(STORED.read_text())
    draw_losses(stored)
    for kind in HEADS:
        draw_heads(stored, kind)
