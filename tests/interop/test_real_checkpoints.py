"""Checkpoints as people publish them: older names, missing heads, pickles, surplus tokens, damage."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import MODELS, VOCAB, stored, words

from regard.errors import ModelFolderError
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign


def changed_config(folder: Path, **changes: Any) -> None:
    import json

    config = json.loads((folder / "config.json").read_text()) | changes
    (folder / "config.json").write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


def changed_tensors(folder: Path, rename: Callable[[str], str]) -> None:
    from safetensors.torch import load_file, save_file

    tensors = {rename(name): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def agrees(folder: Path) -> ForeignModel:
    foreign = read_foreign(folder)
    check = foreign.check()
    assert check is not None
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    return foreign


def test_norms_with_gamma_and_beta_are_read(tmp_path: Path) -> None:
    stored("bert, mlm, relu", tmp_path)
    changed_tensors(
        tmp_path,
        lambda name: re.sub("LayerNorm.weight$", "LayerNorm.gamma", re.sub("LayerNorm.bias$", "LayerNorm.beta", name)),
    )
    agrees(tmp_path)


def test_a_bart_without_its_head_is_read(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = MODELS["bart"]().eval()
    model.model.save_pretrained(tmp_path)
    words(VOCAB).save(str(tmp_path / "tokenizer.json"))
    assert not any(name.startswith("model.") for name in _names(tmp_path))
    agrees(tmp_path)


def _names(folder: Path) -> list[str]:
    from safetensors.torch import load_file

    return list(load_file(folder / "model.safetensors"))


def test_a_gpt2_without_its_head_is_read(tmp_path: Path) -> None:
    torch.manual_seed(1)
    MODELS["gpt2"]().transformer.save_pretrained(tmp_path)
    words(VOCAB).save(str(tmp_path / "tokenizer.json"))
    agrees(tmp_path)


@pytest.mark.parametrize(
    "name", ["bert, mlm, relu", "bert, no head", "distilbert, mlm", "gpt2", "marian", "bart", "t5"]
)
def test_a_configuration_without_class_is_read(name: str, tmp_path: Path) -> None:
    stored(name, tmp_path)
    changed_config(tmp_path, architectures=None)
    agrees(tmp_path)


@pytest.mark.filterwarnings("ignore::regard.foreign_files.PickleWarning")
def test_half_precision_pickles_with_buffers_are_read(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    stored("bert, mlm, relu", tmp_path)
    tensors = {name: tensor.half() for name, tensor in load_file(tmp_path / "model.safetensors").items()}
    tensors["bert.embeddings.position_ids"] = torch.arange(19)[None]
    (tmp_path / "model.safetensors").unlink()
    torch.save(tensors, tmp_path / "pytorch_model.bin")
    foreign = read_foreign(tmp_path)
    assert foreign.account.accounted["bert.embeddings.position_ids"] == "not a weight"
    assert next(foreign.loaded.model.parameters()).dtype == torch.float32


def test_a_tokenizer_with_more_tokens_than_the_model(tmp_path: Path) -> None:
    """As bart-large-cnn has: what is beyond is unknown, and a folder of ours that was written of it is read again."""
    from regard.checkpoint import load_model, save_new

    stored("bart", tmp_path / "theirs")
    words(VOCAB + 2).save(str(tmp_path / "theirs" / "tokenizer.json"))
    loaded = agrees(tmp_path / "theirs").loaded
    assert loaded.tokenizer.encode("w5 w29 w28") == [5, 3, 28]
    assert len(loaded.tokenizer) == VOCAB
    save_new(tmp_path / "ours", *loaded)
    again = load_model(tmp_path / "ours")
    assert again.tokenizer.encode("w5 w30 w28") == [5, 3, 28]


def test_marians_begin_symbol_is_no_symbol(tmp_path: Path) -> None:
    """Every Marian configuration says that it is 0, which may be any piece."""
    stored("marian", tmp_path)
    (tmp_path / "generation_config.json").unlink()
    changed_config(tmp_path, bos_token_id=0, eos_token_id=11, forced_eos_token_id=11)
    tokenizer = read_foreign(tmp_path).loaded.tokenizer
    assert tokenizer.encode("w0 w7") == [0, 7]
    assert tokenizer.frame_source([0, 7]) == [0, 7, 11]


def test_one_class_alone_is_refused(tmp_path: Path) -> None:
    stored("bert, classes, one layer", tmp_path)
    changed_config(tmp_path, id2label={"0": "LABEL_0"}, problem_type="single_label_classification")
    with pytest.raises(ModelFolderError, match="id2label must name at least 2 classes; got 1"):
        read_foreign(tmp_path)


def test_what_is_recommended_for_generating_is_said(tmp_path: Path) -> None:
    stored("bart", tmp_path)
    (tmp_path / "generation_config.json").write_text(
        '{"num_beams": 4, "length_penalty": 2.0, "min_length": 56, "no_repeat_ngram_size": 3, "eos_token_id": [2, 5],'
        ' "decoder_start_token_id": 2, "pad_token_id": 0, "bos_token_id": 1}'
    )
    notes = " ".join(read_foreign(tmp_path).notes)
    for key in ("num_beams", "length_penalty", "min_length", "no_repeat_ngram_size"):
        assert f"{key} is not kept" in notes
    assert "of several end symbols the first ends a text: 2" in notes


DAMAGED: list[tuple[str, dict[str, Any]]] = [
    ("bert, mlm, relu", {"model_type": ["bert"]}),
    ("bert, mlm, relu", {"vocab_size": 10**13}),
    ("bert, classes, one layer", {"id2label": {"a": "b", "c": "d"}}),
    ("marian", {"bad_words_ids": [5]}),
    ("marian", {"bad_words_ids": [[999]]}),
    ("marian", {"decoder_start_token_id": 999}),
    ("gpt2", {"n_head": "three"}),
]


@pytest.mark.parametrize(("name", "change"), DAMAGED)
def test_damaged_configurations_are_refused_without_a_traceback(
    name: str, change: dict[str, Any], tmp_path: Path
) -> None:
    stored(name, tmp_path)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    changed_config(tmp_path, **change)
    with pytest.raises(ModelFolderError):
        read_foreign(tmp_path)


def test_t5s_sentinels_are_read_in_texts(tmp_path: Path) -> None:
    stored("t5", tmp_path)
    backend = words(VOCAB - 2)
    backend.add_special_tokens(["<extra_id_1>", "<extra_id_0>"])
    backend.save(str(tmp_path / "tokenizer.json"))
    tokenizer = agrees(tmp_path).loaded.tokenizer
    assert tokenizer.encode("w5 <extra_id_0> w6") == [5, 28, 6]
