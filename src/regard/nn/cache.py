"""Keys and values kept between decoding steps, so that each step projects only its own token; and learned ones."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

FIRST_ROOM = 16
"""Slots that a tree has room for at first; it doubles."""
MULTIPLE = 16
"""Of keys that attention looks at in a tree."""


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

    The hypotheses of a sentence share their beginnings: they are leaves of a tree. Each step opens a slot of the cache, with a
    cell for each hypothesis. A cell is written once, where it arises, and is never moved; what changes when hypotheses branch
    and die is one small table, descends[sentence, hypothesis, slot, cell], which is also the mask of their attention.

    Sentences may begin at different slots (`first`), so that a new one takes a place while the others go on. The methods
    change the tree in place, but for `spread`.
    """

    def __init__(
        self, descends: Bool[Tensor, "sentence beam slot cell"], first: Int[Tensor, " sentence"], length: int
    ) -> None:
        self.descends = descends
        self.first = first
        """The slot at which each sentence begins."""
        self.length = length
        """Slots open so far; the table has room for more."""

    @classmethod
    def planted(cls, num_sentences: int, device: torch.device) -> Tree:
        """A tree without slots, with one hypothesis for each sentence."""
        descends = torch.zeros(num_sentences, 1, FIRST_ROOM, 1, dtype=torch.bool, device=device)
        return cls(descends, torch.zeros(num_sentences, dtype=torch.long, device=device), 0)

    @property
    def num_beams(self) -> int:
        """How many hypotheses each sentence has."""
        return self.descends.shape[1]

    @property
    def num_cells(self) -> int:
        """How many cells a slot has; at least one for each hypothesis."""
        return self.descends.shape[3]

    @property
    def positions(self) -> Int[Tensor, "sentence beam"]:
        """The position of each hypothesis's newest token in its sentence, from 0."""
        return (self.length - 1 - self.first)[:, None].expand(-1, self.num_beams)

    @property
    def num_keys(self) -> int:
        """How many cells attention sees: those of all open slots, and empty ones up to a multiple that vectors like."""
        return min(-(-self.length * self.num_cells // MULTIPLE) * MULTIPLE, self.descends.shape[2] * self.num_cells)

    @property
    def mask(self) -> Bool[Tensor, "sentence 1 beam key"]:
        """True for the cells that a hypothesis descends from: what it may attend to."""
        return self.descends.flatten(2)[:, None, :, : self.num_keys]

    @property
    def distance(self) -> Int[Tensor, "beam key"]:
        """How far each cell's slot stands from the newest: not above 0, where there is something in it."""
        slots = torch.arange(self.num_keys, device=self.first.device) // self.num_cells
        return (slots - (self.length - 1)).clamp(max=0).expand(self.num_beams, -1)

    def open_slot(self) -> None:
        """One slot more, in which each hypothesis has a cell of its own."""
        if self.length == self.descends.shape[2]:
            self.descends = torch.cat((self.descends, torch.zeros_like(self.descends)), dim=2)
        own = torch.eye(self.num_beams, self.num_cells, dtype=torch.bool, device=self.first.device)
        self.descends[:, :, self.length] = own
        self.length += 1

    def follow(self, parents: Int[Tensor, "sentence beam"]) -> None:
        """Let each new hypothesis continue one of the present ones."""
        used = self.descends[:, :, : self.length]
        self.descends[:, :, : self.length] = used.gather(1, parents[:, :, None, None].expand_as(used))

    def spread(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> Tree:
        """A tree for some sentences, each with the hypotheses that go on, which may be more or fewer than before."""
        descends = self.descends[sentences[:, None], parents]
        wider = max(parents.shape[1] - self.num_cells, 0)
        return Tree(torch.nn.functional.pad(descends, (0, wider)), self.first[sentences], self.length)

    def replant(self, places: Int[Tensor, " place"], other: Tree, sentences: Int[Tensor, " place"]) -> int:
        """Let sentences of another tree take the places of ours, ending at our newest slot; the slot from which they fill."""
        start = self.length - other.length
        assert start >= 0
        assert other.descends.shape[1::2] == self.descends.shape[1::2]
        self.descends[places] = False
        self.descends[places, :, start : self.length] = other.descends[sentences, :, : other.length]
        self.first[places] = start + other.first[sentences]
        return start

    def forget_before(self, slot: int) -> None:
        """Drop the first slots."""
        self.length -= slot
        self.first -= slot
        self.descends[:, :, : self.length] = self.descends[:, :, slot : slot + self.length].clone()
        self.descends[:, :, self.length :] = False


class TreeKeysValues:
    """The keys and values of one attention in the cells of a tree. Its tensors are written in place."""

    step = 0
    """How far apart in position newer keys stand: the hypotheses of one step stand at the same position."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._key: Float[Tensor, "sentence head slot cell head_dim"] | None = None
        self._value: Float[Tensor, "sentence head slot cell value_dim"] | None = None

    @property
    def length(self) -> int:
        """The slot, and so the position, of the cells that are being filled."""
        return self.tree.length - 1

    def append(self, newer: KeysValues) -> KeysValues:
        """What is in all cells, after those of the newest slot have been filled, slot by slot."""
        self._key, self._value = (self._filled(*pair) for pair in ((self._key, newer.key), (self._value, newer.value)))
        return KeysValues(*(x.flatten(2, 3)[:, :, : self.tree.num_keys] for x in (self._key, self._value)))

    def spread(self, tree: Tree, sentences: Int[Tensor, " kept"]) -> TreeKeysValues:
        """The cells of some sentences, for the tree that `Tree.spread` made of them."""
        kept = TreeKeysValues(tree)
        if self._key is not None and self._value is not None:
            wider = tree.num_cells - self._key.shape[3]
            kept._key, kept._value = (
                torch.nn.functional.pad(x.index_select(0, sentences), (0, 0, 0, wider))
                for x in (self._key, self._value)
            )
        return kept

    def replant(
        self, places: Int[Tensor, " place"], other: TreeKeysValues, sentences: Int[Tensor, " place"], start: int
    ) -> None:
        """Fill places from slot `start` with sentences of another cache, as `Tree.replant` did."""
        for ours, theirs in ((self._key, other._key), (self._value, other._value)):
            assert ours is not None
            assert theirs is not None
            ours[places, :, start : self.tree.length] = theirs[sentences, :, : other.tree.length]

    def forget_before(self, slot: int) -> None:
        """Drop the first slots, which `Tree.forget_before` has dropped."""
        for x in (self._key, self._value):
            assert x is not None
            x[:, :, : self.tree.length] = x[:, :, slot : slot + self.tree.length].clone()

    def _filled(self, cells: Tensor | None, newer: Tensor) -> Tensor:
        """The cells with the newest slot written, and with as many slots as the tree has room for."""
        sentences, heads, beams, dim = newer.shape
        room = self.tree.descends.shape[2]
        if cells is None or cells.shape[2] < room:
            larger = newer.new_zeros(sentences, heads, room, self.tree.num_cells, dim)
            if cells is not None:
                larger[:, :, : cells.shape[2]] = cells
            cells = larger
        cells[:, :, self.length, :beams] = newer
        return cells


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
