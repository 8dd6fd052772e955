"""Configurations to layers: words such as "rotary" become the library's parts here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError
from regard.models.config import POSITIONS, TransformerConfig
from regard.nn.attention import Attention
from regard.nn.cache import KeysValues
from regard.nn.layers import (
    ACTIVATIONS,
    Activations,
    BatchNorm,
    FeedForward,
    GatedFeedForward,
    IsToken,
    PostNorm,
    PreNorm,
    SandwichNorm,
    normalised,
)
from regard.nn.masks import can_look, positions_from_mask
from regard.nn.multihead import MultiHeadAttention
from regard.nn.positions import (
    AttentionPositions,
    BucketedBias,
    ClippedRelative,
    LearnedPositions,
    LinearBias,
    RelativeKey,
    RelativeKeyQuery,
    Rotary,
    RotaryScaling,
    WaveLayout,
    sinusoidal_positions,
)
from regard.nn.scores import ScoreFunction, SoftCappedDotProduct

Ids = Int[Tensor, "batch position"]
BERT_DIM, BERT_SCALE = 768, 0.02
CLIPPED_DISTANCE = 16
"""As Shaw et al. 2018 use for their base model."""


def rotary(config: TransformerConfig) -> Rotary:
    """Rotation by the base, the width and the scaling that a configuration has."""
    given = config.rotary_scaling
    scaling = None if given is None else RotaryScaling(**given.model_dump())
    return Rotary(config.head_dim, base=config.rotary_base, rotated_dim=config.rotary_dim, scaling=scaling)


SCHEMES: dict[str, Callable[[TransformerConfig, bool], AttentionPositions]] = {
    "rotary": lambda config, is_decoder: rotary(config),
    "alibi": lambda config, is_decoder: LinearBias(config.num_heads),
    "t5": lambda config, is_decoder: BucketedBias(config.num_heads, bidirectional=not is_decoder),
    "relative_key": lambda config, is_decoder: RelativeKey(config.head_dim, config.max_positions),
    "relative_key_query": lambda config, is_decoder: RelativeKeyQuery(config.head_dim, config.max_positions),
    "shaw": lambda config, is_decoder: ClippedRelative(config.head_dim, CLIPPED_DISTANCE),
}
"""Position schemes inside attention, by the name that `model.positions` has."""


def add_position_scheme(name: str, make: Callable[[TransformerConfig, bool], AttentionPositions]) -> None:
    """Let `model.positions` be a scheme of your own.

    Args:
        make: of a configuration, and whether it is for a decoder, which looks back only: the scheme of one layer.
    Raises:
        SettingsError: there is a scheme of this name.
    """
    if name in POSITIONS:
        raise SettingsError(f"a position scheme must have a new name; got {name}.")
    SCHEMES[name] = make
    POSITIONS.add(name)


def self_attention(config: TransformerConfig, layer: int, *, is_decoder: bool) -> MultiHeadAttention:
    """Self-attention of a layer, counted from 0, with its position scheme and its window."""
    windows = config.windows_of("decoder" if is_decoder else "encoder")
    window = windows[layer] if windows else None
    rotating = config
    if window is not None and config.local_rotary_base is not None:
        rotating = config.model_copy(update={"rotary_base": config.local_rotary_base, "rotary_scaling": None})
    positions = SCHEMES[config.positions](rotating, is_decoder) if config.positions in SCHEMES else None
    attention = Attention(_score(config), positions=positions, dropout=config.attention_dropout, window=window)
    return _multihead(config, attention, norm(config) if config.query_key_norm else None)


def cross_attention(config: TransformerConfig) -> MultiHeadAttention:
    """Attention of a decoder to what an encoder made: without positions."""
    return _multihead(config, Attention(_score(config), dropout=config.attention_dropout))


def _score(config: TransformerConfig) -> ScoreFunction | None:
    """The score of a configuration; None: the paper's."""
    return None if config.score_cap is None else SoftCappedDotProduct(config.score_cap)


def _multihead(
    config: TransformerConfig, attention: Attention, norm: Callable[[int], nn.Module] | None = None
) -> MultiHeadAttention:
    return MultiHeadAttention(
        config.model_dim,
        config.num_heads,
        num_kv_heads=config.num_kv_heads,
        head_dim=config.head_dim,
        value_head_dim=config.value_head_dim,
        bias=config.bias,
        output_bias=config.attention_output_bias,
        norm=norm,
        attention=attention,
    )


