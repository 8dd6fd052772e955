"""The cache of a beam: hypotheses that share their beginnings, branch and end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from regard.nn.cache.decoder_cache import DecoderCache, Memory, NoCache
from regard.nn.cache.keys_values import KeysValues

CELLS = 32
"""The number of cells of a sentence is a multiple of this, for vector instructions."""


class BeamCache(DecoderCache):
    """Keys and values of hypotheses that share their beginnings: the leaves of a tree.

    Each step fills a cell for each hypothesis, which is then never moved. What changes when hypotheses branch and die is one
    small table, ancestry[sentence, hypothesis, cell], which is also the mask of their attention. A cell that no
    hypothesis descends from any more is filled anew, so that a sentence needs few more cells than it has tokens.

    Sentences may begin at different steps, so that a new one takes a slot while the others go on.

    All tables are on the CPU, wherever the model is: what changes in them at each step is known here, and a GPU that was asked
    would have to be waited for. Layers are given copies on their device, and so is `step_states`.

    Args:
        num_sentences: each has one hypothesis at first.
        device: of the model, and so of keys and values.
        memory: of each layer; None in a decoder-only model.
    """

    def __init__(
        self, num_layers: int, num_sentences: int, device: torch.device, memory: Sequence[Memory] | None = None
    ) -> None:
        self.device = device
        self.memory = [None] * num_layers if memory is None else list(memory)
        self.layers: list[BeamLayer] = [BeamLayer(self) for _ in range(num_layers)]
        self.ancestry: Bool[Tensor, "sentence beam cell"] = torch.zeros(num_sentences, 1, CELLS, dtype=torch.bool)
        self.step_of: Int[Tensor, "sentence cell"] = torch.zeros(num_sentences, CELLS, dtype=torch.long)
        """The step at which each cell was filled."""
        self.first_step: Int[Tensor, " sentence"] = self.step_of[:, 0].clone()
        """The step at which each sentence began."""
        self.rows: Int[Tensor, "sentence 1"] = torch.arange(num_sentences)[:, None]
        """The number of each sentence, to index with."""
        self._length = 0
        self.newest: Int[Tensor, "sentence beam"] = self.step_of[:, :0]
        """The cells of the newest step."""
        self._copies: dict[str, Tensor] = {}
        """The positions of this step, on the device."""

    @property
    def length(self) -> int:
        """Steps taken so far."""
        return self._length

    @property
    def num_beams(self) -> int:
        """The number of hypotheses of each sentence."""
        return self.ancestry.shape[1]

    @property
    def num_cells(self) -> int:
        """The number of cells of each sentence, free ones included."""
        return self.ancestry.shape[2]

    @property
    def mask(self) -> Bool[Tensor, "sentence 1 beam cell"]:
        """True for the cells that a hypothesis descends from: what it may attend to."""
        return self._copy("mask", lambda: self.ancestry[:, None])

    @property
    def positions(self) -> Int[Tensor, "sentence beam"]:
        """The position of each hypothesis's newest token in its sentence, from 0."""
        newest = self._length - 1
        return self._copy("positions", lambda: (newest - self.first_step)[:, None].expand(-1, self.num_beams))

    @property
    def places(self) -> tuple[Int[Tensor, "sentence 1"], Int[Tensor, "sentence beam"]]:
        """The sentence and the cell of each newest token, to index with."""
        return self._copy("rows", lambda: self.rows), self._copy("newest", lambda: self.newest)

    def _copy(self, name: str, table: Callable[[], Tensor]) -> Tensor:
        """A table on the device: made once a step. Where the model is on the CPU, the table itself."""
        if self.device.type == "cpu":
            return table()
        if name not in self._copies:
            self._copies[name] = table().to(self.device, non_blocking=True)
        return self._copies[name]

    @property
    def distance(self) -> Int[Tensor, "sentence 1 beam cell"]:
        """The distance of each cell before the last step, as a number that is not positive; 0 for free cells."""
        if "distance" not in self._copies:
            distance = (self.step_of - (self._length - 1)) * self.ancestry.any(dim=1)
            distance = distance[:, None, None].to(self.device, non_blocking=True)
            self._copies["distance"] = distance.expand(-1, -1, self.num_beams, -1)
        return self._copies["distance"]

    def begin_step(self, width: int) -> Int[Tensor, "sentence beam"]:
        """A cell more for each hypothesis, the first that are free; their positions."""
        assert width == self.num_beams
        is_free = ~self.ancestry.any(dim=1)
        if int(is_free.sum(dim=1).min()) < width:
            self.add_cells(width)
            is_free = ~self.ancestry.any(dim=1)
        if width == 1:
            self.newest = is_free.int().argmax(dim=1, keepdim=True)
        else:
            self.newest = is_free.int().sort(dim=1, descending=True, stable=True).indices[:, :width]
        self.ancestry.scatter_(2, self.newest[:, :, None], True)
        self.step_of.scatter_(1, self.newest, self._length)
        self.note_steps(self.newest, 1)
        return self.positions

    def note_steps(self, newest: Int[Tensor, "sentence beam"], count: int) -> None:
        """Finish `begin_step`, or several, after another has found free cells and written them into `ancestry` and `step_of`."""
        self.newest = newest
        self._length += count
        self._copies.clear()

    def begin_prefill(self, is_token: Bool[Tensor, "sentence position"]) -> list[PrefillLayer]:
        """Make room for several tokens of each sentence at once, before the first step: what layers take in place of `layers`.

        Args:
            is_token: False for padding, which must stand on the left.
        """
        assert self._length == 0
        is_token = is_token.cpu()
        width = is_token.shape[1]
        if width > self.num_cells:
            self.add_cells(width - self.num_cells)
        self.ancestry[:, 0, :width] = is_token
        self.step_of[:, :width] = torch.arange(width)
        self.first_step = width - is_token.sum(dim=1)
        self.newest = self.step_of[:, :width]
        self._length = width
        self._copies.clear()
        padded = bool((~is_token).any())
        mask = is_token[:, None, None].to(self.device) if padded else None
        first: int | Tensor = -self.first_step.to(self.device) if padded else 0
        return [PrefillLayer(layer, mask, causal=True, first=first) for layer in self.layers]

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> BeamCache:
        """The cache of some sentences, with the selected hypotheses of each. If all stay, it changes in place.

        Args:
            sentences: which sentences stay, as indices into the present ones.
            parents: for each of them, which of its present hypotheses each new one continues.
        """
        sentences, parents = sentences.cpu(), parents.cpu()
        stay = torch.equal(sentences, self.rows[:, 0])
        self._copies.clear()
        if stay and parents.shape[1] == self.num_beams:
            self.reorder(parents)
            return self
        kept = BeamCache(len(self.layers), len(sentences), self.device, self._memory_of(None if stay else sentences))
        kept.ancestry = self.ancestry[sentences[:, None], parents]
        kept.step_of, kept.first_step, kept._length = self.step_of[sentences], self.first_step[sentences], self._length
        if parents.shape[1] > self.num_beams:  # before the first step: hypotheses that branch fill more cells than one
            kept.add_cells(CELLS)
        for ours, theirs in zip(kept.layers, self.layers, strict=True):
            ours.cells = None if theirs.cells is None else theirs.cells.index_select(1, sentences.to(self.device))
            ours.state = theirs.state_of(sentences, parents)
        return kept

    def reorder(self, parents: Int[Tensor, "sentence beam"]) -> None:
        """Let each new hypothesis continue one of the present ones."""
        self.ancestry = self.ancestry.gather(1, parents[:, :, None].expand(-1, -1, self.num_cells))
        for layer in self.layers:
            layer.state = layer.state_of(self.rows[:, 0], parents)

    def release(self, slots: Int[Tensor, " slot"]) -> BeamCache:
        """Let the sentences in some slots begin anew, with nothing behind them."""
        slots = slots.cpu()
        self.ancestry[slots] = False
        self.first_step[slots] = self._length
        self._copies.clear()
        for layer in self.layers:
            layer.replace_state(slots, None)
        return self

    def replace(self, slots: Int[Tensor, " slot"], other: BeamCache, sentences: Int[Tensor, " slot"]) -> BeamCache:
        """Replace slots by sentences of another cache with the same number of hypotheses, aligned at the newest step."""
        assert other.num_beams == self.num_beams
        slots, sentences = slots.cpu(), sentences.cpu()
        if other.num_cells > self.num_cells:
            self.add_cells(other.num_cells - self.num_cells)
        later = self._length - other._length
        if later < 0:  # steps are counted from 0, so ours move
            self.step_of, self.first_step, self._length = self.step_of - later, self.first_step - later, other._length
            later = 0
        self.ancestry[slots] = False
        self.ancestry[slots, :, : other.num_cells] = other.ancestry[sentences]
        self.step_of[slots, : other.num_cells] = other.step_of[sentences] + later
        self.first_step[slots] = other.first_step[sentences] + later
        self._copies.clear()
        for ours, theirs in zip(self.layers, other.layers, strict=True):
            ours.replace(slots, theirs, sentences)
        self._replace_memory(slots, other, sentences)
        return self

    def add_cells(self, count: int) -> None:
        """Give each sentence at least this many more cells."""
        more = -(-count // CELLS) * CELLS
        self.ancestry, self.step_of = pad(self.ancestry, (0, more)), pad(self.step_of, (0, more))

    def _memory_of(self, sentences: Int[Tensor, " kept"] | None) -> list[Memory] | None:
        """The memory of some sentences; None: of all."""
        known = [layer for layer in self.memory if layer is not None]
        if not known or sentences is None:
            return known or None
        sentences = sentences.to(self.device)
        mask = known[0].mask.index_select(0, sentences)
        return [Memory(KeysValues(*(x.index_select(0, sentences) for x in layer.keys_values)), mask) for layer in known]

    def _replace_memory(self, slots: Int[Tensor, " slot"], other: BeamCache, sentences: Int[Tensor, " slot"]) -> None:
        ours = [layer for layer in self.memory if layer is not None]
        theirs = [layer for layer in other.memory if layer is not None]
        if not ours:
            return
        mask, newer = ours[0].mask, theirs[0].mask
        width = max(_used_width(mask, slots), newer.shape[-1])
        mask = _as_wide(mask, width, -1)
        mask[slots] = False
        mask[slots, :, :, : newer.shape[-1]] = newer[sentences]
        memory = []
        for our_layer, their_layer in zip(ours, theirs, strict=True):
            parts = []
            for x, y in zip(our_layer.keys_values, their_layer.keys_values, strict=True):
                x = _as_wide(x, width, -2)
                x[slots, :, : y.shape[2]] = y[sentences]
                parts.append(x)
            memory.append(Memory(KeysValues(*parts), mask))
        self.memory = memory


class BeamLayer:
    """The keys and values of one layer in the cells of a `BeamCache`. They are written in place."""

    causal = False
    step = 0

    def __init__(self, cache: BeamCache) -> None:
        self.cache = cache
        self.cells: Float[Tensor, "2 sentence head cell head_dim"] | None = None
        """Keys, then values, in one tensor, so that both are written at once. The narrower of them are filled up with zeros."""
        self.state: Float[Tensor, "sentence beam dim"] | None = None
        """The state of each hypothesis after its newest token, in a layer with a recurrence, which has no cells."""

    @property
    def mask(self) -> Bool[Tensor, "sentence 1 beam cell"]:
        """True for the cells that a hypothesis descends from."""
        return self.cache.mask

    @property
    def first(self) -> Int[Tensor, " sentence"]:
        """The position of each sentence's newest tokens."""
        return self.cache.positions[:, 0]

    @property
    def distance(self) -> Int[Tensor, "sentence 1 beam cell"]:
        """The distance of each cell from the last step."""
        return self.cache.distance

    def append(self, newer: KeysValues) -> KeysValues:
        """The keys and values in all cells, after those of the last step have been filled."""
        widths = newer.key.shape[-1], newer.value.shape[-1]
        seen = self.write(torch.stack([x.transpose(1, 2) for x in _of_one_width(newer)], dim=2))
        if widths[0] == widths[1]:
            return seen
        return KeysValues(seen.key[..., : widths[0]], seen.value[..., : widths[1]])

    def write(self, newer: Float[Tensor, "sentence beam 2 head head_dim"]) -> KeysValues:
        """As `append`, with keys and values in one tensor."""
        cells = self.allocated((newer.shape[3], newer.shape[4]), newer)
        rows, places = self.cache.places
        cells[:, rows, :, places] = newer
        return KeysValues(cells[0], cells[1])

    def replace(self, slots: Int[Tensor, " slot"], other: BeamLayer, sentences: Int[Tensor, " slot"]) -> None:
        """Fill slots with sentences of another cache, as `BeamCache.replace` did."""
        self.replace_state(
            slots, other.state_of(sentences, torch.arange(self.cache.num_beams).expand(len(sentences), -1))
        )
        theirs = other.cells
        if theirs is None:  # nothing was read yet
            return
        ours = self.allocated((theirs.shape[2], theirs.shape[4]), theirs)
        ours[:, slots, :, : theirs.shape[3]] = theirs[:, sentences]

    def keep_state(self, state: Float[Tensor, "sentence beam dim"]) -> None:
        """Keep the state of each hypothesis after its newest token."""
        self.state = state

    def state_of(
        self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]
    ) -> Float[Tensor, "kept beam dim"] | None:
        """The states of some hypotheses; None: nothing was read yet, or this layer has no recurrence."""
        if self.state is None:
            return None
        rows, columns = (x.to(self.state.device, non_blocking=True) for x in (sentences[:, None], parents))
        return self.state[rows, columns]

    def replace_state(self, slots: Int[Tensor, " slot"], state: Float[Tensor, "slot beam dim"] | None) -> None:
        """Replace the states of some slots; None: nothing was read there yet."""
        if self.state is None:
            if state is None:
                return
            self.state = state.new_zeros(len(self.cache.first_step), *state.shape[1:])
        self.state[slots.to(self.state.device, non_blocking=True)] = 0 if state is None else state

    def allocated(self, sizes: tuple[int, int], like: Tensor) -> Float[Tensor, "2 sentence head cell head_dim"]:
        """The cells of a layer, with this number of heads of this width."""
        if self.cells is None:
            self.cells = like.new_zeros(2, len(self.cache.first_step), sizes[0], self.cache.num_cells, sizes[1])
        missing = self.cache.num_cells - self.cells.shape[3]
        if missing:
            self.cells = pad(self.cells, (0, 0, 0, missing))
        return self.cells


