"""Several models with one vocabulary, decoding as one: their probabilities are averaged at each step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError
from regard.models.interface import SequenceToSequence


@dataclass
class EnsembleState:
    """The states of all models."""

    states: list[Any]

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> EnsembleState:
        """The states of some sentences, with the selected hypotheses of each."""
        return EnsembleState([state.select(sentences, parents) for state in self.states])

    def replace(
        self, slots: Int[Tensor, " slot"], other: EnsembleState, sentences: Int[Tensor, " slot"]
    ) -> EnsembleState:
        """The states with some slots replaced by sentences of other states."""
        pairs = zip(self.states, other.states, strict=True)
        return EnsembleState([ours.replace(slots, theirs, sentences) for ours, theirs in pairs])

    def release(self, slots: Int[Tensor, " slot"]) -> EnsembleState:
        """The states after the sentences in some slots are finished."""
        return EnsembleState([state.release(slots) for state in self.states])


class Ensemble:
    """A model made of models: probs = mean over models of their probs, token by token.

    Raises:
        SettingsError: there are no models.
    """

    def __init__(self, models: Sequence[SequenceToSequence[Any]]) -> None:
        if not models:
            raise SettingsError("an ensemble must have at least one model; got none.")
        self.models = list(models)

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> EnsembleState:
        """The states before the first step."""
        return EnsembleState([model.prefill(source_ids) for model in self.models])

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: EnsembleState
    ) -> tuple[Float[Tensor, "sentence beam vocab"], EnsembleState]:
        """The logarithm of the mean probability of each next token, and the states after `ids`."""
        steps = [model.decode_step(ids, own) for model, own in zip(self.models, state.states, strict=True)]
        log_probs = torch.stack([logits.float().log_softmax(dim=-1) for logits, _ in steps])
        return log_probs.logsumexp(dim=0) - math.log(len(steps)), EnsembleState([own for _, own in steps])
