"""Batching of pairs and texts: batch sizes are counted in tokens, and sentences of similar length share a batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import torch

from regard.data.augmentation.concatenation import Concatenation
from regard.data.augmentation.noise import Noise
from regard.data.batch import (
    ALL,
    IGNORED,
    Batch,
    BatchCursor,
    LabelledBatch,
    Shard,
    label_positions,
    pad_right,
    rows_of_shard,
    with_cursor,
)
from regard.data.prefetching import map_in_processes, releasing
from regard.data.sequences import EncodedPairs, EncodedTexts, Order, Sequences
from regard.text.segmentation import Segmenter

POOL = 1 << 18
"""Examples that are sorted by length together: a whole corpus of this size, or a part of a larger one."""
MASKED_SHARE = 0.15
KEPT_SHARE, REPLACED_SHARE = 0.1, 0.1  # of the masked ones


def plan_batches(
    lengths: Sequence[np.ndarray], batch_tokens: int, rng: np.random.Generator | None = None
) -> list[np.ndarray]:
    """Plan which examples share a batch: sorted by length, cut so that no batch is over its budget.

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
    if len(order):
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


def batch_plans(
    order: Order,
    lengths_of: Callable[[np.ndarray], Sequence[np.ndarray]],
    batch_tokens: int,
    seed: int,
    *,
    start: BatchCursor = (0, 0),
) -> Iterator[tuple[np.ndarray, BatchCursor, np.random.Generator]]:
    """The batches of one epoch after the other, each with the position of the next one and its own random generator.

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
        del examples, pool  # before there are those of the next epoch


def make_batch(
    pairs: EncodedPairs, indices: np.ndarray, *, pad_id: int, start_ids: Sequence[int], counts: bool = True
) -> Batch:
    """The tensors of some pairs. No label is counted until all `start_ids` have been read.

    Args:
        counts: whether there are labels and links at all; if not, all labels are padding.
    """
    rows: list[int] = indices.tolist()
    targets = [pairs.targets[row] for row in rows]
    unlabelled = np.full(len(start_ids) - 1, pad_id)
    labels = pad_right([np.concatenate((unlabelled, target)) for target in targets], pad_id)
    labels = labels if counts else labels.fill_(pad_id)
    sources = [pairs.sources[row] for row in rows]
    return Batch(
        source_ids=pad_right(sources, pad_id),
        target_ids=pad_right([np.concatenate((start_ids, target[:-1])) for target in targets], pad_id),
        labels=labels,
        num_tokens=sum(map(len, targets)) if counts else 0,
        indices=rows,
        links=_links(pairs.links, rows, len(start_ids) - 1) if counts and pairs.links is not None else None,
        label_positions=label_positions(labels != pad_id),
        pads_right=True,
        source_lengths=torch.tensor([max(1, len(source)) for source in sources]),
    )


def _links(links: Sequences, rows: Sequence[int], before: int) -> torch.Tensor:
    """The links of some pairs: row, place of the target token in the labels, place of the source token.

    Args:
        before: labels before that of the first target token.
    """
    shift = np.array([before, 0])
    found = [links[row].reshape(-1, 2)[:, ::-1].astype(np.int64) + shift for row in rows]
    numbers = np.repeat(np.arange(len(rows)), [len(each) for each in found])[:, None]
    return torch.from_numpy(np.concatenate((numbers, np.concatenate(found)), axis=1))


def in_order(pairs: EncodedPairs, batch_tokens: int, *, pad_id: int, start_ids: Sequence[int]) -> Iterator[Batch]:
    """Batches of all pairs once, by length: for validation."""
    for indices in plan_batches(pairs.lengths, batch_tokens):
        yield make_batch(pairs, indices, pad_id=pad_id, start_ids=start_ids)


@dataclass(frozen=True)
class Epochs:
    """The settings by which pairs are read in each epoch of training."""

    order: Order | None = None
    """The pairs of an epoch, and their repetitions (`selection.py`); None: all, once in an epoch."""
    concatenation: Concatenation | None = None
    """Concatenations of the pairs with others, some of the time; None: each pair alone."""
    segmenters: Sequence[Segmenter] | None = None
    """Subword regularization: other segmentations of sources and targets each time they are read; None: always the
    same.
    """
    noise: Noise | None = None
    """Changes sources each time they are read; None: never."""


def training_batches(
    pairs: EncodedPairs,
    batch_tokens: int,
    seed: int,
    epochs: Epochs = Epochs(),  # it cannot change
    *,
    pad_id: int,
    start_ids: Sequence[int],
    start: BatchCursor = (0, 0),
    shard: Shard = ALL,
    num_processes: int = 0,
) -> Iterator[Batch]:
    """Batches of all pairs again and again, each epoch in an order of its own that depends on the seed and the epoch
    alone.

    Args:
        start: begin with this batch.
        shard: the rows of each batch that are read here.
        num_processes: processes that make batches which take long, as they are segmented again or get noise; the
            batches are the same.
    """
    concatenation, segmenters, noise = epochs.concatenation, epochs.segmenters, epochs.noise
    takes_long = segmenters is not None or noise is not None
    order = epochs.order or shuffled(len(pairs))
    if concatenation is None:
        plan = batch_plans(order, pairs.lengths_of, batch_tokens, seed, start=start)
    else:
        plan = batch_plans(concatenation.order(order), concatenation.lengths_of, batch_tokens, seed, start=start)

    def make(planned: tuple[np.ndarray, BatchCursor, np.random.Generator]) -> Batch:
        indices, cursor, rng = planned
        examples, counts = rows_of_shard(indices, shard)
        read, numbers = pairs, examples
        if takes_long:  # each pair by itself, before it is joined with another one
            rows, numbers = examples[examples >= 0], _renumbered(examples)
            if segmenters is not None:
                read = _resegmented(pairs, rows, segmenters, int(rng.integers(1 << 62)))
            if noise is not None:
                places = rows if segmenters is None else np.arange(len(rows))
                read = _with_noise(read, places, rows, noise, int(rng.integers(1 << 62)))
        if concatenation is not None:
            read, numbers = replace(concatenation, pairs=read).read(numbers), np.arange(len(numbers))
        batch = make_batch(read, numbers, pad_id=pad_id, start_ids=start_ids, counts=counts)
        return replace(batch, indices=examples.reshape(len(examples), -1)[:, 0].tolist(), next_cursor=cursor)

    return map_in_processes(make, plan, num_processes if takes_long else 0, pairs.release)


def _renumbered(examples: np.ndarray) -> np.ndarray:
    """The examples with the places of their pairs among those of all of them, for the numbers of the pairs; -1 stays."""
    is_pair = examples >= 0
    return np.where(is_pair, np.cumsum(is_pair).reshape(examples.shape) - 1, -1)


def _resegmented(pairs: EncodedPairs, rows: np.ndarray, segmenters: Sequence[Segmenter], seed: int) -> EncodedPairs:
    """Some pairs, segmented again by random numbers that each row of the corpus has for itself."""
    sides: list[list[Sequence[int]]] = [[], []]
    for row in rows.tolist():
        random = Random(seed + row)
        for side, sequences, segment in zip(sides, (pairs.sources, pairs.targets), segmenters, strict=True):
            side.append(segment(sequences[row].tolist(), random))
    sources, targets = map(Sequences.from_lists, sides)
    return EncodedPairs(sources, targets)


def _with_noise(pairs: EncodedPairs, numbers: np.ndarray, rows: np.ndarray, noise: Noise, seed: int) -> EncodedPairs:
    """Some pairs with noise in their sources, by random numbers that each row of the corpus has for itself."""
    order = list(zip(numbers.tolist(), rows.tolist(), strict=True))
    sources = [noise(pairs.sources[number].tolist(), row, Random(seed + row)) for number, row in order]
    return EncodedPairs(
        Sequences.from_lists(sources), Sequences.from_lists([pairs.targets[number] for number, _ in order])
    )


def labelled_in_order(texts: EncodedTexts, batch_tokens: int, *, pad_id: int) -> Iterator[LabelledBatch]:
    """Batches of all texts once, by length: for validation."""
    for indices in plan_batches([texts.ids.lengths], batch_tokens):
        yield _labelled_batch(texts, indices, pad_id)


def labelled_training_batches(
    texts: EncodedTexts, batch_tokens: int, seed: int, *, pad_id: int, start: BatchCursor = (0, 0), shard: Shard = ALL
) -> Iterator[LabelledBatch]:
    """Batches of all texts again and again, in orders as those of `training_batches`, which has the same arguments."""
    for indices, cursor, _ in _plan(texts.ids, batch_tokens, seed, start, texts.release):
        own, counts = rows_of_shard(indices, shard)
        yield with_cursor(_labelled_batch(texts, own, pad_id), cursor, counts)


def _plan(
    ids: Sequences, batch_tokens: int, seed: int, start: BatchCursor, release: Callable[[], None]
) -> Iterator[tuple[np.ndarray, BatchCursor, np.random.Generator]]:
    plan = batch_plans(shuffled(len(ids)), lambda indices: [ids.lengths_of(indices)], batch_tokens, seed, start=start)
    return releasing(plan, release)


def _labelled_batch(texts: EncodedTexts, indices: np.ndarray, pad_id: int) -> LabelledBatch:
    rows: list[int] = indices.tolist()
    read = [texts.ids[row] for row in rows]
    labels = pad_right([texts.labels[row] for row in rows], 0) - 1
    labels = labels.masked_fill(labels < 0, IGNORED)
    labels = labels if texts.by_word else labels[:, 0]
    num_labels, num_read = int((labels != IGNORED).sum()), sum(map(len, read))
    return LabelledBatch(pad_right(read, pad_id), labels, num_labels, rows, num_counted=num_read, pads_right=True)


@dataclass(frozen=True)
class Masking:
    """The masking of masked language models: 15 % of tokens are chosen, of which 80 % become the mask, 10 % a random
    token, and 10 % stay. Source: Devlin et al. 2019, section 3.1.
    """

    mask_id: int
    first_ordinary_id: int
    vocab_size: int

    def hide(self, ids: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The ids with some of them masked, and the masked ones as labels."""
        ordinary = ids >= self.first_ordinary_id
        chosen = ordinary & (rng.random(len(ids)) < MASKED_SHARE)
        if not chosen.any() and ordinary.any():
            chosen[rng.choice(np.flatnonzero(ordinary))] = True
        fate = rng.random(len(ids))
        hidden = np.where(chosen & (fate >= KEPT_SHARE), self.mask_id, ids)
        random_ids = rng.integers(self.first_ordinary_id, self.vocab_size, len(ids))
        hidden = np.where(chosen & (fate >= 1 - REPLACED_SHARE), random_ids, hidden)
        return hidden, np.where(chosen, ids, IGNORED)


