"""The commands that show what a model looks at: `inspect`, `align`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from regard.cli.input import check_one_line, text_itself
from regard.cli.option_types import (
    Beam,
    Changes,
    LengthPenalty,
    Model,
    ModelOptions,
    about_model,
    from_hub_if_asked,
    refuse_given,
    with_changes,
)
from regard.cli.output import echo, log, print_result
from regard.errors import DataError, SettingsError, check_known
from regard.names import is_folder

if TYPE_CHECKING:
    from regard.analysis.attribution import Flow
    from regard.inspection.inspection import Inspection
    from regard.pipelines.pipeline import Pipeline
    from regard.pipelines.translator import Translator

DECODING = ("beam_size", "length_penalty", "changes")
"""The options of decoding."""
Head = Annotated[
    list[str] | None,
    typer.Option("--head", help="A head, such as cross.2.3 (kind.layer.head, from 0); may be repeated."),
]


@about_model("ensemble", "precision", "engine")
def inspect(
    model_options: ModelOptions,
    model: Model,
    text: Annotated[str, typer.Argument(help="The text that the model reads; - is standard input.")],
    target: Annotated[
        str | None, typer.Option(help="The text that it is made to write; by default, its own translation.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="File to write: .html, .svg, .png, .json or .csv. By default, print to the terminal."
        ),
    ] = None,
    head: Head = None,
    beam_size: Beam = 5,
    rank: Annotated[int, typer.Option(min=1, max=1000, help="Which of the translations to show; 1 is the best.")] = 1,
    ablate: Annotated[
        str | None, typer.Option(help="Heads to switch off, separated by commas: cross.2.3,encoder.0.1")
    ] = None,
    lens: Annotated[bool, typer.Option("--lens", help="Also show what each layer would predict (logit lens).")] = False,
    norms: Annotated[
        bool,
        typer.Option("--norms", help="Show the norms of the value vectors that a head adds, instead of its weights."),
    ] = False,
    flow: Annotated[
        str | None,
        typer.Option(help="Show how inputs affect outputs instead: rollout, flow, gradient or integrated-gradients."),
    ] = None,
    links: Annotated[
        bool, typer.Option("--links", help="In .svg and .png: draw one head as curves between tokens, not as a matrix.")
    ] = False,
    search: Annotated[bool, typer.Option("--search", help="Draw the search as a tree instead (.svg or .png).")] = False,
    length_penalty: LengthPenalty = 1.0,
    changes: Changes = None,
) -> None:
    """Show the attention weights of every head of a model on one text."""
    from regard.analysis.attribution import METHODS, check_flow, trace_flow
    from regard.analysis.numbers import ENDINGS as NUMBERS
    from regard.generation.options import DecodingOptions
    from regard.inspection.inspection import check_ending
    from regard.pipelines.any_pipeline import AnyPipeline
    from regard.pipelines.translator import Translator

    if output is not None:
        check_ending(output) if flow is None else check_ending(output, NUMBERS, "with `--flow`, the output")
        check_folder(output)
    if links and (output is None or output.suffix not in (".svg", ".png") or len(head or ()) > 1):
        raise SettingsError("`--links` needs `-o FILE.svg` or `-o FILE.png`, and at most one `--head`.")
    others = ("links", "head", "ablate", "lens", "norms", "rank")
    if flow is not None:
        check_known("--flow", flow, METHODS, "a known one")
        refuse_given(*others, "search", because="with --flow, which shows something else")
    if search:
        refuse_given(*others, "target", because="with --search, which shows something else")
    if target is not None:
        refuse_given("rank", because="with --target, which gives the only translation")
        if not ablate:
            refuse_given(*DECODING, because="with --target: there is no search")
    if output is not None and output.suffix in (".svg", ".png", ".csv"):
        refuse_given("lens", "ablate", because=f"with -o {output.suffix}; only the terminal, .html and .json show it")
    options = DecodingOptions(
        **with_changes({"beam_size": max(beam_size, rank), "length_penalty": length_penalty}, changes)
    )
    loaded = model_options.load(model, AnyPipeline)
    text = text_itself(text, f"inspect {model} -")
    check_one_line(text, model, loaded)
    if isinstance(loaded, Translator):
        if search:
            _draw_search(loaded, text, output, options)
            return
        if flow is not None:
            check_flow(loaded.model, flow)
            _show_flow(trace_flow(loaded, loaded.inspect(text, target, options=options), flow), output)
            return
        heads = [name.strip() for name in ablate.split(",")] if ablate else []
        seen = loaded.inspect(text, target, rank=rank, ablate=heads, hidden_states=lens, norms=norms, options=options)
    else:
        refuse_given(*DECODING, "rank", because=f"with {model}, which does not write text")
        for name, given in (("--target", target), ("--ablate", ablate), ("--search", search)):
            if given:
                raise SettingsError(f"`{name}` needs a model that turns one text into another; {model} does not.")
        if flow is not None:
            _show_flow(trace_flow(loaded, loaded.inspect(text), flow), output)
            return
        seen = loaded.inspect(text, hidden_states=lens, norms=norms)
        if lens and not seen.lens:
            raise SettingsError(f"`--lens` needs a model that predicts tokens or tags; {model} does not.")
    for name in head or ():
        seen[name]
    if output is not None:
        seen.save(output, head, links=links)
        echo(f"wrote {output}")
        return
    _show(seen, head, loaded if lens else None, options)


@about_model("ensemble", "precision", "engine", "source_language", "target_language")
def align(
    model_options: ModelOptions,
    model: Model,
    data: Annotated[
        list[str], typer.Argument(help="Source file and target file, or one file of pairs (.tsv, .jsonl, hf:...).")
    ],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File to write.")] = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Read the alignment from cross.2 (mean of a layer) or cross.2.3 (a head); by default from the model's alignment "
            "head, else from the best.",
        ),
    ] = None,
    shifted: Annotated[
        bool,
        typer.Option("--shifted", help="With --from: read it one step later, when the token is the decoder's input."),
    ] = False,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="File of gold alignments, 0-0 1p2 ...: to measure, and to choose a head where the model names none."
        ),
    ] = None,
    gold_from_one: Annotated[bool, typer.Option("--gold-from-one", help="Words in --gold are counted from 1.")] = False,
    word_separators: Annotated[
        str, typer.Option(help="What separates words: spaces (and tabs), or any whitespace.")
    ] = "spaces",
    reverse: Annotated[
        Path | None,
        typer.Option(callback=from_hub_if_asked, help="A model for the other direction, to combine with this one."),
    ] = None,
    symmetrize: Annotated[
        str, typer.Option(help="With --reverse: grow-diag-final-and, grow-diag, intersection or union.")
    ] = "grow-diag-final-and",
) -> None:
    """Print the word alignment of each pair as 0-0 1-2 (source word - target word), one line per pair."""
    from regard.analysis import aligning
    from regard.data.corpus import read_pairs
    from regard.evaluation.alignment_error import (
        alignment_error_rate,
        pharaoh,
        read_alignments,
        reversed_gold,
        reversed_links,
        symmetrized,
    )
    from regard.pipelines.loading import load_as
    from regard.pipelines.translator import Translator
    from regard.text.lines import read_lines, write_lines
    from regard.text.words import parse_separators

    if output is not None:
        check_folder(output)
    symmetrized([], [], symmetrize)
    separators = parse_separators(word_separators)
    if reverse is None:
        refuse_given("symmetrize", because="without --reverse")
    if gold is None:
        refuse_given("gold_from_one", because="without --gold")
    if shifted and place is None:
        raise SettingsError(
            "`--shifted` needs `--from`: without it, both readings are compared. Add `--from`, or remove `--shifted`."
        )
    translator = model_options.load(model, Translator, is_directed=False)
    pairs = read_pairs(data)
    if pairs.num_blank:
        raise DataError(f"`align` needs text on every line; {pairs.name} has {pairs.num_blank} without. Remove them.")
    both = list(zip(pairs.sources, pairs.targets, strict=True))
    right = None
    if gold is not None:
        first = int(gold_from_one)
        right = read_alignments(read_lines(gold), str(gold), both, first=first, separators=separators)

    readout = (
        aligning.own_readout(translator)
        if place is None
        else aligning.named_readout(place, translator, shifted=shifted)
    )
    links, is_chosen = aligning.aligned(translator, both, right, readout, separators, report=log), readout is None
    if reverse is not None:
        other = load_as(reverse, Translator, device=model_options.device)
        turned_pairs, turned = [(target, source) for source, target in both], right and list(map(reversed_gold, right))
        its_readout = aligning.own_readout(other)
        back = aligning.aligned(other, turned_pairs, turned, its_readout, separators, report=log)
        links = [symmetrized(one, reversed_links(two), symmetrize) for one, two in zip(links, back, strict=True)]
        is_chosen = is_chosen or its_readout is None
    if right is not None:
        chosen = ", on the same pairs that the layer and head were chosen on" if is_chosen else ""
        log(f"alignment error rate {alignment_error_rate(links, right):.2%}{chosen}")
    lines = [pharaoh(row) for row in links]
    if output is None:
        print_result("\n".join(lines))
    else:
        write_lines(output, lines)


def _draw_search(translator: Translator, text: str, output: Path | None, options: Any) -> None:
    from regard.analysis.searching import search_figure
    from regard.text.lines import write_whole

    if output is None or output.suffix not in (".svg", ".png"):
        raise SettingsError(
            f"`--search` needs `-o` with a file name that ends in .svg or .png; got {output or 'no -o'}."
        )
    from regard.inspection.drawing.pictures import picture_bytes

    write_whole(output, picture_bytes(search_figure(translator, text, options), output.suffix))
    echo(f"wrote {output}")


def _show(seen: Inspection, heads: list[str] | None, lens_of: Pipeline | None, options: Any) -> None:
    """Print the output of the model, the weights of some heads, and the effect of ablations.

    Args:
        lens_of: the model, if what each layer would say is printed, too.
        options: how a translator decodes.
    """
    if seen.target is not None or seen.headline:
        print_result(seen.headline)
    width, colour = shutil.get_terminal_size().columns, _has_colour()
    statistics = {str(found.name): found for found in seen.heads}
    for name in heads or [seen.default_head()]:
        found = statistics[name]
        print_result(
            f"\n{name}: {found.label}; entropy {found.entropy:.2f} nats, highest weight {found.confidence:.2f}, on average"
        )
        print_result(seen.terminal(name, width=width, colour=colour), has_colours=True)
    for one in seen.ablations:
        print_result(f"\nwithout {', '.join(one.heads)}: {one.log_prob_change:+.4f} nats per token; writes: {one.text}")
    if lens_of is not None:
        print_result("\n" + _lens_table(seen.lens))
        if lens_of.model.reads_source:
            print_result(_from_layers(cast("Translator", lens_of), seen.text, options))


def _show_flow(found: Flow, output: Path | None) -> None:
    if output is not None:
        found.save(output)
        echo(f"wrote {output}")
        return
    print_result(found.terminal(width=shutil.get_terminal_size().columns, colour=_has_colour()), has_colours=True)
    print_result(f"\n{found.caveat}")


def _has_colour() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def check_folder(output: Path) -> None:
    """Make sure that a file can be written there, before anything is computed."""
    if not is_folder(output.absolute().parent):
        raise DataError(f"-o must be in a folder that exists; got {output}.")


def _from_layers(translator: Translator, text: str, options: Any) -> str:
    """The translation from each layer of the encoder, as if it were the last."""
    from regard.analysis.states import decoder_lens

    lines = ["", "translations from the embeddings and from each layer of the encoder"]
    for layer, found in enumerate(decoder_lens(translator, text, options), start=-1):
        name = "embeddings" if layer < 0 else f"layer {layer}"
        lines.append(f"{name:<12}{found.text}")
    return "\n".join(lines)


def _lens_table(lens: list[list[tuple[str, float]]]) -> str:
    """The logit lens as a table: a line for each token, a column for each layer."""
    from regard.inspection.drawing.figures import readable

    titles = ["embeddings", *(f"layer {layer}" for layer in range(len(lens) - 1))]
    lines = ["".join(f"{title:<16}" for title in titles).rstrip()]
    for row in zip(*lens, strict=True):
        lines.append("".join(f"{readable(token)[:10]} {value:.2f}".ljust(16) for token, value in row).rstrip())
    return "\n".join(lines)
