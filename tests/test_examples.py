"""The examples run, and say what they are there to say."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "attention_by_hand.py": r"after pruning two of eight heads: query projection \(48, 64\)",
    "classify.py": r"is my friend happy today: (question|statement) \(0\.\d\d\)",
    "inspect_heads.py": r"cross\.0\.3 +[a-z ]+ entropy \d\.\d\d nats",
    "language_model.py": r"\d\.\d{3} nats per character, perplexity",
    "train_and_translate.py": r"exact match on 200 dates that were held out: \d",
}


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == SAYS.keys()


@pytest.mark.parametrize("name", sorted(SAYS))
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    few = [] if name == "attention_by_hand.py" else ["--steps", "20"]
    page = ["-o", str(tmp_path / "page.html")] if name == "inspect_heads.py" else []
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *few, *page], capture_output=True, text=True, cwd=tmp_path,
        env=os.environ | {"PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert re.search(SAYS[name], done.stdout)
    assert [path.name for path in tmp_path.iterdir()] == (["page.html"] if page else [])  # nothing else is left behind


@pytest.mark.parametrize("name", sorted(SAYS))
def test_an_example_is_short_and_uses_the_public_interface(name: str) -> None:
    code = (EXAMPLES / name).read_text(encoding="utf-8")
    assert code.startswith('"""')
    assert 'if __name__ == "__main__":' in code
    assert len(code.splitlines()) < 60
    assert set(re.findall(r"^(?:from|import) (regard[\w.]*)", code, re.M)) <= {"regard", "regard.nn"}
