"""The computation of a row of weights: the numbers add up to the weights that an inspection shows, in every family."""

from typing import Any

import numpy
import pytest
import torch

from regard.errors import SettingsError
from regard.inspection.record import HeadName
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES = {"model_dim": 12, "ff_dim": 20, "num_heads": 3, "max_positions": 40}
TOKENIZER = Tokenizer.train(["abcdef "], TokenizerConfig(kind="characters", vocab_size=40))
POSITIONS = ("sinusoidal", "rotary", "alibi", "shaw", "t5", "relative_key", "relative_key_query")
LETTERS = {"vocab_size": len(TOKENIZER)}


def a_pipeline(family: str, **more: Any) -> Pipeline:
    torch.manual_seed(1)
    if family == "pair":
        config = EncoderDecoderConfig(num_encoder_layers=2, num_decoder_layers=2, **LETTERS, **SIZES, **more)
        model = build(config)
    elif family == "recurrent":
        model = build(RecurrentConfig(model_dim=12, **LETTERS, **more))
    elif family == "lm":
        model = build(DecoderConfig(num_layers=2, **LETTERS, **SIZES, **more))
    else:
        model = build(EncoderConfig(num_layers=2, task="classify", labels=["x", "y"], **LETTERS, **SIZES, **more))
    for parameter in model.parameters():  # relative positions begin at 0 otherwise
        torch.nn.init.normal_(parameter, std=0.5)
    kinds = {"pair": Translator, "recurrent": Translator, "lm": LanguageModel, "classify": Predictor}
    return kinds[family](model, TOKENIZER)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("family", "more"),
    [
        *(("pair", {"positions": positions}) for positions in POSITIONS),
        ("lm", {"positions": "rotary", "num_kv_heads": 1}),
        ("lm", {"positions": "alibi"}),
        ("lm", {"positions": "rotary", "score_cap": 2.0}),
        ("classify", {}),
        ("recurrent", {}),
    ],
)
def test_the_numbers_add_up_to_the_weights(family: str, more: dict[str, Any]) -> None:
    pipeline = a_pipeline(family, **more)
    seen = pipeline.inspect("ab cde", *(["fed a"] if isinstance(pipeline, Translator) else []))
    num_biased, rotated = 0, set()
    for name in map(HeadName.parse, seen.head_names):
        matrix = seen[str(name)]
        for row in range(len(matrix)):
            found = pipeline.lookup(seen, str(name), row)
            numpy.testing.assert_allclose(found.weights, matrix[row].filled(0), atol=1e-6)
            numpy.testing.assert_array_equal(found.allowed, ~numpy.ma.getmaskarray(matrix)[row])
            for key, score in enumerate(found.scores):
                total = found.factor * found.terms(key).sum()
                bound = total if found.cap is None else found.cap * numpy.tanh(total / found.cap)
                assert bound == pytest.approx(score, abs=1e-4)
            assert found.cap == more.get("score_cap")
            exponentials = numpy.exp(found.scores + found.bias) * found.allowed
            numpy.testing.assert_allclose(exponentials / exponentials.sum(), found.weights, atol=1e-5)
            num_biased += bool(found.bias.any())
            rotated |= {name.kind} if found.is_rotated else set()
    assert (num_biased > 0) == (more.get("positions", "sinusoidal") not in ("sinusoidal", "rotary"))
    is_rotary = more.get("positions") == "rotary"
    assert rotated == (
        {"encoder", "decoder"} & {HeadName.parse(name).kind for name in seen.head_names} if is_rotary else set()
    )
    assert found.factor == (1.0 if family == "recurrent" else pytest.approx(0.5))  # heads of width 4
    assert (found.vector is not None) == (family == "recurrent")


def test_as_json() -> None:
    pipeline = a_pipeline("pair")
    assert isinstance(pipeline, Translator)
    found = pipeline.lookup(pipeline.inspect("ab cde", "fed a"), "cross.1.2", 1)
    content = found.as_dict(3)
    assert len(content["query"]) == len(content["key"]) == len(content["terms"]) == 4
    assert content["terms"] == pytest.approx(
        [q * k for q, k in zip(content["query"], content["key"], strict=True)], abs=1e-3
    )
    assert content["factor"] * sum(content["terms"]) == pytest.approx(content["scores"][3], abs=1e-3)
    assert "key" not in found.as_dict()


def test_what_is_not_there() -> None:
    pipeline = a_pipeline("pair")
    assert isinstance(pipeline, Translator)
    seen = pipeline.inspect("ab cde", "fed a")
    for head in ("cross.2.0", "cross.0.3"):
        with pytest.raises(SettingsError, match="head must be one of the model's"):
            pipeline.lookup(seen, head, 0)
    for row in (-1, 7):
        with pytest.raises(SettingsError, match=f"row must be from 0 to 6; got {row}"):
            pipeline.lookup(seen, "cross.0.0", row)
