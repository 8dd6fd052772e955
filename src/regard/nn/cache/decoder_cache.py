"""The interface of decoder caches, and the two simplest ones: no past, and a past that only grows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.errors import ShapeError
from regard.nn.cache.keys_values import KeysValues
from regard.nn.masks import mask_with_prefix


class Memory(NamedTuple):
    """The source, projected once for the cross-attention of one layer."""

    keys_values: KeysValues
    mask: Bool[Tensor, "sentence 1 1 source"]
    """True where a source position is a token."""


@runtime_checkable
class LayerCache(Protocol):
    """The past of one layer's self-attention, and the new positions."""

    @property
    def mask(self) -> Bool[Tensor, "..."] | None:
        """True where a new position may see a key, those of the past first; None: it may see all."""

    @property
    def causal(self) -> bool:
        """Whether a new position may not see later ones; together with `mask`."""

    @property
    def first(self) -> int | Int[Tensor, " sentence"]:
        """The position of the first of the new ones: of all sentences, or of each."""

    @property
    def step(self) -> int:
        """The distance between new positions: 1, or 0 for the hypotheses of one step."""

    @property
    def distance(self) -> Int[Tensor, "*sentence position key"] | None:
        """The distance of each key from each new position, if keys are not consecutive."""

    def append(self, newer: KeysValues) -> KeysValues:
        """All keys and values, after those of the new positions have been added."""


@runtime_checkable
class StateCache(LayerCache, Protocol):
    """The past of a recurrence: in place of keys and values, one state."""

    @property
    def state(self) -> Float[Tensor, "sentence position dim"] | None:
        """The state before the first of the new positions, or that of each hypothesis; None: there is no past."""

    def keep_state(self, state: Float[Tensor, "sentence position dim"]) -> None:
        """Keep the state after the last of the new positions, or that of each hypothesis."""


class NoCache:
    """No past: all positions of a sequence are there at once, as in training. The same object serves all layers.

    Args:
        mask: True where a position may see another.
        causal: a position may not see later ones; together with `mask`.
        first: the position of the first token of each sentence; 0 for all where it is not given.
    """

    step = 1
    distance = None

    def __init__(
        self,
        mask: Bool[Tensor, "..."] | None = None,
        *,
        causal: bool = False,
        first: int | Int[Tensor, " sentence"] = 0,
    ) -> None:
        self.mask, self.causal, self.first = mask, causal, first

    def append(self, newer: KeysValues) -> KeysValues:
        """The keys and values themselves."""
        return newer

    @property
    def state(self) -> Float[Tensor, "sentence position dim"] | None:
        """The state of a recurrence before the sequence: none."""
        return None

    def keep_state(self, state: Float[Tensor, "sentence position dim"]) -> None:
        """Nothing is kept, as nothing follows."""


class AfterPast(NoCache):
    """A sequence after keys and values that all of it may see, and that stay as they are: a learned prefix, or a past.

    Args:
        past: of one layer.
        mask: of the sequence alone.
    """

    def __init__(self, past: KeysValues, mask: Bool[Tensor, "..."] | None = None, *, causal: bool = False) -> None:
        mask = None if mask is None else mask_with_prefix(mask, past.length)
        super().__init__(mask, causal=causal, first=past.length)
        self.past = past

    def append(self, newer: KeysValues) -> KeysValues:
        """The past, then the new keys and values."""
        return self.past.append(newer)

    @property
    def state(self) -> Float[Tensor, "sentence position dim"] | None:
        """Keys and values are no state of a recurrence.

        Raises:
            ShapeError: always.
        """
        raise ShapeError("the past of an SSRU must be a state; got keys and values.")


class DecoderCache(ABC):
    """The past of a decoder, and the source where there is one."""

    memory: Sequence[Memory | None]
    """The memory of each layer; None in a decoder-only model."""
    layers: Sequence[LayerCache]
    """Each layer's part."""

    @abstractmethod
    def begin_step(self, width: int) -> Int[Tensor, "sentence width"]:
        """Make room for new tokens: their positions, from 0.

        Args:
            width: of each sentence, how many tokens, or how many hypotheses with a token each.
        """

    @property
    @abstractmethod
    def length(self) -> int:
        """Steps taken: no position is above it."""


Cache = TypeVar("Cache", bound=DecoderCache)
RunLayers = Callable[[Tensor, Any], Tensor]
"""Runs all layers of a decoder on the newest positions, and adds these to its cache."""


class ContiguousCache(DecoderCache):
    """Keys and values one after the other, appended at each step. Every row is as long, and none is padded.

    Args:
        past: of each layer; with 0 keys at first.
    """

    def __init__(self, past: Sequence[KeysValues], memory: Sequence[Memory] | None = None) -> None:
        self.memory = [None] * len(past) if memory is None else memory
        self.layers: list[_ContiguousLayer] = [_ContiguousLayer(layer) for layer in past]

    @property
    def length(self) -> int:
        """Tokens of each row."""
        return self.layers[0].keys_values.length

    def begin_step(self, width: int) -> Int[Tensor, "row width"]:
        """The positions of the next tokens of each row."""
        key = self.layers[0].keys_values.key
        return (torch.arange(width, device=key.device) + self.length).expand(key.shape[0], -1)

    @property
    def tensors(self) -> list[Tensor]:
        """The keys, then the values of each layer."""
        return [part for layer in self.layers for part in layer.keys_values]


class _ContiguousLayer:
    mask = None
    causal = True
    step = 1
    distance = None

    def __init__(self, keys_values: KeysValues) -> None:
        self.keys_values = keys_values

    @property
    def first(self) -> int:
        return self.keys_values.length

    def append(self, newer: KeysValues) -> KeysValues:
        self.keys_values = self.keys_values.append(newer)
        return self.keys_values
