"""The terms of a glossary, and those of them that occur in a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter

from regard.characters import OF_WORDS

UNIT = re.compile(rf"(?:{OF_WORDS})+|.", re.DOTALL)
"""A word, or a character that belongs to none."""
SPACE = re.compile(r"\s+")
MOST_PHRASES = 16
"""Phrases that the translation of one sentence must have: each takes its share of the beam."""


class Terms:
    """Source terms with their target phrases, to be found in sentences.

    Args:
        entries: target phrases by source terms.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = dict(entries)
        self._targets = {normalized(source): target for source, target in self.entries.items()}
        counts: dict[str, set[int]] = {}
        for source in self._targets:
            units = UNIT.findall(source)
            counts.setdefault(units[0], set()).add(len(units))
        self._counts = counts
        """For each unit that begins a term, the numbers of units of such terms."""

    def within(self, text: str, bounds: Sequence[int]) -> Iterator[tuple[int, int, int, str]]:
        """The terms in a text: for each its length in characters, times -1; its first and last unit; its target phrase.

        Args:
            bounds: where each unit of the text begins, and where the last one ends.
        """
        for first, begin in enumerate(bounds[:-1]):
            for count in self._counts.get(text[begin : bounds[first + 1]], ()):
                if first + count < len(bounds):
                    end = bounds[first + count]
                    target = self._targets.get(text[begin:end])
                    if target is not None:
                        yield begin - end, first, first + count - 1, target


def target_phrases(sentence: str, glossaries: Sequence[Terms]) -> list[str]:
    """The target phrases of the terms that occur in a sentence, each once, those of the longest terms first.

    Terms are found as whole words, spelled as they are in the glossary. Of two that overlap, the longer one counts, and of
    two of the same length, the first in the sentence. Of the same term in two glossaries, the first glossary's counts.
    """
    text = normalized(sentence)
    bounds = [*(match.start() for match in UNIT.finditer(text)), len(text)]
    found = [match for terms in glossaries for match in terms.within(text, bounds)]
    found.sort(key=itemgetter(0, 1))
    taken, chosen = bytearray(len(bounds)), dict[str, None]()
    for _, first, last, target in found:
        if not taken[first] and not taken[last]:  # it lies around no other one, as those were longer
            taken[first : last + 1] = b"\1" * (last + 1 - first)
            chosen[target] = None
    return list(chosen)[:MOST_PHRASES]


def fitting(phrases: Sequence[str], can_have: Callable[[list[str]], bool]) -> list[str]:
    """The phrases that a translation can have together: all of them, or each one that goes with those kept before it.

    Args:
        can_have: whether a translation can have some phrases.
    """
    if not phrases or can_have(list(phrases)):
        return list(phrases)
    kept: list[str] = []
    for phrase in phrases:
        if can_have([*kept, phrase]):
            kept.append(phrase)
    return kept


def normalized(text: str) -> str:
    """A text as it is compared: composed characters (NFC), and one space where there is any."""
    return SPACE.sub(" ", unicodedata.normalize("NFC", text))
