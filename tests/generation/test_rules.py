"""What can be asked of decoding, each wish against brute force over all targets of small oracles."""

import itertools
import math
from collections import Counter
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from table_model import BOS, EOS, SYMBOLS, VOCAB, TableModel, all_targets, without

from regard.errors import SettingsError
from regard.generation.candidates import top_candidates
from regard.generation.decoding import Decoding
from regard.generation.ensemble import Ensemble
from regard.generation.filters import NoRepeatedNgrams, OnlyTokens, RepetitionPenalty
from regard.generation.minimum_bayes_risk import expected_utilities
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.generation.rules.repetition_loops import LOOP_TOKENS
from regard.generation.rules.sampling import Sampling, SamplingOptions
from regard.generation.rules.stochastic import StochasticBeam
from regard.generation.rules.trace import Trace

WIDE = BeamSettings(beam_size=400, n_best=5, length_penalty=0.0, early_stopping=False)


def search(request: Request, settings: BeamSettings = WIDE, **options: object) -> list[Hypothesis]:
    (found,) = Decoding(TableModel(), [request], BeamSearch(settings, EOS), SYMBOLS, **options).run()  # type: ignore[arg-type]
    return found


def best(
    source: int, allowed: Callable[[list[int], str], bool], count: int = 5, max_length: int = 4
) -> list[list[int]]:
    """The likeliest targets that are allowed; the end symbol is 3."""
    targets = [target for target in all_targets(source, max_length) if allowed(target.ids, target.finish_reason)]
    return [target.ids for target in sorted(targets, key=lambda target: -target.score)[:count]]


def contains(ids: list[int], phrase: tuple[int, ...]) -> bool:
    return any(tuple(ids[i : i + len(phrase)]) == phrase for i in range(len(ids)))


@pytest.mark.parametrize("source", range(4))
def test_wishes_against_brute_force(source: int) -> None:
    def found(filters: list[object] | None = None, **wishes: object) -> list[list[int]]:
        hypotheses = search(Request([source], 4, **wishes), filters=filters or [])  # type: ignore[arg-type]
        return [hypothesis.ids for hypothesis in hypotheses]

    assert found() == best(source, lambda ids, _: True)
    assert found(prefix_ids=(4, 1)) == best(source, lambda ids, _: ids[:2] == [4, 1])
    assert found(min_length=4) == best(source, lambda ids, _: len(ids) >= 3)
    assert found([OnlyTokens([EOS, 1, 5])]) == best(source, lambda ids, _: set(ids) <= {1, 5})
    assert found([without((1,), (4, 5))]) == best(source, lambda ids, _: 1 not in ids and not contains(ids, (4, 5)))
    assert found([NoRepeatedNgrams(1)]) == best(source, lambda ids, _: len(set(ids)) == len(ids))
    pairs = lambda ids: list(itertools.pairwise(ids))  # noqa: E731
    assert found([NoRepeatedNgrams(2)]) == best(source, lambda ids, _: len(set(pairs(ids))) == len(pairs(ids)))


@pytest.mark.parametrize("source", range(6))
@pytest.mark.parametrize("phrases", [((4,),), ((1, 5),), ((1,), (4,)), ((4, 4),)])
def test_required_phrases_are_written(source: int, phrases: tuple[tuple[int, ...], ...]) -> None:
    has_all = lambda ids, _: all(contains(ids, phrase) for phrase in phrases)  # noqa: E731
    wide = search(Request([source], 4, required=phrases))
    assert wide[0].ids == best(source, has_all, 1)[0]
    for beam in (1, 2, 3, 5):
        narrow = search(Request([source], 4, required=phrases), BeamSettings(beam))
        assert has_all(narrow[0].ids, "")


def test_a_required_phrase_that_cannot_fit_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"required .*fewer tokens.* max_length; got 4 .*max_length 4"):
        Request([1], 4, required=((1, 2), (4, 5)))


@pytest.mark.parametrize("source", range(3))
@pytest.mark.parametrize("norm", ["wu", "average", "none"])
def test_exact_stopping_finds_the_best_of_every_penalty(source: int, norm: str) -> None:
    settings = BeamSettings(400, 3, 0.8, norm, early_stopping=False)  # type: ignore[arg-type]
    targets = all_targets(source, 4)
    expected = sorted(targets, key=lambda t: -t.score / settings.normalizer(len(t.token_log_probs)))[:3]
    assert [found.ids for found in search(Request([source], 4), settings)] == [target.ids for target in expected]


@given(source=st.integers(0, 50), factor=st.sampled_from([0.5, 1.0, 1.5]))
def test_the_repetition_penalty_multiplies(source: int, factor: float) -> None:
    (hypothesis,) = search(Request([source], 5), BeamSettings(1), filters=[RepetitionPenalty(factor)])
    written: list[int] = []
    for id, log_prob in zip([*hypothesis.ids, EOS], hypothesis.token_log_probs, strict=False):
        own = TableModel().log_probs(source, tuple(written))
        changed = [value * (factor if token in written else 1) for token, value in enumerate(own)]
        assert id == max(range(VOCAB), key=lambda token: changed[token])
        assert log_prob == pytest.approx(changed[id], rel=1e-4)
        written.append(id)


