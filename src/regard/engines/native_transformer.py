"""Transformers whose layers run in C, with the methods that decoding calls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.compiled.library import Library
from regard.engines.native_layers import NativeLayers
from regard.engines.native_model import NativeModel
from regard.engines.native_search import NativeSearch
from regard.engines.packed import with_shared_weights
from regard.engines.structures import EmbeddingAndOutput, NativeLinear, unsupported_in_layer
from regard.generation.step_limit import StepLimit
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.interface import TokenModel
from regard.nn.cache import BeamCache, KeysValues, Memory
from regard.nn.masks import positions_from_mask
from regard.nn.multihead import MultiHeadAttention


class NativeTransformer(NativeModel):
    """A Transformer whose layers run in C.

    Each number is summed in an order that depends on its own sentence only, so that a sentence has the same scores, to the last
    bit, in any batch; but for modules of another kind that stand before or after the layers, which PyTorch computes.

    Args:
        model: one that `unsupported_in_transformer` finds nothing in.
        dtype: of the stored weights of linear maps, as for `NativeLinear`.
    """

    def __init__(self, model: TokenModel, library: Library, dtype: torch.dtype = torch.float32) -> None:
        super().__init__(model, library, dtype)
        copied: Any = with_shared_weights(model)
        stacks, positions = model.layer_stacks(), model.config.max_positions
        output = nn.Linear(1, 1, bias=model.output_bias is not None, device="meta")
        output.weight = model.output_embedding.weight
        output.bias = model.output_bias  # type: ignore[assignment]  # torch's says never None
        self._ends = _embedding_and_output(copied, output)
        self._reader: _SourceReader | None = None
        decoder: Any = stacks["decoder"]
        self._layers = NativeLayers(library, decoder, max_positions=positions, ends=self._ends, dtype=dtype)
        if model.reads_source:
            projection = _SourceProjection(library, [layer.cross_attention for layer in decoder], dtype)
            ends = _before_and_after_encoder(copied, projection)
            encoder = NativeLayers(
                library, cast("Any", stacks["encoder"]), max_positions=positions, ends=ends, dtype=dtype
            )
            copied.encoder_layers = nn.ModuleList([_NativeEncoder(encoder)])
            if ends is not None:
                self._reader = _SourceReader(encoder, projection, model.config.pad_id, positions)
            copied.project = projection
            copied.decoder_layers = nn.ModuleList()  # they are run by `_layers` only
        else:
            copied.layers = nn.ModuleList(nn.Identity() for _ in stacks["decoder"])
        for module in list(copied.modules()):
            for name, child in module.named_children():
                if type(child) is nn.Linear:
                    setattr(module, name, NativeLinear(library, [child], dtype))
        self._model = copied
        self._output = NativeLinear(library, [output], dtype) if self._ends is None else None

    def _prefill(self, source_ids: Int[Tensor, "sentence source"]) -> Any:
        if self._plain.reads_source:
            read = None if self._reader is None else self._reader(source_ids)
            return self._model.prefill(source_ids) if read is None else read
        return self._model.prefill(source_ids, self._layers.read)

    def _decode_step(self, ids: Int[Tensor, "sentence beam"], state: Any) -> tuple[Any, Any]:
        if self._output is not None:
            states, state = self._model.step_states(ids, state, self._layers)
            return self._plain.capped(self._output(states)), state
        assert self._ends is not None
        positions = state.begin_step(ids.shape[1])
        self._ends.positions.check_step(positions, state.length - 1)
        return self._layers.step(ids, positions, state), state

    def can_search(self) -> bool:
        """Whether `search_steps` may be called."""
        return self._ends is not None and super().can_search()

    def search_steps(self, state: Any, search: NativeSearch, limit: StepLimit) -> int:
        """Take steps of the model and of a search over its tokens, in one call. Their number."""
        assert self._ends is not None
        left = self._ends.positions.max_positions - state.length
        if left <= 0:  # else no position can be above it
            self._ends.positions.check_step(state.positions + 1, state.length)
        search.begin(min(limit.most, max(left, 1)), limit)
        return self._layers.search_steps(state, search)


def _embedding_and_output(model: Any, output: nn.Linear) -> EmbeddingAndOutput | None:
    """The modules before and after the layers of a decoder; None: other modules than are written in C."""
    scale, num_tokens = _embedding_scale(model), len(output.weight)
    if not model.reads_source:
        ends = EmbeddingAndOutput(
            model.embedding, num_tokens, scale, model.positions, model.embedding_dropout, model.embedding_norm, model.norm,
            model.output_transform, [output], model.logit_cap,
        )  # fmt: skip
    else:
        ends = EmbeddingAndOutput(
            model.target_embedding, num_tokens, scale, model.target_positions, model.embedding_dropout, model.target_norm,
            model.decoder_norm, model.output_transform, [output], model.logit_cap,
        )  # fmt: skip
    return ends if ends.are_written else None


def _embedding_scale(model: Any) -> float:
    return math.sqrt(model.config.model_dim) if model.config.scale_embeddings else 1.0


def _before_and_after_encoder(model: Any, projection: _SourceProjection) -> EmbeddingAndOutput | None:
    """The modules before the layers of an encoder, and the projection behind them; None: not all are written in C."""
    if model.source_type_embedding is not None or any(
        getattr(type(model), name) is not getattr(EncoderDecoder, name) for name in ("encode", "read_source", "prefill")
    ):
        return None
    ends = EmbeddingAndOutput(
        model.source_embedding, len(model.source_embedding.weight), _embedding_scale(model), model.source_positions,
        model.embedding_dropout, model.source_norm, model.encoder_norm, nn.Identity(), projection.maps, None,
    )  # fmt: skip
    return ends if ends.are_written else None


class _NativeEncoder(nn.Module):
    """A module of all layers of an encoder, in the place of its first."""

    def __init__(self, layers: NativeLayers) -> None:
        super().__init__()
        self.layers = layers

    def forward(
        self,
        x: Float[Tensor, "sentence position model_dim"],
        *,
        mask: Bool[Tensor, "sentence 1 1 position"],
        **none: Any,
    ) -> Tensor:
        """The positions after all layers."""
        return self.layers.encode(x, mask)


class _SourceProjection:
    """The projection of the source to each decoder layer's keys and values, by one linear map.

    Args:
        attentions: the cross-attention of each layer.
    """

    def __init__(self, library: Library, attentions: Sequence[MultiHeadAttention], dtype: torch.dtype) -> None:
        self._library, self._dtype = library, dtype
        self.maps = [linear for each in attentions for linear in (each.key_proj, each.value_proj)]
        self._heads = [(2, each.num_kv_heads, each.head_dim) for each in attentions]
        self._norms = [each.key_norm for each in attentions]

    @cached_property
    def _map(self) -> NativeLinear:
        """The map by itself: a `_SourceReader` has packed the same weights, and does without it."""
        return NativeLinear(self._library, self.maps, self._dtype)

    def __call__(self, encoded: Float[Tensor, "sentence source model_dim"]) -> list[KeysValues]:
        return self.divided(self._map(encoded))

    def divided(self, projected: Float[Tensor, "sentence source output"]) -> list[KeysValues]:
        """The keys and values of each layer, of the output of all maps side by side."""
        if len(set(self._heads)) == 1:  # one copy for all
            layers = projected.unflatten(-1, (len(self._heads), *self._heads[0])).permute(2, 3, 0, 4, 1, 5).contiguous()
            both = [(layer[0], layer[1]) for layer in layers]
        else:
            parts = projected.split([math.prod(sizes) for sizes in self._heads], dim=-1)
            cut = [part.unflatten(-1, sizes) for part, sizes in zip(parts, self._heads, strict=True)]
            both = [tuple(part.permute(2, 0, 3, 1, 4).contiguous()) for part in cut]
        return [
            KeysValues(keys if norm is None else norm(keys), values)
            for norm, (keys, values) in zip(self._norms, both, strict=True)
        ]


class _SourceReader:
    """The source, from ids to each decoder layer's keys and values, in one call: what `EncoderDecoder.read_source` computes.

    Args:
        layers: of the encoder, with what stands before them, and with the maps of `projection` behind them.
    """

    def __init__(self, layers: NativeLayers, projection: _SourceProjection, pad_id: int, max_positions: int) -> None:
        self._layers, self._projection, self._pad_id, self._max_positions = layers, projection, pad_id, max_positions

    def __call__(self, source_ids: Int[Tensor, "sentence source"]) -> BeamCache | None:
        """The cache before the first step; None: a source without tokens, or one that is too long, is left to PyTorch."""
        is_token = source_ids != self._pad_id
        if source_ids.shape[1] > self._max_positions or not bool(is_token.any(dim=1).all()):
            return None
        projected = self._layers.read_source(source_ids, positions_from_mask(is_token), is_token)
        mask = is_token[:, None, None]
        memory = [Memory(layer, mask) for layer in self._projection.divided(projected)]
        return BeamCache(len(memory), len(source_ids), source_ids.device, memory)


def unsupported_in_transformer(model: Any) -> str:
    """The feature of an `EncoderDecoder` or a `Decoder` that is not written in C; empty: none."""
    if getattr(model.config, "cross_attention", False):
        return "cross-attention of a decoder without an encoder is not written in C"
    if type(model.output_embedding) is not nn.Embedding:
        return f"output embeddings of kind {type(model.output_embedding).__name__} are not written in C"
    for layers in model.layer_stacks().values():
        if not len(layers):
            return "a stack without layers is not written in C"
        reasons = (unsupported_in_layer(layer, model.config.max_positions) for layer in layers)
        if reason := next(filter(None, reasons), ""):
            return f"{reason} are not written in C"
    return ""
