"""The page on extending is a program and its commands, and both run."""

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

import regard.extending
from regard.cli.main import run

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")


def ends_well(code: str, words: list[str], module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a program of the page with arguments, as a shell does."""
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        exec(compile(code, words[0], "exec"), {"__name__": "__main__", "parts": module})
    assert not ended.value.code, words


def test_the_blocks_of_the_page_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    module, program, num_commands = ModuleType("parts"), "", 0
    monkeypatch.setitem(sys.modules, "parts", module)
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.M | re.S):
        if block.startswith("# my_regard.py"):
            program = block
        elif language == "python":
            exec(compile(block, "parts.py", "exec"), vars(module))
        else:
            for line in block.splitlines():
                python, *words = shlex.split(line)
                assert (python, words[0]) == ("python", "my_regard.py")
                ends_well(program, words, module, monkeypatch)
                num_commands += 1
    assert num_commands >= 9
    assert "same_length" in capsys.readouterr().out


def test_every_function_that_adds_a_part_is_on_the_page() -> None:
    adders = {name for name in regard.extending.__all__ if name.startswith("add_")}
    assert adders == set(re.findall(r"^\|.*`(add_\w+)\(", PAGE, re.M))


def test_the_page_takes_names_from_its_module_alone() -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S))
    imported = set(re.findall(r"^(?:from|import) (regard[\w.]*)", code, re.M))
    assert imported == {"regard", "regard.extending", "regard.cli.main"}
    assert callable(run)
