"""The terms of a glossary: how its entries are read, and which of them occur in a sentence."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter

from regard.serving.directions import code_of
from regard.serving.limits import Limits, ServingError

WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: no space says where a word ends, so each character is a unit."""
MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Accents and vowel signs, which Python does not count among the characters of words."""
UNIT = re.compile(rf"(?:[^\W{WITHOUT_SPACES}]|[{MARKS}])+|.", re.DOTALL)
"""A word, or a character that belongs to none."""
SPACE = re.compile(r"\s+")
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
MOST_UNITS = 50
"""Words, spaces and marks of a source term: so much is compared at each word of a text."""
MOST_PHRASES = 16
"""Phrases that the translation of one sentence must have: each takes its share of the beam."""


class Terms:
    """Source terms with their target phrases, to be found in sentences.

    Args:
        entries: target phrases by source terms.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = dict(entries)
        self._targets = {_plain(source): target for source, target in self.entries.items()}
        counts: dict[str, set[int]] = {}
        for source in self._targets:
            units = UNIT.findall(source)
            counts.setdefault(units[0], set()).add(len(units))
        self._counts = counts
        """For each unit that begins a term, the numbers of units of such terms."""

    def within(self, text: str, bounds: Sequence[int]) -> Iterator[tuple[int, int, int, str]]:
        """The terms in a text: for each its length in characters, times -1; its first and last unit; its target phrase.

        Args:
            bounds: where each unit of the text begins, and where the last one ends.
        """
        for first, begin in enumerate(bounds[:-1]):
            for count in self._counts.get(text[begin : bounds[first + 1]], ()):
                if first + count < len(bounds):
                    end = bounds[first + count]
                    target = self._targets.get(text[begin:end])
                    if target is not None:
                        yield begin - end, first, first + count - 1, target


def target_phrases(sentence: str, glossaries: Sequence[Terms]) -> list[str]:
    """The target phrases of the terms that occur in a sentence, each once, those of the longest terms first.

    Terms are found as whole words, spelled as they are in the glossary. Of two that overlap, the longer one counts, and of
    two of the same length, the first in the sentence. Of the same term in two glossaries, the first glossary's counts.
    """
    text = _plain(sentence)
    bounds = [*(match.start() for match in UNIT.finditer(text)), len(text)]
    found = [match for terms in glossaries for match in terms.within(text, bounds)]
    found.sort(key=itemgetter(0, 1))
    taken, chosen = bytearray(len(bounds)), dict[str, None]()
    for _, first, last, target in found:
        if not taken[first] and not taken[last]:  # it lies around no other one, as those were longer
            taken[first : last + 1] = b"\1" * (last + 1 - first)
            chosen[target] = None
    return list(chosen)[:MOST_PHRASES]


def fitting(phrases: Sequence[str], can_have: Callable[[list[str]], bool]) -> list[str]:
    """The phrases that a translation can have together: all of them, or each one that goes with those kept before it.

    Args:
        can_have: whether a translation can have some phrases.
    """
    if not phrases or can_have(list(phrases)):
        return list(phrases)
    kept: list[str] = []
    for phrase in phrases:
        if can_have([*kept, phrase]):
            kept.append(phrase)
    return kept


def read_entries(text: str, form: str, source: str, target: str, limits: Limits) -> dict[str, str]:
    """The entries of a glossary, target phrases by source terms, without the space around them. Blank lines are skipped.

    Args:
        form: `tsv`; or `csv`, whose third and fourth column may say the languages: lines in other languages are skipped.
        source, target: ISO 639 codes.
    Raises:
        ServingError: 400, a line that is no entry, or that has the source term of an earlier one, or no line at all; 413, too
            many.
    Source: the formats are those of DeepL's documentation.
    """
    found: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, cells in _rows(text, form):
        if not any(cells):
            continue
        if len(cells) != 2 and (form == "tsv" or len(cells) != 4):
            rule = "and a tab between them" if form == "tsv" else "or these and two languages"
            raise _refused(number, f"have a source term and a target phrase, {rule}; got {len(cells)} cells")
        if len(cells) == 4 and (code_of(cells[2]), code_of(cells[3])) != (source, target):
            continue
        _check_phrases(number, cells[:2], limits)
        term, phrase = cells[:2]
        if (first := lines.setdefault(_plain(term), number)) != number:
            raise _refused(number, f"have a source term of its own; got {term[:40]!r}, which line {first} has, too")
        found[term] = phrase
        if len(found) > limits.glossary_entries:
            raise ServingError(413, f"A glossary may have at most {limits.glossary_entries:,} entries; got more.")
    if not found:
        raise ServingError(400, f"entries must have at least one line for {source}-{target}; got none.")
    return found


def _rows(text: str, form: str) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of each line.

    Raises:
        ServingError: 400, another form, or CSV that cannot be read.
    """
    if form == "tsv":
        for number, line in enumerate(text.split("\n"), start=1):
            yield number, [cell.strip() for cell in line.split("\t")]
    elif form == "csv":
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            for cells in reader:
                yield reader.line_num, [cell.strip() for cell in cells]
        except csv.Error as error:
            raise _refused(reader.line_num, f"be CSV: {error}") from error
    else:
        raise ServingError(400, f"entries_format must be tsv or csv; got {form[:40]!r}.")


def _check_phrases(number: int, phrases: Sequence[str], limits: Limits) -> None:
    """Make sure that the source term and the target phrase of a line can be stored.

    Raises:
        ServingError: 400, they cannot.
    """
    for name, phrase in zip(("source term", "target phrase"), phrases, strict=True):
        if not phrase:
            raise _refused(number, f"have a {name}; got a blank one")
        if CONTROL.search(phrase):
            raise _refused(number, f"have a {name} without control characters; got {phrase[:40]!r}")
        if (size := len(phrase.encode())) > limits.phrase_bytes:
            raise _refused(number, f"have a {name} of at most {limits.phrase_bytes:,} bytes; got {size:,}")
    if (count := len(UNIT.findall(_plain(phrases[0])))) > MOST_UNITS:
        raise _refused(number, f"have a source term of at most {MOST_UNITS} words, spaces and marks; got {count}")


def _refused(number: int, rule: str) -> ServingError:
    return ServingError(400, f"Line {number} of entries must {rule}.")


def _plain(text: str) -> str:
    """A text as it is compared: composed characters (NFC), and one space where there is any."""
    return SPACE.sub(" ", unicodedata.normalize("NFC", text))
