"""Who is still writing: what a killed process has left behind is told from what another one is busy with.

A writer holds a lock on what it writes aside. The system takes the lock back when the process ends, however that is; so what
nobody holds is left behind. Unlike the number of a process, that is true in containers and where numbers are used again.
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
"""Bytes of a name beside which another can be made: names end at 255."""
FORGOTTEN_SECONDS = 86_400
"""After which something is left behind where the system has no locks."""


def lock(descriptor: int) -> bool | None:
    """Lock what is open; False: another process holds it. None: the system has no locks there."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def claim(descriptor: int, path: Path) -> bool:
    """Lock what was just made at `path`; False: somebody took it for left behind, and it is to be made anew."""
    if lock(descriptor) is False:
        return False
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


@contextmanager
def claimed(folder: Path) -> Iterator[bool]:
    """While this context lasts, a folder that was just made is known to be written to; False: it is to be made anew."""
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
    """Whether nobody writes there any more. While this context lasts, nobody else takes it for left behind."""
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
    """Remove the files of some names that nobody writes any more."""
    with suppress(OSError):
        for path in [entry for entry in folder.iterdir() if names.fullmatch(entry.name) and entry.is_file()]:
            with left_behind(path) as is_left, suppress(OSError):
                if is_left:
                    path.unlink()


def short(name: str) -> str:
    """A name that leaves room for another to be made of it."""
    return os.fsencode(name)[:LONGEST_NAME].decode("utf-8", "ignore")
