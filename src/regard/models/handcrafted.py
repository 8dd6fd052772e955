"""Models with handcrafted weights, so that it is known what every head does: for tests, and for teaching.

Each token is a one-hot vector, each position another, and scores are so large that a softmax over them is exact: equal
scores share the weight, all others get none. There are no norms, as they would only have to be undone.

Source: Weiss et al. 2021, "Thinking like Transformers", sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from torch import nn

from regard.models.config import DecoderConfig, EncoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.nn.multihead import MultiHeadAttention

Handcrafted = TypeVar("Handcrafted", Encoder, Decoder)
SHARPNESS = 200.0
"""Difference between the score of a key that is looked at and one that is not: exp(-200) is 0 in float32."""


@torch.no_grad()
def histogram(vocab_size: int, max_count: int, *, bos_id: int) -> Encoder:
    """Each token is replaced by how often it occurs.

    A token that occurs n times looks at its like and at the begin symbol, with weights 1 / (n + 1). The begin symbol alone
    has a value, 1; so the context is 1 / (n + 1), and the class n is the nearest of these numbers:
    logits[n] = 2 r[n] context - r[n]^2 with r[n] = 1 / (n + 1).

    Args:
        max_count: the classes are "1" to this.
        bos_id: what stands first in every sequence.
    """
    config = EncoderConfig(
        **_plain(vocab_size, vocab_size + 1), positions="none", task="tag",
        labels=[str(count) for count in range(1, max_count + 1)],
    )  # fmt: skip
    model = _empty(Encoder(config))
    tokens, fraction = slice(0, vocab_size), vocab_size
    model.embedding.weight[:, tokens] = torch.eye(vocab_size)
    attention: MultiHeadAttention = model.layers[0].self_attention
    sharp = SHARPNESS * config.head_dim**0.5  # scores are divided by the root
    attention.query_proj.weight[tokens, tokens] = sharp * torch.eye(vocab_size)
    attention.query_proj.bias[bos_id] = sharp
    attention.query_proj.weight[bos_id, bos_id] = 0  # the begin symbol has its likeness from the bias already
    attention.key_proj.weight[tokens, tokens] = torch.eye(vocab_size)
    attention.value_proj.weight[fraction, bos_id] = 1
    attention.output_proj.weight[fraction, fraction] = 1
    nearest = 1 / (torch.arange(1, max_count + 1) + 1)
    head = _output(model)
    head.weight[:, fraction] = 2 * nearest * SHARPNESS * max_count**2
    head.bias.copy_(-(nearest**2) * SHARPNESS * max_count**2)
    return model.eval()


def identity(vocab_size: int, length: int) -> Encoder:
    """Each position looks at itself; its class is its token."""
    return looking_at(vocab_size, list(range(length)))


def previous_token(vocab_size: int, length: int) -> Encoder:
    """Each position looks at the one before it, the first at itself; its class is the token that stands there."""
    return looking_at(vocab_size, [max(position - 1, 0) for position in range(length)])


def reversal(vocab_size: int, length: int) -> Encoder:
    """Each position looks at the one as far from the end as it is from the beginning, in sequences of this length."""
    return looking_at(vocab_size, [length - 1 - position for position in range(length)])


@torch.no_grad()
def looking_at(vocab_size: int, targets: Sequence[int]) -> Encoder:
    """Position p looks at position `targets[p]` and nowhere else; its class is the token that stands there.

    The classes are the ids, as strings. Id 0 is padding, which nothing looks at.
    """
    length = len(targets)
    config = EncoderConfig(
        **_plain(vocab_size, 2 * vocab_size + length), positions="learned", max_positions=max(length, 2), task="tag",
        labels=[str(id) for id in range(vocab_size)],
    )  # fmt: skip
    model = _empty(Encoder(config))
    _look(model, vocab_size, targets)
    _output(model).weight[:, vocab_size + length :] = SHARPNESS * torch.eye(vocab_size)
    return model.eval()


@torch.no_grad()
def alternating(vocab_size: int, max_positions: int) -> Decoder:
    """A language model that says what stood before the newest token: from "ab" on it writes "abab...".

    Each position looks at the one before it, as `previous_token` does; the first at itself.
    """
    config = DecoderConfig(
        **_plain(vocab_size, 2 * vocab_size + max_positions), positions="learned", max_positions=max_positions,
        tied_embeddings=False,
    )  # fmt: skip
    model = _empty(Decoder(config))
    _look(model, vocab_size, [max(position - 1, 0) for position in range(max_positions)])
    model.output_embedding.weight[:, vocab_size + max_positions :] = SHARPNESS * torch.eye(vocab_size)
    return model.eval()


def _look(model: Encoder | Decoder, vocab_size: int, targets: Sequence[int]) -> None:
    """Set embeddings and attention: queries and keys are positions, values are tokens, written beside both."""
    length = len(targets)
    tokens, places, found = (
        slice(0, vocab_size),
        slice(vocab_size, vocab_size + length),
        slice(vocab_size + length, None),
    )
    model.embedding.weight[:, tokens] = torch.eye(vocab_size)
    assert model.positions.learned is not None
    model.positions.learned.table.weight[:length, places] = torch.eye(length)
    attention: MultiHeadAttention = model.layers[0].self_attention
    sharp = SHARPNESS * model.config.head_dim**0.5
    one_hot = nn.functional.one_hot(torch.tensor(targets), length).float()  # position, target
    attention.query_proj.weight[places, places] = sharp * one_hot.T
    attention.key_proj.weight[places, places] = torch.eye(length)
    attention.value_proj.weight[found, tokens] = torch.eye(vocab_size)
    attention.output_proj.weight[found, found] = torch.eye(vocab_size)


def _plain(vocab_size: int, model_dim: int) -> dict[str, Any]:
    """A configuration with one layer, one head and no norms."""
    return {
        "vocab_size": vocab_size, "model_dim": model_dim, "ff_dim": 1, "num_heads": 1, "num_layers": 1,
        "dropout": 0.0, "norm": "pre", "norm_kind": "none", "activation": "relu",
    }  # fmt: skip


def _empty(model: Handcrafted) -> Handcrafted:
    """The model with all weights 0."""
    for parameter in model.parameters():
        parameter.zero_()
    return model


def _output(model: Encoder) -> nn.Linear:
    head = model.head.output_proj
    assert isinstance(head, nn.Linear)
    return head
