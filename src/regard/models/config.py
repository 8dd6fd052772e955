"""The sizes and choices that make a model: what `config.json` holds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ModelConfig(BaseModel):
    """An encoder-decoder Transformer: the paper's `base` model where nothing is said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vocab_size: int = Field(ge=5, description="tokens of the one vocabulary that source and target share")
    model_dim: int = Field(512, ge=2, description="width of the residual stream; even, a multiple of num_heads")
    ff_dim: int = Field(2048, ge=1, description="inner width of the feed-forward layers")
    num_heads: int = Field(8, ge=1)
    num_encoder_layers: int = Field(6, ge=1)
    num_decoder_layers: int = Field(6, ge=1)
    dropout: float = Field(0.1, ge=0, lt=1, description="on embeddings and on each sublayer's output")
    norm: Literal["post", "pre"] = Field(
        "post", description="layer norm after the residual sum, or before the sublayer"
    )
    tied_embeddings: Literal["all", "target", "none"] = Field(
        "all", description="which share one matrix: source, target and output; target and output; none"
    )
    max_positions: int = Field(1024, ge=2, description="longest source or target, in tokens")
    pad_id: int = Field(0, ge=0, description="the tokenizer's: not for users to set")

    @model_validator(mode="after")
    def _sizes_fit(self) -> ModelConfig:
        if self.model_dim % self.num_heads:
            raise ValueError(f"model_dim must be divisible by num_heads; got {self.model_dim} and {self.num_heads}.")
        if self.model_dim % 2:
            raise ValueError(f"model_dim must be even for sinusoidal positions; got {self.model_dim}.")
        return self
