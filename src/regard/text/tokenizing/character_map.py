"""The map of characters of a SentencePiece model, applied as SentencePiece does: at each place, the longest sequence that it has.

The library `tokenizers` looks up a letter with its marks at once, takes the shortest beginning that the map has, and drops the
rest: of a decomposed `ế` only `ê` is left. So texts with such letters are mapped here before the library reads them. It finds
nothing left to do then, but where a mark follows a letter that came out of the map and that goes with it, as in `ĳ` and U+0301.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from array import array
from collections.abc import Iterator
from itertools import accumulate, pairwise

import regex
from tokenizers import normalizers

LONGEST_MATCHES = normalizers.Replace("\ufff0longest matches of the map of characters\ufff0", "")
"""A step of a normalizer that changes no text. It says that the map is to be applied as SentencePiece does: in tokenizers that
others have made for the library, it is applied as the library does.
"""
MAY_CLUSTER = re.compile("[\u0300-\U0010ffff]|\r\n")
"""Something that every text has of which several characters are one letter to the library. Most texts have none, or a dash."""
CLUSTERS = regex.compile(r"\r\n|[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=V}\p{GCB=T}\p{GCB=Prepend}]")
"""Characters that are one letter with others: marks, vowels of Hangul and the like."""
LETTERS = regex.compile(r"\X")
"""Letters with all that belongs to them. Source: Unicode Standard Annex 29, extended grapheme clusters."""
MOST_KNOWN, LONGEST_KNOWN = 20_000, 16
"""The number of letters whose mapped ones are kept, and the number of characters that such a letter may have."""
HAS_LEAF, LABEL, VALUE = 1 << 8, 0x800000FF, 0x7FFFFFFF
"""Parts of a unit of the map's trie. Source: `darts.h` of Darts-clone."""


class CharacterMap:
    """A map of characters.

    Args:
        compiled: the size of a trie of UTF-8 in four bytes, the trie, and the texts that it points to, each with a zero at its
            end. Source: `normalizer.cc` of SentencePiece.
    """

    def __init__(self, compiled: bytes) -> None:
        end = 4 + int.from_bytes(compiled[:4], "little")
        units, self._texts = compiled[4:end], compiled[end:]
        self._units = array("I", units[: len(units) // 4 * 4] or bytes(4))
        if sys.byteorder == "big":
            self._units.byteswap()
        self._known: dict[str, str] = {}

    @classmethod
    def of(cls, normalizer: normalizers.Normalizer | None) -> CharacterMap | None:
        """The map of a normalizer that wants the longest matches; None: it does not, or has none."""
        steps = json.loads(normalizer.__getstate__()).get("normalizers", []) if normalizer is not None else []
        maps = [step["precompiled_charsmap"] for step in steps if step["type"] == "Precompiled"]
        return cls(base64.b64decode(maps[0])) if maps and json.loads(LONGEST_MATCHES.__getstate__()) in steps else None

    def __call__(self, text: str) -> str:
        """A text as the map makes it, if it has letters of several characters; else itself, which the library maps rightly."""
        return "".join(self._letters(text)) if has_clusters(text) else text

    def original(self, text: str, offsets: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Offsets in a text as the map makes it, as offsets in the text itself. What is part of a letter there is all of it."""
        if not has_clusters(text):
            return offsets
        begins, ends = list[int](), [0]
        places = pairwise(accumulate(map(len, LETTERS.findall(text)), initial=0))
        for (begin, end), letter in zip(places, self._letters(text), strict=True):
            begins += [begin] * len(letter)
            ends += [end] * len(letter)
        begins.append(len(text))
        return [(min(begins[first], ends[last]), ends[last]) for first, last in offsets]

    def _letters(self, text: str) -> Iterator[str]:
        known = self._known
        for letter in LETTERS.findall(text):
            if (found := known.get(letter)) is None:
                found = self._mapped(letter)
                if len(known) < MOST_KNOWN and len(letter) <= LONGEST_KNOWN:
                    known[letter] = found
            yield found

    def _mapped(self, letter: str) -> str:
        """A letter whose sequences are replaced, the longest at each place; other characters stay."""
        given, at, found = letter.encode(), 0, list[bytes]()
        while at < len(given):
            end, text = self._longest(given, at)
            found.append(text)
            at = end
        return b"".join(found).decode(errors="replace")

    def _longest(self, given: bytes, begin: int) -> tuple[int, bytes]:
        """The end of the longest sequence of the map that begins at a place, and what it becomes; else, the character there."""
        end = begin + 1
        while end < len(given) and given[end] & 0xC0 == 0x80:
            end += 1
        units, found = self._units, given[begin:end]
        place = _first_child(units[0])
        for at in range(begin, len(given)):
            place ^= given[at]
            if place >= len(units) or (unit := units[place]) & LABEL != given[at]:
                break
            place ^= _first_child(unit)
            if unit & HAS_LEAF and place < len(units):  # it is not, where the map is damaged
                end, found = at + 1, self._texts[units[place] & VALUE :].partition(b"\0")[0]
        return end, found


def _first_child(unit: int) -> int:
    """The number that the places of a unit's children are counted from, beside its own."""
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


def has_clusters(text: str) -> bool:
    """Whether several characters of a text are one letter to the library."""
    return MAY_CLUSTER.search(text) is not None and CLUSTERS.search(text) is not None
