"""Guided alignment: a head of cross-attention learns the source token that each target token was written from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.models.heads import Site, alignment_head, attention_sites
from regard.models.interface import Model
from regard.nn.attention import Attention
from regard.nn.hooks import forward_hooks
from regard.nn.multihead import MultiHeadAttention


def alignment_loss(
    log_weights: Float[Tensor, "batch target source"], links: Int[Tensor, "link 3"]
) -> Float[Tensor, ""]:
    """The cross-entropy between a head's weights and an alignment, summed over the target tokens that have links, in nats.

    loss = - sum over target tokens t of the mean over the source tokens s that t is linked with of log_weights[t, s]

    Args:
        links: row, target token, source token.
    Source: Chen et al. 2016, section 3, equation 7; of one head, Garg et al. 2019, section 3.2.
    """
    rows, targets, sources = links.unbind(dim=1)
    found = log_weights[rows, targets, sources]
    counts = torch.zeros(log_weights.shape[:2], device=found.device)
    counts.index_put_((rows, targets), torch.ones_like(found), accumulate=True)
    return -(found / counts[rows, targets]).sum()


def guided_loss(model: Model, batch: Any, loss: Callable[[], Float[Tensor, ""]], weight: float) -> Float[Tensor, ""]:
    """The loss of a batch, and that of the model's alignment head.

    Args:
        loss: computes the first, by one forward pass through the model.
        weight: of the second.
    """
    if batch.links is None or not len(batch.links):
        return loss()
    module, head = _alignment_head(model)
    inner, seen = module.attention, list[Tensor]()
    assert isinstance(inner, Attention)

    def keep(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *others: Any) -> None:
        scores = inner.score(query[:, head].float(), key[:, head].float())
        allowed = mask if mask is None else mask.expand(*mask.shape[:2], *scores.shape[-2:])[:, 0]
        seen.append((scores if allowed is None else scores.masked_fill(~allowed, -torch.inf)).log_softmax(dim=-1))

    with forward_hooks(before={inner: keep}):
        whole = loss()
    (log_weights,) = seen
    return whole + weight * alignment_loss(log_weights, batch.links)


def _alignment_head(model: Model) -> tuple[MultiHeadAttention, int]:
    """The attention that alignments are read from, and the place of the head in it."""
    found = alignment_head(model)
    assert found is not None
    layer, head = found
    module = model.get_submodule(attention_sites(model)[Site("cross", layer)])
    assert isinstance(module, MultiHeadAttention)
    return module, module.kept_heads.index(head)