class PrefillLayer(NoCache):
    """The part of a layer while a whole prompt is read: its keys and values are stored in the first cells."""

    def __init__(
        self,
        layer: BeamLayer,
        mask: Bool[Tensor, "sentence 1 1 position"] | None,
        *,
        causal: bool,
        first: int | Int[Tensor, " sentence"],
    ) -> None:
        super().__init__(mask, causal=causal, first=first)
        self.layer = layer

    def append(self, newer: KeysValues) -> KeysValues:
        """The keys and values themselves."""
        both = _of_one_width(newer)
        cells = self.layer.allocated((both.key.shape[1], both.key.shape[3]), newer.key)
        cells[:, :, :, : newer.length] = torch.stack(both)
        return newer


def _of_one_width(newer: KeysValues) -> KeysValues:
    """Keys and values, the narrower of them filled up with zeros."""
    missing = newer.key.shape[-1] - newer.value.shape[-1]
    return (
        newer
        if not missing
        else KeysValues(pad(newer.key, (0, max(0, -missing))), pad(newer.value, (0, max(0, missing))))
    )


def _used_width(mask: Bool[Tensor, "sentence 1 1 source"], slots: Int[Tensor, " slot"]) -> int:
    """The number of source positions that sentences outside some slots have, where that is a quarter less than there are."""
    stays = torch.ones(mask.shape[0], dtype=torch.bool)
    stays[slots] = False
    if not bool(stays.any()):
        return mask.shape[-1]
    is_used = (mask[:, 0, 0] & stays.to(mask.device)[:, None]).any(dim=0)
    used = int((is_used * torch.arange(1, mask.shape[-1] + 1, device=mask.device)).max())
    return used if 4 * used <= 3 * mask.shape[-1] else mask.shape[-1]


def _as_wide(x: Tensor, width: int, dim: int) -> Tensor:
    """A tensor with this number of source positions; copied only if it has another number."""
    missing = width - x.shape[dim]
    if missing < 0:
        return x.narrow(dim, 0, width).contiguous()
    return pad(x, (0, missing) if dim == -1 else (0, 0, 0, missing)) if missing else x
