"""Models of `transformers` with random weights and unusual configurations, read as ours and written as theirs."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from torch import Tensor

from regard.errors import ModelFolderError
from regard.interop.foreign import ForeignModel
from regard.interop.formats import read_foreign, write_foreign

transformers = pytest.importorskip("transformers")

VOCAB = 29
BERT = {"vocab_size": VOCAB, "hidden_size": 15, "num_attention_heads": 3, "intermediate_size": 22,
        "num_hidden_layers": 2, "max_position_embeddings": 19, "pad_token_id": 0, "bos_token_id": 3,
        "eos_token_id": 2}  # fmt: skip
SEQ = {"vocab_size": VOCAB, "d_model": 18, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 3,
       "decoder_attention_heads": 3, "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "max_position_embeddings": 30,
       "bos_token_id": 1, "eos_token_id": 2, "forced_eos_token_id": 2}  # fmt: skip


def bert(name: str, **choices: Any) -> Callable[[], Any]:
    def make() -> Any:
        family = re.sub("(For.*|Model|Encoder|Decoder)$", "", name)
        values = dict(BERT)
        if family == "DistilBert":
            values = {"vocab_size": VOCAB, "dim": 15, "n_heads": 3, "hidden_dim": 22, "n_layers": 2,
                      "max_position_embeddings": 19, "pad_token_id": 0, "bos_token_id": 3, "eos_token_id": 2}  # fmt: skip
        config = getattr(transformers, f"{family}Config")(**values | choices)
        return getattr(transformers, name)(config)

    return make


def gpt2(**choices: Any) -> Callable[[], Any]:
    values = {"vocab_size": VOCAB, "n_positions": 30, "n_embd": 15, "n_layer": 2, "n_head": 3, "bos_token_id": 28,
              "eos_token_id": 28}  # fmt: skip
    return lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config(**values | choices))


def marian(**choices: Any) -> Callable[[], Any]:
    values = SEQ | {"pad_token_id": 28, "decoder_start_token_id": 28, "scale_embedding": True,
                    "activation_function": "swish"}  # fmt: skip
    return lambda: transformers.MarianMTModel(transformers.MarianConfig(**values | choices))


def bart(**choices: Any) -> Callable[[], Any]:
    values = SEQ | {"pad_token_id": 0, "decoder_start_token_id": 2, "d_model": 15}
    return lambda: transformers.BartForConditionalGeneration(transformers.BartConfig(**values | choices))


def t5(**choices: Any) -> Callable[[], Any]:
    values = {"vocab_size": VOCAB, "d_model": 15, "d_kv": 4, "d_ff": 20, "num_layers": 2, "num_heads": 3,
              "num_decoder_layers": 1, "decoder_start_token_id": 0}  # fmt: skip
    return lambda: transformers.T5ForConditionalGeneration(transformers.T5Config(**values | choices))


def pair(encoder: str, decoder: str, **choices: Any) -> Callable[[], Any]:
    def make() -> Any:
        sides = [getattr(transformers, f"{kind}Config")(**BERT | choices) for kind in (encoder, decoder)]
        config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(*sides)
        config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 1, 0, 2
        return transformers.EncoderDecoderModel(config=config)

    return make


MODELS: dict[str, Callable[[], Any]] = {
    "bert, no head": bert("BertModel"),
    "bert, mlm, relu": bert("BertForMaskedLM", hidden_act="relu"),
    "bert, mlm, untied": bert("BertForMaskedLM", tie_word_embeddings=False),
    "bert, pretraining": bert("BertForPreTraining"),
    "bert, classes, one layer": bert("BertForSequenceClassification", num_labels=4, num_hidden_layers=1),
    "bert, tags": bert("BertForTokenClassification", num_labels=4),
    "bert, spans": bert("BertForQuestionAnswering", hidden_act="gelu_new"),
    "roberta, no head": bert("RobertaModel", pad_token_id=1),
    "roberta, mlm": bert("RobertaForMaskedLM", hidden_act="silu", pad_token_id=1, type_vocab_size=1),
    "roberta, classes": bert("RobertaForSequenceClassification", pad_token_id=1),
    "roberta, tags": bert("RobertaForTokenClassification", pad_token_id=2, num_labels=3),
    "xlm-roberta, mlm": bert("XLMRobertaForMaskedLM", pad_token_id=1),
    "camembert, spans": bert("CamembertForQuestionAnswering", pad_token_id=1),
    "distilbert, no head": bert("DistilBertModel"),
    "distilbert, mlm": bert("DistilBertForMaskedLM", activation="relu"),
    "distilbert, classes": bert("DistilBertForSequenceClassification", num_labels=3, seq_classif_dropout=0.0),
    "distilbert, tags": bert("DistilBertForTokenClassification"),
    "distilbert, spans": bert("DistilBertForQuestionAnswering"),
    "gpt2": gpt2(),
    "gpt2, one layer, untied, relu": gpt2(n_layer=1, tie_word_embeddings=False, activation_function="relu", n_inner=17),
    "bert-generation encoder": bert("BertGenerationEncoder", hidden_act="relu"),
    "bert-generation decoder": bert("BertGenerationDecoder", is_decoder=True),
    "bert-generation decoder, untied": bert("BertGenerationDecoder", is_decoder=True, tie_word_embeddings=False),
    "encoder-decoder of bert": pair("Bert", "Bert"),
    "encoder-decoder of bert-generation": pair("BertGeneration", "BertGeneration", hidden_act="relu"),
    "encoder-decoder of both": pair("Bert", "BertGeneration", type_vocab_size=3),
    "marian": marian(),
    "marian, unscaled, relu": marian(scale_embedding=False, activation_function="relu"),
    "marian, two vocabularies": marian(
        share_encoder_decoder_embeddings=False, vocab_size=41, decoder_vocab_size=VOCAB, tie_word_embeddings=True
    ),
    "marian, untied": marian(
        share_encoder_decoder_embeddings=False, vocab_size=41, decoder_vocab_size=VOCAB, tie_word_embeddings=False
    ),
    "bart": bart(),
    "bart, scaled, forced begin": bart(scale_embedding=True, forced_bos_token_id=1, activation_function="gelu_new"),
    "t5": t5(),
    "t5, gated": t5(feed_forward_proj="gated-gelu", num_layers=1),
    "t5, untied": t5(tie_word_embeddings=False, feed_forward_proj="gated-silu"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked up outside this machine, and `transformers` keeps its remarks to itself."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()


def words(size: int) -> tokenizers.Tokenizer:
    names = {f"w{index}": index for index in range(size)}
    backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(names, unk_token="w3"))
    backend.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return backend


def stored(name: str, folder: Path) -> Any:
    """A random model, written by `transformers`, with a tokenizer of numbered words."""
    torch.manual_seed(3)
    model = MODELS[name]().eval()
    for key, parameter in model.named_parameters():
        if "embed_positions" not in key or not name.startswith("marian"):
            parameter.data += 0.15 * torch.randn_like(parameter)
    if name.startswith("marian"):
        model.final_logits_bias += torch.randn_like(model.final_logits_bias)
    if "forced begin" in name:
        model.generation_config.forced_bos_token_id = 1
    model.save_pretrained(folder)
    words(max(VOCAB, getattr(model.config, "vocab_size", VOCAB) if name.startswith("marian") else VOCAB)).save(
        str(folder / "tokenizer.json")
    )
    return model


def read(name: str, folder: Path) -> ForeignModel:
    stored(name, folder)
    return read_foreign(folder)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_read_answers_as_the_original(name: str, tmp_path: Path) -> None:
    foreign = read(name, tmp_path / "theirs")
    assert foreign.account.left_over == []
    check = foreign.check()
    assert check is not None
    assert check.largest_value > 0.1
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None


WRITTEN = {
    "bert, no head": "bert",
    "bert, mlm, relu": "bert",
    "bert, mlm, untied": "bert",
    "bert, classes, one layer": "bert",
    "bert, tags": "bert",
    "bert, spans": "bert",
    "roberta, no head": "roberta",
    "roberta, mlm": "roberta",
    "roberta, classes": "roberta",
    "roberta, tags": "roberta",
    "camembert, spans": "roberta",
    "distilbert, no head": "distilbert",
    "distilbert, mlm": "distilbert",
    "distilbert, classes": "distilbert",
    "distilbert, tags": "distilbert",
    "distilbert, spans": "distilbert",
    "gpt2": "gpt2",
    "gpt2, one layer, untied, relu": "gpt2",
    "bert-generation encoder": "bert-generation",
    "bert-generation decoder": "bert-generation",
    "bert-generation decoder, untied": "bert-generation",
    "encoder-decoder of bert": "encoder-decoder",
    "encoder-decoder of bert-generation": "encoder-decoder",
    "encoder-decoder of both": "encoder-decoder",
    "marian": "marian",
    "marian, unscaled, relu": "marian",
    "marian, untied": "marian",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_model_written_answers_as_ours(name: str, tmp_path: Path) -> None:
    foreign = read(name, tmp_path / "theirs")
    written = write_foreign(foreign.loaded, tmp_path / "again", WRITTEN[name])
    check = written.check()
    assert check is not None
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None
    again = read_foreign(tmp_path / "again")
    assert again.account.left_over == []
    assert again.loaded.model.config == foreign.loaded.model.config
    for mine, other in zip(foreign.loaded.model.parameters(), again.loaded.model.parameters(), strict=True):
        assert torch.equal(mine, other)


@pytest.mark.parametrize("name", ["bert, mlm, relu", "gpt2", "marian", "t5, gated", "encoder-decoder of bert"])
def test_losses_and_gradients_are_theirs(name: str, tmp_path: Path) -> None:
    """The mean cross-entropy of random labels, and its gradient by the embeddings and by a layer's matrix."""
    theirs = stored(name, tmp_path).eval()
    ours = read_foreign(tmp_path).loaded.model
    ids, labels = (torch.randint(4, 27, (2, 6), generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    is_pair = theirs.config.is_encoder_decoder
    inputs = {"input_ids": ids, "decoder_input_ids": labels} if is_pair else {"input_ids": ids}
    expected = torch.nn.functional.cross_entropy(theirs(**inputs).logits.flatten(0, 1), labels.flatten())
    expected.backward()
    found = torch.nn.functional.cross_entropy(
        (ours(ids, labels) if is_pair else ours(ids)).flatten(0, 1), labels.flatten()
    )
    found.backward()
    torch.testing.assert_close(found, expected)
    mine, other = {
        "bert, mlm, relu": lambda: (ours.embedding, theirs.bert.embeddings.word_embeddings),
        "gpt2": lambda: (ours.embedding, theirs.transformer.wte),
        "marian": lambda: (ours.source_embedding, theirs.model.shared),
        "t5, gated": lambda: (ours.decoder_layers[0].feed_forward.gate_proj,
                              theirs.decoder.block[0].layer[2].DenseReluDense.wi_1),
        "encoder-decoder of bert": lambda: (ours.decoder_layers[1].cross_attention.key_proj,
                                            theirs.decoder.bert.encoder.layer[1].crossattention.self.key),
    }[name]()  # fmt: skip
    torch.testing.assert_close(mine.weight.grad, other.weight.grad, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["bert, mlm, relu", "roberta, mlm", "gpt2", "marian", "bart", "t5"])
@pytest.mark.parametrize("side", ["right", "left"])
@torch.no_grad()
def test_padding_on_either_side_is_theirs(name: str, side: str, tmp_path: Path) -> None:
    """A row of a padded batch has the answer that `transformers` gives it alone."""
    theirs = stored(name, tmp_path).eval()
    foreign = read_foreign(tmp_path)
    ours, pad_id = foreign.loaded.model, foreign.loaded.tokenizer.pad_id
    row, longer = torch.randint(4, 27, (1, 4)), torch.randint(4, 27, (1, 7))
    padding = torch.full((1, 3), pad_id)
    batch = torch.cat((torch.cat((row, padding) if side == "right" else (padding, row), dim=1), longer))
    target = torch.randint(4, 27, (1, 5))
    if theirs.config.is_encoder_decoder:
        found = ours(batch, target.expand(2, 5))[:1]
        expected = theirs(input_ids=row, decoder_input_ids=target).logits
    else:
        found = ours(batch)[:1, :4] if side == "right" else ours(batch)[:1, 3:]
        expected = theirs(input_ids=row).logits
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


@torch.no_grad()
def relative_scores(query: Tensor, key: Tensor, table: Tensor, kind: str) -> Tensor:
    """Attention scores with a vector for each distance, one pair of positions after the other.

    Source: Shaw et al. 2018, equation 4; Huang et al. 2020, equation 12, which `transformers` 4 computed.
    """
    scores = query @ key.T
    for q in range(len(query)):
        for k in range(len(key)):
            vector = table[q - k + (len(table) - 1) // 2]
            scores[q, k] += query[q] @ vector + (key[k] @ vector if kind == "relative_key_query" else 0)
    return scores / query.shape[1] ** 0.5


@pytest.mark.parametrize("kind", ["relative_key", "relative_key_query"])
def test_relative_positions_of_old_berts_are_read(kind: str, tmp_path: Path) -> None:
    """`transformers` 5 no longer computes them; a file from before has them."""
    import json

    from safetensors.torch import load_file, save_file

    from regard.inspection.capture import capture

    stored("bert, mlm, relu", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["position_embedding_type"] = kind
    (tmp_path / "config.json").write_text(json.dumps(config))
    tensors = load_file(tmp_path / "model.safetensors")
    for layer in range(2):
        name = f"bert.encoder.layer.{layer}.attention.self.distance_embedding.weight"
        tensors[name] = torch.randn(2 * 19 - 1, 5)
    save_file(tensors, tmp_path / "model.safetensors")
    foreign = read_foreign(tmp_path)
    assert "not read" in foreign.account.accounted["bert.embeddings.position_embeddings.weight"]
    model = foreign.loaded.model
    ids = torch.randint(4, 27, (1, 6))
    name = "layers.1.self_attention"
    with capture(model, layers=[name]) as captured:
        model(ids)
    seen = captured[name]
    weights = relative_scores(seen.query[0, 1], seen.key[0, 1], tensors[name_of(1)], kind).softmax(-1)
    torch.testing.assert_close(seen.weights()[0, 1], weights)


def name_of(layer: int) -> str:
    return f"bert.encoder.layer.{layer}.attention.self.distance_embedding.weight"


REFUSED = [
    ("bert, mlm, relu", {"hidden_act": "quick_gelu"}, r"hidden_act must be one of .*; got 'quick_gelu'"),
    ("bert, mlm, relu", {"hidden_act": "gellu"}, r"Did you mean 'gelu'\?"),
    ("bert, mlm, relu", {"is_decoder": True}, r"is_decoder must be False .*; got True"),
    ("bert, classes, one layer", {"problem_type": "regression"}, "problem_type must be 'single_label_classification'"),
    ("bert, mlm, relu", {"architectures": ["BertForNextSentencePrediction"]}, "architectures must end with one of"),
    ("bert, mlm, relu", {"model_type": "mamba"}, "model_type must be one that Regard can represent; got 'mamba'"),
    ("bert, mlm, relu", {"hidden_size": None}, "must have the key hidden_size"),
    ("bert, mlm, relu", {"hidden_size": 18}, r"must have a part of shape \(29, 18\)"),
    ("bert, mlm, relu", {"num_attention_heads": 4}, "model_dim must be divisible by num_heads"),
    ("bert, mlm, relu", {"num_hidden_layers": 3}, r"must hold the tensor bert\.encoder\.layer\.2\."),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx must be False"),
    ("marian", {"decoder_ffn_dim": 21}, "encoder_ffn_dim and decoder_ffn_dim must be equal"),
    ("t5", {"relative_attention_num_buckets": 16}, "relative_attention_num_buckets must be 32"),
    ("t5", {"feed_forward_proj": "gated-swish"}, "feed_forward_proj must be one of"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "message"), REFUSED)
def test_what_we_cannot_represent_is_refused(name: str, change: dict[str, Any], message: str, tmp_path: Path) -> None:
    import json

    stored(name, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(ModelFolderError, match=message):
        read_foreign(tmp_path)


def test_ours_that_they_cannot_represent_is_refused(tmp_path: Path) -> None:
    foreign = read("gpt2", tmp_path / "theirs")
    model = foreign.loaded.model
    model.config = model.config.model_copy(update={"positions": "rotary"})
    with pytest.raises(ModelFolderError, match="positions must be learned to be written as gpt2; got rotary"):
        write_foreign(foreign.loaded, tmp_path / "again", "gpt2")
    assert not (tmp_path / "again").exists()


def test_a_tensor_that_nothing_reads_is_named(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    stored("gpt2", tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    save_file(tensors | {"transformer.h.0.extra": torch.ones(3)}, tmp_path / "model.safetensors")
    foreign = read_foreign(tmp_path)
    assert foreign.account.left_over == ["transformer.h.0.extra"]
    assert any("LEFT OVER" in line and "transformer.h.0.extra" in line for line in foreign.account.lines())


# what real checkpoints look like


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


@pytest.mark.filterwarnings("ignore::regard.interop.files.PickleWarning")
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


def test_one_label_is_a_regression_and_refused(tmp_path: Path) -> None:
    stored("bert, classes, one layer", tmp_path)
    changed_config(tmp_path, id2label={"0": "LABEL_0"})
    with pytest.raises(ModelFolderError, match="id2label must name at least 2 classes; got 1, which is a regression"):
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
