"""The settings of a run by their keys alone, for type checkers: a misspelt one, or a value of another type, is found before a
program runs.

At run time, settings are checked by `RunSettings.build`. The classes here have the fields of the sections, and of all
families, which `tests/test_typing.py` compares. The settings of a family of your own are given as `settings={"model": {...}}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from regard.models.config import RotaryScalingConfig


class NamedDataSettings(TypedDict, total=False):
    """The keys of the section `data`."""

    weights: Sequence[float] | None
    temperature: float
    tags: Sequence[str | None] | None
    directions: Sequence[str] | None
    noise: Sequence[float] | None
    alignments: Sequence[str | None] | None
    first_word: Literal[0, 1]
    word_separators: Literal["spaces", "whitespace"]
    max_tokens: int | None
    max_ratio: float | None
    concatenation: float
    bpe_dropout: float


class NamedModelSettings(TypedDict, total=False):
    """The keys of the section `model`, of any family, but for what data and other arguments decide."""

    model_dim: int
    max_positions: int
    ff_dim: int
    num_heads: int
    num_kv_heads: int | None
    head_dim: int
    value_head_dim: int | None
    dropout: float
    attention_dropout: float
    norm: Literal["post", "pre", "sandwich"]
    norm_kind: Literal["layer", "rms", "batch", "none"]
    norm_epsilon: float
    norm_bias: bool
    activation: Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"]
    gated: bool
    bias: bool
    attention_output_bias: bool | None
    feed_forward_bias: bool | None
    query_key_norm: bool
    score_cap: float | None
    feed_forward_chunk: int | None
    positions: str
    rotary_base: float
    local_rotary_base: float | None
    rotary_dim: int | None
    rotary_scaling: RotaryScalingConfig | None
    windows: Sequence[int | None]
    encoder_windows: Sequence[int | None] | None
    num_encoder_layers: int
    num_decoder_layers: int
    decoder_past: Literal["self_attention", "ssru"]
    tied_embeddings: Literal["all", "target", "source", "none"] | bool
    num_source_types: int
    scale_embeddings: bool
    embedding_norm: Literal["none", "source", "both"] | bool
    output_bias: bool
    output_transform: bool
    logit_cap: float | None
    alignment_head: str | None
    cell: Literal["gru", "lstm"]
    score: str
    teacher_forcing: float
    num_layers: int
    parallel_residual: bool
    cross_attention: bool
    num_segments: int
    pair_separators: int
    pooler: bool
    embedding_dim: int | None
    weights_from: Sequence[int]
    first_norm: bool
    head_activation: Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "quick_gelu"] | None
    head_transform: Literal["none", "dense", "norm"] | None
    pooling: Literal["first", "last", "mean", "late"]


class NamedTrainingSettings(NamedDataSettings, NamedModelSettings, total=False):
    """The keys of all sections."""

    kind: Literal["bpe", "unigram", "characters", "words"]
    target_kind: Literal["bpe", "unigram", "characters", "words"] | None
    vocab_size: int
    normalization: Literal["NFC", "NFD"]
    split_digits: bool
    across_spaces: bool
    leading_space: bool
    shared: bool
    max_lines: int
    add: Sequence[str]
    with_mask: bool
    steps: int
    batch_tokens: int
    accumulation: int
    learning_rate: float | None
    warmup_steps: int
    schedule: Literal["inverse_sqrt", "linear", "cosine", "warmup_stable_decay", "constant"]
    weight_decay: float
    label_smoothing: float
    smoothing_over: Literal["all", "others"]
    teacher_weight: float
    teacher_temperature: float
    alignment_weight: float
    clip_norm: float
    adam_betas: tuple[float, float]
    adam_epsilon: float
    average_decay: float
    validate_every: int
    metric: str
    patience: int | None
    keep_best: int
    keep_every: int
    freeze: Sequence[str]
    report_every: int
    seed: int
    precision: Literal["auto", "float32", "bfloat16"]
    rank: int | None
    alpha: float | None
    targets: Sequence[str] | None
    whole: Sequence[str] | None
