"""Token and word alignments, read from cross-attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError
from regard.inspection.capture import capture
from regard.inspection.drawing.figures import NOTEBOOK, alignment_svg
from regard.models.interface import Model, PairModel


def attention_names(model: Model, kind: str) -> list[str]:
    """The names of the attentions of a kind, such as `cross`.

    Raises:
        SettingsError: the model has none.
    """
    names = model.attention_names.get(kind, [])
    if not names:
        got = ", ".join(model.attention_names) or "no attention"
        raise SettingsError(f"the model must have {kind}-attention, which this is read from; got one with {got}.")
    return names


@torch.no_grad()
def cross_attention(
    model: PairModel, source_ids: Int[Tensor, " source"], target_ids: Int[Tensor, " target"]
) -> list[Tensor]:
    """The cross-attention weights of each layer, by remaining head:
    `head target source`.

    Args:
        target_ids: with the begin symbol in front. Row t holds what the model looked at to predict the token after
            `target_ids[t]`.
    """
    names = attention_names(model, "cross")
    with capture(model, layers=names) as seen:
        model.states(source_ids[None], target_ids[None])
    # A Transformer calls attention once for all target positions, a recurrent model once for each.
    return [torch.cat([call.weights()[0] for call in seen.calls(name)], dim=1) for name in names]


@dataclass(frozen=True, repr=False)
class Alignment:
    """The alignment of source and target tokens, read from cross-attention."""

    source_tokens: list[str]
    target_tokens: list[str]
    weights: list[list[float]]
    """A row for each target token: how much it attends to each source token; rows sum to 1."""
    layer: int
    """The number of the decoder layer, from 0."""
    source_offsets: Sequence[Sequence[int]] = field(default_factory=list)
    """The character offsets (begin, end) of each source token; None for special tokens."""
    has_end: bool = True
    """Whether the last target token is the end symbol; a target that was cut has none."""
    head: int | None = None
    """The first number of the head whose weights these are, from 0; None: they are the mean over the layer's heads."""

    def __repr__(self) -> str:
        sizes = f"{len(self.source_tokens)} source x {len(self.target_tokens)} target tokens"
        return f"Alignment({sizes}, layer {self.layer}{'' if self.head is None else f', head {self.head}'})"

    def svg(self, *, standalone: bool = False) -> str:
        """An SVG picture; `standalone`: with colours of its own."""
        return alignment_svg(self.source_tokens, self.target_tokens, self.weights, standalone=standalone)

    def _repr_svg_(self) -> str:
        """An SVG picture, for programs that show SVG."""
        return self.svg(standalone=True)

    def _repr_html_(self) -> str:
        """A picture for notebooks, in colours that are seen on light and on dark pages."""
        return f'<div style="{NOTEBOOK}">{self.svg()}</div>'

    @property
    def links(self) -> list[tuple[int, int]]:
        """The source token that each target token but the end symbol attends to most, with the target token."""
        rows = self.weights[: len(self.target_tokens) - self.has_end]
        return [(max(range(len(row)), key=row.__getitem__), target) for target, row in enumerate(rows)]

    @property
    def pharaoh(self) -> str:
        """The links as `source-target`, tokens counted from 0, in Pharaoh's format."""
        return " ".join(f"{source}-{target}" for source, target in self.links)


def sharpest_layer(weights: Sequence[Tensor]) -> int:
    """The layer, from 0, whose heads' mean puts the most weight on the best source token of each row.

    A choice made to show an alignment clearly; it says nothing about what the other layers are worth.

    Args:
        weights: of each layer, `head target source`; pruned layers have fewer heads.
    """
    return max(range(len(weights)), key=lambda layer: float(weights[layer].mean(dim=0).amax(dim=-1).mean()))


class AttentionReadout(NamedTuple):
    """The place that an alignment is read from: a decoder layer, and one of its heads or their mean."""

    layer: int
    """The number of the layer, from 0."""
    head: int | None
    """The original number of the head, from 0; None: the mean of the remaining heads."""
    shifted: bool = False
    """Whether a token's row is that of the step after it. False: where the model looks when it writes the token; True:
    where it looks when it has read it. Source: Chen et al. 2020, section 3.
    """

    def __str__(self) -> str:
        where = f"cross.{self.layer}" + ("" if self.head is None else f".{self.head}")
        return where + (", a step later" if self.shifted else "")

    def read(self, weights: Sequence[Tensor], heads: Sequence[Sequence[int]]) -> Float[Tensor, "target source"]:
        """Read the weights.

        Args:
            weights: of each layer, `head target source`.
            heads: the numbers of each layer's heads.
        """
        of_layer = weights[self.layer]
        return of_layer.mean(dim=0) if self.head is None else of_layer[heads[self.layer].index(self.head)]


def readouts(heads: Sequence[Sequence[int]]) -> list[AttentionReadout]:
    """All places that an alignment can be read from.

    Args:
        heads: the numbers of each layer's heads.
    """
    return [
        AttentionReadout(layer, head, shifted)
        for layer, numbers in enumerate(heads)
        for head in ([None, *numbers] if len(numbers) > 1 else [None])
        for shifted in (False, True)
    ]


def likenesses(weights: Float[Tensor, "head target source"]) -> Float[Tensor, " head"]:
    """A score of each head's weights as an alignment without a gold alignment, from 0 to 1: how sharply each row looks at one
    token, times how much nearer to the straight line from the first to the last token than one that looks everywhere alike.

    Args:
        weights: of ordinary tokens only, rows not normalised: what goes to symbols around a text counts as lost.
    """
    num_heads, num_rows, num_keys = weights.shape
    if not num_rows or not num_keys:
        return torch.zeros(num_heads)
    line = torch.arange(num_rows)[:, None] * (num_keys - 1) / max(num_rows - 1, 1)
    far = (torch.arange(num_keys) - line).abs()
    total = weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    nearer = 1 - (weights / total * far).sum(dim=(1, 2)) / max(float(far.mean(dim=-1).sum()), 1e-9)
    return weights.amax(dim=-1).mean(dim=-1) * nearer.clamp(min=0.0)


def word_links(
    weights: Float[Tensor, "target source"], target_words: Sequence[int | None], source_words: Sequence[int | None]
) -> list[tuple[int, int]]:
    """The source word that each target word looks at most: pairs (source word, target word).

    The weights of a source word's tokens are added, those of a target word's tokens are averaged; symbols are no words, and a
    target word that looks nowhere else than at them still has the best of the words.

    Args:
        target_words: which word each row is of, from 0; None for symbols.
        source_words: which word each column is of.
    """
    num_targets, num_sources = (1 + max((word for word in words if word is not None), default=-1)
                                for words in (target_words, source_words))  # fmt: skip
    if not num_targets or not num_sources:
        return []
    by_row = torch.zeros(len(target_words), num_sources, dtype=weights.dtype)
    columns = [column for column, source in enumerate(source_words) if source is not None]
    sources = torch.tensor([source for source in source_words if source is not None])
    by_row.index_add_(1, sources, weights[:, columns])
    return [
        (int(by_row[[row for row, word in enumerate(target_words) if word == target]].mean(dim=0).argmax()), target)
        for target in range(num_targets)
    ]
