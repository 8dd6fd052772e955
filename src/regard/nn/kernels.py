"""Kernels: ways to compute the same context. Which one is chosen depends on shape, dtype, device and score alone.

`explain_kernel` says which and why. The measurements behind the choice stand in docs/experiments.md.
"""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, get_args

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.errors import SettingsError, ShapeError, nearest_hint
from regard.nn.additive import additive_attention
from regard.nn.dropout import dropout as drop
from regard.nn.masks import causal_mask, combine_masks, is_traced
from regard.nn.scores import Additive, InnerProduct, ScoreFunction

Kernel = Literal["matmul", "sdpa", "flex", "tiled"]

LONGEST_NARROW, LONGEST_TRAINING, LONGEST_FORWARD = 1024, 512, 16
"""On a CPU, up to so many queries two matrix products beat PyTorch's fused kernel: in 16 bits; in float32 with gradients, and
without. Beyond, the square matrix of weights is what costs."""
MANY_HIDDEN = 1 << 19
"""Numbers of `query key hidden` from which on the tiled kernel is faster than the plain way."""


REGISTER, LONGEST_WIDENED = 16, 64
"""Numbers that the widest vector registers of today's processors hold in float32; up to so many keys, a 16-bit softmax is
computed in float32."""


class KernelChoice(NamedTuple):
    """A kernel, and why it was chosen."""

    kernel: Kernel
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.reason}"


def choose_kernel(
    query: Tensor, key: Tensor, value: Tensor, *, score: ScoreFunction, dropout: float, kernel: str | None
) -> KernelChoice:
    """The kernel for these inputs.

    Raises:
        SettingsError: `kernel` is unknown.
        ShapeError: `kernel` cannot compute this score, or cannot drop weights.
    """
    if kernel is not None:
        return KernelChoice(_possible(kernel, score, dropout), "asked for")
    if isinstance(score, InnerProduct):
        return _choose_for_products(query, key, value, dropout)
    if not isinstance(score, Additive):
        return KernelChoice("matmul", "a score of one's own is computed for every pair")
    if dropout:
        return KernelChoice("matmul", "the tiled kernel cannot drop weights")
    if torch.compiler.is_exporting():
        return KernelChoice("tiled", "an exported graph must serve any length")
    pairs = query.shape[:-1].numel() * key.shape[-2]
    if pairs * score.vector.numel() < MANY_HIDDEN:
        return KernelChoice("matmul", "tanh of all pairs is small enough to be held")
    return KernelChoice("tiled", "tanh of all pairs would need query x key x hidden numbers")


def _choose_for_products(query: Tensor, key: Tensor, value: Tensor, dropout: float) -> KernelChoice:
    """The measured choice between two matrix products and PyTorch's fused kernel."""
    if is_traced(query) and not torch.compiler.is_compiling():
        return KernelChoice("matmul", "PyTorch's fused kernel cannot be mapped by torch.func")
    if query.device.type != "cpu":
        return KernelChoice("sdpa", f"fused kernels are made for {query.device.type}")
    if torch.compiler.is_exporting():
        return KernelChoice("sdpa", "an exported graph must serve any length")
    if dropout:
        return KernelChoice("matmul", "on a CPU, PyTorch's fused kernel cannot drop weights")
    trains = torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value))
    is_narrow = query.dtype.itemsize == 2
    longest = LONGEST_NARROW if is_narrow else LONGEST_TRAINING if trains else LONGEST_FORWARD
    dtype, way = str(query.dtype).removeprefix("torch."), "with" if trains else "without"
    if query.shape[-2] > longest:
        return KernelChoice("sdpa", f"on a CPU in {dtype} {way} gradients, fused is faster above {longest} queries")
    return KernelChoice("matmul", f"on a CPU in {dtype} {way} gradients, plain is faster up to {longest} queries")


