"""Runs a page of the documentation: `python docs/run_page.py docs/guide/01-*.md [--write]`.

A page is Markdown, and these of its blocks are run in order, in one namespace and one empty folder:

- ```python: run; what it prints must be what the ```text block right after it shows.
- ```console: each line `$ command` is run by the shell; the lines after it are what it prints.

A line `...` of the expected output stands for any lines, and `...` in a line for any characters. A number with decimals may
differ by one in its last digit, as processors round differently. Before a block, a comment says what is special about it:

- `<!-- measured -->`: times, memory, or what a training reached. Each number may be any other; words may not.
- `<!-- not run: reason -->`: the block is not run.
- `<!-- data: multi30k_ende -->`: the page needs this folder of ../shared/data, and finds it as `multi30k_ende`.

`<!-- page: NAME -->` marks where the site shows a file that the page has written, such as what `regard inspect` makes; or one
that a long training has written, trainings/NAME beside the page.

Between `<!-- results: NAME -->` and `<!-- end of results -->` stands the table of trainings/NAME.json beside the page.

With --write, the page is changed to show what was printed; elided output stays as it is where it fits.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"
BLOCK = re.compile(
    r"(?:^<!-- (?P<note>measured|not run: [^\n]+) -->\n+)?^```(?P<kind>python|text|console)\n(?P<text>.*?)^```$",
    re.M | re.S,
)
WRITTEN = re.compile(r"^<!-- page: (\S+) -->$", re.M)
RESULTS = re.compile(r"(?<=^<!-- results: )(\S+)( -->\n)(.*?)(?=^<!-- end of results -->$)", re.M | re.S)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


class PageError(Exception):
    """A block printed something else than the page shows."""


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    kind: str
    text: str
    note: str
    start: int
    """Where its text begins in the page, in characters."""
    line: int


def blocks(page: str) -> list[Block]:
    """Those of a page that are run or compared, in order."""
    return [
        Block(
            found["kind"], found["text"], found["note"] or "", found.start("text"),
            page.count("\n", 0, found.start("text")) + 1,
        )
        for found in BLOCK.finditer(page)
    ]  # fmt: skip


def data_of(page: str) -> list[str]:
    """The folders of data that a page needs."""
    return re.findall(r"^<!-- data: (\S+) -->$", page, re.M)


def with_results(page: str, folder: Path) -> str:
    """The page with the tables of its stored results, from `folder`."""

    def table(found: re.Match[str]) -> str:
        stored = json.loads((folder / f"{found[1]}.json").read_text())
        columns = list(zip(*stored["rows"], strict=True))
        marks = [
            "---",
            *("---:" if all(re.match(r"[-−]?\d", cell) for cell in column) else "---" for column in columns[1:]),
        ]
        lines = (f"| {' | '.join(row)} |" for row in (stored["header"], marks, *stored["rows"]))
        return "".join((found[1], found[2], "\n", "\n".join(lines), "\n\n"))

    return RESULTS.sub(table, page)


def fits(expected: str, printed: str, *, measured: bool = False) -> bool:
    """Whether a page's output describes what was printed."""
    expected, printed = (re.sub(r"[ \t]+$", "", text, flags=re.M).strip("\n") for text in (expected, printed))
    if measured:  # longer numbers move the columns
        expected, printed = (re.sub(r"[ \t]+", " ", text) for text in (expected, printed))
    pieces = []
    position = 0
    for found in re.finditer(rf"^\.\.\.$\n?|\.\.\.|{NUMBER.pattern}", expected, re.M):
        pieces.append(re.escape(expected[position : found.start()]))
        if found[0].startswith("..."):
            pieces.append(r"(?:.*\n?)*?" if found[0].endswith("\n") or _whole_line(expected, found) else r".*?")
        else:
            pieces.append(rf"({NUMBER.pattern})")
        position = found.end()
    pieces.append(re.escape(expected[position:]))
    match = re.fullmatch("".join(pieces), printed)
    if match is None:
        return False
    numbers = [number for number in re.findall(rf"\.\.\.|{NUMBER.pattern}", expected) if number != "..."]
    return measured or all(map(_near, numbers, match.groups()))


def _whole_line(text: str, found: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    return (not before or before.endswith("\n")) and (not after or after.startswith("\n"))


def _near(expected: str, printed: str) -> bool:
    """Equal; or, with decimals, at most one apart in the last digit."""
    if expected == printed or "." not in expected:
        return expected == printed
    mantissa, _, exponent = expected.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(expected.replace(",", "")) - float(printed.replace(",", ""))) < 1.5 * unit


