"""CTranslate2's folders of T5, held against the `ctranslate2` package."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_ctranslate2 import ours, read_as_the_package_computes

from regard.errors import ModelFolderError
from regard.interop.ctranslate2.model_file import read_variables
from regard.interop.formats import read_foreign, write_foreign

ctranslate2 = pytest.importorskip("ctranslate2")

T5S = {
    "t5 1.0": ("T5", {"feed_forward_proj": "relu"}),
    "t5 1.1": ("T5", {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    "mt5": ("MT5", {"tie_word_embeddings": False, "num_decoder_layers": 2, "num_layers": 1}),
}


def t5_by_transformers(name: str, folder: Path, quantization: str | None = None, *, is_misread: bool = False) -> Any:
    """A random T5, converted by the package's converter for `transformers`."""
    from foreign_models import t5

    kind, choices = T5S[name]
    torch.manual_seed(3)
    model = t5(f"{kind}ForConditionalGeneration", **choices)().eval()
    if "tie_word_embeddings" in choices:  # `transformers` 5 ties new ones, whatever their configuration says
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    # `transformers` 5 sets it, whatever the file says, and the converter reads it as whether states are scaled.
    if not is_misread:
        model.config.tie_word_embeddings = choices.get("tie_word_embeddings", True)
    for parameter in model.parameters():
        parameter.data += 0.15 * torch.randn_like(parameter)
    tokens = ["<pad>", "</s>", "<unk>", *(f"w{index}" for index in range(26))]
    tokenizer = type("Tokens", (), {
        "get_vocab": lambda self: {token: id for id, token in enumerate(tokens)}, "bos_token": None, "eos_token": "</s>",
        "unk_token": "<unk>", "pad_token": "<pad>", "vocab_files_names": {}, "added_tokens_encoder": {},
        "convert_ids_to_tokens": lambda self, id: tokens[id],
    })()  # fmt: skip
    spec = getattr(ctranslate2.converters.transformers, f"{kind}Loader")()(model, tokenizer)
    spec.validate()
    spec.optimize(quantization)
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))
    return model


@pytest.mark.parametrize("name", T5S)
def test_t5_as_converted_from_transformers(name: str, tmp_path: Path) -> None:
    """Queries are not divided by sqrt(head_dim), the last states of a tied one are scaled, sources end with `</s>`."""
    theirs = t5_by_transformers(name, tmp_path / "ct2")
    ours = read_as_the_package_computes(tmp_path / "ct2", end=1)
    source, target = torch.randint(3, 29, (2, 40)), torch.randint(3, 29, (2, 30))
    target[:, 0] = 0
    with torch.no_grad():
        expected = theirs(input_ids=source, decoder_input_ids=target).logits
    torch.testing.assert_close(ours(source, target), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "is_misread", "is_noted"),
    [("t5 1.0", True, False), ("t5 1.1", False, False), ("t5 1.1", True, True)],
)
def test_a_t5_that_is_not_as_its_original_is_noted(name: str, is_misread: bool, is_noted: bool, tmp_path: Path) -> None:
    theirs = t5_by_transformers(name, tmp_path / "ct2", is_misread=is_misread)
    foreign = read_foreign(tmp_path / "ct2")
    assert any("originals do not divide" in note for note in foreign.notes) is is_noted
    source, target = torch.randint(3, 29, (2, 4)), torch.randint(3, 29, (2, 3))
    with torch.no_grad():
        expected = theirs(input_ids=source, decoder_input_ids=target).logits * (15**-0.5 if is_noted else 1)
    torch.testing.assert_close(foreign.loaded.model(source, target), expected, rtol=1e-4, atol=1e-4)


def test_t5_is_read_written_and_read(tmp_path: Path) -> None:
    """The tables and the scaled queries come back, and the T5 of `transformers` is the same."""
    t5_by_transformers("t5 1.0", tmp_path / "ct2")
    first = read_foreign(tmp_path / "ct2").loaded
    source, target = torch.randint(3, 29, (2, 20)), torch.randint(3, 29, (2, 10))
    for format in ("ctranslate2", "umt5"):
        written = write_foreign(first, tmp_path / format, format)
        check = written.check()
        assert check is not None
        assert check.largest_difference < 2e-5
        again = read_foreign(tmp_path / format).loaded.model
        torch.testing.assert_close(again(source, target), first.model(source, target), rtol=1e-4, atol=1e-4)


def test_tables_of_layers_that_differ_are_refused(tmp_path: Path) -> None:
    """CTranslate2 looks at the first layer's alone."""
    loaded = ours("t5's distances")
    loaded.model.get_parameter("encoder_layers.1.self_attention.attention.positions.table.weight").data += 1
    with pytest.raises(ModelFolderError, match="tables of distances of the encoder's layers must be equal"):
        write_foreign(loaded, tmp_path / "ct2", "ctranslate2")
    assert not (tmp_path / "ct2").exists()


def test_bytes_of_a_t5_are_read(tmp_path: Path) -> None:
    t5_by_transformers("t5 1.1", tmp_path / "ct2", "int8")
    foreign = read_foreign(tmp_path / "ct2")
    assert foreign.loaded.model.weights_dtype == torch.int8
    check = foreign.check()
    assert check is not None
    assert check.largest_difference < 1e-4


DAMAGED_T5 = [
    ("encoder/layer_1/self_attention/queries_scale", None, "queries_scale must be equal in all attentions"),
    ("decoder/layer_0/attention/queries_scale", np.float32(2), "queries_scale must be equal in all attentions"),
    ("decoder/layer_0/attention/queries_scale", np.float32("nan"), "queries_scale must be a finite number above 0; got nan"),
    ("decoder/scale_outputs", np.float32(0), "scale_outputs must be a finite number above 0; got 0"),
    ("encoder/layer_0/self_attention/relative_attention_max_distance", np.int32(64), "max_distance must be 128; got 64"),
    ("decoder/layer_0/self_attention/relative_attention_bias", np.ones((16, 3), np.float32), "32 rows; got 16"),
    ("encoder/layer_1/self_attention/relative_attention_bias", np.ones((32, 3), np.float32), "that of layer 0"),
    ("encoder/layer_0/self_attention/relative_attention_bias", None, "must hold the tensor .*relative_attention_bias"),
    ("decoder/layer_0/ffn/linear_0_noact/weight", None, "must hold the tensor decoder/layer_0/ffn/linear_0_noact/weight"),
    ("decoder/layer_0/self_attention/relative_position_keys", np.ones((3, 4), np.float32), "cannot be represented"),
    ("decoder/layer_0/self_attention/head_dim", np.int32(2), "must have a part of shape"),
]  # fmt: skip


@pytest.fixture(scope="module")
def gated_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("t5")
    t5_by_transformers("t5 1.1", folder)
    return folder


@pytest.mark.parametrize(("name", "value", "message"), DAMAGED_T5)
def test_a_damaged_t5_is_refused_by_name(
    name: str, value: Any, message: str, gated_t5: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, variables = read_variables(gated_t5 / "model.bin")
    variables.pop(name, None)
    if value is not None:
        variables[name] = np.array(value)
    monkeypatch.setattr("regard.interop.ctranslate2.reader.read_variables", lambda path: (kind, variables))
    with pytest.raises(ModelFolderError, match=message) as error:
        read_foreign(gated_t5)
    assert str(gated_t5) in str(error.value)
