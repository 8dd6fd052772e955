"""Modules to the structures of `layers.c`, and calls of it: a linear map, and the layers of a decoder or an encoder."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from ctypes import c_void_p
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.engines import library as c
from regard.models.parts import EmbeddedPositions
from regard.nn.attention import Attention
from regard.nn.cache import BeamCache
from regard.nn.layers import DecoderLayer, EncoderLayer, FeedForward, GatedFeedForward, PostNorm, PreNorm, SandwichNorm
from regard.nn.multihead import MultiHeadAttention
from regard.nn.positions import BucketedBias, LinearBias, Rotary
from regard.nn.scores import DotProduct, InnerProduct, ScaledDotProduct

ACTIVATIONS = {"relu": 1, "gelu": 2, "gelu_tanh": 3, "silu": 4}
NORMS = {nn.Identity: 0, nn.LayerNorm: 1, nn.RMSNorm: 2}
NONE = c.Norm(kind=0)


class _Kept:
    """Tensors whose memory structures point to."""

    def __init__(self) -> None:
        self.tensors: list[Tensor] = []

    def pointer(self, x: Tensor | None) -> int | None:
        """Where a tensor is, from now on."""
        if x is None:
            return None
        self.tensors.append(x.detach().contiguous())
        return self.tensors[-1].data_ptr()


class NativeLinear(nn.Module):
    """The same function as some `nn.Linear` side by side, for inference: it has no parameters, and no gradient goes through it.

    Args:
        dtype: of the stored weights: float32 or bfloat16. Arithmetic is in float32.
    """

    def __init__(self, found: c.Library, maps: Sequence[nn.Linear], dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self._library, self._kept = found, _Kept()
        weights: list[Tensor] = [linear.weight.detach().float() for linear in maps]
        weight = torch.cat(weights)
        biases: list[Tensor] = [
            linear.weight.new_zeros(len(linear.weight)) if linear.bias is None else linear.bias for linear in maps
        ]
        self.out_features, self.in_features = weight.shape
        self.structure = _linear(found, self._kept, weight, torch.cat(biases).detach().float(), dtype)

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """x weight^T + bias."""
        x = x.contiguous()
        y = x.new_empty(*x.shape[:-1], self.out_features)
        rows = x.numel() // self.in_features
        self._library.functions.regard_linear(ctypes.byref(self.structure), rows, x.data_ptr(), y.data_ptr())
        return y


def _linear(
    found: c.Library, kept: _Kept, weight: Float[Tensor, "out in"], bias: Float[Tensor, " out"], dtype: torch.dtype
) -> c.Linear:
    """A linear map, packed."""
    panel, (outputs, inputs) = found.panel, weight.shape
    missing = -outputs % panel
    weight, bias = nn.functional.pad(weight, (0, 0, 0, missing)), nn.functional.pad(bias, (0, missing))
    panels = weight.view(-1, panel, inputs).transpose(1, 2)
    if dtype == torch.bfloat16:  # neighbours are one output of each half
        panels = panels.unflatten(2, (2, -1)).transpose(2, 3).flatten(2).to(dtype)
    return c.Linear(inputs, outputs, c.DTYPES[dtype], kept.pointer(panels), kept.pointer(bias))


class Ends(NamedTuple):
    """What stands before the layers of a decoder and after them."""

    embedding: nn.Embedding
    scale: float
    """Of embeddings."""
    positions: EmbeddedPositions
    embedding_norm: nn.Module
    last_norm: nn.Module
    output: nn.Linear
    """To the vocabulary."""


class NativeLayers(nn.Module):
    """The layers of a decoder or an encoder: the same function as calling them one after the other.

    Args:
        num_distances: how far back a key can be, where scores depend on it.
        ends: for `step`, which goes from tokens to logits.
        dtype: of the stored weights of linear maps.
    """

    def __init__(
        self,
        found: c.Library,
        layers: Sequence[DecoderLayer | EncoderLayer],
        *,
        num_distances: int,
        ends: Ends | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self._library, self._kept, self._dtype, self._num_distances = found, _Kept(), dtype, num_distances
        self._layers = (c.Layer * len(layers))(*map(self._layer, layers))
        self._rotary = layers[0].self_attention.attention.positions
        rotated, interleaved = 0, False
        if isinstance(self._rotary, Rotary):
            rotated, interleaved = self._rotary.rotated_dim, self._rotary.layout == "interleaved"
        self.model_dim = layers[0].self_attention.query_proj.in_features
        self._stack = c.Stack(len(layers), self.model_dim, rotated, interleaved, self._layers)
        if ends is not None:
            table = ends.positions.waves if ends.positions.learned is None else ends.positions.learned.table.weight
            self._stack.embedding, self._stack.scale = self._kept.pointer(ends.embedding.weight), ends.scale
            self._stack.positions = self._kept.pointer(table)
            self._stack.embedding_norm, self._stack.last_norm = map(self._norm, (ends.embedding_norm, ends.last_norm))
            self._stack.output = self._map(ends.output)
        self._row_size = found.functions.regard_row_size(ctypes.byref(self._stack))
        self._room = threading.local()

    @staticmethod
    def misfit(layer: nn.Module) -> str:
        """What of a layer is not written in C; empty: nothing."""
        if type(layer) not in (DecoderLayer, EncoderLayer):
            return f"layers of kind {type(layer).__name__}"
        schemes = (Rotary, LinearBias, BucketedBias) if isinstance(layer, DecoderLayer) else (Rotary,)
        for name, part in layer.named_children():
            if isinstance(part, MultiHeadAttention) and (reason := _attention_misfit(part, schemes)):
                return reason
            if name.endswith("residual") and (
                type(part) not in (PreNorm, PostNorm, SandwichNorm) or any(type(x) not in NORMS for x in _norms(part))
            ):
                return f"residual connections of kind {type(part).__name__}"
            if name == "feed_forward" and (
                type(part) not in (FeedForward, GatedFeedForward) or part.activation not in ACTIVATIONS
            ):
                return f"feed-forward layers of kind {type(part).__name__}"
        if any(type(part) is not nn.Linear for part in layer.modules() if hasattr(part, "in_features")):
            return "linear maps with adapters"
        return ""

    def step(
        self, ids: Int[Tensor, "sentence beam"], positions: Int[Tensor, "sentence beam"], cache: BeamCache
    ) -> Float[Tensor, "sentence beam vocab"]:
        """Logits of the token after each hypothesis, from its newest token; their cells are filled. It needs `ends`."""
        x = torch.empty(*ids.shape, self.model_dim)
        steps = torch.full_like(cache.newest, cache.length - 1)
        given, kept = self._input(x, cache, positions, cache.descends, steps)
        logits = torch.empty(*ids.shape, self._stack.output.outputs)
        kept += [ids.contiguous(), positions.contiguous()]
        given.ids, given.positions, given.logits = kept[-2].data_ptr(), kept[-1].data_ptr(), logits.data_ptr()
        self._library.functions.regard_run(ctypes.byref(self._stack), ctypes.byref(given))
        return logits

    def forward(self, x: Float[Tensor, "sentence beam model_dim"], cache: BeamCache) -> Tensor:
        """The hypotheses after each has looked at its past and the source, layer by layer; their cells are filled."""
        return self._decode(x, cache, cache.positions, cache.descends, torch.full_like(cache.newest, cache.length - 1))

    def read(self, x: Float[Tensor, "sentence position model_dim"], cache: BeamCache) -> Tensor:
        """The positions of a prompt, as `forward`; `cache.begin_reading` has made room for them."""
        steps = torch.arange(x.shape[1], device=x.device).expand(len(x), -1)
        before = torch.arange(cache.num_cells, device=x.device) <= steps[..., None]
        positions = (steps - cache.first_step[:, None]).clamp(min=0)
        return self._decode(x, cache, positions, cache.descends & before, steps)

    def _decode(self, x: Float[Tensor, "sentence row model_dim"], cache: BeamCache, *rows: Tensor) -> Tensor:
        """Rows that fill the newest cells of a cache and look at those that they may see. `rows`: as for `_input`."""
        x = x.contiguous().clone()
        given, kept = self._input(x, cache, *rows)
        self._library.functions.regard_run(ctypes.byref(self._stack), ctypes.byref(given))
        del kept
        return x

    def _input(
        self,
        x: Float[Tensor, "sentence row model_dim"],
        cache: BeamCache,
        positions: Int[Tensor, "sentence row"],
        allowed: Bool[Tensor, "sentence row cell"],
        steps: Int[Tensor, "sentence row"],
    ) -> tuple[c.Input, list[Tensor]]:
        """What C is given, and the tensors that it points to beside those of the cache."""
        memory = [layer for layer in cache.memory if layer is not None]
        source_length = memory[0].mask.shape[-1] if memory else 0
        given = self._begun(x, max(cache.num_cells, source_length))
        cells = [
            layer.with_room((heads.num_kv_heads, heads.head_dim), x)
            for layer, heads in zip(cache.layers, (each.self_attention for each in self._layers), strict=True)
        ]
        given.cells, given.num_cells = _pointers(cells), cache.num_cells
        kept = [each.contiguous() for each in (allowed, cache.newest, cache.step_of, steps)]
        given.descends, given.newest, given.step_of, given.steps = (each.data_ptr() for each in kept)
        if isinstance(self._rotary, Rotary):
            kept.append(self._turns(positions))
            given.turns = kept[-1].data_ptr()
        if memory:
            keys, values = ([each.keys_values[part].contiguous() for each in memory] for part in (0, 1))
            given.source_keys, given.source_values = _pointers(keys), _pointers(values)
            kept += [*keys, *values, memory[0].mask.contiguous()]
            given.source_length, given.source_mask = source_length, kept[-1].data_ptr()
        return given, kept

    def encode(
        self, x: Float[Tensor, "sentence position model_dim"], mask: Bool[Tensor, "sentence 1 1 position"]
    ) -> Float[Tensor, "sentence position model_dim"]:
        """The positions of a source after each has looked at the others."""
        x = x.contiguous().clone()
        given = self._begun(x, x.shape[1])
        kept = [mask.contiguous()]
        given.source_length, given.source_mask = x.shape[1], kept[0].data_ptr()
        if isinstance(self._rotary, Rotary):
            kept.append(self._turns(torch.arange(x.shape[1], device=x.device).expand(len(x), -1)))
            given.turns = kept[-1].data_ptr()
        self._library.functions.regard_run(ctypes.byref(self._stack), ctypes.byref(given))
        return x

    def _begun(self, x: Tensor, most_keys: int) -> c.Input:
        """What C is given of all rows, with room to compute in."""
        needed = x.shape[0] * x.shape[1] * self._row_size + 2 * (most_keys + self._library.panel)
        room: Tensor | None = getattr(self._room, "room", None)
        if room is None or room.numel() < needed:
            room = self._room.room = torch.empty(2 * needed)
        return c.Input(num_sentences=x.shape[0], width=x.shape[1], x=x.data_ptr(), workspace=room.data_ptr())

    def _turns(self, positions: Int[Tensor, "sentence row"]) -> Float[Tensor, "sentence row rotated"]:
        """The cosines, then the sines by which each row turns."""
        angle = positions[..., None] * cast("Rotary", self._rotary).frequencies()
        return torch.cat((angle.cos(), angle.sin()), dim=-1).float()

    def _layer(self, layer: DecoderLayer | EncoderLayer) -> c.Layer:
        cross = getattr(layer, "cross_attention", None)
        feed_forward: Any = layer.feed_forward
        gated = isinstance(feed_forward, GatedFeedForward)
        return c.Layer(
            self_residual=self._residual(layer.self_attention_residual),
            feed_forward_residual=self._residual(layer.feed_forward_residual),
            self_attention=self._attention(layer.self_attention, merged=True),
            has_cross_attention=cross is not None,
            inner=self._map(feed_forward.inner_proj),
            outer=self._map(feed_forward.output_proj),
            activation=ACTIVATIONS[feed_forward.activation],
            **({"gate": self._map(feed_forward.gate_proj)} if gated else {}),
            **(
                {}
                if cross is None
                else {
                    "cross_residual": self._residual(cast("Any", layer).cross_attention_residual),
                    "cross_attention": self._attention(cross, merged=False),
                }
            ),
        )

    def _attention(self, attention: MultiHeadAttention, *, merged: bool) -> c.Attention:
        inputs = (attention.query_proj, attention.key_proj, attention.value_proj) if merged else (attention.query_proj,)
        bias = _bias(attention.attention, attention.num_heads, self._num_distances)
        return c.Attention(
            self._map(*inputs), self._map(attention.output_proj), attention.num_heads, attention.num_kv_heads,
            attention.head_dim, cast("InnerProduct", attention.attention.score).factor(attention.head_dim),
            self._kept.pointer(bias), self._num_distances,
        )  # fmt: skip

    def _map(self, *maps: nn.Linear) -> c.Linear:
        packed = NativeLinear(self._library, maps, self._dtype)
        self._kept.tensors += packed._kept.tensors
        return packed.structure

    def _residual(self, residual: PostNorm) -> c.Residual:
        before = self._norm(residual.norm)
        if isinstance(residual, SandwichNorm):
            return c.Residual(before, self._norm(residual.output_norm), NONE)
        return c.Residual(before, NONE, NONE) if isinstance(residual, PreNorm) else c.Residual(NONE, NONE, before)

    def _norm(self, norm: Any) -> c.Norm:
        if isinstance(norm, nn.Identity):
            return NONE
        weight, bias = (getattr(norm, name, None) for name in ("weight", "bias"))
        pointers = [self._kept.pointer(None if each is None else each.float()) for each in (weight, bias)]
        epsilon = torch.finfo(torch.float32).eps if norm.eps is None else norm.eps
        return c.Norm(NORMS[type(norm)], *pointers, epsilon)


def _norms(residual: Any) -> list[nn.Module]:
    return [part for name, part in residual.named_children() if name.endswith("norm")]


def _attention_misfit(attention: MultiHeadAttention, schemes: tuple[type, ...]) -> str:
    """What of an attention is not written in C; empty: nothing.

    Args:
        schemes: the kinds of positions that are written.
    """
    inner = attention.attention
    if type(attention) is not MultiHeadAttention or type(inner) is not Attention:
        return f"attention of kind {type(inner).__name__}"
    if type(inner.score) not in (InnerProduct, DotProduct, ScaledDotProduct):
        return f"scores of kind {type(inner.score).__name__}"
    if inner.positions is not None and type(inner.positions) not in schemes:
        return f"positions of kind {type(inner.positions).__name__}"
    return ""


def _bias(attention: Attention, num_heads: int, num_distances: int) -> Tensor | None:
    """What is added to the scores of a key that is so far before its query."""
    if not isinstance(attention.positions, (LinearBias, BucketedBias)):
        return None
    query, key = torch.zeros(1, num_heads, 1, 1), torch.zeros(1, num_heads, num_distances, 1)
    before = -torch.arange(num_distances)[None]
    bias = attention.positions.bias(query, key, before, attention.head_indices)
    assert bias is not None
    return bias[0, :, 0].float()


def _pointers(tensors: Sequence[Tensor]) -> Any:
    return (c_void_p * len(tensors))(*(each.data_ptr() for each in tensors))
