"""The commands of docs/scaling.md from top to bottom, on one machine with two processes and a small model."""

import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = ["--steps", "6", "--device", "cpu", "--set", "tokenizer.vocab_size=60", "--set", "training.validate_every=3"]
SMALL += [f"--set=model.{key}=16" for key in ("model_dim", "ff_dim")] + ["--set=model.num_heads=2"]
SMALL += [f"--set=model.num_{side}_layers=1" for side in ("encoder", "decoder")]


def commands() -> list[str]:
    """Of the page, each on a line, with what three dots stand for."""
    page = (ROOT / "docs" / "scaling.md").read_text()
    text = "".join(re.findall(r"```\n(.*?)```", page, re.S)).replace("\\\n", "")
    lines = [line for line in text.splitlines() if not line.startswith("python ")]
    data = lines[0].partition(" train ")[2]
    return [line.replace("...", data) for line in lines]


@pytest.mark.slow
def test_the_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    rng = random.Random(1)
    words = [" ".join(rng.choices(["a", "b", "c", "d", "e", "f", "g", "h"], k=rng.randint(2, 8))) for _ in range(200)]
    (tmp_path / "train.en").write_text("".join(f"{each}\n" for each in words))
    (tmp_path / "train.de").write_text("".join(f"{each[::-1]}\n" for each in words))
    torchrun = f"{shlex.quote(sys.executable)} -m torch.distributed.run"
    shown, exports, number = [], "", 0
    for line in commands():
        if line.startswith("export "):
            exports = f"{line}; "
            continue
        number += 1
        one = line.replace("torchrun", torchrun).replace("--nproc-per-node 8", "--nproc-per-node 2")
        one = (
            one.replace("--nnodes 8", "--nnodes 1")
            .replace("HOST:29500", "127.0.0.1:0")
            .replace("-o model", f"-o m{number}")
        )
        assert "-o m" in one
        for _ in range(2 if "--resume" in line else 1):  # a run that is over is no error
            done = subprocess.run(
                ["bash", "-c", f"{exports}{one} {shlex.join(SMALL)}"],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, done.stderr[-3000:]
            shown.append(done.stdout + done.stderr)
    assert number == 3
    assert all(
        f"m{n} is ready" in "".join(shown) and (tmp_path / f"m{n}" / "model.safetensors").is_file() for n in (1, 2, 3)
    )
