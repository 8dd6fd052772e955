"""Layers in C, of a decoder or an encoder: a step, a whole prompt or source, or a step with the search that follows it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from ctypes import c_void_p
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.compiled import library as c
from regard.compiled.library import INTEGERS, NUMBERS, address
from regard.engines.native_search import NativeSearch
from regard.engines.structures import EmbeddingAndOutput, Structures
from regard.errors import ShapeError, check_width
from regard.generation.threads import available_threads
from regard.nn.cache import BeamCache, Memory
from regard.nn.layers import DecoderLayer, EncoderLayer


class _CacheAddresses(NamedTuple):
    """The addresses of all that stays between the steps through a cache."""

    memory: Sequence[Memory | None]
    num_cells: int
    cells: Any
    source_keys: Any
    source_values: Any
    source_length: int
    source_mask: int | None
    kept: list[Tensor]
    """The tensors whose memory is pointed to."""

    def fits(self, cache: BeamCache) -> bool:
        """Whether the cache still has the same memory."""
        return self.memory is cache.memory and self.num_cells == cache.num_cells


class _StepArguments(NamedTuple):
    """The arguments that all steps of a search through a cache have in common. The search keeps them."""

    input: c.Input
    layers: NativeLayers
    tensors: tuple[Tensor | None, ...]
    """The cache's tensors that are pointed to."""
    newest: Tensor
    """The slots that the last step has filled."""
    bound: _CacheAddresses
    kept: list[Tensor]
    """The other tensors whose memory is pointed to."""

    def fits(self, layers: NativeLayers, cache: BeamCache) -> bool:
        """Whether layers and cache are still the same."""
        tensors = _tables(cache)
        same = all(ours is theirs for ours, theirs in zip(self.tensors, tensors, strict=True))
        return same and self.layers is layers and self.bound.fits(cache)


def _tables(cache: BeamCache) -> tuple[Tensor | None, ...]:
    """The tensors of a cache that a search changes in place."""
    return cache.ancestry, cache.step_of, cache.first_step, *(layer.state for layer in cache.layers)


