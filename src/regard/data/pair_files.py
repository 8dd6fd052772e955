"""Readers of files of pairs: two parallel ones, `.tsv` and `.jsonl`; and those whose rows say their languages."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from regard.errors import DataError
from regard.text.json_keys import read_unique
from regard.text.lines import decode_line, open_lines

LANGUAGES = ("source_lang", "target_lang")
"""The names of the columns or keys with the languages of a row."""
DIRECTED = ("source", "target", *LANGUAGES)
"""The names of all columns or keys of a row that says its languages."""
HEADERS = {("source", "target"), ("src", "tgt"), ("src", "trg"), ("input", "output")}
"""The first lines of a `.tsv` that are no pair of texts."""
CODE = "([A-Za-z0-9_]{2,20})"
DIRECTION = re.compile(f"{CODE}-{CODE}")
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


def read_one_file(path: str, only: Collection[int] | None) -> Iterator[Row]:
    """Read the pairs of a `.tsv` or `.jsonl`.

    Raises:
        DataError: a line that is no pair.
    """
    is_tsv = path.lower().endswith(".tsv")
    first: tuple[int, str] | None = None
    for number, line in _numbered_lines(path, only):
        source, target = pair_of(line, path, number, is_tsv=is_tsv)
        if not is_tsv and line.strip():
            said = _direction(line)
            first = first or (number, said)
            if said != first[1]:
                raise DataError(
                    f"{path}, line {number}: a line must say the same languages as line {first[0]}, {first[1] or 'none'}; got "
                    f"{said or 'none'}. Write, for example, {path}#en-de for the pairs of one direction."
                )
        yield number, source, target


def _direction(line: str) -> str:
    """The direction that an object of JSON says; empty: none, or the line is no object."""
    if LANGUAGES[0] not in line:
        return ""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    is_said = isinstance(record, dict) and set(LANGUAGES) <= record.keys()
    return "-".join(str(record[key]) for key in LANGUAGES) if is_said else ""


def pair_of(line: str, path: str, number: int, *, is_tsv: bool) -> tuple[str, str]:
    """The source and the target of a line, with a tab between them, or of a JSON object with the keys `source` and `target`;
    both empty, where the line is blank.

    Raises:
        DataError: it is not so.
    """
    if not line.strip():
        return "", ""
    columns = line.split("\t") if is_tsv else strings_of(line, ("source", "target"), path, number)
    if len(columns) != 2:
        hint = ""
        if set(LANGUAGES) <= set(columns):
            hint = f" Its rows say their languages: write, for example, {path}#en-de for the pairs of one direction."
        raise DataError(
            f"{path}, line {number}: a line must be source, tab, target; got {len(columns)} column"
            f"{'s' if len(columns) != 1 else ''}.{hint}"
        )
    if is_tsv and number == 1 and tuple(name.strip().lower() for name in columns) in HEADERS:
        raise DataError(
            f"{path}, line 1: a line must be source, tab, target; got {line[:60]!r}, a header. Remove that line."
        )
    return columns[0], columns[1]


def strings_of(line: str, keys: Sequence[str], path: str, number: int) -> list[str]:
    """The strings of some keys of a JSON object on a line.

    Raises:
        DataError: it is none, or one is missing.
    """
    try:
        record = read_unique(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}, line {number}: a line must be one JSON object; got {error.msg} at column {error.colno}."
        ) from error
    except (ValueError, RecursionError) as error:  # too many digits, too deeply nested, a key twice
        raise DataError(f"{path}, line {number}: a line must be one JSON object; got: {error}.") from error
    found = [each for key in keys if isinstance(record, dict) and isinstance(each := record.get(key), str)]
    if len(found) < len(keys):
        wanted = "string" + "s" * (len(keys) > 1) + " " + " and ".join(f'"{key}"' for key in keys)
        raise DataError(f"{path}, line {number}: an object must have the {wanted}; got {line[:60]}.")
    try:
        "".join(found).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{path}, line {number}: text must be valid Unicode; got an unpaired surrogate.") from error
    return found


class DirectedRow(NamedTuple):
    """A pair that says its languages; the languages of a blank line are empty."""

    line: int
    direction: str
    source: str
    target: str


def says_languages(path: str) -> bool:
    """Whether the rows of a `.tsv` or `.jsonl` say their languages: its first line that is not blank names `source_lang` and
    `target_lang`.

    Raises:
        DataError: a line up to it is not UTF-8.
    """
    return names_languages(first_line(_numbered_lines(path, None))[1], is_tsv=path.lower().endswith(".tsv"))


def first_line(lines: Iterable[tuple[int, str]]) -> tuple[int, str]:
    """The first of some numbered lines that is not blank; a blank one, where all are."""
    return next(((number, line) for number, line in lines if line.strip()), (1, ""))


def names_languages(first: str, *, is_tsv: bool) -> bool:
    """Whether the first line of a file names `source_lang` and `target_lang`, as columns or keys."""
    if is_tsv:
        return set(LANGUAGES) <= {name.strip() for name in first.split("\t")}
    return bool(_direction(first))


def read_directed(path: str) -> Iterator[DirectedRow]:
    """Read the pairs of a file whose rows say their languages: a `.tsv` whose first line names its columns, or a `.jsonl`.

    Raises:
        DataError: a line that is not so.
    """
    rows = _numbered_lines(path, None)
    names = column_names(first_line(rows), path) if path.lower().endswith(".tsv") else None
    for number, line in rows:
        yield directed_row(line, path, number, names)


def column_names(first: tuple[int, str], path: str) -> list[str]:
    """The names of the columns of a `.tsv` whose rows say their languages, from its `first_line`.

    Raises:
        DataError: a name that is needed is not there once.
    """
    names = [name.strip() for name in first[1].split("\t")]
    if any(names.count(name) != 1 for name in DIRECTED):
        raise DataError(
            f"{path}, line {first[0]}: the columns must be {', '.join(DIRECTED)}, each once; got {', '.join(names)}."
        )
    return names


def directed_row(line: str, path: str, number: int, names: Sequence[str] | None) -> DirectedRow:
    """The pair on a line of a file whose rows say their languages.

    Args:
        names: of the columns of a `.tsv`; None: the line is an object of JSON.
    Raises:
        DataError: it is not so.
    """
    if not line.strip():
        return DirectedRow(number, "", "", "")
    if names is not None:
        columns = line.split("\t")
        if len(columns) != len(names):
            raise DataError(
                f"{path}, line {number}: a line must have {len(names)} columns, as the first one has; got {len(columns)}."
            )
        source, target, *codes = (columns[names.index(name)] for name in DIRECTED)
    else:
        source, target, *codes = strings_of(line, DIRECTED, path, number)
    direction = "-".join(code.strip() for code in codes)
    if not DIRECTION.fullmatch(direction):
        raise DataError(
            f"{path}, line {number}: source_lang and target_lang must be codes of two languages, such as en and de; got "
            f"{codes[0]!r} and {codes[1]!r}."
        )
    return DirectedRow(number, direction, source, target)


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
