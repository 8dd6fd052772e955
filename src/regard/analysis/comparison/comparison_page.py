"""A comparison of systems as one HTML page: it opens from disk, asks no network for anything, and follows the theme."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape

from regard.characters import WITHOUT_SPACES
from regard.inspection.html_report import STYLE
from regard.text.wording import counted

MORE_STYLE = """
.scores td,.scores th{padding-right:1.2rem;text-align:right} .scores td{overflow-wrap:normal;white-space:nowrap}
.scores th[scope=rowgroup]{overflow-wrap:anywhere;padding-top:.8rem} .scores th[scope=rowgroup],.scores td:first-child{
  text-align:left} .scores td:first-child{padding-left:.8rem}
@media(max-width:34rem){.scores{font-size:.85rem}
  .scores td,.scores td:first-child{padding-left:0;white-space:normal} .scores td,.scores th{
  padding-right:.5rem}}
summary{font-weight:600;cursor:pointer;margin:.8rem 0} article{border-top:1px solid var(--line);padding:.7rem 0}
article p{margin:.15rem 0;max-width:none} .label{color:var(--faint);font-size:.85rem}
.both{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:.2rem 2rem;margin-top:.4rem}
mark{color:inherit;border-radius:3px;padding:0 .1em}
.before mark{background:color-mix(in srgb,var(--second) 22%,transparent);box-shadow:inset 0 -2px var(--second)}
.after mark{background:color-mix(in srgb,var(--heat) 22%,transparent);box-shadow:inset 0 -2px var(--heat)}
h2{overflow-wrap:anywhere}
"""
TITLE = "Comparison of systems"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
MOST_SHOWN = 500
"""The number of sentences of a list that are on the page."""
MOST_COMPARED = 1000
"""The number of words above which texts are shown without marks, as finding them takes too long."""
PUNCTUATION = re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~¡¿«»„“”‘’‚‹›…–—。、！？，：；「」『』（）،؛؟।")
WORD = re.compile(rf"\s+|[{PUNCTUATION}{WITHOUT_SPACES}]|[^\s{PUNCTUATION}{WITHOUT_SPACES}]+")
"""An expression for the parts of a text: spaces, a mark of punctuation, a character of a script without spaces, or a
word."""


@dataclass(frozen=True)
class Sentence:
    """A sentence that the first run of a system translates differently from the first run of the baseline."""

    line: int
    source: str
    references: list[str]
    texts: tuple[str, str]
    """The baseline's, and the system's."""
    chrf: tuple[float, float]
    """The scores of both, as the mean over runs."""

    @property
    def difference(self) -> float:
        """The score of the system less that of the baseline."""
        return self.chrf[1] - self.chrf[0]

    @property
    def score(self) -> str:
        """The chrF by both systems, in words."""
        return f"chrF {self.chrf[0]:.1f} to {self.chrf[1]:.1f} ({self.difference:+.1f})"


Tables = Sequence[tuple[str, Sequence[Sequence[str]]]]


def comparison_html(
    summary: str,
    columns: Sequence[str],
    tables: Tables,
    notes: Sequence[str],
    changed: Mapping[str, Sequence[Sentence]],
    num_sentences: int,
) -> str:
    """The page as HTML.

    Args:
        columns: the names of the columns of all tables.
        tables: the name of each system, the baseline first, and the rows of its table.
        notes: remarks on the tables.
        changed: by the name of each system but the baseline, what `Comparison.sentences` finds.
        num_sentences: the size of the test set.
    """
    remarks = "".join(f'<p class="faint">{escape(note)}</p>' for note in notes)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>{TITLE}</title><style>{STYLE}{MORE_STYLE}</style></head><body>
<h1>{TITLE}</h1><p class="faint">{escape(summary)}</p>
{_scores(columns, tables)}{remarks}
{"".join(_system(name, tables[0][0], found, num_sentences - len(found)) for name, found in changed.items())}
</body></html>
"""


