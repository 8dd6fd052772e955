"""Attribution: the contribution of each input to each output, by four methods, none of which is the truth.

`rollout` and `attention_flow` follow weights through the layers; `weighted_norms` also counts the values of a head;
`input_attribution` uses gradients. `CAVEATS` says what each method does not show; so does every picture.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import MissingExtraError, ShapeError, check_known
from regard.inspection.capture import CapturedAttention
from regard.inspection.residual_stream import linear_map
from regard.models.interface import Model
from regard.nn.multihead import MultiHeadAttention

CAVEATS = {
    "rollout": "Rollout follows weights alone: it does not know what values carry, nor what feed-forward layers do.",
    "flow": "Flow follows weights alone: it does not know what values carry, nor what feed-forward layers do.",
    "norms": "Norms weigh what one layer's attention moves, not what later layers make of it.",
    "gradient": "A gradient tells of changes too small to see: what happens without a token may be otherwise.",
    "integrated-gradients": "Attributions compare with one token at every position, padding; another baseline gives others.",
}
GRADIENTS = ("gradient", "integrated-gradients")
MOST_STEPS = 1024
"""The largest number of steps from a baseline to a text."""
LARGEST_GAP = 0.05
"""The largest relative error of attributions; above it, they are computed with more steps, or the gap is reported."""
NO_CHANGE = 0.01
"""The change in nats below which changes are ignored."""

Layers = Float[numpy.ndarray, "layer position position"]
"""The share of each position of the layer below in each position of the one above; rows sum to 1."""


def with_residuals(weights: Float[numpy.ndarray, "layer row key"], residual: float = 0.5) -> Layers:
    """The mix of attention and its residual connection, if only the weights counted.

    layers[l] = residual I + (1 - residual) weights[l], its rows made to sum to 1

    Args:
        weights: the mean over heads, of positions that look at each other.
        residual: the fraction that goes through the residual connection.
    Raises:
        ShapeError: the weights are not square.
    Source: Abnar and Zuidema 2020, section 3.
    """
    if weights.ndim != 3 or weights.shape[1] != weights.shape[2]:
        raise ShapeError(
            "weights must be those of self-attention, with axes layer, position and position; "
            f"got shape {tuple(weights.shape)}."
        )
    mixed = residual * numpy.eye(weights.shape[1]) + (1 - residual) * weights
    return mixed / mixed.sum(axis=2, keepdims=True)


def joint_layers(
    encoder: Float[numpy.ndarray, "encoder_layer source source"],
    decoder: Float[numpy.ndarray, "decoder_layer target target"],
    cross: Float[numpy.ndarray, "decoder_layer target source"],
    residual: float = 0.5,
) -> Layers:
    """An encoder-decoder as one stack over source and target side by side: the encoder's layers, while the target waits; then
    for each decoder layer one that looks back and one that looks at the source, while that waits.

    Of what this gives, only the shares within the source say anything: how much comes from the source, and how much from the
    target before, is the constant 1 - residual^layers, whatever the model does.
    """
    num_sources, num_targets = cross.shape[2], cross.shape[1]
    source, target = slice(0, num_sources), slice(num_sources, None)
    layers = []
    for mixed in with_residuals(encoder, residual):
        layers.append(numpy.eye(num_sources + num_targets))
        layers[-1][source, source] = mixed
    for mixed, looked in zip(with_residuals(decoder, residual), cross, strict=True):
        layers += [numpy.eye(num_sources + num_targets), numpy.eye(num_sources + num_targets)]
        layers[-2][target, target] = mixed
        layers[-1][target, target] *= residual
        layers[-1][target, source] = (1 - residual) * looked
    return numpy.stack(layers)


def rollout(layers: Layers) -> Float[numpy.ndarray, "position position"]:
    """The share of each input in each position of the last layer: the layers' product. Rows sum to 1.

    Source: Abnar and Zuidema 2020, section 3, equation 1.
    """
    held = numpy.eye(layers.shape[1])
    for layer in layers:
        held = layer @ held
    return held


def attention_flow(layers: Layers, row: int) -> Float[numpy.ndarray, " position"]:
    """The maximum flow from each input to one position of the last layer, with the weights as capacities.

    A maximum flow for each input: seconds for some tens of positions and six layers.

    Source: Abnar and Zuidema 2020, section 3.
    """
    import networkx  # torch brings it along; it takes its time to import

    graph = networkx.DiGraph()
    graph.add_nodes_from((0, position) for position in range(layers.shape[1]))
    for layer, matrix in enumerate(layers):
        for above, below in zip(*numpy.nonzero(matrix), strict=True):
            graph.add_edge((layer + 1, int(above)), (layer, int(below)), capacity=float(matrix[above, below]))
    end = (len(layers), row)
    return numpy.array([networkx.maximum_flow_value(graph, end, (0, input)) for input in range(layers.shape[1])])


@torch.no_grad()
def weighted_norms(call: CapturedAttention, module: MultiHeadAttention) -> Float[Tensor, "batch head row key"]:
    """The norm of each weighted, transformed value: the contribution of each key to a head's output.

    norms[h, q, k] = |weights[h, q, k] value[h, k] W_output[h]|

    Values that position schemes add are left out.

    Args:
        call: what was captured of the module, all of its heads.
    Source: Kobayashi et al. 2020, section 3.
    """
    by_head = linear_map(module.output_proj)[0].unflatten(0, (module.num_heads, -1))  # head head_dim model_dim
    moved = torch.einsum("bhkd,hdm->bhkm", call.value.float(), by_head.float()).norm(dim=-1)
    return call.weights() * moved[:, :, None]


@dataclass(frozen=True)
class Attribution:
    """The contribution of each input token to the model's output."""

    matrix: Float[numpy.ndarray, "row position"]
    """The contributions in nats; negative if a token makes the output less likely."""
    gap: float
    """The relative error: the distance of the rows' sums from the changes that they should add up to, as a share of
    these changes. It is the mean over rows, weighted by the size of their changes. 0 for a method that promises no sum.
    """


