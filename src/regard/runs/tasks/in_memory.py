"""Data that a program holds already: pairs in a list, a data frame, a data set of Hugging Face's.

Tables are known by what they can do (columns by name), so that no library of theirs is needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from regard.data.corpus import NumberedPair, ParallelText, no_pairs
from regard.data.labelled import LabelledLine, LabelledText, no_texts, tag_of
from regard.data.pair_files import LANGUAGES
from regard.errors import DataError, SettingsError, nearest_hint
from regard.names import exists
from regard.text.words import SPACES

Columns = Sequence[str]
Row = tuple[int, Any, Any]
"""The number of a row, counted from 1, and its two cells."""
NAMED_BY_ITSELF = {"pairs": ("source", "target"), "classes": ("label", "text"), "tags": ("words", "tags")}
"""The columns of a table whose names are not given, by what they are for."""


def is_in_memory(data: Any) -> bool:
    """Whether data are rows or a table, and not names of files."""
    if _is_name(data):
        return False
    if is_table(data) or isinstance(data, Mapping):
        return True
    if not isinstance(data, Iterable):
        raise DataError(
            f"data must be names of files, pairs, or a table with columns by name; got {type(data).__name__}."
        )
    return isinstance(data, Iterator) or any(not _is_name(item) for item in data)


def trained_on_too(data: Any, valid: Any) -> str | None:
    """The first file of validation that is a file of training, too; None: there is none, or data are no files."""
    if valid is None or is_in_memory(data) or is_in_memory(valid):
        return None
    known = [_file_and_part(name) for name in names_of(data)]
    for name in names_of(valid, "valid"):
        path, part = _file_and_part(name)
        if any(path == other and (part == its or not (part and its)) for other, its in known):
            return os.fspath(name)
    return None


def _file_and_part(name: Any) -> tuple[str, str]:
    """The path of a file, and which of its pairs: of `pairs.tsv#en-de`, `en-de`. Data sets by name are as they are written."""
    text = os.fspath(name)
    if text.startswith("hf:"):
        return text, ""
    path, _, part = (text, "", "") if exists(text) else text.rpartition("#")
    return (os.path.realpath(path), part) if path else (os.path.realpath(text), "")


def is_table(data: Any) -> bool:
    """Whether data are a table: a data frame of pandas or polars, or a data set of Hugging Face's."""
    return hasattr(data, "__getitem__") and (hasattr(data, "column_names") or hasattr(data, "columns"))


def pairs_of(data: Any, columns: Columns | None, *, validates: bool = False) -> ParallelText:
    """Pairs of texts, from rows of two strings or from two columns of a table. Rows blank on both sides are left out.

    Args:
        columns: those of source and target; None: `source` and `target`. `translation.de` reaches into a column of records.
        validates: whether these pairs are for validation, which messages say.
    Raises:
        DataError: a row without two texts, or a column that is not there.
    """
    name, rows = _rows(data, columns, "pairs", validates=validates)
    pairs, count = list[NumberedPair](), 0
    for count, source, target in rows:
        texts = [_text(cell, name, count) for cell in (source, target)]
        if bool(texts[0].strip()) != bool(texts[1].strip()):
            side = "target" if texts[0].strip() else "source"
            raise DataError(f"{name}, row {count}: both sides of a pair must have text; got a blank {side}.")
        if texts[0].strip():
            pairs.append(NumberedPair(count, texts[0], texts[1]))
    if not pairs:
        raise no_pairs(name)
    return ParallelText.from_pairs(pairs, name, count)


def labelled_of(data: Any, columns: Columns | None, *, by_word: bool, validates: bool = False) -> LabelledText:
    """Texts with a class, or words with tags, from rows of two or from two columns of a table, in the order of files: label
    and text, words and tags. A blank label with a blank text is left out.

    Args:
        columns: None: `label` and `text`, or `words` and `tags`.
        validates: as for `pairs_of`.
    Raises:
        DataError: a row that is not so, or a column that is not there.
    """
    name, rows = _rows(data, columns, "tags" if by_word else "classes", validates=validates)
    texts, count = list[LabelledLine](), 0
    for count, first, second in rows:
        if by_word:
            texts.append(_tagged(first, second, name, count))
            continue
        label, text = _label(first, name, count), _text_or_pair(second, name, count)
        if text.strip() and label.strip():
            texts.append(LabelledLine(count, [text], [label.strip()]))
        elif text.strip() or label.strip():
            has, lacks = ("text", "label") if text.strip() else ("label", "text")
            raise DataError(f"{name}, row {count}: a {has} must have a {lacks}; got a blank one.")
    if not texts:
        raise no_texts(name)
    return LabelledText.from_lines(texts, name, count - len(texts))


