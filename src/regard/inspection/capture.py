"""Capture of attention weights without slowing anything down.

`capture` records the queries, keys and masks that go into a model's attention modules; the weights are recomputed from them
when they are asked for, for the heads and rows that were asked for. The model runs as it always does, on its fast kernels,
and gives the same output to the bit. Its hooks belong to the thread that captures (`nn/hooks.py`): others may use the model
at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError, check_known, nearest_hint
from regard.nn.attention import Attention
from regard.nn.hooks import forward_hooks, hooks_of
from regard.nn.masks import causal_mask, combine_masks, distances
from regard.nn.upcast import upcast

TILE_NUMBERS = 1 << 22
"""The number of weights that `row_statistics` holds at once: 16 MB in float32."""


@dataclass(frozen=True)
class RowStatistics:
    """Statistics of each row of weights, without the row itself."""

    entropy: Float[Tensor, "batch head row"]
    """The entropy in nats: 0 where one key has all the weight, log n where n keys share it. 0 for a row without allowed
    keys.
    """
    maximum: Float[Tensor, "batch head row"]
    """The highest weight."""
    argmax: Int[Tensor, "batch head row"]
    """The key with the highest weight; -1 where there are no keys at all."""
    mass: Float[Tensor, "batch head row"] | None
    """The weight on the chosen positions."""


@dataclass(frozen=True)
class CapturedAttention:
    """The inputs of a call of an attention module, from which its weights are computed."""

    module: Attention
    query: Float[Tensor, "batch head row query_dim"]
    key: Float[Tensor, "batch head key key_dim"]
    mask: Bool[Tensor, "..."] | None
    bias: Float[Tensor, "..."] | None
    causal: bool
    first: int
    """The position of the first row among the keys."""
    heads: list[int]
    """The original numbers of the heads, from before pruning."""
    value: Float[Tensor, "batch head key value_dim"]
    distance: Int[Tensor, "*example row key"] | None = None
    """The distance of each key from each row, if keys are not consecutive."""

    @property
    def num_rows(self) -> int:
        """The number of queries that were captured."""
        return self.query.shape[-2]

    @torch.no_grad()
    def weights(self, rows: slice = slice(None)) -> Float[Tensor, "batch head row key"]:
        """The weight of each key for each captured query, without dropout; float32, or wider where the model is.

        Args:
            rows: which of the captured queries, without a step.
        """
        part = self._part(rows)
        weights = self.module.weights(
            part.query, part.key, part.mask, part.bias, self.causal, first=part.first, distance=part.distance, heads=self.heads
        )  # fmt: skip
        return upcast(weights)

    @torch.no_grad()
    def bias_of(self, rows: slice = slice(None)) -> Float[Tensor, "..."] | None:
        """The bias that positions or the caller add to the scores; it broadcasts to `batch head row key`; None:
        nothing.

        Args:
            rows: which of the captured queries, without a step.
        """
        part = self._part(rows)
        distance = part.distance
        if distance is None:
            distance = distances(part.num_rows, part.key.shape[-2], first=part.first, device=part.query.device)
        return self.module.with_positions(part.bias, part.query, part.key, distance, self.heads)

    def _part(self, rows: slice) -> CapturedAttention:
        """Some of the queries, and all keys, in float32 at least where no parameters of another type meet them."""
        start, stop = _bounds(rows, self.num_rows)
        query, key = self.query[..., start:stop, :], self.key
        if not any(True for part in (self.module.score, self.module.positions) for _ in _parameters(part)):
            query, key = upcast(query), upcast(key)
        mask, bias = (_rows_of_mask(x, slice(start, stop)) for x in (self.mask, self.bias))
        distance = None if self.distance is None else self.distance[..., start:stop, :]
        return replace(self, query=query, key=key, mask=mask, bias=bias, first=self.first + start, distance=distance)

    def allowed(self) -> Bool[Tensor, "batch head row key"]:
        """A mask of the keys that each captured query may attend to: False where a mask forbids it."""
        rows, keys = self.num_rows, self.key.shape[-2]
        ahead = causal_mask(rows, keys, first=self.first, device=self.query.device) if self.causal else None
        mask = combine_masks(self.mask, ahead)
        shape = (*self.query.shape[:2], rows, keys)
        return torch.ones(shape, dtype=torch.bool) if mask is None else mask.expand(shape)

    def row_statistics(self, positions: Sequence[int] | None = None) -> RowStatistics:
        """The entropy, the highest weight and its key, and the weight on some positions, of each row.

        Done a few rows at a time: the square matrix is never held.

        Args:
            positions: keys whose weights are summed to `mass`.
        """
        batch, heads, _, num_keys = *self.query.shape[:3], self.key.shape[-2]
        if not num_keys:
            nothing = torch.zeros(batch, heads, self.num_rows, device=self.query.device)
            return RowStatistics(nothing, nothing, nothing.long() - 1, None if positions is None else nothing)
        size = max(TILE_NUMBERS // max(batch * heads * num_keys, 1), 1)
        parts = []
        for start in range(0, max(self.num_rows, 1), size):
            weights = self.weights(slice(start, start + size))
            maximum, argmax = weights.max(dim=-1)
            mass = weights.sum(dim=-1) if positions is None else weights[..., list(positions)].sum(dim=-1)
            parts.append((torch.special.entr(weights).sum(dim=-1), maximum, argmax, mass))
        entropy, maximum, argmax, mass = (torch.cat(part, dim=-1) for part in zip(*parts, strict=True))
        return RowStatistics(entropy, maximum, argmax, None if positions is None else mass)


class CapturedCalls(Mapping[str, CapturedAttention]):
    """The captured calls: the last one of each attention module, by name; `calls` has all of them."""

    def __init__(self) -> None:
        self._calls: dict[str, list[CapturedAttention]] = {}

    def __getitem__(self, name: str) -> CapturedAttention:
        return self.calls(name)[-1]

    def __contains__(self, name: object) -> bool:
        return name in self._calls

    def get(self, name: str, default: Any = None) -> Any:
        """The last call of an attention module, or `default` where it was not captured."""
        calls = self._calls.get(name)
        return calls[-1] if calls else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def calls(self, name: str) -> list[CapturedAttention]:
        """Every call of an attention module, in order.

        Raises:
            SettingsError: no attention of that name has been called while capturing.
        """
        check_known("layer", name, self._calls, "one that was captured")
        return self._calls[name]

    def add(self, name: str, call: CapturedAttention) -> None:
        """Record a call."""
        self._calls.setdefault(name, []).append(call)


@contextmanager
def capture(
    model: nn.Module,
    *,
    layers: Sequence[str] | None = None,
    heads: Sequence[int] | None = None,
    rows: slice = slice(None),
) -> Iterator[CapturedCalls]:
    """Record the inputs of the model's attention modules, in this thread, while this context lasts.

    The tensors are kept as they are where everything is asked for, and copied where heads or rows are chosen, so that
    memory is that of what was asked.

        with capture(model, layers=["decoder_layers.*.cross_attention"]) as seen:
            model(source_ids, target_ids)
        seen["decoder_layers.0.cross_attention"].weights()

    Args:
        model: any module that has `regard.nn.Attention` inside, `MultiHeadAttention` for one.
        layers: names of attention modules, as `model.named_modules()` has them; `*` stands for anything. None: all. Of a module
            that has several places, as in layers that are tied, the calls of one pass are those of its places, in order.
        heads: which heads, from 0. None: all.
        rows: which queries, without a step.
    Raises:
        SettingsError: a name that fits no attention module.
        ShapeError: a head that does not exist (while the model runs).
    """
    if isinstance(layers, str):
        raise SettingsError(f"layers must be a list of names; got one string. Write [{layers!r}].")
    modules = {
        name.removesuffix(".attention"): module  # by the outer attention module
        for name, module in model.named_modules(remove_duplicate=False)
        if isinstance(module, Attention)
    }
    for pattern in layers or ():
        if not any(fnmatchcase(name, pattern) for name in modules):
            raise SettingsError(
                f"layers must name attention modules; got {pattern!r}. {nearest_hint(pattern, modules)}"
            )
    captured = CapturedCalls()
    chosen = None if heads is None else list(heads)

    wanted = {name for name in modules if layers is None or any(fnmatchcase(name, pattern) for pattern in layers)}
    called = {modules[name] for name in wanted}

    def note(name: str, *inputs: Any) -> None:
        if name in wanted:  # a module may be called from another place, too
            captured.add(name, _selected_inputs(chosen, rows, modules[name], inputs))

    places = {name: module for name, module in modules.items() if module in called}
    with forward_hooks(before=hooks_of(places, note)):
        yield captured


def _selected_inputs(
    heads: list[int] | None,
    rows: slice,
    module: Attention,
    inputs: Sequence[Any],
) -> CapturedAttention:
    """The chosen heads and rows of an attention module's inputs."""
    query, key, value, mask, bias, causal, distance = inputs
    num_queries, num_keys, num_heads = query.shape[-2], key.shape[-2], query.shape[1]
    start, stop = _bounds(rows, num_queries)
    if heads is not None and not all(0 <= head < num_heads for head in heads):
        raise ShapeError(f"heads must be from 0 to {num_heads - 1}; got {heads}.")
    query, key, value = query.detach(), key.detach(), value.detach()
    present = module.head_indices or list(range(num_heads))
    if heads is not None:
        query, key, value = query[:, heads], key[:, heads], value[:, heads]
        mask, bias = (x if x is None or x.ndim < 3 or x.shape[-3] == 1 else x[..., heads, :, :] for x in (mask, bias))
    if stop - start < num_queries:
        query = query[..., start:stop, :].clone()
    return CapturedAttention(
        module,
        query,
        key,
        _rows_of_mask(mask, slice(start, stop)),
        _rows_of_mask(bias, slice(start, stop)),
        causal,
        num_keys - num_queries + start,
        present if heads is None else [present[head] for head in heads],
        value,
        None if distance is None else distance[..., start:stop, :],
    )


def _bounds(rows: slice, count: int) -> tuple[int, int]:
    start, stop, step = rows.indices(count)
    if step != 1:
        raise ShapeError(f"rows must be a slice without a step; got {rows}.")
    return start, stop


def _rows_of_mask(x: Tensor | None, rows: slice) -> Tensor | None:
    """Rows of a mask or bias over `... query key`, whose axes of size 1, or that are missing, stand for all."""
    return x if x is None or x.ndim < 2 or x.shape[-2] == 1 else x[..., rows, :].detach()


def _parameters(part: object) -> Iterator[Tensor]:
    return iter(part.parameters()) if isinstance(part, nn.Module) else iter(())
