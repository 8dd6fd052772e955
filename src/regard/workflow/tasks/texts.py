"""Texts without a second side: running text for decoders, texts with labels or with hidden words for encoders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from regard.data.batching import (
    POOL,
    Masking,
    labelled_in_order,
    labelled_training_batches,
    masked_in_order,
    masked_training_batches,
    shuffled,
)
from regard.data.encoding import (
    EncodedCorpora,
    encode_labelled,
    encode_labels,
    encode_texts,
    find_labels,
    learn_tokenizer,
)
from regard.data.labelled import (
    Labelled,
    LabelledFile,
    LabelledLine,
    LabelledText,
    check_labels,
    doubts,
    encode_words,
    no_texts,
    text_bytes,
)
from regard.data.language import TextFile, encode_stream, random_windows, windows_in_order
from regard.data.sequences import Sequences
from regard.errors import DataError
from regard.evaluation.likelihood import label_likelihood
from regard.text.wording import counted
from regard.training.run import Scores
from regard.workflow.language_model import LanguageModel
from regard.workflow.progress import RunDisplay
from regard.workflow.settings import RunSettings
from regard.workflow.settings.fitting import BYTES_TO_A_TOKEN, with_vocabulary_for
from regard.workflow.tasks.task import (
    VALID_BATCH_TOKENS,
    Task,
    check_metric,
    digests,
    held_out,
    planned,
    with_model,
)


def hold_out_labelled(files: Sequence[Labelled], seed: int = 1) -> tuple[list[Labelled], LabelledText]:
    """Labelled texts in two: for training, and at random one in twenty, at most 1,000, for validation.

    A text with a label that no other text has stays for training.

    Raises:
        DataError: fewer than two texts, none that may be held out, or none left of a file.
    """
    sizes = [sum(1 for _ in file.numbered()) for file in files]
    for file, size in zip(files, sizes, strict=True):
        if not size:
            raise no_texts(file.name)
    chosen = held_out(files, sizes, "texts", seed)
    candidates: dict[str, list[LabelledLine]] = {file.digest: [] for file in files}
    known: set[str] = set()
    for digest, file in {file.digest: file for file in files}.items():
        for index, text in enumerate(file.numbered()):
            if index in chosen[digest]:
                candidates[digest].append(text)
            else:
                known.update(text.labels)
    found = {digest: [text for text in texts if known.issuperset(text.labels)] for digest, texts in candidates.items()}
    name = " + ".join(file.name for file in files)
    if not any(found.values()):
        raise DataError(
            f"{name} must have texts to hold out whose labels others have, too; got none among those drawn. "
            "Give --valid a file."
        )
    rest = [_without(file, frozenset(text.line for text in found[file.digest])) for file in files]
    return rest, LabelledText.of(itertools.chain(*found.values()), f"{name} (held out at random)")


def _without(texts: Labelled, lines: frozenset[int]) -> Labelled:
    if isinstance(texts, LabelledFile):
        return replace(texts, without=lines)
    return LabelledText.of((text for text in texts.numbered() if text.line not in lines), texts.name, texts.num_blank)


def language_task(
    training: Sequence[TextFile], valid: Sequence[str], valid_name: str, settings: RunSettings, display: RunDisplay
) -> Task:
    """Running text, for a decoder."""
    check_metric(settings, ["loss", "token_accuracy"])
    tokenizer = learn_tokenizer(training, ["text"], settings.tokenizer, display.on_progress)
    settings = with_model(settings, tokenizer)
    encoded = encode_texts(training, tokenizer, display.on_progress)
    names = _say_sizes("line", training, encoded, valid, valid_name, display)
    stream, valid_stream = encoded.texts.ids, encode_stream(valid, tokenizer)
    for name, ids in ((" + ".join(names), stream), (valid_name, valid_stream)):
        if len(ids) < 2:
            raise DataError(f"{name} must have at least 2 tokens; got {len(ids)}.")
    batch_tokens, context = settings.training.batch_tokens, settings.model.max_positions

    def validate(model: Any) -> Scores:
        scored = label_likelihood(model, windows_in_order(valid_stream, VALID_BATCH_TOKENS, context))
        return {"loss": scored.loss, "token_accuracy": scored.accuracy}

    def sample(model: Any) -> dict[str, Any]:
        writer, words = LanguageModel(model, tokenizer), next(line for line in valid if line.strip()).split()
        prompts = (" ".join(words[:count]) for count in (3, 2, 1, 0))
        prompt = next(text for text in prompts if len(writer.ids_of(text)) <= max(1, context // 2))
        written = writer.generate([prompt], max_tokens=min(60, context))
        return {"texts": [(prompt, written[0], "")]}

    return Task(
        tokenizer,
        settings,
        partial(random_windows, stream, batch_tokens, context, settings.training.seed, release=encoded.texts.release),
        validate,
        lambda loaded: loaded.evaluate(valid),
        {"name": " + ".join(names), "num_lines": len(encoded.texts), "num_tokens": len(stream)},
        {"name": valid_name, "num_lines": len(valid), "num_tokens": len(valid_stream)},
        epoch_steps=len(stream) / batch_tokens / settings.training.accumulation,
        data_digests={"data.training": encoded.digest} | digests(validation=valid_stream),
        sample=sample,
        example=lambda start: encoded.location(
            int(np.searchsorted(encoded.texts.offsets, start, side="right")) - 1, names
        ),
    )


def label_task(
    training: Sequence[Labelled], valid: LabelledText, settings: RunSettings, display: RunDisplay, *, by_word: bool
) -> Task:
    """Texts with a class, or with a tag for each word, for an encoder."""
    check_metric(settings, ["loss", "accuracy"])
    names = [text.name for text in training]
    labels = find_labels(training, display.on_progress)
    if len(labels) < 2:
        raise DataError(f"{' + '.join(names)} must have at least 2 different labels; got {labels}.")
    check_labels(valid, labels)
    if not by_word:
        most = settings.tokenizer.vocab_size * BYTES_TO_A_TOKEN
        settings = with_vocabulary_for(settings, text_bytes(training, most))
    tokenizer = learn_tokenizer(training, ["words"], settings.tokenizer, display.on_progress)
    settings = with_model(settings, tokenizer, labels=labels)
    limit, pad_id, batch_tokens = settings.model.max_positions, tokenizer.pad_id, settings.training.batch_tokens
    encoded = encode_labels(training, tokenizer, labels, limit, display.on_progress, by_word=by_word)
    _say_sizes("text", training, encoded, valid, valid.name, display)
    texts = encoded.labelled(by_word=by_word)
    valid_texts = encode_labelled(valid, tokenizer, labels, limit, by_word=by_word)
    pool = _some_lengths(texts.ids)

    def validate(model: Any) -> Scores:
        scored = label_likelihood(model, labelled_in_order(valid_texts, VALID_BATCH_TOKENS, pad_id=pad_id))
        return {"loss": scored.loss, "accuracy": scored.accuracy}

    return Task(
        tokenizer,
        settings,
        partial(labelled_training_batches, texts, batch_tokens, settings.training.seed, pad_id=pad_id),
        validate,
        lambda loaded: loaded.evaluate(valid.texts, valid.labels),
        {"name": " + ".join(names), "num_texts": len(texts), "num_labels": len(labels)},
        {"name": valid.name, "num_texts": len(valid)},
        *planned([pool], pool, settings.training, len(texts)),
        doubts(training, labels, len(texts)) + _cut(texts.ids, limit, " + ".join(names)),
        data_digests={"data.training": encoded.digest}
        | digests(validation=valid_texts.ids, validation_labels=valid_texts.labels),
        example=lambda index: encoded.location(index, names),
    )


def masked_task(
    training: Sequence[TextFile], valid: Sequence[str], valid_name: str, settings: RunSettings, display: RunDisplay
) -> Task:
    """Lines of text with words hidden, for an encoder."""
    check_metric(settings, ["loss", "accuracy"])
    learnt = settings.tokenizer.model_copy(update={"with_mask": True})
    tokenizer = learn_tokenizer(training, ["text"], learnt, display.on_progress)
    settings = with_model(settings.model_copy(update={"tokenizer": learnt}), tokenizer)
    assert tokenizer.mask_id is not None
    masking = Masking(tokenizer.mask_id, tokenizer.mask_id + 1, len(tokenizer))
    limit, pad_id = settings.model.max_positions, tokenizer.pad_id
    encoded = encode_texts(training, tokenizer, display.on_progress, limit=limit)
    names = _say_sizes("line", training, encoded, valid, valid_name, display)
    ids, valid_ids = encoded.texts, encode_words([[line] for line in valid], tokenizer, limit)[0]
    if not len(ids) or not len(valid_ids):
        both = f"{' + '.join(names)} and {valid_name}"
        raise DataError(f"{both} must both have lines of text; got {len(ids)} and {len(valid_ids)}.")
    if not (valid_ids.ids >= masking.first_ordinary_id).any():
        raise DataError(f"{valid_name} must have a word that {' + '.join(names)} has, too; got none to hide.")
    pool = _some_lengths(ids)
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
        partial(masked_training_batches, ids, masking, batch_tokens, settings.training.seed, pad_id=pad_id),
        validate,
        evaluate,
        {"name": " + ".join(names), "num_lines": len(ids), "num_tokens": len(ids.ids)},
        {"name": valid_name, "num_lines": len(valid), "num_tokens": len(valid_ids.ids)},
        *planned([pool], pool, settings.training, len(ids)),
        _cut(ids, limit, " + ".join(names)),
        data_digests={"data.training": encoded.digest} | digests(validation=valid_ids),
        example=lambda index: encoded.location(index, names),
    )


def _say_sizes(
    what: str,
    training: Sequence[TextFile] | Sequence[Labelled],
    encoded: EncodedCorpora,
    valid: Sequence[str] | LabelledText,
    valid_name: str,
    display: RunDisplay,
) -> list[str]:
    """Tell how many lines or texts each file has; the names of those for training."""
    blank = [_num_blank(text, size) for text, size in zip(training, encoded.part_sizes, strict=True)]
    sizes = [*zip((text.name for text in training), encoded.part_sizes, blank, strict=True)]
    in_valid = valid.num_blank if isinstance(valid, LabelledText) else 0
    for name, size, num_blank in [*sizes, (valid_name, len(valid), in_valid)]:
        display.say(f"{counted(size, what)} from {name}" + (f" ({num_blank:,} blank left out)" if num_blank else ""))
    return [name for name, *_ in sizes]


def _num_blank(text: TextFile | Labelled, size: int) -> int:
    """How many blank lines were left out of a text, of which `size` lines or texts were read."""
    if isinstance(text, LabelledText):
        return text.num_blank
    if isinstance(text, LabelledFile):
        return 0 if text.by_word else text.num_lines - size - len(text.without)
    return 0 if text.with_blank else text.num_lines - size


def _some_lengths(ids: Sequences) -> np.ndarray:
    """The lengths of some texts, drawn at random."""
    return ids.lengths_of(shuffled(len(ids))(np.random.default_rng(0))[:POOL])


def _cut(ids: Sequences, limit: int, name: str) -> list[str]:
    """What to say where texts fill all positions: whatever stood behind them was cut off."""
    full = int((ids.lengths >= limit).sum())
    fill = f"{counted(full, 'text')} of {name} {'fills' if full == 1 else 'fill'} all {limit} positions"
    return [f"{fill}: longer ones are cut there"] if full else []