def feed_forward(config: TransformerConfig) -> FeedForward:
    """The feed-forward layer."""
    kind = GatedFeedForward if config.gated else FeedForward
    chunk = config.feed_forward_chunk
    return kind(
        config.model_dim, config.ff_dim, activation=config.activation, bias=config.has_feed_forward_bias, chunk=chunk
    )


def norm(config: TransformerConfig) -> Callable[[int], nn.Module]:
    """Makes the norm for a width."""
    if config.norm_kind == "none":
        return nn.Identity
    if config.norm_kind == "batch":
        return partial(BatchNorm, epsilon=config.norm_epsilon)
    if config.norm_kind == "rms":
        return partial(nn.RMSNorm, eps=config.norm_epsilon)
    return partial(nn.LayerNorm, eps=config.norm_epsilon, bias=config.norm_bias)


def residual(config: TransformerConfig) -> PostNorm:
    """A residual connection."""
    kind = {"post": PostNorm, "pre": PreNorm, "sandwich": SandwichNorm}[config.norm]
    return kind(config.model_dim, config.dropout, norm(config))


def final_norm(config: TransformerConfig) -> nn.Module:
    """The norm after the last layer; none for post-norm layers, whose output is normalised already."""
    return nn.Identity() if config.norm == "post" else norm(config)(config.model_dim)


def initial_scale(config: TransformerConfig) -> float:
    """The standard deviation that matrices of encoders and decoders start with: BERT's and GPT-2's 0.02 at their width, and
    more in narrower models, so that what they multiply keeps its size.
    """
    return float(BERT_SCALE * (BERT_DIM / config.model_dim) ** 0.5)


def embed(table: nn.Embedding, ids: Int[Tensor, "..."], pad_id: int) -> Float[Tensor, "..."]:
    """The vectors of some ids. Padding that is no token of the vocabulary (`pad_id` -1) gets any: nothing attends to it."""
    return table(ids.clamp(min=0) if pad_id < 0 else ids)


class TextInput(NamedTuple):
    """The input of a model: ids, or vectors in their place; which of them are tokens, and where they stand."""

    ids: Ids | None
    vectors: Activations | None
    is_token: IsToken
    positions: Ids

    @classmethod
    def of(
        cls,
        ids: Ids | None,
        config: TransformerConfig,
        *,
        embedded: Activations | None = None,
        is_token: IsToken | None = None,
        positions: Ids | None = None,
        past: Sequence[KeysValues] | None = None,
        num_layers: int = 0,
    ) -> TextInput:
        """The input, completed.

        Args:
            positions: None: the number of tokens before each, those of `past` included.
            past: of each of `num_layers` layers.
        Raises:
            SettingsError: `positions` are given, and the model's are inside attention.
            ShapeError: neither or both of `ids` and `embedded` are given, there is no past for each layer, or a position is not
                below `max_positions`.
        """
        if (read := ids if embedded is None else embedded) is None or (ids is not None and embedded is not None):
            given = "neither" if read is None else "both"
            raise ShapeError(f"either `ids` or `embedded` must be given; got {given}.")
        if past is not None and len(past) != num_layers:
            raise ShapeError(f"past must have keys and values for each of {num_layers} layers; got {len(past)}.")
        if positions is not None and config.positions in SCHEMES:
            raise SettingsError(
                f"`positions` must be left out where the model's are inside attention ({config.positions}): they are then those "
                "of the keys, from the first one of the past on; got some."
            )
        if is_token is None:
            is_token = ids != config.pad_id if ids is not None else read.new_ones(read.shape[:2], dtype=torch.bool)
        num_before = max((layer.length for layer in past), default=0) if past is not None else 0
        most = config.max_positions - num_before
        if positions is None:
            if read.shape[1] > most:
                before = f", {num_before} of a past included" if num_before else ""
                raise ShapeError(
                    f"a sequence must have at most max_positions = {config.max_positions} tokens{before}; got "
                    f"{read.shape[1] + num_before}."
                )
            positions = positions_from_mask(is_token) + num_before
        elif can_look(positions) and not 0 <= int(positions.min()) <= int(positions.max()) < config.max_positions:
            raise ShapeError(
                f"positions must be from 0 to {config.max_positions - 1}; got {int(positions.min())} to {int(positions.max())}."
            )
        return cls(ids, embedded, is_token, positions)

    def embedded(self, table: nn.Embedding, pad_id: int) -> Activations:
        """The vectors of the tokens."""
        if self.vectors is not None:
            return self.vectors
        assert self.ids is not None
        return embed(table, self.ids, pad_id)


