"""Writes a notebook of each chapter: `python docs/guide/write_notebooks.py [--out FOLDER]`.

Commands (`$ regard ...`) become `!regard ...`, links lead to the repository's files, and what is printed stays as text below.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import jupytext
import nbformat

HERE = Path(__file__).parent
INTRODUCTION = """```python
# Once: a clone of the repository, and `pip install -c constraints.txt -e '.[guide]'` in it.
%pip show regard
```

"""


def notebook_of(page: str) -> nbformat.NotebookNode:
    """A chapter's Markdown as a notebook; the same page always gives the same notebook."""
    page = re.sub(r"^<!-- .* -->\n+", "", page, flags=re.M)
    page = re.sub(r"^```console\n(.*?)^```$", lambda found: _commands(found[1]), page, flags=re.M | re.S)
    page = re.sub(r"\]\((?!https?:|#)([^)]+)\)", r"](../\1)", page)
    title, text = page.split("\n", 1)
    found = jupytext.reads(f"{title}\n\n{INTRODUCTION}{text}", fmt="md")
    for number, cell in enumerate(found.cells):
        cell["id"] = f"cell-{number}"
    found.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    found.nbformat_minor = 5
    return found


def _commands(block: str) -> str:
    """A block of commands and what they print, as a cell and the text below it."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*\n)", block, flags=re.M)[1:]
    cells = []
    for command, printed in zip(parts[::2], parts[1::2], strict=True):
        cells.append(f"```python\n!{command}```")
        if printed.strip() not in ("", "..."):
            cells.append(f"```text\n{printed}```")
    return "\n\n".join(cells)


def main() -> None:
    """All chapters."""
    parser = argparse.ArgumentParser(description="Write a notebook of each chapter.")
    parser.add_argument("--out", type=Path, default=HERE / "notebooks")
    folder = parser.parse_args().out
    folder.mkdir(exist_ok=True)
    for path in sorted(HERE.glob("[01]*.md")):
        nbformat.write(notebook_of(path.read_text()), folder / f"{path.stem}.ipynb")


if __name__ == "__main__":
    main()
