"""Every setting of a configuration: a changed one does what it does in `transformers`, or is refused by its name."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import MODELS, read, stored

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError
from regard.interop.check import greedy
from regard.interop.formats import read_foreign, write_foreign
from regard.models.decoder import Decoder

transformers = pytest.importorskip("transformers")

READ = [
    "bert, mlm, relu", "bert, classes, one layer", "roberta, tags", "distilbert, classes", "gpt2", "bert-generation encoder",
    "bert-generation decoder", "encoder-decoder of bert", "marian", "bart", "t5, gated", "t5, untied",
    "umt5", "t5 encoder", "modernbert, classes, mean", "eurobert, classes",
    "albert, classes",
]  # fmt: skip
"""Models that are read: one for each reader and head."""
UNKNOWN: list[Any] = [True, 3, 0.5, "on", [1], {"type": "linear", "factor": 2.0}]
OLD = {
    "add_cross_attention": True, "is_decoder": True, "pruned_heads": {"0": [1]}, "tie_encoder_decoder": True,
    "cross_attention_hidden_size": 9, "quantization_config": {"bits": 4}, "auto_map": {"AutoModel": "own.Model"},
    "rope_scaling": {"type": "linear"}, "logit_scale": 0.5, "attention_softmax_temperature": 2.0, "normalize_before": True,
    "normalize_embedding": "no", "add_final_layer_norm": True, "scale_attn_by_inverse_layer_idx": True,
    "scale_attn_weights": False,
    "embedding_size": 8, "attention_window": [4], "sequence_bias": [[[5], 2.0]], "begin_suppress_tokens": [5],
    "forced_decoder_ids": [[1, 5]],
}  # fmt: skip
"""Settings of earlier versions, and of models beside them."""


def other(key: str, value: Any) -> list[Any]:
    """Other values of the same kind."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value * 2 + 0.125]
    if isinstance(value, str):
        return ["relu" if key in ("hidden_act", "activation", "activation_function") else f"{value}x"]
    return UNKNOWN[:1] if value is None else []


def changes(name: str) -> list[tuple[str, Any]]:
    """Each setting of a model's configuration class with another value, and settings that the class does not have."""
    values = MODELS[name]().config.to_dict()
    known = [(key, changed) for key, value in values.items() for changed in other(key, value)]
    return known + [("a_setting_of_tomorrow", value) for value in UNKNOWN] + list(OLD.items())


OF_SIZES = (
    "must have a part of shape",
    "must hold the tensor",
    "rows, as its configuration",
    "columns, as its configuration",
    "must be divisible by num_",
    "one for each layer",
    "ids of symbols must be below",
)
"""The messages about sizes that the tensors do not have."""
LEFT_TO_THEM = {"model_type", "architectures", "vocab_size", "encoder", "decoder"}
"""Keys whose other values say that it is another model."""


@pytest.mark.parametrize("name", READ)
def test_a_changed_setting_does_what_it_does_there_or_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 1)
    monkeypatch.setattr("regard.interop.foreign.lack_of_memory", lambda config, device: "")
    stored(name, tmp_path)
    (tmp_path / "generation_config.json").unlink(missing_ok=True)
    before = json.loads((tmp_path / "config.json").read_text())
    wrong, num_refused, num_same = [], 0, 0
    for key, value in changes(name):
        if key in LEFT_TO_THEM:
            continue
        (tmp_path / "config.json").write_text(json.dumps(before | {key: value}))
        try:
            foreign = read_foreign(tmp_path)
        except ModelFolderError as error:
            num_refused += 1
            if not any(said in str(error) for said in (key, *OF_SIZES)):
                wrong.append(f"{key}={value!r} is refused without its name: {error}")
            continue
        num_same += 1
        try:
            check = foreign.check()
        except ModelFolderError:
            continue  # `transformers` refuses it itself
        assert check is not None
        if check.largest_difference > 2e-5 * max(check.largest_value, 1) or check.first_difference is not None:
            wrong.append(f"{key}={value!r}: {check}")
    assert not wrong, "\n".join(wrong)
    assert num_refused > 10
    assert num_same > 5


