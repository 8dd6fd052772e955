"""`training.keep_every`: the same models stay, however the run came to its end."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from running import outcome, refused
from safetensors.torch import load_file
from small_runs import arguments, same_model, train, write_data

from regard.checkpoint import load_model
from regard.models.registry import build
from regard.runs.run_folder import FolderWriter as Writer
from regard.training.state import best_folder, snapshot_folder, snapshots
from regard.training.training_run import TrainingRun

EVERY_3 = ["--set", "training.keep_every=3", "--set", "training.schedule=constant", "--set", "training.warmup_steps=4",
           "--set", "training.learning_rate=0.01", "--set", "training.average_decay=0.9", "--save-every", "5"]  # fmt: skip
"""Options with which the first steps of a run do not depend on how many there are."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def undisturbed(data: Path) -> Path:
    train(data, "whole", 10, *EVERY_3)
    return data


def same_snapshots(data: Path, first: str, second: str) -> bool:
    one, other = snapshots(data / first), snapshots(data / second)
    return list(one) == list(other) and all(same_model(data, str(one[step]), str(other[step])) for step in one)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def test_each_is_a_model_that_commands_open(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = undisturbed
    found = snapshots(data / "whole")
    assert found == {step: data / "whole.training" / "snapshots" / f"step-{step:08d}" for step in (0, 3, 6, 9)}
    assert list(found) == [0, 3, 6, 9]
    for folder in found.values():
        code, shown, _ = outcome(capsys, "translate", folder, data / "source", "--beam", "1", "--max-length", "3")
        assert (code, len(shown.splitlines())) == (0, 300)


def test_the_first_one_is_untrained(undisturbed: Path) -> None:
    model = load_model(snapshots(undisturbed / "whole")[0]).model
    with torch.random.fork_rng():
        torch.manual_seed(1)
        untrained = dict(build(model.config).named_parameters())
    assert untrained.keys() == dict(model.named_parameters()).keys()
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, untrained[name]), name


def test_one_is_what_a_run_of_so_many_steps_keeps(undisturbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The best few are kept beside them, and change none."""
    data = undisturbed
    capsys.readouterr()
    train(data, "six", 6, *EVERY_3, "--set", "training.keep_best=2", "--set", "training.validate_every=3")
    shown = capsys.readouterr().err
    size = 4 * sum(tensor.numel() for tensor in weights(data / "six").values())
    assert f"3 snapshots of {size / 1000:.1f}kB each will be in {snapshot_folder(data / 'six')}" in shown
    assert "the 2 best models are in" in shown
    found = snapshots(data / "six")
    assert list(found) == [0, 3, 6]
    for step, best in ((3, "step-00000003"), (6, "step-00000006")):
        assert same_model(data, str(found[step]), str(best_folder(data / "six") / best))
        assert same_model(data, str(found[step]), str(snapshots(data / "whole")[step]))
    assert same_model(data, str(snapshots(data / "whole")[6]), "six")
    assert not same_model(data, str(found[3]), str(found[6]))


@pytest.mark.parametrize(("decay", "which", "other"), [("0.9", "average", "weights"), ("0", "weights", None)])
def test_its_weights_are_those_that_are_validated(data: Path, decay: str, which: str, other: str | None) -> None:
    output = f"averaged-{decay}"
    train(data, output, 3, *EVERY_3, "--set", f"training.average_decay={decay}")
    state = load_file(data / f"{output}.training" / "step-00000003" / "state.safetensors")
    found = weights(snapshots(data / output)[3])
    assert all(torch.equal(tensor, state[f"{which}.{name}"]) for name, tensor in found.items())
    if other:
        assert any(not torch.equal(tensor, state[f"{other}.{name}"]) for name, tensor in found.items())


def test_a_run_that_is_resumed_has_the_same(undisturbed: Path) -> None:
    data = undisturbed
    train(data, "parts", 5, *EVERY_3)
    assert list(snapshots(data / "parts")) == [0, 3]
    train(data, "parts", 10, *EVERY_3, "--resume")
    assert same_snapshots(data, "whole", "parts")


def test_those_after_the_checkpoint_are_written_again(undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run dies at step 9, and its last checkpoint is of step 5."""
    data, keep, options = undisturbed, Writer.keep_snapshot, [*EVERY_3, "--set", "training.validate_every=5"]

    def dying(writer: Writer, model: torch.nn.Module, run: TrainingRun) -> None:
        if run.step == 9:
            raise SystemExit(9)
        keep(writer, model, run)

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "keep_snapshot", dying)
        train(data, "killed", 10, *options, code=9)
    assert list(snapshots(data / "killed")) == [0, 3, 6]
    train(data, "killed", 5, *options, "--resume")  # which now ends before step 6
    assert list(snapshots(data / "killed")) == [0, 3]
    train(data, "killed", 10, *options, "--resume")
    assert same_snapshots(data, "whole", "killed")


def test_one_of_the_checkpoints_own_step_is_there_before_it(undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, save = undisturbed, Writer.save

    def dying(writer: Writer, tensors: dict[str, torch.Tensor], run: TrainingRun) -> None:
        save(writer, tensors, run)
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "save", dying)
        train(data, "saved", 10, *EVERY_3, "--save-every", "3", code=9)
    assert (data / "saved.training" / "step-00000003").is_dir()
    train(data, "saved", 10, *EVERY_3, "--resume")
    assert same_snapshots(data, "whole", "saved")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_was_being_written_is_none(undisturbed: Path) -> None:
    """The process is killed in the middle of the second snapshot, when there is no checkpoint yet."""
    data = undisturbed
    script = (
        "import os, signal, sys\n"
        "import regard.checkpoint as checkpoint\n"
        "from regard.cli.main import run\n"
        "save, count = checkpoint.save_weights, []\n"
        "def dying(*arguments):\n"
        "    count.append(arguments)\n"
        "    if len(count) == 2:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    save(*arguments)\n"
        "checkpoint.save_weights = dying\n"
        "run(sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", script, *arguments(data, "cut", 10, *EVERY_3)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -9
    assert [path.name[:14] for path in sorted(snapshot_folder(data / "cut").iterdir())] == [
        ".step-00000003",
        "step-00000000",
    ]
    assert list(snapshots(data / "cut")) == [0]
    train(data, "cut", 10, *EVERY_3, "--resume")
    assert same_snapshots(data, "whole", "cut")
    assert len(list(snapshot_folder(data / "cut").iterdir())) == 4


def test_those_of_an_earlier_run_are_removed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(data, "again", 7, *EVERY_3)
    error = refused(capsys, *arguments(data, "again", 9, *EVERY_3, "--resume", "--set", "training.keep_every=2"))
    assert "training.keep_every was 3 and is 2" in " ".join(error.split())
    assert list(snapshots(data / "again")) == [0, 3, 6]
    train(data, "again", 7, *EVERY_3, "--overwrite", "--set", "training.keep_every=5")
    assert list(snapshots(data / "again")) == [0, 5]
    train(data, "again", 7, *EVERY_3, "--overwrite", "--set", "training.keep_every=0")
    assert snapshots(data / "again") == {}
    assert not snapshot_folder(data / "again").exists()


def test_a_run_that_is_shorter_than_the_distance_keeps_the_untrained_one(data: Path) -> None:
    train(data, "short", 2, *EVERY_3)
    assert list(snapshots(data / "short")) == [0]
