"""Texts with a class, or with a tag for each word, for an encoder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypedDict, cast

from regard.data.batching import labelled_in_order, labelled_training_batches
from regard.data.encoding import encode_labels, find_labels, learn_tokenizer
from regard.data.labelled import (
    LabelledData,
    LabelledFile,
    LabelledLine,
    LabelledText,
    are_all_pairs,
    check_labels,
    find_labelled,
    format_warnings,
    no_texts,
    read_labelled,
    text_bytes,
    unknown_label,
)
from regard.errors import DataError
from regard.evaluation.likelihood import label_likelihood
from regard.models.config import EncoderDecoderClassifierConfig, LabelledConfig
from regard.runs.progress import RunDisplay
from regard.runs.settings.defaults import (
    BYTES_TO_A_TOKEN,
    DROPOUT,
    DROPOUT_OF_FEW,
    FEW_TEXTS,
    with_dropout_for,
    with_vocabulary_for,
)
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.in_memory import is_in_memory, labelled_of, names_of
from regard.runs.tasks.initial_model import InitialModel
from regard.runs.tasks.task import (
    VALID_BATCH_TOKENS,
    Inputs,
    Task,
    cut_texts,
    digests,
    held_out,
    planned,
    say_sizes,
    some_lengths,
)
from regard.text.tokenizer import Tokenizer
from regard.training.training_run import Scores

SEPARATORS = "model.pair_separators"
"""The setting that makes pairs of texts."""


class Kind(TypedDict):
    """The arguments of `encode_labels` that say what a label is of."""

    by_word: bool
    separators: int


class LabelTask(Task):
    """Texts with labels: what classes of texts and tags of words have in common."""

    metrics = ("loss", "accuracy")
    are_examples_fixed = True
    by_word: ClassVar[bool]
    """Whether each word has a label, or each text."""

    def __init__(
        self,
        training: Sequence[LabelledData],
        valid: LabelledText,
        settings: RunSettings,
        display: RunDisplay,
        initial: InitialModel | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Learn the vocabulary and encode the texts.

        Args:
            initial: what to begin with; None: a new model, with a vocabulary learnt from the texts.
            labels: those that the texts may have; None: those that the training texts have.

        Raises:
            DataError: fewer than two labels, or a text with another one.
        """
        super().__init__(settings)
        by_word, self.valid = self.by_word, valid
        self._names = [text.name for text in training]
        name = " + ".join(self._names)
        found = find_labels(training, display.on_progress)
        labels = found if labels is None else [*labels]
        if unknown := sorted({*found} - {*labels}):
            raise unknown_label(name, unknown[0], labels)
        if len(labels) < 2:
            raise DataError(f"{name} must have at least 2 different labels; got {labels}.")
        check_labels(valid, labels)
        if not by_word and initial is None:
            most = settings.tokenizer.vocab_size * BYTES_TO_A_TOKEN
            self.settings = with_dropout_for(settings, sum(text.num_lines for text in training))
            if self.settings is not settings:
                display.say(f"fewer than {FEW_TEXTS:,} texts: {DROPOUT}={DROPOUT_OF_FEW}")
            self.settings = with_vocabulary_for(self.settings, text_bytes(training, most))
        separators = 0 if by_word else separators_of(settings)
        if initial is None:
            self.tokenizer = learn_tokenizer(training, ["words"], self.settings.tokenizer, display.on_progress)
            self.learn_sizes(labels=labels, **_symbols(settings, self.tokenizer, separators))
        else:
            self.initialize_from(initial, labels=labels, **_symbols(settings, initial.loaded.tokenizer, separators))
        limit = self.settings.model.max_positions
        kind = Kind(by_word=by_word, separators=separators)
        self._encoded = encode_labels(training, self.tokenizer, labels, limit, display.on_progress, **kind)
        self.warn_of_unknown_tokens(initial, text=([" ".join(words) for words in valid.texts], self.tokenizer))
        say_sizes("text", training, self._encoded, valid, valid.name, display)
        self._texts = self._encoded.labelled(by_word=by_word)
        held = encode_labels([valid], self.tokenizer, labels, limit, lambda *_: None, **kind)
        self._valid_texts = held.labelled(by_word=by_word)
        pool = some_lengths(self._texts.ids)
        self.training_facts = {"name": name, "num_texts": len(self._texts), "num_labels": len(labels)}
        self.validation_facts = {"name": valid.name, "num_texts": len(valid)}
        self.padding, self.epoch_steps = planned([pool], pool, settings.training, len(self._texts))
        self.notes += format_warnings(training, labels, len(self._texts)) + cut_texts(self._texts.ids, limit, name)
        self.data_digests = {"data.training": self._encoded.digest}
        self.data_digests |= digests(validation=self._valid_texts.ids, validation_labels=self._valid_texts.labels)

    @classmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> LabelTask:
        """The task of files or rows of labels and texts."""

        training: Sequence[LabelledData]
        if is_in_memory(inputs.training):
            training = [labelled_of(inputs.training, inputs.columns, by_word=cls.by_word)]
        else:
            training = find_labelled(names_of(inputs.training), by_word=cls.by_word)
        settings = settings if cls.by_word else with_pairs(settings, training, display)
        pairs = not cls.by_word and separators_of(settings) > 0
        training = [each.as_pairs() for each in training] if pairs else training

        def held(given: Any) -> LabelledText:
            if not is_in_memory(given):
                return read_labelled(names_of(given, "valid"), by_word=cls.by_word, pairs=pairs)
            text = labelled_of(given, inputs.columns, by_word=cls.by_word, validates=True)
            return text.as_pairs() if pairs else text

        if inputs.for_own_loop:
            labels = inputs.initial.loaded.model.class_names if inputs.initial is not None else None
            empty = LabelledText([], [], "no validation")
            return cls(training, empty, settings, display, inputs.initial, labels)
        if inputs.valid is not None:
            return cls(training, held(inputs.valid), settings, display, inputs.initial)
        return cls(*hold_out_labelled(training, less=settings.holds_out_less), settings, display, inputs.initial)

    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Texts of similar length together."""
        training, pad_id = self.settings.training, self.tokenizer.pad_id
        sizes = training.batch_tokens, training.seed
        return labelled_training_batches(self._texts, *sizes, pad_id=pad_id, start=start, shard=shard)

    def validate(self, model: Any) -> Scores:
        """Nats per label, and the share of labels that are right."""
        batches = labelled_in_order(self._valid_texts, VALID_BATCH_TOKENS, pad_id=self.tokenizer.pad_id)
        scored = label_likelihood(model, batches)
        return {"loss": scored.loss, "accuracy": scored.accuracy}

    def evaluate(self, loaded: Any) -> dict[str, Any]:
        """The scores of a `Predictor`."""
        return loaded.evaluate(self.valid.texts, self.valid.labels)

    def example(self, index: int) -> str:
        """The file and line of a text."""
        return self._encoded.location(index, self._names)


def separators_of(settings: RunSettings) -> int:
    """The number of end symbols between the texts of a pair; 0: no text is a pair."""
    return cast("LabelledConfig", settings.model).pair_separators


def _symbols(settings: RunSettings, tokenizer: Tokenizer, separators: int) -> dict[str, int]:
    """The settings of a model that are ids of symbols."""
    found = {"separator_id": tokenizer.eos_id if separators else -1}
    if isinstance(settings.model, EncoderDecoderClassifierConfig):
        found["start_id"] = tokenizer.symbols.start_ids[0]
    return found


def with_pairs(settings: RunSettings, training: Sequence[LabelledData], display: RunDisplay) -> RunSettings:
    """The settings for texts that are pairs, if all of them are and nobody said what a tab means."""
    if SEPARATORS in settings.explicit or separators_of(settings) or not are_all_pairs(training):
        return settings
    display.say(f"each text is two, which a tab separates: {SEPARATORS}=1 (0: a tab is part of a text)")
    return settings.changed({SEPARATORS: 1}, [SEPARATORS])


class ClassifyTask(LabelTask):
    """Texts with a class each."""

    by_word = False
    usual_metric = "accuracy"  # the loss of a classifier rises again long before


class TagTask(LabelTask):
    """Texts with a tag for each word."""

    by_word = True


def hold_out_labelled(
    files: Sequence[LabelledData], seed: int = 1, *, less: bool = True
) -> tuple[list[LabelledData], LabelledText]:
    """Labelled texts in two: for training, and at random one in twenty, at most 1,000, for validation; of fewer than 2,000, one
    in forty, where `less`.

    A text with a label that no other text has stays for training.

    Raises:
        DataError: fewer than two texts, none that may be held out, or none left of a file.
    """
    sizes = [sum(1 for _ in file.numbered()) for file in files]
    for file, size in zip(files, sizes, strict=True):
        if not size:
            raise no_texts(file.name)
    chosen = held_out(files, sizes, "texts", seed, less=less)
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
            f"{name} must have texts to hold out whose labels other texts have, too; none was found at random. "
            "Give --valid a file."
        )
    rest = [_without(file, frozenset(text.line for text in found[file.digest])) for file in files]
    return rest, LabelledText.from_lines(itertools.chain(*found.values()), f"{name} (held out at random)")


def _without(texts: LabelledData, lines: frozenset[int]) -> LabelledData:
    if isinstance(texts, LabelledFile):
        return replace(texts, without=lines)
    return LabelledText.from_lines(
        (text for text in texts.numbered() if text.line not in lines), texts.name, texts.num_blank
    )
