"""The type in which sums and exponentials are computed."""

from __future__ import annotations

import torch
from torch import Tensor


def upcast(x: Tensor) -> Tensor:
    """The tensor in float32 at least: numbers of 16 bits are widened, and float64 stays."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
