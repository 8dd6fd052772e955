"""The Transformer of Vaswani et al. 2017: an encoder reads the source, a decoder writes the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.models.config import EncoderDecoderConfig
from regard.models.interface import PairModel
from regard.models.parts import (
    EmbeddedPositions,
    Ids,
    OutputTransform,
    TextInput,
    cross_attention,
    embed,
    feed_forward,
    final_norm,
    gates_of_layers,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import BeamCache, Cache, DecoderCache, KeysValues, Memory, NoCache, RunLayers
from regard.nn.dropout import Dropout
from regard.nn.initialization import embedding, tied
from regard.nn.layers import Activations, DecoderLayer, EncoderLayer, IsToken, normalised
from regard.nn.masks import padding_mask, prepared
from regard.nn.multihead import MultiHeadAttention
from regard.nn.ssru import SSRU


class EncoderDecoder(PairModel):
    """Source ids and target ids to the logits of each next target token."""

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        sizes = config.vocab_size, config.model_dim
        self.source_embedding = embedding(config.source_vocab_size or config.vocab_size, config.model_dim)
        shares_source = config.tied_embeddings in ("all", "source")
        self.target_embedding = tied(self.source_embedding) if shares_source else embedding(*sizes)
        self.source_type_embedding = (
            embedding(config.num_source_types, config.model_dim) if config.num_source_types else None
        )
        self.source_positions, self.target_positions = EmbeddedPositions(config), EmbeddedPositions(config)
        self.source_norm, self.target_norm = (
            norm(config)(config.model_dim) if config.embedding_norm in sides else nn.Identity()
            for sides in (("source", "both"), ("both",))
        )
        self.embedding_dropout = Dropout(config.dropout)
        self.encoder_layers = cast(
            "Sequence[EncoderLayer]",
            nn.ModuleList(_encoder_layer(config, layer) for layer in range(config.num_encoder_layers)),
        )
        self.decoder_layers = cast(
            "Sequence[DecoderLayer]",
            nn.ModuleList(_decoder_layer(config, layer) for layer in range(config.num_decoder_layers)),
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)
        self.output_transform = OutputTransform(config, config.activation) if config.output_transform else nn.Identity()
        shares_target = config.tied_embeddings in ("all", "target")
        self.output_embedding = tied(self.target_embedding) if shares_target else embedding(*sizes)
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.output_bias else None
        self.logit_cap = config.logit_cap

    def forward(
        self,
        source_ids: Int[Tensor, "batch source"],
        target_ids: Int[Tensor, "batch target"],
        source_types: Int[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target vocab"]:
        """Logits of the token that follows each target position. Padding may stand on either side.

        logits[t] = decoder(target[0..t], encoder(source))[t] . output_embedding

        Args:
            source_types: which kind each source token is, where the configuration has kinds; None: all are of kind 0.
        """
        return self.logits(self.states(source_ids, target_ids, source_types))

    if TYPE_CHECKING:
        __call__ = forward

    def states(
        self,
        source_ids: Int[Tensor, "batch source"],
        target_ids: Int[Tensor, "batch target"],
        source_types: Int[Tensor, "batch source"] | None = None,
        *,
        pads_right: bool = False,
    ) -> Float[Tensor, "batch target model_dim"]:
        """The decoder's last states: what `logits` projects onto the vocabulary.

        Args:
            pads_right: as for `decode`.
        """
        return self.decode(target_ids, self.read_source(source_ids, source_types), pads_right=pads_right)

    def encode(
        self,
        source_ids: Int[Tensor, "batch source"] | None,
        source_types: Int[Tensor, "batch source"] | None = None,
        *,
        embedded: Float[Tensor, "batch source model_dim"] | None = None,
        is_token: Bool[Tensor, "batch source"] | None = None,
        positions: Int[Tensor, "batch source"] | None = None,
        gates: Float[Tensor, "layer *example head"] | None = None,
    ) -> Float[Tensor, "batch source model_dim"]:
        """The source's vectors, each in its context: what the decoder looks at.

        Args:
            embedded: the vectors of the tokens, in place of `source_ids`, before they are scaled.
            is_token: False for padding; None: what `source_ids` say, and without them all are tokens.
            positions: of each token, from 0, where they are added to embeddings; None: the number of tokens before it.
            gates: what the context of each head is multiplied by: 0 removes it.
        Raises:
            ShapeError: neither or both of ids and `embedded` are given, more positions than the model has, or gates for another
                number of layers.
            SettingsError: `positions` where the model's are inside attention, such as rotary ones.
        """
        given = TextInput.of(source_ids, self.config, embedded=embedded, is_token=is_token, positions=positions)
        mask = prepared(given.is_token[:, None, None])
        x = self._scaled(given.embedded(self.source_embedding, self.config.pad_id))
        if self.source_type_embedding is not None:
            x = x + self.source_type_embedding(
                torch.zeros_like(given.positions) if source_types is None else source_types
            )
        x = self.source_positions(x, given.positions)
        x = self.embedding_dropout(normalised(self.source_norm, x, given.is_token))
        of_layers = gates_of_layers("gates", gates, len(self.encoder_layers))
        for layer, own in zip(self.encoder_layers, of_layers, strict=True):
            x = layer(x, mask=mask, is_token=given.is_token, gates=own)
        return normalised(self.encoder_norm, x, given.is_token)

    def project(self, encoded: Float[Tensor, "batch source model_dim"]) -> list[KeysValues]:
        """The encoded source as each decoder layer's keys and values."""
        attentions = [cast("MultiHeadAttention", layer.cross_attention) for layer in self.decoder_layers]
        return [attention.project(encoded, encoded) for attention in attentions]

    def read_source(
        self, source_ids: Int[Tensor, "batch source"], source_types: Int[Tensor, "batch source"] | None = None
    ) -> list[Memory]:
        """The source as each decoder layer looks it up."""
        mask = prepared(padding_mask(source_ids, self.config.pad_id))
        return [Memory(layer, mask) for layer in self.project(self.encode(source_ids, source_types))]

    def decode(
        self,
        target_ids: Int[Tensor, "batch target"] | None,
        memory: Sequence[Memory],
        *,
        pads_right: bool = False,
        embedded: Float[Tensor, "batch target model_dim"] | None = None,
        is_token: Bool[Tensor, "batch target"] | None = None,
        positions: Int[Tensor, "batch target"] | None = None,
        gates: Float[Tensor, "layer *example head"] | None = None,
        cross_gates: Float[Tensor, "layer *example head"] | None = None,
    ) -> Float[Tensor, "batch target model_dim"]:
        """The decoder's last states over a whole target, the source being encoded and projected already.

        Args:
            memory: of each decoder layer, as `read_source` makes it.
            pads_right: whether padding is known to stand on the right, if there is any. Then no token can see it, and there is no
                mask but the causal one, for which kernels are fastest. States of padding itself mean nothing.
            embedded: the vectors of the tokens, in place of `target_ids`, before they are scaled.
            is_token: False for padding; None: what `target_ids` say, and without them all are tokens.
            positions: of each token, from 0, where they are added to embeddings; None: the number of tokens before it.
            gates: what the context of each head of self-attention is multiplied by: 0 removes it.
            cross_gates: likewise, of cross-attention.
        Raises:
            ShapeError: neither or both of ids and `embedded` are given, more positions than the model has, or gates for another
                number of layers.
            SettingsError: `positions` where the model's are inside attention, such as rotary ones.
        """
        given = TextInput.of(target_ids, self.config, embedded=embedded, is_token=is_token, positions=positions)
        mask = None if pads_right else given.is_token[:, None, None]
        past = NoCache(mask, causal=True)
        x = self._scaled(given.embedded(self.target_embedding, self.config.pad_id))
        x = self._with_target_positions(x, given.positions, given.is_token)
        num_layers = len(self.decoder_layers)
        both = (gates_of_layers(*each, num_layers) for each in (("gates", gates), ("cross_gates", cross_gates)))
        for layer, layer_memory, own, cross in zip(self.decoder_layers, memory, *both, strict=True):
            x = layer(x, layer_memory, past, is_token=given.is_token, gates=own, cross_gates=cross)
        states = normalised(self.decoder_norm, x, given.is_token)
        if isinstance(self.output_transform, OutputTransform):
            return self.output_transform(states, given.is_token)
        return self.output_transform(states)

    def _with_target_positions(self, x: Activations, positions: Ids, is_token: IsToken | None = None) -> Activations:
        return self.embedding_dropout(normalised(self.target_norm, self.target_positions(x, positions), is_token))

    def _scaled(self, embedded: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Embeddings times sqrt(model_dim). Source: Vaswani et al. 2017, section 3.4."""
        return embedded * math.sqrt(self.config.model_dim) if self.config.scale_embeddings else embedded

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The states before each target token that is not padding, and those tokens."""
        pads_right = getattr(batch, "pads_right", False)
        states = self.states(batch.source_ids, batch.target_ids, pads_right=pads_right)
        return self.at_labels(batch, states, self.is_token)

    def prefill(
        self, source_ids: Int[Tensor, "sentence source"], source_types: Int[Tensor, "sentence source"] | None = None
    ) -> BeamCache:
        """The cache before the first decoding step: the source, encoded and projected once.

        Keys and values of the source are laid out once as matrix products want them at every step.
        """
        mask = padding_mask(source_ids, self.config.pad_id)  # which the cache changes when sentences come and go
        memory = [
            Memory(KeysValues(*(x.contiguous() for x in layer)), mask)
            for layer in self.project(self.encode(source_ids, source_types))
        ]
        return BeamCache(len(memory), source_ids.shape[0], source_ids.device, memory)

    def step_states(
        self, ids: Int[Tensor, "sentence beam"], cache: Cache, run_layers: RunLayers | None = None
    ) -> tuple[Float[Tensor, "sentence beam model_dim"], Cache]:
        """The states of the last tokens, which `logits` projects onto the vocabulary, and the cache with them.

        Args:
            run_layers: another way through the decoder layers, with the same result; None: one after the other.
        """
        positions = cache.begin_step(ids.shape[1])
        self.target_positions.check_step(positions, cache.length - 1)
        x = self._embed_target(ids, positions)
        x = (run_layers or self._run_layers)(x, cache)
        return self.output_transform(self.decoder_norm(x)), cache

    def _run_layers(self, x: Float[Tensor, "sentence beam model_dim"], cache: DecoderCache) -> Tensor:
        for layer, memory, past in zip(self.decoder_layers, cache.memory, cache.layers, strict=True):
            x = layer(x, memory, past)
        return x

    def _embed_target(self, ids: Ids, positions: Ids) -> Activations:
        return self._with_target_positions(
            self._scaled(embed(self.target_embedding, ids, self.config.pad_id)), positions
        )

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer position vocab"]:
        """The logits of the states of any decoder layer, as if it were the last."""
        return self.logits(self.output_transform(self.decoder_norm(states)))

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind, from the lowest layer up."""
        encoder, decoder = range(len(self.encoder_layers)), range(len(self.decoder_layers))
        own = {"decoder": [f"decoder_layers.{index}.self_attention" for index in decoder]}
        return {
            "encoder": [f"encoder_layers.{index}.self_attention" for index in encoder],
            **(own if self.config.decoder_past == "self_attention" else {}),
            "cross": [f"decoder_layers.{index}.cross_attention" for index in decoder],
        }

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The layers by stack, `encoder` and `decoder`, from the lowest up."""
        return {"encoder": list(self.encoder_layers), "decoder": list(self.decoder_layers)}


def _encoder_layer(config: EncoderDecoderConfig, layer: int) -> EncoderLayer:
    """A layer of the encoder."""
    return EncoderLayer(self_attention(config, layer, is_decoder=False), feed_forward(config), lambda: residual(config))


def _decoder_layer(config: EncoderDecoderConfig, layer: int) -> DecoderLayer:
    """A layer of the decoder."""
    is_recurrent = config.decoder_past == "ssru"
    return DecoderLayer(
        SSRU(config.model_dim, bias=config.bias) if is_recurrent else self_attention(config, layer, is_decoder=True),
        cross_attention(config),
        feed_forward(config),
        lambda: residual(config),
    )
