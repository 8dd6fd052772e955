"""The base of tasks, and functions that all of them use."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch

from regard.checkpoint import LoadedModel, sizes_of_vocabulary, with_tokens
from regard.data.batching import POOL, plan_batches, shuffled
from regard.data.encoding import Corpora
from regard.data.labelled import LabelledData, LabelledFile, LabelledText
from regard.data.sequences import Sequences
from regard.data.store import EncodedCorpora
from regard.data.text_streams import TextFile
from regard.errors import DataError, SettingsError, nearest_hint, printable
from regard.models.interface import Model
from regard.runs.progress import RunDisplay
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.initial_model import (
    MANY_UNKNOWN,
    MOST_NAMED,
    InitialModel,
    begin_new_languages,
    build_initialized,
    option_that_adds,
    without_languages,
)
from regard.text.tokenizer import Tokenizer
from regard.text.unknown_tokens import unknown_tokens
from regard.text.wording import counted
from regard.training.objectives.distillation import Teacher
from regard.training.training_config import TrainingConfig
from regard.training.training_run import Scores

LARGEST_HOLD_OUT, LEAST_HOLD_OUT, FEW_TO_HOLD_OUT = 1000, 10, 2000
VALID_BATCH_TOKENS = 4096


@dataclass(frozen=True)
class Inputs:
    """The inputs of a run."""

    training: Any
    """Names of files, a list even of one; rows; or a table."""
    valid: Any = None
    """The same for validation; None: a share of `training` is held out."""
    columns: Sequence[str] | None = None
    """The names of the two columns of a table."""
    initial: InitialModel | None = None
    """The model to begin with; None: a new model, with vocabularies learnt from the data."""
    for_own_loop: bool = False
    """Whether a loop of the user's own trains the model: on all of `training`, without validation, and with the labels that
    the model has."""

    def __post_init__(self) -> None:
        for side in ("training", "valid"):
            if isinstance(given := getattr(self, side), str | os.PathLike):  # which must not be read letter by letter
                object.__setattr__(self, side, [given])


class Task(ABC):
    """A task: encoded data, the settings that they decide, and the scores of a model.

    A task of your own derives from this class, and is made known by `regard.extending.add_task`.
    """

    metrics: tuple[str, ...] = ("loss",)
    """The scores that `validate` gives: what `training.metric` may be."""
    usual_metric: ClassVar[str | None] = None
    """The score that decides which weights are kept, unless the user chooses one; None: the preset's."""
    name: str | None = None
    """The name in `--task`; None: it is asked for by its family alone."""

    tokenizer: Tokenizer
    """The tokenizer of the texts, or of the targets."""
    training_facts: dict[str, Any]
    """The facts on the training data in `results.json`: their `name`, and counts."""
    validation_facts: dict[str, Any]
    source_tokenizer: Tokenizer | None = None
    """Where the source has a vocabulary of its own."""
    initial: Model | None = None
    """The model to begin with; None: a new one."""
    base: LoadedModel | None = None
    """The model in `--from`, as it was, where an adapter of it learns."""
    new_parameters: Sequence[str] = ()
    """The names of its parameters that must learn, as the model in `--from` has none of them, or for other labels."""
    adds_tokens: bool = False
    """Whether the vocabulary has tokens that the model in `--from` does not have."""
    begun_with: str | None = None
    """The name of the model that it began with."""
    pretrained_parts: tuple[str, str] | None = None
    """The names of the encoder and the decoder that its model was put together from."""
    has_given_vocabulary: bool = False
    """Whether its vocabulary is that of another model, and was not learnt from its data."""
    teacher: Teacher | None = None
    """A model that it learns from, beside the labels."""
    taught_by: str | None = None
    """The name of its folder."""
    are_examples_fixed: bool = False
    """Whether an example, by its index, is the same whenever it is read, with as many labels."""
    padding: float = 0.0
    """The share of positions that are padding."""
    epoch_steps: float = math.inf
    """The number of steps in an epoch, nearly."""

    def __init__(self, settings: RunSettings) -> None:
        """Begin with settings that the data may change: sizes of the vocabulary, names of labels.

        Raises:
            SettingsError: `training.metric` is none of the scores that validation gives.
        """
        if (metric := settings.training.metric) not in self.metrics:
            hint = nearest_hint(metric, self.metrics)
            choices = ", ".join(self.metrics)
            raise SettingsError(
                f"training.metric must be one that this kind of training measures: {choices}; got {metric}. {hint}"
            )
        self.settings = settings
        self.notes: list[str] = []
        """Notes for the user."""
        self.num_processes = 0
        """Processes that make batches ahead, where those take long to make."""
        self.data_digests: dict[str, str] = {}
        """Checksums of the data as ids, by what they are for."""

    @classmethod
    @abstractmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> Task:
        """The task of some data: files are read, vocabularies learnt, texts encoded."""

    @abstractmethod
    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Batches without an end.

        Args:
            start: a `BatchCursor`: the epoch and the number of the batch to begin with.
            shard: which rows of each batch are read here: those of process r of n.
        """

    def epochs(self, count: int, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """The batches of so many epochs. The arguments are those of `batches`."""
        return itertools.takewhile(lambda batch: batch.next_cursor[0] < count, self.batches(start, shard))

    @abstractmethod
    def validate(self, model: Any) -> Scores:
        """The scores of a model on the validation data, `metrics` by name."""

    def loss(self, model: Any) -> float:
        """The loss among these scores, alone."""
        return self.validate(model)["loss"]

    @abstractmethod
    def evaluate(self, loaded: Any) -> dict[str, Any]:
        """All scores of the finished, loaded model on the validation data."""

    def sample(self, model: Any) -> dict[str, Any]:
        """The output of a model for some fixed examples: `texts` of source, output, reference; `alignment` of the first."""
        return {}

    def example(self, index: int) -> str:
        """Where an example stands, in words, by its index."""
        return f"example {index}"

    @property
    def stored_tokenizers(self) -> tuple[Tokenizer, Tokenizer | None]:
        """The tokenizers that a model folder gets: of the texts or targets, and of the sources if they have their own."""
        return self.tokenizer, self.source_tokenizer

    def initialize_from(self, initial: InitialModel, **decided: Any) -> None:
        """Begin with a model: take its vocabulary; and its weights, but for what `decided` makes new, such as `labels`."""
        self.has_given_vocabulary = True
        loaded = with_tokens(
            without_languages(initial.loaded, self.settings.data.directions), self.settings.tokenizer.add
        )
        before = initial.loaded
        tokenizers = zip(loaded[1:], before[1:], strict=True)
        self.adds_tokens = any(len(after) > len(known) for after, known in tokenizers)
        if self.adds_tokens and self.settings.adapter.rank is not None and self.settings.data.directions is not None:
            raise SettingsError(
                f"an adapter has the languages of its base; got `data.directions`, whose tags it does not have: "
                f"{', '.join(self.settings.tokenizer.add)}. Remove `adapter.rank`: then all weights learn."
            )
        self.tokenizer, self.source_tokenizer = loaded.tokenizer, loaded.source_tokenizer
        if not initial.has_weights:
            self.learn_sizes(**sizes_of_vocabulary(self.settings.model, loaded), **decided)
            return
        grown = sizes_of_vocabulary(loaded.model.config, loaded) if self.settings.tokenizer.add else {}
        config = self.settings.model.model_copy(update={**grown, **decided})
        self.base = None if self.settings.adapter.rank is None else initial.loaded
        self.settings = self.settings.model_copy(update={"model": config})
        self.initial, self.new_parameters, note = build_initialized(loaded, config, self.settings.training.seed)
        begin_new_languages(self.initial, initial.loaded, loaded)
        self.notes += [note] if note else []

    def warn_of_unknown_tokens(self, initial: InitialModel | None, **texts: tuple[Sequence[str], Tokenizer]) -> None:
        """Tell the user where the vocabulary of the model to begin with lacks much of the texts.

        Args:
            texts: by a word for them, such as `source`, with the tokenizer that cuts them.
        """
        if initial is None:
            return
        found, lacking = [], list[str]()
        for what, (lines, tokenizer) in texts.items():
            share, letters = unknown_tokens(lines, tokenizer)
            if share >= MANY_UNKNOWN:
                named = f", such as {printable(', '.join(letters[:MOST_NAMED]))}" if letters else ""
                found.append(f"{share:.0%} of the tokens of the {what}s are unknown to the model's vocabulary{named}")
                lacking += letters
        if found and initial.has_weights:
            option = option_that_adds([*dict.fromkeys(lacking)])
            if option is not None:
                found.append(f"to add them: {option}")
            found.append("a new model learns a vocabulary of its own: leave out --from")
        self.notes += found

    def learn_sizes(self, **decided: Any) -> None:
        """Take over what the vocabulary decides of the model, and what else is given."""
        sizes = {"vocab_size": len(self.tokenizer), "pad_id": self.tokenizer.pad_id, **decided}
        model = self.settings.model.model_copy(update=sizes)
        self.settings = self.settings.model_copy(update={"model": model})


def digests(**sequences: Sequences | np.ndarray) -> dict[str, str]:
    """Checksums of data, by the names that messages about a difference use."""
    return {
        f"data.{name}": hashlib.sha256(ids.tobytes()).hexdigest() if isinstance(ids, np.ndarray) else ids.digest
        for name, ids in sequences.items()
    }


def planned(
    lengths: Sequence[np.ndarray], counted: np.ndarray, training: TrainingConfig, num_examples: int
) -> tuple[float, float]:
    """An estimate for batches of all examples, by the lengths of some of them: the share of positions that are
    padding, of those sequences that are `counted`; and the steps of an epoch.
    """
    batches = plan_batches(lengths, training.batch_tokens)
    positions = sum(len(rows) * int(counted[rows].max()) for rows in batches)
    num_batches = len(batches) * num_examples / len(counted)
    return 1 - int(counted.sum()) / positions, num_batches / training.accumulation


def held_out(corpora: Corpora, sizes: Sequence[int], what: str, seed: int, *, less: bool = True) -> dict[str, set[int]]:
    """Which things of each corpus, counted from 0, are held out: at random one in twenty of all, at most 1,000; of fewer than
    `FEW_TO_HOLD_OUT`, one in forty, but not fewer than `LEAST_HOLD_OUT` if that is one in twenty.

    By the corpora's checksums, so that of equal ones the same are held out, and none is trained on in the other.

    Args:
        sizes: how many things each corpus has.
        less: whether one in forty is held out of few; else one in twenty.
    Raises:
        DataError: there are fewer than two in all, or none would be left of a corpus.
    """
    count = sum(sizes)
    if count < 2:
        name = " + ".join(corpus.name for corpus in corpora)
        raise DataError(f"{name} must have at least 2 {what}, to hold one out for validation; got {count}.")
    size = count // 20
    if less and count < FEW_TO_HOLD_OUT:
        size = min(size, max(count // 40, LEAST_HOLD_OUT))
    size = min(max(size, 1), LARGEST_HOLD_OUT)
    ends, chosen = np.cumsum(sizes), defaultdict[str, set[int]](set)
    for index in torch.randperm(count, generator=torch.Generator().manual_seed(seed))[:size].tolist():
        at = int(np.searchsorted(ends, index, side="right"))
        chosen[corpora[at].digest].add(index - int(ends[at] - sizes[at]))
    for corpus, size in zip(corpora, sizes, strict=True):
        if size and len(chosen[corpus.digest]) == size:
            raise DataError(
                f"{corpus.name} must have {what} left to train on; all of its {size} were held out for validation. "
                "Give --valid a file."
            )
    return {corpus.digest: chosen[corpus.digest] for corpus in corpora}


def say_sizes(
    what: str,
    training: Sequence[TextFile] | Sequence[LabelledData],
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


def _num_blank(text: TextFile | LabelledData, size: int) -> int:
    """The number of blank lines left out of a text, of which `size` lines or texts were read."""
    if isinstance(text, LabelledText):
        return text.num_blank
    if isinstance(text, LabelledFile):
        return 0 if text.by_word else text.num_lines - size - len(text.without)
    return 0 if text.with_blank else text.num_lines - size


def some_lengths(ids: Sequences) -> np.ndarray:
    """The lengths of some texts, drawn at random."""
    return ids.lengths_of(shuffled(len(ids))(np.random.default_rng(0))[:POOL])


def cut_texts(ids: Sequences, limit: int, name: str) -> list[str]:
    """Hints for the user where texts fill all positions, and the rest was cut off."""
    full = int((ids.lengths >= limit).sum())
    fill = f"{counted(full, 'text')} of {name} {'fills' if full == 1 else 'fill'} all {limit} positions"
    return [f"{fill}: longer ones are cut there"] if full else []
