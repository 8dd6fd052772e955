"""The command `predict`: label lines with a classifier, a tagger or a masked language model."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from regard.cli.in_parts import PartOptions, answer_in_parts, divisible, input_file
from regard.cli.input import check_input, input_lines
from regard.cli.option_types import Model, ModelOptions, about_model, prepare_process
from regard.cli.output import log, print_result

MOST_CUTS_TOLD = 5
"""Truncated lines that are reported one by one."""


@divisible()
@about_model("ensemble", "precision", "engine", "source_language", "target_language")
def predict(
    model_options: ModelOptions,
    model: Model,
    input: Annotated[str, typer.Argument(help="A text file, one text per line; - is standard input.")] = "-",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print a JSON object for each line: text, labels, probs (values of a regression); is_cut, if it was truncated.",
        ),
    ] = False,
    in_parts: PartOptions | None = None,
) -> None:
    """Label each line with a classifier, tagger or masked language model (--arch encoder)."""
    from regard.checkpoint import stored_config
    from regard.parts.answers import PredictedRows, predicted_line
    from regard.pipelines.predictor import WINDOW, Predictor

    if in_parts:
        prepare_process(model_options.threads)
        file = input_file(input, in_parts.column)
        names_column = in_parts.column is not None or file.kind != "tsv"
        answer = PredictedRows(model_options.choice(model), as_json, names_column)
        answer_in_parts("predict", answer, [file], in_parts)
        return
    check = partial(check_input, input, f"predict {model}", key="text")
    config = stored_config(model) if model_options.adapter is None else None
    may_be_pairs = config is None or getattr(config, "reads_pairs", False)
    check(has_pairs=may_be_pairs, column="2-3" if may_be_pairs else "2")
    predictor = model_options.load(model, Predictor)
    if not predictor.reads_pairs:
        check(column="2")
    num_cut, is_typed = 0, input == "-" and sys.stdin.isatty()
    predictions = predictor.predict_lines(input_lines(input), window=1 if is_typed else WINDOW)
    for number, prediction in enumerate(predictions, start=1):
        print_result(predicted_line(prediction, as_json=as_json))
        num_cut += prediction.is_cut
        if prediction.is_cut and num_cut <= MOST_CUTS_TOLD:
            name, most = "standard input" if input == "-" else input, predictor.model.config.max_positions - 2
            log(f"{name}, line {number}: the text has more than {most} tokens; only the first {most} were read")
    if num_cut > MOST_CUTS_TOLD:
        log(f"{num_cut - MOST_CUTS_TOLD:,} more lines were cut in the same way")
