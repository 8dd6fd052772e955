"""HTML and XML: whole sentences are translated, and each element is put round the words that its own became.

A document is cut into blocks (paragraphs, items, cells). A block is plain text and a tree of inline elements over it. Where
an element goes in the translation, the model's alignment says: round the longest run of words that were written from
words inside it. So every element is there once, inside the same others, and the result is well-formed if the source is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape

from regard.errors import DataError

TAG = re.compile(r"""</?[a-zA-Z_][^\s/>"'<]*+(?:[^>"'<]++|"[^"]*+"|'[^']*+')*+>""")
ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<!": ">", "<?": ">"}
"""What is no element: how it begins and ends."""
NAME = re.compile(r"</?([^\s/>]+)")
UNIT = re.compile(r"\w+|[^\w\s]")
"""A word or a mark: what an element begins and ends with."""
INLINE = frozenset(
    """a abbr acronym b bdi bdo big cite data del dfn em font i img input ins label mark q rp rt ruby s small span strike
    strong sub sup time tt u wbr""".split()  # noqa: SIM905
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
UNTOUCHED = frozenset("code kbd samp var math svg script style textarea noscript template".split())  # noqa: SIM905
"""Elements that pass as they are, with what is in them."""
DEEPEST, MOST_ELEMENTS = 100, 500
"""Inline elements inside each other, and of a block."""
NO = re.compile(r"""\btranslate\s*=\s*["']?no\b|\bclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)
"""Attributes that say that an element is not to be translated."""


@dataclass
class Element:
    """An inline element, or a mark without text such as an image; positions are characters of the block's text."""

    begin: int
    end: int
    opening: str
    closing: str = ""
    children: list[Element] = field(default_factory=list)
    is_spaced: bool = False
    """Whether a mark stands between spaces, of which the text has one."""
    is_after: bool = False
    """Whether a mark stands directly after a word, and before a space."""


@dataclass
class Block:
    """Text that is translated together, and its elements."""

    text: str = ""
    elements: list[Element] = field(default_factory=list)


@dataclass
class Document:
    """A text with markup: raw pieces, and between them blocks."""

    raw: list[str]
    """One more than there are blocks."""
    blocks: list[Block]

    def render(self, translated: Sequence[str]) -> str:
        """The document with the blocks' translations, as markup, in their places."""
        parts = [self.raw[0]]
        for block, piece in zip(translated, self.raw[1:], strict=True):
            parts += [block, piece]
        return "".join(parts)


def parse(markup: str, *, ignored: frozenset[str] = frozenset(), is_html: bool = True) -> Document:
    """A text with markup as blocks. What is not well-formed is kept where it is.

    Args:
        ignored: more elements that pass as they are.
        is_html: whether blocks and void elements are HTML's; in XML all elements are inline.
    Raises:
        DataError: elements are nested too deeply.
    """
    reader, position = _Reader(is_html=is_html), 0
    for begin, end in _tags(markup):
        if begin < position:
            continue  # inside an element that passes as it is
        if begin > position:
            reader.read_text(unescape(markup[position:begin]))
        raw, position = markup[begin:end], end
        named = NAME.match(raw)
        name = (named[1].lower() if is_html else named[1]) if named and raw[1] not in "!?" else ""
        is_kept = name in ignored or (is_html and name in UNTOUCHED) or bool(NO.search(raw))
        if name and is_kept and not raw.startswith("</") and not reader.is_void(raw, name):
            position = _end_of(markup, position, name)
            reader.mark(markup[begin:position])
        else:
            reader.read_tag(raw, name)
    if position < len(markup):
        reader.read_text(unescape(markup[position:]))
    reader.finish()
    return reader.document


def _tags(markup: str) -> Iterator[tuple[int, int]]:
    """Where each tag, comment and declaration begins and ends. What has no end is text."""
    missing: set[str] = set()
    position = markup.find("<")
    while position >= 0:
        end = -1
        opening = next((opening for opening in ENDS if markup.startswith(opening, position)), None)
        if opening is None:
            match = TAG.match(markup, position)
            end = -1 if match is None else match.end()
        elif ENDS[opening] not in missing:
            found = markup.find(ENDS[opening], position + len(opening))
            end = found + len(ENDS[opening]) if found >= 0 else -1
            if found < 0:
                missing.add(ENDS[opening])
        if end >= 0:
            yield position, end
        position = markup.find("<", max(end, position + 1))


class _Reader:
    """Puts a document together from its texts and tags, as they come."""

    def __init__(self, *, is_html: bool) -> None:
        self.is_html, self.document = is_html, Document([""], [])
        self.block = Block()
        self.begun: list[tuple[str, Element]] = []
        """The inline elements that are open."""
        self.marks: list[Element] = []
        """The elements of this block that have no text of their own."""
        self.num_elements = 0

    @property
    def _siblings(self) -> list[Element]:
        return self.begun[-1][1].children if self.begun else self.block.elements

    def is_void(self, raw: str, name: str) -> bool:
        """Whether a tag is a whole element."""
        return raw.endswith("/>") or (self.is_html and name in VOID)

    def read_text(self, text: str) -> None:
        """Text between two tags."""
        before, marks = self.block.text, self.marks
        if marks and marks[-1].end == len(before) and before[-1:].isspace() and text[0].isspace():
            marks[-1].is_spaced, text = True, text[1:]
        self.block.text += text

    def _count(self) -> None:
        """Count an element of this block.

        Raises:
            DataError: there are too many.
        """
        self.num_elements += 1
        if self.num_elements > MOST_ELEMENTS:
            raise DataError(f"a paragraph must have at most {MOST_ELEMENTS} elements; got more. Split it.")

    def mark(self, raw: str) -> None:
        """Something without words to translate, here."""
        self._count()
        element = Element(len(self.block.text), len(self.block.text), raw)
        self._siblings.append(element)
        self.marks.append(element)

    def read_tag(self, raw: str, name: str) -> None:
        """A tag; one without a name is a comment or a declaration.

        Raises:
            DataError: too many elements are open.
        """
        is_void = self.is_void(raw, name)
        is_inline = not self.is_html or name in INLINE or (name == "br" and bool(self.begun))
        if not name or (is_void and is_inline):
            self.mark(raw)
        elif not is_inline:
            self.finish()
            self.document.raw[-1] += raw
        elif raw.startswith("</"):
            self._close(raw, name)
        elif len(self.begun) == DEEPEST:
            raise DataError(f"elements must be nested at most {DEEPEST} deep; got {name} deeper than that.")
        else:
            self._count()
            element = Element(len(self.block.text), len(self.block.text), raw)
            self._siblings.append(element)
            self.begun.append((name, element))

    def _close(self, raw: str, name: str) -> None:
        """A closing tag: of the innermost open element of this name; those inside it that are open become marks."""
        if all(name != open_name for open_name, _ in self.begun):
            self.mark(raw)
            return
        while True:
            open_name, element = self.begun.pop()
            if open_name != name:
                _unwrap(element, self._siblings)
                continue
            element.end, element.closing = len(self.block.text), raw
            if element.end == element.begin and not element.children:
                self.marks.append(element)
            return

    def finish(self) -> None:
        """End a block. Elements that are open become marks."""
        block, document = self.block, self.document
        while self.begun:
            _, element = self.begun.pop()
            _unwrap(element, self._siblings)
        for element in self.marks:
            before, after = block.text[element.end - 1 : element.end], block.text[element.end : element.end + 1]
            element.is_after = after.isspace() and not before.isspace() and not element.is_spaced
        self.marks.clear()
        if block.text.strip():
            document.blocks.append(block)
            document.raw.append("")
        elif block.text or block.elements:
            document.raw[-1] += _rebuilt(block) if block.elements else escape(block.text, quote=False)
        self.block, self.num_elements = Block(), 0


def _unwrap(element: Element, siblings: list[Element]) -> None:
    """Let an element that was never closed be a mark, and its children stand beside it."""
    siblings.extend(element.children)
    element.children = []


def _rebuilt(block: Block) -> str:
    """A block without words, as it was."""
    units = [(match.start(), match.end()) for match in UNIT.finditer(block.text)]
    return projected(block, block.text, units, units)


def _end_of(markup: str, position: int, name: str) -> int:
    """Where the element of this name ends that is open at a position."""
    depth = 1
    pattern = re.compile(rf"<(/?){re.escape(name)}\b[^>]*+>", re.IGNORECASE)
    for match in pattern.finditer(markup, position, markup.rfind(">") + 1):
        if match[0].endswith("/>"):
            continue
        depth += -1 if match[1] else 1
        if not depth:
            return match.end()
    return len(markup)


def projected(
    block: Block, text: str, spans: Sequence[tuple[int, int]], origins: Sequence[tuple[int, int] | None]
) -> str:
    """A translation with the elements of its source.

    Args:
        text: the translation.
        spans: of pieces of the translation, in characters.
        origins: for each piece, the characters of the block that it was written from; None: not known.
    """
    units = [(match.start(), match.end()) for match in UNIT.finditer(text)]
    places: list[int | None] = []
    for begin, end in units:
        of_unit = (origin for (first, last), origin in zip(spans, origins, strict=True) if first < end and last > begin)
        known = next((origin for origin in of_unit if origin is not None), None)
        places.append(None if known is None else known[0])
    _fill(places)
    return _Writer(text, units, places).write(block.elements, 0, len(units), 0, len(text))


def _fill(places: list[int | None]) -> None:
    """Let a unit whose source is not known be beside the one before it."""
    last = next((place for place in places if place is not None), 0)
    for index, place in enumerate(places):
        last = last if place is None else place
        places[index] = last


class _Writer:
    """Writes a translation with elements.

    Args:
        places: for each unit, the position in the source that it was written from.
    """

    def __init__(self, text: str, units: Sequence[tuple[int, int]], places: Sequence[int | None]) -> None:
        self.text, self.units = text, units
        self.places = [place or 0 for place in places]

    def write(self, elements: Sequence[Element], first: int, last: int, begin: int, end: int) -> str:
        """The units from `first` to before `last`, which stand between two characters, with some elements among them."""
        runs = self._runs(elements, first, last)
        inserts = self._inserts(
            [element for element in elements if id(element) not in runs], runs, elements, first, last
        )
        starts = {runs[id(element)][0]: element for element in elements if id(element) in runs}
        parts, at, index = list[str](), begin, first
        while index <= last:
            for element in inserts.get(index, ()):
                if index < last and element.is_after:
                    parts.append(self._plain(at, max(at, self.units[index - 1][1] if index > first else begin)))
                    at = max(at, self.units[index - 1][1] if index > first else begin)
                elif index < last:
                    parts.append(self._plain(at, self.units[index][0]))
                    at = self.units[index][0]
                elif index > first:
                    parts.append(self._plain(at, self.units[index - 1][1]))
                    at = max(at, self.units[index - 1][1])
                before = (
                    " "
                    if element.is_spaced and index == len(self.units) and parts and not parts[-1][-1:].isspace()
                    else ""
                )
                inside = self.write(element.children, 0, 0, at, at)
                gap = index < last and self.text[self.units[index - 1][1] if index else 0 : self.units[index][0]]
                after = " " if element.is_spaced and (gap or index == 0) and index < last else ""
                parts.append(before + element.opening + inside + element.closing + after)
            if index == last:
                break
            started = starts.get(index)
            if started is None:
                parts.append(self._plain(at, self.units[index][1]))
                at = self.units[index][1]
                index += 1
                continue
            until = runs[id(started)][1]
            here, there = self.units[index][0], self.units[until - 1][1]
            inside = self.write(started.children, index, until, here, there)
            parts += [self._plain(at, here), started.opening, inside, started.closing]
            at, index = there, until
        parts.append(self._plain(at, end))
        return "".join(parts)

    def _plain(self, begin: int, end: int) -> str:
        return escape(self.text[begin:end], quote=False)

    def _runs(self, elements: Sequence[Element], first: int, last: int) -> dict[int, tuple[int, int]]:
        """For each element, the longest run of units that were written from inside it; by identity."""
        found: dict[int, tuple[int, int]] = {}
        for element in elements:
            best, begin = (0, 0), None
            for index in range(first, last + 1):
                is_inside = index < last and element.begin <= self.places[index] < element.end
                if is_inside and begin is None:
                    begin = index
                if not is_inside and begin is not None:
                    best, begin = max(best, (begin, index), key=lambda run: run[1] - run[0]), None
            if best[1] > best[0]:
                found[id(element)] = best
        return found

    def _inserts(
        self,
        elements: Sequence[Element],
        runs: dict[int, tuple[int, int]],
        siblings: Sequence[Element],
        first: int,
        last: int,
    ) -> dict[int, list[Element]]:
        """Before which unit each element goes that has no words: in their order, and in none of its siblings."""
        inside = [runs[id(element)] for element in siblings if id(element) in runs]
        found: dict[int, list[Element]] = {}
        least = first
        for element in sorted(elements, key=lambda element: element.begin):
            index = next((i for i in range(first, last) if self.places[i] >= element.begin), last)
            index = max(index, least)
            for begin, end in inside:
                if begin < index < end:
                    index = end
            least = index
            found.setdefault(index, []).append(element)
        return found
