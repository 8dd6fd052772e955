"""Whatever text a command is given where it takes a text or a name, it answers with a result or with one message."""

import os
import re
import shlex
import threading
from pathlib import Path

import pytest
import typer
from running import outcome

import regard
from random_models import save_models
from regard.cli.main import app
from regard.errors import MESSAGE_BEGIN, MESSAGE_END, DataError, ModelFolderError, SettingsError, shown
from regard.names import exists, is_device, is_file, is_folder, is_named_pipe, is_pipe
from regard.text import lines
from regard.text.lines import open_lines, read_lines

CALLS = {
    "demo": "dates -o out", "train": "source target -o out --steps 1", "recipes": "g2p", "translate": "m source",
    "generate": "lm", "predict": "tag source", "evaluate": "m source target", "compare": "m m source target",
    "score": "m source target", "info": "m", "inspect": "m ab", "patch": "m ab ba", "why": "lm ab", "heads": "m source target",
    "align": "m source target", "convert": "m out", "average": "m m -o out", "serve": "m",
    "check-published": "gpt2 --from m",
}  # fmt: skip
"""What each command can be called with; option by option and word by word, a name takes its place."""
GROUP = typer.main.get_command(app)
PLACES = [
    (command, place)
    for command, found in GROUP.commands.items()  # type: ignore[attr-defined]
    for place in (
        *(option.opts[0] for option in found.params if option.param_type_name == "option" and not option.is_flag),
        *(range(len([word for word in shlex.split(CALLS[command]) if not word.startswith("-")]))),
    )
    if command not in ("serve", "demo") or place == 0  # would go on
]
LONG = f"{'ab cde ' * 100}/z"
"""A text, and a path, that no file can have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("names"))


@pytest.mark.parametrize(("command", "place"), PLACES)
def test_no_name_is_too_long_for_a_message(
    command: str, place: str | int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(CALLS[command])
    if isinstance(place, str):
        words = [*words, place, LONG]
    else:
        words[place] = LONG
    code, _, error = outcome(capsys, command, *words)
    assert code in (0, 2)
    assert "Traceback" not in error
    assert len(error) < 2 * (MESSAGE_BEGIN + MESSAGE_END)
    assert not list(folder.glob("out*"))


@pytest.mark.parametrize("model", ["m", "lm", "rnn", "mlm", "tag", "classify"])
@pytest.mark.parametrize("num_bytes", [255, 256, 5000])
def test_an_ordinary_sentence_is_inspected_at_any_length(
    model: str, num_bytes: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spaced = f"a{' ' * (num_bytes - 2)}b"  # two words, however long
    code, _, error = outcome(capsys, "inspect", folder / model, spaced)
    assert code in (0, 2)  # no model here reads 40 tokens
    assert code == 0 or "must have at most" in error


def test_a_name_that_no_file_can_have_is_the_name_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    for asks, there in ((exists, tmp_path), (is_file, tmp_path / "file"), (is_folder, tmp_path)):
        assert asks(there)
        assert asks(str(there))
        for name in ("x" * 256, f"{tmp_path}/{'x' * 256}/y", "a/" * 3000, "a\0b", "", "missing"):
            assert not asks(name) or name == ""
    for name in ("x" * 300, "a\0b"):
        with pytest.raises(ModelFolderError, match="must be an existing folder"):
            regard.load(name)
        with pytest.raises(DataError, match="must be"):
            read_lines(name)


def test_a_pipe_is_read_when_somebody_writes_and_refused_when_nobody_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert is_pipe(pipe)
    assert is_named_pipe(pipe)
    assert not is_named_pipe(tmp_path)
    writer = threading.Thread(target=pipe.write_text, args=("one\ntwo\n",), daemon=True)
    writer.start()
    assert read_lines(pipe) == ["one", "two"]
    writer.join()
    monkeypatch.setattr(lines, "WRITER_SECONDS", 0.1)
    with pytest.raises(DataError, match=r"pipe must be a file, or a pipe that somebody writes to; got a pipe without"):
        read_lines(pipe)
    descriptor, end = os.pipe()
    os.write(end, b"three\n")
    os.close(end)
    assert is_pipe(f"/dev/fd/{descriptor}")
    assert not is_named_pipe(f"/dev/fd/{descriptor}")
    assert read_lines(f"/dev/fd/{descriptor}") == ["three"]
    os.close(descriptor)


def test_a_device_without_an_end_is_refused() -> None:
    assert is_device("/dev/zero")
    assert not is_device(os.devnull)
    with pytest.raises(DataError, match=r"/dev/zero must be a file; got a device. Write what you need of it to a file"):
        read_lines("/dev/zero")
    assert read_lines(os.devnull) == []
    with open_lines("/dev/zero", is_live=True) as stream:
        assert stream.read(2) == b"\0\0"


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--references", "pipe"),
        ("--references", "/dev/zero"),
        ("--valid", "pipe"),
        ("--prune", "pipe"),
        ("--gold", "pipe"),
        ("--api-keys", "pipe"),
        ("--config", "pipe"),
    ],
)
def test_commands_do_not_wait_for_a_pipe_without_a_writer(
    option: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(lines, "WRITER_SECONDS", 0.1)
    if not Path("pipe").exists():
        os.mkfifo("pipe")
    words = {
        "--valid": ["train", "source", "target", "-o", "out", "--steps", "1", option, name, name],
        "--config": ["train", "source", "target", "-o", "out", "--steps", "1", option, name],
        "--prune": ["heads", "m", "source", "target", "-o", "out", option, name],
        "--gold": ["align", "m", "source", "target", option, name],
        "--api-keys": ["serve", "m", option, name],
    }.get(option, ["evaluate", "m", "source", "target", option, name])
    code, _, error = outcome(capsys, *words)
    assert code == 2
    assert re.search(rf"{name}'? (must be a file|cannot be read)", error)


def test_a_message_has_a_bounded_length_and_keeps_its_remedy() -> None:
    assert shown("a" * (MESSAGE_BEGIN + MESSAGE_END)) == "a" * (MESSAGE_BEGIN + MESSAGE_END)
    long = str(SettingsError(f"key must be short; got {'x' * 300_000}. Shorten it."))
    assert long.startswith("key must be short; got xxx")
    assert long.endswith("xxx. Shorten it.")
    assert "[... 297,036 characters ...]" in long
    assert len(long) < MESSAGE_BEGIN + MESSAGE_END + 50
    for length in (MESSAGE_BEGIN, MESSAGE_BEGIN + MESSAGE_END, 300_000):
        assert len(shown("\x1b" * length)) < MESSAGE_BEGIN + MESSAGE_END + 50
    assert shown("\x1b" * 3, 4, 3) == r"\x1b [... 5 characters ...] x1b"


def test_every_kind_of_message_is_bounded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    huge = "z" * 300_000
    for words in (
        ["translate", huge],
        ["translate", "m", huge],
        ["translate", "m", "source", "--set", f"{huge}=1"],
        ["translate", "m", "source", "--set", f"banned={huge}"],
        ["translate", "m", "source", "--beam", huge],
        ["inspect", "m", "ab", "--head", huge],
        ["train", "source", "target", "-o", "out", "--set", f"training.steps={huge}"],
        ["recipes", huge],
        [huge],
    ):
        code, _, error = outcome(capsys, *words)
        assert code in (0, 2), words[:2]
        assert len(error) < 2 * (MESSAGE_BEGIN + MESSAGE_END), words[:2]
