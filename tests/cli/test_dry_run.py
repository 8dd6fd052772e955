"""`--dry-run`: what a run would take, and that nothing is written."""

from pathlib import Path
from typing import Any

import pytest
from running import outcome, refused
from safetensors.torch import load_file

import regard
from random_models import save_models
from regard.training.state import state_folder

STEPS = ["--steps", "40", "--set", "training.batch_tokens=200", "--precision", "float32"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("bases"))


@pytest.mark.parametrize("more", [[], ["--from", "m"], ["--from", "m", "--set", "adapter.rank=2"], ["--teacher", "m"]])
def test_it_says_what_would_happen_and_writes_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[Any]
) -> None:
    files = [folder / "source", folder / "target"]
    options = [folder / each if each == "m" else each for each in more]
    before = sorted(tmp_path.rglob("*"))
    code, shown, told = outcome(capsys, "train", *files, "-o", tmp_path / "out", "--dry-run", *STEPS, *options)
    assert code == 0
    assert shown == ""
    for word in ("expected time: ", "40 steps", "memory: ", "checkpoints of", "nothing was written"):
        assert word in told
    assert all(len(line) < 110 for line in told.splitlines() if "/" not in line.replace("tokens/s", ""))
    assert sorted(tmp_path.rglob("*")) == before


def test_the_plan_is_that_of_the_run(folder: Path, tmp_path: Path) -> None:
    """Steps, validations and sizes are what the run then has; the time is in proportion to the steps."""
    pairs = [("ab cde", "edc ba"), ("fa be", "eb af")] * 8
    given: dict[str, Any] = {"valid": pairs, "from_": folder / "m", "batch_tokens": 60, "precision": "float32"}
    planned = [regard.train(pairs, tmp_path / "x", dry_run=True, steps=steps, **given) for steps in (10, 1000)]
    assert repr(planned[0]) == f"TrainingResult({str(tmp_path / 'x')!r}, dry run: nothing was written)"
    assert "expected time" in planned[0]._repr_html_()
    short, long = (each.results for each in planned)
    assert short["seconds_per_step"] > 0
    assert long["seconds"] > 5 * short["seconds"]
    result = regard.train(pairs, tmp_path / "m", steps=10, save_every="5", **given)
    measured = [record for record in result.run.history if "valid_loss" in record]
    assert len(measured) == short["validations"]
    written = (tmp_path / "m" / "model.safetensors").stat().st_size
    assert short["model_bytes"] == pytest.approx(written, rel=0.3)
    checkpoint = next(state_folder(tmp_path / "m").glob("step-*")) / "state.safetensors"
    held = [tensor.nbytes for name, tensor in load_file(checkpoint).items() if not name.startswith("random")]
    assert short["checkpoint_bytes"] == pytest.approx(sum(held), rel=0.02)
    assert short["epochs"] == pytest.approx(10 / (16 * 7 / 60), rel=0.5)


def test_it_is_for_new_runs(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [folder / "source", folder / "target"]
    assert "`--dry-run` plans a new run" in refused(
        capsys, "train", *files, "-o", tmp_path / "x", "--dry-run", "--resume"
    )
    assert "must not hold a model" in refused(capsys, "train", *files, "-o", folder / "m", "--dry-run", *STEPS)
