"""From files to a model folder: the whole line, in the order in which it happens."""

from __future__ import annotations

import json
import os
import platform
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

import regard
from regard.assembling import assemble
from regard.checkpoint import WEIGHTS, LoadedModel, check_output, save_new, save_weights
from regard.data.corpus import Pairs, ParallelText, find_corpora, read_pairs
from regard.data.labelled import read_classes, read_tags
from regard.data.language import read_text
from regard.errors import DataError, SettingsError, nearest_hint
from regard.models.families import AnyModel, build, config_class
from regard.text.lines import write_whole
from regard.training.precision import resolve_precision
from regard.training.state import TrainingState, checkpoints, first_difference, read_state, write_state
from regard.training.trainer import SavingTimes, Trainer, TrainingRun
from regard.workflow.card import model_card
from regard.workflow.loading import Loaded, load, load_any, resolve_device
from regard.workflow.pairs import hold_out_pairs, translation_task
from regard.workflow.progress import RunDisplay, clock, quantity
from regard.workflow.settings import RunSettings
from regard.workflow.tasks import (
    Task,
    hold_out_end,
    hold_out_labelled,
    label_task,
    language_task,
    masked_task,
)
from regard.workflow.translator import Translator

CHANGEABLE = {"steps", "report_every", "patience"}
"""Settings that may be another when a run is resumed."""
DECIDED_BY_DATA = {"vocab_size", "source_vocab_size", "pad_id", "labels"}
TASKS = ("mlm", "classify", "tag")
"""What an encoder can be trained for."""
Names = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class TrainingResult:
    """A finished (or interrupted) run: its folder, its record, and the kept model, ready to use."""

    folder: Path
    run: TrainingRun
    loaded: Loaded
    """A `Translator`, a `LanguageModel` or a `Predictor`, as the family is."""
    results: dict[str, Any]
    """What `results.json` holds; empty when the run was interrupted."""

    @property
    def translator(self) -> Translator:
        """The kept encoder-decoder.

        Raises:
            SettingsError: the model is of another family.
        """
        if not isinstance(self.loaded, Translator):
            raise SettingsError(
                f"translator is there for encoder-decoders; got a {type(self.loaded).__name__}: .loaded"
            )
        return self.loaded


def train(
    data: Names,
    output: Path | str,
    *,
    valid: Names | None = None,
    arch: str = "transformer",
    task: str | None = None,
    preset: str = "tiny",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    pretrained: tuple[Path | str, Path | str] | None = None,
    device: str = "auto",
    overwrite: bool = False,
    resume: bool = False,
    save_every: str | None = None,
    display: RunDisplay | None = None,
) -> TrainingResult:
    """Train a model and write it to a folder: what `regard train` does.

    Args:
        data: for an encoder-decoder `[source file, target file]`, or one `.tsv`, `.jsonl` or
            `hf:name:split:source_column:target_column`, or several of these; for a decoder, and for an encoder's task
            `mlm`, text files; for `classify` one file of label, tab, text; for `tag` one file of word, tab, tag with
            blank lines between texts.
        valid: the same, for validation; None: a share of `data` is held out.
        arch: `transformer` (encoder-decoder), `rnn` (recurrent encoder-decoder), `decoder`, `encoder`.
        task: what an encoder is trained for: `mlm`, `classify` or `tag`.
        preset: `tiny`, `small`, `base` or, for encoder-decoders, `big`.
        settings: what differs from the preset, such as `{"training": {"steps": 1000}}`.
        pretrained: models of an encoder and of a decoder (or of an encoder for `mlm`) that an encoder-decoder is put
            together from, with their tokenizers; in any format that `load` reads. Its cross-attention is new.
        device: `auto`, `cpu`, `cuda`.
        overwrite: whether a model that stands at `output` is replaced.
        resume: go on from the newest checkpoint in the folder `output` + `.training`, as if the run had never stopped.
        save_every: how often a checkpoint is written: `500` (steps), `10m`; None: at each validation.
    Raises:
        RegardError: anything that the user can mend, before training starts where it can be known by then.
        KeyboardInterrupt: interrupted before anything was saved.
    """
    config_class(arch)
    if (task is None) == (arch == "encoder") or (task is not None and task not in TASKS):
        hint = "" if task is None else f" {nearest_hint(task, TASKS)}"
        raise SettingsError(
            f"task must be given for --arch encoder, one of {', '.join(TASKS)}, and else not; got {task}.{hint}"
        )
    decided = {"model": {"task": task}} if task else {}
    if pretrained is not None:
        _check_pretrained(arch, settings or {})
    chosen = RunSettings.build(preset, settings or {}, decided, arch=arch)
    saving = SavingTimes.parse(save_every)
    _check_folders(Path(output), overwrite=overwrite, resume=resume)
    with display or RunDisplay() as shown:
        if arch in ("transformer", "rnn"):
            initial = None if pretrained is None else _assembled(*pretrained, chosen, shown)
            prepared = _pairs(data, valid, chosen, shown, initial)
        elif arch == "decoder" or task == "mlm":
            prepared = _running_text(data, valid, chosen, shown)
        else:
            prepared = _labelled(data, valid, chosen, shown)
        return run_task(
            prepared, Path(output), device=device, display=shown, preset=preset, resume=resume, saving=saving
        )


