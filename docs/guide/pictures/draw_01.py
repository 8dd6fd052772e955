"""Draws the pictures of "Looking things up": `python docs/guide/pictures/draw_01.py`."""

from collections.abc import Callable

import torch
from diagrams import FAINT, KEY, LINE, QUERY, VALUE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save
from torch import Tensor

GREY = "#8a929b"
WIDTHS = (0.3, 1.0, 5.0)


def gaussian(u: Tensor) -> Tensor:
    """The bell curve."""
    return (-u.square() / 2).exp()


def boxcar(u: Tensor) -> Tensor:
    """1 near 0, else 0."""
    return (u.abs() < 1).float()


def triangular(u: Tensor) -> Tensor:
    """A straight fall on both sides."""
    return (1 - u.abs()).clamp(min=0)


def epanechnikov(u: Tensor) -> Tensor:
    """A parabola above 0."""
    return (1 - u.square()).clamp(min=0)


def constant(u: Tensor) -> Tensor:
    """1 everywhere."""
    return torch.ones_like(u)


KERNELS = (gaussian, boxcar, triangular, epanechnikov, constant)


def truth(x: Tensor) -> Tensor:
    """The curve that is measured with noise."""
    return 2 * x.sin() + x**0.8


def weights_of(kernel: Callable[[Tensor], Tensor], query: Tensor, key: Tensor, width: float) -> Tensor:
    """The weight of each key for each query."""
    near = kernel((query - key.T) / width)
    return near / near.sum(dim=1, keepdim=True)


torch.manual_seed(1)
PLACES = torch.rand(50, 1) * 5
MEASURED = truth(PLACES) + 0.5 * torch.randn(50, 1)
WANTED = torch.linspace(0, 5, 101)[:, None]
IN_ORDER = PLACES.sort(dim=0).values


def draw_lookup() -> None:
    """A query against three keys, the softmax, and the weighted sum of the values."""
    found = Diagram(430, 420, "Attention: a query against three keys, weights, and the weighted sum of values")
    found.box(200, 10, "query 2.5", width=110, colour=QUERY)
    columns = (65, 200, 335)
    found.arrow((200, 40), (200, 62), colour=QUERY, head=False)
    found.arrow((65, 62), (335, 62), colour=QUERY, head=False)
    for middle, key, value, score, weight in zip(
        columns, "123", "149", ("-2.25", "-0.25", "-0.25"), ("0.06", "0.47", "0.47"), strict=True
    ):
        found.arrow((middle, 62), (middle, 82), colour=QUERY)
        found.box(middle, 82, f"key {key}", width=90, colour=KEY)
        found.arrow((middle, 112), (middle, 152), colour=KEY)
        found.text(middle + 8, 136, f"score {score}", anchor="start", size=13)
        found.arrow((middle, 182), (middle, 226))
        found.text(middle + 8, 208, f"weight {weight}", anchor="start", size=13)
        found.box(middle, 226, f"× value {value}", width=110, colour=VALUE)
        found.arrow((middle, 256), (middle, 286 if middle == 200 else 278), colour=VALUE, head=middle == 200)
    found.box(200, 152, "softmax: exp, divided by the sum", width=370)
    for middle in (65, 335):
        found.arrow((middle, 276), (middle, 301), (200 + (55 if middle > 200 else -55), 301), colour=VALUE)
    found.box(200, 286, "sum", width=110, colour=LINE)
    found.arrow((200, 316), (200, 344))
    found.box(200, 344, "context 6.15", width=130)
    found.text(200, 400, "0.06 × 1 + 0.47 × 4 + 0.47 × 9", colour=FAINT)
    found.save("01-lookup")


