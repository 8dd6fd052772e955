"""A test whether the difference between two systems would hold for other sentences: paired bootstrap resampling.

The sentences are drawn again 1,000 times, with replacement, and all systems are scored on each draw, as sacrebleu does.
Source: Koehn 2004.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import estimate_ci

from regard.evaluation.text_metrics import Column

RESAMPLES = 1000
LEAST = 20
"""The smallest number of sentences, and of sentences that differ; with fewer, the test would see differences that are
not there.
"""

Row = NDArray[Any]
StatisticsScore = Callable[[Row], float]
"""A function from the sum of the statistics of some sentences to their score."""


@dataclass(frozen=True)
class SystemScore:
    """The score of a system by a metric, and its difference from the first system, the baseline.

    Intervals are those of 95 % of the resamples. They are None with fewer than 20 sentences.
    """

    score: float
    """The mean over runs."""
    runs: list[float]
    deviation: float | None
    """The standard deviation of the runs (with n - 1); None: there is one run."""
    interval: tuple[float, float] | None
    difference: float | None = None
    """score - score of the baseline; None: it is the baseline."""
    difference_interval: tuple[float, float] | None = None
    """The interval of the difference; None: fewer than 20 sentences differ."""
    p: float | None = None
    """sacrebleu's p-value; None: fewer than 20 sentences differ. 1: none differs."""

    @property
    def differs(self) -> bool:
        """Whether the interval of the difference does not contain 0."""
        found = self.difference_interval
        return found is not None and not found[0] <= 0 <= found[1]


def paired_bootstrap(systems: Sequence[Row], score: StatisticsScore) -> list[SystemScore]:
    """Score systems, and test how each differs from the first.

    In each resample, the score of a system is the mean over its runs. The runs themselves are not drawn again: the test
    does not tell what other runs would give.

    Args:
        systems: statistics of shape (sentence, run, statistic) each; of the same sentences.
        score: of summed statistics.
    """
    of_runs = [[score(run) for run in system.sum(axis=0)] for system in systems]
    means, found = [fmean(runs) for runs in of_runs], list[SystemScore]()
    resampled = _resampled(systems, score) if len(systems[0]) >= LEAST else None
    for number, (system, runs) in enumerate(zip(systems, of_runs, strict=True)):
        own = runs, _deviation(runs), None if resampled is None else _interval(resampled[number])
        if number == 0:
            found.append(SystemScore(means[0], *own))
            continue
        difference, num_different = means[number] - means[0], _num_different(systems[0], system)
        interval: tuple[float, float] | None = None
        p: float | None = None
        if resampled is not None and num_different >= LEAST:
            differences = resampled[number] - resampled[0]
            interval, p = _interval(differences), _p_value(differences, difference)
        elif num_different == 0 and difference == 0:  # sacrebleu gives these 0.001
            interval, p = (0.0, 0.0), 1.0
        found.append(SystemScore(means[number], *own, difference, interval, p))
    return found


def untested_scores(systems: Sequence[Sequence[float]]) -> list[SystemScore]:
    """The scores of the runs of each system, by a metric that cannot be resampled: without intervals and p-values."""
    means = [fmean(runs) for runs in systems]
    return [
        SystemScore(mean, list(runs), _deviation(runs), None, mean - means[0] if number else None)
        for number, (mean, runs) in enumerate(zip(means, systems, strict=True))
    ]


def sentence_statistics(metric: Metric, texts: Sequence[str], columns: Sequence[Column]) -> Row:
    """The counts of a metric of sacrebleu in each text, of shape (sentence, statistic).

    Args:
        columns: the references.
    """
    return np.array(metric._extract_corpus_statistics(texts, cast("Sequence[Sequence[str]]", columns)))


def score_statistics(metric: Metric) -> StatisticsScore:
    """The score by a metric of sacrebleu, from the sum of such statistics."""
    return lambda row: float(metric._compute_score_from_stats(cast("list[Any]", row)).score)


def mean_statistics(values: Sequence[float]) -> Row:
    """Statistics of a score that is a mean over sentences, such as the share of exact matches."""
    return np.stack([np.array(values, dtype=float), np.ones(len(values))], axis=1)


def mean_score(row: Row) -> float:
    """The mean, from the sum of such statistics."""
    return float(row[0] / row[1])


def _resampled(systems: Sequence[Row], score: StatisticsScore) -> Row:
    """The score of each system, the mean over its runs, in each resample: of shape (system, resample).

    Sentences are drawn as by sacrebleu, with its seed and its float32, so that the numbers are the same.
    """
    seed, num_sentences = os.environ.get("SACREBLEU_SEED", "12345"), len(systems[0])
    generator = np.random.default_rng(None if seed.lower() == "none" else int(seed))
    statistics, scores = [system.astype(np.float32) for system in systems], []
    for _ in range(RESAMPLES):
        drawn = generator.choice(num_sentences, size=num_sentences)
        scores.append([fmean(map(score, of_system[drawn].sum(axis=0))) for of_system in statistics])
    return np.array(scores).T


def _p_value(differences: Row, difference: float) -> float:
    """The share of resamples whose difference is farther from the mean one than 0 is, as sacrebleu counts it."""
    sizes = abs(differences)
    return float(((sizes - sizes.mean() > abs(difference)).sum() + 1) / (RESAMPLES + 1))


def _num_different(first: Row, system: Row) -> int:
    """The number of sentences whose statistics, as means over runs, differ."""
    return int((first.mean(axis=1) != system.mean(axis=1)).any(axis=1).sum())


def _interval(scores: Row) -> tuple[float, float]:
    mean, half = estimate_ci(scores)
    return float(mean - half), float(mean + half)


def _deviation(runs: Sequence[float]) -> float | None:
    return stdev(runs) if len(runs) > 1 else None
