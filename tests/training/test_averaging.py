"""The mean of models."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from regard.checkpoint import load_model, save_new
from regard.cli.main import run
from regard.errors import ModelFolderError, SettingsError
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.averaging import average_models

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
