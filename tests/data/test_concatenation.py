"""Pairs put end to end: what is read, how long it is, and that a stream of them goes on from any place."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from regard.data.augmentation.concatenation import Concatenation
from regard.data.batch import Batch
from regard.data.batching import Epochs, shuffled, training_batches
from regard.data.sequences import EncodedPairs, Sequences

BEGIN, END = 7, 3
PAIRS = EncodedPairs(
    Sequences.from_lists([[BEGIN, 10 + n, *[5] * (n % 4), END] for n in range(40)]),
    Sequences.from_lists([[60 + n, *[6] * (n % 3), END] for n in range(40)]),
)


def concatenated(share: float = 0.5, limit: int = 100) -> Concatenation:
    return Concatenation(PAIRS, share, limit, num_begin=1)


def examples(joined: Concatenation, seed: int = 1) -> np.ndarray:
    return joined.order(lambda rng: rng.permutation(40).astype(np.int32))(np.random.default_rng(seed))


def test_symbols_stand_only_at_the_ends() -> None:
    read = concatenated().read(np.array([[1, 6], [6, -1]]))
    assert read.sources[0].tolist() == [BEGIN, 11, 5, 16, 5, 5, END]
    assert read.targets[0].tolist() == [61, 6, 66, END]
    assert read.sources[1].tolist() == PAIRS.sources[6].tolist()
    assert read.targets[1].tolist() == PAIRS.targets[6].tolist()


def test_lengths_are_those_of_what_is_read() -> None:
    drawn = examples(concatenated())
    for length, side in zip(
        concatenated().lengths_of(drawn), (read := concatenated().read(drawn)).lengths, strict=True
    ):
        assert length.tolist() == side.tolist()
    assert len(read) == 40


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_every_pair_comes_once_and_a_share_has_another_after_it(share: float) -> None:
    drawn = np.concatenate([examples(concatenated(share), seed) for seed in range(50)])
    assert sorted(drawn[:, 0].tolist()) == sorted([*range(40)] * 50)
    assert (drawn[:, 1] >= 0).mean() == pytest.approx(share, abs=0.04)
    if share == 1:
        assert sorted(drawn[:, 1].tolist()) == sorted([*range(40)] * 50)
    assert examples(concatenated(share)).tolist() == examples(concatenated(share)).tolist()


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_pairs_of_several_directions_are_joined_with_their_own(share: float) -> None:
    joined = Concatenation(PAIRS, share, 100, 1, ends=[10, 25, 40], directions=["en-de", "fr-es", "en-de"])
    drawn = np.concatenate([examples(joined, seed) for seed in range(50)])
    first, second = drawn[drawn[:, 1] >= 0].T
    is_french = [(side >= 10) & (side < 25) for side in (first, second)]
    assert (is_french[0] == is_french[1]).all()
    assert 0 < is_french[0].sum() < len(first)
    assert sorted(drawn[:, 0].tolist()) == sorted([*range(40)] * 50)
    assert len(first) / len(drawn) == pytest.approx(share, abs=0.04)


def test_what_would_be_too_long_stays_alone() -> None:
    drawn = examples(concatenated(share=1.0, limit=7))
    assert max(map(max, concatenated().lengths_of(drawn))) == 7
    assert 0 < (drawn[:, 1] < 0).sum() < 40


def test_an_order_takes_8_bytes_for_each_pair() -> None:
    lengths, num_pairs = np.full(1 << 21, 2), 1 << 21
    side = Sequences(np.zeros(2 * num_pairs, dtype=np.int32), np.concatenate(([0], np.cumsum(lengths))))
    order = Concatenation(EncodedPairs(side, side), 0.5, 9).order(shuffled(num_pairs))
    tracemalloc.start()
    drawn = order(np.random.default_rng(1))
    held, peak = (size / num_pairs for size in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    assert held == pytest.approx(drawn.nbytes / num_pairs, abs=0.5) == 8
    assert peak < 20  # while it is drawn


def take(count: int, segmenters: Any = None, **settings: Any) -> list[Batch]:
    stream = training_batches(
        PAIRS, 30, 1, Epochs(None, concatenated(), segmenters), pad_id=0, start_ids=[2], **settings
    )
    return [next(stream) for _ in range(count)]


def test_a_stream_goes_on_from_any_place_and_can_be_shared() -> None:
    whole = take(30)
    assert max(batch.source_ids.shape[0] * batch.source_ids.shape[1] for batch in whole) <= 30
    for at in (0, 9, 20):
        later = take(3, start=whole[at].next_cursor)
        assert [batch.source_ids.tolist() for batch in later] == [b.source_ids.tolist() for b in whole[at + 1 : at + 4]]
    halves = [take(30, shard=(rank, 2)) for rank in (0, 1)]
    for batch, *own in zip(whole, *halves, strict=True):
        assert sum(part.num_tokens for part in own) == batch.num_tokens
        assert sorted(i for part in own if part.num_tokens for i in part.indices) == sorted(batch.indices)


def test_concatenated_pairs_can_be_segmented_again() -> None:
    seen = []
    for _ in range(2):
        batches = take(
            20, segmenters=(lambda ids, random: [*ids[:-1], random.randrange(1000), END], lambda ids, _: ids)
        )
        seen.append([batch.source_ids.tolist() for batch in batches])
    assert seen[0] == seen[1]
    plain = take(20)
    assert [b.labels.tolist() for b in batches] == [b.labels.tolist() for b in plain]
    for found, expected in zip(batches, plain, strict=True):
        for ids, before, labels in zip(found.source_ids, expected.source_ids, found.labels, strict=True):
            num_pairs = int((labels >= 60).sum())
            assert (ids != 0).sum() == (before != 0).sum() + num_pairs


def test_pairs_that_become_too_long_stay_alone() -> None:
    """Segmented again, pairs have other lengths than when they were drawn."""
    epochs = Epochs(None, concatenated(1.0, 8), (lambda ids, _: [*ids[:-1], 9, 9, END], lambda ids, _: ids))
    batches = training_batches(PAIRS, 30, 1, epochs, pad_id=0, start_ids=[2])
    lengths, num_pairs = [], []
    for batch in (next(batches) for _ in range(20)):
        lengths += (batch.source_ids != 0).sum(1).tolist()
        num_pairs += (batch.labels >= 60).sum(1).tolist()
    assert max(lengths) == 8
    assert {*num_pairs} == {1, 2}
