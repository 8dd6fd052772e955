"""The decoder-only Transformer of GPT: predicts the next token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.models.config import DecoderConfig
from regard.models.interface import TokenModel
from regard.models.parts import (
    EmbeddedPositions,
    TextInput,
    feed_forward,
    final_norm,
    initial_scale,
    look_up,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import AfterPast, BeamCache, Cache, KeysValues, LayerCache, RunLayers, WholeSequence
from regard.nn.dropout import Dropout
from regard.nn.initialization import tied
from regard.nn.layers import DecoderLayer, normalised
from regard.nn.masks import positions_from_mask


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
                    self_attention(config, is_decoder=True), None, feed_forward(config), lambda: residual(config)
                )
                for _ in range(config.num_layers)
            ),
        )
        self.norm = final_norm(config)
        self.output_embedding = (
            tied(self.embedding) if config.tied_embeddings else nn.Embedding(config.vocab_size, config.model_dim)
        )
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.output_bias else None
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                is_residual = name.endswith("output_proj.weight")
                scale = (2 * config.num_layers) ** -0.5 if is_residual else 1.0
                nn.init.normal_(parameter, std=initial_scale(config) * scale)

    def forward(
        self, ids: Int[Tensor, "batch position"] | None = None, **given: Any
    ) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token that follows each position. Padding may stand on either side.

        Args:
            given: what else `states` may be given.
        """
        return self.logits(self.states(ids, **given))

    if TYPE_CHECKING:
        __call__ = forward

    def states(
        self,
        ids: Int[Tensor, "batch position"] | None = None,
        *,
        pads_right: bool = False,
        embedded: Float[Tensor, "batch position model_dim"] | None = None,
        is_token: Bool[Tensor, "batch position"] | None = None,
        positions: Int[Tensor, "batch position"] | None = None,
        past: Sequence[KeysValues] | None = None,
        gates: Float[Tensor, "layer head"] | None = None,
    ) -> Float[Tensor, "batch position model_dim"]:
        """The last states: what `logits` projects onto the vocabulary.

        Args:
            pads_right: whether padding is known to stand on the right, if there is any. Then no token can see it, and there is no
                mask but the causal one, for which kernels are fastest. States of padding itself mean nothing.
            embedded: the vectors of the tokens, in place of `ids`, without those of positions.
            is_token: False for padding; None: what `ids` say, and without `ids` all are tokens.
            positions: of each token, from 0; None: the number of tokens before it, those of `past` included.
            past: of each layer, keys and values that every token may see, such as a `LearnedPrefix`.
            gates: what the context of each head is multiplied by: 0 removes it.
        Raises:
            ShapeError: neither or both of `ids` and `embedded` are given, or more positions than the model has.
        """
        given = TextInput.of(
            ids, self.config, embedded=embedded, is_token=is_token, positions=positions, past=past,
            num_layers=len(self.layers),
        )  # fmt: skip
        mask = None if pads_right or _all(given.is_token) else given.is_token[:, None, None]
        x = self._with_positions(given.embedded(self.embedding, self.config.pad_id), given.positions, given.is_token)
        if past is None:
            seen: Sequence[LayerCache] = [WholeSequence(mask, causal=True)] * len(self.layers)
        else:
            seen = [AfterPast(layer, mask, causal=True) for layer in past]
        for index, (layer, layer_past) in enumerate(zip(self.layers, seen, strict=True)):
            of_layer = None if gates is None else gates[index]
            x = layer(x, None, layer_past, is_token=given.is_token, gates=of_layer)
        return normalised(self.norm, x, given.is_token)

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind, from the lowest layer up."""
        return {"decoder": [f"layers.{index}.self_attention" for index in range(len(self.layers))]}

    def layer_stacks(self) -> dict[str, list[nn.Module]]:
        """The layers by stack, `encoder` and `decoder`, from the lowest up."""
        return {"decoder": list(self.layers)}

    def layer_logits(self, states: Float[Tensor, "layer position model_dim"]) -> Float[Tensor, "layer position vocab"]:
        """What the output makes of the states of any layer, as if it were the last."""
        return self.logits(self.norm(states))

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The states before each token that has a label, and those labels."""
        states = self.states(batch.ids, pads_right=getattr(batch, "pads_right", False))
        return self.at_labels(batch, states, lambda labels: labels >= 0)

    def prefill(self, prompt_ids: Int[Tensor, "sentence position"], run_layers: RunLayers | None = None) -> BeamCache:
        """The cache after all of a prompt but its last token, which is the first that `decode_step` takes.

        Padding must stand on the left, so that all prompts end together.

        Args:
            run_layers: another way through the layers, with the same result; None: one after the other.
        """
        read = prompt_ids[:, :-1]
        cache = BeamCache(len(self.layers), len(prompt_ids), prompt_ids.device)
        if read.shape[1]:
            self.positions.check_length(read.shape[1])
            is_token = read != self.config.pad_id
            x, layers = self._embed(read, positions_from_mask(is_token)), cache.begin_reading(is_token)
            _ = self._run_layers(x, layers) if run_layers is None else run_layers(x, cache)
        return cache

    def step_states(
        self, ids: Int[Tensor, "sentence beam"], cache: Cache, run_layers: RunLayers | None = None
    ) -> tuple[Float[Tensor, "sentence beam model_dim"], Cache]:
        """What `logits` projects onto the vocabulary, for the newest tokens, and the cache with them.

        Args:
            run_layers: another way through the layers, with the same result; None: one after the other.
        """
        positions = cache.begin_step(ids.shape[1])
        self.positions.check_step(positions, cache.length - 1)
        x = self._embed(ids, positions)
        x = self._run_layers(x, cache.layers) if run_layers is None else run_layers(x, cache)
        return self.norm(x), cache

    def _run_layers(self, x: Float[Tensor, "batch position model_dim"], past: Sequence[LayerCache]) -> Tensor:
        for layer, layer_past in zip(self.layers, past, strict=True):
            x = layer(x, None, layer_past)
        return x

    def _embed(
        self, ids: Int[Tensor, "batch position"], positions: Int[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position model_dim"]:
        return self._with_positions(look_up(self.embedding, ids, self.config.pad_id), positions)

    def _with_positions(
        self,
        embedded: Float[Tensor, "batch position model_dim"],
        positions: Int[Tensor, "batch position"],
        is_token: Bool[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "batch position model_dim"]:
        return self.embedding_dropout(normalised(self.embedding_norm, self.positions(embedded, positions), is_token))


def _all(is_token: Tensor) -> bool:
    """Whether there is no padding, where that can be looked at: the causal mask alone has the fastest kernels."""
    return not torch.compiler.is_compiling() and is_token.device.type == "cpu" and bool(is_token.all())
