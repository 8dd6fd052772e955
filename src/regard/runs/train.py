"""From files to a model folder: the whole line, in the order in which it happens."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Unpack

import torch

from regard.adapters import weights_digest
from regard.arguments import checked
from regard.assembling import assemble
from regard.checkpoint import LoadedModel
from regard.errors import SettingsError
from regard.pipelines.devices import resolve_device
from regard.pipelines.loading import load_any
from regard.runs.families import find_family
from regard.runs.old_task import OldTask
from regard.runs.progress import RunDisplay, TensorBoard
from regard.runs.resuming import INITIAL
from regard.runs.run import RunOptions, check_room, check_what_learns, run
from regard.runs.run_folder import claimed
from regard.runs.settings.defaults import ARCH, frozen
from regard.runs.settings.named import NamedTrainingSettings
from regard.runs.settings.reading import given_arch_and_task, named_settings, together
from regard.runs.settings.run_settings import USUAL_ARCH, RunSettings
from regard.runs.tasks.distilling import take_teacher
from regard.runs.tasks.in_memory import check_columns, names_of, trained_on_too
from regard.runs.tasks.initial_model import (
    InitialModel,
    as_family,
    check_initial,
    check_vocabulary,
    config_of,
    usual_settings,
)
from regard.runs.tasks.pairs import PairsTask, with_directions
from regard.runs.tasks.task import Inputs
from regard.runs.training_result import TrainingResult
from regard.training.distributed import joined_world
from regard.training.state import EVENTS, newest_fingerprint, state_folder
from regard.training.training_run import Callback, SavingTimes

Name = str | os.PathLike[str]


@checked
def train(
    data: Name | Iterable[Any],
    output: Path | str,
    *,
    valid: Name | Iterable[Any] | None = None,
    columns: Sequence[str] | None = None,
    arch: str | None = None,
    task: str | None = None,
    preset: str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    pretrained: tuple[Path | str, Path | str] | None = None,
    from_: Path | str | None = None,
    old_valid: Name | Iterable[Name] | None = None,
    teacher: Path | str | None = None,
    device: str = "auto",
    overwrite: bool = False,
    resume: bool = False,
    save_every: str | None = None,
    shard: bool = False,
    compile: bool = False,
    tensorboard: bool = False,
    callbacks: Sequence[Callback] = (),
    dry_run: bool = False,
    display: RunDisplay | None = None,
    **named: Unpack[NamedTrainingSettings],
) -> TrainingResult:
    """Train a model and write it to a folder: what `regard train` does.

        regard.train("pairs.tsv", "model", steps=1000, dropout=0.1)
        regard.train([("a dog", "ein Hund"), ("a cat", "eine Katze")], "model")
        regard.train(frame, "model", columns=("en", "de"))

    Args:
        data: for an encoder-decoder `[source file, target file]`, or one `.tsv`, `.jsonl` or
            `hf:name:split:source_column:target_column` (with a configuration `hf:name:config:split:...`), or several of
            these; for a decoder, and for an encoder's task `mlm`, text files; for `classify` files of label, tab, text;
            for `tag` files of word, tab, tag with blank lines between texts. Or what a program holds: a list of pairs
            (source and target; label and text; words and tags, two lists), or a table with such columns: a data frame,
            or one split of a Hugging Face `Dataset`.
        valid: the same, for validation; None: a share of `data` is held out.
        columns: of a table, the names of source and target (label and text, words and tags); `translation.de` reaches into
            a column of records. None: these words are their names.
        arch: `encoder-decoder` (formerly `transformer`), `rnn` (recurrent encoder-decoder), `decoder`, `encoder`,
            `encoder-decoder-classifier`; None: what `settings` have as `model.arch`, else `encoder-decoder`, or for few
            spelled words and for symbols `rnn`.
        task: what an encoder is trained for: `mlm`, `classify` or `tag`; or the name of a task of your own.
        preset: `tiny` (the default), `small`, `base` or, for encoder-decoders, `big`. Not with `from_`, whose sizes are kept.
        settings: what differs from the preset, such as `{"training": {"steps": 1000}}`.
        pretrained: models of an encoder and of a decoder (or of an encoder for `mlm`) that an encoder-decoder is put
            together from, with their tokenizers; in any format that `load` reads. Its cross-attention is new.
        from_: a model to begin with, in any format that `load` reads: its weights, its vocabulary and its settings. Where an
            encoder learns another task, its head is new. Steps and learning rate are by default those for such a run.
        old_valid: files of the data that the model in `from_` was trained for, in the form that `evaluate` reads: the scores of
            both models on them, which say what the run loses, are in `results["old_task"]`.
        teacher: a model with the same vocabulary, whose probabilities are learnt beside the labels (`training.teacher_weight`).
        device: `auto`, `cpu`, `cuda`.
        overwrite: whether a model that stands at `output` is replaced.
        resume: go on from the newest checkpoint in the folder `output` + `.training`, as if the run had never stopped.
        save_every: how often a checkpoint is written: `500` (steps), `10m`; None: at each validation.
        shard: among several processes, divide the weights instead of copying them.
        compile: let PyTorch compile the model at the first step, for GPUs.
        tensorboard: write event files into the folder `output` + `.training/tensorboard`.
        callbacks: told how the run goes, such as trackers of experiments. An exception of theirs ends the run, which can be
            resumed, and is raised. A dry run does not call them.
        dry_run: train three steps, say how long the whole run would take and what it would write, and write nothing.
        named: single settings by their keys, such as `steps=1000`, as in `settings` without the section.
    Raises:
        RegardError: anything that the user can mend, before training starts where it can be known by then.
        KeyboardInterrupt: interrupted before anything was saved.
    """
    start = _Start.load(from_, teacher, preset, pretrained, arch)
    model = start.initial
    if model is not None:
        check_initial(model.model.config, arch, {})
    arch, task = given_arch_and_task(arch if model is None else model.model.config.arch, task, settings or {})
    family_name = arch or USUAL_ARCH  # until the data are read: `choosing`
    task_name = task or (getattr(model.model.config, "task", None) if model is not None else None)
    changes = together(settings or {}, named_settings(named, family_name, signature(train).parameters))
    kind, same_file = find_family(family_name).task(task_name), trained_on_too(data, valid)
    if issubclass(kind, PairsTask):
        data, changes = with_directions(data, changes)
    if pretrained is not None:
        _check_pretrained(family_name, changes)
    chosen = _settings(arch, task_name, preset, changes, start)
    check = partial(_check_together, is_taught=start.teacher is not None, compile=compile)
    check(chosen)
    check_what_learns(chosen)
    start.check(adapts=chosen.adapter.rank is not None, has_old_valid=old_valid is not None)
    if dry_run and (resume or "WORLD_SIZE" in os.environ):
        raise SettingsError("`--dry-run` plans a new run of one process. Remove it, or `--resume` and torchrun.")
    check_columns(data, columns)
    saving, folder = SavingTimes.parse(save_every), Path(os.path.realpath(output))
    if chosen.adapter.rank is not None and from_ is not None and folder == Path(os.path.realpath(from_)):
        raise SettingsError(
            f"an adapter must have another folder than its base; got {output} for both. Give another `-o`."
        )
    events = [TensorBoard(state_folder(folder) / EVENTS)] if tensorboard else []
    with (
        joined_world(device) as world,
        display or RunDisplay(is_silent=not world.is_main) as shown,
        claimed(folder, world, overwrite=overwrite, resume=resume),
    ):
        options = RunOptions(
            device, resume, saving, world, shard, [*events, *callbacks], dry_run, compiles=compile,
            adapts=Path(from_) if from_ is not None and chosen.adapter.rank is not None else None,
        )  # fmt: skip
        options.report_effect(shown)
        if same_file is not None:
            shown.say(f"{same_file} is trained on and validates, too: validation says nothing of other texts")
        if resume and (fingerprint := newest_fingerprint(state_folder(folder))) is not None:
            chosen = frozen(chosen, fingerprint)
            check(chosen)  # again, for a family that the data chose
        elif task_name is not None or compile or shard:  # which are of, or need, the usual family
            chosen = chosen.model_copy(update={"explicit": chosen.explicit | {ARCH}})
        if pretrained is None and model is None:
            check_room(chosen.with_least_vocabulary(), resolve_device(device), world, shard=shard)
        if old_valid is not None and from_ is not None and world.is_main:
            with_languages = chosen.data.directions is not None
            old_task = OldTask.measured(names_of(old_valid, "old_valid"), from_, device, with_languages=with_languages)
            options = replace(options, old_task=old_task)
        with world.first_on_each_machine():
            if pretrained is not None:
                model = _assembled(*pretrained, chosen, shown)
                chosen = chosen.model_copy(update={"model": model.model.config})
            vocabulary_of = model or start.teacher
            initial = None if vocabulary_of is None else InitialModel(vocabulary_of, has_weights=model is not None)
            prepared = kind.read(Inputs(data, valid, columns, initial), chosen, shown)
        if start.teacher is not None and teacher is not None:
            take_teacher(prepared, start.teacher, Path(teacher).name)
        prepared.name, prepared.begun_with = task_name, start.name
        prepared.pretrained_parts = None if pretrained is None else (Path(pretrained[0]).name, Path(pretrained[1]).name)
        prepared.data_digests[INITIAL] = "none" if model is None else weights_digest(model.model)
        return run(
            prepared, folder, options, display=shown, preset=preset or ("tiny" if start.initial is None else None)
        )


@dataclass(frozen=True)
class _Start:
    """The models that a run is given."""

    initial: LoadedModel | None
    """The model in `--from`; None: a new model learns."""
    name: str | None
    """The name of its folder."""
    teacher: LoadedModel | None
    is_teacher: bool = False
    """Whether the model in `--from` is the teacher, so that a new one learns."""
    is_other_family: bool = False
    """Whether the model in `--from` was of another family than the run's."""

    @classmethod
    def load(
        cls, from_: Path | str | None, teacher: Path | str | None, preset: str | None, pretrained: Any, arch: str | None
    ) -> _Start:
        """Read the models.

        Raises:
            SettingsError: what is given beside `--from` has no effect.
        """
        taught_by = None if teacher is None else load_any(teacher)
        is_teacher = None not in (from_, teacher) and Path(str(from_)).resolve() == Path(str(teacher)).resolve()
        if from_ is None or is_teacher:  # a copy of its teacher has nothing to learn: only the vocabulary is meant
            return cls(None, None, taught_by, is_teacher)
        if pretrained is not None:
            raise SettingsError(
                "`--from` takes a whole model, `--encoder` and `--decoder` its halves; use one of them."
            )
        if preset is not None:
            raise SettingsError(
                f"`--preset` has no effect beside `--from`, whose model has its own sizes and vocabulary; got {preset}. Remove "
                "it. Settings of training can be set one by one, such as `training.steps`."
            )
        begun_with = load_any(from_)
        begun_with.model.weights_dtype = torch.float32  # what is learnt has more than 8 bits
        in_family = as_family(begun_with, arch)
        return cls(in_family, Path(from_).name, taught_by, is_other_family=in_family is not begun_with)

    def check(self, *, adapts: bool, has_old_valid: bool) -> None:
        """Make sure that a run begins with a model of its family where it needs one.

        Raises:
            SettingsError: it does not.
        """
        if self.initial is None and (adapts or has_old_valid):
            what = "`adapter.rank` needs a model that it adapts"
            if has_old_valid:
                what = "`--old-valid` needs a run that begins with a model"
            hint = "Add `--from MODEL`, or remove it."
            if self.is_teacher:
                hint = "The one in `--from` is the teacher, from which a new model learns. Remove `--teacher`, or this."
            raise SettingsError(f"{what}. {hint}")
        if self.is_other_family and (adapts or has_old_valid):
            raise SettingsError(
                f"`adapter.rank` and `--old-valid` need a model of the family that learns; {self.name} is of another one. "
                "Train all its weights first."
            )


