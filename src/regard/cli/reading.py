"""What the commands read: files of lines, standard input, and what is typed; and what to say to those who mean something else."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from regard.cli.train import program
from regard.errors import DataError

COLUMNS = {".tsv": "cut -f{column} {file}", ".jsonl": "jq -r .{key} {file}"}
"""What prints one column of a file that holds several."""


def check_input(name: str, command: str, *, column: int = 1, key: str = "source") -> None:
    """Make sure that a file of lines can be read, and is none of columns, before a model is loaded.

    A file of columns is refused, and not read in part: a line that comes out must belong to a line that goes in.

    Args:
        command: what the user calls, such as `translate model`.
        column: where the texts stand in files of columns of this command.
        key: the same in files of JSON objects.
    Raises:
        DataError: it cannot be read, or holds columns; the message says how to call the command instead.
    """
    if name == "-":
        return
    again = f"{program()} {command}"
    if not Path(name).exists():
        what = f"{name} must be a readable text file; got: No such file or directory."
        hint = f" If it is the text itself: echo {shlex.quote(name)} | {again}" if _may_be_a_text(name) else ""
        raise DataError(what + hint)
    ending = Path(name).suffix.lower()
    if ending in COLUMNS and Path(name).is_file() and _has_columns(name, ending):
        print_column = COLUMNS[ending].format(column=column, key=key, file=shlex.quote(name))
        raise DataError(
            f"{name} must hold a text to a line, and nothing else; got columns. For the texts alone: {print_column} | {again}"
        )


def _may_be_a_text(name: str) -> bool:
    """Whether a name that no file has could be meant as a text: words, or one word that is no path."""
    is_path = os.sep in name or re.search(r"\.\w{1,5}$", name)
    return bool(re.search(r"\s", name)) or not is_path


def _has_columns(name: str, ending: str) -> bool:
    first = next(input_lines(name), "")
    return "\t" in first if ending == ".tsv" else first.lstrip().startswith("{")


def input_lines(name: str) -> Iterator[str]:
    """The lines of a file, or of standard input.

    Raises:
        DataError: it cannot be read, or a line is not UTF-8.
    """
    from regard.text.lines import iterate_lines, open_lines

    if name == "-":
        yield from iterate_lines(sys.stdin.buffer, "standard input")
        return
    with open_lines(name) as stream:
        yield from iterate_lines(stream, name)


def text_itself(text: str, command: str) -> str:
    """The text of an argument; `-`: standard input to its end, without the last line break.

    Args:
        command: what the user calls, such as `inspect model`.
    """
    from regard.cli.writing import tell

    if text == "-":
        if sys.stdin.isatty():
            tell("Type the text; Ctrl-D ends it.")
        return "\n".join(input_lines("-"))
    if Path(text).is_file():
        tell(f"{text} is read as a text. For what stands in the file: {program()} {command} - < {shlex.quote(text)}")
    return text
