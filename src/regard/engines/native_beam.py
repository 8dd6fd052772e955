"""Beam search whose steps run in C where C can take them."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.compiled.library import Library
from regard.engines.native_model import NativeModel
from regard.engines.native_search import NativeSearch, best_candidates, library_for, log_softmax
from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import Candidates
from regard.generation.filters import Constraints
from regard.generation.mixed_adapters import Adapted
from regard.generation.request import Hypothesis
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.repetition_loops import end_repetition_loops
from regard.generation.rules.trace import Trace
from regard.generation.step_limit import StepLimit
from regard.models.interface import SequenceToSequence
from regard.nn.defined import undefined


class NativeBeamSearch(BeamSearch):
    """The same search as `BeamSearch`: in C where tensors are float32 on a CPU, and together with the layers of a `NativeModel`.

    Groups, required phrases and traces are left to PyTorch.
    """

    def __init__(self, settings: BeamSettings, eos_id: int, trace: Trace | None = None) -> None:
        super().__init__(settings, eos_id, trace)
        self._native: NativeSearch | None = None
        self._none_banned = torch.empty(0, dtype=torch.long)

    def steps(
        self,
        model: SequenceToSequence[Any],
        active: ActiveBatch,
        state: Any,
        constraints: Constraints,
        limit: StepLimit,
    ) -> tuple[Any, int]:
        """Take steps of model and search in one call, where both are in C and no filter stands between them."""
        inner, own = (model.model, state.state) if isinstance(model, Adapted) else (model, state)
        if (
            not isinstance(inner, NativeModel)
            or not inner.can_search()
            or constraints.has_filters
            or not self._is_plain(active)
        ):
            return super().steps(model, active, state, constraints, limit)
        search = self._search(inner.library, active, inner.vocab_size, constraints.banned_ids)
        with model.choosing(state) if isinstance(model, Adapted) else nullcontext():
            num_steps = inner.search_steps(own, search, limit)
        if search.is_undefined_anywhere:
            raise undefined()
        self._note(active, search)
        return state, num_steps

    def log_softmax(self, logits: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:
        """Log-probabilities, summed as a whole step in C sums them."""
        return super().log_softmax(logits) if (library := library_for(logits)) is None else log_softmax(library, logits)

    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """Expand each hypothesis by one token, and prune to the best; return the parent of each new hypothesis."""
        if not self._is_plain(active) or (library := library_for(active.scores, log_probs)) is None:
            return super().advance(active, log_probs)
        search = self._search(library, active, log_probs.shape[-1], self._none_banned)
        search.advance(log_probs)
        self._note(active, search)
        return search.parents

    def _is_plain(self, active: ActiveBatch) -> bool:
        return self.trace is None and self.settings.num_groups == 1 and not self._with_required_phrases(active)

    def _search(
        self, library: Library, active: ActiveBatch, vocab_size: int, banned_ids: Int[Tensor, " banned"]
    ) -> NativeSearch:
        """The search in C over the present hypotheses."""
        tensors, known = active.tensors, self._native
        if (
            known is None
            or known.banned_ids is not banned_ids
            or any(x is not y for x, y in zip(known.tensors, tensors, strict=True))
        ):
            known = self._native = NativeSearch(library, tensors, vocab_size, self.eos_id, banned_ids, self.settings)
        known.note_finished(active.finished)
        return known

    def _note(self, active: ActiveBatch, search: NativeSearch) -> None:
        """Record the hypotheses that steps in C have finished, blocked sentences, and repetition."""
        for slot, id, total, ids, log_probs in search.ended():
            request, at_end = active.requests[slot], id == self.eos_id
            assert request is not None
            score, reason = self._score(total, len(log_probs)), request.finish_reason(at_end=at_end)
            active.finished[slot].append(Hypothesis(ids if at_end else [*ids, id], log_probs, score, reason))
        if search.is_blocked_anywhere:
            active.end_blocked(search.is_blocked, self._score)
            active.scores[search.is_blocked] = -torch.inf
        if search.repeats_anywhere:
            end_repetition_loops(active, self._score)

    def _top(
        self, scores: Float[Tensor, "slot beam"], log_probs: Float[Tensor, "slot beam vocab"], count: int
    ) -> Candidates:
        if library := library_for(scores, log_probs):
            return Candidates(*best_candidates(library, scores, log_probs, min(count, log_probs[0].numel())))
        return super()._top(scores, log_probs, count)