def _settings(
    arch: str | None, task: str | None, preset: str | None, changes: Mapping[str, Mapping[str, Any]], start: _Start
) -> RunSettings:
    """The settings of a run: those of a preset, or those that suit the model it begins with; and the user's."""
    if start.initial is not None:
        return _continuing(start.initial, changes, task)
    if start.teacher is not None:
        check_vocabulary(changes, "--teacher")
    family = find_family(arch or USUAL_ARCH)
    decided = {"model": {"task": task}} if task and "task" in family.architecture.config.model_fields else {}
    return RunSettings.build(preset or "tiny", changes, decided, arch=arch)


def _check_together(settings: RunSettings, *, is_taught: bool, compile: bool) -> None:
    """Make sure that settings and options have an effect together.

    Raises:
        SettingsError: one of them has none.
    """
    for key in ("teacher_weight", "teacher_temperature"):
        if not is_taught and _is_changed(settings, key):
            raise SettingsError(f"training.{key} has no effect without a teacher. Add `--teacher MODEL`, or remove it.")
    if settings.data.alignments is None:
        of_data = settings.data.model_dump(include={"first_word", "word_separators"}, exclude_defaults=True)
        changed = [f"data.{key}" for key in of_data]
        changed += ["training.alignment_weight"] if _is_changed(settings, "alignment_weight") else []
        if changed:
            raise SettingsError(f"{changed[0]} has no effect without `data.alignments`. Add it, or remove this.")
    is_recurrent = settings.model.arch == "rnn" or getattr(settings.model, "decoder_past", "") == "ssru"
    if compile and (settings.data.alignments is not None or is_recurrent):
        raise SettingsError(
            "`--compile` works with Transformers of attention alone, without `data.alignments`. Remove it, or these."
        )


