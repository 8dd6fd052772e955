"""Phrases in what is written token by token: which token would complete one.

Everything is in bytes, as a token may hold a part of a character.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile

from regard.characters import is_within_word

MOST_REMEMBERED = 10_000
"""The ends of texts that are remembered with the tokens that complete a phrase there: hypotheses share them."""
LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8."""


class Surfaces:
    """The bytes that each token writes; none for symbols."""

    def __init__(self, of_ids: Sequence[bytes]) -> None:
        self._of_ids = of_ids
        self.in_order = sorted((surface, id) for id, surface in enumerate(of_ids) if surface)

    def written(self, ids: Sequence[int]) -> bytes:
        """The bytes that tokens write, one after the other."""
        return b"".join(map(self._of_ids.__getitem__, ids))

    def beginning_with(self, text: bytes) -> Iterator[tuple[bytes, int]]:
        """The tokens that begin with a text, each with its id."""
        first = bisect_left(self.in_order, (text, 0))
        return takewhile(lambda each: each[0].startswith(text), islice(self.in_order, first, None))


class PhraseEndings:
    """The tokens that would complete one of some phrases, however it is cut into tokens.

    A phrase is found as whole words: `un` in "d'un ami", not in "brun". What comes next is not known yet, so a token that ends
    with the phrase completes it, even if the one after it could go on with the same word.

    Args:
        phrases: in UTF-8, without spaces around them.
    """

    def __init__(self, phrases: Sequence[bytes], surfaces: Surfaces) -> None:
        self.phrases = list(phrases)
        self._surfaces = surfaces
        self.num_tokens = max(map(len, phrases), default=0) + LONGEST_CHARACTER
        """The number of newest tokens that decide, at most."""
        self._inside = {
            id for surface, id in surfaces.in_order if any(is_written(phrase, surface, 1) for phrase in self.phrases)
        }
        places = ((phrase, phrase[:num_done]) for phrase in self.phrases for num_done in range(len(phrase)))
        self._endings = [(phrase, done, ids) for phrase, done in places if (ids := self._going_on(phrase, done))]
        """The tokens that complete a phrase of which something has been written."""
        self._find = lru_cache(MOST_REMEMBERED)(self._after)

    def after(self, ids: Sequence[int]) -> Sequence[int]:
        """The tokens that would complete a phrase after some tokens.

        Args:
            ids: all tokens of the text so far, or at least its last `num_tokens`.
        """
        return self._find(self._surfaces.written(ids)[-self.num_tokens :])

    def _after(self, written: bytes) -> Sequence[int]:
        found = set(self._inside)
        for phrase, done, ids in self._endings:
            if written.endswith(done) and _are_apart(written[: len(written) - len(done)], phrase):
                found.update(ids)
        return tuple(found)

    def _going_on(self, phrase: bytes, done: bytes) -> list[int]:
        """The tokens that begin with what is left of a phrase, and do not go on with its last word."""
        rest = phrase[len(done) :]
        begin = self._surfaces.beginning_with(rest)
        return [id for surface, id in begin if _are_apart(phrase, surface[len(rest) :])]


def is_written(phrase: bytes, text: bytes, begin: int = 0) -> bool:
    """Whether a text has a phrase as whole words, from a position on."""
    at = text.find(phrase, begin)
    while at >= 0:
        if _are_apart(text[:at], phrase) and _are_apart(phrase, text[at + len(phrase) :]):
            return True
        at = text.find(phrase, at + 1)
    return False


def _are_apart(before: bytes, after: bytes) -> bool:
    """Whether a word may end between two parts of a text."""
    last = before[-LONGEST_CHARACTER:].decode(errors="ignore")[-1:]
    return not is_within_word(last, after[:LONGEST_CHARACTER].decode(errors="ignore")[:1])
