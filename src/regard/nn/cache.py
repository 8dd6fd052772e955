"""Keys and values kept between decoding steps, so that each step projects only its own token."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor


class KeysValues(NamedTuple):
    """The projected keys and values of one attention: the database that queries look up."""

    key: Float[Tensor, "batch head key head_dim"]
    value: Float[Tensor, "batch head key head_dim"]

    def append(self, newer: KeysValues) -> KeysValues:
        """These keys and values, followed by newer ones."""
        return KeysValues(torch.cat((self.key, newer.key), 2), torch.cat((self.value, newer.value), 2))

    def select(self, rows: Int[Tensor, " row"]) -> KeysValues:
        """The keys and values of some rows of the batch, in the order given."""
        return KeysValues(self.key.index_select(0, rows), self.value.index_select(0, rows))
