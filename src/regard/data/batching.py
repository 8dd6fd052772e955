"""Pairs to batches: tokens are counted, not sentences, and sentences of like length share a batch."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from regard.data.batch import Batch, pad_right
from regard.data.corpus import ParallelText
from regard.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Sequences:
    """Many sequences of ids, end to end in one array: sequence i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[int]]) -> Sequences:
        """The sequences of some lists."""
        offsets = np.zeros(len(lists) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids in lists], out=offsets[1:])
        flat = np.fromiter((id for ids in lists for id in ids), dtype=np.int32, count=int(offsets[-1]))
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
        """How many ids each sequence has."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class EncodedPairs:
    """A parallel text as ids: each source with the symbols around it, each target with the end symbol."""

    sources: Sequences
    targets: Sequences
    too_long: tuple[int, ...] = ()
    """Pairs of the text that were left out, counted from 0."""

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """How many ids each source and each target has."""
        return self.sources.lengths, self.targets.lengths


def encode_pairs(
    text: ParallelText, tokenizer: Tokenizer, max_positions: int, *, source_tokenizer: Tokenizer | None = None
) -> EncodedPairs:
    """The ids of a parallel text. Pairs with a side of more than `max_positions` tokens are left out and named.

    Args:
        tokenizer: the targets'.
        source_tokenizer: None: the same.
    """
    reader = source_tokenizer or tokenizer
    sources = [reader.frame_source(ids) for ids in reader.encode_batch(text.sources)]
    targets = [[*ids, tokenizer.eos_id] for ids in tokenizer.encode_batch(text.targets)]
    longest = [max(map(len, pair)) for pair in zip(sources, targets, strict=True)]
    kept = [i for i, length in enumerate(longest) if length <= max_positions]
    return EncodedPairs(
        Sequences.from_lists([sources[i] for i in kept]),
        Sequences.from_lists([targets[i] for i in kept]),
        too_long=tuple(i for i, length in enumerate(longest) if length > max_positions),
    )


def plan_batches(
    lengths: Sequence[np.ndarray], batch_tokens: int, rng: np.random.Generator | None = None
) -> list[np.ndarray]:
    """Which examples go together: sorted by length, cut so that no batch is over its budget.

    rows x longest sequence <= batch_tokens, padding included; an example longer than that is a batch of its own.

    Args:
        lengths: of the sequences of each example: sources and targets, or texts alone; sorted by the last first.
        rng: shuffles examples of equal length, and the batches; None keeps the order of lengths.
    """
    count = len(lengths[0])
    order = np.arange(count) if rng is None else rng.permutation(count)
    order = order[np.lexsort([length[order] for length in lengths])]
    batches, start, longest = [], 0, 0
    for end, length in enumerate(np.max(lengths, axis=0)[order].tolist()):
        longest = max(longest, length)
        if end > start and longest * (end + 1 - start) > batch_tokens:
            batches.append(order[start:end])
            start, longest = end, length
    batches.append(order[start:])
    if rng is not None:
        rng.shuffle(batches)
    return batches


def endless_plan(
    lengths: Sequence[np.ndarray], batch_tokens: int, seed: int, *, first: int = 0
) -> Iterator[tuple[np.ndarray, np.random.Generator]]:
    """The batches of one epoch after the other, each with a generator of its own.

    Args:
        first: begin with this batch, counted from 0 over all epochs: where a run left off.
    """
    for epoch in itertools.count():
        plan = plan_batches(lengths, batch_tokens, np.random.default_rng((seed, epoch)))
        for number in range(first, len(plan)):
            yield plan[number], np.random.default_rng((seed, epoch, number))
        first = max(first - len(plan), 0)


def make_batch(pairs: EncodedPairs, indices: np.ndarray, *, pad_id: int, start_ids: Sequence[int]) -> Batch:
    """The tensors of some pairs. No label is counted until all `start_ids` have been read."""
    rows: list[int] = indices.tolist()
    targets = [pairs.targets[row] for row in rows]
    unlabelled = np.full(len(start_ids) - 1, pad_id)
    return Batch(
        source_ids=pad_right([pairs.sources[row] for row in rows], pad_id),
        target_ids=pad_right([np.concatenate((start_ids, target[:-1])) for target in targets], pad_id),
        labels=pad_right([np.concatenate((unlabelled, target)) for target in targets], pad_id),
        num_tokens=sum(map(len, targets)),
        indices=rows,
    )


def in_order(pairs: EncodedPairs, batch_tokens: int, *, pad_id: int, start_ids: Sequence[int]) -> Iterator[Batch]:
    """All pairs once, by length: for validation."""
    for indices in plan_batches(pairs.lengths, batch_tokens):
        yield make_batch(pairs, indices, pad_id=pad_id, start_ids=start_ids)


def endless(
    pairs: EncodedPairs, batch_tokens: int, seed: int, *, pad_id: int, start_ids: Sequence[int], first: int = 0
) -> Iterator[Batch]:
    """All pairs again and again, each epoch in an order of its own that depends on the seed and the epoch alone.

    Args:
        first: begin with this batch, counted from 0 over all epochs.
    """
    for indices, _ in endless_plan(pairs.lengths, batch_tokens, seed, first=first):
        yield make_batch(pairs, indices, pad_id=pad_id, start_ids=start_ids)
