"""Masks: which query may attend to which key. The only file that decides their polarity.

A mask is boolean and True means *may attend*. Its axes end in `query key` and broadcast over the rest, so that masks
are combined with `&`.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def padding_mask(ids: Int[Tensor, "batch key"], pad_id: int) -> Bool[Tensor, "batch 1 1 key"]:
    """True where a key is a real token; the same for every head and query."""
    return (ids != pad_id)[:, None, None, :]


def causal_mask(
    num_queries: int, num_keys: int | None = None, *, device: torch.device | None = None
) -> Bool[Tensor, "query key"]:
    """True where the key does not come after the query: the look-ahead mask.

    allowed[q, k] = k <= q + (num_keys - num_queries);  the last query always sees every key, as it must when the first
    keys come from a cache.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    num_keys = num_queries if num_keys is None else num_keys
    everything = torch.ones(num_queries, num_keys, dtype=torch.bool, device=device)
    return everything.tril(num_keys - num_queries)


def target_mask(ids: Int[Tensor, "batch target"], pad_id: int) -> Bool[Tensor, "batch 1 target target"]:
    """True where a target position may see another: not after it, and not padding."""
    return padding_mask(ids, pad_id) & causal_mask(ids.shape[1], device=ids.device)


def positions_from_mask(is_token: Bool[Tensor, "batch position"]) -> Int[Tensor, "batch position"]:
    """How many real tokens stand before each one: its position, whichever side the padding is on."""
    return (is_token.long().cumsum(dim=1) - 1).clamp(min=0)
