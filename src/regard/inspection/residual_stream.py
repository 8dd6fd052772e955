"""The residual stream as a sum: the vector that each part of a model adds to the state of each token.

Where norms stand before the sublayers, the state before any sublayer is the embeddings plus the outputs of all earlier heads and
feed-forward layers. A norm of such a sum is linear in its parts once its scale is held: the scale that it has for the whole sum.

Source: Elhage et al. 2021, section "virtual weights and the residual stream as a communication channel".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.inspection.capture import CapturedAttention, CapturedCalls, capture
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import Site, attention_sites, multihead_attentions
from regard.models.interface import Model, one_row
from regard.models.parts import EmbeddedPositions, TextInput
from regard.nn.hooks import forward_hooks, hooks_of
from regard.nn.layers import BatchNorm, DecoderLayer, EncoderLayer, PostNorm, PreNorm, SandwichNorm
from regard.nn.multihead import MultiHeadAttention
from regard.nn.upcast import upcast

Vectors = Float[Tensor, "part position model_dim"]


class Added(NamedTuple):
    """The vectors that some parts add to the state of each position."""

    names: list[str]
    """`token`, `position`; heads such as `cross.2.3`; `decoder.2.feed_forward`; biases such as `cross.2.bias`."""
    vectors: Vectors


class HeldNorm(NamedTuple):
    """A norm whose scale is held: norm(x) = linear(x) + bias for the x that the scale is of."""

    linear: Callable[[Tensor], Tensor]
    bias: Tensor


def held_norm(norm: nn.Module, x: Float[Tensor, "*batch width"]) -> HeldNorm:
    """A norm as a linear map, its scale held at that of x.

    Layer norm: linear(y) = (y - mean(y)) weight / sqrt(variance(x) + epsilon); RMS norm likewise without means. Batch norm is
    linear as it is, in evaluation mode.

    Raises:
        SettingsError: another kind of norm.
    """
    zero = torch.zeros(x.shape[-1], device=x.device, dtype=x.dtype)
    if isinstance(norm, nn.Identity):
        return HeldNorm(lambda y: y, zero)
    if isinstance(norm, BatchNorm):
        assert norm.norm.running_mean is not None
        assert norm.norm.running_var is not None
        factor = upcast(norm.norm.weight) / (upcast(norm.norm.running_var) + norm.norm.eps).sqrt()
        return HeldNorm(lambda y: y * factor, upcast(norm.norm.bias) - upcast(norm.norm.running_mean) * factor)
    if isinstance(norm, nn.LayerNorm):
        scale = (x.var(dim=-1, correction=0, keepdim=True) + norm.eps).rsqrt()
        weight = 1.0 if norm.weight is None else upcast(norm.weight)
        return HeldNorm(
            lambda y: (y - y.mean(dim=-1, keepdim=True)) * scale * weight,
            zero if norm.bias is None else upcast(norm.bias),
        )
    if isinstance(norm, nn.RMSNorm):
        epsilon = torch.finfo(x.dtype).eps if norm.eps is None else norm.eps
        scale = (x.square().mean(dim=-1, keepdim=True) + epsilon).rsqrt()
        weight = 1.0 if norm.weight is None else upcast(norm.weight)
        return HeldNorm(lambda y: y * scale * weight, zero)
    raise SettingsError(f"a norm must be layer, RMS or batch norm to be split into parts; got {type(norm).__name__}.")


def linear_map(module: nn.Module) -> tuple[Float[Tensor, "in out"], Float[Tensor, " out"]]:
    """The matrix and the bias of a linear map: where it is not a plain one, such as one with adapters or with quantized weights,
    its outputs for the unit vectors, and for 0.
    """
    if type(module) is nn.Linear:
        return module.weight.T, module.weight.new_zeros(module.out_features) if module.bias is None else module.bias
    weight = next(module.parameters(), torch.zeros(()))  # quantized weights are no parameters
    unit = torch.eye(cast("Any", module).in_features, dtype=weight.dtype, device=weight.device)
    outputs = module(torch.cat((torch.zeros_like(unit[:1]), unit))[None])[0]
    return outputs[1:] - outputs[0], outputs[0]


class Ends(NamedTuple):
    """The modules before and after a stack of layers."""

    table: nn.Embedding
    scale: float
    types: nn.Embedding | None
    positions: EmbeddedPositions
    norm: nn.Module
    """The norm of embeddings."""
    final_norm: nn.Module


def ends_of(model: Model, stack: str) -> Ends:
    """The modules before and after a stack.

    Raises:
        SettingsError: a model of another family, whose embeddings are not known.
    """
    scale = math.sqrt(model.config.model_dim) if getattr(model.config, "scale_embeddings", False) else 1.0
    if isinstance(model, EncoderDecoder):
        if stack == "encoder":
            return Ends(
                model.source_embedding, scale, model.source_type_embedding, model.source_positions,
                model.source_norm, model.encoder_norm,
            )  # fmt: skip
        return Ends(model.target_embedding, scale, None, model.target_positions, model.target_norm, model.decoder_norm)
    if isinstance(model, Decoder | Encoder):
        types = model.segment_embedding if isinstance(model, Encoder) else None
        return Ends(model.embedding, scale, types, model.positions, model.embedding_norm, model.norm)
    raise SettingsError(
        f"parts need a Transformer of arch encoder-decoder, decoder or encoder; got {model.config.arch}."
    )


@dataclass(frozen=True)
class Reading:
    """A pass of a model over one text or pair, and what its attentions did."""

    model: Model
    ids: dict[str, Int[Tensor, "1 position"]]
    """The ids that each stack reads."""
    contexts: dict[Site, Float[Tensor, "head query value_dim"]]
    """The output of each head, before the output projection."""
    calls: CapturedCalls
    tops: dict[str, Float[Tensor, "position model_dim"]]
    """The output of the last layer of each stack, before the norm that follows."""
    states: Float[Tensor, "row model_dim"]
    """The last states of the model."""

    def call(self, site: Site) -> CapturedAttention:
        """The captured inputs of an attention."""
        return self.calls[attention_sites(self.model)[site]]

    def added(self, stack: str, until: Site | None = None) -> Iterator[Added]:
        """The parts of a stack's states, in the order in which they are added.

        Args:
            until: an attention: only what is added before it. None: all.
        """
        first = self._embedded(stack)
        yield first
        x = first.vectors.sum(dim=0)
        for number, layer in enumerate(self.model.layer_stacks()[stack]):
            before, is_parallel = x, getattr(layer, "is_parallel", False)
            for site, sublayer, residual in _sublayers(layer, stack, number):
                if site == until:
                    return
                if isinstance(sublayer, MultiHeadAttention):
                    added = _heads(site, sublayer, self.contexts[site])
                else:
                    seen = residual.norm((before if is_parallel else x)[None].to(_dtype(self.model)))
                    added = Added([f"{site}.feed_forward"], upcast(sublayer(seen)))
                added = _through(residual, added, str(site))
                x = x + added.vectors.sum(dim=0)
                yield added

    def final_norm(self, stack: str) -> HeldNorm:
        """The norm after a stack, its scale held at each position."""
        return held_norm(ends_of(self.model, stack).final_norm, self.tops[stack])

    def norm_before(self, site: Site) -> HeldNorm:
        """The norm before an attention, its scale held at each position."""
        stack = "decoder" if site.kind == "cross" else site.kind
        first, *others = (added.vectors.sum(dim=0) for added in self.added(stack, site))
        return held_norm(self.sublayer(site)[1].norm, sum(others, first))

    def output_norm(self, site: Site) -> HeldNorm:
        """The norm behind an attention, its scale held at each position; in most models there is none."""
        attention, residual = self.sublayer(site)
        total = _heads(site, attention, self.contexts[site]).vectors.sum(dim=0)
        return held_norm(residual.output_norm if isinstance(residual, SandwichNorm) else nn.Identity(), total)

    def sublayer(self, site: Site) -> tuple[MultiHeadAttention, PostNorm]:
        """An attention and its residual connection."""
        stack = "decoder" if site.kind == "cross" else site.kind
        layer = self.model.layer_stacks()[stack][site.layer]
        for found, sublayer, residual in _sublayers(layer, stack, site.layer):
            if found == site and isinstance(sublayer, MultiHeadAttention):
                return sublayer, residual
        raise AssertionError(site)

    def _embedded(self, stack: str) -> Added:
        ends, ids = ends_of(self.model, stack), self.ids[stack]
        given = TextInput.of(ids, self.model.config)
        token = given.embedded(ends.table, self.model.config.pad_id) * ends.scale
        parts = {"token": token, "position": ends.positions(torch.zeros_like(token), given.positions)}
        if ends.types is not None:
            parts["type"] = ends.types(torch.zeros_like(ids))
        if ends.positions.waves is None and ends.positions.learned is None:
            del parts["position"]
        vectors = upcast(torch.cat(list(parts.values())))
        if isinstance(ends.norm, nn.Identity):
            return Added(list(parts), vectors)
        norm = held_norm(ends.norm, vectors.sum(dim=0))
        bias = norm.bias.expand_as(vectors[0])[None]
        return Added([*parts, "embedding bias"], torch.cat((norm.linear(vectors), bias)))


def check_sums(model: Model) -> None:
    """Make sure that the states of a model are sums of what its parts add.

    Raises:
        SettingsError: a recurrent model; norms after the residual sum, whose parts do not add up; weights narrower than float32.
    """
    stacks = model.layer_stacks()
    if not stacks:
        raise SettingsError("parts need layers of attention; got a recurrent model.")
    for stack, layers in stacks.items():
        ends_of(model, stack)
        for number, layer in enumerate(layers):
            _check_layer(layer, model, stack, number)
    if _dtype(model) not in (torch.float32, torch.float64):
        dtype = str(_dtype(model)).removeprefix("torch.")
        raise SettingsError(f"parts need weights of float32; got {dtype}. Load the model with `precision='float32'`.")


@torch.no_grad()
def read(model: Model, ids: Sequence[Sequence[int]]) -> Reading:
    """Let a model read a text, or a source and a target, and keep what its parts add.

    Args:
        ids: as `Inspection.read_ids` has them.
    Raises:
        SettingsError: a model whose states are not sums of parts, as `check_sums` says.
    """
    check_sums(model)
    stacks = model.layer_stacks()
    heads = {site: part.attention for site, part in multihead_attentions(model).items()}
    last = {stack: layers[-1] for stack, layers in stacks.items()}
    noted: dict[Any, Tensor] = {}

    def note(place: Site | str, output: Tensor) -> Tensor:
        noted[place] = upcast(output[0].detach())
        return output

    given = [one_row(model, each) for each in ids]
    with capture(model) as calls, forward_hooks(after=hooks_of({**heads, **last}, note)):
        states = model.states(*given)[0]
    contexts, tops = {site: noted[site] for site in heads}, {stack: noted[stack] for stack in last}
    return Reading(model, dict(zip(stacks, given, strict=True)), contexts, calls, tops, states)


def _dtype(model: Model) -> torch.dtype:
    return next(parameter.dtype for parameter in model.parameters() if parameter.is_floating_point())


def _sublayers(layer: nn.Module, stack: str, number: int) -> Iterator[tuple[Site, nn.Module, PostNorm]]:
    """The sublayers of a layer in their order; feed-forward has its stack's site."""
    assert isinstance(layer, EncoderLayer | DecoderLayer)
    yield Site(stack, number), layer.self_attention, layer.self_attention_residual
    if isinstance(layer, DecoderLayer) and layer.cross_attention is not None:
        assert layer.cross_attention_residual is not None
        yield Site("cross", number), layer.cross_attention, layer.cross_attention_residual
    yield Site(stack, number), layer.feed_forward, layer.feed_forward_residual


