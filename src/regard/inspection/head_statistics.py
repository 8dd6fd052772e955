"""Statistics of attention heads: entropy, distance, kinds of tokens, and a label for the pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from unicodedata import category

import numpy

from regard.errors import DataError
from regard.inspection.record import HeadName, Record, Tokens

LABELS = ("previous token", "next token", "diagonal", "same token", "induction", "sink", "alignment", "positional")
"""The labels in the order in which they are tried: `previous token` comes before `positional`, which would fit, too."""
LEAST_SCORE = 0.5
"""The score below which a head has no label."""


@dataclass(frozen=True)
class HeadStatistics:
    """Statistics of a head, averaged over the rows of some texts."""

    name: HeadName
    entropy: float
    """The entropy of a row, in nats: 0 where one key has all the weight, log n where n keys share it."""
    confidence: float
    """The highest weight of a row."""
    offset: float | None
    """The distance at which a row looks, in positions after its own; below 0: before. None for cross-attention."""
    masses: dict[str, float]
    """The share of the weight on kinds of keys: `self`, `previous`, `next` (not for cross-attention), `first`, `end` (the end
    symbol), `punctuation`."""
    scores: dict[str, float]
    """The score of each label, from 0 to 1; see `head_statistics`."""

    @property
    def label(self) -> str:
        """The first of `LABELS` with a score of at least `LEAST_SCORE`; `mixed` where none has."""
        return next((label for label in LABELS if self.scores.get(label, 0) >= LEAST_SCORE), "mixed")


@dataclass
class _Sums:
    """Sums over rows, by name, and the number of rows in each."""

    totals: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    counts: Counter[str] = field(default_factory=Counter)
    offsets: Counter[int] = field(default_factory=Counter)
    """The number of rows that each offset had the highest weight in."""

    def add(self, name: str, values: numpy.ndarray) -> None:
        """Add the values of some rows."""
        self.totals[name] += float(values.sum())
        self.counts[name] += values.size

    def mean(self, name: str) -> float:
        """The mean over rows; 0 where there was none."""
        return self.totals[name] / self.counts[name] if self.counts[name] else 0.0


def head_statistics(records: Iterable[Record]) -> list[HeadStatistics]:
    """Statistics of every head, over the rows of one text or of many.

    Labels, and the score behind each, a mean over rows:

    * `previous token`, `next token`, `diagonal`: the weight on the position before, after, and on the row's own;
      in cross-attention `diagonal` is the weight at most one position from where a straight line from the first to the
      last token goes;
    * `same token`: the weight on other positions with the same token, over the rows that have such positions;
    * `induction`: the weight on the positions after earlier ones with the same token, over the rows that have such positions;
    * `sink`: the weight on the first token and the symbols around a text, which carry no content;
    * `alignment` (cross-attention): the geometric mean of the highest weight on a token of the text, and of how much nearer
      to that straight line the head looks than one that looks everywhere alike;
    * `positional`: the share of rows that look most at the commonest offset (in cross-attention: not given).

    Args:
        records: of one model.
    Raises:
        DataError: there is no record.
    """
    sums: dict[HeadName, _Sums] = {}
    for record in records:
        for site, matrix in record.weights.items():
            values = matrix.filled(0)
            of_heads = [sums.setdefault(HeadName(*site, head), _Sums()) for head in record.heads[site]]
            rows, keys = record.row_tokens[site.kind], record.key_tokens[site.kind]
            own = None if site.kind == "cross" else record.own_position(site.kind)
            for found, weights in zip(of_heads, values, strict=True):
                _add(found, weights, rows, keys, own)
    if not sums:
        raise DataError("texts must be at least one; got none.")
    return [_described(name, found) for name, found in sums.items()]


def _add(found: _Sums, weights: numpy.ndarray, rows: Tokens, keys: Tokens, own: int | None) -> None:
    """Add the rows of one text; `own` is the key at which the first row stands, None in cross-attention."""
    num_rows, num_keys = weights.shape
    row, key = numpy.arange(num_rows)[:, None], numpy.arange(num_keys)
    found.add("entropy", -(weights * numpy.log(numpy.maximum(weights, 1e-30))).sum(axis=1))
    found.add("confidence", weights.max(axis=1))
    symbols = numpy.array([span is None for span in keys.offsets])
    end = symbols & (key == num_keys - 1)
    found.add("first", weights[:, 0])
    found.add("end", weights[:, end].sum(axis=1))
    found.add("punctuation", weights[:, [_is_punctuation(token) for token in keys.spelled]].sum(axis=1))
    found.add("sink", weights[:, symbols | (key == 0)].sum(axis=1))
    line = row * (num_keys - 1) / max(num_rows - 1, 1)
    if own is None:
        found.add("diagonal", (weights * (abs(key - line) <= 1)).sum(axis=1))
        text = weights[:, ~symbols]
        if text.shape[1]:
            found.add("sharpness", text.max(axis=1))
        found.add("distance", (weights * abs(key - line)).sum(axis=1))
        found.add("distance of all", abs(key - line).mean(axis=1))
        return
    offset = key - row - own
    found.add("offset", (weights * offset).sum(axis=1))
    for name, wanted in (("previous", -1), ("self", 0), ("next", 1)):
        exists = (offset == wanted).any(axis=1)
        found.add(name, (weights * (offset == wanted)).sum(axis=1)[exists])
    spelled = numpy.array(keys.spelled)
    like = (spelled[own : own + num_rows, None] == spelled) & (offset != 0) & ~symbols
    like &= (weights > 0) | (offset < 0)
    has_like = like.any(axis=1)
    found.add("same token", (weights * like).sum(axis=1)[has_like])
    after = numpy.zeros_like(like)
    after[:, 1:] = (like & (offset < 0))[:, :-1]
    after &= offset < 0
    found.add("induction", (weights * after).sum(axis=1)[after.any(axis=1)])
    found.offsets.update((weights.argmax(axis=1) - numpy.arange(num_rows) - own).tolist())


def _described(name: HeadName, found: _Sums) -> HeadStatistics:
    masses = {kind: found.mean(kind) for kind in ("first", "end", "punctuation")}
    scores = {"sink": found.mean("sink")}
    if name.kind == "cross":
        nearer = 1 - found.mean("distance") / max(found.mean("distance of all"), 1e-9)
        scores |= {
            "diagonal": found.mean("diagonal"),
            "alignment": (found.mean("sharpness") * max(nearer, 0.0)) ** 0.5,
        }
        return HeadStatistics(name, found.mean("entropy"), found.mean("confidence"), None, masses, scores)
    masses = {kind: found.mean(kind) for kind in ("self", "previous", "next")} | masses
    num_rows = sum(found.offsets.values())
    scores |= {
        "previous token": masses["previous"],
        "next token": masses["next"],
        "diagonal": masses["self"],
        "same token": found.mean("same token"),
        "induction": found.mean("induction"),
        "positional": found.offsets.most_common(1)[0][1] / num_rows,
    }
    return HeadStatistics(name, found.mean("entropy"), found.mean("confidence"), found.mean("offset"), masses, scores)


def _is_punctuation(token: str) -> bool:
    bare = token.replace("▁", "")
    return bool(bare) and all(category(character).startswith("P") for character in bare)
