"""The base of decoding rules: beam search, sampling, and those of your own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.generation.active_batch import ActiveBatch
from regard.generation.filters import Constraints
from regard.generation.request import Hypothesis
from regard.generation.step_limit import StepLimit
from regard.models.interface import SequenceToSequence
from regard.nn.defined import undefined


class Rule(ABC):
    """A decoding rule: chooses the tokens that follow, and says when a sentence is done."""

    width: int
    """Hypotheses for each sentence."""
    starts: Sequence[int]
    """The indices of the hypotheses that are active before the first token; the others have the score -inf."""

    def step(self, model: SequenceToSequence[Any], active: ActiveBatch, state: Any, constraints: Constraints) -> Any:
        """Decode one token more for each hypothesis, and return the state of the model after it.

        Args:
            state: of the model: one row for each slot and hypothesis.
            constraints: the tokens that may not be written.
        Raises:
            SettingsError: the rule has not ended a sentence at its limit, or the model's log-probabilities are NaN.
        """
        active.check_limits()
        logits, state = model.decode_step(active.newest.to(constraints.device, non_blocking=True), state)
        log_probs = self.log_softmax(logits)
        is_active, first = active.scores > -torch.inf, log_probs[..., 0]
        is_undefined = first.isnan().to("cpu", non_blocking=True)  # all of a row are, or none
        constraints.apply(log_probs, active)
        parents = self.advance(active, log_probs)  # waits for a GPU, and so for `is_undefined`
        if bool((is_undefined & is_active).any()):
            raise undefined()
        return state.select(torch.arange(len(active.requests)), parents)

    def steps(
        self,
        model: SequenceToSequence[Any],
        active: ActiveBatch,
        state: Any,
        constraints: Constraints,
        limit: StepLimit,
    ) -> tuple[Any, int]:
        """Decode some tokens more, as many for each hypothesis: the state of the model after them, and their number.

        Here it is one. A rule may take more steps, up to the limit, while no sentence is done.
        """
        return self.step(model, active, state, constraints), 1

    def log_softmax(self, logits: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:
        """Log-probabilities, in float32, as all numbers of a search."""
        return logits.log_softmax(dim=-1, dtype=torch.float32)

    @abstractmethod
    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """Extend or finish each active hypothesis; return the parent of each new hypothesis."""

    def done(self, active: ActiveBatch) -> list[int]:
        """The slots whose sentence is finished. Here, those without active hypotheses."""
        goes_on = (active.scores > -torch.inf).any(dim=1).tolist()
        return [slot for slot, _ in active.taken if not goes_on[slot]]

    @abstractmethod
    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        """The hypotheses of the sentence in a slot, best first."""


class AdoptedRule(Rule):
    """A rule of a class that has the methods of `Rule` and does not derive from it."""

    def __init__(self, rule: Any) -> None:
        self._rule, self.width, self.starts = rule, rule.width, rule.starts

    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """Extend or finish each active hypothesis; return the parent of each new hypothesis."""
        parents: Tensor = self._rule.advance(active, log_probs)
        return parents

    def done(self, active: ActiveBatch) -> list[int]:
        """The slots whose sentence is finished."""
        return list(self._rule.done(active))

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        """The hypotheses of the sentence in a slot, best first."""
        return list(self._rule.results(active, slot))
