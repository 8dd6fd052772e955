"""What a run tells of itself: in its report, in the README of its model, and on the terminal."""

import re
from html import escape, unescape
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from markdown_it import MarkdownIt

from regard.cli.main import run
from regard.cli.output import summary
from regard.evaluation.text_metrics import TextMetrics
from regard.inspection.html_report import report_html
from regard.runs.card import model_card
from regard.runs.report import training_report
from regard.text.wording import counted
from regard.training.training_config import TrainingConfig
from regard.training.training_run import TrainingRun

ONES = re.compile(
    r"(?<![\d.,:-])1 (?:[a-z]+ ){0,2}(?:pairs|threads|steps|lines|texts|labels|tokens|heads|models|sentences|processes)\b"
)


def results(texts: list[str], references: list[str], number: int = 1, **training: Any) -> dict[str, Any]:
    """What `results.json` would hold, of a run whose every count is `number`."""
    return {
        **vars(TextMetrics().score(texts, references)),
        "num_pairs": number,
        "evaluated_on": "valid",
        "arch": "encoder-decoder",
        "preset": "tiny",
        "data": {"training": {"name": "train", "num_pairs": number, "num_target_tokens": number},
                 "validation": {"name": "valid", "num_pairs": number}},
        "sizes": {"num_parameters": 1234, "vocab_size": 12, "weights_bytes": 5000},
        "machine": {"device": "cpu", "precision": "float32", "threads": number},
        "versions": {"regard": "0"},
        "steps": {"trained": number, "kept": number, "skipped": 0},
        "seconds": {"training": 1.0},
        "settings": {"model": {}, "training": TrainingConfig(**training).model_dump(mode="json")},
    }  # fmt: skip


def report_of(found: dict[str, Any]) -> str:
    history = [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.5}]
    return report_html(training_report("m", found, TrainingRun(history=history, seconds=1.0)))


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 threads"), (1, "1 thread"), (2, "2 threads"), (1000, "1,000 threads")]
)
def test_numbers_and_their_nouns(number: int, shown: str) -> None:
    assert counted(number, "thread") == shown


def test_one_of_a_kind_is_not_written_as_many() -> None:
    one, two = (results(["a b c d"], ["a b c d"], number) for number in (1, 2))
    report, card = report_of(one), model_card("m", one)
    for page in (report, card, summary(one)):
        assert ONES.findall(page) == []
    assert "float32 on cpu, 1 thread<" in report
    assert "on cpu (1 thread), float32" in card
    assert "| `train`: 1 pair, 1 target token |" in card
    assert summary(one).startswith("1 pair\n")
    assert "2 threads" in report_of(two)
    assert "| `train`: 2 pairs, 2 target tokens |" in model_card("m", two)
    assert summary(two).startswith("2 pairs\n")


@pytest.mark.parametrize(
    "name",
    ["train.src", "a|b", "a\\|b", "a\\", "__init__.s", "my_model_", "*x*", "<b>x", "a~~b~~", "[l](u)", "a&amp;b", "a`b", "``c`",
     "a\nb", "a\rb", "$(ls) x"],
)  # fmt: skip
def test_a_card_shows_names_as_they_are(name: str) -> None:
    """Each table has the rows that it has for an ordinary name, each of these two or three cells."""
    shown = name.replace("\n", r"\n").replace("\r", r"\x0d")
    rendered = {}
    for each in (name, "plain"):
        found = results(["a b c d"], ["a b c d"], 1) | {"from": each, "teacher": each, "evaluated_on": each}
        found["data"] = {"training": {"name": each, "num_pairs": 1}, "validation": {"name": each, "num_pairs": 1}}
        found["old_task"] = {"data": each, "before": {"accuracy": 0.5}, "after": {"accuracy": 0.25}}
        rendered[each] = MarkdownIt("commonmark").enable("table").render(model_card(each, found))
    rows = {each: [row.count("<td") for row in page.split("<tr>")] for each, page in rendered.items()}
    assert rows[name] == rows["plain"]
    page = re.sub("<[^>]*>", "", rendered[name])
    assert page.count(escape(shown)) >= rendered["plain"].count("plain") - 4  # commands quote some names
    assert "regard translate {}\n".format(quote(name).replace("\r", "\n")) in unescape(page)  # as Markdown reads it


def test_a_command_on_one_of_each_says_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pairs.tsv").write_text("ab\tba\n" + "abababa\tbababab\n")
    (tmp_path / "valid.tsv").write_text("ab\tba\n" + "bababab\tabababa\n")
    small = ["--set", "model.model_dim=16", "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1",
             "--set", "tokenizer.kind=characters", "--threads", "1"]  # fmt: skip
    where = [str(tmp_path / name) for name in ("pairs.tsv", "valid.tsv", "m")]
    with pytest.raises(SystemExit) as ended:
        run(["train", where[0], "--valid", where[1], "-o", where[2], *small, "--steps", "1",
             "--set", "data.max_tokens=6", "--set", "model.max_positions=6"])  # fmt: skip
    assert not ended.value.code
    shown = "".join(capsys.readouterr())
    written = [shown, *((tmp_path / "m" / name).read_text() for name in ("report.html", "README.md"))]
    assert [ONES.findall(text) for text in written] == [[], [], []]
    for part in ("1 pair of ", "is over 6 tokens with the end symbol: left out", "1 step\n", "1 pair\n"):
        assert part in shown


@pytest.mark.parametrize(
    ("references", "has_bleu"),
    [(["ab", "cd"], False), (["a b c", "d e f"], False), (["ab", "a b c d"], True), (["a b c."], True)],
)
def test_bleu_is_told_where_it_says_something(references: list[str], has_bleu: bool) -> None:
    """It counts matches of one to four tokens; where no reference has four, it is 0 whatever was written."""
    found = results(references, references)
    assert found["bleu"] == (100 if has_bleu else 0) or has_bleu
    for page in (report_of(found), model_card("m", found), summary(found)):
        assert "0.00" not in page.replace("100.00", "")
        assert ("no reference has the 4 tokens that BLEU counts by" in page) == (not has_bleu)
        assert "BLEU" in page
        assert "chrF" in page


def test_a_bleu_of_0_that_says_something_is_told() -> None:
    found = results(["x"], ["a b c d"])
    for page in (report_of(found), model_card("m", found), summary(found)):
        assert re.search(r"BLEU\W.*?0\.00", page)
    old = {key: value for key, value in results(["ab"], ["ab"]).items() if key != "bleu_counts"}
    assert "0.00" in summary(old)  # of a model that was trained before this was noted


@pytest.mark.parametrize(
    ("training", "name", "parts"),
    [
        ({"label_smoothing": 0.1}, "training, smoothed", ["labels smoothed by 0.1 over all classes"]),
        ({"label_smoothing": 0.2, "smoothing_over": "others"}, "training, smoothed",
         ["labels smoothed by 0.2 over all classes but the right one"]),
        ({"label_smoothing": 0.0, "report_every": 1}, "training", ["the loss of every step, each"]),
        ({"average_decay": 0.0, "report_every": 50}, "training, smoothed",
         ["every 50th step, each", "of the weights as they are"]),
        ({"average_decay": 0.9}, "training, smoothed", ["of the running average of the weights"]),
    ],
)  # fmt: skip
def test_how_the_training_loss_is_smoothed(training: dict[str, Any], name: str, parts: list[str]) -> None:
    page = report_of(results(["a"], ["a"], **training))
    assert f">{name}</text>" in page
    for part in parts:
        assert part in page
    assert ("smoothed" in page) == ("smoothed" in name)
