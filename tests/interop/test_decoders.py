"""Decoders of `transformers` with random weights: Llama and its kind, OPT, BLOOM, GPT-NeoX, read as ours and written."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import DECODERS, LLAMA3, stored
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.compiled.library import find
from regard.engines.engine_choice import compile_model
from regard.errors import ModelFolderError
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import RotaryScalingConfig
from regard.models.decoder import Decoder

Copied = Callable[[str, Path], Any]
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Copied:
    """Copies the folder of a model, which is made once, and returns the original."""
    made: dict[str, tuple[Path, Any]] = {}

    def copy(name: str, to: Path) -> Any:
        if name not in made:
            folder = tmp_path_factory.mktemp("original")
            made[name] = folder, stored(name, folder)
        shutil.copytree(made[name][0], to, dirs_exist_ok=True)
        return made[name][1]

    return copy


def changed(folder: Path, **changes: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


def agrees(foreign: ForeignModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that texts of several lengths in one batch have the original's logits, and the same likeliest token."""
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 1)
    check = foreign.check()
    assert check is not None
    assert check.largest_value > 0.1
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None


def padded(rows: list[list[int]], side: str, filler: int) -> tuple[Tensor, Tensor]:
    """Rows as a batch, and which of its places are tokens."""
    width = max(map(len, rows))
    gaps = [width - len(row) for row in rows]
    ids = [
        row + [filler] * gap if side == "right" else [filler] * gap + row for row, gap in zip(rows, gaps, strict=True)
    ]
    places = [[1] * len(row) for row in rows]
    masks = [m + [0] * gap if side == "right" else [0] * gap + m for m, gap in zip(places, gaps, strict=True)]
    return torch.tensor(ids), torch.tensor(masks)


@pytest.mark.parametrize("name", DECODERS)
@torch.no_grad()
def test_a_decoder_answers_as_the_original(name: str, copied: Copied, tmp_path: Path) -> None:
    """With padding on both sides, beyond every window; step by step with a cache; and in a beam of 4."""
    theirs = copied(name, tmp_path)
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == []
    ours, symbols = foreign.loaded.model, foreign.loaded.tokenizer.symbols
    assert isinstance(ours, Decoder)
    generator = torch.Generator().manual_seed(5)
    rows = [torch.randint(4, 29, (length,), generator=generator).tolist() for length in (3, 17, 11)]
    for side in ("left", "right"):
        ids, mask = padded(rows, side, max(symbols.pad_id, 0))
        expected = theirs(input_ids=ids, attention_mask=mask).logits[mask.bool()]
        mine = ids.masked_fill(mask == 0, symbols.pad_id)
        torch.testing.assert_close(ours(mine)[mask.bool()], expected, **CLOSE)
    for beam_size, length in ((1, 6), (4, 4)):
        banned = [symbols.eos_id, *symbols.banned_ids]
        written = beam(ours, rows[2], beam_size, length, symbols.pad_id, banned)
        best = theirs.generate(
            torch.tensor([rows[2]]), attention_mask=torch.ones(1, 11, dtype=torch.long), num_beams=beam_size,
            max_new_tokens=length, do_sample=False, suppress_tokens=banned, pad_token_id=0,
        )  # fmt: skip
        assert written == best[0, 11:].tolist()


def beam(model: Decoder, prompt: list[int], size: int, length: int, pad_id: int, banned: list[int]) -> list[int]:
    """The best of a beam after a prompt; of a beam of 1, the likeliest tokens."""
    symbols = TargetSymbols((), banned[0], pad_id, tuple(banned))
    search = BeamSearch(BeamSettings(size, length_norm="none"), banned[0])
    ((best,),) = Decoding(model, [Request(prompt, length)], search, symbols, padding_side="left").run()
    return best.ids


