"""One model of several directions: trained, measured, used, resumed and continued, from files and in Python."""

import json
from pathlib import Path

import pytest
import torch

import regard
from regard.checkpoint import load_model
from regard.cli.main import run
from regard.data.directions_of_corpora import languages_of, rule_of
from regard.errors import SettingsError

LINES = [f"{a}{b} {b}{a}" for a in "abcdefgh" for b in "abcdefgh"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three "languages": as it is, in capitals, and in digits."""
    monkeypatch.chdir(tmp_path)
    digits = str.maketrans("abcdefgh", "12345678")
    for name, lines in {
        "low": LINES,
        "up": [x.upper() for x in LINES],
        "num": [x.translate(digits) for x in LINES],
    }.items():
        Path(f"t.{name}").write_text("\n".join(lines) + "\n")
        Path(f"v.{name}").write_text("\n".join(lines[::9]) + "\n")
    return tmp_path


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        run(list(words))
    return int(ended.value.code or 0)


DIRECTIONS = ["--direction", "en-de=t.low,t.up", "--direction", "de-en=t.up,t.low", "--direction", "en-cs=t.low,t.num"]
QUICK = ["--set", "tokenizer.kind=characters", "--set", "model.num_encoder_layers=1", "--set", "model.num_decoder_layers=1",
         "--device", "cpu"]  # fmt: skip


def test_a_model_learns_to_write_the_language_that_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tag decides: the same source becomes capitals or digits."""
    assert command("train", *DIRECTIONS, "-o", "m", "--steps", "120", *QUICK) == 0
    said = capsys.readouterr()
    assert "to <2cs>" in said.out
    assert "/m --from en --to de" in said.out
    assert "an epoch is" in said.out + said.err
    translator = regard.load("m", kind=regard.Translator, device="cpu")
    found = translator.translate(["ab ba", "ab ba", "AB BA"], source=["en", "en", "de"], target=["de", "cs", "en"])
    shapes = [
        "".join(sorted({"U" if x.isupper() else "d" if x.isdigit() else "l" for x in each.text if x != " "}))
        for each in found
    ]
    assert shapes == ["U", "d", "l"]
    results = json.loads(Path("m/results.json").read_text())
    assert results["by_target"].keys() == {"<2cs>", "<2de>", "<2en>"}
    assert sum(each["num_pairs"] for each in results["by_target"].values()) == results["num_pairs"]
    assert not any(example.startswith("<2") for example in results["examples"])
    Path("in").write_text("ab ba\n\ncd dc\n")
    assert command("translate", "m", "in", "-o", "out", "--from", "de", "--to", "cs", "--device", "cpu") == 0
    assert "de to cs was not trained" in capsys.readouterr().err
    assert len(Path("out").read_text().split("\n")) == 4
    assert command("evaluate", "m", "v.low", "v.up", "--from", "en", "--to", "de", "--device", "cpu") == 0
    assert command("heads", "m", "v.low", "v.up", "--from", "en", "--to", "de", "--no-curves", "--sentences", "2") == 0
    assert command("info", "m") == 0
    assert "target languages: de, en, cs" in capsys.readouterr().out


def test_a_run_is_resumed_and_goes_on_with_another_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["t.low", "t.up", "t.up", "t.low"]
    options = {"settings": {"tokenizer": {"kind": "characters"}}, "device": "cpu", "directions": ["en-de", "de-en"]}
    regard.train(names, "whole", steps=6, validate_every=3, **options)
    regard.train(names, "again", steps=6, validate_every=3, **options)
    weights = [Path(name, "model.safetensors").read_bytes() for name in ("whole", "again")]
    assert weights[0] == weights[1]
    further = regard.train(["t.low", "t.num"], "more", from_="whole", directions=["en-cs"], steps=2, device="cpu")
    begun = load_model(Path("whole"))
    new = further.translator.tokenizer.id_of("<2cs>")
    tags = [begun.tokenizer.id_of(tag) for tag in ("<2en>", "<2de>")]
    before, after = (each.source_embedding.weight for each in (begun.model, further.translator.model))
    assert new == len(before)  # at the end
    torch.testing.assert_close(
        after[new], before[tags].mean(dim=0), rtol=0, atol=0.02
    )  # two steps of 0.001, and an average
    assert (before.mean(dim=0) - before[tags].mean(dim=0)).abs().max() > 0.1
    languages = further.translator.languages
    assert languages is not None
    assert languages.trained == ["en-de", "de-en", "en-cs"]
    assert set(languages.codes("target")) == {"de", "en", "cs"}
    with pytest.raises(SettingsError, match=r"the model has several languages\. Name those of the data"):
        regard.train(["t.low", "t.num"], "none", from_="whole", steps=2, device="cpu")


def test_validation_of_each_direction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    valid = ["--valid", "v.low", "v.up", "v.up", "v.low", "v.low", "v.num"]
    assert command("train", *DIRECTIONS, *valid, "-o", "m", "--steps", "2", *QUICK) == 0
    assert json.loads(Path("m/results.json").read_text())["num_pairs"] == 24
    assert command("train", *DIRECTIONS, *valid[:3], "-o", "n", "--steps", "2", *QUICK) == 2
    assert "`--valid` needs a corpus for each of 3 directions, in their order; got 1" in capsys.readouterr().err


def test_validation_in_memory_is_one_corpus(folder: Path) -> None:
    rows, small = (
        [("ab cd", "AB CD")] * 5,
        {"steps": 1, "device": "cpu", "num_encoder_layers": 1, "num_decoder_layers": 1},
    )
    found = regard.train(["t.low", "t.up"], "m", valid=rows, directions=["en-de"], **small)
    assert found.results["by_target"]["<2de>"]["num_pairs"] == 5
    Path("t.jsonl").write_text(
        "".join(
            json.dumps({"source": "a", "target": "b", "source_lang": "en", "target_lang": code}) + "\n"
            for code in ("de", "cs") * 9
        )
    )
    message = (
        r"needs a corpus for each of 2 directions, in their order; got 1: the rows in memory \(validation\)\. Or write"
    )
    for data, directions in (("t.jsonl", {}), (["t.low", "t.up", "t.up", "t.low"], {"directions": ["en-de", "de-en"]})):
        with pytest.raises(SettingsError, match=message):
            regard.train(data, "n", valid=rows, **directions, **small)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--direction", "ende=t.low,t.up"], "a direction must be two languages with a hyphen between"),
        (["--direction", "en-en=t.low,t.up"], "a direction must be two languages"),
        (["--direction", "en-de"], "must be languages and their data"),
        (["t.low", "t.up", "--direction", "en-de=t.low,t.up"], "takes the place of DATA"),
        ([*DIRECTIONS, "--set", "data.tags=[<a>,<b>,<c>]"], "`data.directions` has tags of its own"),
        ([*DIRECTIONS, "--set", "tokenizer.leading_space=false"], "needs `tokenizer.leading_space=true`"),
        (["t.low", "t.up", "--set", "data.directions=[en-de,de-en]"], "must have a value for each corpus, 1 in all"),
        (["--direction", "en-de=t.low"], "one file of pairs must end in .tsv or .jsonl"),
    ],
)
def test_mistakes(words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("train", *words, "-o", "m", "--steps", "2", "--device", "cpu") == 2
    assert message in capsys.readouterr().err
    assert not Path("m").exists()


def test_the_rule_of_some_directions() -> None:
    rule = rule_of(["en-de", "de-en", "fr-de"])
    assert rule.tokens == {"en": "<2en>", "de": "<2de>", "fr": "<2fr>"}
    assert (rule.sources, rule.targets) == (["en", "de", "fr"], ["de", "en"])
    assert rule.is_trained("fr", "de")
    assert not rule.is_trained("fr", "en")
    assert languages_of("eng_Latn-zho_Hant") == ("eng_Latn", "zho_Hant")
