"""The command `recipes`: settings of whole runs that were measured, for `train --config recipe:NAME`."""

from __future__ import annotations

import itertools
import shutil
import textwrap
from typing import Annotated

import typer

from regard.cli.train import program
from regard.cli.writing import say, write


def recipes(
    name: Annotated[str | None, typer.Argument(help="The recipe to print; by default all are listed.")] = None,
) -> None:
    """List the recipes: settings that were measured, with the commands that made the models. Or print one.

    Train by one with `regard train ... --config recipe:NAME`; a copy to change: `regard recipes NAME > mine.yaml`.
    """
    from regard.text.lines import read_lines
    from regard.workflow.settings import find_recipe
    from regard.workflow.settings import recipes as all_recipes

    if name is not None:
        write("\n".join(read_lines(find_recipe(name))))
        return
    for each, path in all_recipes().items():
        prose = itertools.takewhile(lambda line: line.startswith("# ") and not line.startswith("#  "), read_lines(path))
        about = " ".join(line.removeprefix("# ") for line in prose)
        say(textwrap.fill(f"{each}: {about}", shutil.get_terminal_size().columns, subsequent_indent="    "))
    say(f"\nTrain by one: {program()} train ... --config recipe:NAME; see one: {program()} recipes NAME")
