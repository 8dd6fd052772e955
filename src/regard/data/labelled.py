"""Texts with labels: a class for each text, a tag for each word, or the words that a mask hides."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from regard.data.batch import ALL, IGNORED, LabelledBatch, Place, Share, own_rows, pad_right
from regard.data.batching import endless_plan, plan_batches, releasing, shuffled
from regard.data.sequences import Sequences
from regard.errors import DataError, nearest_hint
from regard.text.lines import read_lines
from regard.text.tokenizer import Tokenizer

MASKED_SHARE = 0.15
KEPT_SHARE, REPLACED_SHARE = 0.1, 0.1  # of the masked ones


@dataclass(frozen=True)
class LabelledText:
    """Texts and their labels: `labels[i]` has one label for text i, or one for each of its words."""

    texts: list[list[str]]
    """The words of each text where they have labels of their own; else the text as its only word."""
    labels: list[list[str]]
    name: str

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def label_names(self) -> list[str]:
        """Every label that occurs, in alphabetical order."""
        return sorted({label for row in self.labels for label in row})


def read_classes(path: str | os.PathLike[str]) -> LabelledText:
    """Texts with a class each: lines of label, tab, text. Blank lines are left out.

    Raises:
        DataError: the file cannot be read, a line has no tab, or a label or text is blank.
    """
    texts, labels = [], []
    for number, line in enumerate(read_lines(Path(path)), start=1):
        if not line.strip():
            continue
        label, tab, text = line.partition("\t")
        if not (tab and label.strip() and text.strip()):
            raise DataError(f"{path}, line {number}: a line must be label, tab, text; got {line[:60]!r}.")
        texts.append([text])
        labels.append([label.strip()])
    return _some(LabelledText(texts, labels, os.fspath(path)))


def read_tags(path: str | os.PathLike[str]) -> LabelledText:
    """Texts with a tag for each word: lines of word, tab, tag; a blank line ends a text.

    Raises:
        DataError: the file cannot be read, or a line is not a word and its tag.
    """
    texts: list[list[str]] = [[]]
    labels: list[list[str]] = [[]]
    for number, line in enumerate([*read_lines(Path(path)), ""], start=1):
        if not line.strip():
            if texts[-1]:
                texts.append([])
                labels.append([])
            continue
        columns = line.split("\t")
        if len(columns) != 2 or not all(column.strip() for column in columns):
            raise DataError(f"{path}, line {number}: a line must be word, tab, tag; got {line[:60]!r}.")
        texts[-1].append(columns[0].strip())
        labels[-1].append(columns[1].strip())
    return _some(LabelledText(texts[:-1], labels[:-1], os.fspath(path)))


def _some(text: LabelledText) -> LabelledText:
    if not len(text):
        raise DataError(f"{text.name} must hold at least one text; got none. Is it the right file?")
    return text


@dataclass(frozen=True)
class EncodedTexts:
    """Texts as ids, and a label for each id, or one for each text."""

    ids: Sequences
    labels: Sequences | np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def framed(ids: Sequence[int], tokenizer: Tokenizer, max_positions: int) -> list[int]:
    """A text between begin and end symbol, cut where that would be more than `max_positions`."""
    return [tokenizer.bos_id, *ids[: max_positions - 2], tokenizer.eos_id]


def encode_words(
    texts: Sequence[Sequence[str]], tokenizer: Tokenizer, max_positions: int
) -> tuple[Sequences, list[list[int]]]:
    """The ids of some texts between begin and end symbol, and at which position each word begins (-1: cut off).

    A text longer than `max_positions` is cut.
    """
    rows, beginnings = [], []
    flat = iter(tokenizer.encode_batch([word for words in texts for word in words]))
    for words in texts:
        ids, begins = [tokenizer.bos_id], []
        for _ in words:
            begins.append(len(ids) if len(ids) < max_positions - 1 else -1)
            ids += next(flat)
        rows.append(framed(ids[1:], tokenizer, max_positions))
        beginnings.append(begins)
    return Sequences.from_lists(rows), beginnings


def encode_labelled(
    text: LabelledText, tokenizer: Tokenizer, label_names: Sequence[str], max_positions: int, *, by_word: bool
) -> EncodedTexts:
    """Texts with classes, or with a tag at the first token of each word.

    Raises:
        DataError: a label that is not among `label_names`.
    """
    number = {name: index for index, name in enumerate(label_names)}
    for row in text.labels:
        for label in row:
            if label not in number:
                hint = nearest_hint(label, label_names)
                raise DataError(f"{text.name}: a label must be one of those trained on; got {label!r}. {hint}")
    ids, beginnings = encode_words(text.texts, tokenizer, max_positions)
    if not by_word:
        return EncodedTexts(ids, np.array([number[row[0]] for row in text.labels]))
    rows = []
    for index, (row, begins) in enumerate(zip(text.labels, beginnings, strict=True)):
        marks = [IGNORED] * len(ids[index])
        for label, begin in zip(row, begins, strict=True):
            if begin >= 0:
                marks[begin] = number[label]
        rows.append(marks)
    return EncodedTexts(ids, Sequences.from_lists(rows))


def labelled_in_order(texts: EncodedTexts, batch_tokens: int, *, pad_id: int) -> Iterator[LabelledBatch]:
    """All texts once, by length: for validation."""
    for indices in plan_batches([texts.ids.lengths], batch_tokens):
        yield _labelled_batch(texts, indices, pad_id)


def labelled_endless(
    texts: EncodedTexts, batch_tokens: int, seed: int, *, pad_id: int, start: Place = (0, 0), share: Share = ALL
) -> Iterator[LabelledBatch]:
    """All texts again and again, each epoch in an order of its own that depends on the seed and the epoch alone.

    Args:
        start: begin with this batch.
        share: the rows of each batch that are read here.
    """
    for indices, place, _ in _plan(texts.ids, batch_tokens, seed, start):
        own, counts = own_rows(indices, share)
        yield _placed(_labelled_batch(texts, own, pad_id), place, counts)


def _plan(
    ids: Sequences, batch_tokens: int, seed: int, start: Place
) -> Iterator[tuple[np.ndarray, Place, np.random.Generator]]:
    plan = endless_plan(shuffled(len(ids)), lambda indices: [ids.lengths_of(indices)], batch_tokens, seed, start=start)
    return releasing(plan, ids.release)


def _placed(batch: LabelledBatch, place: Place, counts: bool) -> LabelledBatch:
    """A batch that knows its place; without labels, where its rows do not count."""
    if counts:
        return replace(batch, next_place=place)
    return replace(batch, next_place=place, labels=torch.full_like(batch.labels, IGNORED), num_tokens=0)


def _labelled_batch(texts: EncodedTexts, indices: np.ndarray, pad_id: int) -> LabelledBatch:
    rows: list[int] = indices.tolist()
    ids = pad_right([texts.ids[row] for row in rows], pad_id)
    if isinstance(texts.labels, Sequences):
        labels = pad_right([texts.labels[row] for row in rows], IGNORED)
    else:
        labels = torch.from_numpy(texts.labels[rows])
    return LabelledBatch(ids, labels, int((labels != IGNORED).sum()), rows)


@dataclass(frozen=True)
class Masking:
    """How words are hidden for masked language models: 15 % of the tokens, of which 80 % become the mask, 10 % a random
    token, and 10 % stay. Source: Devlin et al. 2019, section 3.1.
    """

    mask_id: int
    first_ordinary_id: int
    vocab_size: int

    def hide(self, ids: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The ids with some hidden, and the hidden ones as labels."""
        ordinary = ids >= self.first_ordinary_id
        chosen = ordinary & (rng.random(len(ids)) < MASKED_SHARE)
        if not chosen.any() and ordinary.any():
            chosen[rng.choice(np.flatnonzero(ordinary))] = True
        fate = rng.random(len(ids))
        hidden = np.where(chosen & (fate >= KEPT_SHARE), self.mask_id, ids)
        random_ids = rng.integers(self.first_ordinary_id, self.vocab_size, len(ids))
        hidden = np.where(chosen & (fate >= 1 - REPLACED_SHARE), random_ids, hidden)
        return hidden, np.where(chosen, ids, IGNORED)


