"""deploy/train.sbatch with programs that stand in for Slurm's: a run on two processes, asked to stop, and queued again."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRUN = """#!/usr/bin/env bash
shift  # --kill-on-bad-exit
export SLURM_NTASKS=2
for task in 0 1; do SLURM_PROCID=$task SLURM_LOCALID=$task "$@" & pids[$task]=$!; done
trap 'kill -USR1 ${pids[*]}' USR1
code=0
for pid in ${pids[*]}; do
  while true; do wait $pid; each=$?; kill -0 $pid 2>/dev/null || break; done
  if [ $each -gt $code ]; then code=$each; fi
done
exit $code
"""
SCONTROL = """#!/usr/bin/env bash
if [ "$1" = show ]; then echo 127.0.0.1; else echo "$@" >> scontrol.log; fi
"""
OPTIONS = ["--set", "model.model_dim=16", "--set", "model.ff_dim=16", "--set", "model.num_heads=2", "--set",
           "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--set", "tokenizer.kind=characters",
           "--set", "tokenizer.vocab_size=30", "--device", "cpu", "--set", "training.validate_every=20"]  # fmt: skip


@pytest.mark.slow
def test_a_job_that_is_out_of_time_is_queued_again_and_ends(tmp_path: Path) -> None:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(2, 8))) for _ in range(300)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    (tmp_path / "bin").mkdir()
    regard = f'#!/bin/sh\nexec {sys.executable} -m regard "$@"\n'
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL), ("regard", regard)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    slurm = {"SLURM_JOB_ID": str(os.getpid()), "SLURM_JOB_NODELIST": "here", "SLURM_CPUS_PER_TASK": "1"}
    environment = os.environ | slurm | {"OUTPUT": "model", "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}

    def job(steps: int) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", ROOT / "deploy" / "train.sbatch", "pairs.tsv", "--steps", str(steps), *OPTIONS], cwd=tmp_path,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    first = job(100_000)
    while not list((tmp_path / "model.training").glob("step-*")):
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.2)
    found = subprocess.run(["pgrep", "-g", str(first.pid), "-f", "srun"], capture_output=True, text=True).stdout
    os.kill(int(found.split()[0]), signal.SIGUSR1)
    said, _ = first.communicate(timeout=60)
    assert first.returncode == 75, said
    assert (tmp_path / "scontrol.log").read_text().split() == ["requeue", slurm["SLURM_JOB_ID"]]
    (step,) = map(int, re.findall(r"interrupted at step (\d+)", said.replace(",", "")))
    second = job(step + 5)
    said, _ = second.communicate(timeout=100)
    assert second.returncode == 0, said
    assert "resumed at step" in said
    third = job(step + 5)  # a job that was queued again after its end
    said, _ = third.communicate(timeout=100)
    assert third.returncode == 0, said
