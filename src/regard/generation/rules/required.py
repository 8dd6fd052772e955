"""Phrases that a target must have: beam search whose places are shared out by how much of them is written.

Source: Post and Vilar 2018, section 3, "dynamic beam allocation"; each phrase is written once, as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class Progress(NamedTuple):
    """How much of its phrases a hypothesis has written."""

    missing: tuple[tuple[int, ...], ...]
    """The phrases that are not written yet; the one that is being written stands first."""
    position: int = 0
    """Tokens of the first one that stand at the end of the hypothesis."""

    @property
    def num_missing(self) -> int:
        """Tokens that are still to be written."""
        return sum(map(len, self.missing)) - self.position

    @property
    def wanted(self) -> set[int]:
        """Tokens with which a phrase begins or goes on."""
        if self.position:
            return {self.missing[0][self.position]}
        return {phrase[0] for phrase in self.missing}

    def after(self, id: int) -> Progress:
        """The progress after one more token. Where it breaks off a phrase, that has to begin anew."""
        if self.position and id == self.missing[0][self.position]:
            return self._with(self.position + 1)
        for index, phrase in enumerate(self.missing):
            if id == phrase[0]:
                others = self.missing[:index] + self.missing[index + 1 :]
                return Progress((phrase, *others))._with(1)
        return Progress(self.missing)

    def _with(self, position: int) -> Progress:
        return Progress(self.missing[1:]) if position == len(self.missing[0]) else Progress(self.missing, position)


class Continuation(NamedTuple):
    """A candidate: a hypothesis and its next token."""

    score: float
    parent: int
    id: int
    log_prob: float
    progress: Progress


def allocate(
    scores: Float[Tensor, " beam"],
    log_probs: Float[Tensor, "beam vocab"],
    progress: Sequence[Progress],
    width: int,
    eos_id: int,
) -> list[Continuation]:
    """The continuations of one sentence that take part in its search, best first within what the places allow.

    Candidates are the best `width` tokens of each hypothesis and all that a phrase wants. Those with equally many missing
    tokens form a bank; the places are shared out evenly among banks, what a bank cannot fill goes to those with fewer missing
    tokens. The end symbol comes after all phrases only.
    """
    found: dict[tuple[int, int], Continuation] = {}
    best = log_probs.topk(min(width, log_probs.shape[1]), dim=1).indices.tolist()
    of_hypotheses = scores.tolist()
    for parent, (ids, state) in enumerate(zip(best, progress, strict=True)):
        if of_hypotheses[parent] == -torch.inf:
            continue
        for id in {*ids, *state.wanted} | ({eos_id} if not state.missing else set()):
            log_prob = float(log_probs[parent, id])
            if log_prob == -torch.inf or (id == eos_id and state.missing):
                continue
            total = of_hypotheses[parent] + log_prob
            found[parent, id] = Continuation(total, parent, id, log_prob, state if id == eos_id else state.after(id))
    banks: dict[int, list[Continuation]] = {}
    for continuation in sorted(found.values(), key=lambda candidate: -candidate.score):
        banks.setdefault(continuation.progress.num_missing, []).append(continuation)
    chosen: list[Continuation] = []
    share = dict.fromkeys(banks, 0)
    for turn in range(width):  # one place for each bank in turn, the fullest phrases first
        missing = sorted(banks)[turn % len(banks)] if banks else None
        if missing is not None:
            share[missing] += 1
    left = 0
    for missing in sorted(banks, reverse=True):
        take = banks[missing][: share[missing] + left]
        left += share[missing] - len(take)
        chosen += take
    if left:
        rest = [candidate for missing in sorted(banks) for candidate in banks[missing] if candidate not in chosen]
        chosen += rest[:left]
    return sorted(chosen, key=lambda candidate: -candidate.score)
