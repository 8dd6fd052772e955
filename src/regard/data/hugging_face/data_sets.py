"""Pairs of texts in data sets of Hugging Face's: by their name on the hub, or in a local folder."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from regard.data.hugging_face.tsv_folders import AS_TSV, is_tsv, load_tsv
from regard.errors import DataError, MissingExtraError, nearest_hint
from regard.names import is_folder

HUB_PREFIX = "hf:"
Column = tuple[str, ...]
"""The name of a column; of one inside another, the names on the way to it."""


class HubName(NamedTuple):
    """The parts of a name such as `hf:wmt14:de-en:train[:1000]:translation.de:translation.en`."""

    path: str
    """The name on the hub, or a local folder."""
    config: str | None
    """The name of one of the data set's configurations, where it has several."""
    split: str
    """The split, with a slice if one is given, as `datasets` reads it."""
    source: str
    target: str
    """The columns of sources and targets; `translation.de` is `de` inside `translation`."""

    @classmethod
    def parse(cls, name: str) -> HubName:
        """Parse `hf:name:split:source_column:target_column` or `hf:name:config:split:source_column:target_column`.

        Raises:
            DataError: it is written otherwise.
        """
        parts = re.split(r":(?![^\[\]]*\])", name.removeprefix(HUB_PREFIX))  # a slice has colons of its own
        path, split, source, target = [":".join(parts[:-3]), *parts[-3:]] if len(parts) > 3 else [""] * 4
        config = None
        if len(parts) == 5 and not is_folder(path):  # a folder may have a colon in its name
            path, config = parts[:2]
        is_name = bool(path) and (len(parts) == 4 or config is not None or is_folder(path))
        if not all(parts) or not is_name or re.search(r"[\[\]]", config or ""):
            raise DataError(
                "a data set must be hf:name:split:source_column:target_column, or with the name of a configuration "
                f"hf:name:config:split:source_column:target_column; got {name}."
            )
        return cls(path, config, split, source, target)


def open_hub(name: str) -> tuple[Any, list[Column]]:
    """A data set, and its columns of sources and targets.

    Raises:
        DataError: a name that is not written as it must be, a data set that cannot be loaded, columns that it does not have, or a
            line of a `.tsv` of a folder with another number of columns than the first.
        MissingExtraError: `datasets` is not installed.
    """
    hub_name = HubName.parse(name)
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("Reading Hugging Face data sets", "datasets") from error
    try:
        with quiet("huggingface_hub", "datasets"):  # they log every retry
            builder = datasets.load_dataset_builder(hub_name.path, hub_name.config)
            if is_folder(hub_name.path) and is_tsv(builder):
                builder = datasets.load_dataset_builder(hub_name.path, hub_name.config, **AS_TSV)
                rows = load_tsv(builder, hub_name.split)
            else:
                rows = datasets.load_dataset(hub_name.path, hub_name.config, split=hub_name.split)
    except Exception as error:  # the library raises errors of many kinds; each ends the command with one message
        for cause in _causes(error):
            if isinstance(cause, DataError):  # of our reader, which names file and line
                raise cause from error
        raise DataError(_load_error_message(name, hub_name, error)) from error
    return rows, [_column(name, rows.features, column) for column in (hub_name.source, hub_name.target)]


def cell(row: Mapping[str, Any], column: Column, place: str) -> str:
    """The text of a row.

    Args:
        place: its data set and row, for messages.
    Raises:
        DataError: there is none.
    """
    value: Any = row
    for part in column:
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, str):
        return value
    hint = f" Write {'.'.join(column)}.{next(iter(value))}." if isinstance(value, Mapping) and value else ""
    raise DataError(f"{place}: column {'.'.join(column)!r} must hold text; got {type(value).__name__}.{hint}")


def _column(name: str, features: Mapping[str, Any], column: str) -> Column:
    """The path to a column.

    Raises:
        DataError: the data set does not have it.
    """
    known = {".".join(way): way for way in _column_paths(features)}
    if column not in known:
        first = column.partition(".")[0]
        inside = [".".join(way[1:]) for way in known.values() if way[0] == first and len(way) > 1]
        hint = f"{first} has: {', '.join(inside)}." if inside else nearest_hint(column, known)
        raise DataError(f"{name}: a column must be one of the data set's; got {column!r}. {hint}")
    return known[column]


def _column_paths(features: Mapping[str, Any], before: Column = ()) -> Iterator[Column]:
    """The paths to the columns, and to those inside of them."""
    for key, feature in features.items():
        yield (*before, key)
        inside = (
            dict.fromkeys(getattr(feature, "languages", None) or ()) if not isinstance(feature, Mapping) else feature
        )
        yield from _column_paths(inside, (*before, key))


def _load_error_message(name: str, hub_name: HubName, error: Exception) -> str:
    """A message for the error of the library when a data set cannot be loaded."""
    said = " ".join(str(error).split())
    listed = re.findall(r"'([^']+)'", said.rpartition("[")[2].partition("]")[0])
    if said.startswith("Config name is missing") and listed:
        columns = f"{hub_name.source}:{hub_name.target}"
        return (
            f"{name} must name a configuration of the data set, which has several: {', '.join(listed[:20])}. "
            f"Write hf:{hub_name.path}:{listed[0]}:{hub_name.split}:{columns}."
        )
    if said.startswith("BuilderConfig") and listed:
        hint = nearest_hint(str(hub_name.config), listed)
        return f"{name}: a configuration must be one of the data set's; got {hub_name.config!r}. {hint}"
    kinds = " ".join(kind.__name__ for each in _causes(error) for kind in type(each).__mro__)
    if re.search("Connection|ConnectError|Offline|Timeout", kinds):
        return (
            f"{name} must be reached on the Hugging Face hub; got no connection. Where there is one, load it once: it is found "
            "in the cache from then on. Or copy its files to a folder: hf:folder:..."
        )
    return f"{name} must be a data set that can be loaded; got: {said}"


def _causes(error: Exception) -> list[Exception]:
    """An error, and those that it was raised from."""
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and isinstance(cause, Exception):
        causes.append(cause)
    return causes


@contextmanager
def quiet(*libraries: str) -> Iterator[None]:
    """Keep libraries from logging anything but errors while this context lasts."""
    loggers = [logging.getLogger(name) for name in libraries]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
