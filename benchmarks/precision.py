"""Learning curves in float32 and in bfloat16 beside each other: `python benchmarks/precision.py`. Takes hours, and goes on where
it was stopped.

Multi30k, English to German, the recipe of `docs/results.md` with fewer steps, from the same seeds in both precisions. Draws the
validation losses to `docs/precision.svg`, anew after each run, and prints the BLEU of each on test_2016_flickr. With `--only`
two calls train side by side, each in a precision of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path

from regard.inspection.drawing.pictures import curves_figure, picture_bytes
from results import MULTI30K, ROOT, average_best, files, regard, score

PRECISIONS = ("float32", "bfloat16")
Curve = list[tuple[float, float]]


def train(folder: Path, precision: str, seed: int, steps: int, data: Path, threads: list[str]) -> None:
    """Train to the end; nothing, where that is done."""
    if (folder / "results.json").is_file():
        return
    regard(
        "train", *files(data, MULTI30K.training), "--valid", *files(data, MULTI30K.valid), "-o", str(folder),
        "--config", str(MULTI30K.recipe_file), "--steps", str(steps), "--seed", str(seed),
        "--precision", precision, "--resume", "--save-every", "5m",
        "--set", f"training.warmup_steps={steps // 10}", "--set", f"training.validate_every={steps // 20}", *threads,
    )  # fmt: skip


def curve(folder: Path) -> Curve:
    """Step and loss of each validation."""
    records = map(json.loads, (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    return [(record["step"], record["valid_loss"]) for record in records if record.get("valid_loss") is not None]


def draw(curves: dict[str, Curve]) -> None:
    """Write the figure."""
    figure = curves_figure(
        curves, title="Multi30k, English to German", x_label="step", y_label="validation loss, nats per token"
    )
    (ROOT / "docs" / "precision.svg").write_bytes(picture_bytes(figure, ".svg"))


def bleu(folder: Path, data: Path, threads: list[str]) -> float:
    """On the test data, of the mean of the best checkpoints, as in `docs/results.md`."""
    average_best(folder)
    return score(MULTI30K, [folder], data, threads)


def summary(scores: dict[str, Sequence[float]]) -> str:
    """A table of what each precision scored."""
    lines = ["| precision | BLEU of each seed | mean |", "|---|---|---:|"]
    for precision, found in scores.items():
        lines.append(f"| {precision} | {', '.join(f'{x:.2f}' for x in found)} | {statistics.mean(found):.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=ROOT / "results")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--only", choices=PRECISIONS, help="train in this one; a last call without it draws both")
    options = parser.parse_args()
    options.work.mkdir(exist_ok=True)
    threads = ["--threads", str(options.threads)] if options.threads else []
    curves: dict[str, Curve] = {}
    scores: dict[str, list[float]] = {precision: [] for precision in PRECISIONS}
    chosen = (options.only,) if options.only else PRECISIONS
    for seed in range(1, options.seeds + 1):
        for precision in chosen:
            folder = options.work / f"precision-{options.steps}-{precision}-{seed}"
            train(folder, precision, seed, options.steps, options.data, threads)
            curves[f"{precision}, seed {seed}"] = curve(folder)
            if not options.only:
                draw(curves)
            scores[precision].append(bleu(folder, options.data, threads))
            print(summary({name: found for name, found in scores.items() if found}), flush=True)


if __name__ == "__main__":
    main()
