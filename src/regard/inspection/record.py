"""A record of a model on one text: every head's weights and every layer's states, from one pass over text and output.

Decoding records nothing, so that it stays fast. Afterwards the model reads the chosen output once more, all of it at
once, and row t of what is recorded is what decoding saw at step t.
"""

from __future__ import annotations

import re
import reprlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy
import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError, nearest_hint
from regard.inspection.capture import capture
from regard.inspection.flow import weighted_norms
from regard.models.heads import Site, attention_sites, layer_sites, multihead_attentions
from regard.models.interface import Model
from regard.nn.hooks import forward_hooks, hooks_of
from regard.text.words import Separators, first_word_character, word_spans

Matrix = numpy.ma.MaskedArray
"""Weights of a head, `row key`; cells that a mask forbids are masked, and not 0."""


class HeadName(NamedTuple):
    """The name of a head, such as `cross.2.3`: kind, layer and head, the last two counted from 0."""

    kind: str
    layer: int
    head: int

    def __str__(self) -> str:
        return f"{self.kind}.{self.layer}.{self.head}"

    @property
    def site(self) -> Site:
        """The attention that the head is in."""
        return Site(self.kind, self.layer)

    @classmethod
    def parse(cls, name: str) -> HeadName:
        """Parse the name of a head.

        Raises:
            SettingsError: it is not written kind.layer.head.
        """
        found = re.fullmatch(r"(encoder|decoder|cross)\.(\d{1,9})\.(\d{1,9})", name.strip(), re.ASCII)
        if not found:
            raise SettingsError(f"a head must be written kind.layer.head, such as cross.2.3; got {name!r}.")
        return cls(found[1], int(found[2]), int(found[3]))


@dataclass(frozen=True, repr=False)
class Tokens:
    """The tokens along one side of a matrix, and their positions in the text."""

    spelled: list[str]
    offsets: list[tuple[int, int] | None]
    """The character offsets (begin, end) of each token in the text; None for special tokens."""
    words: list[int | None]
    """The word that each token belongs to, from 0; the first of several; None for symbols."""

    @classmethod
    def from_offsets(
        cls,
        spelled: list[str],
        offsets: list[tuple[int, int] | None],
        text: str,
        separators: Separators = "spaces",
    ) -> Tokens:
        """Tokens with their words, found by character offsets.

        Args:
            separators: what separates words.
        """
        begins = [begin for begin, _ in word_spans(text, separators)]
        return cls(spelled, offsets, [_word(text, begins, span, separators) for span in offsets])

    def __len__(self) -> int:
        return len(self.spelled)

    def __repr__(self) -> str:
        return f"Tokens({reprlib.repr(self.spelled)})"

    def part(self, positions: slice) -> Tokens:
        """Select some of the tokens."""
        return Tokens(self.spelled[positions], self.offsets[positions], self.words[positions])


def _word(text: str, begins: list[int], span: tuple[int, int] | None, separators: Separators) -> int | None:
    if span is None:
        return None
    first = first_word_character(text, *span, separators)
    if first == span[1]:  # a space alone is of the word that it stands before
        return begins.index(first) if first in begins else None
    return bisect_right(begins, first) - 1


@dataclass(frozen=True, repr=False)
class Record(Mapping[HeadName, Matrix]):
    """Every head's weights over one text, by the head's name: `record["cross", 2, 3]`."""

    weights: dict[Site, Matrix]
    """The weights of each attention, `head row key`."""
    heads: dict[Site, list[int]]
    """The original numbers of each attention's heads, from before pruning."""
    row_tokens: dict[str, Tokens]
    """The tokens of the rows, by kind of attention: where a target is written, the token that is predicted there;
    elsewhere the one that is read.
    """
    key_tokens: dict[str, Tokens]
    """The tokens of the keys, by kind of attention: the tokens that were read."""
    hidden_states: dict[str, Float[numpy.ndarray, "layer position model_dim"]] = field(default_factory=dict)
    """The states of `encoder` and `decoder`, where they were asked for: the embeddings, then the output of each layer.
    """

    def __repr__(self) -> str:
        names = [str(name) for name in self]
        return f"Record({len(names)} heads: {names[0]} to {names[-1]})" if names else "Record(no heads)"

    def __getitem__(self, name: tuple[str, int, int]) -> Matrix:
        wanted = HeadName(*name)
        for site, heads in self.heads.items():
            if site == wanted.site and wanted.head in heads:
                return self.weights[site][heads.index(wanted.head)]
        raise SettingsError(
            f"head must be one of the model's; got {wanted}. {nearest_hint(str(wanted), map(str, self))}"
        )

    def __iter__(self) -> Iterator[HeadName]:
        return (HeadName(*site, head) for site, heads in self.heads.items() for head in heads)

    def __len__(self) -> int:
        return sum(len(heads) for heads in self.heads.values())

    @property
    def num_bytes(self) -> int:
        """The memory of weights and states, in bytes."""
        weights = sum(matrix.nbytes + numpy.ma.getmaskarray(matrix).nbytes for matrix in self.weights.values())
        return int(weights + sum(states.nbytes for states in self.hidden_states.values()))

    def own_position(self, kind: str) -> int:
        """The key at the position of the first row; the second row has the next key. For self-attention."""
        return len(self.key_tokens[kind]) - len(self.row_tokens[kind])


