"""Decoding on a CPU: weights laid out as its fastest kernels read them, and a decoder's step written out.

PyTorch lays weights out anew at each call, which costs most where there are few rows: a single sentence, a step of decoding.
There, too, every call counts: a step of a small decoder is about a hundred small operations, between which Python takes
the time.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.engines.kinds import has_half_of_cross_attention
from regard.engines.shapes import misfit
from regard.models.adaptation import sharing
from regard.models.deviation import changed_call
from regard.nn import kernels
from regard.nn.attention import Attention
from regard.nn.cache import BeamCache, BeamLayer, KeysValues
from regard.nn.hooks import changed_output, hooked, inputs_wanted
from regard.nn.layers import DecoderLayer, PostNorm, PreNorm
from regard.nn.lora import ChosenAdapter, without_updates
from regard.nn.masks import open_empty_rows
from regard.nn.multihead import MultiHeadAttention
from regard.nn.scores import ScaledDotProduct

Step = Float[Tensor, "sentence beam model_dim"]


class PackedLinear(nn.Module):
    """A linear map like `nn.Linear`, for inference only: it has no parameters, and no gradient goes through it."""

    def __init__(self, weight: Float[Tensor, "out in"], bias: Float[Tensor, " out"] | None) -> None:
        super().__init__()
        self.in_features, self.out_features = weight.shape[1], weight.shape[0]
        self._bias = None if bias is None else bias.detach()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach())

    @classmethod
    def side_by_side(cls, *maps: nn.Module) -> nn.Module:
        """Pack several maps of one input as one, or a single map: their outputs, one after the other. Adapters are
        kept.
        """
        plain = [without_updates(each) for each in maps]
        weights: list[Tensor] = [linear.weight for linear in plain]
        bias: Tensor | None = None
        if any(linear.bias is not None for linear in plain):
            bias = torch.cat([x.weight.new_zeros(len(x.weight)) if x.bias is None else x.bias for x in plain])
        return ChosenAdapter.side_by_side(cls(torch.cat(weights), bias), maps)

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """x weight^T + bias."""
        return torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "none", [], "")


class StepMask:
    """The masks of one decoding step, prepared once for all layers."""

    def __init__(self, mask: Bool[Tensor, "sentence 1 #beam key"], num_beams: int, dtype: torch.dtype) -> None:
        allowed, self.is_empty = open_empty_rows(mask)
        """The queries that may attend to nothing, and get context 0; None: there are none."""
        assert allowed is not None
        self._added = torch.where(allowed, torch.zeros((), dtype=dtype, device=mask.device), -torch.inf)
        self._num_beams = num_beams
        self._of_heads: dict[int, Tensor] = {}

    def added(self, num_heads: int) -> Float[Tensor, "rows beam key"]:
        """The numbers that are added to the scores of all heads of each sentence: 0, or -inf."""
        if num_heads not in self._of_heads:
            self._of_heads[num_heads] = self._added.expand(-1, num_heads, self._num_beams, -1).flatten(0, 1)
        return self._of_heads[num_heads]


class PackedLayers(nn.Module):
    """A decoding step through all layers of a decoder: the same function as calling them one after the other.

    Written out for the layers of most models (`fits`): queries, keys and values are one product, masks are made ready once,
    and nothing is checked that is known beforehand.
    """

    def __init__(self, layers: Sequence[DecoderLayer]) -> None:
        super().__init__()
        self._layers = [_PackedLayer(layer) for layer in layers]
        self.maps = {without_updates(linear) for layer in self._layers for linear in layer.maps}
        """The modules that this replaces: they need not be packed."""

    @staticmethod
    def fits(layer: nn.Module) -> bool:
        """Whether this supports a layer: pre- or post-norm, scaled dot products, positions outside attention,
        as many keys as queries.
        """
        if type(layer) is not DecoderLayer or layer.recurrence is not None or layer.is_parallel:
            return False
        if has_half_of_cross_attention(layer):
            return False
        residuals = (layer.self_attention_residual, layer.cross_attention_residual, layer.feed_forward_residual)
        return all(type(residual) in (PreNorm, PostNorm) for residual in residuals if residual is not None) and all(
            _is_plain(attention) for attention in (layer.self_attention, layer.cross_attention) if attention is not None
        )

    def forward(self, x: Step, cache: BeamCache) -> Step:
        """The hypotheses after each has looked at its past and the source, layer by layer; their cells are filled."""
        own = StepMask(cache.mask, x.shape[1], x.dtype)
        first = cache.memory[0]
        source = None if first is None else StepMask(first.mask, x.shape[1], x.dtype)
        for layer, past, memory in zip(self._layers, cache.layers, cache.memory, strict=True):
            x = layer.own_residual(x, partial(layer.self_attend, past=past, mask=own))
            if memory is not None and source is not None:
                x = layer.cross_attend(x, memory.keys_values, source)
            x = layer.feed_forward_residual(x, layer.feed_forward)
        return x


def _is_plain(attention: MultiHeadAttention) -> bool:
    inner = attention.attention
    return (
        type(attention) is MultiHeadAttention
        and attention.num_kv_heads == attention.num_heads
        and attention.value_head_dim == attention.head_dim
        and type(inner) is Attention
        and attention.query_norm is None
        and inner.positions is None
        and inner.window is None
        and type(inner.score) is ScaledDotProduct
        and all(type(without_updates(each)) is nn.Linear for name, each in attention.named_children() if "proj" in name)
    )


class _PackedLayer:
    """A layer of `PackedLayers`."""

    def __init__(self, layer: DecoderLayer) -> None:
        own = layer.self_attention
        merged = (own.query_proj, own.key_proj, own.value_proj)
        self.query_key_value = PackedLinear.side_by_side(*merged)
        self.own_output = PackedLinear.side_by_side(own.output_proj)
        self.maps = [*merged, own.output_proj]
        """The linear maps that are packed here. Those of the source's keys and values are not: it goes through them
        before the first step.
        """
        self.own_attention = own.attention
        """The attention, whose hooks may change what heads find; so may those of `source_attention`."""
        self.num_heads, self.head_dim = own.num_heads, own.head_dim
        self.factor = ScaledDotProduct().factor(own.head_dim)
        self.own_residual = layer.self_attention_residual
        self.feed_forward, self.feed_forward_residual = layer.feed_forward, layer.feed_forward_residual
        source = layer.cross_attention
        if source is not None and layer.cross_attention_residual is not None:
            self.query, self.source_output = map(PackedLinear.side_by_side, (source.query_proj, source.output_proj))
            self.maps += [source.query_proj, source.output_proj]
            self.source_attention, self.source_sizes = source.attention, (source.num_heads, source.head_dim)
            self.source_factor = ScaledDotProduct().factor(source.head_dim)
            self.source_residual = layer.cross_attention_residual

    def self_attend(self, x: Step, past: BeamLayer, mask: StepMask) -> Step:
        """Self-attention; what x adds to the past is written there."""
        projected = self.query_key_value(x).unflatten(2, (3, self.num_heads, self.head_dim))
        seen = past.write(projected[:, :, 1:])
        return self.own_output(_contexts(projected[:, :, 0], seen, mask, self.factor, self.own_attention))

    def cross_attend(self, x: Step, memory: KeysValues, mask: StepMask) -> Step:
        """Cross-attention inside its residual."""

        def look(y: Step) -> Step:
            query = self.query(y).unflatten(2, self.source_sizes)
            return self.source_output(_contexts(query, memory, mask, self.source_factor, self.source_attention))

        return self.source_residual(x, look)


def _contexts(
    query: Float[Tensor, "sentence beam head head_dim"],
    seen: KeysValues,
    mask: StepMask,
    factor: float,
    attention: Attention,
) -> Float[Tensor, "sentence beam dim"]:
    """The context of each hypothesis, its heads side by side."""
    num_sentences, num_heads = query.shape[0], query.shape[2]
    query = query * factor  # before the product, as in `InnerProduct`: in 16 bits that is another number than after it
    query, key, value = (x.flatten(0, 1) for x in (query.transpose(1, 2), *seen))
    added = mask.added(num_heads)
    if query.dtype == torch.float16:  # as in `InnerProduct`
        query, key, added = query.float(), key.float(), added.float()
    weights = kernels.softmax(torch.baddbmm(added, query, key.transpose(1, 2)))
    context = torch.bmm(weights.to(value.dtype), value).unflatten(0, (num_sentences, num_heads))
    if mask.is_empty is not None:
        context = context.masked_fill(mask.is_empty, 0)
    return changed_output(attention, context).transpose(1, 2).flatten(2)


def can_pack(device: torch.device, dtype: torch.dtype = torch.float32) -> bool:
    """Whether this build of PyTorch has the kernels, which are oneDNN's, and this processor runs them in this dtype.

    In 16 bits oneDNN asks for AVX-512 at least.
    """
    if (
        device.type != "cpu"
        or not torch.backends.mkldnn.is_available()
        or not hasattr(torch.ops.mkldnn, "_linear_pointwise")
    ):
        return False
    if dtype == torch.bfloat16:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    if dtype == torch.float16:
        return bool(torch.ops.mkldnn._is_mkldnn_fp16_supported())
    return dtype == torch.float32


class PackedModel:
    """A model for decoding whose weights are packed, with the methods that decoding calls and no others.

    The model's modules are shared but for linear maps, whose weights are laid out anew, once. What is packed stays as it is when
    the model's weights change.
    """

    def __init__(self, model: Any) -> None:
        self._plain = model
        self._plain_layers = [layer for layers in model.layer_stacks().values() for layer in layers]
        """The layers that a hook may be set on: those of the copy are others."""
        self.model = with_shared_weights(model)
        layers = self.model.layer_stacks().get("decoder", [])
        self.run_layers: PackedLayers | None = None
        if layers and all(PackedLayers.fits(layer) for layer in layers):
            self.run_layers = PackedLayers(layers)
        _pack_maps(self.model, () if self.run_layers is None else self.run_layers.maps)
        self.output = PackedLinear(model.output_embedding.weight, model.output_bias)

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> Any:
        """The state before the first step."""
        return (self._plain if hooked(*self._plain_layers) else self.model).prefill(source_ids)

    def decode_step(self, ids: Int[Tensor, "sentence beam"], state: Any) -> tuple[Any, Any]:
        """Logits of the token that follows, and the state after `ids`. A hook that sees inputs sees each layer's; one on a whole
        layer is run by the model that was packed.
        """
        if hooked(*self._plain_layers):
            return self._plain.decode_step(ids, state)
        if self.run_layers is None or inputs_wanted():
            states, state = self.model.step_states(ids, state)
        else:
            states, state = self.model.step_states(ids, state, self.run_layers)
        return self._plain.capped(self.output(states)), state


def packed(model: Any) -> Any:
    """Pack a model for decoding if this machine supports it; otherwise return the model itself.

    It is not packed where its weights are divided among processes, where something is set on its modules that a copy would miss,
    or where shapes do not fit each other, which the model itself says best; nor is a decoder whose layers are not written out
    here, as packed maps alone gain nothing there (docs/experiments.md).

    Args:
        model: an encoder-decoder, a recurrent one or a decoder.
    """
    parameters = list(model.parameters())
    if is_divided(model) or manual_change(model) or not all(can_pack(x.device, x.dtype) for x in parameters):
        return model
    if misfit(model):
        return model
    stacks = model.layer_stacks()
    if stacks.keys() == {"decoder"} and not all(map(PackedLayers.fits, stacks["decoder"])):
        return model
    return PackedModel(model)


def _pack_maps(model: nn.Module, done: Collection[nn.Module]) -> None:
    """Replace linear maps by packed ones, except for those in `done` and those of scores, which the model itself calls."""
    shared = {part for module in model.modules() if isinstance(module, Attention) for part in module.modules()}
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Linear and child not in done and child not in shared:
                setattr(module, name, PackedLinear(child.weight, child.bias))


def with_shared_weights(model: Any) -> Any:
    """A copy whose linear maps can be replaced. Attention, whose hooks are met in the copy as well, is shared with all that is
    in it, and so are modules without linear maps.
    """
    return sharing(model, [part for part in model.modules() if isinstance(part, Attention) or not _has_linear(part)])


def _has_linear(module: nn.Module) -> bool:
    return any(isinstance(part, nn.Linear) for part in module.modules())


def manual_change(model: nn.Module) -> str:
    """A change that was set on a model by hand and that only calling its modules can meet, as a sentence; empty: none."""
    if torch.nn.modules.module._global_forward_hooks or torch.nn.modules.module._global_forward_pre_hooks:
        return "a PyTorch hook is set on all modules"
    return changed_call(model)


def is_divided(model: nn.Module) -> bool:
    """Whether FSDP has divided the model's weights among processes; it does not let a model be copied."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    return fsdp is not None and any(isinstance(module, fsdp.FSDPModule) for module in model.modules())
