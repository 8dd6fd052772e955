"""The options that several commands have, and what is done about them before a command begins."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from regard.errors import HUB, SettingsError

Device = Annotated[str, typer.Option(help="auto, cpu, or cuda.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; by default one per core.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing model.")]

given: ContextVar[Mapping[str, str]] = ContextVar("given", default=MappingProxyType({}))
"""The parameters of the running command that the user gave, each with the name of its option."""
LEAST_REFUSED_THREADS = 64
"""Always allowed. Thousands of threads on a few cores slow each other down until nothing happens."""


def from_hub_if_asked(context: Any, value: Path | list[Path] | None) -> Path | list[Path] | None:
    """The model names of a command; with `--from-hub`, names on the Hugging Face hub."""
    if value is None or not context.params.get("from_hub"):
        return value
    asked = [Path(HUB + str(name).removeprefix(HUB)) for name in (value if isinstance(value, list) else [value])]
    return asked if isinstance(value, list) else asked[0]


Model = Annotated[
    Path, typer.Argument(callback=from_hub_if_asked, help="A model folder, or hf:owner/name on the Hugging Face hub.")
]
FromHub = Annotated[
    bool, typer.Option("--from-hub", is_eager=True, help="Model names refer to the Hugging Face hub, even without hf:.")
]
Beam = Annotated[int, typer.Option("--beam", min=1, help="Hypotheses kept at each step; 1 is greedy.")]
BatchSize = Annotated[int, typer.Option(min=1, help="Sentences decoded at once; the result does not depend on it.")]
LengthPenalty = Annotated[float, typer.Option(min=0.0, help="Alpha of Wu et al. 2016; 0 favours short translations.")]
Engine = Annotated[
    str, typer.Option(help="What decodes: torch, native (layers in C), or auto, which is native where it can be.")
]
Precision = Annotated[str, typer.Option(help="float32, bfloat16 or auto.")]
Others = Annotated[
    list[Path] | None,
    typer.Option(
        "--ensemble", callback=from_hub_if_asked, help="One more model that decides with it; may be repeated."
    ),
]
Adapter = Annotated[
    Path | None,
    typer.Option(help="An adapter of MODEL, from `regard train --from MODEL --set adapter.rank=8`.", metavar="FOLDER"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A decoding option; may be repeated. docs/generation.md lists them."
    ),
]
References = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE", help="One more reference for each source, line by line; may be repeated."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def refuse_given(*names: str, because: str) -> None:
    """Make sure that options without effect are not given.

    Args:
        names: the parameters of the command, as Python has them.
        because: why they have no effect.
    Raises:
        SettingsError: one is given.
    """
    for name in names:
        if name in given.get():
            raise SettingsError(f"`{given.get()[name]}` has no effect {because}. Remove it.")


def prepare_process(threads: int | None) -> None:
    """Set up torch for a process that runs nothing else."""
    import torch

    from regard.training.precision import keep_freed_memory

    keep_freed_memory()
    if threads:
        processors = os.cpu_count() or 1
        most = max(LEAST_REFUSED_THREADS, 4 * processors)
        if threads > most:
            raise SettingsError(
                f"--threads must be at most {most}, as this machine has {processors} processors; got {threads}."
            )
        torch.set_num_threads(threads)
