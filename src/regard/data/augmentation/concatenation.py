"""Pairs put end to end while training, so that a model meets longer texts than its data have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.data.selection import LOOKED_AT_ONCE
from regard.data.sequences import EncodedPairs, Order, Sequences


@dataclass(frozen=True)
class Concatenation:
    """Concatenation of pairs: some are read with another one after them, drawn at random for each epoch, and nothing in
    between.

    source: a b c eos, d e eos -> a b c d e eos;  target: x y eos, z eos -> x y z eos

    A joined example is written as two numbers, the pair and the one after it, or -1.

    Source: Nguyen, Murray and Chiang 2021, "Data augmentation by concatenation for low-resource translation".
    """

    pairs: EncodedPairs
    share: float
    """The share of the pairs that another one is put after, from 0 to 1."""
    limit: int
    """Tokens that a side may have; a pair that would have more stays alone."""
    num_begin: int = 0
    """Symbols before each source."""
    num_end: int = 1
    """Symbols after each source."""
    ends: Sequence[int] = ()
    """Where each corpus ends among the pairs."""
    directions: Sequence[str] = ()
    """The direction of each corpus, beyond which no pairs are joined."""

    def order(self, order: Order) -> Order:
        """Draw the examples of an epoch `[example, 2]`: the same pairs in the same order, and their partners; 8 bytes
        for each.
        """

        def paired(rng: np.random.Generator) -> np.ndarray:
            order_of_epoch = order(rng)
            found = np.empty((len(order_of_epoch), 2), dtype=order_of_epoch.dtype)
            found[:, 0] = order_of_epoch
            rng.shuffle(order_of_epoch)
            found[:, 1] = order_of_epoch
            del order_of_epoch
            self._keep_directions(found, rng)
            for begin in range(0, len(found), LOOKED_AT_ONCE):
                part = found[begin : begin + LOOKED_AT_ONCE]
                part[rng.random(len(part), dtype=np.float32) >= self.share, 1] = -1
                part[self._are_too_long(part), 1] = -1
                self.pairs.release()
            return found

        return paired

    def _keep_directions(self, examples: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the partners of all pairs again, each among the pairs of its own direction, where there are several."""
        if len(set(self.directions)) < 2:
            return
        corpora = np.searchsorted(self.ends, examples[:, 0], side="right")
        for direction in dict.fromkeys(self.directions):
            places = np.flatnonzero(np.array([each == direction for each in self.directions])[corpora])
            examples[places, 1] = rng.permutation(examples[places, 0])

    def lengths_of(self, examples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of ids in the sources and the targets of some examples."""
        first, second = examples[:, 0], examples[:, 1]
        sides = zip(self.pairs.lengths_of(first), self.pairs.lengths_of(second), self._dropped, strict=True)
        sources, targets = (length + np.where(second < 0, 0, other - dropped) for length, other, dropped in sides)
        return sources, targets

    def read(self, examples: np.ndarray) -> EncodedPairs:
        """The ids of some examples; of those that are too long, as pairs that were segmented again may be, of the first pair."""
        examples = examples.copy()
        examples[self._are_too_long(examples), 1] = -1
        sources, targets = self.pairs.sources, self.pairs.targets
        rows: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for first, second in examples.tolist():
            source, target = sources[first], targets[first]
            if second >= 0:
                source = np.concatenate((source[: len(source) - self.num_end], sources[second][self.num_begin :]))
                target = np.concatenate((target[:-1], targets[second]))
            rows[0].append(source)
            rows[1].append(target)
        return EncodedPairs(Sequences.from_lists(rows[0]), Sequences.from_lists(rows[1]))

    def _are_too_long(self, examples: np.ndarray) -> np.ndarray:
        longest: np.ndarray = np.max(self.lengths_of(examples), axis=0)
        return longest > self.limit

    @property
    def _dropped(self) -> tuple[int, int]:
        """Symbols of a source and of a target that are dropped where two are joined."""
        return self.num_begin + self.num_end, 1
