"""Texts that come and go while others are written: one batch, in which a text takes a slot as soon as one is free."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from regard.generation.decoding import Decoding
from regard.generation.step_limit import ONE_STEP, StepLimit


class RunningBatch(ABC):
    """Translations or continuations under way, all by the same options. What a text becomes does not depend on the others.

    It is for one thread at a time.
    """

    def __init__(self, decoding: Decoding) -> None:
        self._decoding = decoding
        self._texts: dict[int, Any] = {}

    def __len__(self) -> int:
        """Texts that are waiting or under way."""
        return len(self._texts)

    @property
    def num_free(self) -> int:
        """The number of texts that can be added and have a slot at once."""
        return self._decoding.num_free

    @property
    def num_steps(self) -> int:
        """Steps so far: each writes a token of each text."""
        return self._decoding.num_steps

    @abstractmethod
    def add(self, number: int, text: Any, request: Any) -> None:
        """Take in one more text.

        Args:
            number: what `step` calls it; another one for each text.
            request: what `requests` of the model has made of the text.
        """

    def cancel(self, number: int) -> None:
        """Forget a text, wherever it is."""
        if self._texts.pop(number, None) is not None:
            self._decoding.cancel(number)

    @abstractmethod
    def step(self, limit: StepLimit = ONE_STEP) -> list[tuple[int, Any]]:
        """Write a token of each text that has a slot; return the numbers and results of those that this finishes.

        Args:
            limit: more tokens may be written, until a text is finished.
        """

    @abstractmethod
    def so_far(self, number: int) -> str:
        """The part of a result that is certain."""
