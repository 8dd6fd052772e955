"""Alternatives are what could have been written: the likeliest of them is what greedy search writes."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from regard.generation.options import DecodingOptions
from regard.models.config import EncoderDecoderConfig
from regard.models.registry import build
from regard.pipelines.translation import Translation
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES = {"model_dim": 16, "ff_dim": 24, "num_heads": 2, "max_positions": 40}
TEXTS = ["abc de", "fade", "a b c d", "gage cab", "h"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"no_repeat_ngram": 2},
    {"repetition_penalty": 1.7},
    {"banned": ("e", "ab")},
    {"vocabulary": ("abcd ",)},
    {"min_length": 9},
    {"min_ratio": 2.0},
    {"method": "sample", "temperature": 0.0},
]


@pytest.fixture(scope="module")
def translator() -> Translator:
    """A model with random, sharp weights, whose symbols are as likely as its letters."""
    torch.manual_seed(5)
    tokenizer = Tokenizer.train(["abcdefgh abcdefgh"], TokenizerConfig(kind="characters", vocab_size=20))
    config = EncoderDecoderConfig(**SIZES, vocab_size=len(tokenizer), num_encoder_layers=1, num_decoder_layers=1)
    model = build(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embedding" in name:
                parameter.mul_(3.0)
    return Translator(model.eval(), tokenizer)


def check_greedy(translator: Translator, found: Translation) -> None:
    eos = translator.tokenizer.tokens([translator.tokenizer.eos_id])
    written = found.tokens + (eos if found.finish_reason == "eos" else [])
    assert found.alternatives is not None
    assert [each[0][0] for each in found.alternatives] == written
    assert [each[0][1] for each in found.alternatives] == pytest.approx(found.token_log_probs, abs=1e-4)
    never = set(translator.tokenizer.tokens(translator.tokenizer.symbols.banned_ids))
    assert not never & {token for each in found.alternatives for token, _ in each}
    assert all(value > -float("inf") for each in found.alternatives for _, value in each)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_first_alternative_is_the_greedy_token(translator: Translator, options: dict[str, Any]) -> None:
    greedy = {"max_length": 14, "alternatives": 4, **options} | ({} if "method" in options else {"beam_size": 1})
    together = translator.translate(TEXTS, **greedy)
    for found in together:
        check_greedy(translator, found)
    running = translator.running(DecodingOptions(**greedy))
    for number, request in enumerate(translator.requests(TEXTS, running.options)):
        running.add(number, TEXTS[number], request)
    answers: dict[int, Translation] = {}
    while len(running):
        answers.update(running.step())
    assert [answers[number].tokens for number in range(len(TEXTS))] == [found.tokens for found in together]
    for found in answers.values():
        check_greedy(translator, found)


def test_filters_of_ones_own_hold_for_alternatives_too(translator: Translator) -> None:
    (id,) = translator.tokenizer.encode_batch(["a"])[0][-1:]

    def never_a(log_probs: torch.Tensor, active: Any) -> None:
        log_probs[..., id] = -torch.inf

    found = translator.translate("cab", beam_size=1, max_length=9, alternatives=30, filters=[never_a])
    check_greedy(translator, found)
    assert found.alternatives is not None
    assert "a" not in {token for each in found.alternatives for token, _ in each}


def test_where_a_prefix_stands_alternatives_are_what_would_be_written_without_it(translator: Translator) -> None:
    free = translator.translate("abc", beam_size=1, max_length=6, alternatives=2)
    forced = translator.translate("abc", beam_size=1, max_length=6, alternatives=2, prefixes="h")
    assert free.alternatives is not None
    assert forced.alternatives is not None
    assert forced.alternatives[0] == [(token, pytest.approx(value, abs=1e-4)) for token, value in free.alternatives[0]]


def test_scores_of_given_targets_name_no_token_that_is_never_written(translator: Translator) -> None:
    (scored,) = translator.score(["abc"], ["fed"], alternatives=50)
    assert scored.alternatives is not None
    never = set(translator.tokenizer.tokens(translator.tokenizer.symbols.banned_ids))
    size = len(translator.tokenizer) - len(never)
    for token, value, others in zip(scored.tokens, scored.token_log_probs, scored.alternatives, strict=True):
        assert len(others) == size
        assert not never & set(dict(others))
        assert dict(others)[token] == pytest.approx(value, abs=1e-4)
