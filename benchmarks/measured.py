"""Models that a benchmark trains, and their scores; both stay in a folder, so that it goes on where it was stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Bench:
    """Data, models and scores in folders; what is there already is not made again."""

    data: Path
    work: Path
    threads: tuple[str, ...]

    def train(self, name: str, *arguments: str) -> Path:
        """The folder of a model, trained unless it is there."""
        model = self.work / name
        if not (model / "results.json").is_file():
            print(f"--- training {name}", file=sys.stderr, flush=True)
            regard("train", *arguments, "-o", str(model), "--resume", *self.threads)
        return model

    def score(self, name: str, measure: str, *arguments: str) -> float:
        """What `regard evaluate` measures, in per cent, BLEU or nats."""
        outcome = self.work / f"{name}.score.json"
        if not outcome.is_file():
            print(f"--- measuring {name}", file=sys.stderr, flush=True)
            outcome.write_text(regard("evaluate", *arguments, "--json", *self.threads), encoding="utf-8")
        found = json.loads(outcome.read_text(encoding="utf-8"))[measure]
        return float(100 * found if measure in ("exact_match", "accuracy") else found)


def regard(*arguments: str) -> str:
    """Run a command, and give what it printed."""
    command = [sys.executable, "-m", "regard", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
