"""Lines of text in and out of files: strict UTF-8, `\\n` and nothing else ends a line.

`str.splitlines` also breaks at U+2028, U+0085 and six other characters that occur inside real sentences; one such
break shifts every later line of a parallel file. We split bytes at `\\n` and decode each line on its own, so
that a bad byte is reported with its line number.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from regard.errors import DataError
from regard.names import is_device, is_named_pipe, is_pipe
from regard.text import locks
from regard.text.locks import remove_left_behind, short

MEASURED_AT_ONCE = 1 << 22
WRITER_SECONDS = 5.0
"""The seconds that somebody may take to open a named pipe that is to be read."""
UNIQUE = r"[0-9a-f]{16}\.part"
"""The suffix of a file while it is written."""
GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of most UTF-16 files."""


def iterate_lines(stream: Iterable[bytes], name: str) -> Iterator[str]:
    """Decode the lines of a binary stream (an iterable of bytes up to each `\\n`), without their ends.

    A byte order mark at the start and one `\\r` before the `\\n` (files from Windows) are dropped.

    Args:
        name: what error messages call the stream, usually its path.
    Raises:
        DataError: a line is not UTF-8.
    """
    for number, raw in enumerate(stream, start=1):
        yield decode_line(raw, number, name)


def decode_line(raw: bytes, number: int, name: str) -> str:
    """Decode a line, counted from 1, without its end.

    Raises:
        DataError: it is not UTF-8.
    """
    if number == 1:
        check_beginning(raw, name)
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}, line {number}: text must be UTF-8; got byte 0x{raw[error.start]:02x} at column "
            f"{error.start + 1}. Convert the file first, for example with: iconv -f latin1 -t utf-8"
        ) from error


def check_beginning(raw: bytes, name: str) -> None:
    """Refuse files that are no text, or text in another encoding, by their first line."""
    if raw.startswith(GZIP):
        raise DataError(f"{name} must be text; got a compressed file. Unpack it first: gunzip")
    if raw.startswith(UTF_16) or _is_utf_16(raw):
        raise DataError(
            f"{name}: text must be UTF-8; got UTF-16, it seems. Convert the file first: iconv -f utf-16 -t utf-8"
        )


def _is_utf_16(raw: bytes) -> bool:
    """Whether nearly every other byte is 0, as in Latin letters of two bytes each."""
    if len(raw) < 4 and not raw.endswith(b"\0\n"):
        return False
    return any(half.count(0) > 3 / 4 * len(half) for half in (raw[::2], raw[1::2]))


def read_lines(path: Path | str) -> list[str]:
    """Read all lines of a file.

    Raises:
        DataError: the file cannot be opened, or a line is not UTF-8.
    """
    with open_lines(path) as stream:
        return list(iterate_lines(stream, str(path)))


def measure_lines(path: Path | str, digest: hashlib._Hash) -> int:
    """Count the lines of a file; all its bytes go into a checksum.

    Raises:
        DataError: the file cannot be read, or only once, or is no text of lines.
    """
    if is_pipe(path):
        raise DataError(f"{path} must be a file, as it is read more than once; got a pipe. Write it to a file first.")
    count, last = 0, b"\n"
    with open_lines(path) as stream:
        while block := stream.read(MEASURED_AT_ONCE):
            if not count:
                check_beginning(block[: block.find(b"\n") + 1] or block, str(path))
                if b"\r" in block and b"\n" not in block:
                    raise DataError(
                        f"{path}: lines must end with \\n; got \\r alone. Convert the file first: tr '\\r' '\\n'"
                    )
            digest.update(block)
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


@contextmanager
def open_lines(path: Path | str, *, is_live: bool = False) -> Iterator[BinaryIO]:
    """Open a file as a stream of lines of bytes, each with its end.

    Args:
        is_live: whether lines are answered while others are still written, however long that takes.
    Raises:
        DataError: the file cannot be read; or, if `is_live` is False, it is a named pipe that nobody writes to, or a device.
    """
    if not is_live and is_device(path):
        raise DataError(f"{path} must be a file; got a device. Write what you need of it to a file first.")
    try:
        with Path(path).open("rb") if is_live or not is_named_pipe(path) else _opened_pipe(path) as stream:
            yield stream
    except OSError as error:
        raise DataError(f"{path} must be a readable text file; got: {error.strerror}.") from error
    except ValueError as error:
        if "\0" not in str(path):  # which no name can have
            raise
        raise DataError(f"{path} must be the name of a file; got one with a null character.") from error


def _opened_pipe(path: Path | str) -> BinaryIO:
    """Open a named pipe when somebody has opened it to write to it.

    Raises:
        DataError: nobody has, for some seconds.
    """
    with ThreadPoolExecutor(1) as thread:
        opened = thread.submit(Path(path).open, "rb")
        try:
            return opened.result(WRITER_SECONDS)
        except BaseException as error:  # such as Ctrl-C
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))  # so that the thread ends
            opened.result().close()
            if not isinstance(error, TimeoutError):
                raise
    raise DataError(f"{path} must be a file, or a pipe that somebody writes to; got a pipe without a writer.")


def digest_of(path: Path) -> str:
    """The SHA-256 checksum of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_whole(path: Path | str, content: bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all: aside, synced to the disk, then renamed over `path`.

    Temporary files of killed writers of the same file are removed.

    Args:
        content: all of it, or its parts one after the other.
    Raises:
        DataError: the disk is full, or the folder cannot be written.
    """
    parts = [content] if isinstance(content, bytes) else content
    try:
        try:
            place = Path(path).resolve()  # a link stays a link: what it points to is replaced
        except RuntimeError as error:
            raise OSError(errno.ELOOP, "a link that leads to itself") from error
        if place.exists() and not place.is_file():  # a device or a pipe, such as /dev/null, is written to
            with place.open("wb") as stream:
                stream.writelines(parts)
            return
        remove_left_behind(place.parent, re.compile(rf"\.{re.escape(short(place.name))}\.{UNIQUE}"))
        with _open_beside(place) as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        raise DataError(f"{path} must be writable; got: {error.strerror}. Nothing was changed.") from error


@contextmanager
def _open_beside(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` when all is written; if anything fails, nothing has changed."""
    while True:
        aside = path.with_name(f".{short(path.name)}.{secrets.token_hex(8)}.part")
        with aside.open("xb") as stream:
            if not locks.claim(stream.fileno(), aside):
                continue
            try:
                yield stream
                if sys.platform == "win32":  # which renames nothing that is open
                    stream.close()
                aside.replace(path)  # still locked, so that no process removes it
            except BaseException:
                with suppress(OSError):  # the first error matters more
                    aside.unlink()
                raise
            return


def write_lines(path: Path | str, lines: Iterable[str]) -> None:
    """Write lines to a file, whole or not at all, each ended by `\\n`, without holding them all."""
    write_whole(path, (f"{line}\n".encode() for line in lines))
