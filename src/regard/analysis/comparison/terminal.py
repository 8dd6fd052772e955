"""A comparison as text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from regard.analysis.comparison.comparison_result import (
    Compared,
    Comparison,
    columns_of,
    notes_of,
    rows_of,
    summary,
)
from regard.errors import printable
from regard.text.wording import counted

WIDTH = 80
MOST_TOLD = 3
"""Sentences of a list that a terminal shows."""


def shown_comparison(comparison: Comparison) -> str:
    """The scores, and of each system the sentences that became better and worse by most."""
    columns = columns_of(comparison)
    tables = [(system.name, rows_of(comparison, system)) for system in comparison.systems]
    widths = [
        max(len(row[place]) for row in [columns, *(row for _, rows in tables for row in rows)])
        for place in range(len(columns))
    ]
    lines = [*_wrapped(summary(comparison)), "", _aligned(columns, widths)]
    for name, rows in tables:
        lines += [*_wrapped(name), *(_aligned(row, widths) for row in rows)]
    for note in notes_of(comparison):
        lines += ["", *_wrapped(note)]
    for system in comparison.systems[1:]:
        lines += _told(comparison, system)
    return "\n".join(lines)


def _told(comparison: Comparison, system: Compared) -> Iterator[str]:
    """The sentences that became better and worse by most, for a terminal."""
    found = comparison.sentences(system)
    yield ""
    if not found:
        yield from _wrapped(f"{system.name}: every sentence has the same chrF as {comparison.baseline.name}'s.")
        return
    better = [sentence for sentence in found if sentence.difference > 0]
    worse = [sentence for sentence in reversed(found) if sentence.difference < 0]
    yield from _wrapped(
        f"{system.name}: the chrF is higher than {comparison.baseline.name}'s in {counted(len(better), 'sentence')}, lower in "
        f"{len(worse):,}, and the same in {len(comparison.sources) - len(found):,}."
    )
    for what, sentences in (("better", better), ("worse", worse)):
        for sentence in sentences[:MOST_TOLD]:
            yield ""
            yield f"{what}, line {sentence.line:,}: {sentence.score}"
            texts = [("source", sentence.source), *(("reference", text) for text in sentence.references)]
            for label, text in [*texts, ("baseline", sentence.texts[0]), ("system", sentence.texts[1])]:
                yield from _wrapped(text if text.strip() else "(nothing)", label=label)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """The cells of a row in columns, the numbers to the right."""
    cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
    return f"  {'  '.join([row[0].ljust(widths[0]), *cells[1:]])}".rstrip()


def _wrapped(text: str, label: str = "") -> list[str]:
    """A text in lines that fit, all but the first below it; wide characters count as two."""
    first = f"  {label:<11}" if label else ""
    lines = Text(printable(text)).wrap(Console(width=WIDTH), WIDTH - len(first))
    return [f"{' ' * len(first) if number else first}{line.plain.rstrip()}" for number, line in enumerate(lines)]
