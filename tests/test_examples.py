"""Each script of `examples/` runs from beginning to end, with few steps where it trains."""

from pathlib import Path

import pytest

from forked import Forks

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path, forks: Forks) -> None:
    options = ["--steps", "20"] if "--steps" in example.read_text(encoding="utf-8") else []
    result = forks.run(example, *options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.strip()
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"