def _text_or_pair(cell: Any, name: str, number: int) -> str:
    """A text, or two with a tab between them: a pair may be given as a list."""
    if isinstance(cell, str) or not isinstance(cell, Sequence) or len(cell) != 2:
        return _text(cell, name, number)
    texts = [_text(each, name, number) for each in cell]
    if any("\t" in text or not text.strip() for text in texts):
        raise DataError(f"{name}, row {number}: the texts of a pair must not be blank, nor hold a tab; got {texts}.")
    return "\t".join(texts)


def names_of(data: Any, name: str = "data") -> list[str | os.PathLike[str]]:
    """Names of files, given as one or as several.

    Args:
        name: of the argument, for messages.
    Raises:
        DataError: there are none.
    """
    names = [data] if isinstance(data, str | os.PathLike) else list(data)
    if not names:
        raise DataError(f"{name} must be names of files, or rows; got an empty {type(data).__name__}.")
    return names


def refuse(data: Any, what: str) -> None:
    """Make sure that data are names of files, where nothing else is read.

    Raises:
        DataError: they are not.
    """
    if is_in_memory(data):
        raise DataError(f"data for `{what}` must be names of text files; got {_name(data)}. Write the lines to a file.")


def check_columns(data: Any, columns: Columns | None, *, validates: bool = False) -> None:
    """Make sure that columns are named of what has columns.

    Args:
        validates: as for `pairs_of`.
    Raises:
        SettingsError: they are not, or not two.
    """
    if columns is None:
        return
    if isinstance(columns, str) or len(columns) != 2:
        raise SettingsError(f"columns must be two names, such as ('en', 'de'); got {columns!r}.")
    if not is_table(data):
        raise SettingsError(
            f"`columns` needs a table; got {_name(data, validates=validates)}. For a data set on the hub, write "
            "hf:name:split:source_column:target_column."
        )


def _rows(data: Any, columns: Columns | None, what: str, *, validates: bool) -> tuple[str, Iterator[Row]]:
    """The name of some data, and their rows."""
    check_columns(data, columns, validates=validates)
    if isinstance(data, Mapping):
        splits = ", ".join(map(repr, data))
        raise DataError(f"data must be one table or one list of rows; got a dictionary of {splits}. Pass one of them.")
    name = _name(data, validates=validates)
    if not is_table(data):
        return name, _two_by_two(data, name, " and ".join(NAMED_BY_ITSELF[what]))
    if what == "pairs":
        _check_one_direction(data, name)
    first, second = (_cells(data, column, name) for column in columns or _default_columns(data, what))
    return name, ((number, *both) for number, both in enumerate(zip(first, second, strict=True), start=1))


def _check_one_direction(table: Any, name: str) -> None:
    """Make sure that the rows of a table that name their languages are of one direction.

    Raises:
        DataError: they are of several, which are read from files only.
    """
    if set(LANGUAGES) <= set(_names_of(table)):
        found = sorted({*zip(*(map(str, table[column]) for column in LANGUAGES), strict=True)})
        if len(found) > 1:
            shown = " and ".join("-".join(codes) for codes in found[:2])
            raise DataError(
                f"{name} must have pairs of one direction; its {' and '.join(LANGUAGES)} name {shown}. Pairs of several "
                "directions are read from a .jsonl with these keys in each line: write the table to one."
            )


def _two_by_two(data: Iterable[Any], name: str, what: str) -> Iterator[Row]:
    for number, row in enumerate(data, start=1):
        if isinstance(row, str | Mapping) or not isinstance(row, Sequence) or len(row) != 2:
            raise DataError(f"{name}, row {number}: a row must have two values, {what}; got {repr(row)[:60]}.")
        yield number, row[0], row[1]


