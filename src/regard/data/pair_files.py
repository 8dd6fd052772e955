"""Readers of files of pairs: two parallel ones, `.tsv` and `.jsonl`."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterator, Sequence

from regard.errors import DataError
from regard.text.json_keys import read_unique
from regard.text.lines import decode_line, open_lines

Row = tuple[int, str, str]
"""The number of a line, counted from 1, its source and its target."""


def read_parallel(source: str, target: str, only: Collection[int] | None) -> Iterator[Row]:
    """Read the pairs of two files, line by line.

    Args:
        only: the numbers of the lines to read; None: all.
    Raises:
        DataError: one has more lines than the other, or a line is not UTF-8.
    """
    with open_lines(source) as source_lines, open_lines(target) as target_lines:
        both = itertools.zip_longest(source_lines, target_lines)
        for line, (left, right) in enumerate(both, start=1):
            if left is None or right is None:
                more = line + sum(1 for _ in both)
                raise unpaired((source, target), (more, line - 1) if right is None else (line - 1, more))
            if only is None or line in only:
                yield line, decode_line(left, line, source), decode_line(right, line, target)


def read_tsv(path: str, only: Collection[int] | None) -> Iterator[Row]:
    """Read the pairs of a file with a source, a tab and a target on each line.

    Raises:
        DataError: a line that is not so.
    """
    for number, line in _numbered_lines(path, only):
        columns = line.split("\t")
        if not line.strip():
            columns = ["", ""]
        if len(columns) != 2:
            raise DataError(
                f"{path}, line {number}: a line must be source, tab, target; got {len(columns)} column"
                f"{'s' if len(columns) != 1 else ''}."
            )
        yield number, columns[0], columns[1]


def read_jsonl(path: str, only: Collection[int] | None) -> Iterator[Row]:
    """Read the pairs of a file with an object on each line, which has the keys `source` and `target`.

    Raises:
        DataError: a line that is not so.
    """
    for number, line in _numbered_lines(path, only):
        if not line.strip():
            yield number, "", ""
            continue
        try:
            record = read_unique(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{path}, line {number}: a line must be one JSON object; got {error.msg} at column {error.colno}."
            ) from error
        except (ValueError, RecursionError) as error:  # too many digits, too deeply nested, a key twice
            raise DataError(f"{path}, line {number}: a line must be one JSON object; got: {error}.") from error
        source, target = map(record.get, ("source", "target")) if isinstance(record, dict) else (None, None)
        if not (isinstance(source, str) and isinstance(target, str)):
            raise DataError(
                f'{path}, line {number}: an object must have the strings "source" and "target"; got {line[:60]}.'
            )
        try:
            (source + target).encode()
        except UnicodeEncodeError as error:
            raise DataError(f"{path}, line {number}: text must be valid Unicode; got an unpaired surrogate.") from error
        yield number, source, target


def _numbered_lines(path: str, only: Collection[int] | None) -> Iterator[tuple[int, str]]:
    with open_lines(path) as stream:
        for number, raw in enumerate(stream, start=1):
            if only is None or number in only:
                yield number, decode_line(raw, number, path)


def unpaired(paths: Sequence[str], counts: Sequence[int]) -> DataError:
    """The error for parallel files of different lengths."""
    return DataError(
        f"parallel files must have the same number of lines; got {counts[0]:,} in {paths[0]} and {counts[1]:,} in {paths[1]}. "
        "Line N of one must be the translation of line N of the other."
    )
