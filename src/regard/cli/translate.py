"""The command `translate`: files, standard input, or what is typed, line by line."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.in_parts import PartOptions, answer_in_parts, divisible, input_file
from regard.cli.input import check_input, input_lines
from regard.cli.inspect import check_folder
from regard.cli.option_types import (
    BatchSize,
    Beam,
    Changes,
    LengthPenalty,
    Model,
    ModelOptions,
    about_model,
    prepare_process,
    refuse_given,
    with_changes,
)
from regard.cli.output import log, print_result
from regard.errors import DataError, SettingsError
from regard.names import is_file

if TYPE_CHECKING:
    from regard.generation.options import DecodingOptions
    from regard.pipelines.translation import Translation
    from regard.pipelines.translator import Translator


@divisible("folder")
@about_model()
def translate(
    model_options: ModelOptions,
    model: Model,
    input: Annotated[str, typer.Argument(help="A text file, one sentence per line; - is standard input.")] = "-",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write.")] = None,
    beam_size: Beam = 5,
    n_best: Annotated[
        int, typer.Option(min=1, help="Print this many translations of each line: line ||| text ||| score.")
    ] = 1,
    batch_size: BatchSize = None,
    length_penalty: LengthPenalty = 1.0,
    max_length: Annotated[
        int | None,
        typer.Option(min=1, help="Longest translation, in tokens; by default twice the source's length plus 64."),
    ] = None,
    changes: Changes = None,
    prefixes: Annotated[str | None, typer.Option(help="File with the beginning of each line's translation.")] = None,
    required: Annotated[
        str | None,
        typer.Option(help="File with the phrases that each line's translation must contain, separated by tabs."),
    ] = None,
    nearest_to: Annotated[
        str | None,
        typer.Option(
            help="File with a reference for each line: write the hypothesis that is nearest to it (BLEU of a sentence).",
            metavar="FILE",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print a JSON object for each line: text, score, tokens, token_log_probs ..."),
    ] = False,
    stream: Annotated[
        bool, typer.Option("--stream", help="Print each translation while it is written; one line at a time.")
    ] = False,
    in_parts: PartOptions | None = None,
) -> None:
    """Translate a file, standard input or typed text, line by line."""
    from regard.generation.options import DecodingOptions
    from regard.parts.answers import TranslatedRows
    from regard.pipelines.translator import Translator
    from regard.text.lines import write_lines

    if nearest_to is not None and (n_best > 1 or beam_size < 2):
        raise SettingsError(
            "`--nearest-to` chooses one of several hypotheses. Use it with `--beam 2` or more, without `--n-best`."
        )
    if stream:
        others = ("output", "as_json", "parts", "prefixes", "required", "nearest_to", "batch_size")
        refuse_given(*others, because="with --stream, which prints one line at a time as it is written")
    if output and not in_parts:
        check_folder(output)
    if not in_parts:
        check_input(input, f"translate {model}")
    named = {
        "beam_size": beam_size,
        "n_best": n_best if nearest_to is None else beam_size,
        "batch_size": batch_size,
        "length_penalty": length_penalty,
        "max_length": max_length,
    }
    options = DecodingOptions(**with_changes(named, changes))
    for name in ("alternatives", "alignment", "trace"):
        if getattr(options, name) and not as_json:
            raise SettingsError(
                f"`{name}` needs `--json`: lines of text hold translations only. Add `--json`, or remove `{name}`."
            )
    if in_parts:
        prepare_process(model_options.threads)
        besides = {"prefixes": prefixes, "required": required, "references": nearest_to}
        texts = {kind: name for kind, name in besides.items() if name}
        if options.n_best > 1 and not as_json and nearest_to is None:
            raise SettingsError("`--n-best` needs `--json` with `--parts`: each line of input has one line of output.")
        answer = TranslatedRows(model_options.choice(model), as_json, options, tuple(texts))
        further = (input_file(name, None, has_lines=True) for name in texts.values())
        answer_in_parts(
            "translate", answer, [input_file(input, in_parts.column), *further], replace(in_parts, folder=output)
        )
        return
    translator = model_options.load(model, Translator)
    is_typed = input == "-" and sys.stdin.isatty() and output is None
    if is_typed:
        log(f"{model} is ready: type a line to translate it. Ctrl-D ends.")
    if stream or is_typed:
        for line in input_lines(input):
            try:
                _answer(translator, line, options, as_json, stream)
            except DataError as error:
                if not is_typed:
                    raise
                log(f"regard: {error}")
        return
    rows = _rows_of_file(
        translator, input, options, (prefixes, required, nearest_to), n_best, as_json, shows_progress=output is not None
    )
    if output:
        write_lines(output, rows)
    else:
        for row in rows:
            print_result(row)


def _rows_of_file(
    translator: Translator,
    input: str,
    options: DecodingOptions,
    besides: tuple[str | None, str | None, str | None],
    n_best: int,
    as_json: bool,
    *,
    shows_progress: bool,
) -> Iterator[str]:
    """The output lines of a file, a window of its lines at a time.

    Args:
        besides: files with a line for each of its lines: prefixes, required phrases, references to be near to.
        n_best: how many translations of each line are printed.
    """
    from regard.parts.answers import split_phrases
    from regard.runs.progress import RunDisplay

    prefixes, required, references = besides
    under_way: deque[str] = deque()

    def noted() -> Iterator[str]:
        for line in input_lines(input):
            under_way.append(line)
            yield line

    can_be_counted = shows_progress and is_file(input)  # standard input and pipes are read once
    done, total = 0, sum(1 for _ in input_lines(input)) if can_be_counted else None
    with RunDisplay(is_silent=not shows_progress) as display:
        display.on_sentences(0, total)

        def count(more: int) -> None:
            nonlocal done
            done += more
            display.on_sentences(done, total)

        translations = translator.translate_lines(
            noted(),
            options,
            prefixes=None if prefixes is None else input_lines(prefixes, is_live=False),
            required=None if required is None else map(split_phrases, input_lines(required, is_live=False)),
            on_done=count,
        )
        if references is not None:
            translations = _nearest(translations, references)
        try:
            for number, translation in enumerate(translations):
                yield from _rows(number, under_way.popleft(), translation, n_best, as_json)
        except DataError as error:
            name = "standard input" if input == "-" else input
            raise (DataError(f"{name}, {error}") if str(error).startswith("line ") else error) from error


def _nearest(translations: Iterator[Translation], references: str) -> Iterator[Translation]:
    """The hypothesis of each line that is nearest to its reference.

    Raises:
        DataError: not as many references as lines.
    """
    lines, number = input_lines(references, is_live=False), 0
    for number, translation in enumerate(translations, start=1):
        if (reference := next(lines, None)) is None:
            raise DataError(
                f"{references} must have a reference for each line; got {number - 1:,}, and there are more lines."
            )
        yield translation.nearest_to(reference)
    if next(lines, None) is not None:
        raise DataError(f"{references} must have a reference for each line; got more than the {number:,} lines.")


def _answer(translator: Translator, line: str, options: DecodingOptions, as_json: bool, stream: bool) -> None:
    """Print the translation of one line, as it grows where that is wanted."""
    if not stream:
        for row in _rows(0, line, translator.translate([line], options)[0], options.n_best, as_json):
            print_result(row)
        return
    for piece in translator.stream(line, options):
        print_result(piece, end="")
    print_result("")


def _rows(number: int, source: str, translation: Translation, n_best: int, as_json: bool) -> Iterator[str]:
    """The output lines of one translation."""
    if as_json:
        record = translation.record(source, has_n_best=n_best > 1)
        yield json.dumps(record, ensure_ascii=False)
    elif n_best > 1:
        for candidate in translation.n_best:
            yield f"{number} ||| {candidate.text} ||| {candidate.score:.6f}"
    else:
        yield translation.text
