"""Changes to the pages that Zensical has made: formulas, outputs of blocks, figures, source files, the header.

Formulas become MathML, set in a mathematical font that the site brings with it: no script is needed to show them.
"""

from __future__ import annotations

import html
import re
import tomllib
from pathlib import Path

from latex2mathml.converter import convert
from pygments import highlight  # type: ignore[import-untyped]  # pygments has no types
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]  # likewise
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]  # likewise

from regard import __version__

ROOT = Path(__file__).parents[1]
OUTSIDE = "https://example.invalid/"
"""Where links to files that are in the repository and not in docs/ lead; they are shown as text."""
WIDGET = re.compile(r"^<!-- widget: ([\w-]+) -->$", re.M)
SOURCE = re.compile(r"<!-- source: (\S+) -->")
SOURCE_LINE = re.compile(r"<!-- at: (\S+)\.py (\d+) -->")
FUNCTION = r"<mi>(?:log|ln|exp|sin|cos|tanh|min|max)</mi>"
THIN = '<mspace width="0.1667em"/>'
PYTHON, TEXT = '<div class="language-python highlight">', '<div class="language-text highlight">'


def finished(page: str, path: Path | None = None, site: Path | None = None) -> str:
    """A page as it is shown.

    Args:
        path: its file below `site`, to find the pictures that it shows; None: nothing is known of them.
    """
    page = re.sub(
        r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>',
        lambda found: formula(html.unescape(found[3]), is_block=found[2] == "["),
        page, flags=re.S,
    )  # fmt: skip
    page = joined_outputs(page)
    page = figures(page)
    page = SOURCE.sub(lambda found: source(ROOT / "src" / "regard" / found[1]), page)
    # For people without a mouse: a wide table can be scrolled when it has the focus. An empty corner is no header.
    page = page.replace("<table>", '<table tabindex="0">').replace("<th></th>", "<td></td>")
    page = re.sub(rf'<a href="{OUTSIDE}[^"]*">(.*?)</a>', r"\1", page, flags=re.S)
    if path is not None and site is not None:
        page = re.sub(r"<img [^>]*>", lambda found: picture(found[0], path.parent), page)
        up = "../" * len(path.parent.relative_to(site).parts)
        page = with_version(page, up)
        page = SOURCE_LINE.sub(rf'<a href="{up}source/\1/#L\2">source</a>', page)
        if 'data-widget="' in page:
            folder = f"{up}reference/widgets"
            page = page.replace("</head>", f'<link rel="stylesheet" href="{folder}.css"></head>')
            page = page.replace("</body>", f'<script src="{folder}.js"></script></body>')
    return page


def formula(latex: str, *, is_block: bool) -> str:
    """LaTeX as MathML; a block can be scrolled where it is wider than the page."""
    made = convert(latex, display="block" if is_block else "inline")
    # As TeX sets them: log p, but log(p).
    made = re.sub(rf"{FUNCTION}(?=<m(?!o))", r"\g<0>" + THIN, made)
    made = re.sub(rf"(</m(?:i|n|sub|sup|subsup|frac)>|>(?:\)|&#x00029;)</mo>)(?={FUNCTION})", r"\g<0>" + THIN, made)
    return f'<div class="formula" tabindex="0" role="group" aria-label="Equation">{made}</div>' if is_block else made


def joined_outputs(page: str) -> str:
    """The page with what a block prints as one thing with the block; it is not copied."""
    output = TEXT.replace("highlight", "highlight output no-copy")
    end = re.escape("</code></pre></div>")
    page = re.sub(
        rf"({end})\s*(?:<!-- measured -->\s*)?{re.escape(TEXT)}",
        lambda found: f"{found[1]}\n{output}",
        page,
    )
    # The block before an output has no space below.
    parts = page.split(output)
    for index in range(len(parts) - 1):
        begin = parts[index].rfind(PYTHON)
        if begin >= 0 and parts[index][begin:][-len("</pre></div>\n") :] == "</pre></div>\n":
            changed = PYTHON.replace("highlight", "highlight prints")
            parts[index] = parts[index][:begin] + changed + parts[index][begin + len(PYTHON) :]
    return output.join(parts)


def figures(page: str) -> str:
    """The page with a picture and `*Figure 2.1. ...*` below it as a figure with its caption."""
    return re.sub(
        r"<p>(<img [^>]*>)(?:</p>\s*<p>|\s*(?:<br ?/?>)?\s*)<em>((?:Figure|Table) [\w.]+\.? (?:(?!</p>).)*)</em></p>",
        r"<figure>\1<figcaption>\2</figcaption></figure>",
        page,
        flags=re.S,
    )


def picture(tag: str, folder: Path) -> str:
    """A picture that is legible in both themes: its version for each, if there are two; else a plot keeps a white ground."""
    found = re.search(r'src="([^":]+)"', tag)
    if found is None or "class=" in tag:
        return tag
    file = (folder / found[1]).resolve()
    dark = file.with_name(f"{file.stem}-dark{file.suffix}")
    if dark.is_file():
        name = found[1].rsplit("/", 1)
        other = tag.replace(found[1], "/".join((*name[:-1], dark.name)))
        return tag.replace("<img ", '<img class="light-only" ') + other.replace(
            "<img ", '<img class="dark-only" loading="lazy" '
        )
    if file.suffix == ".svg" and file.is_file() and "prefers-color-scheme" not in file.read_text():
        return tag.replace("<img ", '<img class="plot" ')
    return tag


def source(path: Path) -> str:
    """A file of Python with an anchor at each line."""
    lines = highlight(path.read_text(), PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)).split("\n")
    shown = "".join(f'<span id="L{number}">{line}\n</span>' for number, line in enumerate(lines[:-1], start=1))
    return f'<div class="highlight source"><pre tabindex="0"><code>{shown}</code></pre></div>'


def with_version(page: str, up: str) -> str:
    """The page with the version in its header; with the repository, once zensical.toml has its address."""
    links = [f'<a href="{up}changelog/" title="Changelog">version {__version__}</a>']
    repository = tomllib.loads((ROOT / "zensical.toml").read_text())["project"].get("repo_url")
    if repository:
        links.append(f'<a href="{repository}">repository</a>')
    return re.sub(r'(<div class="md-header__source">)\s*(</div>)', rf"\1{' · '.join(links)}\2", page)


def chapter_line(chapters: list[tuple[str, str]], index: int, notebook: str | None) -> str:
    """What stands below the title of a chapter, in Markdown: the chapters before and after it, and its notebook.

    Args:
        chapters: the file and the title of each.
    """
    parts = []
    if index > 0:
        parts.append(f"[← {chapters[index - 1][1]}]({chapters[index - 1][0]})")
    parts.append(f"chapter {index + 1} of {len(chapters)}")
    if notebook:
        parts.append(f'<a href="{notebook}" download>run it: notebook</a>')
    if index + 1 < len(chapters):
        parts.append(f"[{chapters[index + 1][1]} →]({chapters[index + 1][0]})")
    return f'<p class="chapter-line" markdown>{" · ".join(parts)}</p>'