def _is_changed(settings: RunSettings, key: str) -> bool:
    """Whether a setting of training has another value than its default; a model card lists the defaults, too."""
    return bool(getattr(settings.training, key) != type(settings.training).model_fields[key].default)


def _check_pretrained(arch: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    if arch != "encoder-decoder":
        raise SettingsError(f"`--encoder` and `--decoder` need arch encoder-decoder; got {arch}.")
    for section in ("model", "tokenizer"):
        if settings.get(section):
            key = next(iter(settings[section]))
            raise SettingsError(f"{section}.{key} comes from the pretrained models, and cannot be set. Remove it.")


def _continuing(initial: LoadedModel, settings: Mapping[str, Mapping[str, Any]], task: str | None) -> RunSettings:
    """The settings of a run that begins with a model."""
    config = initial.model.config
    check_initial(config, None, settings)
    others = {section: values for section, values in settings.items() if section != "model"}
    adapts = bool(others.get("adapter", {}).get("rank"))
    presets = find_family(config.arch).architecture.presets
    preset = "tiny" if "tiny" in presets else next(iter(presets))
    chosen = RunSettings.build(preset, others, arch=config.arch, defaults=usual_settings(config, adapts=adapts))
    return chosen.model_copy(update={"model": config_of(config, task, settings)})


def _assembled(encoder: Path | str, decoder: Path | str, settings: RunSettings, display: RunDisplay) -> LoadedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        assembled = assemble(load_any(encoder), load_any(decoder))
    display.say(f"encoder from {encoder}, decoder from {decoder}; new cross-attention")
    return assembled
