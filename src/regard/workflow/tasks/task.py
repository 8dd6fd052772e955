"""What a run knows of its data, and what all kinds of data have in common."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from regard.data.batching import plan_batches
from regard.data.encoding import Corpora
from regard.data.sequences import Sequences
from regard.errors import DataError, SettingsError
from regard.models.families import AnyModel
from regard.text.tokenizer import Tokenizer
from regard.training.optimization import TrainingConfig
from regard.training.run import Scores
from regard.workflow.settings import RunSettings

LARGEST_HOLD_OUT = 1000
VALID_BATCH_TOKENS = 4096


@dataclass(frozen=True)
class Task:
    """What a run needs to know of its data."""

    tokenizer: Tokenizer
    """Of the texts, or of the targets."""
    settings: RunSettings
    """With what the data decide: sizes of the vocabulary, names of labels."""
    batches: Callable[..., Iterator[Any]]
    """Endless; of `start`, a `BatchCursor`, and `shard`, the rows of each batch that are read here."""
    validate: Callable[[Any], Scores]
    """The scores of a model on the validation data; `loss` decides which weights are kept."""
    evaluate: Callable[[Any], dict[str, Any]]
    """All scores of the finished, loaded model on the validation data."""
    training_facts: dict[str, Any]
    validation_facts: dict[str, Any]
    padding: float = 0.0
    """The share of positions that are padding."""
    epoch_steps: float = math.inf
    """How many steps it takes to see all data once, nearly."""
    notes: list[str] = field(default_factory=list)
    """What the user should be told."""
    source_tokenizer: Tokenizer | None = None
    """Where the source has a vocabulary of its own."""
    initial: AnyModel | None = None
    """The model to go on from; None: a new one."""
    data_digests: dict[str, str] = field(default_factory=dict)
    """Checksums of the data as ids, by what they are for."""
    sample: Callable[[Any], dict[str, Any]] | None = None
    """What a model makes of some fixed examples: `texts` of source, what it wrote, reference; `alignment` of the first."""
    example: Callable[[int], str] = "example {}".format
    """Where an example stands, in words, by its index."""


def check_metric(settings: RunSettings, measured: Sequence[str]) -> None:
    """Make sure that validation measures what decides.

    Raises:
        SettingsError: it does not.
    """
    if (metric := settings.training.metric) not in measured:
        raise SettingsError(
            f"training.metric must be one that this kind of training measures: {', '.join(measured)}; got {metric}."
        )


def digests(**sequences: Sequences | np.ndarray) -> dict[str, str]:
    """Checksums of data, by the names that messages about a difference use."""
    return {
        f"data.{name}": hashlib.sha256(ids.tobytes()).hexdigest() if isinstance(ids, np.ndarray) else ids.digest
        for name, ids in sequences.items()
    }


def planned(
    lengths: Sequence[np.ndarray], counted: np.ndarray, training: TrainingConfig, num_examples: int
) -> tuple[float, float]:
    """What is to be expected when all examples are batched, by the lengths of some of them: the share of positions that are
    padding, of those sequences that are `counted`; and the steps of an epoch.
    """
    batches = plan_batches(lengths, training.batch_tokens)
    positions = sum(len(rows) * int(counted[rows].max()) for rows in batches)
    num_batches = len(batches) * num_examples / len(counted)
    return 1 - int(counted.sum()) / positions, num_batches / training.accumulation


def with_model(settings: RunSettings, tokenizer: Tokenizer, **decided: Any) -> RunSettings:
    """The settings with what a vocabulary decides of the model."""
    sizes = {"vocab_size": len(tokenizer), "pad_id": tokenizer.pad_id, **decided}
    return settings.model_copy(update={"model": settings.model.model_copy(update=sizes)})


def held_out(corpora: Corpora, sizes: Sequence[int], what: str, seed: int) -> dict[str, set[int]]:
    """Which things of each corpus, counted from 0, are held out: at random one in twenty of all, at most 1,000.

    By the corpora's checksums, so that of equal ones the same are held out, and none is trained on in the other.

    Args:
        sizes: how many things each corpus has.
    Raises:
        DataError: there are fewer than two in all, or none would be left of a corpus.
    """
    count = sum(sizes)
    if count < 2:
        name = " + ".join(corpus.name for corpus in corpora)
        raise DataError(f"{name} must have at least 2 {what}, to hold one out for validation; got {count}.")
    size = min(LARGEST_HOLD_OUT, max(1, count // 20))
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
