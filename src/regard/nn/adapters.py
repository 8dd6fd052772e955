"""Low-rank adapters: a linear map that stays as it is, and a small one beside it that learns."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import ShapeError
from regard.nn.dropout import Dropout


class AdaptedLinear(nn.Linear):
    """A linear map with a low-rank update.

    output = x weight^T + bias + scale (dropout(x) down^T) up^T

    `weight` and `bias` are those of the map that is adapted, and are frozen; `down` and `up` learn. `up` begins at 0, so that
    nothing changes at first.

    Args:
        linear: the map to adapt. Its parameters are shared, not copied.
        rank: rows of `down` and columns of `up`.
        scale: what the update is multiplied by.
        dropout: of the inputs of `down`, from 0 up to, not including, 1.
    Raises:
        ShapeError: a rank below 1, or above both widths of the map.
    Source: Hu et al. 2021 (LoRA), section 4.1; initialized as in their code.
    """

    def __init__(self, linear: nn.Linear, rank: int, scale: float = 1.0, dropout: float = 0.0) -> None:
        nn.Module.__init__(self)  # makes no weight of its own
        self.in_features, self.out_features = linear.in_features, linear.out_features
        if not 1 <= rank <= max(self.in_features, self.out_features):
            raise ShapeError(
                f"rank must be from 1 to {max(self.in_features, self.out_features)}, the larger width of the map; got {rank}."
            )
        self.weight = linear.weight.requires_grad_(False)
        self.bias = None if linear.bias is None else linear.bias.requires_grad_(False)  # type: ignore[assignment]  # torch's says never None
        self.scale = scale
        self.down = nn.Parameter(self.weight.new_empty(rank, self.in_features))
        self.up = nn.Parameter(self.weight.new_zeros(self.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.dropout = Dropout(dropout)

    @property
    def rank(self) -> int:
        """The rank of the update."""
        return self.down.shape[0]

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """The output of the map, updated."""
        return super().forward(x) + F.linear(F.linear(self.dropout(x), self.down), self.up) * self.scale

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """A plain map of the same function: its weight is weight + scale up down."""
        plain = nn.Linear(self.in_features, self.out_features, bias=self.bias is not None, device="meta")
        weight = self.weight.float() + self.scale * (self.up.float() @ self.down.float())
        plain.weight = nn.Parameter(weight.to(self.weight.dtype))
        plain.bias = self.bias
        return plain.requires_grad_(False)
