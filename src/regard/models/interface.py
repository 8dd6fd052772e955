"""What generation sees of a model: a source goes in once (`prefill`), tokens come out one by one (`decode_step`)."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor

State = TypeVar("State", bound="DecoderState")


@runtime_checkable
class DecoderState(Protocol):
    """Everything a model remembers between decoding steps. A state may change in place: after a step, a `select` or a `replace`,
    only the state that it returned may be used.
    """

    def select(self: State, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> State:
        """The state of some sentences, each with the hypotheses that go on.

        Args:
            sentences: which sentences stay, as indices into the present ones.
            parents: for each of them, which of its present hypotheses each new one continues.
        """
        ...

    def replace(self: State, slots: Int[Tensor, " slot"], other: State, sentences: Int[Tensor, " slot"]) -> State:
        """The state in which sentences of another one, with as many hypotheses each, stand in the slots of some of these.

        The other one must not have taken more steps than this.
        """
        ...

    def release(self: State, slots: Int[Tensor, " slot"]) -> State:
        """The state in which the sentences in some slots are done: these go on counting from 0, and nothing is kept for them."""
        ...


@runtime_checkable
class SequenceToSequence(Protocol[State]):
    """A model that turns a source into a target, one token at a time."""

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> State:
        """The state before the first step, with one hypothesis for each sentence. Padding may stand on either side."""
        ...

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: State
    ) -> tuple[Float[Tensor, "sentence beam vocab"], State]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        ...
