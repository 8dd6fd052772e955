"""The cells of a beam's cache, beside plain lists."""

import torch

from regard.nn.cache import ContiguousCache, KeysValues
from regard.nn.cache.beam_cache import CELLS, BeamCache

CPU = torch.device("cpu")


def grow(cache: BeamCache, written: torch.Tensor) -> KeysValues:
    """A step in which each hypothesis writes one number as its key and value."""
    cache.begin_step(cache.num_beams)
    newer = written[:, None, :, None].float()
    return cache.layers[0].append(KeysValues(newer, newer))


def history(cache: BeamCache, seen: KeysValues, sentence: int, beam: int) -> list[float]:
    """The numbers that a hypothesis ancestry from, oldest first."""
    mine = cache.ancestry[sentence, beam].nonzero()[:, 0]
    order = cache.step_of[sentence, mine].argsort()
    return seen.key[sentence, 0, mine[order], 0].tolist()


def test_a_hypothesis_sees_its_own_past_and_no_other() -> None:
    """Random branching for 40 steps, beside a plain list for each hypothesis."""
    generator = torch.Generator().manual_seed(1)
    cache = BeamCache(1, 3, CPU)
    expected = [[[]] for _ in range(3)]  # type: ignore[var-annotated]
    parents = torch.zeros(3, 5, dtype=torch.long)
    for step in range(40):
        beams = cache.num_beams
        written = torch.arange(3 * beams).view(3, beams) + 100 * step
        seen = grow(cache, written)
        expected = [
            [[*past, float(w)] for past, w in zip(*row, strict=True)]
            for row in zip(expected, written.tolist(), strict=True)
        ]
        for sentence in range(3):
            for beam in range(beams):
                assert history(cache, seen, sentence, beam) == expected[sentence][beam]
        assert cache.distance.max() == 0
        if step > 0:
            parents = torch.randint(0, 5, (3, 5), generator=generator)
        cache = cache.select(torch.arange(3), parents)
        expected = [[row[p] for p in chosen] for row, chosen in zip(expected, parents.tolist(), strict=True)]


def test_sentences_are_dropped_and_change_their_order() -> None:
    cache = BeamCache(1, 3, CPU)
    grow(cache, torch.tensor([[1], [2], [3]]))
    cache = cache.select(torch.tensor([2, 0]), torch.zeros(2, 2, dtype=torch.long))
    seen = grow(cache, torch.tensor([[10, 11], [20, 21]]))
    assert [history(cache, seen, i, j) for i in (0, 1) for j in (0, 1)] == [[3, 10], [3, 11], [1, 20], [1, 21]]


def test_cells_without_descendants_are_filled_anew() -> None:
    cache = BeamCache(1, 2, CPU).select(torch.arange(2), torch.zeros(2, 5, dtype=torch.long))
    assert cache.num_cells == 2 * CELLS  # as hypotheses branch
    for _ in range(2 * CELLS - 5):
        cache.begin_step(5)
        cache.reorder(torch.zeros(2, 5, dtype=torch.long))  # the best hypothesis is the parent of all
    assert cache.num_cells == 2 * CELLS
    for _ in range(20):
        cache.begin_step(5)
    assert cache.num_cells > 2 * CELLS  # five that do not share need room


def test_a_sentence_takes_another_ones_slot() -> None:
    cache = BeamCache(1, 3, CPU)
    for step in range(4):
        grow(cache, torch.tensor([[1], [2], [3]]) + 10 * step)
    other = BeamCache(1, 2, CPU)
    grow(other, torch.tensor([[7], [8]]))
    cache = cache.replace(torch.tensor([2, 0]), other, torch.tensor([0, 1]))
    assert cache.positions.tolist() == [[0], [3], [0]]
    seen = grow(cache, torch.tensor([[50], [60], [70]]))
    assert [history(cache, seen, sentence, 0) for sentence in range(3)] == [[8, 50], [2, 12, 22, 32, 60], [7, 70]]
    assert cache.distance[0, 0, 0][cache.ancestry[0, 0]].sort().values.tolist() == [-1, 0]


def test_a_sentence_that_has_come_further_takes_a_slot() -> None:
    cache, other = BeamCache(1, 2, CPU), BeamCache(1, 1, CPU)
    grow(cache, torch.tensor([[1], [2]]))
    for step in range(CELLS + 3):  # with more cells, too
        grow(other, torch.tensor([[100 + step]]))
    cache = cache.replace(torch.tensor([0]), other, torch.tensor([0]))
    assert cache.positions.tolist() == [[CELLS + 2], [0]]
    seen = grow(cache, torch.tensor([[7], [8]]))
    assert history(cache, seen, 0, 0) == [*range(100, 103 + CELLS), 7]
    assert history(cache, seen, 1, 0) == [2, 8]
    assert cache.distance.min() == -(CELLS + 3)


def test_prompts_of_several_lengths_are_read_at_once() -> None:
    cache = BeamCache(1, 2, CPU)
    is_token = torch.tensor([[False, False, True], [True, True, True]])
    (layer,) = cache.begin_prefill(is_token)
    keys = torch.arange(6.0).view(2, 1, 3, 1)
    assert layer.append(KeysValues(keys, keys)).key is keys
    assert layer.first.tolist() == [-2, 0]  # type: ignore[union-attr]
    assert cache.positions.tolist() == [[0], [2]]
    seen = grow(cache, torch.tensor([[10], [20]]))
    assert [history(cache, seen, sentence, 0) for sentence in (0, 1)] == [[2, 10], [3, 4, 5, 20]]
    assert cache.positions.tolist() == [[1], [3]]


def test_a_contiguous_cache_counts_on() -> None:
    none = torch.zeros(2, 1, 0, 3)
    cache = ContiguousCache([KeysValues(none, none)])
    assert cache.begin_step(2).tolist() == [[0, 1], [0, 1]]
    newer = torch.randn(2, 1, 2, 3)
    assert cache.layers[0].first == 0
    cache.layers[0].append(KeysValues(newer, newer))
    assert cache.begin_step(1).tolist() == [[2], [2]]
    assert (cache.length, cache.layers[0].first, cache.tensors[0].shape) == (2, 2, (2, 1, 2, 3))
