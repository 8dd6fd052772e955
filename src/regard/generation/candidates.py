"""The best continuations of the active hypotheses, found without sorting or copying the scores of all tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import pad

BLOCK = 64
"""Tokens in a block; first, only the maximum of each block is compared."""
SMALL_VOCAB = 1024
"""With fewer tokens than this, blocks are not faster."""


class Candidates(NamedTuple):
    """Continuations of the hypotheses of each sentence, best first."""

    scores: Float[Tensor, "sentence candidate"]
    """The score of the whole hypothesis: -inf where there is none."""
    parents: Int[Tensor, "sentence candidate"]
    """The hypothesis that it continues."""
    ids: Int[Tensor, "sentence candidate"]
    log_probs: Float[Tensor, "sentence candidate"]
    """The log-probability of the token alone."""

    def filled(self, count: int) -> Candidates:
        """At least `count` continuations: missing ones are added at the end with scores of -inf."""
        missing = max(count - self.scores.shape[1], 0)
        if not missing:
            return self
        scores = pad(self.scores, (0, missing), value=-torch.inf)
        return Candidates(scores, *(pad(x, (0, missing)) for x in self[1:]))

    def within(
        self, scores: Float[Tensor, "sentence beam"], log_probs: Float[Tensor, "sentence beam vocab"]
    ) -> Candidates:
        """The same continuations with their scores from another tensor than the one they were chosen by."""
        added = log_probs.flatten(1).gather(1, self.parents * log_probs.shape[-1] + self.ids)
        total = scores.gather(1, self.parents) + added
        return Candidates(total.masked_fill(self.scores == -torch.inf, -torch.inf), self.parents, self.ids, added)


def on_cpu(tables: Sequence[Tensor]) -> list[Tensor]:
    """Tables of one shape on the CPU, copied from a GPU together, so that it is waited for once.

    They are copied as float32, which holds whole numbers up to 16 million.
    """
    if all(table.device.type == "cpu" for table in tables):
        return list(tables)
    copied = torch.stack([table.float() for table in tables]).cpu()
    return [copy.to(table.dtype) for copy, table in zip(copied, tables, strict=True)]


def top_candidates(
    scores: Float[Tensor, "sentence beam"], log_probs: Float[Tensor, "sentence beam vocab"], count: int
) -> Candidates:
    """The `count` continuations of highest scores[s, b] + log_probs[s, b, v] of each sentence, or as many as there are.

    They must lie in those `count` blocks of the vocabulary whose highest token is highest: the rest is read only once.
    """
    vocab = log_probs.shape[-1]
    count = min(count, scores.shape[1] * vocab)
    if vocab <= SMALL_VOCAB or count * BLOCK * 2 > vocab:
        best = (scores[:, :, None] + log_probs).flatten(1).topk(count, dim=1)
        parents, ids = best.indices // vocab, best.indices % vocab
        return Candidates(best.values, parents, ids, log_probs.flatten(1).gather(1, best.indices))
    whole = vocab // BLOCK * BLOCK
    highest = log_probs[..., :whole].unflatten(-1, (-1, BLOCK)).amax(dim=-1)
    if whole < vocab:
        highest = torch.cat((highest, log_probs[..., whole:].amax(dim=-1, keepdim=True)), dim=-1)
    num_blocks = highest.shape[-1]
    blocks = (scores[:, :, None] + highest).flatten(1).topk(count, dim=1).indices
    parents = (blocks // num_blocks)[:, :, None].expand(-1, -1, BLOCK).flatten(1)
    ids = ((blocks % num_blocks * BLOCK)[:, :, None] + torch.arange(BLOCK, device=blocks.device)).flatten(1)
    added = log_probs.flatten(1).gather(1, parents * vocab + ids.clamp(max=vocab - 1))
    if whole < vocab:
        added = added.masked_fill(ids >= vocab, -torch.inf)
    best = (scores.gather(1, parents) + added).topk(count, dim=1)
    parents, ids, added = (x.gather(1, best.indices) for x in (parents, ids, added))
    return Candidates(best.values, parents, ids, added)
