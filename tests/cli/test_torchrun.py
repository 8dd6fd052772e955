"""`torchrun ... -m regard train`: the same run on several processes; one that is killed; another number of them."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from regard.checkpoint import load_model
from regard.training.state import snapshots

OPTIONS = ["--set", "model.model_dim=24", "--set", "model.ff_dim=32", "--set", "model.num_heads=2",
           "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--precision", "float32",
           "--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=30", "--set", "training.batch_tokens=200",
           "--set", "training.validate_every=10", "--set", "training.report_every=5", "--threads", "1",
           "--set", "training.learning_rate=0.01", "--set", "training.warmup_steps=5", "--set",
           "training.schedule=inverse_sqrt", "--set", "training.average_decay=0.9", "--device", "cpu"]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("distributed"), random.Random(1)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 8))) for _ in range(300)]
    (folder / "pairs.tsv").write_text("".join(f"{word}\t{word[::-1]}\n" for word in words))
    return folder


def start(data: Path, processes: int, output: str, *options: str) -> "subprocess.Popen[str]":
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"] if processes > 1 else []
    command = [sys.executable, *torchrun, "-m", "regard", "train", str(data / "pairs.tsv"), "-o", str(data / output)]
    return subprocess.Popen(
        [*command, *OPTIONS, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def train(data: Path, processes: int, output: str, *options: str) -> str:
    running = start(data, processes, output, *options)
    shown, _ = running.communicate(timeout=200)
    assert running.returncode == 0, shown[-3000:]
    return shown


def curve(data: Path, output: str) -> list[float]:
    records = map(json.loads, (data / output / "metrics.jsonl").read_text().splitlines())
    return [record.get("loss", record.get("valid_loss")) for record in records]


@pytest.fixture(scope="module")
def alone(data: Path) -> list[float]:
    train(data, 1, "alone", "--steps", "20", "--set", "model.dropout=0", "--set", "training.accumulation=2")
    return curve(data, "alone")


def test_the_curve_of_several_processes_is_that_of_one_also_after_a_change_of_their_number(
    data: Path, alone: list[float]
) -> None:
    options = ("--set", "model.dropout=0", "--set", "training.accumulation=2")
    shown = train(data, 2, "two", "--steps", "10", *options)
    assert ", 2 processes\n" in shown
    assert shown.count("two is ready") == 1, "only the main process speaks"
    assert "resumed at step 10" in train(data, 3, "two", "--steps", "20", "--resume", "--shard", *options)
    assert curve(data, "two") == pytest.approx(alone, rel=1e-4)
    both = [load_model(data / name).model.state_dict() for name in ("alone", "two")]
    for name, tensor in both[0].items():
        if name.endswith("key_proj.bias"):  # moves no output: what Adam makes of a gradient of rounding errors
            continue
        torch.testing.assert_close(both[1][name], tensor, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_with_dropout_two_processes_go_on_bit_for_bit(data: Path) -> None:
    train(data, 2, "whole", "--steps", "12")
    train(data, 2, "parts", "--steps", "7", "--save-every", "7")
    train(data, 2, "parts", "--steps", "12", "--resume")
    states = [
        load_file(data / f"{name}.training" / "step-00000012" / "state.safetensors") for name in ("whole", "parts")
    ]
    assert not torch.equal(states[0]["random.cpu.0"], states[0]["random.cpu.1"])  # each drops out its own
    for name, tensor in states[0].items():
        assert torch.equal(tensor, states[1][name]), name


@pytest.mark.slow
def test_hidden_words_are_learnt_by_two_processes_as_by_one(data: Path) -> None:
    """An encoder has no parameter that its loss leaves out, so none is looked for."""
    (data / "text").write_text(
        "".join(f"{line.split()[0]}\n" for line in (data / "pairs.tsv").read_text().split("\n") if line)
    )
    options = [option for option in OPTIONS if "coder_layers" not in option]
    options = [part for index, part in enumerate(options) if part != "--set" or not options[index + 1].startswith("--")]
    command = ["-m", "regard", "train", str(data / "text"), "--arch", "encoder", "--task", "mlm", "--steps", "10", *options,
               "--set", "model.num_layers=1", "--set", "model.dropout=0"]  # fmt: skip
    for output, launcher in (
        ("one-mlm", []),
        ("two-mlm", ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]),
    ):
        done = subprocess.run(
            [sys.executable, *launcher, *command, "-o", str(data / output)], capture_output=True, text=True, timeout=200,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Warning" not in done.stderr
    assert curve(data, "two-mlm") == pytest.approx(curve(data, "one-mlm"), rel=1e-4)


@pytest.mark.slow
def test_a_divided_model_is_measured_by_what_it_writes(data: Path) -> None:
    """Of more texts than one batch holds, by processes that have threads for two at once."""
    lines = (data / "pairs.tsv").read_text().splitlines(keepends=True)
    (data / "valid.tsv").write_text("".join(lines[:130]))
    more = ("--valid", str(data / "valid.tsv"), "--threads", "2", "--set", "training.metric=exact_match")
    train(data, 2, "written", "--steps", "5", "--shard", *more)
    assert "valid_exact_match" in (data / "written" / "metrics.jsonl").read_text()


@pytest.mark.slow
def test_snapshots_of_a_divided_model_are_whole(data: Path) -> None:
    options = ("--steps", "5", "--set", "model.dropout=0", "--set", "training.keep_every=5")
    shown = train(data, 2, "divided", "--shard", *options)
    assert shown.count("2 snapshots of ") == 1, "only the main process speaks"
    train(data, 1, "together", *options)
    divided, together = snapshots(data / "divided"), snapshots(data / "together")
    assert list(divided) == list(together) == [0, 5]
    both = [load_file(folders[0] / "model.safetensors") for folders in (divided, together)]
    assert both[0].keys() == both[1].keys()
    assert all(torch.equal(tensor, both[1][name]) for name, tensor in both[0].items())
    last, kept = (load_file(folder / "model.safetensors") for folder in (divided[5], data / "divided"))
    assert all(torch.equal(tensor, kept[name]) for name, tensor in last.items())
    assert any(not torch.equal(tensor, both[0][name]) for name, tensor in last.items())


def test_a_run_that_is_asked_to_stop_saves_where_it_is(data: Path) -> None:
    """`torchrun` hands a SIGTERM, as a cluster sends it, on to its processes."""
    running = start(data, 2, "asked", "--steps", "100000", "--save-every", "100000")
    deadline = time.monotonic() + 100
    while not (data / "asked" / "metrics.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    shown, _ = running.communicate(timeout=100)
    assert running.returncode != 0
    (step,) = map(int, re.findall(r"interrupted at step (\d+)", shown))
    assert (data / "asked.training" / f"step-{step:08d}").exists()
    again = train(data, 2, "asked", "--steps", str(step + 3), "--save-every", "100000", "--resume")
    assert f"resumed at step {step:,}\n" in again


@pytest.mark.slow
def test_processes_train_one_model_after_the_other(data: Path) -> None:
    script = data / "several.py"
    script.write_text(
        "from regard.runs.train import train\n"
        "settings = {'model': {'model_dim': 24, 'num_heads': 2}, 'training': {'steps': 2}}\n"
        f"for number in (1, 2, 3):\n    train({str(data / 'pairs.tsv')!r}, f'{data}/several-{{number}}', settings=settings)\n"
    )
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    done = subprocess.run(
        torchrun, capture_output=True, text=True, timeout=200, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (data / "several-3" / "results.json").is_file()


def test_when_one_is_killed_the_others_say_so_and_nothing_is_lost(data: Path) -> None:
    running = start(data, 2, "killed", "--steps", "100000", "--save-every", "5")
    states, deadline = data / "killed.training", time.monotonic() + 100
    while len(list(states.glob("step-*"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True).stdout
    last = max(map(int, children.split()))
    os.kill(last, signal.SIGKILL)
    shown, _ = running.communicate(timeout=100)
    assert running.returncode != 0
    assert re.search(r"regard: all 2 processes .*process 0 lost another one at step \d.*`--resume`", shown)
    assert "Traceback (most recent call last):\n  File" not in shown.split("torch/distributed")[0]
    steps = [int(path.name.removeprefix("step-")) for path in states.glob("step-*")]
    again = train(data, 1, "killed", "--steps", str(max(steps) + 3), "--resume")
    assert f"resumed at step {max(steps):,}" in again


@pytest.mark.slow
def test_a_process_of_several_ends_without_shutting_python_down(data: Path) -> None:
    """What is done at the end of Python is not done, as threads of gloo may still need it; the exit status is the command's."""
    (data / "sitecustomize.py").write_text("import atexit\natexit.register(print, 'Python shut down', flush=True)\n")
    for processes, output, status in ((2, "ended", 0), (1, "ended-alone", 0), (2, "ended", 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(data), os.environ.get("PYTHONPATH")])))
            running = start(data, processes, output, "--steps", "2")  # the third: the folder is there
        shown, _ = running.communicate(timeout=200)
        assert running.returncode == status, shown
        assert shown.count("Python shut down") == 1  # that of torchrun, or of the process alone
        assert ("holds checkpoints" in shown) == (status == 1)


