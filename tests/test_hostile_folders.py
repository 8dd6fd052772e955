"""A folder of hostile files: each is refused in words, before anything is made that is as large as it says."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

import regard
from largest_tensor import LargestTensor
from regard.checkpoint import load_model, save_new
from regard.errors import ModelFolderError
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols, Tokenizer
from regard.text.tokenizing import backends

MakeModel = Callable[..., EncoderDecoder]
LARGEST = 10_000
"""Numbers in a tensor while a folder is refused; the model's own largest has 400."""
DEEP = "[" * 200_000


@pytest.fixture
def folder(make_model: MakeModel, letters: Tokenizer, tmp_path: Path) -> Path:
    save_new(tmp_path / "model", make_model(vocab_size=len(letters)), letters)
    return tmp_path / "model"


def change_config(folder: Path, **changes: Any) -> None:
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | changes))


def change_model(folder: Path, **changes: Any) -> None:
    change_config(folder, model=json.loads((folder / "config.json").read_text())["model"] | changes)


def change_tokenizer(folder: Path, content: str | dict[str, Any]) -> None:
    """Another `tokenizer.json`, of which the configuration says that it is the right one."""
    path = folder / "tokenizer.json"
    if isinstance(content, dict):
        content = json.dumps(json.loads(path.read_text()) | content)
    path.write_text(content)
    change_config(folder, tokenizer_sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def change_weights(folder: Path, name: str, tensor: torch.Tensor) -> None:
    path = folder / "model.safetensors"
    tensors = safetensors.torch.load_file(path)
    assert name in tensors
    safetensors.torch.save_file(tensors | {name: tensor}, path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ff_dim": 8_000_000}, r"config\.json: model\.ff_dim: Input should be less than or equal to 1048576"),
        ({"ff_dim": 1 << 20}, r"inner_proj\.weight must have shape \(1048576, 12\); got \(20, 12\)"),
        ({"max_positions": 3_000_000}, r"model\.max_positions: Input should be less than or equal to 1048576"),
        ({"max_positions": 1 << 20, "positions": "learned"}, r"positions\.learned\.table\.weight is missing"),
        ({"num_encoder_layers": 10**9}, r"num_encoder_layers: Input should be less than or equal to 10000"),
        ({"num_encoder_layers": 10_000}, r"got \d+, .* 10,004 attentions"),
        ({"vocab_size": 10**18}, r"vocab_size: Input should be less than or equal to 16777216"),
        ({"vocab_size": 1 << 24}, r"embedding\.weight must have shape \(16777216, 12\)"),
        ({"num_heads": 10**30}, r"num_heads: Input should be less than or equal to"),
        ({"num_source_types": 10**9}, r"num_source_types: Input should be less than or equal to"),
        ({"pad_id": 10**30}, r"pad_id: Input should be less than"),
        ({"pad_id": 5000}, r"ids of symbols must be below 15, the size of the source's vocabulary; got 5000"),
        ({"arch": "rnn", "model_dim": 10**12}, r"config\.json"),
        ({"arch": -1}, r"config\.json: arch must be a family of models; got -1\. Allowed: decoder"),
        ({"arch": []}, r"config\.json: arch must be a family of models; got \[\]\. Allowed: decoder"),
        ({"pruned_heads": {"encoder.0": list(range(10**5))}}, r"pruned_heads must be increasing, from 0 to 2"),
    ],
)  # fmt: skip
def test_a_configuration_is_compared_before_anything_is_made(
    changes: dict[str, Any], message: str, folder: Path
) -> None:
    change_model(folder, **changes)
    with LargestTensor() as largest, pytest.raises(ModelFolderError, match=message):
        load_model(folder)
    assert largest.numel < LARGEST


def test_a_model_that_has_no_room_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from regard import memory

    change_model(folder, max_positions=1 << 20)  # sinusoids are in no file
    monkeypatch.setattr(memory, "free_bytes", lambda device: 10**8)
    with (
        LargestTensor() as largest,
        pytest.raises(
            ModelFolderError, match=r"must fit into memory; got .* need at least 0\.1 GB, of which 0\.1 GB are"
        ),
    ):
        load_model(folder)
    assert largest.numel < LARGEST


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_what_is_nested_too_deeply_is_refused(name: str, folder: Path) -> None:
    if name == "tokenizer.json":
        change_tokenizer(folder, '{"normalizer": ' + DEEP)
    else:
        (folder / name).write_text(DEEP)
    with pytest.raises(ModelFolderError, match=rf"{name} must be .*recursion.* Is it whole\?"):
        regard.load(folder)


