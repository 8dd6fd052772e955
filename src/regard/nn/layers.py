"""The block around attention: feed-forward, residuals with their norms, and the layers made of them.

Layers are put together from parts that are passed in: an `EncoderLayer` takes its attention, its feed-forward and a way
to make residuals, and knows nothing of their variants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError, check_above_zero, check_known, check_sizes
from regard.nn.cache import KeysValues, LayerCache, Memory, NoCache
from regard.nn.dropout import Dropout, add_dropped
from regard.nn.hooks import changed_output, show_inputs
from regard.nn.initialization import linear
from regard.nn.multihead import MultiHeadAttention
from regard.nn.ssru import SSRU
from regard.nn.upcast import upcast
from regard.nn.widths import check_input

Activations = Float[Tensor, "batch position model_dim"]
IsToken = Bool[Tensor, "batch position"]
Sublayer = Callable[[Activations], Activations]
"""The sublayer inside a residual connection: attention or feed-forward."""
Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "tanh": torch.tanh,
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
}


class FeedForward(nn.Module):
    """Two linear maps with a non-linearity between, applied to each position on its own.

    output[p] = activation(x[p] W_1 + b_1) W_2 + b_2

    Args:
        activation: `relu` as in the paper; `gelu` (exact) as in BERT, `gelu_tanh` (approximated) as in GPT-2; `silu`;
            `tanh`; `quick_gelu` (approximated by x sigmoid(1.702 x)) as in CLIP.
        chunk: how many positions are computed at a time, at least 1: the same result with less memory; None: all.
            An exported graph has no chunks, as it must serve any length.
    Source: Vaswani et al. 2017, section 3.3, equation 2; Kitaev et al. 2020, section 3, "chunking".
    """

    def __init__(
        self, model_dim: int, ff_dim: int, *, activation: str = "relu", bias: bool = True, chunk: int | None = None
    ) -> None:
        super().__init__()
        check_sizes(model_dim=model_dim, ff_dim=ff_dim, chunk=chunk)
        self.chunk = chunk
        check_known("activation", activation, ACTIVATIONS, "a known function")
        self.activation = activation
        self.inner_proj = linear(model_dim, ff_dim, bias=bias)
        self.output_proj = linear(ff_dim, model_dim, bias=bias)

    def forward(self, x: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch model_dim"]:
        """The transformed positions.

        Raises:
            ShapeError: positions of another width.
        """
        check_input("input", x, self.inner_proj)
        if self.chunk is None or torch.compiler.is_exporting() or x.ndim < 2 or x.shape[-2] <= self.chunk:
            return self.output_proj(self.inner(x))
        return torch.cat([self.output_proj(self.inner(part)) for part in x.split(self.chunk, dim=-2)], dim=-2)

    def inner(self, x: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch ff_dim"]:
        """The hidden activations between the two maps."""
        return ACTIVATIONS[self.activation](self.inner_proj(x))

    if TYPE_CHECKING:
        __call__ = forward


class GatedFeedForward(FeedForward):
    """A feed-forward layer whose inner numbers are multiplied by gates: SwiGLU with `silu`, GEGLU with `gelu`.

    output[p] = (activation(x[p] W_1) * x[p] W_gate) W_2

    Source: Shazeer 2020, equation 6.
    """

    def __init__(
        self, model_dim: int, ff_dim: int, *, activation: str = "silu", bias: bool = False, chunk: int | None = None
    ) -> None:
        super().__init__(model_dim, ff_dim, activation=activation, bias=bias, chunk=chunk)
        self.gate_proj = linear(model_dim, ff_dim, bias=bias)

    def inner(self, x: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch ff_dim"]:
        """The hidden activations between the maps, gated."""
        return super().inner(x) * self.gate_proj(x)


class Chunked(nn.Module):
    """A feed-forward layer that computes a few positions at a time: the same result with less memory.

    Args:
        positions: how many, at least 1. An exported graph has no chunks, as it must serve any length.
    Source: Kitaev et al. 2020, section 3, "chunking".
    """

    def __init__(self, feed_forward: nn.Module, positions: int) -> None:
        super().__init__()
        check_sizes(positions=positions)
        self.feed_forward, self.positions = feed_forward, positions

    def forward(self, x: Float[Tensor, "*batch position model_dim"]) -> Float[Tensor, "*batch position model_dim"]:
        """The transformed positions."""
        if torch.compiler.is_exporting():
            return cast("Tensor", self.feed_forward(x))
        return torch.cat([self.feed_forward(part) for part in x.split(self.positions, dim=-2)], dim=-2)

    if TYPE_CHECKING:
        __call__ = forward


class BatchNorm(nn.Module):
    """Each feature normalised over all tokens of the batch: what layer norm is compared with, and why it won.

    output[t, i] = (x[t, i] - mean over tokens of x[:, i]) / sqrt(variance over tokens of x[:, i] + epsilon) w[i] + b[i]

    Padding counts for nothing. In evaluation mode, running means of training are used. Computed in float32.

    Args:
        epsilon: above 0.
        momentum: the share of each batch in the running means, from 0 to 1.
    Raises:
        ShapeError: `model_dim` is below 1.
        SettingsError: another epsilon or momentum.
    Source: Ioffe and Szegedy 2015, algorithms 1 and 2; as `torch.nn.BatchNorm1d` without padding.
    """

    def __init__(self, model_dim: int, *, epsilon: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        check_sizes(model_dim=model_dim)
        check_above_zero(epsilon=epsilon)
        if not 0 <= momentum <= 1:
            raise SettingsError(f"momentum must be from 0 to 1; got {momentum}.")
        self.norm = nn.BatchNorm1d(model_dim, eps=epsilon, momentum=momentum)
        self.norm.num_batches_tracked = None  # only a cumulative mean needs it
        self.is_frozen = False
        """Whether running means are used in training mode, too, and stay as they are: in the base of an adapter."""

    def forward(
        self, x: Float[Tensor, "*batch model_dim"], is_token: Bool[Tensor, "*batch"] | None = None
    ) -> Float[Tensor, "*batch model_dim"]:
        """The normalised tokens; 0 where there is padding.

        Args:
            is_token: True for tokens; None: all are.
        """
        if not self.training or self.is_frozen:
            normed = self._of_rows(x.flatten(0, -2)).view_as(x)
            return normed if is_token is None else normed.masked_fill(~is_token[..., None], 0)
        if is_token is None:
            return self._of_rows(x.flatten(0, -2)).view_as(x)
        return torch.zeros_like(x).masked_scatter(is_token[..., None], self._of_rows(x[is_token]))

    def _of_rows(self, rows: Float[Tensor, "row model_dim"]) -> Float[Tensor, "row model_dim"]:
        """The normalised rows; of a single one, which has no variance, by the running means."""
        norm = self.norm
        is_learning = self.training and not self.is_frozen and len(rows) > 1
        assert norm.running_mean is not None
        assert norm.running_var is not None
        kept = norm.running_mean, norm.running_var
        means = upcast(kept[0]), upcast(kept[1])
        learned = upcast(norm.weight), upcast(norm.bias)
        found = F.batch_norm(upcast(rows), *means, *learned, is_learning, norm.momentum or 0.0, norm.eps)
        for mean, new in zip(kept, means, strict=True):
            if is_learning and new is not mean:  # of 16 bits: what was learned is in the copy
                mean.copy_(new)
        return found.to(rows.dtype)

    if TYPE_CHECKING:
        __call__ = forward


class PostNorm(nn.Module):
    """A residual connection, normalised after the sum: norm(x + dropout(sublayer(x))).

    Args:
        norm: makes the norm for a width: `nn.LayerNorm`, `nn.RMSNorm`, `BatchNorm`.
    Raises:
        ShapeError: `model_dim` is below 1.
        SettingsError: `dropout` is not from 0 to 1.
    Source: Vaswani et al. 2017, sections 3.1 and 5.4.
    """

    def __init__(self, model_dim: int, dropout: float, norm: Callable[[int], nn.Module] = nn.LayerNorm) -> None:
        super().__init__()
        check_sizes(model_dim=model_dim)
        self.norm = norm(model_dim)
        self.dropout = Dropout(dropout)

    def forward(self, x: Activations, sublayer: Sublayer, *, is_token: IsToken | None = None) -> Activations:
        """x plus what the sublayer makes of it.

        Args:
            is_token: True for tokens, for norms that look at more than one position.
        """
        return normalised(self.norm, add_dropped(x, sublayer(x), self.dropout), is_token)

    if TYPE_CHECKING:
        __call__ = forward


class PreNorm(PostNorm):
    """A residual connection whose sublayer sees normalised input: x + dropout(sublayer(norm(x))).

    Trains without warm-up; the last layer's output needs one more norm. Source: Xiong et al. 2020, table 1.
    """

    def forward(self, x: Activations, sublayer: Sublayer, *, is_token: IsToken | None = None) -> Activations:
        """x plus what the sublayer makes of it."""
        return self.added(x, x, sublayer, is_token)

    def added(self, x: Activations, read: Activations, sublayer: Sublayer, is_token: IsToken | None) -> Activations:
        """x plus what the sublayer makes of other activations, which are x itself but for parallel sublayers."""
        return add_dropped(x, sublayer(normalised(self.norm, read, is_token)), self.dropout)


class SandwichNorm(PreNorm):
    """A residual connection with a norm on both sides of its sublayer: x + dropout(output_norm(sublayer(norm(x)))).

    Source: Ding et al. 2021 (CogView), section 3.2.
    """

    def __init__(self, model_dim: int, dropout: float, norm: Callable[[int], nn.Module] = nn.LayerNorm) -> None:
        super().__init__(model_dim, dropout, norm)
        self.output_norm = norm(model_dim)

    def added(self, x: Activations, read: Activations, sublayer: Sublayer, is_token: IsToken | None) -> Activations:
        """x plus what the sublayer makes of other activations, normalised on both sides of it."""
        made = sublayer(normalised(self.norm, read, is_token))
        return add_dropped(x, normalised(self.output_norm, made, is_token), self.dropout)


def normalised(
    norm: nn.Module, x: Float[Tensor, "*batch model_dim"], is_token: Bool[Tensor, "*batch"] | None
) -> Float[Tensor, "*batch model_dim"]:
    """The output of a norm for x.

    Args:
        is_token: True for tokens, for norms that look at more than one position.
    """
    return norm(x, is_token) if isinstance(norm, BatchNorm) else norm(x)


Residual = Callable[[], PostNorm]
"""Makes a residual connection: `lambda: PreNorm(model_dim, dropout)`."""


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each inside a residual. Source: Vaswani et al. 2017, section 3.1."""

    def __init__(self, self_attention: MultiHeadAttention, feed_forward: nn.Module, residual: Residual) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_residual = residual()
        self.feed_forward = feed_forward
        self.feed_forward_residual = residual()

    def forward(
        self,
        x: Activations,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        is_token: IsToken | None = None,
        past: KeysValues | None = None,
        gates: Float[Tensor, "*example head"] | None = None,
    ) -> Activations:
        """The positions after each has looked at the others.

        Args:
            mask: True where a position may see another; None: every position sees all.
            bias: added to the scores.
            is_token: True for tokens, for norms that look at more than one position.
            past: keys and values before these, such as a learned prefix.
            gates: what each head's context is multiplied by.
        """

        def look(y: Tensor) -> Tensor:
            return self.self_attention(y, mask=mask, bias=bias, past=past, gates=gates)

        show_inputs(self, x)
        x = self.self_attention_residual(x, look, is_token=is_token)
        return changed_output(self, self.feed_forward_residual(x, self.feed_forward, is_token=is_token))

    if TYPE_CHECKING:
        __call__ = forward


