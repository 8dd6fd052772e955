"""The tree of a beam's cells."""

import torch

from regard.nn.cache import CELLS, KeysValues, Tree, TreeKeysValues


def grow(tree: Tree, cells: TreeKeysValues, written: torch.Tensor) -> KeysValues:
    """A step in which each hypothesis writes one number as its key and value."""
    tree.take_step()
    newer = written[:, None, :, None].float()
    return cells.append(KeysValues(newer, newer))


def history(tree: Tree, seen: KeysValues, sentence: int, beam: int) -> list[float]:
    """The numbers that a hypothesis descends from, oldest first."""
    mine = tree.descends[sentence, beam].nonzero()[:, 0]
    order = tree.step_of[sentence, mine].argsort()
    return seen.key[sentence, 0, mine[order], 0].tolist()


def test_a_hypothesis_sees_its_own_past_and_no_other() -> None:
    """Random branching for 40 steps, beside a plain list for each hypothesis."""
    generator = torch.Generator().manual_seed(1)
    tree = Tree.empty(3, torch.device("cpu"))
    cells = TreeKeysValues(tree)
    expected = [[[]] for _ in range(3)]  # type: ignore[var-annotated]
    parents = torch.zeros(3, 5, dtype=torch.long)
    for step in range(40):
        beams = tree.num_beams
        written = torch.arange(3 * beams).view(3, beams) + 100 * step
        seen = grow(tree, cells, written)
        expected = [
            [[*past, float(w)] for past, w in zip(*row, strict=True)]
            for row in zip(expected, written.tolist(), strict=True)
        ]
        for sentence in range(3):
            for beam in range(beams):
                assert history(tree, seen, sentence, beam) == expected[sentence][beam]
        assert tree.distance.max() == 0
        if step == 0:
            tree = tree.select(torch.arange(3), parents)
            cells = cells.select(tree, torch.arange(3))
        else:
            parents = torch.randint(0, 5, (3, 5), generator=generator)
            tree.reorder(parents)
        expected = [[row[p] for p in chosen] for row, chosen in zip(expected, parents.tolist(), strict=True)]


def test_cells_without_descendants_are_filled_anew() -> None:
    tree = Tree.empty(2, torch.device("cpu")).select(torch.arange(2), torch.zeros(2, 5, dtype=torch.long))
    for _ in range(CELLS - 5):
        tree.take_step()
        tree.reorder(torch.zeros(2, 5, dtype=torch.long))  # the best hypothesis is the parent of all
    assert tree.num_cells == CELLS
    for _ in range(20):
        tree.take_step()
    assert tree.num_cells > CELLS  # five that do not share need room


def test_a_sentence_takes_another_ones_place() -> None:
    tree, cells = Tree.empty(3, torch.device("cpu")), None
    cells = TreeKeysValues(tree)
    for step in range(4):
        seen = grow(tree, cells, torch.tensor([[1], [2], [3]]) + 10 * step)
    other = Tree.empty(2, torch.device("cpu"))
    others = TreeKeysValues(other)
    grow(other, others, torch.tensor([[7], [8]]))
    tree.insert(torch.tensor([2, 0]), other, torch.tensor([0, 1]))
    cells.insert(torch.tensor([2, 0]), others, torch.tensor([0, 1]))
    assert tree.positions.tolist() == [[0], [3], [0]]
    seen = grow(tree, cells, torch.tensor([[50], [60], [70]]))
    assert [history(tree, seen, sentence, 0) for sentence in range(3)] == [[8, 50], [2, 12, 22, 32, 60], [7, 70]]
    assert tree.distance[0, 0, 0][tree.descends[0, 0]].sort().values.tolist() == [-1, 0]
