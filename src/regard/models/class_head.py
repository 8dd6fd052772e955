"""The head of models that classify whole texts, or predict numbers for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from regard.models.config import LabelledConfig
from regard.models.parts import norm
from regard.nn.dropout import Dropout
from regard.nn.layers import ACTIVATIONS, Activations, IsToken, normalised


class ClassHead(nn.Module):
    """Classifies a text, or predicts numbers, by its first token, its last one, or the mean of its tokens.

    Source: Devlin et al. 2019, section 3.2, and its code, the "pooler".
    """

    def __init__(self, config: LabelledConfig) -> None:
        super().__init__()
        kind = config.head_transform or "dense"
        self.activation, self.pooling = config.head_activation or "tanh", config.pooling
        self.pooler = nn.Identity() if kind == "none" else nn.Linear(config.model_dim, config.model_dim)
        self.norm = norm(config)(config.model_dim) if kind == "norm" else nn.Identity()
        self.is_transformed = kind != "none"
        self.dropout = Dropout(config.dropout)
        self.output_proj = nn.Linear(config.model_dim, len(config.labels))

    def forward(
        self, states: Float[Tensor, "batch *position model_dim"], embedding: Float[Tensor, "vocab width"] | None = None
    ) -> Float[Tensor, "batch label"]:
        """Logits of the classes, for the states of texts without padding, or what `pooled` made of them."""
        return self.output_proj(self.dropout(self.pooled(states) if states.ndim == 3 else states))

    if TYPE_CHECKING:
        __call__ = forward

    def pooled(self, states: Activations, is_token: IsToken | None = None) -> Float[Tensor, "batch model_dim"]:
        """A vector for each text. The first token is at position 0: where it is asked for, padding stands on the right.

        Args:
            is_token: False for padding; None: all are tokens.
        """
        if self.pooling == "late":
            return _mean(self._transformed(states, is_token), is_token)
        return self._transformed(POOLINGS[self.pooling](states, is_token))

    def _transformed(
        self, x: Float[Tensor, "*batch model_dim"], is_token: Bool[Tensor, "*batch"] | None = None
    ) -> Float[Tensor, "*batch model_dim"]:
        if not self.is_transformed:
            return x
        return normalised(self.norm, ACTIVATIONS[self.activation](self.pooler(x)), is_token)


def _first(states: Activations, is_token: IsToken | None) -> Float[Tensor, "batch model_dim"]:
    """The state of the first token of each text."""
    return states[:, 0]


def _last(states: Activations, is_token: IsToken | None) -> Float[Tensor, "batch model_dim"]:
    """The state of the last token of each text, wherever padding stands."""
    if is_token is None:
        return states[:, -1]
    places = torch.arange(is_token.shape[1], device=states.device).expand_as(is_token).masked_fill(~is_token, -1)
    is_last = places == places.amax(dim=1, keepdim=True)
    return states.masked_fill(~is_last[..., None], 0).sum(dim=1)  # indexing by rows has no graph for any number of them


def _mean(states: Activations, is_token: IsToken | None) -> Float[Tensor, "batch model_dim"]:
    """The mean of the tokens of each text."""
    if is_token is None:
        return states.mean(dim=1)
    return states.masked_fill(~is_token[..., None], 0).sum(dim=1) / is_token.sum(dim=1, keepdim=True).clamp(min=1)


POOLINGS = {"first": _first, "last": _last, "mean": _mean}
"""The functions that make a vector of a text's states, by name; `late` is the mean after the layer before the output."""


def loss_of_numbers(task: str, logits: Float[Tensor, "batch label"], labels: Tensor) -> Float[Tensor, ""]:
    """The loss of a task with a number for each label of each text, summed.

    Args:
        task: `multilabel`, whose numbers are 1 for labels that a text has and else 0, and whose loss is the cross-entropy of
            each; or `regression`, whose loss is the squared error.
    """
    loss = mse_loss if task == "regression" else binary_cross_entropy_with_logits
    return loss(logits.float(), labels.to(logits.device, torch.float32), reduction="sum")
