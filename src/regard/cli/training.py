"""`regard train`, `regard demo`, and `regard recipes`: complete, measured settings for `train --config recipe:NAME`."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from regard.cli.option_types import Device, Overwrite, Threads, prepare_process
from regard.cli.output import echo, log, print_result, program, summary
from regard.errors import SettingsError, check_known

if TYPE_CHECKING:
    from regard.training.training_run import TrainingRun

Steps = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Optimizer steps; by default the preset's, or fewer for few data. Warm-up and the time between validations "
        "scale with them.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the random numbers; by default 1.")]
TrainingPrecision = Annotated[str | None, typer.Option(help="auto (the default), float32 or bfloat16.")]

DEMOS = {"dates": "demo-model", "histogram": "histogram-model"}


def train(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new or empty.")],
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Required. Source file and target file, line by line; or one pairs.tsv, pairs.jsonl (with source_lang and "
            "target_lang in each row: several directions) or "
            "hf:name:split:source_column:target_column (where the data set has configurations "
            "hf:wmt14:de-en:test:translation.de:translation.en); or several of these. For --arch decoder and --task "
            "mlm: text files. For --task classify: files of label, tab, text. For --task tag: files of word, tab, tag.",
            metavar="DATA",
        ),
    ] = None,
    valid: Annotated[
        list[str] | None,
        typer.Option(
            help="Validation data in the same form, written after DATA; by default, part of DATA is held out.",
            metavar="DATA",
        ),
    ] = None,
    direction: Annotated[
        list[str] | None,
        typer.Option(
            help="In place of DATA, pairs of one of several directions that one model learns: en-de=train.en,train.de, or "
            "en-de=pairs.tsv; once for each. `translate --from en --to de` then names one.",
            metavar="LANGUAGES=DATA",
        ),
    ] = None,
    arch: Annotated[
        str | None,
        typer.Option(
            help="encoder-decoder (the default) or rnn (the default for few strings, sounds or symbols): pairs of texts; "
            "decoder: a language model; encoder, encoder-decoder-classifier: need --task.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="What an encoder learns: mlm, classify or tag."),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="A model to begin with, of Regard or another format: its weights and vocabulary are kept.",
            metavar="MODEL",
        ),
    ] = None,
    old_valid: Annotated[
        list[str] | None,
        typer.Option(
            help="Data of the task that the model in --from was trained for: its scores before and after are printed.",
            metavar="DATA",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(help="A model whose probabilities are learned beside the labels (distillation).", metavar="MODEL"),
    ] = None,
    encoder: Annotated[
        Path | None,
        typer.Option(help="A pretrained encoder to start from, with its tokenizer; needs --decoder."),
    ] = None,
    decoder: Annotated[
        Path | None,
        typer.Option(help="A pretrained decoder, or an encoder for mlm, to start from; needs --encoder."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="Model size and matching settings: tiny (the default), small, base; for encoder-decoder also big. "
            "Not with --from.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="YAML file of settings, or recipe:NAME; `regard recipes` lists them.", metavar="FILE"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="One setting, such as model.dropout=0.3; may be repeated.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    steps: Steps = None,
    seed: Seed = None,
    precision: TrainingPrecision = None,
    threads: Threads = None,
    device: Device = "auto",
    overwrite: Overwrite = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an earlier run to the same folder that was stopped or killed.")
    ] = False,
    shard: Annotated[
        bool,
        typer.Option("--shard", help="Under torchrun: divide the weights among the processes (FSDP)."),
    ] = False,
    compile: Annotated[
        bool, typer.Option("--compile", help="Let PyTorch compile the model at the first step; for GPUs.")
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write TensorBoard event files into OUTPUT.training.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Train four steps, validate once, and print what the run would take and write. No model is written.",
        ),
    ] = False,
    save_every: Annotated[
        str | None,
        typer.Option(help="How often to write a checkpoint: 500 (steps), 10m. By default at each validation."),
    ] = None,
) -> None:
    """Train a model on pairs of texts, running text, or texts with labels.

    Learns a vocabulary, trains, validates, keeps the best, and writes a model folder.
    """
    from regard.runs.settings.reading import check_agreement, parse_assignments, read_yaml
    from regard.runs.train import train as train_model

    settings: dict[str, dict[str, Any]] = {}
    directions, data = _directed(direction or [], data or [])
    assigned, options = parse_assignments(set_ or []), _options(steps, seed, precision)
    short = {f"--{key}": (f"training.{key}", value) for key, value in options.items()}
    check_agreement(short | {"--direction": ("data.directions", directions or None)}, assigned)
    for layer in (read_yaml(config) if config else {}, assigned, {"training": options}):
        for section, values in layer.items():
            settings.setdefault(section, {}).update(values)
    if directions:
        settings.setdefault("data", {})["directions"] = directions
    if not data:
        raise SettingsError("DATA is missing. Give it before `--valid`, which takes all words up to the next option.")
    if (encoder is None) != (decoder is None):
        raise SettingsError("`--encoder` and `--decoder` need each other; add the missing one.")
    prepare_process(threads)
    with saying_when_interrupted():
        result = train_model(
            data,
            output,
            valid=valid,
            arch=arch,
            task=task,
            preset=preset,
            settings=settings,
            from_=from_,
            old_valid=old_valid,
            teacher=teacher,
            pretrained=None if encoder is None or decoder is None else (encoder, decoder),
            device=device,
            overwrite=overwrite,
            resume=resume,
            save_every=save_every,
            shard=shard,
            compile=compile,
            tensorboard=tensorboard,
            dry_run=dry_run,
        )
    if result.loaded is None:  # of several processes, only the main one prints
        return
    languages = getattr(result.loaded, "languages", None)
    named = "" if languages is None else " --from {} --to {}".format(*languages.trained[0].split("-"))
    commands = [line + named for line in result.loaded.commands]
    if result.run.interrupted:
        say_what_is_kept(output, result.run, commands[0], result.argument)
    echo(summary(result.results))
    echo(f"\n{output} is ready. Next:")
    for line in commands:
        echo(f"  {program()} {line.format(result.argument)}")


def _directed(given: list[str], data: list[str]) -> tuple[list[str], list[str]]:
    """The directions of `--direction`, and their data; without it, none and DATA.

    Raises:
        SettingsError: there is other data besides, or what is given is no direction with its data.
    """
    if given and data:
        raise SettingsError(f"`--direction` takes the place of DATA; got {data[0]}, too. Remove one of them.")
    names, found = [], [*data]
    for each in given:
        name, equals, files = each.partition("=")
        if not equals or not files:
            raise SettingsError(
                f"`--direction` must be languages and their data, such as en-de=train.tsv; got {each!r}."
            )
        names.append(name)
        found += [files] if files.startswith("hf:") else files.split(",")
    return names, found


def demo(
    task: Annotated[str, typer.Argument(help="dates, or histogram: how often does each letter occur?")] = "dates",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the model; by default demo-model or histogram-model."),
    ] = None,
    steps: Steps = None,
    seed: Seed = None,
    precision: TrainingPrecision = None,
    threads: Threads = None,
    device: Device = "auto",
    overwrite: Overwrite = False,
) -> None:
    """Train a demo model: dates of 40 locales to ISO 8601, or letter counts (histogram).

    Measures the model on data it has not seen, and writes a report with pictures.
    """
    check_known("TASK", task, DEMOS, "a known task")
    output = output or Path(DEMOS[task])
    from regard.training.training_run import TrainingRun

    if task == "dates":
        from regard.demos.dates import run_demo
    else:
        from regard.demos.histogram import run_demo
    prepare_process(threads)
    with saying_when_interrupted():
        outcome = run_demo(output, _options(steps, seed, precision), device=device, overwrite=overwrite)
    if isinstance(outcome, TrainingRun):
        say_what_is_kept(output, outcome, "translate {}" if task == "dates" else "predict {}", goes_on=False)
    echo(f"\n{outcome.heading}")
    for source, written, reference in outcome.examples:
        mark = "" if written == reference else f"  (should be {reference})"
        echo(f"  {source}  ->  {written}{mark}")
    echo("\n" + "\n".join(outcome.measured))
    echo(f"report: {outcome.report}")
    if task == "dates":
        echo(f"\nNext:\n  {program()} translate {output}\n  {program()} train pairs.tsv -o my-model")


def recipes(
    name: Annotated[str | None, typer.Argument(help="The recipe to print; by default all are listed.")] = None,
) -> None:
    """List the recipes (measured settings, with the commands that trained the models), or print one.

    Train with one: `regard train ... --config recipe:NAME`. Copy one to change it: `regard recipes NAME > mine.yaml`.
    """
    from regard.runs.settings.reading import find_recipe
    from regard.runs.settings.reading import recipes as all_recipes
    from regard.text.lines import read_lines

    if name is not None:
        print_result("\n".join(read_lines(find_recipe(name))))
        return
    for each, path in all_recipes().items():
        prose = itertools.takewhile(lambda line: line.startswith("# ") and not line.startswith("#  "), read_lines(path))
        about = " ".join(line.removeprefix("# ") for line in prose)
        echo(textwrap.fill(f"{each}: {about}", shutil.get_terminal_size().columns, subsequent_indent="    "))
    echo(f"\nTrain with one: {program()} train ... --config recipe:NAME; print one: {program()} recipes NAME")


AGAIN = 75
"""The exit code of a run that a scheduler ended, EX_TEMPFAIL of sysexits.h: the same command with `--resume` goes on."""


@contextlib.contextmanager
def saying_when_interrupted() -> Iterator[None]:
    """Turn an interrupt before anything was saved into a message and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        log("regard: interrupted before anything was saved; nothing was written.")
        raise typer.Exit(130) from None


def say_what_is_kept(
    output: Path, run: TrainingRun, use: str, argument: str | None = None, *, goes_on: bool = True
) -> NoReturn:
    """Tell where an interrupted run stands and how to go on, and exit.

    Args:
        use: the command that uses such a model.
        argument: what it calls the model; None: the folder.
    """
    again = "Continue with the same command and `--resume`, or start over with `--overwrite`."
    log(
        f"regard: interrupted at step {run.step:,}. {output} is complete and holds the weights of step "
        f"{run.best_step or run.step:,}: use it with `{program()} {use.format(argument or output)}`. "
        + (again if goes_on else "Start over with `--overwrite`.")
    )
    raise typer.Exit(AGAIN if run.is_scheduled_stop else 130)


def _options(steps: int | None, seed: int | None, precision: str | None) -> dict[str, Any]:
    given = {"steps": steps, "seed": seed, "precision": precision}
    return {key: value for key, value in given.items() if value is not None}
