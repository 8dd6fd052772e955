"""Draws the picture of chapter 10, from the library's masks: `python docs/guide/pictures/draw_10.py`."""

import torch
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from plots import SERIES, plain, save

import regard.nn as rn

SOURCE, TARGET = ["the", "dog", "sleeps"], ["<s>", "der", "Hund", "schläft"]


def draw_sights() -> None:
    """Which tokens the state of each token can depend on, in the three kinds of model."""
    num_source, num_target = len(SOURCE), len(TARGET)
    full, causal = torch.ones(num_target, num_target, dtype=torch.bool), rn.causal_mask(num_target)
    both = torch.zeros(num_source + num_target, num_source + num_target, dtype=torch.long)
    both[:num_source, :num_source] = 1  # the encoder's self-attention
    both[num_source:, :num_source] = 2  # cross-attention
    both[num_source:, num_source:] = causal.long()
    figure = Figure(figsize=(8.2, 3.0), layout="constrained")
    panels = (("Encoder", full.long(), [*TARGET[1:], "."]), ("Decoder", causal.long(), TARGET),
              ("Encoder-decoder", both, [*SOURCE, *TARGET]))  # fmt: skip
    for axes, (title, table, tokens) in zip(figure.subplots(1, 3, width_ratios=(4, 4, 7)), panels, strict=True):
        axes.imshow(table, cmap=ListedColormap(["#f2f2f2", SERIES[0], SERIES[1]]), vmin=0, vmax=2)
        axes.set_xticks(range(len(tokens)), tokens, rotation=60)
        axes.set_yticks(range(len(tokens)), tokens)
        axes.set_xticks([edge - 0.5 for edge in range(len(tokens) + 1)], minor=True)
        axes.set_yticks([edge - 0.5 for edge in range(len(tokens) + 1)], minor=True)
        axes.grid(which="minor", color="white", linewidth=1)
        axes.tick_params(which="minor", length=0)
        plain(axes, title, "looked at", "state of")
    save(figure, "10-what-each-sees")


if __name__ == "__main__":
    draw_sights()
