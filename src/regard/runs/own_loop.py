"""For a training loop of the user's own: a new model, and batches for a model."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, Literal, Unpack, overload

import torch

from regard.arguments import checked
from regard.checkpoint import LoadedModel
from regard.data.batch import ALL, Batch, BatchCursor, LabelledBatch, Shard
from regard.errors import SettingsError
from regard.memory import WEIGHT_BYTES, check_room_to_train
from regard.models.registry import build
from regard.pipelines.any_pipeline import AnyPipeline
from regard.pipelines.devices import resolve_device
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator
from regard.runs.families import find_family
from regard.runs.progress import RunDisplay
from regard.runs.settings.named import NamedDataSettings, NamedTrainingSettings
from regard.runs.settings.reading import given_arch_and_task, named_settings, together
from regard.runs.settings.run_settings import USUAL_ARCH, RunSettings
from regard.runs.tasks.in_memory import check_columns
from regard.runs.tasks.initial_model import InitialModel
from regard.runs.tasks.task import Inputs, Task

Data = str | os.PathLike[str] | Iterable[Any]
Settings = Mapping[str, Mapping[str, Any]]
HELD_TO_TRAIN = 4
"""Numbers for each weight: itself, its gradient, and two moments of Adam's."""


@overload
def new(  # type: ignore[overload-overlap]
    data: Data, *, columns: Sequence[str] | None = None, arch: Literal["decoder"], task: None = None,
    preset: str = "tiny", settings: Settings | None = None, device: str = "auto", **named: Unpack[NamedTrainingSettings],
) -> LanguageModel: ...  # fmt: skip


@overload
def new(  # type: ignore[overload-overlap]
    data: Data, *, columns: Sequence[str] | None = None, arch: Literal["encoder"], task: str, preset: str = "tiny",
    settings: Settings | None = None, device: str = "auto", **named: Unpack[NamedTrainingSettings],
) -> Predictor: ...  # fmt: skip


@overload
def new(  # type: ignore[overload-overlap]
    data: Data, *, columns: Sequence[str] | None = None, arch: Literal["encoder-decoder", "rnn"], task: str | None = None,
    preset: str = "tiny", settings: Settings | None = None, device: str = "auto", **named: Unpack[NamedTrainingSettings],
) -> Translator: ...  # fmt: skip


@overload
def new(
    data: Data, *, columns: Sequence[str] | None = None, arch: None = None, task: None = None, preset: str = "tiny",
    settings: None = None, device: str = "auto", **named: Unpack[NamedTrainingSettings],
) -> Translator: ...  # fmt: skip


@overload
def new(
    data: Data, *, columns: Sequence[str] | None = None, arch: str | None = None, task: str | None = None,
    preset: str = "tiny", settings: Settings | None = None, device: str = "auto", **named: Unpack[NamedTrainingSettings],
) -> AnyPipeline: ...  # fmt: skip


@checked
def new(
    data: Data,
    *,
    columns: Sequence[str] | None = None,
    arch: str | None = None,
    task: str | None = None,
    preset: str = "tiny",
    settings: Settings | None = None,
    device: str = "auto",
    **named: Any,
) -> Any:
    """A new, untrained model with a vocabulary learnt from data: a `Translator`, a `LanguageModel` or a `Predictor`.

        translator = regard.new("pairs.tsv", model_dim=64, seed=2)

    `train` begins with the same weights, if it has the same settings and learns from the same data.

    Args:
        data: as for `train`; the vocabulary is learnt from all of it, and a classifier's labels are those that it has.
        columns: as for `train`, and so are `arch`, `task`, `preset` and `device`.
        settings: what differs from the preset, as for `train`. Those of training are checked, and have no effect yet, but for
            `training.seed`.
        named: single settings by their keys, such as `model_dim=64`.
    Raises:
        SettingsError: an unknown setting, one out of range, or `adapter.rank`.
        DataError: data that cannot be read.
    """
    arch, task = given_arch_and_task(arch, task, settings or {})
    family = find_family(arch or USUAL_ARCH)
    settings = together(settings or {}, named_settings(named, family.arch, signature(new).parameters))
    if (settings.get("adapter") or {}).get("rank") is not None:
        raise SettingsError("`adapter.rank` needs a model that it adapts; a new one is none. Remove it.")
    decided = {"model": {"task": task}} if task and "task" in family.architecture.config.model_fields else {}
    kind, on = family.task(task), resolve_device(device)
    chosen = RunSettings.build(preset, settings, decided, arch=arch if task is None else family.arch)
    prepared = _read(kind, Inputs(data, None, columns, for_own_loop=True), chosen)
    config = prepared.settings.model
    check_room_to_train(config, on, bytes_per_parameter=WEIGHT_BYTES * HELD_TO_TRAIN)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(chosen.training.seed)
        model = build(config).to(on)
    return family.pipeline.of(LoadedModel(model, prepared.tokenizer, prepared.source_tokenizer or prepared.tokenizer))


