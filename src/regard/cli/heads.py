"""The command `heads`: the importance of each head of a model, and a model with some heads removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.inspect import check_folder
from regard.cli.option_types import AsJson, Model, ModelOptions, Overwrite, about_model, refuse_given
from regard.cli.output import echo, log, print_result, program
from regard.errors import DataError, SettingsError, check_known
from regard.text.wording import counted

if TYPE_CHECKING:
    from regard.analysis.pruning import Ranking
    from regard.inspection.head_statistics import HeadStatistics
    from regard.inspection.record import HeadName
    from regard.pipelines.translator import Translator


@about_model("ensemble", "precision", "engine")
def heads(
    model_options: ModelOptions,
    model: Model,
    data: Annotated[
        list[str], typer.Argument(help="Source file and target file, or one file of pairs (.tsv, .jsonl, hf:...).")
    ],
    by: Annotated[str, typer.Option(help="leave-one-out, gradient or gates.")] = "leave-one-out",
    sentences: Annotated[
        int,
        typer.Option(min=1, help="Pairs to measure heads on; BLEU is measured on the same number of pairs after them."),
    ] = 100,
    to_mean: Annotated[
        bool, typer.Option("--to-mean", help="Leave-one-out: replace a head's output by its mean, not by 0.")
    ] = False,
    prune: Annotated[
        str | None,
        typer.Option(
            metavar="<share or file>",
            help="Remove this fraction of the heads, the least important ones; or the heads that a file names, one on "
            "each line.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With --prune, a folder; otherwise .svg, .png, .html, .json or .csv."),
    ] = None,
    curves: Annotated[
        bool, typer.Option("--curves/--no-curves", help="Measure BLEU while more and more heads are removed.")
    ] = True,
    beam: Annotated[int, typer.Option("--beam", min=1, help="Beam size for BLEU.")] = 1,
    tokenize: Annotated[str, typer.Option(help="sacrebleu's tokenisation; none for tokenised text.")] = "13a",
    as_json: AsJson = False,
    overwrite: Overwrite = False,
) -> None:
    """Rank the heads of a translation model by importance, measure what removing them costs, and remove some."""
    from regard.analysis import pruning as room
    from regard.analysis.head_report import ranking_facts, save_ranking
    from regard.data.corpus import read_pairs
    from regard.evaluation.text_metrics import TextMetrics, tokenization_hint
    from regard.generation.options import DecodingOptions
    from regard.inspection.ablation import ablated_gates
    from regard.pipelines.translator import Translator
    from regard.runs.progress import RunDisplay

    removed = None if prune is None else _share_or_heads(prune)
    _check_output(output, removed, overwrite=overwrite)
    check_known("--by", by, room.MEASURES, "a known measure")
    _refuse_idle(by, output, is_pruned=prune is not None, curves=curves)
    curves = curves and prune is None and (output is None or output.suffix != ".csv")
    if output is not None and output.suffix in (".svg", ".png", ".html"):
        import regard.inspection.drawing.pictures  # noqa: F401  # or say now, not after minutes, that it cannot draw
    measures: dict[str, Any] = {
        "options": DecodingOptions(beam_size=beam),
        "metrics": TextMetrics(tokenize=tokenize),
    }
    translator = model_options.load(model, Translator)
    pairs = read_pairs(data)
    if (curves or prune is not None) and (hint := tokenization_hint(pairs.targets, tokenize)):
        log(hint)
    measured = slice(0, sentences)
    held_out = slice(sentences, 2 * sentences) if len(pairs.sources) > sentences else measured
    with RunDisplay() as display:
        on_items = display.on_items
        examples = room.examples_of(translator, pairs.sources[measured], pairs.targets[measured])
        room.examples_of(translator, pairs.sources[held_out], pairs.targets[held_out], first=held_out.start + 1)
        if prune is not None:
            room.check_prunable(translator.model)
        if isinstance(removed, list):
            ablated_gates(translator.model, removed)  # says now, not after minutes, that there is no such head
        if held_out == measured:
            are = "is" if len(examples) == 1 else "are"
            display.say(f"there {are} only {counted(len(examples), 'pair')}, for both heads and BLEU")
        test = pairs.sources[held_out], pairs.targets[held_out]
        if isinstance(removed, list):
            _prune(translator, removed, output, test, measures, as_json=as_json)
            return
        ranking = room.rank_heads(translator, examples, by, to_mean=to_mean, tell=on_items)
        found = {} if prune is not None else room.sentence_statistics(translator, *(
            side[measured] for side in (pairs.sources, pairs.targets)), tell=on_items)  # fmt: skip
        drawn: dict[str, list[tuple[float, float]]] = {}
        if curves:
            second = [] if by == "gradient" else [room.rank_heads(translator, examples, "gradient", tell=on_items)]
            orders = room.orders_of([ranking, *second], translator.model)
            drawn = room.removal_curves(translator, orders, *test, tell=on_items, **measures)
    if removed is not None:
        least = room.removable(ranking.order, round(removed * len(ranking.order)))
        if not least:
            raise SettingsError(
                f"`--prune {removed:g}` removes none of the {len(ranking.order)} heads; use a larger share."
            )
        _prune(translator, least, output, test, measures, as_json=as_json)
        return
    if output is not None:
        save_ranking(output, ranking, drawn, found, model=str(model))
        echo(f"wrote {output}")
    elif as_json:
        print_result(json.dumps(ranking_facts(ranking, drawn, found, model=str(model)), indent=1))
    else:
        print_result(_ranking_table(ranking, drawn, found))


def _share_or_heads(prune: str) -> float | list[HeadName]:
    """The value of `--prune`: a share of the heads, or heads by name, from a file.

    Raises:
        SettingsError: a share that is none, or a file that is not there, empty, or names something else.
    """
    from regard.inspection.record import HeadName
    from regard.text.lines import read_lines

    try:
        share = float(prune)
    except ValueError:
        pass
    else:
        if not 0 <= share <= 1:  # NaN, for example
            raise SettingsError(f"--prune must be from 0 to 1, or a file; got {prune}.")
        return share
    try:
        names = " ".join(read_lines(prune)).split()
    except DataError as error:
        raise SettingsError(f"--prune must be from 0 to 1, or a file of heads; {prune!r} cannot be read.") from error
    if not names:
        raise SettingsError(f"--prune must name heads, such as cross.2.3; {prune} is empty.")
    return sorted({HeadName.parse(name) for name in names})


def _check_output(output: Path | None, removed: float | list[HeadName] | None, *, overwrite: bool) -> None:
    """Make sure, before anything is measured, that the result can be written.

    Raises:
        SettingsError: it cannot.
    """
    from regard.checkpoint import check_output
    from regard.inspection.inspection import check_ending

    if isinstance(removed, list):
        refuse_given("by", "to_mean", because="with heads that a file names: they are not ranked")
    if removed is not None and output is None:
        raise SettingsError("`--prune` needs a folder to write to; add `-o FOLDER`.")
    if output is None:
        return
    check_folder(output)
    if removed is None:
        check_ending(output)
    else:
        check_output(output, overwrite=overwrite)


def _refuse_idle(by: str, output: Path | None, *, is_pruned: bool, curves: bool) -> None:
    """Make sure that every option that was given has an effect."""
    is_csv = output is not None and output.suffix == ".csv"
    if by != "leave-one-out":
        refuse_given("to_mean", because=f"with --by {by}: it is for leave-one-out")
    if is_pruned:
        if curves:
            refuse_given("curves", because="with --prune, which measures BLEU before and after")
        return
    refuse_given("overwrite", because="without --prune: the output is a file")
    if output is not None:
        refuse_given("as_json", because="with -o: how a file is written, its ending says")
    if curves and is_csv:
        refuse_given("curves", because="with -o .csv, which holds no curves")
    if not curves or is_csv:
        refuse_given("beam", "tokenize", because="where BLEU is not measured")


def _prune(
    translator: Translator,
    removed: list[HeadName],
    output: Path | None,
    test: tuple[list[str], list[str]],
    measures: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Remove heads, measure before and after, and write the smaller model."""
    from regard.analysis import pruning as room
    from regard.analysis.head_report import save_pruned

    assert output is not None
    smaller = room.without_heads(translator, removed, *test)
    earlier, found = (getattr(one.model.config, "alignment_head", None) for one in (translator, smaller))
    if found != earlier:
        log(f"the alignment head {earlier} was removed; alignments are now read from {found or 'the sharpest layer'}")
    before, after = room.measure_both(translator, smaller, *test, **measures)
    save_pruned(output, smaller, removed, before, after)
    if as_json:
        facts = {"removed": [str(name) for name in removed], "before": vars(before), "after": vars(after)}
        print_result(json.dumps(facts, indent=1))
        return
    echo(f"{'':<14}{'before':>12}{'after':>12}")
    for name, form in (("bleu", ".2f"), ("num_heads", ","), ("num_parameters", ","), ("sentences_per_second", ".0f")):
        title = {"bleu": "BLEU", "sentences_per_second": "sentences/s"}.get(name, name.removeprefix("num_"))
        echo(f"{title:<14}{getattr(before, name):>12{form}}{getattr(after, name):>12{form}}")
    echo(f"\nwrote {output}, without {counted(len(removed), 'head')}; next: {program()} translate {output} input.txt")


def _ranking_table(
    ranking: Ranking, curves: dict[str, list[tuple[float, float]]], statistics: dict[HeadName, HeadStatistics]
) -> str:
    from regard.analysis.pruning import MEASURES, NOTE

    lines = [f"{MEASURES[ranking.measure]}; the most worth first"]
    for name in ranking.order[::-1]:
        error = f"± {ranking.spread[name]:.4f}" if name in ranking.spread else ""
        found = statistics[name]
        seen = f"entropy {found.entropy:.2f}  highest {found.confidence:.2f}  {found.label}"
        lines.append(f"{name!s:<13}{ranking.worth[name]:>8.4f} {error:<9}  {seen}")
    if curves:
        shares = [share for share, _ in next(iter(curves.values()))]
        lines += ["", "BLEU with heads removed, per cent", " " * 34 + "".join(f"{share:>6.0f}" for share in shares)]
        lines += [f"{name:<34}" + "".join(f"{bleu:>6.1f}" for _, bleu in curve) for name, curve in curves.items()]
    return "\n".join([*lines, "", NOTE])
