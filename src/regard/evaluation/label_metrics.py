"""How well labels were predicted: accuracy, and F1 averaged over the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def accuracy(predicted: Sequence[str], right: Sequence[str]) -> float:
    """Share of labels that are right, from 0 to 1."""
    return sum(p == r for p, r in zip(predicted, right, strict=True)) / len(right)


def macro_f1(predicted: Sequence[str], right: Sequence[str]) -> float:
    """The mean over all labels that occur on either side of their F1, from 0 to 1.

    F1 of a label = 2 hits / (times predicted + times right)
    """
    hits = Counter(p for p, r in zip(predicted, right, strict=True) if p == r)
    times_predicted, times_right = Counter(predicted), Counter(right)
    labels = times_predicted.keys() | times_right.keys()
    return sum(2 * hits[label] / (times_predicted[label] + times_right[label]) for label in labels) / len(labels)