def masked_in_order(ids: Sequences, masking: Masking, batch_tokens: int, *, pad_id: int) -> Iterator[LabelledBatch]:
    """All texts once, by length, the same words hidden every time: for validation."""
    rng = np.random.default_rng(0)
    for indices in plan_batches([ids.lengths], batch_tokens):
        yield _masked_batch(ids, indices, masking, rng, pad_id)


def masked_endless(
    ids: Sequences,
    masking: Masking,
    batch_tokens: int,
    seed: int,
    *,
    pad_id: int,
    start: Place = (0, 0),
    share: Share = ALL,
) -> Iterator[LabelledBatch]:
    """All texts again and again, other words hidden each time.

    Args:
        start: begin with this batch.
        share: the rows of each batch that are read here; what is hidden in them does not depend on it.
    """
    for indices, place, rng in _plan(ids, batch_tokens, seed, start):
        own, counts = own_rows(np.arange(len(indices)), share)
        whole = _masked_batch(ids, indices, masking, rng, pad_id)
        labels = whole.labels[own]
        batch = replace(
            whole, ids=whole.ids[own], labels=labels, num_tokens=int((labels != IGNORED).sum()),
            indices=indices[own].tolist(),
        )  # fmt: skip
        yield _placed(batch, place, counts)


def _masked_batch(
    ids: Sequences, indices: np.ndarray, masking: Masking, rng: np.random.Generator, pad_id: int
) -> LabelledBatch:
    rows: list[int] = indices.tolist()
    hidden, hidden_ids = zip(*(masking.hide(ids[row].astype(np.int64), rng) for row in rows), strict=True)
    labels = pad_right(hidden_ids, IGNORED)
    return LabelledBatch(pad_right(hidden, pad_id), labels, int((labels != IGNORED).sum()), rows)
