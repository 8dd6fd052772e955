"""Models for inference on a CPU: weights laid out as its fastest kernels read them, and a decoder's step written out.

PyTorch lays weights out anew at each call, which costs most where there are few rows: a single sentence, a step of decoding.
There, too, every call counts: a step of a small decoder is some hundred small operations, between which Python is what takes
the time.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.nn import kernels
from regard.nn.attention import Attention
from regard.nn.cache import KeysValues, TreeKeysValues
from regard.nn.hooks import changed_output
from regard.nn.layers import DecoderLayer, PostNorm, PreNorm
from regard.nn.masks import opened
from regard.nn.multihead import MultiHeadAttention
from regard.nn.scores import ScaledDotProduct

Model = TypeVar("Model", bound=nn.Module)
Step = Float[Tensor, "sentence beam model_dim"]


class PackedLinear(nn.Module):
    """The same function as `nn.Linear`, for inference only: it has no parameters, and no gradient goes through it."""

    def __init__(self, weight: Float[Tensor, "out in"], bias: Float[Tensor, " out"] | None) -> None:
        super().__init__()
        self.in_features, self.out_features = weight.shape[1], weight.shape[0]
        self._bias = None if bias is None else bias.detach()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.detach())

    @classmethod
    def side_by_side(cls, *maps: nn.Linear) -> PackedLinear:
        """Several maps of one input as one: their outputs, one after the other."""
        weights: list[Tensor] = [linear.weight for linear in maps]
        biases: list[Tensor] = [linear.bias for linear in maps if linear.bias is not None]
        assert len(biases) in (0, len(maps))
        return cls(torch.cat(weights), torch.cat(biases) if biases else None)

    def forward(self, x: Float[Tensor, "*batch in"]) -> Float[Tensor, "*batch out"]:
        """x weight^T + bias."""
        return torch.ops.mkldnn._linear_pointwise(x, self._weight, self._bias, "none", [], "")


class StepMask:
    """Which keys the hypotheses of one step may attend to, made ready once for all layers."""

    def __init__(self, mask: Bool[Tensor, "sentence 1 #beam key"], num_beams: int, dtype: torch.dtype) -> None:
        allowed, self.is_closed = opened(mask)
        """Who may attend to nothing, and gets context 0; None: nobody."""
        assert allowed is not None
        self._added = torch.where(allowed, torch.zeros((), dtype=dtype, device=mask.device), -torch.inf)
        self._num_beams = num_beams
        self._of_heads: dict[int, Tensor] = {}

    def added(self, num_heads: int) -> Float[Tensor, "rows beam key"]:
        """To the scores of so many heads of each sentence: 0, or -inf."""
        if num_heads not in self._of_heads:
            self._of_heads[num_heads] = self._added.expand(-1, num_heads, self._num_beams, -1).flatten(0, 1)
        return self._of_heads[num_heads]


class PackedDecoder(nn.Module):
    """One decoding step through all layers of a decoder: the same function as calling them one after the other.

    Written out for the layers of most models (`fits`): queries, keys and values are one product, masks are made ready once,
    and nothing is asked that is known beforehand.
    """

    def __init__(self, layers: Sequence[DecoderLayer]) -> None:
        super().__init__()
        self._layers = [_PackedLayer(layer) for layer in layers]
        self.maps = {linear for layer in self._layers for linear in layer.maps}
        """Whose work is done here: they need not be packed by themselves."""

    @staticmethod
    def fits(layer: nn.Module) -> bool:
        """Whether a layer is the paper's or near it: pre- or post-norm, scaled dot products, positions outside attention,
        as many keys as queries.
        """
        if type(layer) is not DecoderLayer or layer.cross_attention is None:
            return False
        residuals = (layer.self_attention_residual, layer.cross_attention_residual, layer.feed_forward_residual)
        return all(type(residual) in (PreNorm, PostNorm) for residual in residuals) and all(
            _is_plain(attention) for attention in (layer.self_attention, layer.cross_attention)
        )

    def forward(
        self,
        x: Step,
        past: Sequence[TreeKeysValues],
        mask: Bool[Tensor, "sentence 1 beam cell"],
        memory: Sequence[KeysValues],
        source_mask: Bool[Tensor, "sentence 1 1 source"],
    ) -> Step:
        """The hypotheses after each has looked at its past and the source, layer by layer; their cells are filled."""
        own, source = (StepMask(allowed, x.shape[1], x.dtype) for allowed in (mask, source_mask))
        for layer, layer_past, layer_memory in zip(self._layers, past, memory, strict=True):
            x = layer.step(x, layer_past, own, layer_memory, source)
        return x


def _is_plain(attention: MultiHeadAttention) -> bool:
    inner = attention.attention
    return (
        type(attention) is MultiHeadAttention
        and attention.num_kv_heads == attention.num_heads
        and type(inner) is Attention
        and inner.positions is None
        and type(inner.score) is ScaledDotProduct
    )


class _PackedLayer:
    """One layer of a `PackedDecoder`."""

    def __init__(self, layer: DecoderLayer) -> None:
        own, source = layer.self_attention, layer.cross_attention
        assert source is not None
        merged = (own.query_proj, own.key_proj, own.value_proj)
        self.query_key_value = PackedLinear.side_by_side(*merged)
        self.own_output, self.query, self.source_output = (
            PackedLinear(linear.weight, linear.bias)
            for linear in (own.output_proj, source.query_proj, source.output_proj)
        )
        self.maps = (*merged, own.output_proj, source.query_proj, source.output_proj)
        """What is packed here; the source's keys and values are not: it goes through them before the first step."""
        self.feed_forward = layer.feed_forward
        self.own_attention, self.source_attention = own.attention, source.attention
        """Whose hooks may change what heads find."""
        self.own_heads, self.source_heads, self.head_dim = own.num_heads, source.num_heads, own.head_dim
        self.factor = ScaledDotProduct().factor(own.head_dim)
        assert layer.cross_attention_residual is not None
        self.own_residual, self.source_residual = layer.self_attention_residual, layer.cross_attention_residual
        self.feed_forward_residual = layer.feed_forward_residual

    def step(self, x: Step, past: TreeKeysValues, own: StepMask, memory: KeysValues, source: StepMask) -> Step:
        """What the layer makes of one step."""
        x = self.own_residual(x, lambda y: self.look_back(y, past, own))
        x = self.source_residual(x, lambda y: self.look_at_source(y, memory, source))
        return self.feed_forward_residual(x, self.feed_forward)

    def look_back(self, x: Step, past: TreeKeysValues, own: StepMask) -> Step:
        projected = self.query_key_value(x).unflatten(2, (3, self.own_heads, self.head_dim))
        seen = past.write(projected[:, :, 1:])
        return self.own_output(_looked_up(projected[:, :, 0], seen, own, self.factor, self.own_attention))

    def look_at_source(self, x: Step, memory: KeysValues, source: StepMask) -> Step:
        query = self.query(x).unflatten(2, (self.source_heads, self.head_dim))
        return self.source_output(_looked_up(query, memory, source, self.factor, self.source_attention))


