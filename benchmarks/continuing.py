"""Training that begins with a model, beside training from nothing: the figures of docs/experiments.md.

    python benchmarks/continuing.py split ../shared/data/multi30k_ende work     # writes work/general.* and work/animals-*.*

`split` divides Multi30k by topic: pairs that name a dog, a cat or a horse, and the others. A model learns the others first, and
then 1,000 of those.
"""

from __future__ import annotations

import random
import re
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


if __name__ == "__main__":
    assert sys.argv[1] == "split", __doc__
    split(Path(sys.argv[2]), Path(sys.argv[3]))
