"""The errors that Regard raises, one family: `except RegardError` catches them all.

Every message follows *name must rule; got value. hint*, so that a user reads what was given, what is
allowed and what to do, in this order.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST_NAMED = 60
"""Allowed words that a message names."""


class RegardError(Exception):
    """Something the user gave, or the machine refused, with a message meant for the user."""


class ShapeError(RegardError, ValueError):
    """Tensors whose sizes do not fit together."""


class SettingsError(RegardError, ValueError):
    """A setting that is unknown, of the wrong kind or out of range."""


class DataError(RegardError, ValueError):
    """A text file, a data set or a line of one that cannot be used."""


class ModelFolderError(RegardError):
    """A model folder that is missing, incomplete, damaged, or in the way."""


class TrainingError(RegardError):
    """A training run that cannot go on, for example because its loss is not a number."""


class MissingExtraError(RegardError, ImportError):
    """A feature whose optional package is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional package that is not installed. Run: pip install 'regard[{extra}]'"
        )


def nearest_hint(given: str, allowed: Iterable[str]) -> str:
    """A sentence that names the nearest allowed word, or all allowed words when none is near; of very many, the first."""
    choices = sorted(allowed)
    close = difflib.get_close_matches(given, choices, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    shown, more = ", ".join(choices[:MOST_NAMED]), len(choices) - MOST_NAMED
    return f"Allowed: {shown} and {more:,} more." if more > 0 else f"Allowed: {shown}."
