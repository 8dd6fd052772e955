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

HERE = Path(__file__).parent
SHARED_DATA = HERE.parents[3] / "shared" / "data"


@dataclass(frozen=True)
class Options:
    """What a training is told."""

    data: Path
    """The folder that holds the folders of data."""
    out: Path
    """Where results and models are written."""
    short: bool
    """Few steps, to see that it runs."""


def main(trainings: dict[str, Callable[[Options], Sequence[Sequence[str]]]]) -> None:
    """Runs the trainings that the command line names, or all; each returns a table whose first row is its header."""
    parser = argparse.ArgumentParser(description="Train what a chapter of the guide reports.")
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(trainings)}; all without")
    parser.add_argument("--data", type=Path, default=SHARED_DATA, help="the folder of the data folders")
    parser.add_argument("--out", type=Path, default=HERE, help="where the results are written")
    parser.add_argument("--short", action="store_true", help="few steps, to see that it runs")
    options = parser.parse_args()
    script = Path(sys.argv[0]).resolve()
    for name in options.names or trainings:
        if name not in trainings:
            parser.error(f"name must be one of {', '.join(trainings)}; got {name}.")
        header, *rows = trainings[name](Options(options.data.resolve(), options.out.resolve(), options.short))
        found = {
            "command": f"python docs/guide/trainings/{script.name} {name}",
            "date": datetime.date.today().isoformat(),
            "machine": f"{platform.machine()}, one thread",
            "digest": hashlib.sha256(script.read_bytes()).hexdigest(),
            "header": header,
            "rows": rows,
        }
        path = options.out / f"{script.stem.removeprefix('train_')}-{name}.json"
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(path)
