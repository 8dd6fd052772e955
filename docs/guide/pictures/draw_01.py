"""Draws the picture of chapter 1: `python docs/guide/pictures/draw_01.py`."""

import torch
from matplotlib.figure import Figure
from plots import SERIES, plain, save

import regard.nn as rn


def draw_kernel_regression() -> None:
    """Three bandwidths over the same points, and the weights of one of them."""
    torch.manual_seed(1)
    places = torch.rand(50, 1) * 5
    measured = 2 * places.sin() + places**0.8 + 0.5 * torch.randn(50, 1)
    wanted = torch.linspace(0, 5, 101)[:, None]
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    curves, weights = figure.subplots(1, 2, width_ratios=(3, 2))
    curves.plot(places, measured, ".", color="#8a929b", label="measured")
    curves.plot(wanted, 2 * wanted.sin() + wanted**0.8, "--", color="#8a929b", label="the curve")
    for bandwidth, colour in zip((0.05, 0.3, 1.0), SERIES, strict=False):
        found = rn.attention(wanted, places, measured, score=rn.GaussianKernel(bandwidth))
        curves.plot(wanted, found, color=colour, label=f"bandwidth {bandwidth}")
    curves.legend(fontsize=8, frameon=False)
    plain(curves, "Kernel regression", "query", "context")
    in_order = places.sort(dim=0).values
    weights.imshow(
        rn.attention_weights(wanted, in_order, score=rn.GaussianKernel(0.3)), cmap="Blues", aspect="auto", vmin=0
    )
    plain(weights, "Weights, bandwidth 0.3", "key, in the order of its place", "query")
    weights.set_yticks([0, 50, 100], ["0", "2.5", "5"])
    save(figure, "01-kernel-regression")


if __name__ == "__main__":
    draw_kernel_regression()
