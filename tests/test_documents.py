"""Commands, settings and files that the documents name exist."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from pydantic import BaseModel

from regard.cli.main import run
from regard.data.selection import DataConfig
from regard.models.registry import ARCHITECTURES
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.training_config import TrainingConfig

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands() -> list[str]:
    """Every command line of a code block that calls us."""
    blocks = (block for path in DOCUMENTS for block in re.findall(r"```\w*\n(.*?)```", path.read_text(), re.S))
    lines = (line.split("#")[0].strip() for block in blocks for line in block.replace("\\\n", " ").splitlines())
    return sorted({line for line in lines if line.startswith("regard ")})


@pytest.fixture
def shown_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The help of a command."""
    for name, value in {"COLUMNS": "300", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)

    def shown(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            run([*words, "--help"])
        assert not ended.value.code
        return capsys.readouterr().out

    return shown


def test_there_are_commands_to_check() -> None:
    assert len(commands()) >= 3


@pytest.mark.parametrize("line", commands())
def test_a_documented_command_and_its_options_exist(line: str, shown_help: Callable[..., str]) -> None:
    _, name, *words = line.split()
    known = shown_help(name)
    for word in words:
        if re.match(r"--?[a-z]", word):
            assert re.search(rf"{re.escape(word)}\b", known), f"`regard {name}` has no option {word}"


def test_every_command_is_in_the_readme(shown_help: Callable[..., str]) -> None:
    listed = re.findall(r"^│ ([a-z]+) ", shown_help(), re.M)
    assert len(listed) >= 6
    readme = (ROOT / "README.md").read_text()
    assert [name for name in listed if f"regard {name}" not in readme] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_files_that_documents_name_exist(path: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`", "", path.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#:]+)\)|src=\"([^\":]+)\"", prose):
        name = "".join(target)
        assert (path.parent / name).exists(), f"{path.name} links to {name}"


def test_modules_that_documents_name_exist() -> None:
    for path in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for named in re.findall(
            r"`((?:text|nn|data|models|training|generation|evaluation|inspection|pipelines|analysis|runs|demos|cli)/\w+\.py)`",
            path.read_text(),
        ):
            assert (ROOT / "src" / "regard" / named).exists(), f"{path.name} names {named}"


def test_the_page_on_attention_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """Its blocks are one program, as a reader would type it."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "attention.md").read_text(), re.S)
    assert len(blocks) > 15
    with torch.random.fork_rng():
        exec(compile("\n".join(blocks), "docs/attention.md", "exec"), {})
    assert "sdpa: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("section", "kind"), [("tokenizer", TokenizerConfig), ("data", DataConfig), ("training", TrainingConfig)]
)
def test_every_setting_is_documented_with_its_default(section: str, kind: type[BaseModel]) -> None:
    page = (ROOT / "docs" / "training.md").read_text()
    rows = dict(re.findall(rf"^\| `{section}\.(\w+)` \| (.*?) \|", page, re.M))
    assert rows.keys() == kind.model_fields.keys()
    for name, field in kind.model_fields.items():
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        shown = "null" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
        others = any(
            name in preset.get(section, {}) for found in ARCHITECTURES.values() for preset in found.presets.values()
        )
        assert rows[name] == shown + " *p*" * others, name


def test_every_preset_is_documented() -> None:
    page = (ROOT / "docs" / "training.md").read_text()
    for family, presets in ((arch, found.presets) for arch, found in ARCHITECTURES.items()):
        for name, preset in presets.items():
            (row,) = re.findall(rf"^\| `{family}`, `{name}`.*?\| (.*) \|$", page, re.M)
            model, tokenizer, training = (preset[section] for section in ("model", "tokenizer", "training"))
            encoder, decoder = (model.get(f"num_{side}_layers", 1) for side in ("encoder", "decoder"))
            kind = " characters" if tokenizer.get("kind") == "characters" else ""
            rate = (
                f"{training['learning_rate']}, {training['schedule']}" if "learning_rate" in training else "the paper's"
            )
            assert row.replace("| |", "|  |").split(" | ") == [
                str(model.get("num_layers", f"{encoder} + {decoder}")), f"{model['model_dim']:,}",
                f"{model['ff_dim']:,}" if "ff_dim" in model else "", str(model["dropout"]),
                f"{tokenizer['vocab_size']:,}{kind}", f"{training['steps']:,}", f"{training['batch_tokens']:,}", rate,
            ]  # fmt: skip


def test_the_way_of_a_sentence_enters_no_file_three_times() -> None:
    """The numbered steps of docs/life-of-a-sentence.md, in each of its parts. What they name is checked above."""
    text = (ROOT / "docs" / "life-of-a-sentence.md").read_text()
    _, *parts = re.split(r"^## ", text, flags=re.M)
    assert len(parts) == 4
    for part in parts:
        steps = re.findall(r"^\d+\. (.*?)(?=^\d+\. |^\n[A-Z]|\Z)", part.split("\nAlso at work")[0], flags=re.M | re.S)
        assert len(steps) > 3
        entered = [file for step in steps for file in set(re.findall(r"`([\w/]+\.(?:py|c))`", step))]
        assert max(map(entered.count, entered)) < 3
