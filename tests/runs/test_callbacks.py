"""Callbacks of the user's own are told how a run goes, and cannot lose it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import regard
from regard.checkpoint import load_model
from regard.evaluation import text_metrics
from regard.extending import Callback, Progress

PAIRS = [
    (" ".join(word), " ".join(reversed(word))) for word in ("abc", "bca", "cab", "aab", "cbb", "bac", "acb", "ccb")
]
SMALL: dict[str, Any] = {
    "model_dim": 12, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1, "dropout": 0.1,
    "kind": "words", "batch_tokens": 20, "validate_every": 4, "learning_rate": 0.01, "warmup_steps": 2, "steps": 10,
}  # fmt: skip


class Notebook(Callback):
    """Notes every call, and raises where it is told to."""

    def __init__(self, raises_at: tuple[str, int] = ("", 0)) -> None:
        self.calls: list[tuple[str, int]] = []
        self.facts: Mapping[str, Any] = {}
        self.progress: list[Progress] = []
        self.scores: list[Mapping[str, float]] = []
        self.best: list[int] = []
        self.results: Mapping[str, Any] = {}
        self.raises_at = raises_at

    def note(self, what: str, step: int) -> None:
        self.calls.append((what, step))
        if self.raises_at == (what, step):
            raise LookupError("the tracker is down")

    def on_start(self, facts: Mapping[str, Any]) -> None:
        self.facts = facts
        self.note("start", facts["step"])

    def on_step(self, progress: Progress) -> None:
        self.progress.append(progress)
        self.note("step", progress.step)

    def on_validation(self, step: int, scores: Mapping[str, float], is_best: bool) -> None:
        self.scores.append(scores)
        self.best += [step] if is_best else []
        self.note("validation", step)

    def on_end(self, results: Mapping[str, Any]) -> None:
        self.results = results
        self.note("end", 0)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_model(folder).model.state_dict()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> regard.TrainingResult:
    """A run without a callback."""
    return regard.train(PAIRS, tmp_path_factory.mktemp("whole") / "m", valid=PAIRS, **SMALL)


def test_a_callback_sees_the_whole_run(tmp_path: Path) -> None:
    notebook = Notebook()
    result = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[Callback(), notebook], **SMALL)
    steps = [("step", step) for step in range(1, 11)]
    expected = [("start", 0), *steps[:4], ("validation", 4), *steps[4:8], ("validation", 8), *steps[8:],
                ("validation", 10), ("end", 0)]  # fmt: skip
    assert notebook.calls == expected
    stored = json.loads((tmp_path / "m" / "results.json").read_text())
    assert notebook.results == result.results
    for key in ("data", "machine", "versions", "task", "preset", "settings"):
        assert notebook.facts[key] == stored[key], key
    assert notebook.facts["settings"]["training"]["steps"] == 10
    assert notebook.facts["settings"]["model"]["model_dim"] == 12
    assert notebook.facts["sizes"]["num_parameters"] == stored["sizes"]["num_parameters"]
    assert [each.num_steps for each in notebook.progress] == [10] * 10
    assert notebook.progress[-1].loss == result.run.history[-2]["loss"]
    assert [scores["loss"] for scores in notebook.scores] == [
        row["valid_loss"] for row in result.run.history if "valid_loss" in row]  # fmt: skip
    assert notebook.best[-1] == result.run.best_step


def test_a_run_that_begins_with_a_model_tells_its_first_validation(tmp_path: Path) -> None:
    regard.train(PAIRS, tmp_path / "m", valid=PAIRS, **SMALL)
    notebook = Notebook(("validation", 0))
    with pytest.raises(LookupError):
        regard.train(PAIRS, tmp_path / "n", from_=tmp_path / "m", valid=PAIRS, steps=2, callbacks=[notebook])
    assert notebook.calls == [("start", 0), ("validation", 0)]
    assert notebook.facts["from"] == "m"
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize("where", [("step", 3), ("step", 6), ("validation", 8), ("step", 10)])
def test_an_error_in_a_callback_ends_a_run_that_can_be_resumed(
    tmp_path: Path, where: tuple[str, int], whole: regard.TrainingResult
) -> None:
    failing = Notebook(where)
    with pytest.raises(LookupError, match="the tracker is down"):
        regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[failing], **SMALL)
    assert [call for call in failing.calls if call[0] == "step"][-1] == ("step", where[1])
    assert not any(what == "end" for what, _ in failing.calls)
    assert regard.load(tmp_path / "m").model.config.model_dim == 12  # the best so far is there
    after = Notebook()
    resumed = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[after], resume=True, **SMALL)
    assert after.calls[0] == ("start", where[1])
    assert [step for what, step in after.calls if what == "step"] == list(range(where[1] + 1, 11))
    assert after.calls[-1] == ("end", 0)
    assert resumed.run.best_scores == whole.run.best_scores
    for name, tensor in weights(whole.folder).items():
        assert torch.equal(tensor, weights(tmp_path / "m")[name]), name


def test_an_error_at_the_start_leaves_what_was_there(tmp_path: Path) -> None:
    regard.train(PAIRS, tmp_path / "m", valid=PAIRS, **SMALL)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any("training" in str(path) for path in files)
    failing = Notebook(("start", 0))
    with pytest.raises(LookupError):
        regard.train(PAIRS, tmp_path / "m", overwrite=True, callbacks=[failing], **(SMALL | {"steps": 4}))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files


def test_an_error_at_the_end_leaves_a_whole_model(tmp_path: Path) -> None:
    with pytest.raises(LookupError):
        regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[Notebook(("end", 0))], **SMALL)
    assert (tmp_path / "m" / "report.html").exists()
    assert json.loads((tmp_path / "m" / "results.json").read_text())["steps"]["trained"] == 10


def test_an_interrupted_run_ends_without_results(tmp_path: Path) -> None:
    class Interrupting(Notebook):
        def on_step(self, progress: Progress) -> None:
            super().on_step(progress)
            if progress.step == 5:
                raise KeyboardInterrupt

    notebook = Interrupting()
    result = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[notebook], **SMALL)
    assert result.run.interrupted
    assert notebook.calls[-2:] == [("step", 5), ("end", 0)]
    assert notebook.results == {}


def test_tensorboard_is_a_callback_of_the_run(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    regard.train(PAIRS, tmp_path / "m", valid=PAIRS, tensorboard=True, report_every=5, **SMALL)
    events = EventAccumulator(str(tmp_path / "m.training" / "tensorboard"))
    events.Reload()
    assert [event.step for event in events.Scalars("training/loss")] == [5, 10]
    assert [event.step for event in events.Scalars("validation/loss")] == [4, 8, 10]


class Tracker(ModuleType):
    """What the documented callback calls of MLflow, with the signatures of its version 3."""

    def __init__(self) -> None:
        super().__init__("mlflow")
        self.params: dict[str, Any] = {}
        self.metrics: list[tuple[str, float, int | None]] = []
        self.artifacts: list[str] = []

    @contextmanager
    def start_run(self) -> Iterator[None]:
        yield

    def log_params(self, params: dict[str, Any]) -> None:
        assert not params.keys() & self.params.keys(), "MLflow refuses a parameter that changes"
        self.params |= params

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        assert all(type(value) in (float, int) for value in metrics.values())
        self.metrics += [(name, value, step) for name, value in metrics.items()]

    def log_artifact(self, local_path: str) -> None:
        assert Path(local_path).is_file()
        self.artifacts.append(local_path)


def test_the_documented_tracker_logs_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.S) if block.startswith("import mlflow"))
    tracker, train = Tracker(), regard.train
    monkeypatch.setitem(sys.modules, "mlflow", tracker)
    monkeypatch.setattr(regard, "train", partial(train, **(SMALL | {"steps": 100, "validate_every": 50})))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS * 3))
    exec(compile(code, "docs/training.md", "exec"), {})
    assert tracker.params["model.model_dim"] == 12
    assert tracker.params["training.steps"] == 100
    steps = [(name, step) for name, _, step in tracker.metrics if name in ("loss", "valid_loss", "chrf")]
    assert steps == [("loss", 50), ("valid_loss", 50), ("loss", 100), ("valid_loss", 100), ("chrf", None)]
    results = json.loads((tmp_path / "model" / "results.json").read_text())
    assert ("exact_match", results["exact_match"], None) in tracker.metrics
    assert [Path(path).name for path in tracker.artifacts] == ["report.html"]


IN_PROCESSES = f"""
import sys
from pathlib import Path
import regard
from regard.extending import Callback

