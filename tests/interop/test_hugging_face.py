"""Models of `transformers` with random weights and unusual configurations, read as ours and written as theirs."""

from pathlib import Path
from typing import Any

import pytest
import torch
from foreign_models import MODELS, read, stored
from torch import Tensor

import regard
from regard.analysis.attribution import trace_flow
from regard.analysis.patching import patch
from regard.checkpoint import LoadedModel
from regard.errors import ModelFolderError, SettingsError
from regard.interop.formats import read_foreign, write_foreign
from regard.models.config import EncoderConfig
from regard.models.registry import build
from regard.parts.answers import predicted_line


@pytest.mark.parametrize("name", MODELS)
def test_a_model_read_answers_as_the_original(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 8)
    foreign = read(name, tmp_path / "theirs")
    assert foreign.account.left_over == []
    check = foreign.check()
    assert check is not None
    assert check.largest_value > 0.1
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    assert check.first_difference is None


WRITTEN = {
    "bert, no head": "bert",
    "bert, no pooler": "bert",
    "bert, chunks": "bert",
    "bert decoder": "bert",
    "bert decoder, untied": "bert",
    "bert, mlm, relu": "bert",
    "bert, mlm, untied": "bert",
    "bert, classes, one layer": "bert",
    "bert, several labels": "bert",
    "bert, a number": "bert",
    "roberta, numbers": "roberta",
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
    "electra, mlm": "electra",
    "electra, one width": "electra",
    "electra, classes": "electra",
    "electra, tags": "electra",
    "electra, spans": "electra",
    "albert, no head": "albert",
    "albert, mlm": "albert",
    "albert, classes": "albert",
    "albert, tags": "albert",
    "albert, spans": "albert",
    "gpt2": "gpt2",
    "gpt2, one layer, untied, relu": "gpt2",
    "gpt2, scores by layer": "gpt2",
    "bert, mlm, tanh": "bert",
    "bert-generation encoder": "bert-generation",
    "bert-generation decoder": "bert-generation",
    "bert-generation decoder, untied": "bert-generation",
    "encoder-decoder of bert": "encoder-decoder",
    "encoder-decoder of bert-generation": "encoder-decoder",
    "encoder-decoder of both": "encoder-decoder",
    "marian": "marian",
    "marian, unscaled, relu": "marian",
    "marian, untied": "marian",
    "bart": "bart",
    "bart, untied": "bart",
    "bart, scaled, forced begin": "bart",
    "bart, classes": "bart",
    "bart, several labels": "bart",
    "bart, a number": "bart",
    "m2m_100": "m2m_100",
    "m2m_100, unscaled, untied, gelu": "m2m_100",
    "mbart": "mbart",
    "mbart, unscaled, relu, forced begin": "mbart",
    **dict.fromkeys((name for name in MODELS if name.startswith("modernbert")), "modernbert"),
    **dict.fromkeys((name for name in MODELS if name.startswith("eurobert")), "eurobert"),
    "pegasus": "pegasus",
    "pegasus, untied, gelu": "pegasus",
    "t5gemma, untied": "t5gemma",
    "t5gemma, more layers that write": "t5gemma",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_model_written_answers_as_ours(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regard.interop.check.DECODED_TOKENS", 5)
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


@torch.no_grad()
@pytest.mark.parametrize("name", ["bert, no head", "roberta, no head"])
def test_a_pooler_is_theirs(name: str, tmp_path: Path) -> None:
    theirs = stored(name, tmp_path).eval()
    ours: Any = read_foreign(tmp_path).loaded.model
    ids = torch.randint(4, 27, (2, 6))
    torch.testing.assert_close(ours.pooled(ours.states(ids)), theirs(input_ids=ids).pooler_output, rtol=1e-4, atol=1e-5)


def test_several_labels_are_predicted_each_by_its_own_probability(tmp_path: Path) -> None:
    """As `transformers` gives them; a text may have none, and a model that predicts numbers has none to give."""
    theirs = stored("bert, several labels", tmp_path / "several").eval()
    theirs.classifier.bias.data = torch.tensor([3.0, -3.0, 0.1])
    theirs.save_pretrained(tmp_path / "several")
    predictor: Any = regard.load(tmp_path / "several")
    ids = torch.tensor([predictor.ids_of("w5 w9 w7")])
    with torch.no_grad():
        probs = theirs(input_ids=ids).logits[0].sigmoid().tolist()
    expected = {f"LABEL_{index}": prob for index, prob in enumerate(probs) if prob > 0.5}
    assert 0 < len(expected) < 3
    (found,) = predictor.predict(["w5 w9 w7"])
    assert found.labels == [*expected]
    assert found.probs == pytest.approx([*expected.values()], abs=1e-5)
    seen = predictor.inspect("w5 w9 w7")
    assert seen.predicted_are == "classes"
    assert [label for label, _ in seen.predicted] == [*expected]
    with pytest.raises(
        SettingsError, match="`evaluate` needs a model for task classify or tag; got one for task multi"
    ):
        predictor.evaluate([["w5"]], [["LABEL_0"]])
    for refused in (lambda: patch(predictor, "w5", "w7"), lambda: trace_flow(predictor, seen, "gradient")):
        with pytest.raises(SettingsError, match="got one for task multilabel"):
            refused()


@pytest.mark.parametrize("name", ["bert, a number", "roberta, numbers", "eurobert, a number", "bart, a number"])
def test_numbers_are_predicted(name: str, tmp_path: Path) -> None:
    """As `transformers` gives them, without any function over them; of several texts, each one's own."""
    theirs = stored(name, tmp_path / "m").eval()
    predictor: Any = regard.load(tmp_path / "m")
    texts, long = ["w5 w9 w7", "w3"], "w5 w9 " * 200
    found = predictor.predict(texts)
    for text, each in zip(texts, found, strict=True):
        with torch.no_grad():
            expected = theirs(input_ids=torch.tensor([predictor.ids_of(text)])).logits[0].tolist()
        assert each.values == pytest.approx(expected, abs=1e-5)
        assert each.labels == predictor.model.config.labels
        assert len(each.labels) == len(each.values) > 0
        assert each.record() == {"text": text, "labels": each.labels, "values": each.values}
        assert f"{each.labels[0]} {each.values[0]:.2f}" in repr(each)
    cut = predictor.predict(long)
    assert cut.is_cut
    assert len(cut.values) == len(found[0].values)
    shown = [predicted_line(each, as_json=False) for each in found]
    assert shown == [" ".join(f"{value:.4g}" for value in each.values) for each in found]


@pytest.mark.parametrize(
    ("key", "value"),
    [("value_head_dim", 3), ("attention_output_bias", False), ("output_transform", True), ("norm_bias", False),
     ("local_rotary_base", 5.0), ("scale_embeddings", True), ("score_cap", 5.0), ("logit_cap", 5.0),
     ("parallel_residual", True)],
)  # fmt: skip
def test_what_only_ours_has_is_not_written(key: str, value: object, tmp_path: Path) -> None:
    """Left out, it would be another model."""
    foreign = read("gpt2", tmp_path / "theirs")
    model = build(foreign.loaded.model.config.model_copy(update={key: value}))
    with pytest.raises(ModelFolderError, match=f"{key} must be .* to be written as gpt2; got {value}"):
        write_foreign(foreign.loaded._replace(model=model), tmp_path / "again", "gpt2")


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


@pytest.mark.parametrize(
    "name",
    ["bert, mlm, relu", "roberta, mlm", "gpt2", "marian", "bart", "m2m_100", "mbart", "t5", "modernbert, mlm",
     "modernbert, tags", "eurobert, mlm", "electra, mlm", "albert, mlm"],
)  # fmt: skip
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
    ("bert, mlm, relu", {"hidden_act": "mish"}, r"hidden_act must be one of .*; got 'mish'"),
    ("bert, mlm, relu", {"hidden_act": "gellu"}, r"Did you mean 'gelu'\?"),
    ("bert, mlm, relu", {"is_decoder": True}, r"is_decoder must be False .*; got True"),
    ("bert, classes, one layer", {"problem_type": "ranking"}, "problem_type must be one of .*; got 'ranking'"),
    ("bert, tags", {"problem_type": "regression"}, "problem_type must be 'single_label_classification'"),
    ("bert, mlm, relu", {"architectures": ["BertForMultipleChoice"]}, "architectures must end with one of"),
    ("bert, mlm, relu", {"architectures": ["BertForNextSentencePrediction"]}, r"must hold the tensor bert\.pooler"),
    ("bert, mlm, relu", {"model_type": "mamba"}, "model_type must be one that Regard can represent; got 'mamba'"),
    ("bert, mlm, relu", {"model_type": "nllb-moe"}, "model_type .*got 'nllb-moe'.*bart, bert, .*, marian, mbart, "),
    ("m2m_100", {"activation_function": "mish"}, r"activation_function must be one of .*; got 'mish'"),
    ("m2m_100", {"encoder_layers": 3}, r"must hold the tensor model\.encoder\.layers\.2\."),
    ("m2m_100", {"d_model": 24}, r"must have a part of shape \(29, 24\)"),
    ("mbart", {"normalize_before": False}, "normalize_before must be True"),
    ("mbart", {"vocab_size": 30}, r"must have a part of shape \(30,\) for output_bias"),
    ("pegasus", {"normalize_embedding": True}, "normalize_embedding must be False"),
    ("electra, mlm", {"architectures": ["ElectraForPreTraining"]}, "architectures must be .*got .*ElectraForPreTraining"),
    ("electra, mlm", {"embedding_size": 9}, r"must have a part of shape \(29, 9\)"),
    ("electra, one width", {"embedding_size": None}, "must hold the tensor embeddings_project|must have a part of shape"),
    ("albert, mlm", {"num_hidden_groups": 0}, "num_hidden_groups must be from 1 to"),
    ("albert, mlm", {"num_hidden_layers": 10**12}, "num_hidden_layers must be from 1 to"),
    ("albert, mlm", {"inner_group_num": 90}, "inner_group_num must make at most"),
    ("albert, mlm", {"num_hidden_groups": 2}, r"must hold the tensor albert\.encoder\.albert_layer_groups\.1\."),
    ("modernbert, mlm", {"num_hidden_layers": 10**12, "layer_types": None}, "num_layers: Input should be less"),
    ("modernbert, mlm", {"hidden_activation": "mish"}, "hidden_activation must be one of .*; got 'mish'"),
    ("modernbert, mlm", {"num_hidden_layers": 5, "layer_types": None}, r"must hold the tensor model\.layers\.4\."),
    ("modernbert, mlm", {"layer_types": ["full_attention"]}, "layer_types must be 4, one for each layer; got 1"),
    ("modernbert, mlm", {"layer_types": ["chunked"] * 4}, "layer_types must be .*; got 'chunked'"),
    ("modernbert, mlm", {"norm_bias": True}, r"must hold the tensor model\.embeddings\.norm\.bias"),
    ("modernbert, mlm", {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling must be null"),
    ("modernbert, mlm", {"rope_parameters": {"rope_theta": 3.0}}, "rope_parameters must be given for full_attention and"),
    ("modernbert, mlm", {"rope_parameters": {"full_attention": 3}}, "of full_attention must be of type dict; got 3"),
    (
        "modernbert, mlm",
        {"rope_parameters": {"sliding_attention": {"rope_type": "linear", "factor": 2.0}}},
        "rope_type of sliding_attention must be default",
    ),
    (
        "modernbert, mlm",
        {"rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 2.0}}},
        "of full_attention: rope_type must be one of .*; got 'yarn'",
    ),
    ("modernbert, mlm", {"architectures": ["ModernBertForMultipleChoice"]}, "architectures must end with one of"),
    ("modernbert, classes", {"classifier_pooling": "max"}, "classifier_pooling must be one of cls, mean; got 'max'"),
    ("eurobert, classes", {"classifier_pooling": "cls"}, "classifier_pooling must be one of late, mean, bos; got 'cls'"),
    ("eurobert, mlm", {"mlp_bias": True}, r"must hold the tensor model\.layers\.0\.mlp\.gate_proj\.bias"),
    ("eurobert, mlm", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1"),
    ("bert, mlm, relu", {"hidden_size": None}, "must have the key hidden_size"),
    ("bert, mlm, relu", {"hidden_size": "15"}, "hidden_size must be of type int; got '15'"),
    ("bert, mlm, relu", {"hidden_size": 15.0}, r"hidden_size must be of type int; got 15\.0"),
    ("bert, mlm, relu", {"num_attention_heads": True}, "num_attention_heads must be of type int; got True"),
    ("bert, mlm, relu", {"max_position_embeddings": False}, "max_position_embeddings must be of type int; got False"),
    ("encoder-decoder of bert", {"encoder": "bert"}, "encoder must be of type dict; got 'bert'"),
    ("marian", {"encoder_ffn_dim": "20"}, "encoder_ffn_dim must be of type int; got '20'"),
    ("bert, mlm, relu", {"hidden_size": 18}, r"must have a part of shape \(29, 18\)"),
    ("bert, mlm, relu", {"num_attention_heads": 4}, "model_dim must be divisible by num_heads"),
    ("bert, mlm, relu", {"num_hidden_layers": 3}, r"must hold the tensor bert\.encoder\.layer\.2\."),
    ("gpt2", {"scale_attn_weights": 2}, "scale_attn_weights must be of type bool; got 2"),
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


def test_both_sides_of_a_pair_of_berts_must_agree(tmp_path: Path) -> None:
    import json

    stored("encoder-decoder of bert", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["encoder"]["hidden_act"] = "tanh"
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(
        ModelFolderError, match=r"activation must be equal in encoder and decoder .* got 'tanh' and 'gelu"
    ):
        read_foreign(tmp_path)


@pytest.mark.parametrize("name", ["bart, untied", "marian, untied, one vocabulary"])
def test_an_untied_model_has_three_matrices(name: str, tmp_path: Path) -> None:
    """The fourth, `shared`, is stored beside them, and nothing reads it."""
    foreign = read(name, tmp_path)
    assert foreign.loaded.model.config.tied_embeddings == "none"
    assert "nothing reads it" in foreign.account.accounted["model.shared.weight"]


@pytest.mark.parametrize("name", ["bart, untied", "marian, untied, one vocabulary"])
def test_an_untied_model_whose_sides_share_one_matrix(name: str, tmp_path: Path) -> None:
    """As `transformers` 4 wrote them: both sides always read `shared`, and only the output had a matrix of its own."""
    from safetensors.torch import load_file, save_file

    stored(name, tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    for side in ("encoder", "decoder"):
        del tensors[f"model.{side}.embed_tokens.weight"]
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    foreign = read_foreign(tmp_path)
    assert foreign.loaded.model.config.tied_embeddings == "source"
    assert foreign.account.left_over == []
    assert torch.equal(foreign.loaded.model.source_embedding.weight, tensors["model.shared.weight"])


@pytest.mark.parametrize("tied", ["source", "none"])
def test_ours_with_an_output_matrix_of_its_own_is_written(tied: str, tmp_path: Path) -> None:
    """Whose sides share a matrix, or have two, over one vocabulary."""
    loaded = read("marian, untied, one vocabulary", tmp_path / "theirs").loaded
    with torch.no_grad():
        model = build(loaded.model.config.model_copy(update={"tied_embeddings": tied})).eval()
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    written = write_foreign(loaded._replace(model=model), tmp_path / "again", "marian")
    for foreign in (written, read_foreign(tmp_path / "again")):
        check = foreign.check()
        assert check is not None
        assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
        assert foreign.account.left_over == []


def test_an_error_of_the_original_is_told(tmp_path: Path) -> None:
    """Such as a key of its configuration that we do not read."""
    import json

    stored("gpt2", tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"embd_pdrop": "much"}))
    foreign = read_foreign(tmp_path)
    with pytest.raises(ModelFolderError, match=r"must be readable by the original implementation.*much.*--no-check"):
        foreign.check()


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


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("first_norm", False),
        ("head_transform", "norm"),
        ("pooling", "mean"),
        ("embedding_dim", 8),
        ("weights_from", [0, 0]),
    ],
)
def test_what_only_our_encoders_have_is_not_written(key: str, value: object, tmp_path: Path) -> None:
    foreign = read("distilbert, classes", tmp_path / "theirs")
    model = build(foreign.loaded.model.config.model_copy(update={key: value}))
    with pytest.raises(ModelFolderError, match=f"{key} must be .* to be written as bert; got "):
        write_foreign(foreign.loaded._replace(model=model), tmp_path / "again", "bert")


@pytest.mark.parametrize("format", ["bert", "roberta", "distilbert", "bert-generation"])
def test_an_encoder_without_a_norm_of_embeddings_is_refused(format: str, tmp_path: Path) -> None:
    foreign = read("distilbert, no head", tmp_path / "theirs")
    model = build(foreign.loaded.model.config.model_copy(update={"embedding_norm": False}))
    with pytest.raises(ModelFolderError, match=f"embedding_norm must be True to be written as {format}; got False"):
        write_foreign(foreign.loaded._replace(model=model), tmp_path / "again", format)


SMALL = {
    "vocab_size": 29, "model_dim": 16, "ff_dim": 20, "num_heads": 4, "num_layers": 2, "num_segments": 0, "norm": "pre",
    "gated": True, "positions": "rotary", "max_positions": 30, "bias": False,
}  # fmt: skip
OF_MODERNBERT = SMALL | {"first_norm": False, "head_transform": "norm", "norm_epsilon": 1e-5}
OF_EUROBERT = SMALL | {"norm_kind": "rms", "embedding_norm": False, "norm_epsilon": 1e-5}
CLASSES = {"task": "classify", "labels": ["no", "yes", "perhaps"]}
OURS: list[tuple[str, dict[str, Any]]] = [
    ("modernbert", OF_MODERNBERT | {"windows": [None, 3], "local_rotary_base": 7.0, "rotary_base": 99.0}),
    ("modernbert", OF_MODERNBERT | CLASSES | {"norm_bias": False, "windows": [4, 4]}),
    ("modernbert", OF_MODERNBERT | {"task": "tag", "labels": ["a", "b"], "head_activation": "relu", "bias": True}),
    ("eurobert", OF_EUROBERT | CLASSES | {"pooling": "late", "head_activation": "gelu", "rotary_base": 99.0}),
    ("eurobert", OF_EUROBERT | {"head_transform": "none", "num_kv_heads": 2, "bias": True}),
    ("eurobert", OF_EUROBERT | {"task": "none", "rotary_scaling": {"factor": 2.0}}),
]


@pytest.mark.parametrize(("format", "config"), OURS)
def test_a_later_encoder_of_ours_is_written(format: str, config: dict[str, Any], letters: Any, tmp_path: Path) -> None:
    """With biases and norms away from 0 and 1, of every kind of head."""
    torch.manual_seed(3)
    model = build(EncoderConfig(**config | {"vocab_size": len(letters), "pad_id": letters.pad_id})).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    check = write_foreign(LoadedModel(model, letters, letters), tmp_path / "written", format).check()
    assert check is not None
    assert check.largest_difference <= 2e-5 * max(check.largest_value, 1), check
    again: Any = read_foreign(tmp_path / "written").loaded.model
    ids = torch.randint(4, len(letters), (2, 7))
    torch.testing.assert_close(again(ids), model(ids), rtol=1e-4, atol=1e-5)
    assert again.config.labels == model.config.labels
    assert again.config.windows == model.config.windows


@pytest.mark.parametrize(("format", "config", "message"), [
    ("modernbert", OF_MODERNBERT | {"first_norm": True}, "first_norm must be False to be written as modernbert; got True"),
    ("modernbert", OF_MODERNBERT | {"windows": [3, 4]}, "windows must be of one size"),
    ("modernbert", OF_MODERNBERT | CLASSES | {"pooling": "late"}, "pooling must be first or mean"),
    ("modernbert", OF_MODERNBERT | {"num_segments": 2}, "num_segments must be 0"),
    ("modernbert", OF_MODERNBERT | {"query_key_norm": True}, "query_key_norm must be False"),
    ("modernbert", OF_MODERNBERT | {"score_cap": 5.0}, "score_cap must be None"),
    ("modernbert", OF_MODERNBERT | CLASSES | {"head_transform": None}, "head_transform must be norm .*got None"),
    ("eurobert", OF_EUROBERT | {"head_transform": "none"}, "head.bias must be zeros, as feed_forward_bias is false"),
    ("eurobert", OF_EUROBERT | {"windows": [3, 3], "head_transform": "none"}, r"windows must be \[\]"),
    ("eurobert", OF_EUROBERT | CLASSES, "head_activation must be gelu .*got tanh"),
    ("eurobert", OF_EUROBERT | {"task": "spans"}, "task must be mlm, classes, tags or none .*got spans"),
])  # fmt: skip
def test_what_a_later_encoder_lacks_is_not_written(
    format: str, config: dict[str, Any], message: str, letters: Any, tmp_path: Path
) -> None:
    model = build(EncoderConfig(**config | {"vocab_size": len(letters), "pad_id": letters.pad_id})).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    with pytest.raises(ModelFolderError, match=message):
        write_foreign(LoadedModel(model, letters, letters), tmp_path / "written", format)
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize("format", ["bert", "roberta", "electra", "albert"])
def test_a_pooler_of_another_activation_than_theirs_is_not_written(format: str, letters: Any, tmp_path: Path) -> None:
    shape: dict[str, Any] = {"model_dim": 8, "num_heads": 2, "ff_dim": 8, "num_layers": 1, "embedding_dim": 4}
    for activation in ("tanh", "relu"):
        config = EncoderConfig(
            vocab_size=len(letters), pad_id=letters.pad_id, task="none", pooler=True, head_activation=activation,
            **{key: value for key, value in shape.items() if key != "embedding_dim" or format in ("electra", "albert")},
        )  # fmt: skip
        loaded, folder = LoadedModel(build(config).eval(), letters, letters), tmp_path / activation
        if activation == "tanh":
            write_foreign(loaded, folder, format)
        else:
            with pytest.raises(
                ModelFolderError, match=f"head_activation must be tanh to be written as {format}; got relu"
            ):
                write_foreign(loaded, folder, format)
