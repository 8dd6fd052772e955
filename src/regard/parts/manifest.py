"""The manifest of a folder of parts: what is answered, with which model and options, and where each part begins.

It is written once, by whoever comes first, and read by all others: what they are asked to do must be the same.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from regard.errors import DataError, first_problem
from regard.names import exists, is_file
from regard.parts.input_files import BLOCK, Count, InputFile, Section, changed
from regard.text.lines import write_whole

MANIFEST = "manifest.json"
MOST_DIFFERENCES = 3
"""The differences between two manifests that a message names."""
NO_WEIGHTS = (".md", ".html", ".svg", ".png")
"""The endings of files in a model folder that do not change what it answers."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileRecord(_Record):
    """An input file."""

    name: str
    num_bytes: int
    column: str | None


class Part(_Record):
    """Some consecutive rows of the input."""

    first_row: Count
    """Its number, from 1."""
    num_rows: Count
    section_records: list[Section] = Field(min_length=1)
    """The place of these rows in each file."""


class Work(_Record):
    """A command with everything that its answers depend on."""

    command: str
    version: str
    """The version of Regard: another one may answer in another way."""
    models: dict[str, str]
    """The checksum of each folder that is read, by what it is used for."""
    options: dict[str, JsonValue]


class Manifest(_Record):
    """The work, and its division into parts."""

    format_version: Literal[1] = 1
    work: Work
    files: list[FileRecord]
    parts: list[Part]

    @model_validator(mode="after")
    def _follow_each_other(self) -> Manifest:
        first_row = 1
        for part in self.parts:
            counts = {part.num_rows, *(section.num_rows for section in part.section_records)}
            if part.first_row != first_row or len(counts) > 1 or len(part.section_records) != len(self.files):
                raise ValueError("each part must follow the one before it, in each file")
            first_row += part.num_rows
        return self

    @cached_property
    def sha256(self) -> str:
        """A checksum of the whole manifest, which each part repeats."""
        return sha256(self.model_dump_json().encode()).hexdigest()

    @property
    def num_rows(self) -> int:
        """The number of rows of the input."""
        return sum(part.num_rows for part in self.parts)


def divide(work: Work, files: Sequence[InputFile], num_parts: int) -> Manifest:
    """Divide input files into parts of about equal size.

    Raises:
        DataError: a file cannot be read, or they have different numbers of rows.
    """
    sections = [files[0].split(num_parts)]
    sections += [file.cut(section.num_rows for section in sections[0]) for file in files[1:]]
    parts, first_row = [], 1
    for each in zip(*sections, strict=True):
        parts.append(Part(first_row=first_row, num_rows=each[0].num_rows, section_records=list(each)))
        first_row += each[0].num_rows
    if first_row == 1:
        raise DataError(f"{files[0].path} must have lines; got an empty file.")
    return Manifest(work=work, files=[_record(file) for file in files], parts=parts)


def find_or_divide(folder: Path, work: Work, files: Sequence[InputFile], num_parts: int) -> Manifest:
    """The manifest of a folder, which must be of this work; where there is none, it is made.

    Raises:
        DataError: it is of other work, of other files or of another number of parts, or cannot be read or written.
    """
    if not is_file(folder / MANIFEST):
        _write_first(folder, divide(work, files, num_parts))
    return find(folder, work, files, num_parts)


def find(folder: Path, work: Work, files: Sequence[InputFile], num_parts: int) -> Manifest:
    """The manifest of a folder, which must be of this work.

    Raises:
        DataError: as for `find_or_divide`, or there is none.
    """
    manifest = read(folder)
    if found := _differences(manifest, work, files, num_parts):
        raise DataError(
            f"{folder} must hold parts of the same work; got another one: {'; '.join(found[:MOST_DIFFERENCES])}. "
            "Choose another folder, or remove this one."
        )
    return manifest


def check_input(manifest: Manifest, files: Sequence[InputFile], numbers: range) -> None:
    """Make sure that some parts of the input, one after the other, are what was divided; of all parts, the whole input.

    Raises:
        DataError: they are not.
    """
    parts = manifest.parts[numbers.start : numbers.stop]
    is_whole = len(parts) == len(manifest.parts)
    for index, file in enumerate(files):
        sections = [part.section_records[index] for part in parts]
        sizes = [section.num_rows for section in sections]
        if file.cut(sizes, sections[0].start, to_the_end=is_whole) != sections:
            raise changed(file)


def read(folder: Path) -> Manifest:
    """Read the manifest of a folder.

    Raises:
        DataError: it is missing or damaged.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} must be a readable file; got: {error.strerror}.") from error
    except ValidationError as error:
        raise DataError(f"{path} must be a manifest of parts; got: {first_problem(error)}.") from error


def folder_digest(folder: Path) -> str:
    """A checksum of the files of a model folder, their names included; pages and pictures left out.

    Raises:
        DataError: one cannot be read.
    """
    digest = sha256()
    try:
        if not exists(folder):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        paths = [folder] if is_file(folder) else [path for path in folder.rglob("*") if _is_read(path, folder)]
        for path in sorted(paths):
            digest.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
            with path.open("rb") as stream:
                while block := stream.read(BLOCK):
                    digest.update(block)
    except OSError as error:
        raise DataError(f"{folder} must be a readable model folder; got: {error.strerror}.") from error
    return digest.hexdigest()


def _is_read(path: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.is_file() and not is_hidden and path.suffix not in NO_WEIGHTS


def _record(file: InputFile) -> FileRecord:
    name = os.fsencode(file.path.name).decode("utf-8", "backslashreplace")
    return FileRecord(name=name, num_bytes=file.path.stat().st_size, column=file.column)


def _write_first(folder: Path, manifest: Manifest) -> None:
    """Write a manifest, unless another process has written one in the meantime."""
    aside = folder / f".{MANIFEST}.{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stray = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
        if MANIFEST in stray or is_file(folder / MANIFEST):
            return
        if stray:
            raise DataError(f"{folder} must be new or empty, or hold a {MANIFEST}; got a folder with {stray[0]}.")
    except OSError as error:
        raise DataError(f"{folder} must be a folder that can be written; got: {error.strerror}.") from error
    write_whole(aside, manifest.model_dump_json(indent=1).encode())
    try:
        try:
            os.link(aside, folder / MANIFEST)  # unlike a rename, this replaces nothing
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            aside.replace(folder / MANIFEST)
    finally:
        with suppress(OSError):
            aside.unlink()


def _differences(manifest: Manifest, work: Work, files: Sequence[InputFile], num_parts: int) -> list[str]:
    """The differences between a stored manifest and what is asked for, in words."""
    there, here = _facts(manifest.work, manifest.files), _facts(work, [_record(file) for file in files])
    there["parts"], here["parts"] = len(manifest.parts), num_parts
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
    return [f"{name} is {there.get(name)} there and {here.get(name)} here" for name in names]


def _facts(work: Work, files: Sequence[FileRecord]) -> dict[str, Any]:
    """All that must be the same, each with a name for messages. Copies of a file may have different names."""
    facts: dict[str, Any] = {"the command": work.command, "the version of Regard": work.version}
    facts |= {f"the checksum of the {name}": value[:12] for name, value in work.models.items()} | dict(work.options)
    for number, file in enumerate(files, start=1):
        facts[f"the size of input {number}"] = file.num_bytes
        facts[f"the column of input {number}"] = file.column
    return facts
