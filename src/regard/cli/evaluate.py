"""The commands `evaluate` and `score`: the quality of a model on given data, and log-probabilities of given targets."""

from __future__ import annotations

import json
from inspect import signature
from typing import Annotated, Any

import typer

from regard.cli.in_parts import (
    OutputFolder,
    PartOptions,
    answer_in_parts,
    divisible,
    pair_files,
)
from regard.cli.option_types import (
    Adapter,
    AsJson,
    BatchSize,
    Beam,
    Changes,
    Device,
    Engine,
    FromHub,
    LengthPenalty,
    Model,
    Others,
    Precision,
    References,
    Source,
    Target,
    Threads,
    prepare_process,
    refuse_given,
    with_direction,
)
from regard.cli.output import echo, log, print_result, summary
from regard.errors import DataError, SettingsError


def evaluate(
    model: Model,
    data: Annotated[
        list[str],
        typer.Argument(
            help="Source file and reference file, or one file of pairs (.tsv, .jsonl, hf:...); for a language model, text "
            "files; for a classifier or tagger, files in the format of its training data."
        ),
    ],
    tokenize: Annotated[str, typer.Option(help="sacrebleu's tokenisation; none for tokenised text.")] = "13a",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case in BLEU and chrF.")] = False,
    source_language: Source = None,
    target_language: Target = None,
    beam_size: Beam = 5,
    batch_size: BatchSize = None,
    length_penalty: LengthPenalty = 1.0,
    changes: Changes = None,
    references: References = None,
    ensemble: Others = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Store in MODEL what the pairs say about the confidence of translations (`regard train` does this by itself).",
        ),
    ] = False,
    as_json: AsJson = False,
    precision: Precision = "float32",
    engine: Engine = "auto",
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Measure a model: BLEU, chrF and exact match on pairs; perplexity and bits per byte on text; accuracy on labels."""
    from regard.checkpoint import CONFIDENCE
    from regard.evaluation.confidence import LEAST_PAIRS
    from regard.pipelines.loading import load
    from regard.pipelines.translator import Translator
    from regard.runs.settings import parse_options

    if calibrate and ensemble:
        raise SettingsError("`--calibrate` is for a single model; it does not work with `--ensemble`.")
    prepare_process(threads)
    loaded = load(model, device=device, precision=precision, others=ensemble or (), adapter=adapter, engine=engine)
    if source_language or target_language:  # else files may say the languages
        loaded = with_direction(loaded, source_language, target_language)
    named = {
        "calibrate": calibrate,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "beam_size": beam_size,
        "batch_size": batch_size,
        "length_penalty": length_penalty,
        "references": references or [],
    }
    options: dict[str, Any] = {**named, **parse_options(changes or [])}
    if not isinstance(loaded, Translator):
        defaults = {name: signature(evaluate).parameters[name].default for name in named} | {"references": []}
        if asked := [name for name, value in options.items() if value != defaults.get(name)]:
            raise SettingsError(
                f"`evaluate` takes {', '.join(asked)} only with a model that translates; {model} is a {type(loaded).__name__}."
            )
        options = {}
    results = loaded.evaluate_files(data, tell=log, **options)
    if isinstance(loaded, Translator) and calibrate:
        if loaded.confidence is None:
            raise DataError(f"--calibrate needs {LEAST_PAIRS} pairs; got {results['num_pairs']}.")
        loaded.confidence.write((adapter or model) / CONFIDENCE)
    print_result(json.dumps(results, indent=2)) if as_json else echo(summary(results))


@divisible("column")
def score(
    model: Model,
    source: Annotated[str, typer.Argument(help="Source file, or one file of pairs (.tsv, .jsonl, hf:...).")],
    target: Annotated[str | None, typer.Argument(help="Target file, line by line.")] = None,
    source_language: Source = None,
    target_language: Target = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON object for each pair: log_prob, tokens, token_log_probs."),
    ] = False,
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
    output: OutputFolder = None,
    in_parts: PartOptions | None = None,
) -> None:
    """Print the log-probability of each target, given its source (natural logarithm, one line per pair)."""
    from regard.data.corpus import read_pairs
    from regard.parts.answers import ModelChoice, ScoredRows, scored_line
    from regard.pipelines.loading import load_as
    from regard.pipelines.translator import Translator

    if in_parts:
        prepare_process(threads)
        choice = ModelChoice(
            model, device, adapter=adapter, source_language=source_language, target_language=target_language
        )
        files = pair_files(source, target)
        answer_in_parts("score", ScoredRows(choice, as_json), files, output, in_parts)
        return
    refuse_given("output", because="without `--parts`")
    pairs = read_pairs([source, target] if target else [source])
    if pairs.num_blank:
        raise DataError(f"`score` needs text on every line; {pairs.name} has {pairs.num_blank} without. Remove them.")
    prepare_process(threads)
    translator = load_as(model, Translator, device=device, adapter=adapter)
    translator = with_direction(translator, source_language, target_language)
    for scored in translator.score(pairs.sources, pairs.targets):
        print_result(scored_line(scored, as_json=as_json))
