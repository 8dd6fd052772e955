"""A large input answered by one process and in parts: time, processor time and memory of each command, for docs/large-inputs.md.

    python benchmarks/parts.py                                     # a million lines, 50 parts
    python benchmarks/parts.py --lines 20000 --parts 8 --evaluate  # smaller, and `evaluate` as well

The lines are all different, and the model is a random one of 22,000 parameters, so that what is around the model weighs
most. Prints the table, and whether the answers are the same.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import torch

from regard.checkpoint import save_new
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SAMPLED_SECONDS = 0.2
LETTERS = "abcdefghijklmnopqrst"


class Measured(NamedTuple):
    """A command that was run."""

    seconds: float
    processor_seconds: float
    largest: float
    """The largest memory, in MB."""
    memory: list[tuple[float, float]]
    """The second, and the memory in MB."""

    def row(self, name: str) -> str:
        """The row of the table."""
        after = [
            next((mb for second, mb in self.memory if second >= share * self.seconds), 0) for share in (0.1, 0.5, 0.9)
        ]
        memory = ", ".join(f"{mb:.0f}" for mb in after)
        return (
            f"| `{name}` | {self.seconds:.0f} s ({self.processor_seconds:.0f}) | {self.largest:.0f} MB | {memory} MB |"
        )


def make(folder: Path, num_lines: int) -> None:
    """Write a model, and pairs of lines that are all different."""
    rng = random.Random(1)
    with (folder / "source").open("w") as sources, (folder / "target").open("w") as targets:
        for number in range(num_lines):
            words = ["".join(rng.choices(LETTERS, k=rng.randint(1, 5))) for _ in range(3)]
            line = " ".join([*words, str(number)])
            sources.write(f"{line}\n")
            targets.write(f"{line[::-1]}\n")
    tokenizer = Tokenizer.train([LETTERS, "0123456789 "], TokenizerConfig(kind="characters", vocab_size=60))
    torch.manual_seed(1)
    config = EncoderDecoderConfig(
        vocab_size=len(tokenizer), model_dim=32, ff_dim=64, num_heads=2, num_encoder_layers=1, num_decoder_layers=1,
        max_positions=100,
    )  # fmt: skip
    model = build(config).eval()
    print(f"{sum(each.numel() for each in model.parameters()):,} parameters, {num_lines:,} lines", file=sys.stderr)
    save_new(folder / "m", model, tokenizer)


def run(folder: Path, *words: str) -> Measured:
    """Run a command, and look at its memory meanwhile."""
    command = [sys.executable, "-m", "regard", *words, "--threads", "1"]
    started, memory, is_done = time.monotonic(), list[tuple[float, float]](), threading.Event()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def look() -> None:
        while not is_done.wait(SAMPLED_SECONDS):
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
            memory.append((time.monotonic() - started, pages * os.sysconf("SC_PAGE_SIZE") / 1e6))

    watcher = threading.Thread(target=look)
    watcher.start()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # so that /proc has it until nobody looks
    is_done.set()
    watcher.join()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {' '.join(command)}")
    seconds = time.monotonic() - started
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, memory)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=50)
    parser.add_argument("--evaluate", action="store_true", help="measure `regard evaluate` as well")
    options = parser.parse_args()
    parts = ["--parts", str(options.parts)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, options.lines)
        print("| | whole command | largest memory | memory after 10, 50, 90 % |\n|---|---:|---:|---:|")
        asked = ["translate", "m", "source", "--beam", "1", "--set", "max_length=20"]
        print(run(folder, *asked, "-o", "out").row("regard translate m source -o out"), flush=True)
        print(run(folder, *asked, *parts, "-o", "parts").row(f"... -o parts {' '.join(parts)}"), flush=True)
        print(run(folder, *asked, *parts, "-o", "parts", "--collect", "all").row("... --collect all"), flush=True)
        are_same = (folder / "out").read_bytes() == (folder / "all").read_bytes()
        if options.evaluate:
            asked = ["evaluate", "m", "source", "target", *asked[3:]]
            print(run(folder, *asked).row("regard evaluate m source target"), flush=True)
            print(run(folder, *asked, *parts, "-o", "scores").row(f"... -o scores {' '.join(parts)}"), flush=True)
            print(run(folder, *asked, *parts, "-o", "scores", "--collect").row("... --collect"), flush=True)
        print(f"\nThe bytes of one process and of the parts are {'the same' if are_same else 'DIFFERENT'}.")


if __name__ == "__main__":
    main()
