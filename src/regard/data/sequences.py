"""Encoded texts: many sequences of ids in one array."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


def _nothing_to_release() -> None:
    """The release of arrays in memory; a function of the module, as processes send each other sequences."""


Order = Callable[[np.random.Generator], np.ndarray]
"""The examples of an epoch in a random order, and so in a new one for each epoch."""


@dataclass(frozen=True)
class Sequences:
    """Many sequences of ids, end to end in one array: sequence i is `ids[offsets[i]:offsets[i + 1]]`.

    The arrays may be memory maps.
    """

    ids: np.ndarray
    offsets: np.ndarray
    release: Callable[[], None] = _nothing_to_release
    """Give back what was read of memory maps, so that a process does not seem to grow by all it has ever read."""

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[int] | np.ndarray]) -> Sequences:
        """The sequences of some lists."""
        offsets = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in lists], out=offsets[1:])
        flat = np.fromiter(itertools.chain.from_iterable(lists), dtype=np.int32, count=int(offsets[-1]))
        return cls(flat, offsets)

    @property
    def digest(self) -> str:
        """A checksum of all ids and of where each sequence begins."""
        return hashlib.sha256(self.ids.tobytes() + self.offsets.tobytes()).hexdigest()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> np.ndarray:
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> np.ndarray:
        """The number of ids of each sequence."""
        return np.diff(self.offsets)

    def lengths_of(self, indices: np.ndarray) -> np.ndarray:
        """The numbers of ids of some sequences."""
        return self.offsets[indices + 1] - self.offsets[indices]


@dataclass(frozen=True)
class EncodedPairs:
    """A parallel text as ids: each source with the symbols around it, each target with the end symbol."""

    sources: Sequences
    targets: Sequences
    too_long: tuple[int, ...] = ()
    """Pairs of the text that were left out, counted from 0."""
    links: Sequences | None = None
    """The tokens that are aligned, where that is known: source token, target token, source token ..."""

    def __len__(self) -> int:
        return len(self.sources)

    def release(self) -> None:
        """Give back what was read of memory maps."""
        self.sources.release()
        self.targets.release()
        if self.links is not None:
            self.links.release()

    @property
    def lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of ids of each source and each target."""
        return self.sources.lengths, self.targets.lengths

    def lengths_of(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of ids of some sources and their targets."""
        return self.sources.lengths_of(indices), self.targets.lengths_of(indices)


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as ids, and their labels, each its number plus 1: one for each text, or one for each id, 0 where it has none."""

    ids: Sequences
    labels: Sequences
    by_word: bool
    """Whether each id has a label; else each text."""

    def __len__(self) -> int:
        return len(self.ids)

    def release(self) -> None:
        """Give back what was read of memory maps."""
        self.ids.release()
        self.labels.release()
