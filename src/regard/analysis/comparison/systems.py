"""The systems that are compared: models, and files of translations that something else wrote; of each one run or several."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.data.corpus import ParallelText, is_one_file, read_beside
from regard.errors import DataError, SettingsError, missing_hint
from regard.foreign_files import is_hub_name
from regard.names import exists, is_file
from regard.pipelines.loading import load_any, load_as
from regard.pipelines.pipeline_types import pipeline_type
from regard.pipelines.translator import Translator

Name = str | os.PathLike[str]
Given = Name | Sequence[Name]
"""A system as it is asked for: one name, or the names of its runs."""


@dataclass(frozen=True)
class System:
    """A system: the same model, trained once or with several seeds."""

    name: str
    runs: tuple[str, ...]
    """Model folders, and files of translations."""

    @property
    def models(self) -> list[str]:
        """The runs that are models."""
        return [run for run in self.runs if not _is_text(run)]


def find_systems(given: Sequence[Given]) -> list[System]:
    """The systems of some names. Those of the same name get numbers.

    Raises:
        SettingsError: fewer than two systems, one without runs, or a model that does not turn one text into another.
        DataError: a name that is neither a model nor a file.
    """
    if isinstance(given, str):
        raise SettingsError(f"systems must be a list of names; got one string. Write [{given!r}, ...].")
    systems: list[System] = []
    for each in given:
        runs = tuple(os.fspath(run) for run in ([each] if isinstance(each, (str, os.PathLike)) else each))
        if not runs or not all(runs):
            raise SettingsError(f"a system must be a name, or the names of its runs; got {','.join(runs)!r}.")
        name, names = ", ".join(runs), [system.name for system in systems]
        number = sum(other == name or other.startswith(f"{name} (") for other in names)
        systems.append(System(f"{name} ({number + 1})" if number else name, runs))
    if len(systems) < 2:
        found = f"one, {systems[0].name}" if systems else "none"
        raise SettingsError(f"a comparison needs at least two systems; got {found}. The first is the baseline.")
    return systems


def split_words(words: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """The words of the command: systems, each with its runs, and the data.

    Raises:
        SettingsError: there are too few.
    """
    size = 1 if is_one_file(words[-1]) else 2
    systems, data = list(words[:-size]), list(words[-size:])
    if len(systems) < 2:
        found = f"{len(systems)} ({systems[0]})" if systems else "0"
        raise SettingsError(
            f"`compare` needs at least two systems, and then the data; got {found} before {' '.join(data)}. For example: "
            "regard compare base new test.en test.de"
        )
    return [[name] if exists(name) else name.split(",") for name in systems], data


def translations(
    run: str,
    pairs: ParallelText,
    on_items: Callable[[str, int, int], None],
    *,
    device: str,
    precision: str,
    options: dict[str, Any],
) -> list[str]:
    """The translation of each source, by a model or from a file."""
    if _is_text(run):
        return read_beside(run, pairs)
    translator, done = load_as(run, Translator, device=device, precision=precision), 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        on_items(f"translating with {run}", done, len(pairs))

    return [found.text for found in translator.translate(pairs.sources, on_done=count, **options)]


def check_runs(runs: Sequence[str], pairs: ParallelText) -> None:
    """Make sure that every run can be used, before hours of translating.

    Raises:
        SettingsError: a model that does not turn one text into another.
        DataError: a name that is neither a model nor a file, or a file with more or fewer lines than the pairs.
        ModelFolderError: a model that cannot be loaded.
    """
    for run in runs:
        if _is_text(run):
            read_beside(run, pairs)
            continue
        if not is_hub_name(run) and not exists(run):
            raise DataError(
                f"a system must be a model folder or a text file of translations; got {run}, which does not exist."
                + missing_hint(Path(run))
            )
        config = load_any(run).model.config
        pipeline = pipeline_type(config)
        if not issubclass(pipeline, Translator):
            raise SettingsError(
                f"`compare` needs {Translator.kind}; {run} is {pipeline.kind} (arch {config.arch}). Leave it out, and use "
                f"`regard {pipeline.commands[0].format(run)}`."
            )


def _is_text(run: str) -> bool:
    """Whether a run is a file of translations. A single file with a model in it is Marian's."""
    return not is_hub_name(run) and is_file(run) and Path(run).suffix not in (".npz", ".bin")
