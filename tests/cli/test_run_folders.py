"""The folders of a run: nothing in them is lost by mistake, and a run that fails leaves what it should."""

import itertools
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from small_runs import OPTIONS, process, train, write_data

from regard.cli.main import run
from regard.errors import ModelFolderError, SettingsError
from regard.evaluation.likelihood import Likelihood
from regard.runs import run_folder
from regard.runs.run_folder import FolderWriter as Writer
from regard.runs.run_folder import claimed
from regard.runs.tasks import pairs
from regard.training.process import run_lock
from regard.training.trainer import Trainer
from regard.training.training_run import TrainingRun


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def undisturbed(data: Path) -> Path:
    train(data, "whole", 60)
    return data


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


def test_an_earlier_run_is_not_lost_by_mistake(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    train(data, "first", 5)
    (data / "first" / "mine.txt").write_text("notes")
    train(data, "first", 9, "--resume", code=2)
    assert re.search(r"first also holds .*mine\.txt", " ".join(capsys.readouterr().err.split()))
    assert (data / "first" / "mine.txt").is_file()
    train(data, "first", 5, code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search("first.training holds checkpoints.*`--resume`.*`--overwrite`", shown)
    (data / "first" / "mine.txt").unlink()
    train(data, "first", 5, "--resume", "--overwrite", code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search("`--resume` contradicts `--overwrite`: .*first.training holds checkpoints.*Remove one", shown)
    train(data, "first", 5, "--overwrite")
    shutil.rmtree(data / "first.training")
    train(data, "first", 5, "--resume", "--overwrite")  # there is nothing to resume


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_folder_is_written_by_one_run_at_a_time(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    running, states = process(data, "shared", 100_000), data / "shared.training"
    deadline = time.monotonic() + 60
    while not list(states.glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    for how in ("--resume", "--overwrite"):
        train(data, "shared", 100_000, how, code=2)
        assert re.search("shared.training .*one run at a time", " ".join(capsys.readouterr().err.split()))
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
        with run_lock(states):
            yield

    monkeypatch.setattr(run_folder, "run_lock", late)
    with (
        pytest.raises(ModelFolderError, match=r"must not hold a model; got .*--overwrite"),
        claimed(tmp_path / "m", overwrite=False),
    ):
        raise AssertionError


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_a_folder_by_another_name_is_the_same(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "called").symlink_to(data / "meant")
    with claimed(data / "meant", overwrite=False):
        for name in ("called", "new/../called"):
            train(data, name, 10, code=2)
            assert re.search("meant.training .*one run at a time", " ".join(capsys.readouterr().err.split()))
    train(data, "new/../meant", 10)
    assert (data / "meant" / "results.json").is_file()
    train(data, "called", 20, "--resume")
    assert "resumed at step 10" in capsys.readouterr().err
    assert not list(data.glob("called.training")) + list(data.glob("new"))


def of_loss(loss: float) -> Likelihood:
    return Likelihood({0: [-float(loss)]}, 1, {0: 0})


def test_a_best_model_that_is_gone_is_missed_at_once(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = itertools.count()
    monkeypatch.setattr(pairs, "likelihood", lambda *_: of_loss(next(losses)))
    train(data, "moved", 20)  # the best is the first
    (data / "moved").rename(data / "elsewhere")
    for steps in (20, 22):
        train(data, "moved", steps, "--resume", code=2)
        shown = " ".join(capsys.readouterr().err.split())
        assert re.search("`--resume` needs the best model.*not in .*moved.*`--overwrite`", shown)
    (data / "elsewhere").rename(data / "moved")
    train(data, "moved", 22, "--resume")
    aside = data / ".moved.abcd1234"  # where it is for a moment while another takes its place
    (aside / "new").mkdir(parents=True)
    (data / "moved").rename(aside / "old")
    train(data, "moved", 24, "--resume")
    assert not aside.exists()


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
    for steps, said in ((30, "must be a finite number"), (3, f"the validation {metric} must be a number")):
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
            lambda *_: os.kill(os.getpid(), signal.SIGTERM) or of_loss(1.0),
        )
        train(data, "late", 5, code=75)
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
