"""Builds the site of the documentation into site/, without a network, and checks it: `make docs`.

Zensical makes the pages and the search. What this script adds: the interactive pages that chapters of the guide write; the
reference (`site_reference.py`); formulas, outputs, figures and the header (`site_html.py`); widgets, which `web/build.mjs`
bundles into docs/reference/widgets.js; and a check of every link, of the public names, of the characters of formulas, and that
nothing is loaded from another host. docs/index.md is the front page.

What is measured may differ on this machine from what a chapter shows, and then this says so. The site shows the chapter as it is
stored. With --quick, no chapter is run: its interactive page is left out, and what is measured is not compared.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import run_page
import site_reference
from site_html import OUTSIDE, WIDGET, chapter_line, finished

ROOT = Path(__file__).parents[1]
FRAME = (
    r'<iframe src="\1" title="What happens inside the model" loading="lazy"></iframe>\n\n'
    r'<p><a href="\1">The page alone</a></p>'
)
"""Shows an interactive page."""
ELEMENT = r'<div class="widget" data-widget="\1"></div>'
"""What a widget is drawn in; without a script it stays empty, and the picture after it shows the same."""
FONT_RANGE = re.compile(r"unicode-range: ([^;]*);")


def main(arguments: Sequence[str] | None = None) -> None:
    """Builds, checks, and says what is wrong."""
    parser = argparse.ArgumentParser(description="Build the site of the documentation.")
    parser.add_argument("--quick", action="store_true", help="run no chapter; leave out the pages that chapters write")
    parser.add_argument("--output", type=Path, default=ROOT / "site", help="the folder of the site, which is replaced")
    options = parser.parse_args(arguments)
    site: Path = options.output
    with tempfile.TemporaryDirectory() as folder:
        try:
            lay_out(Path(folder), quick=options.quick)
        except run_page.PageError as error:
            sys.exit(str(error))
        subprocess.run([Path(sys.executable).parent / "zensical", "build"], cwd=folder, check=True)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(Path(folder) / "site", site)
    for path in (*site.rglob("index.html"), site / "404.html"):  # not those that chapters have written
        path.write_text(finished(path.read_text(), path, site))
    problems = [*broken_links(site), *missing_names(site), *missing_characters(site)]
    print(*problems, sep="\n")
    if problems:
        sys.exit(f"{len(problems)} problems")
    print(f"{site}: {len(list(site.rglob('*.html')))} pages. To read: python -m http.server -d {site}")


def lay_out(folder: Path, *, quick: bool = False) -> None:
    """What Zensical reads: the pages, those of the reference, and links out of docs/ marked."""
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.py", "*.json", "__pycache__"))
    (docs / "changelog.md").write_text((ROOT / "CHANGELOG.md").read_text())
    settings = (ROOT / "zensical.toml").read_text()
    if (docs / "reference").is_dir():
        for page, entries in site_reference.write(docs).items():
            settings = settings.replace(f'"{page}"', entries)
    (folder / "zensical.toml").write_text(settings)
    for path in sorted((docs / "guide").glob("[01]*.md")):
        page = path.read_text()
        if run_page.WRITTEN.search(page) and not quick:
            run_page.run(ROOT / "docs" / "guide" / path.name, keep=docs / "guide", when_measured_differs=tell)
        path.write_text(run_page.WRITTEN.sub("" if quick else FRAME, page))
    link_chapters(docs / "guide")
    for path in docs.rglob("*.md"):
        home = ROOT if path == docs / "changelog.md" else ROOT / path.parent.relative_to(folder)

        def here(found: re.Match[str], path: Path = path, home: Path = home) -> str:
            """The link as it is in the copy."""
            name, anchor = found[2], found[3] or ""
            target = (home / name).resolve()
            if target == ROOT / "README.md":
                inside = docs / "index.md"
            elif target.is_relative_to(ROOT / "docs") and (docs / target.relative_to(ROOT / "docs")).is_file():
                inside = docs / target.relative_to(ROOT / "docs")
            else:
                return f"{found[1]}{OUTSIDE}{name})"
            up = "../" * len(path.parent.relative_to(docs).parts)
            return f"{found[1]}{up}{inside.relative_to(docs).as_posix()}{anchor})"

        page = WIDGET.sub(ELEMENT, path.read_text())
        path.write_text(re.sub(r"(\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)", here, page))


def link_chapters(guide: Path) -> None:
    """Below the title of each chapter: which one it is, its neighbours, and its notebook."""
    chapters = sorted(guide.glob("[01]*.md"))
    titles = [(path.name, re.sub(r"^# ", "", path.read_text().split("\n", 1)[0])) for path in chapters]
    for index, path in enumerate(chapters):
        title, _, rest = path.read_text().partition("\n")
        notebook = f"notebooks/{path.stem}.ipynb"
        line = chapter_line(titles, index, notebook if (guide / notebook).is_file() else None)
        path.write_text(f"{title}\n\n{line}\n{rest}")


def tell(difference: run_page.PageError) -> None:
    """Says which block of which page printed something else here than is stored."""
    print(f"The site shows this block as it is stored. It differs here: {difference}", file=sys.stderr)


class Links(HTMLParser):
    """What a page links to, what it loads, and which anchors it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes one element."""
        found = {name: value or "" for name, value in attrs}
        self.anchors.add(found.get("id", ""))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("img", "script", "iframe") and "src" in found:
            self.loads.append(found["src"])
        elif tag == "link" and found.get("rel") != "canonical":
            self.loads.append(found.get("href", ""))


def broken_links(site: Path) -> list[str]:
    """Links and files of the pages that are not there, and what is loaded from other hosts."""
    pages = {path: Links(path.read_text()) for path in site.rglob("*.html")}
    problems = []
    for path, found in pages.items():
        if path.name == "404.html":
            continue  # its links begin at the root of a server
        shown = path.relative_to(site)
        problems += [f"{shown}: loads {url}" for url in found.loads if re.match(r"(https?:)?//", url)]
        for url in (*found.links, *found.loads):
            name, anchor = urldefrag(unquote(url))
            if re.match(r"[a-z]+:|//", name):
                continue
            target = (path.parent / name).resolve() if name else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                problems.append(f"{shown}: no file {url}")
            elif anchor and anchor != "__top" and target in pages and anchor not in pages[target].anchors:
                problems.append(f"{shown}: no anchor {url}")
    return problems


def missing_names(site: Path) -> list[str]:
    """Public names without a page in the reference."""
    return [
        f"reference: no page of {name.module}.{name.name}"
        for name in site_reference.public_names()
        if not (site / "reference" / name.page / "index.html").is_file()
    ]


def missing_characters(site: Path) -> list[str]:
    """Characters of formulas that the font of the site does not have."""
    ranges = "".join(FONT_RANGE.findall((site / "reference" / "site.css").read_text()))
    known = {
        number
        for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", ranges)
        for number in range(int(first, 16), int(last or first, 16) + 1)
    }
    problems = []
    for path in site.rglob("index.html"):
        formulas = re.findall(r"<math.*?</math>", path.read_text(), re.S)
        text = html.unescape(re.sub(r"<[^>]*>", "", "".join(formulas)))
        missing = sorted(set(text) - {"\n"} - {chr(number) for number in known})
        if missing:
            problems.append(f"{path.relative_to(site)}: the font of formulas has no {' '.join(missing)}")
    return problems


if __name__ == "__main__":
    main()
