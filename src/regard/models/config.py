"""The sizes and choices that make a model: what `config.json` holds. One class for each family, with what all share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

POSITIONS = {"sinusoidal", "sinusoidal_halves", "sinusoidal_opennmt", "sinusoidal_fairseq", "sinusoidal_marian",
             "learned", "none", "rotary", "alibi", "t5", "relative_key", "relative_key_query", "shaw"}  # fmt: skip
"""Position schemes by name; `regard.extending.add_position_scheme` adds one."""
SCORES = {"additive", "bilinear", "dot", "scaled_dot", "cosine", "gaussian"}
"""Attention scores of the recurrent model by name; `regard.extending.add_attention_score` adds one."""
RENAMED: dict[str, dict[str, str]] = {
    "arch": {"transformer": "encoder-decoder"},
    "positions": {"linear_bias": "alibi", "buckets": "t5", "clipped": "shaw"},
}
"""Old names of values in configurations of earlier versions, by key."""


def _one_of(names: set[str]) -> AfterValidator:
    """Accepts the names that are known by then."""

    def check(name: str) -> str:
        if name not in names:
            choices = ", ".join(sorted(names))
            raise PydanticCustomError("unknown_name", "one of {choices}", {"choices": choices})
        return name

    return AfterValidator(check)


Positions = Annotated[str, _one_of(POSITIONS)]


def current(key: str, value: Any) -> Any:
    """The current name of a value of a key such as `positions`."""
    return RENAMED.get(key, {}).get(value, value) if isinstance(value, str) else value


Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"]
Fraction = Annotated[float, Field(ge=0, lt=1)]
MOST_TOKENS, WIDEST, WIDEST_INNER, MOST_HEADS = 1 << 24, 1 << 17, 1 << 20, 1 << 14
MOST_LAYERS, MOST_POSITIONS, MOST_KINDS = 10_000, 1 << 20, 1 << 16
"""Far above any model that there is, and low enough that a number which is none cannot keep a machine busy: `regard.memory`
says whether a model has room in one.
"""
MOST_SHARED = 256
"""The most layers that may share weights: a small file can make no more of them."""
Layers = Annotated[int, Field(ge=1, le=MOST_LAYERS)]
Windows = list[Annotated[int, Field(ge=1, le=MOST_POSITIONS)] | None]
LogitCap = Annotated[
    float | None,
    Field(gt=0, le=1e6, description="what logits x are bounded by: cap tanh(x / cap), as in Gemma 2; null: nothing"),
]
SourceVocabulary = Annotated[
    int | None,
    Field(ge=5, le=MOST_TOKENS, description="tokens of the source's own vocabulary; null: source and target share one"),
]


SAME_WEIGHTS = ("dropout", "attention_dropout", "alignment_head", "pair_separators")
"""Settings of models that leave their weights as they are."""


class RotaryScalingConfig(BaseModel):
    """Slower rotation for texts longer than those of training: see `regard.nn.RotaryScaling`."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    factor: float = Field(gt=0, le=1e6, description="what frequencies are divided by")
    training_length: int | None = Field(
        default=None,
        ge=1,
        le=MOST_POSITIONS,
        description="longest text of training, in tokens; null: all frequencies are divided",
    )
    low_factor: float = Field(default=1.0, gt=0, le=1e6)
    high_factor: float = Field(default=4.0, gt=0, le=1e6)

    @model_validator(mode="after")
    def _factors_grow(self) -> RotaryScalingConfig:
        if self.low_factor >= self.high_factor:
            raise ValueError(f"low_factor must be below high_factor; got {self.low_factor} and {self.high_factor}.")
        return self