def other_way(model: Model) -> str:
    """A hint for models that cannot be split: another analysis that they allow."""
    if model.reads_source or model.predicts_next:
        return "Switch heads off instead: `regard heads`."
    return f"Use `regard {'inspect --flow gradient' if model.predicts_each_position else 'patch'}` instead."


def _check_layer(layer: nn.Module, model: Model, stack: str, number: int) -> None:
    """Make sure that a layer adds its sublayers' outputs to the stream.

    Raises:
        SettingsError: it does not.
    """
    if not isinstance(layer, EncoderLayer | DecoderLayer):
        raise SettingsError(f"parts need Transformer layers; got {type(layer).__name__}.")
    if isinstance(layer, DecoderLayer) and layer.recurrence is not None:
        raise SettingsError(
            f"parts need layers of attention; got an SSRU (model.decoder_past: ssru). {other_way(model)}"
        )
    for _, _, residual in _sublayers(layer, stack, number):
        if type(residual) is PostNorm and not isinstance(residual.norm, nn.Identity):
            raise SettingsError(
                "parts add up only where norms stand before the sublayers; got a model with norms after the residual sum "
                f"(model.norm: post). {other_way(model)}"
            )
        if type(residual) not in (PostNorm, PreNorm, SandwichNorm):
            raise SettingsError(f"parts need residual connections that add; got {type(residual).__name__}.")


def _heads(site: Site, attention: MultiHeadAttention, context: Float[Tensor, "head query value_dim"]) -> Added:
    """The vectors that the heads of an attention give to its output, and its bias."""
    matrix, bias = linear_map(attention.output_proj)
    by_head = matrix.unflatten(0, (attention.num_heads, -1))
    vectors = torch.einsum("hqd,hdm->hqm", context, by_head)
    names = [f"{site}.{head}" for head in attention.kept_heads]
    if attention.output_proj.bias is None:
        return Added(names, vectors)
    return Added([*names, f"{site}.bias"], torch.cat((vectors, bias.expand_as(vectors[0])[None])))


def _through(residual: PostNorm, added: Added, site: str) -> Added:
    """The same parts after the norm that a residual connection may have behind its sublayer."""
    if not isinstance(residual, SandwichNorm):
        return added
    norm = held_norm(residual.output_norm, added.vectors.sum(dim=0))
    bias = norm.bias.expand_as(added.vectors[0])[None]
    return Added([*added.names, f"{site}.norm bias"], torch.cat((norm.linear(added.vectors), bias)))
