"""What a person sees of texts, names and messages: help where nothing is asked, no control characters, no markup."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from rich.console import Console

from regard.checkpoint import save_new
from regard.cli.main import app, run
from regard.cli.output import log, print_result
from regard.errors import DataError, MissingExtraError, SettingsError, printable
from regard.models.config import EncoderConfig
from regard.models.registry import build
from regard.runs.progress import RunDisplay
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

ATTACK = "\x1b]0;owned\x07\x9b31m\u202etxt\u2066\x7f"
ESCAPED = r"\x1b]0;owned\x07\u009b31m\u202etxt\u2066\u007f"


class Terminal(io.TextIOWrapper):
    """Standard output or input that says it is a terminal."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8")

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


def code_of(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return int(ended.value.code or 0)


def test_without_a_command_the_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of() == 0
    shown = capsys.readouterr()
    assert "Usage: " in shown.out
    assert "translate" in shown.out
    assert not shown.err
    alone = subprocess.run([sys.executable, "-m", "regard"], capture_output=True, text=True, timeout=60, check=False)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert "translate" in alone.stdout


def test_no_name_in_a_help_is_cut(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """At 80 columns. A reader types what stands there."""
    monkeypatch.setenv("COLUMNS", "80")
    commands = [
        each.name or each.callback.__name__.replace("_", "-") for each in app.registered_commands if each.callback
    ]
    assert "train" in commands
    for command in commands:
        assert code_of(command, "--help") == 0
        assert "…" not in capsys.readouterr().out, command


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (ATTACK, ESCAPED),
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb\x00", r"a\x0db\x00"),
        ("שלום \u200fעולם\u200e العربية\u061c", "שלום \u200fעולם\u200e العربية\u061c"),
        ("bad \udcff name", r"bad \udcff name"),
        ("[red]x[/red] :smile: C:\\x1b", "[red]x[/red] :smile: C:\\x1b"),
    ],
)
def test_control_characters_are_escaped_and_ordinary_text_is_not(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown
    assert str(DataError(f"{text} must be a file.")) == f"{shown} must be a file."
    assert str(SettingsError(text)) == shown
    assert ESCAPED in str(MissingExtraError(ATTACK, "demo"))


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_text_is_escaped_on_a_terminal_and_whole_in_a_pipe(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    terminal = Terminal()
    if is_terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
    print_result(f"{ATTACK} ä")
    assert (terminal.shown if is_terminal else capsysbinary.readouterr().out.decode()) == (
        f"{ESCAPED if is_terminal else ATTACK} ä\n"
    )


def test_colours_that_are_ours_stay_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    print_result("\x1b[48;5;240m  \x1b[0m \x1b]0;owned\x07", has_colours=True)
    assert terminal.shown == "\x1b[48;5;240m  \x1b[0m \\x1b]0;owned\\x07\n"


def test_a_name_that_is_not_unicode_is_written(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """As a file may be called on Linux."""
    print_result("wrote bad\udcff")
    assert capsysbinary.readouterr().out == b"wrote bad\xff\n"
    log("wrote bad\udcff")
    assert capsysbinary.readouterr().err == b"wrote bad\\udcff\n"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_shows_names_and_no_commands_of_theirs(is_terminal: bool) -> None:
    stream = io.StringIO()
    with RunDisplay(Console(file=stream, force_terminal=is_terminal, width=120, highlight=False)) as display:
        display.say(f"{ATTACK} [red]x[/red] :smile:")
        display.on_items(f"reading {ATTACK}", 1, 2)
        display._last_line = -1e9
        display.on_items(f"reading {ATTACK}", 2, 2)
    assert f"{ESCAPED} [red]x[/red] :smile:" in stream.getvalue()
    assert f"reading {ESCAPED}: 2 of 2" in stream.getvalue() or is_terminal
    assert not {"\x9b", "\x07", "\u202e"} & set(stream.getvalue())
    assert "\x1b]" not in stream.getvalue()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier whose classes have control characters and markup for names, in a folder called so."""
    folder = tmp_path_factory.mktemp("shown") / "[red]m\x1b[31m\u202e"
    tokenizer = Tokenizer.train(["ab cde"], TokenizerConfig(kind="characters", vocab_size=20))
    torch.manual_seed(1)
    sizes = {"model_dim": 8, "ff_dim": 8, "num_heads": 2, "num_layers": 1, "max_positions": 12}
    labels = [ATTACK, f"{ATTACK}2"]
    config = EncoderConfig(vocab_size=len(tokenizer), task="classify", labels=labels, **sizes)
    save_new(folder, build(config).eval(), tokenizer)
    results = {"evaluated_on": f"{ATTACK}.tsv", "accuracy": 0.5, "num_labels": 3}
    (folder / "results.json").write_text(json.dumps(results))
    return folder


def test_what_info_says_of_a_model(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("info", model) == 0
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(shown)
    assert f"measured on {ESCAPED}.tsv:" in shown
    assert r"[red]m\x1b[31m\u202e: " in shown
    assert code_of("info", model, "--json") == 0  # to a pipe: as it is
    assert json.loads(capsys.readouterr().out)["model"]["labels"][0] == ATTACK


def test_streams_of_text_alone(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook has such an output, and so has `contextlib.redirect_stdout(io.StringIO())`."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("\ufeffab\r\ncde\n"))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert code_of("predict", model, "-") == 0
        print_result("name", end="")
    assert printed.getvalue().count(ATTACK) == 2
    assert printed.getvalue().endswith("\nname")


def test_what_is_predicted_on_a_terminal_and_in_a_pipe(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = [sys.executable, "-m", "regard", "predict", str(model), "-"]
    ours, theirs = pty.openpty()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    subprocess.run(
        words, input=b"ab\n", stdout=theirs, stderr=subprocess.PIPE, env=environment, check=True, timeout=120
    )
    os.close(theirs)
    assert os.read(ours, 10_000).decode().startswith(ESCAPED)
    os.close(ours)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ab\n")))
    capsysbinary.readouterr()
    assert code_of("predict", model) == 0
    assert capsysbinary.readouterr().out.decode().startswith(ATTACK)


@pytest.mark.parametrize(
    "words",
    [
        ("info", f"none{ATTACK}"),
        ("translate", f"none[red]{ATTACK}"),
        (f"[red]{ATTACK}",),
        (f"--[red]{ATTACK}",),
        ("info", "m", f"[red]{ATTACK}"),
        ("info", f"--[red]{ATTACK}"),
        ("demo", "--steps", f"[red]{ATTACK}"),
        ("demo", f"[red]{ATTACK}"),
        ("train", "a", "b", "-o", "m", "--set", f"[red]{ATTACK}=3"),
        ("train", "a", "b", "-o", "m", "--set", f"training.steps=[red]{ATTACK}"),
    ],
)
def test_messages_show_what_was_typed_and_obey_none_of_it(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(*words) == 2
    shown = capsys.readouterr().err
    assert not {"\x1b", "\x9b", "\u202e", "\x07", "\x7f"} & set(shown)
    assert "Traceback" not in shown
    assert ("owned" in shown) == ("--steps" not in words)  # typer does not repeat what is no number
    assert shown.count("[red]") == sum("[red]" in word for word in words) - ("--steps" in words)
