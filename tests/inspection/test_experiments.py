"""Experiments with a sentence: laws of sets and masks, the same numbers from models that are built without positions, and threads
that do not see each other's changes.
"""

from __future__ import annotations

import contextlib
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

import random_models
from regard.analysis.experiments import (
    CHANGES,
    experiment,
    sharing_parameters,
    shuffled,
    without_causal_mask,
    without_positions,
)
from regard.analysis.next_token import next_log_probs, next_tokens
from regard.errors import SettingsError
from regard.generation.rules.sampling import SamplingOptions, filtered_logits
from regard.inspection.capture import capture
from regard.inspection.inspection import Inspection
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.registry import build
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

random_model = partial(random_models.random_model, seed=4, noise=0.3)
SIZES: dict[str, Any] = {"model_dim": 16, "ff_dim": 24, "num_heads": 2, "max_positions": 40, "dropout": 0.0}
PAIR: dict[str, Any] = {"num_encoder_layers": 2, "num_decoder_layers": 2}
SCHEMES = ("sinusoidal", "learned", "rotary", "alibi", "t5", "shaw", "relative_key")
SOURCE, TARGET = "a bc d ea", "ca b"
STORED = Path(__file__).parents[1] / "stored"


@pytest.fixture(scope="module")
def spaced() -> Tokenizer:
    """A tokenizer of letters and spaces."""
    return Tokenizer.train(["abcde abcde"], TokenizerConfig(kind="characters", vocab_size=20))


def translator(tokenizer: Tokenizer, **settings: Any) -> Translator:
    config = EncoderDecoderConfig(vocab_size=len(tokenizer), **{**SIZES, **PAIR, **settings})
    return Translator(random_model(config), tokenizer)


def language_model(tokenizer: Tokenizer, **settings: Any) -> LanguageModel:
    return LanguageModel(
        random_model(DecoderConfig(vocab_size=len(tokenizer), num_layers=2, **SIZES, **settings)), tokenizer
    )


def seen_by(pipeline: Pipeline) -> Inspection:
    return pipeline.inspect(SOURCE, TARGET) if isinstance(pipeline, Translator) else pipeline.inspect(SOURCE)


@pytest.mark.parametrize(
    ("family", "scheme"),
    [*((translator, scheme) for scheme in SCHEMES), (language_model, "rotary"), (language_model, "alibi")],
)
def test_a_model_without_positions_is_one_built_without(spaced: Tokenizer, family: Any, scheme: str) -> None:
    pipeline = family(spaced, positions=scheme)
    seen = seen_by(pipeline)
    found = experiment(pipeline, seen, "no-positions")
    bare = build(pipeline.model.config.model_copy(update={"positions": "none"})).eval()
    bare.load_state_dict({name: x for name, x in pipeline.model.state_dict().items() if name in bare.state_dict()})
    wanted = seen_by(type(pipeline)(bare, spaced)).token_log_probs
    assert found.after == pytest.approx(wanted, abs=1e-5)
    assert found.before == pytest.approx(seen.token_log_probs, abs=1e-5)
    assert max(map(abs, found.token_changes)) > 1e-3
    assert len(found.tokens) == len(found.after)
    assert seen_by(pipeline).token_log_probs == pytest.approx(seen.token_log_probs, abs=1e-6)  # the model is as it was


@pytest.mark.parametrize("scheme", ["sinusoidal", "rotary", "t5"])
def test_without_positions_a_source_is_a_set(spaced: Tokenizer, scheme: str) -> None:
    """The order of the words matters to the model, and to the same one without positions it does not."""
    pipeline = translator(spaced, positions=scheme)
    seen = seen_by(pipeline)
    moved = shuffled(pipeline.model, seen, Random(3))[1]
    assert sorted(moved.read_ids[0]) == sorted(seen.read_ids[0])
    assert moved.read_ids != seen.read_ids
    assert sorted(moved.text.split()) == sorted(SOURCE.split())
    assert max(map(abs, experiment(pipeline, seen, "shuffle", seed=3).token_changes)) > 1e-3
    bare = Translator(without_positions(pipeline.model, seen, Random(0))[0], spaced)
    assert experiment(bare, seen, "shuffle", seed=3).token_changes == pytest.approx(
        [0.0] * len(seen.token_log_probs), abs=1e-5
    )


def test_shuffled_words_are_those_of_the_text(spaced: Tokenizer) -> None:
    pipeline = translator(spaced)
    orders = {experiment(pipeline, seen_by(pipeline), "shuffle", seed=seed).source for seed in range(8)}
    assert len(orders) > 2
    assert SOURCE not in orders
    two = pipeline.inspect("bc a", TARGET)
    found = experiment(pipeline, two, "shuffle", seed=1)
    assert found.source == "a bc"
    assert found.tokens == [*pipeline.tokenizer.tokens(two.target_ids), "</s>"]


@pytest.mark.parametrize("family", [translator, language_model])
def test_without_the_mask_a_place_sees_what_comes_after(spaced: Tokenizer, family: Any) -> None:
    pipeline = family(spaced)
    seen = seen_by(pipeline)
    opened = without_causal_mask(pipeline.model, seen, Random(0))[0]
    read = [torch.tensor([ids]) for ids in seen.read_ids]
    with capture(opened) as calls, torch.no_grad():
        opened.states(*read)
    names = opened.attention_names["decoder"]
    for name in names:
        (call,) = calls.calls(name)
        assert bool(call.allowed().all())
    # a later token reaches the first place, and with the mask it does not
    other = [x.clone() for x in read]
    other[-1][0, -1] = other[-1][0, 1] if other[-1][0, 1] != other[-1][0, -1] else other[-1][0, 2]
    with torch.no_grad():
        for model, differs in ((opened, True), (pipeline.model, False)):
            first, second = (model.states(*each)[0, 0] for each in (read, other))
            assert torch.allclose(first, second, atol=1e-6) is not differs
    assert max(map(abs, experiment(pipeline, seen, "future").token_changes)) > 1e-3


