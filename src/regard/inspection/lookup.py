"""The computation of a row of a head's weights, in numbers: a query, the keys that it is compared with, scores,
softmax.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import SettingsError
from regard.inspection.capture import CapturedAttention, capture
from regard.inspection.record import HeadName
from regard.models.heads import attention_sites
from regard.models.interface import Model, one_row
from regard.nn.scores import Additive, InnerProduct, SoftCappedDotProduct, soft_capped


@dataclass(frozen=True, repr=False)
class Lookup:
    """A row of a head: a query looks up keys.

    terms(k) = query * keys[k]                   (additive attention: vector * tanh(query + keys[k]))
    scores[k] = factor sum(terms(k))             (with a cap: cap tanh(factor sum(terms(k)) / cap))
    weights = softmax over the allowed k of scores[k] + bias[k]
    """

    query: Float[numpy.ndarray, " head_dim"]
    """The query as it is compared: after its projection, and after positions have rotated it."""
    keys: Float[numpy.ndarray, "key head_dim"]
    is_rotated: bool
    """Whether positions have rotated queries and keys."""
    factor: float
    """The factor of the scaled dot product, 1 / sqrt(head_dim)."""
    vector: Float[numpy.ndarray, " head_dim"] | None
    """The vector of additive attention; None: dot products."""
    scores: Float[numpy.ndarray, " key"]
    bias: Float[numpy.ndarray, " key"]
    """The bias that is added for positions; 0 where a model adds nothing."""
    allowed: Bool[numpy.ndarray, " key"]
    """A mask of the keys: False where a mask forbids a key."""
    weights: Float[numpy.ndarray, " key"]
    cap: float | None = None
    """The bound of the scores; None: there is none."""

    def __repr__(self) -> str:
        return f"Lookup({len(self.keys)} keys of width {len(self.query)})"

    def terms(self, key: int) -> Float[numpy.ndarray, " head_dim"]:
        """The numbers whose sum, times `factor` and bounded by `cap`, is the score of a key."""
        if self.vector is None:
            return self.query * self.keys[key]
        return self.vector * numpy.tanh(self.query + self.keys[key])

    def as_dict(self, key: int | None = None) -> dict[str, Any]:
        """All numbers as JSON has them.

        Args:
            key: whose vector is among it, with the terms of its score; None: the keys' vectors are left out.
        """
        content: dict[str, Any] = {
            "query": _rounded(self.query),
            "is_rotated": self.is_rotated,
            "factor": self.factor,
            "cap": self.cap,
            "is_additive": self.vector is not None,
            "scores": _rounded(self.scores),
            "bias": _rounded(self.bias),
            "allowed": self.allowed.tolist(),
            "weights": _rounded(self.weights),
        }
        if key is not None:
            content |= {"key": _rounded(self.keys[key]), "terms": _rounded(self.terms(key))}
        return content


@torch.no_grad()
def compute_row(model: Model, ids: Sequence[Sequence[int]], head: HeadName, row: int, num_rows: int) -> Lookup:
    """Compute a row of a head's weights step by step.

    Args:
        ids: what the model reads: a text, or a source and a target.
        row: from 0, among the last `num_rows` positions that look.
    Raises:
        SettingsError: a head or row that is not, or a score function that compares no vectors; ids that the model cannot read.
    """
    _check_ids(model, ids)
    site = attention_sites(model).get(head.site)
    if site is None:
        raise SettingsError(f"head must be one of the model's; got {head}.")
    if not 0 <= row < num_rows:
        raise SettingsError(f"row must be from 0 to {num_rows - 1}; got {row}.")
    with capture(model, layers=[site]) as seen:
        model.states(*(one_row(model, each) for each in ids))
    calls = seen.calls(site)  # a recurrent model has one for each row
    if head.head not in calls[0].heads:
        raise SettingsError(f"head must be one of the model's; got {head}.")
    place = row + sum(call.num_rows for call in calls) - num_rows
    for call in calls:
        if place < call.num_rows:
            return _of_row(call, calls[0].heads.index(head.head), place)
        place -= call.num_rows
    raise AssertionError(place)


def _check_ids(model: Model, ids: Sequence[Sequence[int]]) -> None:
    """Make sure that a model reads so many texts, and has their tokens."""
    sizes = model.vocabulary_sizes
    if len(ids) != len(sizes) or any(max(row, default=0) >= size for row, size in zip(ids, sizes, strict=True)):
        raise SettingsError("an inspection must be by this model; got one by a model that reads other texts or tokens.")


def _of_row(call: CapturedAttention, head: int, row: int) -> Lookup:
    at = slice(row, row + 1)
    query, key = call.query[0, head, at].float(), call.key[0, head].float()
    score: Any = call.module.score
    vector = cap = None
    if isinstance(score, SoftCappedDotProduct):
        score, cap = score.product, score.cap
    if isinstance(score, InnerProduct):
        query, key = score.features(query, key)
        factor = score.factor(query.shape[-1])
        scores = factor * (key @ query[0])
    elif isinstance(score, Additive):
        factor = 1.0
        query, key, vector = score.projected(query, key)
        scores = torch.tanh(query + key) @ vector
    else:
        raise SettingsError(f"the score must be a product or additive; got {type(score).__name__}, which has no terms.")
    if cap is not None:
        scores = soft_capped(scores, cap)
    weights, bias = call.weights(at)[0, head, 0], call.bias_of(at)
    bias = torch.zeros_like(weights) if bias is None else bias.expand(*call.query.shape[:2], 1, -1)[0, head, 0]
    positions = call.module.positions
    is_rotated = positions is not None and positions.has_rotation
    return Lookup(
        _numbers(query[0]), _numbers(key), is_rotated, factor, None if vector is None else _numbers(vector),
        _numbers(scores), _numbers(bias), call.allowed()[0, head, row].cpu().numpy(), _numbers(weights), cap,
    )  # fmt: skip


def _numbers(x: Tensor) -> numpy.ndarray:
    return x.float().cpu().numpy()


def _rounded(x: numpy.ndarray) -> list[float]:
    return [round(value, 5) for value in x.tolist()]
