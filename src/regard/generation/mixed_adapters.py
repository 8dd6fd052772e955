"""A model with several adapters, decoding one batch: each sentence has its own, or none."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.models.interface import SequenceToSequence
from regard.nn.lora import AdapterChoice


@dataclass
class AdaptedState:
    """The state of a model, and which adapter each of its sentences has."""

    state: Any
    adapters: Int[Tensor, " sentence"]
    """Their numbers; 0 for none."""
    has_adapters: bool
    """Whether a sentence has one, or had one since the batch began."""

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> AdaptedState:
        """The state of some sentences, with the selected hypotheses of each."""
        return AdaptedState(self.state.select(sentences, parents), self.adapters[sentences], self.has_adapters)

    def replace(
        self, slots: Int[Tensor, " slot"], other: AdaptedState, sentences: Int[Tensor, " slot"]
    ) -> AdaptedState:
        """The state with some slots replaced by sentences of another state."""
        adapters = self.adapters.index_copy(0, slots.to(self.adapters.device), other.adapters[sentences])
        state = self.state.replace(slots, other.state, sentences)
        return AdaptedState(state, adapters, self.has_adapters or other.has_adapters)

    def release(self, slots: Int[Tensor, " slot"]) -> AdaptedState:
        """The state after the sentences in some slots are finished."""
        return AdaptedState(self.state.release(slots), self.adapters, self.has_adapters)


class Adapted:
    """A model with several adapters, as decoding sees it.

    Args:
        model: made by `with_choice`, packed or not.
        choice: what tells it which sentence has which adapter.
    """

    def __init__(self, model: SequenceToSequence[Any], choice: AdapterChoice) -> None:
        self.model, self._choice = model, choice

    def prefill(
        self, source_ids: Int[Tensor, "sentence source"], adapters: Int[Tensor, " sentence"] | None = None
    ) -> AdaptedState:
        """The state before the first step.

        Args:
            adapters: the number of each sentence's adapter, 0 for none; None: no sentence has one.
        """
        has_adapters = adapters is not None
        if adapters is None:
            adapters = torch.zeros(len(source_ids), dtype=torch.long, device=source_ids.device)
        with self._choice.of(adapters if has_adapters else None):
            return AdaptedState(self.model.prefill(source_ids), adapters, has_adapters)

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: AdaptedState
    ) -> tuple[Float[Tensor, "sentence beam vocab"], AdaptedState]:
        """Logits of the token that follows, and the state after `ids`."""
        with self.choosing(state):
            logits, inner = self.model.decode_step(ids, state.state)
        return logits, AdaptedState(inner, state.adapters, state.has_adapters)

    def choosing(self, state: AdaptedState) -> AbstractContextManager[None]:
        """Let each sentence have its adapter until the block ends."""
        return self._choice.of(state.adapters if state.has_adapters else None)