def draw_kernel_regression() -> None:
    """Three widths over the same points, and the weights of one of them."""
    figure = Figure(figsize=(4.8, 6.4), layout="constrained")
    curves, weights = figure.subplots(2, 1)
    curves.plot(PLACES, MEASURED, ".", color=GREY, label="measured")
    curves.plot(WANTED, truth(WANTED), "--", color=GREY, label="the curve")
    for width, colour in zip((0.05, 0.3, 1.0), SERIES, strict=False):
        curves.plot(
            WANTED, weights_of(gaussian, WANTED, PLACES, width) @ MEASURED, color=colour, label=f"width {width}"
        )
    curves.set_ylim(-1.7, 4.6)
    curves.legend(fontsize=8, frameon=False, ncols=2, loc="lower center")
    plain(curves, "Gaussian kernel", "query", "context")
    shown = weights.imshow(weights_of(gaussian, WANTED, IN_ORDER, 0.3), cmap="Blues", aspect="auto", vmin=0)
    plain(weights, "Weights, width 0.3", "key, in the order of its place", "query")
    weights.set_yticks([0, 50, 100], ["0", "2.5", "5"])
    figure.colorbar(shown, ax=weights, label="weight").ax.tick_params(labelsize=8)
    save(figure, "01-kernel-regression")


def draw_kernels() -> None:
    """The kernels, and what each makes of the same points."""
    figure = Figure(figsize=(4.8, 6.4), layout="constrained")
    shapes, curves = figure.subplots(2, 1)
    u = torch.linspace(-3, 3, 601)
    curves.plot(PLACES, MEASURED, ".", color=GREY)
    curves.plot(WANTED, truth(WANTED), "--", color=GREY, label="the curve")
    for kernel, colour in zip(KERNELS, SERIES, strict=False):
        shapes.plot(u, kernel(u), color=colour, label=kernel.__name__)
        curves.plot(WANTED, weights_of(kernel, WANTED, PLACES, 1.0) @ MEASURED, color=colour)
    shapes.legend(fontsize=8, frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.93))
    curves.legend(fontsize=8, frameon=False)
    plain(shapes, "Kernels", "(query - key) / width", "K")
    plain(curves, "Estimates with width 1", "query", "context")
    save(figure, "01-kernels")


def draw_softmax() -> None:
    """Weights of eight keys at three widths, undivided and divided."""
    unit = torch.tensor([1.5, 0.9, 0.5, 0.1, -0.3, -0.7, -1.2, -1.8])
    figure = Figure(figsize=(4.8, 5.6), layout="constrained")
    undivided, divided = figure.subplots(2, 1, sharey=True)
    for index, (width, colour) in enumerate(zip((4, 64, 1024), SERIES, strict=False)):
        place = torch.arange(8) + 0.26 * (index - 1)
        scores = unit * width**0.5
        undivided.bar(place, scores.softmax(dim=0), width=0.24, color=colour, label=f"d = {width}")
        divided.bar(place, (scores / width**0.5).softmax(dim=0), width=0.24, color=colour)
    for axes, title in ((undivided, "Scores as they are"), (divided, "Scores divided by the root of d")):
        plain(axes, title, "key", "weight")
        axes.set_xticks(range(8), [str(number + 1) for number in range(8)])
    undivided.legend(fontsize=8, frameon=False)
    save(figure, "01-softmax")


def draw_weights() -> None:
    """Heat maps of the weights: kernels down, widths across."""
    figure = Figure(figsize=(4.8, 7.8), layout="constrained")
    grid = figure.subplots(5, 3, sharex=True, sharey=True)
    for row, kernel in zip(grid, KERNELS, strict=True):
        for axes, width in zip(row, WIDTHS, strict=True):
            weights = weights_of(kernel, WANTED, IN_ORDER, width)
            axes.set_facecolor("#d0d4d9")
            shown = axes.imshow(weights, cmap="Blues", aspect="auto", vmin=0, vmax=0.2)
            axes.set_title(f"{kernel.__name__}, {width:g}", fontsize=8.5)
            axes.set_xticks([])
            axes.set_yticks([0, 50, 100], ["0", "2.5", "5"], fontsize=8)
    grid[-1][1].set_xlabel("key, in the order of its place", fontsize=9)
    figure.supylabel("query", fontsize=9)
    bar = figure.colorbar(
        shown, ax=grid, location="bottom", label="weight", extend="max", shrink=0.8, ticks=[0, 0.1, 0.2]
    )
    bar.ax.tick_params(labelsize=8)
    save(figure, "01-weights")


if __name__ == "__main__":
    draw_lookup()
    draw_kernel_regression()
    draw_kernels()
    draw_softmax()
    draw_weights()
