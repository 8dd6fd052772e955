import random
from collections.abc import Callable

import numpy as np
import pytest
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from regard.evaluation.significance import (
    LEAST,
    RESAMPLES,
    SystemScore,
    mean_score,
    mean_statistics,
    paired_bootstrap,
    score_statistics,
    sentence_statistics,
    untested_scores,
)

WORDS = ["ein", "hund", "läuft", "über", "die", "grüne", "wiese", "und", "spielt", "mit", "dem", "ball"]


def texts_of(seed: int, references: list[str], share: float) -> list[str]:
    """The references, with some words replaced."""
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split()) for text in references
    ]


RNG = random.Random(1)
REFERENCES = [" ".join(RNG.choices(WORDS, k=RNG.randint(4, 9))) for _ in range(40)]
BASE, NEW, OTHER = (texts_of(seed, REFERENCES, share) for seed, share in ((1, 0.35), (2, 0.1), (3, 0.3)))


def by_metric(metric: Metric, *systems: list[list[str]]) -> list[SystemScore]:
    """The systems, each given as its runs."""
    statistics = [
        np.stack([sentence_statistics(metric, run, [REFERENCES]) for run in runs], axis=1) for runs in systems
    ]
    return paired_bootstrap(statistics, score_statistics(metric))


def by_value(*systems: list[list[float]]) -> list[SystemScore]:
    """The systems, each given as the values of every sentence, run by run."""
    return paired_bootstrap(
        [np.stack([mean_statistics(run) for run in runs], axis=1) for runs in systems], mean_score
    )  # fmt: skip


@pytest.mark.parametrize("make", [BLEU, CHRF, lambda: BLEU(lowercase=True, tokenize="char")])
def test_scores_intervals_and_p_values_are_sacrebleus(make: Callable[[], Metric]) -> None:
    found = by_metric(make(), [BASE], [NEW], [OTHER])
    named = [("base", BASE), ("new", NEW), ("other", OTHER)]
    _, table = PairedTest(named, {"it": make()}, [REFERENCES], test_type="bs", n_samples=1000)()
    (expected,) = (results for name, results in table.items() if name != "System")
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.score == pytest.approx(theirs.score, rel=1e-6)
        assert ours.interval == pytest.approx((theirs.mean - theirs.ci, theirs.mean + theirs.ci), rel=1e-6)
        assert ours.p == theirs.p_value
    assert found[1].differs
    assert found[1].p is not None
    assert found[1].p < 0.01
    assert found[2].p is not None
    assert found[2].p > found[1].p


def test_the_bootstrap_of_a_mean_is_numpys() -> None:
    rng = np.random.default_rng(3)
    base, new = rng.normal(size=(2, 50))
    draws = np.random.default_rng(12345).choice(50, size=(RESAMPLES, 50))
    differences = (new[draws] - base[draws]).mean(axis=1)
    _, found = by_value([base.tolist()], [new.tolist()])
    assert found.difference == pytest.approx(new.mean() - base.mean())
    half = (np.sort(differences)[-26] - np.sort(differences)[25]) / 2
    middle = differences.mean()
    assert found.difference_interval == pytest.approx((middle - half, middle + half), abs=1e-6)
    shifted = abs(differences) - abs(differences).mean()
    assert found.p == pytest.approx((1 + (shifted > abs(found.difference)).sum()) / 1001, abs=0.0011)


def test_exact_matches_by_hand() -> None:
    # 30 of 40 right in one, 10 of 40 in the other; the intervals are about those of a binomial distribution
    base, new = by_value([[1.0] * 30 + [0.0] * 10], [[0.0] * 30 + [1.0] * 10])
    assert (base.score, new.score, new.difference) == (0.75, 0.25, -0.5)
    assert base.interval is not None
    deviation = (0.75 * 0.25 / 40) ** 0.5
    assert (base.interval[1] - base.interval[0]) / 2 == pytest.approx(1.96 * deviation, rel=0.15)
    assert new.differs
    assert new.difference_interval is not None
    assert new.difference_interval[1] < 0


@pytest.mark.parametrize("metric", [BLEU(), CHRF()])
def test_systems_that_are_the_same_do_not_differ(metric: Metric) -> None:
    for runs in ([[BASE], [BASE]], [[BASE, NEW], [NEW, BASE]], [[BASE], [BASE, BASE]]):
        _, found = by_metric(metric, *runs)
        assert (found.difference, found.difference_interval, found.p, found.differs) == (0, (0, 0), 1, False)


@pytest.mark.parametrize("num_different", [1, LEAST - 1, LEAST])
def test_a_difference_in_few_sentences_is_not_tested(num_different: int) -> None:
    base, new = [0.0] * 60, [1.0] * num_different + [0.0] * (60 - num_different)
    _, found = by_value([base], [new])
    is_tested = num_different >= LEAST
    assert found.difference == pytest.approx(num_different / 60)
    assert found.interval is not None
    assert (found.p is not None, found.difference_interval is not None, found.differs) == (is_tested,) * 3


@pytest.mark.parametrize("num_sentences", [1, LEAST - 1])
def test_few_sentences_have_scores_alone(num_sentences: int) -> None:
    base, new = by_value([[0.0] * num_sentences], [[1.0] * num_sentences])
    assert base == SystemScore(0.0, [0.0], None, None)
    assert new == SystemScore(1.0, [1.0], None, None, 1.0, None, None)
    assert not new.differs


def test_one_sentence_that_is_the_same() -> None:
    _, new = by_value([[0.5]], [[0.5]])
    assert (new.interval, new.difference, new.p) == (None, 0, 1)


def test_the_score_of_runs_is_their_mean_in_every_resample() -> None:
    base, new = by_value([[0.0, 1.0] * 20, [1.0, 0.0] * 20], [[0.0, 1.0] * 20])
    # the mean of the two runs is 0.5 in every sentence, and so in every resample
    assert base.runs == [0.5, 0.5]
    assert base.deviation == 0
    assert base.interval == pytest.approx((0.5, 0.5), abs=1e-6)
    assert new.deviation is None
    assert new.interval is not None
    assert new.interval[1] - new.interval[0] > 0.2
    assert not new.differs


def test_runs_of_bleu() -> None:
    metric = BLEU()
    base, new = by_metric(metric, [BASE, OTHER], [NEW, NEW, OTHER])
    scores = [metric.corpus_score(texts, [REFERENCES]).score for texts in (BASE, OTHER, NEW)]
    assert base.runs == pytest.approx(scores[:2])
    assert base.score == pytest.approx((scores[0] + scores[1]) / 2)
    assert base.deviation == pytest.approx(abs(scores[0] - scores[1]) / 2**0.5)
    assert new.score == pytest.approx((2 * scores[2] + scores[1]) / 3)
    assert new.difference == pytest.approx(new.score - base.score)
    alone = by_metric(metric, [NEW])[0]
    doubled = by_metric(metric, [NEW, NEW])[0]
    assert doubled.interval == pytest.approx(alone.interval)


def test_scores_of_whole_test_sets() -> None:
    base, new = untested_scores([[1.0, 3.0], [5.0]])
    assert base == SystemScore(2.0, [1.0, 3.0], 2**0.5, None)
    assert new == SystemScore(5.0, [5.0], None, None, 3.0)
