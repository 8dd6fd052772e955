"""The decoder-only Transformer of GPT: reads tokens and says what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from regard.models.config import DecoderConfig
from regard.models.packed import PackedLinear
from regard.models.parts import (
    EmbeddedPositions,
    feed_forward,
    final_norm,
    initial_scale,
    look_up,
    norm,
    residual,
    self_attention,
)
from regard.nn.cache import KeysValues
from regard.nn.dropout import Dropout
from regard.nn.layers import DecoderLayer
from regard.nn.masks import padding_mask, positions_from_mask


@dataclass(frozen=True)
class DecoderOnlyState:
    """Between decoding steps: the keys and values of what was read, layer by layer, and which of it is padding."""

    past: list[KeysValues] | None
    is_token: Bool[Tensor, "row position"]
    num_sentences: int

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> DecoderOnlyState:
        """The state of some sentences, each with the hypotheses that go on."""
        num_beams = self.is_token.shape[0] // self.num_sentences
        rows = (sentences[:, None] * num_beams + parents).flatten()
        past = None if self.past is None else [layer.select(rows) for layer in self.past]
        return DecoderOnlyState(past, self.is_token[rows], len(sentences))

    def replace(
        self, slots: Int[Tensor, " slot"], other: DecoderOnlyState, sentences: Int[Tensor, " slot"]
    ) -> DecoderOnlyState:
        """The state in which sentences of another one, with as many hypotheses, stand in the slots of some of these. They end
        where these end: the shorter ones have padding on their left.
        """
        num_beams = self.is_token.shape[0] // self.num_sentences
        beams = torch.arange(num_beams, device=slots.device)
        to, of = ((x[:, None] * num_beams + beams).flatten() for x in (slots, sentences))
        width = max(self.is_token.shape[1], other.is_token.shape[1])

        def put(ours: Tensor, theirs: Tensor, after: tuple[int, ...]) -> Tensor:
            ours, theirs = (pad(x, (*after, width - x.shape[-1 - len(after) // 2], 0)) for x in (ours, theirs))
            ours[to] = theirs[of]
            return ours

        past = None
        if self.past is not None and other.past is not None:
            past = [
                KeysValues(*(put(x, y, (0, 0)) for x, y in zip(*layers, strict=True)))
                for layers in zip(self.past, other.past, strict=True)
            ]
        return DecoderOnlyState(past, put(self.is_token.clone(), other.is_token, ()), self.num_sentences)._trimmed()

    def release(self, slots: Int[Tensor, " slot"]) -> DecoderOnlyState:
        """The state in which the sentences in some slots are done."""
        is_token = self.is_token.unflatten(0, (self.num_sentences, -1)).clone()
        is_token[slots] = False
        return DecoderOnlyState(self.past, is_token.flatten(0, 1), self.num_sentences)._trimmed()

    def _trimmed(self) -> DecoderOnlyState:
        """Without the positions at the beginning that no row has a token at."""
        used = self.is_token.any(dim=0).nonzero()
        unused = int(used[0]) if len(used) else self.is_token.shape[1]
        if not unused:
            return self
        past = self.past and [KeysValues(*(x[:, :, unused:] for x in layer)) for layer in self.past]
        return DecoderOnlyState(past, self.is_token[:, unused:], self.num_sentences)


class Decoder(nn.Module):
    """Ids to the logits of each next token.

    With the defaults of its configuration, GPT-2: pre-norm, learned positions, one matrix for input and output (Radford
    et al. 2019, section 2.3). Matrices start with `initial_scale`, those that write to the residual stream with a
    1 / sqrt(2 num_layers) of it.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.packed_output: PackedLinear | None = None
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
            self.embedding if config.tied_embeddings else nn.Embedding(config.vocab_size, config.model_dim)
        )
        self.output_bias = nn.Parameter(torch.zeros(config.vocab_size)) if config.output_bias else None
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                is_residual = name.endswith("output_proj.weight")
                scale = (2 * config.num_layers) ** -0.5 if is_residual else 1.0
                nn.init.normal_(parameter, std=initial_scale(config) * scale)

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token that follows each position. Padding may stand on either side."""
        return self.logits(self.states(ids))

    def states(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position model_dim"]:
        """The last states: what `logits` projects onto the vocabulary."""
        self.positions.check_length(ids.shape[1])
        is_token = ids != self.config.pad_id
        mask = None if _all(is_token) else padding_mask(ids, self.config.pad_id)
        x = self._embed(ids, positions_from_mask(is_token))
        for layer in self.layers:
            x, _ = layer(x, self_mask=mask, causal=True)
        return self.norm(x)

    def logits(self, states: Float[Tensor, "*batch model_dim"]) -> Float[Tensor, "*batch vocab"]:
        """The score of each token of the vocabulary, before the softmax."""
        if self.packed_output is not None:
            return self.packed_output(states)
        logits = states @ self.output_embedding.weight.T
        return logits if self.output_bias is None else logits + self.output_bias

    def prefill(self, prompt_ids: Int[Tensor, "sentence position"]) -> DecoderOnlyState:
        """The state after all of a prompt but its last token, which is the first that `decode_step` takes.

        Padding must stand on the left, so that all prompts end together.
        """
        read = prompt_ids[:, :-1]
        state = DecoderOnlyState(None, prompt_ids.new_zeros((len(prompt_ids), 0), dtype=torch.bool), len(prompt_ids))
        return self.read(read, state)[1] if read.shape[1] else state

    def decode_step(
        self, ids: Int[Tensor, "sentence beam"], state: DecoderOnlyState
    ) -> tuple[Float[Tensor, "sentence beam vocab"], DecoderOnlyState]:
        """Logits of the token that follows, and the state after `ids`, the newest token of each hypothesis."""
        states, state = self.read(ids.reshape(-1, 1), state)
        return self.logits(states).view(*ids.shape, -1), state

    def read(self, ids: Int[Tensor, "row position"], state: DecoderOnlyState) -> tuple[Tensor, DecoderOnlyState]:
        """The residual stream after more tokens, and the state that has read them."""
        is_token = torch.cat((state.is_token, ids != self.config.pad_id), dim=1)
        positions = positions_from_mask(is_token)[:, -ids.shape[1] :]
        self.positions.check_step(positions, is_token.shape[1] - 1)
        x = self._embed(ids, positions)
        # A row that took another one's slot, with padding before it, counts from its own beginning.
        turns = self.layers[0].self_attention.attention.positions is not None
        first = is_token.sum(dim=1) - ids.shape[1] if turns else None
        past = []
        for index, layer in enumerate(self.layers):
            before = None if state.past is None else state.past[index]
            x, seen = layer(x, past=before, self_mask=is_token[:, None, None], causal=True, first=first)
            past.append(seen)
        return self.norm(x), DecoderOnlyState(past, is_token, state.num_sentences)

    def _embed(
        self, ids: Int[Tensor, "batch position"], positions: Int[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position model_dim"]:
        embedded = self.positions(look_up(self.embedding, ids, self.config.pad_id), positions)
        return self.embedding_dropout(self.embedding_norm(embedded))


def _all(is_token: Tensor) -> bool:
    """Whether there is no padding, where that can be looked at: the causal mask alone has the fastest kernels."""
    return not torch.compiler.is_compiling() and is_token.device.type == "cpu" and bool(is_token.all())
