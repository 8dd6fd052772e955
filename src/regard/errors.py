"""The errors that Regard raises, one family: `except RegardError` catches them all.

A message about one value reads *name must rule; got value. hint*: what is allowed, what was given and what to do. A message
about options that do not go together, or do not go with a model, is a sentence that says so, and which one to remove.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

MOST_NAMED = 60
"""The largest number of allowed words that a message lists."""
LONGEST_VALUE = 100
"""The number of characters of a value that a message shows."""
MESSAGE_BEGIN, MESSAGE_END = 2_000, 1_000
"""The numbers of characters of a longer message that are shown at its beginning and at its end, where the remedy is."""
HUB = "hf:"
"""The prefix of a model name on the Hugging Face hub."""
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that control a terminal or change the text direction, and unpaired surrogates, which cannot be encoded.

Tabs and line breaks are allowed, and so are the direction marks of right-to-left text (U+200E, U+200F, U+061C).
"""


def printable(text: str) -> str:
    """The text with each control character spelled out, such as `\\x1b`, so that it can be shown.

    Text from files, configurations and models must not move the cursor, change settings of the terminal, or disguise a
    line.
    """
    return STEERING.sub(_spelled, text)


def shown(message: str, begin: int = MESSAGE_BEGIN, end: int = MESSAGE_END) -> str:
    """A message as it can be printed: control characters spelled out, and without its middle where it is very long.

    A message repeats what it was given: a text, a name, an answer of another library. That may have any length.

    Args:
        begin, end: how many characters a longer message keeps, counted as they are spelled.
    """
    if len(message) <= begin + end:
        message = printable(message)
    left_out = len(message) - begin - end
    if left_out <= 0:
        return message
    first, last = printable(message[:begin])[:begin], printable(message[-end:])[-end:]
    return f"{first} [... {left_out:,} characters ...] {last}"


def _spelled(character: re.Match[str]) -> str:
    code = ord(character.group())
    return (
        f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"
    )  # other characters as in JSON, which does not escape them itself


class RegardError(Exception):
    """An error in the user's input or of the machine, with a message for the user.

    Control characters in the message are escaped, and the middle of a very long one is left out, so that it can be printed.
    """

    def __str__(self) -> str:
        return shown(super().__str__())


class ShapeError(RegardError, ValueError):
    """Tensors whose sizes do not fit together."""


class SettingsError(RegardError, ValueError):
    """A setting that is unknown, of the wrong kind or out of range."""


class UnknownOptionError(SettingsError):
    """An option of decoding that there is not.

    Args:
        name: of the option.
        allowed: the names that there are.
    """

    def __init__(self, name: str, allowed: Iterable[str]) -> None:
        self.name, self.allowed = name, list(allowed)
        super().__init__(
            f"an option must be a known option of decoding; got {short_repr(name)}. {nearest_hint(name, self.allowed)}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.allowed)


class DataError(RegardError, ValueError):
    """A text file, a data set or a line of one that cannot be used."""


class ModelFolderError(RegardError):
    """A model folder that is missing, incomplete, damaged, or in the way."""


class TrainingError(RegardError):
    """A training run that cannot go on, for example because its loss is not a number."""


class MissingExtraError(RegardError, ImportError):
    """A feature whose optional package is not installed.

    Args:
        extra: of ours, that has the package.
        command: that installs the package, where no extra has it.
    """

    def __init__(self, feature: str, extra: str = "", *, command: str = "") -> None:
        how = command or how_to_install(extra)
        super().__init__(f"{feature} needs an optional package that is not installed. Run: {how}")


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


def check_sizes(**sizes: int | None) -> None:
    """Make sure that sizes are at least 1, where they are given.

    Raises:
        ShapeError: one is not.
    """
    for name, size in sizes.items():
        if size is not None and size < 1:
            raise ShapeError(f"{name} must be at least 1; got {size}.")


def check_above_zero(**numbers: float) -> None:
    """Make sure that numbers are finite and above 0.

    Raises:
        SettingsError: one is not.
    """
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise SettingsError(f"{name} must be a finite number above 0; got {number}.")


def as_numbers(name: str, given: Iterable[Any]) -> set[int]:
    """Whole numbers as Python's, which are equal where they are the same: tensors and arrays of one number are not.

    Raises:
        ShapeError: something else is given, such as a mask of truth values.
    """
    found = set()
    try:
        several = iter(given)
    except TypeError:
        raise ShapeError(f"{name} must be several whole numbers; got {given!r}. Write [{given!r}].") from None
    for each in several:
        if (number := as_number(each)) is None:
            raise ShapeError(f"{name} must be whole numbers; got {each!r}.")
        found.add(number)
    return found


def as_number(given: Any) -> int | None:
    """A whole number of Python or another library as Python's; None: it is something else, such as a truth value."""
    if isinstance(given, bool) or str(getattr(given, "dtype", "")).endswith("bool"):
        return None
    try:
        return operator.index(given)
    except (TypeError, ValueError):
        return None


def nearest_hint(given: str, allowed: Iterable[str]) -> str:
    """A sentence that names the nearest allowed word, or all allowed words when none is near; of very many, the first."""
    import difflib  # here, as every program that imports this package would wait for it

    choices = sorted(allowed)
    close = difflib.get_close_matches(given, choices, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    shown, more = ", ".join(choices[:MOST_NAMED]), len(choices) - MOST_NAMED
    return f"Allowed: {shown} and {more:,} more." if more > 0 else f"Allowed: {shown}."


def check_known(name: str, given: object, known: Collection[str], rule: str) -> None:
    """Make sure that a value is a known one.

    Args:
        rule: what it must be, such as "a known method".
    Raises:
        SettingsError: it is not.
    """
    if not isinstance(given, str) or given not in known:
        raise SettingsError(f"{name} must be {rule}; got {short_repr(given)}. {nearest_hint(str(given), known)}")


def short_repr(value: object) -> str:
    """A value as messages have it, cut where it is long."""
    try:
        return repr(value)[:LONGEST_VALUE]
    except ValueError:  # Python refuses to write so many digits
        return f"a number of more than {sys.get_int_max_str_digits():,} digits"


def first_problem(error: Any, prefix: str = "") -> str:
    """The first problem that pydantic found, with the key, the value and what is wrong with it.

    Args:
        error: a `pydantic.ValidationError`.
        prefix: of the key.
    """
    problem = error.errors()[0]
    key = prefix + ".".join(map(str, problem["loc"])) or "the configuration"
    return f"{key}: {problem['msg']}; got {short_repr(problem['input'])}."


def missing_hint(path: Path) -> str:
    """A hint for a file or folder that is not there: the nearest name beside it, or the Hugging Face hub where `path` has the
    form of a model name there.
    """
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        names = []
    if close := difflib.get_close_matches(path.name, names, n=1, cutoff=0.8):
        return f" Did you mean {str(path.with_name(close[0]))!r}?"
    owner, *rest = path.parts or ("",)
    is_name = len(rest) == 1 and not path.is_absolute() and owner not in ("..", "~") and path.suffix != ".npz"
    return f" On the Hugging Face hub: {HUB}{path.as_posix()}" if is_name else ""
