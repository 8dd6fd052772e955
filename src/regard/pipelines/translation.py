"""The results of a translator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from typing import Any

from regard.arguments import checked
from regard.errors import SettingsError
from regard.evaluation.text_metrics import sentence_utility
from regard.generation.rules.trace import TracedCandidate
from regard.inspection.alignment import Alignment
from regard.inspection.html_report import candidates_html
from regard.text.wording import shortened


@dataclass(frozen=True, repr=False)
class Candidate:
    """A translation of a text."""

    text: str
    score: float
    """Log-probability divided by the length penalty; of samples, the log-probability; of `minimum_bayes_risk`, the
    expected utility.
    """
    tokens: list[str]
    """`▁` is a space."""
    token_log_probs: list[float]
    """Natural logarithms, one for each token, and one for the end symbol where `finish_reason` is `eos`."""
    finish_reason: str
    """`eos`: the model ended the text; `length`: the limit did; `repetition_loop`: it repeated itself without end; `prefix`:
    what it had to begin with left no room for more; `blocked`: no token may be written after it."""
    ids: list[int]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({shortened(self.text)}, score={self.score:.4f}, {len(self.tokens)} tokens, "
            f"{self.finish_reason}{self._with()})"
        )

    def _with(self) -> str:
        """Further facts for `repr`."""
        return ""

    def _repr_html_(self) -> str:
        return candidates_html([(self.text, self.score, self.tokens, self.token_log_probs)])


@dataclass(frozen=True, repr=False)
class Translation(Candidate):
    """The best translation of a text, and where asked for the n best, itself included."""

    n_best: list[Candidate]
    alternatives: list[list[tuple[str, float]]] | None = None
    """At each step, the end included, the likeliest tokens and their log-probabilities, where they were asked for."""
    alignment: Alignment | None = None
    """Which source tokens each token was written from, where it was asked for."""
    trace: list[list[TracedCandidate]] | None = None
    """Every candidate of the search, step by step, where it was asked for."""
    confidence: float | None = None
    """The chrF, from 0 to 1, that translations with such log-probabilities had on the pairs that the model was calibrated
    with (`Translator.evaluate`); None: it was not."""

    def ranked(self, rank: int) -> Candidate:
        """The one with this rank among the n best; 1 is the best.

        Raises:
            SettingsError: there are not as many.
        """
        if not 1 <= rank <= len(self.n_best):
            count = len(self.n_best)
            raise SettingsError(f"rank must be from 1 to {count}, the number of translations found; got {rank}.")
        return self.n_best[rank - 1]

    @checked
    def nearest_to(self, reference: str) -> Translation:
        """The one of the n best with the highest sentence-level BLEU; of equal ones, the best.

        Source: Kim and Rush 2016, section 3.3, sequence-level interpolation.
        """
        utility = sentence_utility("bleu")
        nearest = max(self.n_best, key=lambda candidate: utility(candidate.text, reference))
        if nearest.ids == self.ids:
            return self
        return Translation(**vars(nearest), n_best=self.n_best)

    def record(self, source: str, *, has_n_best: bool = False) -> dict[str, Any]:
        """The source and the translation as an object of JSON, without what was not asked for."""
        record = {"source": source, **asdict(self)}
        for name in ("alternatives", "alignment", "trace", "confidence"):
            if record[name] is None:
                del record[name]
        if self.alignment is not None:
            record["alignment"]["pharaoh"] = self.alignment.pharaoh
        if not has_n_best:
            del record["n_best"]
        return record

    def _with(self) -> str:
        others = [f"n_best of {len(self.n_best)}"] if len(self.n_best) > 1 else []
        others += [name for name in ("alternatives", "alignment", "trace") if getattr(self, name) is not None]
        return f", with {', '.join(others)}" if others else ""

    def _repr_html_(self) -> str:
        """For notebooks: the tokens of each hypothesis, coloured by their probabilities, and the alignment."""
        shown = self.n_best or [self]
        rows = [(one.text, one.score, one.tokens, one.token_log_probs) for one in shown]
        return candidates_html(rows, self.alignment)


@dataclass(frozen=True, repr=False)
class ForcedScore:
    """The log-probability of a given target."""

    log_prob: float
    """Natural logarithm, the end symbol included."""
    tokens: list[str]
    token_log_probs: list[float]
    alternatives: list[list[tuple[str, float]]] | None = None
    """For each token, the likeliest in its place, and their log-probabilities; None: not asked for."""
    ids: list[int] = field(default_factory=list)
    """The ids of the tokens, without the end symbol."""

    def __repr__(self) -> str:
        return f"ForcedScore(log_prob={self.log_prob:.4f}, {len(self.tokens)} tokens)"

    def _repr_html_(self) -> str:
        """For notebooks: the tokens, coloured by their probabilities, and the sum."""
        return candidates_html([("", self.log_prob, self.tokens, self.token_log_probs)])


def common_prefix(rows: Sequence[Sequence[int]]) -> list[int]:
    """The ids with which all rows begin."""
    columns = zip(*rows, strict=False)
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]
