"""Direct contributions: the numbers that each part of a model adds to the logit of a class, and the values that a head moves.

    logit[c] = sum over parts of linear(part) . output[c], with linear the final norm, its scale held

This is exact. A part also acts through later layers that read it: that is not counted here, but where activation patching and
ablation look.

Source: Elhage et al. 2021, section "direct path"; nostalgebraist 2020 for reading states with the output matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.inspection.record import HeadName
from regard.inspection.residual_stream import Reading, linear_map, other_way
from regard.models.encoder import Encoder, TokenHead
from regard.models.interface import Model, TokenModel
from regard.nn.upcast import upcast

TOLERANCE = 1e-3
"""The largest distance of a sum from what it must be, as a share of the sizes of its terms."""


class LogitParts(NamedTuple):
    """The logit of one class at each row, as a sum."""

    names: list[str]
    values: Float[Tensor, "row part"]
    logits: Float[Tensor, " row"]
    """The logits as the model computes them."""


class MovedValues(NamedTuple):
    """The values that a head moves: from each key to each row."""

    weights: Float[Tensor, "row key"]
    norms: Float[Tensor, "row key"]
    """norms[r, k] = |weights[r, k] value[k] W_output|"""
    adds: Float[Tensor, "row key"] | None
    """The contribution to the logit of the row's class; None: the head does not write to the stack that predicts."""
    classes: list[list[int]]
    """The classes that each key's value makes likelier most, by its product with the output matrix."""


def output_map(model: Model) -> tuple[Float[Tensor, "class model_dim"], Float[Tensor, " class"]]:
    """The matrix and bias that make logits of normalised states.

    Raises:
        SettingsError: there is more than one linear map between states and logits, or there are no layers or logits.
    """
    if not model.layer_stacks():
        raise SettingsError("parts need layers of attention; got a recurrent model.")
    if isinstance(model, Encoder):
        if not isinstance(model.head, TokenHead) or not model.class_names:
            raise SettingsError(
                f"contributions need a linear map from states to logits; got the head of task {model.config.task}, "
                f"which has an activation or no labels. {other_way(model)}"
            )
        matrix, bias = linear_map(model.head.output_proj)
        return upcast(matrix.T), upcast(bias)
    assert isinstance(model, TokenModel)
    if not isinstance(getattr(model, "output_transform", nn.Identity()), nn.Identity):
        raise SettingsError(
            "contributions need a linear map from states to logits; got a model with `output_transform`, which has an "
            f"activation. {other_way(model)}"
        )
    if model.logit_cap is not None:
        raise SettingsError(
            "contributions need a linear map from states to logits; got a model with `logit_cap`, which bounds them. "
            f"{other_way(model)}"
        )
    weight = upcast(model.output_embedding.weight)
    return weight, weight.new_zeros(len(weight)) if model.output_bias is None else upcast(model.output_bias)


@torch.no_grad()
def logit_parts(
    reading: Reading, rows: slice, classes: Sequence[int], others: Sequence[int] | None = None
) -> LogitParts:
    """The logit of a class at each row as the sum of what each part of the model adds.

    Args:
        rows: positions of the stack that predicts.
        classes: of each row.
        others: of each row; the difference of both logits is split. None: the logit itself.
    Raises:
        SettingsError: a head that is not linear, or a model whose parts do not add up to its logits.
    """
    stack = list(reading.model.layer_stacks())[-1]
    norm, directions, constants = reading.final_norm(stack), *_directions(reading.model, classes, others)
    names, values = list[str](), list[Tensor]()
    for added in reading.added(stack):
        names += added.names
        values.append(torch.einsum("prd,rd->rp", norm.linear(added.vectors)[:, rows], directions))
    for name, value in (("norm bias", directions @ norm.bias), ("output bias", constants)):
        if bool(value.any()):
            names.append(name)
            values.append(value[:, None])
    all_logits, every = upcast(reading.model.logits(reading.states[rows])), range(len(classes))
    logits = all_logits[every, list(classes)] - (0.0 if others is None else all_logits[every, list(others)])
    found = LogitParts(names, torch.cat(values, dim=1), logits)
    check_sum(found.values, logits, "logits")
    return found


def check_sum(parts: Float[Tensor, "row part"], totals: Float[Tensor, " row"], what: str) -> None:
    """Make sure that parts add up.

    Raises:
        SettingsError: they do not: a module of the model is not what its class says.
    """
    gap = (parts.sum(dim=1) - totals).abs()
    if not bool((gap <= TOLERANCE * (1 + parts.abs().sum(dim=1))).all()):
        raise SettingsError(
            f"the parts of a model must add up to its {what}; got sums that differ by {float(gap.max()):.3g}. Modules that "
            "were replaced, position schemes and norms of your own cannot be split."
        )


@torch.no_grad()
def moved_values(
    reading: Reading,
    head: HeadName,
    rows: slice,
    classes: Sequence[int],
    others: Sequence[int] | None = None,
    *,
    count: int = 3,
) -> MovedValues:
    """The values that a head moves to each row, and the classes that each value makes likelier.

    Vectors that position schemes add to values are left out.

    Args:
        rows: positions that attend.
        classes: of each row, for the contributions; `others` likewise.
        count: how many classes are named for each key.
    """
    model, call = reading.model, reading.call(head.site)
    attention = reading.sublayer(head.site)[0]
    index, width = attention.kept_heads.index(head.head), attention.value_head_dim
    matrix = linear_map(attention.output_proj)[0][index * width : (index + 1) * width]
    moved = upcast(call.value[0, index]) @ matrix
    weights = call.weights()[0, index, rows]
    norms = weights * moved.norm(dim=-1)
    stack = list(model.layer_stacks())[-1]
    if head.kind not in (stack, "cross"):
        return MovedValues(weights, norms, None, [])
    directions, _ = _directions(model, classes, others)
    output, _ = output_map(model)
    each_row = moved[:, None].expand(-1, len(reading.tops[stack]), -1)
    written = reading.final_norm(stack).linear(reading.output_norm(head.site).linear(each_row))[:, rows]
    adds = weights * torch.einsum("krd,rd->rk", written, directions)
    likelier = (written[:, -1] @ output.T).topk(min(count, len(output)), dim=-1)
    return MovedValues(weights, norms, adds, likelier.indices.tolist())


def _directions(
    model: Model, classes: Sequence[int], others: Sequence[int] | None
) -> tuple[Float[Tensor, "row model_dim"], Float[Tensor, " row"]]:
    """The vector that the state of each row is multiplied with, and what is added."""
    weight, bias = output_map(model)
    if others is None:
        return weight[list(classes)], bias[list(classes)]
    return weight[list(classes)] - weight[list(others)], bias[list(classes)] - bias[list(others)]
