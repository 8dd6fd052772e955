"""Comparison of a converted model with the original implementation on the same generated input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, Protocol, cast, runtime_checkable

import torch
from torch import Tensor

from regard.data.batch import pad_right
from regard.errors import ModelFolderError
from regard.models.config import TEXT_TASKS
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder_classifier import EncoderDecoderClassifier, LabelModel
from regard.models.interface import Model, PairModel
from regard.text.tokenizer import Symbols

LENGTHS = (7, 4, 9)
"""Lengths of the generated texts; they share a batch, so that padding is tested, too."""
DECODED_TOKENS = 16
TOLERANCE = 1e-3
"""The largest difference, as a share of the largest value, that rounding can explain."""


@runtime_checkable
class Reference(Protocol):
    """An original implementation, or a reader of what we wrote."""

    name: str

    @property
    def what(self) -> Literal["logits", "log-probabilities"]:
        """The name of the results of `values`, for messages."""
        ...

    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The logits of each text at every position; or the log-probability of every token and then of the end symbol.

        Args:
            sources: for encoder-decoders, each with its symbols; the texts are then targets, without theirs.
        """
        ...

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """The likeliest tokens, one after the other, up to the end symbol."""
        ...


@dataclass(frozen=True)
class Check:
    """The results of a comparison."""

    against: str
    what: str
    largest_difference: float
    largest_value: float
    num_decoded: int
    """The number of tokens that were decoded; 0 for encoders, which write nothing."""
    first_difference: int | None
    """The number of the first decoded token that differs, from 1; None: none does."""

    @property
    def agrees(self) -> bool:
        """Whether rounding explains the difference."""
        allowed = TOLERANCE * max(self.largest_value, 1.0)
        return isfinite(self.largest_difference) and isfinite(allowed) and self.largest_difference <= allowed

    def lines(self) -> list[str]:
        """The lines to print."""
        lines = [
            f"largest difference of {self.what} from {self.against}: {self.largest_difference:.2g} "
            f"(values up to {self.largest_value:.3g})"
        ]
        if self.num_decoded:
            found = "none" if self.first_difference is None else f"number {self.first_difference}"
            lines.append(f"first differing token of {self.num_decoded} decoded greedily: {found}")
        return lines


@torch.inference_mode()
def compare(model: Model, symbols: Symbols, reference: Reference, *, source_symbols: Symbols) -> Check:
    """Run the same generated texts through both models.

    Raises:
        ModelFolderError: the reference returns another shape.
    """
    texts = generated_texts(model.config.vocab_size, symbols, LENGTHS, seed=1)
    sources = None
    if isinstance(model, EncoderDecoderClassifier):  # which reads a class at the end symbol
        texts = [[symbols.bos_id, *ids, symbols.eos_id] for ids in texts]
    elif not isinstance(model, Encoder | Decoder):
        size = model.config.source_vocab_size or model.config.vocab_size
        read = generated_texts(size, source_symbols, LENGTHS[::-1], seed=2)
        sources = [[*source_symbols.source_begin_ids, *ids, *source_symbols.source_end_ids] for ids in read]
    ours = _values(model, symbols, sources, texts, reference.what)
    theirs = reference.values(sources, texts)
    _check_shapes(ours, theirs, reference)
    # Python's own `max` skips NaN unless it comes first.
    difference = float(
        torch.stack([(mine - other).abs().max() for mine, other in zip(ours, theirs, strict=True)]).max()
    )
    largest = float(torch.stack([other.abs().max() for other in theirs]).max())
    num_decoded, first = 0, None
    if not isinstance(model, LabelModel):
        for index, text in enumerate(texts):
            source = None if sources is None else sources[index]
            beginning = text[:3] if sources is None else symbols.start_ids
            mine = greedy(model, symbols, source, beginning, DECODED_TOKENS)
            other = reference.greedy(source, beginning, DECODED_TOKENS)
            differing = [i for i, pair in enumerate(zip(mine, other, strict=False), start=1) if pair[0] != pair[1]]
            if len(mine) != len(other):
                differing.append(min(len(mine), len(other)) + 1)
            if first is None and differing:
                first = num_decoded + differing[0]
            num_decoded += len(mine)
    return Check(reference.name, reference.what, difference, largest, num_decoded, first)


def _check_shapes(ours: Sequence[Tensor], theirs: Sequence[Tensor], reference: Reference) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        if mine.shape != other.shape:
            raise ModelFolderError(
                f"{reference.name} must return {reference.what} of shape {tuple(mine.shape)}; got {tuple(other.shape)}."
            )


def generated_texts(vocab_size: int, symbols: Symbols, lengths: Sequence[int], *, seed: int) -> list[list[int]]:
    """Texts of random ordinary tokens."""
    special = symbols.special_ids | set(symbols.banned_ids)
    ordinary = torch.tensor([id for id in range(vocab_size) if id not in special])
    generator = torch.Generator().manual_seed(seed)
    return [ordinary[torch.randint(len(ordinary), (length,), generator=generator)].tolist() for length in lengths]


def _values(
    model: Model,
    symbols: Symbols,
    sources: Sequence[Sequence[int]] | None,
    texts: Sequence[Sequence[int]],
    what: str,
) -> list[Tensor]:
    """Our values to compare with `Reference.values`."""
    if sources is None:
        batch = pad_right(texts, symbols.pad_id)
        logits = cast("Encoder | Decoder", model)(batch)
        is_by_token = getattr(model.config, "task", None) not in TEXT_TASKS
        return [logits[row, : len(text)] if is_by_token else logits[row] for row, text in enumerate(texts)]
    start = symbols.start_ids
    targets = [[*start, *text] for text in texts]
    logits = cast("PairModel", model)(pad_right(sources, symbols.pad_id), pad_right(targets, symbols.pad_id))
    rows = [logits[row, len(start) - 1 : len(target)] for row, target in enumerate(targets)]
    if what == "logits":
        return rows
    labels = [torch.tensor([*text, symbols.eos_id]) for text in texts]
    return [row.log_softmax(-1).gather(1, label[:, None])[:, 0] for row, label in zip(rows, labels, strict=True)]


def greedy(
    model: Model, symbols: Symbols, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int
) -> list[int]:
    """Decode our likeliest tokens, step by step with caches, up to the end symbol."""
    stepping = cast("PairModel | Decoder", model)
    if source is None:
        state, unread = stepping.prefill(torch.tensor([beginning])), beginning[-1:]
    else:
        state, unread = stepping.prefill(torch.tensor([source])), beginning
    written: list[int] = []
    for _ in range(num_tokens):
        for id in unread:
            logits, state = stepping.decode_step(torch.tensor([[id]]), state)
        best = likeliest(logits[0, 0], symbols)
        if best == symbols.eos_id:
            break
        written.append(best)
        unread = [best]
    return written


def likeliest(logits: Tensor, symbols: Symbols) -> int:
    """The likeliest token that may be written."""
    if symbols.banned_ids:
        logits = logits.index_fill(0, torch.tensor([id for id in symbols.banned_ids if id >= 0]), -torch.inf)
    return int(logits.argmax())
