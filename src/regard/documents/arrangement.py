"""The place of each element of a source among the words of its translation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial

from regard.documents.blocks import Block, Element, Event
from regard.documents.slots import Slot, Span


class Arrangement:
    """Puts each element before or behind some slots.

    Args:
        kept: the places between slots whose white space is that of the source, and where it stands there.
    """

    def __init__(self, block: Block, slots: Sequence[Slot], kept: dict[int, int]) -> None:
        self.block, self.slots = block, slots
        self._lines = {part: place for place, part in kept.items()}
        self._order = {
            id(item.element): number
            for number, item in enumerate(item for gap in block.gaps for item in gap if isinstance(item, Event))
        }
        self._events: list[list[Event]] = [[] for _ in range(len(slots) + 1)]

    def events(self) -> list[list[Event]]:
        """The tags before each slot, and behind the last."""
        self._arrange(self.block.elements, 0, len(self.slots))
        return self._events

    def _arrange(self, elements: Sequence[Element], first: int, last: int) -> None:
        """Arrange some elements, which are in the same other one, among the slots from `first` to before `last`."""
        runs = self._runs([element for element in elements if element.last > element.first], first, last)
        marks = self._marks([element for element in elements if element not in runs], list(runs.values()), first, last)
        begun = {run[0]: element for element, run in runs.items()}
        place = first
        while True:
            for mark in marks.get(place, ()):
                self._put_empty(mark, place)
            if place == last:
                return
            element = begun.get(place)
            if element is None:
                place += 1
                continue
            end = runs[element][1]
            self._events[place].append(Event("open", element))
            self._arrange(element.children, place, end)
            self._events[end].append(Event("close", element))
            place = end

    def _put_empty(self, element: Element, place: int) -> None:
        """An element without words; or one for whose words the translation has too few."""
        if element.last == element.first:
            self._events[place].append(Event("mark", element))
            return
        self._events[place].append(Event("open", element))
        for child in sorted(element.children, key=self._order_of):
            self._put_empty(child, place)
        self._events[place].append(Event("close", element))

    def _order_of(self, element: Element) -> int:
        return self._order[id(element)]

    def _runs(self, elements: Sequence[Element], first: int, last: int) -> dict[Element, Span]:
        """The slots of each element with words: the longest run of those that were written from inside it. One
        without any has the nearest that are free, as an element that had words is not to be empty.
        """
        owners: list[Element | None] = []
        ordered = sorted(elements, key=lambda element: element.first)
        firsts = [element.first for element in ordered]
        for slot in self.slots[first:last]:
            inside = [
                (min(element.last, slot.last) - max(element.first, slot.first), -index, element)
                for index, element in enumerate(_overlapping(ordered, firsts, slot))
            ]
            owners.append(max(inside)[2] if inside else None)
        runs: dict[Element, Span] = {}
        begin = first
        for place in range(first, last + 1):
            owner = owners[begin - first] if begin < last else None
            if place == last or owners[place - first] is not owner:
                if owner is not None and (owner not in runs or place - begin > runs[owner][1] - runs[owner][0]):
                    runs[owner] = (begin, place)
                begin = place
        for element in ordered:
            self._widen(element, runs, first, last)
        return runs

    def _widen(self, element: Element, runs: dict[Element, Span], first: int, last: int) -> None:
        """Let an element have as many slots as its inner elements need, if there are so many that no other one has."""
        if element not in runs:
            place = self._nearest(element, runs, first, last)
            if place is None:
                return
            for other, (begin, end) in runs.items():
                if begin <= place < end:
                    runs[other] = (begin + 1, end) if place == begin else (begin, end - 1)
            runs[element] = (place, place + 1)
        (begin, end), need = runs[element], _need(element)
        if end - begin >= need:
            return
        taken = {place for other, run in runs.items() if other is not element for place in range(*run)}
        while end - begin < need:
            if end < last and end not in taken:
                end += 1
            elif begin > first and begin - 1 not in taken:
                begin -= 1
            else:
                break
        runs[element] = (begin, end)

    def _nearest(self, element: Element, runs: dict[Element, Span], first: int, last: int) -> int | None:
        """The slot that was written from words nearest to those in an element, among those that are free, or that another
        element can spare; None: there is none. A word is preferred.
        """
        taken = {place for run in runs.values() for place in range(*run)}
        free = [place for place in range(first, last) if place not in taken]
        spare = [
            place
            for other, (begin, end) in runs.items()
            if end - begin > _need(other)
            for place in ((end - 1) if other.first < element.first else begin,)
        ]
        return min([*free, *spare], key=partial(self._distance, element), default=None)

    def _distance(self, element: Element, place: int) -> tuple[bool, int, float]:
        """The distance of a slot from an element: by its words in the source; then by the place of the element in it."""
        slot, parts = self.slots[place], self.block.parts
        is_word = any(self.block.text[part.begin].isalnum() for part in parts[slot.first : slot.last])
        far = max(element.first - slot.last + 1, slot.first - element.last + 1, 0)
        middle = len(self.slots) * (element.first + element.last) / (2 * len(parts))
        return not is_word, far, abs(place + 0.5 - middle)

    def _marks(
        self, elements: Sequence[Element], runs: Sequence[Span], first: int, last: int
    ) -> dict[int, list[Element]]:
        """The elements without words before each slot: in their order, and in none of the others."""
        found: dict[int, list[Element]] = {}
        least = first
        for element in sorted(elements, key=self._order_of):
            place = self._free_of(max(least, self._place_of(element, first, last)), runs)
            is_glued = place > first and self._is_behind(element, place - 1)
            if (element.is_spaced_before or element.is_spaced_after) and not is_glued:
                near = (*range(place, last + 1), *range(place, least - 1, -1))
                place = next(
                    (each for each in near if self._has_space(each) and self._free_of(each, runs) == each), place
                )
            least = place
            found.setdefault(place, []).append(element)
        return found

    def _place_of(self, element: Element, first: int, last: int) -> int:
        """The place of an element without words, by its neighbours: behind its left word, if it stands only there, else before
        its right one.
        """
        part, slots = element.first, self.slots
        if element.line is not None:
            if first <= (line := self._lines.get(part, -1)) <= last:
                return line
        elif element.is_spaced_after and not element.is_spaced_before:
            behind = [place + 1 for place in range(first, last) if self._is_behind(element, place)]
            if behind:
                return behind[-1]
        else:
            exact = next((place for place in range(first, last) if slots[place].first == part), None)
            if exact is not None:
                return exact
        return next((place for place in range(first, last) if slots[place].first >= part), last)

    def _is_behind(self, element: Element, place: int) -> bool:
        """Whether an element without words stands directly behind the word that a slot was written from."""
        slot = self.slots[place]
        return element.is_spaced_after and not element.is_spaced_before and slot.first < element.first <= slot.last

    def _has_space(self, place: int) -> bool:
        slots = self.slots
        return not 0 < place < len(slots) or slots[place - 1].end < slots[place].begin

    def _free_of(self, place: int, runs: Sequence[Span]) -> int:
        return next((end for begin, end in runs if begin < place < end), place)


def _overlapping(ordered: Sequence[Element], firsts: Sequence[int], slot: Slot) -> Iterator[Element]:
    """The elements, which do not overlap each other, that hold a part of a slot."""
    for index in range(max(0, bisect_right(firsts, slot.first) - 1), len(ordered)):
        if ordered[index].first >= slot.last:
            return
        if ordered[index].last > slot.first:
            yield ordered[index]


def _need(element: Element) -> int:
    """The number of slots that an element must have, so that it and all inside it have words."""
    return max(1, sum(_need(child) for child in element.children if child.last > child.first))
