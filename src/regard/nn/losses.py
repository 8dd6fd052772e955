"""Label-smoothed cross-entropy, as a sum over tokens: divide by the tokens of the whole step, however it was cut into batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError
from regard.nn.native_training import cross_entropy, library_for
from regard.nn.scores import soft_capped
from regard.nn.upcast import upcast

CHUNK_LOGITS, CHUNK_LOGITS_ON_GPU = 4_000_000, 1 << 27
"""Logits that are held at once: 16 MB in float32, which stays in a processor's cache; 512 MB on a GPU, which waits for Python
while chunks are small."""
ALIGNED = 64
"""A GPU multiplies fastest where sizes are multiples of this: the vocabulary is filled up to one."""


def labels_at_once(num_classes: int, device: torch.device) -> int:
    """For how many labels logits are held at once on a device."""
    return max(1, (CHUNK_LOGITS if device.type == "cpu" else CHUNK_LOGITS_ON_GPU) // num_classes)


def aligned(size: int, device: torch.device) -> int:
    """The size of a matrix that a device multiplies fastest, of those that are not smaller."""
    return size if device.type == "cpu" else -(-size // ALIGNED) * ALIGNED


@dataclass(frozen=True)
class SoftTargets:
    """The probabilities of another model, the teacher, in place of each label.

    loss = (1 - share) cross_entropy(label) + share temperature^2 KL(teacher || student)
    teacher, student = softmax(logits / temperature) of each

    The factor temperature^2 keeps the size of the gradient.

    Args:
        states: of the teacher, one row for each label.
        logits: what the teacher makes of some of them.
        share: of the teacher in the loss, from 0 to 1.
        temperature: above 0.
    Source: Hinton et al. 2015, section 2; for each token of a target, Kim and Rush 2016, section 3.1.
    """

    states: Float[Tensor, "label ..."]
    logits: Callable[[Tensor], Tensor]
    share: float
    temperature: float = 1.0

    @torch.no_grad()
    def log_probs(self, part: slice = slice(None)) -> Float[Tensor, "label vocab"]:
        """The teacher's log-probabilities at the temperature, for some labels, in float32 at least."""
        return (upcast(self.logits(self.states[part])) / self.temperature).log_softmax(dim=-1)

    def loss(self, logits: Float[Tensor, "label vocab"], hard: Float[Tensor, ""]) -> Float[Tensor, ""]:
        """The whole loss, from logits of the student and the loss against the labels."""
        expected = self.log_probs()
        student = (upcast(logits) / self.temperature).log_softmax(dim=-1)
        divergence = (expected.exp() * (expected - student)).sum()
        return (1 - self.share) * hard + self.share * self.temperature**2 * divergence


def smoothed_cross_entropy(
    states: Float[Tensor, "token model_dim"],
    output_embedding: Float[Tensor, "vocab model_dim"],
    labels: Int[Tensor, " token"],
    *,
    bias: Float[Tensor, " vocab"] | None = None,
    cap: float | None = None,
    smoothing: float = 0.0,
    soft: SoftTargets | None = None,
) -> Float[Tensor, ""]:
    """The label-smoothed cross-entropy of the next tokens, summed over tokens, in nats.

    logits = states . output_embedding + bias;  with a cap, logits = cap tanh(logits / cap)
    log_probs = log_softmax(logits);  q = (1 - smoothing) onehot(label) + smoothing / vocab
    loss = - sum over tokens and vocab of q log_probs

    Projection and loss are one function with its own backward: logits exist for one chunk of tokens at a time, in
    float32 at least, and no dense target distribution is built.

    Args:
        cap: what logits are bounded by; None: nothing.
        smoothing: from 0 up to, not including, 1; spread over all tokens, as `torch.nn.functional.cross_entropy` does.
        soft: what a teacher expects, for a part of the loss.
    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    loss: Tensor = _ProjectedCrossEntropy.apply(states, output_embedding, bias, labels, cap, smoothing, soft)
    return loss


class _ProjectedCrossEntropy(torch.autograd.Function):
    """Computes the gradients in the forward pass, while a chunk's probabilities are at hand."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        labels: Tensor,
        cap: float | None,
        smoothing: float,
        soft: SoftTargets | None,
    ) -> Tensor:
        vocab = weight.shape[0]
        needs_gradient, needs_weight = any(ctx.needs_input_grad), ctx.needs_input_grad[1]
        dtype = torch.promote_types(states.dtype, torch.float32)
        loss = torch.zeros((), dtype=dtype, device=states.device)
        if needs_gradient:
            states_grad = torch.empty_like(states)
            weight_grad = torch.zeros_like(weight, dtype=dtype) if needs_weight else None
            bias_grad = None if bias is None else torch.zeros_like(bias, dtype=dtype)
        chunk = labels_at_once(vocab, states.device)
        missing = aligned(vocab, states.device) - vocab
        filled = F.pad(weight, (0, 0, 0, missing)) if missing else weight
        criterion = _Criterion(labels, bias, cap, smoothing, soft)
        for start in range(0, len(labels), chunk):
            part = slice(start, start + chunk)
            logits = (states[part] @ filled.T)[:, :vocab]
            added, grad = criterion.of(logits, part, wants_gradient=needs_gradient)
            loss += added
            if needs_gradient:
                if bias_grad is not None:
                    bias_grad += grad.sum(dim=0, dtype=dtype)
                grad = grad.to(states.dtype)
                grad = F.pad(grad, (0, missing)) if missing else grad
                torch.matmul(grad, filled, out=states_grad[part])
                if weight_grad is not None:
                    weight_grad += (grad.T @ states[part])[:vocab]
        if needs_gradient:
            others = (None if each is None else each.to(weight.dtype) for each in (weight_grad, bias_grad))
            ctx.save_for_backward(states_grad, *others)
        return loss

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor | None, ...]:
        scaled = (None if grad is None else grad * upstream[0].to(grad.dtype) for grad in ctx.saved_tensors)
        return (*scaled, None, None, None, None)