@pytest.mark.parametrize("depth", [60, 120, 900, 5000])
def test_nested_normalizers(depth: int, folder: Path) -> None:
    """As deep as the library reads they do what they say; deeper they are refused."""
    nested = '{"type": "Sequence", "normalizers": [' * depth + '{"type": "Lowercase"}' + "]}" * depth
    content = json.loads((folder / "tokenizer.json").read_text())
    change_tokenizer(folder, json.dumps(content | {"normalizer": "HERE"}).replace('"HERE"', nested))
    if depth == 60:
        tokenizer = load_model(folder).tokenizer
        assert tokenizer.encode("ABC") == tokenizer.encode("abc")
        return
    with pytest.raises(ModelFolderError, match=r"tokenizer\.json must be a tokenizer in JSON; got: .*recursion"):
        load_model(folder)


def test_padding_and_truncation_of_a_tokenizer_are_left_out(folder: Path, letters: Tokenizer) -> None:
    """A token would become a hundred million."""
    padding = {"strategy": {"Fixed": 10**8}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
               "pad_type_id": 0, "pad_token": "<pad>"}  # fmt: skip
    truncation = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
    change_tokenizer(folder, {"padding": padding, "truncation": truncation})
    tokenizer = load_model(folder).tokenizer
    assert tokenizer.encode("abc") == letters.encode("abc")
    assert tokenizer.offsets("abc") == letters.offsets("abc")
    tokenizer.save(folder / "again.json")
    assert json.loads((folder / "again.json").read_text())["padding"] is None


def doubling(pattern: dict[str, str], count: int) -> dict[str, Any]:
    rule = {"type": "Replace", "pattern": pattern, "content": "aa"}
    return {"type": "Sequence", "normalizers": [rule] * count}


@pytest.mark.parametrize(
    "normalizer",
    [
        doubling({"String": "a"}, 30),
        doubling({"Regex": "a|"}, 30),
        {"type": "Sequence", "normalizers": [doubling({"String": "a"}, 6)] * 5},
        {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10_000},
        {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": ""}] * 9},
    ],
)
def test_rules_that_would_make_a_text_a_thousand_times_longer_are_refused(
    normalizer: dict[str, Any], folder: Path
) -> None:
    change_tokenizer(folder, {"normalizer": normalizer})
    with pytest.raises(ModelFolderError, match=r"[1-9][0-9,]* characters of one, and at most 4,096"):
        load_model(folder)


def test_rules_of_tokenizers_that_there_are_stay(folder: Path) -> None:
    """T5's and ALBERT's, and ours."""
    steps = [
        {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
        {"type": "Replace", "pattern": {"String": "''"}, "content": '"'},
        {"type": "NFKD"},
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ]
    change_tokenizer(folder, {"normalizer": {"type": "Sequence", "normalizers": steps}})
    assert load_model(folder).tokenizer.encode("ab")


def test_a_pattern_that_would_take_for_ever_is_given_up(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """By the library's own engine, with a panic, which is no `Exception`."""
    pattern = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    change_tokenizer(folder, {"pre_tokenizer": pattern})
    translator = regard.load(folder)
    with pytest.raises(ModelFolderError, match=r"the tokenizer must be able to cut these texts; got: .*retry-limit"):
        translator.translate(["a" * 40 + "!"])
    capfd.readouterr()  # where the library says it, too


def test_a_decoder_that_fails_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change_tokenizer(folder, {"decoder": {"type": "Strip", "content": "a", "start": 10**9, "stop": 10**9}})
    tokenizer = load_model(folder).tokenizer
    with pytest.raises(ModelFolderError, match="the tokenizer must be able to put these tokens together"):
        tokenizer.decode(tokenizer.encode("aaa"))
    capfd.readouterr()


def test_a_table_that_the_library_panics_at_is_refused(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change_tokenizer(folder, {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}})
    with pytest.raises(ModelFolderError, match=r"tokenizer\.json must be a tokenizer in JSON; got: Precompiled"):
        load_model(folder)
    capfd.readouterr()


def test_interrupts_are_not_taken_for_panics() -> None:
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):
        with pytest.raises(kind), backends.guarded("here", "go on"):
            raise kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"symbols": {"eos_id": 10**9}}, r"ids of symbols must be below 15, the size of the target's vocabulary; got 10{9}"),
        ({"symbols": {"start_ids": [15]}}, r"below 15, the size of the target's vocabulary; got 15"),
        ({"symbols": {"banned_ids": [-1]}}, r"regard\.symbols\.banned_ids\.0: Input should be greater"),
        ({"symbols": {"mask_id": -1}}, r"regard\.symbols\.mask_id: Input should be greater"),
        ({"symbols": {"pad_id": -2}}, r"regard\.symbols\.pad_id: Input should be greater"),
        ({"symbols": {"banned_ids": [99]}}, r"below 15, the size of the target's vocabulary; got 99"),
        ({"symbols": {"source_end_ids": [3, 77]}}, r"below 15, the size of the source's vocabulary; got 77"),
        ({"symbols": {"source_begin_ids": [-4]}}, r"regard\.symbols\.source_begin_ids\.0: Input should be greater"),
        ({"symbols": {"start_ids": [10**30]}}, r"got 10{30}"),
        ({"symbols": {"start_ids": []}}, r"regard\.symbols\.start_ids"),
        ({"symbols": 3}, r"tokenizer\.json must be a tokenizer in JSON; got: regard\.symbols"),
        ({"num_ids": -3}, r"regard\.num_ids: Input should be greater"),
        ({"num_ids": "many"}, r"regard\.num_ids"),
        ({"vocabulary": 5}, r"regard\.vocabulary"),
        ({"vocabulary": [1, 2]}, r"regard\.vocabulary"),
    ],
)  # fmt: skip
def test_what_a_tokenizer_says_of_symbols_is_checked(
    changes: dict[str, Any], message: str, make_model: MakeModel, letters: Tokenizer, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    backend = regard.text.tokenizer.tokenizers.Tokenizer.from_str(letters.backend_json)
    save_new(folder, make_model(vocab_size=len(letters)), Tokenizer(backend, Symbols()))
    load_model(folder)
    kept = json.loads((folder / "tokenizer.json").read_text())["regard"]
    if isinstance(changes.get("symbols"), dict):
        changes = {"symbols": kept["symbols"] | changes["symbols"]}
    change_tokenizer(folder, {"regard": kept | changes})
    with pytest.raises(ModelFolderError, match=message):
        load_model(folder)


def test_ids_beyond_the_vocabulary_are_unknown(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text())
    content["model"]["vocab"]["a"] = 2**31
    change_tokenizer(folder, content)
    tokenizer = load_model(folder).tokenizer
    assert max(tokenizer.encode("abc")) < len(tokenizer)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.complex64, torch.int8, torch.int64, torch.bool])
