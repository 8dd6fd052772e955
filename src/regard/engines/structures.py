"""The structures of `layers.h`, filled from modules: linear maps, layers, and the modules before and after them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.compiled import library as c
from regard.compiled.library import PointedTensors
from regard.engines.distance_tables import DistanceTables, unsupported_positions
from regard.engines.kinds import DROPOUTS, NORMS, not_written
from regard.errors import SettingsError, check_width
from regard.generation.threads import available_threads
from regard.models.parts import EmbeddedPositions, OutputTransform
from regard.nn.layers import DecoderLayer, EncoderLayer, FeedForward, GatedFeedForward, PostNorm, PreNorm, SandwichNorm
from regard.nn.lora import AdapterChoice, ChosenAdapter, without_updates
from regard.nn.multihead import MultiHeadAttention
from regard.nn.positions import LearnedPositions
from regard.nn.quantization import quantized
from regard.nn.scores import DotProduct, InnerProduct, ScaledDotProduct, SoftCappedDotProduct

ACTIVATIONS = {"relu": 1, "gelu": 2, "gelu_tanh": 3, "silu": 4, "tanh": 5, "quick_gelu": 6}
INNER_PRODUCTS = (InnerProduct, DotProduct, ScaledDotProduct)
"""The scores that are a dot product and a factor."""
NONE = c.Norm(kind=0)
TILE_BYTES = 64
"""The number of bytes of each output that AMX reads at once, past the last input, too."""
MOST_INT8_INPUTS = 2**17
"""The number of products of two bytes whose sum always fits into 32 bits."""


class NativeLinear(nn.Module):
    """A linear map of some linear maps side by side, for inference: it has no parameters, and no gradient goes through
    it. Those with several adapters keep them in float32.

    Args:
        dtype: of the stored weights. With float32 and bfloat16 arithmetic is in float32; with int8, inputs are rounded
            to 8 bits, too, and products are summed as whole numbers.
    """

    def __init__(self, found: c.Library, maps: Sequence[nn.Module], dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self._library, self.kept = found, PointedTensors()
        plain = [without_updates(linear) for linear in maps]
        weights: list[Tensor] = [linear.weight.detach().float() for linear in plain]
        weight = torch.cat(weights)
        biases: list[Tensor] = [
            linear.weight.new_zeros(len(linear.weight)) if linear.bias is None else linear.bias for linear in plain
        ]
        self.out_features, self.in_features = weight.shape
        self.structure = _linear(found, self.kept, weight, torch.cat(biases).detach().float(), dtype)
        self.choice: AdapterChoice | None = None
        """The choice of an adapter for each example; None: the map has no adapters."""
        if adapted := [linear for linear in maps if isinstance(linear, ChosenAdapter)]:
            self.choice = adapted[0].choice
            updates = cast("ChosenAdapter", ChosenAdapter.side_by_side(adapted[0].plain, maps))
            self.structure.updates = ctypes.pointer(_updates(self.kept, updates))

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """x weight^T + bias, and the updates of each example, which are the first dimension of x.

        Raises:
            ShapeError: x has another width, as a module of another kind before the map may make it.
        """
        check_width("the input of a linear map", x.shape[-1], self.in_features)
        x = x.contiguous()
        y = x.new_empty(*x.shape[:-1], self.out_features)
        rows, functions = x.numel() // self.in_features, self._library.functions
        room = torch.empty(functions.regard_room_of_map(ctypes.byref(self.structure)), **c.NUMBERS)
        of_rows = None
        if self.choice is not None and (numbers := self.choice.numbers) is not None:
            of_rows = numbers.int().repeat_interleave(rows // len(numbers))
        functions.regard_linear(
            ctypes.byref(self.structure), rows, *map(c.address, (x, y, room)), available_threads(),
            None if of_rows is None else c.address(of_rows, torch.int32),
        )  # fmt: skip
        return y


def _updates(kept: PointedTensors, adapters: ChosenAdapter) -> c.Updates:
    """The updates of a map, those of each adapter together."""
    order = adapters.owners.argsort(stable=True)
    counts = adapters.owners.bincount(minlength=1)
    ranks = counts.cumsum(0)  # adapters are counted from 1, and none is 0
    found = c.Updates(
        len(counts) - 1, kept.pointer(ranks, torch.long), kept.pointer(adapters.down[order]),
        kept.pointer(adapters.up.T[order]),
    )  # fmt: skip
    kept.structures.append(found)
    return found


def _linear(
    found: c.Library,
    kept: PointedTensors,
    weight: Float[Tensor, "out in"],
    bias: Float[Tensor, " out"],
    dtype: torch.dtype,
) -> c.Linear:
    """A linear map, packed."""
    panel, (outputs, inputs) = found.panel, weight.shape
    missing = -outputs % panel
    weight, bias = nn.functional.pad(weight, (0, 0, 0, missing)), nn.functional.pad(bias, (0, missing))
    if dtype == torch.int8:
        if inputs > MOST_INT8_INPUTS:
            raise SettingsError(
                f"a linear map must have at most {MOST_INT8_INPUTS:,} inputs for engine=native-int8; got {inputs:,}. "
                "Take engine=native."
            )
        scales, rounded = quantized(weight)
        groups = nn.functional.pad(rounded, (0, -inputs % 4)).view(-1, panel, -(-inputs // 4), 4).transpose(1, 2)
        groups = nn.functional.pad(groups.flatten(), (0, TILE_BYTES * panel))
        offsets = -128 * rounded.sum(dim=1, dtype=torch.int32)
        return c.Linear(
            inputs, outputs, c.DTYPES[dtype], kept.pointer(groups, dtype), kept.pointer(bias), kept.pointer(scales),
            kept.pointer(offsets, torch.int32),
        )  # fmt: skip
    panels = weight.view(-1, panel, inputs).transpose(1, 2)
    if dtype == torch.bfloat16:  # neighbours are one output of each half
        panels = panels.unflatten(2, (2, -1)).transpose(2, 3).flatten(2)
    return c.Linear(inputs, outputs, c.DTYPES[dtype], kept.pointer(panels, dtype), kept.pointer(bias))


class EmbeddingAndOutput(NamedTuple):
    """The modules before the layers of a decoder or an encoder and after them."""

    embedding: nn.Embedding
    num_tokens: int
    """The number of tokens that may be read."""
    scale: float
    """The factor of the embeddings."""
    positions: EmbeddedPositions
    dropout: nn.Module
    embedding_norm: nn.Module
    last_norm: nn.Module
    transform: nn.Module
    """The map before the output: an `OutputTransform`, or `nn.Identity`."""
    output: Sequence[nn.Module]
    """The linear maps, side by side, to the vocabulary; or of an encoder, to the keys and values of those that look at it."""
    logit_cap: float | None
    """The bound of logits; None: there is none."""

    @property
    def position_table(self) -> Tensor | None:
        """The vectors that are added to embeddings; None: nothing is."""
        return self.positions.waves if self.positions.learned is None else self.positions.learned.table.weight

    @property
    def are_written(self) -> bool:
        """Whether all these modules are written in C."""
        learned = self.positions.learned if type(self.positions) is EmbeddedPositions else self.positions
        if learned is not None and (type(learned) is not LearnedPositions or not _is_lookup(learned.table)):
            return False
        table = self.position_table
        return (
            _is_lookup(self.embedding)
            and type(self.dropout) in DROPOUTS
            and len(self.embedding.weight) >= self.num_tokens
            and (table is None or len(table) >= self.positions.max_positions)
            and all(type(norm) in NORMS for norm in (self.embedding_norm, self.last_norm))
            and (type(self.transform) is nn.Identity or _is_written(self.transform))
        )


def _is_lookup(embedding: nn.Module) -> bool:
    """Whether an embedding gives the rows of its matrix as they are."""
    return type(embedding) is nn.Embedding and embedding.max_norm is None


def _is_written(transform: Any) -> bool:
    return (
        type(transform) is OutputTransform
        and type(transform.inner_proj) is nn.Linear
        and transform.activation in ACTIVATIONS
        and type(transform.norm) in NORMS
    )


class Structures:
    """The structures of some layers, and the tensors that they point to.

    Args:
        max_positions: no sequence is longer.
        ends: what stands before and after the layers; None: nothing.
        dtype: of the stored weights of linear maps.
    """

    def __init__(
        self,
        found: c.Library,
        layers: Sequence[DecoderLayer | EncoderLayer],
        max_positions: int,
        ends: EmbeddingAndOutput | None,
        dtype: torch.dtype,
    ) -> None:
        self._library, self._dtype = found, dtype
        self.kept = PointedTensors()
        self.choice: AdapterChoice | None = None
        """The choice of an adapter for each sentence; None: no map has adapters."""
        self._tables = DistanceTables(self.kept, max_positions)
        self.layers = (c.Layer * len(layers))(*map(self._layer, layers))
        model_dim = cast("Any", layers[0].feed_forward).inner_proj.in_features
        has_turns = any(layer.self_attention.distances.rotated for layer in self.layers)
        self.stack = c.Stack(len(layers), model_dim, has_turns, self.layers)
        self.stack.num_positions = max_positions
        if ends is not None:
            self.stack.embedding, self.stack.scale = self.kept.pointer(ends.embedding.weight), ends.scale
            self.stack.num_tokens = ends.num_tokens
            self.stack.positions = self.kept.pointer(ends.position_table)
            self.stack.embedding_norm, self.stack.last_norm = map(self._norm, (ends.embedding_norm, ends.last_norm))
            self.stack.output, self.stack.logit_cap = self._map(*ends.output), ends.logit_cap or 0
            if isinstance(ends.transform, OutputTransform):
                self.stack.transform = self._map(cast("nn.Linear", ends.transform.inner_proj))
                self.stack.transform_activation = ACTIVATIONS[ends.transform.activation]
                self.stack.transform_norm = self._norm(ends.transform.norm)

    def _layer(self, layer: DecoderLayer | EncoderLayer) -> c.Layer:
        cross = getattr(layer, "cross_attention", None)
        feed_forward: Any = layer.feed_forward
        gated = isinstance(feed_forward, GatedFeedForward)
        recurrence: Any = getattr(layer, "recurrence", None)
        own: dict[str, Any]
        if recurrence is None:
            own = {
                "self_attention": self._self_attention(
                    layer.self_attention, looks_ahead=isinstance(layer, EncoderLayer)
                )
            }
        else:
            own = {"recurrence": self._map(recurrence.keep_proj, recurrence.new_proj)}
        return c.Layer(
            self_residual=self._residual(layer.self_attention_residual),
            feed_forward_residual=self._residual(layer.feed_forward_residual),
            has_cross_attention=cross is not None,
            is_parallel=getattr(layer, "is_parallel", False),
            inner=self._map(feed_forward.inner_proj),
            outer=self._map(feed_forward.output_proj),
            activation=ACTIVATIONS[feed_forward.activation],
            **own,
            **({"gate": self._map(feed_forward.gate_proj)} if gated else {}),
            **(
                {}
                if cross is None
                else {
                    "cross_residual": self._residual(cast("Any", layer).cross_attention_residual),
                    "cross_attention": self._attention(cross, cross.query_proj),
                }
            ),
        )

    def _self_attention(self, attention: MultiHeadAttention, *, looks_ahead: bool) -> c.Attention:
        found = self._attention(attention, attention.query_proj, attention.key_proj, attention.value_proj)
        found.key_norm = self._norm(attention.key_norm)
        found.distances = self._tables.of(attention.attention, attention.num_heads, looks_ahead=looks_ahead)
        return found

    def _attention(self, attention: MultiHeadAttention, *inputs: nn.Module) -> c.Attention:
        score = attention.attention.score
        cap, product = (score.cap, score.product) if isinstance(score, SoftCappedDotProduct) else (0.0, score)
        return c.Attention(
            self._map(*inputs), self._map(attention.output_proj), attention.num_heads, attention.num_kv_heads,
            attention.head_dim, attention.value_head_dim,
            cast("InnerProduct", product).factor(attention.head_dim), cap,
            query_norm=self._norm(attention.query_norm),
        )  # fmt: skip

    def _map(self, *maps: nn.Module) -> c.Linear:
        packed = NativeLinear(self._library, maps, self._dtype)
        self.kept.keep(packed.kept)
        self.choice = packed.choice or self.choice
        return packed.structure

    def _residual(self, residual: PostNorm) -> c.Residual:
        before = self._norm(residual.norm)
        if isinstance(residual, SandwichNorm):
            return c.Residual(before, self._norm(residual.output_norm), NONE)
        return c.Residual(before, NONE, NONE) if isinstance(residual, PreNorm) else c.Residual(NONE, NONE, before)

    def _norm(self, norm: Any) -> c.Norm:
        if norm is None or isinstance(norm, nn.Identity):
            return NONE
        weight, bias = (getattr(norm, name, None) for name in ("weight", "bias"))
        pointers = [self.kept.pointer(each) for each in (weight, bias)]
        epsilon = torch.finfo(torch.float32).eps if norm.eps is None else norm.eps
        return c.Norm(NORMS[type(norm)], *pointers, epsilon)


def unsupported_in_layer(layer: nn.Module, max_positions: int) -> str:
    """The feature of a layer that is not written in C; empty: none.

    Args:
        max_positions: no sequence is longer.
    """
    if reason := not_written(layer):
        return reason
    for name, part in layer.named_children():
        if isinstance(part, MultiHeadAttention) and (reason := _unsupported_in_attention(part, name, max_positions)):
            return reason
        if isinstance(part, FeedForward) and part.activation not in ACTIVATIONS:
            return f"activations of kind {part.activation}"
    return ""


def _unsupported_in_attention(attention: MultiHeadAttention, name: str, max_positions: int) -> str:
    """The feature of an attention that is not written in C; empty: none."""
    inner = attention.attention
    if type(inner.score) not in (*INNER_PRODUCTS, SoftCappedDotProduct):
        return f"scores of kind {type(inner.score).__name__}"
    if attention.value_head_dim != attention.head_dim:
        return "values of another width than keys"
    if name == "cross_attention" and (inner.positions is not None or inner.window is not None):
        return "positions in cross-attention"
    return unsupported_positions(inner, attention.num_heads, attention.head_dim, max_positions)