def _possible(kernel: str, score: ScoreFunction, dropout: float) -> Kernel:
    """The kernel asked for, if it can do what is asked of it."""
    name: Kernel | None = next((known for known in get_args(Kernel) if known == kernel), None)
    if name is None:
        raise SettingsError(f"kernel must be a known one; got {kernel!r}. {nearest_hint(kernel, get_args(Kernel))}")
    if name in ("sdpa", "flex") and not isinstance(score, InnerProduct):
        raise ShapeError(f"kernel {name!r} computes dot products only; got the score {type(score).__name__}.")
    if name == "tiled" and not isinstance(score, Additive):
        raise ShapeError(f"kernel 'tiled' computes the score Additive only; got {type(score).__name__}.")
    if name in ("tiled", "flex") and dropout:
        raise ShapeError(f"kernel {name!r} cannot drop weights; got dropout {dropout}.")
    return name


def matmul(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: ScoreFunction,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
    dropout: float,
) -> Tensor:
    """The definition, with the mask as one addition: scores, softmax over the keys, weighted sum of values."""
    scores = score(query, key)
    allowed, is_closed = opened(_allowed(mask, causal, query, key))
    added = _added(allowed, bias, scores.dtype)
    if added is not None:
        scores = scores + added
    context = drop(softmax(scores), dropout).to(value.dtype) @ value
    return context if is_closed is None else context.masked_fill(is_closed, 0)


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
    allowed, is_closed = opened(None if is_plain_causal else _allowed(mask, causal, query, key))
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
    return context if is_closed is None else context.masked_fill(is_closed, 0)


def flex(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: InnerProduct,
    mask: Tensor | None,
    bias: Tensor | None,
    causal: bool,
) -> Tensor:
    """PyTorch's FlexAttention: skips blocks of the mask that are empty. Compiled on a GPU; on a CPU a slow reference."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    query, key = score.features(query, key)
    batch = query.shape[:-2]
    query, key, value = (_four_axes(x) for x in (query, key, value))
    allowed, block_mask = _allowed(mask, causal, query, key), None
    size = (*query.shape[:2], query.shape[2], key.shape[2])
    if allowed is not None:
        pattern = _broadcast_to_four_axes(torch.atleast_2d(allowed), batch).expand(size)
        block_mask = create_block_mask(
            lambda b, h, q, k: pattern[b, h, q, k], size[0], size[1], size[2], size[3], device=str(query.device)
        )
    added = None if bias is None else _broadcast_to_four_axes(bias.to(query.dtype), batch).expand(size)
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
) -> Tensor:
    """Additive attention a few rows at a time."""
    query, key, vector = score.projected(query, key)
    batch = query.shape[:-2]
    allowed = _allowed(mask, causal, query, key)

    def flat(x: Tensor | None) -> Tensor | None:
        """Batch axes made one; those that stand for all stay so where all do."""
        if x is None:
            return None
        x = torch.atleast_2d(x)
        return x[None] if x.ndim == 2 else x.expand(*batch, *x.shape[-2:]).reshape(batch.numel(), *x.shape[-2:])

    flattened = (x.reshape(batch.numel(), *x.shape[-2:]) for x in (query, key, value))
    context = additive_attention(*flattened, vector, flat(allowed), flat(bias))
    return context.reshape(*batch, *context.shape[-2:])


def _allowed(mask: Tensor | None, causal: bool, query: Tensor, key: Tensor) -> Tensor | None:
    """The mask with the causal one, which says nothing where there is one query."""
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    ahead = causal_mask(num_queries, num_keys, device=query.device) if causal and num_queries > 1 else None
    return combine_masks(mask, ahead)


def opened(allowed: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The mask with those queries opened to all keys that may attend to nothing, and which these are, if any are.

    No kernel then meets a row of -inf, about which kernels disagree; the context of such a query is set to 0 afterwards.
    """
    if allowed is None:
        return None, None
    allowed = torch.atleast_2d(allowed)
    is_open = allowed.any(dim=-1, keepdim=True)
    if _can_look(allowed) and bool(is_open.all()):
        return allowed, None
    return allowed | ~is_open, ~is_open


def _added(allowed: Tensor | None, bias: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """What is added to the scores for a mask, which leaves some key to every query, and a bias."""
    bias = None if bias is None else bias.to(dtype)
    if allowed is None:
        return bias
    bias = torch.zeros((), dtype=dtype, device=allowed.device) if bias is None else bias
    return torch.where(allowed, bias, -torch.inf)


def _can_look(x: Tensor) -> bool:
    """Whether a value can be looked at without waiting for a device or breaking a graph that is traced."""
    return x.device.type == "cpu" and not is_traced(x)


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