def test_groups_of_a_diverse_beam_differ() -> None:
    request, plain = Request([3], 4, min_length=2), BeamSettings(4, 4)
    same = search(request, BeamSettings(4, 4, num_groups=4, diversity=0.0))
    assert len({tuple(found.ids) for found in same}) == 1  # four greedy searches
    apart = search(request, BeamSettings(4, 4, num_groups=4, diversity=50.0))
    assert len({found.ids[0] for found in apart}) == 4
    for found in apart:  # what diversity costs is not in the scores
        ids = [*found.ids, EOS] if found.finish_reason == "eos" else found.ids
        forced = [TableModel().log_probs(3, tuple(ids[:i]))[id] for i, id in enumerate(ids)]
        assert found.token_log_probs == pytest.approx(forced, rel=1e-4)
    assert apart[0].score <= search(request, plain)[0].score + 1e-6


def test_a_stochastic_beam_samples_without_replacement() -> None:
    """How often each target is among two, against the exact chance: p + sum over others q of q p / (1 - q)."""
    source, count = 1, 3000
    exact = {tuple(target.ids): math.exp(target.score) for target in all_targets(source, 2)}
    assert sum(exact.values()) == pytest.approx(1, abs=1e-5)
    requests = [Request([source], 2, seed=seed) for seed in range(count)]
    drawn = Decoding(TableModel(), requests, StochasticBeam(2, EOS), SYMBOLS, batch_size=500).run()
    assert all(len({tuple(found.ids) for found in pair}) == 2 for pair in drawn)
    seen = Counter(tuple(found.ids) for pair in drawn for found in pair)
    for ids, p in exact.items():
        expected = p + sum(q * p / (1 - q) for other, q in exact.items() if other != ids)
        assert abs(seen[ids] / count - expected) < 4.5 * math.sqrt(expected * (1 - expected) / count) + 1e-3
    first = Counter(tuple(pair[0].ids) for pair in drawn)
    likeliest = max(exact, key=lambda ids: exact[ids])
    assert abs(first[likeliest] / count - exact[likeliest]) < 4.5 * math.sqrt(0.25 / count)


def test_everything_is_the_same_in_every_batch() -> None:
    requests = [Request([source], 1 + source % 6, seed=source) for source in range(23)]
    rules: list[Callable[[], object]] = [
        lambda: BeamSearch(BeamSettings(4, 3, num_groups=2), EOS),
        lambda: Sampling(SamplingOptions(), (EOS,), 3),
        lambda: StochasticBeam(3, EOS),
    ]
    for rule in rules:
        alone = [Decoding(TableModel(), [request], rule(), SYMBOLS).run()[0] for request in requests]  # type: ignore[arg-type]
        for size in (1, 2, 7, 23):
            assert Decoding(TableModel(), requests, rule(), SYMBOLS, batch_size=size).run() == alone  # type: ignore[arg-type]


