"""Texts in sentences, as models were trained on, with all that stands between them kept byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

END = re.compile(r"""(?<=[.!?…。！？])["'”’»)\]]*\s+(?=["'“‘«(\[¿¡]*[^\W\da-z])|(?<=[。！？])""")
"""The end of a sentence, without sentencex: after its mark, before space, if no small letter follows."""
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
"""A line with its end: `\\n`, `\\r\\n` or `\\r`, and nothing else. `str.splitlines` also breaks at U+2028, U+0085 and others,
which occur inside sentences."""
BREAKS = re.compile(r"\n\s*\n|\r?\n[ \t]*(?=[-*•]|\d+[.)])")
"""Blank lines and items of lists end a sentence even where other lines do not."""
NUMBER = re.compile(r"\d{1,3}[.)]")
PARTS = (re.compile(r"(?<=[;:,，；、])\s*"), re.compile(r"\s+"))
"""The places at which a sentence is cut that is longer than the model can read: commas, else spaces."""

Segment = Callable[[str, str], Sequence[str]]
"""A function of a language and a text that gives its sentences."""
LONGEST_PARAGRAPH = 20_000
"""Characters up to which sentencex splits a paragraph: its time grows with their square."""


@dataclass(frozen=True)
class Pieces:
    """A text as sentences and what stands around them: `between[0] sentences[0] between[1] ... between[-1]`."""

    sentences: list[str]
    between: list[str]
    num_cut: int = 0
    """Sentences that had to be cut, as they were longer than the model can read."""

    def join(self, sentences: Sequence[str]) -> str:
        """The text with other sentences in place of its own."""
        parts = [self.between[0]]
        for sentence, space in zip(sentences, self.between[1:], strict=True):
            parts += [sentence, space]
        return "".join(parts)


def split_lines(text: str) -> Pieces:
    """A text in lines, each without the space around it. Joined as they are, they are the text."""
    return _pieces(LINE.findall(text))


def split(text: str, language: str | None, fits: Callable[[str], bool], *, ends_at_lines: bool = True) -> Pieces:
    """A text in sentences. Joined as they are, they are the text.

    Args:
        language: ISO 639 code; None: unknown.
        fits: whether the model can read a sentence.
        ends_at_lines: whether the end of a line ends a sentence; else, blank lines and items of lists do.
    """
    parts, num_cut = list[str](), 0
    for paragraph in LINE.findall(text) if ends_at_lines else _behind(text, BREAKS):
        for part in _of_paragraph(paragraph, language):
            core = part.strip()
            if not core or fits(core):
                parts.append(part)
                continue
            before, _, after = part.partition(core)
            fitting = _cut(core, fits, PARTS)
            parts += [before, *fitting, after]
            num_cut += len(fitting) > 1
    return _pieces(parts, num_cut)


def _pieces(parts: Sequence[str], num_cut: int = 0) -> Pieces:
    """The parts of a text without the space around them, and that space."""
    pieces = Pieces([], [""], num_cut)
    for part in parts:
        if core := part.strip():
            before, _, after = part.partition(core)
            pieces.between[-1] += before
            pieces.sentences.append(core)
            pieces.between.append(after)
        else:
            pieces.between[-1] += part
    return pieces


def _behind(text: str, ends: re.Pattern[str]) -> list[str]:
    """A text cut behind each match of a pattern."""
    return [text[begin:end] for begin, end in pairwise([0, *(match.end() for match in ends.finditer(text)), len(text)])]


def _of_paragraph(text: str, language: str | None) -> list[str]:
    if not text.strip():
        return [text] if text else []
    if len(text) <= LONGEST_PARAGRAPH and (segment := _sentencex()) is not None:
        parts = _placed(_segmented(segment, language or "en", text), text)
        if parts:
            return _with_numbers(parts)
    return _behind(text, END)


def _segmented(segment: Segment, language: str, text: str) -> Sequence[str]:
    """The sentences of a text; none where sentencex fails, as 1.0.32 does at `A`, a no-break space and a point."""
    try:
        return segment(language, text)
    except BaseException as error:  # a panic of Rust is no Exception
        if type(error).__name__ != "PanicException":
            raise
        return []


def _placed(parts: Sequence[str], text: str) -> list[str]:
    """Parts of a text that leave out some of the space between them, with that space; empty where they are not its parts."""
    starts, end = list[int](), 0
    for part in parts:
        at = text.find(part, end)
        if at < 0 or text[end:at].strip():
            return []
        starts.append(at)
        end = at + len(part)
    return [text[begin:end] for begin, end in pairwise([0, *starts[1:], len(text)])] if parts else []


def _with_numbers(parts: Sequence[str]) -> list[str]:
    """Sentences in which the number of an item of a list stays with its text."""
    found: list[str] = []
    for part in parts:
        if found and NUMBER.fullmatch(found[-1].strip()):
            found[-1] += part
        else:
            found.append(part)
    return found


@lru_cache(maxsize=1)
def _sentencex() -> Segment | None:
    try:
        from sentencex import segment
    except ImportError:
        return None
    return lambda language, text: list(segment(language, text))


def _cut(text: str, fits: Callable[[str], bool], patterns: Sequence[re.Pattern[str]]) -> list[str]:
    """A sentence in pieces that fit, cut where the first pattern allows it; what is still too long is cut by the next."""
    if fits(text):
        return [text]
    if not patterns:
        middle = max(1, len(text) // 2)
        return [text] if len(text) == 1 else [*_cut(text[:middle], fits, ()), *_cut(text[middle:], fits, ())]
    bounds = [0, *(match.end() for match in patterns[0].finditer(text) if 0 < match.end() < len(text)), len(text)]
    pieces: list[str] = []
    begin = 0
    while begin < len(bounds) - 1:
        end = _last_that_fits(text, bounds, begin, fits)
        piece = text[bounds[begin] : bounds[max(end, begin + 1)]]
        pieces += [piece] if end > begin else _cut(piece, fits, patterns[1:])
        begin = max(end, begin + 1)
    return pieces


def _last_that_fits(text: str, bounds: Sequence[int], begin: int, fits: Callable[[str], bool]) -> int:
    """Up to which bound a piece from another one fits; the same bound, where the next is too far. Few pieces are tried."""

    def is_fine(end: int) -> bool:
        return fits(text[bounds[begin] : bounds[end]].strip())

    last, step = begin, 1
    while last + step < len(bounds) and is_fine(last + step):
        last, step = last + step, 2 * step
    while step > 1:
        step //= 2
        if last + step < len(bounds) and is_fine(last + step):
            last += step
    return last
