"""Required phrases against brute force over all targets, alone and together with other wishes; and what may not be written."""

import itertools
import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from table_model import EOS, SYMBOLS, VOCAB, TableModel, all_targets, without

from regard.errors import SettingsError
from regard.generation.active_batch import ActiveBatch
from regard.generation.decoding import Decoding
from regard.generation.filters import (
    Constraints,
    Filter,
    NoRepeatedNgrams,
    OnlyTokens,
    RepetitionPenalty,
)
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.required_phrases import Phrases, Progress
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.repetition_loops import LOOP_TOKENS
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.generation.rules.stochastic import StochasticBeam

WIDE = BeamSettings(beam_size=400, n_best=5, length_penalty=0.0, early_stopping=False)
PHRASES = [
    ((1, 4), (1, 5)),
    ((1, 5), (1, 4)),
    ((1, 1, 4),),
    ((1, 4, 1),),
    ((1, 4), (4, 5)),
    ((4,), (4,)),
    ((1, 4), (4, 1), (1,)),
]


def search(
    request: Request, settings: BeamSettings = WIDE, filters: Sequence[Filter] = (), symbols: TargetSymbols = SYMBOLS
) -> list[Hypothesis]:
    (found,) = Decoding(TableModel(), [request], BeamSearch(settings, EOS), symbols, filters=filters).run()
    return found


def count(ids: Sequence[int], phrase: tuple[int, ...]) -> int:
    """How often a phrase stands there, side by side or apart."""
    at, found = 0, 0
    while at + len(phrase) <= len(ids):
        is_here = tuple(ids[at : at + len(phrase)]) == phrase
        found, at = found + is_here, at + (len(phrase) if is_here else 1)
    return found


def has_all(ids: Sequence[int], phrases: tuple[tuple[int, ...], ...]) -> bool:
    return all(count(ids, phrase) >= phrases.count(phrase) for phrase in phrases)


def exhaustive(source: int, phrases: tuple[tuple[int, ...], ...], max_length: int = 5) -> list[list[int]]:
    targets = [target for target in all_targets(source, max_length) if has_all(target.ids, phrases)]
    return [target.ids for target in sorted(targets, key=lambda target: -target.score)]


@pytest.mark.parametrize("phrases", PHRASES)
def test_against_brute_force(phrases: tuple[tuple[int, ...], ...]) -> None:
    for source in range(2):
        right = exhaustive(source, phrases)
        wide = search(Request([source], 5, required=phrases), BeamSettings(2000, 5, 0.0, early_stopping=False))
        assert [found.ids for found in wide] == right[:5]
        for beam, groups in ((1, 1), (2, 1), (5, 1), (2, 2), (6, 3), (6, 2)):
            settings = BeamSettings(beam, beam, num_groups=groups, diversity=0.4)
            narrow = search(Request([source], 5, required=phrases), settings)
            assert all(has_all(found.ids, phrases) for found in narrow)
            if groups == 1:
                assert len(narrow) == min(beam, len(right))  # the list is full


def test_the_order_of_phrases_says_nothing() -> None:
    for source, beam in itertools.product(range(6), (1, 3, 5)):
        one, other = (search(Request([source], 6, required=phrases), BeamSettings(beam)) for phrases in PHRASES[:2])
        assert [found.ids for found in one] == [found.ids for found in other]


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple), min_size=1, max_size=3),
    st.lists(st.integers(0, 2), max_size=12),
)
def test_progress_finds_what_is_written(phrases: list[tuple[int, ...]], written: list[int]) -> None:
    progress = Phrases(phrases).begin()
    for id in written:
        progress = progress.after(id)
    assert progress.is_done == has_all(written, tuple(phrases))
    shortest = progress.of.shortest(progress)
    assert shortest <= progress.num_missing
    assert (shortest == 0) == progress.is_done
    if 0 < shortest <= 5:
        fewer = itertools.product(range(3), repeat=shortest - 1)
        assert not any(has_all([*written, *more], tuple(phrases)) for more in fewer)
        assert any(has_all([*written, *more], tuple(phrases)) for more in itertools.product(range(3), repeat=shortest))