def _looked_up(
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
    weights = kernels.softmax(torch.baddbmm(mask.added(num_heads), query, key.transpose(1, 2)))
    context = torch.bmm(weights.to(value.dtype), value).unflatten(0, (num_sentences, num_heads))
    if mask.is_closed is not None:
        context = context.masked_fill(mask.is_closed, 0)
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


def packed(model: Model) -> Model:
    """A copy of a model for inference that shares all parameters but those of linear maps, which are packed; that from states to
    logits is one of them, where the model has a place for it (`packed_output`), and a decoder's step is written out where it
    has a place for that and its layers are plain (`packed_decoder`).

    The copy stays as it is when the model's weights change. Where this machine cannot pack, or the weights are divided among
    processes, it is the model itself.
    """
    parameters = list(model.parameters())
    if not parameters or is_divided(model) or not all(can_pack(x.device, x.dtype) for x in parameters):
        return model
    # Attention without linear maps of its own is shared, too: what is hooked on it is met by the copy as well.
    attentions = [part for part in model.modules() if isinstance(part, Attention) and not _has_linear(part)]
    shared: dict[int, Any] = {id(x): x for x in (*parameters, *model.buffers(), *attentions)}
    made = copy.deepcopy(model, shared)
    output: Any = made
    done: set[nn.Module] = set()
    if hasattr(made, "packed_decoder") and all(PackedDecoder.fits(layer) for layer in output.decoder_layers):
        output.packed_decoder = PackedDecoder(list(output.decoder_layers))
        done = output.packed_decoder.maps
    for module in list(made.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Linear and child not in done:
                setattr(module, name, PackedLinear(child.weight, child.bias))
    if hasattr(made, "packed_output"):
        output.packed_output = PackedLinear(output.output_embedding.weight, output.output_bias)
    return made


def _has_linear(module: nn.Module) -> bool:
    return any(isinstance(part, nn.Linear) for part in module.modules())


def is_divided(model: nn.Module) -> bool:
    """Whether FSDP has divided the model's weights among processes; it does not let a model be copied."""
    fsdp = sys.modules.get("torch.distributed.fsdp")
    return fsdp is not None and any(isinstance(module, fsdp.FSDPModule) for module in model.modules())
