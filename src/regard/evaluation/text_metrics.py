"""Scores of texts against references: BLEU and chrF as sacrebleu counts them, and exact match."""

from __future__ import annotations

from collections.abc import Sequence
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


def text_scores(
    texts: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False
) -> TextScores:
    """The scores of texts, each with one reference.

    Args:
        tokenize: sacrebleu's name of a tokenisation for BLEU; `none` for texts that are tokenised already.
        lowercase: whether BLEU and chrF ignore case.
    Raises:
        DataError: not as many references as texts, or none at all.
        SettingsError: an unknown tokenisation.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    if len(texts) != len(references) or not texts:
        raise DataError(
            f"texts and references must be as many, and at least one; got {len(texts)} and {len(references)}."
        )
    if tokenize not in BLEU.TOKENIZERS:
        raise SettingsError(
            f"tokenize must be one of sacrebleu's; got {tokenize!r}. {nearest_hint(tokenize, BLEU.TOKENIZERS)}"
        )
    # `force` keeps sacrebleu from warning that tokenised text should not be scored with `none`.
    bleu = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    chrf = CHRF(lowercase=lowercase)
    scores = {"bleu": bleu.corpus_score(texts, [references]), "chrf": chrf.corpus_score(texts, [references])}
    equal = sum(text == reference for text, reference in zip(texts, references, strict=True))
    return TextScores(
        bleu=scores["bleu"].score,
        chrf=scores["chrf"].score,
        exact_match=equal / len(texts),
        signatures={"bleu": str(bleu.get_signature()), "chrf": str(chrf.get_signature())},
    )
