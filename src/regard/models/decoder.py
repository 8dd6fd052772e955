"""The decoder-only Transformer of GPT: predicts the next token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError
from regard.models.config import DecoderConfig
from regard.models.interface import TokenModel
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
    initial_scale,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import AfterPast, BeamCache, Cache, KeysValues, LayerCache, Memory, NoCache, RunLayers
from regard.nn.dropout import Dropout
from regard.nn.initialization import tied
from regard.nn.layers import Activations, DecoderLayer, IsToken, normalised
from regard.nn.masks import positions_from_mask
from regard.nn.multihead import MultiHeadAttention


class Decoder(TokenModel):
    """Ids to the logits of each next token.

    With the defaults of its configuration, GPT-2: pre-norm, learned positions, one matrix for input and output (Radford
    et al. 2019, section 2.3). Matrices start with `initial_scale`, those that write to the residual stream with a
    1 / sqrt(2 num_layers) of it.
    """

    predicts_next = True

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.model_dim)
        self.positions = EmbeddedPositions(config)
        self.embedding_norm = norm(config)(config.model_dim) if config.embedding_norm else nn.Identity()
        self.embedding_dropout = Dropout(config.dropout)
        self.layers = cast(
            "Sequence[DecoderLayer]",
            nn.ModuleList(
                DecoderLayer(
                    self_attention(config, layer, is_decoder=True),
                    cross_attention(config) if config.cross_attention else None,
                    feed_forward(config),
                    lambda: residual(config),
                    is_parallel=config.parallel_residual,
                )
                for layer in range(config.num_layers)
            ),
        )
        self.norm = final_norm(config)
        self.output_transform = OutputTransform(config, config.activation) if config.output_transform else nn.Identity()
        self.output_embedding = (
            tied(self.embedding) if config.tied_embeddings else nn.Embedding(config.vocab_size, config.model_dim)
        )
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.output_bias else None
        self.logit_cap = config.logit_cap
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                is_residual = name.endswith("output_proj.weight")
                scale = (2 * config.num_layers) ** -0.5 if is_residual else 1.0
                nn.init.normal_(parameter, std=initial_scale(config) * scale)

    def forward(self, ids: Ids | None = None, **given: Any) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token that follows each position. Padding may stand on either side.

        Args:
            given: what else `states` may be given.
        """
        return self.logits(self.states(ids, **given))

    if TYPE_CHECKING:
        __call__ = forward

    def states(
        self,
        ids: Ids | None = None,
        *,
        pads_right: bool = False,
        embedded: Activations | None = None,
        is_token: IsToken | None = None,
        positions: Ids | None = None,
        past: Sequence[KeysValues] | None = None,
        memory: Sequence[Memory] | None = None,
        gates: Float[Tensor, "layer *example head"] | None = None,
        cross_gates: Float[Tensor, "layer *example head"] | None = None,
    ) -> Activations:
        """The last states: what `logits` projects onto the vocabulary.

        Args:
            pads_right: whether padding is known to stand on the right, if there is any. Then no token can see it, and there is no
                mask but the causal one, for which kernels are fastest. States of padding itself mean nothing.
            embedded: the vectors of the tokens, in place of `ids`, without those of positions.
            is_token: False for padding; None: what `ids` say, and without `ids` all are tokens.
            positions: of each token, from 0, where they are added to embeddings; None: the number of tokens before it, those of
                `past` included.
            past: of each layer, keys and values that every token may see, such as a `LearnedPrefix`.
            memory: of each layer with cross-attention, what it looks at: see `project`.
            gates: what the context of each head of self-attention is multiplied by: 0 removes it.
            cross_gates: likewise, of cross-attention.
        Raises:
            ShapeError: neither or both of `ids` and `embedded` are given, more positions than the model has, no `memory` where
                there is cross-attention, or gates for another number of layers.
            SettingsError: `positions` where the model's are inside attention, such as rotary ones.
        """
        given = TextInput.of(
            ids, self.config, embedded=embedded, is_token=is_token, positions=positions, past=past,
            num_layers=len(self.layers),
        )  # fmt: skip
        mask = None if pads_right or _all(given.is_token) else given.is_token[:, None, None]
        x = self._with_positions(given.embedded(self.embedding, self.config.pad_id), given.positions, given.is_token)
        if past is None:
            seen: Sequence[LayerCache] = [NoCache(mask, causal=True)] * len(self.layers)
        else:
            seen = [AfterPast(layer, mask, causal=True) for layer in past]
        own_gates = gates_of_layers("gates", gates, len(self.layers))
        if cross_gates is not None and not self.config.cross_attention:
            raise ShapeError("`cross_gates` need layers with cross-attention; got none.")
        gates_across = gates_of_layers("cross_gates", cross_gates, len(self.layers))
        parts = zip(self.layers, self._checked(memory), seen, own_gates, gates_across, strict=True)
        for layer, layer_memory, layer_past, own, cross in parts:
            x = layer(x, layer_memory, layer_past, is_token=given.is_token, gates=own, cross_gates=cross)
        states = normalised(self.norm, x, given.is_token)
        if isinstance(self.output_transform, OutputTransform):
            return self.output_transform(states, given.is_token)
        return self.output_transform(states)

    def project(
        self, encoded: Float[Tensor, "batch source model_dim"], is_token: Bool[Tensor, "batch source"] | None = None
    ) -> list[Memory]:
        """The states of an encoder as each layer's cross-attention looks them up.

        Args:
            is_token: False for padding; None: all are tokens.
        Raises:
            SettingsError: the model has no cross-attention.
        """
        if not self.config.cross_attention:
            raise SettingsError(
                "`project` needs layers with cross-attention; got none. Set `model.cross_attention=true`."
            )
        is_token = encoded.new_ones(encoded.shape[:2], dtype=torch.bool) if is_token is None else is_token
        attentions = [cast("MultiHeadAttention", layer.cross_attention) for layer in self.layers]
        return [Memory(attention.project(encoded, encoded), is_token[:, None, None]) for attention in attentions]

    def _checked(self, memory: Sequence[Memory | None] | None) -> Sequence[Memory | None]:
        """The encoded text that each layer attends to beside its past.

        Raises:
            ShapeError: nothing, where there is cross-attention; or the other way round.
        """
        if memory is not None and len(memory) == len(self.layers) and self.config.cross_attention:
            return memory
        if memory is not None or self.config.cross_attention:
            needed = len(self.layers) if self.config.cross_attention else 0
            raise ShapeError(
                f"memory must be given for each of {needed} layers with cross-attention; got "
                f"{0 if memory is None else len(memory)}. See `project`."
            )
        return [None] * len(self.layers)

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind, from the lowest layer up."""
        kinds = {"decoder": "self_attention"} | ({"cross": "cross_attention"} if self.config.cross_attention else {})
        return {kind: [f"layers.{index}.{name}" for index in range(len(self.layers))] for kind, name in kinds.items()}

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The layers by stack, `encoder` and `decoder`, from the lowest up."""
        return {"decoder": list(self.layers)}

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer position vocab"]:
        """The logits of the states of any layer, as if it were the last."""
        return self.logits(self.output_transform(self.norm(states)))

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The states before each token that has a label, and those labels."""
        states = self.states(batch.ids, pads_right=getattr(batch, "pads_right", False))
        return self.at_labels(batch, states, lambda labels: labels >= 0)

    def prefill(
        self,
        prompt_ids: Int[Tensor, "sentence position"],
        run_layers: RunLayers | None = None,
        *,
        memory: Sequence[Memory] | None = None,
    ) -> BeamCache:
        """The cache after all of a prompt but its last token, which is the first that `decode_step` takes.

        Padding must stand on the left, so that all prompts end together.

        Args:
            run_layers: another way through the layers, with the same result; None: one after the other.
            memory: as for `states`.
        """
        read = prompt_ids[:, :-1]
        self._checked(memory)
        cache = BeamCache(len(self.layers), len(prompt_ids), prompt_ids.device, memory)
        if read.shape[1]:
            self.positions.check_length(read.shape[1])
            is_token = read != self.config.pad_id
            x, layers = self._embed(read, positions_from_mask(is_token)), cache.begin_prefill(is_token)
            _ = self._run_layers(x, layers, cache.memory) if run_layers is None else run_layers(x, cache)
        return cache

    def step_states(
        self, ids: Int[Tensor, "sentence beam"], cache: Cache, run_layers: RunLayers | None = None
    ) -> tuple[Float[Tensor, "sentence beam model_dim"], Cache]:
        """The states of the last tokens, which `logits` projects onto the vocabulary, and the cache with them.

        Args:
            run_layers: another way through the layers, with the same result; None: one after the other.
        """
        positions = cache.begin_step(ids.shape[1])
        self.positions.check_step(positions, cache.length - 1)
        x = self._embed(ids, positions)
        x = self._run_layers(x, cache.layers, cache.memory) if run_layers is None else run_layers(x, cache)
        return self.output_transform(self.norm(x)), cache

    def _run_layers(self, x: Activations, past: Sequence[LayerCache], memory: Sequence[Memory | None]) -> Activations:
        for layer, layer_memory, layer_past in zip(self.layers, memory, past, strict=True):
            x = layer(x, layer_memory, layer_past)
        return x

    def _embed(self, ids: Ids, positions: Ids) -> Activations:
        return self._with_positions(embed(self.embedding, ids, self.config.pad_id), positions)

    def _with_positions(self, embedded: Activations, positions: Ids, is_token: IsToken | None = None) -> Activations:
        scaled = embedded * math.sqrt(self.config.model_dim) if self.config.scale_embeddings else embedded
        return self.embedding_dropout(normalised(self.embedding_norm, self.positions(scaled, positions), is_token))


def _all(is_token: Tensor) -> bool:
    """Whether there is no padding, where that can be looked at: the causal mask alone has the fastest kernels."""
    return not torch.compiler.is_compiling() and is_token.device.type == "cpu" and bool(is_token.all())
