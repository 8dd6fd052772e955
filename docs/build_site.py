"""Builds the site of the documentation into site/, without a network, and checks it: `make docs`.

Zensical makes the pages and the search, mkdocstrings the reference from docstrings. What this script adds: README.md as the first
page; the interactive pages that chapters of the guide write; formulas as MathML, which browsers show without any script or
font; and a check of every link, of the public names, and that nothing is loaded from another host.

What is measured may differ on this machine from what a chapter shows, and then this says so. The site shows the chapter as it is
stored.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urldefrag

import run_page
from latex2mathml.converter import convert

ROOT = Path(__file__).parents[1]
REFERENCE = {"regard": "regard", "regard.nn": "nn", "regard.extending": "extending"}
"""Public modules, and the page of each under reference/."""
FRAME = (
    r'<iframe src="\1" title="What happens inside the model" loading="lazy"></iframe>\n\n'
    r'<p><a href="\1">The page alone</a></p>'
)
"""Shows an interactive page."""
OUTSIDE = "https://example.invalid/"
"""Where links to files that are in the repository and not in docs/ lead; they are shown as text."""


def main() -> None:
    """Builds, checks, and says what is wrong."""
    site = ROOT / "site"
    with tempfile.TemporaryDirectory() as folder:
        try:
            lay_out(Path(folder))
        except run_page.PageError as error:
            sys.exit(str(error))
        subprocess.run([Path(sys.executable).parent / "zensical", "build"], cwd=folder, check=True)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(Path(folder) / "site", site)
    for path in (*site.rglob("index.html"), site / "404.html"):  # not those that chapters have written
        path.write_text(finished(path.read_text()))
    problems = [*broken_links(site), *missing_names(site)]
    print(*problems, sep="\n")
    if problems:
        sys.exit(f"{len(problems)} problems")
    print(f"{site}: {len(list(site.rglob('*.html')))} pages. To read: python -m http.server -d site")


def lay_out(folder: Path) -> None:
    """What Zensical reads: the pages, README.md as the first of them, and links out of docs/ marked."""
    shutil.copy(ROOT / "zensical.toml", folder)
    (folder / "src").symlink_to(ROOT / "src")
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.py", "*.json", "__pycache__"))
    readme = (ROOT / "README.md").read_text().replace('src="docs/', 'src="').replace('srcset="docs/', 'srcset="')
    (docs / "index.md").write_text(readme)
    (docs / "changelog.md").write_text((ROOT / "CHANGELOG.md").read_text())
    for path in (docs / "guide").glob("[01]*.md"):
        if run_page.WRITTEN.search(path.read_text()):
            run_page.run(ROOT / "docs" / "guide" / path.name, keep=docs / "guide", when_measured_differs=tell)
            path.write_text(run_page.WRITTEN.sub(FRAME, path.read_text()))
    for path in docs.rglob("*.md"):
        home = (
            ROOT
            if path.name in ("index.md", "changelog.md") and path.parent == docs
            else ROOT / path.parent.relative_to(folder)
        )

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

        path.write_text(re.sub(r"(\]\()(?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)", here, path.read_text()))


def tell(difference: run_page.PageError) -> None:
    """Says which block of which page printed something else here than is stored."""
    print(f"The site shows this block as it is stored. It differs here: {difference}", file=sys.stderr)


def finished(page: str) -> str:
    """A page with its formulas as MathML, accessible tables, and links out of the site as text."""
    page = re.sub(
        r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>',
        lambda found: convert(html.unescape(found[3]), display="block" if found[2] == "[" else "inline"),
        page, flags=re.S,
    )  # fmt: skip
    page = re.sub(r"<p>([^<>]* = [^<>]*(?:\n[^<>]* = [^<>]*)+)</p>", equations, page)
    # For people without a mouse: a wide table can be scrolled when it has the focus. An empty corner is no header.
    page = page.replace("<table>", '<table tabindex="0">').replace("<th></th>", "<td></td>")
    return re.sub(rf'<a href="{OUTSIDE}[^"]*">(.*?)</a>', r"\1", page, flags=re.S)


def equations(found: re.Match[str]) -> str:
    """A paragraph of a docstring whose every line is an equation, with its lines."""
    lines = found[1].split("\n")
    return f"<p>{'<br>'.join(lines)}</p>" if all(" = " in line for line in lines) else found[0]


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
    """Public names that the reference does not describe."""
    problems = []
    for module, page in REFERENCE.items():
        anchors = Links((site / "reference" / page / "index.html").read_text()).anchors
        problems += [
            f"reference/{page}: no {module}.{name}"
            for name in import_module(module).__all__
            # A function whose module has its name stands on the page by both.
            if not {f"{module}.{name}", f"{module}.{name}.{name}"} & anchors and name != "__version__"
        ]
    return problems


if __name__ == "__main__":
    main()
