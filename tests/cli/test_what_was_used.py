"""What has no effect on a run that begins with a model is refused, and what is recorded is what was used."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from running import command, refused

import regard
from random_models import save_models
from regard.checkpoint import load_model
from regard.errors import SettingsError
from regard.training.trainer import Trainer

STEPS = ["--steps", "3", "--set", "training.batch_tokens=200"]
PAIRS = [("ab cde", "edc ba"), ("fa be", "eb af")] * 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = save_models(tmp_path_factory.mktemp("bases"))
    shutil.copytree(path / "mlm", path / "other-mlm")
    return path


def trained(folder: Path, output: Path, *more: Any, data: tuple[str, ...] = ("source", "target")) -> dict[str, Any]:
    """The results of a short run."""
    given = [folder / name for name in data]
    assert command("train", *given, "--valid", *given, "-o", output, *STEPS, *more) == 0
    return dict(json.loads((output / "results.json").read_text()))


def in_folder(folder: Path, words: list[str]) -> list[Any]:
    """Options whose models are in a folder."""
    names = {"--from", "--teacher", "--encoder", "--decoder"}
    return [folder / word if before in names else word for before, word in zip(["", *words], words, strict=False)]


# what has no effect is refused


@pytest.mark.parametrize("base", ["m", "rnn", "lm", "mlm"])
@pytest.mark.parametrize("preset", ["tiny", "base"])
def test_a_preset_beside_a_model_to_begin_with_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], base: str, preset: str
) -> None:
    data = [folder / "source", *([folder / "target"] if base in ("m", "rnn") else [])]
    for more in ([], ["--set", "adapter.rank=2"], ["--resume"], ["--dry-run"]):
        words = [*data, "--from", folder / base, "-o", tmp_path / "x", "--preset", preset, *more]
        error = refused(capsys, "train", *words)
        assert re.search(rf"`--preset`.*`--from`.*got {preset}", error), error
    assert not (tmp_path / "x").exists()


def test_a_preset_beside_a_model_to_begin_with_is_refused_in_python(folder: Path, tmp_path: Path) -> None:
    for preset in ("tiny", "small"):
        with pytest.raises(SettingsError, match=r"`--preset`.*`--from`"):
            regard.train(PAIRS, tmp_path / "x", from_=folder / "m", preset=preset, steps=1)
    with pytest.raises(SettingsError, match=r"`--from`.*`--encoder`.*use one of them"):
        regard.train(PAIRS, tmp_path / "x", from_=folder / "m", pretrained=(folder / "mlm", folder / "lm"), steps=1)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("base", "setting", "message"),
    [
        ("rnn", "model.layer_dropout=0.2", "model.layer_dropout"),
        ("rnn", "model.alignment_head=cross.0.0", "model.alignment_head"),
        ("lm", "model.alignment_head=cross.0.0", "model.alignment_head"),
        ("m", "model.dropout=7", "model.dropout must be"),
        ("m", "model.dropout=much", "model.dropout must be"),
        ("m", "model.dropout=true", "model.dropout must be"),
        ("m", "model.layers=3", "model.layers"),
    ],
)
def test_a_setting_that_the_model_to_begin_with_does_not_have_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], base: str, setting: str, message: str
) -> None:
    data = [folder / "source", *([folder / "target"] if base in ("m", "rnn") else [])]
    words = [*data, "--from", folder / base, "-o", tmp_path / "x", *STEPS, "--set", setting]
    assert message in refused(capsys, "train", *words)


def test_a_teacher_leaves_its_preset_to_the_model_that_learns(folder: Path, tmp_path: Path) -> None:
    """Also where `--from` names it, too: then only its vocabulary is meant."""
    taught = ["--teacher", folder / "m", "--from", folder / "m", "--preset", "small"]
    results = trained(folder, tmp_path / "x", *taught)
    assert (results["preset"], results["teacher"], results["from"]) == ("small", "m", None)
    assert results["settings"]["model"]["model_dim"] == load_model(tmp_path / "x").model.config.model_dim > 12


@pytest.mark.parametrize("other", [["--from", "other"], [], ["--from", "m", "--set", "model.dropout=0.3"]])
def test_a_run_does_not_go_on_from_another_beginning(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    other: list[str],
) -> None:
    """Its weights are those of the checkpoint: what `--from` names would be recorded, and not used."""
    if not (folder / "other").exists():
        regard.train(PAIRS, folder / "other", from_=folder / "m", steps=2, batch_tokens=100)
    data = [folder / "source", folder / "target"]
    base = ["train", *data, "--valid", *data, "-o", tmp_path / "x", *STEPS, "--save-every", "1"]
    advance = Trainer._advance

    def dies(self: Any, *, stop: bool) -> None:
        if self.progress.step == 2:
            raise RuntimeError("killed")
        advance(self, stop=stop)

    monkeypatch.setattr(Trainer, "_advance", dies)
    with pytest.raises(RuntimeError, match="killed"):
        command(*base, "--from", folder / "m")
    monkeypatch.setattr(Trainer, "_advance", advance)
    assert "--resume" in refused(capsys, *base, *in_folder(folder, other), "--resume")
    assert command(*base, "--from", folder / "m", "--resume") == 0


# what is recorded is what was used


def test_the_record_of_a_run_from_a_model(folder: Path, tmp_path: Path) -> None:
    for name, more in (("whole", []), ("adapter", ["--set", "adapter.rank=2"])):
        results = trained(folder, tmp_path / name, "--from", folder / "m", *more)
        assert (results["preset"], results["from"]) == (None, "m")
        assert results["settings"]["tokenizer"] == {"add": []}
        assert results["sizes"]["vocab_size"] == len(load_model(folder / "m").tokenizer)
        assert "preset" not in (tmp_path / name / "README.md").read_text()
    added = trained(folder, tmp_path / "added", "--from", folder / "m", "--set", "tokenizer.add=[<x>]")
    assert added["settings"]["tokenizer"] == {"add": ["<x>"]}
    assert added["sizes"]["vocab_size"] == results["sizes"]["vocab_size"] + 1


def test_the_record_of_a_run_with_a_teacher(folder: Path, tmp_path: Path) -> None:
    results = trained(folder, tmp_path / "x", "--teacher", folder / "two")
    assert (results["preset"], results["teacher"]) == ("tiny", "two")
    assert results["settings"]["tokenizer"] == {"add": []}
    teacher = load_model(folder / "two")
    assert teacher.source_tokenizer is not None
    sizes = results["sizes"]["vocab_size"], results["sizes"]["source_vocab_size"]
    assert sizes == (len(teacher.tokenizer), len(teacher.source_tokenizer))


def test_the_record_of_a_model_that_is_put_together(folder: Path, tmp_path: Path) -> None:
    halves = ["--encoder", folder / "mlm", "--decoder", folder / "other-mlm"]
    results = trained(folder, tmp_path / "x", *halves, "--preset", "small")
    assert (results["encoder"], results["decoder"], results["from"]) == ("mlm", "other-mlm", None)
    assert results["preset"] == "small"  # its settings of training
    assert results["settings"]["tokenizer"] == {"add": []}
    assert results["settings"]["model"]["model_dim"] == load_model(folder / "mlm").model.config.model_dim
    card = (tmp_path / "x" / "README.md").read_text()
    assert "put together from the encoder `mlm` and the decoder `other-mlm`" in card
    assert "--encoder mlm --decoder other-mlm" in card
    plain = trained(folder, tmp_path / "plain", "--set", "tokenizer.kind=characters")
    assert (plain["encoder"], plain["decoder"]) == (None, None)


def test_the_record_of_a_plain_run(folder: Path, tmp_path: Path) -> None:
    """The size of a vocabulary that was allowed is a setting; that which it has is a size."""
    results = trained(folder, tmp_path / "x", "--set", "tokenizer.kind=characters", "--set", "tokenizer.vocab_size=900")
    assert (results["preset"], results["settings"]["tokenizer"]["vocab_size"]) == ("tiny", 900)
    assert results["sizes"]["vocab_size"] == len(load_model(tmp_path / "x").tokenizer) < 900


@pytest.mark.parametrize(
    ("data", "more"),
    [
        (["source", "target"], ["--from", "m", "--set", "model.dropout=0.3", "--set", "tokenizer.add=[<x>]"]),
        (["source", "target"], ["--from", "m", "--set", "adapter.rank=2"]),
        (["source", "target"], ["--from", "m", "--teacher", "m2"]),
        (["source", "target"], ["--teacher", "two", "--preset", "tiny"]),
        (["source", "target"], ["--encoder", "mlm", "--decoder", "other-mlm"]),
        (["source"], ["--from", "mlm"]),
        (["source", "target"], ["--set", "tokenizer.kind=characters"]),
    ],
)
def test_the_settings_of_a_card_train_the_same_model_again(
    folder: Path, tmp_path: Path, data: list[str], more: list[str]
) -> None:
    if not (folder / "m2").exists():
        regard.train(PAIRS, folder / "m2", from_=folder / "m", steps=2, batch_tokens=100)
    words = in_folder(folder, more)
    first = trained(folder, tmp_path / "first", *words, data=tuple(data))
    card = (tmp_path / "first" / "README.md").read_text()
    settings, said = re.findall(r"```yaml\n(.*?)```\n.*?`regard train \.\.\.(.*?) --config", card, re.DOTALL)[0]
    (tmp_path / "config.yaml").write_text(settings)
    assert yaml.safe_load(settings)["training"]["steps"] == 3
    options = in_folder(folder, said.split())
    given = [folder / name for name in data]
    again = ["train", *given, "--valid", *given, "-o", tmp_path / "again", *options]
    assert command(*again, "--config", tmp_path / "config.yaml") == 0
    second = json.loads((tmp_path / "again" / "results.json").read_text())
    assert second["settings"] == first["settings"]
    assert second["validation_loss"] == pytest.approx(first["validation_loss"], rel=1e-6)
