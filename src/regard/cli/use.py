"""The commands that use a trained model: `generate`, `predict`, `evaluate`, `compare`, `score`, `info`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.options import (
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
    Threads,
    given,
    prepare_process,
    refuse_given,
)
from regard.cli.reading import check_input, input_lines
from regard.cli.writing import program, say, summary, tell, write
from regard.errors import DataError, ModelFolderError, SettingsError

if TYPE_CHECKING:
    from regard.pipelines.pipeline import Pipeline
    from regard.pipelines.translator import Translator


MOST_CUTS_TOLD = 5
"""Truncated lines that are reported one by one."""


def generate(
    model: Model,
    prompt: Annotated[
        list[str] | None, typer.Option(help="Text to continue, \\n for a line break; may be repeated.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many tokens to write.")] = 200,
    temperature: Annotated[
        float, typer.Option(min=0.0, help="0: always the likeliest token; 1: the model's own distribution.")
    ] = 0.8,
    top_k: Annotated[int | None, typer.Option(min=1, help="Draw from this many of the likeliest tokens only.")] = None,
    top_p: Annotated[
        float, typer.Option(help="Draw from the likeliest tokens whose probabilities add up to this only.")
    ] = 1.0,
    min_p: Annotated[
        float, typer.Option(help="Draw from tokens with at least this fraction of the highest probability.")
    ] = 0.0,
    typical: Annotated[
        float, typer.Option(help="Draw from the most typical tokens whose probabilities add up to this only.")
    ] = 1.0,
    stop_at_line: Annotated[bool, typer.Option("--stop-at-line", help="Stop at the first line break.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the random numbers.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each prompt: prompt, text.")] = False,
    engine: Engine = "auto",
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Continue a prompt with a language model (--arch decoder)."""
    from regard.pipelines.language_model import LanguageModel
    from regard.pipelines.loading import load_as

    if temperature == 0:
        greedy = "at --temperature 0, which always takes the likeliest token"
        refuse_given("top_k", "top_p", "min_p", "typical", "seed", because=greedy)
    prepare_process(threads)
    prompts = [text.replace("\\n", "\n") for text in prompt or [""]]
    texts = load_as(model, LanguageModel, device=device, adapter=adapter, engine=engine).generate(
        prompts,
        max_tokens=max_tokens,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        typical=typical,
        seed=seed,
        stop_at_line=stop_at_line,
    )
    for begun, text in zip(prompts, texts, strict=True):
        write(json.dumps({"prompt": begun, "text": text}, ensure_ascii=False) if as_json else begun + text)


def predict(
    model: Model,
    input: Annotated[str, typer.Argument(help="A text file, one text per line; - is standard input.")] = "-",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a JSON object for each line: text, labels, probs; is_cut, if it was truncated."
        ),
    ] = False,
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Label each line with a classifier, tagger or masked language model (--arch encoder)."""
    from regard.pipelines.loading import load_as
    from regard.pipelines.predictor import WINDOW, Predictor

    check_input(input, f"predict {model}", column=2, key="text")
    prepare_process(threads)
    predictor = load_as(model, Predictor, device=device, adapter=adapter)
    num_cut, is_typed = 0, input == "-" and sys.stdin.isatty()
    predictions = predictor.predict_lines(input_lines(input), window=1 if is_typed else WINDOW)
    for number, prediction in enumerate(predictions, start=1):
        record = asdict(prediction)
        if not prediction.is_cut:
            del record["is_cut"]
        write(json.dumps(record, ensure_ascii=False) if as_json else " ".join(prediction.labels))
        num_cut += prediction.is_cut
        if prediction.is_cut and num_cut <= MOST_CUTS_TOLD:
            name, most = "standard input" if input == "-" else input, predictor.model.config.max_positions - 2
            tell(f"{name}, line {number}: the text has more than {most} tokens; only the first {most} were read")
    if num_cut > MOST_CUTS_TOLD:
        tell(f"{num_cut - MOST_CUTS_TOLD:,} more lines were cut in the same way")


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
    from regard.pipelines.translator import Translator
    from regard.runs.settings import parse_options

    if calibrate and ensemble:
        raise SettingsError("`--calibrate` is for a single model; it does not work with `--ensemble`.")
    loaded = _load(model, threads, device, precision, ensemble, adapter, engine)
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
    results = loaded.evaluate_files(data, tell=tell, **options)
    if isinstance(loaded, Translator) and calibrate:
        if loaded.confidence is None:
            raise DataError(f"--calibrate needs {LEAST_PAIRS} pairs; got {results['num_pairs']}.")
        loaded.confidence.write((adapter or model) / CONFIDENCE)
    write(json.dumps(results, indent=2)) if as_json else say(summary(results))


def compare(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL MODEL... DATA",
            help="At least two systems, the first of which is the baseline, and then the data. A system is a model, or a text "
            "file of translations, line by line; several runs of a system have commas between them. The data are a source file "
            "and a reference file, or one file of pairs (.tsv, .jsonl, hf:...).",
        ),
    ],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write a page, .html.")] = None,
    tokenize: Annotated[str, typer.Option(help="sacrebleu's tokenisation; none for tokenised text.")] = "13a",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case in BLEU and chrF.")] = False,
    beam_size: Beam = 5,
    batch_size: BatchSize = None,
    length_penalty: LengthPenalty = 1.0,
    changes: Changes = None,
    references: References = None,
    comet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Measure COMET, too, with this checkpoint (unbabel-comet).")
    ] = None,
    as_json: AsJson = False,
    precision: Precision = "float32",
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Compare systems on a test set: scores, a paired bootstrap test, and the sentences that differ most."""
    from regard.analysis.comparison.comparing import compare as compared
    from regard.analysis.comparison.result import check_page
    from regard.analysis.comparison.systems import split_words
    from regard.analysis.comparison.terminal import shown_comparison
    from regard.cli.inspect import check_folder
    from regard.runs.progress import RunDisplay
    from regard.runs.settings import parse_options

    if output is not None:
        check_folder(output)
        check_page(output)
    systems, data = split_words(words)
    decoding = {"beam_size": beam_size, "batch_size": batch_size, "length_penalty": length_penalty}
    asked = {name: value for name, value in decoding.items() if name in given.get()} | parse_options(changes or [])
    prepare_process(threads)
    with RunDisplay() as display:
        found = compared(
            systems, data, references=references or (), comet=comet, tokenize=tokenize, lowercase=lowercase,
            device=device, precision=precision, tell=tell, on_items=display.on_items, **asked,
        )  # fmt: skip
    write(json.dumps(found.facts(), indent=2, ensure_ascii=False)) if as_json else say(shown_comparison(found))
    if output is not None:
        found.save(output)
        tell(f"wrote {output}")


