"""The commands that make a model from other models: `convert`, `average`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.option_types import Adapter, FromHub, Overwrite, from_hub_if_asked
from regard.cli.output import echo, program
from regard.errors import SettingsError

if TYPE_CHECKING:
    from regard.data.corpus import ParallelText
    from regard.interop.convert import Step


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            callback=from_hub_if_asked,
            help="A Regard model folder; a folder of Hugging Face's or CTranslate2's; a Marian .npz or .bin; an Argos package; "
            "or a model of the Hugging Face hub such as hf:Helsinki-NLP/opus-mt-en-de.",
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="TO", help="The new folder; of an Argos package, a file NAME.argosmodel.")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            help="regard-int8 (ours with matrices of 8 bits); bert, roberta, distilbert, electra, albert, modernbert, eurobert, "
            "gpt2, llama, mistral, qwen2, qwen3, phi3, gemma2, gemma3_text, bert-generation, encoder-decoder, marian, bart, "
            "m2m_100, mbart, pegasus, t5, t5gemma, umt5 (all Hugging Face's); marian-npz (Marian's own); ctranslate2; onnx; "
            "argos; or for an adapter peft. By default ours."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="The Hugging Face model that an adapter belongs to: converts the adapter FROM, with --to peft or from PEFT.",
            metavar="MODEL",
        ),
    ] = None,
    valid: Annotated[
        list[str] | None,
        typer.Option(
            help="Pairs, as for `train`: print by how much --to regard-int8 changes the log-probabilities of their targets; "
            "with --to argos, refuse a package that cuts them into other tokens.",
            metavar="DATA",
        ),
    ] = None,
    direction: Annotated[
        str | None, typer.Option(help="The languages of an Argos package, such as en-de.", metavar="FROM-TO")
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare with the original implementation.")
    ] = False,
    list_tensors: Annotated[
        bool, typer.Option("--list", help="Print which of their tensors became which of ours.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace a model folder or an adapter of Regard; not with other formats."),
    ] = False,
    from_hub: FromHub = False,
) -> None:
    """Convert a model from another format into ours, or ours into another. Every tensor is listed.

    If the original library is installed, the results are compared with it.
    """
    from regard.data.corpus import read_pairs
    from regard.interop.argos import ARGOS
    from regard.interop.convert import convert as convert_model
    from regard.interop.convert import convert_adapter
    from regard.interop.formats import EIGHT_BITS, is_foreign
    from regard.pipelines.pipeline_types import PIPELINES

    if valid and to not in (EIGHT_BITS, ARGOS):
        raise SettingsError(
            f"`--valid` needs `--to {EIGHT_BITS}` or `--to {ARGOS}`; got {to or 'no `--to`'}. Remove it."
        )

    if list_tensors and (base is not None or (to == EIGHT_BITS and not is_foreign(source))):
        raise SettingsError("`--list` is for models that are read or written in another format. Remove it.")
    if base is not None:
        if direction is not None:
            raise SettingsError("`--direction` has no effect with `--base`. Remove it.")
        maps = convert_adapter(source, output, base, format=to, overwrite=overwrite)
        echo(f"wrote {output}, an adapter for {len(maps)} linear maps of {base}")
        return

    def show(step: Step) -> None:
        echo("\n".join(step.lines(checked=not no_check)))
        if list_tensors and step.foreign.account.mapped:
            width = max(len(theirs) for theirs, _ in step.foreign.account.mapped)
            echo("\n".join(f"    {theirs:<{width}}  {ours}" for theirs, ours in step.foreign.account.mapped))

    def show_rounding(new: Path) -> None:
        if to == EIGHT_BITS:
            _show_rounding(source, new, pairs)

    pairs = read_pairs(valid) if valid else None
    texts = list(zip(pairs.sources, pairs.targets, strict=True)) if pairs is not None and to == ARGOS else []
    done = convert_model(
        source, output, format=to, direction=direction, pairs=texts, check=not no_check, overwrite=overwrite, say=show,
        accept=show_rounding,
    )  # fmt: skip
    if to in (None, EIGHT_BITS):
        echo(f"wrote {output}; next: {program()} {PIPELINES[done.arch].commands[0].format(output)}")
    else:
        echo(f"wrote {output}")


def _show_rounding(exact: Path, rounded: Path, pairs: ParallelText | None) -> None:
    """Print what was stored in 8 bits, and what it cost on some pairs."""
    from regard.checkpoint import WEIGHTS
    from regard.pipelines.loading import load_as
    from regard.pipelines.rounding_cost import rounding_cost
    from regard.pipelines.translator import Translator
    from regard.weights_file import summarize_weights

    echo(str(summarize_weights(rounded / WEIGHTS)))
    if pairs is not None:
        echo(str(rounding_cost(load_as(exact, Translator), load_as(rounded, Translator), pairs)))


def average(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL MODEL...",
            help="Model folders with the same sizes and vocabulary; one with --adapter.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the new model; new or empty.")],
    adapter: Adapter = None,
    overwrite: Overwrite = False,
) -> None:
    """Average the weights of several models, such as the checkpoints of one run; or add an adapter to the weights of one."""
    from regard.adapters import read_adapter, with_adapter
    from regard.checkpoint import check_output, save_new
    from regard.pipelines.loading import load_any
    from regard.pipelines.pipeline_types import pipeline_type
    from regard.training.averaging import average_models

    check_output(output, overwrite=overwrite)
    if adapter is not None:
        if len(models) > 1:
            raise SettingsError(f"`--adapter` needs the one model that it belongs to; got {len(models)}.")
        mean = with_adapter(load_any(models[0]), read_adapter(adapter))
    else:
        mean = average_models(models)
    save_new(output, *mean)
    use = pipeline_type(mean.model.config).of(mean).commands[-1].format(output)
    what = f"the mean of {len(models)} models" if adapter is None else f"{models[0]} with {adapter}"
    echo(f"wrote {output}, {what}; next: {program()} {use}")
