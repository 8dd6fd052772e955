"""Translations under way, and the texts that are made of their sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp
from typing import Any

from regard.batching.jobs import Job
from regard.batching.scheduler import Scheduler
from regard.documents.markup import Block, Document, projected
from regard.documents.sentences import Pieces
from regard.documents.slots import Span
from regard.pipelines.translation import Translation
from regard.pipelines.translator import Translator
from regard.serving.directions import Direction


@dataclass(frozen=True)
class TextResult:
    """The translation of one text."""

    text: str
    sources: list[str]
    """The sentences that were translated."""
    sentences: list[Translation]
    n_best: list[str]
    """The best translations of the whole text: of each rank, those of its sentences. Several may read the same, as different
    tokens do."""
    num_cut: int
    """Sentences that were cut, as they were longer than the model can read."""
    origins: Sequence[tuple[Span, Span]] = ()
    """For each token of a translation without markup whose alignment was asked for: the characters of the source token that it
    looked at most, and its own."""

    @property
    def score(self) -> float:
        """The sum of the sentences' scores, by which hypotheses are compared: of one sentence, its score."""
        return sum(sentence.score for sentence in self.sentences)

    @property
    def log_prob(self) -> float:
        """The sum of the sentences' log-probabilities."""
        return sum(sum(sentence.token_log_probs) for sentence in self.sentences)

    @property
    def probability(self) -> float:
        """The geometric mean of the tokens' probabilities, from 0 to 1."""
        log_probs = [value for sentence in self.sentences for value in sentence.token_log_probs]
        return exp(sum(log_probs) / len(log_probs)) if log_probs else 1.0

    @property
    def confidence(self) -> float | None:
        """The chrF, from 0 to 1, to be expected: the mean of the sentences', weighted by their tokens; None: the model was not
        calibrated.
        """
        sentences = [(each.confidence, len(each.token_log_probs)) for each in self.sentences if each.token_log_probs]
        if any(confidence is None for confidence, _ in sentences) or not sentences:
            return None
        return sum((confidence or 0.0) * size for confidence, size in sentences) / sum(size for _, size in sentences)


@dataclass(frozen=True)
class PendingTranslation:
    """A request whose sentences are being translated."""

    direction: Direction
    scheduler: Scheduler[Translator]
    job: Job
    documents: list[Document]
    """A document for each text; one without markup is one block."""
    pieces: list[Pieces]
    """The sentences of each block."""
    confidence: float = 1.0
    """The probability that the texts are in the language that the direction names, if it was detected."""
    num_ranks: int = 1
    """Translations of each text that are wanted, the best ones."""
    has_markup: bool = False
    is_short: bool = False
    """Whether the texts are put together in less time than a thread takes to be woken."""

    def cancel(self) -> None:
        """Forget the request: its client is gone."""
        self.scheduler.queue.cancel(self.job)

    async def results(self) -> list[TextResult | Exception]:
        """The translation of each text; or the error of the first of its sentences that has none."""
        wrapped = [asyncio.wrap_future(future) for future in self.job.futures]
        try:
            outcomes: list[Any] = list(await asyncio.gather(*wrapped, return_exceptions=True))
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self.joined(outcomes) if self.is_short else await asyncio.to_thread(self.joined, outcomes)

    def joined(self, outcomes: Sequence[Translation | Exception]) -> list[TextResult | Exception]:
        """The texts of some sentences."""
        found: list[TextResult | Exception] = []
        sentences, pieces = iter(outcomes), iter(self.pieces)
        for document in self.documents:
            blocks = [(block, piece, list(islice(sentences, len(piece.sentences))))
                      for block, piece in zip(document.blocks, pieces, strict=False)]  # fmt: skip
            part = [outcome for _, _, of_block in blocks for outcome in of_block]
            failed = next((outcome for outcome in part if isinstance(outcome, Exception)), None)
            if failed is not None:
                found.append(failed)
                continue
            translations = [outcome for outcome in part if isinstance(outcome, Translation)]
            num_cut = sum(piece.num_cut for _, piece, _ in blocks)
            origins: list[tuple[Span, Span]] = []
            if self.has_markup:
                texts = [self._with_markup(block, piece, of_block) for block, piece, of_block in blocks]
                n_best = [document.render(texts)]
            else:
                ((_, piece, of_block),) = blocks
                num_ranks = max((len(each.n_best) for each in translations), default=1)
                n_best = [_rank(piece, of_block, rank) for rank in range(min(self.num_ranks, num_ranks))]
                if translations and translations[0].alignment is not None:
                    origins = [(of, to) for to, of in self._origins(piece, of_block) if of is not None]
            sources = [sentence for _, piece, _ in blocks for sentence in piece.sentences]
            found.append(TextResult(n_best[0], sources, translations, n_best, num_cut, origins))
        return found

    def _with_markup(self, block: Block, piece: Pieces, translations: Sequence[Any]) -> str:
        """The translation of a block with its elements, as the model's alignment has them."""
        origins = self._origins(piece, translations, with_spaces=True)
        return projected(
            block, _rank(piece, translations, 0), [target for target, _ in origins], [of for _, of in origins]
        )

    def _origins(
        self, piece: Pieces, translations: Sequence[Any], *, with_spaces: bool = False
    ) -> list[tuple[Span, Span | None]]:
        """For each token of a translation, its characters and those of the source token that it looked at most.

        Args:
            with_spaces: the space between sentences is a token, too: it is that of the source.
        """
        translator = self.scheduler.pipeline
        num_symbols = len(translator.source_tokenizer.symbols.source_begin_ids)
        origins: list[tuple[Span, Span | None]] = []
        at_source = at_target = 0
        for space, sentence, translation in zip(piece.between, piece.sentences, translations, strict=False):
            if with_spaces:
                origins.append(((at_target, at_target + len(space)), (at_source, at_source + len(space))))
            at_source, at_target = at_source + len(space), at_target + len(space)
            alignment = translation.alignment
            for row, (begin, end) in enumerate(translator.tokenizer.spans(translation.ids)):
                weights = alignment.weights[row][num_symbols : num_symbols + len(alignment.source_offsets)]
                best = alignment.source_offsets[weights.index(max(weights))] if weights else None
                origin = None if best is None else (at_source + best[0], at_source + best[1])
                origins.append(((at_target + begin, at_target + end), origin))
            at_source, at_target = at_source + len(sentence), at_target + len(translation.text)
        return origins


def _rank(piece: Pieces, translations: Sequence[Any], rank: int) -> str:
    """A text of its sentences' translations of one rank; a sentence that has fewer, of its last."""
    return piece.join([each.n_best[min(rank, len(each.n_best) - 1)].text for each in translations])
