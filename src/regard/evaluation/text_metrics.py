"""Scores of texts against references: BLEU and chrF as sacrebleu counts them, and exact match."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from regard.errors import DataError, SettingsError, nearest_hint

LONGEST_MATCH = 4
"""The longest n-grams that BLEU counts."""
BETWEEN_SPACES = ("13a", "intl")
"""Tokenisations that split at spaces and punctuation only."""
HINTED_FROM = 1000
"""References that are checked for spaces between words."""
KANA = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


Metric = Callable[[Sequence[str], Sequence[str]], float]
"""A score of texts, given their references; the higher, the better."""
OF_TEXTS = ("bleu", "chrf", "exact_match")
ADDED: dict[str, Metric] = {}
"""Metrics of others, by name."""


def add_metric(name: str, metric: Metric) -> None:
    """Have a metric of your own measured wherever BLEU is: in `evaluate`, and as `training.metric`.

    Raises:
        SettingsError: there is a metric of this name.
    """
    if name in (*OF_TEXTS, "loss", "token_accuracy") or ADDED.get(name, metric) is not metric:
        raise SettingsError(f"a metric must have a new name; got {name}.")
    ADDED[name] = metric


@dataclass(frozen=True)
class TextScores:
    """Scores of some texts against their references."""

    bleu: float
    """0 to 100. Papineni et al. 2002."""
    chrf: float
    """0 to 100. Popović 2015."""
    exact_match: float
    """Share of texts that equal their reference, 0 to 1."""
    bleu_counts: bool
    """Whether any reference has at least four tokens. If none has, BLEU is near 0 whatever was written."""
    added: dict[str, float]
    """What metrics that were added give (`add_metric`)."""
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
                f"tokenize must be one of sacrebleu's tokenizers; got {tokenize!r}. {nearest_hint(tokenize, BLEU.TOKENIZERS)}"
            )
        try:
            # `force` keeps sacrebleu from warning that tokenised text should not be scored with `none`.
            self._bleu = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
        except (RuntimeError, ImportError, OSError) as error:
            reason = re.sub(r"(?<=pip install )(\S+\[\w+\])", r"'\1'", " ".join(str(error).split()))
            raise SettingsError(f"tokenize must be usable on this machine; got {tokenize!r}: {reason}") from error
        self._chrf = CHRF(lowercase=lowercase)

    def score(self, texts: Sequence[str], references: Sequence[str]) -> TextScores:
        """The scores of texts, each with one reference.

        Raises:
            DataError: not as many references as texts, or none at all.
        """
        if len(texts) != len(references) or not texts:
            raise DataError(
                f"each text needs one reference, and there must be at least one; got {len(texts)} and {len(references)}."
            )
        equal = sum(text == reference for text, reference in zip(texts, references, strict=True))
        return TextScores(
            bleu=self._bleu.corpus_score(texts, [references]).score,
            chrf=self._chrf.corpus_score(texts, [references]).score,
            exact_match=equal / len(texts),
            bleu_counts=any(len(self._bleu.tokenizer(text).split()) >= LONGEST_MATCH for text in references),
            added={name: float(metric(texts, references)) for name, metric in ADDED.items()},
            signatures={"bleu": str(self._bleu.get_signature()), "chrf": str(self._chrf.get_signature())},
        )


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
    """How good a text is with another as its reference, from 0 to 100: sacrebleu's sentence-level `chrf` or `bleu`."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF() if name == "chrf" else BLEU(effective_order=True)
    return lambda text, reference: float(metric.sentence_score(text, [reference]).score)
