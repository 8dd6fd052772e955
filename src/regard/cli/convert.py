"""The commands that make models of models: `convert`, `average`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.train import NEXT_COMMANDS, Overwrite, program
from regard.cli.use import FromHub, from_hub_if_asked
from regard.cli.writing import say

if TYPE_CHECKING:
    from regard.interop.convert import Step


def convert(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FROM",
            callback=from_hub_if_asked,
            help="A model folder of ours; one of Hugging Face's or CTranslate2's; a Marian .npz; or a model of the Hugging "
            "Face hub such as hf:Helsinki-NLP/opus-mt-en-de.",
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="TO", help="The new folder.")],
    to: Annotated[
        str | None,
        typer.Option(
            help="bert, roberta, distilbert, gpt2, bert-generation, encoder-decoder, marian (all Hugging Face's), "
            "ctranslate2 or onnx. By default ours."
        ),
    ] = None,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not compare with the original implementation.")
    ] = False,
    list_tensors: Annotated[bool, typer.Option("--list", help="Print each tensor of theirs with ours.")] = False,
    overwrite: Overwrite = False,
    from_hub: FromHub = False,
) -> None:
    """Bring a model from another format into ours, or ours into another. Each conversion accounts for every tensor and is
    held against the original implementation, where that is installed.
    """
    from regard.interop.convert import convert as convert_model

    def show(step: Step) -> None:
        say("\n".join(step.lines(checked=not no_check)))
        if list_tensors and step.foreign.account.mapped:
            width = max(len(theirs) for theirs, _ in step.foreign.account.mapped)
            say("\n".join(f"    {theirs:<{width}}  {ours}" for theirs, ours in step.foreign.account.mapped))

    done = convert_model(source, output, format=to, check=not no_check, overwrite=overwrite, say=show)
    if to is None:
        say(f"wrote {output}; next: {program()} {NEXT_COMMANDS[done.arch][0].format(output)}")
    else:
        say(f"wrote {output}")


def average(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL MODEL...", help="Model folders of one shape.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the mean; new or empty.")],
    overwrite: Overwrite = False,
) -> None:
    """Make one model whose weights are the mean of those of several, such as of runs that began alike."""
    from regard.checkpoint import check_output, save_new
    from regard.training.averaging import average_models

    check_output(output, overwrite=overwrite)
    mean = average_models(models)
    save_new(output, *mean)
    use = NEXT_COMMANDS[mean.model.config.arch][1].format(output)
    say(f"wrote {output}, the mean of {len(models)} models; next: {program()} {use}")
