"""The likelihood of given targets, with the correct tokens as inputs (teacher forcing)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.data.batch import Batch, LabelledBatch
from regard.models.interface import Model, PairModel
from regard.nn.losses import labels_at_once


@dataclass(frozen=True)
class Likelihood:
    """The log-probabilities of some targets, the end symbol included."""

    token_log_probs: dict[int, list[float]]
    """The natural log-probability of each target token of each pair, by the pair's index."""
    num_tokens: int
    correct: dict[int, int]
    """The number of tokens of each pair that the model finds likelier than any other."""

    @property
    def num_correct(self) -> int:
        """The number of such tokens."""
        return sum(self.correct.values())

    @property
    def loss(self) -> float:
        """The loss in nats per token, without label smoothing."""
        return -math.fsum(math.fsum(values) for values in self.token_log_probs.values()) / self.num_tokens

    @property
    def perplexity(self) -> float:
        """exp(loss)."""
        return math.exp(min(self.loss, 700.0))

    @property
    def token_accuracy(self) -> float:
        """Share of correct tokens, from 0 to 1."""
        return self.num_correct / self.num_tokens

    def results(self) -> dict[str, float]:
        """Two scores of given targets, by name."""
        return {"token_accuracy": self.token_accuracy, "perplexity": self.perplexity}


@torch.inference_mode()
def likelihood(model: PairModel, batches: Iterable[Batch]) -> Likelihood:
    """The likelihood of every target of some batches, in evaluation mode, softmax in float32."""
    token_log_probs: dict[int, list[float]] = {}
    correct: dict[int, int] = {}
    num_tokens = 0
    for batch, log_probs, is_likeliest in _scored_batches(model, batches):
        sizes = (batch.labels != model.config.pad_id).sum(dim=1).tolist()
        for index, row, hits in zip(
            batch.indices, log_probs.split(sizes), is_likeliest.cpu().split(sizes), strict=True
        ):
            token_log_probs[index], correct[index] = row.tolist(), int(hits.sum())
        num_tokens += len(log_probs)
    return Likelihood(token_log_probs, num_tokens, correct)


@dataclass(frozen=True)
class LabelLikelihood:
    """The log-probabilities of the correct labels of some batches."""

    nats: float
    """The sum of -log(probability) over all labels."""
    num_labels: int
    num_correct: int
    """The number of labels that the model finds likelier than any other."""

    @property
    def loss(self) -> float:
        """The loss in nats per label, without label smoothing."""
        return self.nats / self.num_labels

    @property
    def accuracy(self) -> float:
        """Share of correct labels, from 0 to 1."""
        return self.num_correct / self.num_labels

    def text_results(self, num_characters: int, num_bytes: int) -> dict[str, Any]:
        """Every score of a language model on a text whose labels these are, by name."""
        return {
            "nats_per_token": self.loss,
            "perplexity": math.exp(min(self.loss, 700.0)),
            "nats_per_character": self.nats / num_characters,
            "bits_per_byte": self.nats / num_bytes / math.log(2),
            "token_accuracy": self.accuracy,
            "num_tokens": self.num_labels,
        }


@torch.inference_mode()
def label_likelihood(model: Model, batches: Iterable[LabelledBatch]) -> LabelLikelihood:
    """The likelihood of every label of some batches, in evaluation mode, softmax in float32."""
    nats, num_labels, num_correct = 0.0, 0, 0
    for _, log_probs, is_likeliest in _scored_batches(model, batches):
        nats -= float(log_probs.cpu().double().sum())
        num_correct += int(is_likeliest.sum())
        num_labels += len(log_probs)
    return LabelLikelihood(nats, num_labels, num_correct)


@torch.inference_mode()
def label_log_probs(model: Model, batches: Iterable[LabelledBatch]) -> tuple[list[float], list[bool]]:
    """The log-probability of each label of some batches, and whether the model finds it likelier than any other."""
    scored = [(log_probs.tolist(), hits.tolist()) for _, log_probs, hits in _scored_batches(model, batches)]
    return [each for row, _ in scored for each in row], [each for _, row in scored for each in row]


def _scored_batches(model: Model, batches: Iterable[Any]) -> Iterator[tuple[Any, Tensor, Tensor]]:
    """Each batch on the model's device, with what `_scored` says of its labels; the model is in evaluation mode meanwhile."""
    was_training, device = model.training, next(model.parameters()).device
    model.eval()
    for batch in batches:
        moved = batch.to(device)
        yield moved, *_scored(model, *model.labelled_states(moved))
    model.train(was_training)


def _scored(model: Model, states: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """The log-probability of each label, and whether it is the likeliest; logits are there for some states at a time."""
    log_probs, is_likeliest = (
        labels.new_empty(len(labels), dtype=torch.float32),
        torch.empty_like(labels, dtype=torch.bool),
    )
    at_once = labels_at_once(model.num_classes, states.device)
    for start in range(0, len(labels), at_once):
        part = slice(start, start + at_once)
        logits = model.logits(states[part]).float()
        log_probs[part] = logits.gather(1, labels[part, None])[:, 0] - logits.logsumexp(dim=-1)
        is_likeliest[part] = logits.argmax(dim=-1) == labels[part]
    return log_probs, is_likeliest