def input_attribution(
    model: Model,
    ids: Int[Tensor, "1 position"],
    read_ids: Int[Tensor, "1 read"] | None,
    predicted: Sequence[int],
    *,
    method: str = "integrated-gradients",
    steps: int = 32,
) -> Attribution:
    """The contribution of each input token to the log-probability of each predicted one.

    `gradient`: the gradient by the token's embedding, times that. `integrated-gradients`: the gradient averaged on the way from
    a baseline, times the way, so that a row sums to what the tokens change together. The baseline is the same token at every
    position: padding, or where a model has none, the token nearest to the mean embedding. It is not the embedding 0, which a
    norm without positions before it makes a point of no direction: there gradients have no bound.

    Args:
        ids: the source, or the text.
        read_ids: what the decoder reads; None where the model has no decoder of its own.
        predicted: the ids whose log-probability is asked for: of the last rows; of a classifier, its one class.
        steps: on the way from the baseline. A row whose sum is far off is done again with more, up to `MOST_STEPS`.
    Raises:
        SettingsError: an unknown method.
        MissingExtraError: captum is not installed.
    Source: Sundararajan et al. 2017; Shrikumar et al. 2016; as in captum.
    """
    check_known("method", method, GRADIENTS, "a known gradient method")
    try:
        from captum.attr import InputXGradient, IntegratedGradients
    except ImportError as error:
        raise MissingExtraError("attribution", "inspect") from error
    table = cast("nn.Embedding", model.get_submodule(model.input_embedding))
    embedded = table(ids.clamp(min=0)).detach().requires_grad_()

    def forward(given: Tensor) -> Tensor:
        rows = given.shape[0]
        to_ids = [ids] if read_ids is None else [ids, read_ids]
        logits = _with_embeddings(model, given)(*(x.expand(rows, -1) for x in to_ids))
        log_probs = (logits if logits.ndim == 3 else logits[:, None]).float().log_softmax(dim=-1)
        wanted = torch.tensor(list(predicted), device=given.device)
        end = log_probs.shape[1] - model.predicts_next  # a language model's last row predicts nothing that was read
        asked = log_probs[:, end - len(wanted) : end]
        return asked.gather(-1, wanted.expand(rows, -1)[..., None])[..., 0]

    # cuDNN's recurrent layers have no gradient in evaluation mode.
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        if method == "gradient":
            explain: Any = InputXGradient(forward)
            rows = [explain.attribute(embedded, target=row).sum(dim=-1)[0] for row in range(len(predicted))]
            return Attribution(torch.stack(rows).detach().float().cpu().numpy(), 0.0)
        explain = IntegratedGradients(forward)
        baseline = _baseline(table, model.config.pad_id).expand_as(embedded)
        with torch.no_grad():
            changes = (forward(embedded) - forward(baseline))[0].tolist()

        def integrated(row: int, num_steps: int) -> Tensor:
            options: Any = {"baselines": baseline, "n_steps": num_steps, "internal_batch_size": steps}
            return explain.attribute(embedded, target=row, **options).sum(dim=-1)[0].detach()

        rows = []
        for row, change in enumerate(changes):
            num_steps = steps
            found = integrated(row, num_steps)
            while abs(float(found.sum()) - change) > LARGEST_GAP * abs(change) + NO_CHANGE and num_steps < MOST_STEPS:
                num_steps *= 2
                found = integrated(row, num_steps)
            rows.append(found)
    missed = sum(abs(float(found.sum()) - change) for found, change in zip(rows, changes, strict=True))
    gap = missed / max(sum(map(abs, changes)), NO_CHANGE)
    return Attribution(torch.stack(rows).float().cpu().numpy(), gap)


def _baseline(table: nn.Embedding, pad_id: int) -> Float[Tensor, " model_dim"]:
    """The embedding that stands for no token in particular: of a usual length, so that a norm can give it a direction.

    Padding's, unless a model has none, or one of length 0 as Marian's; else that of the token nearest to the mean of all.
    """
    weight = table.weight.detach()
    usual = weight.norm(dim=-1).median()
    if pad_id >= 0 and weight[pad_id].norm() > usual / 10:
        return weight[pad_id]
    far = (weight - weight.mean(dim=0)).norm(dim=-1)
    return weight[far.masked_fill(weight.norm(dim=-1) <= usual / 10, torch.inf).argmin()]


def _with_embeddings(model: Model, given: Float[Tensor, "row position model_dim"]) -> Model:
    """A copy of the model that reads these embeddings, whatever ids its source has."""
    for name, vectors in model.given_embeddings(given).items():
        table = cast("nn.Embedding", model.get_submodule(name))
        model = cast("Model", _with_module(model, name, _FixedEmbedding(vectors, table)))
    return model


def _with_module(model: nn.Module, name: str, module: nn.Module) -> nn.Module:
    """A copy of a model with another module under a name. Nothing else is copied."""
    first, _, rest = name.partition(".")
    part = model._modules[first]
    assert part is not None
    other = copy.copy(model)
    other._modules = {**model._modules, first: _with_module(part, rest, module) if rest else module}
    return other


class _FixedEmbedding(nn.Embedding):
    """An embedding table that answers every look-up with the same vectors."""

    def __init__(self, given: Tensor, table: nn.Embedding) -> None:
        super().__init__(table.num_embeddings, table.embedding_dim, _weight=table.weight, _freeze=True)
        self.given = given

    def forward(self, ids: Tensor) -> Tensor:
        return self.given.to(self.weight.dtype)
