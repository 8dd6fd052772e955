"""The command `regard`: its subcommands, and how it ends.

Exit codes: 0 done, 1 the output pipe was closed (handled by typer), 2 an error that the user can fix (one message, no
traceback), 75 a training ended by a scheduler (to be resumed), 130 interrupted.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from regard.cli import inspect, option_types, training
from regard.cli.check_published import check_published
from regard.cli.compare import compare
from regard.cli.convert import average, convert
from regard.cli.evaluate import evaluate, score
from regard.cli.generate import generate
from regard.cli.heads import heads
from regard.cli.info import info
from regard.cli.output import log, print_result
from regard.cli.patch import patch
from regard.cli.predict import predict
from regard.cli.serve import serve
from regard.cli.translate import translate
from regard.cli.why import why
from regard.errors import RegardError, SettingsError, shown
from regard.version import __version__

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a full disk, behind standard output too, of a quota, and of a file that may not grow."""


class Commands(TyperGroup):
    """The commands. Typer's messages repeat what the user typed: control characters in it are escaped, and it is cut."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the words before the command."""
        with _printable_messages():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Read the command and its words, and run it."""
        with _printable_messages():
            return super().invoke(ctx)


class Command(TyperCommand):
    """A command that records which of its options were given."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command line."""
        sources = {each: ctx.get_parameter_source(each.name) for each in self.params}
        written = {
            each.name: each.opts[0] for each, source in sources.items() if source and source.name == "COMMANDLINE"
        }
        token = option_types.given.set(written)
        try:
            with ended_by_interrupts():  # libraries in C do not survive one while they are imported
                import_torch()
            return super().invoke(ctx)
        finally:
            option_types.given.reset(token)


def import_torch() -> None:
    """Import PyTorch, and do not look for garbage meanwhile. What was imported stays as long as the process does: later
    collections leave it out, which saves a fifth of the time of a short command (docs/experiments.md).
    """
    if "torch" in sys.modules:
        return
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        import torch  # noqa: F401

        gc.freeze()
    finally:
        if is_collecting:
            gc.enable()


@contextmanager
def ended_by_interrupts() -> Iterator[None]:
    """While this context lasts, Ctrl-C ends the process at once and without a traceback, unless a program has its own handler."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _printable_messages() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # of any kind, as it is raised again; only its message is made printable
        message = getattr(error, "message", None)  # typer's errors have one; their class is not exported
        if isinstance(message, str):
            error.message = shown(message)  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    cls=Commands,
    name="regard",
    help="Train Transformers, run them, and look inside them.",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    training.demo,
    training.train,
    training.recipes,
    translate,
    generate,
    predict,
    evaluate,
    compare,
    score,
    info,
    inspect.inspect,
    patch,
    why,
    heads,
    inspect.align,
    convert,
    average,
    check_published,
    serve,
):
    app.command(cls=Command)(command)


def _show_version(value: bool | None) -> None:
    if value:
        print_result(f"regard {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool | None, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = None,
) -> None:
    """Train Transformers, run them, and look inside them."""


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command with the arguments of the process, or those given, and exit."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            for option in ("--valid", "--old-valid"):
                given = spread_values(given, option)
            app(args=given or ["--help"])
    except RegardError as error:
        log(f"regard: {error}")
        sys.exit(2)
    except KeyboardInterrupt:  # before the command itself has begun
        sys.exit(130)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        with suppress(OSError), Path(os.devnull).open("w") as nothing:  # where Python writes the rest to when it ends
            os.dup2(nothing.fileno(), sys.stdout.fileno())
        log(f"regard: there must be room for what is written; got: {error.strerror}.")
        sys.exit(2)
    except (RuntimeError, MemoryError) as error:
        from regard.training.updates import is_out_of_memory

        if not is_out_of_memory(error):
            raise
        log(
            f"regard: what is asked for must fit into memory; got: {error}. Use shorter texts, or a lower --batch-size."
        )
        sys.exit(2)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning of ours as one line for the user, and any other as Python does."""
    if category.__module__.startswith("regard."):
        log(f"regard: {message}")
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def spread_values(arguments: Sequence[str], option: str) -> list[str]:
    """`--valid a b` as `--valid a --valid b`: an option takes all words up to the next option.

    Raises:
        SettingsError: there are none.
    """
    spread: list[str] = []
    inside = False
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if argument == option and (not following or _is_option(following)):
            raise SettingsError(f"{option} needs at least one file after it; got {following or 'nothing'}.")
        if _is_option(argument):
            inside = argument.partition("=")[0] == option
            if argument != option:
                spread.append(argument)
        else:
            spread += [option, argument] if inside else [argument]
    return spread


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"