@overload
def batches(
    pipeline: Translator, data: Data, *, columns: Sequence[str] | None = None, batch_tokens: int = 2048, seed: int = 1,
    epochs: int | None = None, start: BatchCursor = (0, 0), shard: Shard = ALL, **named: Unpack[NamedDataSettings],
) -> Iterator[Batch]: ...  # fmt: skip


@overload
def batches(
    pipeline: LanguageModel | Predictor, data: Data, *, columns: Sequence[str] | None = None, batch_tokens: int = 2048,
    seed: int = 1, epochs: int | None = None, start: BatchCursor = (0, 0), shard: Shard = ALL,
    **named: Unpack[NamedDataSettings],
) -> Iterator[LabelledBatch]: ...  # fmt: skip


@overload
def batches(
    pipeline: Pipeline, data: Data, *, columns: Sequence[str] | None = None, batch_tokens: int = 2048, seed: int = 1,
    epochs: int | None = None, start: BatchCursor = (0, 0), shard: Shard = ALL, **named: Unpack[NamedDataSettings],
) -> Iterator[Any]: ...  # fmt: skip


@checked
def batches(
    pipeline: Pipeline,
    data: Data,
    *,
    columns: Sequence[str] | None = None,
    batch_tokens: int = 2048,
    seed: int = 1,
    epochs: int | None = None,
    start: BatchCursor = (0, 0),
    shard: Shard = ALL,
    **named: Any,
) -> Iterator[Any]:
    """Batches of training data for a model, encoded with its own tokenizers, on the CPU: those of `train`, in the same order.

        for batch in regard.batches(translator, "pairs.tsv", batch_tokens=2048, epochs=3):
            loss = translator.model.loss(batch.to(translator.device)) / batch.num_tokens

    A batch has `source_ids`, `target_ids` and `labels` for a `Translator`, else `ids` and `labels`; and `num_tokens`, the labels
    that `loss` sums over. All of `data` is read: nothing is held out for validation.

    Args:
        data: as for `train`, for the task of the model. Labels must be those of the model.
        columns: as for `train`.
        batch_tokens: rows times the longest side, padding included.
        seed: the order depends on it and on the epoch alone.
        epochs: None: without an end. Of running text, whose windows are drawn at random, so many batches as have all tokens
            once are an epoch.
        start: the epoch and the number of the first batch, both from 0: the `next_cursor` of the batch before it.
        shard: (r, n): of each batch, the rows that process r of n processes reads.
        named: settings of the section `data`, such as `weights=[1, 3]`.
    Raises:
        SettingsError: a value out of range, or a setting that is not one of `data`.
        DataError: data that cannot be read, or a label that the model does not have.
    """
    config = pipeline.model.config
    family = find_family(config.arch)
    given = named_settings(named, config.arch, signature(batches).parameters)
    for section, values in given.items():
        for key in values:
            if section != "data" or key == "alignments":  # which `loss` does not read
                raise SettingsError(f"{section}.{key} has no effect on batches; remove it.")
    if epochs is not None and epochs < 1:
        raise SettingsError(f"epochs must be at least 1, or None for batches without an end; got {epochs}.")
    if min(start) < 0:
        raise SettingsError(f"start must be an epoch and a number of a batch in it, both from 0; got {start}.")
    if not 0 <= shard[0] < shard[1]:
        raise SettingsError(f"shard must be (r, n), with r from 0 to n - 1, of n processes; got {shard}.")
    training = {"training": {"batch_tokens": batch_tokens, "seed": seed}}
    preset = next(iter(family.architecture.presets))
    chosen = RunSettings.build(preset, given, training, arch=config.arch).model_copy(update={"model": config})
    tokenizer = pipeline.tokenizer
    held = LoadedModel(pipeline.model, tokenizer, getattr(pipeline, "source_tokenizer", tokenizer))
    beginning = InitialModel(held, has_weights=False)  # they stay where they are
    kind = family.task(getattr(config, "task", None))
    task = _read(kind, Inputs(data, None, columns, beginning, for_own_loop=True), chosen)
    if len(task.tokenizer) > len(tokenizer):
        raise SettingsError(
            f"data.tags must be tokens of the model; got {chosen.data.tags}. `train` with `from_` can add them to it."
        )
    return task.batches(start, shard) if epochs is None else task.epochs(epochs, start, shard)


def _read(kind: type[Task], inputs: Inputs, settings: RunSettings) -> Task:
    """The task of some data; what the user should know of them is said, such as how many were left out."""
    check_columns(inputs.training, inputs.columns)
    task = kind.read(inputs, settings, RunDisplay(is_silent=True))
    with RunDisplay() as display:
        for note in task.notes:
            display.say(note)
    return task
