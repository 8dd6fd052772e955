"""Input of the commands: files of lines, standard input and typed text; with hints if another kind of file is given."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from regard.cli.output import log, program
from regard.errors import DataError
from regard.names import exists, is_file

if TYPE_CHECKING:
    from regard.pipelines.pipeline import Pipeline

COLUMNS = {".tsv": "cut -f{column} {file}", ".jsonl": "jq -r .{key} {file}"}
"""Shell commands that print one column of a file."""


def check_input(name: str, command: str, *, column: str = "1", key: str = "source", has_pairs: bool = False) -> None:
    """Make sure, before a model is loaded, that a file can be read and has one text per line, not columns.

    A file of columns is refused: each line of output must belong to a line of input.

    Args:
        command: what the user calls, such as `translate model`.
        column: the column, or columns such as `2-3`, of the texts in files for this command.
        key: the same in files of JSON objects.
        has_pairs: whether a line may be two texts with a tab between them.
    Raises:
        DataError: it cannot be read, or holds columns; the message says how to call the command instead.
    """
    if name == "-":
        return
    again = f"{program()} {command}"
    if not exists(name):
        what = f"{name} must be a readable text file; got: No such file or directory."
        hint = f" If it is the text itself: echo {shlex.quote(name)} | {again}" if _may_be_a_text(name) else ""
        raise DataError(what + hint)
    ending = Path(name).suffix.lower()
    if ending in COLUMNS and is_file(name) and _has_columns(name, ending, int(has_pairs)):
        print_column = COLUMNS[ending].format(column=column, key=key, file=shlex.quote(name))
        raise DataError(
            f"{name} must hold one text per line; got columns. To pass only the texts: {print_column} | {again}"
        )


def _may_be_a_text(name: str) -> bool:
    """Whether the name of a missing file may be a text: several words, or one word that does not look like a path."""
    is_path = os.sep in name or re.search(r"\.\w{1,5}$", name)
    return bool(re.search(r"\s", name)) or not is_path


def _has_columns(name: str, ending: str, most_tabs: int) -> bool:
    first = next(input_lines(name), "")
    return first.count("\t") > most_tabs if ending == ".tsv" else first.lstrip().startswith("{")


def input_lines(name: str, *, is_live: bool = True) -> Iterator[str]:
    """The lines of a file, or of standard input.

    Args:
        is_live: whether it may be what somebody else is still writing, such as a named pipe.
    Raises:
        DataError: it cannot be read, or a line is not UTF-8.
    """
    from regard.text.lines import iterate_lines, open_lines

    if name == "-":
        has_bytes = hasattr(sys.stdin, "buffer")  # `io.StringIO` has none
        encoded = sys.stdin.buffer if has_bytes else (line.encode("utf-8", "surrogatepass") for line in sys.stdin)
        yield from iterate_lines(encoded, "standard input")
        return
    with open_lines(name, is_live=is_live) as stream:
        yield from iterate_lines(stream, name)


def text_itself(text: str, call: str) -> str:
    """The text of an argument; `-`: standard input to its end, without the last line break.

    Args:
        call: the command with `-` in place of the text, such as `inspect model -`.
    """
    if text == "-":
        if sys.stdin.isatty():
            log("Type the text; Ctrl-D ends it.")
        return "\n".join(input_lines("-"))
    if is_file(text):
        log(
            f"{text} is taken as the text, not as a file name. To read the file: {program()} {call} < {shlex.quote(text)}"
        )
    return text


def check_one_line(text: str, model: Path, loaded: Pipeline) -> None:
    """Make sure that a text has one line; one for a language model may have several.

    Raises:
        DataError: it has several.
    """
    from regard.pipelines.language_model import LanguageModel

    if "\n" in text and not isinstance(loaded, LanguageModel):
        count = len(text.removesuffix("\n").split("\n"))
        raise DataError(f"{model} reads one line of text; got {count} lines.")
