"""Positions: attention does not know order, so order is added to what it sees."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import ShapeError


def sinusoidal_positions(num_positions: int, model_dim: int) -> Float[Tensor, "position model_dim"]:
    """A wave of sines and cosines for each position, from fast in the first dimensions to slow in the last.

    encoding[p, 2i] = sin(p / 10000^(2i / model_dim));  encoding[p, 2i + 1] = cos(p / 10000^(2i / model_dim))

    Args:
        model_dim: an even number.
    Raises:
        ShapeError: `model_dim` is odd.
    Source: Vaswani et al. 2017, section 3.5.
    """
    if model_dim % 2:
        raise ShapeError(f"model_dim must be even for sinusoidal positions; got {model_dim}.")
    position = torch.arange(num_positions, dtype=torch.float64)[:, None]
    frequency = torch.exp(torch.arange(0, model_dim, 2, dtype=torch.float64) * (-math.log(10_000.0) / model_dim))
    angle = position * frequency
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()
