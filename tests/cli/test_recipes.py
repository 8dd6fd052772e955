"""The recipes that come with the package: listed, printed, and trained by."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from running import outcome

import regard
from regard.errors import SettingsError
from regard.runs.settings.reading import find_recipe, given_arch_and_task, read_yaml, recipes
from regard.runs.settings.run_settings import RunSettings


def test_recipes_are_in_the_package_and_can_be_trained_by() -> None:
    package = Path(regard.__file__).parent
    assert {"g2p", "multi30k", "scan-length"} <= recipes().keys()
    for name, path in recipes().items():
        assert path.is_relative_to(package)
        settings = read_yaml(f"recipe:{name}")
        assert settings == yaml.safe_load(path.read_text())  # the library reads the same in them
        RunSettings.build("tiny", settings, arch=given_arch_and_task(None, None, settings)[0])


def test_recipes_are_listed_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "recipes")
    assert code == 0
    for name in recipes():
        assert f"\n{name}: " in f"\n{out}"
    code, out, _ = outcome(capsys, "recipes", "g2p")
    assert (code, out) == (0, find_recipe("g2p").read_text())
    code, out, err = outcome(capsys, "recipes", "g2q")
    assert (code, out) == (2, "")
    assert re.search("recipe.*got 'g2q'.*'g2p'", err)


def test_training_by_a_recipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: dict[str, Any] = {}

    def train(*_: object, **options: Any) -> None:
        asked.update(options["settings"])
        raise SettingsError("that was all.")

    monkeypatch.setattr("regard.runs.train.train", train)
    options = ["--steps", "1", "--set", "model.model_dim=8", "-o", "model"]
    assert outcome(capsys, "train", "pairs.tsv", "--config", "recipe:g2p", *options)[2] == "regard: that was all.\n"
    expected = read_yaml("recipe:g2p")
    assert asked["model"] == expected["model"] | {"model_dim": 8}
    assert asked["tokenizer"] == expected["tokenizer"]
    assert asked["training"] == expected["training"] | {"steps": 1}
    code, _, err = outcome(capsys, "train", "pairs.tsv", "--config", "recipe:multi3k", *options)
    assert code == 2
    assert re.search("recipe.*got 'multi3k'.*'multi30k'", err)


def test_a_shell_can_complete_commands_and_options() -> None:
    """As `--install-completion` has it call us, under the name of the command."""
    program = "import sys; sys.argv[0] = 'regard'; from regard.cli.main import run; run()"
    for typed, expected in (("regard rec", {"recipes"}), ("regard train --se", {"--set", "--seed"})):
        asked = {"_REGARD_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        shown = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True,
            env=asked | {"PYTHONPATH": ":".join(sys.path)},
        )  # fmt: skip
        assert set(shown.stdout.split()) == expected
    helped = subprocess.run([sys.executable, "-m", "regard", "-h"], capture_output=True, text=True, check=True)
    assert "--install-completion" in helped.stdout
