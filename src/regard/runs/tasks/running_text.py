"""Running text: for decoders, which predict each next token, and for encoders, which predict tokens that were hidden."""

from __future__ import annotations

import itertools
import math
import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from regard.data.batching import Masking, masked_in_order, masked_training_batches
from regard.data.encoding import encode_texts, learn_tokenizer
from regard.data.labelled import encode_words
from regard.data.sequences import Sequences
from regard.data.text_streams import (
    TextFile,
    encode_stream,
    find_texts,
    hold_out_end,
    random_windows,
    read_text,
    windows_in_order,
)
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import LabelLikelihood, label_likelihood
from regard.pipelines.language_model import LanguageModel
from regard.runs.progress import RunDisplay
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.in_memory import names_of, refuse
from regard.runs.tasks.initial_model import InitialModel
from regard.runs.tasks.task import (
    VALID_BATCH_TOKENS,
    Inputs,
    Task,
    cut_texts,
    digests,
    planned,
    say_sizes,
    some_lengths,
)
from regard.text.tokenizer import Tokenizer
from regard.training.training_run import Scores


class TextTask(Task):
    """Text files: what both kinds of training on running text have in common."""

    with_blank: ClassVar[bool]
    """Whether blank lines are read, as breaks between paragraphs."""
    with_mask: ClassVar[bool]
    """Whether the vocabulary has a token that hides others, and texts are cut to the model's length."""
    asked_for: ClassVar[str]
    """The option that asks for this task."""

    def __init__(
        self,
        training: Sequence[TextFile],
        valid: Sequence[str],
        valid_name: str,
        settings: RunSettings,
        display: RunDisplay,
        initial: InitialModel | None = None,
    ) -> None:
        """Learn the vocabulary and encode the texts.

        Args:
            initial: what to begin with; None: a new model, with a vocabulary learnt from the texts.
        Raises:
            DataError: too little text to learn from, or to measure on.
        """
        super().__init__(settings)
        self.valid = valid
        if self.with_mask:
            learnt = settings.tokenizer.model_copy(update={"with_mask": True})
            self.settings = settings.model_copy(update={"tokenizer": learnt})
        if initial is None:
            self.tokenizer = learn_tokenizer(training, ["text"], self.settings.tokenizer, display.on_progress)
            self.learn_sizes()
        else:
            self.initialize_from(initial)
        if self.with_mask:
            self._masking = _masking(self.tokenizer)
        limit = settings.model.max_positions if self.with_mask else None
        self._encoded = encode_texts(training, self.tokenizer, display.on_progress, limit=limit)
        self.warn_of_unknown_tokens(initial, text=(valid, self.tokenizer))
        self._names = say_sizes("line", training, self._encoded, valid, valid_name, display)
        name, held = " + ".join(self._names), self._take_texts(valid_name)
        num_tokens, texts = len(self._encoded.texts.ids), self._encoded.texts
        self.training_facts = {"name": name, "num_lines": len(texts), "num_tokens": num_tokens}
        held_ids = held.ids if isinstance(held, Sequences) else held
        self.validation_facts = {"name": valid_name, "num_lines": len(valid), "num_tokens": len(held_ids)}
        self.data_digests = {"data.training": self._encoded.digest} | digests(validation=held)

    @abstractmethod
    def _take_texts(self, valid_name: str) -> Sequences | np.ndarray:
        """Check what was encoded, and prepare it for training and validation; the ids of the validation texts.

        Raises:
            DataError: too little text to learn from, or to measure on.
        """

    @classmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> TextTask:
        """The task of text files.

        Raises:
            DataError: rows or a table in place of files, or files that cannot be read.
        """
        for given in (inputs.training, inputs.valid):
            refuse(given if given is not None else (), cls.asked_for)
        names = names_of(inputs.training)
        texts = find_texts(names, with_blank=cls.with_blank)
        if inputs.for_own_loop:
            return cls(texts, [], "no validation", settings, display, inputs.initial)
        if inputs.valid is None:
            name = " + ".join(os.fspath(name) for name in names)
            texts, valid = hold_out_end(texts)
            return cls(texts, valid, f"{name} (its end)", settings, display, inputs.initial)
        valid_names = names_of(inputs.valid, "valid")
        valid = [line for line in read_text(valid_names) if cls.with_blank or line.strip()]
        return cls(texts, valid, " + ".join(os.fspath(name) for name in valid_names), settings, display, inputs.initial)


