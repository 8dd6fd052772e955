"""The command `compare`: systems side by side on a test set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.option_types import (
    AsJson,
    BatchSize,
    Beam,
    Changes,
    Device,
    LengthPenalty,
    Precision,
    References,
    Threads,
    given,
    prepare_process,
    with_changes,
)
from regard.cli.output import echo, log, print_result


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
    from regard.analysis.comparison.comparison_result import check_page
    from regard.analysis.comparison.systems import split_words
    from regard.analysis.comparison.terminal import shown_comparison
    from regard.cli.inspect import check_folder
    from regard.runs.progress import RunDisplay

    if output is not None:
        check_folder(output)
        check_page(output)
    systems, data = split_words(words)
    decoding = {"beam_size": beam_size, "batch_size": batch_size, "length_penalty": length_penalty}
    asked = with_changes({name: value for name, value in decoding.items() if name in given.get()}, changes)
    prepare_process(threads)
    with RunDisplay() as display:
        found = compared(
            systems, data, references=references or (), comet=comet, tokenize=tokenize, lowercase=lowercase,
            device=device, precision=precision, tell=log, on_items=display.on_items, **asked,
        )  # fmt: skip
    print_result(json.dumps(found.facts(), indent=2, ensure_ascii=False)) if as_json else echo(shown_comparison(found))
    if output is not None:
        found.save(output)
        log(f"wrote {output}")
