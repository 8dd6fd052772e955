"""The precision of training: float32, or bfloat16 with master weights in float32."""

from __future__ import annotations

import copy
import ctypes
import sys
from typing import Generic, TypeVar

import torch
from torch import nn

from regard.processors import is_made_by_intel

Model = TypeVar("Model", bound=nn.Module)


def resolve_precision(precision: str, device: torch.device) -> torch.dtype:
    """The dtype to compute in; `auto` is bfloat16 if the machine multiplies it faster, otherwise float32.

    That is: a GPU with bfloat16 tensor cores, or a processor with AMX, or with AVX-512 BF16 that is not Intel's: there, these
    instructions are no faster than float32's, and oneDNN's products slower (measured: docs/experiments.md).
    """
    if precision != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16}[precision]
    return torch.bfloat16 if is_bfloat16_fast(device) else torch.float32


def is_bfloat16_fast(device: torch.device) -> bool:
    """Whether a device multiplies bfloat16 faster than float32. What holds back PyTorch's kernels (ONEDNN_MAX_CPU_ISA) counts."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return False
    has_vectors = torch.cpu._is_avx512_bf16_supported() and not is_made_by_intel()
    return bool((has_vectors or torch.cpu._is_amx_tile_supported()) and torch.ops.mkldnn._is_mkldnn_bf16_supported())


class MasterWeights(Generic[Model]):
    """The master weights in float32, which the optimizer updates, and a copy of the model that computes in `dtype`.

    An update of a bfloat16 weight smaller than 1/256 of it would be lost in rounding; so updates go to float32 weights.
    """

    def __init__(self, model: Model, dtype: torch.dtype) -> None:
        self.model = model
        self.compute = model if dtype == torch.float32 else copy.deepcopy(model).to(dtype)
        for ours, theirs in zip(model.modules(), self.compute.modules(), strict=True):
            theirs._buffers.update(
                ours._buffers
            )  # what is written there while it computes, such as means, is the model's
        pairs = zip(model.parameters(), self.compute.parameters(), strict=True)
        learning = [(master, compute) for master, compute in pairs if master.requires_grad]  # frozen ones never change
        self._masters: list[torch.Tensor] = [master for master, _ in learning]
        self._computes: list[torch.Tensor] = [compute for _, compute in learning]

    def gather_gradients(self) -> None:
        """Add the copy's gradients to the masters', in float32, and clear the copy's."""
        if self.compute is self.model:
            return
        pairs = zip(self._masters, self._computes, strict=True)
        there = [(master, compute) for master, compute in pairs if compute.grad is not None]
        found = [compute.grad for _, compute in there if compute.grad is not None]
        gradients = [torch.empty_like(master) for master, _ in there]
        torch._foreach_copy_(gradients, found)  # one launch for all, not one for each
        sums = [
            (master.grad, new) for (master, _), new in zip(there, gradients, strict=True) if master.grad is not None
        ]
        if sums:
            torch._foreach_add_([total for total, _ in sums], [new for _, new in sums])
        for (master, compute), gradient in zip(there, gradients, strict=True):
            master.grad = gradient if master.grad is None else master.grad
            compute.grad = None

    @torch.no_grad()
    def spread_weights(self) -> None:
        """Copy the updated weights, rounded."""
        if self.compute is not self.model:
            torch._foreach_copy_(self._computes, self._masters)


def prepare_gpu() -> None:
    """Set the precision of products on an NVIDIA GPU for this process.

    Products in float32 are computed by tensor cores from numbers of 10 bits after the point (TF32), more than bfloat16's 7, which
    training computes with. cuDNN's attention is left out: it plans anew for each shape, for seconds, and batches of text
    have thousands of shapes.
    """
    if torch.cuda.is_available():
        torch.set_float32_matmul_precision("high")
        torch.backends.cuda.enable_cudnn_sdp(False)


def keep_freed_memory() -> None:
    """Let this process keep the memory it frees, instead of giving it back and faulting it in again at every step.

    On Linux, large tensors are otherwise fresh memory each time, which made a log-softmax over 4,096 x 8,000 logits four
    times slower (docs/experiments.md). For programs of our own; a library must not decide this for its host.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # glibc; musl has no such knob
        trim_threshold, mmap_max = -1, -4
        mallopt(mmap_max, 0)
        mallopt(trim_threshold, 2**31 - 1)
