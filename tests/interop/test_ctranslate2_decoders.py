"""Decoders in CTranslate2's format, as the package's converter writes them from models of `transformers`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from foreign_models import DECODERS, MODELS, VOCAB, decoder

import regard
from regard.errors import ModelFolderError
from regard.interop.ctranslate2 import decoder_reader
from regard.interop.ctranslate2.model_file import read_variables
from regard.interop.formats import read_foreign, write_foreign
from regard.models.decoder import Decoder

ctranslate2 = pytest.importorskip("ctranslate2")
TOKENS = [f"w{index}" for index in range(32)]
ORIGINALS = MODELS | DECODERS | {"opt of 32 tokens": decoder("OPT", ffn_dim=20, pad_token_id=0, vocab_size=32)}
LOADERS = {
    "opt of 32 tokens": "OPTLoader",
    "gpt2": "GPT2Loader",
    "gpt2, one layer, untied, relu": "GPT2Loader",
    "bloom": "BloomLoader",
    "llama": "LlamaLoader",
    "llama, interpolated": "LlamaLoader",
    "qwen 2, no windows": "Qwen2Loader",
    "qwen 3, no windows": "Qwen3Loader",
    "llama 3.1": "LlamaLoader",
    "mistral": "MistralLoader",
    "gemma 3": "Gemma3Loader",
}


def converted(name: str, folder: Path, quantization: str | None = None) -> Any:
    """The model of `transformers`, whose conversion is in the folder."""
    model = random_model(name)
    tokens = TOKENS[: model.config.vocab_size]
    tokenizer = type("Tokens", (), {
        "get_vocab": lambda self: {token: id for id, token in enumerate(tokens)}, "bos_token": "w1", "eos_token": "w2",
        "unk_token": "w3", "pad_token": None, "vocab_files_names": {}, "added_tokens_encoder": {},
    })()  # fmt: skip
    spec = getattr(ctranslate2.converters.transformers, LOADERS[name])()(model, tokenizer)
    spec.validate()
    spec.optimize(quantization)
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))
    return random_model(name)  # converters take layers out of theirs


def random_model(name: str) -> Any:
    torch.manual_seed(3)
    model = ORIGINALS[name]().eval()
    for parameter in model.parameters():
        parameter.data += 0.15 * torch.randn_like(parameter)
    return model


READ = [name for name in LOADERS if name not in ("llama 3.1", "mistral", "gemma 3")]


@pytest.mark.parametrize("name", READ)
@torch.no_grad()
def test_a_decoder_answers_as_both_originals(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CTranslate2 with its cache, and the model that it was converted from."""
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 6)
    theirs = converted(name, tmp_path)
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == []
    ours = foreign.loaded.model
    assert isinstance(ours, Decoder)
    check = foreign.check()
    assert check is not None
    assert check.num_decoded > 6
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    if name.startswith("qwen"):
        written = write_foreign(foreign.loaded, tmp_path / "again", name[:6].replace(" ", "")).check()
        assert written is not None
        assert written.largest_difference <= 1e-5 * max(written.largest_value, 1), written
    ids = torch.randint(4, VOCAB, (2, 12), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(ours(ids), theirs(input_ids=ids).logits, rtol=1e-4, atol=1e-4)
    assert foreign.loaded.tokenizer.symbols.start_ids == [1]
    assert foreign.loaded.tokenizer.symbols.eos_id == 2


@pytest.mark.parametrize("quantization", ["int8", "float16", "int16"])
def test_weights_of_other_types_are_read(quantization: str, tmp_path: Path) -> None:
    converted("qwen 3, no windows", tmp_path, quantization)
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == []
    assert any(quantization in note for note in foreign.notes)
    assert foreign.loaded.model.weights_dtype == (torch.int8 if quantization == "int8" else torch.float32)
    check = foreign.check()
    assert check is not None
    assert check.largest_difference <= 2e-3 * max(check.largest_value, 1), check


def test_a_decoder_of_ctranslate2_continues_texts(tmp_path: Path) -> None:
    converted("bloom", tmp_path)
    model: Any = regard.load(tmp_path)
    found = model.generate("w5 w7", max_tokens=4)
    assert found
    assert all(token in TOKENS for token in found.split())
    with pytest.raises(ModelFolderError, match="arch must be encoder-decoder to be written as ctranslate2"):
        write_foreign(read_foreign(tmp_path).loaded, tmp_path / "again", "ctranslate2")


NOT_READ = [
    ("llama 3.1", "rotary_scaling_type must be 0, linear, .*got 2"),
    ("mistral", "sliding_window must be 0 .*got 3"),
    ("gemma 3", "layer_norm/layer_norm_use_residual must be 0"),
]


@pytest.mark.parametrize(("name", "message"), NOT_READ)
def test_what_ours_does_not_read_is_refused(name: str, message: str, tmp_path: Path) -> None:
    converted(name, tmp_path)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path)


Change = Callable[[dict[str, np.ndarray]], None]


def without(name: str) -> Change:
    return lambda found: (found.pop(name), None)[1]


def with_(name: str, value: Any) -> Change:
    return lambda found: found.update({name: np.array(value)})


DAMAGED = [
    ("gpt2", without("decoder/layer_1/ffn/linear_0/weight"), r"must hold the tensor decoder/layer_1/ffn/linear_0/weight"),
    ("gpt2", without("decoder/layer_0/ffn/linear_0/weight"), "must hold decoder/layer_0/ffn/linear_0/weight, a matrix"),
    ("gpt2", without("decoder/embeddings/weight"), "must hold decoder/embeddings/weight, a matrix"),
    ("gpt2", without("decoder/position_encodings/encodings"), "must hold decoder/position_encodings/encodings, or have"),
    ("gpt2", without("decoder/num_heads"), "num_heads"),
    ("gpt2", with_("decoder/num_heads", np.int16(4)), "must have .* of shape|must have .* rows"),
    ("gpt2", with_("decoder/scale_alibi", np.int8(1)), "scale_alibi must be 0"),
    ("gpt2", with_("decoder/scale_embeddings", np.float32(7)), r"scale_embeddings must be 1 or sqrt\(15\).*got 7"),
    ("gpt2", with_("decoder/activation", np.int8(6)), "activation must be one of .*; got 6"),
    ("gpt2", with_("decoder/start_from_zero_embedding", np.int8(1)), "start_from_zero_embedding must be 0"),
    ("gpt2", with_("decoder/project_in/weight", np.ones((15, 15), np.float32)), "project_in/weight cannot be represented"),
    ("llama", with_("decoder/layer_0/self_attention/rotary_interleave", np.int8(1)), "rotary_interleave must be equal in all"),
    ("llama", with_("decoder/layer_1/self_attention/rotary_base", np.float32(3)), "rotary_base must be equal in all"),
    ("llama", with_("decoder/layer_0/self_attention/rotary_dim", np.int32(3)), "rotary_dim must be equal in all"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders that are made once."""
    made = {name: tmp_path_factory.mktemp(name) for name in ("gpt2", "llama")}
    for name, folder in made.items():
        converted(name, folder)
    return made


@pytest.mark.parametrize(("name", "change", "message"), DAMAGED)
def test_damaged_files_are_refused_by_name(
    name: str, change: Change, message: str, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path = folders[name]
    kind, variables = read_variables(tmp_path / "model.bin")
    assert kind == decoder_reader.NAME
    change(variables)
    monkeypatch.setattr("regard.interop.ctranslate2.reader.read_variables", lambda path: (kind, variables))
    with pytest.raises(ModelFolderError, match=message) as error:
        read_foreign(tmp_path)
    assert str(tmp_path) in str(error.value)
