"""Beam search: expand every hypothesis by every token, and prune to the best `beam_size`, step by step.

`native/search.c` takes the same steps in C (`engines/native_beam.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError, check_known
from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import Candidates, on_cpu, top_candidates
from regard.generation.request import Hypothesis, Request
from regard.generation.required_phrases import Phrases, Progress, allocate, continuations
from regard.generation.rules.repetition_loops import end_repetition_loops
from regard.generation.rules.rule import Rule
from regard.generation.rules.trace import Trace

LENGTH_NORMS = ("wu", "average", "none")


@dataclass(frozen=True)
class BeamSettings:
    """The settings of a beam search.

    Args:
        beam_size: active hypotheses of each sentence; 1 is greedy search.
        n_best: hypotheses returned for each sentence, at most `beam_size`.
        length_penalty: the exponent alpha; 0 favours short targets, 1 is the mean per token, or about it.
        length_norm: what a log-probability is divided by: `wu`, ((5 + length) / 6)^alpha as in Wu et al. 2016, equation 14;
            `average`, length^alpha as in Hugging Face, fairseq and CTranslate2; `none`, 1.
        early_stopping: end a sentence's search when `beam_size` hypotheses have finished and no active one, at its present
            length, scores better than the best of them: an approximation. False: only when no active hypothesis can become one
            of the `n_best`, which is exact for the beam, and slow where `max_length` is far off.
        num_groups: groups of a diverse beam search: a group is penalised for tokens that earlier groups chose at this step. 1:
            plain beam search. Source: Vijayakumar et al. 2018, algorithm 1, Hamming diversity.
        diversity: what such a token costs, in nats; reported scores do not contain it.
    """

    beam_size: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    length_norm: str = "wu"
    early_stopping: bool = True
    num_groups: int = 1
    diversity: float = 0.5

    def __post_init__(self) -> None:
        if not 1 <= self.n_best <= self.beam_size:
            raise SettingsError(
                f"n_best must be from 1 to beam_size; got n_best {self.n_best} and beam_size {self.beam_size}."
            )
        if self.length_penalty < 0:
            raise SettingsError(f"length_penalty must be at least 0; got {self.length_penalty}.")
        check_known("length_norm", self.length_norm, LENGTH_NORMS, "wu, average or none")
        if self.num_groups < 1 or self.beam_size % self.num_groups:
            raise SettingsError(
                f"beam_size must be divisible by num_groups; got {self.beam_size} and {self.num_groups}."
            )
        if self.diversity < 0:
            raise SettingsError(f"diversity must be at least 0; got {self.diversity}.")

    def normalizer(self, length: int) -> float:
        """The divisor of a log-probability, by which targets of several lengths are compared; the end symbol is counted."""
        if self.length_norm == "none":
            return 1.0
        ratio = length if self.length_norm == "average" else (5 + length) / 6
        try:
            return float(ratio**self.length_penalty)
        except OverflowError:  # of very long targets
            return sys.float_info.max


class BeamSearch(Rule):
    """Beam search: expands the active hypotheses, prunes them, and stops.

    Each step expands each hypothesis by every token of the vocabulary. The expansions are pruned to the `beam_size` best:
    those of them that end are finished, and the best that do not end fill the beam. A beam of 1 is greedy search.

    A sentence is done when `n_best` hypotheses have finished and no active one can become better. Sums of log-probabilities
    never rise, so that an active hypothesis can at best reach its present sum / normalizer(max_length). With
    `early_stopping` a sentence is done earlier. fairseq and CTranslate2 prune by the same rule, and always stop early.

    Args:
        trace: records what became of every candidate.
    """

    def __init__(self, settings: BeamSettings, eos_id: int, trace: Trace | None = None) -> None:
        self.settings, self.eos_id, self.trace = settings, eos_id, trace
        self.width = settings.beam_size
        self.starts: Sequence[int] = range(0, self.width, self._group_size)
        self._progress: dict[int, list[Progress]] = {}

    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """Expand each hypothesis by one token, and prune to the best; return the parent of each new hypothesis."""
        found, ranks = self._candidates(active, log_probs)
        stops = (found.ids == self.eos_id) | (active.lengths + 1 >= active.limits)[:, None]
        ends = stops & self._may_finish(found.scores.shape[1], stops.device) & (found.scores > -torch.inf)
        if bool(ends.any()):
            self._finish(active, found, ends)
        active.end_blocked((found.scores == -torch.inf).all(dim=1), self._score)
        groups = ranks.masked_fill(stops, -torch.inf).unflatten(1, (self.settings.num_groups, -1))
        order = groups.sort(dim=2, descending=True, stable=True).indices[:, :, : self._group_size]
        offsets = torch.arange(self.settings.num_groups, device=order.device)[:, None] * groups.shape[2]
        order = (order + offsets).flatten(1)
        scores = found.scores.masked_fill(stops, -torch.inf).gather(1, order)
        parents, ids, added = (x.gather(1, order) for x in found[1:])
        for slot in self._with_required_phrases(active):
            before = self._states(active, slot)
            pairs = zip(parents[slot].tolist(), ids[slot].tolist(), strict=True)
            self._progress[active.numbers[slot]] = [before[parent].after(id) for parent, id in pairs]
        if self.trace is not None:
            self.trace.note(active, found, ends, order, scores)
        active.grow(parents, ids, added, scores)
        end_repetition_loops(active, self._score)
        return parents

    def done(self, active: ActiveBatch) -> list[int]:
        """The slots whose search has ended."""
        if not any(active.finished):
            return []
        best = active.scores.amax(dim=1).tolist()
        return [slot for slot, request in active.taken if not self.goes_on(active, slot, request, best[slot])]

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        """The best hypotheses of the sentence in a slot."""
        self._progress.pop(active.numbers[slot], None)
        return sorted(active.finished[slot], key=lambda h: -h.score)[: self.settings.n_best]

    def _score(self, log_prob: float, length: int) -> float:
        """The score by which hypotheses are compared."""
        return log_prob / self.settings.normalizer(max(length, 1))

    @property
    def _group_size(self) -> int:
        return self.width // self.settings.num_groups

    def _candidates(
        self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]
    ) -> tuple[Candidates, Float[Tensor, "slot candidate"]]:
        """For each group the best continuations of its hypotheses, twice as many as it has slots: if all of the best end,
        the group is still full. And what they are chosen by: their scores, less what diversity costs at this step.
        """
        count, size = self.settings.num_groups, self._group_size
        if constrained := self._with_required_phrases(active):
            log_probs = log_probs.cpu()  # phrases ask for single tokens, for each of which a GPU would be waited for
        chosen, totals = torch.zeros_like(log_probs[:, :1]), active.scores.to(log_probs.device, non_blocking=True)
        groups, ranks = [], []
        for group in range(count):
            mine = slice(group * size, (group + 1) * size)
            scores, own = totals[:, mine], log_probs[:, mine]
            costly = own - self.settings.diversity * chosen if group else own
            ranked = self._top(scores, costly, 2 * size).filled(2 * size)
            for slot in constrained:
                self._require(ranked, active, slot, mine, costly[slot])
            best = ranked.within(scores, own) if group or constrained else ranked
            groups.append(best._replace(parents=best.parents + mine.start))
            ranks.append(ranked.scores)
            if group + 1 < count:
                taken = (ranked.scores[:, None, :size] > -torch.inf).to(chosen.dtype)
                chosen.scatter_add_(2, ranked.ids[:, None, :size], taken)
        joined = [torch.cat(list(parts), dim=1) for parts in (*zip(*groups, strict=True), ranks)]
        scores, parents, ids, added, rank = on_cpu(joined)
        return Candidates(scores, parents, ids, added), rank

    def _top(
        self, scores: Float[Tensor, "slot beam"], log_probs: Float[Tensor, "slot beam vocab"], count: int
    ) -> Candidates:
        return top_candidates(scores, log_probs, count)

    def _with_required_phrases(self, active: ActiveBatch) -> list[int]:
        """The slots of sentences that must have phrases."""
        return [slot for slot, request in active.taken if request.required]

    def _require(
        self, ranked: Candidates, active: ActiveBatch, slot: int, mine: slice, log_probs: Float[Tensor, "beam vocab"]
    ) -> None:
        """Let the candidates of one sentence and group be those that write its phrases: first those of the best that end, then
        those that go on.
        """
        request, size = active.requests[slot], self._group_size
        assert request is not None
        room = request.max_length - int(active.lengths[slot]) - 1
        progress = self._states(active, slot)[mine]
        found = continuations(active.scores[slot, mine], log_probs, progress, size, self.eos_id, room)
        goes_on = [candidate for candidate in found if candidate.id != self.eos_id] if room else []
        ends = [candidate for candidate in allocate(found, size) if candidate.id == self.eos_id or not room]
        ranked.scores[slot] = -torch.inf
        for index, candidate in enumerate((*ends, *allocate(goes_on, size))):
            ranked.scores[slot, index], ranked.parents[slot, index] = candidate.rank, candidate.parent
            ranked.ids[slot, index] = candidate.id

    def _states(self, active: ActiveBatch, slot: int) -> list[Progress]:
        """The parts of its phrases that each hypothesis of a sentence has written."""
        request = active.requests[slot]
        assert request is not None
        return self._progress.setdefault(active.numbers[slot], [Phrases(request.required).begin()] * self.width)

    def _may_finish(self, num_candidates: int, device: torch.device) -> Tensor:
        """Which candidates may finish: the best of each group, as many as it has slots."""
        of_group = num_candidates // self.settings.num_groups
        return torch.arange(num_candidates, device=device) % of_group < self._group_size

    def _finish(self, active: ActiveBatch, found: Candidates, ends: Tensor) -> None:
        """Note the candidates that end."""
        lengths = (active.lengths + 1).tolist()
        for slot, candidate in ends.nonzero().tolist():
            parent, id = int(found.parents[slot, candidate]), int(found.ids[slot, candidate])
            log_prob, total = float(found.log_probs[slot, candidate]), float(found.scores[slot, candidate])
            active.finish_with(slot, parent, id, log_prob, self._score(total, lengths[slot]), at_end=id == self.eos_id)

    def goes_on(self, active: ActiveBatch, slot: int, request: Request, best_live: float) -> bool:
        """Whether an active hypothesis of a sentence can still enter its n-best list. `native/search.c` has the same rule."""
        finished, settings = active.finished[slot], self.settings
        if best_live == -torch.inf:
            return False
        if settings.early_stopping and len(finished) >= settings.beam_size:
            return self._score(best_live, int(active.lengths[slot])) > max(h.score for h in finished)
        if len(finished) < settings.n_best:
            return True
        worst_kept = sorted((h.score for h in finished), reverse=True)[settings.n_best - 1]
        return self._score(best_live, request.max_length) > worst_kept
