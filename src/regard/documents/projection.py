"""A translation with the elements of its source: which tags go where, and what white space stands about them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from itertools import takewhile

from regard.documents.arrangement import Arrangement
from regard.documents.blocks import Block, Element, Event, Gap, spelled
from regard.documents.slots import Slot, Span, slots_of


def projected(block: Block, text: str, spans: Sequence[Span], origins: Sequence[Span | None]) -> str:
    """A translation with the elements of its source.

    Args:
        text: the translation.
        spans: of pieces of the translation, in characters; white space between sentences is a piece, too.
        origins: for each piece, the characters of the block that it was written from; None: not known.
    """
    pieces = sorted(
        (span, origin) for span, origin in zip(spans, origins, strict=True) if origin is not None and span[0] < span[1]
    )
    slots = slots_of(block, text, pieces)
    kept = _kept_spaces(block, text, pieces, slots)
    events = Arrangement(block, slots, kept).events()
    return _Writer(block, text, slots, kept).write(events)


def _kept_spaces(block: Block, text: str, pieces: Sequence[tuple[Span, Span]], slots: Sequence[Slot]) -> dict[int, int]:
    """For each place between two slots whose white space is that of the source: before which part it stands there. That is so
    between sentences, and between words that follow each other in both.
    """
    begins = [slot.begin for slot in slots]
    kept: dict[int, int] = {}
    part_begins = [part.begin for part in block.parts]
    for (begin, end), origin in pieces:
        place = bisect_right(begins, begin)
        if 0 < place < len(slots) and text[begin:end].isspace() and block.text[slice(*origin)].isspace():
            kept[place] = bisect_right(part_begins, origin[0])
    for place in range(1, len(slots)):
        before, after = slots[place - 1], slots[place]
        if before.last == after.first:
            kept.setdefault(place, after.first)
    for place, part in list(kept.items()):
        shown = block.text[block.parts[part - 1].end : block.parts[part].begin]
        written = text[slots[place - 1].end : slots[place].begin]
        is_seen = any(isinstance(item, str) for item in block.gaps[part]) or "\n" in shown
        is_copied = slots[place - 1].is_same and slots[place].is_same
        if bool(shown) != bool(written) or not (is_seen or is_copied or not shown):
            del kept[place]
    return kept


class _Writer:
    """Writes a translation with tags."""

    def __init__(self, block: Block, text: str, slots: Sequence[Slot], kept: dict[int, int]) -> None:
        self.block, self.text, self.slots, self.kept = block, text, slots, kept

    def write(self, events: Sequence[Sequence[Event]]) -> str:
        """The words, and between them white space and tags: as in the source, where they are the same."""
        gaps = self.block.gaps
        sources = {0: 0, len(self.slots): len(gaps) - 1} | self.kept
        same = {
            place
            for place, source in sources.items()
            if [item for item in gaps[source] if isinstance(item, Event)] == events[place]
            and all(self._is_beside_same(tag.element, place) for tag in events[place] if tag.kind == "mark")
        }
        parts: list[str] = []
        for place, tags in enumerate(events):
            if place in same:
                parts.append(spelled(gaps[sources[place]]))
            else:
                parts.append(self._gap(place, tags))
            if place < len(self.slots):
                parts.append(self._word(place, same))
        return "".join(parts)

    def _word(self, place: int, same: set[int]) -> str:
        """A word: as it is written in the source, if it is the same one."""
        slot = self.slots[place]
        if slot.is_same:
            raw = self.block.parts[slot.first].raw
            is_followed = place + 1 == len(self.slots) or self.slots[place + 1].is_same
            follows = slot.last == (len(self.block.parts) if place + 1 == len(self.slots) else self.kept.get(place + 1))
            if raw not in ("<", "&") or (is_followed and follows and place + 1 in same):  # else it may begin a tag
                return raw
        return escape(self.text[slot.begin : slot.end], quote=False)

    def _gap(self, place: int, tags: Sequence[Event]) -> str:
        """Tags that are not those of one place of the source, and white space: as the translation has it. A mark that has
        white space beside it in the source has it here; but what stands without any in the translation stays so.
        """
        space = self._space(place)
        if not any(tag.kind == "mark" for tag in tags):
            closing = list(takewhile(lambda tag: tag.kind == "close", tags))
            return spelled([*closing, space, *tags[len(closing) :]])
        num_lines = sum(tag.kind == "mark" and tag.element.line is not None for tag in tags)
        space = space.replace("\n", "", num_lines)
        may_add, left = bool(space) or not 0 < place < len(self.slots), space
        items: Gap = []
        owes = is_spaced = False
        for index, tag in enumerate(tags):
            is_mark = tag.kind == "mark"
            following = next((each for each in tags[index:] if each.kind != "open"), None)
            wants = following is not None and following.kind == "mark" and self._parts_left(following.element, place)
            is_last = tag.kind == "open" and following is None
            if tag.kind != "close" and (owes or wants or (is_last and left)) and may_add and (items or place > 0):
                items += [] if is_spaced else [left or " "]
                left, owes, is_spaced = "", False, True
            items.append(tag if may_add or not is_mark else tag.element.tight or tag)
            is_spaced = is_spaced and tag.kind == "open"
            owes = owes or (is_mark and self._parts_right(tag.element, place))
        if left or (owes and may_add and place < len(self.slots)):
            items.append(left or " ")
        return spelled(items)

    def _is_beside_same(self, element: Element, place: int) -> bool:
        """Whether a mark is as near to what is beside it as in the source: a word may stand there in the place of a mark."""
        is_left, is_right = element.is_spaced_before, element.is_spaced_after
        return self._parts_left(element, place) == is_left and self._parts_right(element, place) == is_right

    def _parts_left(self, element: Element, place: int) -> bool:
        """Whether a mark has white space on its left: as in the source, or where it would now stand directly behind a word."""
        if element.is_spaced_before or not element.is_spaced_after or place == 0:
            return element.is_spaced_before
        return _is_word(self.text, self.slots[place - 1].end - 1) and not self._is_word(element.first - 1)

    def _parts_right(self, element: Element, place: int) -> bool:
        """Whether a mark has white space on its right."""
        if element.is_spaced_after or not element.is_spaced_before or place == len(self.slots):
            return element.is_spaced_after
        return _is_word(self.text, self.slots[place].begin) and not self._is_word(element.first)

    def _is_word(self, part: int) -> bool:
        parts = self.block.parts
        return 0 <= part < len(parts) and _is_word(self.block.text, parts[part].begin)

    def _space(self, place: int) -> str:
        if not 0 < place < len(self.slots):
            return ""
        space = self.text[self.slots[place - 1].end : self.slots[place].begin]
        if place in self.kept:
            source = self.block.gaps[self.kept[place]]
            if not any(isinstance(item, Event) and item.kind == "mark" for item in source):
                return "".join(item for item in source if isinstance(item, str))
        return space


def _is_word(text: str, index: int) -> bool:
    return text[index].isalnum() or text[index] == "_"
