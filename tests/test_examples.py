"""Programs, notebooks and the first lines of the README run from beginning to end, with few steps where they train."""

import json
import re
from pathlib import Path

import pytest

from by_path import module_at
from forked import Forks

ROOT = Path(__file__).parents[1]
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.stem != "ray_train"]  # test_ray_train.py
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
SOURCES = sorted((ROOT / "examples" / "sources").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4
    assert [path.stem for path in NOTEBOOKS] == [path.stem for path in SOURCES]
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path, forks: Forks) -> None:
    options = ["--steps", "2"] if "--steps" in example.read_text(encoding="utf-8") else []
    result = forks.run(example, *options, cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.strip()
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"


def quickly(code: str) -> str:
    """A program that trains for one step, and measures on a tenth of its examples."""
    code = re.sub(r"-(\d)00\b", r"-\g<1>0", code)
    return re.sub(r"^STEPS = \d+", "STEPS = 1", re.sub(r"steps=\d+", "steps=1", code), flags=re.M)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_prints(
    notebook: Path, tmp_path: Path, forks: Forks, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    assert cells[0].startswith("%pip install")
    (tmp_path / "cells.py").write_text(quickly("\n\n".join(cells[1:])), encoding="utf-8")
    result = forks.run(tmp_path / "cells.py", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert result.returncode == 0, result.stderr[-3000:]
    shown = [cell["outputs"] for cell in content["cells"] if cell["cell_type"] == "code" and cell["outputs"]]
    assert len(shown) >= 3
    assert len(result.stdout.splitlines()) >= 5
    text = "".join("".join(cell["source"]) for cell in content["cells"])
    for link in re.findall(r"\]\(([^)#:]+)", text):
        assert (notebook.parent / link.replace("\n", "")).exists(), link


def test_notebooks_are_those_of_their_sources() -> None:
    pytest.importorskip("jupytext")
    writer = module_at(ROOT / "docs" / "write_examples.py")
    for notebook, source in zip(NOTEBOOKS, SOURCES, strict=True):
        kept = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(notebook.read_text())["cells"]]
        made = [(cell.cell_type, cell.source) for cell in writer.notebook_of(source).cells]
        assert kept == made, f"{notebook.name}: run `make examples`"


def test_the_first_lines_of_the_readme_run(tmp_path: Path, forks: Forks) -> None:
    (first, *_) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    (tmp_path / "first.py").write_text(quickly(first))
    result = forks.run(tmp_path / "first.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-3000:]
    assert (tmp_path / "page.html").is_file()
    assert len(result.stdout.splitlines()) == 1
