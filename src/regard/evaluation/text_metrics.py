"""Scores of texts against references: BLEU and chrF as sacrebleu counts them, and exact match."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

from regard.arguments import checked
from regard.errors import DataError, SettingsError, check_known

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

LONGEST_MATCH = 4
"""The longest n-grams that BLEU counts."""
BETWEEN_SPACES = ("13a", "intl")
"""Tokenisations that split at spaces and punctuation only."""
COUNTED_AT_ONCE = 4096
"""The texts whose n-grams are in memory together."""
HINTED_FROM = 1000
"""The number of references that are checked for spaces between words."""
KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


Metric = Callable[[Sequence[str], Sequence[str]], float]
"""A function that scores texts, given their references; the higher, the better."""
Column = Sequence[str | None]
"""A reference for each text; None: it has no such reference."""
OF_TEXTS = ("bleu", "chrf", "exact_match")
MEASURED_ELSEWHERE = (
    "loss",
    "token_accuracy",
    "perplexity",
    "num_pairs",
    "num_errors",
    "by_direction",
    "mean",
    "trained",
)
"""Names that stand beside the scores of texts in the results of an evaluation."""
ADDED: dict[str, Metric] = {}
"""Metrics that programs of others added, by name."""


@checked
def add_metric(name: str, metric: Metric) -> None:
    """Add a metric of your own, which is measured wherever BLEU is: in `evaluate`, and as `training.metric`.

    Raises:
        SettingsError: the results of an evaluation have something of this name.
    """
    taken = {*MEASURED_ELSEWHERE, *(each.name for each in fields(TextScores))}
    if name in taken or ADDED.get(name, metric) is not metric:
        raise SettingsError(f"a metric must have a new name; got {name}.")
    ADDED[name] = metric


def added_scores(texts: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """The scores of texts by the metrics that were added.

    Raises:
        SettingsError: one gives no number. It is not measured again, so that what runs later in this process is not ended, too.
    """
    return {name: _added_score(name, texts, references) for name in list(ADDED)}


def _added_score(name: str, texts: Sequence[str], references: Sequence[str]) -> float:
    found: Any = ADDED[name](list(texts), list(references))  # copies: others are to measure the same texts
    try:
        return float(found if not isinstance(found, str | bytes) else "no number")
    except (TypeError, ValueError, RuntimeError) as error:
        del ADDED[name]
        raise SettingsError(
            f"the metric {name} must return a number; got {reprlib.repr(found)}. It is not measured any more: add another."
        ) from error


@dataclass(frozen=True)
class TextScores:
    """Scores of some texts against their references."""

    bleu: float
    """BLEU, from 0 to 100. Papineni et al. 2002."""
    chrf: float
    """chrF, from 0 to 100. Popović 2015."""
    exact_match: float
    """The share of texts that equal their reference, or one of several, from 0 to 1."""
    bleu_counts: bool
    """Whether any reference has at least four tokens. If none has, BLEU is near 0 whatever was written."""
    added: dict[str, float]
    """The scores by metrics that were added (`add_metric`)."""
    signatures: dict[str, str]
    """sacrebleu's signatures: they say how it counted, so that others can count the same way (Post 2018)."""

    def results(self) -> dict[str, Any]:
        """The scores by name, as `results.json` holds them: added ones beside the others."""
        named = asdict(self)
        return {**named.pop("added"), **named}


