"""The commands that make a model from other models: `convert`, `average`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.option_types import Adapter, FromHub, Overwrite, from_hub_if_asked
from regard.cli.output import echo, program
from regard.errors import SettingsError

if TYPE_CHECKING:
    from regard.interop.convert import Step


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            callback=from_hub_if_asked,
            help="A Regard model folder; a folder of Hugging Face's or CTranslate2's; a Marian .npz; or a model of the Hugging "
            "Face hub such as hf:Helsinki-NLP/opus-mt-en-de.",
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="TO", help="The new folder.")],
    to: Annotated[
        str | None,
        typer.Option(
            help="bert, roberta, distilbert, gpt2, bert-generation, encoder-decoder, marian (all Hugging Face's), "
            "ctranslate2, onnx, or for an adapter peft. By default ours."
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="The Hugging Face model that an adapter belongs to: converts the adapter FROM, with --to peft or from PEFT.",
            metavar="MODEL",
        ),
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare with the original implementation.")
    ] = False,
    list_tensors: Annotated[
        bool, typer.Option("--list", help="Print which of their tensors became which of ours.")
    ] = False,
    overwrite: Overwrite = False,
    from_hub: FromHub = False,
) -> None:
    """Convert a model from another format into ours, or ours into another. Every tensor is listed.

    If the original library is installed, the results are compared with it.
    """
    from regard.interop.convert import convert as convert_model
    from regard.interop.convert import convert_adapter
    from regard.pipelines.pipeline_types import PIPELINES

    if base is not None:
        maps = convert_adapter(source, output, base, format=to, overwrite=overwrite)
        echo(f"wrote {output}, an adapter for {len(maps)} linear maps of {base}")
        return

    def show(step: Step) -> None:
        echo("\n".join(step.lines(checked=not no_check)))
        if list_tensors and step.foreign.account.mapped:
            width = max(len(theirs) for theirs, _ in step.foreign.account.mapped)
            echo("\n".join(f"    {theirs:<{width}}  {ours}" for theirs, ours in step.foreign.account.mapped))

    done = convert_model(source, output, format=to, check=not no_check, overwrite=overwrite, say=show)
    if to is None:
        echo(f"wrote {output}; next: {program()} {PIPELINES[done.arch].commands[0].format(output)}")
    else:
        echo(f"wrote {output}")


def average(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL MODEL...",
            help="Model folders with the same configuration and vocabulary; one with --adapter.",
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
