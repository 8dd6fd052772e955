"""Pairs of texts for classifiers: trained on, predicted, measured and inspected."""

import json
from pathlib import Path
from typing import Any

import pytest
from running import command, outcome, refused

import regard
from regard.data.labelled import are_all_pairs, read_labelled
from regard.errors import DataError
from regard.pipelines.predictor import Predictor

COLOURS = ("red", "green", "blue", "white")
PAIRS = [(first, second, "same" if first == second else "other") for first in COLOURS for second in COLOURS]
ROWS = [(label, first, second) for first, second, label in PAIRS for _ in range(3 if label == "same" else 1)]
SMALL = ["--arch", "encoder", "--task", "classify", "--set", "model.model_dim=32", "--set", "model.num_layers=1", "--set",
         "model.num_heads=2", "--set", "model.ff_dim=32", "--set", "training.batch_tokens=200", "--set", "tokenizer.kind=words",
         "--precision", "float32", "--threads", "1", "--set", "model.dropout=0", "--seed", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs") / "data.tsv"
    path.write_text("".join(f"{label}\t{first}\t{second}\n" for label, first, second in ROWS))
    return path


@pytest.fixture(scope="module")
def trained(data: Path) -> Path:
    folder = data.parent / "model"
    assert command("train", data, "--valid", data, "-o", folder, *SMALL, "--steps", 250) == 0
    return folder


def test_what_only_both_texts_say_is_learnt(
    trained: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither text alone says whether they are equal."""
    config = json.loads((trained / "config.json").read_text())["model"]
    predictor: Any = regard.load(trained)
    assert isinstance(predictor, Predictor)
    assert (config["pair_separators"], config["separator_id"]) == (1, predictor.tokenizer.eos_id)
    assert predictor.evaluate_files([data])["accuracy"] == 1
    assert [found.labels[0] for found in predictor.predict([[a, b] for a, b, _ in PAIRS])] == [c for *_, c in PAIRS]
    lines = tmp_path / "lines.tsv"
    lines.write_text("red\tred\nred\tblue\n")
    code, out, _ = outcome(capsys, "predict", trained, lines)
    assert (code, out) == (0, "same\nother\n")
    code, out, _ = outcome(capsys, "evaluate", trained, data)
    assert code == 0
    assert "accuracy         100.00%" in out
    code, out, _ = outcome(capsys, "inspect", trained, "red\tred")
    assert code == 0
    assert "0 <s>  1 red  2 </s>  3 red  4 </s>" in out
    assert "cut -f2-3" in refused(capsys, "predict", trained, data)
    lines.write_text("red\tred\nred\t \n")
    assert "text 2 must be one text, or two with a tab between them" in refused(capsys, "predict", trained, lines)


def test_in_parts_it_is_the_same(trained: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "lines.tsv"
    lines.write_text("".join(f"{first}\t{second}\n" for first, second, _ in PAIRS))
    parts = ["--parts", 3, "-o", tmp_path / "predicted"]
    assert "Both texts of a pair: `--column 1-2`." in refused(capsys, "predict", trained, lines, *parts)
    parts += ["--column", "1-2"]
    assert command("predict", trained, lines, *parts) == 0
    assert command("predict", trained, lines, *parts, "--collect", tmp_path / "all") == 0
    assert (tmp_path / "all").read_text().split() == [label for *_, label in PAIRS]
    parts = ["--parts", 3, "-o", tmp_path / "scored"]
    assert command("evaluate", trained, data, *parts) == 0
    code, out, error = outcome(capsys, "evaluate", trained, data, *parts, "--collect")
    assert code == 0, error
    assert "accuracy         100.00%" in out


def test_a_tab_may_also_be_a_part_of_a_text(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The user says so; or not all texts are two."""
    train = ["train", "--valid", data, "-o", tmp_path / "m", *SMALL, "--steps", 2]
    code, out, error = outcome(capsys, *train, data, "--set", "model.pair_separators=0")
    assert code == 0
    assert "which a tab separates" not in out + error
    assert json.loads((tmp_path / "m" / "config.json").read_text())["model"]["pair_separators"] == 0
    mixed = tmp_path / "mixed.tsv"
    mixed.write_text(data.read_text() + "same\tred\n")
    code, out, error = outcome(capsys, *train, mixed, "--overwrite")
    assert code == 0
    assert "which a tab separates" not in out + error
    code, out, error = outcome(capsys, *train, data, "--overwrite")
    assert code == 0
    assert (
        "each text is two, which a tab separates: model.pair_separators=1 (0: a tab is part of a text)" in out + error
    )
    mixed.write_text(data.read_text() + "same\tred\tred\tred\n")
    message = refused(capsys, *train, mixed, "--overwrite", "--set", "model.pair_separators=1")
    assert "line 25: a line must be label, tab, text, and of pairs, tab, second text; got 'same" in message


def test_rows_may_be_lists_of_two(tmp_path: Path) -> None:
    rows = [(label, [first, second]) for label, first, second in ROWS]
    regard.train(
        rows, output=tmp_path / "m", arch="encoder", task="classify", valid=rows, steps=2, model_dim=32, num_heads=2,
        ff_dim=32, num_layers=1,
    )  # fmt: skip
    predictor: Any = regard.load(tmp_path / "m")
    assert predictor.reads_pairs
    with pytest.raises(DataError, match=r"row 1: the texts of a pair must not be blank, nor hold a tab"):
        regard.train([("a", ["x", "y\tz"])], output=tmp_path / "n", arch="encoder", task="classify")


@pytest.mark.parametrize("wrong", [["red"], ["red", "a\tb"], ["red", " "], ["red", 3], ["a", "b", "c"], 3])
def test_what_is_no_pair_is_refused(wrong: Any, trained: Path) -> None:
    predictor: Any = regard.load(trained)
    with pytest.raises(DataError, match=r"text 1 must be a string|texts\[0\]"):
        predictor.predict([wrong])


def test_a_model_of_single_texts_learns_pairs(
    trained: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a run whose texts were single, all weights go on; a resumed run reads pairs again."""
    train = ["train", data, "--valid", data, *SMALL, "--precision", "float32"]
    assert outcome(capsys, *train, "-o", tmp_path / "single", "--steps", 2, "--set", "model.pair_separators=0")[0] == 0
    go_on = ["train", data, "--valid", data, "-o", tmp_path / "pairs", "--from", tmp_path / "single", "--threads", 1]
    code, out, error = outcome(capsys, *go_on, "--steps", 3)
    assert code == 0, error
    assert "each text is two" in out + error
    assert json.loads((tmp_path / "pairs" / "config.json").read_text())["model"]["pair_separators"] == 1
    code, _, error = outcome(capsys, *go_on, "--steps", 5, "--resume")
    assert code == 0, error


def test_an_adapter_reads_pairs_beside_a_model_of_single_texts(
    trained: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The base stays as it is; and the adapter's page says how it is used."""
    single, lines, texts = tmp_path / "single", tmp_path / "lines.tsv", tmp_path / "texts.tsv"
    texts.write_text("".join(f"{label}\t{second}\n" for label, _, second in ROWS))
    assert command("train", texts, "--valid", texts, "-o", single, *SMALL, "--steps", 2) == 0
    adapter = ["--from", single, "--set", "adapter.rank=4", "--threads", 1, "--seed", 1]
    code, out, error = outcome(capsys, "train", data, "--valid", data, "-o", tmp_path / "a", *adapter, "--steps", 20)
    assert code == 0, error
    lines.write_text("".join(f"{first}\t{second}\n" for first, second, _ in PAIRS))
    code, out, error = outcome(capsys, "predict", single, lines, "--adapter", tmp_path / "a", "--json")
    assert code == 0, error
    assert len({json.loads(line)["probs"][0] for line in out.splitlines()}) > len(
        COLOURS
    )  # the second text is read, too
    assert "got columns" in refused(capsys, "predict", single, lines)
    assert f" predict {single.name} --adapter" in outcome(capsys, "info", tmp_path / "a")[1]


def test_texts_are_pairs_where_each_has_one_tab(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    for content, expected in (
        ("a\tx\ty\n", True),
        ("a\tx\ty\n\nb\tz\n", False),
        ("a\tx\ty\tz\n", False),
        ("a\tx\t \n", False),
    ):
        path.write_text(content)
        assert are_all_pairs([read_labelled([path], by_word=False)]) is expected


def test_a_teacher_reads_pairs_as_its_student(
    trained: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = SMALL.index("tokenizer.kind=words")  # the vocabulary is the teacher's
    learn = [
        "train",
        data,
        "--valid",
        data,
        "-o",
        tmp_path / "m",
        "--teacher",
        trained,
        *SMALL[: at - 1],
        *SMALL[at + 1 :],
    ]
    learn += ["--steps", 2]
    assert "with pair_separators 2; " in refused(capsys, *learn, "--set", "model.pair_separators=2")
    code, _, error = outcome(capsys, *learn)
    assert code == 0, error