def score(
    model: Model,
    source: Annotated[str, typer.Argument(help="Source file, or one file of pairs (.tsv, .jsonl, hf:...).")],
    target: Annotated[str | None, typer.Argument(help="Target file, line by line.")] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON object for each pair: log_prob, tokens, token_log_probs."),
    ] = False,
    adapter: Adapter = None,
    from_hub: FromHub = False,
    threads: Threads = None,
    device: Device = "auto",
) -> None:
    """Print the log-probability of each target, given its source (natural logarithm, one line per pair)."""
    from regard.data.corpus import read_pairs

    pairs = read_pairs([source, target] if target else [source])
    if pairs.num_blank:
        raise DataError(f"`score` needs text on every line; {pairs.name} has {pairs.num_blank} without. Remove them.")
    for scored in _translator(model, threads, device, adapter).score(pairs.sources, pairs.targets):
        write(json.dumps(asdict(scored), ensure_ascii=False) if as_json else f"{scored.log_prob:.6f}")


def _device_facts() -> str:
    """The device that `--device auto` takes here, for people."""
    from regard.pipelines.devices import resolve_device

    device = resolve_device("auto").type
    if device == "cpu":
        return "cpu"
    return f"{device}, where nothing was measured yet" + (", float32 products in TF32" if device == "cuda" else "")


def info(model: Model, as_json: AsJson = False, from_hub: FromHub = False) -> None:
    """Show what a model folder holds: sizes, settings, and the scores measured in training; and what decodes with it here."""
    from regard.adapters import is_adapter
    from regard.engines.choice import explain_engine
    from regard.pipelines.loading import load_any

    if is_adapter(model):
        _adapter_info(model, as_json)
        return
    loaded, tokenizer, _ = load_any(model)
    results_file = model / "results.json"
    results: dict[str, Any] = {}
    if results_file.is_file():
        try:
            results = json.loads(results_file.read_text(encoding="utf-8"))
            measured = f"\nmeasured on {results['evaluated_on']}:\n{summary(results)}"
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ModelFolderError(
                f"{results_file} must hold the results of a training run; got {error!r}. Is it complete?"
            ) from error
    num_parameters = sum(parameter.numel() for parameter in loaded.parameters())
    facts: dict[str, Any] = {
        "folder": str(model),
        "num_parameters": num_parameters,
        "vocabulary": len(tokenizer),
        "device": _device_facts(),
        "engine": explain_engine(loaded),
        "model": loaded.config.model_dump(mode="json"),
    }
    if as_json:
        write(json.dumps(facts | {"results": results}, indent=2, ensure_ascii=False))
        return
    lines = [f"{model}: {num_parameters:,} parameters, {len(tokenizer):,} tokens in the vocabulary"]
    lines += [f"  {key:<20}{value}" for key, value in facts["model"].items()]
    lines += [f"device: {facts['device']}", f"decoding: {facts['engine']}"]
    say("\n".join([*lines, measured] if results else lines))


def _adapter_info(folder: Path, as_json: bool) -> None:
    """Show what an adapter folder holds."""
    from regard.adapters import read_adapter

    adapter = read_adapter(folder)
    assert adapter.base is not None
    facts = {
        "folder": str(folder),
        "base": adapter.base.model_dump(),
        "num_maps": len(adapter.scales),
        "weights_bytes": adapter.weights.stat().st_size,
    }
    if as_json:
        write(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    say(
        f"{folder}: an adapter of {adapter.base.name} for {len(adapter.scales)} linear maps, "
        f"{adapter.weights.stat().st_size / 1e3:,.0f} kB\n  {'weights of the model':<22}sha256 {adapter.base.sha256}\n"
        f"  {'use':<22}{program()} translate {adapter.base.name} --adapter {folder}"
    )


def _load(
    model: Path,
    threads: int | None,
    device: str,
    precision: str,
    others: list[Path] | None,
    adapter: Path | None,
    engine: str,
) -> Pipeline:
    from regard.pipelines.loading import load

    prepare_process(threads)
    return load(model, device=device, precision=precision, others=others or (), adapter=adapter, engine=engine)


def _translator(model: Path, threads: int | None, device: str, adapter: Path | None) -> Translator:
    from regard.pipelines.loading import load_as
    from regard.pipelines.translator import Translator

    prepare_process(threads)
    return load_as(model, Translator, device=device, adapter=adapter)
