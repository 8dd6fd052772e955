"""Matrices of 8 bits: whole numbers from -127 to 127, and a scale for each row."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int8
from torch import Tensor

LARGEST = 127
"""The largest magnitude of a byte."""


def quantized(weight: Float[Tensor, "row column"]) -> tuple[Float[Tensor, " row"], Int8[Tensor, "row column"]]:
    """The scales and the bytes of a matrix: weight = scale * byte, as nearly as can be. A row of zeros has the scale 0.

    Quantizing scale * byte once more gives the same scales and bytes, to the last bit.
    """
    # (127 x) / 127 differs from x by a unit in the last place for some x, but not from itself.
    scales = weight.abs().amax(dim=1) / LARGEST * LARGEST / LARGEST
    rounded = torch.round(weight / scales.where(scales > 0, 1)[:, None])
    return scales, rounded.clamp(-LARGEST, LARGEST).to(torch.int8)  # scales near 0 have few digits


def dequantized(scales: Float[Tensor, " row"], rounded: Int8[Tensor, "row column"]) -> Float[Tensor, "row column"]:
    """The matrix of some scales and bytes."""
    return rounded.float() * scales[:, None]
