"""A model folder, ready to use: texts in, translations, scores and alignments out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import torch

from regard.data.batching import encode_pairs, in_order
from regard.data.corpus import ParallelText
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.evaluation.text_metrics import TextMetrics
from regard.generation.decoding import decode
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.inspection.capture import Alignment, cross_attention, sharpest_layer
from regard.models.families import PairModel
from regard.models.interface import SequenceToSequence
from regard.text.tokenizer import Tokenizer

SCORING_BATCH_TOKENS = 4096


@dataclass(frozen=True)
class Candidate:
    """One translation of a text."""

    text: str
    score: float
    """Log-probability divided by the length penalty."""
    tokens: list[str]
    """`▁` stands for a space."""
    token_log_probs: list[float]
    """Natural logarithms, one for each token, and one for the end symbol where `finish_reason` is `eos`."""
    finish_reason: str
    """`eos`: the model ended the text; `length`: the limit did."""


@dataclass(frozen=True)
class Translation(Candidate):
    """The best translation of a text, and where asked for the n best, itself included."""

    n_best: list[Candidate]


@dataclass(frozen=True)
class ForcedScore:
    """How likely a model finds a given target."""

    log_prob: float
    """Natural logarithm, the end symbol included."""
    tokens: list[str]
    token_log_probs: list[float]


class Translator:
    """A trained model with its tokenizer."""

    def __init__(self, model: PairModel, tokenizer: Tokenizer, source_tokenizer: Tokenizer | None = None) -> None:
        self.model = model.eval()
        self.tokenizer = tokenizer
        """Of the targets."""
        self.source_tokenizer = source_tokenizer or tokenizer
        self.device = next(model.parameters()).device

    def translate(
        self,
        texts: Sequence[str],
        *,
        beam_size: int = 5,
        n_best: int = 1,
        length_penalty: float = 1.0,
        length_norm: str = "wu",
        batch_size: int = 64,
        max_length: int | None = None,
    ) -> list[Translation]:
        """The translation of each text, in order. A blank text has the empty translation.

        Args:
            beam_size: 1 is greedy search.
            length_penalty: the exponent alpha; 0 favours short translations.
            length_norm: `wu` divides by ((5 + length) / 6)^alpha (Wu et al. 2016), `average` by length^alpha.
            batch_size: sentences at once; the result does not depend on it.
            max_length: tokens a translation may have; None: twice those of the source, and 20 more.
        Raises:
            DataError: a text is longer than the model can read.
            SettingsError: an argument out of range.
        """
        if isinstance(texts, str):
            raise SettingsError("texts must be a list of strings; got one string. Write translate([text]).")
        if batch_size < 1:
            raise SettingsError(f"batch_size must be at least 1; got {batch_size}.")
        if max_length is not None and max_length < 1:
            raise SettingsError(f"max_length must be at least 1; got {max_length}.")
        settings = BeamSettings(beam_size, n_best, length_penalty, length_norm)
        sources = self._encode_sources(texts)
        with_text = [index for index, text in enumerate(texts) if text.strip()]
        requests = [Request(sources[i], self._length_limit(len(sources[i]), max_length)) for i in with_text]
        symbols = self.tokenizer.symbols
        found = decode(
            cast("SequenceToSequence[Any]", self.model),
            requests,
            BeamSearch(settings, symbols.eos_id),
            TargetSymbols(symbols.start_ids, symbols.eos_id, symbols.pad_id, tuple(symbols.banned_ids)),
            batch_size=batch_size,
            device=self.device,
        )
        nothing = Candidate("", 0.0, [], [], "eos")
        results = [Translation(**vars(nothing), n_best=[nothing])] * len(texts)
        for index, hypotheses in zip(with_text, found, strict=True):
            candidates = [self._candidate(hypothesis) for hypothesis in hypotheses]
            results[index] = Translation(**vars(candidates[0]), n_best=candidates)
        return results

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[ForcedScore]:
        """How likely the model finds each target, given its source.

        Raises:
            DataError: a text longer than the model can read, or not as many targets as sources.
        """
        scored = self._likelihood(sources, targets)
        eos = [self.tokenizer.tokens([self.tokenizer.eos_id])[0]]
        return [
            ForcedScore(
                math.fsum(scored.token_log_probs[index]),
                self.tokenizer.tokens(ids) + eos,
                scored.token_log_probs[index],
            )
            for index, ids in enumerate(self.tokenizer.encode_batch(list(targets)))
        ]

    def evaluate(
        self,
        sources: Sequence[str],
        references: Sequence[str],
        *,
        tokenize: str = "13a",
        lowercase: bool = False,
        beam_size: int = 5,
        batch_size: int = 64,
        length_penalty: float = 1.0,
    ) -> dict[str, Any]:
        """Every score of the model on some pairs, by name, and under `signatures` how they were counted.

        `bleu` and `chrf` from 0 to 100, `exact_match` and `token_accuracy` from 0 to 1, `perplexity` per token.
        """
        metrics = TextMetrics(tokenize=tokenize, lowercase=lowercase)
        scored = self._likelihood(sources, references)
        translations = self.translate(
            sources, beam_size=beam_size, batch_size=batch_size, length_penalty=length_penalty
        )
        texts = [translation.text for translation in translations]
        counted = asdict(metrics.score(texts, references))
        signatures = counted.pop("signatures")
        return {
            **counted,
            "token_accuracy": scored.token_accuracy,
            "perplexity": scored.perplexity,
            "num_pairs": len(texts),
            "signatures": signatures,
        }

    def align(self, source: str, target: str | None = None) -> Alignment:
        """Which source tokens each token of the target (by default, of the translation) was written from.

        The weights are the mean over the heads of the decoder layer whose weights are sharpest on this pair.
        """
        if not source.strip():
            raise DataError("source must have text; got a blank one.")
        target = self.translate([source])[0].text if target is None else target
        eos, start_ids = self.tokenizer.eos_id, self.tokenizer.symbols.start_ids
        source_ids = [*self._encode_sources([source])[0]]
        target_ids = self.tokenizer.encode(target)
        weights = cross_attention(
            self.model,
            torch.tensor(source_ids, device=self.device),
            torch.tensor([*start_ids, *target_ids], device=self.device),
        )[:, :, len(start_ids) - 1 :]
        layer = sharpest_layer(weights)
        return Alignment(
            self.source_tokenizer.tokens(source_ids),
            self.tokenizer.tokens([*target_ids, eos]),
            weights[layer].mean(dim=0).tolist(),
            layer + 1,
        )

    def _candidate(self, hypothesis: Hypothesis) -> Candidate:
        return Candidate(
            self.tokenizer.decode(hypothesis.ids),
            hypothesis.score,
            self.tokenizer.tokens(hypothesis.ids),
            hypothesis.token_log_probs,
            hypothesis.finish_reason,
        )

    def _encode_sources(self, texts: Sequence[str]) -> list[list[int]]:
        reader, limit = self.source_tokenizer, self.model.config.max_positions
        sources = [reader.frame_source(ids) for ids in reader.encode_batch(list(texts))]
        room = limit - len(reader.frame_source([]))
        for number, ids in enumerate(sources, start=1):
            if len(ids) > limit:
                length = len(ids) - limit + room
                raise DataError(
                    f"line {number}: a text must have at most {room} tokens; got {length}. Split it into sentences."
                )
        return sources

    def _length_limit(self, num_source_ids: int, max_length: int | None) -> int:
        limit = 2 * num_source_ids + 20 if max_length is None else max_length
        return min(limit, self.model.config.max_positions)

    def _likelihood(self, sources: Sequence[str], targets: Sequence[str]) -> Likelihood:
        if len(sources) != len(targets):
            raise DataError(f"sources and targets must be as many; got {len(sources)} and {len(targets)}.")
        text = ParallelText(list(sources), list(targets), "pairs")
        limit = self.model.config.max_positions
        pairs = encode_pairs(text, self.tokenizer, limit, source_tokenizer=self.source_tokenizer)
        if pairs.too_long:
            line, room = pairs.too_long[0] + 1, limit - 1
            raise DataError(f"line {line}: a text must have at most {room} tokens; got more. Split it into sentences.")
        start_ids = self.tokenizer.symbols.start_ids
        batches = in_order(pairs, SCORING_BATCH_TOKENS, pad_id=self.tokenizer.pad_id, start_ids=start_ids)
        return likelihood(self.model, batches)
