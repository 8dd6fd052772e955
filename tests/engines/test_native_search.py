"""Beam search in C: the same hypotheses as in PyTorch, step by step or a whole step in one call, to the last bit."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.compiled.library import find
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.native_search import best_candidates, log_softmax
from regard.engines.native_transformer import NativeTransformer
from regard.errors import ShapeError
from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import top_candidates
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.step_limit import StepLimit
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder

LIBRARY: Any = find().library
pytestmark = pytest.mark.skipif(LIBRARY is None, reason=f"native layers: {find().reason}")
PAD, BEGIN, END, BANNED = 0, 2, 3, (0, 1, 2)
SIZES = {"model_dim": 12, "num_heads": 3, "ff_dim": 20, "max_positions": 80}


def make_model(vocab_size: int, seed: int, *, is_decoder: bool = False, **changes: Any) -> Any:
    torch.manual_seed(seed)
    model: Any
    if is_decoder:
        model = Decoder(DecoderConfig(vocab_size=vocab_size, num_layers=2, **(SIZES | changes)))
    else:
        config = EncoderDecoderConfig(
            vocab_size=vocab_size, num_encoder_layers=1, num_decoder_layers=2, **(SIZES | changes)
        )
        model = EncoderDecoder(config)
    with torch.no_grad():
        model.output_embedding.weight *= 3  # so that some tokens are likely, and the end is
        model.output_embedding.weight[END] += 0.5
    return model.eval()


def some_requests(count: int, vocab_size: int, seed: int, *, prefixes: bool = True) -> list[Request]:
    rng = random.Random(seed)
    requests = []
    for _ in range(count):
        longest = rng.randint(1, 14)
        prefix = rng.choices(range(vocab_size), k=rng.randint(0, longest)) if prefixes and rng.random() < 0.4 else []
        source = [*rng.choices(range(4, vocab_size), k=rng.randint(1, 9)), END]
        requests.append(Request(source, longest, rng.randint(0, longest), tuple(prefix)))
    return requests


def nothing(log_probs: torch.Tensor, active: ActiveBatch) -> None:
    """A filter that changes nothing; with one, model and search are called one after the other."""


class InPyTorch(NativeBeamSearch):
    """Without the steps in C."""

    def _is_plain(self, active: ActiveBatch) -> bool:
        return False


def decode(
    model: Any, requests: list[Request], rule: BeamSearch, *, batch_size: int = 4, filters: Sequence[Any] = (), left: bool = False
) -> list[list[Hypothesis]]:  # fmt: skip
    symbols = TargetSymbols([] if left else [BEGIN], END, PAD, BANNED)
    side = "left" if left else "right"
    return Decoding(model, requests, rule, symbols, batch_size=batch_size, filters=filters, padding_side=side).run()


@settings(max_examples=40)
@given(
    st.integers(1, 7), st.booleans(), st.sampled_from(["wu", "average", "none"]), st.sampled_from([23, 700]),
    st.integers(1, 9), st.integers(0, 99), st.data(),
)  # fmt: skip
def test_whole_steps_are_the_same_steps(
    beams: int, early: bool, norm: str, vocab_size: int, batch_size: int, seed: int, data: st.DataObject
) -> None:
    """Prefixes, shortest and longest lengths, sentences that come later: all equal to the last bit."""
    model = NativeTransformer(make_model(vocab_size, seed), LIBRARY)
    requests = some_requests(12, vocab_size, seed)
    n_best = data.draw(st.integers(1, beams))
    choices = BeamSettings(beams, n_best, data.draw(st.sampled_from([0.0, 0.6, 1.0])), norm, early)
    whole_rule, step_rule = (NativeBeamSearch(choices, END) for _ in range(2))
    whole = decode(model, requests, whole_rule, batch_size=batch_size)
    assert decode(model, requests, step_rule, batch_size=12, filters=[nothing]) == whole
    assert whole_rule._native is not None and whole_rule._native.kept is not None  # noqa: PT018
    assert step_rule._native is not None and step_rule._native.kept is None  # noqa: PT018
    in_pytorch = decode(model, requests, InPyTorch(choices, END), batch_size=batch_size)
    assert [[h.ids for h in each] for each in in_pytorch] == [[h.ids for h in each] for each in whole]
    for theirs, ours in zip(in_pytorch, whole, strict=True):
        for x, y in zip(theirs, ours, strict=True):
            assert x.token_log_probs == y.token_log_probs
            assert x.finish_reason == y.finish_reason
            assert x.score == pytest.approx(y.score, abs=1e-6)


@settings(max_examples=25)
@given(st.integers(1, 5), st.booleans(), st.integers(0, 99), st.data())
def test_several_steps_in_a_call_are_the_same_steps(beams: int, early: bool, seed: int, data: st.DataObject) -> None:
    """However many are taken at a time, and whenever they are interrupted: equal to the last bit."""
    model = NativeTransformer(make_model(23, seed), LIBRARY)
    requests = some_requests(9, 23, seed)
    choices = BeamSettings(beams, data.draw(st.integers(1, beams)), 1.0, "average", early)
    symbols = TargetSymbols([BEGIN], END, PAD, BANNED)
    counts, found = [], []
    for most in (1, data.draw(st.integers(2, 5)), 16):
        running = Decoding(model, requests, NativeBeamSearch(choices, END), symbols, batch_size=3)
        limit, calls, done = StepLimit(most), 0, list[Any]()
        while running.num_open:
            limit.clear()
            if most < 16 and data.draw(st.booleans()):
                limit.interrupt()
            before = running.num_steps
            done += running.step(limit)
            calls += 1
            assert 1 <= running.num_steps - before <= (1 if limit._flag.value else most)
        found.append([hypotheses for _, hypotheses in sorted(done, key=lambda each: each[0])])
        counts.append((calls, running.num_steps))
    assert found[0] == found[1] == found[2]
    assert counts[0][1] == counts[1][1] == counts[2][1] == counts[0][0]
    assert counts[2][0] < counts[0][0]


def test_repetition_ends_a_hypothesis_within_a_call() -> None:
    """A model that always writes one token: its hypotheses end where they end step by step."""
    plain = make_model(23, 2, output_bias=True)
    with torch.no_grad():
        plain.output_embedding.weight *= 1e-3
        plain.output_bias[9] = 4
    model, requests = NativeTransformer(plain, LIBRARY), [Request([5, 6, END], 79), Request([7, END], 30)]
    found = [
        decode(model, requests, NativeBeamSearch(BeamSettings(beams), END), filters=filters)
        for beams in (1, 3)
        for filters in ([], [nothing])
    ]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert found[0][0][0].finish_reason == "repetition_loop"
    assert found[0][1][0].finish_reason == "length"


@pytest.mark.parametrize(
    "changes", [{"positions": "rotary"}, {"positions": "learned", "norm": "post"}, {"num_heads": 4, "num_kv_heads": 2}]
)
@pytest.mark.parametrize("is_decoder", [False, True])
def test_as_without_c(changes: dict[str, Any], is_decoder: bool) -> None:
    model = make_model(60, 7, is_decoder=is_decoder, **{"num_heads": 3} | changes)
    requests, choices = some_requests(15, 60, 5, prefixes=not is_decoder), BeamSettings(4, 2)
    ours = decode(NativeTransformer(model, LIBRARY), requests, NativeBeamSearch(choices, END), left=is_decoder)
    theirs = decode(model, requests, BeamSearch(choices, END), left=is_decoder)
    for expected, found in zip(theirs, ours, strict=True):
        assert [h.ids for h in found] == [h.ids for h in expected]
        for x, y in zip(expected, found, strict=True):
            assert y.token_log_probs == pytest.approx(x.token_log_probs, abs=1e-4)
            assert y.score == pytest.approx(x.score, abs=1e-4)


def test_a_model_of_another_engine_searches_in_c_too() -> None:
    model = make_model(60, 3, positions="shaw")
    requests = some_requests(9, 60, 2)
    rule = NativeBeamSearch(BeamSettings(3, 2), END)
    ours = decode(model, requests, rule)
    assert rule._native is not None
    theirs = decode(model, requests, InPyTorch(BeamSettings(3, 2), END))
    assert [[h.ids for h in each] for each in ours] == [[h.ids for h in each] for each in theirs]


@pytest.mark.parametrize("filters", [[], [nothing]])
def test_a_sentence_that_can_write_nothing(filters: list[Any]) -> None:
    """All tokens but the end are banned, and the end comes too early: what there is stands as it is."""
    model = NativeTransformer(make_model(23, 1), LIBRARY)
    requests = [Request([5, 6, END], 8, 4, (7, 8)), Request([5, END], 6, 0, (9,)), Request([8, END], 5, 5)]
    symbols = TargetSymbols([BEGIN], END, PAD, tuple(each for each in range(23) if each != END))
    rule = NativeBeamSearch(BeamSettings(2), END)
    blocked, free, at_once = Decoding(model, requests, rule, symbols, filters=filters).run()
    assert blocked[0].ids == [7, 8]
    assert blocked[0].finish_reason == "blocked"
    assert blocked[0].score == pytest.approx(sum(blocked[0].token_log_probs) / (7 / 6))
    assert free[0].ids == [9]
    assert free[0].finish_reason == "eos"
    assert at_once[0].ids == []
    assert at_once[0].finish_reason == "blocked"


def test_endless_repetition_ends() -> None:
    model = make_model(23, 1)
    with torch.no_grad():
        model.output_embedding.weight.zero_()
        model.output_embedding.weight[4] = 0.0
    model.output_bias = torch.nn.Parameter(torch.zeros(23))
    with torch.no_grad():
        model.output_bias[4] = 30.0
    native = NativeTransformer(model, LIBRARY)
    for filters in ([], [nothing]):
        (found,) = decode(native, [Request([5, END], 79)], NativeBeamSearch(BeamSettings(1), END), filters=filters)
        assert found[0].finish_reason == "repetition_loop"
        assert found[0].ids == [4] * 64


def test_sentences_that_come_and_go() -> None:
    """Added and cancelled between steps: the others are what they are alone."""
    model, rule = NativeTransformer(make_model(60, 9), LIBRARY), lambda: NativeBeamSearch(BeamSettings(3), END)
    requests = some_requests(20, 60, 8)
    alone = [decode(model, [each], rule())[0] for each in requests]
    decoding = Decoding(model, requests[:6], rule(), TargetSymbols([BEGIN], END, PAD, BANNED), batch_size=5)
    found, rng = {}, random.Random(3)
    waiting, cancelled = list(range(6, 20)), set()
    while decoding.num_open or waiting:
        found.update(decoding.step())
        if waiting and rng.random() < 0.6:
            decoding.add(number := waiting.pop(0), requests[number])
        if rng.random() < 0.2:
            cancelled.add(number := rng.randrange(20 - len(waiting)))
            decoding.cancel(number)
    assert len(found) > 10
    assert all(found[number] == alone[number] for number in found)
    assert set(range(20)) - found.keys() <= cancelled


def test_positions_beyond_the_longest_are_refused() -> None:
    model = make_model(23, 1, max_positions=20)
    requests = [Request([5, END], 200, 200)]
    with pytest.raises(ShapeError, match="max_positions = 20 tokens; got 21"):
        decode(NativeTransformer(model, LIBRARY), requests, NativeBeamSearch(BeamSettings(2), END))


@pytest.mark.parametrize("size", [1, 3, 16, 23, 64, 700, 5003])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_log_softmax(size: int, scale: float) -> None:
    torch.manual_seed(size)
    x = scale * torch.randn(3, 2, size)
    x[0, 0, size // 2] = -torch.inf if size > 1 else 0.0
    torch.testing.assert_close(
        log_softmax(LIBRARY, x), x.double().log_softmax(-1).float(), rtol=1e-6, atol=2e-6 * max(scale, 1)
    )
    each = torch.stack([log_softmax(LIBRARY, row[None])[0] for row in x.flatten(0, 1)])
    assert torch.equal(log_softmax(LIBRARY, x).flatten(0, 1), each)


@given(st.integers(1, 12), st.integers(1, 4), st.sampled_from([63, 64, 1025, 4096]), st.integers(0, 10**6))
def test_the_best_candidates_are_those_of_pytorch(count: int, beams: int, vocab: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(3, beams, vocab, generator=generator)
    log_probs[:, :, torch.randint(0, vocab, (vocab // 2,), generator=generator)] = -torch.inf
    scores = torch.randn(3, beams, generator=generator)
    expected = top_candidates(scores, log_probs, count)
    found = best_candidates(LIBRARY, scores, log_probs, min(count, beams * vocab))
    torch.testing.assert_close(found[0], expected.scores)
    is_there = expected.scores > -torch.inf
    for ours, theirs in zip(found[1:], expected[1:], strict=True):
        torch.testing.assert_close(ours[is_there], theirs[is_there])