def test_threads_do_not_see_each_others_changes(spaced: Tokenizer) -> None:
    pipeline = translator(spaced)
    seen = seen_by(pipeline)
    alone = {change: experiment(pipeline, seen, change).after for change in CHANGES}
    jobs = [*CHANGES, "plain"] * 6

    def run(job: str) -> bool:
        if job == "plain":
            return seen_by(pipeline).token_log_probs == pytest.approx(seen.token_log_probs, abs=1e-6)
        return experiment(pipeline, seen, job).after == pytest.approx(alone[job], abs=1e-6)

    before = {name: x.clone() for name, x in pipeline.model.state_dict().items()}
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, jobs))
    assert all(torch.equal(x, before[name]) for name, x in pipeline.model.state_dict().items())


def test_a_copy_shares_all_numbers(spaced: Tokenizer) -> None:
    model = translator(spaced, tied_embeddings="all").model
    other = sharing_parameters(model)
    parameters = dict(other.named_parameters(remove_duplicate=False))
    assert all(parameters[name] is x for name, x in model.named_parameters(remove_duplicate=False))
    assert not {*map(id, model.modules())} & {*map(id, other.modules())}


def refused(pipeline: Pipeline, seen: Inspection, change: str) -> str:
    with pytest.raises(SettingsError) as error:
        experiment(pipeline, seen, change)
    return str(error.value)


def test_what_a_model_has_no_place_for_is_refused_by_name(spaced: Tokenizer) -> None:
    pair, letters = translator(spaced), language_model(spaced)
    recurrent = Translator(random_model(RecurrentConfig(vocab_size=len(spaced), model_dim=12)), spaced)
    read = recurrent.inspect(SOURCE, TARGET)
    assert "recurrent" in refused(recurrent, read, "no-positions")
    assert "no mask to take away" in refused(recurrent, read, "future")
    assert len(experiment(recurrent, read, "shuffle").after) == len(read.token_log_probs)
    past = translator(spaced, decoder_past="ssru")
    assert "no mask to take away" in refused(past, seen_by(past), "future")
    bare = translator(spaced, positions="none")
    assert "one that has none" in refused(bare, seen_by(bare), "no-positions")
    assert "reads a source" in refused(letters, seen_by(letters), "shuffle")
    assert "two words or more" in refused(pair, pair.inspect("abc", TARGET), "shuffle")
    assert "one of shuffle, no-positions, future; got 'shufle'" in refused(pair, seen_by(pair), "shufle")
    moods = EncoderConfig(vocab_size=len(spaced), num_layers=1, task="classify", labels=["a", "b"], **SIZES)
    labels = Predictor(random_model(moods), spaced)
    assert "labels texts" in refused(labels, seen_by(labels), "future")
    with pytest.raises(SettingsError, match="labels texts"):
        next_log_probs(labels, seen_by(labels), 0)


@pytest.mark.parametrize("folder", [each.name for each in sorted(STORED.iterdir()) if (each / "config.json").exists()])
def test_stored_models_of_every_kind(folder: str) -> None:
    """Each is tried, or refused by name: models of int8 and of older versions, too."""
    pipeline = load(STORED / folder, device="cpu")
    assert isinstance(pipeline, Pipeline)
    seen = pipeline.inspect("a b <mask>" if folder == "masked" else "ab c")
    tried = 0
    for change in CHANGES:
        with contextlib.suppress(SettingsError):
            found = experiment(pipeline, seen, change, seed=1)
            assert found.before == pytest.approx(seen.token_log_probs, abs=1e-5)
            assert all(math.isfinite(each) for each in found.after)
            tried += 1
    wanted = {"classifier": 0, "encoder-decoder-classifier": 0, "tagger": 0, "masked": 0, "decoder": 2, "recurrent": 1}
    assert tried == wanted.get(folder, 3)


@pytest.mark.parametrize("family", [translator, language_model])
def test_next_tokens_are_those_that_sampling_draws(spaced: Tokenizer, family: Any) -> None:
    pipeline = family(spaced)
    seen = seen_by(pipeline)
    written = seen.read_ids[0][1:] if seen.target is None else [*seen.target_ids, spaced.eos_id]
    for row, (token, log_prob) in enumerate(zip(written, seen.token_log_probs, strict=True)):
        assert float(next_log_probs(pipeline, seen, row)[token]) == pytest.approx(log_prob, abs=1e-5)
    for settings in (
        None,
        SamplingOptions(temperature=0.4),
        SamplingOptions(temperature=2, top_k=3),
        SamplingOptions(top_p=0.5),
    ):
        found = next_tokens(pipeline, seen, 1, settings, count=4)
        logits = filtered_logits(next_log_probs(pipeline, seen, 1), settings or SamplingOptions())
        drawn = dict(zip(spaced.tokens(range(len(spaced))), logits.softmax(dim=-1).tolist(), strict=True))
        assert [each.drawn for each in found.tokens] == pytest.approx(
            [drawn[each.token] for each in found.tokens], abs=1e-6
        )
        probs = [each.prob for each in found.tokens]
        assert probs == sorted(probs, reverse=True)
        assert sum(each.drawn for each in found.tokens) + found.others_drawn == pytest.approx(1)
        assert found.num_drawable == int((logits > -torch.inf).sum())
    with pytest.raises(SettingsError, match="row must be from 0 to"):
        next_tokens(pipeline, seen, 99)
