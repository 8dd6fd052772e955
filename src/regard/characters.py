"""Characters of words: where a word may begin or end."""

from __future__ import annotations

import re

WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: no space says where a word ends, so each character is a unit."""
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Accents and vowel signs, which Python does not count among the characters of words."""
OF_WORDS = rf"[^\W{WITHOUT_SPACES}]|[{MARKS}]"
"""A character that is part of a longer word, as an expression."""

_OF_WORDS = re.compile(OF_WORDS)


def is_within_word(before: str, after: str) -> bool:
    """Whether two characters, one after the other, belong to the same word. An empty one is the end of the text."""
    return _OF_WORDS.fullmatch(before) is not None and _OF_WORDS.fullmatch(after) is not None
