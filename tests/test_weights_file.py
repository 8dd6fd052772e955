"""Model folders whose matrices have 8 bits: what is stored, what decodes, and files that are wrong."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

import regard
from largest_tensor import LargestTensor
from regard.checkpoint import load_model, save_new
from regard.cli.main import run
from regard.compiled.library import find
from regard.errors import ModelFolderError
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn.quantization import dequantized, quantized
from regard.text.tokenizer import Tokenizer
from regard.weights_file import eight_bit_names, summarize_weights

MakeModel = Callable[..., EncoderDecoder]
LARGEST = 100_000
"""Numbers in a tensor while a folder is refused; the model's own largest, its sinusoids, has 65,536."""
NATIVE = find().library is not None


@pytest.fixture
def folder(make_model: MakeModel, letters: Tokenizer, tmp_path: Path) -> Path:
    """A model in float32, and beside it `rounded`, the same in 8 bits."""
    model = make_model(vocab_size=len(letters), model_dim=64, ff_dim=96, num_heads=4)
    save_new(tmp_path / "exact", model, letters)
    save_new(tmp_path / "rounded", model, letters, dtype=torch.int8)
    return tmp_path


@given(st.integers(1, 9), st.integers(1, 70), st.integers(0, 10**6), st.floats(1e-30, 1e30))
def test_rounding_again_changes_nothing(rows: int, columns: int, seed: int, size: float) -> None:
    weight = torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed)) * size
    weight[seed % rows] *= seed % 2  # a row of zeros
    scales, rounded = quantized(weight)
    again = quantized(dequantized(scales, rounded))
    assert torch.equal(again[0], scales)
    assert torch.equal(again[1], rounded)
    assert ((dequantized(scales, rounded) - weight).abs() <= 0.5001 * scales[:, None]).all()


def test_every_scale_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """All 8,388,608 fractions that a float32 can have."""
    largest = (torch.arange(1 << 23, dtype=torch.int32) + (127 << 23)).view(torch.float32)[:, None]
    scales, rounded = quantized(largest)
    assert (rounded == 127).all()
    assert torch.equal(quantized(dequantized(scales, rounded))[0], scales)


def test_a_folder_of_bytes_is_small_and_near(folder: Path) -> None:
    exact, rounded = (load_model(folder / name).model for name in ("exact", "rounded"))
    names = eight_bit_names(exact)
    assert {"source_embedding.weight", "encoder_layers.0.feed_forward.output_proj.weight"} <= names
    for name, parameter in rounded.named_parameters():
        before = exact.get_parameter(name)
        assert torch.equal(parameter, before) == (name not in names or not before.any())
        assert (parameter - before).abs().max() <= before.abs().max() / 250
    summary = summarize_weights(folder / "rounded" / "model.safetensors")
    assert summary.num_rounded + summary.num_others == len(dict(exact.named_parameters()))
    assert summary.num_bytes < 0.35 * (folder / "exact" / "model.safetensors").stat().st_size


@pytest.mark.skipif(not NATIVE, reason="there are no native layers")
def test_the_folder_decides_which_engine_decodes(folder: Path, tmp_path: Path) -> None:
    texts = ["abc", "hgfe d", "a b c d"]
    exact, rounded = (regard.load(folder / name, kind=regard.Translator, device="cpu") for name in ("exact", "rounded"))
    assert (exact.engine, rounded.engine) == ("native", "native-int8")
    by_name = regard.load(folder / "rounded", kind=regard.Translator, device="cpu", engine="native-int8")
    expected = [each.token_log_probs for each in by_name.translate(texts, beam_size=3)]
    assert [each.token_log_probs for each in rounded.translate(texts, beam_size=3)] == expected
    save_new(tmp_path / "again", rounded.model, rounded.tokenizer, dtype=torch.int8)
    again = (tmp_path / "again" / "model.safetensors").read_bytes()
    assert again == (folder / "rounded" / "model.safetensors").read_bytes()
    rounded.save(tmp_path / "saved")
    assert (tmp_path / "saved" / "model.safetensors").read_bytes() == again
    save_new(tmp_path / "wide", rounded.model, rounded.tokenizer)
    assert regard.load(tmp_path / "wide", kind=regard.Translator, device="cpu").engine == "native"


def command(*arguments: Path | str) -> int:
    """The exit code of a command."""
    with pytest.raises(SystemExit) as ended:
        run([str(each) for each in arguments])
    return int(ended.value.code or 0)


def test_convert_says_what_it_costs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pairs.tsv").write_text("abc\tcba\nhg f\tf gh\n")
    exact, output, to = folder / "exact", folder / "new", ("--to", "regard-int8")
    assert command("convert", exact, output, *to, "--valid", folder / "pairs.tsv") == 0
    said = capsys.readouterr().out
    assert "matrices in 8 bits" in said
    assert re.search(r"changed by [+-]0\.0\d+ nats on average over \d+ tokens", said)
    assert (output / "model.safetensors").read_bytes() == (folder / "rounded" / "model.safetensors").read_bytes()
    assert command("info", output) == 0
    assert "weights: " in capsys.readouterr().out
    assert command("convert", exact, folder / "x", "--to", "onnx", "--valid", "a") == 2
    assert "`--valid` needs `--to regard-int8` or `--to argos`; got onnx" in capsys.readouterr().err
    assert command("convert", exact, output, *to) == 2
    assert command("convert", exact, output, *to, "--overwrite") == 0