def _refuse(difference: PageError) -> None:
    raise difference


def run(
    path: Path,
    *,
    write: bool = False,
    keep: Path | None = None,
    when_measured_differs: Callable[[PageError], None] = _refuse,
) -> int:
    """Runs a page; how many blocks were run.

    Args:
        keep: a folder that the files which the site shows are copied to.
        when_measured_differs: what is done where a measured block printed something else than the page shows. If it returns,
            the page goes on.
    Raises:
        PageError: a block printed something else than the page shows, or failed.
    """
    page = with_results(path.read_text(), path.parent / "trainings")
    if page != path.read_text():
        if not write:
            raise PageError(f"{path.name}: a table is not that of its stored results")
        path.write_text(page)
    shown = f"{path.parent.name}/{path.name}"
    found = blocks(page)
    changes: list[tuple[Block, str]] = []
    ran = 0
    namespace: dict[str, object] = {"__name__": "__main__"}
    try:
        with _own_folder(data_of(page)), torch.random.fork_rng():
            for index, block in enumerate(found):
                if block.kind == "text" or block.note.startswith("not run"):
                    continue
                ran += 1
                if block.kind == "console":
                    refuse = when_measured_differs if block.note == "measured" else _refuse
                    text = _console(block, shown, write=write, refuse=refuse)
                    if text != block.text:
                        changes.append((block, text))
                    continue
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    # Lines of a traceback are those of the page.
                    exec(compile("\n" * (block.line - 1) + block.text, shown, "exec"), namespace)
                after = found[index + 1] if index + 1 < len(found) else None
                follows = after is not None and after.kind == "text" and _adjacent(page, block, after)
                if after is not None and follows:
                    if not fits(after.text, out.getvalue(), measured=after.note == "measured"):
                        if write:
                            changes.append((after, out.getvalue()))
                            continue
                        refuse = when_measured_differs if after.note == "measured" else _refuse
                        refuse(PageError(f"{shown}, line {after.line}: printed\n{out.getvalue()}\nnot\n{after.text}"))
                elif out.getvalue():
                    raise PageError(f"{shown}, line {block.line}: printed, but no output is shown:\n{out.getvalue()}")
            for name in WRITTEN.findall(page):
                stored = path.parent / "trainings" / name
                if not Path(name).is_file() and not stored.is_file():
                    raise PageError(f"{shown}: nothing has written {name}")
                if keep is not None:
                    shutil.copy(name if Path(name).is_file() else stored, keep)
    finally:  # what was printed before a block failed is kept
        for block, text in reversed(changes):
            page = page[: block.start] + text.rstrip("\n") + "\n" + page[block.start + len(block.text) :]
        if changes:
            path.write_text(page)
    return ran


def _adjacent(page: str, block: Block, after: Block) -> bool:
    between = page[block.start + len(block.text) : after.start]
    return re.fullmatch(r"```\n+(?:<!-- measured -->\n+)?```text\n", between) is not None


def _console(block: Block, shown: str, *, write: bool, refuse: Callable[[PageError], None]) -> str:
    """The text of a console block with what its commands print; `refuse` is told what else one has printed."""
    parts = re.split(r"^(\$ (?:.*\\\n)*.*\n)", block.text, flags=re.M)[1:]
    lines = []
    for prompt, expected in zip(parts[::2], parts[1::2], strict=True):
        done = subprocess.run(prompt[2:], shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        printed = done.stdout
        if not fits(expected, printed, measured=block.note == "measured"):
            if write:
                expected = re.sub(r"[ \t]+$", "", printed, flags=re.M)
            else:
                refuse(PageError(f"{shown}, line {block.line}: {prompt}printed\n{printed}\nnot\n{expected}"))
        lines += [prompt, expected]
    return "".join(lines)


@contextlib.contextmanager
def _own_folder(data: list[str]) -> Iterator[None]:
    """A folder of its own for what a page writes, in which its data can be found, and a terminal of 80 columns."""
    before = dict(os.environ)
    os.environ |= {
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in data:
            Path(name).symlink_to(SHARED_DATA / name)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def main() -> None:
    """Runs the pages that are named, and says how long each took."""
    import time

    parser = argparse.ArgumentParser(description="Run pages of the documentation.")
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="change the pages to show what was printed")
    options = parser.parse_args()
    for path in options.pages:
        begun = time.perf_counter()
        try:
            ran = run(path.resolve(), write=options.write)
        except PageError as error:
            sys.exit(str(error))
        print(f"{path}: {ran} blocks, {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
