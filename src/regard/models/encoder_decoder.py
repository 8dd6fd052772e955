"""The Transformer of Vaswani et al. 2017: an encoder reads the source, a decoder writes the target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from regard.models.config import EncoderDecoderConfig
from regard.models.packed import PackedDecoder, PackedLinear
from regard.models.parts import (
    EmbeddedPositions,
    OutputTransform,
    cross_attention,
    feed_forward,
    final_norm,
    look_up,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import KeysValues, Tree, TreeKeysValues
from regard.nn.dropout import Dropout
from regard.nn.hooks import inputs_wanted
from regard.nn.initialization import embedding
from regard.nn.layers import DecoderLayer, EncoderLayer
from regard.nn.masks import padding_mask, positions_from_mask, target_mask
from regard.nn.multihead import MultiHeadAttention


@dataclass
class TransformerState:
    """Between decoding steps: the projected source, and the keys and values of the target so far, layer by layer."""

    memory: list[KeysValues]
    source_mask: Bool[Tensor, "sentence 1 1 source"]
    past: list[KeysValues] | list[TreeKeysValues]
    tree: Tree | None
    """Which of the past's cells each hypothesis descends from; None: one hypothesis for a sentence, and no cells."""

    @classmethod
    def empty(cls, memory: list[KeysValues], source_mask: Bool[Tensor, "sentence 1 1 source"]) -> TransformerState:
        """The state before the first step. The memory is laid out once as matrix products want it at every step."""
        memory = [KeysValues(*(x.contiguous() for x in layer)) for layer in memory]
        tree = Tree.empty(source_mask.shape[0], source_mask.device)
        return cls(memory, source_mask, [TreeKeysValues(tree) for _ in memory], tree)

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> TransformerState:
        """The state of some sentences, each with the hypotheses that go on. Where all stay, nothing is copied."""
        assert self.tree is not None
        stay = sentences.shape[0] == self.source_mask.shape[0] and bool((sentences.diff() == 1).all())
        if stay and parents.shape[1] == self.tree.num_beams:
            self.tree.reorder(parents)
            return self
        tree = self.tree.select(sentences, parents)
        past = [layer.select(tree, sentences) for layer in self.cells]
        memory, source_mask = self.memory, self.source_mask
        if not stay:
            memory, source_mask = [layer.select(sentences) for layer in memory], source_mask[sentences]
        return TransformerState(memory, source_mask, past, tree)

    def replace(
        self, slots: Int[Tensor, " slot"], other: TransformerState, sentences: Int[Tensor, " slot"]
    ) -> TransformerState:
        """The state in which sentences of another, with as many hypotheses, stand in some slots of this one."""
        assert self.tree is not None
        assert other.tree is not None
        self._drop_unused(slots)
        self.tree.insert(slots, other.tree, sentences)
        for ours, theirs in zip(self.cells, other.cells, strict=True):
            ours.insert(slots, theirs, sentences)
        missing = other.source_mask.shape[-1] - self.source_mask.shape[-1]
        if missing > 0:
            self.source_mask = pad(self.source_mask, (0, missing))
            self.memory = [KeysValues(*(pad(x, (0, 0, 0, missing)) for x in layer)) for layer in self.memory]
        self.source_mask[slots] = False
        self.source_mask[slots, :, :, : other.source_mask.shape[-1]] = other.source_mask[sentences]
        for memory, newer in zip(self.memory, other.memory, strict=True):
            for x, y in zip(memory, newer, strict=True):
                x[slots, :, : y.shape[2]] = y[sentences]
        return self

    def release(self, slots: Int[Tensor, " slot"]) -> TransformerState:
        """The state in which the sentences in some slots are done."""
        assert self.tree is not None
        self.tree.release(slots)
        return self

    @property
    def cells(self) -> list[TreeKeysValues]:
        """The past of each layer, where it is a tree's."""
        return [layer for layer in self.past if isinstance(layer, TreeKeysValues)]

    def _drop_unused(self, slots: Int[Tensor, " slot"]) -> None:
        """Forget the source positions that none but the sentences in these slots had."""
        stays = torch.ones(self.source_mask.shape[0], dtype=torch.bool, device=slots.device)
        stays[slots] = False
        if not bool(stays.any()):
            return
        used = int(self.source_mask[stays].flatten(1).any(dim=0).nonzero().max()) + 1
        if 4 * used <= 3 * self.source_mask.shape[-1]:
            self.source_mask = self.source_mask[..., :used].contiguous()
            self.memory = [KeysValues(*(x[:, :, :used].contiguous() for x in layer)) for layer in self.memory]


