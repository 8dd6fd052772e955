"""Draws the pictures of "Scaling", from its stored results: `python docs/guide/pictures/draw_15.py`."""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from diagrams import FAINT, INK, LINE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save

TRAININGS = Path(__file__).parents[1] / "trainings"


def stored(name: str) -> list[list[str]]:
    """The rows of a training's table."""
    found: dict[str, Any] = json.loads((TRAININGS / f"15-{name}.json").read_text())
    return [found["header"], *found["rows"]]


def fit(sizes: np.ndarray, losses: np.ndarray) -> tuple[float, float, float]:
    """Floor, factor and exponent of a power law, as in the chapter."""
    best = (math.inf, 0.0, 0.0, 0.0)
    for floor in np.arange(int(100 * losses.min())) / 100:
        slope, intercept = np.polyfit(np.log(sizes), np.log(losses - floor), 1)
        error = float(np.square(floor + np.exp(intercept) * sizes**slope - losses).sum())
        best = min(best, (error, float(floor), float(np.exp(intercept)), float(-slope)))
    return best[1:]


def draw_sizes() -> None:
    """Losses of six sizes with the fits to all choices of seeds, and the constants of each fit."""
    rows = stored("sizes")[1:]
    sizes = np.array([float(row[1].replace(",", "")) for row in rows])
    losses = np.array([[float(cell) for cell in row[2:]] for row in rows])
    fits = [fit(sizes, np.array(chosen)) for chosen in product(*losses)]
    figure = Figure(figsize=(5, 6.4), layout="constrained")
    curves, constants = figure.subplots(2, 1)
    longer = np.geomspace(sizes[0], 10 * sizes[-1], 24)
    for floor, factor, alpha in fits:
        curves.plot(longer, floor + factor * longer**-alpha, color=SERIES[0], alpha=0.12, linewidth=0.8)
    for seed in range(losses.shape[1]):
        curves.plot(sizes, losses[:, seed], "o", color=SERIES[1], markersize=4, label=None if seed else "two seeds")
    curves.plot([], [], color=SERIES[0], label="64 fits")
    curves.axvline(sizes[-1], color="0.7", linewidth=0.8, linestyle="--")
    curves.set_xscale("log")
    curves.legend(fontsize=8, frameon=False)
    plain(curves, "Loss and size", "N", "validation loss, nats per character")
    constants.plot([f[0] for f in fits], [f[2] for f in fits], "o", color=SERIES[0], markersize=4, alpha=0.5)
    plain(constants, "Each fit's floor and exponent", "E", "α")
    save(figure, "15-sizes")


def draw_schedules() -> None:
    """The shapes of five schedules, and what each reached."""
    shapes = {
        "constant": lambda done: 1.0,
        "inverse root": lambda done: (0.1 / done) ** 0.5,
        "linear": lambda done: (1 - done) / 0.9,
        "cosine": lambda done: 0.5 + 0.5 * math.cos(math.pi * (done - 0.1) / 0.9),
        "WSD": lambda done: min(1.0, (1 - done) / 0.2),
    }
    header, *rows = stored("schedules")
    figure = Figure(figsize=(5, 6.4), layout="constrained")
    rates, reached = figure.subplots(2, 1)
    done = [step / 200 for step in range(1, 201)]
    peaks = [float(cell.split()[1]) for cell in header[1:]]
    for number, (name, *losses) in enumerate(rows):
        shares = [min(x / 0.1, 1.0) * (shapes[name](x) if x > 0.1 else 1.0) for x in done]
        over = {"linestyle": "--", "zorder": 2.1} if name == "constant" else {}  # WSD is the same at first
        rates.plot(done, shares, color=SERIES[number], label=name, **over)
        reached.plot(peaks, [float(loss) for loss in losses], "o-", color=SERIES[number], label=name, markersize=4)
    plain(rates, "Learning rate", "share of the steps", "share of the peak")
    rates.legend(fontsize=8, frameon=False)
    reached.set_xscale("log")
    reached.set_xticks(peaks, [f"{peak:g}" for peak in peaks])
    reached.minorticks_off()
    plain(reached, "What it reached", "peak", "validation loss, nats per character")
    save(figure, "15-schedules")


def draw_experts() -> None:
    """A token on its way through the one of four experts that the router chooses."""
    found = Diagram(440, 400, "A mixture of experts: the router gives probabilities, and the likeliest expert is used")
    found.text(120, 392, "state of a token")
    found.arrow((120, 376), (120, 236), head=False)
    found.arrow((120, 358), (310, 358), (310, 338))
    found.box(310, 308, "router, softmax", width=150)
    found.arrow((310, 308), (310, 280))
    for number, (share, is_chosen) in enumerate((("0.1", False), ("0.7", True), ("0.1", False), ("0.1", False))):
        middle = 250 + 42 * number
        found.text(middle, 272, share, colour=INK if is_chosen else FAINT)
        found.text(middle, 254, f"E{number + 1}", colour=INK if is_chosen else FAINT, size=12)
    for number in range(4):
        middle = 60 + 106 * number
        is_chosen = number == 1
        if is_chosen:
            found.arrow((120, 236), (120, 216), (middle, 216), (middle, 196), colour=INK)
        found.box(middle, 166, f"expert {number + 1}", width=92, colour=INK if is_chosen else LINE)
    found.arrow((166, 166), (166, 109), colour=INK)
    found.parts.append(
        f'<circle cx="166" cy="92" r="16" fill="var(--box)" stroke="{LINE}" stroke-width="1.5"/>',
    )
    found.text(166, 98, "×", size=18)
    found.arrow((292, 240), (292, 226), (430, 226), (430, 92), (183, 92), colour=INK)
    found.text(300, 84, "its probability, 0.7", colour=FAINT)
    found.arrow((166, 75), (166, 40))
    found.text(166, 28, "output")
    found.save("15-experts")


if __name__ == "__main__":
    draw_sizes()
    draw_schedules()
    draw_experts()
