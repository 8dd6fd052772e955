"""The command `check-published`: published models of the hub, compared with their original implementation."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.output import echo, log
from regard.errors import ModelFolderError
from regard.names import is_folder
from regard.version import __version__

if TYPE_CHECKING:
    from regard.interop.published import Published

WIDTHS = (29, 8, 16, 6, 6, 12)
"""The widths of the columns, together no wider than a terminal."""


def check_published(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Models of the list; by default all of it.")
    ] = None,
    copies: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="Read copies, FOLDER/OWNER/NAME, and download nothing."),
    ] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Print the list, and do nothing else.")] = False,
) -> None:
    """Download well-known models of the Hugging Face hub, and compare them with transformers.

    Logits, the ids of 33 texts and a beam of 4 must be equal. If something differs, the exit status is 1.
    """
    from regard.interop.published import check_originals, chosen

    models = chosen(names or [])
    if only_list:
        _print_list(models)
        return
    theirs = check_originals()
    if copies is not None and not is_folder(copies):
        raise ModelFolderError(f"`--from` must be an existing folder; got {copies}.")
    log(_needed(models, copies))
    agree = _check_all(models, copies)
    import torch

    log(f"regard {__version__}, {theirs}, torch {torch.__version__}, Python {platform.python_version()}")
    if not agree:
        log("Please report a difference as an issue, with this whole output.")
        raise typer.Exit(1)


def _print_list(models: Mapping[str, Published]) -> None:
    for name, model in models.items():
        size = f"{model.megabytes / 1000:.1f} GB, {model.memory_gigabytes:.1f} GB of memory"
        echo(f"{name:<{WIDTHS[0]}}{size}\n    {model.hub_name}, revision {model.revision}")


def _needed(models: Mapping[str, Published], copies: Path | None) -> str:
    """A sentence about what is downloaded, and the memory of the largest model."""
    import torch

    from regard.memory import free_bytes

    free = free_bytes(torch.device("cpu"))
    memory = max(model.memory_gigabytes for model in models.values())
    size = sum(model.megabytes for model in models.values()) / 1000
    disk = "nothing is downloaded" if copies else f"about {size:.1f} GB are downloaded, unless they were before"
    known = "" if free is None else f" ({free / 1e9:.1f} GB are free)"
    many = "1 model" if len(models) == 1 else f"{len(models)} models, one after the other"
    return f"{many}: {disk}; up to {memory:.1f} GB of memory{known}"


def _check_all(models: Mapping[str, Published], copies: Path | None) -> bool:
    """Compare every model, and print a row as soon as it is known. Returns whether all agree."""
    from regard.analysis.published_models import HEADER, PublishedCheck, check_published
    from regard.interop.published import folder_of

    echo(_row(HEADER))
    found = []
    for name, model in models.items():
        try:
            found.append(check_published(name, folder_of(model, copies)))
        except ModelFolderError as error:
            found.append(PublishedCheck(name, "", problem=str(error)))
        echo(_row(found[-1].row()))
    echo("\n".join(line for each in found for line in each.details()) or "all are equal")
    return all(each.agrees for each in found)


def _row(cells: Sequence[str]) -> str:
    return "".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS, strict=True)).rstrip()
