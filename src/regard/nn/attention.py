"""Attention: a query attends to keys, and gets a weighted mean of their values.

`attention` is the definition: score, mask, softmax, weighted sum. Where a kernel computes the same context faster, it uses
the kernel. `attention_weights` gives the weights of the same queries and keys; `MultiHeadAttention` (`nn/multihead.py`) has the
projections before and after.
"""

from __future__ import annotations

import copy
from numbers import Integral
from typing import TYPE_CHECKING

from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError
from regard.nn import kernels
from regard.nn.dropout import check_rate
from regard.nn.dropout import dropout as drop
from regard.nn.hooks import changed_output, show_inputs
from regard.nn.kernels import KernelChoice, choose_kernel
from regard.nn.masks import broadcasts, causal_mask, check_mask, combine_masks, distances, is_traced
from regard.nn.positions import AttentionPositions, Distance, HeadNumbers
from regard.nn.scores import ScaledDotProduct, ScoreFunction, masked_softmax

SCALED_DOT_PRODUCT = ScaledDotProduct()


def attention_weights(
    query: Float[Tensor, "*batch query query_dim"],
    key: Float[Tensor, "*batch key key_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    score: ScoreFunction = SCALED_DOT_PRODUCT,
) -> Float[Tensor, "*batch query key"]:
    """The weight of each key for each query: rows that sum to 1, or to 0 where nothing may be attended to.

    weights[q, k] = softmax over the allowed k of (score(query[q], key[k]) + bias[q, k])

    Args:
        mask: True where a query may attend; broadcasts to `*batch query key`.
        bias: finite numbers added to the scores; broadcasts likewise.
        causal: a query may not attend to keys after it; queries are the last positions of the keys. Combined with `mask`.
        score: any function of queries and keys that gives `*batch query key`.
    Raises:
        ShapeError: shapes that do not fit.
    Source: Vaswani et al. 2017, section 3.2.1.
    """
    _check_pairs(query, key)
    scores = kernels.scores_of(score, query, key)
    expected = tuple(scores.shape)
    if bias is not None:
        _check_bias(bias, expected)
        scores = scores + kernels.narrowed(bias, scores.dtype)
    if mask is not None:
        check_mask(mask, expected)
    ahead = causal_mask(*expected[-2:], device=query.device) if causal and expected[-2] > 1 else None
    return masked_softmax(scores, mask=combine_masks(mask, ahead)).to(query.dtype)


def attention(
    query: Float[Tensor, "*batch query query_dim"],
    key: Float[Tensor, "*batch key key_dim"],
    value: Float[Tensor, "*batch key value_dim"],
    *,
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    causal: bool = False,
    score: ScoreFunction = SCALED_DOT_PRODUCT,
    dropout: float = 0.0,
    kernel: str | None = None,
) -> Float[Tensor, "*batch query value_dim"]:
    """Context: for each query, the mean of the values, weighted by the softmax of the scores.

    weights[q, k] = softmax over the allowed k of (score(query[q], key[k]) + bias[q, k])
    context[q] = sum over k of weights[q, k] value[k]

    Args:
        query: a vector for each position that asks.
        key: a vector for each position that can be looked at; as wide as a query, unless the score allows another width.
        value: a vector for each key, of any width; the context is their weighted mean.
        mask: True where a query may attend; broadcasts to `*batch query key`. A query that may attend to nothing gets
            context 0 and gradient 0.
        bias: finite numbers added to the scores; broadcasts likewise.
        causal: a query may not attend to keys after it; queries are the last positions of the keys. Combined with `mask`.
        score: one of `nn/scores.py`, or any function of queries and keys that gives `*batch query key`.
        dropout: share of the weights that is set to 0, from 0 to 1; the caller decides whether it is training.
        kernel: `matmul`, `sdpa`, `flex` or `tiled`; None: chosen by shapes and score; `explain_kernel` says which one, and why.
    Raises:
        ShapeError: key and value differ in number of positions, or other shapes do not fit.
        SettingsError: an unknown kernel, or a dropout below 0 or above 1.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1; dropout on weights as in its reference implementation.
    """
    _check_pairs(query, key)
    _check_values(key, value)
    shape = (*query.shape[:-1], key.shape[-2])
    if mask is not None:
        check_mask(mask, shape)
    if bias is not None:
        _check_bias(bias, shape)
    check_rate(dropout)
    kernel_function = choose_kernel(query, key, value, score=score, dropout=dropout, kernel=kernel).function
    if kernel_function is not None:  # the same context, faster for these shapes
        return kernel_function(query, key, value, score=score, mask=mask, bias=bias, causal=causal, dropout=dropout)
    scores = kernels.scores_of(score, query, key)
    scores, is_empty = kernels.masked_scores(scores, mask, bias, causal, score)
    weights = drop(kernels.softmax(scores), dropout)
    context = weights.to(value.dtype) @ value
    return context if is_empty is None else context.masked_fill(is_empty, 0)


def explain_kernel(
    query: Float[Tensor, "*batch query query_dim"],
    key: Float[Tensor, "*batch key key_dim"],
    value: Float[Tensor, "*batch key value_dim"],
    *,
    score: ScoreFunction = SCALED_DOT_PRODUCT,
    dropout: float = 0.0,
    kernel: str | None = None,
) -> KernelChoice:
    """Which kernel `attention` takes for these inputs, and why."""
    return choose_kernel(query, key, value, score=score, dropout=dropout, kernel=kernel)


class Attention(nn.Module):
    """`attention` as a module, for what models fix once: score, positions, dropout. `nn/hooks.py` can see what goes in.

    Args:
        score: how queries and keys are compared.
        positions: what attention knows of the distance between query and key; see `nn/positions.py`.
        dropout: share of the weights that is set to 0 in training; from 0 to 1.
        window: a sliding window: a query attends only to keys less than so many positions before or after it; at least 1.
            None: to all. Source: Beltagy et al. 2020, section 3.1.
    Raises:
        SettingsError: another share, or a window that is no whole number of at least 1.
    """

    def __init__(
        self,
        score: ScoreFunction | None = None,
        positions: AttentionPositions | None = None,
        dropout: float = 0.0,
        window: int | None = None,
    ) -> None:
        super().__init__()
        check_rate(dropout)
        if window is not None and (isinstance(window, bool) or not isinstance(window, Integral) or window < 1):
            raise SettingsError(f"window must be a whole number of at least 1; got {window}.")
        self.window = window
        self.score = ScaledDotProduct() if score is None else score
        self.positions = positions
        self.dropout = dropout
        self.head_indices: list[int] | None = None
        """Which of the heads that `positions` knows are left; None: all."""
        self.is_used = False
        """Whether it is part of a layer already."""

    @property
    def needs_distance(self) -> bool:
        """Whether it must know how far keys are from queries, where these do not stand one after the other."""
        return self.positions is not None or self.window is not None

    def for_layer(self) -> Attention:
        """This attention for the first layer, and a copy for each further one: score and positions are shared, pruned heads and
        hooks are not.
        """
        if not self.is_used:
            self.is_used = True
            return self
        other = copy.copy(self)
        vars(other).update({name: part.copy() for name, part in vars(self).items() if isinstance(part, dict)})
        other.head_indices = None
        for kind, part in vars(other).items():
            if "_hooks" in kind and isinstance(part, dict):
                part.clear()
        return other

    def forward(
        self,
        query: Float[Tensor, "batch head query query_dim"],
        key: Float[Tensor, "batch head key key_dim"],
        value: Float[Tensor, "batch head key value_dim"],
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        causal: bool = False,
        distance: Distance | None = None,
    ) -> Float[Tensor, "batch head query value_dim"]:
        """Context for every head, as `attention` defines it.

        Args:
            distance: of each key from each query, for position schemes; None: the last query stands at the last key.
        """
        mask = self._in_window(mask, query, key, distance)
        show_inputs(self, query, key, value, mask, bias, causal, distance)
        dropout = self.dropout if self.training else 0.0
        if self.positions is not None and self.positions.has_values:
            weights = drop(self.weights(query, key, mask, bias, causal, distance=distance), dropout)
            distance = distances(query.shape[-2], key.shape[-2], device=query.device) if distance is None else distance
            return changed_output(self, weights @ value + self.positions.values(weights, distance))
        bias = self.with_positions(bias, query, key, distance)
        context = attention(query, key, value, mask=mask, bias=bias, causal=causal, score=self.score, dropout=dropout)
        return changed_output(self, context)

    if TYPE_CHECKING:
        __call__ = forward

    def weights(
        self,
        query: Float[Tensor, "batch head query query_dim"],
        key: Float[Tensor, "batch head key key_dim"],
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        causal: bool = False,
        *,
        first: int | None = None,
        distance: Distance | None = None,
        heads: HeadNumbers = None,
    ) -> Float[Tensor, "batch head query key"]:
        """The weights behind `forward`'s context, without dropout.

        Args:
            first: the position of the first query among the keys; None: the last query stands at the last key.
            distance: of each key from each query, where keys do not stand one after the other.
            heads: which heads these are, for position schemes that differ by head; by their numbers before any was pruned.
                None: all that are left.
        """
        if mask is not None:
            check_mask(mask, (*query.shape[:-1], key.shape[-2]))
        mask = self._in_window(mask, query, key, distance, first)
        if causal:
            mask = combine_masks(mask, causal_mask(query.shape[-2], key.shape[-2], first=first, device=query.device))
        if distance is None and self.positions is not None:
            distance = distances(query.shape[-2], key.shape[-2], first=first, device=query.device)
        bias = self.with_positions(bias, query, key, distance, heads)
        return attention_weights(query, key, mask=mask, bias=bias, score=self.score)

    def _in_window(
        self, mask: Tensor | None, query: Tensor, key: Tensor, distance: Tensor | None, first: int | None = None
    ) -> Tensor | None:
        """The mask that was given, without the keys outside of the window."""
        if self.window is None:
            return mask
        if distance is None and not is_traced(key) and key.shape[-2] <= self.window:
            return mask  # in a graph that is being traced, other texts may be longer
        if distance is None:
            distance = distances(query.shape[-2], key.shape[-2], first=first, device=query.device)
        return combine_masks(mask, distance.abs() < self.window)

    def with_positions(
        self, bias: Tensor | None, query: Tensor, key: Tensor, distance: Tensor | None, heads: HeadNumbers = None
    ) -> Tensor | None:
        """The bias that was given plus the position scheme's: what is added to the scores; None: nothing.

        Args:
            distance: of each key from each query; None: the last query stands at the last key.
            heads: as for `weights`.
        """
        if self.positions is None:
            return bias
        distance = distances(query.shape[-2], key.shape[-2], device=query.device) if distance is None else distance
        relative = self.positions.bias(query, key, distance, self.head_indices if heads is None else heads)
        return relative if bias is None else bias if relative is None else bias + relative


def _check_pairs(query: Tensor, key: Tensor) -> None:
    if query.ndim < 2 or query.shape[:-2] != key.shape[:-2]:
        raise ShapeError(
            "query and key must end in the axes position and width, and agree in the axes before; "
            f"got {tuple(query.shape)} and {tuple(key.shape)}."
        )


def _check_values(key: Tensor, value: Tensor) -> None:
    if key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"key and value must have the same number of positions; got {key.shape[-2]} and {value.shape[-2]}."
        )
    if key.shape[:-2] != value.shape[:-2]:
        raise ShapeError(
            f"key and value must have the same batch axes; got {tuple(key.shape)} and {tuple(value.shape)}."
        )


def _check_bias(bias: Tensor, shape: tuple[int, ...]) -> None:
    if not bias.is_floating_point():
        raise ShapeError(
            f"bias must hold floating-point numbers; got {bias.dtype}. Pass a mask that hides keys as `mask`."
        )
    if not broadcasts(bias, shape):
        raise ShapeError(f"bias must broadcast to the scores' shape {shape}; got {tuple(bias.shape)}.")
