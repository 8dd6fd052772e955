"""COMET with a stub in place of its library, which the tests do not install; its names and arguments are those of 2.2.7."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from regard.errors import DataError, MissingExtraError, ModelFolderError
from regard.evaluation.comet import load_comet


class StubModel:
    """A model whose score is how many letters a translation has more than its reference."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def predict(self, samples: list[dict[str, str]], **arguments: Any) -> SimpleNamespace:
        logging.getLogger("pytorch_lightning").info("GPU available: False")
        self.calls.append({"samples": samples, **arguments})
        return SimpleNamespace(scores=[len(sample["mt"]) - len(sample["ref"]) for sample in samples])


def install(monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any]) -> None:
    module = ModuleType("comet")
    module.load_from_checkpoint = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "comet", module)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "model.ckpt"
    path.write_bytes(b"weights")
    return path


@pytest.mark.parametrize("uses_gpu", [False, True])
def test_sentences_are_scored_by_the_checkpoint_and_nothing_is_downloaded(
    uses_gpu: bool, checkpoint: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    model, loaded = StubModel(), list[Any]()

    def load(path: str, **arguments: Any) -> StubModel:
        loaded.append((path, arguments))
        return model

    install(monkeypatch, load)
    caplog.set_level(logging.INFO)
    scores = load_comet(checkpoint, uses_gpu=uses_gpu)
    assert scores(["a", "b"], ["xxx", "y"], ["x", "yy"]) == [2.0, -1.0]
    assert loaded == [(str(checkpoint), {"local_files_only": True})]
    (call,) = model.calls
    assert call["samples"] == [{"src": "a", "mt": "xxx", "ref": "x"}, {"src": "b", "mt": "y", "ref": "yy"}]
    assert (call["gpus"], call["progress_bar"]) == (int(uses_gpu), False)
    assert not caplog.records
    assert logging.getLogger().manager.disable == 0


def test_a_checkpoint_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.ckpt", tmp_path):
        with pytest.raises(DataError, match=rf"--comet must be a checkpoint .*; got {path}, .*Nothing is downloaded"):
            load_comet(path)


def test_the_library_is_named_where_it_is_not_installed(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "comet", None)
    with pytest.raises(MissingExtraError, match=r"--comet needs .*pip install --no-deps unbabel-comet"):
        load_comet(checkpoint)


def test_a_checkpoint_that_comet_cannot_read(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str, **arguments: Any) -> Any:
        raise Exception("hparams.yaml file is missing\nfrom here!")

    install(monkeypatch, load)
    with pytest.raises(ModelFolderError, match=r"model.ckpt must be .*; got: hparams.yaml file is missing from here!"):
        load_comet(checkpoint)
