"""Dropout and the loss in C (`native/training.c`), which read and write numbers once where PyTorch's operations take many passes.

They are for float32 and bfloat16 on a CPU. Where `library_for` returns None, callers compute with PyTorch.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.compiled.library import DTYPES, Library, address, find

MOST_THRESHOLD = 65535
"""The largest 16 random bits."""


def library_for(x: Tensor) -> Library | None:
    """The compiled library, where it can compute with a tensor; None: PyTorch has to, as where a graph is traced."""
    is_known = (
        x.device.type == "cpu" and x.dtype in (torch.float32, torch.bfloat16) and type(x) in (Tensor, nn.Parameter)
    )
    return find().library if is_known and not _is_traced(x) else None


def _is_traced(x: Tensor) -> bool:
    """Whether a tensor stands for others, or what is done with it is written down: C would see neither.

    Modes that only watch, such as one that counts operations, change nothing: dropout draws the same bits under them.
    """
    modes = torch._C._TorchDispatchModeKey
    return (
        torch.compiler.is_compiling()
        or torch._C._get_tracing_state() is not None
        or torch._C._are_functorch_transforms_active()
        or not torch._C._has_storage(x)  # many gradients at once
        or x.is_neg()
        or any(torch._C._get_dispatch_mode(mode) is not None for mode in (modes.FAKE, modes.PROXY, modes.FUNCTIONAL))
    )


def drop(
    library: Library, x: Float[Tensor, "*size"], rate: float, added: Float[Tensor, "*size"] | None = None
) -> Float[Tensor, "*size"]:
    """added + dropout(x), with bits that follow from one number of PyTorch's generator.

    The bits are drawn again in the backward pass, so that no mask is kept.

    Args:
        rate: above 0 and below 1; met to within 1 / 131,072.
        added: of x's dtype; None: nothing.
    """
    seed = int(torch.empty((), dtype=torch.long, device="cpu").random_())
    dropped: Tensor = _Dropped.apply(x, added, library, rate, seed)
    return dropped


def _dropped(x: Tensor, added: Tensor | None, library: Library, rate: float, seed: int) -> Tensor:
    x, added = x.contiguous(), None if added is None else added.contiguous()
    y, threshold = torch.empty_like(x), min(round(rate * (MOST_THRESHOLD + 1)), MOST_THRESHOLD)
    scale = (MOST_THRESHOLD + 1) / (MOST_THRESHOLD + 1 - threshold)
    places = (None if each is None else address(each, x.dtype) for each in (x, added, y))
    library.functions.regard_drop(x.numel(), DTYPES[x.dtype], *places, seed, threshold, scale, torch.get_num_threads())
    return y


class _Dropped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, added: Tensor | None, *chosen: Any) -> Tensor:
        ctx.chosen = chosen
        return _dropped(x, added, *chosen)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = upstream
        if library_for(gradient) is None:
            of_x = gradient * _dropped(torch.ones(gradient.shape, dtype=gradient.dtype), None, *ctx.chosen)
        else:
            of_x = _Dropped.apply(gradient, None, *ctx.chosen)
        return of_x, gradient if ctx.needs_input_grad[1] else None, None, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Tensor:
        of_x, of_added = tangents[:2]
        if of_x is None:
            return of_added
        dropped: Tensor = _Dropped.apply(of_x, None, *ctx.chosen)
        return dropped if of_added is None else dropped + of_added


def cross_entropy(
    library: Library,
    logits: Float[Tensor, "label vocab"],
    labels: Int[Tensor, " label"],
    bias: Float[Tensor, " vocab"] | None,
    smoothing: float,
    *,
    wants_gradient: bool,
) -> Float[Tensor, ""]:
    """The label-smoothed cross-entropy of some rows of logits, summed, in nats, in double precision.

    Args:
        logits: contiguous. With `wants_gradient`, their gradient is written in their place.
        labels: one for each row.
        bias: added to each row.
        smoothing: from 0 up to, not including, 1.
    Raises:
        IndexError: a label is no row of the vocabulary.
    """
    assert labels.shape == logits.shape[:1]
    assert bias is None or bias.shape == logits.shape[1:]
    labels, num_threads = labels.long().contiguous(), torch.get_num_threads()
    losses = torch.empty(len(labels), dtype=torch.double, device="cpu")
    room = torch.empty(num_threads * logits.shape[1], dtype=torch.float32, device="cpu")
    bias = None if bias is None else bias.detach().float().contiguous()
    is_known = library.functions.regard_loss(
        len(labels),
        logits.shape[1],
        DTYPES[logits.dtype],
        address(logits, logits.dtype),
        None if bias is None else address(bias),
        address(labels, torch.long),
        smoothing,
        address(losses, torch.double),
        wants_gradient,
        address(room),
        num_threads,
    )
    if not is_known:
        raise IndexError(
            f"labels must be from 0 to {logits.shape[1] - 1}; got {int(labels.min())} to {int(labels.max())}."
        )
    return losses.sum()
