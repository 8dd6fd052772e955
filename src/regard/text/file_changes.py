"""Reading of files that somebody may replace meanwhile: what is read of them must belong together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from regard.errors import DataError

Name = str | os.PathLike[str]
Found = TypeVar("Found")
Stamp = tuple[tuple[int, ...] | None, ...]
TRIES = 5
"""The largest number of attempts to read files that somebody replaces."""
WAIT = 0.1
"""The seconds before the second attempt; before each further one, so much more."""


def stamp(paths: Iterable[Name]) -> Stamp:
    """A value for each of some files that differs when one has been changed, replaced, added or removed, short of its
    content.
    """
    return tuple(map(_stamp_of, paths))


def _stamp_of(path: Name) -> tuple[int, ...] | None:
    with suppress(OSError, ValueError):
        found = Path(path).stat()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    return None


def read_unchanged(paths: Sequence[Name], read: Callable[[], Found], changed: Exception) -> Found:
    """Call `read` so that all files that it reads are of one moment. Where they are replaced meanwhile, they are read
    again.

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


class FileMeasurements(NamedTuple):
    """Measurements of text files that are read several times."""

    num_lines: int
    digest: str
    """A checksum of all that depends on the files."""
    stamp: Stamp
    """The stamp of the files before they were measured."""


def check_same(paths: Iterable[Name], measured: FileMeasurements, name: str, digest: Callable[[], str]) -> None:
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


@dataclass(frozen=True)
class DerivedText:
    """Texts or pairs that are derived from others: as large, and of the same name."""

    whole: Any

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self.whole.name

    @property
    def num_lines(self) -> int:
        """The number of lines of the whole."""
        return self.whole.num_lines

    @property
    def num_bytes(self) -> int:
        """The size of the whole."""
        return self.whole.num_bytes

    def check_unchanged(self) -> None:
        """Make sure that the files of the whole are unchanged."""
        self.whole.check_unchanged()
