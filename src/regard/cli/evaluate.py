"""The commands `evaluate` and `score`: the quality of a model on given data, and log-probabilities of given targets."""

from __future__ import annotations

import json
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.in_parts import CollectScores, PartOptions, answer_in_parts, divisible, input_file, pair_files
from regard.cli.option_types import (
    AsJson,
    BatchSize,
    Beam,
    Changes,
    LengthPenalty,
    Model,
    ModelOptions,
    References,
    about_model,
    prepare_process,
    with_changes,
)
from regard.cli.output import echo, log, print_result, summary
from regard.errors import DataError, SettingsError

if TYPE_CHECKING:
    from regard.parts.answers import ModelChoice
    from regard.parts.evaluating import EvaluatedRows
    from regard.parts.input_files import InputFile
    from regard.pipelines.pipeline import Pipeline
    from regard.pipelines.translator import Translator


@divisible("column", collect=CollectScores)
@about_model()
def evaluate(
    model_options: ModelOptions,
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
    beam_size: Beam = 5,
    batch_size: BatchSize = None,
    length_penalty: LengthPenalty = 1.0,
    changes: Changes = None,
    references: References = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Store in MODEL what the pairs say about the confidence of translations (`regard train` does this by itself).",
        ),
    ] = False,
    as_json: AsJson = False,
    in_parts: PartOptions | None = None,
) -> None:
    """Measure a model: BLEU, chrF and exact match on pairs; perplexity and bits per byte on text; accuracy on labels."""
    from regard.checkpoint import CONFIDENCE
    from regard.evaluation.confidence import LEAST_PAIRS
    from regard.pipelines.any_pipeline import AnyPipeline
    from regard.pipelines.translator import Translator

    if calibrate and model_options.ensemble:
        raise SettingsError("`--calibrate` is for a single model; it does not work with `--ensemble`.")
    named = {
        "calibrate": calibrate,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "beam_size": beam_size,
        "batch_size": batch_size,
        "length_penalty": length_penalty,
        "references": references or [],
    }
    options: dict[str, Any] = with_changes(named, changes)
    names_languages = bool(model_options.source_language or model_options.target_language)  # else files may
    loaded = model_options.load(model, AnyPipeline, is_directed=names_languages)
    if not isinstance(loaded, Translator):
        defaults = {name: signature(evaluate).parameters[name].default for name in named} | {"references": []}
        if asked := [name for name, value in options.items() if value != defaults.get(name)]:
            raise SettingsError(
                f"`evaluate` takes {', '.join(asked)} only with a model that translates; {model} is a {type(loaded).__name__}."
            )
        options = {}
    if in_parts:
        choice = model_options.choice(model)
        is_translator = isinstance(loaded, Translator)
        answer, files = (
            _evaluated_pairs(choice, loaded, data, options) if is_translator else _evaluated_texts(choice, loaded, data)
        )
        answer.loaded = loaded
        results = answer_in_parts("evaluate", answer, files, in_parts)
    else:
        results = loaded.evaluate_files(data, tell=log, **options)
    if results is None:
        return
    if isinstance(loaded, Translator) and calibrate:
        if loaded.confidence is None:
            raise DataError(f"--calibrate needs {LEAST_PAIRS} pairs; got {results['num_pairs']}.")
        loaded.confidence.write((model_options.adapter or model) / CONFIDENCE)
    print_result(json.dumps(results, indent=2)) if as_json else echo(summary(results))


