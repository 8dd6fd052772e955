import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regard.data.selection as selection_module
from regard.data.selection import DataConfig, Selection, select_pairs
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import DataError, SettingsError

RNG = np.random.default_rng


def pairs_of(lengths: list[tuple[int, int]]) -> EncodedPairs:
    sources, targets = zip(*lengths, strict=True)
    return EncodedPairs(*(Sequences.from_lists([[5] * length for length in side]) for side in (sources, targets)))


def select(lengths: list[tuple[int, int]], sizes: list[int], **settings: object) -> tuple[Selection, list[str]]:
    names = [f"corpus {number}" for number in range(len(sizes))]
    return select_pairs(pairs_of(lengths), sizes, names, DataConfig(**settings), 10, [(1, 1)] * len(sizes))


def test_without_settings_an_epoch_is_every_pair_once() -> None:
    selection, notes = select([(3, 3)] * 7, [7])
    assert sorted(selection(RNG(1)).tolist()) == list(range(7))
    assert selection(RNG(1)).tolist() != selection(RNG(2)).tolist()
    assert selection(RNG(1)).dtype == np.int32
    assert notes == []


def test_filters_count_what_they_leave_out_and_say_why() -> None:
    lengths = [(3, 3), (11, 3), (3, 12), (2, 6), (6, 2), (2, 4), (9, 9)]  # with the end symbol
    selection, notes = select(lengths, [7], max_ratio=3)
    assert sorted(selection(RNG(0)).tolist()) == [0, 5, 6]
    assert notes == [
        "2 pairs of corpus 0 are over 10 tokens with the end symbol: left out",
        "2 pairs of corpus 0 have a side over 3.0 times as long as the other: left out",
    ]
    selection, notes = select(lengths, [7], max_tokens=8)
    assert sorted(selection(RNG(0)).tolist()) == [0, 3, 4, 5]
    assert notes == ["3 pairs of corpus 0 are over 8 tokens with the end symbol: left out"]
    with pytest.raises(
        DataError, match=r"corpus 1 must have pairs of at most 2 tokens with the end symbol; got none\."
    ):
        select([(2, 2), (3, 3)], [1, 1], max_tokens=2)


@given(sizes=st.lists(st.integers(1, 30), min_size=2, max_size=4), seed=st.integers(0, 5), data=st.data())
def test_weights_decide_how_often_each_corpus_is_drawn_from(sizes: list[int], seed: int, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.floats(0.1, 5), min_size=len(sizes), max_size=len(sizes)))
    selection, _ = select([(3, 3)] * sum(sizes), sizes, weights=weights)
    order = selection(RNG(seed))
    assert len(order) == sum(sizes)
    parts = np.digitize(order, np.cumsum(sizes))
    for part, (size, weight) in enumerate(zip(sizes, weights, strict=True)):
        drawn = order[parts == part]
        assert abs(len(drawn) - max(1, sum(sizes) * weight / sum(weights))) <= len(sizes)
        counts = np.bincount(drawn)[-size:]
        if len(drawn) >= size:  # as evenly as it goes
            assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("looked_at_once", [1 << 18, 7, 1])
def test_over_many_epochs_each_pair_of_a_corpus_is_drawn_as_often(
    looked_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection_module, "LOOKED_AT_ONCE", looked_at_once)
    selection, _ = select([(3, 3)] * 30, [20, 10], weights=[1, 5])
    drawn = np.stack([np.bincount(selection(RNG(seed)), minlength=30)[:20] for seed in range(2000)])
    assert (drawn.sum(axis=1) == 5).all()
    assert drawn.max() == 1
    mean, pairs = drawn.mean(axis=0), (drawn.T @ drawn / 2000)[~np.eye(20, dtype=bool)]
    np.testing.assert_allclose(mean, 5 / 20, atol=0.05)
    np.testing.assert_allclose(pairs, 5 / 20 * 4 / 19, atol=0.03)  # of two pairs, both in one epoch


def test_a_mixture_takes_8_bytes_for_each_pair() -> None:
    half = 1 << 22
    tracemalloc.start()
    selection = Selection(
        (np.arange(half, dtype=np.int32), np.arange(half, 2 * half, dtype=np.int32)), (half // 2, 3 * half // 2)
    )
    order = selection(RNG(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(order) == 2 * half
    assert peak < 8.1 * len(order) + 16 * selection_module.LOOKED_AT_ONCE


def test_temperature() -> None:
    plain, _ = select([(3, 3)] * 110, [100, 10])
    assert plain.quotas == (100, 10)
    warm, notes = select([(3, 3)] * 110, [100, 10], temperature=2)
    share = 10**0.5 / (10 + 10**0.5)
    assert warm.quotas == (round(110 * (1 - share)), round(110 * share))
    assert notes == ["an epoch is 76.4% corpus 0, 23.6% corpus 1"]


@pytest.mark.parametrize(
    ("sizes", "weights", "quotas"),
    [
        ([60, 40], [1, 1e6], (1, 99)),
        ([2, 1], [1, 1], (2, 1)),  # 1.5 each: 2 and 2
        ([1, 1, 1], [1, 1, 1e9], (1, 1, 1)),
        ([5, 5, 1], [3, 3, 3], (3, 4, 4)),  # 3.67 each: 4, 4 and 4
        ([50, 50], [1, 3], (25, 75)),
    ],
)
def test_an_epoch_has_as_many_pairs_as_all_corpora(
    sizes: list[int], weights: list[float], quotas: tuple[int, ...]
) -> None:
    selection, _ = select([(3, 3)] * sum(sizes), sizes, weights=weights)
    assert sum(selection.quotas) == sum(sizes)
    assert sorted(selection.quotas) == sorted(quotas)


def test_weights_that_are_none() -> None:
    for weights in ([1.0], [1.0, 0.0], [1.0, -2.0], [1.0, 2.0, 3.0]):
        with pytest.raises(SettingsError, match="must be a positive number for each corpus, 2 in all; got"):
            select([(3, 3)] * 4, [2, 2], weights=weights)
    with pytest.raises(SettingsError, match=r"`data\.weights` and `data\.temperature` .*remove one"):
        select([(3, 3)] * 4, [2, 2], weights=[1, 2], temperature=2)
