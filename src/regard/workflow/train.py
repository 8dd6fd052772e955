"""From files to a model folder: the whole line, in the order in which it happens."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import torch

from regard.assembling import assemble
from regard.checkpoint import LoadedModel
from regard.data.corpus import Pairs, ParallelText, find_corpora, read_pairs
from regard.data.labelled import Labelled, LabelledText, find_labelled, read_labelled
from regard.data.language import find_texts, hold_out_end, read_text
from regard.errors import SettingsError, nearest_hint
from regard.training.distributed import joined
from regard.training.run import SavingTimes
from regard.training.state import newest_made_of
from regard.workflow.loading import load_any, resolve_device
from regard.workflow.progress import RunDisplay, event_writer
from regard.workflow.run import Execution, TrainingResult, check_room, claimed, run_task, state_folder
from regard.workflow.settings import RunSettings, chosen_arch, named_settings, together
from regard.workflow.settings.fitting import settled
from regard.workflow.tasks.in_memory import check_columns, is_in_memory, labelled_of, pairs_of, refuse
from regard.workflow.tasks.pairs import hold_out_pairs, translation_task
from regard.workflow.tasks.task import Task
from regard.workflow.tasks.texts import hold_out_labelled, label_task, language_task, masked_task

TASKS = ("mlm", "classify", "tag")
"""What an encoder can be trained for."""
Name = str | os.PathLike[str]
Names = Sequence[Name]


def train(
    data: Name | Iterable[Any],
    output: Path | str,
    *,
    valid: Name | Iterable[Any] | None = None,
    columns: Sequence[str] | None = None,
    arch: str | None = None,
    task: str | None = None,
    preset: str = "tiny",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    pretrained: tuple[Path | str, Path | str] | None = None,
    device: str = "auto",
    overwrite: bool = False,
    resume: bool = False,
    save_every: str | None = None,
    shard: bool = False,
    tensorboard: bool = False,
    display: RunDisplay | None = None,
    **named: Any,
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
        arch: `encoder-decoder` (formerly `transformer`), `rnn` (recurrent encoder-decoder), `decoder`, `encoder`; None: what
            `settings` have as `model.arch`, else `encoder-decoder`.
        task: what an encoder is trained for: `mlm`, `classify` or `tag`.
        preset: `tiny`, `small`, `base` or, for encoder-decoders, `big`.
        settings: what differs from the preset, such as `{"training": {"steps": 1000}}`.
        pretrained: models of an encoder and of a decoder (or of an encoder for `mlm`) that an encoder-decoder is put
            together from, with their tokenizers; in any format that `load` reads. Its cross-attention is new.
        device: `auto`, `cpu`, `cuda`.
        overwrite: whether a model that stands at `output` is replaced.
        resume: go on from the newest checkpoint in the folder `output` + `.training`, as if the run had never stopped.
        save_every: how often a checkpoint is written: `500` (steps), `10m`; None: at each validation.
        shard: among several processes, divide the weights instead of copying them.
        tensorboard: write event files into the folder `output` + `.training/tensorboard`.
        named: single settings by their keys, such as `steps=1000`, as in `settings` without the section.
    Raises:
        RegardError: anything that the user can mend, before training starts where it can be known by then.
        KeyboardInterrupt: interrupted before anything was saved.
    """
    arch = chosen_arch(arch, settings or {})
    settings = together(settings or {}, named_settings(named, arch, signature(train).parameters))
    if (task is None) == (arch == "encoder") or (task is not None and task not in TASKS):
        hint = "" if task is None or task in TASKS else f" {nearest_hint(task, TASKS)}"
        raise SettingsError(
            f"task must be given for --arch encoder, one of {', '.join(TASKS)}, and else not; got {task}.{hint}"
        )
    decided = {"model": {"task": task}} if task else {}
    if pretrained is not None:
        _check_pretrained(arch, settings)
    chosen = RunSettings.build(preset, settings, decided, arch=arch)
    check_columns(data, columns)
    saving = SavingTimes.parse(save_every)
    output = Path(os.path.realpath(output))
    if tensorboard:
        event_writer()
    with (
        joined(device) as world,
        display or RunDisplay(is_silent=not world.is_main) as shown,
        claimed(output, world, overwrite=overwrite, resume=resume),
    ):
        resolved = resolve_device(device)
        if resume and (made_of := newest_made_of(state_folder(output))) is not None:
            chosen = settled(chosen, made_of)
        if pretrained is None:
            check_room(chosen.with_least_vocabulary(), resolved, world, shard=shard)
        if shard and world.size == 1:
            shown.say("--shard has nothing to divide: there is one process, and torchrun starts several")
        with world.first_on_each_machine():
            prepared = _prepared(data, valid, columns, chosen, shown, pretrained)
        execution = Execution(device, resume, saving, world, shard, tensorboard)
        return run_task(prepared, output, execution, display=shown, preset=preset)


