"""A guard against endless output: a hypothesis that only repeats itself is ended with `repetition_loop`."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.generation.active_batch import ActiveBatch
from regard.generation.filters import last_tokens

LOOP_TOKENS = 64
"""A hypothesis is ended after this many tokens of repetition."""
LONGEST_BLOCK = 8
"""The longest repeated block that is detected, in tokens."""


def end_repetition_loops(active: ActiveBatch, score: Callable[[float, int], float]) -> list[tuple[int, int]]:
    """Finish the active hypotheses that repeat themselves; their slots and beams.

    Args:
        score: of a log-probability and a number of tokens: what hypotheses are compared by.
    """
    ended = []
    for slot, beam in repeats_itself(active, LOOP_TOKENS).nonzero().tolist():
        log_prob, length = float(active.scores[slot, beam]), int(active.lengths[slot])
        if log_prob > -torch.inf and active.requests[slot] is not None:
            active.end(slot, beam, score(log_prob, length), "repetition_loop")
            ended.append((slot, beam))
    return ended


def repeats_itself(active: ActiveBatch, num_tokens: int) -> Bool[Tensor, "slot beam"]:
    """Whether the last `num_tokens` tokens of a hypothesis are one block of tokens, again and again."""
    if int(active.lengths.max()) < num_tokens:
        return torch.zeros_like(active.newest, dtype=torch.bool)
    newest = last_tokens(active, num_tokens)
    blocks = range(1, min(LONGEST_BLOCK, num_tokens // 2) + 1)
    is_repetition = torch.stack([(newest[..., size:] == newest[..., :-size]).all(dim=-1) for size in blocks])
    return is_repetition.any(dim=0) & (active.lengths >= num_tokens)[:, None]
