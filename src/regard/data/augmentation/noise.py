"""Noise in sources: tokens left out, hidden and moved at random, anew each time a pair is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

FARTHEST = 3
"""The farthest that a token is moved, in places."""


@dataclass(frozen=True)
class Noise:
    """Noise in the sources of some corpora.

    Each token is left out with a probability, or becomes the unknown token with the same probability; what is left is put in
    another order, in which no token is more than `FARTHEST` places from its own. Targets stay as they are.

    Args:
        shares: the probability for each corpus, from 0 up to, not including, 0.5; 0: no noise.
        ends: the number of the first pair after each corpus, in their order.
        unk_id: what hidden tokens become.
        num_begin: symbols before each source, which stay.
        num_end: symbols after it, which stay.
        tags: ids that stay where a source begins with them.
    Source: Edunov et al. 2018, section 3 ("beam+noise"); Lample et al. 2018, section 3.
    """

    shares: tuple[float, ...]
    ends: np.ndarray
    unk_id: int
    num_begin: int = 0
    num_end: int = 1
    tags: Collection[int] = ()

    def __call__(self, ids: Sequence[int], row: int, random: Random) -> list[int]:
        """The ids of a source with noise; at least one of its tokens is left.

        Args:
            row: the number of the pair among all corpora.
        """
        share = self.shares[int(np.searchsorted(self.ends, row, side="right"))]
        first, last = self.num_begin, len(ids) - self.num_end
        if not share or first >= last:
            return list(ids)
        first += ids[first] in self.tags
        inner = list(ids[first:last])
        drawn = [(id, random.random()) for id in inner]
        kept = [self.unk_id if value < 2 * share else id for id, value in drawn if value >= share]
        places = [place + random.uniform(0, FARTHEST + 1) for place in range(len(kept))]
        moved = [id for _, id in sorted(zip(places, kept, strict=True), key=lambda pair: pair[0])]
        return [*ids[:first], *(moved or inner[:1]), *ids[last:]]