class Failing(Callback):
    def on_step(self, progress):
        print(progress.step, file=Path(sys.argv[2]).open("a"))
        if progress.step == int(sys.argv[3]):
            raise LookupError("the tracker is down")

regard.train({PAIRS!r}, sys.argv[1], valid={PAIRS!r}, callbacks=[Failing()], resume=True, device="cpu", **{SMALL!r})
"""


def test_of_several_processes_the_main_one_calls_and_all_end(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(IN_PROCESSES)
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        "run.py",
        "m",
        "steps",
    ]
    for at, is_failing in ((3, True), (99, False)):
        run = subprocess.run(
            [*command, str(at)], cwd=tmp_path, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
            timeout=200, check=False,
        )  # fmt: skip
        assert bool(run.returncode) == is_failing, run.stderr[-3000:]
        assert ("LookupError: the tracker is down" in run.stderr) == is_failing
        assert "another process" not in run.stderr
    assert (tmp_path / "steps").read_text().split() == [str(step) for step in range(1, 11)], "resumed after step 3"


class Meddling(Callback):
    """Changes what it is told, and draws random numbers."""

    def on_start(self, facts: Mapping[str, Any]) -> None:
        facts["settings"]["training"]["steps"] = 1
        facts["data"].clear()

    def on_step(self, progress: Progress) -> None:
        torch.rand(7)

    def on_validation(self, step: int, scores: dict[str, float], is_best: bool) -> None:
        torch.manual_seed(0)
        scores["loss"] = -1e9

    def on_end(self, results: Mapping[str, Any]) -> None:
        results["steps"]["trained"] = -1


def test_a_callback_changes_nothing_in_a_run(tmp_path: Path, whole: regard.TrainingResult) -> None:
    notebook = Notebook()
    result = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, callbacks=[Meddling(), notebook], **SMALL)
    assert result.run.best_scores == whole.run.best_scores
    for name, tensor in weights(whole.folder).items():
        assert torch.equal(tensor, weights(tmp_path / "m")[name]), name
    assert notebook.facts["settings"]["training"]["steps"] == 10
    assert notebook.results == result.results
    for key in ("settings", "data", "steps", "validation_loss"):
        assert result.results[key] == whole.results[key], key


def test_a_metric_that_draws_random_numbers_changes_no_step(
    tmp_path: Path, whole: regard.TrainingResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(texts: list[str], references: list[str]) -> float:
        texts.clear()
        return float(torch.rand(3).sum())

    monkeypatch.setitem(text_metrics.ADDED, "drawn", drawn)
    result = regard.train(PAIRS, tmp_path / "m", valid=PAIRS, metric="drawn", **SMALL)
    assert all(row["valid_drawn"] > 0 for row in result.run.history if "valid_drawn" in row)
    for name in ("loss", "valid_loss"):
        found, expected = ([row[name] for row in run.history if name in row] for run in (result.run, whole.run))
        assert found == expected, name