@given(
    st.integers(1, 12), st.integers(1, 4), st.sampled_from([63, 64, 1024, 1025, 3000, 4096]), st.integers(0, 10**6),
    st.sampled_from([torch.float32, torch.float64]),
)  # fmt: skip
def test_the_best_candidates_are_found(count: int, beams: int, vocab: int, seed: int, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(3, beams, vocab, generator=generator, dtype=dtype)
    log_probs[:, :, torch.randint(0, vocab, (vocab // 2,), generator=generator)] = -torch.inf
    scores = torch.randn(3, beams, generator=generator, dtype=dtype)
    found = top_candidates(scores, log_probs, count)
    expected = (scores[:, :, None] + log_probs).flatten(1).topk(min(count, beams * vocab), dim=1)
    torch.testing.assert_close(found.scores, expected.values)
    is_there = found.scores > -torch.inf
    again = scores.gather(1, found.parents) + log_probs.flatten(1).gather(1, found.parents * vocab + found.ids)
    torch.testing.assert_close(again[is_there], found.scores[is_there])
    torch.testing.assert_close(found.log_probs[is_there], (again - scores.gather(1, found.parents))[is_there])


class Stutter(TableModel):
    """Writes 4 and 5 in turn for ever."""

    def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
        return torch.where(torch.arange(VOCAB) == 4 + len(prefix) % 2, 5.0, 0.0)


@pytest.mark.parametrize("rule", [BeamSearch(BeamSettings(2), EOS), Sampling(SamplingOptions(temperature=0), (EOS,))])
def test_output_without_end_is_ended(rule: BeamSearch | Sampling) -> None:
    ((found,),) = Decoding(Stutter(), [Request([1], 500)], rule, SYMBOLS).run()
    assert (found.finish_reason, len(found.ids)) == ("repetition_loop", LOOP_TOKENS)
    assert len(found.token_log_probs) == LOOP_TOKENS


def test_a_prefix_that_leaves_no_room_says_so() -> None:
    (found,) = search(Request([1], 2, prefix_ids=(4, 5)), BeamSettings(2))
    assert (found.ids, found.finish_reason) == ([4, 5], "prefix")


def test_the_trace_tells_the_story_of_the_search() -> None:
    trace = Trace()
    requests = [Request([5], 4), Request([6], 3)]
    found = Decoding(TableModel(), requests, BeamSearch(BeamSettings(3, 3), EOS, trace), SYMBOLS, batch_size=1).run()
    for number, hypotheses in enumerate(found):
        steps = trace.steps[number]
        told = set()
        for depth, step in enumerate(steps):
            assert [candidate.score for candidate in step] == sorted((c.score for c in step), reverse=True)
            assert sum(candidate.fate == "active" for candidate in step) <= 3
            for candidate in step:
                ids, at = [candidate.id], candidate
                for earlier in range(depth - 1, -1, -1):
                    assert at.parent is not None
                    at = steps[earlier][at.parent]
                    assert at.fate == "active"
                    ids.insert(0, at.id)
                assert at.parent is None
                if candidate.fate == "finished":
                    told.add(tuple(ids[:-1] if ids[-1] == EOS else ids))
        assert {tuple(hypothesis.ids) for hypothesis in hypotheses} <= told


def test_an_ensemble_averages_probabilities() -> None:
    class Other(TableModel):
        def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
            return super().logits(source + 100, prefix)

    ensemble = Ensemble([TableModel(), Other()])
    (found,) = Decoding(ensemble, [Request([1], 5)], BeamSearch(BeamSettings(3), EOS), SYMBOLS).run()[0]
    ids = [*found.ids, EOS][: len(found.token_log_probs)]
    for index, (id, log_prob) in enumerate(zip(ids, found.token_log_probs, strict=True)):
        probs = [model.logits(1, (BOS, *ids[:index])).softmax(0)[id].item() for model in (TableModel(), Other())]
        assert math.exp(log_prob) == pytest.approx(sum(probs) / 2, rel=1e-4)
    with pytest.raises(SettingsError, match="at least one model; got none"):
        Ensemble([])


def test_least_risk_is_most_agreement() -> None:
    def shared(a: str, b: str) -> float:
        return len(set(a) & set(b)) / len(set(a) | set(b))

    candidates = ["abc", "abd", "xyz", "abc"]
    expected = expected_utilities(candidates, shared)
    by_hand = [sum(shared(a, b) for b in candidates) / 4 for a in candidates]
    assert expected == pytest.approx(by_hand)
    assert max(range(4), key=lambda i: expected[i]) == 0
    with pytest.raises(SettingsError, match="at least one; got none"):
        expected_utilities([], shared)


def test_decoding_can_be_left_after_any_step() -> None:
    class Counting(TableModel):
        steps = 0

        def decode_step(self, ids: torch.Tensor, state):  # type: ignore[no-untyped-def]
            self.steps += 1
            return super().decode_step(ids, state)

    model = Counting()
    decoding = Decoding(
        model, [Request([1], 50)], BeamSearch(BeamSettings(2), EOS), TargetSymbols([BOS], EOS, banned_ids=(EOS,))
    )
    for taken in range(1, 4):
        decoding.step()
        assert model.steps == taken
        assert decoding.active is not None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BeamSettings(4, num_groups=3), "beam_size must be divisible by num_groups; got 4 and 3"),
        (lambda: BeamSettings(4, diversity=-1.0), "diversity must be at least 0; got -1.0"),
        (lambda: BeamSettings(4, length_norm="avarage"), r"length_norm must be wu, average or none; .*Did you mean .average"),
        (lambda: NoRepeatedNgrams(0), "no_repeat_ngram must be at least 1; got 0"),
        (lambda: RepetitionPenalty(0.0), "repetition_penalty must be above 0; got 0.0"),
        (lambda: SamplingOptions(min_p=1.0), "min_p must be less than 1; got 1.0"),
        (lambda: SamplingOptions(typical=0.0), "typical must be greater than 0; got 0.0"),
        (lambda: Sampling(SamplingOptions(), (), 0), "num_samples must be at least 1; got 0"),
        (lambda: Request([1], 0), "max_length must be at least 1; got 0"),
        (lambda: Request([1], 3, min_length=4), "min_length must be at most max_length; got 4 and 3"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make()


class SureModel(TableModel):
    """Sure of one target, and next to sure at every step that nothing else comes; the rest of its few tokens are unlikely."""

    target = (4, 4, 5, 1, 5, 5, 4, 1)

    def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
        written = prefix[1:]
        right = written == self.target[: len(written)]
        logits = super().logits(source, prefix) / 4
        if right:
            logits[(*self.target, EOS)[len(written)]] += 12
        return logits


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("beam_size", [2, 3, 5])
def test_unlikely_ends_do_not_end_the_search_for_a_sure_target(beam_size: int, length_penalty: float) -> None:
    # With few tokens, the end symbol is among the best candidates of every step: as many ends as the beam come soon.
    settings = BeamSettings(beam_size, length_penalty=length_penalty)
    (found,) = Decoding(SureModel(), [Request([1], 40)], BeamSearch(settings, EOS), SYMBOLS).run()
    assert found[0].ids == list(SureModel.target)
    assert found[0].score > -0.1