class EncoderDecoder(nn.Module):
    """Source ids and target ids to the logits of each next target token."""

    @property
    def cross_attention_names(self) -> tuple[str, ...]:
        """The names of the modules that look at the source, the lowest layer first."""
        return tuple(f"decoder_layers.{index}.cross_attention" for index in range(self.config.num_decoder_layers))

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.packed_output: PackedLinear | None = None
        self.packed_decoder: PackedDecoder | None = None
        sizes = config.vocab_size, config.model_dim
        self.source_embedding = embedding(config.source_vocab_size or config.vocab_size, config.model_dim)
        shares_source = config.tied_embeddings in ("all", "source")
        self.target_embedding = self.source_embedding if shares_source else embedding(*sizes)
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
            nn.ModuleList(_encoder_layer(config) for _ in range(config.num_encoder_layers)),
        )
        self.decoder_layers = cast(
            "Sequence[DecoderLayer]",
            nn.ModuleList(_decoder_layer(config) for _ in range(config.num_decoder_layers)),
        )
        self.encoder_norm, self.decoder_norm = final_norm(config), final_norm(config)
        self.output_transform = OutputTransform(config, config.activation) if config.output_transform else nn.Identity()
        shares_target = config.tied_embeddings in ("all", "target")
        self.output_embedding = self.target_embedding if shares_target else embedding(*sizes)
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.output_bias else None

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

    def states(
        self,
        source_ids: Int[Tensor, "batch source"],
        target_ids: Int[Tensor, "batch target"],
        source_types: Int[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target model_dim"]:
        """The decoder's last states: what `logits` projects onto the vocabulary."""
        return self.decode(target_ids, *self._project_source(source_ids, source_types))

    def decode(
        self,
        target_ids: Int[Tensor, "batch target"],
        memory: Sequence[KeysValues],
        source_mask: Bool[Tensor, "batch 1 1 source"],
    ) -> Float[Tensor, "batch target model_dim"]:
        """The decoder's last states over a whole target, the source being encoded and projected already.

        Args:
            memory: of each decoder layer, as `project` makes it.
            source_mask: True where a source position is a token.
        """
        self.target_positions.check_length(target_ids.shape[1])
        self_mask = target_mask(target_ids, self.config.pad_id)
        x = self._embed_target(target_ids, positions_from_mask(target_ids != self.config.pad_id))
        for layer, layer_memory in zip(self.decoder_layers, memory, strict=True):
            x, _ = layer(x, layer_memory, self_mask=self_mask, source_mask=source_mask)
        return self.output_transform(self.decoder_norm(x))

    def logits(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch vocab"]:
        """The score of each token of the vocabulary, before the softmax."""
        if self.packed_output is not None:
            return self.packed_output(states)
        logits = states @ self.output_embedding.weight.T
        return logits if self.output_bias is None else logits + self.output_bias

    def prefill(
        self, source_ids: Int[Tensor, "sentence source"], source_types: Int[Tensor, "sentence source"] | None = None
    ) -> TransformerState:
        """The state before the first decoding step: the source, encoded and projected once."""
        return TransformerState.empty(*self._project_source(source_ids, source_types))

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: TransformerState
    ) -> tuple[Float[Tensor, "sentence beam vocab"], TransformerState]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        if state.tree is not None:
            state.tree.take_step()
            self.target_positions.check_step(state.tree.positions, state.tree.length - 1)
        if self.packed_decoder is not None and state.tree is not None and not inputs_wanted():
            x = self._embed_target(ids, state.tree.positions)
            x = self.packed_decoder(x, state.cells, state.tree.mask, state.memory, state.source_mask)
        else:
            x, state = self._step(ids, state)
        return self.logits(self.output_transform(self.decoder_norm(x))), state

    def encode(
        self, source_ids: Int[Tensor, "batch source"], source_types: Int[Tensor, "batch source"] | None = None
    ) -> Float[Tensor, "batch source model_dim"]:
        """The source's vectors, each in its context: what the decoder looks at."""
        self.source_positions.check_length(source_ids.shape[1])
        mask = padding_mask(source_ids, self.config.pad_id)
        x = self._scaled(look_up(self.source_embedding, source_ids, self.config.pad_id))
        if self.source_type_embedding is not None:
            types = source_ids.new_zeros(source_ids.shape) if source_types is None else source_types
            x = x + self.source_type_embedding(types)
        x = self.source_positions(x, positions_from_mask(mask[:, 0, 0]))
        x = self.embedding_dropout(self.source_norm(x))
        for layer in self.encoder_layers:
            x = layer(x, mask=mask)
        return self.encoder_norm(x)

    def project(self, encoded: Float[Tensor, "batch source model_dim"]) -> list[KeysValues]:
        """The encoded source as each decoder layer's keys and values."""
        attentions = [cast("MultiHeadAttention", layer.cross_attention) for layer in self.decoder_layers]
        return [attention.project(encoded, encoded) for attention in attentions]

    def _project_source(
        self, source_ids: Int[Tensor, "batch source"], source_types: Int[Tensor, "batch source"] | None
    ) -> tuple[list[KeysValues], Bool[Tensor, "batch 1 1 source"]]:
        """The encoded source, projected, and which of its positions are tokens."""
        return self.project(self.encode(source_ids, source_types)), padding_mask(source_ids, self.config.pad_id)

    def _step(
        self, ids: Int[Tensor, "sentence beam"], state: TransformerState
    ) -> tuple[Float[Tensor, "sentence beam model_dim"], TransformerState]:
        """One step through the layers, of any kind."""
        mask, distance, first = None, None, None
        if state.tree is None:
            positions = torch.full(ids.shape, state.past[0].length, device=ids.device)
        else:
            positions, mask = state.tree.positions, state.tree.mask
            if self.decoder_layers[0].self_attention.attention.positions is not None:
                distance, first = state.tree.distance, positions[:, 0]
        x = self._embed_target(ids, positions)
        past = []
        for layer, memory, before in zip(self.decoder_layers, state.memory, state.past, strict=True):
            x, seen = layer(
                x, memory, past=before, self_mask=mask, source_mask=state.source_mask, distance=distance, first=first
            )
            past.append(seen)
        return x, state if state.tree else TransformerState(state.memory, state.source_mask, past, None)

    def _embed_target(
        self, ids: Int[Tensor, "batch position"], positions: Int[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position model_dim"]:
        x = self._scaled(look_up(self.target_embedding, ids, self.config.pad_id))
        return self.embedding_dropout(self.target_norm(self.target_positions(x, positions)))

    def _scaled(self, embedded: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Embeddings times sqrt(model_dim). Source: Vaswani et al. 2017, section 3.4."""
        return embedded * math.sqrt(self.config.model_dim) if self.config.scale_embeddings else embedded


def _encoder_layer(config: EncoderDecoderConfig) -> EncoderLayer:
    """One layer of the encoder, put together from the library's parts."""
    return EncoderLayer(self_attention(config, is_decoder=False), feed_forward(config), lambda: residual(config))


def _decoder_layer(config: EncoderDecoderConfig) -> DecoderLayer:
    """One layer of the decoder."""
    return DecoderLayer(
        self_attention(config, is_decoder=True), cross_attention(config), feed_forward(config), lambda: residual(config)
    )
