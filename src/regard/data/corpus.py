"""Pairs of texts: where they come from, and what they must be to be used.

Four sources, one result: two files with a line for a line, a TSV file, a JSON-lines file, a Hugging Face data set.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.errors import DataError, MissingExtraError, nearest_hint
from regard.text.lines import read_lines

HUB_PREFIX = "hf:"
HUB_NAME = re.compile(r"hf:(?P<path>.+):(?P<split>[^:\[\]]+(\[[^\]]*\])?):(?P<source>[^:]+):(?P<target>[^:]+)")


@dataclass(frozen=True)
class ParallelText:
    """Sources and their targets, line by line, without blank lines."""

    sources: list[str]
    targets: list[str]
    name: str
    num_blank: int = 0

    def __len__(self) -> int:
        return len(self.sources)


def read_pairs(paths: Sequence[str | os.PathLike[str]]) -> ParallelText:
    """The pairs of two parallel files, or of one TSV, JSON-lines or `hf:` source.

    A pair blank on both sides is left out and counted. Blank on one side only is an error: where a line was
    lost, every pair after it would be wrong. A line break inside a text, as JSON can hold, becomes a space.

    Args:
        paths: `[source file, target file]`, `[pairs.tsv]`, `[pairs.jsonl]` or `[hf:name:split:source_column:target_column]`.
    Raises:
        DataError: files that cannot be read, of different lengths, empty, or with a line blank on one side.
    """
    if isinstance(paths, str):
        raise DataError(f"pairs must be a list of one or two names; got one string. Write [{paths!r}].")
    names = [os.fspath(path) for path in paths]
    if len(names) == 2:
        source_path, target_path = names
        sources, targets = read_lines(source_path), read_lines(target_path)
        if len(sources) != len(targets):
            raise DataError(
                f"parallel files must have one number of lines; got {len(sources):,} in {source_path} and "
                f"{len(targets):,} in {target_path}. Line N of one must be the translation of line N of the other."
            )
        return _without_blank_pairs(zip(sources, targets, strict=True), source_path, target_path)
    if len(names) != 1:
        raise DataError(f"pairs must come from two parallel files or one file of pairs; got {len(names)} names.")
    (path,) = names
    if path.startswith(HUB_PREFIX):
        return _without_blank_pairs(_read_hub(path), path, path)
    readers = {".tsv": _read_tsv, ".jsonl": _read_jsonl}
    suffix = Path(path).suffix.lower()
    if suffix not in readers:
        raise DataError(
            f"one file of pairs must end in .tsv or .jsonl; got {path}. For two parallel files, give both names."
        )
    return _without_blank_pairs(readers[suffix](path), path, path)


def _without_blank_pairs(pairs: Iterable[tuple[str, str]], source_name: str, target_name: str) -> ParallelText:
    sources, targets, num_blank = [], [], 0
    for number, (source, target) in enumerate(pairs, start=1):
        blank_source, blank_target = not source.strip(), not target.strip()
        if blank_source != blank_target:
            name, side = (source_name, "source") if blank_source else (target_name, "target")
            raise DataError(
                f"{name}, line {number}: both sides of a pair must have text; got a blank {side}. "
                "If a line was lost, all pairs after it are shifted; else remove the line from both sides."
            )
        if blank_source:
            num_blank += 1
        else:
            sources.append(_one_line(source))
            targets.append(_one_line(target))
    name = source_name if source_name == target_name else f"{source_name} + {target_name}"
    if not sources:
        raise DataError(f"{name} must hold at least one pair; got none. Is it the right file?")
    return ParallelText(sources, targets, name, num_blank)


def _one_line(text: str) -> str:
    return re.sub(r"\r?\n", " ", text)


def _read_tsv(path: str) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        columns = line.split("\t")
        if not line.strip():
            columns = ["", ""]
        if len(columns) != 2:
            raise DataError(
                f"{path}, line {number}: a line must be source, tab, target; got {len(columns)} column"
                f"{'s' if len(columns) != 1 else ''}."
            )
        yield columns[0], columns[1]


def _read_jsonl(path: str) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            yield "", ""
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{path}, line {number}: a line must be one JSON object; got {error.msg} at column {error.colno}."
            ) from error
        source, target = map(record.get, ("source", "target")) if isinstance(record, dict) else (None, None)
        if not (isinstance(source, str) and isinstance(target, str)):
            raise DataError(
                f'{path}, line {number}: an object must have the strings "source" and "target"; got {line[:60]}.'
            )
        try:
            (source + target).encode()
        except UnicodeEncodeError as error:
            raise DataError(
                f"{path}, line {number}: text must be whole Unicode characters; got half of a pair."
            ) from error
        yield source, target


def _read_hub(name: str) -> Iterable[tuple[str, str]]:
    """Pairs of a Hugging Face data set, by its hub name or a local folder; `translation.de` reaches into a column."""
    parts = HUB_NAME.fullmatch(name)
    if not parts:
        raise DataError(f"a data set must be hf:name:split:source_column:target_column; got {name}.")
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("Reading Hugging Face data sets", "datasets") from error
    columns = (parts["source"], parts["target"])
    try:
        rows = datasets.load_dataset(parts["path"], split=parts["split"])
    except Exception as error:  # the library raises errors of many kinds; each ends the command with its words
        raise DataError(f"{name} must be a data set that can be loaded; got: {error}") from error
    for column in columns:
        top = column.split(".")[0]
        if top not in rows.column_names:
            hint = nearest_hint(top, rows.column_names)
            raise DataError(f"{name}: a column must be one of the data set's; got {top!r}. {hint}")
    for number, row in enumerate(rows, start=1):
        source, target = (_cell(row, column, f"{name}, row {number}") for column in columns)
        yield source, target


def _cell(row: dict[str, Any], column: str, place: str) -> str:
    value: Any = row
    for part in column.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if not isinstance(value, str):
        raise DataError(f"{place}: column {column!r} must hold text; got {type(value).__name__}.")
    return value
