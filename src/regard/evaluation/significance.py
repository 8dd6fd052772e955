"""A test whether the difference between two systems would hold for other sentences: sacrebleu's paired bootstrap
resampling.

The sentences are drawn again 1,000 times, with replacement, and both systems are scored on each draw. Source: Koehn 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric, Score
from sacrebleu.significance import PairedTest, Result

from regard.errors import SettingsError
from regard.evaluation.text_metrics import Column
from regard.memory import free_bytes

RESAMPLES = 1000
LEAST = 20
"""The smallest number of sentences, and of sentences that differ; with fewer, the test would see differences that are
not there.
"""
STATISTIC_BYTES = 4
"""The bytes of a statistic: sacrebleu computes in float32."""

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
    Raises:
        SettingsError: the resamples do not fit into memory.
    """
    first, num_sentences = systems[0], len(systems[0])
    of_runs = [[score(run) for run in system.sum(axis=0)] for system in systems]
    means = [fmean(runs) for runs in of_runs]
    if num_sentences < LEAST:
        intervals: list[Any] = [None] * len(systems)
        p_values: list[float | None] = [None] * len(systems)
    else:
        _check_room(num_sentences, first.shape[2] * (first.shape[1] + max(system.shape[1] for system in systems)))
        tested = _tested(systems, _mean_score(score, first.shape[2]))
        intervals, p_values = [_interval(result) for result in tested], [result.p_value for result in tested]
    found = [SystemScore(means[0], of_runs[0], _deviation(of_runs[0]), intervals[0])]
    for number, system in enumerate(systems[1:], start=1):
        difference, num_different = means[number] - means[0], _num_different(first, system)
        interval, p = None, p_values[number]
        if num_different >= LEAST:
            interval = _interval(_tested([np.hstack([first, system])], _score_difference(score, first.shape))[0])
        elif num_different == 0 and difference == 0:  # sacrebleu gives these 0.001
            interval, p = (0.0, 0.0), 1.0
        else:
            p = None
        runs = of_runs[number]
        found.append(SystemScore(means[number], runs, _deviation(runs), intervals[number], difference, interval, p))
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


class _StatisticsMetric(Metric):
    """A metric of sacrebleu's whose texts are statistics already: those of all runs side by side, a row for each sentence."""

    def __init__(self, score: StatisticsScore) -> None:
        super().__init__()
        self.num_refs = 1  # sacrebleu asks for it
        self._score = score

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
        return hypotheses

    def _aggregate_and_compute(self, stats: Any) -> Score:
        return self._compute_score_from_stats(np.sum(stats, axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Score:
        return Score("score", self._score(stats))

    def _preprocess_segment(self, sent: str) -> str:
        raise NotImplementedError  # of texts; and so are the two below

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        raise NotImplementedError

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[Any]:
        raise NotImplementedError


def _tested(systems: Sequence[Row], score: StatisticsScore) -> list[Result]:
    """sacrebleu's results of some systems, by statistics of shape (sentence, run, statistic)."""
    rows: list[Any] = [("", system.reshape(len(system), -1)) for system in systems]
    _, scores = PairedTest(rows, {"score": _StatisticsMetric(score)}, None, test_type="bs", n_samples=RESAMPLES)()
    return [result for result in scores["score"] if isinstance(result, Result)]


def _mean_score(score: StatisticsScore, width: int) -> StatisticsScore:
    """The mean score over runs, of their statistics side by side."""
    return lambda row: fmean(score(run) for run in np.reshape(row, (-1, width)))


def _score_difference(score: StatisticsScore, shape: tuple[int, ...]) -> StatisticsScore:
    """The difference from the baseline, given its statistics and those of another system, side by side.

    Args:
        shape: of the baseline's statistics.
    """
    _, num_runs, width = shape
    mean = _mean_score(score, width)
    return lambda row: mean(row[num_runs * width :]) - mean(row[: num_runs * width])


def _num_different(first: Row, system: Row) -> int:
    """The number of sentences whose statistics, as means over runs, differ."""
    return int((first.mean(axis=1) != system.mean(axis=1)).any(axis=1).sum())


def _interval(result: Result) -> tuple[float, float]:
    assert result.mean is not None
    assert result.ci is not None
    return float(result.mean - result.ci), float(result.mean + result.ci)


def _deviation(runs: Sequence[float]) -> float | None:
    return stdev(runs) if len(runs) > 1 else None


def _check_room(num_sentences: int, width: int) -> None:
    """Make sure that there is memory for all resamples, which sacrebleu makes at once.

    Raises:
        SettingsError: there is not.
    """
    needed, free = RESAMPLES * num_sentences * width * STATISTIC_BYTES, free_bytes(torch.device("cpu"))
    if free is not None and needed > free:
        raise SettingsError(
            f"the sentences to compare must be so few that {RESAMPLES:,} resamples fit into memory; got {num_sentences:,}, "
            f"which need {needed / 1e9:,.1f} GB, of which {free / 1e9:,.1f} GB are free. Compare a part of them."
        )
