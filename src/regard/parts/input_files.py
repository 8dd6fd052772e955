"""The rows of large input files: lines of text, `.tsv`, `.jsonl`, each also as `.gz` or `.zst`, and a column of Parquet.

A section is some consecutive rows of a file. It is found by its place in the unpacked text, in bytes; in Parquet, by the
number of its first row.
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from io import BufferedIOBase
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import ConfigDict, Field

from regard.data.pair_files import strings_of
from regard.errors import DataError, MissingExtraError, SettingsError
from regard.names import is_file
from regard.text.lines import check_beginning, decode_line, iterate_lines, open_lines

PACKED = (".gz", ".zst")
"""The endings of compressed files."""
BLOCK = 1 << 22
"""The bytes that are read at once."""
PARQUET_ROWS = 1 << 13
"""The rows of Parquet that are read at once."""


Count = Annotated[int, Field(ge=0, lt=2**63)]


@dataclass(frozen=True)
class Section:
    """Some consecutive rows of a file."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    start: Count
    """Where the first row begins: the byte of the unpacked text; in Parquet, the number of the row."""
    num_rows: Count
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """A checksum of the rows, each with its line end."""


@dataclass(frozen=True)
class InputFile:
    """A file whose rows each hold one text.

    Args:
        column: of `.tsv`, the number of the column, from 1 (default 1), or the first and the last of several, such as `2-3`; of
            `.jsonl` and Parquet, the key (default `source`).
    """

    path: Path
    column: str | None = None
    has_lines: bool = False
    """Whether each line is a text, whatever the name of the file says."""

    def __post_init__(self) -> None:
        if not is_file(self.path):
            raise DataError(f"{self.path} must be a file, as its parts are read by themselves; got none of this name.")
        if self.kind == "text" and self.column is not None:
            raise SettingsError(f"`--column` is for .tsv, .jsonl and .parquet; got {self.path}. Remove it.")
        if self.kind == "tsv" and not _are_columns(self.column or "1"):
            raise SettingsError(
                f"--column must be the number of a column of {self.path}, from 1, or two such as 2-3; got {self.column}."
            )

    @property
    def packing(self) -> str:
        """`.gz` or `.zst`; empty: the file is not compressed."""
        return ending if (ending := self.path.suffix.lower()) in PACKED else ""

    @cached_property
    def kind(self) -> str:
        """`tsv`, `jsonl`, `parquet`, or `text`: a text on each line."""
        return "text" if self.has_lines else self.named_kind

    @property
    def named_kind(self) -> str:
        """The kind that the name says."""
        name = Path(self.path.stem if self.packing else self.path.name)
        ending = name.suffix.lower().removeprefix(".")
        return ending if ending in ("tsv", "jsonl", "parquet") else "text"

    def lines(self) -> Iterator[str]:
        """The lines of the file, from the first on.

        Raises:
            DataError: it cannot be read, or a line is not UTF-8.
        """
        with open_unpacked(self.path) as stream:
            yield from iterate_lines(stream, str(self.path))

    def split(self, num_parts: int) -> list[Section]:
        """Divide the file into sections of about equal size, each of whole rows.

        Raises:
            DataError: it cannot be read.
        """
        if self.kind == "parquet":
            with self._parquet() as table:
                total = table.metadata.num_rows
            starts = [total * number // num_parts for number in range(num_parts + 1)]
            return self.cut([end - start for start, end in pairwise(starts)])
        total = self._num_bytes()
        with open_unpacked(self.path) as stream:
            check_beginning(stream.readline(), str(self.path))
            stream.seek(0)
            sections, position = [], 0
            for number in range(1, num_parts + 1):
                section, position = _section_to(stream, position, total * number // num_parts)
                sections.append(section)
        return sections

    def cut(self, sizes: Iterable[int], start: int = 0, *, to_the_end: bool = True) -> list[Section]:
        """Divide the file into sections of given numbers of rows, as another file has been divided.

        Args:
            start: where the first section begins.
            to_the_end: whether nothing may come after the last one.
        Raises:
            DataError: it cannot be read, or has other rows than these.
        """
        sections, sizes = [], list(sizes)
        with self._raw_rows(start) as rows:
            for size in sizes:
                digest, count, num_bytes = sha256(), 0, 0
                for row in islice(rows, size):
                    digest.update(row)
                    count, num_bytes = count + 1, num_bytes + len(row)
                sections.append(Section(start, count, digest.hexdigest()))
                start += count if self.kind == "parquet" else num_bytes
            more = sum(1 for _ in rows) if to_the_end else 0
        if not to_the_end:
            return sections
        if more or sum(section.num_rows for section in sections) != sum(sizes):
            got = sum(section.num_rows for section in sections) + more
            raise DataError(
                f"{self.path} must have a row for each row of the other file; got {got:,} and {sum(sizes):,}."
            )
        return sections

    def texts(self, section: Section, first_row: int) -> Iterator[str | DataError]:
        """The text of each row of a section; the error of a row that cannot be read.

        Args:
            first_row: the number of its first row, from 1.
        Raises:
            DataError: the rows are not those that were counted.
        """
        digest, count = sha256(), 0
        with self._raw_rows(section.start) as rows:
            for number, raw in enumerate(islice(rows, section.num_rows), start=first_row):
                digest.update(raw)
                count += 1
                try:
                    yield self._text(raw, number)
                except DataError as error:
                    yield error
        if count != section.num_rows or digest.hexdigest() != section.sha256:
            raise changed(self)

    def _num_bytes(self) -> int:
        """The size of the unpacked text."""
        if not self.packing:
            return self.path.stat().st_size
        with open_unpacked(self.path) as stream:
            return sum(map(len, iter(lambda: stream.read(BLOCK), b"")))

    def _text(self, raw: bytes, number: int) -> str:
        """The text of a row."""
        if self.kind == "parquet":
            return raw[:-1].decode()
        line = decode_line(raw, number, str(self.path))
        if self.kind == "tsv":
            columns = line.split("\t")
            first, _, last = (self.column or "1").partition("-")
            if int(last or first) > len(columns) and line:
                raise DataError(
                    f"{self.path}, line {number}: a line must have column {int(last or first)}; got {len(columns)}."
                )
            return "\t".join(columns[int(first) - 1 : int(last or first)])
        if self.kind == "jsonl" and line:
            (text,) = strings_of(line, [self.column or "source"], str(self.path), number)
            return text.replace("\n", " ")  # a row of output belongs to each row of input
        return line

    @contextmanager
    def _raw_rows(self, start: int) -> Iterator[Iterator[bytes]]:
        """The rows from a place on, each with its line end."""
        if self.kind == "parquet":
            with self._parquet() as table:
                yield self._parquet_rows(table, start)
        else:
            with open_unpacked(self.path) as stream:
                stream.seek(start)
                yield iter(stream)

    @contextmanager
    def _parquet(self) -> Iterator[Any]:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise MissingExtraError(f"{self.path} (a Parquet file)", "large") from error
        key = self.column or "source"
        try:
            with pyarrow.parquet.ParquetFile(self.path) as table:
                if key not in table.schema_arrow.names:
                    raise DataError(
                        f"--column must be a column of {self.path}: {', '.join(table.schema_arrow.names)}; got {key}."
                    )
                yield table
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{self.path} must be a Parquet file; got: {error}.") from error

    def _parquet_rows(self, table: Any, start: int) -> Iterator[bytes]:
        """The texts of a column from a row on, as lines. A missing text is blank."""
        key = self.column or "source"
        groups: list[int] = []
        for group in range(table.metadata.num_row_groups):
            rows = table.metadata.row_group(group).num_rows
            if groups or start < rows:
                groups.append(group)
            else:
                start -= rows
        texts = (
            text
            for batch in table.iter_batches(PARQUET_ROWS, row_groups=groups, columns=[key])
            for text in batch.column(0).to_pylist()
        )
        for text in islice(texts, start, None):
            if not isinstance(text, str | None):
                raise DataError(f"--column must be a column of texts; got {key} of {self.path}.")
            yield f"{(text or '').replace(chr(10), ' ')}\n".encode()


def changed(file: InputFile) -> DataError:
    """The error for a file that is not the one that was divided."""
    return DataError(
        f"{file.path} must be the file that was divided into parts; it has changed, or differs on this machine."
    )


def _section_to(stream: BufferedIOBase, start: int, end: int) -> tuple[Section, int]:
    """Read whole lines to a place, or a little further, where it is inside a line; also the place reached."""
    digest, count, position, last = sha256(), 0, start, b"\n"
    while position < end and (block := stream.read(min(BLOCK, end - position))):
        digest.update(block)
        count, position, last = count + block.count(b"\n"), position + len(block), block[-1:]
    if last != b"\n":
        rest = stream.readline()
        digest.update(rest)
        count, position = count + 1, position + len(rest)
    return Section(start, count, digest.hexdigest()), position


@contextmanager
def open_unpacked(path: Path) -> Iterator[BufferedIOBase]:
    """Open a file as a stream of bytes, unpacked where its name ends in `.gz` or `.zst`.

    Raises:
        DataError: it cannot be read, or is damaged.
        MissingExtraError: nothing that reads zstd is installed.
    """
    with open_lines(path) as packed:
        if path.suffix.lower() not in PACKED:
            yield cast("BufferedIOBase", packed)
            return
        module, errors = _module(path)
        try:
            with module.open(packed) as stream:
                yield stream
        except errors as error:
            raise DataError(f"{path} must be a whole {path.suffix} file; got: {error}.") from error


def packed_blocks(blocks: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Compress what is written to a file, as its name says. Equal texts give equal files.

    Raises:
        MissingExtraError: nothing that reads zstd is installed.
    """
    if path.suffix.lower() not in PACKED:
        yield from blocks
        return
    module, _ = _module(path)
    if module is gzip:
        packer: Any = zlib.compressobj(6, zlib.DEFLATED, 31)
    else:
        packer = module.ZstdCompressor(options={module.CompressionParameter.checksum_flag: 1})
    for block in blocks:
        if packed := packer.compress(block):
            yield packed
    yield packer.flush()


def _module(path: Path) -> tuple[Any, tuple[type[Exception], ...]]:
    """The module for a kind of compressed file, and its errors."""
    if path.suffix.lower() == ".gz":
        return gzip, (EOFError, zlib.error, gzip.BadGzipFile)
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise MissingExtraError(f"{path} (a zstd file)", "large") from error
    return zstd, (EOFError, zstd.ZstdError)


def _are_columns(given: str) -> bool:
    """Whether this names a column of `.tsv`, or the first and the last of several."""
    numbers = given.split("-")
    is_named = len(numbers) < 3 and all(re.fullmatch("0*[1-9][0-9]{0,5}", number) for number in numbers)
    return is_named and int(numbers[0]) <= int(numbers[-1])
