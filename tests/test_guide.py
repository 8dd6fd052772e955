"""The guide: its blocks print what its pages show, its pictures are what their scripts draw."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forked import Forks

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import run_page  # noqa: E402

CHAPTERS = sorted((ROOT / "docs" / "guide").glob("[01]*.md"))
SOLUTIONS = sorted((ROOT / "docs" / "guide" / "solutions").glob("*.md"))
LONGEST_CODE = 88
"""Characters of a line of code that the site shows without scrolling."""
TRAININGS = ROOT / "docs" / "guide" / "trainings"
TRAINED = {"draw_05"}
"""Scripts that train for their picture: on another processor, curves differ by more than rounding."""
SLOW = {
    "06-the-transformer-in-150-lines",
    "09-recurrence-with-attention",
    "10-encoders-and-decoders-alone",
    "11-attention-that-computes",
    "15-scaling",
    "16-from-a-model-to-a-service",
    "draw_05",
}
"""Chapters and pictures that train for half a minute or more: `make test-long` and `make docs` run them."""
PICTURES = ROOT / "docs" / "guide" / "pictures"


def slow_marked(paths: Sequence[Path]) -> list[Any]:
    return [pytest.param(path, marks=[pytest.mark.slow] * (path.stem in SLOW)) for path in paths]


@pytest.mark.parametrize("path", slow_marked([*CHAPTERS, *SOLUTIONS]), ids=lambda path: path.stem)
def test_a_chapter_prints_what_it_shows(path: Path, forks: Forks) -> None:
    for name in run_page.data_of(path.read_text()):
        if not (run_page.SHARED_DATA / name).is_dir():
            pytest.skip(f"there is no ../shared/data/{name}")
    done = forks.run(ROOT / "docs" / "run_page.py", path, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_exercises_with_solutions(path: Path) -> None:
    """Eight, two of them proofs, whose solutions are a page of their own."""
    page, number = path.read_text(), path.name[:2]
    exercises = page.split("## Exercises")[1].split("\n## ")[0]
    solutions = (path.parent / "solutions" / f"{number}.md").read_text()
    assert f"(solutions/{number}.md)" in exercises
    numbers = [str(each) for each in range(1, 9)]
    assert re.findall(r"^(\d)\. ", exercises, re.M) == numbers
    assert re.findall(r"^\*\*(\d)\.\*\* ", solutions, re.M) == numbers
    assert len(re.findall(r"\b(?:Prove|Proof|Show)\b", exercises)) >= 2
    assert solutions.count("```python") >= 2
    assert "After this chapter you can" in page.split("\n## ")[0]
    assert "## Further reading" in page


@pytest.mark.parametrize("path", [*CHAPTERS, *SOLUTIONS], ids=lambda path: path.stem)
def test_code_fits_beside_the_contents(path: Path) -> None:
    program = [block for block in run_page.blocks(path.read_text()) if block.kind == "python"]
    assert max(len(line) for block in program for line in block.text.split("\n")) <= LONGEST_CODE


def test_the_transformer_in_150_lines_has_at_most_150() -> None:
    """The definitions that its page names, without docstrings and empty lines; in lines of at most 88 characters."""
    page = (ROOT / "docs" / "guide" / "06-the-transformer-in-150-lines.md").read_text()
    named = re.search(r"Its definitions, (.*?), have \d+ lines", page, re.S)
    assert named is not None
    names = set(re.findall(r"`(\w+)`", named[1]))
    program = "\n".join(block.text for block in run_page.blocks(page) if block.kind == "python")
    lines = set()
    for node in ast.parse(program).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in names:
            names.remove(node.name)
            lines |= set(
                range(node.decorator_list[0].lineno if node.decorator_list else node.lineno, node.end_lineno + 1)
            )
            for part in ast.walk(node):
                if isinstance(part, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(part):
                    lines -= set(range(part.body[0].lineno, part.body[0].end_lineno + 1))
    assert not names
    count = sum(1 for line in lines if program.split("\n")[line - 1].strip())
    assert f"have {count} lines" in named[0]
    assert count <= 150


def test_blocks_that_are_not_run_say_why_and_are_few() -> None:
    notes = [
        block.note
        for path in CHAPTERS
        for block in run_page.blocks(path.read_text())
        if block.note.startswith("not run")
    ]
    assert len(notes) <= 10
    assert all(len(note) > len("not run: ") + 10 for note in notes)


@pytest.mark.parametrize("script", slow_marked(sorted(PICTURES.glob("draw_*.py"))), ids=lambda path: path.stem)
def test_pictures_are_what_their_script_draws(script: Path, tmp_path: Path, forks: Forks) -> None:
    """But for the last digits of coordinates, which other processors may round differently."""
    done = forks.run(script, cwd=tmp_path, env={"PICTURES": str(tmp_path)})
    assert done.returncode == 0, done.stderr[-3000:]
    tolerance = 15 if script.stem in TRAINED else 0.5
    drawn = sorted(tmp_path.glob("*.svg"))
    number = script.stem.removeprefix("draw_")
    assert [path.name for path in drawn] == sorted(path.name for path in PICTURES.glob(f"{number}-*.svg"))
    for path in drawn:
        kept, new = (re.split(r"(-?\d+\.\d+)", text) for text in ((PICTURES / path.name).read_text(), path.read_text()))
        assert kept[::2] == new[::2] or "data:image" in path.read_text(), path.name
        assert [float(x) for x in kept[1::2]] == pytest.approx([float(x) for x in new[1::2]], abs=tolerance), path.name


def test_notebooks_are_those_of_the_chapters_and_one_runs(tmp_path: Path, forks: Forks) -> None:
    done = forks.run(ROOT / "docs" / "guide" / "write_notebooks.py", "--out", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    kept = ROOT / "docs" / "guide" / "notebooks"
    assert [path.name for path in sorted(tmp_path.iterdir())] == [path.name for path in sorted(kept.iterdir())]
    for path in tmp_path.iterdir():
        assert path.read_text() == (kept / path.name).read_text(), f"{path.name}: run `make notebooks`"
    cells = json.loads((kept / "03-many-heads.ipynb").read_text())["cells"]
    program = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert "%pip" in program.pop(0)
    (tmp_path / "program.py").write_text("\n".join(program))
    done = forks.run(tmp_path / "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "largest difference below 0.00001: True" in done.stdout


@pytest.mark.parametrize("script", sorted(TRAININGS.glob("train_*.py")), ids=lambda path: path.stem)
def test_a_long_training_runs_for_a_few_steps(script: Path, tmp_path: Path, forks: Forks) -> None:
    """And gives a table like the stored one, which was made by the script as it is."""
    if not run_page.SHARED_DATA.is_dir():
        pytest.skip("there is no ../shared/data")
    done = forks.run(script, "--short", "--out", tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    made = sorted(tmp_path.glob("*.json"))
    assert [path.name for path in made] == [path.name for path in sorted(TRAININGS.glob(f"{script.stem[6:]}-*.json"))]
    for path in made:
        new, kept = (json.loads(found.read_text()) for found in (path, TRAININGS / path.name))
        assert new["digest"] == kept["digest"], f"{path.name} was made by another version of {script.name}"
        assert new["header"] == kept["header"]
        assert [row[0] for row in new["rows"]] == [row[0] for row in kept["rows"]]


def test_every_stored_result_is_on_a_page_with_its_command() -> None:
    pages = {path.name.partition("-")[0]: path.read_text() for path in CHAPTERS}
    for path in TRAININGS.glob("*.json"):
        page = pages[path.name.partition("-")[0]]
        assert f"<!-- results: {path.stem} -->" in page
        assert json.loads(path.read_text())["command"].rpartition(" ")[0] in page, path.name


def test_every_picture_is_drawn_by_the_script_that_its_page_names() -> None:
    for path in CHAPTERS:
        page = path.read_text()
        for name in re.findall(r"\]\(pictures/([^)]+\.svg)\)", page):
            script = PICTURES / f"draw_{name.partition('-')[0]}.py"
            assert (PICTURES / name).is_file()
            assert f"pictures/{script.name}" in page, name


@pytest.mark.parametrize(
    ("expected", "printed", "fitting"),
    [
        ("a 0.25", "a 0.26", True),
        ("a 0.25", "a 0.28", False),
        ("a 3", "a 4", False),
        ("a ... b", "a what ever b", True),
        ("a\n...\nb", "a\nx\ny\nb", True),
        ("a\n...\nb", "a\nb", True),
        ("a\n...\nb", "a\nx\nc", False),
        ("a", "a b", False),
        ("1,022.8", "1,022.9", True),
        ("1e-05", "2e-05", False),
    ],
)
def test_output_that_fits(expected: str, printed: str, fitting: bool) -> None:
    assert run_page.fits(expected, printed) is fitting


def test_measured_output_may_have_any_number_but_no_other_words() -> None:
    assert run_page.fits("took 0.5 s", "took 17 s", measured=True)
    assert run_page.fits("took  9 s", "took 10 s", measured=True)
    assert not run_page.fits("took 0.5 s", "takes 0.5 s", measured=True)


def test_tables_of_stored_results(tmp_path: Path) -> None:
    (tmp_path / "trainings").mkdir()
    (tmp_path / "trainings" / "1-a.json").write_text('{"header": ["a", "b"], "rows": [["c", "1"]]}')
    page = tmp_path / "page.md"
    page.write_text("<!-- results: 1-a -->\nold\n<!-- end of results -->\n")
    with pytest.raises(run_page.PageError, match="stored results"):
        run_page.run(page)
    run_page.run(page, write=True)
    assert "-->\n\n| a | b |\n| --- | ---: |\n| c | 1 |\n\n<!--" in page.read_text()
    assert run_page.run(page) == 0


def test_a_page_that_shows_something_else_is_found_and_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ echo 5\n6\n```\n")
    with pytest.raises(run_page.PageError, match="line 6"):
        run_page.run(page)
    assert run_page.run(page, write=True) == 2
    assert "```text\n2\n```" in page.read_text()
    assert "$ echo 5\n5\n" in page.read_text()
    assert run_page.run(page) == 2
    page.write_text("```python\nprint(1)\n```\n")
    with pytest.raises(run_page.PageError, match="no output is shown"):
        run_page.run(page)


MEASURED = "<!-- measured -->\n"
BLOCKS = {
    "python": "```python\nprint('one of')\nprint(2)\n```\n\n{note}```text\ntwo of\n2\n```\n",
    "console": "{note}```console\n$ echo one of 2\ntwo of 2\n$ echo yes\nyes\n```\n",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_what_is_measured_may_differ_where_the_caller_says_so(tmp_path: Path, kind: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        BLOCKS[kind].format(note=MEASURED) + "```console\n$ echo end > end.txt\n```\n\n<!-- page: end.txt -->\n"
    )
    with pytest.raises(run_page.PageError, match=r"page\.md, line"):
        run_page.run(page)
    told: list[run_page.PageError] = []
    before = page.read_text()
    assert run_page.run(page, keep=tmp_path, when_measured_differs=told.append) == 2
    (difference,) = told
    line = before[: before.index("two of")].count("\n") + (1 if kind == "python" else 0)  # of the block's first line
    assert f"{tmp_path.name}/page.md, line {line}" in str(difference)
    assert "one of" in str(difference)
    assert "two of" in str(difference)
    assert page.read_text() == before
    assert (tmp_path / "end.txt").read_text() == "end\n"


@pytest.mark.parametrize("kind", BLOCKS)
def test_what_is_not_measured_may_never_differ(tmp_path: Path, kind: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(BLOCKS[kind].format(note=""))
    told: list[run_page.PageError] = []
    with pytest.raises(run_page.PageError, match=r"page\.md, line"):
        run_page.run(page, when_measured_differs=told.append)
    assert told == []


def test_the_command_says_which_block_differs_without_a_traceback(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "run_page.py", page], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "page.md, line 6: printed\n2\n" in done.stderr
    assert "Traceback" not in done.stderr
