"""The sizes and choices that make a model: what `config.json` holds. One class for each family, with what all share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Positions = Literal[
    "sinusoidal",
    "sinusoidal_halves",
    "sinusoidal_opennmt",
    "learned",
    "rotary",
    "alibi",
    "t5",
    "relative_key",
    "relative_key_query",
    "shaw",
    "none",
]
RENAMED: dict[str, dict[str, str]] = {
    "arch": {"transformer": "encoder-decoder"},
    "positions": {"linear_bias": "alibi", "buckets": "t5", "clipped": "shaw"},
}
"""Values that earlier versions wrote by another name, by key."""


def current(key: str, value: Any) -> Any:
    """What a value of a key, such as `positions`, is called now."""
    return RENAMED.get(key, {}).get(value, value) if isinstance(value, str) else value


Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]
Fraction = Annotated[float, Field(ge=0, lt=1)]
MOST_TOKENS, WIDEST, WIDEST_INNER, MOST_HEADS = 1 << 24, 1 << 17, 1 << 20, 1 << 14
MOST_LAYERS, MOST_POSITIONS, MOST_KINDS = 10_000, 1 << 20, 1 << 16
"""Far above any model that there is, and low enough that a number which is none cannot keep a machine busy: `regard.memory`
says whether a model has room in one.
"""
Layers = Annotated[int, Field(ge=1, le=MOST_LAYERS)]


class TransformerConfig(BaseModel):
    """What the layers of every Transformer need to know; the paper's `base` model where nothing is said."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    vocab_size: int = Field(ge=5, le=MOST_TOKENS, description="tokens of the vocabulary")
    model_dim: int = Field(
        512, ge=2, le=WIDEST, description="width of the residual stream; even, a multiple of num_heads"
    )
    ff_dim: int = Field(2048, ge=1, le=WIDEST_INNER, description="inner width of the feed-forward layers")
    num_heads: int = Field(8, ge=1, le=MOST_HEADS)
    num_kv_heads: int | None = Field(None, ge=1, description="heads of keys and values; null: num_heads")
    head_dim: int = Field(
        default_factory=lambda data: data["model_dim"] // data["num_heads"],
        ge=1,
        le=WIDEST,
        description="width of a head; model_dim / num_heads where it is not given",
    )
    dropout: Fraction = Field(0.1, description="on embeddings and on each sublayer's output")
    attention_dropout: Fraction = Field(0.0, description="on attention weights")
    norm: Literal["post", "pre", "sandwich"] = Field(
        "post", description="where norms stand: after the residual sum, before the sublayer, on both sides of it"
    )
    norm_kind: Literal["layer", "rms", "none"] = "layer"
    norm_epsilon: float = Field(1e-5, gt=0, le=1)
    activation: Activation = "relu"
    gated: bool = Field(False, description="gated feed-forward layers: SwiGLU with silu")
    bias: bool = Field(True, description="whether linear maps have biases")
    positions: Positions = "sinusoidal"
    max_positions: int = Field(1024, ge=2, le=MOST_POSITIONS, description="longest sequence, in tokens")
    pad_id: int = Field(
        0,
        ge=-1,
        lt=MOST_TOKENS,
        description="the tokenizer's, not for users to set; -1: the vocabulary has none, padding is the id -1",
    )
    pruned_heads: dict[str, list[int]] = Field(
        default_factory=dict, description="heads that were removed, by attention: {'cross.2': [0, 3]}, counted from 0"
    )

    @model_validator(mode="before")
    @classmethod
    def _current(cls, values: Any) -> Any:
        """Read what earlier versions wrote."""
        return {key: current(key, value) for key, value in values.items()} if isinstance(values, dict) else values

    @property
    def attentions(self) -> dict[str, int]:
        """How many layers have each kind of attention: `encoder`, `decoder`, `cross`."""
        return {}

    @model_validator(mode="after")
    def _pruned_heads_exist(self) -> TransformerConfig:
        known = {f"{kind}.{layer}" for kind, count in self.attentions.items() for layer in range(count)}
        for name, heads in self.pruned_heads.items():
            if name not in known:
                raise ValueError(f"pruned_heads must name attentions of the model; got {name!r}.")
            if sorted(set(heads)) != heads or not all(0 <= head < self.num_heads for head in heads):
                raise ValueError(f"pruned_heads must be increasing, from 0 to {self.num_heads - 1}; got {heads}.")
            if len(heads) == self.num_heads:
                raise ValueError(f"pruned_heads must leave a head in each attention; got all of {name}.")
        return self

    @model_validator(mode="after")
    def _sizes_fit(self) -> TransformerConfig:
        if self.model_dim % self.num_heads and "head_dim" not in self.model_fields_set:
            raise ValueError(f"model_dim must be divisible by num_heads; got {self.model_dim} and {self.num_heads}.")
        if self.num_kv_heads and self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_heads must be divisible by num_kv_heads; got {self.num_heads} and {self.num_kv_heads}."
            )
        if self.model_dim % 2 and self.positions.startswith("sinusoidal"):
            raise ValueError(f"model_dim must be even for sinusoidal positions; got {self.model_dim}.")
        if self.head_dim % 2 and self.positions == "rotary":
            raise ValueError(f"head_dim must be even for rotary positions; got {self.head_dim}.")
        return self