def _check_folders(output: Path, *, overwrite: bool, resume: bool) -> None:
    """Make sure, before hours of work, that nothing is lost: neither another folder nor an earlier run."""
    earlier = bool(checkpoints(state_folder(output)))
    if earlier and not (resume or overwrite):
        raise SettingsError(
            f"{state_folder(output)} must not hold checkpoints of an earlier run; it does. Go on with --resume, or replace "
            "them and the model with --overwrite."
        )
    check_output(output, overwrite=overwrite or (resume and earlier))


def _check_pretrained(arch: str, settings: Mapping[str, Mapping[str, Any]]) -> None:
    if arch != "transformer":
        raise SettingsError(f"--encoder and --decoder are for --arch transformer; got {arch}.")
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
    data: Names, valid: Names | None, settings: RunSettings, display: RunDisplay, initial: LoadedModel | None
) -> Task:
    whole = find_corpora(data)
    corpora: list[Pairs] = [*whole]
    if valid is None:
        corpora, valid_text = hold_out_pairs(whole, settings.training.seed)
    else:
        valid_text = read_pairs(valid)
    return translation_task(corpora, valid_text, settings, display, initial)


def _running_text(data: Names, valid: Names | None, settings: RunSettings, display: RunDisplay) -> Task:
    lines, name = _lines(data, settings), " + ".join(os.fspath(path) for path in data)
    if valid is None:
        lines, valid_lines = hold_out_end(lines, name)
        names = (name, f"{name} (its last tenth)")
    else:
        valid_lines = _lines(valid, settings)
        names = (name, " + ".join(os.fspath(path) for path in valid))
    for shown_name, text in zip(names, (lines, valid_lines), strict=True):
        display.say(f"{len(text):,} lines from {shown_name}")
    return (language_task if settings.model.arch == "decoder" else masked_task)(lines, valid_lines, names, settings)


def _lines(names: Names, settings: RunSettings) -> list[str]:
    """The lines of some files; a language model reads blank ones, too, as breaks between paragraphs."""
    return [line for line in read_text(names) if settings.model.arch == "decoder" or line.strip()]


def _labelled(data: Names, valid: Names | None, settings: RunSettings, display: RunDisplay) -> Task:
    by_word = getattr(settings.model, "task", "") == "tag"
    reader = read_tags if by_word else read_classes
    for names in (data, valid or ["one"]):
        if len(names) != 1:
            raise DataError(f"texts with labels must come from one file; got {len(names)} names.")
    training_text = reader(data[0])
    if valid is None:
        training_text, valid_text = hold_out_labelled(training_text, settings.training.seed)
    else:
        valid_text = reader(valid[0])
    for text in (training_text, valid_text):
        display.say(f"{len(text):,} texts from {text.name}")
    return label_task(training_text, valid_text, settings, by_word=by_word)


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
    """Train an encoder-decoder on pairs that are in memory."""
    task = translation_task([training_text], valid_text, settings, display)
    return run_task(task, output, device=device, display=display, preset=preset)


def run_task(
    task: Task,
    output: Path,
    *,
    device: str = "auto",
    display: RunDisplay,
    preset: str,
    resume: bool = False,
    saving: SavingTimes | None = None,
) -> TrainingResult:
    """The run itself: model, training, scores, model folder."""
    start = time.perf_counter()
    place = resolve_device(device)
    settings, tokenizer = task.settings, task.tokenizer
    for note in task.notes:
        display.say(note)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = (build(settings.model) if task.initial is None else task.initial).to(place)
    facts = _facts(model, task)
    padding = f", {task.padding:.1%} padding" if task.padding else ""
    display.say(
        f"{quantity(facts['sizes']['num_parameters'])} parameters, vocabulary {len(tokenizer):,}, "
        f"{facts['machine']['precision']} on {place}, {settings.training.steps:,} steps{padding}"
    )
    run = _run_trainer(model, task, output, display, resume=resume, saving=saving)
    loaded = load(output, device=str(place))
    if run.interrupted:
        return TrainingResult(output, run, loaded, {})

    display.say(f"trained in {clock(run.seconds)}; measuring the kept model (step {run.best_step:,}) ...")
    try:
        scores = task.evaluate(loaded)
    except KeyboardInterrupt:
        run.interrupted = True
        return TrainingResult(output, run, loaded, {})
    results = scores | {
        "evaluated_on": task.validation_facts["name"],
        "validation_loss": run.best_scores["loss"],
        **facts,
        "steps": {"trained": run.step, "kept": run.best_step, "skipped": run.skipped_steps},
        "seconds": {"training": run.seconds, "total": time.perf_counter() - start},
        "target_tokens_per_second": run.tokens_per_second,
        "preset": preset,
        "settings": settings.model_dump(mode="json", exclude={"model": DECIDED_BY_DATA}),
    }
    results["sizes"]["weights_bytes"] = (output / WEIGHTS).stat().st_size
    write_results(output, results)
    return TrainingResult(output, run, loaded, results)


