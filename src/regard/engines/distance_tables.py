"""Tables for C: the effect of the distance from a key to its query on attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.compiled import library as c
from regard.compiled.library import PointedTensors
from regard.nn.attention import Attention
from regard.nn.positions import BucketedBias, ClippedRelative, LinearBias, RelativeKey, RelativeKeyQuery, Rotary

SCHEMES = (Rotary, LinearBias, BucketedBias, RelativeKey, RelativeKeyQuery, ClippedRelative)
"""The position schemes that are written in C."""


class DistanceTables:
    """The tables of a stack's layers. Those that several layers have in common are made once.

    Args:
        kept: keeps them in memory.
        max_positions: no sequence is longer.
    """

    def __init__(self, kept: PointedTensors, max_positions: int) -> None:
        self._kept, self._max_positions = kept, max_positions
        self._turns: dict[Any, int | None] = {}
        self._biases: dict[Any, int | None] = {}

    def of(self, attention: Attention, num_heads: int, *, looks_ahead: bool) -> c.Distances:
        """The tables of one attention.

        Args:
            looks_ahead: whether queries may see keys that stand after them.
        """
        scheme = attention.positions
        found = c.Distances(window=attention.window or 0)
        if isinstance(scheme, Rotary):
            found.rotated, found.interleaved = scheme.rotated_dim, scheme.layout == "interleaved"
            found.turns = self._turns_of(scheme)
        elif isinstance(scheme, (LinearBias, BucketedBias)):
            most = self._max_positions - 1
            if isinstance(scheme, BucketedBias):
                most = min(most, scheme.max_distance)  # beyond it, all have the last bucket
            found.num_before, found.num_after = most, most if looks_ahead else 0
            found.bias = self._bias_of(scheme, num_heads, attention.head_indices, found)
        elif isinstance(scheme, RelativeKey):
            found.num_before = found.num_after = scheme.max_positions - 1
            found.key_vectors = self._kept.pointer(_scaled(scheme.table.weight))
            found.compares_keys = isinstance(scheme, RelativeKeyQuery)
        elif isinstance(scheme, ClippedRelative):  # its tables count the other way
            found.num_before = found.num_after = scheme.max_distance
            found.key_vectors = self._kept.pointer(_scaled(scheme.key_table.weight).flip(0))
            if scheme.value_table is not None:
                found.value_vectors = self._kept.pointer(scheme.value_table.weight.flip(0))
        return found

    def _turns_of(self, rotary: Rotary) -> int | None:
        """The cosines and sines of each position."""
        key = (rotary.base, rotary.rotated_dim, rotary.scaling)
        if key not in self._turns:
            angle = torch.arange(self._max_positions)[:, None] * rotary.frequencies()
            self._turns[key] = self._kept.pointer(torch.cat((angle.cos(), angle.sin()), dim=-1))
        return self._turns[key]

    def _bias_of(
        self, scheme: LinearBias | BucketedBias, num_heads: int, heads: list[int] | None, sizes: c.Distances
    ) -> int | None:
        """The bias of each head and distance, from the farthest key after the query to the farthest before it."""
        same: Any = tuple(scheme.slopes.tolist()) if isinstance(scheme, LinearBias) else scheme
        key = (same, None if heads is None else tuple(heads), sizes.num_before, sizes.num_after)
        if key not in self._biases:
            before = torch.arange(-sizes.num_after, sizes.num_before + 1)
            query, keys = torch.zeros(1, num_heads, 1, 1), torch.zeros(1, num_heads, len(before), 1)
            bias = scheme.bias(query, keys, -before[None], heads)
            assert bias is not None
            self._biases[key] = self._kept.pointer(bias[0, :, 0])
        return self._biases[key]


def unsupported_positions(attention: Attention, num_heads: int, head_dim: int, max_positions: int) -> str:
    """The feature of an attention's position scheme that is not written in C; empty: none.

    Args:
        head_dim: the width of queries and keys.
        max_positions: no sequence is longer.
    """
    scheme, heads = attention.positions, attention.head_indices
    if scheme is None:
        return ""
    if type(scheme) not in SCHEMES:
        return f"positions of kind {type(scheme).__name__}"
    if isinstance(scheme, Rotary):
        fits = scheme.head_dim == head_dim and scheme.rotated_dim in range(2, head_dim + 1, 2)
    else:
        fits = all(each.weight.ndim == 2 and each.weight.shape[1] == head_dim for each in _vectors(scheme))
    if not fits:
        return "positions of another width than the heads"
    if any(len(each.weight) != _num_distances(scheme) for each in _vectors(scheme)):
        return "positions with another number of vectors than distances"
    if isinstance(scheme, (LinearBias, BucketedBias)) and not _has_bias_of_each_head(scheme, num_heads, heads):
        return "positions for another number of heads"
    if isinstance(scheme, RelativeKey) and scheme.max_positions < max_positions:
        return "relative positions for shorter texts than the model's"
    return ""


def _vectors(scheme: Any) -> list[Any]:
    """The tables of a scheme that have a vector for each distance."""
    if isinstance(scheme, RelativeKey):
        return [scheme.table]
    if isinstance(scheme, ClippedRelative):
        return [table for table in (scheme.key_table, scheme.value_table) if table is not None]
    return []


def _num_distances(scheme: Any) -> int:
    """The number of distances that a scheme has a vector for."""
    return int(2 * (scheme.max_positions - 1 if isinstance(scheme, RelativeKey) else scheme.max_distance) + 1)


def _has_bias_of_each_head(scheme: LinearBias | BucketedBias, num_heads: int, heads: list[int] | None) -> bool:
    """Whether a scheme has a number for each head that is left, and for each bucket."""
    if isinstance(scheme, LinearBias):
        found = scheme.slopes.shape[0] if scheme.slopes.ndim == 1 else 0
    else:
        rows, found = scheme.table.weight.shape if scheme.table.weight.ndim == 2 else (0, 0)
        found = found if rows >= scheme.num_buckets and found == scheme.table.embedding_dim else 0
    if heads is None:
        return bool(found == num_heads)
    return len(heads) == num_heads and all(0 <= head < found for head in heads)


def _scaled(vectors: Float[Tensor, "distance head_dim"]) -> Float[Tensor, "distance head_dim"]:
    """Vectors that give, multiplied with a query, what is added to its scores."""
    return vectors.detach() / math.sqrt(vectors.shape[1])
