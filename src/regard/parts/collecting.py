"""The parts of a folder joined to one file, with the proof that each row of the input has its row there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from regard.errors import DataError
from regard.parts.input_files import InputFile, open_unpacked, packed_blocks
from regard.parts.manifest import Manifest
from regard.parts.part_files import PartFiles, PartRecord
from regard.text.lines import UNIQUE, write_whole
from regard.text.locks import remove_left_behind

ERRORS = "errors.jsonl"
MOST_NAMED = 5
"""The missing parts that a message names."""


class Collected(NamedTuple):
    """A joined file."""

    num_rows: int
    sha256: str
    """The checksum of its text, unpacked."""
    num_errors: int
    """The rows that could not be answered; they are blank, and `errors.jsonl` says why."""
    num_repeated: int
    seconds: float
    """The time of all parts together."""


def collect(folder: Path, manifest: Manifest, output: Path, ending: str) -> Collected:
    """Join the parts of a folder in order. The file is written whole or not at all.

    Args:
        output: compressed where its name ends in `.gz` or `.zst`.
        ending: of the files of parts.
    Raises:
        DataError: as for `join`.
    """
    return join(
        folder, manifest, ending,
        lambda parts: write_whole(output, packed_blocks(chain.from_iterable(parts), output)),
    )  # fmt: skip


def join(
    folder: Path, manifest: Manifest, ending: str, use: Callable[[Iterator[Iterator[bytes]]], object]
) -> Collected:
    """Use all answers of a folder, with the proof that each row has its own.

    Args:
        use: is given the parts in order, and of each its lines. A part that has changed raises an error after its last line.
    Raises:
        DataError: a part is missing, is not what was written, or belongs to another manifest.
    """
    records = _records(folder, manifest, ending)
    errors = b"".join(_errors(PartFiles.of(folder, record.part, ending).errors, record) for record in records)
    digest = sha256()

    def lines(record: PartRecord) -> Iterator[bytes]:
        for line in _checked_lines(PartFiles.of(folder, record.part, ending).answers, record):
            digest.update(line)
            yield line

    use(lines(record) for record in records)
    if errors:
        write_whole(folder / ERRORS, errors)
    remove_left_behind(folder, re.compile(rf"\..*\.{UNIQUE}"))
    return Collected(
        manifest.num_rows, digest.hexdigest(), sum(record.num_errors for record in records),
        sum(record.num_repeated for record in records), sum(record.seconds for record in records),
    )  # fmt: skip


def check_target(output: Path, folder: Path, files: Sequence[InputFile]) -> None:
    """Make sure that a joined file replaces nothing of what it is made from.

    Raises:
        DataError: it is an input file, or in the folder of parts.
    """
    place = output.resolve()
    if str(output) == "-" or place in (file.path.resolve() for file in files) or place.is_relative_to(folder.resolve()):
        raise DataError(f"--collect must be a file of its own, outside of {folder}; got {output}. Choose another name.")


def _errors(path: Path, record: PartRecord) -> bytes:
    """The errors of a part, as they were written."""
    if not record.num_errors:
        return b""
    try:
        found = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} must be a readable file; got: {error.strerror}. Run part {record.part} again."
        ) from error
    if found.count(b"\n") != record.num_errors:
        raise DataError(f"{path} must have {record.num_errors} errors; it has changed. Run part {record.part} again.")
    return found


def _records(folder: Path, manifest: Manifest, ending: str) -> Sequence[PartRecord]:
    """The records of all parts, in order."""
    records, missing = [], []
    for number, part in enumerate(manifest.parts):
        record = PartFiles.of(folder, number, ending).read_record()
        if record is None:
            missing.append(number)
            continue
        if (record.manifest, record.part, record.num_rows) != (manifest.sha256, number, part.num_rows):
            raise DataError(f"{folder} must hold parts of its manifest; part {number} is of another. Run it again.")
        records.append(record)
    if missing:
        more = f" and {len(missing) - MOST_NAMED:,} more" if len(missing) > MOST_NAMED else ""
        raise DataError(
            f"all {len(manifest.parts):,} parts must be done before they are joined; missing in {folder}: "
            f"{', '.join(map(str, missing[:MOST_NAMED]))}{more}. The same command without `--collect` does them."
        )
    return records


def _checked_lines(path: Path, record: PartRecord) -> Iterator[bytes]:
    """The lines of a part.

    Raises:
        DataError: they are not those that were written.
    """
    digest, count = sha256(), 0
    with open_unpacked(path) as stream:
        for line in stream:
            digest.update(line)
            count += 1
            yield line
    if count != record.num_rows or digest.hexdigest() != record.sha256:
        raise DataError(
            f"{path} must be what was written; it has changed. Remove it, and run part {record.part} again."
        )
