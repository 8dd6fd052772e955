"""The command `why`: what each part of a model adds to what it says, what a head moves, and why it looks at a key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.input import check_one_line, text_itself
from regard.cli.inspect import check_folder
from regard.cli.option_types import AsJson, Model, ModelOptions, about_model, refuse_given, two_answers
from regard.cli.output import echo, print_result
from regard.errors import SettingsError

if TYPE_CHECKING:
    from regard.analysis.explaining import Contributions, HeadValues, KeyReasons
    from regard.analysis.numbers import Numbers

MOST_LINES, MOST_OF_SIDE, MOST_PAIRS, PARTS_OF_ROW = 20, 5, 10, 2
"""The lines of the tables, and the parts that the line of a row names."""
WIDTH, LONGEST_TOKEN = 80, 10
"""The characters of a line, and of a token that are shown."""


@about_model("ensemble", "precision", "engine")
def why(
    model_options: ModelOptions,
    model: Model,
    text: Annotated[str, typer.Argument(help="The text that the model reads; - reads standard input.")],
    target: Annotated[
        str | None, typer.Option(help="The text that it is made to write; by default, its own translation.")
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="One row, from 0, with all its parts; by default, a line for each row.")
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(
            help="Two tokens or labels, such as E,F: the difference of their logits is split at each row.",
            metavar="A,B",
        ),
    ] = None,
    head: Annotated[
        str | None, typer.Option(help="Show the values that a head moves, such as cross.2.3, in place of the parts.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Split the score of a row and a key of a head: why it looks there. Such as cross.2.3:5:2.",
            metavar="HEAD:ROW:KEY",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File to write: .json, .csv, .svg or .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Split what a model says, or a score of a head, into what each part of the model adds (direct logit attribution)."""
    from regard.analysis.explaining import contributions, head_values, why_key
    from regard.analysis.numbers import ENDINGS
    from regard.inspection.inspection import check_ending
    from regard.pipelines.any_pipeline import AnyPipeline

    if output is not None:
        check_ending(output, ENDINGS)
        check_folder(output)
        refuse_given("as_json", because="with -o: how a file is written, its ending says")
    if as_json or (output is not None and output.suffix in (".json", ".csv")):
        refuse_given("at", because="in JSON and .csv, which have all rows")
    pair = two_answers(answers)
    place = _place(key)
    if place is not None:
        refuse_given("head", "at", "answers", because="with --key, which has a head and a row")
    text = text_itself(text, f"why {model} -")
    loaded = model_options.load(model, AnyPipeline)
    check_one_line(text, model, loaded)
    found: Contributions | HeadValues | KeyReasons
    if place is not None:
        found = why_key(loaded, text, *place, target)
        lines = _lines_of_key(found)
    elif head is not None:
        found = head_values(loaded, text, head, target, answers=pair)
        lines = _lines_of_head(found, at)
    else:
        found = contributions(loaded, text, target, answers=pair)
        lines = _lines_of_parts(found, at)
    _write(found, lines, output, at, as_json=as_json)


def _write(found: Numbers, lines: list[str], output: Path | None, at: int | None, *, as_json: bool) -> None:
    if output is not None:
        found.save(output, row=at)
        echo(f"wrote {output}")
    elif as_json:
        print_result(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
    else:
        print_result("\n".join(lines))


def _place(key: str | None) -> tuple[str, int, int] | None:
    if key is None:
        return None
    if not (found := re.fullmatch(r"([a-z.0-9]+):(\d{1,9}):(\d{1,9})", key, re.ASCII)):
        raise SettingsError(f"`--key` must be written HEAD:ROW:KEY, such as cross.2.3:5:2; got {key!r}.")
    return found[1], int(found[2]), int(found[3])


def _short(token: str) -> str:
    from regard.inspection.drawing.figures import readable

    shown = readable(token)
    return f"{shown[:LONGEST_TOKEN]:<{LONGEST_TOKEN}}"


def _lines_of_parts(found: Contributions, at: int | None) -> list[str]:
    """A line for each row with its largest parts, or all parts of a row."""
    if at is None:
        lines = [f"{'row':>3}  {'says':<{LONGEST_TOKEN}}{'logit':>9}  largest parts"]
        for row, (token, logit) in enumerate(zip(found.rows, found.logits.tolist(), strict=True)):
            parts = found.of_row(row, PARTS_OF_ROW)
            line = f"{row:>3}  {_short(token)}{logit:>9.2f} "
            for name, value in parts.items():
                named = f" {name} {value:+.2f}"
                line += named if name != "others" and len(line + named) <= WIDTH else ""
            lines.append(line)
        return [*lines, "", "--at ROW: all parts of a row. Parts also act through later layers: regard patch"]
    parts = found.of_row(at, MOST_LINES)
    token, logit = found.rows[at], float(found.logits[at])
    lines = [f"row {at}, {token}: logit {logit:.2f} is the sum of", ""]
    return lines + [f"{name:<30}{value:>+9.2f}" for name, value in parts.items()]


def _lines_of_head(found: HeadValues, at: int | None) -> list[str]:
    """A line for each row with the key that it gets most from, or all keys of a row."""
    title = f"{'key':>5}  {'token':<{LONGEST_TOKEN}}{'weight':>7}{'norm':>8}{'adds':>8}  into"

    def line(row: int, key: int) -> str:
        adds = "" if found.adds is None else f"{found.adds[row, key]:+.2f}"
        into = " ".join(_short(token).strip() for token in found.into[key]) if found.into else ""
        numbers = f"{found.weights[row, key]:>7.2f}{found.norms[row, key]:>8.2f}{adds:>8}"
        return f"{key:>5}  {_short(found.keys[key])}{numbers}  {into}".rstrip()

    if at is not None:
        if at >= len(found.rows):
            raise SettingsError(f"`--at` must be from 0 to {len(found.rows) - 1}; got {at}.")
        return [
            f"{found.head}, row {at}, {found.rows[at]}",
            "",
            title,
            *(line(at, key) for key in range(len(found.keys))),
        ]
    lines = [f"{found.head}: the key from which each row gets most", "", f"{'row':>3}  {'':<{LONGEST_TOKEN}}{title}"]
    best = found.norms.argmax(axis=1).tolist()
    return lines + [f"{row:>3}  {_short(found.rows[row])}{line(row, key)}" for row, key in enumerate(best)]


def _lines_of_key(found: KeyReasons) -> list[str]:
    """The terms of a score, those first that set the key most apart from the others."""
    from regard.analysis.numbers import largest_first

    (row, token), (key, key_token) = found.query, found.key
    lines = [
        f"{found.head}: row {row}, {token}, looks at key {key}, {key_token}: score {found.score:.2f}, weight {found.weight:.2f}"
    ]
    for title, terms, count in (
        ("query part", found.by_query, MOST_OF_SIDE),
        ("key part", found.by_key, MOST_OF_SIDE),
        ("query part x key part", found.above_mean, MOST_PAIRS),
    ):
        lines += ["", f"{title:<56}{'above the mean of keys':>23}"]
        lines += [f"{name:<56}{value:>+23.2f}" for name, value in largest_first(terms, count).items()]
    return lines
