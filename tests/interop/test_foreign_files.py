"""Folders that must be read with care: shards, pickles, hub names, files that are not what they seem."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

import regard
from regard import foreign_files
from regard.errors import ModelFolderError
from regard.foreign_files import PickleWarning, find_folder, read_json, read_tensors
from regard.interop.convert import convert
from regard.interop.formats import is_foreign, read_foreign

TENSORS = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4)}


def same(found: dict[str, torch.Tensor]) -> bool:
    return found.keys() == TENSORS.keys() and all(torch.equal(found[name], TENSORS[name]) for name in TENSORS)


def test_one_file(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "model.safetensors")
    assert same(read_tensors(tmp_path))


def test_shards_by_their_index(tmp_path: Path) -> None:
    save_file({"a": TENSORS["a"]}, tmp_path / "1.safetensors")
    save_file({"b": TENSORS["b"]}, tmp_path / "2.safetensors")
    index = {"weight_map": {"a": "1.safetensors", "b": "2.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert same(read_tensors(tmp_path))
    (tmp_path / "2.safetensors").unlink()
    with pytest.raises(ModelFolderError, match="must be a whole safetensors file"):
        read_tensors(tmp_path)


def test_an_index_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "secret.safetensors")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../secret.safetensors"}}))
    with pytest.raises(ModelFolderError, match="must be a whole safetensors file"):
        read_tensors(folder)


def test_a_pickle_of_tensors_is_read_with_a_warning(tmp_path: Path) -> None:
    torch.save(TENSORS, tmp_path / "pytorch_model.bin")
    with pytest.warns(PickleWarning, match="no code is run"):
        assert same(read_tensors(tmp_path))


def test_safetensors_are_preferred(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"never opened")
    save_file(TENSORS, tmp_path / "model.safetensors")
    assert same(read_tensors(tmp_path))


class Malicious:
    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.trace,))


@pytest.mark.parametrize("write", [torch.save, lambda content, path: path.write_bytes(pickle.dumps(content))])
def test_a_pickle_with_code_is_refused_and_not_run(write: Any, tmp_path: Path) -> None:
    trace = tmp_path / "was-run"
    write({"a": Malicious(trace)}, tmp_path / "pytorch_model.bin")
    with pytest.warns(PickleWarning), pytest.raises(ModelFolderError, match="must be a pickle of bare tensors"):
        read_tensors(tmp_path)
    assert not trace.exists()


def test_what_is_damaged_or_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match=r"must hold weights: model\.safetensors or pytorch_model\.bin"):
        read_tensors(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{")
    with pytest.raises(ModelFolderError, match="must be a whole safetensors file"):
        read_tensors(tmp_path)
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(ModelFolderError, match="must hold a JSON object; got list"):
        read_json(tmp_path / "config.json")


def test_a_hub_name_is_found_in_the_local_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The layout that `huggingface_hub` keeps; with the network off it must answer from there."""
    import huggingface_hub.constants

    cache = tmp_path / "hub"
    folder = cache / "models--owner--small"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("0123456789abcdef0123456789abcdef01234567")
    snapshot = folder / "snapshots" / "0123456789abcdef0123456789abcdef01234567"
    snapshot.mkdir(parents=True)
    save_file(TENSORS, snapshot / "model.safetensors")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    import huggingface_hub._snapshot_download as downloading

    monkeypatch.setattr(downloading.constants, "HF_HUB_CACHE", str(cache), raising=False)
    for name in ("hf:owner/small", Path("hf:owner/small")):
        assert is_foreign(name)
        assert same(read_tensors(find_folder(name)))
    with pytest.raises(ModelFolderError, match=r"hf:owner/other must be a model on the Hugging Face hub.*; got: "):
        find_folder("hf:owner/other")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def asked(*arguments: object, **named: object) -> None:
        raise AssertionError("the hub was asked")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", asked)


@pytest.mark.parametrize("name", ["owner/model", "a/b"])
def test_a_folder_that_is_not_there_is_not_looked_up(name: str, no_network: None) -> None:
    """A mistyped name goes nowhere."""
    for load in (regard.load, read_foreign, lambda name: convert(name, Path("nowhere"), format="onnx")):
        with pytest.raises(
            ModelFolderError, match=rf"{name} must be an existing folder.* On the Hugging Face hub: hf:{name}"
        ):
            load(name)


@pytest.mark.parametrize("name", ["", "owner/model/more", "../x", "a\\b", "-", "owner/"])
def test_what_no_model_on_the_hub_is_called_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelFolderError, match=r"hf:.* must be a model on the Hugging Face hub"):
        find_folder(f"hf:{name}")


def test_names_that_are_no_hub_names_stay_paths(no_network: None) -> None:
    for name in ("missing", "./a/b", "/a/b", "a/b", "a/b/c", "a/"):
        assert not foreign_files.is_hub_name(name)
        assert find_folder(name) == Path(name)
        assert not is_foreign(name)
