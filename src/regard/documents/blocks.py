"""Text that is translated together, and the elements over it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from regard.documents.tags import unescaped
from regard.errors import DataError

UNIT = re.compile(r"\w+|[^\w\s]")
"""A word or a mark: what an element begins and ends with."""
_WORD = re.compile(r"\w")
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
_COLLAPSING = re.compile(r"[ \t\n\f\r]+")
"""White space that HTML takes for one space: no-break spaces, for example, do not belong to it."""
_AROUND_LINES = re.compile(r" *\n *| +")
_WRAP = re.compile(r"[ \t]*\r?\n[ \t]+")
_UNENDED = re.compile(r"\w|,")
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?")
DEEPEST, MOST_ELEMENTS = 100, 500
"""Inline elements inside each other, and of a block."""


@dataclass(eq=False)
class Element:
    """An inline element. One without words, such as an image, is a mark: `opening` is all of it."""

    opening: str
    closing: str = ""
    tight: str = ""
    """A mark with white space inside, written without it."""
    children: list[Element] = field(default_factory=list)
    first: int = 0
    last: int = 0
    """It holds the parts of its block from `first` to before `last`; a mark stands before part `first`."""
    line: int | None = None
    """The character of the block's text that the mark is, if it is a line break."""
    is_spaced_before: bool = False
    is_spaced_after: bool = False
    """Whether a mark has white space before it, and after it."""


class Event(NamedTuple):
    """A tag between two parts."""

    kind: Literal["open", "close", "mark"]
    element: Element


class Part(NamedTuple):
    """A word, a piece of one, or a mark; `text[begin:end]` of its block."""

    begin: int
    end: int
    raw: str
    """As it is written in the source."""


Gap = list[str | Event]
"""The space between two parts: white space as it is written, and tags."""


@dataclass
class Block:
    """Text that is translated together, as a browser shows it, and its elements."""

    text: str = ""
    elements: list[Element] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=lambda: [[]])
    """Before each part, and after the last."""


@dataclass
class Document:
    """A text with markup: raw pieces, and between them blocks."""

    raw: list[str]
    """The markup before each block, and behind the last."""
    blocks: list[Block]

    def render(self, translated: Sequence[str]) -> str:
        """The document with the blocks' translations, as markup, in their places."""
        parts = [self.raw[0]]
        for block, piece in zip(translated, self.raw[1:], strict=True):
            parts += [block, piece]
        return "".join(parts)


def spelled(gap: Sequence[str | Event]) -> str:
    """White space and tags, as they are written."""
    return "".join(
        item if isinstance(item, str) else item.element.closing if item.kind == "close" else item.element.opening
        for item in gap
    )


def _tight(gap: Sequence[str | Event]) -> str:
    return "".join(item.element.tight or item.element.opening for item in gap if not isinstance(item, str))


