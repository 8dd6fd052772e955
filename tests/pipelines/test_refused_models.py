"""Models that a pipeline is not for, that are in training mode, or whose weights are no numbers; and what is given to them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

import regard
from random_models import save_models
from regard.adapters import Base, save_adapter, weights_digest
from regard.errors import DataError, SettingsError
from regard.models.adaptation import AdapterConfig, add_adapter
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.languages import Languages

PAIRS = [f"{a}{b} {c}" for a in "abcde" for b in "abcde" for c in "abcde"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("refused"))


def test_a_pipeline_is_for_models_of_its_kind(folder: Path) -> None:
    pairs, lines = regard.load(folder / "m", kind=Translator), regard.load(folder / "lm", kind=LanguageModel)
    labels = regard.load(folder / "classify", kind=Predictor)
    kinds = (Translator, LanguageModel, Predictor)
    taken = [[kind._takes(each.model) for kind in kinds] for each in (pairs, lines, labels)]
    assert taken == [[True, False, False], [False, True, False], [False, False, True]]
    with pytest.raises(SettingsError, match="a LanguageModel needs a language model; got one of arch encoder-decoder"):
        LanguageModel(pairs.model, pairs.tokenizer)  # type: ignore[arg-type]


CALLS: dict[str, Callable[[Any], Any]] = {
    "translate": lambda t: t.translate("abc"),
    "align": lambda t: t.align("abc", "de"),
    "inspect": lambda t: t.inspect("abc", "de"),
    "score": lambda t: t.score(["abc"], ["de"]),
    "score with alternatives": lambda t: t.score(["abc"], ["de"], alternatives=1),
    "score of ids": lambda t: t.score(["abc"], [t.tokenizer.encode("de")]),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_model_in_training_mode_answers_nothing(folder: Path, call: str) -> None:
    translator = regard.load(folder / "m", kind=Translator)
    translator.model.train()
    with pytest.raises(SettingsError, match="a model must be in evaluation mode to be used; got training mode"):
        CALLS[call](translator)
    translator.model.eval()
    assert CALLS[call](translator)


@pytest.mark.parametrize("engine", ["auto", "torch"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_write_nothing(folder: Path, engine: str, number: float) -> None:
    translator, lines = (
        regard.load(folder / "m", kind=Translator, engine=engine),
        regard.load(folder / "lm", kind=LanguageModel),
    )
    for model in (translator.model, lines.model):
        list(model.parameters())[-1].data.view(-1)[-1] = number
    with pytest.raises(SettingsError, match="must hold finite numbers to decode; it does not"):
        translator.translate("abc")
    with pytest.raises(SettingsError, match="must hold finite numbers to decode; it does not"):
        lines.generate("ab", max_tokens=3)


@pytest.mark.parametrize(
    ("settings", "name", "number", "message"),
    [
        ({}, "target_positions.waves", float("nan"), "finite numbers"),
        (
            {"positions": "alibi"},
            "decoder_layers.0.self_attention.attention.positions.slopes",
            float("inf"),
            "finite numbers",
        ),
        ({"norm_kind": "batch"}, "decoder_norm.norm.running_mean", float("nan"), "finite numbers"),
        ({"norm_kind": "batch"}, "decoder_norm.norm.running_var", -1.0, "numbers from 0"),
    ],
)
def test_numbers_beside_weights_that_are_none_write_nothing(
    settings: dict[str, Any], name: str, number: float, message: str, folder: Path
) -> None:
    tokenizer = regard.load(folder / "m", kind=Translator).tokenizer
    config = EncoderDecoderConfig(
        vocab_size=len(tokenizer), model_dim=12, num_heads=2, ff_dim=8, num_encoder_layers=1, num_decoder_layers=1, norm="pre",
        **settings,
    )  # fmt: skip
    translator = Translator(build(config).eval(), tokenizer)
    translator.translate("abc")
    translator.model.get_buffer(name).view(-1)[0] = number
    with pytest.raises(SettingsError, match=f"{name} must hold {message} to decode"):
        translator.translate("abc")


def overflows(model: Any) -> None:
    """Finite weights, of which products are not: those of a norm, all with one sign, in the middle of the model."""
    weights = [each for name, each in model.named_parameters() if name.endswith("norm.weight")]
    weights[len(weights) // 2].data.fill_(3e38)


ANSWERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **{name: ("m", call) for name, call in CALLS.items() if name not in ("align", "inspect")},
    "translate greedily": ("m", lambda t: t.translate("abc", beam_size=1)),
    "sample": ("m", lambda t: t.translate("abc", method="sample")),
    "sample without replacement": ("m", lambda t: t.translate("abc", method="stochastic_beam", n_best=2)),
    "groups": ("m", lambda t: t.translate("abc", num_groups=5)),
    "a required phrase": ("m", lambda t: t.translate("abc", required=["de"])),
    "a prefix": ("m", lambda t: t.translate("abc", prefixes="d")),
    "no n-gram twice": ("m", lambda t: t.translate("abc", no_repeat_ngram=2)),
    "a stream": ("m", lambda t: list(t.stream("abc"))),
    "evaluate": ("m", lambda t: t.evaluate(["abc"], ["de"])),
    "generate": ("lm", lambda t: t.generate("ab", max_tokens=3)),
    "likeliest tokens": ("lm", lambda t: t.scored(t.ids_of("ab"), count=1)),
    "evaluate lines": ("lm", lambda t: t.evaluate(["ab", "cd"])),
    "a class": ("classify", lambda t: t.predict("abc")),
    "inspect a class": ("classify", lambda t: t.inspect("abc")),
}


@pytest.mark.parametrize("engine", ["auto", "torch", "native-int8"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_numbers_that_overflow_answer_nothing(folder: Path, engine: str, answer: str) -> None:
    name, call = ANSWERS[answer]
    if engine == "native-int8" and name != "m":
        pytest.skip("these models decode with PyTorch")
    pipeline = regard.load(folder / name, engine=engine)
    call(pipeline)
    overflows(pipeline.model)
    with pytest.raises(SettingsError, match="must be numbers; got NaN"):
        call(pipeline)


def test_a_model_whose_layers_were_removed_is_run_by_pytorch(folder: Path) -> None:
    translator = regard.load(folder / "m", kind=Translator)
    del translator.model.decoder_layers[:]
    assert translator.engine == "torch"
    with pytest.raises(SettingsError, match="a stack without layers is not written in C"):
        translator.use_engine("native")


def test_a_given_target_is_not_cut(folder: Path) -> None:
    translator = regard.load(folder / "m", kind=Translator)
    room = translator.max_positions
    other = regard.load(folder / "m", kind=Translator).model
    other.config = other.config.model_copy(update={"max_positions": 5})
    several = Translator(translator.model, translator.tokenizer, translator.source_tokenizer, [other])
    assert several.align("abc", "abcdefab").weights == translator.align("abc", "abcdefab").weights
    with pytest.raises(DataError, match=f"target must have at most {room} tokens; got"):
        translator.align("a", "ab" * room)


def test_nothing_can_be_written_and_alternatives_are_asked_for(folder: Path) -> None:
    translator = regard.load(folder / "m", kind=Translator)
    found = translator.translate(["ab", "cd"], max_length=6, vocabulary=("",), min_length=2, alternatives=2)
    assert [(each.text, each.finish_reason, each.alternatives) for each in found] == [("", "blocked", [])] * 2


def test_no_pairs_are_not_evaluated(folder: Path) -> None:
    with pytest.raises(DataError, match="sources must be at least one; got none"):
        regard.load(folder / "m", kind=Translator).evaluate([], [])


def test_calibration_is_kept_by_the_translator_that_was_asked(folder: Path) -> None:
    plain = regard.load(folder / "m", kind=Translator)
    tokens = {"en": "<2en>", "de": "<2de>"}
    tokenizer = plain.tokenizer.with_tokens(list(tokens.values()))
    config = plain.model.config.model_copy(update={"vocab_size": len(tokenizer)})
    torch.manual_seed(1)
    languages = Languages(tokens=tokens, source_begin=["source"], begins=True, source="en", target="de")
    several = Translator(type(plain.model)(config), tokenizer.with_languages(languages))
    several.evaluate(PAIRS, PAIRS, calibrate=True, max_length=4, beam_size=1)
    assert several.translate("abc", max_length=4).confidence is not None


def test_the_confidence_with_an_adapter_is_that_of_the_adapter_in_any_batch(folder: Path, tmp_path: Path) -> None:
    loaded = regard.load(folder / "m", kind=Translator)
    digest = weights_digest(loaded.model)
    add_adapter(loaded.model, AdapterConfig(rank=2))
    save_adapter(tmp_path / "a", loaded.model, Base(name="m", sha256=digest))
    translator = regard.load(folder / "m", kind=Translator, adapters={"a": tmp_path / "a"})
    translator.adapted("a").evaluate(PAIRS, PAIRS, calibrate=True, max_length=4, beam_size=1)
    alone, mixed = (
        translator.translate(["abc", "de"], adapters=given, max_length=4) for given in (["a", "a"], ["a", None])
    )
    assert alone[0].confidence == mixed[0].confidence is not None
    assert mixed[1].confidence is None
    with pytest.raises(SettingsError, match="got 'adapters'"):
        translator.evaluate(PAIRS, PAIRS, adapters=["a"] * len(PAIRS))
