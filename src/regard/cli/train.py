"""`regard train` and `regard demo`."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from regard.cli.writing import say, tell
from regard.errors import SettingsError, nearest_hint

if TYPE_CHECKING:
    from regard.training.run import TrainingRun

Device = Annotated[str, typer.Option(help="auto, cpu, or cuda.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Processor threads; by default one per core.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a model that stands there.")]
Steps = Annotated[
    int | None,
    typer.Option(min=1, help="Updates of the weights, by default the preset's; warm-up and validations follow them."),
]
Seed = Annotated[
    int | None, typer.Option(min=0, max=2**32 - 1, help="Number that all random choices come from; 1, if not given.")
]
Precision = Annotated[str | None, typer.Option(help="auto (the default), float32 or bfloat16.")]

given: ContextVar[Mapping[str, str]] = ContextVar("given", default=MappingProxyType({}))
"""The parameters of the command under way that were given, each with its option as it is written."""
LEAST_REFUSED_THREADS = 64
"""So many are allowed on every machine. Thousands on a few processors stand in each other's way until nothing goes on."""
DEMOS = {"dates": "demo-model", "histogram": "histogram-model"}
NEXT_COMMANDS = {
    "encoder-decoder": ("translate {}", "evaluate {} SOURCE REFERENCE"),
    "rnn": ("translate {}", "evaluate {} SOURCE REFERENCE"),
    "decoder": ('generate {} --prompt "..."', "evaluate {} TEXT"),
    "encoder": ("predict {}", "evaluate {} DATA"),
}


def train(
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model; new or empty.")],
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="Required. Source file and target file, line by line; or one pairs.tsv, pairs.jsonl or "
            "hf:name:split:source_column:target_column (where the data set has configurations "
            "hf:wmt14:de-en:train:translation.de:translation.en); or several of these. For --arch decoder and --task mlm: text "
            "files. For --task classify: files of label, tab, text. For --task tag: files of word, tab, tag.",
            metavar="DATA",
        ),
    ] = None,
    valid: Annotated[
        list[str] | None,
        typer.Option(
            help="The same for validation, after DATA; by default some of DATA are held out.",
            metavar="DATA",
        ),
    ] = None,
    arch: Annotated[
        str | None,
        typer.Option(
            help="encoder-decoder (the default) or rnn: pairs of texts; decoder: a language model; encoder: with --task.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(help="What an encoder learns: mlm, classify or tag."),
    ] = None,
    encoder: Annotated[
        Path | None,
        typer.Option(help="A pretrained encoder to begin with, and its tokenizer; with --decoder."),
    ] = None,
    decoder: Annotated[
        Path | None,
        typer.Option(help="A pretrained decoder, or an encoder for mlm, to begin with; with --encoder."),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Size and settings that suit it: tiny, small, base; encoder-decoder: big, too.")
    ] = "tiny",
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
    precision: Precision = None,
    threads: Threads = None,
    device: Device = "auto",
    overwrite: Overwrite = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an earlier run to the same folder was stopped or killed.")
    ] = False,
    shard: Annotated[
        bool,
        typer.Option("--shard", help="Under torchrun: divide the weights among the processes (FSDP)."),
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write for TensorBoard, into OUTPUT.training.")
    ] = False,
    save_every: Annotated[
        str | None,
        typer.Option(help="How often to write a checkpoint: 500 (steps), 10m. By default at each validation."),
    ] = None,
) -> None:
    """Train a model on pairs of texts, running text, or texts with labels.

    Learns a vocabulary, trains, validates, keeps the best, and writes a model folder.
    """
    from regard.workflow.settings import parse_assignments, read_yaml
    from regard.workflow.train import train as train_model

    settings: dict[str, dict[str, Any]] = {}
    layers = [read_yaml(config)] if config else []
    layers += [parse_assignments(set_ or []), {"training": _options(steps, seed, precision)}]
    for layer in layers:
        for section, values in layer.items():
            settings.setdefault(section, {}).update(values)
    if not data:
        raise SettingsError(
            "DATA must be given, before --valid, which takes all words up to the next option; got none."
        )
    if (encoder is None) != (decoder is None):
        raise SettingsError("--encoder and --decoder must be given together; got one of them.")
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
            pretrained=None if encoder is None or decoder is None else (encoder, decoder),
            device=device,
            overwrite=overwrite,
            resume=resume,
            save_every=save_every,
            shard=shard,
            tensorboard=tensorboard,
        )
    if result.loaded is None:  # of several processes, the main one speaks
        return
    arch = result.loaded.model.config.arch
    if result.run.interrupted:
        say_what_is_kept(output, result.run, arch)
    say(summary(result.results))
    say(f"\n{output} is ready. Next:")
    for line in NEXT_COMMANDS[arch][: 1 if task == "mlm" else 2]:
        say(f"  {program()} {line.format(output)}")


