"""Filters and mixtures: the pairs of each corpus that are trained on, and their repetitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator

from regard.data.sequences import EncodedPairs
from regard.errors import DataError, SettingsError
from regard.text.wording import counted
from regard.text.words import Separators

T = TypeVar("T")
LOOKED_AT_ONCE = 1 << 18
"""The number of pairs whose lengths are looked at together."""


class DataConfig(BaseModel):
    """The settings of filters, mixtures and data augmentation."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    weights: list[Annotated[float, Field(le=1e9)]] | None = Field(
        default=None, description="relative weight of each corpus in an epoch; null: each pair once"
    )
    temperature: float = Field(
        default=1.0, ge=1, description="above 1, small corpora get more weight: size ** (1 / temperature)"
    )
    tags: list[Annotated[str, Field(min_length=1, max_length=100)] | None] | None = Field(
        default=None,
        description="a token for each corpus that its sources begin with in training, such as <bt>; null: none",
    )
    directions: list[Annotated[str, Field(max_length=41)]] | None = Field(
        default=None,
        description="for each corpus, its languages, such as en-de: one model learns all; null: one direction",
    )
    noise: list[Annotated[float, Field(ge=0, lt=0.5)]] | None = Field(
        default=None,
        description="for each corpus, the share of source tokens that are left out, and the share that are hidden, each time "
        "a pair is read; the rest is moved by up to 3 places",
    )
    alignments: list[str | None] | None = Field(
        default=None,
        description="for each corpus, a file of word alignments in Pharaoh's format, a line for each of its lines; null: none",
    )
    first_word: Literal[0, 1] = Field(default=0, description="the number of the first word in data.alignments")
    word_separators: Separators = Field(
        default="spaces",
        description="what separates the words that data.alignments counts: `spaces` (spaces and tabs, as in fast_align), or "
        "any `whitespace` (as Python's `str.split`)",
    )
    max_tokens: int | None = Field(
        default=None,
        ge=2,
        description="leave out pairs with a longer side, the end symbol counted; null: model.max_positions",
    )
    max_ratio: float | None = Field(
        default=None,
        gt=1,
        description="leave out pairs with a text that has more than this many times the tokens of the other",
    )
    concatenation: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="fraction of pairs that are concatenated with another pair, drawn at random",
    )
    bpe_dropout: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="fraction of merges to skip at random each time a pair is read (BPE-dropout; bpe only)",
    )

    @field_validator("weights", "tags", "directions", "noise", "alignments", mode="before")
    @classmethod
    def _of_one_corpus(cls, value: Any) -> Any:
        """Put the value for a single corpus in brackets."""
        return [value] if isinstance(value, str | int | float) else value


def per_corpus(name: str, values: Sequence[T] | None, num_corpora: int, default: T) -> list[T]:
    """The values of a setting that has one for each corpus.

    Raises:
        SettingsError: there are not as many as corpora.
    """
    if values is None:
        return [default] * num_corpora
    if len(values) != num_corpora:
        raise SettingsError(f"data.{name} must have a value for each corpus, {num_corpora} in all; got {list(values)}.")
    return list(values)


@dataclass(frozen=True)
class Selection:
    """The pairs of an epoch. Calling it gives them in a random order: its only use of memory is 4 bytes for each pair.

    Corpus c contributes `quotas[c]` pairs: all that are kept of it as often as they fit, and a random part of the rest.
    """

    kept: tuple[np.ndarray, ...]
    """The pairs of each corpus, as indices."""
    quotas: tuple[int, ...]

    def __len__(self) -> int:
        return sum(self.quotas)

    def __call__(self, rng: np.random.Generator) -> np.ndarray:
        """The pairs of an epoch in a random order."""
        order = np.empty(len(self), dtype=np.int32)
        place = 0
        for kept, quota in zip(self.kept, self.quotas, strict=True):
            rest = quota % len(kept)
            for _ in range(quota // len(kept)):
                order[place : place + len(kept)] = kept
                place += len(kept)
            for part, count in _random_parts(kept, rest, rng):
                order[place : place + count] = rng.choice(part, count, replace=False)
                place += count
        rng.shuffle(order)
        return order


def _random_parts(kept: np.ndarray, count: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, int]]:
    """Parts of some pairs and how many to draw from each, so that all draws of `count` pairs together are equally likely."""
    left = len(kept)
    for begin in range(0, len(kept), LOOKED_AT_ONCE):
        part = kept[begin : begin + LOOKED_AT_ONCE]
        left -= len(part)
        here = int(rng.hypergeometric(len(part), left, count)) if count else 0
        count -= here
        yield part, here


