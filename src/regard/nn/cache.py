"""Keys and values kept between decoding steps, so that each step projects only its own token; and learned ones."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

CELLS = 32
"""Cells that a sentence has at first, and that are added where they do not do: what vectors like."""


class KeysValues(NamedTuple):
    """The projected keys and values of one attention: the database that queries look up."""

    key: Float[Tensor, "batch head key head_dim"]
    value: Float[Tensor, "batch head key value_dim"]

    @property
    def length(self) -> int:
        """How many keys there are: the position of the next."""
        return self.key.shape[2]

    @property
    def step(self) -> int:
        """How far apart in position newer keys stand."""
        return 1

    def append(self, newer: KeysValues) -> KeysValues:
        """These keys and values, followed by newer ones."""
        return KeysValues(torch.cat((self.key, newer.key), 2), torch.cat((self.value, newer.value), 2))

    def select(self, rows: Int[Tensor, " row"]) -> KeysValues:
        """The keys and values of some rows of the batch, in the order given."""
        return KeysValues(self.key.index_select(0, rows), self.value.index_select(0, rows))


class Tree:
    """Which cells of a cache each hypothesis of a search descends from.

    The hypotheses of a sentence share their beginnings: they are leaves of a tree. Each step fills a cell for each hypothesis,
    which is then never moved; what changes when hypotheses branch and die is one small table, descends[sentence, hypothesis,
    cell], which is also the mask of their attention. A cell from which nobody descends any more is filled anew, so that a
    sentence needs few more cells than it has tokens.

    Sentences may begin at different steps (`first`), so that a new one takes a slot while the others go on. The methods
    change the tree in place, but for `select`.
    """

    def __init__(
        self,
        descends: Bool[Tensor, "sentence beam cell"],
        step_of: Int[Tensor, "sentence cell"],
        first: Int[Tensor, " sentence"],
        length: int,
    ) -> None:
        self.descends = descends
        self.step_of = step_of
        """The step at which each cell was filled."""
        self.first = first
        """The step at which each sentence began."""
        self.length = length
        """Steps taken so far."""
        self.newest: Int[Tensor, "sentence beam"] = first.new_zeros(len(first), 0)
        """The cells of the newest step."""
        self.rows: Int[Tensor, "sentence 1"] = torch.arange(len(first), device=first.device)[:, None]
        """The number of each sentence, to index with."""

    @classmethod
    def empty(cls, num_sentences: int, device: torch.device) -> Tree:
        """A tree before the first step, with one hypothesis for each sentence."""
        descends = torch.zeros(num_sentences, 1, CELLS, dtype=torch.bool, device=device)
        step_of = torch.zeros(num_sentences, CELLS, dtype=torch.long, device=device)
        return cls(descends, step_of, step_of[:, 0].clone(), 0)

    @property
    def num_beams(self) -> int:
        """How many hypotheses each sentence has."""
        return self.descends.shape[1]

    @property
    def num_cells(self) -> int:
        """How many cells each sentence has, free ones included: a multiple of what vectors like."""
        return self.descends.shape[2]

    @property
    def positions(self) -> Int[Tensor, "sentence beam"]:
        """The position of each hypothesis's newest token in its sentence, from 0."""
        return (self.length - 1 - self.first)[:, None].expand(-1, self.num_beams)

    @property
    def mask(self) -> Bool[Tensor, "sentence 1 beam cell"]:
        """True for the cells that a hypothesis descends from: what it may attend to."""
        return self.descends[:, None]

    @property
    def distance(self) -> Int[Tensor, "sentence 1 beam cell"]:
        """How far before the newest step each cell was filled, as a number that is not positive; 0 for free cells."""
        distance = (self.step_of - (self.length - 1)) * self.descends.any(dim=1)
        return distance[:, None, None].expand(-1, -1, self.num_beams, -1)

    def take_step(self) -> None:
        """A cell more for each hypothesis, the first that are free."""
        is_free = ~self.descends.any(dim=1)
        if int(is_free.sum(dim=1).min()) < self.num_beams:
            more = -(-self.num_beams // CELLS) * CELLS
            self.descends, self.step_of, is_free = (
                pad(x, (0, more), value=value)
                for x, value in ((self.descends, False), (self.step_of, 0), (is_free, True))
            )
        self.newest = is_free.int().sort(dim=1, descending=True, stable=True).indices[:, : self.num_beams]
        self.descends.scatter_(2, self.newest[:, :, None], True)
        self.step_of.scatter_(1, self.newest, self.length)
        self.length += 1

    def reorder(self, parents: Int[Tensor, "sentence beam"]) -> None:
        """Let each new hypothesis continue one of the present ones."""
        self.descends = self.descends.gather(1, parents[:, :, None].expand(-1, -1, self.num_cells))

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> Tree:
        """A tree for some sentences, each with the hypotheses that go on, which may be more or fewer than before."""
        descends = self.descends[sentences[:, None], parents]
        return Tree(descends, self.step_of[sentences], self.first[sentences], self.length)

    def release(self, slots: Int[Tensor, " slot"]) -> None:
        """Let the sentences in some slots begin anew, with nothing behind them."""
        self.descends[slots] = False
        self.first[slots] = self.length

    def insert(self, slots: Int[Tensor, " slot"], other: Tree, sentences: Int[Tensor, " slot"]) -> None:
        """Let sentences of another tree, with as many hypotheses, take the slots of ours, their newest step being ours."""
        assert other.num_beams == self.num_beams
        missing = other.num_cells - self.num_cells
        if missing > 0:
            self.descends, self.step_of = pad(self.descends, (0, missing)), pad(self.step_of, (0, missing))
        later = self.length - other.length
        self.descends[slots] = False
        self.descends[slots, :, : other.num_cells] = other.descends[sentences]
        self.step_of[slots, : other.num_cells] = other.step_of[sentences] + later
        self.first[slots] = other.first[sentences] + later


class TreeKeysValues:
    """The keys and values of one attention in the cells of a tree. Its tensors are written in place."""

    step = 0
    """How far apart in position newer keys stand: the hypotheses of one step stand at the same position."""

    def __init__(self, tree: Tree, cells: Float[Tensor, "2 sentence head cell head_dim"] | None = None) -> None:
        self.tree = tree
        self._cells = cells
        """Keys, then values, in one tensor, so that both are written at once."""

    @property
    def length(self) -> int:
        """The step whose cells are being filled: their position, too, in sentences that began at the first step."""
        return self.tree.length - 1

    def append(self, newer: KeysValues) -> KeysValues:
        """What is in all cells, after those of the newest step have been filled. Keys are as wide as values."""
        return self.write(torch.stack([x.transpose(1, 2) for x in newer], dim=2))

    def write(self, newer: Float[Tensor, "sentence beam 2 head head_dim"]) -> KeysValues:
        """As `append`, with keys and values in one tensor."""
        cells = self._with_room((newer.shape[3], newer.shape[4]), newer)
        cells[:, self.tree.rows, :, self.tree.newest] = newer
        return KeysValues(cells[0], cells[1])

    def select(self, tree: Tree, sentences: Int[Tensor, " kept"]) -> TreeKeysValues:
        """The cells of some sentences, for the tree that `Tree.select` made of them."""
        return TreeKeysValues(tree, None if self._cells is None else self._cells.index_select(1, sentences))

    def insert(self, slots: Int[Tensor, " slot"], other: TreeKeysValues, sentences: Int[Tensor, " slot"]) -> None:
        """Fill slots with sentences of another cache, as `Tree.insert` did."""
        theirs = other._cells
        assert theirs is not None
        ours = self._with_room((theirs.shape[2], theirs.shape[4]), theirs)
        ours[:, slots, :, : theirs.shape[3]] = theirs[:, sentences]

    def _with_room(self, sizes: tuple[int, int], like: Tensor) -> Tensor:
        """The cells, as many as the tree has, for so many heads of such a width."""
        if self._cells is None:
            self._cells = like.new_zeros(2, len(self.tree.first), sizes[0], self.tree.num_cells, sizes[1])
        missing = self.tree.num_cells - self._cells.shape[3]
        if missing:
            self._cells = pad(self._cells, (0, 0, 0, missing))
        return self._cells


class LearnedPrefix(nn.Module):
    """Learned keys and values that stand before everything else, the same for each example: prefix tuning.

    Called with a batch size, it gives the `past` of a `MultiHeadAttention`. A mask must then allow for these keys: see
    `mask_with_prefix`. Positions count on from them, as after cached keys.

    Args:
        num_positions: how many.
        num_heads: the attention's `num_kv_heads`.
    Source: Li and Liang 2021, section 4.2, without the reparametrisation of section 4.3.
    """

    def __init__(self, num_positions: int, num_heads: int, head_dim: int) -> None:
        super().__init__()
        self.key = nn.Parameter(torch.randn(num_heads, num_positions, head_dim) * 0.02)
        self.value = nn.Parameter(torch.randn(num_heads, num_positions, head_dim) * 0.02)

    def forward(self, batch_size: int) -> KeysValues:
        """The prefix, once for each example."""
        return KeysValues(*(x.expand(batch_size, *x.shape) for x in (self.key, self.value)))
