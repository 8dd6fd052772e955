"""The parts of a folder joined to one file, with the proof that each row of the input has its row there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from regard.errors import DataError
from regard.parts.input_files import open_unpacked, packed_blocks
from regard.parts.manifest import Manifest
from regard.parts.part_files import PartFiles, PartRecord
from regard.text.lines import write_whole

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
        DataError: a part is missing, is not what was written, or belongs to another manifest.
    """
    records = _records(folder, manifest, ending)
    digest = sha256()

    def blocks() -> Iterator[bytes]:
        for record in records:
            for line in _checked_lines(PartFiles.of(folder, record.part, ending).answers, record):
                digest.update(line)
                yield line

    write_whole(output, packed_blocks(blocks(), output))
    num_errors = sum(record.num_errors for record in records)
    if num_errors:
        with_errors = [PartFiles.of(folder, record.part, ending).errors for record in records if record.num_errors]
        write_whole(folder / ERRORS, (path.read_bytes() for path in with_errors))
    return Collected(
        manifest.num_rows, digest.hexdigest(), num_errors, sum(record.num_repeated for record in records),
        sum(record.seconds for record in records),
    )  # fmt: skip


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
