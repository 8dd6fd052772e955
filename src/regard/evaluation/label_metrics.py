"""Scores of predicted labels: accuracy, and for each label precision, recall and F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

MOST_CONFUSIONS, MOST_LABELS = 10, 40
"""The rows of a table that are shown."""
WIDEST_MATRIX = 10
"""The number of labels above which the commonest confusions are shown instead of the matrix."""


@dataclass(frozen=True)
class LabelScore:
    """The scores of a label."""

    precision: float | None
    """hits / times predicted; None: it was never predicted."""
    recall: float | None
    """hits / times it was the correct label; None: it never was."""
    f1: float | None
    """2 hits / (times predicted + times right); None where both are 0."""
    num_right: int
    """The number of times that it was the correct label."""
    num_predicted: int


def label_scores(predicted: Sequence[str], right: Sequence[str], labels: Sequence[str] = ()) -> dict[str, LabelScore]:
    """The scores of each label that occurs on either side, in alphabetical order.

    Args:
        labels: additional labels, which need not occur.
    """
    hits = Counter(p for p, r in zip(predicted, right, strict=True) if p == r)
    times_predicted, times_right = Counter(predicted), Counter(right)
    return {
        label: LabelScore(
            _share(hits[label], times_predicted[label]),
            _share(hits[label], times_right[label]),
            _share(2 * hits[label], times_predicted[label] + times_right[label]),
            times_right[label],
            times_predicted[label],
        )
        for label in sorted({*times_predicted, *times_right, *labels})
    }


def confusion(predicted: Sequence[str], right: Sequence[str]) -> dict[str, dict[str, int]]:
    """The labels that were predicted in place of each correct label, with their counts, the commonest first."""
    rows: dict[str, Counter[str]] = {label: Counter() for label in sorted(set(right))}
    for p, r in zip(predicted, right, strict=True):
        rows[r][p] += 1
    return {label: dict(sorted(row.items(), key=lambda cell: (-cell[1], cell[0]))) for label, row in rows.items()}


def label_results(predicted: Sequence[str], right: Sequence[str], labels: Sequence[str] = ()) -> dict[str, Any]:
    """Collect all scores as `results.json` holds them: `accuracy`, the share of labels that are right; `macro_f1`, the mean F1
    of the labels that occur on either side; `num_labels`, `labels` and `confusion`.
    """
    scores = label_scores(predicted, right, labels)
    return {
        "accuracy": fmean(p == r for p, r in zip(predicted, right, strict=True)),
        "macro_f1": fmean(score.f1 for score in scores.values() if score.f1 is not None),
        "num_labels": len(right),
        "labels": {label: asdict(score) for label, score in scores.items()},
        "confusion": confusion(predicted, right),
    }


def score_table(results: Mapping[str, Any]) -> list[list[str]]:
    """The scores of each label as rows of words, names of columns first; of many labels, those that are right most often.
    Empty where results hold none.
    """
    labels: Mapping[str, Mapping[str, Any]] = results.get("labels", {})
    rows = [["label", "precision", "recall", "F1", "right", "predicted"]] if labels else []
    shown = sorted(labels, key=lambda label: -labels[label]["num_right"])[:MOST_LABELS]
    for label in (label for label in labels if label in set(shown)):
        score = labels[label]
        shares = ("-" if score[key] is None else f"{score[key]:.2%}" for key in ("precision", "recall", "f1"))
        rows.append([label, *shares, f"{score['num_right']:,}", f"{score['num_predicted']:,}"])
    return rows


def confusion_table(results: Mapping[str, Any]) -> list[list[str]]:
    """The matrix of confusions as rows of words, right labels down and predicted ones across; of many labels, the commonest
    confusions; empty where results hold none.
    """
    counts: Mapping[str, Mapping[str, int]] = results.get("confusion", {})
    labels = list(results.get("labels", {}))
    if not counts:
        return []
    if len(labels) <= WIDEST_MATRIX:
        cells = [[label, *(f"{counts.get(label, {}).get(other, 0):,}" for other in labels)] for label in labels]
        return [["right, predicted:", *labels], *cells]
    wrong = [(count, r, p) for r, row in counts.items() for p, count in row.items() if r != p]
    commonest = sorted(wrong, key=lambda cell: (-cell[0], cell[1:]))[:MOST_CONFUSIONS]
    return [["right", "predicted", "times"], *([r, p, f"{count:,}"] for count, r, p in commonest)]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
