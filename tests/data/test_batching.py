from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data import batching
from regard.data.batch import IGNORED, Batch
from regard.data.batching import (
    Epochs,
    Masking,
    in_order,
    make_batch,
    masked_in_order,
    masked_training_batches,
    plan_batches,
    training_batches,
)
from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.data.sequences import EncodedPairs, Sequences
from regard.text.tokenizer import Tokenizer

LENGTHS = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=40)


def pairs_of(lengths: list[tuple[int, int]]) -> EncodedPairs:
    sources, targets = zip(*lengths, strict=True)
    return EncodedPairs(
        Sequences.from_lists([[5] * length for length in sources]),
        Sequences.from_lists([[6] * length for length in targets]),
    )


def test_sequences_are_views_of_one_array() -> None:
    sequences = Sequences.from_lists([[1, 2], [], [3]])
    assert [sequences[i].tolist() for i in range(len(sequences))] == [[1, 2], [], [3]]
    assert sequences.lengths.tolist() == [2, 0, 1]


@given(lengths=LENGTHS, budget=st.integers(1, 60), seed=st.none() | st.integers(0, 9))
def test_every_pair_is_in_one_batch_and_no_batch_is_over_its_budget(
    lengths: list[tuple[int, int]], budget: int, seed: int | None
) -> None:
    rng = None if seed is None else np.random.default_rng(seed)
    batches = plan_batches(pairs_of(lengths).lengths, budget, rng)
    assert sorted(index for batch in batches for index in batch.tolist()) == list(range(len(lengths)))
    for batch in batches:
        longest = max(max(lengths[index]) for index in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget


def test_pairs_of_like_length_share_a_batch() -> None:
    lengths = [(n, n) for n in range(1, 33)]
    for batch in plan_batches(pairs_of(lengths).lengths, 64, np.random.default_rng(0)):
        sizes = [lengths[index][1] for index in batch]
        assert max(sizes) - min(sizes) == len(sizes) - 1


def test_a_batch_shifts_targets_by_one() -> None:
    pairs = EncodedPairs(Sequences.from_lists([[7, 8, 3], [9, 3]]), Sequences.from_lists([[5, 3], [4, 6, 5, 3]]))
    batch = make_batch(pairs, np.array([0, 1]), pad_id=0, start_ids=[2])
    assert batch.source_ids.tolist() == [[7, 8, 3], [9, 3, 0]]
    assert batch.target_ids.tolist() == [[2, 5, 0, 0], [2, 4, 6, 5]]
    assert batch.labels.tolist() == [[5, 3, 0, 0], [4, 6, 5, 3]]
    assert (batch.num_tokens, batch.indices) == (6, [0, 1])


def test_long_pairs_are_left_out_and_named(letters: Tokenizer) -> None:
    text = ParallelText(["abc", "abcdefghij", "ab"], ["c", "d", "abcdefghij"], "x")
    pairs = encode_pairs(text, letters, max_positions=8)
    assert (len(pairs), pairs.too_long) == (1, (1, 2))
    assert pairs.sources[0].tolist() == [*letters.encode("abc"), letters.eos_id]


def test_epochs_differ_and_seeds_repeat() -> None:
    pairs = pairs_of([(1 + n % 7, 1 + n % 5) for n in range(50)])
    num_batches = len(plan_batches(pairs.lengths, 20))

    def first_epochs(seed: int) -> list[list[int]]:
        stream = training_batches(pairs, 20, seed, pad_id=0, start_ids=[2])
        return [[i for _ in range(num_batches) for i in next(stream).indices] for _ in range(2)]

    one, two = first_epochs(1)
    assert sorted(one) == sorted(two) == list(range(50))
    assert one != two
    assert first_epochs(1) == [one, two]
    assert first_epochs(2)[0] != one


def test_in_order_is_every_pair_once() -> None:
    pairs = pairs_of([(1 + n % 7, 1 + n % 5) for n in range(30)])
    seen = [index for batch in in_order(pairs, 20, pad_id=0, start_ids=[2]) for index in batch.indices]
    assert sorted(seen) == list(range(30))


SYMBOLS = {"pad_id": 0, "start_ids": [2]}


def numbered_pairs(count: int) -> EncodedPairs:
    rows = [[4 + n, *[5] * (n % 6), 3] for n in range(count)]
    return EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))


