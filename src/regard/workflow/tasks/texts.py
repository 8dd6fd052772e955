"""Texts without a second side: running text for decoders, texts with labels or with hidden words for encoders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from regard.data.batching import Sequences
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
from regard.text.tokenizer import Tokenizer
from regard.training.run import Scores
from regard.workflow.language_model import LanguageModel
from regard.workflow.settings import RunSettings
from regard.workflow.tasks.task import (
    VALID_BATCH_TOKENS,
    Task,
    check_metric,
    digests,
    divided,
    padding_share,
    with_model,
)


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
    check_metric(settings, ["loss", "token_accuracy"])
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

    def sample(model: Any) -> dict[str, Any]:
        prompt = " ".join(next(line for line in valid if line.strip()).split()[:3])
        written = LanguageModel(model, tokenizer).generate([prompt], max_tokens=min(60, context))
        return {"texts": [(prompt, written[0], "")]}

    return Task(
        tokenizer,
        settings,
        partial(random_windows, stream, batch_tokens, context, settings.training.seed),
        validate,
        lambda loaded: loaded.evaluate(valid),
        {"name": names[0], "num_lines": len(training), "num_tokens": len(stream)},
        {"name": names[1], "num_lines": len(valid), "num_tokens": len(valid_stream)},
        data_digests=digests(training=stream, validation=valid_stream),
        sample=sample,
    )


def label_task(training: LabelledText, valid: LabelledText, settings: RunSettings, *, by_word: bool) -> Task:
    """Texts with a class, or with a tag for each word, for an encoder."""
    check_metric(settings, ["loss", "accuracy"])
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
    check_metric(settings, ["loss", "accuracy"])
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


def _cut(ids: Sequences, limit: int, name: str) -> list[str]:
    full = int((ids.lengths >= limit).sum())
    return [f"{full:,} texts of {name} have {limit} tokens or more: cut there"] if full else []
