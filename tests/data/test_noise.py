"""Noise in sources and tags before them."""

import itertools
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from regard.data.augmentation.concatenation import Concatenation
from regard.data.augmentation.noise import FARTHEST, Noise
from regard.data.batching import Epochs, training_batches
from regard.data.corpus import ParallelText, TaggedCorpus
from regard.data.selection import per_corpus
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import SettingsError

UNKNOWN = 1


def noise(share: float, **choices: int) -> Noise:
    return Noise((0.0, share), np.array([2, 1000]), UNKNOWN, **choices)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.3])
def test_as_many_are_left_out_and_hidden_as_asked_for(share: float) -> None:
    ids = [*range(100, 140), 3]
    found = Counter[str]()
    for seed in range(400):
        changed = noise(share)(ids, 5, Random(seed))
        assert changed[-1] == 3
        found["hidden"] += changed.count(UNKNOWN)
        found["out"] += len(ids) - len(changed)
        assert set(changed) <= {*ids, UNKNOWN}
    total = 400 * 40
    assert found["out"] / total == pytest.approx(share, abs=0.02)
    assert found["hidden"] / total == pytest.approx(share, abs=0.02)


def test_no_token_moves_farther_than_it_may() -> None:
    ids = [*range(100, 140), 3]
    moved = 0
    for seed in range(200):
        changed = noise(1e-9)(ids, 5, Random(seed))
        assert sorted(changed) == sorted(ids)
        distances = [abs(changed.index(id) - place) for place, id in enumerate(ids)]
        assert max(distances) <= FARTHEST
        moved += sum(distance > 0 for distance in distances)
    assert moved > 200 * 10


def test_symbols_and_tags_stay_and_something_is_left() -> None:
    tagged = noise(0.45, num_begin=1)
    tagged = Noise(tagged.shares, tagged.ends, UNKNOWN, 1, 1, {77})
    for seed in range(200):
        changed = tagged([2, 77, 100, 101, 102, 3], 5, Random(seed))
        assert changed[:2] == [2, 77]
        assert changed[-1] == 3
        assert len(changed) >= 4
    assert noise(0.4)([3], 5, Random(0)) == [3]
    assert len(noise(0.49)([100, 3], 5, Random(1))) == 2


def test_each_corpus_has_its_own() -> None:
    ids = [*range(100, 110), 3]
    assert noise(0.3)(ids, 0, Random(0)) == ids
    assert noise(0.3)(ids, 1, Random(0)) == ids
    assert noise(0.3)(ids, 2, Random(0)) != ids


def test_a_pair_is_read_otherwise_in_each_epoch_and_alike_in_two_runs() -> None:
    rows = [[*range(100 + row, 112 + row), 3] for row in range(6)]
    pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))

    def read(start: tuple[int, int] = (0, 0)) -> list[tuple[list[int], list[list[int]], list[list[int]]]]:
        epochs = Epochs(noise=Noise((0.2,), np.array([6]), UNKNOWN))
        batches = training_batches(pairs, 40, 1, epochs, pad_id=0, start_ids=[2], start=start)
        return [
            (batch.indices, batch.source_ids.tolist(), batch.labels.tolist()) for batch in itertools.islice(batches, 6)
        ]

    found = read()
    assert found == read()
    assert read((1, 0))[:4] == found[2:]
    by_row = [dict(zip(indices, sources, strict=True)) for indices, sources, _ in found]
    first, second = ({row: ids for part in half for row, ids in part.items()} for half in (by_row[:2], by_row[2:4]))
    assert first.keys() == second.keys()
    assert all([id for id in first[row] if id] != [id for id in second[row] if id] for row in first)
    for indices, _, labels in found:
        assert labels == [rows[index] for index in indices]


@pytest.mark.parametrize("segmenters", [None, (lambda ids, _: ids, lambda ids, _: ids)])
def test_each_part_of_a_joined_pair_has_the_noise_of_its_corpus_and_its_tag(segmenters: Any) -> None:
    """Pairs 0 to 9 are clean, 10 to 19 noisy and tagged; all tokens of a source tell its number."""
    begin, tag, end, num_tokens = 2, 77, 3, 12
    words = [[100 * (row + 1) + place for place in range(num_tokens)] for row in range(20)]
    sources = [[begin, *[tag] * (row >= 10), *ids, end] for row, ids in enumerate(words)]
    pairs = EncodedPairs(Sequences.from_lists(sources), Sequences.from_lists([[900 + row, end] for row in range(20)]))
    noise = Noise((0.0, 0.3), np.array([10, 20]), UNKNOWN, 1, 1, {tag})
    epochs = Epochs(None, Concatenation(pairs, 1.0, 100, num_begin=1), segmenters, noise)
    batches = training_batches(pairs, 200, 1, epochs, pad_id=0, start_ids=[begin])
    found = Counter[str]()
    for batch in itertools.islice(batches, 60):
        for ids, labels in zip(batch.source_ids.tolist(), batch.labels.tolist(), strict=True):
            rows, rest = [label - 900 for label in labels if label >= 900], [id for id in ids if id]
            assert (rest[0], rest[-1], len(rows)) == (begin, end, 2)
            rest = rest[1:-1]
            for row in rows:
                if row < 10:
                    assert rest[:num_tokens] == words[row]
                    rest = rest[num_tokens:]
                    continue
                assert rest[0] == tag
                part = [*itertools.takewhile({*words[row], UNKNOWN}.__contains__, rest[1:])]
                rest = rest[1 + len(part) :]
                found.update(read=num_tokens, hidden=part.count(UNKNOWN), out=num_tokens - len(part))
            assert not rest
    assert found["read"] > 1000
    assert [found["hidden"] / found["read"], found["out"] / found["read"]] == pytest.approx([0.3, 0.3], abs=0.05)


def test_tags_come_before_sources() -> None:
    text = ParallelText(["a b", "c"], ["x", "y"], "pairs")
    tagged = TaggedCorpus(text, "<bt>")
    assert [pair[1:3] for pair in tagged.numbered()] == [("<bt> a b", "x"), ("<bt> c", "y")]
    assert (tagged.num_lines, tagged.name) == (2, "pairs")
    assert len({tagged.digest, text.digest, TaggedCorpus(text, "<x>").digest}) == 3


def test_a_value_for_each_corpus() -> None:
    assert per_corpus("noise", None, 3, 0.0) == [0.0] * 3
    assert per_corpus("noise", [0.1, 0.2], 2, 0.0) == [0.1, 0.2]
    with pytest.raises(SettingsError, match=r"data\.noise must have a value for each corpus, 3 in all; got \[0\.1\]"):
        per_corpus("noise", [0.1], 3, 0.0)