def take(count: int, budget: int = 20, segmenters: Any = None, **settings: Any) -> list[Batch]:
    stream = training_batches(numbered_pairs(50), budget, 1, Epochs(segmenters=segmenters), **SYMBOLS, **settings)
    return [next(stream) for _ in range(count)]


@pytest.mark.parametrize("pool", [7, 50, 1000])
def test_a_stream_goes_on_from_any_place(pool: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "POOL", pool)
    whole = take(60)
    for at in (0, 1, 17, 40):
        later = take(5, start=whole[at].next_cursor)
        assert [batch.indices for batch in later] == [batch.indices for batch in whole[at + 1 : at + 6]]


def test_a_corpus_larger_than_a_pool_is_shuffled_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "POOL", 10)
    epoch = []
    for batch in take(60):
        if batch.next_cursor[0] > 0:
            break
        epoch.append(batch.indices)
    assert sorted(index for rows in epoch for index in rows) == list(range(50))
    first_ten = [index for rows in epoch for index in rows][:10]
    assert max(first_ten) - min(first_ten) > 20


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("size", [2, 3])
def test_processes_share_the_rows_of_each_batch(size: int, cut: bool) -> None:
    reversing = (lambda ids, random: ids[::-1],) * 2 if cut else None
    whole = take(40, budget=8, segmenters=reversing)
    parts = [take(40, budget=8, shard=(rank, size), segmenters=reversing) for rank in range(size)]
    for batch, *own in zip(whole, *parts, strict=True):
        counted = [index for part in own if part.num_tokens for index in part.indices]
        assert sorted(counted) == sorted(batch.indices)
        assert sum(part.num_tokens for part in own) == batch.num_tokens
        assert sum(int((part.labels != 0).sum()) for part in own) == batch.num_tokens
        assert {part.next_cursor for part in own} == {batch.next_cursor}
    assert min(len(batch.indices) for batch in whole) < size, "a case that matters: fewer rows than processes"


def test_segmentations_repeat_for_each_pair() -> None:
    def noisy(ids: Sequence[int], random: Random) -> list[int]:
        return [*ids[:-1], 4 + random.randrange(1000), ids[-1]]

    whole, again = (take(12, segmenters=(noisy, noisy)) for _ in range(2))
    assert [batch.labels.tolist() for batch in whole] == [batch.labels.tolist() for batch in again]
    halves = [take(12, segmenters=(noisy, noisy), shard=(rank, 2)) for rank in (0, 1)]
    rows = [sorted(row for row in batch.source_ids.tolist()) for batch in whole if len(batch.indices) > 1]
    for batch, left, right in zip(whole, *halves, strict=True):
        if len(batch.indices) > 1:
            widest = batch.source_ids.shape[1]
            found = [[*row, *[0] * (widest - len(row))] for part in (left, right) for row in part.source_ids.tolist()]
            assert sorted(found) == sorted(batch.source_ids.tolist())
    assert rows


def test_masking_hides_fifteen_in_a_hundred() -> None:
    masking, rng = Masking(4, 5, 1000), np.random.default_rng(0)
    ids = rng.integers(5, 1000, 100_000)
    ids[::10] = 3  # special tokens are never hidden
    hidden, labels = masking.hide(ids, rng)
    chosen = labels != IGNORED
    assert not chosen[::10].any()
    assert chosen.sum() / 90_000 == pytest.approx(0.15, abs=0.005)
    assert np.array_equal(labels[chosen], ids[chosen])
    assert np.array_equal(hidden[~chosen], ids[~chosen])
    share = {name: float(part.mean()) for name, part in
             (("mask", hidden[chosen] == 4), ("same", hidden[chosen] == ids[chosen]))}  # fmt: skip
    assert share["mask"] == pytest.approx(0.8, abs=0.01)
    assert share["same"] == pytest.approx(0.1, abs=0.01)


def test_validation_hides_the_same_words_every_time_and_training_does_not() -> None:
    ids = Sequences.from_lists([[2, *range(5, 25), 3], [2, 5, 3]])
    masking = Masking(4, 5, 30)
    once, again = (list(masked_in_order(ids, masking, 1000, pad_id=0)) for _ in range(2))
    assert [batch.labels.tolist() for batch in once] == [batch.labels.tolist() for batch in again]
    assert all((batch.labels != IGNORED).any(dim=1).all() for batch in once)  # one word at least in every text
    stream = masked_training_batches(ids, masking, 1000, 0, pad_id=0)
    assert next(stream).labels.tolist() != next(stream).labels.tolist()
