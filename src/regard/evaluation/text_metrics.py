"""Scores of texts against references: BLEU and chrF as sacrebleu counts them, and exact match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.errors import DataError, SettingsError, nearest_hint


@dataclass(frozen=True)
class TextScores:
    """How near some texts come to their references."""

    bleu: float
    """0 to 100. Papineni et al. 2002."""
    chrf: float
    """0 to 100. Popović 2015."""
    exact_match: float
    """Share of texts that equal their reference, 0 to 1."""
    signatures: dict[str, str]
    """How sacrebleu counted, so that others can count the same way (Post 2018)."""


class TextMetrics:
    """sacrebleu's BLEU and chrF, set up once so that a wrong setting is known before hours of translating.

    Args:
        tokenize: sacrebleu's name of a tokenisation for BLEU; `none` for texts that are tokenised already.
        lowercase: whether BLEU and chrF ignore case.
    Raises:
        SettingsError: an unknown tokenisation, or one that needs a package that is not installed.
    """

    def __init__(self, *, tokenize: str = "13a", lowercase: bool = False) -> None:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        if tokenize not in BLEU.TOKENIZERS:
            raise SettingsError(
                f"tokenize must be one of sacrebleu's; got {tokenize!r}. {nearest_hint(tokenize, BLEU.TOKENIZERS)}"
            )
        try:
            # `force` keeps sacrebleu from warning that tokenised text should not be scored with `none`.
            self._bleu = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
        except (RuntimeError, ImportError, OSError) as error:
            reason = " ".join(str(error).split())
            raise SettingsError(f"tokenize must be one that works here; got {tokenize!r}: {reason}") from error
        self._chrf = CHRF(lowercase=lowercase)

    def score(self, texts: Sequence[str], references: Sequence[str]) -> TextScores:
        """The scores of texts, each with one reference.

        Raises:
            DataError: not as many references as texts, or none at all.
        """
        if len(texts) != len(references) or not texts:
            raise DataError(
                f"texts and references must be as many, and at least one; got {len(texts)} and {len(references)}."
            )
        equal = sum(text == reference for text, reference in zip(texts, references, strict=True))
        return TextScores(
            bleu=self._bleu.corpus_score(texts, [references]).score,
            chrf=self._chrf.corpus_score(texts, [references]).score,
            exact_match=equal / len(texts),
            signatures={"bleu": str(self._bleu.get_signature()), "chrf": str(self._chrf.get_signature())},
        )


def sentence_utility(name: str) -> Callable[[str, str], float]:
    """How good a text is with another as its reference, from 0 to 100: sacrebleu's sentence-level `chrf` or `bleu`."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF() if name == "chrf" else BLEU(effective_order=True)
    return lambda text, reference: float(metric.sentence_score(text, [reference]).score)
