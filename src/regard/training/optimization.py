"""The parameters that an optimizer gets, and the running average of weights."""

from __future__ import annotations

import copy
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

Model = TypeVar("Model", bound=nn.Module)


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """A model's parameters for an optimizer, without frozen ones: matrices decay; vectors, which are biases and norms, do not."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    decaying = [parameter for parameter in parameters if parameter.ndim >= 2]
    others = [parameter for parameter in parameters if parameter.ndim < 2]
    groups = [{"params": decaying, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return [group for group in groups if group["params"]]


class WeightAverage(Generic[Model]):
    """An exponential moving average of a model's weights: averaged = d averaged + (1 - d) weights. Frozen ones are shared.

    Early on, d is (1 + step) / (10 + step) if that is lower, so that the random start is soon forgotten (the rule of
    TensorFlow's `ExponentialMovingAverage`).
    """

    def __init__(self, model: Model, decay: float, *, is_separate: bool = False) -> None:
        """Make `model` the model itself with a decay of 0, or a copy of it after each step if it must be separate."""
        self.decay = decay
        self._weights = model
        is_copy = bool(decay) or is_separate
        frozen = [] if is_separate else [parameter for parameter in model.parameters() if not parameter.requires_grad]
        shared: dict[int, Tensor] = {id(parameter): parameter for parameter in frozen}
        shared |= {id(buffer): buffer for buffer in model.buffers()}  # such as means, which are averages already
        self.model = copy.deepcopy(model, shared).requires_grad_(False) if is_copy else model

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Update the average with the weights after a step, counted from 1."""
        if self.model is not self._weights:
            decay = min(self.decay, (1 + step) / (10 + step))
            pairs = zip(self.model.parameters(), self._weights.parameters(), strict=True)
            moved = [(averaged, weight) for averaged, weight in pairs if weight.requires_grad]  # FSDP makes them anew
            averaged, weights = map(list, zip(*moved, strict=True))
            torch._foreach_lerp_(averaged, weights, 1 - decay)
