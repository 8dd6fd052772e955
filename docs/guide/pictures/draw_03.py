"""Draws the picture of chapter 3: `python docs/guide/pictures/draw_03.py`."""

from matplotlib.figure import Figure
from plots import SERIES, plain, save

WIDTH, HEADS, HEAD_DIM = 512, 8, 64
LENGTHS = [2**power for power in range(5, 14)]


def draw_cost() -> None:
    """What chapter 3 counts, at more lengths: operations of a layer, and the largest tensor of an attention."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    operations, memory = figure.subplots(1, 2)
    layers = {
        "attention": [4 * n**2 * WIDTH for n in LENGTHS],
        "recurrence": [4 * n * WIDTH**2 for n in LENGTHS],
        "convolution, kernel 3": [6 * n * WIDTH**2 for n in LENGTHS],
    }
    for (name, counts), colour in zip(layers.items(), SERIES, strict=False):
        operations.loglog(LENGTHS, counts, color=colour, label=name, base=2)
    operations.axvline(WIDTH, color="#8a929b", linestyle="--", linewidth=1)
    operations.text(WIDTH * 1.1, 4e6, "length = width", fontsize=8, color="#59636e")
    plain(operations, "Operations of a layer of width 512", "length", "operations")
    kernels = {
        "weights stored": [HEADS * n**2 * 4 / 1e6 for n in LENGTHS],
        "flash": [HEADS * n * HEAD_DIM * 4 / 1e6 for n in LENGTHS],
    }
    for (name, sizes), colour in zip(kernels.items(), SERIES, strict=False):
        memory.loglog(LENGTHS, sizes, color=colour, label=name, base=2)
    plain(memory, "Largest tensor of 8 heads of width 64", "length", "MB")
    for axes in (operations, memory):
        axes.legend(fontsize=8, frameon=False)
    save(figure, "03-cost")


if __name__ == "__main__":
    draw_cost()