def masked_in_order(ids: Sequences, masking: Masking, batch_tokens: int, *, pad_id: int) -> Iterator[LabelledBatch]:
    """Batches of all texts once, by length, with the same tokens masked every time: for validation."""
    rng = np.random.default_rng(0)
    for indices in plan_batches([ids.lengths], batch_tokens):
        yield _masked_batch(ids, indices, masking, rng, pad_id)


def masked_training_batches(
    ids: Sequences,
    masking: Masking,
    batch_tokens: int,
    seed: int,
    *,
    pad_id: int,
    start: BatchCursor = (0, 0),
    shard: Shard = ALL,
) -> Iterator[LabelledBatch]:
    """The batches of `labelled_training_batches` with other tokens masked each time; `shard` does not decide which."""
    for indices, cursor, rng in _plan(ids, batch_tokens, seed, start, ids.release):
        own, counts = rows_of_shard(np.arange(len(indices)), shard)
        whole = _masked_batch(ids, indices, masking, rng, pad_id)
        labels = whole.labels[own]
        batch = replace(
            whole, ids=whole.ids[own], labels=labels, num_tokens=int((labels != IGNORED).sum()),
            indices=indices[own].tolist(), num_counted=int(ids.lengths_of(indices[own]).sum()),
        )  # fmt: skip
        yield with_cursor(batch, cursor, counts)


def _masked_batch(
    ids: Sequences, indices: np.ndarray, masking: Masking, rng: np.random.Generator, pad_id: int
) -> LabelledBatch:
    rows: list[int] = indices.tolist()
    hidden, hidden_ids = zip(*(masking.hide(ids[row].astype(np.int64), rng) for row in rows), strict=True)
    labels = pad_right(hidden_ids, IGNORED)
    num_labels, num_read = int((labels != IGNORED).sum()), sum(map(len, hidden))
    return LabelledBatch(pad_right(hidden, pad_id), labels, num_labels, rows, num_counted=num_read, pads_right=True)
