"""The settings of training: batches, steps, optimizer, schedule, regularisation and what is kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from regard.training.schedules import Schedule

Fraction = Annotated[float, Field(ge=0, lt=1)]
MOST = 1_000_000_000
"""The largest number of steps, tokens of a batch and the like."""


class TrainingConfig(BaseModel):
    """The settings of a training run."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    steps: int = Field(default=10_000, ge=1, le=MOST, description="optimizer updates")
    batch_tokens: int = Field(
        default=4096, ge=1, le=MOST, description="rows times longest source or target, padding included"
    )
    accumulation: int = Field(default=1, ge=1, le=MOST, description="batches per update")
    learning_rate: float | None = Field(
        default=None,
        gt=0,
        le=1e38,
        description="peak, at the end of warm-up; null: the paper's, 1 / sqrt(model_dim * warmup_steps)",
    )
    warmup_steps: int = Field(default=4000, ge=1, le=MOST)
    schedule: Schedule = Field(
        default="inverse_sqrt",
        description="how the learning rate falls after warm-up: with the root of the step; straight to 0; along a cosine; "
        "only in the last fifth; not at all",
    )
    weight_decay: float = Field(
        default=0.0, ge=0, le=1000, description="of matrices, decoupled from the gradient (AdamW)"
    )
    label_smoothing: float = Field(default=0.1, ge=0, lt=1)
    smoothing_over: Literal["all", "others"] = Field(
        default="all",
        description="which classes share the smoothed probability: all of them, or all but the correct one",
    )
    teacher_weight: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="share of the teacher's probabilities in the loss, beside the labels; needs --teacher",
    )
    teacher_temperature: float = Field(
        default=1.0, gt=0, le=1000, description="what logits are divided by before teacher and model are compared"
    )
    alignment_weight: float = Field(
        default=0.05,
        gt=0,
        le=1000,
        description="weight of the loss of the alignment head, beside that of a token; needs data.alignments",
    )
    clip_norm: float = Field(default=1.0, gt=0, description="largest norm of the gradient over all parameters")
    adam_betas: tuple[Fraction, Fraction] = (0.9, 0.98)
    adam_epsilon: float = Field(default=1e-9, gt=0, le=1)
    average_decay: float = Field(
        default=0.999,
        ge=0,
        lt=1,
        description="validate and keep a running average of the weights; 0: the weights themselves",
    )
    validate_every: int = Field(default=500, ge=1, le=MOST, description="steps between validations")
    metric: str = Field(default="loss", description="the score of validation that decides which weights are kept")
    patience: int | None = Field(
        default=None, ge=1, le=MOST, description="end the run after this many validations in a row without improvement"
    )
    keep_best: int = Field(
        default=1,
        ge=1,
        le=MOST,
        description="number of best models to keep, in the folder of checkpoints; 1: only the model itself",
    )
    keep_every: int = Field(
        default=0,
        ge=0,
        le=MOST,
        description="steps between snapshots of the model, from step 0 on, in the folder of checkpoints; 0: none. A snapshot "
        "takes 4 bytes for each parameter, and the tokenizer",
    )
    freeze: list[Annotated[str, Field(min_length=1)]] = Field(
        default=[],
        description="parts of the model that do not learn: embeddings, encoder, decoder, output, or modules such as "
        "encoder_layers.0",
    )
    report_every: int = Field(default=50, ge=1, le=MOST, description="steps between lines of metrics.jsonl")
    seed: int = Field(default=1, ge=0, lt=1 << 32)
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
