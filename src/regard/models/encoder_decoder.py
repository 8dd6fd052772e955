"""The Transformer of Vaswani et al. 2017: an encoder reads the source, a decoder writes the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.models.config import ModelConfig
from regard.models.parts import EmbeddedPositions, cross_attention, feed_forward, final_norm, residual, self_attention
from regard.nn.cache import KeysValues
from regard.nn.dropout import Dropout
from regard.nn.initialization import embedding
from regard.nn.layers import DecoderLayer, EncoderLayer
from regard.nn.masks import padding_mask, positions_from_mask, target_mask
from regard.nn.multihead import MultiHeadAttention


@dataclass(frozen=True)
class TransformerState:
    """Between decoding steps: the projected source, and the keys and values of the target so far, layer by layer."""

    memory: list[KeysValues]
    source_mask: Bool[Tensor, "sentence 1 1 source"]
    past: list[KeysValues] | None = None

    @property
    def length(self) -> int:
        """Target positions seen so far."""
        return 0 if self.past is None else self.past[0].key.shape[2]

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> TransformerState:
        """The state of some sentences, each with the hypotheses that go on. The source is copied only when some leave or move."""
        num_sentences = self.source_mask.shape[0]
        memory, source_mask = self.memory, self.source_mask
        if not torch.equal(sentences, torch.arange(num_sentences, device=sentences.device)):
            memory = [layer.select(sentences) for layer in memory]
            source_mask = source_mask[sentences]
        past = self.past
        if past is not None:
            num_beams = past[0].key.shape[0] // num_sentences
            rows = (sentences[:, None] * num_beams + parents).flatten()
            past = [layer.select(rows) for layer in past]
        return TransformerState(memory, source_mask, past)


class EncoderDecoder(nn.Module):
    """Source ids and target ids to the logits of each next target token."""

    @property
    def cross_attention_names(self) -> tuple[str, ...]:
        """The names of the modules that look at the source, the lowest layer first."""
        return tuple(f"decoder_layers.{index}.cross_attention" for index in range(self.config.num_decoder_layers))

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.source_embedding = embedding(config.vocab_size, config.model_dim)
        shares_source = config.tied_embeddings == "all"
        self.target_embedding = (
            self.source_embedding if shares_source else embedding(config.vocab_size, config.model_dim)
        )
        self.source_positions, self.target_positions = EmbeddedPositions(config), EmbeddedPositions(config)
        self.embedding_dropout = Dropout(config.dropout)
        self.encoder_layers = cast(
            "Sequence[EncoderLayer]",
            nn.ModuleList(_encoder_layer(config) for _ in range(config.num_encoder_layers)),
        )
        self.decoder_layers = cast(
            "Sequence[DecoderLayer]",
            nn.ModuleList(_decoder_layer(config) for _ in range(config.num_decoder_layers)),
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)
        self.output_embedding = (
            embedding(config.vocab_size, config.model_dim)
            if config.tied_embeddings == "none"
            else self.target_embedding
        )

    def forward(
        self, source_ids: Int[Tensor, "batch source"], target_ids: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab"]:
        """Logits of the token that follows each target position. Padding may stand on either side.

        logits[t] = decoder(target[0..t], encoder(source))[t] . output_embedding
        """
        return self.logits(self.states(source_ids, target_ids))

    def states(
        self, source_ids: Int[Tensor, "batch source"], target_ids: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target model_dim"]:
        """The decoder's last states: what `logits` projects onto the vocabulary."""
        memory, source_mask = self._project_source(source_ids)
        self_mask = target_mask(target_ids, self.config.pad_id)
        positions = positions_from_mask(target_ids != self.config.pad_id)
        x = self._embed(self.target_embedding, self.target_positions, target_ids, positions)
        for layer, layer_memory in zip(self.decoder_layers, memory, strict=True):
            x, _ = layer(x, layer_memory, self_mask=self_mask, source_mask=source_mask)
        return self.decoder_norm(x)

    def logits(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch vocab"]:
        """The score of each token of the vocabulary, before the softmax."""
        return states @ self.output_embedding.weight.T

    def prefill(self, source_ids: Int[Tensor, "sentence source"]) -> TransformerState:
        """The state before the first decoding step: the source, encoded and projected once."""
        return TransformerState(*self._project_source(source_ids))

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: TransformerState
    ) -> tuple[Float[Tensor, "sentence beam vocab"], TransformerState]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        position = torch.full((ids.numel(), 1), state.length, device=ids.device)
        x = self._embed(self.target_embedding, self.target_positions, ids.reshape(-1, 1), position)
        past = []
        for index, layer in enumerate(self.decoder_layers):
            x, seen = layer(
                x,
                state.memory[index],
                past=None if state.past is None else state.past[index],
                self_mask=None,
                source_mask=state.source_mask,
            )
            past.append(seen)
        logits = self.logits(self.decoder_norm(x)).view(*ids.shape, -1)
        return logits, TransformerState(state.memory, state.source_mask, past)

    def _project_source(
        self, source_ids: Int[Tensor, "batch source"]
    ) -> tuple[list[KeysValues], Bool[Tensor, "batch 1 1 source"]]:
        """The encoded source as each decoder layer's keys and values, and which of its positions are tokens."""
        mask = padding_mask(source_ids, self.config.pad_id)
        x = self._embed(self.source_embedding, self.source_positions, source_ids, positions_from_mask(mask[:, 0, 0]))
        for layer in self.encoder_layers:
            x = layer(x, mask=mask)
        encoded = self.encoder_norm(x)
        attentions = [cast("MultiHeadAttention", layer.cross_attention) for layer in self.decoder_layers]
        return [attention.project(encoded, encoded) for attention in attentions], mask

    def _embed(
        self,
        table: nn.Embedding,
        embedded_positions: EmbeddedPositions,
        ids: Int[Tensor, "batch position"],
        positions: Int[Tensor, "batch position"],
    ) -> Float[Tensor, "batch position model_dim"]:
        """Embeddings times sqrt(model_dim), plus positions. Source: Vaswani et al. 2017, section 3.4."""
        scaled = table(ids) * math.sqrt(self.config.model_dim)
        return self.embedding_dropout(embedded_positions(scaled, positions))


def _encoder_layer(config: ModelConfig) -> EncoderLayer:
    """One layer of the encoder, put together from the library's parts."""
    return EncoderLayer(self_attention(config, is_decoder=False), feed_forward(config), lambda: residual(config))


def _decoder_layer(config: ModelConfig) -> DecoderLayer:
    """One layer of the decoder."""
    return DecoderLayer(
        self_attention(config, is_decoder=True), cross_attention(config), feed_forward(config), lambda: residual(config)
    )