def _evaluated_pairs(
    choice: ModelChoice, translator: Translator, data: list[str], options: dict[str, Any]
) -> tuple[EvaluatedRows, list[InputFile]]:
    """The rows of a large test set of pairs, and its files.

    Raises:
        DataError: files that are not pairs, or several of them.
        SettingsError: options that do not go together.
    """
    from regard.data.corpus import divided_name, is_one_file
    from regard.generation.options import DecodingOptions
    from regard.parts.evaluating import EvaluatedPairs, PairFile

    metrics = {name: options.pop(name) for name in ("tokenize", "lowercase")}
    if options.pop("calibrate"):
        raise SettingsError(
            "`--calibrate` does not work with `--parts`: some thousand pairs suffice. Remove one of them."
        )
    references = options.pop("references")
    if len(data) > 2 or (len(data) == 2 and any(map(is_one_file, data))) or any(map(is_one_file, references)):
        raise DataError(
            f"`--parts` needs two parallel files, or one file of pairs, and references line by line; got "
            f"{', '.join([*data, *references])}. Measure each by itself."
        )
    file, path = None, divided_name(data[0])[0]
    if len(data) == 1 and (pairs := input_file(path, None, has_lines=True)).named_kind in ("tsv", "jsonl"):
        file, files = PairFile.begin(pairs, data[0], has_directions=translator.languages is not None), [pairs]
    else:
        files = pair_files(path, data[1] if len(data) > 1 else None)
    if file is None or not file.says_languages:
        _ = translator.in_one_direction
    answer = EvaluatedPairs(
        choice, options_of_decoding=DecodingOptions().changed(**options), besides=("references",) * len(references),
        file=file, **metrics,
    )  # fmt: skip
    if file is not None and file.says_languages and (references or not answer.is_repeatable):
        raise SettingsError(
            "`--parts` of a file whose rows say their languages works without `--references` and random choices. Write the "
            "pairs of each direction to a file."
        )
    return answer, [*files, *(input_file(name, None, has_lines=True) for name in references)]


def _evaluated_texts(choice: ModelChoice, loaded: Pipeline, data: list[str]) -> tuple[EvaluatedRows, list[InputFile]]:
    """The rows of a large file of texts, with labels or without, and the file.

    Raises:
        DataError: several files.
        SettingsError: a model that is not measured so.
    """
    from regard.parts.evaluating import EvaluatedLabels, EvaluatedText, check_text_model
    from regard.pipelines.language_model import LanguageModel

    if len(data) > 1:
        raise DataError(f"`--parts` needs one file; got {', '.join(data)}. Join them.")
    file = input_file(data[0], None, has_lines=True)
    if isinstance(loaded, LanguageModel):
        check_text_model(loaded)
        return EvaluatedText(choice, file=replace(file, path=file.path.absolute())), [file]
    if (task := loaded.model.config.task) != "classify":
        raise SettingsError(
            f"`evaluate --parts` needs a model that translates, classifies or writes text; got one for task {task}. Remove "
            "`--parts`."
        )
    return EvaluatedLabels(choice, path=file.path), [file]


@divisible("column")
@about_model("ensemble", "precision", "engine")
def score(
    model_options: ModelOptions,
    model: Model,
    source: Annotated[str, typer.Argument(help="Source file, or one file of pairs (.tsv, .jsonl, hf:...).")],
    target: Annotated[str | None, typer.Argument(help="Target file, line by line.")] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON object for each pair: log_prob, tokens, token_log_probs."),
    ] = False,
    in_parts: PartOptions | None = None,
) -> None:
    """Print the log-probability of each target, given its source (natural logarithm, one line per pair)."""
    from regard.data.corpus import read_pairs
    from regard.parts.answers import ScoredRows, scored_line
    from regard.pipelines.pair_file_scores import unknown_in_pairs
    from regard.pipelines.translator import Translator

    if in_parts:
        prepare_process(model_options.threads)
        answer = ScoredRows(model_options.choice(model), as_json)
        answer_in_parts("score", answer, pair_files(source, target), in_parts)
        return
    pairs = read_pairs([source, target] if target else [source])
    if pairs.num_blank:
        raise DataError(f"`score` needs text on every line; {pairs.name} has {pairs.num_blank} without. Remove them.")
    translator = model_options.load(model, Translator)
    found = translator.score(pairs.sources, pairs.targets)
    for note in unknown_in_pairs(translator, pairs.sources, pairs.targets):
        log(note)
    for scored in found:
        print_result(scored_line(scored, as_json=as_json))
