"""Training that begins with a model, beside training from nothing: the figures of docs/experiments.md.

    python benchmarks/continuing.py split ../shared/data/multi30k_ende work     # writes work/general.* and work/animals-*.*
    python benchmarks/continuing.py tune work base                             # continues `base`, a model of work/general.*
    python benchmarks/continuing.py distil work base                           # students of `base`

`split` divides Multi30k by topic: pairs that name a dog, a cat or a horse, and the others. A model learns the others first, and
then 1,000 of those. Each run is a command of its own on one thread; one that is done is not run again.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

TOPIC = re.compile(r"\b(dog|cat|horse)s?\b")
PARTS = {"train": 1000, "valid": 300, "test": 700}


def split(source: Path, output: Path) -> None:
    """Write the pairs that do not name the topic, and three parts of those that do."""
    sides = [(source / f"train.{side}").read_text(encoding="utf-8").split("\n")[:-1] for side in ("en", "de")]
    pairs = list(zip(*sides, strict=True))
    topic = [pair for pair in pairs if TOPIC.search(pair[0].lower())]
    random.Random(0).shuffle(topic)
    found, begin = {"general": [pair for pair in pairs if not TOPIC.search(pair[0].lower())]}, 0
    for name, size in PARTS.items():
        found[f"animals-{name}"] = topic[begin : begin + size]
        begin += size
    output.mkdir(parents=True, exist_ok=True)
    for name, part in found.items():
        for number, side in enumerate(("en", "de")):
            lines = "".join(f"{pair[number]}\n" for pair in part)
            (output / f"{name}.{side}").write_text(lines, encoding="utf-8")
        print(f"{name}: {len(part):,} pairs")


def regard(*words: object) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "regard", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def files(work: Path, name: str) -> list[Path]:
    """Source and target."""
    return [work / f"{name}.{side}" for side in ("en", "de")]


def run(
    work: Path,
    name: str,
    train: list[Path],
    valid: list[Path],
    test: list[Path],
    *options: object,
    base: Path | None = None,
) -> None:
    """Train, unless that was done, measure on the test pairs, and print a line."""
    output = work / "runs" / name
    if not (output / "results.json").is_file():
        output.parent.mkdir(exist_ok=True)
        regard("train", *train, "--valid", *valid, "-o", output, "--threads", 1, "--overwrite", *options)
    is_adapter = (output / "adapter.json").is_file()
    model = [base, "--adapter", output] if is_adapter else [output]
    scores = json.loads(regard("evaluate", *model, *test, "--json", "--threads", 1))
    results = json.loads((output / "results.json").read_text())
    size = max(path.stat().st_size for path in output.glob("*.safetensors"))
    columns = [
        name,
        f"{results['validation_loss']:.3f}, {results['steps']['kept']}",
        f"{scores['bleu']:.2f}",
        f"{scores['chrf']:.2f}",
        f"{size / 1e6:.2f} MB",
        f"{results['seconds']['training']:.0f} s",
    ]
    print(f"| {' | '.join(columns)} |", flush=True)


def tune(work: Path, base: Path) -> None:
    """Full, frozen and adapter fine-tuning on 1,000 pairs, and training from nothing."""
    parts = [files(work, f"animals-{part}") for part in PARTS]
    scores = json.loads(regard("evaluate", base, *parts[2], "--json", "--threads", 1))
    print("| | validation loss, step | BLEU | chrF | stored | time |\n|---|---|---:|---:|---:|---:|")
    print(f"| before | | {scores['bleu']:.2f} | {scores['chrf']:.2f} | | |", flush=True)
    common = ["--from", base, "--steps", 300]
    for rate in (0.0005, 0.001, 0.002):
        run(work, f"full, {rate}", *parts, *common, "--set", f"training.learning_rate={rate}")
    run(work, "frozen embeddings and encoder", *parts, *common, "--set", "training.freeze=[embeddings,encoder]")
    for targets, rank, rates in (("[query_proj,value_proj]", 6, (0.01, 0.005, 0.02)), ("['*_layers']", 2, (0.01,))):
        for rate in rates:
            adapter = ["--set", f"adapter.rank={rank}", "--set", f"adapter.targets={targets}"]
            run(work, f"adapter {targets} {rank}, {rate}", *parts, *common, *adapter, "--set",
                f"training.learning_rate={rate}", base=base)  # fmt: skip
    run(work, "from nothing", *parts, "--steps", 1000)


def distil(work: Path, base: Path) -> None:
    """Students of a quarter of the teacher's width in its layers: alone, from probabilities, from translations, from both."""
    source, target = files(work, "general")
    valid, test = (files(work, f"animals-{part}") for part in ("valid", "test"))
    written = work / "general.teacher.de"
    if not written.is_file():
        regard("translate", base, source, "-o", written, "--beam", 3, "--threads", 1)
    sizes = ["--set", "model.model_dim=64", "--set", "model.ff_dim=128", "--set", "model.num_heads=2"]
    layers = ["--set", "model.num_encoder_layers=2", "--set", "model.num_decoder_layers=2"]
    common = [*sizes, *layers, "--steps", 1000, "--set", "training.validate_every=250"]
    teacher = ["--teacher", base]
    print("| | validation loss, step | BLEU | chrF | stored | time |\n|---|---|---:|---:|---:|---:|")
    for name, side, options in (
        ("alone", target, [*teacher, "--set", "training.teacher_weight=1e-9"]),  # with the same vocabulary
        ("probabilities", target, teacher),
        ("translations", written, [*teacher, "--set", "training.teacher_weight=1e-9"]),
        ("both", written, teacher),
    ):
        run(work, f"student, {name}", [source, side], valid, test, *common, *options)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    {"split": split, "tune": tune, "distil": distil}[command](*map(Path, rest))
