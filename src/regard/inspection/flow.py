"""From heads to inputs: how much of each input reaches each output, by four ways of reckoning it, none of which is the truth.

`rollout` and `attention_flow` follow weights through the layers; `weighted_norms` weighs what a head really moves;
`input_attribution` asks gradients. What each does not show stands in `CAVEATS`, and under every picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import MissingExtraError, SettingsError, ShapeError, nearest_hint
from regard.inspection.capture import CapturedAttention
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.families import AnyModel
from regard.nn.multihead import MultiHeadAttention

CAVEATS = {
    "rollout": "Rollout follows weights alone: it does not know what values carry, nor what feed-forward layers do.",
    "flow": "Flow follows weights alone: it does not know what values carry, nor what feed-forward layers do.",
    "norms": "Norms weigh what one layer's attention moves, not what later layers make of it.",
    "gradient": "A gradient tells of changes too small to see: what happens without a token may be otherwise.",
    "integrated-gradients": "Attributions are to a blank in the token's place; another baseline gives others.",
}
GRADIENTS = ("gradient", "integrated-gradients")


Layers = Float[numpy.ndarray, "layer position position"]
"""How much of each position of the layer below goes into each position of the one above; rows sum to 1."""


def with_residuals(weights: Float[numpy.ndarray, "layer row key"], residual: float = 0.5) -> Layers:
    """What attention and the residual around it mix, if weights were all there is.

    layers[l] = residual I + (1 - residual) weights[l], its rows made to sum to 1

    Args:
        weights: the mean over heads, of positions that look at each other.
        residual: the share that goes past attention.
    Raises:
        ShapeError: positions do not look at as many positions.
    Source: Abnar and Zuidema 2020, section 3.
    """
    if weights.ndim != 3 or weights.shape[1] != weights.shape[2]:
        raise ShapeError(
            "weights must be of positions that look at each other, layer position position; "
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
    """How much of each input each position of the last layer holds: the layers' product. Rows sum to 1.

    Source: Abnar and Zuidema 2020, section 3, equation 1.
    """
    held = numpy.eye(layers.shape[1])
    for layer in layers:
        held = layer @ held
    return held


def attention_flow(layers: Layers, row: int) -> Float[numpy.ndarray, " position"]:
    """The most that could flow from each input to one position of the last layer, through pipes as wide as the layers say.

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
    """How much of each key a head really puts into its output: the length of the weighted, transformed value.

    norms[h, q, k] = |weights[h, q, k] value[h, k] W_output[h]|

    Values that position schemes add are left out.

    Args:
        call: what was captured of the module, all of its heads.
    Source: Kobayashi et al. 2020, section 3.
    """
    by_head = module.output_proj.weight.unflatten(1, (module.num_heads, -1))  # model_dim head head_dim
    moved = torch.einsum("bhkd,mhd->bhkm", call.value.float(), by_head.float()).norm(dim=-1)
    return call.weights() * moved[:, :, None]


def input_attribution(
    model: AnyModel,
    ids: Int[Tensor, "1 position"],
    read_ids: Int[Tensor, "1 read"] | None,
    predicted: Sequence[int],
    *,
    method: str = "integrated-gradients",
    steps: int = 32,
) -> Float[numpy.ndarray, "row position"]:
    """How much each input token adds to the log-probability of each predicted one, in nats; below 0 it takes away.

    `gradient`: the gradient by the token's embedding, times that. `integrated-gradients`: the same, averaged on the way from a
    blank, the embedding 0, so that a row sums to what the tokens change together.

    Args:
        ids: the source, or the text.
        read_ids: what the decoder reads; None where the model has no decoder of its own.
        predicted: the ids whose log-probability is asked for: of the last rows; of a classifier, its one class.
        steps: on the way from the blank.
    Raises:
        SettingsError: an unknown method.
        MissingExtraError: captum is not installed.
    Source: Sundararajan et al. 2017; Shrikumar et al. 2016; as in captum.
    """
    if method not in GRADIENTS:
        raise SettingsError(f"method must be one of ours; got {method!r}. {nearest_hint(method, GRADIENTS)}")
    try:
        from captum.attr import InputXGradient, IntegratedGradients
    except ImportError as error:
        raise MissingExtraError("attribution", "inspect") from error
    table = model.embedding if isinstance(model, Encoder | Decoder) else model.source_embedding
    embedded = table(ids.clamp(min=0)).detach().requires_grad_()

    def forward(given: Tensor) -> Tensor:
        rows = given.shape[0]
        with _first_call_gives(table, given):
            given_ids = [ids] if read_ids is None else [ids, read_ids]
            logits = model(*(x.expand(rows, -1) for x in given_ids))
        log_probs = (logits if logits.ndim == 3 else logits[:, None]).float().log_softmax(dim=-1)
        wanted = torch.tensor(list(predicted), device=given.device)
        return log_probs[:, -len(wanted) - _unused(model) : log_probs.shape[1] - _unused(model)].gather(
            -1, wanted.expand(rows, -1)[..., None]
        )[..., 0]

    explain: Any = InputXGradient(forward) if method == "gradient" else IntegratedGradients(forward)
    options = {} if method == "gradient" else {"n_steps": steps, "internal_batch_size": steps}
    # cuDNN's recurrent layers have no gradient in evaluation mode.
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        rows = [explain.attribute(embedded, target=row, **options).sum(dim=-1)[0] for row in range(len(predicted))]
    return torch.stack(rows).detach().float().cpu().numpy()


def _unused(model: AnyModel) -> int:
    """How many of a model's last rows predict nothing that was read: a language model's last one."""
    return int(isinstance(model, Decoder))


@contextmanager
def _first_call_gives(table: nn.Module, given: Tensor) -> Iterator[None]:
    """While this context lasts, the first look-up in a table gives this instead: source and target may share one."""
    is_first = True

    def replace(_: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        nonlocal is_first
        if not is_first:
            return output
        is_first = False
        return given.to(output.dtype)

    hook = table.register_forward_hook(replace)
    try:
        yield
    finally:
        hook.remove()