class TextMetrics:
    """sacrebleu's BLEU and chrF, as `bleu` and `chrf`, set up once so that a wrong setting is known before hours of translating.

    Args:
        tokenize: sacrebleu's name of a tokenisation for BLEU; `none` for texts that are tokenised already.
        lowercase: whether BLEU and chrF ignore case.
    Raises:
        SettingsError: an unknown tokenisation, or one that needs a package that is not installed.
    """

    @checked
    def __init__(self, *, tokenize: str = "13a", lowercase: bool = False) -> None:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        check_known("tokenize", tokenize, BLEU.TOKENIZERS, "one of sacrebleu's tokenizers")
        try:
            # `force` keeps sacrebleu from warning that tokenised text should not be scored with `none`.
            self.bleu = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
        except (RuntimeError, ImportError, OSError) as error:
            reason = re.sub(r"(?<=pip install )(\S+\[\w+\])", r"'\1'", " ".join(str(error).split()))
            raise SettingsError(f"tokenize must be usable on this machine; got {tokenize!r}: {reason}") from error
        self.chrf = CHRF(lowercase=lowercase)

    @checked
    def score(
        self, texts: Sequence[str], references: Sequence[str], more_references: Sequence[Sequence[str]] = ()
    ) -> TextScores:
        """The scores of texts, each with one reference or more.

        Args:
            more_references: other references of all texts; a blank one is none. BLEU and chrF count with them as sacrebleu
                does. Metrics that were added get `references` alone.
        Raises:
            DataError: not as many references as texts, or none at all.
        """
        for column in (references, *more_references):
            if len(texts) != len(column) or not texts:
                raise DataError(
                    f"each text needs one reference, and there must be at least one; got {len(texts)} and {len(column)}."
                )
        columns = reference_columns(references, more_references)
        return TextScores(
            **{metric: self._score(metric, texts, columns) for metric in OF_TEXTS},
            bleu_counts=self.bleu_counts(columns),
            added=added_scores(texts, references),
            signatures=self.signatures(),
        )

    def score_by(self, metric: str, texts: Sequence[str], references: Sequence[str]) -> float:
        """A single score of those that `score` gives, without the time that the others take.

        Args:
            metric: `bleu`, `chrf`, `exact_match`, or one that was added.
        """
        return _added_score(metric, texts, references) if metric in ADDED else self._score(metric, texts, [references])

    def _score(self, metric: str, texts: Sequence[str], columns: Sequence[Column]) -> float:
        """The score by a metric of `OF_TEXTS`."""
        if metric == "exact_match":
            return sum(exact_matches(texts, columns)) / len(texts)
        of_sacrebleu: dict[str, BLEU | CHRF] = {"bleu": self.bleu, "chrf": self.chrf}
        return corpus_score(of_sacrebleu[metric], texts, columns)

    def bleu_counts(self, columns: Sequence[Column]) -> bool:
        """Whether any reference has as many tokens as the longest n-grams of BLEU."""
        return any(len(self.bleu.tokenizer(text).split()) >= LONGEST_MATCH for text in chain(*columns) if text)

    def signatures(self) -> dict[str, str]:
        """sacrebleu's signatures of the last score."""
        return {"bleu": str(self.bleu.get_signature()), "chrf": str(self.chrf.get_signature())}


def corpus_score(metric: BLEU | CHRF, texts: Sequence[str], columns: Sequence[Column]) -> float:
    """The score by sacrebleu's `corpus_score`, which holds the n-grams of all references at once: 6 kB for each short text.
    Here counts are added up over some texts at a time. They are whole numbers, so that the score is the same.

    Args:
        columns: the references.
    """
    sums, nums_refs = list[list[int]](), set[int]()
    for first in range(0, len(texts), COUNTED_AT_ONCE):
        part = slice(first, first + COUNTED_AT_ONCE)
        references = cast("list[list[str]]", [column[part] for column in columns])  # its types do not know of None
        counts = metric._extract_corpus_statistics(texts[part], references)
        sums.append([sum(column) for column in zip(*counts, strict=True)])
        nums_refs.add(metric.num_refs)
    metric.num_refs = nums_refs.pop() if len(nums_refs) == 1 else -1  # of the signature: it varies
    return float(metric._aggregate_and_compute(sums).score)


def reference_columns(references: Sequence[str], more_references: Sequence[Sequence[str]]) -> list[Column]:
    """All references as sacrebleu takes them, a column for each: those that are blank beside the first are None."""
    return [references, *([text if text.strip() else None for text in column] for column in more_references)]


def exact_matches(texts: Sequence[str], columns: Sequence[Column]) -> list[bool]:
    """Whether each text equals one of its references."""
    return [text in row for text, row in zip(texts, zip(*columns, strict=True), strict=True)]


def tokenization_hint(references: Sequence[str], tokenize: str = "13a") -> str | None:
    """A warning that BLEU splits at spaces, which the references do not have between words: texts a third or more
    of whose letters are Japanese kana or Chinese characters, on average three or more to a space. None: nothing.
    """
    if tokenize not in BETWEEN_SPACES:
        return None
    texts = list(islice(references, HINTED_FROM))
    kana, han = (sum(len(letters.findall(text)) for text in texts) for letters in (KANA, HAN))
    num_letters = sum(character.isalnum() for text in texts for character in text)
    num_words = sum(len(text.split()) for text in texts)
    if not num_letters or 3 * (kana + han) < num_letters or kana + han < 3 * num_words:
        return None
    if 20 * kana > han:
        language, better = "Japanese", "ja-mecab (which needs: pip install 'sacrebleu[ja]') or char"
    else:
        language, better = "Chinese", "zh"
    return f"BLEU counts words between spaces here, and the references, {language} it seems, have none: --tokenize {better}"


def sentence_utility(name: str) -> Callable[[str, str], float]:
    """A score of a text with another as its reference, from 0 to 100: sacrebleu's sentence-level `chrf` or `bleu`."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF() if name == "chrf" else BLEU(effective_order=True)
    return lambda text, reference: float(metric.sentence_score(text, [reference]).score)
