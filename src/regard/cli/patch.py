"""The command `patch`: which states or heads make a model say one thing rather than another."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.input import check_one_line, text_itself
from regard.cli.inspect import check_folder
from regard.cli.option_types import AsJson, Model, ModelOptions, about_model, two_answers
from regard.cli.output import echo, print_result
from regard.errors import SettingsError

if TYPE_CHECKING:
    from regard.analysis.patching import Patching

MOST_COLUMNS, LONGEST_TOKEN = 8, 14
"""The columns of a table that fit a terminal, and the characters of a token that are shown."""


@about_model("ensemble", "precision", "engine")
def patch(
    model_options: ModelOptions,
    model: Model,
    text: Annotated[str, typer.Argument(help="The text A that the model reads; - reads standard input.")],
    other: Annotated[
        str,
        typer.Argument(
            help="The text B whose states are put into the run on A, with the same number of tokens; - reads standard input."
        ),
    ],
    heads: Annotated[bool, typer.Option("--heads", help="Patch the output of each head, in place of states.")] = False,
    answers: Annotated[
        str | None,
        typer.Option(
            help="Two tokens or labels that are compared, such as E,F; by default what the model says after A and after B.",
            metavar="A,B",
        ),
    ] = None,
    prefix: Annotated[str, typer.Option(help="The beginning of the translations.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write, in JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Put states of one text into the run on another, and show which of them change what the model says (activation patching)."""
    from regard.analysis.patching import patch as patch_places
    from regard.pipelines.any_pipeline import AnyPipeline
    from regard.runs.progress import LongWork, RunDisplay

    if text == other == "-":
        raise SettingsError("one of the two texts must be an argument; got - twice, and standard input is read once.")
    text, other = (
        text_itself(text, f"patch {model} - {shlex.quote(other)}"),
        text_itself(other, f"patch {model} {shlex.quote(text)} -"),
    )
    if output is not None:
        check_folder(output)
    named = two_answers(answers)
    loaded = model_options.load(model, AnyPipeline)
    for each in (text, other):
        check_one_line(each, model, loaded)
    with RunDisplay() as display:
        found = patch_places(
            loaded,
            text,
            other,
            what="heads" if heads else "states",
            answers=named,
            prefix=prefix,
            tell=LongWork(display, "run"),
        )
    content = json.dumps(
        {
            "what": found.what, "answers": found.answers, "difference": found.difference,
            "other_difference": found.other_difference, "places": found.records(),
        },
        indent=2, ensure_ascii=False,
    )  # fmt: skip
    if output is not None:
        output.write_text(content + "\n", encoding="utf-8")
        echo(f"wrote {output}")
    elif as_json:
        print_result(content)
    else:
        print_result("\n".join(_lines(found)))


def _lines(found: Patching) -> list[str]:
    """The effects as tables: a row for each position and a column for each layer; of heads, a row for each layer."""
    a, b = found.answers
    lines = [
        f"log p({a}) - log p({b}): {found.difference:+.2f} after A, {found.other_difference:+.2f} after B",
        "effects: 0 leaves what is said after A, 1 gives what is said after B",
    ]
    for kind, effects in found.effects.items():
        table = effects.T if found.what == "states" else effects
        names = found.tokens[kind] if found.what == "states" else [f"layer {layer}" for layer in range(len(table))]
        column = "layer" if found.what == "states" else "head"
        for first in range(0, table.shape[1], MOST_COLUMNS):
            part = table[:, first : first + MOST_COLUMNS]
            titles = "".join(f"{f'{column} {first + number}':>8}" for number in range(part.shape[1]))
            lines += ["", f"{kind:<{LONGEST_TOKEN}}{titles}"]
            for name, row in zip(names, part.tolist(), strict=True):
                cells = "".join(
                    "       -" if value != value else f"{round(value, 2) + 0.0:>8.2f}" for value in row
                )  # NaN
                lines.append(f"{name[:LONGEST_TOKEN]:<{LONGEST_TOKEN}}{cells}")
    return lines
