"""Texts that are added to a batch under way become what they become alone."""

import random
from typing import Any

import pytest
import torch

from regard.errors import SettingsError
from regard.models.config import EncoderDecoderConfig, RecurrentConfig
from regard.models.registry import build
from regard.pipelines.translator import Translator
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

LETTERS = "abcdefgh"


@pytest.fixture(scope="module", params=["encoder-decoder", "rnn"])
def translator(request: pytest.FixtureRequest) -> Translator:
    torch.manual_seed(3)
    tokenizer = Tokenizer.train([LETTERS], TokenizerConfig(kind="characters", vocab_size=20))
    sizes: dict[str, Any] = {"vocab_size": len(tokenizer), "model_dim": 12, "max_positions": 60}
    if request.param == "rnn":
        return Translator(build(RecurrentConfig(**sizes)), tokenizer)
    layers = {"ff_dim": 20, "num_heads": 3, "num_encoder_layers": 1, "num_decoder_layers": 2}
    model = build(EncoderDecoderConfig(**sizes, **layers, positions="alibi"))
    for parameter in model.parameters():
        parameter.data.mul_(2.0)
    return Translator(model, tokenizer)


TEXTS = ["".join(random.Random(seed).choices(LETTERS, k=1 + seed % 11)) for seed in range(40)]


@pytest.mark.parametrize(
    "options",
    [
        {"beam_size": 1},
        {"beam_size": 4, "n_best": 2, "no_repeat_ngram": 3},
        {"method": "sample", "n_best": 2, "top_k": 5, "seed": 7},
        {"beam_size": 2, "alternatives": 2, "alignment": True},
    ],
)
def test_whenever_a_text_comes(translator: Translator, options: dict[str, Any]) -> None:
    options = options | {"max_length": 14}
    expected = translator.translate(TEXTS, **options)
    rng = random.Random(1)
    running = translator.running(**options, batch_size=6)
    requests = translator.requests(TEXTS, running.options)
    waiting, found, most = list(range(len(TEXTS))), {}, 0
    while waiting or len(running):
        for number in [waiting.pop(0) for _ in range(min(rng.choice((0, 0, 1, 2, 9)), len(waiting)))]:
            running.add(number, TEXTS[number], requests[number])
        for number, translation in running.step():
            found[number] = translation
        most = max(most, 6 - running.num_free)
    assert most == 6
    for number, wanted in enumerate(expected):
        assert found[number].text == wanted.text, number
        assert found[number].score == pytest.approx(wanted.score, abs=1e-4)
        assert [each.text for each in found[number].n_best] == [each.text for each in wanted.n_best]
        assert (found[number].alignment is None) == (wanted.alignment is None)


def test_what_is_cancelled_leaves_the_others_as_they_are(translator: Translator) -> None:
    for options in ({"beam_size": 3}, {"method": "sample", "seed": 2}, {"method": "stochastic_beam", "n_best": 2}):
        expected = [each.text for each in translator.translate(TEXTS, max_length=20, **options)]
        running = translator.running(**options, max_length=20, batch_size=4)
        for number, request in enumerate(translator.requests(TEXTS, running.options)):
            running.add(number, TEXTS[number], request)
        running.cancel(0)  # still waiting
        found = dict(running.step())
        gone = {0}
        for number in range(1, len(TEXTS), 3):
            found |= dict(running.step())
            if number not in found:
                running.cancel(number)
                running.cancel(number)
                gone.add(number)
        while len(running):
            found |= dict(running.step())
        assert found.keys() == set(range(len(TEXTS))) - gone
        assert all(found[number].text == expected[number] for number in found)
        assert len(gone) > 3


def test_steps_are_whole_but_while_a_text_is_watched(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Model and search take a step in one call in C, also where others are watched before and after; scores are the same bits."""
    if translator.engine == "torch":
        pytest.skip("there are no native layers")
    whole: list[int] = []
    kind = type(translator._prepared.current()[0])
    plain = kind.search_steps
    monkeypatch.setattr(kind, "search_steps", lambda *inputs: (whole.append(1), plain(*inputs))[1])
    scores = []
    for watched in ((), (3, 4), (0,)):
        running = translator.running(beam_size=3, min_length=8, max_length=12, batch_size=8)
        for number, request in enumerate(translator.requests(TEXTS[:8], running.options)):
            running.add(number, TEXTS[number], request)
        whole.clear()
        found, parts, num_steps = {}, 0, 0
        while len(running):
            if num_steps == 2:
                list(map(running.watch, watched))
            if num_steps == 5:
                parts = len([each for each in watched if each not in found and running.partial(each).beams])
                list(map(running.cancel, watched))
            found |= dict(running.step())
            num_steps += 1
        scores.append({number: found[number].token_log_probs for number in found if number not in (0, 3, 4)})
        assert parts == len(watched)
        assert len(whole) == num_steps - 3 * bool(watched)
    assert scores[0] == scores[1] == scores[2]


def test_a_blank_text_and_an_empty_batch(translator: Translator) -> None:
    running = translator.running(beam_size=2, max_length=5)
    assert running.step() == []
    for number, (text, request) in enumerate(
        zip(["ab", "  "], translator.requests(["ab", "  "], running.options), strict=True)
    ):
        running.add(number, text, request)
    ((number, translation),) = running.step()
    assert (number, translation.text) == (1, "")
    running.cancel(0)
    assert (len(running), running.num_free) == (0, 64)
    assert running.step() == []
    with pytest.raises(SettingsError, match="`trace` records the search of one text"):
        translator.running(trace=True)