def test_of_many_phrases_the_shortest_way_is_not_searched_for() -> None:
    phrases = Phrases([(id, id + 1) for id in range(20)])
    assert phrases.shortest(phrases.begin()) == 40


def test_the_shortest_way_of_eight_phrases_takes_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps, after = itertools.count(), Progress.after

    def counted(progress: Progress, id: int) -> Progress:
        next(steps)
        return after(progress, id)

    monkeypatch.setattr(Progress, "after", counted)
    chain = [tuple(range(4 * begin, 4 * begin + 5)) for begin in range(8)]  # each begins with the end of the one before
    phrases = Phrases(chain[::-1])
    assert phrases.shortest(phrases.begin()) == 8 * 5 - 7
    assert next(steps) < 50_000  # trying token after token takes millions


def test_phrases_that_overlap_need_less_room_and_a_prefix_counts() -> None:
    assert search(Request([1], 4, required=((1, 4), (4, 5))))[0].ids == [1, 4, 5]
    assert search(Request([1], 4, prefix_ids=(1, 4), required=((4, 5),)))[0].ids == [1, 4, 5]
    with pytest.raises(SettingsError, match=r"got 2 .*after a prefix of 2, and max_length 4"):
        Request([1], 4, prefix_ids=(1, 1), required=((4, 5),))
    with pytest.raises(SettingsError, match="at least one token each; got an empty one"):
        Request([1], 4, required=((1,), ()))


# Where nothing may be written


def blocked(found: list[Hypothesis], *ids: int) -> bool:
    return bool(found) and all(one.finish_reason == "blocked" and one.ids == list(ids) for one in found)


NOTHING = TargetSymbols([2], EOS, banned_ids=tuple(range(VOCAB)))


def test_a_sentence_ends_where_nothing_may_be_written() -> None:
    for settings in (BeamSettings(1), BeamSettings(3, 3), BeamSettings(4, 2, num_groups=2)):
        assert blocked(search(Request([1], 5), settings, symbols=NOTHING))
        only = [OnlyTokens([EOS, 1]), NoRepeatedNgrams(1)]
        assert blocked(search(Request([1], 6, min_length=4), settings, filters=only), 1)
        one_of_two = search(Request([1], 3), settings, filters=[OnlyTokens([EOS, 1]), NoRepeatedNgrams(1)])
        assert {found.finish_reason for found in one_of_two} == {"eos"}
    (score,) = {found.score for found in search(Request([1], 5), symbols=NOTHING)}
    assert score == 0.0
    impossible = search(Request([1], 5, required=((4, 4),)), BeamSettings(3), filters=[NoRepeatedNgrams(1)])
    assert impossible[0].finish_reason == "blocked"


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_samples_end_where_nothing_may_be_written(temperature: float) -> None:
    settings = SamplingOptions(temperature=temperature, top_k=2, top_p=0.9, typical=0.95)
    for rule in (Sampling(settings, (EOS,), 3), StochasticBeam(3, EOS)):
        (found,) = Decoding(TableModel(), [Request([1], 5)], rule, NOTHING).run()
        assert blocked(found)
        assert len(found) == (3 if isinstance(rule, Sampling) else 1)
        only: list[Filter] = [OnlyTokens([EOS, 1]), NoRepeatedNgrams(1)]
        (found,) = Decoding(TableModel(), [Request([1], 6, min_length=4)], rule, SYMBOLS, filters=only).run()
        assert blocked(found, 1)


def test_others_in_the_batch_go_on() -> None:
    requests = [Request([source], 5, required=((4, 4),) if source % 3 == 0 else ()) for source in range(7)]
    filters = [NoRepeatedNgrams(1)]
    together = Decoding(
        TableModel(), requests, BeamSearch(BeamSettings(3), EOS), SYMBOLS, filters=filters, batch_size=3
    ).run()
    for request, found in zip(requests, together, strict=True):
        assert found == search(request, BeamSettings(3), filters=filters)
        assert (found[0].finish_reason == "blocked") == bool(request.required)


