"""The parts of the definition, and the kernels beside it: PyTorch's fused ones, and additive attention a few rows at a time."""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.errors import ShapeError
from regard.nn.kernels.additive import additive_attention
from regard.nn.masks import causal_mask, combine_masks, is_traced, open_empty_rows
from regard.nn.scores import Additive, InnerProduct, ScoreFunction

REGISTER, LONGEST_WIDENED = 16, 64
"""Numbers that the widest vector registers of today's processors hold in float32; up to so many keys, a 16-bit softmax is
computed in float32."""


def masked_scores(
    scores: Tensor, mask: Tensor | None, bias: Tensor | None, causal: bool, score: ScoreFunction
) -> tuple[Tensor, Tensor | None]:
    """The scores with bias and mask in one addition, and the queries that may attend to nothing (None: there are none), whose
    scores are left finite, so that the softmax stays free of NaN in value and gradient.
    """
    allowed, is_empty = open_empty_rows(_allowed(mask, causal, *scores.shape[-2:], device=scores.device))
    added = _added(allowed, bias, scores.dtype)
    if added is not None:
        scores = scores + added
    if not isinstance(score, InnerProduct | Additive):  # its -inf hide keys, all of a query's among others
        hidden = (scores == -torch.inf).all(dim=-1, keepdim=True)
        scores = scores.masked_fill(hidden, 0)
        is_empty = hidden if is_empty is None else hidden | is_empty
    return scores, is_empty


def scores_of(score: ScoreFunction, query: Tensor, key: Tensor) -> Tensor:
    """The scores of a function, checked. One that PyTorch has not for 16 bits, such as `torch.cdist`, is computed in float32.

    Raises:
        ShapeError: it did not give a number for each query and key.
    """
    try:
        scores = score(query, key)
    except NotImplementedError:
        if query.dtype.itemsize > 2:
            raise
        scores = score(query.float(), key.float()).to(query.dtype)
    check_scores(scores, query, key)
    return scores


def check_scores(scores: Tensor, query: Tensor, key: Tensor) -> None:
    """Make sure that a score function returned a number for each query and key.

    Raises:
        ShapeError: it did not.
    """
    expected = (*query.shape[:-1], key.shape[-2])
    if tuple(scores.shape) != expected:
        raise ShapeError(f"score must give a number for each query and key, {expected}; got {tuple(scores.shape)}.")


def softmax(scores: Tensor) -> Tensor:
    """The weights. On a CPU, rows shorter than a vector register take PyTorch's slow way, as do 16-bit rows that do not fill
    their registers: the former are made longer by keys that weigh nothing, the latter computed in float32.
    """
    num_keys = scores.shape[-1]
    if scores.device.type != "cpu" or is_traced(scores) or num_keys > LONGEST_WIDENED:
        return scores.softmax(dim=-1)
    dtype = torch.promote_types(scores.dtype, torch.float32)
    if num_keys >= REGISTER:
        return scores.softmax(dim=-1, dtype=dtype)
    return F.pad(scores, (0, REGISTER - num_keys), value=-torch.inf).softmax(dim=-1, dtype=dtype)[..., :num_keys]


def fused(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: InnerProduct,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float,
) -> Tensor:
    """PyTorch's `scaled_dot_product_attention`, with our rule for queries that may attend to nothing."""
    query, key = score.features(query, key)
    batch = query.shape[:-2]
    is_plain_causal = causal and mask is None and bias is None and bool(query.shape[-2] == key.shape[-2])
    allowed, is_empty = open_empty_rows(
        None if is_plain_causal else _allowed(mask, causal, query.shape[-2], key.shape[-2], device=query.device)
    )
    added = allowed if bias is None else _added(allowed, bias, query.dtype)
    query, key, value = (_four_axes(x) for x in (query, key, value))
    context = F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=None if added is None else _broadcast_to_four_axes(added, batch),
        dropout_p=dropout,
        is_causal=is_plain_causal,
        scale=score.factor(query.shape[-1]),
    )
    context = context.reshape(*batch, *context.shape[-2:])
    return context if is_empty is None else context.masked_fill(is_empty, 0)


