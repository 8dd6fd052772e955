"""Linear maps for inference on a CPU: their weights are laid out once as the processor's fastest kernels read them.

PyTorch lays weights out anew at each call, which costs most where there are few rows: a single sentence, a step of decoding.
"""

from __future__ import annotations

import copy
import sys
from typing import Any, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

SMALLEST = 1 << 17
"""Weights of a matrix from which on packing pays in float32 (measured; in 16 bits it always does)."""
Model = TypeVar("Model", bound=nn.Module)


class PackedLinear(nn.Module):
    """The same function as `nn.Linear`, for inference only: it has no parameters, and no gradient goes through it."""

    def __init__(self, weight: Float[Tensor, "out in"], bias: Float[Tensor, " out"] | None) -> None:
        super().__init__()
        self.in_features, self.out_features = weight.shape[1], weight.shape[0]
        self._bias = None if bias is None else bias.detach()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach())

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """x weight^T + bias."""
        return torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "none", [], "")


def can_pack(device: torch.device) -> bool:
    """Whether this build of PyTorch has the kernels, which are oneDNN's."""
    return (
        device.type == "cpu" and torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    )


def packed(model: Model) -> Model:
    """A copy of a model for inference that shares all parameters but those of linear maps, which are packed; that from states to
    logits is one of them, where the model has a place for it (`packed_output`).

    The copy stays as it is when the model's weights change. Where this machine cannot pack, or the weights are divided among
    processes, it is the model itself.
    """
    parameters = list(model.parameters())
    if not parameters or not can_pack(parameters[0].device) or _is_divided(model):
        return model
    shared: dict[int, Any] = {id(x): x for x in (*parameters, *model.buffers())}
    made = copy.deepcopy(model, shared)
    for module in list(made.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Linear and (child.weight.numel() >= SMALLEST or child.weight.itemsize == 2):
                setattr(module, name, PackedLinear(child.weight, child.bias))
    if hasattr(made, "packed_output"):
        output: Any = made
        output.packed_output = PackedLinear(output.output_embedding.weight, output.output_bias)
    return made


def _is_divided(model: nn.Module) -> bool:
    """Whether FSDP has divided the model's weights among processes; it does not let a model be copied."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    return fsdp is not None and any(isinstance(module, fsdp.FSDPModule) for module in model.modules())
