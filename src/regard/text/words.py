"""Words, wherever they are counted: in alignments for training, in `regard align` and its gold standard, in tagging,
and where an inspection joins tokens to words.

Aligners count words in two ways. fast_align separates them at spaces and tabs alone; Python's `str.split`, which other aligners
use, at 29 kinds of white space, such as the no-break space of "10 000" and the ideographic space.
"""

from __future__ import annotations

import re
from typing import Literal

from regard.errors import SettingsError, nearest_hint

Separators = Literal["spaces", "whitespace"]
"""The characters that separate words. `spaces`: spaces and tabs, and line breaks where a text has several lines.
`whitespace`: any.
"""
SPACES = " \t\n\r"
WORD: dict[Separators, re.Pattern[str]] = {"spaces": re.compile(f"[^{SPACES}]+"), "whitespace": re.compile(r"\S+")}


def parse_separators(name: str) -> Separators:
    """Parse the name of the characters that separate words.

    Raises:
        SettingsError: no such name.
    """
    for known in WORD:
        if name == known:
            return known
    raise SettingsError(f"word separators must be {' or '.join(WORD)}; got {name!r}. {nearest_hint(name, WORD)}")


def word_spans(text: str, separators: Separators = "spaces") -> list[tuple[int, int]]:
    """The begin and end of each word of a text, in characters."""
    return [word.span() for word in WORD[separators].finditer(text)]


def split_words(text: str, separators: Separators = "spaces") -> list[str]:
    """Split a text into its words."""
    return WORD[separators].findall(text)


def first_word_character(text: str, begin: int, end: int, separators: Separators = "spaces") -> int:
    """The position of the first character of a part of a text that belongs to a word; `end` if there is none."""
    found = WORD[separators].search(text, begin, end)
    return found.start() if found else end
