"""The entries of a glossary, read from TSV or CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from regard.documents.terms import UNIT, normalized
from regard.serving.directions import code_of
from regard.serving.limits import Limits, ServingError

CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
MOST_UNITS = 50
"""Words, spaces and marks of a source term: so much is compared at each word of a text."""


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
        if (first := lines.setdefault(normalized(term), number)) != number:
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
    if (count := len(UNIT.findall(normalized(phrases[0])))) > MOST_UNITS:
        raise _refused(number, f"have a source term of at most {MOST_UNITS} words, spaces and marks; got {count}")


def _refused(number: int, rule: str) -> ServingError:
    return ServingError(400, f"Line {number} of entries must {rule}.")
