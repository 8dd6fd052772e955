"""Pairs to batches: tokens are counted, not sentences, and sentences of like length share a batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

import numpy as np

from regard.data.batch import ALL, Batch, Place, Share, own_rows, pad_right
from regard.data.joining import Joining
from regard.data.sequences import EncodedPairs, Order, Sequences

POOL = 1 << 18
"""Examples that are sorted by length together: a whole corpus of this size, or a part of a larger one."""
RELEASED_EVERY = 8
"""Batches between two times that memory maps are given back."""
Cut = Callable[[Sequence[int], Random], Sequence[int]]
"""Other ids of the same text."""
T = TypeVar("T")


def plan_batches(
    lengths: Sequence[np.ndarray], batch_tokens: int, rng: np.random.Generator | None = None
) -> list[np.ndarray]:
    """Which examples go together: sorted by length, cut so that no batch is over its budget.

    rows x longest sequence <= batch_tokens, padding included; an example longer than that is a batch of its own.

    Args:
        lengths: of the sequences of each example: sources and targets, or texts alone; sorted by the last first.
        rng: shuffles the batches; None keeps the order of lengths. Examples of equal length keep their order.
    """
    order = np.lexsort(list(lengths))
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


def shuffled(count: int) -> Order:
    """Every example once, in an order of its own for each epoch; 4 bytes for each."""

    def order(rng: np.random.Generator) -> np.ndarray:
        found = np.arange(count, dtype=np.int32)
        rng.shuffle(found)
        return found

    return order


def endless_plan(
    order: Order,
    lengths_of: Callable[[np.ndarray], Sequence[np.ndarray]],
    batch_tokens: int,
    seed: int,
    *,
    start: Place = (0, 0),
) -> Iterator[tuple[np.ndarray, Place, np.random.Generator]]:
    """The batches of one epoch after the other, each with the place of the next, and with a generator of its own.

    The order is shuffled over the whole corpus; each `POOL` examples of it are then sorted by length and cut into batches.

    Args:
        start: begin with this batch: where a run left off.
    """
    for epoch in itertools.count(start[0]):
        rng = np.random.default_rng((seed, epoch))
        examples, number, first = order(rng), 0, start[1] if epoch == start[0] else 0
        for begin in range(0, len(examples), POOL):
            pool = examples[begin : begin + POOL]
            for rows in plan_batches(lengths_of(pool), batch_tokens, rng):
                if number >= first:
                    yield pool[rows], (epoch, number + 1), np.random.default_rng((seed, epoch, number))
                number += 1


def releasing(items: Iterator[T], release: Callable[[], None]) -> Iterator[T]:
    """The same items; before some of them, what was read of memory maps is given back."""
    for number, item in enumerate(items, start=1):
        if number % RELEASED_EVERY == 0:
            release()
        yield item


def make_batch(
    pairs: EncodedPairs, indices: np.ndarray, *, pad_id: int, start_ids: Sequence[int], counts: bool = True
) -> Batch:
    """The tensors of some pairs. No label is counted until all `start_ids` have been read.

    Args:
        counts: whether there are labels at all; if not, all of them are padding.
    """
    rows: list[int] = indices.tolist()
    targets = [pairs.targets[row] for row in rows]
    unlabelled = np.full(len(start_ids) - 1, pad_id)
    labels = pad_right([np.concatenate((unlabelled, target)) for target in targets], pad_id)
    return Batch(
        source_ids=pad_right([pairs.sources[row] for row in rows], pad_id),
        target_ids=pad_right([np.concatenate((start_ids, target[:-1])) for target in targets], pad_id),
        labels=labels if counts else labels.fill_(pad_id),
        num_tokens=sum(map(len, targets)) if counts else 0,
        indices=rows,
    )


def in_order(pairs: EncodedPairs, batch_tokens: int, *, pad_id: int, start_ids: Sequence[int]) -> Iterator[Batch]:
    """All pairs once, by length: for validation."""
    for indices in plan_batches(pairs.lengths, batch_tokens):
        yield make_batch(pairs, indices, pad_id=pad_id, start_ids=start_ids)


def endless(
    pairs: EncodedPairs,
    batch_tokens: int,
    seed: int,
    *,
    pad_id: int,
    start_ids: Sequence[int],
    order: Order | None = None,
    joined: Joining | None = None,
    cuts: tuple[Cut, Cut] | None = None,
    start: Place = (0, 0),
    share: Share = ALL,
) -> Iterator[Batch]:
    """Pairs again and again, each epoch in an order of its own that depends on the seed and the epoch alone.

    Args:
        order: which pairs, and how often (`selection.py`); None: all, once in an epoch.
        joined: the same pairs, some with another one after them; None: each alone.
        cuts: cut sources and targets anew each time they are read; None: never.
        start: begin with this batch.
        share: the rows of each batch that are read here.
    """
    order = order or shuffled(len(pairs))
    if joined is None:
        plan = endless_plan(order, pairs.lengths_of, batch_tokens, seed, start=start)
    else:
        plan = endless_plan(joined.order(order), joined.lengths_of, batch_tokens, seed, start=start)
    for indices, place, rng in releasing(plan, pairs.release):
        rows, counts = own_rows(indices, share)
        read, numbers = pairs, rows
        if joined is not None:
            read, numbers, rows = joined.read(rows), np.arange(len(rows)), rows[:, 0]
        if cuts is not None:
            read = _cut_anew(read, numbers, rows, cuts, int(rng.integers(1 << 62)))
            numbers = np.arange(len(rows))
        batch = make_batch(read, numbers, pad_id=pad_id, start_ids=start_ids, counts=counts)
        yield replace(batch, indices=rows.tolist(), next_place=place)


def _cut_anew(
    pairs: EncodedPairs, numbers: np.ndarray, rows: np.ndarray, cuts: tuple[Cut, Cut], seed: int
) -> EncodedPairs:
    """Some pairs, cut anew by random numbers that each row of the corpus has for itself."""
    sides: list[list[Sequence[int]]] = [[], []]
    for number, row in zip(numbers.tolist(), rows.tolist(), strict=True):
        random = Random(seed + row)
        for side, sequences, cut in zip(sides, (pairs.sources, pairs.targets), cuts, strict=True):
            side.append(cut(sequences[number].tolist(), random))
    sources, targets = map(Sequences.from_lists, sides)
    return EncodedPairs(sources, targets)