@pytest.mark.parametrize(
    "filters",
    [
        [without((4,))],
        [without((4, 4))],
        [OnlyTokens([EOS, 1])],
        [NoRepeatedNgrams(1)],
        [RepetitionPenalty(3.0)],
        [],
    ],
)
def test_a_prefix_may_have_what_is_forbidden_elsewhere(filters: list[Filter]) -> None:
    symbols = TargetSymbols([2], EOS, banned_ids=(4,))
    request = Request([1], 6, prefix_ids=(4, 4), min_length=4)
    for rule in (BeamSearch(BeamSettings(3), EOS), Sampling(SamplingOptions(), (EOS,), 2), StochasticBeam(2, EOS)):
        (found,) = Decoding(TableModel(), [request], rule, symbols, filters=filters).run()
        for one in found:
            assert one.ids[:2] == [4, 4]
            assert 4 not in one.ids[2:]
            own = [TableModel().log_probs(1, (4,) * done)[4] for done in range(2)]
            assert one.token_log_probs[:2] == pytest.approx(own, rel=1e-5)  # what the model finds, unchanged


def test_minimum_lengths_count_the_end_symbol() -> None:
    active = ActiveBatch([0], [Request([1], 5, min_length=2)], torch.tensor([2]), 1, [0])
    log_probs = torch.zeros(1, 1, VOCAB)
    Constraints(TargetSymbols([2], EOS), (), torch.device("cpu")).apply_without_prefix(log_probs, active)
    assert log_probs[0, 0].tolist() == [0, 0, 0, -math.inf, 0, 0]


# Samples


def test_samples_of_a_prefix_that_fills_all_say_so() -> None:
    for rule in (Sampling(SamplingOptions(), (EOS,), 2), StochasticBeam(1, EOS), BeamSearch(BeamSettings(1), EOS)):
        (found,) = Decoding(TableModel(), [Request([1], 2, prefix_ids=(4, 1))], rule, SYMBOLS).run()
        assert {one.finish_reason for one in found} == {"prefix"}


def test_stochastic_beams_with_forbidden_tokens_are_samples_of_what_may_be_written() -> None:
    source, tries = 1, 3000
    symbols = TargetSymbols([2], EOS, banned_ids=(0, 2, 4))
    model = TableModel()

    def restricted(ids: tuple[int, ...]) -> dict[int, float]:
        probs = {id: math.exp(log_prob) for id, log_prob in enumerate(model.log_probs(source, ids)) if id in (1, 3, 5)}
        return {id: prob / sum(probs.values()) for id, prob in probs.items()}

    rule = StochasticBeam(1, EOS)
    drawn = Decoding(
        model, [Request([source], 3, seed=seed) for seed in range(tries)], rule, symbols, batch_size=500
    ).run()
    empty = sum(found[0].ids == [] for found in drawn) / tries
    expected = restricted(())[EOS]
    assert abs(empty - expected) < 4.5 * math.sqrt(expected * (1 - expected) / tries)
    first = sum(found[0].ids[:2] == [5, 1] for found in drawn) / tries
    expected = restricted(())[5] * restricted((5,))[1]
    assert abs(first - expected) < 4.5 * math.sqrt(expected * (1 - expected) / tries)
    for found in drawn[:50]:  # scores are the model's, not renormalised
        ids = [*found[0].ids, EOS] if found[0].finish_reason == "eos" else found[0].ids
        own = [model.log_probs(source, tuple(ids[:done]))[id] for done, id in enumerate(ids)]
        assert found[0].score == pytest.approx(math.fsum(own), rel=1e-4)


class Stuck(TableModel):
    """Repeats itself without end."""

    def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
        return torch.tensor([0.0, 9.0, 0.0, -9.0, 0.0, 0.0])


def test_the_guard_against_endless_output_covers_stochastic_beams() -> None:
    (found,) = Decoding(Stuck(), [Request([1], 400, seed=3)], StochasticBeam(2, EOS), SYMBOLS).run()
    assert len(found) == 2
    assert "repetition_loop" in {one.finish_reason for one in found}
    assert all(len(one.ids) < 3 * LOOP_TOKENS for one in found)
