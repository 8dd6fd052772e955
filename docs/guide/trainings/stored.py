"""What the long trainings of the guide have in common: their options, and the file of their results."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent
SHARED_DATA = HERE.parents[3] / "shared" / "data"

Table: TypeAlias = Sequence[Sequence[str]]
"""Rows of text; the first is the header."""


@dataclass(frozen=True)
class Options:
    """What a training is told."""

    data: Path
    """The folder that holds the folders of data."""
    out: Path
    """Where results and models are written."""
    short: bool
    """Few steps, to see that it runs."""
    models: Path | None
    """Where trained models are kept. One that is there is not trained again."""


def main(trainings: dict[str, Callable[[Options], Table | tuple[Table, dict[str, Any]]]]) -> None:
    """Runs the trainings that the command line names, or all.

    Each returns a table, or a table and what else is stored for the pictures of its chapter.
    """
    parser = argparse.ArgumentParser(description="Train what a chapter of the guide reports.")
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(trainings)}; all without")
    parser.add_argument("--data", type=Path, default=SHARED_DATA, help="the folder of the data folders")
    parser.add_argument("--out", type=Path, default=HERE, help="where the results are written")
    parser.add_argument("--short", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--models", type=Path, help="where models are kept; one that is there is not trained again")
    options = parser.parse_args()
    script = Path(sys.argv[0]).resolve()
    for name in options.names or trainings:
        if name not in trainings:
            parser.error(f"name must be one of {', '.join(trainings)}; got {name}.")
        told = Options(options.data.resolve(), options.out.resolve(), options.short, options.models)
        made = trainings[name](told)
        (header, *rows), more = made if isinstance(made, tuple) else (made, {})
        found = {
            "command": f"python docs/guide/trainings/{script.name} {name}",
            "date": datetime.date.today().isoformat(),
            "machine": f"{platform.machine()}, one thread",
            "digest": hashlib.sha256(script.read_bytes()).hexdigest(),
            "header": header,
            "rows": rows,
            **more,
        }
        path = options.out / f"{script.stem.removeprefix('train_')}-{name}.json"
        path.write_text(as_json(found))
        print(path)


def as_json(found: dict[str, Any]) -> str:
    """JSON with a line for each value of a list or object."""
    parts = []
    for key, value in found.items():
        if isinstance(value, dict):
            lines = [f"{json.dumps(name)}: {_line(part)}" for name, part in value.items()]
        elif isinstance(value, list):
            lines = [_line(part) for part in value]
        else:
            parts.append(f" {json.dumps(key)}: {_line(value)}")
            continue
        begin, end = "{}" if isinstance(value, dict) else "[]"
        parts.append(f" {json.dumps(key)}: {begin}\n  " + ",\n  ".join(lines) + f"\n {end}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
