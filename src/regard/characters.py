"""Characters of words: where a word may begin or end."""

from __future__ import annotations

import re

WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: no space says where a word ends, so each character is a unit."""
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08ca-\u08ff\u0900-\u0963\u0966-\u0dff\u0f18\u0f19"
    "\u0f35-\u0f39\u0f3e\u0f3f\u0f71-\u0fbc\u135d-\u135f\u18a9\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1ace\u1b00-\u1b04\u1b34-\u1b44\u1b6b-"
    "\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cf9\u1dc0-\u1dff\u200c\u200d\u20d0-\u20f0\u2de0-\u2dff"
    "\ua66f-\ua672\ua674-\ua67d\ua823-\ua827\ua880\ua881\ua8b4-\ua8c5\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\uaa29-"
    "\uaa36\uabe3-\uabed\ufe00-\ufe0f\ufe20-\ufe2f\U0001e944-\U0001e94a"
)
"""Accents, vowel signs and joiners, which Python does not count among the characters of words."""
OF_WORDS = rf"[^\W{WITHOUT_SPACES}]|[{MARKS}]"
"""A character that is part of a longer word, as an expression."""

_OF_WORDS = re.compile(OF_WORDS)


def is_within_word(before: str, after: str) -> bool:
    """Whether two characters, one after the other, belong to the same word. An empty one is the end of the text."""
    return _OF_WORDS.fullmatch(before) is not None and _OF_WORDS.fullmatch(after) is not None
