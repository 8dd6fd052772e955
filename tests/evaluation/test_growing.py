"""Two alignments joined, against grow-diag as Koehn et al. 2005 write it down, on many random pairs."""

import random

import pytest

from regard.evaluation.alignment_error import Link, symmetrized

NEIGHBOURING = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grow_diag(forward: set[Link], backward: set[Link], size: int) -> set[Link]:
    """Word by word, each link that is there by then; until a whole pass adds none."""
    alignment = forward & backward
    while True:
        before = len(alignment)
        for e in range(size):
            for f in range(size):
                if (e, f) not in alignment:
                    continue
                for down, across in NEIGHBOURING:
                    e_new, f_new = e + down, f + across
                    e_is_new = all(e_new != link[0] for link in alignment)
                    f_is_new = all(f_new != link[1] for link in alignment)
                    if (e_is_new or f_is_new) and (e_new, f_new) in forward | backward:
                        alignment.add((e_new, f_new))
        if len(alignment) == before:
            return alignment


@pytest.mark.parametrize("seed", range(4))
def test_grow_diag_is_koehns(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        size = rng.randint(2, 7)
        forward, backward = (
            {(rng.randrange(size), rng.randrange(size)) for _ in range(rng.randint(1, 2 * size))} for _ in range(2)
        )
        grown = grow_diag(forward, backward, size)
        assert symmetrized(forward, backward, "grow-diag") == sorted(grown)
        for direction in (forward, backward):
            for e in range(size):
                for f in range(size):
                    is_free = all(e != link[0] and f != link[1] for link in grown)
                    if is_free and (e, f) in direction:
                        grown.add((e, f))
        assert symmetrized(forward, backward, "grow-diag-final-and") == sorted(grown)
