"""Phrases in what is written token by token: which token would complete one.

Everything is in bytes, as a token may hold a part of a character.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice, takewhile

from regard.characters import is_within_word

MOST_REMEMBERED = 10_000
"""The ends of texts that are remembered with the tokens that complete a phrase there: hypotheses share them."""
LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8."""
BETWEEN = b"\x00"
"""A byte between two tokens that are searched together; no phrase has it."""


class Surfaces:
    """The bytes that each token writes; none for symbols."""

    def __init__(self, of_ids: Sequence[bytes]) -> None:
        self.of_ids = of_ids
        self.in_order = sorted((surface, id) for id, surface in enumerate(of_ids) if surface)
        self._joined = BETWEEN.join(of_ids)
        self._ends = list(accumulate(len(surface) + len(BETWEEN) for surface in of_ids))

    def written(self, ids: Sequence[int]) -> bytes:
        """The bytes that tokens write, one after the other; a model may have ids without a token."""
        return b"".join([self.of_ids[id] for id in ids if id < len(self.of_ids)])

    def beginning_with(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The tokens that begin with a text, each with its id."""
        first = bisect_left(self.in_order, (text, 0))
        return takewhile(lambda each: each[0].startswith(text), islice(self.in_order, first, None))

    def holding(self, text: bytes) -> Iterator[int]:
        """The tokens that have a text in them."""
        at = self._joined.find(text)
        while at >= 0:
            id = bisect_right(self._ends, at)
            yield id
            at = self._joined.find(text, self._ends[id])


class PhraseEndings:
    """The tokens that would complete one of some phrases, however it is cut into tokens.

    A phrase is found as whole words: `un` in "d'un ami", not in "brun". What comes next is not known yet, so a token that ends
    with the phrase completes it, even if the one after it could go on with the same word.

    Args:
        phrases: in UTF-8, without spaces around them.
    """

    def __init__(self, phrases: Sequence[bytes], surfaces: Surfaces) -> None:
        self._surfaces = surfaces
        self.num_tokens = max(map(len, phrases), default=0) + LONGEST_CHARACTER
        """The number of newest tokens that decide, at most."""
        self._inside = {
            id for phrase in phrases for id in surfaces.holding(phrase) if _is_inside(phrase, surfaces.of_ids[id])
        }
        """The tokens that have a whole phrase in them."""
        self._endings: dict[bytes, list[tuple[bytes, list[int]]]] = {}
        """By what has been written of a phrase: the phrase, and the tokens that complete it."""
        for phrase in phrases:
            for num_done in range(len(phrase)):
                if ids := self._going_on(phrase, num_done):
                    self._endings.setdefault(phrase[:num_done], []).append((phrase, ids))
        self._find = lru_cache(MOST_REMEMBERED)(self._after)

    def after(self, ids: Sequence[int]) -> Sequence[int]:
        """The tokens that would complete a phrase after some tokens.

        Args:
            ids: all tokens of the text so far, or at least its last `num_tokens`.
        """
        return self._find(self._surfaces.written(ids)[-self.num_tokens :])

    def are_in(self, ids: Sequence[int]) -> bool:
        """Whether a phrase is completed where some tokens are written."""
        return any(id in self.after(ids[:place]) for place, id in enumerate(ids))

    def _after(self, written: bytes) -> Sequence[int]:
        found = set(self._inside)
        for begin in range(len(written) + 1):
            for phrase, ids in self._endings.get(written[begin:], ()):
                if _are_apart(written[:begin], phrase):
                    found.update(ids)
        return tuple(found)

    def _going_on(self, phrase: bytes, num_done: int) -> list[int]:
        """The tokens that begin with what is left of a phrase, and do not go on with its last word."""
        begin = self._surfaces.beginning_with(phrase[num_done:])
        return [id for surface, id in begin if _are_apart(phrase, surface[len(phrase) - num_done :])]


@lru_cache(16)
def endings_of(phrases: tuple[bytes, ...], surfaces: Surfaces) -> PhraseEndings:
    """The endings of phrases, remembered: requests have the same ones again and again."""
    return PhraseEndings(phrases, surfaces)


def _is_inside(phrase: bytes, surface: bytes) -> bool:
    """Whether a token has a phrase as whole words, but not at its beginning, where it depends on what is before it."""
    at = surface.find(phrase, 1)
    while at >= 0:
        if _are_apart(surface[:at], phrase) and _are_apart(phrase, surface[at + len(phrase) :]):
            return True
        at = surface.find(phrase, at + 1)
    return False


def _are_apart(before: bytes, after: bytes) -> bool:
    """Whether a word may end between two parts of a text."""
    last = before[-LONGEST_CHARACTER:].decode(errors="ignore")[-1:]
    return not is_within_word(last, after[:LONGEST_CHARACTER].decode(errors="ignore")[:1])
