"""What each kind of training data brings to a run: vocabulary, batches, validation, and the scores at the end.

A run (`workflow/train.py`) is the same for all of them; it knows a task as a `Task`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch

from regard.data.batching import Sequences, plan_batches
from regard.data.labelled import (
    LabelledText,
    Masking,
    encode_labelled,
    encode_words,
    labelled_endless,
    labelled_in_order,
    masked_endless,
    masked_in_order,
)
from regard.data.language import encode_stream, random_windows, windows_in_order
from regard.errors import DataError
from regard.evaluation.likelihood import label_likelihood
from regard.models.families import AnyModel
from regard.text.tokenizer import Tokenizer
from regard.training.trainer import Scores
from regard.workflow.settings import RunSettings

LARGEST_HOLD_OUT = 1000
VALID_BATCH_TOKENS = 4096

Say = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """What a run needs to know of its data."""

    tokenizer: Tokenizer
    """Of the texts, or of the targets."""
    settings: RunSettings
    """With what the data decide: sizes of the vocabulary, names of labels."""
    batches: Callable[..., Iterator[Any]]
    """Endless; of `start`, a place, and `share`, the rows of each batch that are read here."""
    validate: Callable[[Any], Scores]
    """The scores of a model on the validation data; `loss` decides which weights are kept."""
    evaluate: Callable[[Any], dict[str, Any]]
    """All scores of the finished, loaded model on the validation data."""
    training_facts: dict[str, Any]
    validation_facts: dict[str, Any]
    padding: float = 0.0
    """The share of positions that are padding."""
    notes: list[str] = field(default_factory=list)
    """What the user should be told."""
    source_tokenizer: Tokenizer | None = None
    """Where the source has a vocabulary of its own."""
    initial: AnyModel | None = None
    """The model to go on from; None: a new one."""
    data_digests: dict[str, str] = field(default_factory=dict)
    """Checksums of the data as ids, by what they are for."""
    example: Callable[[int], str] = "example {}".format
    """Where an example stands, in words, by its index."""


def hold_out_labelled(text: LabelledText, seed: int) -> tuple[LabelledText, LabelledText]:
    """Labelled texts in two: for training, and at random one in twenty, at most 1,000, for validation.

    A text with a label that no other text has stays for training.
    """

    def part(indices: Sequence[int], name: str) -> LabelledText:
        return LabelledText([text.texts[i] for i in indices], [text.labels[i] for i in indices], name)

    rest, held_out = divided(len(text), text.name, "texts", seed)
    known = {label for i in rest for label in text.labels[i]}
    rare = [i for i in held_out if not known.issuperset(text.labels[i])]
    rest, held_out = sorted([*rest, *rare]), [i for i in held_out if i not in rare]
    if not held_out:
        raise DataError(
            f"{text.name} must have labels that occur more than once, to hold some out. Give --valid a file."
        )
    return part(rest, text.name), part(held_out, f"{text.name} (held out at random)")


def hold_out_end(lines: Sequence[str], name: str) -> tuple[list[str], list[str]]:
    """Running text in two: its first nine tenths, and its last tenth for validation; cut between lines.

    Raises:
        DataError: fewer than two lines.
    """
    if len(lines) < 2:
        raise DataError(f"{name} must have at least 2 lines, to hold some out for validation; got {len(lines)}.")
    ends = np.cumsum([len(line) + 1 for line in lines])
    cut = min(max(int(np.searchsorted(ends, 0.9 * ends[-1])), 1), len(lines) - 1)
    return list(lines[:cut]), list(lines[cut:])


def language_task(training: Sequence[str], valid: Sequence[str], names: tuple[str, str], settings: RunSettings) -> Task:
    """Running text, for a decoder."""
    tokenizer = Tokenizer.train(training, settings.tokenizer)
    settings = with_model(settings, tokenizer)
    stream, valid_stream = encode_stream(training, tokenizer), encode_stream(valid, tokenizer)
    for name, ids in zip(names, (stream, valid_stream), strict=True):
        if len(ids) < 2:
            raise DataError(f"{name} must have at least 2 tokens; got {len(ids)}.")
    batch_tokens, context = settings.training.batch_tokens, settings.model.max_positions

    def validate(model: Any) -> Scores:
        scored = label_likelihood(model, windows_in_order(valid_stream, VALID_BATCH_TOKENS, context))
        return {"loss": scored.loss, "token_accuracy": scored.accuracy}

    return Task(
        tokenizer,
        settings,
        partial(random_windows, stream, batch_tokens, context, settings.training.seed),
        validate,
        lambda loaded: loaded.evaluate(valid),
        {"name": names[0], "num_lines": len(training), "num_tokens": len(stream)},
        {"name": names[1], "num_lines": len(valid), "num_tokens": len(valid_stream)},
        data_digests=digests(training=stream, validation=valid_stream),
    )


def label_task(training: LabelledText, valid: LabelledText, settings: RunSettings, *, by_word: bool) -> Task:
    """Texts with a class, or with a tag for each word, for an encoder."""
    names = training.label_names
    if len(names) < 2:
        raise DataError(f"{training.name} must have at least 2 different labels; got {names}.")
    tokenizer = Tokenizer.train([word for words in training.texts for word in words], settings.tokenizer)
    settings = with_model(settings, tokenizer, labels=names)
    limit, pad_id = settings.model.max_positions, tokenizer.pad_id
    texts, valid_texts = (encode_labelled(text, tokenizer, names, limit, by_word=by_word) for text in (training, valid))
    batch_tokens = settings.training.batch_tokens

    def validate(model: Any) -> Scores:
        scored = label_likelihood(model, labelled_in_order(valid_texts, VALID_BATCH_TOKENS, pad_id=pad_id))
        return {"loss": scored.loss, "accuracy": scored.accuracy}

    return Task(
        tokenizer,
        settings,
        partial(labelled_endless, texts, batch_tokens, settings.training.seed, pad_id=pad_id),
        validate,
        lambda loaded: loaded.evaluate(valid.texts, valid.labels),
        {"name": training.name, "num_texts": len(texts), "num_labels": len(names)},
        {"name": valid.name, "num_texts": len(valid)},
        padding_share([texts.ids.lengths], texts.ids.lengths, batch_tokens),
        _cut(texts.ids, limit, training.name),
        data_digests=digests(
            training=texts.ids,
            training_labels=texts.labels,
            validation=valid_texts.ids,
            validation_labels=valid_texts.labels,
        ),
    )


def masked_task(training: Sequence[str], valid: Sequence[str], names: tuple[str, str], settings: RunSettings) -> Task:
    """Lines of text with words hidden, for an encoder."""
    lines, valid_lines = ([[line] for line in text if line.strip()] for text in (training, valid))
    if not lines or not valid_lines:
        raise DataError(f"{' and '.join(names)} must both have lines of text; got {len(lines)} and {len(valid_lines)}.")
    learnt = settings.tokenizer.model_copy(update={"with_mask": True})
    tokenizer = Tokenizer.train([line for words in lines for line in words], learnt)
    settings = with_model(settings.model_copy(update={"tokenizer": learnt}), tokenizer)
    assert tokenizer.mask_id is not None
    masking = Masking(tokenizer.mask_id, tokenizer.mask_id + 1, len(tokenizer))
    limit, pad_id = settings.model.max_positions, tokenizer.pad_id
    ids, valid_ids = (encode_words(text, tokenizer, limit)[0] for text in (lines, valid_lines))
    batch_tokens = settings.training.batch_tokens

    def validate(model: Any) -> Scores:
        scored = label_likelihood(model, masked_in_order(valid_ids, masking, VALID_BATCH_TOKENS, pad_id=pad_id))
        return {"loss": scored.loss, "accuracy": scored.accuracy}

    def evaluate(loaded: Any) -> dict[str, Any]:
        scored = label_likelihood(loaded.model, masked_in_order(valid_ids, masking, VALID_BATCH_TOKENS, pad_id=pad_id))
        return {
            "accuracy": scored.accuracy,
            "perplexity": math.exp(min(scored.loss, 700.0)),
            "num_labels": scored.num_labels,
        }

    return Task(
        tokenizer,
        settings,
        partial(masked_endless, ids, masking, batch_tokens, settings.training.seed, pad_id=pad_id),
        validate,
        evaluate,
        {"name": names[0], "num_lines": len(lines), "num_tokens": int(ids.lengths.sum())},
        {"name": names[1], "num_lines": len(valid_lines), "num_tokens": int(valid_ids.lengths.sum())},
        padding_share([ids.lengths], ids.lengths, batch_tokens),
        _cut(ids, limit, names[0]),
        data_digests=digests(training=ids, validation=valid_ids),
    )


def digests(**sequences: Sequences | np.ndarray) -> dict[str, str]:
    """Checksums of data, by the names that messages about a difference use."""
    return {
        f"data.{name}": hashlib.sha256(ids.tobytes()).hexdigest() if isinstance(ids, np.ndarray) else ids.digest
        for name, ids in sequences.items()
    }


def padding_share(lengths: Sequence[np.ndarray], counted: np.ndarray, batch_tokens: int) -> float:
    """The share of positions that are padding when all examples are batched, of those sequences that are `counted`."""
    positions = sum(len(rows) * int(counted[rows].max()) for rows in plan_batches(lengths, batch_tokens))
    return 1 - int(counted.sum()) / positions


def with_model(settings: RunSettings, tokenizer: Tokenizer, **decided: Any) -> RunSettings:
    """The settings with what a vocabulary decides of the model."""
    sizes = {"vocab_size": len(tokenizer), "pad_id": tokenizer.pad_id, **decided}
    return settings.model_copy(update={"model": settings.model.model_copy(update=sizes)})


def divided(count: int, name: str, what: str, seed: int) -> tuple[list[int], list[int]]:
    """The indices of some things in two, sorted: those that stay, and at random one in twenty, at most 1,000.

    Raises:
        DataError: there are fewer than two.
    """
    if count < 2:
        raise DataError(f"{name} must have at least 2 {what}, to hold one out for validation; got {count}.")
    order = torch.randperm(count, generator=torch.Generator().manual_seed(seed)).tolist()
    size = min(LARGEST_HOLD_OUT, max(1, count // 20))
    return sorted(order[size:]), sorted(order[:size])


def _cut(ids: Sequences, limit: int, name: str) -> list[str]:
    full = int((ids.lengths >= limit).sum())
    return [f"{full:,} texts of {name} have {limit} tokens or more: cut there"] if full else []
