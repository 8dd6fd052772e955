"""Somebody else's files that claim more than they hold: refused in words, and nothing as large is made."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_models import stored

from largest_tensor import LargestTensor
from regard import memory
from regard.errors import ModelFolderError
from regard.foreign_files import PickleWarning, read_tensors
from regard.interop import marian
from regard.interop.formats import read_foreign

LARGEST = 10_000


def changed_json(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps(content | changes))


@pytest.mark.parametrize(
    ("model", "changes", "message"),
    [
        ("bert, mlm, relu", {"intermediate_size": 8_000_000}, "ff_dim: Input should be less than .* 1048576; got 8000000"),
        ("bert, mlm, relu", {"intermediate_size": 1 << 20}, r"must have a part of shape \(1048576, 15\)"),
        ("bert, mlm, relu", {"num_hidden_layers": 10**9}, "num_layers: Input should be less than or equal to 10000"),
        ("bert, mlm, relu", {"num_hidden_layers": 9_999}, "has 9,999 attentions"),
        ("bert, mlm, relu", {"max_position_embeddings": 1 << 20}, r"must have a part of shape \(1048576, 15\)"),
        ("bert, tags", {"id2label": None, "num_labels": 10**9}, "num_labels must be at most 1,048,576; got 1,000,000,000"),
        ("gpt2", {"vocab_size": 1 << 24}, r"wte\.weight must have a part of shape \(16777216, 15\)"),
        ("gpt2", {"bos_token_id": 10**9}, r"config\.json: bos_token_id must be below 29, .*; got 1000000000"),
        ("marian", {"decoder_layers": 10**9}, "num_decoder_layers: Input should be less than or equal to 10000"),
        ("bart", {"bad_words_ids": [[10**9]]}, r"config\.json: bad_words_ids must be below 29, .*; got 1000000000"),
        ("t5", {"num_layers": 10_000}, "has [0-9,]+ attentions"),
    ],
)  # fmt: skip
def test_a_configuration_is_compared_before_anything_is_made(
    model: str, changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    stored(model, tmp_path)
    changed_json(tmp_path / "config.json", **changes)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    with LargestTensor() as largest, pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path)
    assert largest.numel < LARGEST


def test_a_model_that_has_no_room_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored("marian", tmp_path)
    changed_json(tmp_path / "config.json", max_position_embeddings=1 << 20)  # sinusoids, which are in no file
    monkeypatch.setattr(memory, "free_bytes", lambda device: 10**8)
    with LargestTensor() as largest, pytest.raises(ModelFolderError, match=r"must fit into memory; got .* 0\.2 GB"):
        read_foreign(tmp_path)
    assert largest.numel < LARGEST


def test_a_number_of_sentinels_is_bounded(tmp_path: Path) -> None:
    from test_folder_tokenizers import encoder_symbols

    from regard.tokenizer_formats.folder_tokenizers import read_tokenizers

    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the"]))
    for count in (10**9, -1, "many"):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({"extra_ids": count}))
        with pytest.raises(ModelFolderError, match=r"extra_ids must be from 0 to 65,536; got"):
            read_tokenizers(tmp_path, encoder_symbols())


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "generation_config.json"])
def test_what_is_nested_too_deeply_is_refused(name: str, tmp_path: Path) -> None:
    stored("bart", tmp_path)
    (tmp_path / name).write_text("[" * 200_000)
    with pytest.raises(ModelFolderError, match=rf"{name} must be .*JSON; got: .*recursion"):
        read_foreign(tmp_path)


def test_padding_of_a_tokenizer_is_left_out(tmp_path: Path) -> None:
    stored("bert, mlm, relu", tmp_path)
    padding = {"strategy": {"Fixed": 10**8}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
               "pad_type_id": 0, "pad_token": "w0"}  # fmt: skip
    changed_json(tmp_path / "tokenizer.json", padding=padding)
    assert read_foreign(tmp_path).loaded.tokenizer.encode("w5 w6") == [5, 6]


def test_a_tokenizer_that_the_library_panics_at_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    stored("bert, mlm, relu", tmp_path)
    changed_json(tmp_path / "tokenizer.json", normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})
    with pytest.raises(ModelFolderError, match=r"tokenizer\.json must be a tokenizer in JSON; got: Precompiled"):
        read_foreign(tmp_path)
    capfd.readouterr()


@pytest.mark.filterwarnings("ignore::regard.foreign_files.PickleWarning")
def test_a_view_is_not_taken_for_a_tensor(tmp_path: Path) -> None:
    """A number looks like a billion, in a file of a kilobyte."""
    torch.save({"a": torch.ones(2), "b": torch.ones(1).expand(1 << 15, 1 << 15)}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelFolderError, match=r"b must hold all the numbers of its shape, \(32768, 32768\)"):
        read_tensors(tmp_path)
    torch.save({"a": torch.ones(3, 2).T, "b": torch.ones(5)[1:3]}, tmp_path / "pytorch_model.bin")
    assert read_tensors(tmp_path)["a"].shape == (2, 3)
    assert issubclass(PickleWarning, UserWarning)


def test_a_packed_file_is_measured_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "model.npz", Wemb=np.zeros((1000, 1000), dtype=np.float32))
    assert (tmp_path / "model.npz").stat().st_size < 10_000
    monkeypatch.setattr(marian, "free_bytes", lambda device: 10**6)
    monkeypatch.setattr(np, "load", lambda *arguments, **named: pytest.fail("it was read"))
    with pytest.raises(ModelFolderError, match=r"model\.npz must fit into memory; got 0\.0 GB, of 0\.0 GB"):
        read_foreign(tmp_path / "model.npz")
    with zipfile.ZipFile(tmp_path / "model.npz") as archive:
        assert sum(entry.file_size for entry in archive.infolist()) > 10**6
