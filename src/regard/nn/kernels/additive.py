"""Additive attention in memory that grows with `query + key`, not with `query x key x hidden`.

context[q] = sum over k of softmax over k of (v . tanh(query[q] + key[k]) + bias[q, k]) value[k]

The plain way holds tanh(query[q] + key[k]) for all pairs: at 4,096 x 4,096 positions and 256 hidden numbers 17 GB. Here
a few rows of queries are done at a time, and done again in the backward pass. A tanh is slow, so it is written as
tanh(x) = 2 s - 1 with s = 1 / (1 + exp(-2 query[q]) exp(-2 key[k])): one exponential for each query and key, and one
division for each pair. The -1 adds the same to all scores of a query and vanishes in the softmax:

    scores[q, k] = 2 v . s[q, k] + bias[q, k]

With the gradient g[q, k] of each score, whose sum over k is 0, the chain rule gives

    gradient of query[q] = 4 v * sum over k of g[q, k] s (1 - s)        of key[k]: the same, summed over q
    gradient of v = 2 sum over q and k of g[q, k] s

Both directions are PyTorch operators of their own (`regard::additive_attention`), so that `torch.compile` and
`torch.export` take them as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from regard.nn.upcast import upcast

TILE_NUMBERS = 1 << 18
"""Numbers of `query key hidden` that are held at once: a megabyte in float32, which stays in a processor's cache."""