def demo(
    task: Annotated[str, typer.Argument(help="dates, or histogram: how often does each letter occur?")] = "dates",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the model; by default demo-model or histogram-model."),
    ] = None,
    steps: Steps = None,
    seed: Seed = None,
    precision: Precision = None,
    threads: Threads = None,
    device: Device = "auto",
    overwrite: Overwrite = False,
) -> None:
    """Train a built-in task: dates as people write them, in 40 locales, to ISO 8601; or histograms.

    Measures the model on what it never saw, and writes a report with pictures.
    """
    if task not in DEMOS:
        raise SettingsError(f"TASK must be a built-in one; got {task!r}. {nearest_hint(task, DEMOS)}")
    output = output or Path(DEMOS[task])
    if task == "histogram":
        _histogram(output, _options(steps, seed, precision), threads=threads, device=device, overwrite=overwrite)
        return
    from regard.demos.dates import run_demo
    from regard.training.run import TrainingRun

    prepare_process(threads)
    with saying_when_interrupted():
        outcome = run_demo(output, _options(steps, seed, precision), device=device, overwrite=overwrite)
    if isinstance(outcome, TrainingRun):
        say_what_is_kept(output, outcome, "encoder-decoder", goes_on=False)
    say("\nTen dates that the model had not seen in any form:")
    for source, written, reference in outcome.examples:
        mark = "" if written == reference else f"  (should be {reference})"
        say(f"  {source}  ->  {written}{mark}")
    say(f"\nexact match on {outcome.num_test:,} held-out dates: {outcome.exact_match:.2%}")
    say(f"report: {outcome.report}")
    say(f"\nNext:\n  {program()} translate {output}\n  {program()} train pairs.tsv -o my-model")


def _histogram(output: Path, options: dict[str, Any], *, threads: int | None, device: str, overwrite: bool) -> None:
    """The demo of the histogram task."""
    from regard.demos.histogram import run_histogram_demo
    from regard.training.run import TrainingRun

    prepare_process(threads)
    with saying_when_interrupted():
        outcome = run_histogram_demo(output, options, device=device, overwrite=overwrite)
    if isinstance(outcome, TrainingRun):
        say_what_is_kept(output, outcome, "encoder", goes_on=False)
    say("\nTen sequences that the model had not seen:")
    for text, counted, right in outcome.examples:
        mark = "" if counted == right else f"  (should be {right})"
        say(f"  {text:<20}  ->  {counted}{mark}")
    say(f"\nletters counted right in {outcome.num_test:,} held-out sequences: {outcome.accuracy:.3%}")
    say(f"at lengths that were not trained on: {outcome.accuracy_at_new_lengths:.3%}")
    say(f"report: {outcome.report}")


