"""Recipes in deploy/ that train, with stand-ins for the launchers: for Slurm's programs, and for the variables that JobSet and
SkyPilot set on each node.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(2, 8))) for _ in range(300)]
    (tmp_path / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    (tmp_path / "bin").mkdir()
    for name, module in (("regard", "regard"), ("torchrun", "torch.distributed.run")):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {module} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def on_both_nodes(folder: Path, command: list[str], environments: list[dict[str, str]]) -> None:
    """Run the command of a recipe as two nodes, again when it is over, and again for more steps."""
    shared = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    for steps, said in (("10", "model is ready"), ("10", "model is ready"), ("15", "resumed at step 10")):
        nodes = [
            subprocess.Popen(
                [part.replace("STEPS", steps) for part in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, env=shared | {key: value.replace("STEPS", steps) for key, value in each.items()},
            )
            for each in environments
        ]  # fmt: skip
        shown = [node.communicate(timeout=200)[0] for node in nodes]
        assert [node.returncode for node in nodes] == [0, 0], shown
        assert said in shown[0]


@pytest.mark.slow
def test_a_jobset(folder: Path) -> None:
    recipe = yaml.safe_load((ROOT / "deploy" / "train-jobset.yaml").read_text())
    (job,) = recipe["spec"]["replicatedJobs"]
    (container,) = job["template"]["spec"]["template"]["spec"]["containers"]
    variables = {each["name"]: each["value"] for each in container["env"]}
    assert variables["MAIN_NODE"] == "{0}-{1}-0-0.{0}".format(recipe["metadata"]["name"], job["name"])
    assert (
        int(variables["NUM_NODES"]) == job["template"]["spec"]["completions"] == job["template"]["spec"]["parallelism"]
    )
    script, *arguments = container["args"]
    assert arguments[:3] == ["regard", "/data/train.en", "/data/train.de"]
    script = script.replace("-o /data/model", "-o model")
    command = [*container["command"], script, "regard", "pairs.tsv", "--steps", "STEPS", *OPTIONS]
    own = {"NUM_NODES": "2", "NUM_PROCESSES": "1", "MAIN_NODE": "127.0.0.1"}
    on_both_nodes(folder, command, [own | {"JOB_COMPLETION_INDEX": str(node)} for node in (0, 1)])


@pytest.mark.slow
def test_skypilot(folder: Path) -> None:
    recipe = yaml.safe_load((ROOT / "deploy" / "train-sky.yaml").read_text())
    assert recipe["envs"].keys() == {"OUTPUT", "ARGUMENTS"}
    own = {"OUTPUT": "model", "ARGUMENTS": " ".join(["pairs.tsv", "--steps", "STEPS", *OPTIONS])}
    of_sky = {"SKYPILOT_NUM_NODES": "2", "SKYPILOT_NUM_GPUS_PER_NODE": "1", "SKYPILOT_NODE_IPS": "127.0.0.1\n127.0.0.2"}
    on_both_nodes(
        folder, ["bash", "-c", recipe["run"]], [own | of_sky | {"SKYPILOT_NODE_RANK": str(node)} for node in (0, 1)]
    )


@pytest.mark.slow
def test_a_job_that_is_out_of_time_is_queued_again_and_ends(folder: Path) -> None:
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    slurm = {"SLURM_JOB_ID": str(os.getpid()), "SLURM_JOB_NODELIST": "here", "SLURM_CPUS_PER_TASK": "1"}
    environment = os.environ | slurm | {"OUTPUT": "model", "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}

    def job(steps: int) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", ROOT / "deploy" / "train.sbatch", "pairs.tsv", "--steps", str(steps), *OPTIONS], cwd=folder,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    first = job(100_000)
    while not list((folder / "model.training").glob("step-*")):
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.2)
    found = subprocess.run(["pgrep", "-g", str(first.pid), "-f", "srun"], capture_output=True, text=True).stdout
    os.kill(int(found.split()[0]), signal.SIGUSR1)
    said, _ = first.communicate(timeout=60)
    assert first.returncode == 75, said
    assert (folder / "scontrol.log").read_text().split() == ["requeue", slurm["SLURM_JOB_ID"]]
    (step,) = map(int, re.findall(r"interrupted at step (\d+)", said.replace(",", "")))
    second = job(step + 5)
    said, _ = second.communicate(timeout=100)
    assert second.returncode == 0, said
    assert "resumed at step" in said
    third = job(step + 5)  # a job that was queued again after its end
    said, _ = third.communicate(timeout=100)
    assert third.returncode == 0, said
