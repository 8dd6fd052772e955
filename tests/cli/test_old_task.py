"""`--old-valid`: what a run that begins with a model loses of the task that the model was trained for."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from running import command, outcome, refused

import regard
from random_models import save_models
from regard.training.trainer import Trainer

STEPS = ["--steps", "3", "--set", "training.batch_tokens=200", "--precision", "float32"]
STILL = ["--set", "training.learning_rate=1e-30"]
FILES = {"lm": ["old"], "classify": ["old-classes"], "tag": ["old-tags"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_models(tmp_path_factory.mktemp("bases"))
    lines = (path / "source").read_text().splitlines()
    (path / "old").write_text("".join(f"{line}\n" for line in lines[:8]))
    for name, labels in (("classes", "xy"), ("old-classes", "yx")):
        rows = (f"{labels[number % 2]}\t{line}\n" for number, line in enumerate(lines))
        (path / name).write_text("".join(rows))
    for name, labels in (("tags", "xy"), ("old-tags", "yx")):
        texts = ("\n".join(f"{word}\t{labels['a' in word]}" for word in line.split()) for line in lines)
        (path / name).write_text("\n\n".join(texts))
    return path


def trained(folder: Path, output: Path, base: str, *more: Any) -> dict[str, Any]:
    """The part on the old task of the results of a run."""
    new = [
        folder / name
        for name in {"lm": ["source"], "classify": ["classes"], "tag": ["tags"]}.get(base, ["source", "target"])
    ]
    old = [folder / name for name in FILES.get(base, ["old", "old"])]
    options = ["--valid", *new, "--from", folder / base, "--old-valid", *old, "-o", output, *STEPS, *more]
    assert command("train", *new, *options) == 0
    found: dict[str, Any] = json.loads((output / "results.json").read_text())["old_task"]
    return found


def measured(capsys: pytest.CaptureFixture[str], model: Path, *files: Path) -> dict[str, Any]:
    code, shown, _ = outcome(capsys, "evaluate", model, *files, "--json")
    assert code == 0
    scores: dict[str, Any] = json.loads(shown)
    return {name: score for name, score in scores.items() if isinstance(score, int | float)}


@pytest.mark.parametrize("base", ["m", "two", "rnn", "lm", "classify", "tag"])
def test_both_scores_are_those_of_evaluate(
    folder: Path, tmp_path: Path, base: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = trained(folder, tmp_path / "new", base, "--set", "training.learning_rate=0.02")
    files = [folder / name for name in FILES.get(base, ["old", "old"])]
    said = capsys.readouterr().out
    for when, model in (("before", folder / base), ("after", tmp_path / "new")):
        scores = measured(capsys, model, *files)
        assert scores
        for name, score in scores.items():
            assert found[when][name] == pytest.approx(score, rel=1e-4)
    assert found["before"] != found["after"]
    assert found["data"] == " + ".join(map(str, files))
    assert re.search(r"\n +before +after\n", said)
    for page in ("README.md", "report.html"):
        assert found["data"] in (tmp_path / "new" / page).read_text()


def test_nothing_is_lost_where_nothing_learns(folder: Path, tmp_path: Path) -> None:
    found = trained(folder, tmp_path / "new", "m", *STILL)
    assert found["before"]["perplexity"] == pytest.approx(found["after"]["perplexity"], rel=1e-6)


def test_of_an_adapter_it_is_measured_with_the_adapter(folder: Path, tmp_path: Path) -> None:
    found = trained(folder, tmp_path / "new", "m", "--set", "adapter.rank=2")
    adapted = regard.load(folder / "m", adapter=tmp_path / "new").evaluate_files([folder / "old", folder / "old"])
    assert found["after"]["perplexity"] == pytest.approx(adapted["perplexity"], rel=1e-5)
    assert found["after"]["perplexity"] != found["before"]["perplexity"]


def test_directions_are_shown_one_by_one(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "source").read_text().splitlines()
    rows = [
        {"source_lang": source, "target_lang": target, "source": line, "target": line[::-1]}
        for line in lines
        for source, target in (("aa", "bb"), ("bb", "aa"))
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    given = ["train", tmp_path / "pairs.jsonl", "--valid", tmp_path / "pairs.jsonl", *STEPS]
    assert command(*given, "-o", tmp_path / "base") == 0
    capsys.readouterr()
    more = ["--from", tmp_path / "base", "--old-valid", tmp_path / "pairs.jsonl", "-o", tmp_path / "new"]
    assert command(*given, *more) == 0
    said = capsys.readouterr().out
    for direction in ("aa-bb", "bb-aa"):
        assert re.search(rf"{direction}, chrF +[\d.]+ +[\d.]+\n", said)
    more[-1] = tmp_path / "adapter"
    assert command(*given, *more, "--set", "adapter.rank=2") == 0
    said = capsys.readouterr().out
    assert f"translate {tmp_path / 'base'} --adapter {tmp_path / 'adapter'} --from aa --to bb" in said
    assert "--from aa --to bb" in (tmp_path / "adapter" / "README.md").read_text()
    found = json.loads((tmp_path / "adapter" / "results.json").read_text())["old_task"]["after"]
    adapted = regard.load(tmp_path / "base", adapter=tmp_path / "adapter")
    assert adapted.languages is not None
    expected = adapted.evaluate_files([tmp_path / "pairs.jsonl"])["by_direction"]
    for direction, scores in found["by_direction"].items():
        assert scores["perplexity"] == pytest.approx(expected[direction]["perplexity"], rel=1e-5)


def test_a_model_of_one_direction_that_learns_several(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"source_lang": "aa", "target_lang": "bb", "source": line, "target": line[::-1]} for line in ("ab c", "de f")
    ]
    (tmp_path / "old.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    both = [{**row, "source_lang": "bb", "target_lang": "aa"} for row in rows] + rows
    (tmp_path / "both.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in both))
    pairs = f"{folder / 'source'},{folder / 'target'}"
    given = ["train", "--direction", f"aa-bb={pairs}", "--direction", f"bb-aa={pairs}", "--from", folder / "m", *STEPS]
    for number, old in enumerate((tmp_path / "old.jsonl", f"{tmp_path / 'both.jsonl'}#aa-bb")):
        assert command(*given, "-o", tmp_path / f"m{number}", "--old-valid", old) == 0
        said = capsys.readouterr().out
        assert re.search(r"aa-bb, chrF +[\d.]+ +[\d.]+\n", said)
    for wrong, why in (
        ([folder / "old", folder / "old"], "`--old-valid` must say its direction"),
        ([tmp_path / "both.jsonl"], "line 3: a line must say the same languages as line 1, bb-aa; got aa-bb"),
    ):
        assert why in refused(capsys, *given, "-o", tmp_path / "n", "--old-valid", *wrong)


def test_a_run_is_not_lost_where_the_new_model_cannot_do_the_old_task(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stars").write_text(
        "".join(f"{number % 3}\t{line}\n" for number, line in enumerate(["abc", "de", "f"] * 5))
    )
    given = [tmp_path / "stars", "--valid", tmp_path / "stars", "--from", folder / "classify", "--task", "classify"]
    code, shown, _ = outcome(
        capsys, "train", *given, "--old-valid", folder / "old-classes", "-o", tmp_path / "new", *STEPS
    )
    assert code == 0
    assert "cannot be measured with the new model: " in shown
    found = json.loads((tmp_path / "new" / "results.json").read_text())["old_task"]
    assert "after" not in found
    assert found["before"]["accuracy"] >= 0
    assert (tmp_path / "new" / "README.md").is_file()


def test_files_that_change_during_the_run_are_not_compared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, begin = tmp_path / "old.tsv", Trainer.train
    old.write_text("ab c\tc ab\nde f\tf de\n")

    def train(self: Any) -> Any:
        old.write_text("ab c\tc ab\n")
        return begin(self)

    monkeypatch.setattr(Trainer, "train", train)
    given = ["train", folder / "source", folder / "target", "--from", folder / "m", *STEPS]
    assert command(*given, "-o", tmp_path / "new", "--old-valid", old) == 0
    said = capsys.readouterr().out
    assert "old.tsv cannot be measured with the new model: the files are others than before the run." in said
    assert regard.load(tmp_path / "new").translate("ab").text is not None


def test_what_has_no_effect_or_is_not_there_is_refused_before_training(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["train", folder / "source", folder / "target", "-o", tmp_path / "new", *STEPS]
    assert "`--old-valid` needs a run that begins with a model" in refused(
        capsys, *given, "--old-valid", folder / "old"
    )
    as_teacher = [*given, "--from", folder / "m", "--teacher", folder / "m"]
    for more in (["--old-valid", folder / "old"], ["--set", "adapter.rank=2"]):
        said = refused(capsys, *as_teacher, *more)
        assert "The one in `--from` is the teacher" in said
        assert "Add `--from" not in said
    assert "Add `--from MODEL`" in refused(capsys, *given, "--set", "adapter.rank=2")
    absent = refused(capsys, *given, "--from", folder / "m", "--old-valid", folder / "old", folder / "absent")
    assert "absent" in absent
    assert "needs at least one file" in refused(capsys, *given, "--from", folder / "m", "--old-valid")
    assert not (tmp_path / "new").exists()
    said = refused(capsys, "train", folder / "source", "--from", folder / "mlm", "--old-valid", folder / "old",
                   "-o", tmp_path / "new", *STEPS)  # fmt: skip
    assert "`evaluate` needs a model for task classify or tag" in said


def test_a_dry_run_refuses_what_the_run_would(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [
        folder / "source",
        folder / "target",
        "--from",
        folder / "m",
        "--old-valid",
        folder / "old",
        folder / "old",
    ]
    assert command("train", *given, "-o", tmp_path / "new", *STEPS, "--dry-run") == 0
    given[-1] = folder / "absent"
    assert "absent" in refused(capsys, "train", *given, "-o", tmp_path / "new", *STEPS, "--dry-run")
    assert not (tmp_path / "new").exists()
