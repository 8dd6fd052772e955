"""The mean of models."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from regard.checkpoint import load_model, save_new
from regard.cli.main import run
from regard.errors import ModelFolderError, SettingsError
from regard.models.config import EncoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.registry import build
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.averaging import average_models
from regard.training.state import finished_model

MakeModel = Callable[..., EncoderDecoder]


@pytest.fixture
def folders(tmp_path: Path, make_model: MakeModel) -> list[Path]:
    tokenizer = Tokenizer.train(["abcdefghij"], TokenizerConfig(kind="characters", vocab_size=50))
    paths = [tmp_path / name for name in "abc"]
    for index, path in enumerate(paths):
        model = make_model(vocab_size=len(tokenizer))
        for parameter in model.parameters():
            parameter.data.fill_(float(index**2))
        save_new(path, model, tokenizer)
    return paths


def test_every_weight_is_the_mean(folders: list[Path]) -> None:
    mean = average_models(folders)
    assert all(torch.equal(p, torch.full_like(p, torch.tensor(5 / 3).item())) for p in mean.model.parameters())


def test_the_command(folders: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["average", *map(str, folders), "-o", str(tmp_path / "mean")])
    assert ended.value.code in (0, None)
    assert "the mean of 3 models" in capsys.readouterr().out
    weight = load_model(tmp_path / "mean").model.source_embedding.weight
    assert torch.allclose(weight, torch.tensor(5 / 3))


def test_models_that_differ_are_refused(folders: list[Path], tmp_path: Path, make_model: MakeModel) -> None:
    with pytest.raises(SettingsError, match="averaging needs at least 2 models; got 1"):
        average_models(folders[:1])
    tokenizer = load_model(folders[0]).tokenizer
    save_new(tmp_path / "wide", make_model(vocab_size=len(tokenizer), ff_dim=24), tokenizer)
    with pytest.raises(SettingsError, match=r"ff_dim is 20 in .* and 24 in .*wide"):
        average_models([folders[0], tmp_path / "wide"])
    other = Tokenizer.train(["klmnopqrst"], TokenizerConfig(kind="characters", vocab_size=50))
    save_new(tmp_path / "other", make_model(vocab_size=len(other)), other)
    with pytest.raises(SettingsError, match=r"one vocabulary; tokenizer\.json differs"):
        average_models([folders[0], tmp_path / "other"])
    of_source = [
        Tokenizer.train([text], TokenizerConfig(kind="characters", vocab_size=50)) for text in ("abcd", "efgh")
    ]
    sizes = {"vocab_size": len(tokenizer), "source_vocab_size": len(of_source[0]), "tied_embeddings": "target"}
    for name, source_tokenizer in zip(("abcd", "efgh"), of_source, strict=True):
        save_new(tmp_path / name, make_model(**sizes), tokenizer, source_tokenizer)
    with pytest.raises(SettingsError, match=r"one vocabulary; source_tokenizer\.json differs between .*efgh"):
        average_models([tmp_path / "abcd", tmp_path / "efgh"])
    (tmp_path / "en_de.argosmodel").touch()
    with pytest.raises(ModelFolderError, match=r"an existing folder\. .* `regard convert .*en_de\.argosmodel FOLDER`"):
        average_models([tmp_path / "en_de.argosmodel"] * 2)


def set_model(folder: Path, **changes: object) -> None:
    """Change settings in the configuration of a model folder."""
    config = json.loads((folder / "config.json").read_text())
    config["model"].update(changes)
    (folder / "config.json").write_text(json.dumps(config))


def head_of(folders: list[Path]) -> str | None:
    head = average_models(folders).model.config.alignment_head
    assert head is None or isinstance(head, str)
    return head


def test_the_mean_has_the_first_alignment_head(folders: list[Path]) -> None:
    assert head_of(folders) is None
    set_model(folders[1], alignment_head="cross.1.2", dropout=0.3, attention_dropout=0.2)
    set_model(folders[2], alignment_head="cross.0.1")
    assert head_of(folders) == "cross.1.2"
    assert head_of(folders[::-1]) == "cross.0.1"
    assert average_models(folders).model.config.dropout == 0.1
    assert average_models(folders[1:]).model.config.dropout == 0.3


@pytest.mark.parametrize("kept", ["best", "snapshots"])
def test_the_mean_of_models_that_a_run_kept_has_the_head_of_its_model(folders: list[Path], kept: str) -> None:
    a, *others = folders
    moved = [a.parent / "a.training" / kept / f"step-0000000{index}" for index in (1, 2)]
    for old, new in zip(others, moved, strict=True):
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
    assert head_of(moved) is None
    set_model(a, alignment_head="cross.1.0")
    assert head_of(moved) == "cross.1.0"
    set_model(moved[1], alignment_head="cross.0.2")
    assert head_of(moved) == "cross.0.2"  # a model's own head comes first
    set_model(moved[1], alignment_head=None)
    set_model(a, ff_dim=24)  # another model, which took the name of that of the run
    assert head_of(moved) is None
    (a / "config.json").unlink()
    assert head_of(moved) is None


def test_texts_that_are_framed_otherwise_are_refused(tmp_path: Path, letters: Tokenizer) -> None:
    for number in (0, 2):
        config = EncoderConfig(vocab_size=len(letters), model_dim=12, ff_dim=8, num_heads=3, num_layers=1,
                               task="classify", labels=["a", "b"], pair_separators=number)  # fmt: skip
        save_new(tmp_path / str(number), build(config), letters)
    with pytest.raises(SettingsError, match=r"pair_separators is 0 in .* and 2 in .*"):
        average_models([tmp_path / "0", tmp_path / "2"])


def test_the_models_of_a_run(tmp_path: Path) -> None:
    assert finished_model(tmp_path / "a.training" / "best" / "step-00000001") == tmp_path / "a"
    assert finished_model(tmp_path / "a.b.training" / "snapshots" / "x") == tmp_path / "a.b"
    for other in ("a.training/step-00000001", "a/best/step-00000001", "a.training/others/x", ".training/best/x"):
        assert finished_model(tmp_path / other) is None
