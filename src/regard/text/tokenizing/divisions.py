"""Division of long texts before a space: cutting a text into tokens takes some 300 bytes of memory for a character."""

from __future__ import annotations

from collections.abc import Iterator

CUT_TOGETHER = 1 << 20
"""The number of characters that are cut into tokens at a time. A longer text is cut in parts, where that gives the same
tokens.
"""


def part_end(text: str, begin: int, most: int) -> int:
    """The end of the part of a text that begins here: before a space, at the latest after `most` characters."""
    end = begin + most
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", begin + 1, end + 1)
    return end if space < 0 else space


def divide(text: str, most: int) -> Iterator[str]:
    """Divide a text into parts of at most `most` characters, each but the first beginning with a space.

    Where so many characters have no space among them, a part goes on to the next space.
    """
    begin = 0
    while begin < len(text):
        end = part_end(text, begin, most)
        if end < len(text) and text[end] != " ":
            space = text.find(" ", end)
            end = len(text) if space < 0 else space
        yield text[begin:end]
        begin = end
