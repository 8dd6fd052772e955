"""HTML and XML: whole sentences are translated, and each element is put round the words that its own became.

A document is cut into blocks (paragraphs, items, cells). A block is the text that a browser shows, and a tree of inline
elements over it. Where an element goes in the translation, the model's alignment says: round the longest run of words that
were written from words inside it. So every element is there once, inside the same others, and the result is well-formed if
the source is. A text that is translated as itself, word for word, comes back as it was, to the last character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from regard.documents.blocks import UNIT, Block, Document, Element, Reader
from regard.documents.projection import projected
from regard.documents.tags import RAW_TEXT, Token, is_hidden, nested, scan, wish

__all__ = ["UNIT", "Block", "Document", "Element", "Outline", "parse", "projected"]

BLOCKS = frozenset(
    """address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav
    ol optgroup option p plaintext pre search section select summary table tbody td tfoot th thead title tr ul
    xmp""".split()  # noqa: SIM905
)
"""Elements of HTML that end a sentence. All others, those of unknown names too, are in a line of text, as in a browser."""
HIDDEN = frozenset("script style template noscript noembed noframes".split())  # noqa: SIM905
UNSEEN = HIDDEN | frozenset("area base link meta param source track wbr".split())  # noqa: SIM905
"""Elements that show nothing between two words."""
UNTOUCHED = HIDDEN | frozenset(
    "code kbd samp var math svg textarea xmp audio canvas iframe meter object progress video".split()  # noqa: SIM905
)
"""Elements that pass as they are, with what is in them."""
CODE = frozenset("code kbd samp var".split())  # noqa: SIM905
"""Elements of these that are translated if they ask for it."""


@dataclass(frozen=True)
class Outline:
    """The elements of XML that are paragraphs: their text is translated apart from the text around them."""

    splitting: frozenset[str] = frozenset()
    """They always are."""
    joined: frozenset[str] = frozenset()
    """They never are."""
    is_detected: bool = True
    """Whether others are where no text stands beside them: in a list of paragraphs, but not in a sentence."""


def parse(
    markup: str,
    *,
    ignored: frozenset[str] = frozenset(),
    is_html: bool = True,
    outline: Outline | None = None,
    keeps_lines: bool | None = None,
) -> Document:
    """A text with markup as blocks. What is not well-formed is kept where it is.

    Args:
        ignored: more elements that pass as they are.
        is_html: whether blocks and void elements are HTML's.
        outline: which elements are blocks, beside HTML's.
        keeps_lines: whether lines of the source are lines of the text; else, white space is one space. None: in XML they are,
            but for wrapped ones (`Reader`).
    Raises:
        DataError: elements are nested too deeply, or a block has too many.
    """
    return _Parser(markup, ignored, outline or Outline(), is_html=is_html, keeps_lines=keeps_lines).parse()


class _Parser:
    def __init__(
        self, markup: str, ignored: frozenset[str], outline: Outline, *, is_html: bool, keeps_lines: bool | None
    ) -> None:
        self.markup, self.is_html = markup, is_html
        if is_html:  # names are without case there
            ignored, splitting, joined = (
                frozenset(map(str.lower, each)) for each in (ignored, outline.splitting, outline.joined)
            )
            outline = replace(outline, splitting=splitting, joined=joined)
        self.ignored = ignored
        self.tokens = list(scan(markup, is_html=is_html))
        self.ends, parents = nested(self.tokens, is_html=is_html)
        self.keeps_lines = not is_html if keeps_lines is None else keeps_lines
        self.reader = Reader(keeps_lines=self.keeps_lines, joins_wrapped=keeps_lines is None and not is_html)
        self.wishes = [wish(markup[each.begin : each.end]) if each.kind == "open" else None for each in self.tokens]
        self.hidden = {
            index
            for index, each in enumerate(self.tokens)
            if is_html and each.kind in ("open", "void") and is_hidden(markup[each.begin : each.end])
        }
        """Elements that a browser does not show."""
        self.asking = [index for index, wished in enumerate(self.wishes) if wished]
        """Elements that say that they are to be translated."""
        self.blocks = (BLOCKS | outline.splitting) - outline.joined if is_html else outline.splitting
        self.detected = set[int]()
        """XML: the elements that are paragraphs."""
        if not is_html and outline.is_detected:
            self.detected = _outline(self.markup, self.tokens, parents, self.ends, outline, ignored)
        self.special = self.ignored | UNTOUCHED if is_html else self.ignored
        self.num_pre = 0

    def parse(self) -> Document:
        """The document."""
        index, kept = 0, [(len(self.tokens), False)]
        """For each element that says whether it is to be translated: its end, and whether it is to be kept."""
        while index < len(self.tokens):
            while kept[-1][0] <= index < len(self.tokens):
                kept.pop()
            token, end = self.tokens[index], self.ends[index]
            may_keep = token.name in self.special or self.wishes[index] is not None or index in self.hidden
            if token.kind == "open" and may_keep:
                keeps = self._keeps(index)
                if keeps and not self._asks_within(index):
                    self._pass(index, end)
                    index = end
                    continue
                if keeps is not None:
                    kept.append((end, keeps))
            raw = self.markup[token.begin : token.end]
            if token.kind == "rest":
                self.reader.finish(raw)
            elif token.kind != "text":
                self._read_tag(index, raw)
            elif kept[-1][1] and raw.strip():
                self.reader.mark(raw, is_shown=True)
            else:
                self.reader.text(raw)
            index += 1
        self.reader.finish()
        return self.reader.document

    def _keeps(self, index: int) -> bool | None:
        """Whether an element is to pass as it is; None: as what is around it."""
        name, wished = self.tokens[index].name, self.wishes[index]
        if index in self.hidden or (name in self.special and not (name in CODE - self.ignored and wished)):
            return True
        return None if wished is None else not wished

    def _asks_within(self, index: int) -> bool:
        """Whether an element that is to be translated is in one that is not."""
        name = self.tokens[index].name
        if name in self.ignored or (self.is_html and name in (UNTOUCHED | RAW_TEXT) - CODE):
            return False
        at = bisect_left(self.asking, index + 1)
        return at < len(self.asking) and self.asking[at] < self.ends[index]

    def _is_block(self, index: int) -> bool:
        return index in self.detected or self.tokens[index].name in self.blocks

    def _pass(self, index: int, end: int) -> None:
        """Let an element pass as it is."""
        raw = self.markup[self.tokens[index].begin : self.tokens[end - 1].end]
        if self._is_block(index):
            self.reader.finish(raw)
        else:
            self.reader.mark(raw, is_shown=self._is_shown(index, end))

    def _is_shown(self, index: int, end: int) -> bool:
        """Whether anything can be seen of an element that passes as it is."""
        name = self.tokens[index].name
        if index in self.hidden or (self.is_html and name in UNSEEN):
            return False
        unseen = UNSEEN if self.is_html else frozenset[str]()
        return name in self.special - CODE or any(
            (each.kind == "text" and not (before.kind == "open" and before.name in unseen))
            or (each.kind == "void" and each.name not in unseen)
            for before, each in pairwise(self.tokens[index:end])
        )

    def _read_tag(self, index: int, raw: str) -> None:
        token, reader = self.tokens[index], self.reader
        name = token.name
        if token.kind == "other":
            reader.mark(raw, is_shown=not self.is_html and _is_character_data(raw))
        elif self.is_html and name == "br" and reader.has_open:
            reader.mark(raw, is_line=True)
        elif self._is_block(index):
            reader.finish(raw)
            if self.is_html and name in ("pre", "listing"):
                self.num_pre = max(0, self.num_pre + (1 if token.kind == "open" else -1))
                reader.keeps_lines = self.keeps_lines or self.num_pre > 0
        elif token.kind == "void":
            reader.mark(raw, is_shown=not (self.is_html and name in UNSEEN) and index not in self.hidden)
        elif token.kind == "open":
            reader.open(raw, name)
        else:
            reader.close(raw, name, is_shown=not self.is_html)


def _outline(
    markup: str,
    tokens: Sequence[Token],
    parents: Sequence[int],
    ends: Sequence[int],
    outline: Outline,
    ignored: frozenset[str],
) -> set[int]:
    """The start and end tags of elements that are paragraphs, or hold paragraphs: no text stands beside them, nor round what
    they are in. An element that mostly stands beside text, such as one of emphasis, is none.

    Source: DeepL's documentation of structured XML, which says what its outline detection does, but not how.
    """
    with_text: set[int] = set()
    """Elements that have text of their own; those inside them count, too."""
    past = 0
    for index, token in enumerate(tokens):
        if index < past:
            continue
        if token.kind == "open" and token.name in ignored:
            past = ends[index]
        raw = markup[token.begin : token.end]
        if (token.kind == "text" and raw.strip()) or (token.kind == "other" and _is_character_data(raw)):
            with_text.add(parents[index])
    balance: Counter[str] = Counter()
    for index, token in enumerate(tokens):
        if token.kind in ("open", "void"):
            if parents[index] in with_text:
                with_text.add(index)
            balance[token.name] += 1 if parents[index] in with_text else -1
    found: set[int] = set()
    for index, token in enumerate(tokens):
        is_free = parents[index] not in with_text and (parents[index] in found or parents[index] < 0)
        is_inline = balance[token.name] > 0 or token.name in outline.joined or token.name in ignored
        if token.kind == "open" and is_free and not is_inline:
            found.add(index)
            if tokens[ends[index] - 1].kind == "close":
                found.add(ends[index] - 1)
    return found


def _is_character_data(raw: str) -> bool:
    """Whether a declaration of XML is text."""
    return raw.startswith("<![CDATA[") and bool(raw[len("<![CDATA[") : -len("]]>")].strip())
