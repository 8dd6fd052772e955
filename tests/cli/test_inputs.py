"""What the commands are given to read: lines that are far too long, files of columns, texts in place of files."""

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
import typer
from running import outcome

import regard
from regard.checkpoint import save_new
from regard.cli.main import app
from regard.data.corpus import ParallelText
from regard.data.labelled import encode_whole
from regard.errors import DataError
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines import predictor as predicting
from regard.runs.progress import RunDisplay
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.pairs import PairsTask
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

HUGE = "ab cd " * 200_000


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of each kind that reads at most 16 tokens, and texts."""
    folder = tmp_path_factory.mktemp("inputs")
    tokenizer = Tokenizer.train(["ab cd ef"] * 9, TokenizerConfig(kind="characters", vocab_size=20, with_mask=True))
    sizes = {"vocab_size": len(tokenizer), "model_dim": 8, "ff_dim": 8, "num_heads": 2, "max_positions": 16}
    torch.manual_seed(1)
    pair = EncoderDecoderConfig(num_encoder_layers=1, num_decoder_layers=1, **sizes)
    save_new(folder / "m", build(pair).eval(), tokenizer)
    save_new(folder / "lm", build(DecoderConfig(num_layers=1, **sizes)).eval(), tokenizer)
    for task, labels in (("mlm", []), ("tag", ["x", "y"]), ("classify", ["x", "y"])):
        config = EncoderConfig(num_layers=1, task=task, labels=labels, **sizes)
        save_new(folder / task, build(config).eval(), tokenizer)
    (folder / "lines").write_text("ab\ncd\nab cd\n\nef\n")
    (folder / "huge").write_text(f"ab\n{HUGE}\n")
    (folder / "two").write_text("ab\nab\n")
    (folder / "pairs.tsv").write_text("ab\tcd\n")
    (folder / "pairs.JSONL").write_text('{"source": "ab", "target": "cd"}\n')
    (folder / "column.tsv").write_text("ab\ncd\n")
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("regard.cli.input.program", lambda: "regard")
    return folder


def given(monkeypatch: pytest.MonkeyPatch, text: str, *, typed: bool = False) -> None:
    monkeypatch.setattr(sys, "stdin", (Terminal if typed else io.TextIOWrapper)(io.BytesIO(text.encode())))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("translate m huge", "regard: huge, line 2: a text must have at most 15 tokens; got more, in 1,200,000 characters."),
        ("evaluate m huge two", "regard: pair 2: a text must have at most 15 tokens; got more."),
        ("evaluate m two huge", "regard: pair 2: a text must have at most 15 tokens; got more."),
        ("score m two huge", "regard: pair 2: a text must have at most 15 tokens; got more."),
        ("align m two huge", "regard: line 2: a text must have at most 16 tokens; got more, in 1,200,000 characters."),
        ("heads m huge two", "regard: pair 2: a text must have at most 16 tokens; got more, in 1,200,000 characters."),
        ("inspect m -", "a text must have at most"),
        ("inspect m - --target ab", "a text must have at most"),
        ("inspect lm -", "a text must have at most 16 tokens; got more, in 1,200,000 characters."),
        ("inspect tag -", "a text must have at most 14 tokens; got more, in 1,200,000 characters."),
        ("inspect mlm -", "a text must have at most 14 tokens; got more, in 1,200,000 characters."),
        ("generate lm --prompt HUGE", "prompt 1: a text must have at most 16 tokens; got more, in 1,200,000 characters."),
        ("predict mlm huge", "text 1 must contain <mask>"),
    ],
)  # fmt: skip
def test_a_line_that_is_far_too_long_is_refused_unread(
    words: str, message: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    encode, largest = Tokenizer._encode_portion, [0]

    def noted(self: Tokenizer, texts: list[str], first: int) -> list[list[int]]:
        largest.append(sum(map(len, texts)))
        return encode(self, texts, first)

    monkeypatch.setattr(Tokenizer, "_encode_portion", noted)
    given(monkeypatch, HUGE)
    code, out, err = outcome(capsys, *(HUGE if word == "HUGE" else word for word in words.split()))
    assert (code, out.strip() if words.startswith("predict") else out) == (2, "")
    assert message in err
    assert max(largest) < 20_000


@pytest.mark.parametrize("task", ["classify", "tag"])
def test_a_text_that_is_cut_is_told(
    task: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = outcome(capsys, "predict", task, "huge", "--json")
    assert (code, err.count("\n")) == (0, 1)
    assert re.match("huge, line 2: .*14 tokens.* first 14 ", err)
    first, second = map(json.loads, out.splitlines())
    assert "is_cut" not in first
    assert second["is_cut"] is True
    assert len(second["labels"]) == (1 if task == "classify" else 400_000)
    given(monkeypatch, "ab cd ab cd ab cd\n" * 9)
    code, out, err = outcome(capsys, "predict", task)
    *each, rest = err.splitlines()
    assert [line.split(":")[0] for line in each] == [f"standard input, line {number}" for number in range(1, 6)]
    assert rest.startswith("4 more lines")
    model = regard.load(here / task, device="cpu")
    assert isinstance(model, regard.Predictor)
    assert [found.is_cut for found in model.predict(["ab cd", "a" * 13, "a" * 14])] == [False, False, True]


@pytest.mark.parametrize("task", ["classify", "tag", "mlm"])
def test_lines_are_predicted_in_windows_and_memory_is_not_their_number(
    task: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = regard.load(here / task, device="cpu")
    assert isinstance(model, regard.Predictor)
    ending = " <mask>" if task == "mlm" else ""
    lines = [f"{line}{ending}" for line in ("ab", "cd", "ab cd", "ef", "ab ef")]
    taken = 0

    def counted() -> Iterator[str]:
        nonlocal taken
        for line in lines:
            taken += 1
            yield line

    found = model.predict_lines(counted(), window=2)
    first = next(found)
    assert taken == 2
    for ours, expected in zip([first, *found], model.predict(lines), strict=True):
        assert (ours.text, ours.labels) == (expected.text, expected.labels)
        assert ours.probs == pytest.approx(expected.probs, abs=1e-6)
    if task == "mlm":
        with pytest.raises(DataError, match=r"text 4 .*<mask>.*got 'ef'"):
            list(model.predict_lines([*lines[:3], "ef"], window=2))


def test_what_is_typed_is_predicted_line_by_line(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def noted(texts: list[list[str]], *rest: object) -> object:
        sizes.append(len(texts))
        return encode_whole(texts, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(predicting, "encode_whole", noted)
    given(monkeypatch, "ab\ncd\n", typed=True)
    assert outcome(capsys, "predict", "classify")[0] == 0
    assert sizes == [1, 1]
    given(monkeypatch, "ab\ncd\n")
    assert outcome(capsys, "predict", "classify")[0] == 0
    assert sizes == [1, 1, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["translate", "m", "pairs.tsv"], "cut -f1 pairs.tsv | regard translate m"),
        (["translate", "m", "pairs.JSONL"], "jq -r .source pairs.JSONL | regard translate m"),
        (["predict", "tag", "pairs.tsv"], "cut -f2 pairs.tsv | regard predict tag"),
        (["translate", "m", "Two dogs' play."], "If it is the text itself: echo 'Two dogs'\"'\"' play.' | regard translate m"),
        (["translate", "m", "Hund"], "got: No such file or directory. If it is the text itself: echo Hund | regard translate m"),
        (["predict", "classify", "a good film"], "If it is the text itself: echo 'a good film' | regard predict classify"),
    ],
)  # fmt: skip
def test_a_file_of_columns_and_a_text_are_told_how(
    words: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.pipelines.loading.load", lambda *_, **__: 1 / 0)  # said before a model is loaded
    code, out, err = outcome(capsys, *words)
    assert (code, out) == (2, "")
    assert err.strip().endswith(message)


@pytest.mark.parametrize("name", ["none.txt", "no/such", "my texts/none.txt"])
def test_a_missing_file_with_the_name_of_one(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = outcome(capsys, "translate", "m", name)[2]
    assert err.startswith(f"regard: {name} must be a readable text file; got: No such file or directory.")
    assert ("echo" in err) == (" " in name)


def test_a_file_of_one_column_is_a_file_of_lines(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = outcome(capsys, "translate", "m", "column.tsv")
    assert (code, len(out.splitlines()), err) == (0, 2, "")


def test_inspect_reads_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = outcome(capsys, "inspect", "m", "ab cd", "--target", "ef")
    given(monkeypatch, "ab cd\r\n")
    assert outcome(capsys, "inspect", "m", "-", "--target", "ef") == expected
    given(monkeypatch, "ab\ncd\n")
    assert re.search("m .*one line.*got 2 lines", outcome(capsys, "inspect", "m", "-")[2])
    given(monkeypatch, "ab\ncd\n", typed=True)
    code, out, err = outcome(capsys, "inspect", "lm", "-")
    assert (code, err) == (0, "Type the text; Ctrl-D ends it.\n")
    assert "</s>" in out
    assert re.search(
        "^lines .*text.*file: regard inspect m - < lines$", outcome(capsys, "inspect", "m", "lines")[2], re.M
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("generate lm --temperature 0 --top-k 3", "`--top-k` has no effect at --temperature 0"),
        ("generate lm --temperature 0 --top-p 1", "`--top-p` has no effect at --temperature 0"),
        ("generate lm --temperature 0 --min-p 0.1", "`--min-p` has no effect at --temperature 0"),
        ("generate lm --temperature 0 --typical 0.5", "`--typical` has no effect at --temperature 0"),
        ("generate lm --temperature 0 --seed 1", "`--seed` has no effect at --temperature 0"),
        ("inspect m ab --target cd --beam 5", "`--beam` has no effect with --target"),
        ("inspect m ab --target cd --length-penalty 1", "`--length-penalty` has no effect with --target"),
        ("inspect m ab --target cd --set beam_size=2", "`--set` has no effect with --target"),
        ("inspect m ab --target cd --rank 1", "`--rank` has no effect with --target"),
        ("inspect m ab --target cd --ablate cross.0.0 --rank 1", "`--rank` has no effect with --target"),
        ("inspect lm ab --beam 3", "`--beam` has no effect with lm"),
        ("inspect tag ab --rank 2", "`--rank` has no effect with tag"),
        ("inspect classify ab --set beam_size=3 --length-penalty 2", "` has no effect with classify"),
        ("inspect classify ab --lens", "`--lens` needs a model that predicts tokens or tags; classify"),
        ("inspect m ab --lens -o x.csv", "`--lens` has no effect with -o .csv"),
        ("inspect m ab --ablate cross.0.0 -o x.svg", "`--ablate` has no effect with -o .svg"),
        ("align m two two --symmetrize union", "`--symmetrize` has no effect without --reverse"),
        ("align m two two --gold-from-one", "`--gold-from-one` has no effect without --gold."),
        ("heads m two two --by gradient --to-mean", "`--to-mean` has no effect with --by gradient"),
        ("heads m two two --prune 0.5 -o x --curves", "`--curves` has no effect with --prune"),
        ("heads m two two --overwrite", "`--overwrite` has no effect without --prune"),
        ("heads m two two --json -o x.json", "`--json` has no effect with -o"),
        ("heads m two two -o x.csv --curves", "`--curves` has no effect with -o .csv"),
        ("heads m two two -o x.csv --beam 3", "`--beam` has no effect where BLEU is not measured"),
        ("heads m two two --no-curves --tokenize zh", "`--tokenize` has no effect where BLEU is not measured"),
        ("translate m two --stream --batch-size 3", "`--batch-size` has no effect with --stream"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    words: str, message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = outcome(capsys, *words.split())
    assert (code, out) == (2, "")
    assert message in err
    assert not list(here.glob("x*"))


@pytest.mark.parametrize(
    "words",
    [
        "generate lm --temperature 0 --max-tokens 3",
        "generate lm --top-k 3 --seed 2 --max-tokens 3",
        "inspect m ab --beam 2 --rank 2",
        "inspect m ab --target cd --ablate cross.0.0 --beam 2",
        "inspect tag ab --lens",
        "align m two two --reverse m --symmetrize union",
        "heads m two two -o ranking.csv",
        "heads m two two -o ranking.csv --no-curves",
    ],
)
def test_options_that_do_something_are_not(words: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = outcome(capsys, *words.split())
    assert (code, "has no effect" in err) == (0, False)


def test_references_without_spaces_get_a_hint(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise DataError("that was all.")

    monkeypatch.setattr("regard.analysis.pruning.examples_of", stop)
    (here / "ja").write_text("二匹の犬が遊んでいる\n犬が走る\n")
    for words in ("evaluate m two ja", "heads m two ja"):
        _, _, err = outcome(capsys, *words.split())
        assert err.count("Japanese it seems, have none: --tokenize ja-mecab") == 1
    assert "Japanese" not in outcome(capsys, "evaluate", "m", "two", "ja", "--tokenize", "char")[2]
    assert "Japanese" not in outcome(capsys, "heads", "m", "two", "ja", "--no-curves")[2]


def test_training_on_targets_without_spaces_tells_what_bleu_counts(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    display = RunDisplay(is_silent=True)
    monkeypatch.setattr(display, "say", said.append)
    text = ParallelText(["ab", "cd"], ["二匹の犬が遊んでいる", "犬が走る"], "pairs")
    for metric in ("bleu", "loss"):
        settings = RunSettings.build("tiny", {"training": {"metric": metric}, "tokenizer": {"kind": "characters"}})
        (note,) = PairsTask([text], text, settings, display).notes
        assert "--tokenize ja-mecab" in note
        assert ("training.metric=chrf" in note) == (metric == "bleu")


@pytest.mark.parametrize(
    "error", [RuntimeError("can't allocate memory: you tried to allocate 80 bytes"), MemoryError("all")]
)
def test_memory_that_is_used_up_is_no_traceback(
    error: Exception, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a model that reads as many tokens as there are, say."""

    def end(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("regard.pipelines.loading.load", end)
    code, out, err = outcome(capsys, "translate", "m", "two")
    assert (code, out) == (2, "")
    assert (
        err
        == f"regard: what is asked for must fit into memory; got: {error}. Use shorter texts, or a lower --batch-size.\n"
    )


@pytest.mark.parametrize(
    "words",
    ["inspect m TEXT", "inspect lm TEXT", "why lm TEXT", "patch m TEXT cd", "patch m cd TEXT", "patch lm TEXT cd"],
)
def test_a_text_is_read_from_standard_input(
    words: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(text: str) -> tuple[int, str, str]:
        answers = ["--answers", "a,b"] if words.startswith("patch") else []
        return outcome(capsys, *words.replace("TEXT", text).split(), *answers)

    written = of("ab")
    assert (written[0], written[2]) == (0, "")
    given(monkeypatch, "ab\n")
    assert of("-") == written
    (here / "ab").write_text("cd\n")
    code, out, err = of("ab")
    (here / "ab").unlink()
    assert (code, out) == written[:2]
    assert err.endswith(f"To read the file: regard {words.replace('TEXT', '-')} < ab\n")


def test_standard_input_is_one_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = outcome(capsys, "patch", "m", "-", "-")
    assert (code, out) == (2, "")
    assert "one of the two texts must be an argument; got - twice" in err


@pytest.mark.parametrize("words", ["inspect m TEXT", "why m TEXT", "patch m TEXT cd", "patch m cd TEXT"])
def test_a_translator_reads_one_line(words: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = outcome(capsys, *("ab\ncd" if word == "TEXT" else word for word in words.split()))
    assert (code, out) == (2, "")
    assert "m reads one line of text; got 2 lines." in err


def test_every_argument_that_is_a_text_can_be_standard_input() -> None:
    arguments = [
        each
        for command in typer.main.get_command(app).commands.values()  # type: ignore[attr-defined]
        for each in command.params
        if each.param_type_name == "argument" and each.name in ("text", "other")
    ]
    assert len(arguments) >= 4
    assert all("standard input" in each.help for each in arguments)
