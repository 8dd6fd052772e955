"""Experiments with one sentence: its words in another order, a model without positions, a decoder that sees what comes next.

Each compares the log-probability of every token of a given output before and after. The model itself is never changed: what is
tried is a copy that shares its parameters, so that other threads may use the model at the same time.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

import torch
from torch import Tensor

from regard.errors import SettingsError
from regard.inspection.inspection import Inspection, word_groups
from regard.inspection.texts import written_log_probs
from regard.models.heads import multihead_attentions
from regard.models.interface import Model, PairModel, TokenModel
from regard.models.parts import EmbeddedPositions
from regard.nn.attention import Attention
from regard.nn.positions import AttentionPositions
from regard.pipelines.pipeline import Pipeline

Copied = TypeVar("Copied", bound=Model)


@dataclass(frozen=True)
class Experiment:
    """The log-probabilities of an output, before and after a change."""

    change: str
    """A name of `CHANGES`."""
    source: str
    """The text that was read after the change: the words in another order, or the same text."""
    tokens: list[str]
    """The tokens that have a log-probability: all of a translation with its end; all of a text but the first."""
    before: list[float]
    after: list[float]

    @property
    def token_changes(self) -> list[float]:
        """The change of each token's log-probability, in nats; below 0: it is less likely after the change."""
        return [after - before for before, after in zip(self.before, self.after, strict=True)]


@torch.no_grad()
def experiment(pipeline: Pipeline, seen: Inspection, change: str, *, seed: int = 0) -> Experiment:
    """Compare the log-probabilities of what was written with those after a change.

    Args:
        seen: an inspection by this model, of an output that it wrote or was given.
        change: `shuffle`: the words of the source stand in another order; `no-positions`: nothing tells the model where a
            token stands; `future`: the decoder's self-attention has no causal mask, so that a place may look at tokens after
            it, those included that it is about to write.
        seed: of the order of the words.
    Raises:
        SettingsError: another change, or one that this model has no place for.
    """
    if change not in CHANGES:
        raise SettingsError(f"change must be one of {', '.join(CHANGES)}; got {change!r}.")
    model = pipeline.model
    if not isinstance(model, PairModel | TokenModel):
        raise SettingsError("An experiment needs a model that writes; got one that labels texts.")
    ends = [pipeline.tokenizer.eos_id]
    written = seen.read_ids[0][1:] if seen.target is None else [*seen.target_ids, *ends][: len(seen.token_log_probs)]
    changed, after = CHANGES[change](model, seen, Random(seed))
    return Experiment(
        change, after.text, pipeline.tokenizer.tokens(written),
        written_log_probs(model, seen.read_ids, written), written_log_probs(changed, after.read_ids, written),
    )  # fmt: skip


def shuffled(model: Model, seen: Inspection, random: Random) -> tuple[Model, Inspection]:
    """The words of the source in another order; its symbols stay where they are.

    Raises:
        SettingsError: the model reads no source, or one with less than two words.
    """
    if not isinstance(model, PairModel):
        raise SettingsError("shuffle needs a model that reads a source; got one that goes on with its own text.")
    tokens = seen.record.key_tokens["cross"]
    groups = [group for group in word_groups(tokens) if tokens.words[group[0]] is not None]
    if len(groups) < 2:
        raise SettingsError("shuffle needs a source of two words or more; got one of less.")
    order = list(range(len(groups)))
    while order == sorted(order):
        random.shuffle(order)
    source, places = list(seen.read_ids[0]), [place for group in groups for place in group]
    moved = [place for number in order for place in groups[number]]
    for place, other in zip(places, moved, strict=True):
        source[place] = seen.read_ids[0][other]
    spans = [[span for place in group if (span := tokens.offsets[place])] for group in groups]
    texts = [seen.text[min(of_word)[0] : max(end for _, end in of_word)].strip() for of_word in spans]
    text = " ".join(texts[number] for number in order)
    return model, replace(seen, read_ids=[source, *seen.read_ids[1:]], text=text)


def without_positions(model: Model, seen: Inspection, random: Random) -> tuple[Model, Inspection]:
    """The model without all that tells it where a token stands: what is added to embeddings, rotation, biases of distance.

    The causal mask and windows stay.

    Raises:
        SettingsError: the model has no positions.
    """
    if not model.layer_stacks():
        raise SettingsError(
            "no-positions needs a Transformer; got a recurrent model, which knows the order as it reads token by token."
        )
    other, num_taken = sharing_parameters(model), 0
    for module in other.modules():
        if isinstance(module, EmbeddedPositions):
            num_taken += module.waves is not None or module.learned is not None
            module.waves, module.learned = None, None
        if isinstance(module, Attention):
            num_taken += isinstance(module.positions, AttentionPositions)
            module.positions = None
    if not num_taken:
        raise SettingsError("no-positions needs a model with positions; got one that has none.")
    return other, seen


class _SeesAll(Attention):
    """Attention without a causal mask."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, bias: Tensor | None = None,
        causal: bool = False, distance: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        return super().forward(query, key, value, mask, bias, False, distance)


def without_causal_mask(model: Model, seen: Inspection, random: Random) -> tuple[Model, Inspection]:
    """The model without the mask that hides later tokens from a place of its output.

    Raises:
        SettingsError: the model has no such mask.
    """
    other = sharing_parameters(model)
    own = {site: part for site, part in multihead_attentions(other).items() if site.kind == "decoder"}
    if not own:
        raise SettingsError(
            "future needs a decoder with self-attention; got one that reads token by token, and has no mask to take away."
        )
    for part in own.values():
        seeing = _SeesAll()
        vars(seeing).update(vars(part.attention))
        part.attention = seeing
    return other, seen


def sharing_parameters(model: Copied) -> Copied:
    """A copy of a model that shares its parameters and buffers: its modules can be changed alone."""
    tensors: list[Any] = [*model.parameters(), *model.buffers()]
    return copy.deepcopy(model, {id(tensor): tensor for tensor in tensors})


Change = Callable[[Model, Inspection, Random], tuple[Model, Inspection]]
CHANGES: Mapping[str, Change] = {
    "shuffle": shuffled,
    "no-positions": without_positions,
    "future": without_causal_mask,
}
