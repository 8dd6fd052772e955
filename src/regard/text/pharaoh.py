"""Word alignments in Pharaoh's format, `0-0 1-2 2p1`: what aligners write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regard.errors import DataError

LINK = re.compile(r"(\d{1,9})([-p])(\d{1,9})")


def parse_links(text: str, name: str, number: int, first: int = 0) -> Iterator[tuple[int, int, bool]]:
    """The links of a line in Pharaoh's format, `0-0 1-2 2p1`: source word, target word, and whether the link is sure.

    Args:
        name: of the file, for messages, with `number`, that of the line.
        first: the number of the first word, 0 or 1.
    Raises:
        DataError: the line is not written so, or a word is before the first.
    """
    for written in text.split():
        parts = LINK.fullmatch(written)
        source, target = (int(parts[1]) - first, int(parts[3]) - first) if parts else (-1, -1)
        if parts is None or min(source, target) < 0:
            raise DataError(
                f"{name}, line {number}: a link must be two words, such as {first}-{first + 1}; got {written!r}."
            )
        yield source, target, parts[2] == "-"
