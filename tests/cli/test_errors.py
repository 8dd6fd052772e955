"""What a user reads after a mistake: one message, exit code 2, no traceback, nothing half-written."""

import json
import re
import sys
from pathlib import Path

import pytest

from regard.cli.main import run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with good parallel files a and b."""
    (tmp_path / "a").write_text("one\ntwo\nthree\n")
    (tmp_path / "b").write_text("eins\nzwei\ndrei\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRAIN = ["train", "a", "b", "-o", "model", "--steps", "1"]


def message(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(list(arguments))
    shown = capsys.readouterr()
    assert ended.value.code == 2
    assert "Traceback" not in shown.err
    assert not Path("model").exists()
    _, is_ours, told = (words := " ".join(shown.err.replace("│", " ").split())).rpartition("regard: ")
    return told if is_ours else words  # typer says how an option is written, and we what else is wrong


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--preset", "tinny"], r"preset .*'tinny'.*'tiny'"),
        (["--set", "training.stepps=3"], r"training .*'stepps'.*'steps'"),
        (["--set", "trainig.steps=3"], r"a section .*'trainig'.*'training'"),
        (["--set", "steps=3"], r"--set .*section\.key=value.*training\.steps=1000.*got 'steps=3'"),
        (["--set", "model.dropout=1.5"], r"model\.dropout must be less than 1; got 1\.5\."),
        (["--set", "model.num_heads=3"], r"model_dim must be divisible by num_heads; got 128 and 3\."),
        (["--set", "model.norm=mid"], r"model\.norm must be 'post', 'pre' or 'sandwich'; got 'mid'\."),
        (["--set", "model.pad_id=7"], r"model\.pad_id .*tokenizer.*got 7.*tokenizer\.vocab_size"),
        (["--set", "training.adam_betas=[0.9,1.5]"], r"training\.adam_betas\.1 must be less than 1; got 1\.5\."),
        (["--precision", "float8"], r"training\.precision must be 'auto', 'float32' or 'bfloat16'; got 'float8'\."),
        (["--device", "tpu"], r"device .*auto, cpu, .*cuda.*got 'tpu'"),
        (["--set", "training.learning_rate=.inf"], r"training\.learning_rate must be a finite number; got inf\."),
        (["--set", "data.weights=[.nan]"], r"data\.weights\.0 must be a finite number; got nan\."),
        (["--set", "training.steps=2024-13-45"], r"--set training\.steps .*YAML.*got '2024-13-45'"),
        (["--set", f"training.steps={'[' * 5000}"], r"--set training\.steps .*YAML.*got '\[\["),
        (["--task", "mlm"], r"`--task mlm` .*--arch encoder-decoder.*Use `--arch encoder`"),
        (["--config", "none.yaml"], r"none\.yaml must be a readable text file; got: No such file"),
        (["--valid", "a", "c"], "c must be a readable text file; got: No such file"),
    ],
)
def test_settings(folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: str) -> None:
    assert re.match(expected, message(capsys, *TRAIN, *options))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("training: {stepps: 3}", r"training .*'stepps'.*'steps'"),
        ("training: [", r"c\.yaml must be YAML; got:"),
        ("training: {steps: 3, seed: 1, steps: 4}", r"c\.yaml must be YAML; got: the key steps stands twice .*line 1"),
        (
            "training: {steps: 3}\ntraining: {seed: 4}",
            r"c\.yaml must be YAML; got: the key training stands twice .*line 2",
        ),
        ("3", r"c\.yaml .*sections, such as training:.*got 3\."),
        ("training:", r"c\.yaml .*sections, such as training:.*got 'training'\."),
        ("training: {1: 2}", r"training .*got '1'\."),
        ("training: {steps: 2024-13-45}", r"c\.yaml must be YAML; got: month must be in 1\.\.12"),
        ("1: {a: 2}", r"a section .*got '1'\. .*data, model, tokenizer, training"),
        ("steps: 3", r"c\.yaml .*sections, such as training:.*got 'steps'\."),
    ],
)
def test_settings_in_a_file(folder: Path, capsys: pytest.CaptureFixture[str], content: str, expected: str) -> None:
    (folder / "c.yaml").write_text(content)
    assert re.match(expected, message(capsys, *TRAIN, "--config", "c.yaml"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"one\ntwo\n", "parallel files must have the same number of lines; got 2 in a and 3 in b."),
        (b"one\n\nthree\n", "a, line 2: both sides of a pair must have text; got a blank source."),
        (b"one\nt\xffo\nthree\n", "a, line 2: text must be UTF-8; got byte 0xff at column 2."),
        (b"", "parallel files must have the same number of lines; got 0 in a and 3 in b."),
    ],
)
def test_data(folder: Path, capsys: pytest.CaptureFixture[str], source: bytes, expected: str) -> None:
    (folder / "a").write_bytes(source)
    assert message(capsys, *TRAIN).startswith(expected)
    if source:
        (folder / "good").write_text("one\n")
        assert message(capsys, *TRAIN, "--valid", "good", "good").startswith(expected)


def test_files_for_validation_are_all_words_up_to_the_next_option(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """None of them is trained on, and none is overlooked: a variable of the shell may be empty."""
    files = ["a", "b", "--valid"]
    assert message(capsys, "train", *files, "-o", "model").startswith(
        "--valid needs at least one file after it; got -o."
    )
    assert message(capsys, "train", "-o", "model", *files).startswith(
        "--valid needs at least one file after it; got nothing."
    )
    for valid in (["--valid", "a", "b"], ["--valid=a", "b"], []):
        shown = message(capsys, "train", "-o", "model", *valid)
        assert re.match("DATA .*before `--valid`", shown)
    for valid in (["--valid", "a", "c"], ["--valid=a", "c"]):
        assert message(capsys, *TRAIN, *valid).startswith("c must be a readable text file")


def test_blank_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a").write_text("\n\n\n")
    shown = message(capsys, "train", "a", "a", "-o", "model")
    assert shown.startswith("a + a must hold at least one pair; got none. Is it the right file?")


def test_a_line_that_is_no_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, said in (("1" * 5000, ": Exceeds the limit"), ("b", " Expecting value at column 12.")):
        (folder / "p.jsonl").write_text('{"source": "a", "target": "b"}\n{"source": ' + wrong + "}\n")
        shown = message(capsys, "train", "p.jsonl", "-o", "model", "--valid", "p.jsonl")
        assert shown.startswith(f"p.jsonl, line 2: a line must be one JSON object; got{said}")


def test_empty_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a").write_text("")
    (folder / "b").write_text("")
    assert "a + b must hold at least one pair; got none. Is it the right file?" in message(capsys, *TRAIN)


def test_one_pair_is_too_few_to_hold_one_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.tsv").write_text("one\teins\n")
    shown = message(capsys, "train", "p.tsv", "-o", "model", "--steps", "1")
    assert "p.tsv must have at least 2 pairs, to hold one out for validation; got 1." in shown


def test_pairs_that_are_all_too_long(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = message(capsys, *TRAIN, "--set", "model.max_positions=2", "--set", "tokenizer.kind=characters")
    assert "a + b must have pairs of at most 2 tokens with the end symbol; got none." in shown


def test_three_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = message(capsys, "train", "a", "b", "a", "-o", "model", "--steps", "1")
    assert re.match(r"corpora .*\.tsv, \.jsonl, hf:.*; a has no other side\.", shown)


def test_an_output_that_is_in_the_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = message(capsys, "train", "a", "b", "-o", "a", "--steps", "1")
    assert "the output folder must be new or empty; got " in shown
    (folder / "old").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / "old" / name).write_text("{}")
    shown = message(capsys, "train", "a", "b", "-o", "old", "--steps", "1")
    assert re.search(r"must not hold a model; got .*old\..*--overwrite", shown)
    assert (folder / "old" / "config.json").read_text() == "{}"


@pytest.mark.parametrize("command", [["translate"], ["evaluate"], ["score"], ["info"]])
def test_a_model_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    files = {"translate": ["a"], "info": []}.get(command[0], ["a", "b"])
    assert "missing must be an existing folder." in message(capsys, *command, "missing", *files)


@pytest.mark.parametrize("command", [["translate"], ["info"], ["compare", "a", "b"]])
def test_the_nearest_folder_is_suggested(folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    (folder / "demo-model").mkdir()
    name = "demo-mdoel"
    arguments = [command[0], name, *command[1:]] if command[0] != "compare" else [*command, name, "a", "b"]
    assert re.search(r"demo-mdoel.*'demo-model'", message(capsys, *arguments))
    assert "demo-model" not in message(capsys, "translate", "quite-another")


def test_an_unknown_command_and_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "translate" in message(capsys, "translat", "model")
    assert "--steps" in message(capsys, *TRAIN, "--stepz", "3")


def test_the_demo_without_babel(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "babel", None)
    shown = message(capsys, "demo", "-o", "model", "--steps", "1")
    assert (
        "The dates task needs an optional package that is not installed. Run: pip install '.[demo]' in a clone" in shown
    )
    assert shown.endswith("or else: pip install 'regard[demo]'")


def test_a_line_that_is_too_long_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--set", "model.max_positions=12", "--set", "model.model_dim=16", "--steps", "1"]
    with pytest.raises(SystemExit) as ended:
        run(["train", "a", "b", "-o", "small", "--set", "tokenizer.kind=characters", *options])
    assert not ended.value.code
    (folder / "long").write_text("one\n" + "two " * 9 + "\n")
    shown = message(capsys, "translate", "small", "long", "-o", "out")
    assert "long, line 2: a text must have at most 11 tokens; got " in shown
    assert not (folder / "out").exists()
    assert json.loads((folder / "small" / "results.json").read_text())["num_pairs"] == 1


def test_an_output_file_in_no_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "-o must be in a folder that exists; got none/out." in message(
        capsys, "translate", "m", "a", "-o", "none/out"
    )


def test_results_that_are_truncated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["train", "a", "b", "-o", "small", "--set", "model.model_dim=16", "--steps", "1"])
    large = f'{{"evaluated_on": "x", "bleu": {"9" * 400}}}'
    wrong = (f'{{"evaluated_on": "x", "bleu": 3, "signatures": {value}}}' for value in ("null", '"none"', "3", "[]"))
    others = ('{"evaluated_on": "x", "by_direction": []}', '{"evaluated_on": "x", "labels": [1]}')
    for content in ('{"bleu": 3', "{}", large, *wrong, *others):
        (folder / "small" / "results.json").write_text(content)
        assert re.search(r"results\.json .*; got \w+Error", message(capsys, "info", "small"))


def test_half_a_surrogate_pair(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, half = (f'{{"source": "a", "target": "{target}"}}\n' for target in ("b", "\\ud800"))
    (folder / "p.jsonl").write_text(whole + half * 2)
    shown = message(capsys, "train", "p.jsonl", "-o", "model", "--steps", "1")
    assert re.search(r"p\.jsonl, line 2: .*Unicode.*surrogate", shown)


@pytest.mark.parametrize(
    ("option", "value", "setting", "shown"),
    [
        ("--steps", "5", "training.steps=7", "training.steps: 7"),
        ("--seed", "5", "training.seed=7", "training.seed: 7"),
        ("--precision", "float32", "training.precision=auto", "training.precision: auto"),
        ("--arch", "rnn", "model.arch=decoder", "model.arch: decoder"),
        ("--task", "mlm", "model.task=tag", "model.task: tag"),
        ("--direction", "en-de=a,b", "data.directions=[en-fr]", "data.directions: ['en-fr']"),
    ],
)
def test_options_that_contradict_a_setting(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, setting: str, shown: str
) -> None:
    data = [] if option == "--direction" else ["a", "b"]
    said = message(capsys, "train", *data, "-o", "model", option, value, "--set", setting)
    assert f"`{option} {value.partition('=')[0]}` contradicts the setting `{shown}`; remove one of them." in said
    assert not (folder / "model").exists()


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["translate", "small", "-", "--beam", "2", "--set", "beam_size=7"], "`--beam 2` contradicts the setting `beam_size"),
        (["evaluate", "small", "a", "b", "--beam", "2", "--set", "beam_size=7"], "`--beam 2` contradicts the setting `beam_size"),
        (["compare", "small", "small", "a", "b", "--batch-size", "2", "--set", "batch_size=7"], "`--batch-size 2` contradicts"),
        (["inspect", "small", "a", "--length-penalty", "0.5", "--set", "length_penalty=2"], "`--length-penalty 0.5` contradicts"),
    ],
)  # fmt: skip
def test_decoding_options_that_contradict_each_other(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], shown: str
) -> None:
    said = message(capsys, *arguments)
    assert shown in said
    assert said.endswith("remove one of them.")
    agreeing = [each.replace("=7", "=2").replace("_penalty=2", "_penalty=0.5") for each in arguments]
    with pytest.raises(SystemExit):
        run(agreeing)
    assert "contradicts" not in capsys.readouterr().err


def test_options_that_agree_with_a_setting_or_win_over_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.yaml").write_text("training:\n  steps: 9\n  seed: 9\n")
    with pytest.raises(SystemExit) as ended:
        run(["train", "a", "b", "-o", "model", "--config", "c.yaml", "--steps", "5", "--set", "training.steps=5",
             "--dry-run"])  # fmt: skip
    assert not ended.value.code
    assert " 5 steps" in " ".join(capsys.readouterr().err.split())