def flex(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: InnerProduct,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float = 0.0,
) -> Tensor:
    """PyTorch's FlexAttention: skips blocks of the mask that are empty. Compiled on a GPU; on a CPU a slow reference."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    query, key = score.features(query, key)
    batch = query.shape[:-2]
    query, key, value = (_four_axes(x) for x in (query, key, value))
    allowed, block_mask = _allowed(mask, causal, query.shape[-2], key.shape[-2], device=query.device), None
    size = (*query.shape[:2], query.shape[2], key.shape[2])
    if allowed is not None:
        pattern = _broadcast_to_four_axes(torch.atleast_2d(allowed), batch).expand(size)
        block_mask = create_block_mask(
            lambda b, h, q, k: pattern[b, h, q, k], size[0], size[1], size[2], size[3], device=str(query.device)
        )
    added = None if bias is None else _broadcast_to_four_axes(narrowed(bias, query.dtype), batch).expand(size)
    change = None if added is None else (lambda score, b, h, q, k: score + added[b, h, q, k])
    run = torch.compile(flex_attention) if query.device.type == "cuda" else flex_attention
    with warnings.catch_warnings():  # on a CPU it says that it is not compiled, which is what this function says too
        warnings.simplefilter("ignore")
        context = run(query, key, value, score_mod=change, block_mask=block_mask, scale=score.factor(query.shape[-1]))
    assert isinstance(context, Tensor)
    return context.reshape(*batch, *context.shape[-2:])


def tiled(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: Additive,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float = 0.0,
) -> Tensor:
    """Additive attention a few rows at a time."""
    query, key, vector = score.projected(query, key)
    batch = query.shape[:-2]
    allowed = _allowed(mask, causal, query.shape[-2], key.shape[-2], device=query.device)

    def flat(x: Tensor | None) -> Tensor | None:
        """Batch axes made one; those that stand for all stay so where all do."""
        if x is None:
            return None
        x = torch.atleast_2d(x)
        return x[None] if x.ndim == 2 else x.expand(*batch, *x.shape[-2:]).reshape(batch.numel(), *x.shape[-2:])

    flattened = (x.reshape(batch.numel(), *x.shape[-2:]) for x in (query, key, value))
    context = additive_attention(*flattened, vector, flat(allowed), flat(bias))
    return context.reshape(*batch, *context.shape[-2:])


def _allowed(
    mask: Tensor | None, causal: bool, num_queries: int, num_keys: int, *, device: torch.device
) -> Tensor | None:
    """The mask combined with the causal mask, which is not needed for one query."""
    ahead = causal_mask(num_queries, num_keys, device=device) if causal and num_queries > 1 else None
    return combine_masks(mask, ahead)


def _added(allowed: Tensor | None, bias: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """The sum of a bias and a mask as numbers; the mask must leave a key to every query."""
    bias = None if bias is None else narrowed(bias, dtype)
    if allowed is None:
        return bias
    bias = torch.zeros((), dtype=dtype, device=allowed.device) if bias is None else bias
    return torch.where(allowed, bias, -torch.inf)


def narrowed(bias: Tensor, dtype: torch.dtype) -> Tensor:
    """A bias in the numbers of the scores. A number that these cannot hold becomes one that hides as well, and that a score can
    still be added to: float32's lowest would be -inf in 16 bits, and a whole row of it no number.
    """
    if torch.finfo(bias.dtype).max <= torch.finfo(dtype).max:
        return bias.to(dtype)
    most = torch.finfo(dtype).max / 2
    return bias.clamp(min=-most, max=most).to(dtype)


def _four_axes(x: Tensor) -> Tensor:
    """`batch head position dim`, which the fused kernels want."""
    if x.ndim == 4:
        return x
    return x[:, None] if x.ndim == 3 else x.reshape(x.shape[:-2].numel(), 1, *x.shape[-2:])


def _broadcast_to_four_axes(x: Tensor, batch: torch.Size) -> Tensor:
    """A mask or bias over `*batch query key` as one over the four axes that `_four_axes` makes."""
    x = torch.atleast_2d(x)
    if x.ndim == 2 or len(batch) == 2:
        return x
    return x.expand(*batch, *x.shape[-2:]).reshape(batch.numel(), 1, *x.shape[-2:])
