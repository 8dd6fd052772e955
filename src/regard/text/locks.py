"""Locks on temporary files: they distinguish files that a killed process left from files that are still being written.

A writer locks its temporary files. The system releases the lock when the process ends, for whatever reason; so an unlocked
file was left behind. Unlike process ids, this works in containers, and when ids are reused.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LONGEST_NAME = 230
"""The longest name, in bytes, that leaves room for a suffix: names have at most 255 bytes."""
FORGOTTEN_SECONDS = 86_400
"""The age in seconds from which temporary files count as left behind, on systems without locks."""


_held: dict[int, tuple[int, int]] = {}
"""The files that are locked, by their descriptors."""


def lock(descriptor: int) -> bool | None:
    """Lock an open file; False: another process holds the lock. None: the system has no locks there."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    found = os.fstat(descriptor)
    _held[descriptor] = found.st_dev, found.st_ino
    return True


def _release_in_child() -> None:
    """Close the locks of the parent in a forked process: they must not outlive the parent."""
    for descriptor, file in _held.items():
        with suppress(OSError):
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == file:  # and not another file that was opened since
                os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_child)


def claim(descriptor: int, path: Path) -> bool:
    """Lock a file that was just made at `path`; False: another process removed it, and it must be made again."""
    if lock(descriptor) is False:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


@contextmanager
def claimed(folder: Path) -> Iterator[bool]:
    """Lock a folder that was just made, while this context lasts; False: it must be made again."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # it is gone; or the system does not open folders, and has no locks
        yield folder.is_dir()
        return
    try:
        yield claim(descriptor, folder)
    finally:
        os.close(descriptor)


@contextmanager
def left_behind(path: Path) -> Iterator[bool]:
    """Whether no process writes to `path` any more; it is locked while this context lasts."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        yield False
        return
    try:
        is_ours = lock(descriptor)
        yield is_ours if is_ours is not None else time.time() - os.fstat(descriptor).st_mtime > FORGOTTEN_SECONDS
    finally:
        os.close(descriptor)


def remove_left_behind(folder: Path, names: re.Pattern[str]) -> None:
    """Remove the files of some names that no process writes to any more."""
    with suppress(OSError):
        for path in [entry for entry in folder.iterdir() if names.fullmatch(entry.name) and entry.is_file()]:
            with left_behind(path) as is_left, suppress(OSError):
                if is_left:
                    path.unlink()


def short(name: str) -> str:
    """Shorten a name so that a suffix fits."""
    return os.fsencode(name)[:LONGEST_NAME].decode("utf-8", "ignore")
