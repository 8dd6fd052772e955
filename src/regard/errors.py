"""The errors that Regard raises, one family: `except RegardError` catches them all.

Every message follows *name must rule; got value. hint*, so that a user reads what was given, what is
allowed and what to do, in this order.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

MOST_NAMED = 60
"""Allowed words that a message names."""
HUB = "hf:"
"""What the name of a model begins with that is on the Hugging Face hub, and not in a folder."""
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What steers a terminal or turns the direction of the text around it, and halves of surrogate pairs, which cannot be written.

Tabs and line breaks are not among it, nor are the marks that right-to-left text is written with (U+200E, U+200F, U+061C).
"""


def printable(text: str) -> str:
    """The text with each control character spelled out, such as `\\x1b`, so that it can be shown.

    What a file, a configuration or a model holds must not move the cursor, change a terminal's settings, or show a line
    otherwise than it is.
    """
    return STEERING.sub(_spelled, text)


def _spelled(character: re.Match[str]) -> str:
    code = ord(character.group())
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"  # beyond, as JSON spells it, which leaves it unescaped


class RegardError(Exception):
    """Something the user gave, or the machine refused, with a message meant for the user.

    The message can be printed as it is: control characters of what was given are escaped in it.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


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
        super().__init__(f"{feature} needs an optional package that is not installed. Run: {how_to_install(extra)}")


def how_to_install(extra: str) -> str:
    """The command that installs the packages of an extra, from a clone and from an index."""
    return f"pip install '.[{extra}]' in a clone of Regard, or else: pip install 'regard[{extra}]'"


def check_width(name: str, got: int, expected: int) -> None:
    """Make sure that vectors are as wide as what they are multiplied with.

    Raises:
        ShapeError: they are not.
    """
    if got != expected:
        raise ShapeError(f"{name} must have width {expected}; got {got}.")


def nearest_hint(given: str, allowed: Iterable[str]) -> str:
    """A sentence that names the nearest allowed word, or all allowed words when none is near; of very many, the first."""
    choices = sorted(allowed)
    close = difflib.get_close_matches(given, choices, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    shown, more = ", ".join(choices[:MOST_NAMED]), len(choices) - MOST_NAMED
    return f"Allowed: {shown} and {more:,} more." if more > 0 else f"Allowed: {shown}."


def hub_hint(path: Path) -> str:
    """How to ask the Hugging Face hub for what is no folder, but is written as models are called there."""
    owner, *names = path.parts or ("",)
    is_name = len(names) == 1 and not path.is_absolute() and owner not in ("..", "~") and path.suffix != ".npz"
    return f" On the Hugging Face hub: {HUB}{path.as_posix()}" if is_name else ""