def summary(results: dict[str, Any]) -> str:
    """The scores of some results, one to a line; which there are depends on the kind of model. Those of labels are tables."""
    from regard.evaluation.label_metrics import confusion_table, score_table
    from regard.text.wording import counted
    from regard.workflow.card import NO_BLEU

    signatures = results.get("signatures", {})
    rows = [
        ("bleu", "BLEU", ".2f", signatures.get("bleu", "")),
        ("chrf", "chrF", ".2f", signatures.get("chrf", "")),
        ("exact_match", "exact match", ".2%", ""),
        ("accuracy", "accuracy", ".2%", ""),
        ("macro_f1", "macro F1", ".2%", "the mean of the labels' F1"),
        ("token_accuracy", "token accuracy", ".2%", "each token after the right ones"),
        ("nats_per_token", "loss", ".4f", "nats per token, line breaks included"),
        ("perplexity", "perplexity", ".3f", "per token, end symbol included"),
        ("nats_per_character", "nats", ".4f", "per character"),
        ("bits_per_byte", "bits", ".4f", "per byte of UTF-8"),
    ]
    counts = {"num_pairs": "pair", "num_labels": "label", "num_tokens": "token"}
    sizes = [counted(results[key], what) for key, what in counts.items() if key in results]
    if not results.get("bleu_counts", True):
        rows[0] = ("bleu", "BLEU", "", NO_BLEU)
    scores = [
        f"{name:<15}{format(results[key], form) if form else '-':>9}   {note}".rstrip()
        for key, name, form, note in rows
        if key in results
    ]
    tables = [_table(rows) for rows in (score_table(results), confusion_table(results)) if rows]
    return "\n\n".join(["\n".join(sizes[:1] + scores), *tables])


def _table(rows: list[list[str]]) -> str:
    """Rows of words as lines, what is no name at the right of its column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [all(word[:1].isdigit() or word == "-" for word in column[1:]) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            word.rjust(width) if is_number else word.ljust(width)
            for word, width, is_number in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in rows
    )


def program() -> str:
    """How the user can call us again: by name where that works, else by the path that was used now."""
    if shutil.which("regard"):
        return "regard"
    if Path(sys.argv[0]).stem == "regard":
        return os.path.relpath(sys.argv[0])
    return f"{os.path.relpath(sys.executable)} -m regard"


@contextlib.contextmanager
def saying_when_interrupted() -> Iterator[None]:
    """Turn an interrupt before anything was saved into a message and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        tell("regard: interrupted before anything was saved; nothing was written.")
        raise typer.Exit(130) from None


def say_what_is_kept(output: Path, run: TrainingRun, arch: str, *, goes_on: bool = True) -> NoReturn:
    """Tell where an interrupted run stands and how to go on, and exit."""
    again = "Go on with the same command and `--resume`, or train anew with `--overwrite`."
    tell(
        f"regard: interrupted at step {run.step:,}. {output} is whole and holds the weights of step "
        f"{run.best_step or run.step:,}: use it with `{program()} {NEXT_COMMANDS[arch][0].format(output)}`. "
        + (again if goes_on else "Train anew with `--overwrite`.")
    )
    raise typer.Exit(130)


def refuse_given(*names: str, because: str) -> None:
    """Make sure that options which would do nothing are not given.

    Args:
        names: the parameters of the command, as Python has them.
        because: why they do nothing.
    Raises:
        SettingsError: one is given.
    """
    for name in names:
        if name in given.get():
            raise SettingsError(f"{given.get()[name]} does nothing {because}. Leave it out.")


def prepare_process(threads: int | None) -> None:
    """Set up torch for a process that is ours alone."""
    import torch

    from regard.training.precision import keep_freed_memory

    keep_freed_memory()
    if threads:
        processors = os.cpu_count() or 1
        most = max(LEAST_REFUSED_THREADS, 4 * processors)
        if threads > most:
            raise SettingsError(
                f"--threads must be at most {most}, as this machine has {processors} processors; got {threads}."
            )
        torch.set_num_threads(threads)


def _options(steps: int | None, seed: int | None, precision: str | None) -> dict[str, Any]:
    given = {"steps": steps, "seed": seed, "precision": precision}
    return {key: value for key, value in given.items() if value is not None}
