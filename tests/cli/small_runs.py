"""Short training runs, and comparisons of what they leave behind."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard.cli.main import run

ALPHABET = "abcdefghij"
OPTIONS = ["--set", "model.model_dim=24", "--set", "model.ff_dim=32", "--set", "model.num_heads=2",
           "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--precision", "float32",
           "--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=30", "--set", "training.batch_tokens=200",
           "--set", "training.metric=loss", "--set", "training.validate_every=10",
           "--set", "training.report_every=5", "--threads", "1"]  # fmt: skip


def write_data(folder: Path) -> Path:
    """Source and target files: 300 words, and the same backwards."""
    rng = random.Random(1)
    words = ["".join(rng.choices(ALPHABET, k=rng.randint(2, 8))) for _ in range(300)]
    (folder / "source").write_text("".join(f"{word}\n" for word in words))
    (folder / "target").write_text("".join(f"{word[::-1]}\n" for word in words))
    return folder


def arguments(data: Path, output: str, steps: int, *more: str) -> list[str]:
    return ["train", str(data / "source"), str(data / "target"), "-o", str(data / output), "--steps", str(steps), *OPTIONS,
            *more]  # fmt: skip


def train(data: Path, output: str, steps: int, *more: str, code: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments(data, output, steps, *more))
    assert (ended.value.code or 0) == code


def process(data: Path, output: str, steps: int, *more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "regard", *arguments(data, output, steps, *more)], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def same_model(data: Path, first: str, second: str) -> bool:
    weights = [load_file(data / name / "model.safetensors") for name in (first, second)]
    return all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def same_state(data: Path, first: str, second: str, step: int) -> bool:
    states = [
        load_file(data / f"{name}.training" / f"step-{step:08d}" / "state.safetensors") for name in (first, second)
    ]
    return all(torch.equal(states[0][name], states[1][name]) for name in states[0])


def metrics(data: Path, output: str) -> list[dict[str, float]]:
    timed = {"tokens_per_second", "elapsed_seconds"}
    lines = (data / output / "metrics.jsonl").read_text().splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in timed} for line in lines]
