"""T5's relatives: T5 1.1, MADLAD-400, mT5, umT5, and encoders alone, as their files are; and what is written as T5 and umT5."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import tokenizers
import torch
from foreign_models import VOCAB, beams, transformers, words
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError, SettingsError
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.pipelines.predictor import Predictor
from regard.text.tokenizer import Tokenizer

SIZES = {"vocab_size": VOCAB, "d_model": 15, "d_kv": 4, "d_ff": 20, "num_layers": 3, "num_heads": 3,
         "num_decoder_layers": 2, "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu"}  # fmt: skip
WEIGHTS, CONFIG = "model.safetensors", "config.json"
HEAD, SHARED = "lm_head.weight", "shared.weight"
ENCODER, DECODER = "encoder.embed_tokens.weight", "decoder.embed_tokens.weight"


def change(folder: Path, tensors: Callable[[dict[str, Tensor]], object] = len, **settings: object) -> None:
    """Change the tensors and the settings of a folder."""
    found = load_file(folder / WEIGHTS)
    tensors(found)
    save_file({name: tensor.contiguous() for name, tensor in found.items()}, folder / WEIGHTS, {"format": "pt"})
    values = json.loads((folder / CONFIG).read_text()) | settings
    (folder / CONFIG).write_text(json.dumps(values))


def with_head(tensors: dict[str, Tensor]) -> None:
    tensors[HEAD] = 0.3 * torch.randn(VOCAB, 15)


def as_madlad(tensors: dict[str, Tensor]) -> None:
    with_head(tensors)
    tensors[DECODER] = tensors.pop(SHARED)


def with_three(tensors: dict[str, Tensor]) -> None:
    with_head(tensors)
    tensors[ENCODER] = torch.randn(VOCAB, 15)


def encoder_only(tensors: dict[str, Tensor]) -> None:
    tensors[ENCODER] = tensors.pop(SHARED)


class Kind(NamedTuple):
    """A kind of model: its class, what its configuration and its tensors are, and what its file says besides."""

    cls: str
    choices: Mapping[str, Any] = MappingProxyType({})
    tensors: Callable[[dict[str, Tensor]], object] = len
    settings: Mapping[str, Any] = MappingProxyType({})


SYMBOLS = {"pad_token_id": 1, "eos_token_id": 2}
PAIRS = {
    "t5 1.0": Kind("T5", {"feed_forward_proj": "relu"}, settings={"n_positions": 512}),
    "t5 1.1": Kind("T5", {"tie_word_embeddings": False}, with_head),
    "t5 1.1, tied": Kind("T5", {"tie_word_embeddings": False}),
    "t5, scaled, with a head": Kind("T5", {}, with_head),
    "t5, three matrices": Kind("T5", {"tie_word_embeddings": False}, with_three),
    "madlad": Kind("T5", SYMBOLS | {"tie_word_embeddings": False}, as_madlad),
    "mt5": Kind("MT5", {}, with_head, {"tie_word_embeddings": False, "transformers_version": "4.10.0"}),
    "mt5, tied": Kind("MT5"),
    "umt5": Kind(
        "UMT5",
        {},
        with_head,
        {"tie_word_embeddings": False, "scale_decoder_outputs": False, "scalable_attention": True},
    ),
    "umt5, tied": Kind("UMT5"),
}
ENCODERS = {
    "t5 encoder": Kind("T5", {"feed_forward_proj": "relu"}),
    "mt5 encoder, embeddings inside": Kind("MT5", {}, encoder_only),
    "umt5 encoder": Kind("UMT5", {"feed_forward_proj": "gated-silu"}, settings={"scalable_attention": True}),
}


class Stored(NamedTuple):
    folder: Path
    theirs: Any
    foreign: ForeignModel


STORED: dict[str, Stored] = {}


@pytest.fixture(autouse=True)
def few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks decode a few tokens only: `transformers` reads the whole text again for each."""
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 2)


@pytest.fixture
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    return made(request.param, tmp_path_factory)


