"""Beam search against brute force, greedy search, and itself in other batches."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from table_model import BOS, EOS, SYMBOLS, TableModel, all_targets

from regard.errors import SettingsError
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.models.encoder_decoder import EncoderDecoder

MakeModel = Callable[..., EncoderDecoder]


def brute_force(source: int, settings: BeamSettings, max_length: int, banned: tuple[int, ...]) -> list[Hypothesis]:
    """Every allowed target, best first."""
    found = [
        replace(target, score=target.score / settings.normalizer(len(target.token_log_probs)))
        for target in all_targets(source, max_length)
        if not set(target.ids) & set(banned)
    ]
    return sorted(found, key=lambda hypothesis: -hypothesis.score)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("banned", [(), (0, 1)])
def test_a_beam_as_wide_as_the_space_is_brute_force(alpha: float, banned: tuple[int, ...]) -> None:
    settings = BeamSettings(beam_size=400, n_best=7, length_penalty=alpha)
    symbols = TargetSymbols([BOS], EOS, banned_ids=banned)
    found = Decoding(TableModel(), [Request([1], 3), Request([2], 2)], BeamSearch(settings, EOS), symbols).run()
    for source, max_length, hypotheses in zip((1, 2), (3, 2), found, strict=True):
        expected = brute_force(source, settings, max_length, banned)[:7]
        assert [(h.ids, h.finish_reason) for h in hypotheses] == [(h.ids, h.finish_reason) for h in expected]
        for hypothesis, other in zip(hypotheses, expected, strict=True):
            assert hypothesis.score == pytest.approx(other.score, rel=1e-5)
            assert hypothesis.token_log_probs == pytest.approx(other.token_log_probs, rel=1e-4)


@given(source=st.integers(0, 200), beam=st.integers(1, 6), alpha=st.sampled_from([0.0, 1.0]))
def test_scores_are_the_sum_of_their_tokens(source: int, beam: int, alpha: float) -> None:
    settings = BeamSettings(beam, beam, alpha)
    (hypotheses,) = Decoding(TableModel(), [Request([source], 5)], BeamSearch(settings, EOS), SYMBOLS).run()
    assert hypotheses == sorted(hypotheses, key=lambda h: -h.score)
    for hypothesis in hypotheses:
        ids = [*hypothesis.ids, EOS] if hypothesis.finish_reason == "eos" else hypothesis.ids
        forced = [TableModel().logits(source, (BOS, *ids[:i])).log_softmax(0)[id].item() for i, id in enumerate(ids)]
        assert hypothesis.token_log_probs == pytest.approx(forced, rel=1e-4)
        assert hypothesis.score == pytest.approx(math.fsum(forced) / settings.normalizer(len(ids)), rel=1e-4)


def greedy(model: EncoderDecoder, source: torch.Tensor, max_length: int) -> list[int]:
    """The likeliest token again and again, without cache or batch."""
    ids = [BOS]
    for _ in range(max_length):
        newest = int(model(source[None], torch.tensor([ids]))[0, -1].argmax())
        if newest == EOS:
            break
        ids.append(newest)
    return ids[1:]


def sources(count: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(7)
    lengths = torch.randint(1, 9, (count,), generator=generator).tolist()
    return [torch.randint(4, 23, (length,), generator=generator).tolist() for length in lengths]


def search(
    model: EncoderDecoder, rows: list[list[int]], settings: BeamSettings, batch_size: int = 64, side: str = "right"
) -> list[list[Hypothesis]]:
    requests, rule = [Request(row, len(row) + 6) for row in rows], BeamSearch(settings, EOS)
    return Decoding(model, requests, rule, SYMBOLS, batch_size=batch_size, padding_side=side).run()


def test_a_beam_of_1_is_greedy(make_model: MakeModel) -> None:
    model, rows = make_model(), sources(12)
    found = search(model, rows, BeamSettings(1))
    for row, (hypothesis,) in zip(rows, found, strict=True):
        assert hypothesis.ids == greedy(model, torch.tensor(row), len(row) + 6)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_translation_does_not_depend_on_its_batch(make_model: MakeModel, norm: str) -> None:
    model, rows = make_model(norm=norm), sources(17)
    settings = BeamSettings(4, 3)
    alone = [search(model, [row], settings)[0] for row in rows]
    for size in (2, 7, 17):
        together = search(model, rows, settings, size)
        backwards = search(model, rows[::-1], settings, size)[::-1]
        for expected, *others in zip(alone, together, backwards, strict=True):
            for found in others:
                assert [h.ids for h in found] == [h.ids for h in expected]
                assert [h.score for h in found] == pytest.approx([h.score for h in expected], abs=1e-5)


def test_padding_on_the_left_gives_the_same(make_model: MakeModel) -> None:
    model, rows = make_model(), sources(9)
    settings = BeamSettings(3, 2)
    found = search(model, rows, settings, side="left")
    assert [[h.ids for h in hs] for hs in found] == [[h.ids for h in hs] for hs in search(model, rows, settings)]


def test_length_limits_are_kept_one_by_one() -> None:
    requests = [Request([5], limit) for limit in (1, 2, 4)]
    found = Decoding(TableModel(), requests, BeamSearch(BeamSettings(2, 2), EOS), SYMBOLS).run()
    for limit, hypotheses in zip([1, 2, 4], found, strict=True):
        for hypothesis in hypotheses:
            assert len(hypothesis.token_log_probs) <= limit
            if hypothesis.finish_reason == "length":
                assert len(hypothesis.ids) == limit


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 4), "n_best must be from 1 to beam_size; got n_best 4 and beam_size 3"),
        ((0, 1), "n_best must be from 1 to beam_size; got n_best 1 and beam_size 0"),
        ((1, 1, -0.5), "length_penalty must be at least 0; got -0.5"),
    ],
)
def test_settings_out_of_range_are_refused(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        BeamSettings(*arguments)
