"""Losses, as sums over tokens: divide by the number of tokens of the whole step, however it was cut into batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.data.batch import IGNORED, Batch, LabelledBatch
from regard.errors import SettingsError
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder, MaskedLanguageHead
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.families import PairModel
from regard.models.recurrent import Recurrent

CHUNK_LOGITS = 4_000_000  # logits held at once: 16 MB in float32, which stays in a processor's cache


def loss_function(
    model: nn.Module, *, smoothing: float, smoothing_over: Literal["all", "others"] = "all"
) -> Callable[[Any, Any], Tensor]:
    """The loss that a model of this family is trained by: of a model and a batch, a sum over the batch's labels.

    Args:
        smoothing: the probability that is taken from the right class.
        smoothing_over: which classes share it: `all` (PyTorch's way, Szegedy et al. 2016), or the `others` (fairseq's and
            tensor2tensor's).
    """
    losses: dict[type[nn.Module], Callable[..., Tensor]] = {
        EncoderDecoder: pair_loss,
        Recurrent: pair_loss,
        Decoder: language_loss,
        Encoder: label_loss,
    }
    if smoothing_over == "others":
        smoothing = spread_over_all(smoothing, _num_classes(model))
    return partial(losses[type(model)], smoothing=smoothing)


def spread_over_all(smoothing: float, num_classes: int) -> float:
    """The smoothing over all classes that is the same as one over all but the right one.

    smoothing / (n - 1) = all / n, so that each other class has as much; the right one then has 1 - smoothing in both.

    Raises:
        SettingsError: the right class would have less than the others.
    """
    over_all = smoothing * num_classes / max(num_classes - 1, 1)
    if over_all >= 1:
        raise SettingsError(
            f"label_smoothing must leave the right one of {num_classes} classes more than the others; got {smoothing}."
        )
    return over_all


def _num_classes(model: nn.Module) -> int:
    config: Any = model.config
    return len(config.labels) if getattr(config, "task", "") in ("classify", "tag") else int(config.vocab_size)


def pair_loss(model: PairModel, batch: Batch, *, smoothing: float) -> Float[Tensor, ""]:
    """Of each next target token, given the source and the target tokens before it."""
    is_token = batch.labels != model.config.pad_id
    states = model.states(batch.source_ids, batch.target_ids)[is_token]
    return _next_token_loss(model, states, batch.labels[is_token], smoothing)


def language_loss(model: Decoder, batch: LabelledBatch, *, smoothing: float) -> Float[Tensor, ""]:
    """Of each next token, given those before it."""
    counts = batch.labels != IGNORED
    states = model.states(batch.ids)[counts]
    return _next_token_loss(model, states, batch.labels[counts], smoothing)


def _next_token_loss(model: PairModel | Decoder, states: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    weight, bias = model.output_embedding.weight, model.output_bias
    return smoothed_cross_entropy(states, weight, labels, bias=bias, smoothing=smoothing)


def label_loss(model: Encoder, batch: LabelledBatch, *, smoothing: float) -> Float[Tensor, ""]:
    """Of the label of each sequence or token that has one; for masked language models only those are projected."""
    counts = batch.labels != IGNORED
    labels = batch.labels[counts]
    if isinstance(head := model.head, MaskedLanguageHead):
        states = head.compared(model.states(batch.ids)[counts])
        return smoothed_cross_entropy(
            states, model.output_embedding.weight, labels, bias=head.bias, smoothing=smoothing
        )
    return F.cross_entropy(model(batch.ids)[counts].float(), labels, reduction="sum", label_smoothing=smoothing)


def smoothed_cross_entropy(
    states: Float[Tensor, "token model_dim"],
    output_embedding: Float[Tensor, "vocab model_dim"],
    labels: Int[Tensor, " token"],
    *,
    bias: Float[Tensor, " vocab"] | None = None,
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The label-smoothed cross-entropy of the next tokens, summed over tokens, in nats.

    log_probs = log_softmax(states . output_embedding + bias);  q = (1 - smoothing) onehot(label) + smoothing / vocab
    loss = - sum over tokens and vocab of q log_probs

    Projection and loss are one function with its own backward: logits exist for one chunk of tokens at a time, in
    float32, and no dense target distribution is built.

    Args:
        smoothing: from 0 up to, not including, 1; spread over all tokens, as `torch.nn.functional.cross_entropy` does.
    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    loss: Tensor = _ProjectedCrossEntropy.apply(states, output_embedding, bias, labels, smoothing)
    return loss


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Computes the gradients in the forward pass, while a chunk's probabilities are at hand."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor | None, labels: Tensor, smoothing: float
    ) -> Tensor:
        vocab = weight.shape[0]
        needs_gradient = any(ctx.needs_input_grad)
        loss = torch.zeros((), dtype=torch.float32, device=states.device)
        if needs_gradient:
            states_grad = torch.empty_like(states)
            weight_grad = torch.zeros_like(weight, dtype=torch.float32)
            bias_grad = None if bias is None else torch.zeros_like(bias, dtype=torch.float32)
        chunk = max(1, CHUNK_LOGITS // vocab)
        for start in range(0, len(labels), chunk):
            part = slice(start, start + chunk)
            label = labels[part, None]
            logits = (states[part] @ weight.T).float()
            log_probs = (logits if bias is None else logits + bias).log_softmax(dim=-1)
            loss -= (1 - smoothing) * log_probs.gather(1, label).sum()
            if smoothing:
                loss -= smoothing / vocab * log_probs.sum()
            if needs_gradient:
                # d loss / d logits = probs - q
                grad = log_probs.exp_()
                if smoothing:
                    grad -= smoothing / vocab
                grad.scatter_add_(1, label, grad.new_full(label.shape, smoothing - 1))
                if bias_grad is not None:
                    bias_grad += grad.sum(dim=0)
                grad = grad.to(states.dtype)
                torch.matmul(grad, weight, out=states_grad[part])
                weight_grad += grad.T @ states[part]
        if needs_gradient:
            ctx.save_for_backward(
                states_grad, weight_grad.to(weight.dtype), None if bias_grad is None else bias_grad.to(weight.dtype)
            )
        return loss

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        scaled = (None if grad is None else grad * upstream[0].to(grad.dtype) for grad in ctx.saved_tensors)
        return (*scaled, None, None)
