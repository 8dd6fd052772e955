"""The result of a comparison: scores, and sentence by sentence the translations; as JSON, as a table and as a page."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from regard.analysis.comparison.comparison_page import Sentence, comparison_html
from regard.arguments import checked
from regard.errors import SettingsError
from regard.evaluation.score_table import NO_BLEU
from regard.evaluation.significance import LEAST, RESAMPLES, SystemScore
from regard.evaluation.text_metrics import ADDED
from regard.text.lines import write_whole
from regard.text.wording import counted

LONGEST_NAME = 20
METRICS = {
    "bleu": ("BLEU", 1, ".2f"),
    "chrf": ("chrF", 1, ".2f"),
    "exact_match": ("exact match, %", 100, ".2f"),
    "comet": ("COMET", 1, ".4f"),
}
"""The title of each metric, and the factor and format in which its scores are shown."""
TESTED = (
    f"±: half of the 95 % interval, over {RESAMPLES:,} resamples of the sentences. *: the 95 % interval of the difference does "
    "not contain 0. p: sacrebleu's paired bootstrap; it tests one side, so that 0.025 is 0.05 for both."
)
OVER_RUNS = (
    "A system of several runs: scores are means over its runs, sd is their standard deviation, and the texts are those of the "
    "first run. The test draws other sentences, not other runs. What other seeds would give, it does not tell."
)
Texts = list[list[str]]
"""The translations of each run of a system."""


@dataclass(frozen=True)
class Compared:
    """A system: its translations and scores."""

    name: str
    runs: tuple[str, ...]
    texts: Texts
    """The translation of each sentence, run by run."""
    scores: dict[str, SystemScore]
    """`bleu`, `chrf` (0 to 100), `exact_match` (0 to 1), `comet` where it was asked for, and metrics that were added."""
    chrf: list[float]
    """The score of each sentence, as the mean over runs."""


@dataclass(frozen=True)
class Comparison:
    """Systems on one test set. The first is the baseline."""

    data: str
    lines: list[int]
    """The line of each sentence in the data."""
    sources: list[str]
    references: list[list[str]]
    """The references of each sentence, one or more."""
    systems: list[Compared]
    signatures: dict[str, str]
    """The signatures of sacrebleu."""
    bleu_counts: bool
    """Whether any reference has the four tokens that BLEU counts by."""

    @property
    def baseline(self) -> Compared:
        """The first system."""
        return self.systems[0]

    def sentences(self, system: Compared) -> list[Sentence]:
        """The sentences whose chrF differs from the baseline's: first those that became better, by how much."""
        both = self.baseline, system
        found = [
            Sentence(
                line, source, references, (both[0].texts[0][row], both[1].texts[0][row]), (both[0].chrf[row], both[1].chrf[row])
            )
            for row, (line, source, references) in enumerate(zip(self.lines, self.sources, self.references, strict=True))
            if both[0].chrf[row] != both[1].chrf[row]
        ]  # fmt: skip
        return sorted(found, key=lambda sentence: (-sentence.difference, sentence.line))

    def facts(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        base = self.baseline
        return {
            "data": self.data,
            "num_sentences": len(self.sources),
            "baseline": base.name,
            "test": {"method": "paired bootstrap resampling", "resamples": RESAMPLES, "least_sentences": LEAST},
            "signatures": self.signatures,
            "bleu_counts": self.bleu_counts,
            "systems": [
                {
                    "name": system.name,
                    "runs": system.runs,
                    "scores": {name: asdict(found) for name, found in system.scores.items()},
                }
                for system in self.systems
            ],
            "sentences": [
                {
                    "line": self.lines[row],
                    "source": self.sources[row],
                    "references": self.references[row],
                    "systems": [
                        {
                            "texts": [texts[row] for texts in system.texts],
                            "chrf": system.chrf[row],
                            "difference": None if system is base else system.chrf[row] - base.chrf[row],
                        }
                        for system in self.systems
                    ],
                }
                for row in range(len(self.sources))
            ],
        }

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as a page, one `.html` file that asks no network for anything.

        Raises:
            SettingsError: another ending.
        """
        check_page(path)
        page = comparison_html(
            summary(self), columns_of(self), [(system.name, rows_of(self, system)) for system in self.systems],
            notes_of(self), {system.name: self.sentences(system) for system in self.systems[1:]}, len(self.sources),
        )  # fmt: skip
        write_whole(Path(path), page.encode())


def check_page(path: str | os.PathLike[str]) -> None:
    """Make sure that a file's ending is that of a page.

    Raises:
        SettingsError: it is not.
    """
    if Path(path).suffix != ".html":
        raise SettingsError(f"the output must end in .html; got {Path(path).name!r}. For numbers, use --json.")


def summary(comparison: Comparison) -> str:
    """The systems and the data that were compared, in one line."""
    most = max(map(len, comparison.references))
    references = f", with up to {most} references each" if most > 1 else ""
    sentences = counted(len(comparison.sources), "sentence")
    return f"{sentences} of {comparison.data}{references}. The baseline is {comparison.baseline.name}."


def _has_runs(comparison: Comparison) -> bool:
    return any(len(system.runs) > 1 for system in comparison.systems)


def columns_of(comparison: Comparison) -> list[str]:
    """The names of the columns of all tables."""
    return ["", "score", *(["sd"] if _has_runs(comparison) else []), "difference", "p  "]


def rows_of(comparison: Comparison, system: Compared) -> list[list[str]]:
    """The rows of a system's table: metric, score, the deviation of the runs if any system has several, difference, p."""
    rows = []
    for name, found in system.scores.items():
        title, factor, form = METRICS.get(name, (name[:LONGEST_NAME], 1, ".4g"))
        if name == "bleu" and not comparison.bleu_counts:
            found = SystemScore(found.score, found.runs, None, None)
            row = [title, "-", "", "", ""]
        else:
            signed = "" if found.difference is None else f"{factor * found.difference:+{form}}"
            row = [
                title,
                f"{factor * found.score:{form}}{_spread(found.interval, factor, form)}",
                "" if found.deviation is None else f"{factor * found.deviation:{form}}",
                signed and f"{signed}{_spread(found.difference_interval, factor, form)}",
                _p(found) if signed and name not in ADDED else "",
            ]
        rows.append(row if _has_runs(comparison) else [*row[:2], *row[3:]])
    return rows


def _spread(interval: tuple[float, float] | None, factor: int, form: str) -> str:
    return "" if interval is None else f" ± {factor * (interval[1] - interval[0]) / 2:{form}}"


def _p(found: SystemScore) -> str:
    return "-  " if found.p is None else f"{found.p:.3f}{' *' if found.differs else '  '}"


def notes_of(comparison: Comparison) -> list[str]:
    """Remarks that explain the table."""
    tested = [
        found
        for system in comparison.systems[1:]
        for name, found in system.scores.items()
        if name not in ADDED and (name != "bleu" or comparison.bleu_counts)
    ]
    notes = [TESTED]
    if any(found.p is None for found in tested):
        notes.append(f"-: not tested, as fewer than {LEAST} sentences differ in it.")
    if not comparison.bleu_counts:
        notes.append(f"No BLEU: {NO_BLEU}.")
    if _has_runs(comparison):
        notes.append(OVER_RUNS)
    return notes
