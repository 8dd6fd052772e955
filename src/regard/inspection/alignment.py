"""Which source token each target token was written from, as cross-attention sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.inspection.capture import capture
from regard.models.families import PairModel


@torch.no_grad()
def cross_attention(
    model: PairModel, source_ids: Int[Tensor, " source"], target_ids: Int[Tensor, " target"]
) -> Float[Tensor, "layer head target source"]:
    """How much each target position looks at each source position, in every decoder layer and head.

    Args:
        target_ids: with the begin symbol in front. Row t holds what the model looked at to predict the token after
            `target_ids[t]`.
    """
    names = model.cross_attention_names
    with capture(model, layers=names) as seen:
        model.states(source_ids[None], target_ids[None])
    # A Transformer looks once for all target positions, a recurrent model once for each.
    return torch.stack([torch.cat([call.weights()[0] for call in seen.calls(name)], dim=1) for name in names])


@dataclass(frozen=True)
class Alignment:
    """Which source tokens each target token was written from, as cross-attention sees it."""

    source_tokens: list[str]
    target_tokens: list[str]
    weights: list[list[float]]
    """A row for each target token: how much it attends to each source token; rows sum to 1."""
    layer: int
    """The decoder layer, counted from 1; the weights are the mean over its heads, or one head's."""
    source_offsets: Sequence[Sequence[int]] = field(default_factory=list)
    """From which character of the source to which each of its tokens stands; the symbols around them have none."""

    @property
    def links(self) -> list[tuple[int, int]]:
        """For each target token but the end symbol, the source token that it attends to most, and itself."""
        rows = self.weights[: len(self.target_tokens) - 1]
        return [(max(range(len(row)), key=row.__getitem__), target) for target, row in enumerate(rows)]

    @property
    def pharaoh(self) -> str:
        """The links as `source-target`, tokens counted from 0, in Pharaoh's format."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


def sharpest_layer(weights: Float[Tensor, "layer head target source"]) -> int:
    """The layer, from 0, whose heads' mean puts the most weight on the best source token of each row.

    A choice made to show an alignment clearly; it says nothing about what the other layers are worth.
    """
    return int(weights.mean(dim=1).amax(dim=-1).mean(dim=-1).argmax())
