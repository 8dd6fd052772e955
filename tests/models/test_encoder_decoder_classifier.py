"""The encoder-decoder that classifies: what it reads, what it learns, how it is used. Its answers are compared with those of
`transformers` in tests/interop."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard.analysis.attribution import trace_flow
from regard.analysis.patching import patch
from regard.checkpoint import save_new
from regard.errors import SettingsError
from regard.inspection.flow import input_attribution
from regard.models.config import EncoderDecoderClassifierConfig, EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.encoder_decoder_classifier import EncoderDecoderClassifier
from regard.models.registry import build, classifier_of
from regard.pipelines.predictor import Predictor
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

TEXTS = [f"{first} {middle} {last}" for first in "abcd" for middle in "efgh" for last in "abcd" if first != last]
ROWS = [(text[0], text) for text in TEXTS]
"""A text's class is its first word, which the last state must be told by attention."""


def config(**choices: Any) -> EncoderDecoderClassifierConfig:
    values: dict[str, Any] = {
        "vocab_size": 30, "model_dim": 12, "num_heads": 3, "ff_dim": 20, "num_encoder_layers": 2, "num_decoder_layers": 2,
        "max_positions": 20, "labels": ["x", "y", "z"], "separator_id": 3,
    }  # fmt: skip
    return EncoderDecoderClassifierConfig(**values | choices)


def model(**choices: Any) -> EncoderDecoderClassifier:
    torch.manual_seed(4)
    made = build(config(**choices)).eval()
    for parameter in made.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    assert isinstance(made, EncoderDecoderClassifier)
    return made


