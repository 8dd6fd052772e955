"""A guard against output without end: a hypothesis that does nothing but repeat itself is ended, and says so."""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.generation.filters import last_tokens
from regard.generation.live import Live

RUNAWAY_TOKENS = 64
"""So many tokens of repetition are too many."""
LONGEST_BLOCK = 8
"""Tokens of the longest block whose repetition is noticed."""


def end_runaways(live: Live, score: Callable[[float, int], float]) -> list[tuple[int, int]]:
    """Finish the live hypotheses that repeat themselves; their places and beams.

    Args:
        score: of a log-probability and a number of tokens: what hypotheses are compared by.
    """
    ended = []
    for place, beam in repeats_itself(live, RUNAWAY_TOKENS).nonzero().tolist():
        log_prob, length = float(live.scores[place, beam]), int(live.lengths[place])
        if log_prob > -torch.inf and live.requests[place] is not None:
            live.end(place, beam, score(log_prob, length), "runaway")
            ended.append((place, beam))
    return ended


def repeats_itself(live: Live, num_tokens: int) -> Bool[Tensor, "place beam"]:
    """Whether the last `num_tokens` tokens of a hypothesis are one block of tokens, again and again."""
    if int(live.lengths.max()) < num_tokens:
        return torch.zeros_like(live.newest, dtype=torch.bool)
    newest = last_tokens(live, num_tokens)
    blocks = range(1, min(LONGEST_BLOCK, num_tokens // 2) + 1)
    is_repetition = torch.stack([(newest[..., size:] == newest[..., :-size]).all(dim=-1) for size in blocks])
    return is_repetition.any(dim=0) & (live.lengths >= num_tokens)[:, None]
