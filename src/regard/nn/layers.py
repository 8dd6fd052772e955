"""The block around attention: feed-forward, residuals with layer norm, and the two layers made of them."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.nn.cache import KeysValues
from regard.nn.initialization import linear
from regard.nn.multihead import MultiHeadAttention

Activations = Float[Tensor, "batch position model_dim"]


class Dropout(nn.Module):
    """Each number is set to 0 with probability `rate` in training, the rest scaled so that the mean stays.

    On a CPU the random bits are drawn as 64-bit integers and read as four 16-bit ones, which is ten times as fast as
    `torch.nn.Dropout` (docs/experiments.md); `rate` is met to within 1 / 131,072.

    Args:
        rate: from 0 up to, not including, 1.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Float[Tensor, ...]) -> Float[Tensor, ...]:
        """x with some numbers set to 0, or x itself in evaluation mode."""
        if not self.training or self.rate == 0:
            return x
        if x.device.type != "cpu":
            return F.dropout(x, self.rate)
        bits = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        threshold = round(self.rate * 65536) - 32768
        keep = bits.view(torch.int16)[: x.numel()].view(x.shape) >= threshold
        return x * (keep * torch.tensor(65536 / (32768 - threshold), dtype=x.dtype))


class FeedForward(nn.Module):
    """Two linear maps with a rectifier between, applied to each position on its own.

    output[p] = max(0, x[p] W_1 + b_1) W_2 + b_2

    Source: Vaswani et al. 2017, section 3.3, equation 2.
    """

    def __init__(self, model_dim: int, ff_dim: int) -> None:
        super().__init__()
        self.inner_proj = linear(model_dim, ff_dim)
        self.output_proj = linear(ff_dim, model_dim)

    def forward(self, x: Activations) -> Activations:
        """The transformed positions."""
        return self.output_proj(F.relu(self.inner_proj(x)))


class PostNorm(nn.Module):
    """A residual connection, normalised after the sum: norm(x + dropout(sublayer(x))).

    Source: Vaswani et al. 2017, sections 3.1 and 5.4.
    """

    def __init__(self, model_dim: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(model_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x: Activations, sublayer: Callable[[Activations], Activations]) -> Activations:
        """x plus what the sublayer makes of it."""
        return self.norm(x + self.dropout(sublayer(x)))


class PreNorm(PostNorm):
    """A residual connection whose sublayer sees normalised input: x + dropout(sublayer(norm(x))).

    Trains without warm-up; the last layer's output needs one more norm. Source: Xiong et al. 2020, table 1.
    """

    def forward(self, x: Activations, sublayer: Callable[[Activations], Activations]) -> Activations:
        """x plus what the sublayer makes of it."""
        return x + self.dropout(sublayer(self.norm(x)))


Residual = type[PostNorm] | type[PreNorm]


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside a residual. Source: Vaswani et al. 2017, section 3.1."""

    def __init__(self, model_dim: int, num_heads: int, ff_dim: int, dropout: float, residual: Residual) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(model_dim, num_heads)
        self.self_attention_residual = residual(model_dim, dropout)
        self.feed_forward = FeedForward(model_dim, ff_dim)
        self.feed_forward_residual = residual(model_dim, dropout)

    def forward(self, x: Activations, *, mask: Bool[Tensor, "batch 1 1 position"]) -> Activations:
        """The positions after each has looked at the others."""
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask=mask))
        return self.feed_forward_residual(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Self-attention over the past, cross-attention over the source, then feed-forward.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, model_dim: int, num_heads: int, ff_dim: int, dropout: float, residual: Residual) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(model_dim, num_heads)
        self.self_attention_residual = residual(model_dim, dropout)
        self.cross_attention = MultiHeadAttention(model_dim, num_heads)
        self.cross_attention_residual = residual(model_dim, dropout)
        self.feed_forward = FeedForward(model_dim, ff_dim)
        self.feed_forward_residual = residual(model_dim, dropout)

    def forward(
        self,
        x: Float[Tensor, "row position model_dim"],
        memory: KeysValues,
        *,
        past: KeysValues | None = None,
        self_mask: Bool[Tensor, ...] | None,
        source_mask: Bool[Tensor, "sentence 1 1 source"],
    ) -> tuple[Float[Tensor, "row position model_dim"], KeysValues]:
        """The positions after each has looked at the past and the source, and the past including them.

        Args:
            memory: the source, projected once by `cross_attention.project`. With several rows to a sentence (the beams of
                beam search) its batch axis still counts sentences: the rows of one sentence stand next to each other.
            past: keys and values of the positions before x.
            self_mask: True where a position of x may see one of the past or of x; None where it may see all.
            source_mask: True where a source position is a token.
        """
        seen: list[KeysValues] = []

        def look_back(y: Tensor) -> Tensor:
            keys_values = self.self_attention.project(y, y)
            seen.append(keys_values if past is None else past.append(keys_values))
            return self.self_attention.attend(y, seen[0], mask=self_mask)

        def look_at_source(y: Tensor) -> Tensor:
            by_sentence = y.reshape(memory.key.shape[0], -1, y.shape[-1])
            return self.cross_attention.attend(by_sentence, memory, mask=source_mask).view_as(y)

        x = self.self_attention_residual(x, look_back)
        x = self.cross_attention_residual(x, look_at_source)
        return self.feed_forward_residual(x, self.feed_forward), seen[0]