@pytest.mark.parametrize("pooling", ["last", "mean", "late", "first"])
@pytest.mark.parametrize("positions", ["learned", "rotary", "sinusoidal", "alibi"])
@torch.no_grad()
def test_a_text_has_the_same_classes_beside_others(pooling: str, positions: str) -> None:
    """Padding on the right, and where the first token is not asked for, on the left."""
    ours = model(pooling=pooling, positions=positions)
    texts = [[2, 7, 8, 9, 3], [2, 5, 3], [2, 11, 12, 13, 14, 15, 3]]
    for side in ("right",) if pooling == "first" else ("right", "left"):
        rows = [[0] * (7 - len(ids)) + ids if side == "left" else ids + [0] * (7 - len(ids)) for ids in texts]
        together = ours(torch.tensor(rows))
        for row, ids in enumerate(texts):
            torch.testing.assert_close(together[row], ours(torch.tensor([ids]))[0], rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_the_last_state_has_read_every_token() -> None:
    """And the encoder's end symbol; the decoder alone would see all tokens but that."""
    ours = model()
    ids = torch.tensor([[2, 7, 8, 9, 3]])
    whole = ours(ids)
    for place in range(5):
        other = ids.clone()
        other[0, place] = 20
        assert (ours(other) - whole).abs().max() > 1e-3, place


def predictor(**choices: Any) -> Predictor:
    tokenizer = Tokenizer.train(TEXTS, TokenizerConfig(kind="words", vocab_size=30))
    return Predictor(model(vocab_size=len(tokenizer), **choices), tokenizer)


def test_an_inspection_shows_what_both_sides_read() -> None:
    ours = predictor()
    seen = ours.inspect("a e b")
    assert seen.rows("encoder").spelled == seen.keys("encoder").spelled == ["<s>", "▁a", "▁e", "▁b", "</s>"]
    assert seen.rows("decoder").spelled == seen.keys("decoder").spelled == ["<s>", "<s>", "▁a", "▁e", "▁b"]
    assert seen.rows("cross").spelled == ["<s>", "<s>", "▁a", "▁e", "▁b"]
    assert seen.keys("cross").spelled == ["<s>", "▁a", "▁e", "▁b", "</s>"]
    assert seen.rows("cross").words == [None, None, 0, 1, 2]
    assert len(seen.record) == 3 * 2 * 3
    for name, weights in seen.record.items():
        np.testing.assert_allclose(weights.filled(0).sum(axis=1), 1, rtol=1e-5, err_msg=str(name))
        above = np.ma.getmaskarray(weights)[np.triu_indices(5, k=1)]
        assert above.all() if name.kind == "decoder" else not above.any()
        found = ours.lookup(seen, str(name), 3)
        np.testing.assert_allclose(found.weights, weights.filled(0)[3], rtol=1e-4, atol=1e-6)
    assert sum(prob for _, prob in seen.predicted) == pytest.approx(1)


def test_gradients_reach_both_sides() -> None:
    """Integrated gradients sum to what all tokens change together, which those of one side alone do not."""
    pytest.importorskip("captum")
    ours = predictor()
    ids = torch.tensor([ours.ids_of("a e b")])
    best = int(ours.model(ids)[0].argmax())
    found = input_attribution(ours.model, ids, None, [best], steps=64)
    assert found.matrix.shape == (1, 5)
    assert found.gap < 0.01
    for method in ("gradient", "rollout", "flow"):
        flow = trace_flow(ours, ours.inspect("a e b"), method)
        assert len(flow.keys) == 5
        assert np.isfinite(flow.matrix.filled(0)).all()


def test_states_are_patched() -> None:
    """The last state of the decoder decides all: with that of the other text, it is the other text's answer."""
    ours = predictor()
    found = patch(ours, TEXTS[0], TEXTS[-1], answers=("x", "y"))
    assert {kind: tuple(effects.shape) for kind, effects in found.effects.items()} == {
        "encoder": (2, 5),
        "decoder": (2, 5),
    }
    assert float(found.effects["decoder"][-1, -1]) == pytest.approx(1, abs=1e-3)
    assert found.effects["decoder"][-1, :-1].abs().max() < 1e-3
    assert found.tokens["decoder"] == ["<s>", "<s>", "▁a", "▁e", "▁b"]


def test_it_learns_is_saved_and_goes_on(tmp_path: Path) -> None:
    """From nothing; from its own folder, by other labels and by an adapter."""
    options: dict[str, Any] = {"task": "classify", "seed": 1, "valid": ROWS}
    settings = {
        "model": {"model_dim": 32, "ff_dim": 64, "num_heads": 2, "dropout": 0.0},
        "tokenizer": {"kind": "words"},
        "training": {"batch_tokens": 256, "learning_rate": 0.003},
    }
    arch = "encoder-decoder-classifier"
    trained = regard.train(ROWS, output=tmp_path / "m", arch=arch, steps=150, settings=settings, **options)
    assert trained.results["accuracy"] > 0.95
    ours = regard.load(tmp_path / "m", kind=Predictor)
    assert ours.model.config.start_id == ours.tokenizer.symbols.start_ids[0]
    assert [found.labels for found in ours.predict(TEXTS[:6])] == [[text[0]] for text in TEXTS[:6]]
    ours.save(tmp_path / "again")
    again = regard.load(tmp_path / "again", kind=Predictor)
    assert [found.probs for found in again.predict(TEXTS)] == [found.probs for found in ours.predict(TEXTS)]

    last = [(text[-1].upper(), text) for text in TEXTS]
    options["valid"] = last
    other = regard.train(last, output=tmp_path / "other", from_=tmp_path / "m", steps=100, **options)
    assert other.results["accuracy"] > 0.95
    assert regard.load(tmp_path / "other", kind=Predictor).model.class_names == ["A", "B", "C", "D"]
    options["valid"] = ROWS
    regard.train(
        ROWS, output=tmp_path / "adapter", from_=tmp_path / "m", steps=5, settings={"adapter": {"rank": 2}}, **options
    )
    adapted = regard.load(tmp_path / "m", adapter=tmp_path / "adapter", kind=Predictor)
    assert [found.labels for found in adapted.predict(TEXTS[:3])] == [[text[0]] for text in TEXTS[:3]]


def test_heads_are_pruned_and_stay_so(tmp_path: Path) -> None:
    ours = predictor(pruned_heads={"cross.1": [0, 2], "encoder.0": [1], "decoder.1": [0]})
    before = ours.predict(TEXTS[:4])
    ours.save(tmp_path / "m")
    again = regard.load(tmp_path / "m", kind=Predictor)
    for found, expected in zip(again.predict(TEXTS[:4]), before, strict=True):
        assert found.probs == pytest.approx(expected.probs)
    assert len(again.inspect("a e b").record) == 3 * 2 * 3 - 4


@pytest.mark.parametrize("tied", ["all", "source"])
@pytest.mark.parametrize("more", [{}, {"output_bias": True, "embedding_norm": "both", "norm": "post"}])
def test_all_but_the_output_of_an_encoder_decoder_is_kept(tied: str, more: dict[str, Any]) -> None:
    sizes: dict[str, Any] = {
        "vocab_size": 20, "model_dim": 12, "ff_dim": 20, "num_heads": 2, "num_encoder_layers": 2, "num_decoder_layers": 1,
        "tied_embeddings": tied, "scale_embeddings": not more,
    }  # fmt: skip
    torch.manual_seed(1)
    pair = build(EncoderDecoderConfig(**sizes | more)).eval()
    assert isinstance(pair, EncoderDecoder)
    for parameter in pair.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    made = classifier_of(pair, start_id=2).eval()
    ids = torch.tensor([[2, 7, 8, 3]])
    torch.testing.assert_close(made.states(ids), pair.states(ids, torch.tensor([[2, 2, 7, 8]])), rtol=0, atol=0)


def test_an_encoder_decoder_becomes_a_classifier(tmp_path: Path) -> None:
    """With all its weights but the output's, and a new head; what it has and a classifier has not is named."""
    tokenizer = Tokenizer.train(TEXTS, TokenizerConfig(kind="words", vocab_size=30))
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer), "model_dim": 32, "ff_dim": 48, "num_heads": 2, "num_encoder_layers": 2,
        "num_decoder_layers": 1, "max_positions": 20, "norm": "pre", "pruned_heads": {"cross.0": [1]},
    }  # fmt: skip
    torch.manual_seed(1)
    pair = build(EncoderDecoderConfig(**sizes)).eval()
    assert isinstance(pair, EncoderDecoder)
    made = classifier_of(pair, start_id=2)
    assert made.config.pruned_heads == {"cross.0": [1]}
    ids = torch.tensor([[2, 7, 8, 3]])
    torch.testing.assert_close(made.eval().states(ids), pair.states(ids, torch.tensor([[2, 2, 7, 8]])))
    save_new(tmp_path / "pair", pair, tokenizer)
    options: dict[str, Any] = {"valid": ROWS, "task": "classify", "from_": tmp_path / "pair", "seed": 1}
    arch = "encoder-decoder-classifier"
    trained = regard.train(ROWS, output=tmp_path / "m", arch=arch, steps=150, **options)
    assert trained.results["accuracy"] > 0.95
    with pytest.raises(
        SettingsError, match=r"`adapter\.rank` and `--old-valid` need a model of the family that learns"
    ):
        regard.train(ROWS, output=tmp_path / "a", arch=arch, settings={"adapter": {"rank": 2}}, **options)
    with pytest.raises(
        SettingsError, match=r"`--task classify` does not go with .*`--arch encoder-decoder-classifier`"
    ):
        regard.train(ROWS, output=tmp_path / "b", **options)
    other = build(EncoderDecoderConfig(**sizes | {"tied_embeddings": "target"}))
    assert isinstance(other, EncoderDecoder)
    with pytest.raises(SettingsError, match=r"tied_embeddings of the model must be all or source .*; got target"):
        classifier_of(other, start_id=2)
