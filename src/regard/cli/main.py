"""The command `regard`: its subcommands, and how it ends.

Exit codes: 0 done, 1 nobody reads the output any more (typer sees to it), 2 something the user can mend (one message, no
traceback), 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import regard
from regard.cli import look, train, use
from regard.cli.convert import average, convert
from regard.cli.heads import heads
from regard.cli.translate import translate
from regard.errors import RegardError, SettingsError

app = typer.Typer(
    name="regard",
    help="Train Transformers, run them, and look inside them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    train.demo,
    train.train,
    translate,
    use.generate,
    use.predict,
    use.evaluate,
    use.score,
    use.info,
    look.inspect,
    heads,
    look.align,
    convert,
    average,
):
    app.command()(command)


def _show_version(value: bool | None) -> None:
    if value:
        print(f"regard {regard.__version__}")
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
        app(args=spread_values(given, "--valid"))
    except RegardError as error:
        print(f"regard: {error}", file=sys.stderr)
        sys.exit(2)


def spread_values(arguments: Sequence[str], option: str) -> list[str]:
    """`--valid a b` as `--valid a --valid b`: an option takes all words up to the next option.

    Raises:
        SettingsError: there are none.
    """
    spread: list[str] = []
    inside = False
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == option and (not following or _is_option(following)):
            raise SettingsError(f"{option} must be followed by files; got {following or 'nothing'}.")
        if _is_option(argument):
            inside = argument.partition("=")[0] == option
            if argument != option:
                spread.append(argument)
        else:
            spread += [option, argument] if inside else [argument]
    return spread


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"