WRITTEN = {
    "llama": "llama", "llama, tied, with biases": "llama", "llama 3.1": "llama", "llama, interpolated": "llama",
    "mistral": "mistral", "qwen 2": "qwen2", "qwen 2, no windows": "qwen2", "qwen 3": "qwen3",
    "qwen 3, no windows": "qwen3", "gemma 3, untied": "gemma3_text",
    "gemma 2, untied, one bound": "gemma2", "phi 3": "phi3",
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_decoder_written_answers_as_ours(
    name: str, copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(name, tmp_path / "theirs")
    loaded = read_foreign(tmp_path / "theirs").loaded
    written = write_foreign(loaded, tmp_path / "again", WRITTEN[name])
    agrees(written, monkeypatch)
    again = read_foreign(tmp_path / "again")
    assert again.account.left_over == []
    assert again.loaded.model.config == loaded.model.config
    assert again.loaded.tokenizer.symbols == loaded.tokenizer.symbols
    for mine, other in zip(loaded.model.parameters(), again.loaded.model.parameters(), strict=True):
        assert torch.equal(mine, other)


NOT_WRITTEN = [
    ("mistral", "llama", r"windows must be \[\] to be written as llama; got \[3, 3\]"),
    ("qwen 2", "mistral", r"attention_output_bias must be True|bias must be False to be written as mistral; got True"),
    ("qwen 3", "llama", "query_key_norm must be False to be written as llama; got True"),
    ("qwen 3", "gpt2", "must be .* to be written as gpt2"),
    ("llama", "qwen3", "query_key_norm must be True to be written as qwen3; got False"),
    ("llama", "qwen2", "bias must be True to be written as qwen2; got False"),
    ("llama, tied, with biases", "mistral", "bias must be False to be written as mistral; got True"),
    ("gemma 3", "qwen3", "scale_embeddings must be False|local_rotary_base must be None"),
    ("qwen 3", "gemma3_text", "scale_embeddings must be True to be written as gemma3_text; got False"),
    ("gemma 2", "gemma3_text", r"score_cap must be None to be written as gemma3_text; got 0\.7"),
    ("gpt-neox, parallel", "gpt2", "parallel_residual must be False to be written as gpt2; got True|positions must be"),
    ("gemma 2", "llama", "score_cap must be None to be written as llama; got 0.7"),
    ("llama, tied, with biases", "phi3", "bias must be False to be written as phi3; got True"),
    ("qwen 2", "phi3", "attention_output_bias must be True|bias must be False|windows must be"),
    ("phi 3", "mistral", "rotary_dim must be 4 to be written as mistral; got 2"),
]


@pytest.mark.parametrize(("name", "format", "message"), NOT_WRITTEN)
def test_what_theirs_lacks_is_not_written(name: str, format: str, message: str, copied: Copied, tmp_path: Path) -> None:
    copied(name, tmp_path / "theirs")
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(read_foreign(tmp_path / "theirs").loaded, tmp_path / "again", format)
    assert not (tmp_path / "again").exists()


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *[
        ("llama", {"rope_parameters": {"rope_type": kind, "factor": 2.0}}, f"rope_type must be one of .*; got '{kind}'")
        for kind in ("yarn", "dynamic", "longrope", "proportional")
    ],
    ("llama", {"rope_parameters": None, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_scaling: rope_type"),
    ("llama", {"rope_scaling": {"rope_type": "linear"}}, "rope_scaling must have the key factor"),
    ("llama", {"rope_scaling": {"rope_type": "linear", "factor": "2"}}, "factor must be of type float; got '2'"),
    ("llama", {"rope_scaling": {"rope_type": "linear", "factor": 0.0}}, "greater than 0"),
    ("llama", {"rope_scaling": {"rope_type": "default", "factor": 2.0}}, "rope_scaling: factor must be null"),
    ("llama", {"rope_scaling": {"rope_type": "llama3", "factor": 2.0}}, "must have the key low_freq_factor"),
    ("llama", {"rope_scaling": 4}, "rope_scaling must be of type dict; got 4"),
    ("llama", {"rope_parameters": {"full_attention": 3}}, "rope_parameters must be of type dict; got 3"),
    ("llama", {"partial_rotary_factor": 0.5}, r"partial_rotary_factor must be 1\.0 for llama; .* turns 2 of 4"),
    ("llama", {"hidden_act": "mish"}, "hidden_act must be one of .*; got 'mish'"),
    ("llama", {"architectures": ["LlamaForSequenceClassification"]}, r"architectures must be \['LlamaForCausalLM'\]"),
    ("llama", {"num_attention_heads": 0}, "num_heads: Input should be greater"),
    ("llama", {"num_key_value_heads": 3}, "num_heads must be divisible by num_kv_heads; got 4 and 3"),
    ("llama", {"head_dim": 5}, "head_dim must be even"),
    ("llama", {"hidden_size": 18}, r"must have a part of shape"),
    ("llama", {"num_hidden_layers": 3}, r"must hold the tensor model\.layers\.2\."),
    ("llama", {"sliding_window": 4}, "sliding_window must be null"),
    ("llama", {"attention_bias": True}, r"must hold the tensor model\.layers\.0\.self_attn\.q_proj\.bias"),
    ("llama", {"bos_token_id": 40}, "bos_token_id must be below 29"),
    ("llama", {"pad_token_id": True}, "pad_token_id must be of type int; got True"),
    ("llama", {"bos_token_id": "<s>"}, 'bos_token_id must be an id of the vocabulary, from 0; got "<s>"'),
    ("llama", {"quantization_config": {"bits": 4}}, "quantization_config must be null"),
    ("mistral", {"sliding_window": "far"}, "sliding_window must be of type int; got 'far'"),
    ("mistral", {"sliding_window": 0}, "windows.*greater than or equal to 1"),
    (
        "qwen 2",
        {"layer_types": ["full_attention", "chunked_attention"]},
        "layer_types must be .*; got 'chunked_attention'",
    ),
    ("qwen 2", {"layer_types": ["full_attention"]}, "layer_types must be 2, one for each layer; got 1"),
    ("qwen 2", {"use_sliding_window": False}, "sliding_window must be given and in use"),
    ("qwen 2, no windows", {"eos_token_id": None}, "must have the key eos_token_id"),
    ("qwen 3", {"head_dim": 4}, r"must have .* shape|must have .* rows"),
    (
        "qwen 3",
        {"rope_parameters": {"full_attention": {"rope_theta": 10.0}, "sliding_attention": {"rope_theta": 20.0}}},
        "rope_parameters must be equal for all layers",
    ),
    ("phi 3", {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [2.0]}}, "got 'longrope'"),
    ("phi 3", {"rope_parameters": {"partial_rotary_factor": 1.5}}, "rotary_dim must be even and at most head_dim"),
    ("opt", {"do_layer_norm_before": False}, "do_layer_norm_before must be True"),
    ("opt", {"word_embed_proj_dim": 8}, "word_embed_proj_dim must be 16 .*; got 8"),
    ("opt", {"layer_norm_elementwise_affine": False}, "layer_norm_elementwise_affine must be True"),
    ("opt", {"_remove_final_layer_norm": True}, "_remove_final_layer_norm must be False"),
    ("opt", {"activation_function": "elu"}, "activation_function must be one of .*; got 'elu'"),
    ("opt", {"max_position_embeddings": 41}, r"embed_positions\.weight must have a part of shape \(41, 16\)"),
    ("opt", {"max_position_embeddings": 39}, r"embed_positions\.weight must have 41 rows"),
    ("bloom", {"apply_residual_connection_post_layernorm": True}, "apply_residual_connection_post_layernorm must be"),
    ("bloom", {"n_head": 4}, "model_dim must be divisible by num_heads; got 18 and 4"),
    ("bloom", {"n_layer": 3}, r"must hold the tensor transformer\.h\.2\."),
    ("gpt-neox", {"use_parallel_residual": 1}, "use_parallel_residual must be of type bool; got 1"),
    ("gpt-neox", {"hidden_act": "gelu_10"}, "hidden_act must be one of .*; got 'gelu_10'"),
    ("gpt-neox", {"rope_parameters": None, "rope_scaling": YARN}, "rope_type must be one of .*; got 'yarn'"),
    ("gpt-neox", {"intermediate_size": 21}, r"must have a part of shape \(21, 16\)"),
    ("llama", {"model_type": "gemma3"}, "got 'gemma3', which reads images, too; its text model, gemma3_text,"),
    ("llama", {"model_type": "t5gemma2"}, "got 't5gemma2', which looks at source and target by one softmax"),
    ("gemma 2", {"attn_logit_softcapping": -50.0}, "score_cap: Input should be greater than 0"),
    ("gemma 2", {"final_logit_softcapping": "30"}, "final_logit_softcapping must be of type float; got '30'"),
    ("gemma 2", {"use_bidirectional_attention": True}, "use_bidirectional_attention must be False"),
    ("gemma 2", {"hidden_act": "relu"}, "hidden_act must be 'gelu_pytorch_tanh'"),
    ("gemma 2", {"architectures": ["Gemma3TextModel"]}, r"architectures must be \['Gemma2ForCausalLM'\]"),
    ("gemma 3", {"use_bidirectional_attention": True}, "use_bidirectional_attention must be false"),
    ("gemma 3", {"layer_types": ["full_attention"]}, "layer_types must be 2, one for each layer; got 1"),
    ("gemma 3", {"sliding_window": None}, "sliding_window must be given and in use"),
    ("gemma 3", {"rope_parameters": {"rope_theta": 3.0}}, "rope_parameters must be given for full_attention and"),
    ("gemma 3", {"rope_parameters": {"full_attention": YARN}}, "rope_type must be one of .*; got 'yarn'"),
    (
        "gemma 3",
        {"architectures": ["Gemma3ForConditionalGeneration"]},
        r"architectures must be \['Gemma3ForCausalLM'\]",
    ),
    ("gemma 3", {"query_pre_attn_scalar": "x"}, "query_pre_attn_scalar must be of type float"),
]


@pytest.mark.parametrize(("name", "change", "message"), REFUSED)
def test_what_ours_lacks_is_refused_by_name(
    name: str, change: dict[str, Any], message: str, copied: Copied, tmp_path: Path
) -> None:
    copied(name, tmp_path)
    (tmp_path / "generation_config.json").unlink()
    with pytest.raises(ModelFolderError, match=message) as error:
        read_foreign(changed(tmp_path, **change))
    assert str(tmp_path) in str(error.value)


@pytest.mark.parametrize("name", ["llama 3.1", "llama, interpolated", "qwen 3"])
def test_rotary_settings_of_older_and_newer_files_are_one(name: str, copied: Copied, tmp_path: Path) -> None:
    """`rope_theta` and `rope_scaling`, with the type as `type`; and a dictionary for each type of layer."""
    copied(name, tmp_path)
    config = read_foreign(tmp_path).loaded.model.config
    newer = json.loads((tmp_path / "config.json").read_text())["rope_parameters"]
    older = {"type" if key == "rope_type" else key: value for key, value in newer.items() if key != "rope_theta"}
    changed(tmp_path, rope_parameters=None, rope_theta=newer["rope_theta"], rope_scaling=older)
    assert read_foreign(tmp_path).loaded.model.config == config
    changed(tmp_path, rope_scaling=None, rope_theta=3, rope_parameters=dict.fromkeys(("full_attention",), newer))
    assert read_foreign(tmp_path).loaded.model.config == config


def test_gemma_is_written_with_its_scaling_in_the_norms(
    copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores are divided by the root of another number there; and older files name the bases otherwise."""
    copied("gemma 3", tmp_path / "theirs")
    loaded = read_foreign(tmp_path / "theirs").loaded
    config: Any = loaded.model.config
    assert (config.rotary_base, config.local_rotary_base, config.windows) == (300, 7, [3, None])
    agrees(write_foreign(loaded, tmp_path / "again", "gemma3_text"), monkeypatch)
    content = json.loads((tmp_path / "again" / "config.json").read_text())
    assert content["rope_local_base_freq"] == 7
    assert content["rope_scaling"] == {"rope_type": "linear", "factor": 8.0}
    again = read_foreign(tmp_path / "again")
    assert again.loaded.model.config == config
    for mine, other in zip(loaded.model.parameters(), again.loaded.model.parameters(), strict=True):
        torch.testing.assert_close(other, mine)
    del content["layer_types"]
    (tmp_path / "again" / "config.json").write_text(json.dumps(content | {"sliding_window_pattern": 2}))
    assert read_foreign(tmp_path / "again").loaded.model.config == config
    assert read_foreign(changed(tmp_path / "again", sliding_window_pattern=6)).loaded.model.config.windows == [3, 3]


def test_settings_of_rotary_positions_are_ours(copied: Copied, tmp_path: Path) -> None:
    copied("llama 3.1", tmp_path)
    config: Any = read_foreign(tmp_path).loaded.model.config
    assert config.rotary_base == 500
    assert config.rotary_scaling == RotaryScalingConfig(factor=4, training_length=8, low_factor=1, high_factor=4)
    unknown = {key: value for key, value in LLAMA3.items() if key != "original_max_position_embeddings"}
    config = read_foreign(changed(tmp_path, rope_parameters=unknown)).loaded.model.config
    assert config.rotary_scaling.training_length == config.max_positions


def test_a_window_that_hides_nothing_is_none(copied: Copied, tmp_path: Path) -> None:
    """Then the layers in C run it, too."""
    copied("mistral", tmp_path)
    for window in (40, 4096, None):
        assert read_foreign(changed(tmp_path, sliding_window=window)).loaded.model.config.windows == []
    assert read_foreign(changed(tmp_path, sliding_window=39)).loaded.model.config.windows == [39, 39]


TIED = [
    ("llama", "model.embed_tokens.weight", "lm_head.weight"),
    ("opt, untied, no biases", "model.decoder.embed_tokens.weight", "lm_head.weight"),
    ("bloom, untied", "transformer.word_embeddings.weight", "lm_head.weight"),
    ("gpt-neox", "gpt_neox.embed_in.weight", "embed_out.weight"),
]


@pytest.mark.parametrize(("name", "embedding", "output"), TIED)
def test_the_file_says_whether_the_output_is_the_embedding(
    name: str, embedding: str, output: str, copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two matrices that differ are two, whatever the configuration says; without the one, the other is both."""
    copied(name, tmp_path)
    tensors, path = load_file(tmp_path / "model.safetensors"), tmp_path / "model.safetensors"
    foreign = read_foreign(changed(tmp_path, tie_word_embeddings=True))
    assert foreign.loaded.model.config.tied_embeddings is False
    assert any(f"{output} differs from {embedding}" in note for note in foreign.notes)
    agrees(foreign, monkeypatch)
    save_file(tensors | {output: tensors[embedding].clone()}, path)
    assert read_foreign(tmp_path).loaded.model.config.tied_embeddings is True
    for gone in (embedding, output):
        save_file({key: value for key, value in tensors.items() if key != gone}, path)
        foreign = read_foreign(tmp_path)
        assert foreign.loaded.model.config.tied_embeddings is True
        agrees(foreign, monkeypatch)
        changed(tmp_path, tie_word_embeddings=False)
        with pytest.raises(ModelFolderError, match=f"must hold the tensor {gone}"):
            read_foreign(tmp_path)
        changed(tmp_path, tie_word_embeddings=True)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [("llama, tied, with biases", "model."), ("opt", "model."), ("bloom", "transformer."),
     ("gpt-neox, tied, few biases", "gpt_neox.")],
)  # fmt: skip
def test_files_without_the_head_and_of_older_versions(
    name: str, prefix: str, copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a class whose name ends with `Model`, in names without its beginning; frequencies and masks are no weights."""
    theirs = copied(name, tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    without = {key.removeprefix(prefix): value for key, value in tensors.items() if key != "lm_head.weight"}
    save_file(without, tmp_path / "model.safetensors")
    changed(tmp_path, architectures=[type(theirs).__name__.replace("ForCausalLM", "Model")])
    agrees(read_foreign(tmp_path), monkeypatch)
    older = {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)} if "llama" in name else {}
    if "neox" in name:
        older["gpt_neox.layers.0.attention.bias"] = torch.ones(1, 1, 40, 40)
    save_file(tensors | older, tmp_path / "model.safetensors")
    account = read_foreign(changed(tmp_path, architectures=None)).account
    assert account.left_over == []
    assert older.keys() <= account.accounted.keys()


def test_gpt_neox_under_its_other_names(copied: Copied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the output matrix, and of the settings of rotary positions."""
    copied("gpt-neox", tmp_path)
    config, tensors = read_foreign(tmp_path).loaded.model.config, load_file(tmp_path / "model.safetensors")
    save_file({key.replace("embed_out", "lm_head"): tensors[key] for key in tensors}, tmp_path / "model.safetensors")
    changed(tmp_path, rope_parameters=None, rotary_pct=0.5, rotary_emb_base=10_000)
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == []
    assert foreign.loaded.model.config == config
    agrees(foreign, monkeypatch)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_an_adapter_of_one_matrix_of_all_heads(tmp_path: Path) -> None:
    """PEFT's update of BLOOM's queries, keys and values is theirs, head by head; and is written so again."""
    peft = pytest.importorskip("peft")

    from regard.adapters import adapt
    from regard.interop.peft import read_peft, write_peft

    theirs = stored("bloom", tmp_path / "base")
    adapted = peft.get_peft_model(
        theirs, peft.LoraConfig(r=2, target_modules=["query_key_value"], init_lora_weights=False)
    )
    adapted.save_pretrained(tmp_path / "adapter")
    foreign = read_foreign(tmp_path / "base")
    ids = torch.randint(4, 29, (2, 7), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        expected = adapted.eval()(input_ids=ids).logits
        ours = adapt(foreign.loaded, read_peft(tmp_path / "adapter", foreign))
        torch.testing.assert_close(ours(ids), expected, **CLOSE)
        write_peft(ours, foreign, tmp_path / "again")
        base = type(theirs).from_pretrained(tmp_path / "base")
        again = peft.PeftModel.from_pretrained(base, tmp_path / "again").eval()
        torch.testing.assert_close(again(input_ids=ids).logits, expected, **CLOSE)


@pytest.mark.parametrize(
    ("change", "pad_id"),
    [({}, -1), ({"pad_token_id": 0}, 0), ({"pad_token_id": 1}, -1), ({"pad_token_id": 2}, -1), ({"pad_token_id": -1}, -1),
     ({"pad_token_id": 29}, -1), ({"pad_token_id": 9, "eos_token_id": [9, 2]}, -1)],
)  # fmt: skip
def test_padding_that_begins_or_ends_a_text_is_no_token(
    change: dict[str, Any], pad_id: int, copied: Copied, tmp_path: Path
) -> None:
    copied("llama", tmp_path)
    (tmp_path / "generation_config.json").unlink()
    loaded = read_foreign(changed(tmp_path, **change)).loaded
    assert loaded.model.config.pad_id == loaded.tokenizer.pad_id == pad_id
    assert loaded.tokenizer.symbols.banned_ids == ([] if pad_id < 0 else [pad_id])


@pytest.mark.skipif(find().library is None, reason="there are no layers in C")
@torch.no_grad()
@pytest.mark.parametrize("name", DECODERS)
def test_the_layers_in_c_run_every_decoder(name: str, copied: Copied, tmp_path: Path) -> None:
    copied(name, tmp_path)
    model: Any = read_foreign(tmp_path).loaded.model
    native = compile_model(model, "native")
    text = torch.randint(4, 29, (2, 12), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        cache = native.prefill(text[:, :10])
        for length in range(10, 13):
            logits, cache = native.decode_step(text[:, length - 1 : length], cache)
            torch.testing.assert_close(logits[:, 0], model(text[:, :length])[:, -1], **CLOSE)
