"""Output of the commands: results to standard output, in UTF-8; messages to standard error."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from regard.errors import printable, shown

COLOURS = re.compile(r"(\x1b\[[0-9;]*m)")
"""Escape sequences that only set colours in a terminal."""


def print_result(text: str, end: str = "\n", *, has_colours: bool = False) -> None:
    """Print a result in UTF-8, whatever the locale of the terminal.

    Text must not control a terminal: control characters are escaped there (`printable`). A file or a pipe gets
    every byte as it is.

    Args:
        has_colours: the text has colours of ours in it, which stay.
    """
    if sys.stdout.isatty():
        parts = COLOURS.split(text) if has_colours else [text]
        text = "".join(part if index % 2 else printable(part) for index, part in enumerate(parts))
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):  # a notebook's, or `io.StringIO`
        sys.stdout.write(f"{text}{end}")
        return
    sys.stdout.buffer.write(f"{text}{end}".encode("utf-8", "surrogateescape"))  # file names may hold any bytes
    sys.stdout.buffer.flush()


def echo(message: str) -> None:
    """Print a message to standard output, control characters escaped wherever it goes."""
    print_result(printable(message))


def log(message: str) -> None:
    """Print a message to standard error, control characters escaped, and the middle left out where it is very long."""
    print(shown(message), file=sys.stderr, flush=True)


def summary(results: dict[str, Any]) -> str:
    """The scores of some results, one to a line; which there are depends on the kind of model. Those of labels are tables."""
    from regard.evaluation.label_metrics import confusion_table, score_table
    from regard.evaluation.score_table import NO_BLEU, SCORES
    from regard.evaluation.text_metrics import ADDED
    from regard.text.wording import counted

    signatures = results.get("signatures", {})
    rows = [(key, name, form, signatures.get(key, note)) for key, (_, form, name, note) in SCORES.items()]
    rows += [(name, name, ".4g", "") for name in ADDED]
    counts = {"num_pairs": "pair", "num_labels": "label", "num_tokens": "token"}
    sizes = [counted(results[key], what) for key, what in counts.items() if key in results]
    if not results.get("bleu_counts", True):
        rows[0] = ("bleu", "BLEU", "", NO_BLEU)
    scores = [
        f"{name:<15}{format(results[key], form) if form else '-':>9}   {note}".rstrip()
        for key, name, form, note in rows
        if key in results
    ]
    directions = results.get("by_direction", {})
    for direction, found in (directions | ({"mean": results["mean"]} if len(directions) > 1 else {})).items():
        pairs = f"; {counted(found['num_pairs'], 'pair')}" if "num_pairs" in found else ""
        note = "" if found.get("trained", True) else "; not trained"
        scores.append(f"{direction:<15}{found['bleu']:>9.2f}   BLEU; chrF {found['chrf']:.2f}{pairs}{note}")
    for tag, found in results.get("by_target", {}).items():
        pairs = counted(found["num_pairs"], "pair")
        scores.append(f"to {tag:<12}{found['bleu']:>9.2f}   BLEU; chrF {found['chrf']:.2f}; {pairs}")
    tables = [_table(rows) for rows in (score_table(results), confusion_table(results)) if rows]
    return "\n\n".join(["\n".join(sizes[:1] + scores), *tables, *_old_task(results)])


def _old_task(results: dict[str, Any]) -> list[str]:
    """The scores of two models on an older task, if they were measured."""
    from regard.evaluation.score_table import OLD_TASK, changes

    if (found := results.get(OLD_TASK)) is None:
        return []
    if "error" in found:
        return [f"{found['data']} cannot be measured with the new model: {found['error']}"]
    table = _table([["", "before", "after"], *map(list, changes(found))])
    return [f"the older task, {found['data']}\n{table}"]


def _table(rows: list[list[str]]) -> str:
    """Rows of words as aligned lines, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [all(word[:1].isdigit() or word == "-" for word in column[1:]) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            word.rjust(width) if is_number else word.ljust(width)
            for word, width, is_number in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in rows
    )


def program() -> str:
    """The command that starts this program again: its name if it is on the PATH, otherwise the path used now."""
    if shutil.which("regard"):
        return "regard"
    if Path(sys.argv[0]).stem == "regard":
        return os.path.relpath(sys.argv[0])
    return f"{os.path.relpath(sys.executable)} -m regard"
