"""The trace of a search: every candidate, step by step, and what became of it. It can be drawn as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import Candidates


@dataclass(frozen=True)
class TracedCandidate:
    """A hypothesis extended by one token."""

    parent: int | None
    """The index of the hypothesis it continues, among the candidates of the step before; None at the first step."""
    id: int
    log_prob: float
    """The log-probability of the token."""
    score: float
    """The sum of its log-probabilities."""
    fate: Literal["active", "finished", "dropped"]


class Trace:
    """The candidates of each request, by its number: a list for each step, best first."""

    def __init__(self) -> None:
        self.steps: dict[int, list[list[TracedCandidate]]] = {}
        self._live: dict[int, list[int]] = {}
        """The indices of the active hypotheses of each request among the candidates of the last step."""

    def note(self, active: ActiveBatch, found: Candidates, ends: Tensor, order: Tensor, scores: Tensor) -> None:
        """Note a step: the candidates, which of them ended, and the indices and scores of those that go on."""
        for slot, _ in active.taken:
            number = active.numbers[slot]
            before, ended = self._live.get(number), ends[slot].tolist()
            of_all = zip(*(x[slot].tolist() for x in found), strict=True)
            there = [(index, *values) for index, values in enumerate(of_all) if values[0] > -torch.inf]
            rank = {index: rank for rank, (index, *_) in enumerate(there)}
            pairs = zip(order[slot].tolist(), scores[slot].tolist(), strict=True)
            goes_on = [rank[index] for index, score in pairs if score > -torch.inf]
            candidates = [
                TracedCandidate(
                    None if before is None else before[parent],
                    id,
                    log_prob,
                    score,
                    "finished" if ended[index] else "active" if rank[index] in goes_on else "dropped",
                )
                for index, score, parent, id, log_prob in there
            ]
            self.steps.setdefault(number, []).append(candidates)
            self._live[number] = goes_on
