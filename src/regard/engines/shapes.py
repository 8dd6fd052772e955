"""Comparison of a model's shapes with each other: engines that copy weights rely on them, and they can be changed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn

from regard.models.parts import EmbeddedPositions, OutputTransform
from regard.models.recurrent import Recurrent
from regard.nn.layers import DecoderLayer, EncoderLayer, FeedForward, GatedFeedForward, PostNorm
from regard.nn.lora import ChosenAdapter, without_updates
from regard.nn.multihead import MultiHeadAttention
from regard.nn.scores import Additive
from regard.nn.ssru import SSRU

Checks = Iterator[tuple[str, bool]]
"""Names of parts of a model, and whether their shapes fit those of the others."""


def misfit(model: Any) -> str:
    """The name of the first part of a model whose shapes do not fit those of the others; empty: all fit.

    Parts of kinds that are not known here are left out.
    """
    checks = _recurrent(model) if type(model) is Recurrent else _transformer(model)
    return next((name for name, fits in checks if not fits), "")


def _transformer(model: Any) -> Checks:
    dim = model.config.model_dim
    for name, part in model.named_children():
        if isinstance(part, nn.Embedding):
            yield name, _is_table(part.weight, dim)
        elif isinstance(part, EmbeddedPositions):
            of_learned = getattr(getattr(part.learned, "table", None), "weight", None)
            table = part.waves if part.learned is None else of_learned
            yield name, table is None or _is_table(table, dim)
        elif isinstance(part, OutputTransform):
            yield f"{name}.inner_proj", _is_map(part.inner_proj, dim, dim)
            yield f"{name}.norm", _is_norm(part.norm, dim)
        else:
            yield name, _is_norm(part, dim)
    yield "output_bias", _is_vector(model.output_bias, len(model.output_embedding.weight))
    for stack, layers in model.layer_stacks().items():
        for number, layer in enumerate(layers):
            if isinstance(layer, EncoderLayer | DecoderLayer):
                yield from ((f"{stack} layer {number}: {name}", fits) for name, fits in _layer(layer, dim))


def _layer(layer: EncoderLayer | DecoderLayer, dim: int) -> Checks:
    for name, part in layer.named_children():
        if isinstance(part, MultiHeadAttention):
            yield from ((f"{name}.{inner}", fits) for inner, fits in _attention(part, dim))
        elif isinstance(part, SSRU):
            for inner in ("new_proj", "keep_proj"):
                yield f"{name}.{inner}", _is_map(getattr(part, inner), dim, dim)
        elif isinstance(part, PostNorm):
            for inner, norm in part.named_children():
                yield f"{name}.{inner}", _is_norm(norm, dim)
        elif isinstance(part, FeedForward) and isinstance(inner_map := without_updates(part.inner_proj), nn.Linear):
            ff_dim = inner_map.weight.shape[0]
            yield f"{name}.inner_proj", _is_map(part.inner_proj, dim, ff_dim)
            yield f"{name}.output_proj", _is_map(part.output_proj, ff_dim, dim)
            if isinstance(part, GatedFeedForward):
                yield f"{name}.gate_proj", _is_map(part.gate_proj, dim, ff_dim)


def _attention(attention: MultiHeadAttention, dim: int) -> Checks:
    heads, groups = attention.num_heads, attention.num_kv_heads
    width, value_width = attention.head_dim, attention.value_head_dim
    yield "num_heads", 1 <= groups <= heads and not heads % groups
    yield "query_proj", _is_map(attention.query_proj, dim, heads * width)
    yield "key_proj", _is_map(attention.key_proj, dim, groups * width)
    yield "value_proj", _is_map(attention.value_proj, dim, groups * value_width)
    yield "output_proj", _is_map(attention.output_proj, heads * value_width, dim)
    yield "query_norm", _is_norm(attention.query_norm, width)
    yield "key_norm", _is_norm(attention.key_norm, width)


def _recurrent(model: Recurrent) -> Checks:
    dim, cell, encoder = model.config.model_dim, model.cell, model.encoder
    for name, part in model.named_children():
        if isinstance(part, nn.Embedding):
            yield name, _is_table(part.weight, dim)
    for name, inputs in (("initial_proj", dim), ("key_proj", 2 * dim), ("readout_proj", 4 * dim)):
        yield name, _is_map(getattr(model, name), inputs, dim)
    score: Any = getattr(model.cross_attention, "score", None)
    if isinstance(score, Additive):
        yield "cross_attention.score.query_proj", _is_map(score.query_proj, dim, dim)
        yield "cross_attention.score.vector", _is_vector(score.vector, dim)
    for name, part, ends, inputs in (("cell", cell, ("",), 3 * dim), ("encoder", encoder, ("_l0", "_l0_reverse"), dim)):
        if isinstance(part, nn.RNNBase | nn.RNNCellBase):
            gates = (4 if isinstance(part, nn.LSTM | nn.LSTMCell) else 3) * dim
            for end in ends:
                sizes = {
                    "weight_ih": (gates, inputs),
                    "weight_hh": (gates, dim),
                    "bias_ih": (gates,),
                    "bias_hh": (gates,),
                }
                for kind, size in sizes.items():
                    x = getattr(part, f"{kind}{end}", None)
                    yield f"{name}.{kind}{end}", x is None or tuple(x.shape) == size


def _is_map(linear: Any, inputs: int, outputs: int) -> bool:
    plain = without_updates(linear)
    if not isinstance(plain, nn.Linear):
        return True
    fits = tuple(plain.weight.shape) == (outputs, inputs) and plain.in_features == inputs
    if isinstance(linear, ChosenAdapter):
        rank = len(linear.owners)
        fits = fits and tuple(linear.down.shape) == (rank, inputs) and tuple(linear.up.shape) == (outputs, rank)
    return fits and _is_vector(plain.bias, outputs)


def _is_norm(norm: Any, width: int) -> bool:
    if not isinstance(norm, nn.LayerNorm | nn.RMSNorm):
        return True
    vectors = (getattr(norm, name, None) for name in ("weight", "bias"))
    return tuple(norm.normalized_shape) == (width,) and all(_is_vector(x, width) for x in vectors)


def _is_table(x: Tensor, width: int) -> bool:
    return x.ndim == 2 and x.shape[1] == width


def _is_vector(x: Tensor | None, width: int) -> bool:
    return x is None or tuple(x.shape) == (width,)