def select_pairs(
    pairs: EncodedPairs,
    part_sizes: Sequence[int],
    names: Sequence[str],
    config: DataConfig,
    max_positions: int,
    num_added: Sequence[tuple[int, int]],
) -> tuple[Selection, list[str]]:
    """Select the pairs that pass the filters, by corpus, in the mixture that is asked for; and say in words what was
    left out and why.

    Args:
        part_sizes: how many pairs each corpus has; the corpora stand one after the other.
        num_added: of each corpus, how many ids of each source and of each target are no part of the text, such as the end symbol.
    Raises:
        DataError: a corpus has no pair left.
        SettingsError: weights that are not one positive number for each corpus.
    """
    limit = min(max_positions, config.max_tokens or max_positions)
    kept, notes, start = [], [], 0
    for size, name, added in zip(part_sizes, names, num_added, strict=True):
        found, counts = _filtered(pairs, start, start + size, limit, config.max_ratio, added)
        start += size
        reasons = {("is", "are", f"over {with_end(limit)}"): counts[0],
                   ("has", "have", f"a side over {config.max_ratio} times as long as the other"): counts[1]}  # fmt: skip
        notes += [
            f"{counted(count, 'pair')} of {name} {of_one if count == 1 else of_many} {reason}: left out"
            for (of_one, of_many, reason), count in reasons.items()
            if count
        ]
        if not len(found):
            raise DataError(f"{name} must have pairs of at most {with_end(limit)}{_and_ratio(config)}; got none.")
        kept.append(found)
    quotas = _quotas([len(part) for part in kept], config)
    if len(kept) > 1:
        shares = ", ".join(f"{quota / sum(quotas):.1%} {name}" for quota, name in zip(quotas, names, strict=True))
        notes.append(f"an epoch is {shares}")
    return Selection(tuple(kept), tuple(quotas)), notes


def _filtered(
    pairs: EncodedPairs, start: int, end: int, limit: int, max_ratio: float | None, num_added: tuple[int, int]
) -> tuple[np.ndarray, tuple[int, int]]:
    """The pairs from start to end that pass, and how many are too long or too unlike in length."""
    found, num_long, num_unlike = [], 0, 0
    for begin in range(start, end, LOOKED_AT_ONCE):
        indices = np.arange(begin, min(begin + LOOKED_AT_ONCE, end), dtype=np.int32)
        source, target = pairs.lengths_of(indices)
        fits = np.maximum(source, target) <= limit
        num_long += int((~fits).sum())
        if max_ratio is not None:
            texts = source - num_added[0], target - num_added[1]
            unlike = fits & (np.maximum(*texts) > max_ratio * np.minimum(*texts))
            num_unlike += int(unlike.sum())
            fits &= ~unlike
        found.append(indices[fits])
        pairs.release()
    return np.concatenate(found or [np.empty(0, dtype=np.int32)]), (num_long, num_unlike)


def with_end(limit: int) -> str:
    """A limit of the tokens of a side, in words."""
    return f"{counted(limit, 'token')} with the end symbol"


def _and_ratio(config: DataConfig) -> str:
    return "" if config.max_ratio is None else f" and a ratio of lengths of at most {config.max_ratio}"


def _quotas(sizes: list[int], config: DataConfig) -> list[int]:
    """The number of pairs of each corpus in an epoch that has as many pairs as all of them."""
    if config.weights is None and config.temperature == 1:
        return sizes
    if config.weights is not None:
        if len(config.weights) != len(sizes) or min(config.weights) <= 0:
            raise SettingsError(
                f"data.weights must be a positive number for each corpus, {len(sizes)} in all; got {config.weights}."
            )
        if config.temperature != 1:
            raise SettingsError("`data.weights` and `data.temperature` both weight the corpora; remove one of them.")
        shares = np.array(config.weights)
    else:
        shares = np.array(sizes) ** (1 / config.temperature)
    exact = sum(sizes) * shares / shares.sum()
    quotas = [max(1, round(float(share))) for share in exact]
    while (excess := sum(quotas) - sum(sizes)) != 0:  # of rounding: where it changes a quota the least
        change = -1 if excess > 0 else 1
        can_change = [number for number, quota in enumerate(quotas) if quota + change >= 1]
        quotas[max(can_change, key=lambda number: change * (exact[number] - quotas[number]))] += change
    return quotas
