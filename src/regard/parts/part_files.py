"""The answers to a part: a line for each row of the input, in order, in a file that is written whole or not at all."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.errors import DataError
from regard.parts.input_files import Count, InputFile, packed_blocks
from regard.parts.manifest import Manifest, Part
from regard.text.lines import write_whole

Row = tuple[str, ...]
"""The texts of a row: one of each input file."""
Answer = Callable[[Sequence[Row], int], Iterable[str]]
"""A function of some rows and the number of the first, from 1, that makes one line for each."""
CHUNK = 8192
"""The rows that are answered at once."""
TOLD_AT_ONCE = 100
"""The rows after which progress is told."""
LINE_BREAKS = re.compile(r"[\r\n]+")
"""Breaks inside an answer, which would shift all later ones."""
MOST_REMEMBERED = 1 << 17
"""The most rows whose answers are kept, to be found again when an equal row comes."""


class PartRecord(BaseModel):
    """The proof of a part that is done."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    manifest: str
    """The checksum of the manifest."""
    part: Count
    num_rows: Count
    num_bytes: Count
    """The size of the file."""
    sha256: str
    """The checksum of the answers, unpacked."""
    num_errors: Count
    """The rows that could not be answered; their lines are blank."""
    num_repeated: Count
    """The rows that were answered by an equal row before them."""
    seconds: float = Field(ge=0, allow_inf_nan=False)


class PartFiles(NamedTuple):
    """The files of a part."""

    answers: Path
    errors: Path
    record: Path

    @classmethod
    def of(cls, folder: Path, number: int, ending: str) -> PartFiles:
        """The names for a part, counted from 0.

        Args:
            ending: of the file of answers, such as `.txt.gz`.
        """
        name = f"part-{number:06}"
        return cls(folder / f"{name}{ending}", folder / f"{name}.errors.jsonl", folder / f"{name}.json")

    def read_record(self) -> PartRecord | None:
        """The record of a part; None: it is not done.

        Raises:
            DataError: the record is damaged.
        """
        try:
            record = PartRecord.model_validate_json(self.record.read_bytes())
            return record if self.answers.stat().st_size == record.num_bytes else None
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(f"{self.record} must be a readable file; got: {error.strerror}.") from error
        except ValidationError as error:
            raise DataError(
                f"{self.record} must be the record of a part. Remove it, and run the part again."
            ) from error


class _Answers:
    """The lines that answer a part, and what is counted on the way."""

    def __init__(self, answer: Answer, *, is_repeatable: bool) -> None:
        self.answer, self.is_repeatable = answer, is_repeatable
        self.known: dict[Row, str] = {}
        self.errors: list[tuple[int, str]] = []
        self.num_repeated = 0
        self.digest = sha256()

    def lines(self, rows: Iterable[Row | DataError], first_row: int) -> Iterator[bytes]:
        """Lines, one for each row, in order; a blank one where there is an error."""
        rows = iter(rows)
        while chunk := list(islice(rows, CHUNK)):
            for number, line in enumerate(self._chunk(chunk, first_row), start=first_row):
                if isinstance(line, DataError):
                    self.errors.append((number, str(line)))
                    line = ""
                raw = LINE_BREAKS.sub(" ", line).encode() + b"\n"
                self.digest.update(raw)
                yield raw
            first_row += len(chunk)

    def _chunk(self, rows: Sequence[Row | DataError], first: int) -> list[str | DataError]:
        """The answers to some rows."""
        numbered = [(number, row) for number, row in enumerate(rows, start=first) if not isinstance(row, DataError)]
        if not self.is_repeatable:
            found = dict(zip((number for number, _ in numbered), self._in_runs(numbered), strict=True))
            return [row if isinstance(row, DataError) else found[number] for number, row in enumerate(rows, first)]
        new = {row: number for number, row in reversed(numbered) if row not in self.known}
        asked = sorted(((number, row) for row, number in new.items()))
        self.num_repeated += len(numbered) - len(asked)
        answers = dict(zip((row for _, row in asked), answer_each(self.answer, asked), strict=True))
        result = [
            row if isinstance(row, DataError) else answers[row] if row in answers else self.known[row] for row in rows
        ]
        self.known.update((row, line) for row, line in answers.items() if isinstance(line, str))
        for row in list(islice(self.known, max(0, len(self.known) - MOST_REMEMBERED))):
            del self.known[row]
        return result

    def _in_runs(self, numbered: Sequence[tuple[int, Row]]) -> Iterator[str | DataError]:
        """The answers, asked for in runs of consecutive numbers: random choices depend on the number of a row."""
        for _, run in groupby(enumerate(numbered), key=lambda each: each[1][0] - each[0]):
            yield from answer_each(self.answer, [row for _, row in run])


