"""Runs commands in this process, for the tests of the command line."""

import pytest

from regard.cli.main import run


def command(*words: object) -> int:
    """Run a command; its exit code."""
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    code = ended.value.code
    return code if isinstance(code, int) else 0


def outcome(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Run a command; its exit code, and what it prints to standard output and standard error."""
    capsys.readouterr()
    code = command(*words)
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Run a command that must fail; its error message."""
    code, _, error = outcome(capsys, *words)
    assert code == 2
    assert "Traceback" not in error
    return error
