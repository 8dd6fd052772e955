"""Draws the pictures of "What the parts are worth": `python docs/guide/pictures/draw_08.py`, from trainings/08-parts.json."""

import json
import statistics
from pathlib import Path
from typing import Any

from diagrams import FAINT, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

STORED = Path(__file__).parents[1] / "trainings" / "08-parts.json"


def draw_parts() -> None:
    """A model from below to above, and beside each part what is changed there."""
    found = Diagram(460, 424, "The parts of a Transformer, and what is changed in each of them")
    parts = (
        (20, "Loss", "labels that are not smoothed"),
        (84, "Dropout, sum", "dropout 0 and 0.3, at each sum"),
        (143, "FeedForward", ""),
        (202, "Attention: heads", "1 and 16 heads; additive scores"),
        (276, "+ positions", "learnt; none"),
        (340, "Embedding", "width 32 and 128, everywhere"),
    )
    for top, name, words in parts:
        found.box(105, top, name, width=166)
        found.text(212, top + 20, words, anchor="start")
    found.frame(12, 70, 186, 176)
    found.text(212, 163, "1 + 1 and 4 + 4 layers", anchor="start")
    found.text(20, 262, "layers × 2", colour=FAINT, anchor="start", size=13)
    for begin, end in ((390, 370), (340, 306), (276, 232), (202, 173), (143, 114), (84, 50)):
        found.arrow((105, begin), (105, end))
    found.text(105, 408, "ids")
    found.save("08-parts")


def draw_losses(stored: dict[str, Any]) -> None:
    """Three losses of each model, and how long a step takes."""
    losses: dict[str, list[float]] = stored["losses"]
    names = sorted(losses, key=lambda name: statistics.mean(losses[name]), reverse=True)
    figure = Figure(figsize=(4.8, 8.6), layout="constrained")
    above, below = figure.subplots(2, 1)
    base = losses["base"]
    above.axvspan(min(base), max(base), color=SERIES[0], alpha=0.12, linewidth=0)
    for place, name in enumerate(names):
        above.plot(losses[name], [place] * len(losses[name]), "o", color=SERIES[0], markersize=5)
        above.plot([statistics.mean(losses[name])], [place], "|", color=SERIES[1], markersize=14, markeredgewidth=2)
    above.set_yticks(range(len(names)), labels=names)
    plain(above, "Validation loss", "nats per token", "")
    times = {row[0]: float(row[2]) for row in stored["rows"]}
    below.barh(range(len(names)), [times[name] for name in names], color=SERIES[0], height=0.6)
    below.set_yticks(range(len(names)), labels=names)
    plain(below, "Time of a step", "of the base's", "")
    for axes in (above, below):
        axes.tick_params(labelsize=10)
    save(figure, "08-losses")


if __name__ == "__main__":
    draw_parts()
    draw_losses(json.loads(STORED.read_text()))
