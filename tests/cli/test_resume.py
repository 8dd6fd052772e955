"""`regard train --resume`: runs that are killed anywhere go on to the same end."""

import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file

from regard.checkpoint import load_model
from regard.cli.main import run
from regard.errors import ModelFolderError, SettingsError
from regard.training.distributed import World
from regard.training.process import only_run
from regard.training.run import TrainingRun
from regard.training.trainer import Trainer
from regard.workflow import run as workflow_run
from regard.workflow.run import _Writer as Writer
from regard.workflow.run import claimed
from regard.workflow.tasks import pairs

ALPHABET = "abcdefghij"
OPTIONS = ["--set", "model.model_dim=24", "--set", "model.ff_dim=32", "--set", "model.num_heads=2",
           "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1", "--precision", "float32",
           "--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=30", "--set", "training.batch_tokens=200",
           "--set", "training.validate_every=10", "--set", "training.report_every=5", "--threads", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("resume"), random.Random(1)
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


@pytest.fixture(scope="module")
def undisturbed(data: Path) -> Path:
    train(data, "whole", 60)
    return data


def test_sigterm_ends_after_a_step_and_resume_goes_on_to_the_same_end(undisturbed: Path) -> None:
    data = undisturbed
    running = process(data, "stopped", 60, "--save-every", "7")
    deadline = time.monotonic() + 60
    while not list((data / "stopped.training").glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 130, output
    assert "--resume" in output
    train(data, "stopped", 60, "--resume")
    assert same_model(data, "whole", "stopped")
    assert same_state(data, "whole", "stopped", 60)
    assert metrics(data, "whole") == metrics(data, "stopped")


def kill_repeatedly(data: Path, output: str, steps: int, times: int) -> int:
    """SIGKILL at random moments of a run that saves at every step, saves included; how often it was killed."""
    rng, kills, states = random.Random(5), 0, data / f"{output}.training"

    def newest() -> str:
        return max((path.name for path in states.glob("step-*")), default="")

    while kills < times:
        running, before = process(data, output, steps, "--save-every", "1", *(["--resume"] if kills else [])), newest()
        while running.poll() is None and newest() == before:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.25)
        if running.poll() is not None:
            running.communicate()
            break
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        kills += 1
    return kills


def test_killed_again_and_again_it_comes_to_the_same_end(undisturbed: Path) -> None:
    data = undisturbed
    assert kill_repeatedly(data, "killed", 60, 12) >= 3
    train(data, "killed", 60, "--resume")
    assert same_model(data, "whole", "killed")
    assert same_state(data, "whole", "killed", 60)
    assert metrics(data, "whole") == metrics(data, "killed")


@pytest.mark.slow
def test_killed_at_30_moments(data: Path) -> None:
    train(data, "whole300", 300)
    assert kill_repeatedly(data, "killed300", 300, 30) == 30
    train(data, "killed300", 300, "--resume")
    assert same_model(data, "whole300", "killed300")
    assert same_state(data, "whole300", "killed300", 300)
    assert metrics(data, "whole300") == metrics(data, "killed300")


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_fills_up(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The run ends with a message, what was saved is whole, and with more room it goes on to the same end."""
    data, disk = undisturbed, undisturbed / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(disk)], check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        (disk / "filler").write_bytes(b"x" * 180_000)
        train(data, "disk/m", 60, "--save-every", "7", code=2)
        shown = capsys.readouterr().err  # a checkpoint, or the weights themselves
        assert "must be writable" in shown
        assert "got: No space left on device" in shown
        assert not list((disk / "m.training").glob(".step-*"))
        subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
        train(data, "disk/m", 60, "--resume")
        assert same_model(data, "whole", "disk/m")
        assert same_state(data, "whole", "disk/m", 60)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_more_steps_than_before(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    # With a warm-up that is longer than both, the schedule is the same up to the end.
    given = ["--set", "training.warmup_steps=1000", "--set", "training.average_decay=0.999"]
    train(data, "long", 60, *given)
    train(data, "short", 35, *given)
    train(data, "short", 60, "--resume", *given)
    assert same_state(data, "long", "short", 60)
    shown = " ".join(capsys.readouterr().err.split())
    assert (
        "training.steps was 35 and is 60: from here on, the learning rate is that of a linear schedule of 60" in shown
    )


@pytest.mark.parametrize("step", [10, 20])
def test_killed_between_a_checkpoint_and_its_model(
    undisturbed: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checkpoints are asked for at the end only: what is there was written with the best models."""
    data, output, keep = undisturbed, f"between-{step}", Writer.keep

    def dying(writer: Writer, model: torch.nn.Module, run: TrainingRun) -> None:
        if run.step == step:
            raise SystemExit(9)
        keep(writer, model, run)

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "keep", dying)
        train(data, output, 60, "--save-every", "100000", code=9)
    assert (data / output).exists() == (step > 10)
    train(data, output, 60, "--save-every", "100000", "--resume")
    assert same_model(data, "whole", output)
    assert same_state(data, "whole", output, 60)
    assert metrics(data, "whole") == metrics(data, output)


def test_another_runs_folder_does_not_lend_its_vocabulary(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that replaces a model, killed before it has one of its own, and resumed."""
    train(data, "lent", 10)
    (data / "digits.tsv").write_text("".join(f"{i:03}\t{i:03}\n" for i in range(200)))
    command = [
        "train",
        str(data / "digits.tsv"),
        "-o",
        str(data / "lent"),
        "--steps",
        "12",
        *OPTIONS,
        "--save-every",
        "5",
    ]

    def dying(trainer: Trainer) -> None:
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_validate", dying)
        with pytest.raises(SystemExit, match="9"):
            run([*command, "--overwrite"])
    with pytest.raises(SystemExit):
        run([*command, "--resume"])
    tokenizer = load_model(data / "lent").tokenizer
    assert tokenizer.decode(tokenizer.encode("123")) == "123"


def test_scores_of_weights_that_are_gone_are_gone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(data, "stale", 10)
    scores = [data / "stale" / name for name in ("results.json", "README.md", "report.html")]
    assert all(path.is_file() for path in scores)
    keep = Writer.keep

    def dying(writer: Writer, model: torch.nn.Module, run: TrainingRun) -> None:
        keep(writer, model, run)
        if run.step == 20:
            raise SystemExit(9)

    monkeypatch.setattr(Writer, "keep", dying)
    train(data, "stale", 30, "--resume", code=9)
    assert not any(path.exists() for path in scores)


def test_another_seed_or_other_data_is_refused(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    train(data, "whole", 60, "--resume", "--seed", "2", code=2)
    assert "got a change: training.seed was 1 and is 2." in capsys.readouterr().err
    train(data, "whole", 60, "--resume", "--set", "training.label_smoothing=0.2", code=2)
    assert "training.label_smoothing was 0.1 and is 0.2" in capsys.readouterr().err
    train(data, "whole", 60, "--resume", "--set", "model.dropout=0.3", code=2)
    assert "model.dropout was" in capsys.readouterr().err
    train(data, "whole", 60, "--resume", "--save-every", "often", code=2)
    assert "--save-every must be steps" in capsys.readouterr().err


def test_nothing_to_resume_is_said_and_a_run_begins(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(data, "fresh", 5, "--resume")
    assert "nothing to resume" in capsys.readouterr().err
    assert (data / "fresh" / "model.safetensors").is_file()


def test_an_earlier_run_is_not_lost_by_mistake(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    train(data, "first", 5)
    (data / "first" / "mine.txt").write_text("notes")
    train(data, "first", 9, "--resume", code=2)
    assert "must hold a model and nothing else; got" in capsys.readouterr().err
    assert (data / "first" / "mine.txt").is_file()
    train(data, "first", 5, code=2)
    assert "must not hold checkpoints of an earlier run" in capsys.readouterr().err
    (data / "first" / "mine.txt").unlink()
    train(data, "first", 5, "--overwrite")


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_folder_is_written_by_one_run_at_a_time(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    running, states = process(data, "shared", 100_000), data / "shared.training"
    deadline = time.monotonic() + 60
    while not list(states.glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    for how in ("--resume", "--overwrite"):
        train(data, "shared", 100_000, how, code=2)
        assert "must be written by one run at a time; another one is under way" in capsys.readouterr().err
    assert running.poll() is None
    running.kill()
    running.communicate()
    train(data, "shared", 20, "--overwrite")
    assert [path.name for path in sorted(states.iterdir())] == ["step-00000010", "step-00000020"]


def test_somebody_elses_files_beside_the_checkpoints_stay(data: Path) -> None:
    states = data / "mine.training"
    (states / "texts").mkdir(parents=True)
    for name in ("source", "target"):
        shutil.copy(data / name, states / "texts" / name)
    with pytest.raises(SystemExit) as ended:
        run(["train", str(states / "texts" / "source"), str(states / "texts" / "target"), "-o", str(data / "mine"),
             "--steps", "10", *OPTIONS])  # fmt: skip
    assert not ended.value.code
    train(data, "mine", 20, "--overwrite")
    assert {path.name for path in states.iterdir()} == {"texts", "step-00000010", "step-00000020"}
    assert (states / "texts" / "source").read_text() == (data / "source").read_text()


def test_what_another_run_has_just_written_is_not_replaced(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def late(states: Path) -> Iterator[None]:
        shutil.copytree(undisturbed / "whole", tmp_path / "m")  # the other one ends between our look and our lock
        with only_run(states):
            yield

    monkeypatch.setattr(workflow_run, "only_run", late)
    with pytest.raises(ModelFolderError, match="must not hold a model yet"), claimed(tmp_path / "m", overwrite=False):
        raise AssertionError


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_folder_by_another_name_is_the_same(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "called").symlink_to(data / "meant")
    with claimed(data / "meant", overwrite=False):
        for name in ("called", "new/../called"):
            train(data, name, 10, code=2)
            assert "another one is under way" in capsys.readouterr().err
    train(data, "new/../meant", 10)
    assert (data / "meant" / "results.json").is_file()
    train(data, "called", 20, "--resume")
    assert "resumed at step 10" in capsys.readouterr().err
    assert not list(data.glob("called.training")) + list(data.glob("new"))


def test_a_best_model_that_is_gone_is_missed_at_once(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = itertools.count()
    monkeypatch.setattr(pairs, "likelihood", lambda *_: SimpleNamespace(loss=next(losses), token_accuracy=0.0))
    train(data, "moved", 20)  # the best is the first
    (data / "moved").rename(data / "elsewhere")
    for steps in (20, 22):
        train(data, "moved", steps, "--resume", code=2)
        assert "must find the best model so far in " in capsys.readouterr().err
    (data / "elsewhere").rename(data / "moved")
    train(data, "moved", 22, "--resume")
    aside = data / ".moved.abcd1234"  # where it is for a moment while another takes its place
    (aside / "new").mkdir(parents=True)
    (data / "moved").rename(aside / "old")
    train(data, "moved", 24, "--resume")
    assert not aside.exists()


def test_processes_that_see_different_checkpoints_do_not_go_on(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    train(data, "divided", 10)
    with monkeypatch.context() as patch:
        patch.setattr(World, "of_all", lambda self, thing: [thing, 0] if thing == 10 else [thing])
        train(data, "divided", 12, "--resume", code=2)
    assert "process 0 found step 10, process 1 step 0." in " ".join(capsys.readouterr().err.split())


def test_other_threads_are_said(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(data, "threads", 5)
    train(data, "threads", 6, "--resume", "--threads", "2")
    shown = " ".join(capsys.readouterr().err.split())
    assert "resumed at step 5; machine.threads was 1 and is 2, so its last bits may be others" in shown


def test_the_curve_of_a_run_that_fails_is_written_down(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = (
        "--set",
        "training.learning_rate=1e38",
        "--set",
        "training.warmup_steps=1",
        "--set",
        "training.report_every=1",
    )
    train(data, "failed", 50, *broken, "--set", "training.validate_every=40", code=2)
    assert "must be a finite number" in capsys.readouterr().err
    lines = (data / "failed.training" / "metrics.jsonl").read_text().splitlines()
    records = [json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is not JSON")) for line in lines]
    assert records[0]["loss"] > 0
    assert records[-1]["loss"] is None
    train(data, "failed", 5, "--overwrite")
    assert not (data / "failed.training" / "metrics.jsonl").exists()


@pytest.mark.parametrize("metric", ["loss", "bleu"])
def test_a_model_without_a_score_is_not_kept(data: Path, metric: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor is it searched for what it would write: there is nothing to find in it."""
    output = f"diverged-{metric}"
    train(data, output, 2)
    before = (data / output / "model.safetensors").read_bytes()
    capsys.readouterr()
    broken = ("training.learning_rate=1e38", "training.warmup_steps=1", f"training.metric={metric}")
    settings = [word for setting in broken for word in ("--set", setting)]
    for steps, said in ((30, "must be a finite number"), (3, f"the {metric} of a validation must be a number")):
        train(data, output, steps, *settings, "--set", "training.validate_every=2", "--overwrite", code=2)
        shown = " ".join(capsys.readouterr().err.split())
        assert said in shown
        assert "(best, kept)" not in shown
        assert (data / output / "model.safetensors").read_bytes() == before


def test_a_run_that_cannot_begin_replaces_nothing(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    train(data, "kept", 5)
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    train(data, "kept", 5, "--overwrite", "--tensorboard", code=2)
    shown = capsys.readouterr().err
    assert "pip install 'regard[tensorboard]'" in shown
    assert "pairs from" not in shown
    monkeypatch.setattr(Trainer, "__init__", lambda *_, **__: (_ for _ in ()).throw(SettingsError("cannot be divided")))
    train(data, "kept", 5, "--overwrite", code=2)
    assert "cannot be divided" in capsys.readouterr().err
    assert (data / "kept.training" / "step-00000005").is_dir()


def test_a_stop_in_the_last_step_is_heard(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            pairs,
            "likelihood",
            lambda *_: os.kill(os.getpid(), signal.SIGTERM) or SimpleNamespace(loss=1.0, token_accuracy=0.0),
        )
        train(data, "late", 5, code=130)
    assert "interrupted at step 5." in " ".join(capsys.readouterr().err.split())
    assert not (data / "late" / "results.json").exists()
    train(data, "late", 5, "--resume")
    assert (data / "late" / "results.json").is_file()


def test_a_folder_that_cannot_be_written_any_more_does_not_hide_what_ended_a_run(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = Trainer._seed

    def barring(trainer: Trainer) -> None:
        seed(trainer)
        shutil.rmtree(data / "barred-later.training")
        (data / "barred-later.training").write_text("a file is in the way")

    monkeypatch.setattr(Trainer, "_seed", barring)
    broken = ("--set", "training.learning_rate=1e38", "--set", "training.warmup_steps=1")
    train(data, "barred-later", 50, *broken, "--set", "training.validate_every=40", code=2)
    assert "must be a finite number" in capsys.readouterr().err


def test_a_folder_that_checkpoints_cannot_go_to_is_said_at_once(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "barred.training").write_text("a file is in the way")
    train(data, "barred", 20, code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert "barred.training must be a folder that can be written" in shown
    assert "pairs from" not in shown


SMALL = ["--threads", "1", "--set", "model.model_dim=16", "--set", "tokenizer.vocab_size=60",
         "--set", "training.batch_tokens=80", "--set", "training.validate_every=4", "--set",
         "training.accumulation=2", "--set", "training.warmup_steps=1000"]  # fmt: skip
NARROW = ["--set", "model.ff_dim=16", "--set", "model.num_heads=2"]
PAIRS = [*NARROW, "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1",
         "--set", "data.weights=[1, 2]", "--set", "data.concatenation=0.5", "--set", "data.bpe_dropout=0.3",
         "--set", "training.metric=chrf"]  # fmt: skip
TEXTS = [*NARROW, "--set", "model.num_layers=1"]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["a.tsv", "b.tsv"], PAIRS),
        (["text"], [*TEXTS, "--arch", "decoder", "--set", "model.max_positions=9"]),
        (["text"], [*TEXTS, "--arch", "encoder", "--task", "mlm"]),
        (["classes"], [*TEXTS, "--arch", "encoder", "--task", "classify"]),
        (["tags"], [*TEXTS, "--arch", "encoder", "--task", "tag"]),
        (["a.tsv"], ["--arch", "rnn", "--set", "training.average_decay=0"]),
    ],
    ids=["pairs", "decoder", "mlm", "classify", "tag", "rnn"],
)
def test_every_kind_of_run_goes_on_to_the_same_end(names: list[str], options: list[str], tmp_path: Path) -> None:
    rng = random.Random(2)
    words = ["".join(rng.choices("abcd", k=rng.randint(1, 6))) for _ in range(120)]
    (tmp_path / "a.tsv").write_text("".join(f"{word} {word}\t{word[::-1]}\n" for word in words[:80]))
    (tmp_path / "b.tsv").write_text("".join(f"{word}\t{word} x\n" for word in words[80:]))
    (tmp_path / "text").write_text("".join(f"{word} and {word}\n" for word in words))
    (tmp_path / "classes").write_text("".join(f"{'yn'['a' in word]}\t{word}\n" for word in words))
    (tmp_path / "tags").write_text("".join(f"{word}\t{word[0]}\n" + "\n" * (len(word) > 3) for word in words))
    command = ["train", *(str(tmp_path / name) for name in names), *SMALL, *options]
    for output, more in (("whole", ["--steps", "9"]), ("parts", ["--steps", "5", "--save-every", "5"]),
                         ("parts", ["--steps", "9", "--resume"])):  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            run([*command, "-o", str(tmp_path / output), *more])
        assert not ended.value.code
    assert same_state(tmp_path, "whole", "parts", 9)
