"""Attention: a query looks up a database of keys and values, and gets a weighted mean of the values.

`attention_weights` is the definition, `attention` is what models call: the same result from the kernel that is fastest
for the shape, without the weights ever being needed. To see weights, recompute them from the same queries and keys.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import ShapeError


def attention_weights(
    query: Float[Tensor, "*batch query key_dim"],
    key: Float[Tensor, "*batch key key_dim"],
    *,
    mask: Bool[Tensor, ...] | None = None,
) -> Float[Tensor, "*batch query key"]:
    """How much each query attends to each key: rows that sum to 1, or to 0 where nothing may be attended to.

    scores[q, k] = query[q] . key[k] / sqrt(key_dim);  weights[q, k] = softmax over the allowed k of scores[q, k]

    Args:
        mask: True where a query may attend; broadcasts to `*batch query key`.
    Raises:
        ShapeError: queries and keys differ in width.
    Source: Vaswani et al. 2017, section 3.2.1.
    """
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"query and key must have one width; got {query.shape[-1]} and {key.shape[-1]}.")
    scores = (query * (1 / math.sqrt(query.shape[-1]))) @ key.transpose(-2, -1)
    if mask is None:
        return scores.softmax(dim=-1)
    # The lowest finite number, not -inf: a row without any allowed key stays free of NaN, in value and gradient.
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0)


def attention(
    query: Float[Tensor, "*batch query key_dim"],
    key: Float[Tensor, "*batch key key_dim"],
    value: Float[Tensor, "*batch key value_dim"],
    *,
    mask: Bool[Tensor, ...] | None = None,
) -> Float[Tensor, "*batch query value_dim"]:
    """Context: for each query, the values averaged by softmax-normalised scores.

    scores[q, k] = query[q] . key[k] / sqrt(key_dim);  weights[q, k] = softmax over k of scores[q, k]
    context[q] = sum over k of weights[q, k] value[k]

    Args:
        mask: True where a query may attend; broadcasts to `*batch query key`. A query that may attend to nothing gets
            context 0 and gradient 0.
    Raises:
        ShapeError: key and value differ in number of positions, or query and key in width.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    if key.shape[-2] != value.shape[-2]:
        raise ShapeError(f"key and value must have one number of positions; got {key.shape[-2]} and {value.shape[-2]}.")
    if not _fused_is_faster(query):
        return attention_weights(query, key, mask=mask) @ value
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"query and key must have one width; got {query.shape[-1]} and {key.shape[-1]}.")
    if mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    # Kernels disagree about rows without any allowed key: open them, then set their context to 0.
    is_open = mask.any(dim=-1, keepdim=True)
    opened = torch.atleast_2d(mask | ~is_open)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=opened)
    return context.masked_fill(~is_open, 0)


def _fused_is_faster(query: Tensor) -> bool:
    """Whether PyTorch's fused kernel beats two matrix products here; measured in docs/experiments.md."""
    if query.device.type != "cpu" or query.shape[-2] > 512:
        return True
    return query.dtype == torch.float32 and query.requires_grad


class Attention(nn.Module):
    """`attention` as a module without parameters, so that hooks can watch what goes in and comes out."""

    def forward(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key head_dim"],
        mask: Bool[Tensor, ...] | None,
    ) -> Float[Tensor, "batch head query head_dim"]:
        """Context for every head, as `attention` defines it."""
        return attention(query, key, value, mask=mask)