def _scores(columns: Sequence[str], tables: Tables) -> str:
    names = "".join(f"<th>{escape(name.strip())}</th>" for name in columns)
    groups = ""
    for system, rows in tables:
        cells = "".join(
            f"<tr>{''.join(f'<td class=number>{escape(_unbreakable(cell))}</td>' for cell in row)}</tr>" for row in rows
        )
        title = f"<bdi>{escape(system)}</bdi>" + ("" if groups else ' <span class="label">baseline</span>')
        groups += f'<tbody><tr><th scope="rowgroup" colspan="{len(columns)}">{title}</th></tr>{cells}</tbody>'
    return f'<div class="wide"><table class="scores"><thead><tr>{names}</tr></thead>{groups}</table></div>'


def _unbreakable(cell: str) -> str:
    """Format a cell: a narrow screen may break it before its ± only, and the name of a metric at every space."""
    return cell if cell[:1].isalpha() else cell.strip().replace(" ", "\u00a0").replace("\u00a0±", " ±")


def _system(name: str, baseline: str, found: Sequence[Sentence], num_equal: int) -> str:
    lists = ""
    better = [sentence for sentence in found if sentence.difference > 0]
    worse = [sentence for sentence in reversed(found) if sentence.difference < 0]
    for what, sentences in (("better", better), ("worse", worse)):
        if sentences:
            left = len(sentences) - MOST_SHOWN
            rest = f'<p class="faint">{counted(left, "more sentence")} not shown.</p>' if left > 0 else ""
            shown = "".join(_sentence(sentence) for sentence in sentences[:MOST_SHOWN])
            lists += (
                f"<details open><summary>{counted(len(sentences), 'sentence')} {what}</summary>{shown}{rest}</details>"
            )
    equal = f"{counted(num_equal, 'sentence')} with the same chrF."
    return (
        f"<h2><bdi>{escape(name)}</bdi> against <bdi>{escape(baseline)}</bdi></h2>"
        f'<p class="faint">By the chrF of each sentence, the greatest difference first. {equal}</p>{lists}'
    )


def _sentence(sentence: Sentence) -> str:
    before, after = marked(*sentence.texts)
    references = "".join(_text("reference", escape(reference)) for reference in sentence.references)
    return (
        f'<article><p class="number">line {sentence.line:,}: {escape(sentence.score)}</p>'
        f'<div class="both"><div>{_text("source", escape(sentence.source))}</div><div>{references}</div>'
        f'</div><div class="both"><div class="before">{_text("baseline", before)}</div>'
        f'<div class="after">{_text("system", after)}</div></div></article>'
    )


def _text(label: str, html: str) -> str:
    shown = html if html.strip() else '<span class="faint">(nothing)</span>'
    return f'<p class="label">{label}</p><p dir="auto">{shown}</p>'


def marked(first: str, second: str) -> tuple[str, str]:
    """Two texts as HTML, with marks around the words of each that the other does not have in this order."""
    pieces = WORD.findall(first), WORD.findall(second)
    words = [[piece for piece in side if not piece.isspace()] for side in pieces]
    if max(map(len, words)) > MOST_COMPARED:
        return escape(first), escape(second)
    same: tuple[set[int], set[int]] = set(), set()
    for block in SequenceMatcher(None, words[0], words[1], autojunk=False).get_matching_blocks():
        same[0].update(range(block.a, block.a + block.size))
        same[1].update(range(block.b, block.b + block.size))
    return _with_marks(pieces[0], same[0]), _with_marks(pieces[1], same[1])


def _with_marks(pieces: Sequence[str], same: set[int]) -> str:
    """Words and spaces as HTML; words that follow each other share a mark.

    Args:
        same: the words without a mark, counted from 0.
    """
    html, spaces, word, is_open = "", "", 0, False
    for piece in pieces:
        if piece.isspace():
            spaces = piece
            continue
        is_marked = word not in same
        if is_open and not is_marked:
            html, is_open = html + "</mark>", False
        html += spaces
        if is_marked and not is_open:
            html, is_open = html + "<mark>", True
        html, spaces, word = html + escape(piece), "", word + 1
    return html + ("</mark>" if is_open else "") + spaces
