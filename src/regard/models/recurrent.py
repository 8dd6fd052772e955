"""The recurrent encoder-decoder with attention of Bahdanau et al. 2015: before the Transformer, and easier to follow.

An encoder reads the source in both directions; a decoder writes a token at a time, and looks at the source before each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from regard.errors import SettingsError
from regard.models.config import SCORES, RecurrentConfig
from regard.models.interface import PairModel
from regard.nn.attention import Attention
from regard.nn.dropout import Dropout
from regard.nn.initialization import embedding, linear, tied
from regard.nn.scores import Additive, Cosine, DotProduct, GaussianKernel, ScaledDotProduct

MAKE_SCORE: dict[str, Callable[[int], nn.Module]] = {
    "additive": lambda dim: Additive(dim, None, dim),
    "bilinear": lambda dim: DotProduct(),  # whose W is the projection of the keys
    "dot": lambda dim: DotProduct(),
    "scaled_dot": lambda dim: ScaledDotProduct(),
    "cosine": lambda dim: Cosine(10.0),
    "gaussian": lambda dim: GaussianKernel(),
}
"""Attention scores for queries and keys of a width, by the name that `model.score` has."""


def add_attention_score(name: str, make: Callable[[int], nn.Module]) -> None:
    """Let `model.score` of a recurrent model be a score of your own.

    Args:
        make: of the width of queries and keys: a module that gives `*batch query key` of `*batch query dim`, `*batch key dim`.
    Raises:
        SettingsError: there is a score of this name.
    """
    if name in SCORES:
        raise SettingsError(f"an attention score must have a new name; got {name}.")
    MAKE_SCORE[name] = make
    SCORES.add(name)


@dataclass(frozen=True)
class RecurrentState:
    """Between decoding steps: the encoded source, and what the decoder remembers of each hypothesis."""

    memory: Float[Tensor, "sentence 1 source memory_dim"]
    keys: Float[Tensor, "sentence 1 source model_dim"]
    """The keys: the memory, projected once for all steps."""
    source_mask: Bool[Tensor, "sentence 1 1 source"]
    hidden: Float[Tensor, "sentence beam model_dim"]
    cell: Float[Tensor, "sentence beam model_dim"] | None
    """The LSTM's second state; None for a GRU."""

    def select(self, sentences: Int[Tensor, " kept"], parents: Int[Tensor, "kept beam"]) -> RecurrentState:
        """The state of some sentences, with the selected hypotheses of each."""
        rows = sentences[:, None]
        return RecurrentState(
            self.memory[sentences],
            self.keys[sentences],
            self.source_mask[sentences],
            self.hidden[rows, parents],
            None if self.cell is None else self.cell[rows, parents],
        )

    def replace(
        self, slots: Int[Tensor, " slot"], other: RecurrentState, sentences: Int[Tensor, " slot"]
    ) -> RecurrentState:
        """The state with some slots replaced by sentences of another state."""
        width = max(self.memory.shape[2], other.memory.shape[2])

        def put(ours: Tensor, theirs: Tensor) -> Tensor:
            ours = ours.clone()
            ours[slots] = theirs[sentences]
            return ours

        def wider(state: RecurrentState) -> tuple[Tensor, Tensor, Tensor]:
            missing = width - state.memory.shape[2]
            memory, keys = (pad(x, (0, 0, 0, missing)) for x in (state.memory, state.keys))
            return memory, keys, pad(state.source_mask, (0, missing))

        memory, keys, mask = (put(*pair) for pair in zip(wider(self), wider(other), strict=True))
        cell = None
        if self.cell is not None and other.cell is not None:
            cell = put(self.cell, other.cell)
        return RecurrentState(memory, keys, mask, put(self.hidden, other.hidden), cell)

    def release(self, slots: Int[Tensor, " slot"]) -> RecurrentState:
        """The state after the sentences in some slots are finished: unchanged, as it does not grow."""
        return self


