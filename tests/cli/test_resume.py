"""`regard train --resume`: runs that are killed anywhere go on to the same end."""

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
import torch
from small_runs import OPTIONS, metrics, process, same_model, same_state, train, write_data

import regard
from regard.checkpoint import load_model
from regard.cli.main import run
from regard.errors import SettingsError
from regard.runs.resuming import STEPS, check_steps, to_give_again
from regard.runs.run_folder import FolderWriter as Writer
from regard.runs.settings.defaults import to_fit
from regard.runs.settings.run_settings import RunSettings
from regard.training.distributed import World
from regard.training.state import TrainingState, snapshots
from regard.training.trainer import Trainer
from regard.training.training_run import TrainingRun


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def undisturbed(data: Path) -> Path:
    train(data, "whole", 60)
    return data


def test_a_scheduler_ends_it_after_a_step_and_resume_goes_on_to_the_same_end(undisturbed: Path) -> None:
    data = undisturbed
    running = process(data, "stopped", 60, "--save-every", "7")
    deadline = time.monotonic() + 60
    while not list((data / "stopped.training").glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(signal.SIGUSR1)
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 75, output
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
    assert kill_repeatedly(data, "killed", 60, 5) >= 3
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
    assert re.search("training.steps was 35 and is 60: .*learning rate .*linear schedule of 60 steps", shown)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_fewer_steps_than_were_done_are_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--save-every", "5", "--seed", "3"]
    train(data, "done", 12, *given)
    before = contents(data / "done"), contents(data / "done.training")
    train(data, "done", 11, "--resume", *given, code=2)
    shown = " ".join(capsys.readouterr().err.split())
    assert "training.steps must be at least the 12 that this run has done; got 11." in shown
    assert "resumed at" not in shown
    assert (contents(data / "done"), contents(data / "done.training")) == before
    train(data, "done", 12, "--resume", *given)  # finished as it was


def test_steps_of_the_preset_are_refused_where_more_were_done() -> None:
    """Where nobody says how many there are to be, the message asks for the number."""
    state = TrainingState({}, {"step": 9000}, {STEPS: 10_000})
    with pytest.raises(SettingsError, match=r"at least the 9,000 .*; got 7,500\. Add `--steps 10000`"):
        check_steps(state, RunSettings.build("tiny"))


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


def test_another_seed_or_other_data_is_refused(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    train(data, "whole", 60, "--resume", "--seed", "2", code=2)
    assert re.search(r"`--resume` .*training\.seed was 1 and is 2\.", " ".join(capsys.readouterr().err.split()))
    train(data, "whole", 60, "--resume", "--set", "training.label_smoothing=0.2", code=2)
    assert "training.label_smoothing was 0.1 and is 0.2" in capsys.readouterr().err
    train(data, "whole", 60, "--resume", "--set", "model.dropout=0.3", code=2)
    assert "model.dropout was" in capsys.readouterr().err
    train(data, "whole", 60, "--resume", "--save-every", "often", code=2)
    assert re.search("--save-every .*500.*10m.*got 'often'", " ".join(capsys.readouterr().err.split()))


@pytest.mark.parametrize(
    ("given", "again", "lacking"),
    [
        (["--set", "training.label_smoothing=0.2"], [], "--set training.label_smoothing=0.2"),
        (["--seed", "3"], [], "--seed 3"),
        (["--arch", "rnn"], [], "--arch rnn"),
        (["--set", "data.tags=[<x>]", "--set", "data.max_ratio=9"], [],
         "--set data.max_ratio=9.0 --set 'data.tags=[\"<x>\"]'"),
        (["--set", "data.max_ratio=9", "--seed", "3"], ["--seed", "4"], None),
    ],
)  # fmt: skip
def test_an_option_that_was_given_at_the_start_is_asked_for(
    data: Path, capsys: pytest.CaptureFixture[str], given: list[str], again: list[str], lacking: str | None
) -> None:
    words = [
        "train",
        str(data / "source"),
        str(data / "target"),
        "--steps",
        "1",
        "--threads",
        "1",
        "-o",
        str(data / "lacking"),
    ]
    small = ["--set", "model.model_dim=8", "--set", "tokenizer.kind=characters"]
    if "rnn" not in given:
        small += ["--set", "model.ff_dim=8", "--set", "model.num_heads=1"]
    with pytest.raises(SystemExit) as ended:
        run([*words, *small, *given, "--overwrite"])
    assert not ended.value.code
    capsys.readouterr()
    with pytest.raises(SystemExit):
        run([*words, *small, *again, "--resume"])
    shown = " ".join(capsys.readouterr().err.split())
    assert (f"; got no `{lacking}`. Add it" if lacking else "got a change: training.seed was 3 and is 4.") in shown


def test_a_preset_of_the_start_is_asked_for() -> None:
    then = RunSettings.build("small", {"data": {"max_ratio": 4.0}, "model": {"dropout": 0.5}})
    now = RunSettings.build("tiny")
    made_of = [
        {
            f"{section}.{key}": value
            for section, values in each.model_dump(mode="json").items()
            for key, value in values.items()
        }
        for each in (then, now)
    ]
    found = to_give_again(made_of[0], made_of[1], now, to_fit(then))
    assert found == ["--preset small", "--set data.max_ratio=4.0", "--set model.dropout=0.5"]


def test_nothing_to_resume_is_said_and_a_run_begins(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(data, "fresh", 5, "--resume")
    assert "nothing to resume" in capsys.readouterr().err
    assert (data / "fresh" / "model.safetensors").is_file()


def test_processes_that_see_different_checkpoints_do_not_go_on(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    train(data, "divided", 10)
    with monkeypatch.context() as patch:
        patch.setattr(World, "gather", lambda self, thing: [thing, 0] if thing == 10 else [thing])
        train(data, "divided", 12, "--resume", code=2)
    assert "process 0 found step 10, process 1 step 0." in " ".join(capsys.readouterr().err.split())


def test_other_threads_are_said(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(data, "threads", 5)
    train(data, "threads", 6, "--resume", "--threads", "2")
    shown = " ".join(capsys.readouterr().err.split())
    assert re.search(r"resumed at step 5; machine\.threads was 1 and is 2, .*last bits", shown)


SMALL = ["--threads", "1", "--set", "model.model_dim=16", "--set", "tokenizer.vocab_size=60",
         "--set", "training.batch_tokens=80", "--set", "training.validate_every=4", "--set", "training.keep_every=4", "--set",
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
    whole, parts = snapshots(tmp_path / "whole"), snapshots(tmp_path / "parts")
    assert list(whole) == list(parts) == [0, 4, 8]
    for step, folder in whole.items():
        assert same_model(tmp_path, str(folder), str(parts[step]))
        assert type(regard.load(folder)) is type(regard.load(tmp_path / "whole"))