def _prepared(
    data: Any,
    valid: Any,
    columns: Sequence[str] | None,
    settings: RunSettings,
    display: RunDisplay,
    pretrained: tuple[Path | str, Path | str] | None,
) -> Task:
    """What the data bring to a run."""
    arch, task = settings.model.arch, getattr(settings.model, "task", None)
    if arch in ("encoder-decoder", "rnn"):
        initial = None if pretrained is None else _assembled(*pretrained, settings, display)
        return _pairs(data, valid, columns, settings, display, initial)
    if arch == "decoder" or task == "mlm":
        for given in (data, valid):
            refuse(given if given is not None else (), "--arch decoder" if task is None else f"--task {task}")
        return _running_text(_names(data), None if valid is None else _names(valid), settings, display)
    return _labelled(data, valid, columns, settings, display)


def _names(data: Any) -> Names:
    return [data] if isinstance(data, str | os.PathLike) else list(data)


def _check_pretrained(arch: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    if arch != "encoder-decoder":
        raise SettingsError(f"--encoder and --decoder are for --arch encoder-decoder; got {arch}.")
    for section in ("model", "tokenizer"):
        if settings.get(section):
            key = next(iter(settings[section]))
            raise SettingsError(f"{section}.{key} comes from the pretrained models; got a setting as well.")


def _assembled(encoder: Path | str, decoder: Path | str, settings: RunSettings, display: RunDisplay) -> LoadedModel:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        assembled = assemble(load_any(encoder), load_any(decoder))
    display.say(f"encoder from {encoder}, decoder from {decoder}; new cross-attention")
    return assembled


def _pairs(
    data: Any,
    valid: Any,
    columns: Sequence[str] | None,
    settings: RunSettings,
    display: RunDisplay,
    initial: LoadedModel | None,
) -> Task:
    whole = [pairs_of(data, columns)] if is_in_memory(data) else find_corpora(_names(data))
    corpora: list[Pairs] = [*whole]
    if valid is None:
        corpora, valid_text = hold_out_pairs(whole)
    else:
        valid_text = pairs_of(valid, columns) if is_in_memory(valid) else read_pairs(_names(valid))
    return translation_task(corpora, valid_text, settings, display, initial)


def _running_text(data: Names, valid: Names | None, settings: RunSettings, display: RunDisplay) -> Task:
    """Text for a language model, which reads blank lines, too, as breaks between paragraphs, or to hide words in."""
    is_language = settings.model.arch == "decoder"
    texts, valid_name = find_texts(data, with_blank=is_language), " + ".join(os.fspath(name) for name in valid or data)
    if valid is None:
        texts, valid_lines = hold_out_end(texts)
        valid_name += " (its end)"
    else:
        valid_lines = [line for line in read_text(valid) if is_language or line.strip()]
    return (language_task if is_language else masked_task)(texts, valid_lines, valid_name, settings, display)


def _labelled(data: Any, valid: Any, columns: Sequence[str] | None, settings: RunSettings, display: RunDisplay) -> Task:
    by_word = getattr(settings.model, "task", "") == "tag"

    def held(given: Any) -> LabelledText:
        if is_in_memory(given):
            return labelled_of(given, columns, by_word=by_word)
        return read_labelled(_names(given), by_word=by_word)

    training: Sequence[Labelled] = [held(data)] if is_in_memory(data) else find_labelled(_names(data), by_word=by_word)
    if valid is None:
        training, valid_text = hold_out_labelled(training)
    else:
        valid_text = held(valid)
    return label_task(training, valid_text, settings, display, by_word=by_word)


def train_texts(
    training_text: ParallelText,
    valid_text: ParallelText,
    output: Path,
    settings: RunSettings,
    *,
    device: str = "auto",
    display: RunDisplay,
    preset: str,
) -> TrainingResult:
    """Train an encoder-decoder on pairs that are in memory.

    Args:
        output: `claimed`.
    """
    task = translation_task([training_text], valid_text, settings, display)
    return run_task(task, output, Execution(device), display=display, preset=preset)
