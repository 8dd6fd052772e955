"""Chooses the kernel that computes a context, by shape, dtype, device and score.

The measurements behind the choice are in docs/experiments.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from regard.errors import SettingsError, ShapeError, nearest_hint
from regard.nn.kernels.products import flex, fused, tiled
from regard.nn.masks import is_mapped
from regard.nn.scores import Additive, InnerProduct, ScoreFunction

Kernel = Literal["matmul", "sdpa", "flex", "tiled"]

LONGEST_NARROW, LONGEST_TRAINING, LONGEST_FORWARD = 1024, 512, 16
"""On a CPU, up to so many queries two matrix products beat PyTorch's fused kernel: in 16 bits; in float32 with gradients, and
without. Beyond, the square matrix of weights is what costs."""
MANY_HIDDEN = 1 << 19
"""Numbers of `query key hidden` from which on the tiled kernel is faster than the plain way."""


WIDEST_FLASH = 256
"""The widest heads of PyTorch's flash kernel."""


class KernelChoice(NamedTuple):
    """A kernel, and why it was chosen."""

    kernel: Kernel
    reason: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.reason}"

    @property
    def function(self) -> Callable[..., Tensor] | None:
        """The kernel of queries, keys and values; None: `matmul`, which is the definition in `nn/attention.py`."""
        functions: dict[str, Callable[..., Tensor]] = {"sdpa": fused, "flex": flex, "tiled": tiled}
        return functions.get(self.kernel)


def choose_kernel(
    query: Tensor, key: Tensor, value: Tensor, *, score: ScoreFunction, dropout: float, kernel: str | None
) -> KernelChoice:
    """The kernel for these inputs.

    Raises:
        SettingsError: `kernel` is unknown.
        ShapeError: `kernel` does not support this score, or dropout.
    """
    if kernel is not None:
        name = _possible(kernel, score, dropout)
        if name != "tiled" or not is_mapped(query, key, value, score.vector):  # type: ignore[attr-defined]
            return KernelChoice(name, "asked for")
    if isinstance(score, InnerProduct):
        return _choose_for_products(query, key, value, dropout)
    if not isinstance(score, Additive):
        return KernelChoice("matmul", "a score of one's own is computed for every pair")
    if dropout:
        return KernelChoice("matmul", "the tiled kernel cannot drop weights")
    if is_mapped(query, key, value, score.vector):
        return KernelChoice("matmul", "the tiled kernel cannot be differentiated by torch.func")
    if torch.compiler.is_exporting():
        return KernelChoice("tiled", "an exported graph must serve any length")
    pairs = query.shape[:-1].numel() * key.shape[-2]
    if pairs * score.vector.numel() < MANY_HIDDEN:
        return KernelChoice("matmul", "tanh of all pairs is small enough to be held")
    return KernelChoice("tiled", "tanh of all pairs would need query x key x hidden numbers")


def _choose_for_products(query: Tensor, key: Tensor, value: Tensor, dropout: float) -> KernelChoice:
    """The measured choice between two matrix products and PyTorch's fused kernel."""
    if is_mapped(query, key, value):
        return KernelChoice("matmul", "PyTorch's fused kernel cannot be mapped by torch.func")
    if query.device.type != "cpu":
        return KernelChoice("sdpa", f"fused kernels are made for {query.device.type}: {_fused_on_gpu(query, value)}")
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


def _fused_on_gpu(query: Tensor, value: Tensor) -> str:
    """Which of PyTorch's fused kernels a GPU may take, by PyTorch's rules for CUDA, for people."""
    if query.dtype.itemsize > 2:
        return "memory-efficient, as flash needs 16 bits"
    if query.shape[-1] != value.shape[-1] or query.shape[-1] > WIDEST_FLASH:
        return f"memory-efficient, as flash needs keys and values of one width, at most {WIDEST_FLASH}"
    return "flash without a mask or bias, memory-efficient with one"


def _possible(kernel: str, score: ScoreFunction, dropout: float) -> Kernel:
    """The requested kernel, if it supports this score and dropout."""
    name: Kernel | None = next((known for known in get_args(Kernel) if known == kernel), None)
    if name is None:
        raise SettingsError(f"kernel must be a known kernel; got {kernel!r}. {nearest_hint(kernel, get_args(Kernel))}")
    if name in ("sdpa", "flex") and not isinstance(score, InnerProduct):
        raise ShapeError(f"kernel {name!r} works with the score InnerProduct only; got {type(score).__name__}.")
    if name == "tiled" and not isinstance(score, Additive):
        raise ShapeError(f"kernel 'tiled' works with the score Additive only; got {type(score).__name__}.")
    if name in ("tiled", "flex") and dropout:
        raise ShapeError(f"kernel {name!r} does not support dropout; got dropout {dropout}.")
    return name
