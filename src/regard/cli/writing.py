"""What the commands print: results to standard output, in UTF-8; messages beside them to standard error."""

from __future__ import annotations

import re
import sys

from regard.errors import printable

COLOURS = re.compile(r"(\x1b\[[0-9;]*m)")
"""What changes the colour of what follows in a terminal, and nothing else."""


def write(text: str, end: str = "\n", *, has_colours: bool = False) -> None:
    """Print a result, in UTF-8 whatever the terminal says of itself.

    What stands in texts must not steer a terminal: there, control characters are escaped (`printable`). A file or a pipe gets
    every byte as it is.

    Args:
        has_colours: the text has colours of ours in it, which stay.
    """
    if sys.stdout.isatty():
        parts = COLOURS.split(text) if has_colours else [text]
        text = "".join(part if index % 2 else printable(part) for index, part in enumerate(parts))
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}{end}".encode("utf-8", "surrogateescape"))  # file names may hold any bytes
    sys.stdout.buffer.flush()


def say(message: str) -> None:
    """Print a message to standard output, control characters escaped wherever it goes."""
    write(printable(message))


def tell(message: str) -> None:
    """Print a message to standard error, control characters escaped."""
    print(printable(message), file=sys.stderr, flush=True)
