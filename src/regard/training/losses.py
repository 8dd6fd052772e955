"""Losses, as sums over tokens: divide by the number of tokens of the whole step, however it was cut into batches."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

CHUNK_LOGITS = 4_000_000  # logits held at once: 16 MB in float32, which stays in a processor's cache


def smoothed_cross_entropy(
    states: Float[Tensor, "token model_dim"],
    output_embedding: Float[Tensor, "vocab model_dim"],
    labels: Int[Tensor, " token"],
    *,
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The label-smoothed cross-entropy of the next tokens, summed over tokens, in nats.

    log_probs = log_softmax(states . output_embedding);  q = (1 - smoothing) onehot(label) + smoothing / vocab
    loss = - sum over tokens and vocab of q log_probs

    Projection and loss are one function with its own backward: logits exist for one chunk of tokens at a time, in
    float32, and no dense target distribution is built.

    Args:
        smoothing: from 0 up to, not including, 1; spread over all tokens, as `torch.nn.functional.cross_entropy` does.
    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    loss: Tensor = _ProjectedCrossEntropy.apply(states, output_embedding, labels, smoothing)
    return loss


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Computes the gradients in the forward pass, while a chunk's probabilities are at hand."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, labels: Tensor, smoothing: float) -> Tensor:
        vocab = weight.shape[0]
        needs_gradient = any(ctx.needs_input_grad)
        loss = torch.zeros((), dtype=torch.float32, device=states.device)
        if needs_gradient:
            states_grad = torch.empty_like(states)
            weight_grad = torch.zeros_like(weight, dtype=torch.float32)
        chunk = max(1, CHUNK_LOGITS // vocab)
        for start in range(0, len(labels), chunk):
            part = slice(start, start + chunk)
            label = labels[part, None]
            log_probs = (states[part] @ weight.T).float().log_softmax(dim=-1)
            loss -= (1 - smoothing) * log_probs.gather(1, label).sum()
            if smoothing:
                loss -= smoothing / vocab * log_probs.sum()
            if needs_gradient:
                # d loss / d logits = probs - q
                grad = log_probs.exp_()
                if smoothing:
                    grad -= smoothing / vocab
                grad.scatter_add_(1, label, grad.new_full(label.shape, smoothing - 1))
                grad = grad.to(states.dtype)
                torch.matmul(grad, weight, out=states_grad[part])
                weight_grad += grad.T @ states[part]
        if needs_gradient:
            ctx.save_for_backward(states_grad, weight_grad.to(weight.dtype))
        return loss

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor, Tensor, None, None]:
        states_grad, weight_grad = ctx.saved_tensors
        scale = upstream[0]
        return (
            states_grad * scale.to(states_grad.dtype),
            weight_grad * scale.to(weight_grad.dtype),
            None,
            None,
        )
