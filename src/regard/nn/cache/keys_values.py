"""Projected keys and values: the database that an attention looks up; and learned ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import ShapeError, check_sizes


class KeysValues(NamedTuple):
    """The projected keys and values of one attention: the database that queries look up."""

    key: Float[Tensor, "batch head key head_dim"]
    value: Float[Tensor, "batch head key value_dim"]

    @property
    def length(self) -> int:
        """The number of keys: the position of the next."""
        return self.key.shape[2]

    def append(self, newer: KeysValues) -> KeysValues:
        """These keys and values, followed by newer ones.

        Raises:
            ShapeError: they differ in more than their number.
        """
        for name, past, new in zip(("keys", "values"), self, newer, strict=True):
            if (past.shape[:2], past.shape[3:]) != (new.shape[:2], new.shape[3:]):
                wanted = ", ".join(map(str, (*new.shape[:2], "any number", *new.shape[3:])))
                raise ShapeError(f"past {name} must have shape ({wanted}); got {tuple(past.shape)}.")
        return KeysValues(torch.cat((self.key, newer.key), 2), torch.cat((self.value, newer.value), 2))


class LearnedPrefix(nn.Module):
    """Learned keys and values before all others, the same for each example: prefix tuning.

    Called with a batch size, it gives the `past` of a `MultiHeadAttention`. A mask must then allow for these keys: see
    `mask_with_prefix`. Positions count on from them, as after cached keys.

    Args:
        num_positions: how many.
        num_heads: the attention's `num_kv_heads`.
        head_dim: width of a head's keys.
        value_head_dim: width of a head's values; None: `head_dim`.
    Raises:
        ShapeError: one of these is below 1.
    Source: Li and Liang 2021, section 4.2, without the reparametrisation of section 4.3.
    """

    def __init__(self, num_positions: int, num_heads: int, head_dim: int, value_head_dim: int | None = None) -> None:
        super().__init__()
        check_sizes(num_positions=num_positions, num_heads=num_heads, head_dim=head_dim, value_head_dim=value_head_dim)
        self.key = nn.Parameter(torch.randn(num_heads, num_positions, head_dim) * 0.02)
        value_head_dim = head_dim if value_head_dim is None else value_head_dim
        self.value = nn.Parameter(torch.randn(num_heads, num_positions, value_head_dim) * 0.02)

    def forward(self, batch_size: int) -> KeysValues:
        """The prefix, once for each example."""
        return KeysValues(*(x.expand(batch_size, *x.shape) for x in (self.key, self.value)))

    if TYPE_CHECKING:
        __call__ = forward