@dataclass(frozen=True)
class _Criterion:
    """The comparison of logits with labels."""

    labels: Tensor
    bias: Tensor | None
    cap: float | None
    smoothing: float
    soft: SoftTargets | None

    def of(self, logits: Tensor, part: slice, *, wants_gradient: bool) -> tuple[Tensor, Tensor]:
        """The loss of some labels, and its gradient by their logits, if it is wanted; it may take the logits' place."""
        label, bias = self.labels[part], self.bias
        fits = label.shape == logits.shape[:1] and (bias is None or bias.shape == logits.shape[1:])
        library = library_for(logits) if fits and self.cap is None and self.soft is None else None
        if library is None:
            return self._by_pytorch(upcast(logits), part, wants_gradient)
        logits = logits.contiguous()
        return cross_entropy(library, logits, label, bias, self.smoothing, wants_gradient=wants_gradient), logits

    def _by_pytorch(self, logits: Tensor, part: slice, wants_gradient: bool) -> tuple[Tensor, Tensor]:
        """The same for any device, with caps and teachers, by operations of PyTorch on float32 or float64."""
        vocab, label = logits.shape[-1], self.labels[part, None]
        soft, smoothing, cap = self.soft, self.smoothing, self.cap
        logits = logits if self.bias is None else logits + self.bias
        logits = logits if cap is None else soft_capped(logits, cap)
        log_probs = logits.log_softmax(dim=-1)
        hard = 1.0 if soft is None else 1 - soft.share
        loss = -hard * (1 - smoothing) * log_probs.gather(1, label).sum()
        if smoothing:
            loss -= hard * smoothing / vocab * log_probs.sum()
        if soft is not None:
            added, soft_grad = _divergence(logits, soft, part)
            loss += added
        if not wants_gradient:
            return loss, log_probs
        # d loss / d logits = probs - q
        grad = log_probs.exp_()
        if smoothing:
            grad -= smoothing / vocab
        grad.scatter_add_(1, label, grad.new_full(label.shape, smoothing - 1))
        if soft is not None:
            grad = grad.mul_(hard).add_(soft_grad)
        if cap is not None:  # d cap tanh(x / cap) / d x = 1 - tanh(x / cap)^2
            grad *= 1 - (logits / cap).square()
        return loss, grad


def _divergence(logits: Tensor, soft: SoftTargets, part: slice) -> tuple[Tensor, Tensor]:
    """The teacher's part of the loss for some labels, and its gradient by the logits."""
    expected = soft.log_probs(part)
    student = (logits / soft.temperature).log_softmax(dim=-1)
    probs, scale = expected.exp(), soft.share * soft.temperature
    added = scale * soft.temperature * (probs * (expected - student)).sum()
    # d (temperature^2 KL) / d logits = temperature (student - teacher)
    return added, student.exp_().sub_(probs).mul_(scale)


def spread_over_all(smoothing: float, num_classes: int) -> float:
    """The smoothing over all classes that equals a smoothing over all but the correct one.

    smoothing / (n - 1) = all / n, so that the other classes get the same, and the correct one 1 - smoothing.

    Raises:
        SettingsError: the correct class would get less than the others.
    """
    over_all = smoothing * num_classes / max(num_classes - 1, 1)
    if over_all >= 1:
        raise SettingsError(
            f"label_smoothing must leave the correct one of {num_classes} classes the largest probability; got {smoothing}."
        )
    return over_all