class NativeLayers(nn.Module):
    """The layers of a decoder or an encoder, as one module: the same function as calling them one after the other.

    Args:
        max_positions: no sequence is longer.
        ends: for `step`, which goes from tokens to logits.
        dtype: of the stored weights of linear maps.
    """

    def __init__(
        self,
        found: c.Library,
        layers: Sequence[DecoderLayer | EncoderLayer],
        *,
        max_positions: int,
        ends: EmbeddingAndOutput | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self._library = found
        self._structures = Structures(found, layers, max_positions, ends, dtype)
        self._stack = self._structures.stack
        self._is_recurrent = any(layer.recurrence.outputs for layer in self._structures.layers)
        self._workspace = threading.local()
        self._bound: WeakKeyDictionary[BeamCache, _CacheAddresses] = WeakKeyDictionary()

    def step(
        self, ids: Int[Tensor, "sentence beam"], positions: Int[Tensor, "sentence beam"], cache: BeamCache
    ) -> Float[Tensor, "sentence beam vocab"]:
        """The logits of the token after each hypothesis, from its last token; the slots of that are filled. It needs
        `ends`.
        """
        x = torch.empty(*ids.shape, self._stack.model_dim, **NUMBERS)
        given, kept = self._input(x, cache, positions, cache.ancestry)
        logits = torch.empty(*ids.shape, self._stack.output.outputs, **NUMBERS)
        kept += [ids.contiguous(), positions.contiguous()]
        given.ids, given.positions = (address(each, torch.long) for each in kept[-2:])
        given.logits = address(logits)
        self._run(given)
        return logits

    def search_steps(self, cache: BeamCache, search: NativeSearch) -> int:
        """Take steps of a search with these layers, in one call. Their number. It needs `ends`."""
        step: _StepArguments | None = search.kept
        if step is None or not step.fits(self, cache):
            step = search.kept = self._step_arguments(cache, search)
        step.input.step, step.input.adapters = cache.length, self._adapters
        run = self._library.functions.regard_search_steps
        done = run(ctypes.byref(self._stack), ctypes.byref(step.input), ctypes.byref(search.structure))
        if search.num_steps:
            cache.note_steps(step.newest, search.num_steps)
        if done < 0:
            raise self._beyond()
        if not done:
            cache.add_cells(cache.num_beams)
        return search.num_steps or self.search_steps(cache, search)

    def _step_arguments(self, cache: BeamCache, search: NativeSearch) -> _StepArguments:
        """The addresses of a cache and a search, and memory for a step."""
        sizes = search.tensors.newest.shape
        cache.ancestry, cache.step_of = cache.ancestry.contiguous(), cache.step_of.contiguous()
        newest, positions, rows = (torch.empty(sizes, **INTEGERS) for _ in range(3))
        logits = torch.empty(*sizes, self._stack.output.outputs, **NUMBERS)
        old = torch.empty(sizes[1], cache.num_cells, dtype=torch.bool, device="cpu")
        x, totals = torch.empty(*sizes, self._stack.model_dim, **NUMBERS), torch.empty(sizes, **NUMBERS)
        bound = self._cache_addresses(cache, x)
        integers = partial(address, dtype=torch.long)
        given = c.Input(
            *sizes, sizes.numel(), x=address(x), num_threads=available_threads(), cells=bound.cells,
            states=self._states(cache, x), num_cells=bound.num_cells,
            ids=integers(search.tensors.newest), positions=integers(positions), logits=address(logits),
            first_step=integers(cache.first_step), ancestry=address(cache.ancestry, torch.bool),
            newest=integers(newest), step_of=integers(cache.step_of), source_keys=bound.source_keys,
            source_values=bound.source_values, source_length=bound.source_length, source_mask=bound.source_mask,
        )  # fmt: skip
        room = torch.empty(self._workspace_size(given), **NUMBERS)
        given.workspace = address(room)
        search.structure.logits, search.structure.totals = address(logits), address(totals)
        search.structure.old_ancestry, search.structure.rows = address(old, torch.bool), integers(rows)
        kept = [positions, logits, totals, rows, old, x, room]
        if self._is_recurrent:
            kept.append(torch.empty(sizes[1], self._stack.model_dim, **NUMBERS))
            search.structure.old_states = address(kept[-1])
        return _StepArguments(given, self, _tables(cache), newest, bound, kept)

    def forward(self, x: Float[Tensor, "sentence beam model_dim"], cache: BeamCache) -> Tensor:
        """The hypotheses after each has looked at its past and the source, layer by layer; their cells are filled."""
        return self._decode(x, cache, cache.positions, cache.ancestry)

    def read(self, x: Float[Tensor, "sentence position model_dim"], cache: BeamCache) -> Tensor:
        """The positions of a prompt, as `forward`; `cache.begin_prefill` has made room for them."""
        steps = torch.arange(x.shape[1], device=x.device).expand(len(x), -1)
        before = torch.arange(cache.num_cells, device=x.device) <= steps[..., None]
        positions = (steps - cache.first_step[:, None]).clamp(min=0)
        return self._decode(x, cache, positions, cache.ancestry & before, steps)

    def _decode(self, x: Float[Tensor, "sentence row model_dim"], cache: BeamCache, *rows: Any) -> Tensor:
        """Run rows that fill the last slots of a cache and attend to those that they may see. `rows`: as for `_input`."""
        check_width("the input of layers", x.shape[-1], self._stack.model_dim)
        x = x.contiguous().clone()
        given, kept = self._input(x, cache, *rows)
        self._run(given)
        del kept
        return x

    def _run(self, given: c.Input) -> None:
        """Run all layers.

        Raises:
            ShapeError: a token or a position is beyond the model's tables.
        """
        if not self._library.functions.regard_run(ctypes.byref(self._stack), ctypes.byref(given)):
            raise self._beyond()

    def _beyond(self) -> ShapeError:
        return ShapeError(
            f"tokens must be below {self._stack.num_tokens}, and positions below {self._stack.num_positions}; got one "
            "that is not."
        )

    def _input(
        self,
        x: Float[Tensor, "sentence row model_dim"],
        cache: BeamCache,
        positions: Int[Tensor, "sentence row"],
        allowed: Bool[Tensor, "sentence row cell"],
        steps: Int[Tensor, "sentence row"] | None = None,
    ) -> tuple[c.Input, list[Tensor]]:
        """The input of C, and the tensors that it points to beside those of the cache.

        Args:
            steps: of each row; None: all are the newest.
        """
        bound = self._bound.get(cache)
        if bound is None or not bound.fits(cache):
            bound = self._bound[cache] = self._cache_addresses(cache, x)
        given = self._common_input(x, bound.source_length, bound.cells, bound.num_cells)
        kept = [each.contiguous() for each in (allowed, cache.newest, cache.step_of)]
        given.states, given.step = self._states(cache, x), cache.length - 1
        given.ancestry = address(kept[0], torch.bool)
        given.newest, given.step_of = (address(each, torch.long) for each in kept[1:])
        if steps is not None:
            kept.append(steps.contiguous())
            given.steps = address(kept[-1], torch.long)
        if self._stack.has_turns:
            kept.append(positions.contiguous())
            given.positions = address(kept[-1], torch.long)
        if any(layer is not None for layer in cache.memory):
            given.source_keys, given.source_values = bound.source_keys, bound.source_values
            given.source_mask = bound.source_mask
        return given, kept

    def _states(self, cache: BeamCache, like: Float[Tensor, "sentence beam model_dim"]) -> Any:
        """The addresses of the states of layers with a recurrence; None: there are no such layers."""
        if not self._is_recurrent:
            return None
        for layer in cache.layers:
            layer.state = torch.zeros_like(like) if layer.state is None else layer.state.contiguous()
        return _pointers([layer.state for layer in cache.layers])

    def _cache_addresses(self, cache: BeamCache, like: Tensor) -> _CacheAddresses:
        """The addresses of a cache's slots and source."""
        memory = [layer for layer in cache.memory if layer is not None]
        sizes = [(each.self_attention.num_kv_heads, each.self_attention.head_dim) for each in self._structures.layers]
        cells = [
            layer.allocated(size, like) if size[0] else None for layer, size in zip(cache.layers, sizes, strict=True)
        ]
        keys, values = ([each.keys_values[part].contiguous() for each in memory] for part in (0, 1))
        mask = [each.mask.contiguous() for each in memory[:1]]
        return _CacheAddresses(
            cache.memory, cache.num_cells, _pointers(cells), _pointers(keys), _pointers(values),
            mask[0].shape[-1] if mask else 0, address(mask[0], torch.bool) if mask else None, [*keys, *values, *mask],
        )  # fmt: skip

    def read_source(
        self,
        ids: Int[Tensor, "sentence position"],
        positions: Int[Tensor, "sentence position"],
        is_token: Bool[Tensor, "sentence position"],
    ) -> Float[Tensor, "sentence position output"]:
        """The output of the maps behind an encoder, for the tokens of a source. It needs `ends`."""
        x = torch.empty(*ids.shape, self._stack.model_dim, **NUMBERS)
        given = self._common_input(x, x.shape[1])
        output = torch.empty(*ids.shape, self._stack.output.outputs, **NUMBERS)
        kept = ids.contiguous(), positions.contiguous(), is_token.contiguous()
        given.ids, given.positions = (address(each, torch.long) for each in kept[:2])
        given.source_mask, given.logits = address(kept[2], torch.bool), address(output)
        self._run(given)
        return output

    def encode(
        self, x: Float[Tensor, "sentence position model_dim"], mask: Bool[Tensor, "sentence 1 1 position"]
    ) -> Float[Tensor, "sentence position model_dim"]:
        """The positions of a source after all layers of an encoder."""
        check_width("the input of layers", x.shape[-1], self._stack.model_dim)
        x = x.contiguous().clone()
        given = self._common_input(x, x.shape[1])
        kept = [mask.contiguous()]
        given.source_mask = address(kept[0], torch.bool)
        if self._stack.has_turns:
            kept.append(torch.arange(x.shape[1], device=x.device).repeat(len(x)))
            given.positions = address(kept[-1], torch.long)
        self._run(given)
        return x

    def _common_input(self, x: Tensor, source_length: int, cells: Any = None, num_cells: int = 0) -> c.Input:
        """The part of C's input that every call needs, with memory to compute in."""
        sizes = x.shape[:2]
        given = c.Input(
            *sizes, sizes.numel(), x=address(x), num_threads=available_threads(), adapters=self._adapters, cells=cells,
            num_cells=num_cells, source_length=source_length,
        )  # fmt: skip
        needed = self._workspace_size(given)
        room: Tensor | None = getattr(self._workspace, "room", None)
        if room is None or room.numel() < needed:
            room = self._workspace.room = torch.empty(2 * needed, **NUMBERS)
        given.workspace = address(room)
        return given

    @property
    def _adapters(self) -> int | None:
        """The address of the numbers of the sentences' adapters, which this thread has chosen; None: no sentence has one."""
        choice = self._structures.choice
        return None if choice is None or choice.numbers is None else address(choice.numbers, torch.long)

    def _workspace_size(self, given: c.Input) -> int:
        """The count of numbers that a call computes in."""
        size: int = self._library.functions.regard_workspace_size(ctypes.byref(self._stack), ctypes.byref(given))
        return size


def _pointers(tensors: Sequence[Tensor | None]) -> Any:
    return (c_void_p * len(tensors))(*(None if each is None else address(each) for each in tensors))
