"""Seeing attention weights without slowing anything down.

A hook notes the queries, keys and mask that went into the attention modules; the weights are recomputed from them
afterwards. The model runs as it always does, on its fast kernels, and gives the same output to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.models.encoder_decoder import EncoderDecoder
from regard.nn.attention import attention_weights


@torch.no_grad()
def cross_attention(
    model: EncoderDecoder, source_ids: Int[Tensor, " source"], target_ids: Int[Tensor, " target"]
) -> Float[Tensor, "layer head target source"]:
    """How much each target position looks at each source position, in every decoder layer and head.

    Args:
        target_ids: with the begin symbol in front. Row t holds what the model looked at to predict the token after
            `target_ids[t]`.
    """
    captured: list[Tensor] = []

    def note(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        query, key, _value, mask = inputs
        captured.append(attention_weights(query.float(), key.float(), mask=mask)[0])

    attentions = [layer.cross_attention.attention for layer in model.decoder_layers]
    hooks = [attention.register_forward_pre_hook(note) for attention in attentions]
    try:
        model.states(source_ids[None], target_ids[None])
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack(captured)


@dataclass(frozen=True)
class Alignment:
    """Which source tokens each target token was written from, as cross-attention sees it."""

    source_tokens: list[str]
    target_tokens: list[str]
    weights: list[list[float]]
    """A row for each target token: how much it attends to each source token; rows sum to 1."""
    layer: int
    """The decoder layer, counted from 1; the weights are the mean over its heads."""


def sharpest_layer(weights: Float[Tensor, "layer head target source"]) -> int:
    """The layer, from 0, whose heads' mean puts the most weight on the best source token of each row.

    A choice made to show an alignment clearly; it says nothing about what the other layers are worth.
    """
    return int(weights.mean(dim=1).amax(dim=-1).mean(dim=-1).argmax())
