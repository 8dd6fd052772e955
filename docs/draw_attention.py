"""Draws the pictures of attention.md: `python docs/draw_attention.py`."""

from pathlib import Path

import torch
from torch import Tensor

from regard.inspection.drawing.figures import Panel, panels_svg
from regard.nn import (
    Additive,
    Bilinear,
    BucketedBias,
    Cosine,
    DotProduct,
    GaussianKernel,
    LinearBias,
    RelativeKey,
    Rotary,
    ScaledDotProduct,
    attention_weights,
    causal_mask,
    length_mask,
    prefix_mask,
    segment_mask,
    sinusoidal_positions,
    window_mask,
)
from regard.nn.masks import distances

FOLDER = Path(__file__).parent


def strongest_is_1(x: Tensor) -> list[list[float]]:
    """The matrix, divided by its number farthest from 0."""
    return (x.detach() / x.detach().abs().max()).tolist()


def factors(bias: Tensor) -> list[list[float]]:
    """What a bias multiplies each weight by before the softmax divides, as a share of the largest factor."""
    return (bias.detach() - bias.detach().max()).exp().tolist()


def draw_scores() -> None:
    """The weights of each score for the same 8 queries and 12 keys, which turn; each panel's highest weight is full colour."""
    torch.manual_seed(4)
    angle_query, angle_key = torch.linspace(0, 3, 8), torch.linspace(0, 3, 12)
    length = torch.linspace(0.5, 4, 12)[:, None]  # later keys are longer
    query = torch.stack((angle_query.cos(), angle_query.sin()), dim=1) * 2
    key = torch.stack((angle_key.cos(), angle_key.sin()), dim=1) * length
    scores = {
        "DotProduct": DotProduct(),
        "ScaledDotProduct": ScaledDotProduct(),
        "Cosine(5)": Cosine(5.0),
        "GaussianKernel": GaussianKernel(),
        "Bilinear, random": Bilinear(2, 2),
        "Additive, random": Additive(2, 2, 64),
    }
    with torch.no_grad():
        scores["Additive, random"].vector *= 12  # as if it had learned something
    panels = [Panel(name, strongest_is_1(attention_weights(query, key, score=score))) for name, score in scores.items()]
    write("scores.svg", panels, "attention weights of each score on the same data", "key", "query", 3, 13)


def draw_masks() -> None:
    """What each mask allows."""
    size = 9
    packed = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 2, 2]])
    masks = {
        "length_mask([6])": length_mask(torch.tensor([6]), size)[0, 0].expand(size, size),
        "causal_mask": causal_mask(size),
        "causal_mask(4, 9)": causal_mask(4, size),
        "window_mask, before=2": window_mask(size, before=2),
        "segment_mask": segment_mask(packed)[0, 0],
        "segment & causal": segment_mask(packed)[0, 0] & causal_mask(size),
        "prefix_mask([4])": prefix_mask(torch.tensor([4]), size)[0, 0],
        "window, both sides": window_mask(size, before=2, after=2),
    }
    panels = [Panel(name, mask.float().tolist()) for name, mask in masks.items()]
    write("masks.svg", panels, "what each mask allows", "key", "query", 4, 13)


def draw_positions() -> None:
    """Position encodings, and what schemes inside attention add to the scores."""
    torch.manual_seed(1)
    size, width = 24, 24
    distance, ones = distances(size), torch.ones(1, 1, size, width)
    heads = ones.expand(1, 4, size, width)
    turned = Rotary(width, base=100.0).rotate(ones, 0)
    linear, buckets, relative = (
        LinearBias(4),
        BucketedBias(1, num_buckets=12, max_distance=24),
        RelativeKey(width, size),
    )
    panels = [
        Panel("sinusoids, interleaved", sinusoidal_positions(size, width).tolist()),
        Panel("sinusoids, halves", sinusoidal_positions(size, width, layout="halves").tolist()),
        Panel("rotary: q · k", strongest_is_1((turned @ turned.mT)[0, 0])),
        Panel("linear bias, head 1 of 4", factors(linear.bias(heads, heads, distance)[0, 0])),
        Panel("buckets, random", factors(buckets.bias(ones, ones, distance)[0, 0])),
        Panel("relative key, random", factors(relative.bias(ones, ones, distance)[0, 0])),
    ]
    write("positions.svg", panels, "position encodings and position biases", "dimension or key", "position", 3, 7)


def write(name: str, panels: list[Panel], title: str, x_label: str, y_label: str, columns: int, cell: float) -> None:
    """One picture, in a file that follows the reader's theme."""
    svg = panels_svg(panels, title=title, x_label=x_label, y_label=y_label, columns=columns, cell=cell, standalone=True)
    (FOLDER / name).write_text(svg + "\n", encoding="utf-8")


draw_scores()
draw_masks()
draw_positions()
