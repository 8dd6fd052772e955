"""Scores: how well a query and a key fit each other; and the softmax that makes weights of them.

A score takes queries and keys and gives a number for each pair. Any function `score(query, key)` will do; the classes
here also tell the kernels what they may rely on: an `InnerProduct` is a dot product of features, which kernels made for
dot products compute, and `Additive` has a kernel of its own (`nn/kernels/additive.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import ShapeError, check_above_zero, check_sizes, check_width
from regard.nn.initialization import linear
from regard.nn.masks import check_mask, combine_masks, length_mask
from regard.nn.widths import check_input

Query = Float[Tensor, "*batch query query_dim"]
Key = Float[Tensor, "*batch key key_dim"]
Scores = Float[Tensor, "*batch query key"]
ScoreFunction = Callable[[Tensor, Tensor], Tensor]


class InnerProduct(nn.Module):
    """A score that is a dot product of features of query and key.

    score(q, k) = factor features(q) . features(k)

    Scores of float16 are float32, as in fused kernels: a product of 65,520 or more would be infinite.

    On its own it is the plain dot product; other scores override `features` or `factor`.
    """

    def forward(self, query: Query, key: Key) -> Scores:
        """The score of every pair."""
        query, key = self.features(query, key)
        factor = self.factor(query.shape[-1])
        if query.dtype == torch.float16:
            query, key = query.float(), key.float()
        return (query if factor == 1 else query * factor) @ key.transpose(-2, -1)

    if TYPE_CHECKING:
        __call__ = forward

    def features(self, query: Query, key: Key) -> tuple[Tensor, Tensor]:
        """The features that are multiplied: vectors of the same width.

        Raises:
            ShapeError: queries and keys differ in width.
        """
        if query.shape[-1] != key.shape[-1]:
            raise ShapeError(
                f"query and key must have the same width; got {query.shape[-1]} and {key.shape[-1]}. "
                "The scores Bilinear and Additive accept different widths."
            )
        return query, key

    def factor(self, width: int) -> float:
        """The factor of the dot product of features of this width."""
        return 1.0


class DotProduct(InnerProduct):
    """score(q, k) = q . k. Source: Luong et al. 2015, equation 8, "dot"."""


class ScaledDotProduct(InnerProduct):
    """score(q, k) = q . k / sqrt(key_dim). Source: Vaswani et al. 2017, section 3.2.1."""

    def factor(self, width: int) -> float:
        """1 / sqrt(width): keeps the variance of scores at that of the entries."""
        return 1 / math.sqrt(width)


def soft_capped(x: Float[Tensor, "*shape"], cap: float) -> Float[Tensor, "*shape"]:
    """cap tanh(x / cap): nearly x where x is small, and never beyond the cap.

    Source: Bello et al. 2016, section 5.1, for logits; Gemma Team 2024 ("Gemma 2"), section 2, for scores, too.
    """
    return cap * torch.tanh(x / cap)


class SoftCappedDotProduct(nn.Module):
    """score(q, k) = cap tanh(q . k / (sqrt(key_dim) cap)): scaled dot products that stay between -cap and cap.

    Args:
        cap: above 0.
    Raises:
        SettingsError: it is not.
    Source: Gemma Team 2024 ("Gemma 2"), section 2.
    """

    def __init__(self, cap: float) -> None:
        super().__init__()
        check_above_zero(cap=cap)
        self.cap = cap
        self.product = ScaledDotProduct()

    def forward(self, query: Query, key: Key) -> Scores:
        """The score of every pair."""
        return soft_capped(self.product(query, key), self.cap)

    if TYPE_CHECKING:
        __call__ = forward


class Cosine(InnerProduct):
    """score(q, k) = sharpness q . k / (|q| |k|): only directions count.

    Args:
        sharpness: the highest score, above 0; the softmax of numbers between -1 and 1 is nearly flat.
    Raises:
        SettingsError: it is not.
    Source: Graves et al. 2014, equations 5 and 6.
    """

    def __init__(self, sharpness: float = 1.0) -> None:
        super().__init__()
        check_above_zero(sharpness=sharpness)
        self.sharpness = sharpness

    def features(self, query: Query, key: Key) -> tuple[Tensor, Tensor]:
        """The directions: vectors of length 1, or 0 for the vector 0."""
        query, key = super().features(query, key)
        smallest = torch.finfo(query.dtype).tiny ** 0.5
        return F.normalize(query, dim=-1, eps=smallest), F.normalize(key, dim=-1, eps=smallest)

    def factor(self, width: int) -> float:
        """The sharpness."""
        return self.sharpness


class GaussianKernel(InnerProduct):
    """score(q, k) = -|q - k|^2 / (2 bandwidth^2): the softmax makes Nadaraya-Watson kernel regression of it.

    -|q - k|^2 / 2 = q . k - |q|^2 / 2 - |k|^2 / 2, so that a dot product of (q, -|q|^2 / 2, 1) and (k, 1, -|k|^2 / 2)
    gives it. The term of q is the same for all keys and vanishes in the softmax; keys of one length make it the plain
    dot product. Both are moved by the queries' mean first, which changes no distance and keeps the numbers small; in 16
    bits, squared lengths still lose digits that a dot product would keep.

    Args:
        bandwidth: the distance over which weights fall, above 0.
    Raises:
        SettingsError: it is not.
    Source: Nadaraya 1964; Watson 1964.
    """

    def __init__(self, bandwidth: float = 1.0) -> None:
        super().__init__()
        check_above_zero(bandwidth=bandwidth)
        self.bandwidth = bandwidth

    def features(self, query: Query, key: Key) -> tuple[Tensor, Tensor]:
        """Query and key with their squared lengths beside them."""
        query, key = super().features(query, key)
        origin = query.detach().mean(dim=-2, keepdim=True)  # of the queries: no mask hides them
        query, key = ((x - origin) / self.bandwidth for x in (query, key))
        query_half, key_half = (x.square().sum(dim=-1, keepdim=True) / -2 for x in (query, key))
        with_query = torch.cat((query, query_half, torch.ones_like(query_half)), dim=-1)
        return with_query, torch.cat((key, torch.ones_like(key_half), key_half), dim=-1)


class Bilinear(InnerProduct):
    """score(q, k) = q . W k, for queries and keys of any width.

    Raises:
        ShapeError: a width is below 1.
    Source: Luong et al. 2015, equation 8, "general".
    """

    def __init__(self, query_dim: int, key_dim: int) -> None:
        super().__init__()
        check_sizes(query_dim=query_dim, key_dim=key_dim)
        self.key_proj = linear(key_dim, query_dim, bias=False)

    def features(self, query: Query, key: Key) -> tuple[Tensor, Tensor]:
        """The query, and the key in the query's space.

        Raises:
            ShapeError: queries or keys of another width.
        """
        check_input("query", query, self.key_proj, "out_features")
        check_input("key", key, self.key_proj)
        return query, self.key_proj(key)


class Additive(nn.Module):
    """score(q, k) = v . tanh(W_q q + W_k k), for queries and keys of any width.

    Args:
        key_dim: None: keys come as W_k k already, which is done once where the same keys are asked often.
        hidden_dim: width of v.
    Raises:
        ShapeError: a width is below 1.
    Source: Bahdanau et al. 2015, appendix A.1.2.
    """

    def __init__(self, query_dim: int, key_dim: int | None, hidden_dim: int) -> None:
        super().__init__()
        check_sizes(query_dim=query_dim, key_dim=key_dim, hidden_dim=hidden_dim)
        self.query_proj = linear(query_dim, hidden_dim, bias=False)
        self.key_proj = nn.Identity() if key_dim is None else linear(key_dim, hidden_dim, bias=False)
        self.vector = nn.Parameter(torch.empty(hidden_dim).uniform_(-1, 1) * (3 / hidden_dim) ** 0.5)

    def forward(self, query: Query, key: Key) -> Scores:
        """The score of every pair, by way of `query key hidden` numbers: `attention` knows a way without."""
        query, key, vector = self.projected(query, key)
        return torch.tanh(query.unsqueeze(-2) + key.unsqueeze(-3)) @ vector

    if TYPE_CHECKING:
        __call__ = forward

    def projected(self, query: Query, key: Key) -> tuple[Tensor, Tensor, Tensor]:
        """W_q q, W_k k and v, in one dtype.

        Raises:
            ShapeError: queries or keys of another width.
        """
        check_input("query", query, self.query_proj)
        if isinstance(self.key_proj, nn.Identity):
            check_width("key", key.shape[-1], len(self.vector))
        else:
            check_input("key", key, self.key_proj)
        query, key = self.query_proj(query), self.key_proj(key)
        return query, key, self.vector.to(query.dtype)


def masked_softmax(
    scores: Scores,
    *,
    mask: Bool[Tensor, "..."] | None = None,
    valid_lengths: Tensor | None = None,
) -> Scores:
    """Weights: rows of numbers from 0 to 1 that sum to 1 over the allowed keys, or are all 0 where none is allowed.

    weights[q, k] = exp(scores[q, k]) / sum over allowed j of exp(scores[q, j])

    Args:
        scores: left as they are; -inf hides a key.
        mask: True where a query may attend; broadcasts to the scores.
        valid_lengths: how many keys, from the first, are allowed, as whole numbers: one for each example of the first axis, or
            one for each query of each example. Together with `mask`: both must allow.
    Raises:
        ShapeError: the mask does not broadcast to the scores; lengths are no tensor of whole numbers, there are not as many as
            examples or queries, or one is negative or above the number of keys.
    """
    if valid_lengths is not None:
        mask = combine_masks(mask, _lengths_as_mask(valid_lengths, scores))
    if mask is None:
        return scores.softmax(dim=-1)
    check_mask(mask, tuple(scores.shape))
    scores = scores.masked_fill(~mask, -torch.inf)
    # A row without any allowed key is opened before the softmax, so that it stays free of NaN, in value and gradient.
    is_empty = (scores == -torch.inf).all(dim=-1, keepdim=True)
    return scores.masked_fill(is_empty, 0).softmax(dim=-1).masked_fill(is_empty, 0)


def _lengths_as_mask(lengths: Tensor, scores: Tensor) -> Tensor:
    """True for the first keys of each row, in the scores' own number of axes."""
    if scores.ndim < 3:
        raise ShapeError(f"valid_lengths need scores with the axes batch, query and key; got {scores.ndim} axes.")
    batch, num_queries = scores.shape[0], scores.shape[-2]
    if tuple(lengths.shape) not in ((batch,), (batch, num_queries)):
        raise ShapeError(
            f"valid_lengths must have shape ({batch},) or ({batch}, {num_queries}), one for each example or query; "
            f"got {tuple(lengths.shape)}."
        )
    allowed = length_mask(lengths, scores.shape[-1])
    return allowed.reshape(batch, *(1,) * (scores.ndim - 3), *allowed.shape[-2:])
