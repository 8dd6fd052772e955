"""The score of a query and a key, split by where both come from.

    score = factor query . key = sum over i, j of factor query_part[i] . key_part[j]

A query is a linear map of the residual stream at its position, once the scale of the norm before it is held. So is a key.
Rotary positions turn both linearly. Biases of positions that depend on neither, or linearly on one, are parts of their own.

Source: Elhage et al. 2021, section "QK circuit"; Su et al. 2021, equation 16, for rotary positions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.inspection.capture import CapturedAttention
from regard.inspection.contributions import check_sum
from regard.inspection.record import HeadName
from regard.inspection.residual_stream import Added, HeldNorm, Reading, held_norm, linear_map
from regard.nn.attention import Attention
from regard.nn.masks import distances
from regard.nn.multihead import MultiHeadAttention
from regard.nn.scores import Bilinear, DotProduct, InnerProduct, ScaledDotProduct

LINEAR_SCORES = (InnerProduct, DotProduct, ScaledDotProduct, Bilinear)
"""The scores that are linear in the query and in the key."""
DISTANCE = "distance"
"""The name of what positions inside attention add."""


class ScoreParts(NamedTuple):
    """The score of one query and one key as a sum of products of parts."""

    query_names: list[str]
    key_names: list[str]
    values: Float[Tensor, "query_part key_part"]
    mean: Float[Tensor, "query_part key_part"]
    """The mean of the same products over all keys that the query may attend to."""
    score: float
    """The score, with the bias for positions, as the model computes it."""
    weight: float


class _Projected(NamedTuple):
    """The queries or keys of one head as a sum."""

    names: list[str]
    vectors: Float[Tensor, "part position head_dim"]


@torch.no_grad()
def score_parts(reading: Reading, head: HeadName, query: int, key: int) -> ScoreParts:
    """The score of a query and a key of one head as a sum over the parts that both come from.

    Args:
        query, key: positions, from 0.
    Raises:
        SettingsError: a score that is no dot product, a key that a mask hides, or parts that do not add up to the score.
    """
    site, call, rows = head.site, reading.call(head.site), slice(query, query + 1)
    attention = reading.sublayer(site)[0]
    index, score = attention.kept_heads.index(head.head), attention.attention.score
    if type(score) not in LINEAR_SCORES:
        raise SettingsError(f"a score must be a dot product to be split into parts; got {type(score).__name__}.")
    allowed = call.allowed()[0, index, query].to(call.query.device)
    if not bool(allowed[key]):
        raise SettingsError(f"key must be one that query {query} may attend to; got {key}, which a mask hides.")
    stack = "decoder" if site.kind == "cross" else site.kind
    norm = reading.norm_before(site)
    queries = _projected(reading.added(stack, site), norm, attention.query_proj, attention.query_norm, index, attention)
    read, norm = (
        (reading.added("encoder"), reading.final_norm("encoder"))
        if site.kind == "cross"
        else (reading.added(stack, site), norm)
    )
    group = index * attention.num_kv_heads // attention.num_heads
    keys = _projected(read, norm, attention.key_proj, attention.key_norm, group, attention)
    queries = _Projected(queries.names, queries.vectors[:, rows])
    products = _products(attention.attention, call, queries, keys, query, head.head)
    bias, total = call.bias_of(rows), score(call.query[0, index, rows], call.key[0, index])[0, key]
    if bias is not None:
        total = total + bias.expand(1, attention.num_heads, 1, len(allowed))[0, index, 0, key]
    check_sum(products[..., key].flatten()[None], total[None], "scores")
    has_bias = bool(products[-1].any()) or bool(products[:, -1].any())
    names, kept = ([DISTANCE], slice(None)) if has_bias else ([], slice(-1))
    return ScoreParts(
        [*queries.names, *names], [*keys.names, *names], products[kept, kept, key],
        products[kept, kept][..., allowed].mean(dim=-1), float(total), float(call.weights(rows)[0, index, 0, key]),
    )  # fmt: skip


def _projected(
    read: Iterable[Added],
    norm: HeldNorm,
    projection: nn.Module,
    head_norm: nn.Module | None,
    number: int,
    attention: MultiHeadAttention,
) -> _Projected:
    """The queries or keys of one head at every position: of each part, and of the biases; turned by their positions."""
    columns = slice(number * attention.head_dim, (number + 1) * attention.head_dim)
    matrix, bias = (x[..., columns] for x in linear_map(projection))
    names, vectors = list[str](), list[Tensor]()
    for added in read:
        names += added.names
        vectors.append(norm.linear(added.vectors) @ matrix)
    constant = (norm.bias @ matrix + bias).expand_as(vectors[0][0])
    parts = torch.cat((*vectors, constant[None]))
    if head_norm is not None:
        held = held_norm(head_norm, parts.sum(dim=0))
        parts = held.linear(parts)
        parts[-1] += held.bias
    positions = attention.attention.positions
    if positions is not None:
        parts = positions.rotate(parts[:, None], 0)[:, 0]
    return _Projected([*names, "bias"], parts)


def _products(
    attention: Attention, call: CapturedAttention, queries: _Projected, keys: _Projected, query: int, head: int
) -> Float[Tensor, "query_part key_part key"]:
    """The products of all parts for every key; last, what positions add to the parts of one side, and to no part."""
    score, positions = attention.score, attention.positions
    assert isinstance(score, InnerProduct)
    query_features, key_features = score.features(queries.vectors[:, 0], keys.vectors.flatten(0, 1))
    key_features = key_features.unflatten(0, keys.vectors.shape[:2])
    products = score.factor(query_features.shape[-1]) * torch.einsum("qd,pkd->qpk", query_features, key_features)
    with_bias = products.new_zeros(len(queries.names) + 1, len(keys.names) + 1, products.shape[-1])
    with_bias[:-1, :-1] = products
    if call.bias is not None:
        with_bias[-1, -1] += call.bias.expand(1, len(call.heads), call.num_rows, -1)[0, call.heads.index(head), query]
    if positions is not None:
        distance = distances(1, products.shape[-1], first=query, device=products.device)

        def bias(of_queries: Tensor, of_keys: Tensor) -> Tensor:
            found = positions.bias(of_queries[:, None], of_keys[:, None], distance, [head])
            return products.new_zeros(1, products.shape[-1]) if found is None else found[:, 0, 0]

        no_query, no_key = torch.zeros_like(queries.vectors), torch.zeros_like(keys.vectors)
        constant = bias(no_query[:1], no_key[:1])
        with_bias[-1, -1] += constant[0]
        with_bias[:-1, -1] = bias(queries.vectors, no_key[:1].expand(len(no_query), -1, -1)) - constant
        with_bias[-1, :-1] = bias(no_query[:1].expand(len(no_key), -1, -1), keys.vectors) - constant
    return with_bias