def test_weights_of_another_kind_are_refused(dtype: torch.dtype, folder: Path) -> None:
    change_weights(folder, "decoder_layers.0.feed_forward.inner_proj.bias", torch.ones(20).to(dtype))
    with pytest.raises(
        ModelFolderError, match=r"inner_proj\.bias must hold numbers of kind F32, F16, BF16, F64; got [FCIB]"
    ):
        load_model(folder)


def test_weights_that_float32_cannot_hold_are_refused(folder: Path) -> None:
    name = "decoder_layers.0.feed_forward.inner_proj.bias"
    change_weights(folder, name, torch.full((20,), 1e30, dtype=torch.float64))
    assert load_model(folder).model.state_dict()[name].max() == pytest.approx(1e30)
    change_weights(folder, name, torch.full((20,), 1e300, dtype=torch.float64))
    with pytest.raises(ModelFolderError, match=rf"{name} must hold finite numbers, as float32; it does not"):
        load_model(folder)


def test_a_header_that_claims_too_much_is_refused(folder: Path) -> None:
    """A tensor of four billion numbers in a file of a few bytes."""
    header = json.dumps({"a": {"dtype": "F32", "shape": [1 << 16, 1 << 16], "data_offsets": [0, 4]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"0000")
    with pytest.raises(ModelFolderError, match=r"model\.safetensors must be a whole safetensors file; got"):
        load_model(folder)


@pytest.mark.parametrize("config", [
    "regard.models.config.EncoderDecoderConfig(vocab_size=9, pruned_heads={'cross.1': [0, 2]})",
    "regard.models.config.RecurrentConfig(vocab_size=9)",
    "regard.models.config.DecoderConfig(vocab_size=9, positions='alibi')",
    "regard.models.config.EncoderConfig(vocab_size=9, positions='relative_key')",
])  # fmt: skip
def test_shapes_cost_no_compiler(config: str) -> None:
    """Drawing numbers on `meta`, for one, would import torch's compiler and all that it needs."""
    code = (
        "import sys, regard.memory, regard.models.config\n"
        f"regard.memory.model_size({config})\n"
        "print([name for name in ('torch._dynamo', 'sympy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