@pytest.mark.parametrize("value", UNKNOWN, ids=str)
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_setting_of_one_side_is_refused(side: str, value: Any, tmp_path: Path) -> None:
    stored("encoder-decoder of bert", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config[side]["a_setting_of_tomorrow"] = value
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(
        ModelFolderError, match=rf"config\.json: {side}: a_setting_of_tomorrow must be .*; got .*remove it"
    ):
        read_foreign(tmp_path)


@pytest.mark.parametrize("value", [None, False, "", [], {}])
@pytest.mark.parametrize("name", ["bert, mlm, relu", "gpt2", "marian", "t5"])
def test_a_setting_that_is_off_is_none(name: str, value: Any, tmp_path: Path) -> None:
    stored(name, tmp_path)
    for file in ("config.json", "generation_config.json"):
        if (tmp_path / file).is_file():
            content = json.loads((tmp_path / file).read_text())
            (tmp_path / file).write_text(json.dumps(content | {"a_setting_of_tomorrow": value}))
    assert read_foreign(tmp_path)


GENERATION_REFUSED: dict[str, Any] = {
    "a_setting_of_tomorrow": "on", "begin_suppress_tokens": [5], "sequence_bias": [[[5], 2.0]], "forced_decoder_ids": [[1, 5]],
    "force_words_ids": [[5]], "constraints": ["x"], "guidance_scale": 1.5, "watermarking_config": {"bias": 2.0},
    "encoder_no_repeat_ngram_size": 2, "encoder_repetition_penalty": 1.5, "exponential_decay_length_penalty": [3, 1.1],
    "token_healing": True, "dola_layers": "high",
}  # fmt: skip


@pytest.mark.parametrize("key", GENERATION_REFUSED)
@pytest.mark.parametrize("name", ["gpt2", "marian", "t5"])
def test_a_generation_setting_that_ours_lacks_is_refused(name: str, key: str, tmp_path: Path) -> None:
    stored(name, tmp_path)
    (tmp_path / "generation_config.json").write_text(json.dumps({key: GENERATION_REFUSED[key]}))
    with pytest.raises(ModelFolderError, match=rf"generation_config\.json: {key} must be .*; got "):
        read_foreign(tmp_path)


@pytest.mark.parametrize("name", ["gpt2", "marian", "t5", "encoder-decoder of bert"])
def test_generation_settings_that_change_nothing_are_read(name: str, tmp_path: Path) -> None:
    """As full dumps of older versions have them, in the configurations of both halves, too."""
    from regard.interop.hugging_face.settings import CHOICES, UNSUPPORTED

    stored(name, tmp_path)
    dumped = CHOICES | UNSUPPORTED
    config = json.loads((tmp_path / "config.json").read_text())
    halves = {side: config[side] | dumped for side in ("encoder", "decoder") if side in config}
    (tmp_path / "config.json").write_text(json.dumps(config | dumped | halves))
    (tmp_path / "generation_config.json").write_text(json.dumps(dumped))
    assert not [note for note in read_foreign(tmp_path).notes if "is not kept" in note]


def test_every_generation_setting_of_transformers_is_known(tmp_path: Path) -> None:
    """Kept, noted, or without effect; or refused as above."""
    from regard.interop.hugging_face.settings import CHOICES, GENERATION_WITHOUT_EFFECT, SYMBOLS

    theirs = set(transformers.GenerationConfig().to_dict())
    assert theirs <= CHOICES.keys() | GENERATION_WITHOUT_EFFECT | set(SYMBOLS) | set(GENERATION_REFUSED) | {
        "top_h",
        "assistant_ensemble_weight",
    }


@pytest.mark.parametrize("name", ["gpt2", "marian", "t5", "bart", "encoder-decoder of bert"])
def test_tokens_that_are_never_written(name: str, tmp_path: Path) -> None:
    """`suppress_tokens`, and single tokens of `bad_words_ids`, for every family that writes."""
    stored(name, tmp_path)
    (tmp_path / "generation_config.json").write_text(
        json.dumps({"suppress_tokens": [7, 9], "bad_words_ids": [[11], [5, 6]]})
    )
    foreign = read_foreign(tmp_path)
    assert {7, 9, 11} <= set(foreign.loaded.tokenizer.symbols.banned_ids)
    assert 5 not in foreign.loaded.tokenizer.symbols.banned_ids
    assert any("bad_words_ids of several tokens" in note for note in foreign.notes)


@pytest.mark.parametrize(
    "wrong", [{"bad_words_ids": [5]}, {"suppress_tokens": ["a"]}, {"bad_words_ids": [["a"]]}], ids=str
)
def test_what_is_no_list_of_ids_is_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    stored("marian", tmp_path)
    (tmp_path / "generation_config.json").write_text(json.dumps(wrong))
    with pytest.raises(ModelFolderError, match=f"{next(iter(wrong))} must be .*ids?.*; got"):
        read_foreign(tmp_path)


SYMBOL_KEYS = {
    "gpt2": ["bos_token_id", "eos_token_id"], "llama": ["bos_token_id", "eos_token_id"],
    "bert-generation decoder": ["bos_token_id", "eos_token_id", "pad_token_id"],
    "encoder-decoder of bert": ["decoder_start_token_id", "eos_token_id", "forced_bos_token_id"],
    "marian": ["eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"],
    "bart": ["bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"],
    "m2m_100": ["bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"],
    "t5": ["eos_token_id", "pad_token_id", "decoder_start_token_id", "forced_bos_token_id"],
    "t5gemma": ["bos_token_id", "eos_token_id", "decoder_start_token_id"],
}  # fmt: skip
"""The symbols that each family reads from its configuration."""


@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
@pytest.mark.parametrize("name", SYMBOL_KEYS)
def test_what_is_no_id_of_the_vocabulary_is_refused_by_file_and_key(name: str, file: str, tmp_path: Path) -> None:
    stored(name, tmp_path)
    (tmp_path / "generation_config.json").unlink()
    content = json.loads((tmp_path / file).read_text()) if file == "config.json" else {}
    wrong: list[tuple[str, Any]] = [
        (key, value) for key in SYMBOL_KEYS[name] for value in (-1, 999, "3", 3.0, True, [-1], ["3"])
    ]
    wrong += [("eos_token_id", []), *((key, [4]) for key in SYMBOL_KEYS[name] if key != "eos_token_id")]
    wrong += [("suppress_tokens", [5, bad]) for bad in (-1, 999, "3", True)]
    wrong += [("bad_words_ids", [[5], [bad]]) for bad in (-1, 999, "3", True)]
    for key, value in wrong:
        (tmp_path / file).write_text(json.dumps(content | {key: value}))
        with pytest.raises(ModelFolderError, match=rf"/{file}: {key} must be .*; got ") as refused:
            read_foreign(tmp_path)
        assert str(refused.value).count(" must be ") == 1


def test_padding_below_0_is_none(tmp_path: Path) -> None:
    """As in the first Llama's files."""
    stored("llama", tmp_path)
    (tmp_path / "generation_config.json").write_text(json.dumps({"pad_token_id": -1}))
    assert read_foreign(tmp_path).loaded.tokenizer.symbols.banned_ids == []


def test_a_setting_that_asks_for_something_is_noted(tmp_path: Path) -> None:
    """Every value that is not the default of `transformers`."""
    from regard.interop.hugging_face.settings import CHOICES

    theirs = getattr(transformers.GenerationConfig, "_get_default_generation_params", dict)()  # of transformers 5
    assert {key: theirs[key] for key in CHOICES.keys() & theirs.keys()} == {
        key: value for key, value in CHOICES.items() if key in theirs
    }
    stored("bart", tmp_path)
    path = tmp_path / "generation_config.json"
    for key, default in CHOICES.items():
        for value in (None, default):
            path.write_text(json.dumps({key: value}))
            assert f"{key} is not kept" not in " ".join(read_foreign(tmp_path).notes)
        path.write_text(json.dumps({key: not default if isinstance(default, bool) else (default or 0) + 1
                                    if not isinstance(default, list) else ["end"]}))  # fmt: skip
        assert f"{key} is not kept" in " ".join(read_foreign(tmp_path).notes)
    asking = {
        "do_sample": True,
        "early_stopping": "never",
        "no_repeat_ngram_size": 1,
        "length_penalty": 0.0,
        "top_k": 1,
    }
    path.write_text(json.dumps(asking))
    notes = " ".join(read_foreign(tmp_path).notes)
    assert all(f"{key} is not kept" in notes for key in asking)


@pytest.mark.parametrize(
    ("name", "alias", "key"),
    [("distilbert, mlm", "num_hidden_layers", "n_layers"), ("gpt2", "hidden_size", "n_embd"), ("t5", "head_dim", "d_kv"),
     ("marian", "num_attention_heads", "encoder_attention_heads"), ("bart", "num_hidden_layers", "encoder_layers")],
)  # fmt: skip
def test_other_names_of_settings(name: str, alias: str, key: str, tmp_path: Path) -> None:
    """Other names that `transformers` reads: alone they mean as much; with another value than the usual name's they are
    refused.
    """
    stored(name, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    value = config.pop(key)
    (tmp_path / "config.json").write_text(json.dumps(config | {alias: value}))
    foreign = read_foreign(tmp_path)
    check = foreign.check()
    assert check is not None
    assert check.agrees
    (tmp_path / "config.json").write_text(json.dumps(config | {key: value, alias: value + 1}))
    with pytest.raises(ModelFolderError, match=rf"{alias} and {key} must be equal; got {value + 1} and {value}"):
        read_foreign(tmp_path)


NEVER_WRITTEN = {
    "gpt2": "gpt2", "llama": "llama", "mistral": "mistral", "qwen 2": "qwen2", "qwen 3": "qwen3", "phi 3": "phi3",
    "gemma 2": "gemma2", "gemma 3, untied": "gemma3_text", "bert decoder, untied": "bert",
    "bert-generation decoder": "bert-generation", "encoder-decoder of bert": "encoder-decoder", "bart": "bart", "t5": "t5",
    "t5gemma": "t5gemma",
}  # fmt: skip


@pytest.mark.parametrize("name", NEVER_WRITTEN)
@torch.no_grad()
def test_what_ours_never_writes_theirs_does_not_either(name: str, tmp_path: Path) -> None:
    """The likeliest tokens are banned; `generate` of transformers then writes the same as ours, and so does what is read
    back.
    """
    loaded = read(name, tmp_path / "theirs").loaded
    symbols, model = loaded.tokenizer.symbols, loaded.model
    is_decoder = isinstance(model, Decoder)
    prompt = [5, 6, 8] if is_decoder else symbols.start_ids
    source = None if is_decoder else [*symbols.source_begin_ids, 5, 6, 8, *symbols.source_end_ids]
    likeliest = set(greedy(model, symbols, source, prompt, 6)) - {symbols.eos_id}
    assert likeliest
    symbols = symbols.model_copy(update={"banned_ids": sorted({*symbols.banned_ids, *likeliest})})
    tokenizer = loaded.tokenizer.with_symbols(symbols)
    written = write_foreign(LoadedModel(model, tokenizer, tokenizer), tmp_path / "written", NEVER_WRITTEN[name])
    expected = greedy(model, symbols, source, prompt, 6)
    kind = getattr(transformers, json.loads((tmp_path / "written" / "config.json").read_text())["architectures"][0])
    theirs = kind.from_pretrained(tmp_path / "written").eval()
    given = torch.tensor([prompt if source is None else source])
    (found,) = theirs.generate(
        given, attention_mask=torch.ones_like(given), do_sample=False, num_beams=1, max_new_tokens=6,
        forced_eos_token_id=None, eos_token_id=symbols.eos_id, pad_token_id=0,
    ).tolist()  # fmt: skip
    assert [id for id in found[len(prompt) :] if id != symbols.eos_id][: len(expected)] == expected
    assert not likeliest & set(expected)
    assert read_foreign(tmp_path / "written").loaded.tokenizer.symbols.banned_ids == symbols.banned_ids
    check = written.check()
    assert check is not None
    assert check.first_difference is None


def test_the_check_finds_that_a_file_lacks_what_is_never_written(tmp_path: Path) -> None:
    loaded = read("gpt2", tmp_path / "theirs").loaded
    symbols = loaded.tokenizer.symbols
    tokenizer = loaded.tokenizer.with_symbols(symbols.model_copy(update={"banned_ids": list(range(4, 20))}))
    written = write_foreign(LoadedModel(loaded.model, tokenizer, tokenizer), tmp_path / "written", "gpt2")
    check = written.check()
    assert check is not None
    assert check.first_difference is None
    (tmp_path / "written" / "generation_config.json").write_text("{}")
    check = written.check()
    assert check is not None
    assert check.first_difference is not None
