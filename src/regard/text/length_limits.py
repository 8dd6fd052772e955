"""Checks that texts are not too long for a model, made by reading only their beginning.

Cutting a text into tokens takes much memory (`divisions.py`). How many tokens there are cannot be told from the
number of characters alone: a run of unknown characters may be one token (kinds `unigram` and `words`), and tokenizers of other
libraries drop white space. So a long text is read a part at a time, until its parts have more tokens than are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from regard.errors import DataError, as_number
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizing.divisions import part_end

READ_AT_ONCE = 1 << 14
"""The number of characters up to which texts are cut into tokens as they are."""
MARKS = 8
"""The tokens that a division adds besides those that it goes through: a space is put in front, a letter and its accents
come apart.
"""


def beginning(text: str, tokenizer: Tokenizer, limit: int) -> str:
    """The text; or, where it surely has more than `limit` tokens, a beginning of it that has more, too.

    What comes back whole may have more tokens all the same. It is never cut where the whole text has at most `limit` tokens: a
    text is divided before a space where there is one, where it could be divided without a change, and else the longest token of
    the vocabulary, each of its characters a token, is not counted for each division.
    """
    if len(text) <= READ_AT_ONCE:
        return text
    lost = tokenizer.longest_token + MARKS
    begin, count = 0, 0
    while begin < len(text):
        end = part_end(text, begin, READ_AT_ONCE)
        count += len(tokenizer.encode(text[begin:end])) - (lost if end < len(text) else 0)
        if count > limit:
            return text[:end]
        begin = end
    return text


def check_ids(ids: Iterable[Any], num_ids: int) -> list[int]:
    """Make sure that token ids are a model's, and return them as a list of Python's numbers.

    Raises:
        DataError: one is not.
    """
    found = []
    for id in ids:
        number = as_number(id)
        if number is None or not 0 <= number < num_ids:
            raise DataError(f"an id of a token must be a whole number from 0 to {num_ids - 1}; got {str(id)[:40]}.")
        found.append(number)
    return found


def to_ids(given: str | Sequence[int], tokenizer: Tokenizer, num_ids: int) -> list[int]:
    """The ids of a text that is given as a string, or by the ids of its tokens.

    Raises:
        DataError: one is not the model's.
    """
    return tokenizer.encode(given) if isinstance(given, str) else check_ids(given, num_ids)


def check_lengths(
    texts: Sequence[str], tokenizer: Tokenizer, limit: int, *, first: int = 1, what: str = "line {}"
) -> None:
    """Make sure that no text is so long that it surely has more than `limit` tokens, without cutting all of it into tokens.

    Args:
        first: the number of the first text, for messages.
        what: what messages call a text, `{}` being its number.
    Raises:
        DataError: one is.
    """
    for number, text in enumerate(texts, start=first):
        if len(beginning(text, tokenizer, limit)) < len(text):
            raise DataError(
                f"{what.format(number)}: a text must have at most {limit} tokens; got more, in {len(text):,} characters. "
                "Split it into sentences."
            )