def gates_of_layers(
    name: str, gates: Float[Tensor, "..."] | None, num_layers: int
) -> Sequence[Float[Tensor, "*example head"] | None]:
    """The gates of the heads of each layer; None for each where there are none.

    Raises:
        ShapeError: they are not for so many layers, or have other axes.
    """
    if gates is None:
        return [None] * num_layers
    if gates.ndim not in (2, 3) or len(gates) != num_layers:
        raise ShapeError(
            f"{name} must be a row of numbers for each of {num_layers} layers, or one for each example of each; got shape "
            f"{tuple(gates.shape)}."
        )
    return list(gates)


class OutputTransform(nn.Module):
    """A layer and a norm between the last states and the output embeddings: norm(activation(x W + b)).

    Args:
        kind: `norm`; `dense`, without the norm; `none`, the states themselves.
        output_dim: the width of the output embeddings; None: that of the states.
    Source: Devlin et al. 2019, section 3.1, task 1, and its code.
    """

    def __init__(
        self, config: TransformerConfig, activation: str, kind: str = "norm", output_dim: int | None = None
    ) -> None:
        super().__init__()
        self.activation, self.kind = activation, kind
        width = output_dim or config.model_dim
        self.inner_proj = nn.Identity() if kind == "none" else nn.Linear(config.model_dim, width)
        self.norm = norm(config)(width) if kind == "norm" else nn.Identity()

    def forward(
        self, states: Float[Tensor, "*batch model_dim"], is_token: Bool[Tensor, "*batch"] | None = None
    ) -> Float[Tensor, "*batch output_dim"]:
        """The vectors that are compared with the output embeddings."""
        if self.kind == "none":
            return states
        return normalised(self.norm, ACTIVATIONS[self.activation](self.inner_proj(states)), is_token)

    if TYPE_CHECKING:
        __call__ = forward


class EmbeddedPositions(nn.Module):
    """The positions that a configuration adds to embeddings: sinusoids, learned vectors, or none.

    Args:
        width: of the embeddings; None: `model_dim`.
    """

    def __init__(self, config: TransformerConfig, width: int | None = None) -> None:
        super().__init__()
        self.max_positions = config.max_positions
        width = width or config.model_dim
        self.learned = LearnedPositions(config.max_positions, width) if config.positions == "learned" else None
        self.waves: Tensor | None
        layouts: dict[str, WaveLayout] = {
            "sinusoidal": "interleaved",
            "sinusoidal_halves": "halves",
            "sinusoidal_opennmt": "opennmt",
            "sinusoidal_fairseq": "fairseq",
            "sinusoidal_marian": "marian",
        }
        waves = None
        if config.positions in layouts:
            layout = layouts[config.positions]
            waves = sinusoidal_positions(config.max_positions, width, layout=layout)
        self.register_buffer("waves", waves, persistent=False)

    def check_length(self, num_positions: int) -> None:
        """Make sure that a sequence is no longer than the model was made for.

        Raises:
            ShapeError: it is longer than `max_positions`.
        """
        if num_positions > self.max_positions:
            raise ShapeError(
                f"a sequence must have at most max_positions = {self.max_positions} tokens; got {num_positions}."
            )

    def check_step(self, positions: Int[Tensor, "row position"], most: int) -> None:
        """Make sure that the positions of a decoding step, which may be several hypotheses, are below `max_positions`.

        Args:
            most: what no position can be above, known without looking: only beyond `max_positions` they are looked at.
        Raises:
            ShapeError: one does not.
        """
        if most >= self.max_positions:
            self.check_length(int(positions.max()) + 1)

    def forward(self, embedded: Activations, positions: Ids) -> Activations:
        """The embeddings with their positions, which `check_length` has found to be there."""
        if self.waves is not None:
            return embedded + self.waves[positions].to(embedded.dtype)
        return embedded if self.learned is None else embedded + self.learned(positions)

    if TYPE_CHECKING:
        __call__ = forward