def made(name: str, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """A random model as its file has it, read by `transformers` and by us; each is made once."""
    if name not in STORED:
        folder = tmp_path_factory.mktemp("t5")
        theirs = make(name, folder)
        STORED[name] = Stored(folder, theirs, read_foreign(folder))
    return STORED[name]


def make(name: str, folder: Path) -> Any:
    kind = (PAIRS | ENCODERS)[name]
    cls = getattr(transformers, kind.cls + ("EncoderModel" if name in ENCODERS else "ForConditionalGeneration"))
    torch.manual_seed(5)
    model = cls(cls.config_class(**SIZES | dict(kind.choices)))
    for parameter in model.parameters():
        parameter.data += 0.15 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    change(folder, kind.tensors, **kind.settings)
    words(VOCAB).save(str(folder / "tokenizer.json"))
    theirs = cls.from_pretrained(folder, attn_implementation="eager").eval()
    if name == "umt5":  # as `transformers` 4 read it
        theirs.config.tie_word_embeddings = False
    return theirs


def some_ids(*shape: int, seed: int) -> Tensor:
    return torch.randint(4, VOCAB - 2, shape, generator=torch.Generator().manual_seed(seed))


def on_both_sides(foreign: ForeignModel) -> list[tuple[Tensor, Tensor]]:
    """A text, alone and in the first row of a batch with padding on the right, then on the left."""
    row, longer = some_ids(1, 4, seed=1), some_ids(1, 7, seed=2)
    padding = torch.full((1, 3), foreign.loaded.model.config.pad_id)
    return [(row, torch.cat((torch.cat(parts, dim=1), longer))) for parts in ((row, padding), (padding, row))]


@pytest.mark.parametrize("stored", PAIRS, indirect=True)
@torch.no_grad()
def test_log_probabilities_with_padding_and_step_by_step_are_theirs(stored: Stored) -> None:
    model: Any = stored.foreign.loaded.model
    assert stored.foreign.account.left_over == []
    target = torch.cat((torch.tensor([[0]]), some_ids(1, 5, seed=3)), dim=1)
    for row, batch in on_both_sides(stored.foreign):
        expected = stored.theirs(input_ids=row, decoder_input_ids=target).logits.log_softmax(-1)
        found = model(batch, target.expand(2, -1))[:1].log_softmax(-1)
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    state = model.prefill(batch)
    for position in range(target.shape[1]):
        logits, state = model.decode_step(target[:, position].expand(2)[:, None], state)
        torch.testing.assert_close(logits[0].log_softmax(-1), expected[:, position], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("stored", PAIRS, indirect=True)
def test_a_beam_of_4_finds_the_same_ids(stored: Stored) -> None:
    found, expected = beams(stored.foreign, stored.theirs, some_ids(3, 6, seed=4))
    assert found == expected
    assert len({tuple(row) for row in expected}) > 6


@pytest.mark.parametrize("stored", ENCODERS, indirect=True)
@torch.no_grad()
def test_states_of_encoders_are_theirs(stored: Stored) -> None:
    """With padding on either side; and with the symbol in front that encoders of ours read: T5 has none, ours is padding."""
    model: Any = stored.foreign.loaded.model
    assert model.config.task == "none"
    assert stored.foreign.account.left_over == []
    for row, batch in on_both_sides(stored.foreign):
        expected = stored.theirs(input_ids=row).last_hidden_state
        found = model(batch)[:1, :4] if batch[0, 0] == row[0, 0] else model(batch)[:1, 3:]
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    symbols = stored.foreign.loaded.tokenizer.symbols
    framed = torch.tensor([[symbols.bos_id, *row[0].tolist(), symbols.eos_id]])
    expected = stored.theirs(input_ids=framed[:, 1:]).last_hidden_state
    torch.testing.assert_close(model(framed)[:, 1:], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("stored", ["mt5, tied", "umt5"], indirect=True)
def test_the_check_of_a_conversion_agrees(stored: Stored) -> None:
    check = stored.foreign.check()
    assert check is not None
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None


TIES = {"t5 1.0": "source", "t5 1.1": "source", "t5 1.1, tied": "all", "t5, three matrices": "none", "madlad": "source",
        "mt5, tied": "all"}  # fmt: skip


@pytest.mark.parametrize("stored", TIES, indirect=True)
def test_the_file_says_which_matrices_are_one(stored: Stored, request: pytest.FixtureRequest) -> None:
    assert stored.foreign.loaded.model.config.tied_embeddings == TIES[request.node.callspec.params["stored"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("stored", ["madlad"], indirect=True)
def test_the_unknown_token_is_the_tokenizers(stored: Stored) -> None:
    """MADLAD's end symbol is 2, which is T5's unknown token."""
    symbols = stored.foreign.loaded.tokenizer.symbols
    assert (symbols.pad_id, symbols.eos_id, symbols.unk_id, symbols.start_ids) == (1, 2, 3, [0])
    (stored.folder / "tokenizer_config.json").write_text('{"unk_token": "w7", "pad_token": "w1", "eos_token": "w2"}')
    assert read_foreign(stored.folder).loaded.tokenizer.symbols.unk_id == 7
    (stored.folder / "tokenizer_config.json").unlink()


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        (tokenizers.Tokenizer(tokenizers.models.Unigram([(f"w{id}", -1.0) for id in range(VOCAB)], unk_id=6)), 6),
        (tokenizers.Tokenizer(tokenizers.models.BPE({f"w{id}": id for id in range(VOCAB)}, [], unk_token="w9")), 9),
        (tokenizers.Tokenizer(tokenizers.models.BPE({f"w{id}": id for id in range(VOCAB)}, [])), 1),
    ],
    ids=["unigram", "bpe", "none"],
)
def test_a_tokenizer_without_names_for_its_symbols_still_has_its_unknown_token(
    backend: tokenizers.Tokenizer, expected: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Without one, it is the padding, which is a symbol already: no ordinary token is taken for unknown."""
    shutil.copytree(made("madlad", tmp_path_factory).folder, tmp_path, dirs_exist_ok=True)
    backend.save(str(tmp_path / "tokenizer.json"))
    assert read_foreign(tmp_path).loaded.tokenizer.symbols.unk_id == expected


NOTES = [
    ("umt5", {"tie_word_embeddings": False, "scale_decoder_outputs": None}, "not divided by .*5.0 to 5.23 divides them"),
    ("mt5", {"tie_word_embeddings": True}, "transformers 4 divided the last states"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "message"), NOTES)
def test_it_is_said_where_versions_of_transformers_differ(
    name: str, settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    make(name, tmp_path)
    change(tmp_path, **settings)
    assert any(re.search(message, note) for note in read_foreign(tmp_path).notes)


def without(name: str) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.pop(name)


def longer(name: str) -> Callable[[dict[str, Tensor]], object]:
    return lambda tensors: tensors.update({name: torch.cat((tensors[name], tensors[name][:1]))})


BIAS = "SelfAttention.relative_attention_bias.weight"
REFUSED: list[tuple[str, Callable[[dict[str, Tensor]], object], dict[str, Any], str]] = [
    ("t5 1.0", without(SHARED), {}, r"must hold the tensor shared\.weight"),
    ("umt5", without(f"decoder.block.1.layer.0.{BIAS}"), {}, rf"must hold the tensor decoder\.block\.1\.layer\.0\.{BIAS}"),
    ("umt5 encoder", without("encoder.block.1.layer.1.DenseReluDense.wi_1.weight"), {}, r"block\.1\.layer\.1\.Dense.*wi_1"),
    ("madlad", longer(DECODER), {}, rf"{DECODER} must have 29 rows.*; got 30"),
    ("mt5", longer(HEAD), {}, rf"{HEAD} must have 29 rows.*; got 30"),
    ("mt5", len, {"d_model": 18}, r"must have a part of shape \(29, 18\)"),
    ("mt5 encoder, embeddings inside", len, {"d_kv": 5}, r"must have a part of shape \(15, 15\)"),
    ("mt5", len, {"feed_forward_proj": "gated-swish"}, "feed_forward_proj must be one of .*gated-gelu.*; got 'gated-swish'"),
    ("umt5", len, {"feed_forward_proj": "quick_gelu"}, "feed_forward_proj must be one of"),
    ("umt5", len, {"relative_attention_num_buckets": 16}, "relative_attention_num_buckets must be 32 .*; got 16"),
    ("mt5", len, {"relative_attention_max_distance": 64}, "relative_attention_max_distance must be 128 .*; got 64"),
    ("mt5", len, {"scale_decoder_outputs": True}, "scale_decoder_outputs must be false"),
    ("umt5", len, {"architectures": ["UMT5ForTokenClassification"]}, r"architectures must be \['UMT5ForConditionalGeneration'\]"),
    ("t5 encoder", len, {"architectures": ["MT5EncoderModel"]}, r"architectures must be \['T5ForConditionalGeneration'\]"),
    ("mt5", len, {"architectures": ["T5WithLMHeadModel"]}, r"architectures must be \['MT5ForConditionalGeneration'\]"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "tensors", "settings", "message"), REFUSED)
def test_bad_folders_are_refused_by_name(
    name: str,
    tensors: Callable[[dict[str, Tensor]], object],
    settings: dict[str, Any],
    message: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    shutil.copytree(made(name, tmp_path_factory).folder, tmp_path, dirs_exist_ok=True)
    change(tmp_path, tensors, **settings)
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path)


@pytest.mark.parametrize("stored", ["umt5 encoder"], indirect=True)
def test_an_encoder_without_a_head_says_that_it_predicts_nothing(stored: Stored) -> None:
    with pytest.raises(
        SettingsError,
        match="`predict` needs a model for task classify, multilabel, regression, tag or mlm; got one for task none",
    ):
        Predictor.of(stored.foreign.loaded).predict("w5 w6")


def test_an_encoder_is_read_out_of_the_file_of_a_whole_model(tmp_path: Path) -> None:
    make("t5 1.1", tmp_path)
    change(tmp_path, architectures=["T5EncoderModel"])
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == []
    assert "the decoder" in foreign.account.accounted[HEAD]
    check = foreign.check()
    assert check is not None
    assert check.largest_difference <= 1e-5


WRITTEN = [
    *((name, "t5") for name in ("t5 1.0", "t5 1.1", "t5 1.1, tied", "madlad")),
    *((name, "umt5") for name in ("t5 1.0", "umt5")),
]


@pytest.mark.parametrize(("stored", "format"), WRITTEN, indirect=["stored"])
def test_a_model_written_answers_as_ours_and_is_read_again(stored: Stored, format: str, tmp_path: Path) -> None:
    loaded = stored.foreign.loaded
    written = write_foreign(loaded, tmp_path / "again", format)
    check = written.check()
    assert check is not None
    assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    again = read_foreign(tmp_path / "again")
    assert again.account.left_over == []
    assert again.loaded.model.config == loaded.model.config
    assert again.loaded.tokenizer.symbols == loaded.tokenizer.symbols
    for mine, other in zip(loaded.model.parameters(), again.loaded.model.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-7)


OURS: dict[str, Any] = {
    "vocab_size": VOCAB, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_encoder_layers": 2, "num_decoder_layers": 2,
    "norm": "pre", "norm_kind": "rms", "bias": False, "positions": "t5", "max_positions": 40,
}  # fmt: skip


def ours(**choices: Any) -> LoadedModel:
    torch.manual_seed(1)
    model = EncoderDecoder(EncoderDecoderConfig(**OURS | choices)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    backend = words(VOCAB)
    backend.add_special_tokens(["w0", "w1", "w2", "w3"])
    tokenizer = Tokenizer(backend)
    return LoadedModel(model, tokenizer, tokenizer)


@pytest.mark.parametrize("choices", [
    {}, {"scale_embeddings": False, "activation": "gelu_tanh"}, {"tied_embeddings": "source", "activation": "silu"},
    {"tied_embeddings": "source", "scale_embeddings": False, "gated": True, "activation": "gelu_tanh", "head_dim": 5},
], ids=str)  # fmt: skip
@torch.no_grad()
def test_a_model_of_ours_is_written(choices: dict[str, Any], tmp_path: Path) -> None:
    """Trained here, each layer has a table of its own, as in umT5; T5 has one for all."""
    loaded = ours(**choices)
    model: Any = loaded.model
    for layer in model.encoder_layers:
        layer.self_attention.attention.positions.table.weight.copy_(torch.ones(32, 3))
    with pytest.raises(ModelFolderError, match=r"tables of distances of the decoder's layers must be equal.*umt5"):
        write_foreign(loaded, tmp_path / "t5", "t5")
    assert not (tmp_path / "t5").exists()
    source, target = some_ids(2, 6, seed=1), some_ids(2, 5, seed=2)
    for format in ("umt5", "t5"):
        written = write_foreign(loaded, tmp_path / format, format)
        check = written.check()
        assert check is not None
        assert check.largest_difference <= 1e-5 * max(check.largest_value, 1), check
        assert check.first_difference is None
        again: Any = read_foreign(tmp_path / format).loaded.model
        torch.testing.assert_close(again(source, target), model(source, target), rtol=1e-5, atol=1e-5)
        first, *others = [layer.self_attention.attention.positions.table.weight for layer in model.decoder_layers]
        for other in others:
            other.copy_(first)


def test_texts_for_a_model_of_ours_can_be_padded_by_transformers(tmp_path: Path) -> None:
    write_foreign(ours(), tmp_path / "umt5", "umt5")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "umt5")
    batch = tokenizer(["w5 w6 w7", "w8"], padding=True)
    assert batch["input_ids"] == [[5, 6, 7, 3], [8, 3, 0, 0]]
    assert batch["attention_mask"] == [[1, 1, 1, 1], [1, 1, 0, 0]]


UNFIT = [
    ({"positions": "alibi"}, "positions must be t5 to be written as t5; got alibi"),
    ({"norm": "post"}, "norm must be pre to be written as t5; got post"),
    ({"norm_kind": "layer"}, "norm_kind must be rms .*got layer"),
    ({"bias": True}, "bias must be False .*got True"),
    ({"num_kv_heads": 1}, "num_kv_heads must be 3 .*got 1"),
    ({"source_vocab_size": 31, "tied_embeddings": "target"}, "source_vocab_size must be None .*got 31"),
    ({"tied_embeddings": "target"}, "tied_embeddings must be all or source .*got target"),
    ({"embedding_norm": "both"}, "embedding_norm must be none .*got both"),
    ({"output_bias": True}, "output_bias must be False"),
    ({"value_head_dim": 3}, "value_head_dim must be 4 .*got 3"),
    ({"gated": True, "activation": "gelu"}, "activation must be gelu_tanh, relu or silu.*; got gelu"),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "message"), UNFIT)
def test_a_model_that_t5_cannot_hold_is_refused_by_its_setting(
    choices: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(ours(**choices), tmp_path / "t5", "t5")
    assert not (tmp_path / "t5").exists()
