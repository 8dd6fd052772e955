"""The options that several commands have, and what they do: threads are set, the model is loaded, idle options are refused."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from regard.errors import HUB, SettingsError
from regard.processors import may_choose_threads, num_free, usage

if TYPE_CHECKING:
    from regard.parts.answers import ModelChoice

Kind = TypeVar("Kind")
Command = Callable[..., None]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, xpu, or mps.")]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; by default one per core that is free.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing model.")]

given: ContextVar[Mapping[str, str]] = ContextVar("given", default=MappingProxyType({}))
"""The parameters of the running command that the user gave, each with the name of its option."""
LOOKING_SECONDS = 0.2
"""The time for which the use of the processors is measured; importing PyTorch takes longer."""
ALWAYS_ALLOWED_THREADS = 64
"""On any machine. Thousands of threads on a few cores slow each other down until nothing happens."""


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
BatchSize = Annotated[
    int | None,
    typer.Option(
        min=1, help="Sentences decoded at once; by default 64, and 256 on a GPU. The result does not depend on it."
    ),
]
LengthPenalty = Annotated[float, typer.Option(min=0.0, help="Alpha of Wu et al. 2016; 0 favours short translations.")]
Engine = Annotated[
    str,
    typer.Option(
        help="What decodes: torch, native (in C), native-bfloat16, native-int8, or auto: in C where it can be."
    ),
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
Source = Annotated[
    str | None,
    typer.Option(
        "--from", help="The language of the source, such as en, for a model of several languages.", metavar="LANGUAGE"
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--to", help="The language to be written, such as de, for a model of several languages.", metavar="LANGUAGE"
    ),
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


@dataclass(frozen=True)
class ModelOptions:
    """The options of a command about the model that it loads."""

    source_language: Source = None
    target_language: Target = None
    ensemble: Others = None
    adapter: Adapter = None
    precision: Precision = "float32"
    engine: Engine = "auto"
    from_hub: FromHub = False
    threads: Threads = None
    device: Device = "auto"

    def load(self, model: Path, kind: type[Kind], *, is_directed: bool = True) -> Kind:
        """Prepare the process, and load the model, which must be of a kind.

        Args:
            is_directed: whether a model of several languages is that of one direction.
        Raises:
            RegardError: as for `load_as` and `with_direction`.
        """
        from regard.pipelines.loading import load_as

        prepare_process(self.threads)
        loaded: Kind = load_as(
            model, cast("Any", kind), device=self.device, precision=self.precision, others=self.ensemble or (),
            adapter=self.adapter, engine=self.engine,
        )  # fmt: skip
        return with_direction(loaded, self.source_language, self.target_language) if is_directed else loaded

    def choice(self, model: Path) -> ModelChoice:
        """The model's name with these options, for answers in parts: another process may load it."""
        from regard.parts.answers import ModelChoice

        return ModelChoice(
            model, self.device, self.precision, self.engine, tuple(self.ensemble or ()), self.adapter,
            self.source_language, self.target_language,
        )  # fmt: skip


def about_model(*without: str) -> Callable[[Command], Command]:
    """A decorator that gives a command the options about its model, but for some. It gets them as `model_options`."""
    fields = signature(ModelOptions, eval_str=True).parameters.values()
    return partial(with_options, "model_options", [each for each in fields if each.name not in without], ModelOptions)


def with_options(name: str, options: Sequence[Parameter], make: Callable[..., object], command: Command) -> Command:
    """A command with further options. It gets them as one argument.

    Args:
        name: of the argument.
        make: makes it of the options.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        made = make(**{each.name: given.pop(each.name) for each in options})
        command(**given, **{name: made})

    own = signature(command, eval_str=True)
    others = [each for each in own.parameters.values() if each.name != name]
    run.__signature__ = own.replace(parameters=[*others, *options])  # type: ignore[attr-defined]
    return run


def with_changes(named: Mapping[str, Any], changes: Sequence[str] | None) -> dict[str, Any]:
    """The decoding options of a command, and those of `--set`.

    Args:
        named: the values of its own options, by the names of its parameters.
        changes: written `key=value`.
    Raises:
        SettingsError: one is not written so, or an option is given in both ways and differs.
    """
    from regard.runs.settings.reading import check_agreement, parse_options

    changed = parse_options(changes or [])
    options = {given.get()[name]: (name, value) for name, value in named.items() if name in given.get()}
    check_agreement(options, {"": changed})
    return {**named, **changed}


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


def two_answers(answers: str | None) -> tuple[str, str] | None:
    """The two tokens or labels that `--answers` names.

    Raises:
        SettingsError: they are not two.
    """
    if answers is None:
        return None
    named = answers.split(",")
    if len(named) != 2:  # a and b
        raise SettingsError(
            f"`--answers` must be two tokens or labels with a comma between, such as E,F; got {answers!r}."
        )
    return named[0], named[1]


def prepare_process(threads: int | None) -> None:
    """Set up torch for a process that runs nothing else. Where neither `--threads` nor OMP_NUM_THREADS says how many threads
    there are, there is one for each processor that other processes leave free.
    """
    before = usage()
    import torch

    from regard.training.precision import keep_freed_memory, prepare_gpu

    keep_freed_memory()
    prepare_gpu()
    if threads:
        processors = os.cpu_count() or 1
        most = max(ALWAYS_ALLOWED_THREADS, 4 * processors)
        if threads > most:
            raise SettingsError(
                f"--threads must be at most {most}, as this machine has {processors} processors; got {threads}."
            )
        torch.set_num_threads(threads)
    may_choose_threads.set(not threads and "OMP_NUM_THREADS" not in os.environ)
    if may_choose_threads.get() and before is not None and torch.get_num_threads() > 1:
        time.sleep(max(0.0, LOOKING_SECONDS - (time.perf_counter() - before.clock)))
        if (after := usage()) is not None:
            torch.set_num_threads(max(1, min(torch.get_num_threads(), round(num_free(before, after)))))


def with_direction(loaded: Kind, source: str | None, target: str | None) -> Kind:
    """A model for the direction that `--from` and `--to` name. A note says where it was not trained.

    Raises:
        SettingsError: the model does not translate, or as for `Translator.directed`.
    """
    from regard.cli.output import log
    from regard.pipelines.translator import Translator

    if not isinstance(loaded, Translator):
        if source or target:
            raise SettingsError(
                f"`--from` and `--to` are for models that translate; got a {type(loaded).__name__}. Remove them."
            )
        return loaded
    if (languages := loaded.languages) is None and source is None and target is None:
        return loaded
    directed = loaded.directed(source, target)
    assert languages is not None
    read, written = languages.code(source, "source"), languages.code(target, "target")
    if not languages.is_trained(read, written):
        log(f"{read} to {written} was not trained: the model has learnt each language in other directions only")
    return cast("Any", directed)
