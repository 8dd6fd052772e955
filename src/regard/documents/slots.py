"""The words of a translation, and the words of the source that they were written from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from regard.documents.blocks import UNIT, Block

Span = tuple[int, int]
"""The first character, and the one after the last."""


@dataclass(frozen=True)
class Slot:
    """A word or mark of the translation, or a piece of a word that is translated as itself: `text[begin:end]`."""

    begin: int
    end: int
    first: int
    last: int
    """It was written from the parts of the source from `first` to before `last`."""
    is_same: bool
    """Whether it is written as they are."""


def slots_of(block: Block, text: str, pieces: Sequence[tuple[Span, Span]]) -> list[Slot]:
    """The words and marks of a translation. All pieces of a word share the place of the first one whose place is known; a word
    whose place is not known is beside the one before it.
    """
    words = _words(block)
    ends = [block.parts[last - 1].end for _, last in words]
    slots: list[Slot] = []
    found: list[tuple[int, int, int | None]] = []
    at = 0
    for match in UNIT.finditer(text):
        begin, end = match.span()
        while at < len(pieces) and pieces[at][0][1] <= begin:
            at += 1
        origin = pieces[at][1] if at < len(pieces) and pieces[at][0][0] < end else None
        found.append((begin, end, None if origin is None else min(bisect_right(ends, origin[0]), len(words) - 1)))
    place = next((known for _, _, known in found if known is not None), 0)
    for begin, end, known in found:
        place = place if known is None else known
        first, last = words[place]
        source = block.parts[first].begin
        is_same = known is not None and text[begin:end] == block.text[source : block.parts[last - 1].end]
        if not is_same:
            slots.append(Slot(begin, end, first, last, is_same=False))
            continue
        for index, part in enumerate(block.parts[first:last], start=first):
            here = begin - source
            slots.append(Slot(here + part.begin, here + part.end, index, index + 1, is_same=True))
    return slots


def _words(block: Block) -> list[tuple[int, int]]:
    """The first and the last part of each word or mark of the source: they differ if a tag stands in it."""
    words: list[tuple[int, int]] = []
    part = 0
    for match in UNIT.finditer(block.text):
        first = part
        while part < len(block.parts) and block.parts[part].begin < match.end():
            part += 1
        words.append((first, part))
    return words