class DecoderLayer(nn.Module):
    """Self-attention over the past, cross-attention over the source where there is one, then feed-forward.

    Args:
        self_attention: or an SSRU, which the layer then has as `recurrence`; it has no `self_attention` then.
        cross_attention: None in a decoder-only model.
        is_parallel: whether feed-forward reads what self-attention reads, and not also what that adds. Source: Wang and
            Komatsuzaki 2021 (GPT-J).
    Raises:
        SettingsError: `is_parallel` with cross-attention, or with norms after the residual sum.
    Source: Vaswani et al. 2017, section 3.1; without cross-attention, Liu et al. 2018, section 4.2.2; with an SSRU, Kim
    et al. 2019, section 3.1.
    """

    self_attention: MultiHeadAttention

    def __init__(
        self,
        self_attention: MultiHeadAttention | SSRU,
        cross_attention: MultiHeadAttention | None,
        feed_forward: nn.Module,
        residual: Residual,
        *,
        is_parallel: bool = False,
    ) -> None:
        super().__init__()
        self.is_parallel = is_parallel
        self.recurrence: SSRU | None = None
        if isinstance(self_attention, SSRU):
            self.recurrence = self_attention
        else:
            self.self_attention = self_attention
        self.self_attention_residual = residual()
        self.cross_attention = cross_attention
        self.cross_attention_residual = None if cross_attention is None else residual()
        self.feed_forward = feed_forward
        self.feed_forward_residual = residual()
        if is_parallel and (cross_attention is not None or not isinstance(self.feed_forward_residual, PreNorm)):
            raise SettingsError("`is_parallel` needs norms before the sublayers, and no cross-attention; got others.")

    def forward(
        self,
        x: Activations,
        memory: Memory | None = None,
        cache: LayerCache | None = None,
        *,
        is_token: IsToken | None = None,
        gates: Float[Tensor, "*example head"] | None = None,
        cross_gates: Float[Tensor, "*example head"] | None = None,
    ) -> Activations:
        """The positions after each has looked at the past and the source.

        Args:
            x: the newest positions: a whole sequence, the next token of each, or the hypotheses of one step.
            memory: the source, projected by `cross_attention.project`.
            cache: the past, which x is added to, and what each position may see of it; None: there is no past, and every
                position sees all of x.
            is_token: True for tokens, for norms that look at more than one position. None: all are.
            gates: what the context of each head of self-attention is multiplied by.
            cross_gates: likewise, of cross-attention.
        Raises:
            ShapeError: `gates` for a layer with a recurrence, which has no heads.
        """
        past = NoCache() if cache is None else cache
        if self.recurrence is not None and gates is not None:
            raise ShapeError(
                "`gates` are of heads; got some for a layer with a recurrence, which has no self-attention."
            )

        def self_attend(y: Tensor) -> Tensor:
            if self.recurrence is not None:
                return self.recurrence(y, past, is_token=is_token)
            attention = self.self_attention
            query, newer = attention.project_self(y, first=past.first, step=past.step)
            seen = past.append(newer)
            distance = past.distance if attention.attention.needs_distance else None
            return attention.attend(query, seen, mask=past.mask, causal=past.causal, distance=distance, gates=gates)

        def cross_attend(y: Tensor) -> Tensor:
            assert self.cross_attention is not None
            assert memory is not None
            query = self.cross_attention.project_query(y, memory.keys_values)
            return self.cross_attention.attend(query, memory.keys_values, mask=memory.mask, gates=cross_gates)

        show_inputs(self, x)
        before = x
        x = self.self_attention_residual(x, self_attend, is_token=is_token)
        if self.is_parallel:
            residual = cast("PreNorm", self.feed_forward_residual)
            return changed_output(self, residual.added(x, before, self.feed_forward, is_token))
        if self.cross_attention_residual is not None:
            x = self.cross_attention_residual(x, cross_attend, is_token=is_token)
        return changed_output(self, self.feed_forward_residual(x, self.feed_forward, is_token=is_token))

    if TYPE_CHECKING:
        __call__ = forward