def _run_trainer(
    model: AnyModel, task: Task, output: Path, display: RunDisplay, *, resume: bool, saving: SavingTimes | None
) -> TrainingRun:
    """Train, and keep the best weights in the output folder, with the record of the run beside them.

    Raises:
        KeyboardInterrupt: interrupted before anything was saved.
    """
    made_of = _made_of(task, model)
    states = state_folder(output)
    resumed = _resumed(states, made_of, display) if resume else None
    if not resume:
        shutil.rmtree(states, ignore_errors=True)  # of an earlier run
    is_saved = resumed is not None and (output / WEIGHTS).is_file()

    def keep(candidate: AnyModel, run: TrainingRun) -> None:
        nonlocal is_saved
        if is_saved:
            save_weights(output, candidate)
        else:
            save_new(output, candidate, task.tokenizer, task.source_tokenizer)
            is_saved = True
        _write_metrics(output, run)

    def save(tensors: dict[str, torch.Tensor], run: TrainingRun) -> None:
        write_state(states, TrainingState(tensors, asdict(run), made_of))

    settings = task.settings.training
    trainer = Trainer(
        model,
        task.batches(start=(0, 0) if resumed is None else resumed.next_place),
        settings,
        validate=task.validate,
        keep=keep,
        listener=display,
        save=None if saving is None else save,
        saving=saving,
        resumed=resumed,
        example=task.example,
    )
    run = trainer.run()
    if not is_saved:
        raise KeyboardInterrupt
    _write_metrics(output, run)
    return run


def state_folder(output: Path) -> Path:
    """Where the checkpoints of a run stand: beside its model folder."""
    return output.absolute().with_name(f"{output.absolute().name}.training")


def _made_of(task: Task, model: AnyModel) -> dict[str, Any]:
    """What must be the same for a run to go on as it would have, each thing by a name that users know."""
    place = next(model.parameters()).device
    made_of: dict[str, Any] = {f"model.{key}": value for key, value in model.config.model_dump(mode="json").items()}
    for section in ("tokenizer", "data", "training"):
        values = getattr(task.settings, section).model_dump(mode="json")
        made_of |= {f"{section}.{key}": value for key, value in values.items() if key not in CHANGEABLE}
    made_of["training.precision"] = str(resolve_precision(task.settings.training.precision, place))
    return made_of | task.data_digests


def _resumed(states: Path, made_of: dict[str, Any], display: RunDisplay) -> TrainingState | None:
    """The checkpoint to go on from.

    Raises:
        SettingsError: the run would not go on as it would have; the message names the difference.
    """
    state, damaged = read_state(states)
    for sentence in damaged:
        display.say(sentence)
    if state is None:
        display.say(f"nothing to resume in {states}: a new run")
        return None
    if (difference := first_difference(state.made_of, made_of)) is not None:
        raise SettingsError(f"--resume must have the run's own data and settings; got a change: {difference}.")
    display.say(f"resumed at step {state.step:,}")
    return state


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json` of a model folder, and the README rendered from it."""
    content = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / "results.json", content.encode("utf-8"))
    write_whole(folder / "README.md", model_card(folder.name, results).encode("utf-8"))


def _facts(model: AnyModel, task: Task) -> dict[str, Any]:
    """What `results.json` says of data, sizes, machine and versions."""
    place = next(model.parameters()).device
    precision = str(resolve_precision(task.settings.training.precision, place)).removeprefix("torch.")
    return {
        "arch": task.settings.model.arch,
        "data": {"training": task.training_facts, "validation": task.validation_facts},
        "sizes": {"num_parameters": sum(parameter.numel() for parameter in model.parameters()),
                  "vocab_size": len(task.tokenizer)},
        "machine": {"device": str(place), "precision": precision, "threads": torch.get_num_threads(),
                    "processors": os.cpu_count(), "system": platform.platform()},
        "versions": {"regard": regard.__version__, "torch": torch.__version__, "python": platform.python_version()},
    }  # fmt: skip


def _write_metrics(folder: Path, run: TrainingRun) -> None:
    lines = (json.dumps(record) + "\n" for record in run.history)
    write_whole(folder / "metrics.jsonl", "".join(lines).encode("utf-8"))