class Reader:
    """Puts a document together from its texts and tags, as they come.

    Args:
        keeps_lines: whether white space is kept, as in XML and in `<pre>`; else it is one space. It may be changed between
            blocks.
        joins_wrapped: whether a line that goes on in small letters on the next one, which is indented, is kept none the less
            as one: an editor has wrapped it.
    """

    def __init__(self, *, keeps_lines: bool, joins_wrapped: bool = False) -> None:
        self.keeps_lines, self.joins_wrapped = keeps_lines, joins_wrapped
        self.document = Document([""], [])
        self._begin_block()

    def _begin_block(self) -> None:
        self.block = Block()
        self._begun: list[tuple[str, Element]] = []
        self._text: list[str] = []
        self._length = self._num_elements = 0
        self._space = ""
        """White space that is shown if a word follows."""
        self._is_parted = False
        """Whether something without words is shown since the last word, such as an image."""

    @property
    def has_open(self) -> bool:
        """Whether an inline element is open."""
        return bool(self._begun)

    @property
    def _siblings(self) -> list[Element]:
        return self._begun[-1][1].children if self._begun else self.block.elements

    def text(self, raw: str) -> None:
        """Text between two tags."""
        offsets: list[int] | None = None
        shown = raw
        if "&" in raw:
            shown, offsets = _decoded(raw)
            if not shown:
                self.block.gaps[-1].append(raw)
        block, text = self.block, self._text
        for match in _PIECE.finditer(shown):
            piece, (begin, end) = match[0], match.span()
            written = piece if offsets is None else raw[offsets[begin] : offsets[end]]
            if piece.isspace():
                block.gaps[-1].append(written)
                if text:  # a block does not begin with space
                    self._add_space(piece)
                continue
            if text:
                if (self._is_parted or self.joins_wrapped) and self._joins(text[-1], piece):
                    self._space = " "
                text.append(self._space)
                self._length += len(self._space)
            text.append(piece)
            block.parts.append(Part(self._length, self._length + len(piece), written))
            block.gaps.append([])
            self._length += len(piece)
            self._space, self._is_parted = "", False

    def _joins(self, before: str, after: str) -> bool:
        """Whether there is one space between two words, whatever stands between them."""
        if not self._space:
            return self._is_parted and _WORD.match(before) is not None and _WORD.match(after) is not None
        is_wrapped = self.joins_wrapped and _WRAP.fullmatch(self._space) is not None
        return is_wrapped and _UNENDED.match(before) is not None and after[0].islower()

    def _add_space(self, space: str) -> None:
        if self.keeps_lines:
            self._space += space
        elif space == " " and not self._space:
            self._space = " "
        else:
            self._space += _COLLAPSING.sub(" ", space)
            self._space = _AROUND_LINES.sub(lambda match: "\n" if "\n" in match[0] else " ", self._space)

    def _add(self, raw: str) -> Element:
        """A new element here.

        Raises:
            DataError: the block has too many.
        """
        self._num_elements += 1
        if self._num_elements > MOST_ELEMENTS:
            raise DataError(f"a paragraph must have at most {MOST_ELEMENTS} elements; got more. Split it.")
        here = len(self.block.parts)
        element = Element(raw, first=here, last=here)
        self._siblings.append(element)
        return element

    def mark(self, raw: str, *, is_shown: bool = False, is_line: bool = False) -> None:
        """Something without words to translate, here.

        Args:
            is_shown: whether it can be seen, so that it parts the words beside it.
            is_line: whether it begins a new line.
        """
        if not self.block.parts and not self._begun:
            self.document.raw[-1] += spelled(self.block.gaps[0]) + raw
            self._begin_block()
            return
        element = self._add(raw)
        self.block.gaps[-1].append(Event("mark", element))
        self._is_parted |= is_shown
        if is_line and self._text:
            self._space = self._space.rstrip(" ") + "\n" if not self.keeps_lines else self._space + "\n"
            element.line = self._length + len(self._space) - 1

    def open(self, raw: str, name: str) -> None:
        """The start tag of an inline element.

        Raises:
            DataError: too many elements are open.
        """
        if len(self._begun) == DEEPEST:
            raise DataError(f"elements must be nested at most {DEEPEST} deep; got {name} deeper than that.")
        element = self._add(raw)
        self.block.gaps[-1].append(Event("open", element))
        self._begun.append((name, element))

    def close(self, raw: str, name: str, *, is_shown: bool) -> None:
        """An end tag: of the innermost open element of this name; those inside it that are open become marks.

        Args:
            is_shown: whether the element can be seen if nothing is in it.
        """
        if all(name != open_name for open_name, _ in self._begun):
            self.mark(raw)
            return
        while self._begun[-1][0] != name:
            self._unwrap()
        _, element = self._begun.pop()
        element.closing, element.last = raw, len(self.block.parts)
        gap = self.block.gaps[-1]
        if element.last > element.first:
            gap.append(Event("close", element))
            return
        begin = gap.index(Event("open", element))
        inner = gap[begin:]
        element.opening, element.tight, element.closing = spelled(inner) + raw, _tight(inner) + raw, ""
        lines = (each.element.line for each in inner if isinstance(each, Event))
        element.line = next((line for line in lines if line is not None), None)
        element.children.clear()
        gap[begin:] = [Event("mark", element)]
        self._is_parted |= is_shown

    def _unwrap(self) -> None:
        """Let the innermost open element, which has no end tag, be a mark, and its children stand beside it."""
        _, element = self._begun.pop()
        gap = self.block.gaps[element.first]
        gap[gap.index(Event("open", element))] = Event("mark", element)
        self._siblings.extend(element.children)
        element.children = []

    def finish(self, raw: str = "") -> None:
        """End a block.

        Args:
            raw: what stands behind it, such as the tag of a paragraph.
        """
        while self._begun:
            self._unwrap()
        block, document = self.block, self.document
        if not block.parts and not block.gaps[0]:
            document.raw[-1] += raw
            return
        if block.parts:
            block.text = "".join(self._text)
            _note_spaces(block.gaps)
            document.raw[-1] += _taken(block.gaps[0], 0)
            document.blocks.append(block)
            document.raw.append(_taken(block.gaps[-1], -1))
        else:
            document.raw[-1] += spelled(block.gaps[0])
        document.raw[-1] += raw
        self._begin_block()


def _decoded(raw: str) -> tuple[str, list[int]]:
    """Text without entities; and where each of its characters begins in the text as it is written, and where the last ends."""
    parts, offsets, at = list[str](), list[int](), 0
    for match in _ENTITY.finditer(raw):
        begin, end = match.span()
        shown = unescaped(match[0])
        if len(shown) > 1:  # of `&ltb`, only the beginning is an entity
            heads = ((begin + length, unescaped(raw[begin : begin + length])) for length in range(2, end - begin))
            fitting = ((at, one) for at, one in heads if len(one) == 1 and one + raw[at:end] == shown)
            end, shown = next(fitting, (end, shown))
        parts += [raw[at:begin], shown]
        offsets += range(at, begin)
        offsets += range(begin, end) if shown == raw[begin:end] else [begin, *[end] * (len(shown) - 1)][: len(shown)]
        at = end
    parts.append(raw[at:])
    offsets += range(at, len(raw) + 1)
    offsets[0] = 0
    return "".join(parts), offsets


def _note_spaces(gaps: Sequence[Gap]) -> None:
    """Note of each mark whether it has white space before it, and after it."""
    for gap in gaps:
        is_spaced, before = False, None
        for item in gap:
            if isinstance(item, str):
                is_spaced = True
            elif item.kind == "mark":
                if before is not None:
                    before.is_spaced_after = is_spaced
                before, item.element.is_spaced_before, is_spaced = item.element, is_spaced, False
        if before is not None:
            before.is_spaced_after = is_spaced


def _taken(gap: Gap, at: int) -> str:
    """Take white space away from one end of a gap."""
    found = ""
    while gap and isinstance(item := gap[at], str):
        found = found + item if at == 0 else item + found
        del gap[at]
    return found