@pytest.mark.parametrize("arch", ["decoder", "rnn", "encoder"])
def test_every_family_is_stored_in_bytes(arch: str, tmp_path: Path) -> None:
    texts = [f"{a}{b}{a}\t{b}{a}{b}" if arch == "rnn" else f"{a}{b}{a}" for a in "abcd" for b in "efgh"]
    if arch == "encoder":
        texts = [f"{text}\t{'xy'[number % 2]}" for number, text in enumerate(texts * 4)]
    file = tmp_path / "data.tsv"
    file.write_text("\n".join(texts) + "\n")
    task: dict[str, Any] = {"task": "classify"} if arch == "encoder" else {}
    regard.train(file, tmp_path / "m", arch=arch, steps=2, device="cpu", **task)
    assert command("convert", tmp_path / "m", tmp_path / "rounded", "--to", "regard-int8") == 0
    pipeline = regard.load(tmp_path / "rounded", device="cpu")
    assert pipeline.model.weights_dtype == torch.int8
    if arch != "encoder":
        assert pipeline.engine == ("native-int8" if NATIVE else "torch")
    if arch == "decoder":
        assert pipeline.generate("ab", max_tokens=3)
    elif arch == "rnn":
        assert pipeline.translate("aba") is not None
    else:
        assert pipeline.predict(["aba"])


def test_training_goes_on_in_float32(folder: Path, tmp_path: Path) -> None:
    (folder / "pairs.tsv").write_text("abc\tcba\nhg f\tf gh\n" * 4)
    result = regard.train(folder / "pairs.tsv", tmp_path / "next", from_=folder / "rounded", steps=2, device="cpu")
    assert result.translator.model.weights_dtype == torch.float32
    assert summarize_weights(tmp_path / "next" / "model.safetensors").num_rounded == 0


NAME = "encoder_layers.0.feed_forward.output_proj.weight"


def changed(tensors: dict[str, torch.Tensor], how: str) -> dict[str, torch.Tensor]:
    scales = tensors[f"{NAME}.scale"]
    match how:
        case "negative" | "nan" | "infinite" | "zero":
            scales[3] = {"negative": -0.1, "nan": float("nan"), "infinite": float("inf"), "zero": 0.0}[how]
        case "few":
            tensors[f"{NAME}.scale"] = scales[:-1].clone()
        case "many columns":
            tensors[NAME] = torch.zeros(64, 5, dtype=torch.int8)
        case "no scales":
            del tensors[f"{NAME}.scale"]
        case "scales of none":
            tensors[NAME] = tensors[NAME].float()
        case "integers":
            tensors[f"{NAME}.scale"] = scales.to(torch.int32)
        case "half":
            tensors[f"{NAME}.scale"] = scales.half()
        case "a vector":
            name = NAME.replace("weight", "bias")
            tensors[name] = torch.ones_like(tensors[name], dtype=torch.int8)
            tensors[f"{name}.scale"] = torch.ones(64)
        case "unsigned":
            tensors[NAME] = tensors[NAME].view(torch.uint8)
        case "huge":
            tensors[f"{NAME}.scale"] = torch.full_like(scales, 3e38)
    return tensors


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("negative", r"output_proj\.weight\.scale must hold finite numbers above 0, or 0 for a row of zeros; got -0\.1"),
        ("nan", r"weight\.scale must hold finite numbers.*got nan"),
        ("infinite", r"weight\.scale must hold finite numbers.*got inf"),
        ("zero", r"weight\.scale must hold finite numbers above 0, .*got 0"),
        ("few", r"weight\.scale must have shape \(64,\); got \(63,\)"),
        ("many columns", r"output_proj\.weight must have shape \(64, 96\); got \(64, 5\)"),
        ("no scales", r"output_proj\.weight\.scale is missing"),
        ("scales of none", r"output_proj\.weight\.scale is not one of them"),
        ("integers", r"weight\.scale must hold numbers of kind F32; got I32"),
        ("half", r"weight\.scale must hold numbers of kind F32; got F16"),
        ("a vector", r"output_proj\.bias\.scale is not one of them"),
        ("unsigned", r"must hold numbers of kind F32.*got U8|is not one of them"),
        ("huge", r"output_proj\.weight must hold finite numbers, as float32"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused(how: str, message: str, folder: Path) -> None:
    path = folder / "rounded" / "model.safetensors"
    safetensors.torch.save_file(changed(safetensors.torch.load_file(path), how), path)
    with LargestTensor() as largest, pytest.raises(ModelFolderError, match=message):
        load_model(folder / "rounded")
    assert largest.numel < LARGEST


def test_weights_of_another_model_are_refused(folder: Path, make_model: MakeModel, letters: Tokenizer) -> None:
    other = make_model(vocab_size=len(letters), model_dim=128, ff_dim=96, num_heads=4)
    save_new(folder / "other", other, letters, dtype=torch.int8)
    shutil.copy(folder / "other" / "model.safetensors", folder / "rounded")
    with pytest.raises(ModelFolderError, match=r"must have shape"):
        load_model(folder / "rounded")
