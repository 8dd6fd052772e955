"""Keys and values kept between decoding steps, so that each step projects only its own token; and learned ones."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class KeysValues(NamedTuple):
    """The projected keys and values of one attention: the database that queries look up."""

    key: Float[Tensor, "batch head key head_dim"]
    value: Float[Tensor, "batch head key value_dim"]

    @property
    def length(self) -> int:
        """How many keys there are."""
        return self.key.shape[2]

    def append(self, newer: KeysValues) -> KeysValues:
        """These keys and values, followed by newer ones."""
        return KeysValues(torch.cat((self.key, newer.key), 2), torch.cat((self.value, newer.value), 2))

    def select(self, rows: Int[Tensor, " row"]) -> KeysValues:
        """The keys and values of some rows of the batch, in the order given."""
        return KeysValues(self.key.index_select(0, rows), self.value.index_select(0, rows))


class LearnedPrefix(nn.Module):
    """Learned keys and values that stand before everything else, the same for each example: prefix tuning.

    Called with a batch size, it gives the `past` of a `MultiHeadAttention`. A mask must then allow for these keys: see
    `mask_with_prefix`. Positions count on from them, as after cached keys.

    Args:
        num_positions: how many.
        num_heads: the attention's `num_kv_heads`.
    Source: Li and Liang 2021, section 4.2, without the reparametrisation of section 4.3.
    """

    def __init__(self, num_positions: int, num_heads: int, head_dim: int) -> None:
        super().__init__()
        self.key = nn.Parameter(torch.randn(num_heads, num_positions, head_dim) * 0.02)
        self.value = nn.Parameter(torch.randn(num_heads, num_positions, head_dim) * 0.02)

    def forward(self, batch_size: int) -> KeysValues:
        """The prefix, once for each example."""
        return KeysValues(*(x.expand(batch_size, *x.shape) for x in (self.key, self.value)))