@pytest.mark.slow
def test_an_adapter_of_several_processes_is_that_of_one(data: Path) -> None:
    """Its losses, its weights up to rounding, and its record; also when it was stopped, and went on with a divided model."""
    train(data, 1, "base", "--steps", "3")
    options = [part for part in OPTIONS if "model." not in part and "tokenizer." not in part]
    options = [part for at, part in enumerate(options) if part != "--set" or not options[at + 1].startswith("--")]
    options += ["--from", str(data / "base"), "--set", "adapter.rank=2", "--set", "model.dropout=0"]
    for output, processes, more in (
        ("one-a", 1, ["--steps", "20"]),
        ("two-a", 2, ["--steps", "10"]),
        ("two-a", 3, ["--steps", "20", "--resume", "--shard"]),
    ):
        launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        command = ["-m", "regard", "train", str(data / "pairs.tsv"), "-o", str(data / output), *options, *more]
        done = subprocess.run(
            [sys.executable, *(launcher if processes > 1 else []), *command], capture_output=True, text=True, timeout=200,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
    assert curve(data, "two-a") == pytest.approx(curve(data, "one-a"), rel=1e-4)
    adapters = [load_file(data / name / "adapter.safetensors") for name in ("one-a", "two-a")]
    assert adapters[0].keys() == adapters[1].keys()
    for name, tensor in adapters[0].items():
        if ".key_proj." not in name:
            torch.testing.assert_close(adapters[1][name], tensor, rtol=1e-3, atol=1e-4)
    assert (data / "one-a" / "adapter.json").read_text() == (data / "two-a" / "adapter.json").read_text()