class LanguageTask(TextTask):
    """Running text, for a decoder: each next token is predicted."""

    metrics = ("loss", "token_accuracy")
    with_blank, with_mask = True, False
    asked_for = "--arch decoder"

    def _take_texts(self, valid_name: str) -> np.ndarray:
        self._stream, self._valid_stream = self._encoded.texts.ids, encode_stream(self.valid, self.tokenizer)
        for of, ids in ((" + ".join(self._names), self._stream), (valid_name, self._valid_stream)):
            if len(ids) < 2 and (ids is self._stream or self.valid):  # none could be predicted
                raise DataError(f"{of} must have at least 2 tokens; got {len(ids)}.")
        training = self.settings.training
        self.epoch_steps = len(self._stream) / training.batch_tokens / training.accumulation
        return self._valid_stream

    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Windows that begin anywhere."""
        training = self.settings.training
        sizes = training.batch_tokens, self.settings.model.max_positions, training.seed
        release = self._encoded.texts.release
        return random_windows(self._stream, *sizes, release=release, start=start, shard=shard)

    def epochs(self, count: int, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """As many windows as have all tokens so many times."""
        num_batches = math.ceil(count * self.epoch_steps * self.settings.training.accumulation)
        return itertools.islice(self.batches(start, shard), max(num_batches - start[1], 0))

    def validate(self, model: Any) -> Scores:
        """Nats per token, and the share of tokens that are right."""
        context = self.settings.model.max_positions
        scored = label_likelihood(model, windows_in_order(self._valid_stream, VALID_BATCH_TOKENS, context))
        return {"loss": scored.loss, "token_accuracy": scored.accuracy}

    def evaluate(self, loaded: Any) -> dict[str, Any]:
        """The scores of a `LanguageModel`."""
        return loaded.evaluate(self.valid)

    def sample(self, model: Any) -> dict[str, Any]:
        """The continuation of the first words of the validation text."""
        writer, context = LanguageModel(model, self.tokenizer), self.settings.model.max_positions
        words = next(line for line in self.valid if line.strip()).split()
        prompts = (" ".join(words[:count]) for count in (3, 2, 1, 0))
        prompt = next(text for text in prompts if len(writer.ids_of(text)) <= max(1, context // 2))
        written = writer.generate([prompt], max_tokens=min(60, context))
        return {"texts": [(prompt, written[0], "")]}

    def example(self, index: int) -> str:
        """The file and line of a token of the stream."""
        line = int(np.searchsorted(self._encoded.texts.offsets, index, side="right")) - 1
        return self._encoded.location(line, self._names)


class MaskedTask(TextTask):
    """Lines of text with words hidden, for an encoder."""

    metrics = ("loss", "accuracy")
    with_blank, with_mask = False, True
    asked_for = "--task mlm"

    def _take_texts(self, valid_name: str) -> Sequences:
        limit = self.settings.model.max_positions
        ids, name = self._encoded.texts, " + ".join(self._names)
        rows, _, _ = encode_words([[line] for line in self.valid], self.tokenizer, limit)
        self._valid_ids = Sequences.from_lists(rows)
        if not len(ids) or (self.valid and not len(self._valid_ids)):
            both = f"{name} and {valid_name}"
            raise DataError(f"{both} must both have lines of text; got {len(ids)} and {len(self._valid_ids)}.")
        if self.valid and not (self._valid_ids.ids >= self._masking.first_ordinary_id).any():
            raise DataError(f"{valid_name} must share a word with {name}, to be masked; they share none.")
        pool = some_lengths(ids)
        self.padding, self.epoch_steps = planned([pool], pool, self.settings.training, len(ids))
        self.notes += cut_texts(ids, limit, name)
        return self._valid_ids

    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Lines of similar length together, with other words hidden in each epoch."""
        training, pad_id = self.settings.training, self.tokenizer.pad_id
        sizes = training.batch_tokens, training.seed
        return masked_training_batches(
            self._encoded.texts, self._masking, *sizes, pad_id=pad_id, start=start, shard=shard
        )

    def validate(self, model: Any) -> Scores:
        """Nats per hidden token, and the share of them that are right."""
        scored = self._likelihood(model)
        return {"loss": scored.loss, "accuracy": scored.accuracy}

    def _likelihood(self, model: Any) -> LabelLikelihood:
        pad_id = self.tokenizer.pad_id
        batches = masked_in_order(self._valid_ids, self._masking, VALID_BATCH_TOKENS, pad_id=pad_id)
        return label_likelihood(model, batches)

    def evaluate(self, loaded: Any) -> dict[str, Any]:
        """The scores of a `Predictor` on the same hidden tokens."""
        scored = self._likelihood(loaded.model)
        perplexity = math.exp(min(scored.loss, 700.0))
        return {"accuracy": scored.accuracy, "perplexity": perplexity, "num_labels": scored.num_labels}

    def example(self, index: int) -> str:
        """The file and line of a text."""
        return self._encoded.location(index, self._names)


def _masking(tokenizer: Tokenizer) -> Masking:
    """The ids that hide tokens: the mask, or any ordinary token.

    Raises:
        SettingsError: the vocabulary has no mask.
    """
    mask, size = tokenizer.mask_id, len(tokenizer)
    if mask is None:
        raise SettingsError("`--task mlm` needs a vocabulary with a mask; that of the model in `--from` has none.")
    symbols = [
        id for id in (*tokenizer.symbols.banned_ids, tokenizer.eos_id, tokenizer.pad_id, mask) if 0 <= id < size // 2
    ]
    return Masking(mask, max(symbols, default=-1) + 1, size)