def _names_of(table: Any) -> list[str]:
    names = table.column_names if hasattr(table, "column_names") else table.columns
    return [str(name) for name in names]


def _default_columns(table: Any, what: str) -> Columns:
    """The columns of a table by the names that say what they are.

    Raises:
        DataError: they have other names.
    """
    names, wanted = _names_of(table), NAMED_BY_ITSELF[what]
    if not set(wanted) <= set(names):
        found = ", ".join(repr(name) for name in names)
        raise DataError(
            f"the table has no columns {' and '.join(map(repr, wanted))}; it has {found}. Name two of them with "
            f"columns=(..., ...), first for {wanted[0]}, then for {wanted[1]}."
        )
    return wanted


def _cells(table: Any, column: str, name: str) -> Iterable[Any]:
    """The cells of a column; `translation.de` reaches into records, and numbers of classes become their names."""
    names, path = _names_of(table), column.split(".")
    if column in names:
        path = [column]
    elif path[0] not in names:
        raise DataError(f"{name}: a column must be in the table; got {column!r}. {nearest_hint(column, names)}")
    cells: Iterable[Any] = table[path[0]]
    for key in path[1:]:
        cells = [_inside(cell, key, column, name, number) for number, cell in enumerate(cells, start=1)]
    spelled = _spelling(table, path[0])
    return cells if spelled is None else map(spelled, cells)


def _inside(cell: Any, key: str, column: str, name: str, number: int) -> Any:
    if not isinstance(cell, Mapping) or key not in cell:
        has = f"Did you mean one of {', '.join(map(repr, cell))}?" if isinstance(cell, Mapping) else ""
        raise DataError(
            f"{name}, row {number}: {column!r} must name a key of each record; {key!r} is not there. {has}".rstrip()
        )
    return cell[key]


def _spelling(table: Any, column: str) -> Callable[[Any], Any] | None:
    """The names of a column's numbers, where Hugging Face's table has names of classes for them."""
    kind = (getattr(table, "features", None) or {}).get(column)
    is_list = not hasattr(kind, "int2str") and hasattr(kind, "feature")
    spell = getattr(kind.feature if is_list else kind, "int2str", None) if kind is not None else None
    if spell is None:
        return None
    return (lambda cells: [spell(cell) for cell in cells]) if is_list else spell


def _text(cell: Any, name: str, number: int) -> str:
    if not isinstance(cell, str):
        raise DataError(f"{name}, row {number}: a cell must be text; got {cell!r}, a {type(cell).__name__}.")
    try:
        cell.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"{name}, row {number}: text must be valid Unicode; got an unpaired surrogate.") from error
    return re.sub(r"\r?\n", " ", cell)


def _label(cell: Any, name: str, number: int) -> str:
    """A label, which may be a whole number, too."""
    if isinstance(cell, str) or not hasattr(cell, "__index__"):
        return _text(cell, name, number)
    return str(cell)


def _tagged(words: Any, tags: Any, name: str, number: int) -> LabelledLine:
    lists = [cell if isinstance(cell, Sequence) and not isinstance(cell, str) else None for cell in (words, tags)]
    if None in lists or len(words) != len(tags) or not len(words):
        raise DataError(
            f"{name}, row {number}: words and tags must be lists of the same length; got {words!r} and {tags!r}."
        )
    spelled = [tag_of(_label(tag, name, number), f"{name}, row {number}") for tag in tags]
    read = [_text(word, name, number).strip(SPACES) for word in words]
    for word, tag in zip(read, spelled, strict=True):
        if not (word.strip() and tag):
            raise DataError(f"{name}, row {number}: words and tags must not be blank; got {word!r} with {tag!r}.")
    return LabelledLine(number, read, spelled)


def _name(data: Any, *, validates: bool = False) -> str:
    """The name of data in messages and in the record of a run."""
    use = " (validation)" if validates else ""
    if is_table(data) or isinstance(data, Mapping):
        return f"the {type(data).__name__}{use}"
    if isinstance(data, Iterator) or any(not _is_name(item) for item in ([] if _is_name(data) else data)):
        return f"the rows in memory{use}"  # an iterator must not be asked for what it holds: it has it once
    return "names of files"


def _is_name(thing: Any) -> bool:
    return isinstance(thing, str | os.PathLike)
