"""Requests to decoding, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from regard.errors import SettingsError
from regard.generation.required_phrases import Phrases

FinishReason = Literal["eos", "length", "repetition_loop", "prefix", "blocked"]


@dataclass(frozen=True)
class TargetSymbols:
    """The special ids of a vocabulary that decoding uses."""

    start_ids: Sequence[int]
    """The tokens that a target begins with, unscored: a begin symbol, and others that the model was given. Empty for
    models without a source, whose target goes on from the last token of their prompt."""
    eos_id: int
    pad_id: int = 0
    banned_ids: tuple[int, ...] = ()
    """Tokens that are never chosen. Scores are not renormalised for them."""


@dataclass(frozen=True)
class Request:
    """A source and the constraints on its target. Lengths count the end symbol.

    Args:
        max_length: tokens that the target may have; at least 1.
        min_length: tokens that it must have before it may end.
        prefix_ids: what it begins with. These tokens are scored like any others.
        required: phrases, as ids, that a beam search must have it contain, in any order; they may overlap.
        seed: of the random choices for this source, which do not depend on other requests.
        adapter: the number of the adapter that the model has for it; 0: none.
        start_ids: what its target begins with, in place of `TargetSymbols.start_ids`, and as many; None: that.
    """

    source_ids: Sequence[int]
    max_length: int
    min_length: int = 0
    prefix_ids: tuple[int, ...] = ()
    required: tuple[tuple[int, ...], ...] = ()
    seed: int = 0
    adapter: int = 0
    start_ids: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.max_length < 1:
            raise SettingsError(f"max_length must be at least 1; got {self.max_length}.")
        if self.min_length > self.max_length:
            raise SettingsError(f"min_length must be at most max_length; got {self.min_length} and {self.max_length}.")
        if not all(self.required):
            raise SettingsError("required phrases must have at least one token each; got an empty one.")
        progress = Phrases(self.required).begin()
        for id in self.prefix_ids:
            progress = progress.after(id)
        needed = progress.of.shortest(progress)
        if needed and len(self.prefix_ids) + needed >= self.max_length:
            before = f", after a prefix of {len(self.prefix_ids)}" if self.prefix_ids else ""
            raise SettingsError(
                f"required phrases must have fewer tokens in total than max_length; got {needed} tokens{before}, and "
                f"max_length {self.max_length}."
            )

    def finish_reason(self, *, at_end: bool) -> FinishReason:
        """Why a target ends with its newest token.

        Args:
            at_end: whether that is the end symbol.
        """
        if len(self.prefix_ids) >= self.max_length:
            return "prefix"
        return "eos" if at_end else "length"


def seed_of(seed: int, index: int) -> int:
    """The seed of one text among several, by its index and the seed of all."""
    return seed * 1_000_003 + index


@dataclass(frozen=True)
class Hypothesis:
    """A target that was found."""

    ids: list[int]
    """Its tokens, the end symbol left out."""
    token_log_probs: list[float]
    """The natural log-probability of each token, and then of the end symbol where `finish_reason` is `eos`."""
    score: float
    """The sum of `token_log_probs`, divided by the length penalty: what the n-best list is sorted by."""
    finish_reason: FinishReason
    """`eos`: the model ended it; `length`: the limit did; `repetition_loop`: it repeated itself without end; `prefix`: what it
    had to begin with left no room for more; `blocked`: no token may be written after it."""