@torch.library.custom_op(
    "regard::additive_attention",
    mutates_args=(),
    schema="(Tensor query, Tensor key, Tensor value, Tensor vector, Tensor? mask, Tensor? bias) -> Tensor",
)
def additive_attention(
    query: Tensor, key: Tensor, value: Tensor, vector: Tensor, mask: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Context of each query, in float32 inside where the inputs are narrower.

    Args:
        query: projected queries, `batch query hidden`.
        key: projected keys, `batch key hidden`.
        value: `batch key value_dim`.
        vector: v, `hidden`.
        mask: True where a query may attend, `batch query key`, where each of the first two may be 1.
        bias: added to the scores; shaped like a mask.
    """
    wide_value, wide_vector = upcast(value), upcast(vector)
    pairs = _Pairs(upcast(query), upcast(key))
    context = torch.empty((*query.shape[:2], value.shape[-1]), dtype=wide_value.dtype, device=value.device)
    for rows in _tiles(query.shape[0], query.shape[1], key.shape[1] * key.shape[2]):
        weights = _weights(pairs.sigmoids(rows) @ (2 * wide_vector), mask, bias, rows)
        context[rows] = weights @ wide_value[rows[0]]
    return context.to(value.dtype)


@torch.library.custom_op(
    "regard::additive_attention_backward",
    mutates_args=(),
    schema=(
        "(Tensor gradient, Tensor query, Tensor key, Tensor value, Tensor vector, Tensor? mask, Tensor? bias) "
        "-> (Tensor, Tensor, Tensor, Tensor, Tensor)"
    ),
)
def _backward(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    vector: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of query, key, value, vector and bias (empty without one)."""
    inputs = (query, key, value, vector)
    wide_query, wide_key, wide_value, wide_vector = (upcast(x) for x in inputs)
    query_grad, key_grad, value_grad, vector_grad = (
        torch.zeros_like(x) for x in (wide_query, wide_key, wide_value, wide_vector)
    )
    bias_grad = torch.zeros_like(upcast(bias)) if bias is not None else wide_query.new_zeros(0)
    pairs = _Pairs(wide_query, wide_key)
    for rows in _tiles(query.shape[0], query.shape[1], key.shape[1] * key.shape[2]):
        examples, _ = rows
        sigmoids = pairs.sigmoids(rows)
        weights = _weights(sigmoids @ (2 * wide_vector), mask, bias, rows)
        context_grad = upcast(gradient[rows])
        value_grad[examples] += weights.transpose(1, 2) @ context_grad
        weights_grad = context_grad @ wide_value[examples].transpose(1, 2)
        scores_grad = weights * (weights_grad - (weights * weights_grad).sum(dim=-1, keepdim=True))
        if bias is not None:
            tile = _part(bias_grad, rows)
            tile += scores_grad.sum_to_size(tile.shape)
        vector_grad += scores_grad.flatten() @ sigmoids.flatten(0, 2)
        changes = sigmoids.addcmul_(sigmoids, sigmoids, value=-1).mul_(scores_grad[..., None])
        query_grad[rows] = changes.sum(dim=2)
        key_grad[examples] += changes.sum(dim=1) if changes.shape[1] > 1 else changes[:, 0]
    vector_grad *= 2
    query_grad *= 4 * wide_vector
    key_grad *= 4 * wide_vector
    grads = (query_grad, key_grad, value_grad, vector_grad)
    narrow = [grad.to(x.dtype) for grad, x in zip(grads, inputs, strict=True)]
    return narrow[0], narrow[1], narrow[2], narrow[3], bias_grad if bias is None else bias_grad.to(bias.dtype)


def _tiles(num_examples: int, num_queries: int, row_size: int) -> Iterator[tuple[slice, slice]]:
    """Rows to be done together: whole examples where they are small, some queries of one where they are large."""
    rows = max(TILE_NUMBERS // max(row_size, 1), 1)
    examples = max(rows // max(num_queries, 1), 1)
    for first in range(0, num_examples, examples):
        for start in range(0, num_queries, rows):
            yield slice(first, first + examples), slice(start, start + rows)


class _Pairs:
    """1 / (1 + exp(-2 query[q]) exp(-2 key[k])), for some rows at a time.

    Where the product of the exponentials could be 0 times infinity, the sum of the exponents is taken instead.
    """

    def __init__(self, query: Tensor, key: Tensor) -> None:
        furthest = max(float(x.abs().max()) if x.numel() else 0.0 for x in (query, key))
        self.is_safe = furthest <= 0.45 * math.log(torch.finfo(query.dtype).max)
        self.query, self.key = ((-2 * x).exp() if self.is_safe else 2 * x for x in (query, key))
        self.scratch = query.new_empty(0)

    def sigmoids(self, rows: tuple[slice, slice]) -> Tensor:
        """s of some rows, `example query key hidden`, free to be overwritten, and gone with the next call."""
        query, key = self.query[rows][:, :, None], self.key[rows[0]][:, None]
        shape = torch.broadcast_shapes(query.shape, key.shape)
        if self.scratch.numel() < shape.numel():
            self.scratch = query.new_empty(shape.numel())  # fresh memory for each tile would cost more than the numbers
        out = self.scratch[: shape.numel()].view(shape)
        if self.is_safe:
            return torch.mul(query, key, out=out).add_(1).reciprocal_()
        return torch.add(query, key, out=out).sigmoid_()


def _weights(scores: Tensor, mask: Tensor | None, bias: Tensor | None, rows: tuple[slice, slice]) -> Tensor:
    """The masked softmax of some rows of scores, which it may overwrite."""
    if bias is not None:
        scores += _part(bias, rows)
    if mask is None:
        return scores.softmax(dim=-1)
    allowed = _part(mask, rows)
    is_empty = ~allowed.any(dim=-1, keepdim=True)
    scores.masked_fill_(~(allowed | is_empty), -torch.inf)
    return scores.softmax(dim=-1).masked_fill_(is_empty, 0)


def _part(whole: Tensor, rows: tuple[slice, slice]) -> Tensor:
    """The rows of a mask or bias, whose axes of size 1 stand for all."""
    examples, queries = (part if size > 1 else slice(None) for part, size in zip(rows, whole.shape, strict=False))
    return whole[examples, queries]


def _keep_for_backward(
    ctx: torch.autograd.function.FunctionCtx, inputs: tuple[Tensor | None, ...], output: Tensor
) -> None:
    ctx.save_for_backward(*inputs)  # type: ignore[arg-type]  # None is allowed, and comes back as None


def _gradients(ctx: torch.autograd.function.FunctionCtx, gradient: Tensor) -> tuple[Tensor | None, ...]:
    *inputs, mask, bias = ctx.saved_tensors  # type: ignore[attr-defined]  # which torch's types leave out
    *grads, bias_grad = _backward(gradient, *inputs, mask, bias)
    return (*grads, None, None if bias is None else bias_grad)


additive_attention.register_fake(
    lambda query, key, value, vector, mask, bias: value.new_empty((*query.shape[:2], value.shape[-1]))
)
_backward.register_fake(
    lambda gradient, query, key, value, vector, mask, bias: (
        *(torch.empty_like(x) for x in (query, key, value, vector)),
        query.new_zeros(0) if bias is None else torch.empty_like(bias),
    )
)
additive_attention.register_autograd(_gradients, setup_context=_keep_for_backward)
