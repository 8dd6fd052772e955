"""Draws the pictures of "Masks": `python docs/guide/pictures/draw_02.py`."""

import math

import torch
from diagrams import FAINT, INK, KEY, LINE, QUERY, Diagram
from matplotlib.figure import Figure
from plots import plain, save

import regard.nn as rn

CELL_WIDTH, CELL_HEIGHT = 44, 34
SCORES = [[1, 2, 0, 3], [0, 1, 2, 1], [2, 0, 1, 4], [1, 1, 0, 2]]


def draw_masking() -> None:
    """Scores and a causal mask, the scores that are left, and their weights."""
    scores = torch.tensor(SCORES, dtype=torch.float32)
    causal = rn.causal_mask(4)
    weights = rn.masked_softmax(scores, mask=causal)
    left = scores.masked_fill(~causal, -math.inf)
    found = Diagram(440, 434, "Masking: scores, a causal mask, scores with minus infinity, weights")
    _table(found, 26, 44, "scores", [[f"{x:.0f}" for x in row] for row in scores.tolist()], None)
    _table(found, 238, 44, "mask", [["1" if x else "." for x in row] for row in causal.tolist()], causal.tolist())
    found.arrow((114, 184), (114, 236))
    found.arrow((326, 184), (326, 200), (130, 200), (130, 236))
    found.text(146, 220, "where the mask forbids: -∞", anchor="start", size=13)
    texts = [["-∞" if x == -math.inf else f"{x:.0f}" for x in row] for row in left.tolist()]
    _table(found, 26, 262, "masked scores", texts, causal.tolist())
    found.arrow((206, 330), (234, 330))
    texts = [[f"{x:.2f}".removeprefix("0") if 0 < x < 1 else f"{x:.0f}" for x in row] for row in weights.tolist()]
    _table(found, 238, 262, "softmax: weights", texts, causal.tolist())
    found.text(26, 422, "rows: queries", colour=QUERY, anchor="start", size=13)
    found.text(414, 422, "columns: keys", colour=KEY, anchor="end", size=13)
    found.save("02-masking")


def _table(
    found: Diagram, left: float, top: float, title: str, rows: list[list[str]], allowed: list[list[bool]] | None
) -> None:
    """A table of four rows under its title; cells that the mask forbids are faint."""
    found.text(left + 2 * CELL_WIDTH, top - 10, title)
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            is_allowed = allowed is None or allowed[row][column]
            x, y = left + column * CELL_WIDTH, top + row * CELL_HEIGHT
            fill = "var(--box)" if is_allowed else "none"
            found.parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}" fill="{fill}" stroke="{LINE}"/>'
            )
            colour = INK if is_allowed else FAINT
            found.text(x + CELL_WIDTH / 2, y + CELL_HEIGHT / 2 + 5, text, colour=colour)


def draw_heat_maps() -> None:
    """The identity, and equal scores under three masks."""
    equal = torch.zeros(6, 6)
    maps = {
        "identity": torch.eye(6),
        "valid length 4": rn.masked_softmax(equal, mask=rn.length_mask(torch.tensor([4]), 6)[0, 0]),
        "causal": rn.masked_softmax(equal, mask=rn.causal_mask(6)),
        "window, one before": rn.masked_softmax(equal, mask=rn.window_mask(6, before=1)),
    }
    figure = Figure(figsize=(4.8, 5.2), layout="constrained")
    grid = figure.subplots(2, 2)
    for axes, (name, weights) in zip(grid.flat, maps.items(), strict=True):
        shown = axes.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        plain(axes, name, "key", "query")
        axes.set_xticks(range(6))
        axes.set_yticks(range(6))
    bar = figure.colorbar(shown, ax=grid, location="bottom", label="weight", shrink=0.8, ticks=[0, 0.5, 1])
    bar.ax.tick_params(labelsize=8)
    save(figure, "02-heat-maps")


if __name__ == "__main__":
    draw_masking()
    draw_heat_maps()
