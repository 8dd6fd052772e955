"""Word alignments in Pharaoh's format, `0-0 1-2 2p1`, which aligners write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regard.errors import DataError

LINK = re.compile(r"(\d{1,9})([-p])(\d{1,9})")


def parse_links(
    text: str, name: str, number: int, num_words: tuple[int, int], *, first: int = 0, option: str
) -> Iterator[tuple[int, int, bool]]:
    """Parse a line in Pharaoh's format, `0-0 1-2 2p1`: source word, target word, and whether the link is sure.

    Words are counted from 0, whatever the file does.

    Args:
        name: of the file, for messages, with `number`, that of the line.
        num_words: how many there are in the source and the target.
        first: the number of the first word in the file, 0 or 1.
        option: what says that it is 1.
    Raises:
        DataError: the line is not written so, or a word is not there.
    """
    for written in text.split():
        parts = LINK.fullmatch(written)
        source, target = (int(parts[1]) - first, int(parts[3]) - first) if parts else (-1, -1)
        if parts is None or min(source, target) < 0:
            raise DataError(
                f"{name}, line {number}: a link must be two words, such as {first}-{first + 1}; got {written!r}."
            )
        if source >= num_words[0] or target >= num_words[1]:
            hint = "" if first else f" Does the file count from 1? Then add {option}."
            raise DataError(
                f"{name}, line {number}: a link must be of words that are there, {num_words[0]} and {num_words[1]}; got "
                f"{written}, counted from {first}.{hint}"
            )
        yield source, target, parts[2] == "-"