class ModelConfig(BaseModel):
    """The configuration that every family has. A family of your own derives from it, or from `TransformerConfig`."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    arch: str = Field(description="the name of the family")
    vocab_size: int = Field(ge=5, le=MOST_TOKENS, description="tokens of the vocabulary")
    model_dim: int = Field(default=512, ge=1, le=WIDEST, description="width of embeddings and states")
    max_positions: int = Field(default=1024, ge=2, le=MOST_POSITIONS, description="longest sequence, in tokens")
    pad_id: int = Field(default=0, ge=0, lt=MOST_TOKENS, description="the tokenizer's: not for users to set")


class TransformerConfig(ModelConfig):
    """The configuration that every Transformer has; by default, the paper's `base` model."""

    model_dim: int = Field(
        default=512, ge=2, le=WIDEST, description="width of the residual stream; even, a multiple of num_heads"
    )
    ff_dim: int = Field(default=2048, ge=1, le=WIDEST_INNER, description="inner width of the feed-forward layers")
    num_heads: int = Field(default=8, ge=1, le=MOST_HEADS)
    num_kv_heads: int | None = Field(
        default=None, ge=1, description="heads of keys and values (grouped-query attention); null: num_heads"
    )
    head_dim: int = Field(
        default_factory=lambda data: data["model_dim"] // data["num_heads"],
        ge=1,
        le=WIDEST,
        description="width of a head; by default model_dim / num_heads",
    )
    value_head_dim: int | None = Field(
        default=None, ge=1, le=WIDEST, description="width of a head's values; null: head_dim"
    )
    dropout: Fraction = Field(default=0.1, description="on embeddings and on each sublayer's output")
    attention_dropout: Fraction = Field(default=0.0, description="on attention weights")
    norm: Literal["post", "pre", "sandwich"] = Field(
        default="post",
        description="where the norms are: after the residual sum, before the sublayer, on both sides of it",
    )
    norm_kind: Literal["layer", "rms", "batch", "none"] = Field(
        default="layer",
        description="what is normalised: each position, likewise without its mean, each feature over all tokens, nothing",
    )
    norm_epsilon: float = Field(default=1e-5, gt=0, le=1)
    norm_bias: bool = Field(default=True, description="whether norms of kind layer have biases")
    activation: Activation = "relu"
    gated: bool = Field(default=False, description="gated feed-forward layers: SwiGLU with silu")
    bias: bool = Field(default=True, description="whether linear maps have biases")
    attention_output_bias: bool | None = Field(
        default=None, description="whether the map after attention's heads has a bias; null: as bias"
    )
    feed_forward_bias: bool | None = Field(
        default=None, description="whether the maps of feed-forward layers have biases; null: as bias"
    )
    query_key_norm: bool = Field(
        default=False, description="whether each head's queries and keys are normalised, as in Qwen 3"
    )
    score_cap: float | None = Field(
        default=None,
        gt=0,
        le=1e6,
        description="what scores s are bounded by: cap tanh(s / cap), as in Gemma 2; null: nothing",
    )
    feed_forward_chunk: int | None = Field(
        default=None,
        ge=1,
        le=MOST_POSITIONS,
        description="positions that feed-forward layers compute at a time; null: all",
    )
    positions: Positions = "sinusoidal"
    rotary_base: float = Field(
        default=10_000.0, gt=1, le=1e12, description="sets the slowest frequency of rotary positions"
    )
    local_rotary_base: float | None = Field(
        default=None,
        gt=1,
        le=1e12,
        description="the base in layers with a window, which rotary_scaling then leaves as they are; null: that of all layers",
    )
    rotary_dim: int | None = Field(
        default=None, ge=2, le=WIDEST, description="dimensions of each head that rotary positions turn, even; null: all"
    )
    rotary_scaling: RotaryScalingConfig | None = Field(
        default=None, description="slower rotation, for texts longer than those of training; null: none"
    )
    windows: Windows = Field(
        default_factory=list,
        max_length=MOST_LAYERS,
        description="sliding windows: how far each layer looks, its own position included, null for everywhere; empty: "
        "all layers look everywhere",
    )
    pad_id: int = Field(
        default=0,
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
    def has_attention_output_bias(self) -> bool:
        """`attention_output_bias`, or `bias` where it is not given."""
        return self.bias if self.attention_output_bias is None else self.attention_output_bias

    @property
    def has_feed_forward_bias(self) -> bool:
        """`feed_forward_bias`, or `bias` where it is not given."""
        return self.bias if self.feed_forward_bias is None else self.feed_forward_bias

    @property
    def attentions(self) -> dict[str, int]:
        """The number of layers with each kind of attention: `encoder`, `decoder`, `cross`."""
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
        if self.value_head_dim not in (None, self.head_dim) and self.positions == "shaw":
            raise ValueError(
                f"value_head_dim must be head_dim with positions shaw, which add to both; got {self.value_head_dim} and "
                f"{self.head_dim}."
            )
        rotated = self.rotary_dim or self.head_dim
        if self.positions == "rotary" and (rotated % 2 or rotated > self.head_dim):
            name = "head_dim" if self.rotary_dim is None else "rotary_dim"
            raise ValueError(f"{name} must be even and at most head_dim for rotary positions; got {rotated}.")
        for kind, count in self.attentions.items():
            found = self.windows_of(kind)
            if found and kind != "cross" and len(found) != count:
                name = "windows" if found is self.windows else f"{kind}_windows"
                raise ValueError(f"{name} must be one for each of {count} layers; got {len(found)}.")
        return self

    @model_validator(mode="after")
    def _norms_of_heads_look_at_one_position(self) -> TransformerConfig:
        if self.query_key_norm and self.norm_kind == "batch":
            raise ValueError(
                "query_key_norm must be false with norm_kind batch, which would count the queries and keys of padding; got true."
            )
        return self

    def windows_of(self, kind: str) -> Windows:
        """The windows of self-attention of a stack: `encoder` or `decoder`."""
        return self.windows


class EncoderDecoderConfig(TransformerConfig):
    """An encoder-decoder Transformer."""

    arch: Literal["encoder-decoder"] = "encoder-decoder"
    num_encoder_layers: Layers = 6
    num_decoder_layers: Layers = 6
    decoder_past: Literal["self_attention", "ssru"] = Field(
        default="self_attention",
        description="how decoder layers read the tokens before: by self-attention, or by a recurrence with one state (SSRU)",
    )
    tied_embeddings: Literal["all", "target", "source", "none"] = Field(
        default="all",
        description="which embeddings share one matrix: source, target and output; target and output; source and target; none",
    )
    source_vocab_size: SourceVocabulary = None
    num_source_types: int = Field(
        default=0, ge=0, le=MOST_KINDS, description="kinds of source token, each with a vector that is added; 0: none"
    )
    scale_embeddings: bool = Field(default=True, description="whether embeddings are multiplied by sqrt(model_dim)")
    encoder_windows: Windows | None = Field(
        default=None,
        max_length=MOST_LAYERS,
        description="the encoder's windows, where they are others; null: `windows`",
    )
    embedding_norm: Literal["none", "source", "both"] = Field(
        default="none", description="which embeddings are normalised, as in BERT and BART"
    )
    output_bias: bool = Field(default=False, description="whether each token of the vocabulary has a bias")
    output_transform: bool = Field(
        default=False, description="a layer before the output, as BERT predicts hidden tokens"
    )
    logit_cap: LogitCap = None
    alignment_head: str | None = Field(
        default=None,
        pattern=r"^cross\.\d{1,4}\.\d{1,4}$",
        description="the head of cross-attention that alignments are read from, such as cross.2.0; null: no head is special",
    )

    @property
    def attentions(self) -> dict[str, int]:
        """The number of layers with each kind of attention."""
        own = {"decoder": self.num_decoder_layers} if self.decoder_past == "self_attention" else {}
        return {"encoder": self.num_encoder_layers, **own, "cross": self.num_decoder_layers}

    def windows_of(self, kind: str) -> Windows:
        """The windows of self-attention of a stack."""
        return self.encoder_windows if kind == "encoder" and self.encoder_windows is not None else self.windows

    def kept_cross_heads(self, layer: int) -> list[int]:
        """The numbers of the heads of cross-attention that a layer has, without those that were pruned."""
        pruned = self.pruned_heads.get(f"cross.{layer}", [])
        return [head for head in range(self.num_heads) if head not in pruned]

    def is_kept(self, head: str) -> bool:
        """Whether a head of cross-attention, such as `cross.2.0`, was not pruned."""
        _, layer, number = head.split(".")
        return int(number) in self.kept_cross_heads(int(layer))

    @model_validator(mode="after")
    def _has_head(self) -> EncoderDecoderConfig:
        if self.alignment_head is not None:
            _, layer, head = self.alignment_head.split(".")
            if int(layer) >= self.num_decoder_layers or int(head) >= self.num_heads:
                raise ValueError(
                    f"model.alignment_head must be one of cross.0.0 to cross.{self.num_decoder_layers - 1}."
                    f"{self.num_heads - 1}; got {self.alignment_head}."
                )
        return self

    @model_validator(mode="after")
    def _vocabularies_fit(self) -> EncoderDecoderConfig:
        if self.source_vocab_size and self.tied_embeddings in ("all", "source"):
            raise ValueError(
                f"tied_embeddings must be target or none with separate vocabularies (source_vocab_size); "
                f"got {self.tied_embeddings}."
            )
        return self


class DecoderConfig(TransformerConfig):
    """A decoder-only Transformer, a causal language model. The defaults are the shape of GPT-2."""

    arch: Literal["decoder"] = "decoder"
    num_layers: Layers = 6
    norm: Literal["post", "pre", "sandwich"] = "pre"
    activation: Activation = "gelu_tanh"
    positions: Positions = "learned"
    tied_embeddings: bool = Field(default=True, description="whether the output shares the embedding matrix")
    scale_embeddings: bool = Field(
        default=False, description="whether embeddings are multiplied by sqrt(model_dim), as in Gemma"
    )
    embedding_norm: bool = Field(default=False, description="whether embeddings are normalised, as in BERT")
    output_bias: bool = Field(default=False, description="whether each token of the vocabulary has a bias")
    output_transform: bool = Field(
        default=False, description="a layer before the output, as BERT predicts hidden tokens"
    )
    logit_cap: LogitCap = None
    parallel_residual: bool = Field(
        default=False,
        description="whether feed-forward layers read what attention reads, and not also what it adds, as in GPT-NeoX",
    )
    cross_attention: bool = Field(
        default=False,
        description="whether layers look at the states of an encoder, which a program of one's own must give",
    )

    @property
    def attentions(self) -> dict[str, int]:
        """The number of layers with each kind of attention."""
        return {"decoder": self.num_layers} | ({"cross": self.num_layers} if self.cross_attention else {})

    @model_validator(mode="after")
    def _sublayers_can_be_parallel(self) -> DecoderConfig:
        if self.parallel_residual and (self.norm == "post" or self.cross_attention):
            raise ValueError(
                f"parallel_residual must be false with norm post or cross_attention; got norm {self.norm} and cross_attention "
                f"{str(self.cross_attention).lower()}."
            )
        return self


TEXT_TASKS = ("classify", "multilabel", "regression")
"""Tasks whose head looks at a whole text: its one class, any number of classes, numbers."""


Pooling = Literal["first", "last", "mean", "late"]
POOLING = (
    "what a class is read from: the first token; the last; the mean of all; likewise, after the layer before the output"
)


class LabelledConfig(TransformerConfig):
    """The settings of models with labels, whatever a label is of."""

    task: Any = Field(default="classify", description="what the head predicts")
    pair_separators: int = Field(
        default=0,
        ge=0,
        le=2,
        description="end symbols between the two texts of a pair, which have a tab between them in the data: 1 as BERT, 2 as "
        "RoBERTa; 0: no text is a pair",
    )
    separator_id: int = Field(
        default=-1,
        ge=-1,
        lt=MOST_TOKENS,
        description="the end symbol of the texts of a pair, the tokenizer's: not for users to set",
    )
    labels: list[str] = Field(
        default_factory=list, description="names of the classes, tags or predicted numbers, from the data"
    )
    head_activation: Activation | None = Field(
        default=None, description="inside the head; null: tanh for tasks of whole texts, else gelu"
    )
    head_transform: Literal["none", "dense", "norm"] | None = Field(
        default=None,
        description="the layer before the head's output: none, one with an activation, one that is also normalised; null: "
        "norm to predict tokens, dense for tasks of whole texts, else none",
    )
    pooling: Pooling = Field(default="first", description=POOLING)

    @property
    def reads_pairs(self) -> bool:
        """Whether a text may be two, with a tab between them."""
        return self.pair_separators > 0 and self.task in TEXT_TASKS


class EncoderConfig(LabelledConfig):
    """A Transformer encoder with a head for a task. The defaults are the shape of BERT."""

    arch: Literal["encoder"] = "encoder"
    task: Literal["mlm", "classify", "multilabel", "regression", "tag", "spans", "none"] = Field(
        default="mlm", description="what the head predicts; none: there is no head"
    )
    num_layers: Layers = 6
    max_positions: int = Field(
        default=1024, ge=3, le=MOST_POSITIONS, description="longest text, in tokens, begin and end symbol included"
    )
    embedding_dim: int | None = Field(
        default=None,
        ge=1,
        le=WIDEST,
        description="width of the embeddings, which a linear map then makes as wide as states, as in ELECTRA and ALBERT; null: "
        "model_dim, without such a map",
    )
    weights_from: list[Annotated[int, Field(ge=0)]] = Field(
        default_factory=list,
        max_length=MOST_SHARED,
        description="for each layer, the first layer with the same weights, itself or a lower one, as in ALBERT; empty: each "
        "layer has its own",
    )
    num_segments: int = Field(
        default=2, ge=0, le=MOST_KINDS, description="kinds of token: BERT's first and second sentence; 0: no kinds"
    )
    embedding_norm: bool = Field(default=True, description="whether embeddings are normalised, as in BERT")
    first_norm: bool = Field(
        default=True,
        description="whether the input of the first layer's attention is normalised; false, with norm pre: as in ModernBERT",
    )
    pooler: bool = Field(
        default=False, description="without a task, whether there is a vector for the whole text, as in BERT"
    )
    activation: Activation = "gelu"
    tied_embeddings: bool = Field(
        default=True, description="whether the output that predicts tokens shares the embedding matrix"
    )
    norm_epsilon: float = Field(default=1e-12, gt=0, le=1)
    positions: Positions = "learned"

    @model_validator(mode="after")
    def _pooler_is_alone(self) -> EncoderConfig:
        if self.pooler and self.task != "none":
            raise ValueError(f"pooler must be false with a task, which has its own head; got task {self.task}.")
        return self

    @model_validator(mode="after")
    def _layers_share_weights_of_lower_ones(self) -> EncoderConfig:
        found = self.weights_from
        if found and (
            len(found) != self.num_layers
            or any(first > layer or found[first] != first for layer, first in enumerate(found))
        ):
            raise ValueError(
                f"weights_from must name, for each of {self.num_layers} layers, itself or a lower one that has its own "
                f"weights; got {found[:12]}."
            )
        return self

    @model_validator(mode="after")
    def _embeddings_fit(self) -> EncoderConfig:
        width = self.embedding_dim
        if width and width % 2 and self.positions.startswith("sinusoidal"):
            raise ValueError(f"embedding_dim must be even for sinusoidal positions; got {width}.")
        if width not in (None, self.model_dim) and self.task == "mlm" and self.head_transform == "none":
            raise ValueError(f"embedding_dim must be model_dim with head_transform none and task mlm; got {width}.")
        return self

    @model_validator(mode="after")
    def _first_norm_fits(self) -> EncoderConfig:
        if not self.first_norm and self.norm != "pre":
            raise ValueError(f"first_norm must be true with norm {self.norm}; got false.")
        return self

    @property
    def attentions(self) -> dict[str, int]:
        """The number of layers with each kind of attention."""
        return {"encoder": self.num_layers}


class EncoderDecoderClassifierConfig(LabelledConfig):
    """An encoder-decoder Transformer that classifies texts: both sides read the text. The defaults are the shape of BART."""

    arch: Literal["encoder-decoder-classifier"] = "encoder-decoder-classifier"
    task: Literal["classify", "multilabel", "regression"] = Field(
        default="classify", description="what the head predicts"
    )
    num_encoder_layers: Layers = 6
    num_decoder_layers: Layers = 6
    scale_embeddings: bool = Field(default=False, description="whether embeddings are multiplied by sqrt(model_dim)")
    embedding_norm: bool = Field(default=True, description="whether embeddings are normalised, as in BART")
    activation: Activation = "gelu"
    pooling: Pooling = Field(default="last", description=POOLING)
    start_id: int = Field(
        default=2,
        ge=0,
        lt=MOST_TOKENS,
        description="the symbol that the decoder reads first, the tokenizer's: not for users to set",
    )
    positions: Positions = "learned"

    @property
    def attentions(self) -> dict[str, int]:
        """The number of layers with each kind of attention."""
        return {
            "encoder": self.num_encoder_layers,
            "decoder": self.num_decoder_layers,
            "cross": self.num_decoder_layers,
        }

    @property
    def transformer(self) -> EncoderDecoderConfig:
        """The configuration of the encoder-decoder below the head."""
        own = EncoderDecoderConfig.model_fields.keys() - {"arch", "embedding_norm"}
        settings = {key: value for key, value in self.model_dump().items() if key in own}
        return EncoderDecoderConfig(**settings, embedding_norm="both" if self.embedding_norm else "none")

    @classmethod
    def above(cls, pair: EncoderDecoderConfig, **own: Any) -> EncoderDecoderClassifierConfig:
        """The configuration of a classifier that has the layers and the embeddings of an encoder-decoder.

        Args:
            own: the settings that an encoder-decoder does not have, such as `labels`.
        """
        shared = (cls.model_fields.keys() & EncoderDecoderConfig.model_fields.keys()) - {"arch", "embedding_norm"}
        return cls(**pair.model_dump(include=shared), embedding_norm=pair.embedding_norm == "both", **own)


class RecurrentConfig(ModelConfig):
    """A recurrent encoder-decoder with attention."""

    arch: Literal["rnn"] = "rnn"
    source_vocab_size: SourceVocabulary = None
    model_dim: int = Field(
        default=512, ge=1, le=WIDEST, description="width of embeddings and states; the encoder has it in each direction"
    )
    cell: Literal["gru", "lstm"] = "gru"
    score: Annotated[str, _one_of(SCORES)] = Field(
        default="additive", description="how the decoder's state is compared with the source"
    )
    dropout: Fraction = Field(default=0.1, description="on embeddings and before the output")
    teacher_forcing: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="probability, in training, that the next input is the reference token, not the model's own",
    )
    max_positions: int = Field(default=1024, ge=2, le=MOST_POSITIONS, description="longest source or target, in tokens")
    pad_id: int = Field(default=0, ge=0, lt=MOST_TOKENS, description="the tokenizer's: not for users to set")
