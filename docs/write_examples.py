"""Writes the notebooks of `examples/` from `examples/sources/`, with the output of their cells.

    python docs/write_examples.py [SOURCE...]

A source is a program that runs as it is. Comments between its cells are the text. It takes some minutes, as models are trained.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from pathlib import Path
from typing import Any

import jupytext
import nbformat

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "examples" / "sources").glob("*.py"))


def notebook_of(source: Path) -> nbformat.NotebookNode:
    """A notebook without outputs; the same source always gives the same notebook."""
    found = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:light")
    for number, cell in enumerate(found.cells):
        cell["id"], cell["metadata"] = f"cell-{number}", {}
    found.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    found.nbformat_minor = 5
    return found


def run(notebook: nbformat.NotebookNode) -> None:
    """Run all cells in their order, and keep what they print. Commands such as %pip are left out."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1):
        if not cell.source.startswith("%"):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(cell.source, f"<cell {number}>", "exec"), names)
            if text := printed.getvalue():
                cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        cell.execution_count = number


def main() -> None:
    """Write the notebooks of some sources."""
    parser = argparse.ArgumentParser(description="Write and run the notebooks of examples/.")
    parser.add_argument("sources", nargs="*", type=Path, default=SOURCES, help="by default all")
    for source in parser.parse_args().sources:
        notebook = notebook_of(source)
        run(notebook)
        nbformat.write(notebook, ROOT / "examples" / f"{source.stem}.ipynb")
        print(f"{source.stem}.ipynb")


if __name__ == "__main__":
    main()
