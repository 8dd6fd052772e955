"""One token inside a model: its sublayers add up to its state, and a head's vector is what ablation and contributions say."""

from functools import partial
from typing import Any

import numpy
import pytest
import torch

import random_models
from regard.analysis.explaining import contributions, head_values
from regard.analysis.one_token import head_writes, position_terms, token_stream
from regard.errors import SettingsError
from regard.inspection.residual_stream import read
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.heads import Site, prune_heads
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer

random_model = partial(random_models.random_model, seed=4, noise=0.2)
SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 24, "num_heads": 4, "max_positions": 40, "dropout": 0.0}
PAIR: dict[str, Any] = {"num_encoder_layers": 2, "num_decoder_layers": 2, "norm": "pre"}
VARIANTS: dict[str, dict[str, Any]] = {
    "layer norm": {"value_head_dim": 6, "output_bias": True},
    "sandwich, rms": {"norm": "sandwich", "norm_kind": "rms", "positions": "rotary", "bias": False},
    "no norms": {"norm": "post", "norm_kind": "none", "positions": "learned", "embedding_norm": "both"},
}


def translator(letters: Tokenizer, **settings: Any) -> Translator:
    return Translator(
        random_model(EncoderDecoderConfig(vocab_size=len(letters), **{**SIZES, **PAIR, **settings})), letters
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_sublayers_add_up_and_say_what_the_layers_say(letters: Tokenizer, variant: str) -> None:
    pipeline = translator(letters, **VARIANTS[variant])
    seen = pipeline.inspect("abc", "cab", hidden_states=True)
    reading = read(pipeline.model, seen.read_ids)
    with torch.no_grad():
        parts = list(reading.added("decoder"))
    for row in range(len(seen.rows("decoder"))):
        found = token_stream(pipeline, seen, row)
        assert [each.name for each in found] == [
            "embeddings", "decoder.0", "cross.0", "decoder.0.feed_forward", "decoder.1", "cross.1", "decoder.1.feed_forward",
        ]  # fmt: skip
        assert found[-1].total == pytest.approx(float(reading.tops["decoder"][row].norm()), rel=1e-4)
        for layer, place in enumerate((0, 3, 6)):  # the embeddings, then the layers' ends
            said = found[place].says
            assert said is not None
            assert said[0] == seen.lens[layer][row][0]
            assert said[1] == pytest.approx(seen.lens[layer][row][1], abs=1e-3)
        for each, added in zip(found, parts, strict=True):
            assert each.length == pytest.approx(float(added.vectors[:, row].sum(dim=0).norm()), rel=1e-4)
            assert list(each.parts) == added.names


@pytest.mark.parametrize(
    ("positions", "terms"),
    [
        ("sinusoidal", []),
        ("learned", []),
        ("none", []),
        ("rotary", ["rotation"]),
        ("alibi", ["bias"]),
        ("t5", ["bias"]),
        ("shaw", ["bias", "values"]),
    ],
)
def test_what_positions_change_in_attention(letters: Tokenizer, positions: str, terms: list[str]) -> None:
    assert position_terms(translator(letters, positions=positions)) == terms


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_head_writes_what_its_values_and_contributions_are(letters: Tokenizer, variant: str) -> None:
    pipeline, row = translator(letters, **VARIANTS[variant]), 2
    seen = pipeline.inspect("abc", "cab")
    parts, stream = contributions(pipeline, "abc", seen.target_ids), token_stream(pipeline, seen, row)
    for head in ("encoder.1.2", "decoder.0.3", "cross.1.1"):
        values, found = head_values(pipeline, "abc", head, seen.target_ids), head_writes(pipeline, seen, head, row)
        numpy.testing.assert_allclose(found.weights, seen[head][row].filled(0), atol=1e-5)
        numpy.testing.assert_allclose(found.weights @ found.values, found.total, atol=1e-5)
        numpy.testing.assert_allclose(found.lengths, values.norms[row], rtol=1e-3, atol=1e-5)
        if head.startswith("encoder"):
            assert (found.likelier, found.said) == ([], None)
            continue
        index = [each.name for each in stream].index(head.rpartition(".")[0])
        assert found.residual == pytest.approx(stream[index - 1].total, rel=1e-4)
        if variant != "sandwich, rms":  # there, a norm stands behind the head
            assert found.length == pytest.approx(stream[index].parts[head], rel=1e-4)
        assert found.said is not None
        assert found.said[0] == parts.rows[row]
        assert found.said[1] == pytest.approx(parts.of_row(row)[head], abs=1e-4)
        assert [value for _, value in found.likelier] == sorted((value for _, value in found.likelier), reverse=True)
        assert all(value > 0 for _, value in found.likelier)
        assert found.said[1] <= max((value for _, value in found.likelier), default=0) + 1e-5


def test_a_head_without_its_neighbours_keeps_its_vector(letters: Tokenizer) -> None:
    pipeline = translator(letters)
    seen = pipeline.inspect("abc", "cab")
    before = head_writes(pipeline, seen, "decoder.0.3", 1)
    prune_heads(pipeline.model, {Site("decoder", 0): [0, 1]})
    seen = pipeline.inspect("abc", "cab")
    after = head_writes(pipeline, seen, "decoder.0.3", 1)  # the first layer reads the same as before
    numpy.testing.assert_allclose(after.total, before.total, atol=1e-6)
    assert after.length == pytest.approx(before.length, rel=1e-5)
    assert [part for part in token_stream(pipeline, seen, 1)[1].parts if part[-1].isdigit()] == [
        "decoder.0.2",
        "decoder.0.3",
    ]


def test_models_that_read_one_text(letters: Tokenizer) -> None:
    shared = {"vocab_size": len(letters), **SIZES}
    writer = LanguageModel(random_model(DecoderConfig(num_layers=2, **shared)), letters)
    seen = writer.inspect("abc", hidden_states=True)
    last = len(seen.rows("decoder")) - 1
    assert head_writes(writer, seen, "decoder.1.0", 0).said is not None
    assert head_writes(writer, seen, "decoder.1.0", last).said is None  # nothing is written after it
    assert token_stream(writer, seen, last)[-1].says is not None
    settings: Any = {"task": "classify", "labels": ["x", "y"], "norm": "pre"}
    reader = Predictor(random_model(EncoderConfig(num_layers=2, **settings, **shared)), letters)
    seen = reader.inspect("abc")
    assert [each.says for each in token_stream(reader, seen, 0)] == [None] * 5
    assert head_writes(reader, seen, "encoder.1.0", 0).likelier == []  # its head has an activation


def test_what_cannot_be_had_is_refused(letters: Tokenizer) -> None:
    pipeline = translator(letters)
    seen = pipeline.inspect("abc", "cab")
    rows = len(seen.rows("decoder"))
    for row in (-1, rows):
        with pytest.raises(SettingsError, match=f"row must be from 0 to {rows - 1}; got {row}"):
            token_stream(pipeline, seen, row)
        with pytest.raises(SettingsError, match="row must be from 0"):
            head_writes(pipeline, seen, "cross.0.0", row)
    for head in ("cross.9.0", "cross.0.9", "nonsense", ""):
        with pytest.raises(SettingsError):
            head_writes(pipeline, seen, head, 0)
    post = translator(letters, norm="post")
    with pytest.raises(SettingsError, match="norms after the residual sum"):
        token_stream(post, post.inspect("abc", "cab"), 0)


@pytest.mark.parametrize("most", [1, 3])
def test_a_translation_that_was_cut_has_no_row_for_its_end(letters: Tokenizer, most: int) -> None:
    pipeline = translator(letters)
    written, seen = (find("abc", max_length=most, min_length=most) for find in (pipeline.translate, pipeline.inspect))
    assert (written.finish_reason, len(written.ids)) == ("length", most)
    assert len(seen.rows("decoder")) == len(seen.rows("cross")) == most
    assert seen.token_log_probs == pytest.approx(written.token_log_probs, abs=1e-5)
    assert len(pipeline.inspect("abc", seen.target_ids).token_log_probs) == most + 1