class Recurrent(PairModel):
    """Source ids and target ids to the logits of each next target token.

    memory = encoder forwards and backwards over the source;  hidden[0] = tanh(W_initial (first backward state))
    context[t] = attention(query hidden[t - 1], key W_key memory, value memory)
    hidden[t] = cell([embedding(target[t]), context[t]], hidden[t - 1])
    states[t] = tanh(W_readout [hidden[t], embedding(target[t]), context[t]]);  logits[t] = states[t] . output_embedding

    Source: Bahdanau et al. 2015, section 3 and appendix A; the readout is a tanh layer, not their maxout, and target
    and output share one embedding matrix, with the source where it has no vocabulary of its own.
    """

    output_bias: None = None

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        dim = config.model_dim
        self.target_embedding = embedding(config.vocab_size, dim)
        self.output_embedding = tied(self.target_embedding)
        own_size = config.source_vocab_size
        self.source_embedding = embedding(own_size, dim) if own_size else tied(self.target_embedding)
        self.embedding_dropout, self.readout_dropout = Dropout(config.dropout), Dropout(config.dropout)
        is_lstm = config.cell == "lstm"
        self.encoder = (nn.LSTM if is_lstm else nn.GRU)(dim, dim, bidirectional=True, batch_first=True)
        self.initial_proj = linear(dim, dim)
        self.key_proj = linear(2 * dim, dim, bias=config.score not in ("additive", "bilinear"))
        self.cross_attention = Attention(MAKE_SCORE[config.score](dim))
        self.cell = (nn.LSTMCell if is_lstm else nn.GRUCell)(3 * dim, dim)
        self.readout_proj = linear(4 * dim, dim)

    def part_of(self, parameter: str) -> str:
        """The part of the model that a parameter belongs to: `embeddings`, `encoder` or `decoder`."""
        part = super().part_of(parameter)
        return part if part in ("embeddings", "encoder") else "decoder"

    def labelled_states(self, batch: Any) -> tuple[Float[Tensor, "label model_dim"], Int[Tensor, " label"]]:
        """The states before each target token that is not padding, and those tokens."""
        states = self.states(batch.source_ids, batch.target_ids, getattr(batch, "source_lengths", None))
        return self.at_labels(batch, states, self.is_token)

    def states(
        self,
        source_ids: Int[Tensor, "batch source"],
        target_ids: Int[Tensor, "batch target"],
        source_lengths: Int[Tensor, " batch"] | None = None,
    ) -> Float[Tensor, "batch target model_dim"]:
        """The states that `logits` projects onto the vocabulary.

        In training, a token after the first is the model's own likeliest one instead of the target's with probability
        1 - teacher_forcing (Bengio et al. 2015, at a fixed rate).

        Args:
            source_lengths: as for `prefill`.
        """
        state = self.prefill(source_ids, source_lengths)
        own: Tensor | None = None
        seen = []
        for position in range(target_ids.shape[1]):
            ids = target_ids[:, position : position + 1]
            if own is not None:
                keeps = torch.rand(ids.shape, device=ids.device) < self.config.teacher_forcing
                ids = torch.where(keeps | (ids == self.config.pad_id), ids, own)
            now, newer = self._step(ids, state)
            is_token = (target_ids[:, position] != self.config.pad_id)[:, None, None]
            state = _where(is_token, newer, state)  # padding on the left leaves the state as it was
            seen.append(now)
            if self.training and self.config.teacher_forcing < 1:
                own = self.logits(self._readout(now.detach())).argmax(dim=-1)
        return self._readout(torch.cat(seen, dim=1))

    @property
    def attention_names(self) -> dict[str, list[str]]:
        """The names of the attention modules by kind."""
        return {"cross": ["cross_attention"]}

    def prefill(
        self, source_ids: Int[Tensor, "sentence source"], source_lengths: Int[Tensor, " sentence"] | None = None
    ) -> RecurrentState:
        """The state before the first decoding step: the source, read in both directions.

        Args:
            source_lengths: of each source, on the CPU, where padding is known to stand on the right; None: they are counted, for
                which a GPU must be waited for.
        """
        ids, is_token = source_ids, source_ids != self.config.pad_id
        if source_lengths is None:
            # The tokens first, then the padding, wherever it stood: packing wants it so.
            order = (~is_token).long().argsort(dim=1, stable=True)
            ids, is_token = source_ids.gather(1, order), is_token.gather(1, order)
            source_lengths = is_token.sum(dim=1).clamp(min=1).cpu()
        embedded = self.embedding_dropout(self.source_embedding(ids) * self.config.model_dim**0.5)
        memory = self.read_source(embedded, source_lengths)
        backward = memory[:, 0, self.config.model_dim :]  # has read all of the source, its first token last
        hidden = torch.tanh(self.initial_proj(backward))[:, None]
        cell = torch.zeros_like(hidden) if self.config.cell == "lstm" else None
        return RecurrentState(memory[:, None], self.key_proj(memory)[:, None], is_token[:, None, None], hidden, cell)

    def read_source(
        self, embedded: Float[Tensor, "sentence source model_dim"], source_lengths: Int[Tensor, " sentence"]
    ) -> Float[Tensor, "sentence source memory_dim"]:
        """The states of the encoder after each token, forwards and backwards; 0 where a source has ended."""
        lengths, rows = source_lengths.sort(descending=True, stable=True)
        longest_first = embedded.index_select(0, rows.to(embedded.device, non_blocking=True))
        packed = pack_padded_sequence(longest_first, lengths, batch_first=True)
        memory, _ = pad_packed_sequence(self.encoder(packed)[0], batch_first=True, total_length=embedded.shape[1])
        return memory.index_select(0, rows.argsort().to(embedded.device, non_blocking=True))

    def step_states(
        self, ids: Int[Tensor, "sentence beam"], state: RecurrentState
    ) -> tuple[Float[Tensor, "sentence beam model_dim"], RecurrentState]:
        """The states of the last tokens, which `logits` projects onto the vocabulary, and the decoder state after them."""
        seen, state = self._step(ids, state)
        return self._readout(seen), state

    def _step(
        self, ids: Int[Tensor, "sentence beam"], state: RecurrentState
    ) -> tuple[Float[Tensor, "sentence beam features"], RecurrentState]:
        """Look at the source with the state before, then take in token and context: hidden, embedding and context."""
        assert state.hidden.shape[1] == ids.shape[1]
        embedded = self.embedding_dropout(self.target_embedding(ids) * self.config.model_dim**0.5)
        query = state.hidden[:, None]  # sentence 1 beam model_dim: the hypotheses of a sentence are its queries
        context = self.cross_attention(query, state.keys, state.memory, state.source_mask)[:, 0]
        inputs = torch.cat((embedded, context), dim=-1).flatten(0, 1)
        hidden, cell = state.hidden.flatten(0, 1), None
        if state.cell is None:
            hidden = self.cell(inputs, hidden)
        else:
            hidden, cell = self.cell(inputs, (hidden, state.cell.flatten(0, 1)))
            cell = cell.view(state.hidden.shape)
        hidden = hidden.view(state.hidden.shape)
        return torch.cat((hidden, embedded, context), dim=-1), replace(state, hidden=hidden, cell=cell)

    def _readout(self, seen: Float[Tensor, "sentence target features"]) -> Float[Tensor, "sentence target model_dim"]:
        """The states of all steps at once, as none of them goes into the next step."""
        return self.readout_dropout(torch.tanh(self.readout_proj(seen)))


def _where(is_token: Bool[Tensor, "sentence 1 1"], newer: RecurrentState, older: RecurrentState) -> RecurrentState:
    """The newer state of sentences that had a token, the older of those that had padding."""
    cell = None
    if newer.cell is not None and older.cell is not None:
        cell = torch.where(is_token, newer.cell, older.cell)
    return replace(newer, hidden=torch.where(is_token, newer.hidden, older.hidden), cell=cell)
