"""What a translator answers with."""

from __future__ import annotations

from dataclasses import dataclass

from regard.generation.rules.trace import TracedCandidate
from regard.inspection.alignment import Alignment


@dataclass(frozen=True)
class Candidate:
    """One translation of a text."""

    text: str
    score: float
    """Log-probability divided by the length penalty; for samples, the log-probability; with `risk`, the expected utility."""
    tokens: list[str]
    """`▁` stands for a space."""
    token_log_probs: list[float]
    """Natural logarithms, one for each token, and one for the end symbol where `finish_reason` is `eos`."""
    finish_reason: str
    """`eos`: the model ended the text; `length`: the limit did; `runaway`: it repeated itself without end; `prefix`: what it
    had to begin with left no room for more."""
    ids: list[int]


@dataclass(frozen=True)
class Translation(Candidate):
    """The best translation of a text, and where asked for the n best, itself included."""

    n_best: list[Candidate]
    alternatives: list[list[tuple[str, float]]] | None = None
    """At each step, the end included, the likeliest tokens and their log-probabilities, where they were asked for."""
    alignment: Alignment | None = None
    """Which source tokens each token was written from, where it was asked for."""
    trace: list[list[TracedCandidate]] | None = None
    """Every candidate of the search, step by step, where it was asked for."""


@dataclass(frozen=True)
class ForcedScore:
    """How likely a model finds a given target."""

    log_prob: float
    """Natural logarithm, the end symbol included."""
    tokens: list[str]
    token_log_probs: list[float]
