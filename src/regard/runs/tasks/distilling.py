"""Which model another one learns from, and whether it can."""

from __future__ import annotations

from regard.adapters import weights_digest
from regard.checkpoint import LoadedModel
from regard.errors import SettingsError
from regard.models.config import ModelConfig
from regard.runs.tasks.task import Task
from regard.training.objectives.distillation import Teacher


def take_teacher(task: Task, loaded: LoadedModel, name: str) -> None:
    """Let a run learn from a model, beside its labels.

    Raises:
        SettingsError: it has another vocabulary, or other labels.
    """
    config, theirs = task.settings.model, loaded.model.config
    pairs = ((loaded.tokenizer, task.tokenizer), (loaded.source_tokenizer, task.source_tokenizer or task.tokenizer))
    if any(one.identity != other.identity for one, other in pairs) or any(
        _size(theirs, key) != _size(config, key) for key in ("vocab_size", "source_vocab_size")
    ):
        raise SettingsError(
            f"`--teacher` must have the vocabulary of the model that learns; {name} has another one. Without `--from`, a new "
            "model takes the teacher's."
        )
    for key in ("task", "labels", "pad_id"):
        if getattr(theirs, key, None) != getattr(config, key, None):
            raise SettingsError(
                f"`--teacher` must have the {key} of the model that learns, {getattr(config, key, None)}; {name} has "
                f"{getattr(theirs, key, None)}."
            )
    ours, its = (getattr(each, "pair_separators", 0) for each in (config, theirs))
    if ours and ours != its:
        raise SettingsError(
            f"`--teacher` must read pairs of texts as the model that learns, with pair_separators {ours}; {name} has {its}. Set "
            f"`model.pair_separators={its}`."
        )
    training = task.settings.training
    task.teacher = Teacher(
        loaded.model, training.teacher_weight, training.teacher_temperature, is_cached=task.are_examples_fixed
    )
    task.taught_by = name
    task.data_digests["data.teacher"] = weights_digest(loaded.model)


def _size(config: ModelConfig, key: str) -> int:
    """The size of a vocabulary; that of the targets where the source has none of its own."""
    return int(getattr(config, key, None) or config.vocab_size)