class EncoderDecoderConfig(TransformerConfig):
    """An encoder-decoder Transformer."""

    arch: Literal["encoder-decoder"] = "encoder-decoder"
    num_encoder_layers: Layers = 6
    num_decoder_layers: Layers = 6
    tied_embeddings: Literal["all", "target", "source", "none"] = Field(
        "all",
        description="which share one matrix: source, target and output; target and output; source and target; none",
    )
    source_vocab_size: int | None = Field(
        None,
        ge=5,
        le=MOST_TOKENS,
        description="tokens of the source's own vocabulary; null: source and target share one",
    )
    num_source_types: int = Field(
        0, ge=0, le=MOST_KINDS, description="kinds of source token, each with a vector that is added; 0: none"
    )
    scale_embeddings: bool = Field(True, description="whether embeddings are multiplied by sqrt(model_dim)")
    embedding_norm: Literal["none", "source", "both"] = Field(
        "none", description="which embeddings are normalised, as in BERT and BART"
    )
    output_bias: bool = Field(False, description="whether each token of the vocabulary has a bias")
    output_transform: bool = Field(False, description="a layer before the output, as BERT predicts hidden tokens")

    @property
    def attentions(self) -> dict[str, int]:
        """How many layers have each kind of attention."""
        return {
            "encoder": self.num_encoder_layers,
            "decoder": self.num_decoder_layers,
            "cross": self.num_decoder_layers,
        }

    @model_validator(mode="after")
    def _vocabularies_fit(self) -> EncoderDecoderConfig:
        if self.source_vocab_size and self.tied_embeddings in ("all", "source"):
            raise ValueError(
                f"tied_embeddings must be target or none where the source has a vocabulary of its own; "
                f"got {self.tied_embeddings}."
            )
        return self


class DecoderConfig(TransformerConfig):
    """A decoder-only Transformer, a causal language model: GPT-2's shape where nothing is said."""

    arch: Literal["decoder"] = "decoder"
    num_layers: Layers = 6
    norm: Literal["post", "pre", "sandwich"] = "pre"
    activation: Activation = "gelu_tanh"
    positions: Positions = "learned"
    tied_embeddings: bool = Field(True, description="whether the output shares the embedding matrix")
    embedding_norm: bool = Field(False, description="whether embeddings are normalised, as in BERT")
    output_bias: bool = Field(False, description="whether each token of the vocabulary has a bias")

    @property
    def attentions(self) -> dict[str, int]:
        """How many layers have each kind of attention."""
        return {"decoder": self.num_layers}


class EncoderConfig(TransformerConfig):
    """A Transformer encoder with a head for a task: BERT's shape where nothing is said."""

    arch: Literal["encoder"] = "encoder"
    task: Literal["mlm", "classify", "tag", "spans", "none"] = Field(
        "mlm", description="what the head predicts; none: there is no head"
    )
    num_layers: Layers = 6
    max_positions: int = Field(
        1024, ge=3, le=MOST_POSITIONS, description="longest text, in tokens, begin and end symbol included"
    )
    num_segments: int = Field(
        2, ge=0, le=MOST_KINDS, description="kinds of token: BERT's first and second sentence; 0: no kinds"
    )
    labels: list[str] = Field(default_factory=list, description="names of the classes or tags, from the data")
    activation: Activation = "gelu"
    head_activation: Literal["relu", "gelu", "gelu_tanh", "silu", "tanh"] | None = Field(
        None, description="inside the head; null: gelu to predict tokens, tanh to classify"
    )
    tied_embeddings: bool = Field(
        True, description="whether the output that predicts tokens shares the embedding matrix"
    )
    norm_epsilon: float = Field(1e-12, gt=0, le=1)
    positions: Positions = "learned"

    @property
    def attentions(self) -> dict[str, int]:
        """How many layers have each kind of attention."""
        return {"encoder": self.num_layers}


class RecurrentConfig(BaseModel):
    """A recurrent encoder-decoder with attention."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    arch: Literal["rnn"] = "rnn"
    vocab_size: int = Field(ge=5, le=MOST_TOKENS, description="tokens of the vocabulary")
    source_vocab_size: int | None = Field(
        None,
        ge=5,
        le=MOST_TOKENS,
        description="tokens of the source's own vocabulary; null: source and target share one",
    )
    model_dim: int = Field(
        512, ge=1, le=WIDEST, description="width of embeddings and states; the encoder has it in each direction"
    )
    cell: Literal["gru", "lstm"] = "gru"
    score: Literal["additive", "bilinear", "dot", "scaled_dot", "cosine", "gaussian"] = Field(
        "additive", description="how the decoder's state is compared with the source"
    )
    dropout: Fraction = Field(0.1, description="on embeddings and before the output")
    teacher_forcing: float = Field(
        1.0, ge=0, le=1, description="in training, how often the right token goes in next, and not the model's own"
    )
    max_positions: int = Field(1024, ge=2, le=MOST_POSITIONS, description="longest source or target, in tokens")
    pad_id: int = Field(0, ge=0, lt=MOST_TOKENS, description="the tokenizer's: not for users to set")


AnyConfig = EncoderDecoderConfig | RecurrentConfig | DecoderConfig | EncoderConfig
