"""A single token inside a model: the sublayers that make its state, and the vector that one head adds to it.

Exact for models with norms before the sublayers; others are refused, as in `explaining.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy
import torch
from torch import Tensor

from regard.analysis.patching import spelled
from regard.errors import SettingsError
from regard.inspection.contributions import output_map
from regard.inspection.inspection import Inspection
from regard.inspection.record import HeadName
from regard.inspection.residual_stream import Added, Reading, linear_map, read
from regard.models.heads import multihead_attentions
from regard.pipelines.pipeline import Pipeline

PositionTerm = Literal["rotation", "bias", "values"]
"""A change that positions make in attention: queries and keys rotated, a bias of scores, vectors added to values."""


class Sublayer(NamedTuple):
    """A sublayer, and the vector that it adds to the state of a token."""

    name: str
    """`embeddings`, an attention such as `cross.1`, or `decoder.1.feed_forward`."""
    length: float
    """The norm of the vector that is added."""
    total: float
    """The norm of the state with it."""
    parts: dict[str, float]
    """The norm of the vector of each of its parts: of heads by their names; of embeddings `token` and `position`."""
    says: tuple[str, float] | None
    """The likeliest token or label if the model ended here, and its probability (logit lens); None: a model that predicts
    nothing at each position.
    """


@dataclass(frozen=True, repr=False)
class HeadWrites:
    """The vector that a head adds to the state of a token.

    sum(weights[k] values[k]) = total;  lengths[k] = |weights[k] values[k] W_output|;  length = |total W_output|

    Vectors that position schemes add to values (Shaw et al. 2018) are in `total` alone.
    """

    weights: numpy.ndarray
    """The weight of each key."""
    values: numpy.ndarray
    """The values of the keys before they are weighted, `key value_dim`."""
    total: numpy.ndarray
    lengths: numpy.ndarray
    length: float
    residual: float
    """The norm of the state that it is added to."""
    likelier: list[tuple[str, float]]
    """The tokens or labels whose logits it raises most, with its contribution to each; empty for heads of an encoder before a
    decoder, and where states and logits have no linear map between them.
    """
    said: tuple[str, float] | None
    """The token that is written at the row, with the contribution to its logit."""


@torch.no_grad()
def token_stream(pipeline: Pipeline, seen: Inspection, row: int) -> list[Sublayer]:
    """The sublayers that make the state of a token of the last stack, from the lowest up.

    Args:
        seen: an inspection by this model.
        row: from 0, of the stack's rows.
    Raises:
        SettingsError: a row that is not, or a model whose parts do not add up.
    """
    model, reading = pipeline.model, read(pipeline.model, seen.read_ids)
    stack = list(model.layer_stacks())[-1]
    position = _position(reading, seen, stack, row)
    state, states, found = torch.zeros(()), [], list[tuple[str, Added]]()
    parts = list(reading.added(stack))
    for name, added in zip(_names(parts), parts, strict=True):
        state = state + added.vectors[:, position].sum(dim=0)
        states.append(state)
        found.append((name, added))
    says = _says(pipeline, torch.stack(states)) if model.predicts_each_position else [None] * len(states)
    return [
        Sublayer(
            name, float(added.vectors[:, position].sum(dim=0).norm()), float(state.norm()),
            dict(zip(added.names, added.vectors[:, position].norm(dim=-1).tolist(), strict=True)), said,
        )
        for (name, added), state, said in zip(found, states, says, strict=True)
    ]  # fmt: skip


def position_terms(pipeline: Pipeline) -> list[PositionTerm]:
    """The changes that positions make in the self-attention of the last stack; empty: it knows no positions."""
    stack = list(pipeline.model.layer_stacks())[-1]
    attentions = [each for site, each in multihead_attentions(pipeline.model).items() if site.kind == stack]
    schemes = [each.attention.positions for each in attentions if each.attention.positions is not None]
    return [term for term in get_args(PositionTerm) if any(getattr(each, f"has_{term}") for each in schemes)]


@torch.no_grad()
def head_writes(pipeline: Pipeline, seen: Inspection, head: str, row: int, *, count: int = 5) -> HeadWrites:
    """The vector that a head adds to the state of a token.

    Args:
        seen: an inspection by this model.
        head: such as `cross.2.3`.
        row: from 0, of the head's matrix.
        count: how many tokens are named.
    Raises:
        SettingsError: a head or row that is not, or a model whose parts do not add up.
    """
    name = HeadName.parse(head)
    seen[head]
    reading, site = read(pipeline.model, seen.read_ids), name.site
    stack = "decoder" if name.kind == "cross" else name.kind
    position = _position(reading, seen, stack, row)
    attention = reading.sublayer(site)[0]
    index, width = attention.kept_heads.index(name.head), attention.value_head_dim
    matrix = linear_map(attention.output_proj)[0][index * width : (index + 1) * width]
    call, contexts = reading.call(site), reading.contexts[site][index]
    weights, values = call.weights(slice(position, position + 1))[0, index, 0].float(), call.value[0, index].float()
    raised = _raised(pipeline, reading, name, contexts @ matrix, position)
    said, likelier = None, list[tuple[str, float]]()
    if raised is not None:
        best = raised.topk(min(count, int((raised > 0).sum())))
        likelier = list(zip(spelled(pipeline, best.indices.tolist()), best.values.tolist(), strict=True))
        written = _said(pipeline, seen, row)
        said = None if written is None else (spelled(pipeline, [written])[0], float(raised[written]))
    before = torch.stack([added.vectors[:, position].sum(dim=0) for added in reading.added(stack, site)]).sum(dim=0)
    return HeadWrites(
        weights.cpu().numpy(), values.cpu().numpy(), contexts[position].cpu().numpy(),
        (weights * (values @ matrix).norm(dim=-1)).cpu().numpy(), float((contexts[position] @ matrix).norm()),
        float(before.norm()), likelier, said,
    )  # fmt: skip


def _raised(pipeline: Pipeline, reading: Reading, head: HeadName, written: Tensor, position: int) -> Tensor | None:
    """The contribution of a head's vector to every logit, through the final norm, its scale held; None: there is none.

    Args:
        written: the head's vector at each position of the stack.
    """
    stack = list(pipeline.model.layer_stacks())[-1]
    if head.kind not in (stack, "cross"):
        return None
    try:
        output, _ = output_map(pipeline.model)
    except SettingsError:
        return None
    return output @ reading.final_norm(stack).linear(reading.output_norm(head.site).linear(written))[position]


def _said(pipeline: Pipeline, seen: Inspection, row: int) -> int | None:
    """The class that is written at a row; None: the model writes none there."""
    if seen.target is not None:
        return [*seen.target_ids, pipeline.tokenizer.eos_id][row]
    following = seen.read_ids[0][1:] if pipeline.model.predicts_next else []
    return following[row] if row < len(following) else None


def _says(pipeline: Pipeline, states: Tensor) -> list[tuple[str, float] | None]:
    """The likeliest class of each state, as if it were the last."""
    dtype = next(pipeline.model.parameters()).dtype
    probabilities = pipeline.model.layer_logits(states[:, None].to(dtype))[:, 0].float().softmax(dim=-1)
    best = probabilities.max(dim=-1)
    return list(zip(spelled(pipeline, best.indices.tolist()), best.values.tolist(), strict=True))


def _names(parts: Sequence[Added]) -> list[str]:
    """A name for each sublayer, from those of its parts."""
    return ["embeddings"] + [
        first if first.endswith("feed_forward") else first.rpartition(".")[0]
        for first in (added.names[0] for added in parts[1:])
    ]


def _position(reading: Reading, seen: Inspection, stack: str, row: int) -> int:
    """The position of a row in its stack: the rows are its last positions.

    Raises:
        SettingsError: a row that is not.
    """
    num_rows = len(seen.rows(stack))
    if not 0 <= row < num_rows:
        raise SettingsError(f"row must be from 0 to {num_rows - 1}; got {row}.")
    return reading.ids[stack].shape[1] - num_rows + row
