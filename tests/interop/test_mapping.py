"""Checks of a foreign model's tensors before they become ours, and of a comparison before it is believed."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from foreign_models import read, stored
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.errors import ModelFolderError
from regard.interop import check
from regard.interop.check import compare
from regard.interop.formats import read_foreign


def changed(folder: Path, name: str, tensor: Tensor) -> None:
    tensors = load_file(folder / "model.safetensors")
    assert name in tensors
    save_file(tensors | {name: tensor.contiguous()}, folder / "model.safetensors", metadata={"format": "pt"})


OVERSIZED = {
    "bert, mlm, relu": ["bert.embeddings.word_embeddings.weight", "bert.encoder.layer.0.intermediate.dense.weight",
                        "bert.encoder.layer.1.output.LayerNorm.bias", "bert.embeddings.position_embeddings.weight"],
    "roberta, mlm": ["roberta.embeddings.position_embeddings.weight"],
    "gpt2": ["transformer.h.0.attn.c_attn.bias", "transformer.h.1.mlp.c_fc.weight", "transformer.wpe.weight"],
    "marian": ["final_logits_bias", "model.shared.weight"],
    "bart": ["model.encoder.embed_positions.weight"],
    "t5": ["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"],
    "encoder-decoder of bert": ["decoder.bert.embeddings.position_embeddings.weight"],
}  # fmt: skip


@pytest.mark.parametrize(("model", "name"), [(model, name) for model, names in OVERSIZED.items() for name in names])
def test_a_tensor_with_more_rows_than_the_configuration_has_is_refused(model: str, name: str, tmp_path: Path) -> None:
    stored(model, tmp_path)
    tensor = load_file(tmp_path / "model.safetensors")[name]
    axis = 1 if name == "final_logits_bias" or ".c_fc.weight" in name else 0
    changed(tmp_path, name, torch.cat((tensor, tensor.narrow(axis, 0, 1)), dim=axis))
    size = tensor.shape[axis]
    with pytest.raises(ModelFolderError, match=rf"{name} must have {size:,} (rows|columns)[^;]*; got {size + 1:,}"):
        read_foreign(tmp_path)


def test_a_longer_side_of_a_pair_is_cut_and_it_is_said(tmp_path: Path) -> None:
    """The configuration says that it is longer, so it is no surplus."""
    import json

    stored("encoder-decoder of bert", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["encoder"]["max_position_embeddings"] = 21
    (tmp_path / "config.json").write_text(json.dumps(config))
    name = "encoder.embeddings.position_embeddings.weight"
    changed(tmp_path, name, torch.ones(21, 15))
    assert any("positions from 19 on" in note for note in read_foreign(tmp_path).notes)
    changed(tmp_path, name, torch.ones(22, 15))
    with pytest.raises(ModelFolderError, match=f"{name} must have 21 rows.*; got 22"):
        read_foreign(tmp_path)


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.complex64, torch.bool])
def test_numbers_of_another_kind_are_refused(dtype: torch.dtype, tmp_path: Path) -> None:
    stored("gpt2", tmp_path)
    changed(tmp_path, "transformer.wpe.weight", torch.ones(30, 15).to(dtype))
    with pytest.raises(ModelFolderError, match=rf"wpe\.weight must hold .*float32.*; got {str(dtype)[6:]}"):
        read_foreign(tmp_path)


def test_numbers_that_float32_cannot_hold_are_refused(tmp_path: Path) -> None:
    stored("gpt2", tmp_path)
    changed(tmp_path, "transformer.wpe.weight", torch.full((30, 15), 1e300, dtype=torch.float64))
    with pytest.raises(ModelFolderError, match=r"wpe\.weight must hold finite numbers, as float32; it does not"):
        read_foreign(tmp_path)
    stored("t5", tmp_path / "t5")  # whose queries are multiplied
    name = "encoder.block.0.layer.0.SelfAttention.q.weight"
    changed(tmp_path / "t5", name, torch.full((12, 15), 3e38))
    with pytest.raises(ModelFolderError, match=r"q\.weight must hold finite numbers, as float32; it does not"):
        read_foreign(tmp_path / "t5")


def broken_reference(values: list[Tensor]) -> check.Reference:
    return SimpleNamespace(  # type: ignore[return-value]
        name="a stub", what="logits", values=lambda sources, texts: values, greedy=lambda *arguments: []
    )


@pytest.mark.parametrize("ref", [0, 1, 2])
def test_a_check_sees_what_is_no_number_wherever_it_stands(ref: int, tmp_path: Path) -> None:
    loaded = read("gpt2", tmp_path).loaded
    symbols = loaded.tokenizer.symbols
    right = check._values(
        loaded.model, symbols, None, check.generated_texts(29, symbols, check.LENGTHS, seed=1), "logits"
    )
    assert compare(loaded.model, symbols, broken_reference(right), source_symbols=symbols).agrees
    wrong = [values.detach().clone() for values in right]
    wrong[ref][2, 3] = torch.nan
    assert not compare(loaded.model, symbols, broken_reference(wrong), source_symbols=symbols).agrees
    wrong[ref][2, 3] = torch.inf
    assert not compare(loaded.model, symbols, broken_reference(wrong), source_symbols=symbols).agrees


def test_a_check_wants_answers_of_one_shape(tmp_path: Path) -> None:
    loaded = read("gpt2", tmp_path).loaded
    symbols = loaded.tokenizer.symbols
    short = [torch.zeros(length, 1) for length in check.LENGTHS]  # would be stretched to ours
    with pytest.raises(ModelFolderError, match=r"a stub must return logits of shape \(7, 29\); got \(7, 1\)"):
        compare(loaded.model, symbols, broken_reference(short), source_symbols=symbols)