@torch.no_grad()
def record(
    model: Model,
    ids: Int[Tensor, "row position"],
    target_ids: Int[Tensor, "row target"] | None = None,
    *,
    row_tokens: Mapping[str, Tokens],
    key_tokens: Mapping[str, Tokens],
    hidden_states: bool = False,
    norms: bool = False,
) -> Record:
    """Record the attention weights of a model on one text.

    Args:
        ids: the source, or the text: one row.
        target_ids: what the decoder reads, the start symbols in front; None where the model has no decoder of its own.
        row_tokens: what each row is, by kind of attention; fewer than positions: the last ones.
        key_tokens: what each key is, by kind of attention.
        norms: in place of weights, how much of each key a head really puts into its output (`flow.weighted_norms`), each row
            made to sum to 1.
    Raises:
        SettingsError: hidden states or norms are requested for a recurrent model, which has neither layers nor heads.
    """
    if (hidden_states or norms) and not model.layer_stacks():
        what = "`hidden_states` (`--lens`)" if hidden_states else "`norms`"
        raise SettingsError(
            f"{what} needs a Transformer; got a recurrent model, which has no attention layers and heads."
        )
    attentions = multihead_attentions(model)
    sites = attention_sites(model)
    with capture(model) as seen, _states(model, wanted=hidden_states) as states:
        model.states(*(given for given in (ids, target_ids) if given is not None))
    weights, heads = {}, {}
    for site, name in sites.items():
        # A Transformer calls attention once for all rows, a recurrent model once for each.
        calls = seen.calls(name)
        seen_by = [weighted_norms(call, attentions[site]) if norms else call.weights() for call in calls]
        values = torch.cat([values[0] for values in seen_by], dim=1)
        if norms:
            values = values / values.sum(dim=-1, keepdim=True).clamp(min=1e-12)
        forbidden = ~torch.cat([call.allowed()[0] for call in calls], dim=1)
        kept = slice(values.shape[1] - len(row_tokens[site.kind]), None)
        weights[site] = numpy.ma.MaskedArray(values[:, kept].float().cpu().numpy(), forbidden[:, kept].cpu().numpy())
        heads[site] = calls[0].heads
    kept_states = {
        kind: torch.cat(found)[:, len(found[0][0]) - _num_positions(kind, row_tokens, key_tokens) :]
        .float()
        .cpu()
        .numpy()
        for kind, found in states.items()
    }
    return Record(weights, heads, dict(row_tokens), dict(key_tokens), kept_states)


def _num_positions(stack: str, rows: Mapping[str, Tokens], keys: Mapping[str, Tokens]) -> int:
    if stack == "decoder":  # one without self-attention has the rows of cross-attention, which are the same
        return len(rows.get(stack, rows.get("cross", ())))
    return len(keys[stack])


@contextmanager
def _states(model: Model, *, wanted: bool) -> Iterator[dict[str, list[Tensor]]]:
    """Record the input of the first layer of each stack and the output of each layer, while this context lasts."""
    sites = layer_sites(model) if wanted else {}
    found: dict[str, list[Tensor]] = {site.kind: [] for site in sites}

    def note(site: Site, states: Tensor) -> Tensor:
        found[site.kind].append(states.detach())
        return states

    def note_lowest(site: Site, states: Tensor) -> None:
        if site.layer == 0:  # a module may be called from another place, too
            note(site, states)

    with forward_hooks(before=hooks_of(sites, note_lowest), after=hooks_of(sites, note)):
        yield found


@torch.no_grad()
def logit_lens(model: Model, record: Record) -> Float[Tensor, "layer row vocab"]:
    """The logit lens: log-probabilities of the tokens if each layer were the last, at each row of the decoder.

    log_probs[l] = log softmax(output(norm(hidden_states[l])));  the last layer's are the model's own.

    For an encoder, at each position: of its vocabulary or its tags.

    Raises:
        SettingsError: the record has no hidden states, or the model predicts neither tokens nor tags.
    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    stack = next(reversed(model.layer_stacks()), None)
    if stack not in record.hidden_states:
        raise SettingsError(
            "`logit_lens` needs hidden states; this record has none. Make it with `hidden_states=True`."
        )
    if not model.predicts_each_position:
        raise SettingsError(
            f"`logit_lens` needs a model that predicts tokens or tags; got one for task {model.config.task}."
        )
    parameter = next(model.parameters())
    states = torch.from_numpy(record.hidden_states[stack]).to(parameter)
    return model.layer_logits(states).float().log_softmax(dim=-1)
