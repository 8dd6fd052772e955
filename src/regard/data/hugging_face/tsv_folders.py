"""The `.tsv` files of a local folder, read into a data set of Hugging Face's by the rules of our own `.tsv` files."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from regard.errors import DataError
from regard.text.lines import iterate_lines, open_lines

AS_TSV: dict[str, Any] = {
    "quoting": csv.QUOTE_NONE, "keep_default_na": False, "lineterminator": "\n", "index_col": False,
}  # fmt: skip
"""Arguments of the library's own reader that come closest to ours. The library names what it stores after them, so that
it never takes files that it has read otherwise for ours.
"""
NAMED = {"names", "delimiter"}
"""The arguments of the library's reader that ours takes, too."""
LINES_AT_ONCE = 10_000
"""The number of lines that become one table."""


def is_tsv(builder: Any) -> bool:
    """Whether a builder of data sets reads `.tsv` files, and its folder says no more about them than names of columns."""
    config = builder.config
    if getattr(config, "sep", None) != "\t":
        return False
    usual, given = type(config)(sep="\t").pd_read_csv_kwargs, config.pd_read_csv_kwargs
    return all(given.get(key) == usual.get(key) for key in (usual.keys() | given.keys()) - NAMED)


def load_tsv(builder: Any, split: str) -> Any:
    """Read a split of `.tsv` files: each line is a row, and every cell is text.

    The library's own reader takes surplus columns for an index, fills short rows, ends lines at `\\r`, too, and makes
    numbers of texts.

    Args:
        builder: made with `AS_TSV`.
        split: with a slice if one is given, as `datasets` reads it.
    Raises:
        DataError: a file that cannot be read, or a line with another number of columns than the first. The library raises
            errors of its own from it.
    """

    def tables(files_iterables: Iterable[Any] = (), files: Iterable[Any] = (), **_: Any) -> Iterator[tuple[Any, Any]]:
        paths = itertools.chain.from_iterable([*files_iterables, *files])  # `files` up to version 4
        for number, path in enumerate(paths):
            for batch, table in enumerate(_tables(str(path), builder.config.names)):
                yield (number, batch), table

    builder._generate_tables = tables
    builder.download_and_prepare()
    return builder.as_dataset(split=split)


def _tables(path: str, names: Sequence[str] | None) -> Iterator[Any]:
    """The rows of a file, as tables of text.

    Args:
        names: of the columns; None: the first line has them.
    """
    import pyarrow

    with open_lines(path) as stream:
        lines = enumerate(iterate_lines(stream, path), start=1)
        if names is None:
            names = next(lines, (1, ""))[1].split("\t")
        if len(set(names)) < len(names) or not any(names):
            raise DataError(
                f"{path}, line 1: the columns must have names, each once; got {', '.join(names) or 'none'}."
            )
        rows = (_cells(line, len(names), path, number) for number, line in lines if line.strip())
        schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
        yield schema.empty_table()  # the columns of a file without rows
        while batch := list(itertools.islice(rows, LINES_AT_ONCE)):
            columns = zip(*batch, strict=True)
            yield pyarrow.table(dict(zip(names, columns, strict=True)), schema=schema)


def _cells(line: str, num_columns: int, path: str, number: int) -> list[str]:
    cells = line.split("\t")
    if len(cells) != num_columns:
        raise DataError(
            f"{path}, line {number}: a line must have {num_columns} columns, as the first one has; got {len(cells)}."
        )
    return cells
