"""Whether files were changed or replaced while they were read, so that what is read of them belongs together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from regard.errors import DataError

Name = str | os.PathLike[str]
Found = TypeVar("Found")
Stamp = tuple[tuple[int, ...] | None, ...]
TRIES = 5
"""How often what somebody replaces is read."""
WAIT = 0.1
"""Seconds before the second time; before each further time, so much more."""


def stamp(paths: Iterable[Name]) -> Stamp:
    """What differs when one of some files has been changed, replaced, added or removed, short of what it holds."""
    return tuple(map(_stamp_of, paths))


def _stamp_of(path: Name) -> tuple[int, ...] | None:
    with suppress(OSError, ValueError):
        found = Path(path).stat()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return None


def read_unchanged(paths: Sequence[Name], read: Callable[[], Found], changed: Exception) -> Found:
    """What `read` makes of some files, which all are of one moment. Where they are replaced meanwhile, they are read anew.

    Args:
        changed: raised if they are replaced again and again.
    """
    for number in range(TRIES):
        time.sleep(WAIT * number)
        before = stamp(paths)
        try:
            found = read()
        except Exception:  # of any kind: halves of two files can be wrong in more ways than can be listed
            if stamp(paths) == before:
                raise
        else:
            if stamp(paths) == before:
                return found
    raise changed


class Measured(NamedTuple):
    """What is known of text files that are read several times."""

    num_lines: int
    digest: str
    """A checksum of all that depends on the files."""
    stamp: Stamp
    """Of the files, before they were measured."""


def check_same(paths: Iterable[Name], measured: Measured, name: str, digest: Callable[[], str]) -> None:
    """Make sure that text files are those that were measured.

    Args:
        digest: measures anew, where the files may have changed.
    Raises:
        DataError: they are not.
    """
    if stamp(paths) != measured.stamp and digest() != measured.digest:
        raise DataError(
            f"{name} must not change while it is read; it did. Start again when nothing writes to it any more."
        )
