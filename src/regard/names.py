"""The meaning of a name that a user gave: a file, a folder, nothing, or no name at all but a text.

`Path.is_file` and its like raise an error for what no file can be called: more than 255 bytes, a null character, a folder
that may not be looked into. Here the answer is no.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

Name = str | os.PathLike[str]
TERMINALS = "/dev/pts/", "/dev/tty", "/dev/console"
"""The beginnings of the names of terminals, where a person ends the text."""


def exists(name: Name) -> bool:
    """Whether there is something of this name."""
    with suppress(OSError, ValueError):
        return Path(name).exists()
    return False


def is_file(name: Name) -> bool:
    """Whether there is a file of this name."""
    with suppress(OSError, ValueError):
        return Path(name).is_file()
    return False


def is_folder(name: Name) -> bool:
    """Whether there is a folder of this name."""
    with suppress(OSError, ValueError):
        return Path(name).is_dir()
    return False


def is_pipe(name: Name) -> bool:
    """Whether there is a pipe of this name, which can be read once."""
    with suppress(OSError, ValueError):
        return Path(name).is_fifo()
    return False


def is_named_pipe(name: Name) -> bool:
    """Whether there is a pipe of this name that waits for a writer when it is opened. One that is open already, such as the
    `/dev/fd/63` of a shell's `<(...)`, does not.
    """
    with suppress(OSError, ValueError):
        return Path(os.path.realpath(name)).is_fifo()  # of an open pipe, the real path is no file
    return False


def is_device(name: Name) -> bool:
    """Whether there is a device of this name whose bytes may have no end; a terminal's have, and those of /dev/null."""
    with suppress(OSError, ValueError):
        real = os.path.realpath(name)
        is_finite = real == os.path.realpath(os.devnull) or real.startswith(TERMINALS)
        return Path(real).is_char_device() and not is_finite
    return False