def answer_each(answer: Answer, asked: Sequence[tuple[int, Row]]) -> list[str | DataError]:
    """The answer to each row, or its error: where some rows fail together, their halves are tried.

    Args:
        asked: rows with their numbers, which are consecutive where answers depend on them.
    """
    if not asked:
        return []
    try:
        found = list(answer([row for _, row in asked], asked[0][0]))
        assert len(found) == len(asked), "an answer for each row"
        return [*found]
    except DataError as error:
        if len(asked) == 1:
            return [error]
    half = len(asked) // 2
    return answer_each(answer, asked[:half]) + answer_each(answer, asked[half:])


@dataclass(frozen=True)
class PartWork:
    """The work on a folder of parts."""

    folder: Path
    manifest: Manifest
    files: Sequence[InputFile]
    answer: Any
    """An `Answer`; on a cluster, `RowAnswers`."""
    ending: str
    """The ending of files of answers, such as `.txt.gz`."""
    is_repeatable: bool = True
    """Whether equal rows have equal answers, so that each is answered once."""


def write_part(work: PartWork, number: int, on_rows: Callable[[int], None] | None = None) -> PartRecord:
    """Answer a part and write its files: the answers, the errors where there are any, and at last the record.

    Args:
        on_rows: called with the number of further rows that are done.
    Raises:
        DataError: the input is not that of the manifest, or nothing can be written.
    """
    started, part, names = time.monotonic(), work.manifest.parts[number], PartFiles.of(work.folder, number, work.ending)
    answers = _Answers(work.answer, is_repeatable=work.is_repeatable)

    def lines() -> Iterator[bytes]:
        for count, line in enumerate(answers.lines(rows_of_part(work.files, part), part.first_row), start=1):
            if on_rows is not None and (count % TOLD_AT_ONCE == 0 or count == part.num_rows):
                on_rows(count % TOLD_AT_ONCE or TOLD_AT_ONCE)
            yield line

    write_whole(names.answers, packed_blocks(lines(), names.answers))
    errors = [json.dumps({"line": line, "error": error}, ensure_ascii=False) for line, error in answers.errors]
    if errors:
        write_whole(names.errors, "".join(f"{error}\n" for error in errors).encode())
    else:
        with suppress(FileNotFoundError):
            names.errors.unlink()
    record = PartRecord(
        manifest=work.manifest.sha256, part=number, num_rows=part.num_rows, num_bytes=names.answers.stat().st_size,
        sha256=answers.digest.hexdigest(), num_errors=len(errors), num_repeated=answers.num_repeated,
        seconds=round(time.monotonic() - started, 3),
    )  # fmt: skip
    write_whole(names.record, record.model_dump_json().encode())
    return record


def rows_of_part(files: Sequence[InputFile], part: Part) -> Iterator[Row | DataError]:
    """The rows of a part; the error of a row that cannot be read."""
    texts = [file.texts(section, part.first_row) for file, section in zip(files, part.section_records, strict=True)]
    for each in zip(*texts, strict=True):
        errors = [text for text in each if isinstance(text, DataError)]
        yield errors[0] if errors else each


def missing_parts(folder: Path, manifest: Manifest, numbers: Iterable[int], ending: str) -> list[int]:
    """The parts that are not done.

    Raises:
        DataError: a part is of another manifest.
    """
    found = {number: PartFiles.of(folder, number, ending).read_record() for number in numbers}
    for number, record in found.items():
        if record is not None and record.manifest != manifest.sha256:
            raise DataError(f"{folder} must hold parts of one manifest; part {number} is of another. Remove it.")
    return [number for number, record in found.items() if record is None]
