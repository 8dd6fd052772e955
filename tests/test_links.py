"""Links between the pages: the file is there, and the anchor is the same on GitHub and on the site."""

import re
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def on_github(heading: str) -> str:
    """The anchor that GitHub gives a heading: each space becomes a hyphen."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_the_site(heading: str) -> str:
    """The anchor that Python-Markdown gives a heading: ASCII only, and a row of hyphens and spaces is one hyphen."""
    ascii_only = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


def anchors(page: str) -> set[str]:
    """The anchors of a page that are the same in both places."""
    headings = HEADING.findall(FENCE.sub("", page))
    same = {on_github(heading) for heading in headings if on_github(heading) == on_the_site(heading)}
    return same | set(re.findall(r'\bid="([^"]+)"', page))


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere in one of the two places."""
    problems = []
    for name, anchor in LINK.findall(FENCE.sub("", path.read_text())):
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            problems.append(f"no file {name}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            problems.append(f"no anchor {name}#{anchor}")
    return problems


def test_an_anchor_that_differs_between_the_two_is_none(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n\n## Decoder: `--arch decoder`\n\n```text\n## Not a heading\n```\n\n"
        "[a](#a-page) [b](#decoder---arch-decoder) [c](#decoder-arch-decoder) [d](#not-a-heading) [e](gone.md)\n"
    )
    assert broken(page) == [
        "no anchor #decoder---arch-decoder",
        "no anchor #decoder-arch-decoder",
        "no anchor #not-a-heading",
        "no file gone.md",
    ]


@pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])
def test_each_link_of_a_page_leads_somewhere(path: Path) -> None:
    assert broken(path) == []
