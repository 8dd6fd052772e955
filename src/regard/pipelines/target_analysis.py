"""Alternatives, alignment and coverage of a translation, from one pass over source and target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.data.batch import Batch
from regard.data.batching import in_order
from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.evaluation.text_metrics import sentence_utility
from regard.generation.minimum_bayes_risk import expected_utilities
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis
from regard.generation.threads import check_after_fork
from regard.inspection.alignment import Alignment, AttentionReadout, cross_attention, sharpest_layer
from regard.models.heads import alignment_head, cross_heads
from regard.models.interface import PairModel, one_row
from regard.nn.defined import defined, undefined
from regard.pipelines.translation import Candidate
from regard.text.encoded_sentence import EncodedSentence, text_of
from regard.text.tokenizer import Tokenizer

SCORING_BATCH_TOKENS = 4096
"""Tokens that are scored together."""


@dataclass(frozen=True)
class TargetAnalysis:
    """A source and what was written from it."""

    models: Sequence[PairModel]
    """The models; of an ensemble several. Alignments and coverage are the first one's."""
    tokenizer: Tokenizer
    source_tokenizer: Tokenizer
    source: str | EncodedSentence
    target_ids: Sequence[int]
    """Without symbols."""
    has_end: bool
    """Whether the end symbol follows. A target that was truncated has none."""
    encoded_source: Sequence[int] | None = None
    """The ids that the encoder read, with symbols; None: those of `source`."""
    given_start_ids: Sequence[int] | None = None
    """The ids that the decoder started from; None: those of the tokenizer."""

    def alignment(self, layer: int | None = None, head: int | None = None) -> Alignment:
        """Which source tokens each target token was written from.

        Args:
            layer: of the decoder, from 0; None: that of the model's alignment head, or else the one whose weights are sharpest.
            head: by its first number, from 0; None: the mean over the heads, but for the alignment head.
        Raises:
            SettingsError: there is no such layer or head.
        """
        weights = self._weights()
        if layer is None and head is None and (special := alignment_head(self.models[0])) is not None:
            layer, head = special
        if layer is not None and not 0 <= layer < len(weights):
            raise SettingsError(f"layer must be from 0 to {len(weights) - 1}; got {layer}.")
        chosen, heads = sharpest_layer(weights) if layer is None else layer, cross_heads(self.models[0])
        if head is not None and head not in heads[chosen]:
            raise SettingsError(f"head must be one of {heads[chosen]} in this layer; got {head}.")
        return Alignment(
            self.source_tokenizer.tokens(self._source_ids),
            self.tokenizer.tokens([*self.target_ids, self.tokenizer.eos_id][: weights[0].shape[1]]),
            AttentionReadout(chosen, head).read(weights, heads).tolist(),
            chosen,
            self.source_tokenizer.offsets(self.source) if isinstance(self.source, str) else self.source.offsets,
            has_end=weights[0].shape[1] > len(self.target_ids),
            head=head,
        )

    def coverage(self) -> float:
        """sum over source tokens i of log(min(sum over target tokens j of weights[j, i], 1))

        with the weights of the last decoder layer, the mean over its heads. Source: Wu et al. 2016, equation 14.
        """
        weights = self._weights()[-1].mean(dim=0)
        return float(weights.sum(dim=0).clamp(min=1e-9, max=1).log().sum())

    @torch.inference_mode()
    def alternatives(self, count: int, restricted: Callable[[Tensor], Tensor]) -> list[list[tuple[str, float]]]:
        """The likeliest tokens at each step that can be written, and their log-probabilities: of an ensemble, those of the mean
        probability.

        Args:
            restricted: log-probabilities (token, vocabulary) with -inf for what is not written.
        """
        room = min(model.config.max_positions for model in self.models)
        ids = one_row(self.models[0], self._source_ids), one_row(self.models[0], self._read_ids[:room])
        of_models = defined(torch.stack([model(*ids)[0].float().log_softmax(dim=-1) for model in self.models]))
        log_probs = restricted(self._rows(of_models.logsumexp(dim=0) - math.log(len(self.models))))
        best = log_probs.topk(min(count, log_probs.shape[-1]), dim=-1)
        return [
            [each for each in zip(self.tokenizer.tokens(ids), values, strict=True) if each[1] > -math.inf]
            for ids, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    @torch.inference_mode()
    def token_log_probs(self) -> list[float]:
        """The log-probability of each token by the first model, the end symbol among them if there is one."""
        ids = one_row(self.models[0], self._source_ids), one_row(self.models[0], self._read_ids)
        log_probs = defined(self._rows(self.models[0](*ids)[0].float().log_softmax(dim=-1)))
        written = one_row(self.models[0], [*self.target_ids, self.tokenizer.eos_id][: len(log_probs)])[0]
        return log_probs.gather(-1, written[:, None])[:, 0].tolist()

    @property
    def _read_ids(self) -> list[int]:
        """The input of the first model's decoder: the start symbols, and the target as far as there are positions."""
        return [*self._start_ids, *self.target_ids][: self.models[0].config.max_positions]

    @property
    def _start_ids(self) -> Sequence[int]:
        return self.tokenizer.symbols.start_ids if self.given_start_ids is None else self.given_start_ids

    @property
    def _source_ids(self) -> list[int]:
        if self.encoded_source is not None:
            return list(self.encoded_source)
        return self.source_tokenizer.frame_source(self.source_tokenizer.encode(text_of(self.source)))

    def _rows(self, of_read: Tensor) -> Tensor:
        """The rows, of those for each token that is read, in which the target is predicted, and its end if it has one."""
        first = len(self._start_ids) - 1
        return of_read[..., first : first + len(self.target_ids) + self.has_end, :]

    def _weights(self) -> list[torch.Tensor]:
        """The cross-attention of each row of the target to each source token, layer by layer."""
        of_layers = cross_attention(
            self.models[0], one_row(self.models[0], self._source_ids)[0], one_row(self.models[0], self._read_ids)[0]
        )
        return [self._rows(of_layer) for of_layer in of_layers]


def by_coverage(
    hypotheses: Sequence[Hypothesis], analyze: Callable[[Hypothesis], TargetAnalysis], options: DecodingOptions
) -> list[Hypothesis]:
    """The best hypotheses when their coverage, times the penalty that was asked for, is added to their scores."""
    penalty = options.coverage_penalty
    ranked = [replace(found, score=found.score + penalty * analyze(found).coverage()) for found in hypotheses]
    return sorted(ranked, key=lambda found: -found.score)[: options.n_best]


def candidates_of(hypotheses: Sequence[Hypothesis], tokenizer: Tokenizer, options: DecodingOptions) -> list[Candidate]:
    """The hypotheses as texts; where risk chooses, those of least risk."""
    made = [
        Candidate(
            tokenizer.decode(found.ids),
            found.score,
            tokenizer.tokens(found.ids),
            found.token_log_probs,
            found.finish_reason,
            found.ids,
        )
        for found in hypotheses
    ]
    if options.minimum_bayes_risk is None:
        return made
    expected = expected_utilities([candidate.text for candidate in made], sentence_utility(options.minimum_bayes_risk))
    ranked = sorted(zip(expected, made, strict=True), key=lambda pair: -pair[0])
    apart = {candidate.text: replace(candidate, score=utility) for utility, candidate in reversed(ranked)}
    return sorted(apart.values(), key=lambda candidate: -candidate.score)[: options.n_best]


def pair_likelihood(
    model: PairModel,
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer,
    sources: Sequence[str],
    targets: Sequence[str],
) -> Likelihood:
    """The likelihood of each target, given its source.

    Raises:
        DataError: a text longer than the model can read, or not as many targets as sources.
        SettingsError: a log-probability is NaN.
    """
    if len(sources) != len(targets):
        raise DataError(f"each source needs one target; got {len(sources)} sources and {len(targets)} targets.")
    check_after_fork()
    text = ParallelText(list(sources), list(targets), "pairs")
    found = likelihood(model, scoring_batches(model, tokenizer, source_tokenizer, text))
    if found.num_tokens and math.isnan(found.loss):
        raise undefined()
    return found


def scoring_batches(
    model: PairModel, tokenizer: Tokenizer, source_tokenizer: Tokenizer, text: ParallelText
) -> Iterable[Batch]:
    """Pairs in their order, encoded for a model.

    Raises:
        DataError: a text longer than the model can read.
    """
    limit = model.config.max_positions
    pairs = encode_pairs(text, tokenizer, limit, source_tokenizer=source_tokenizer)
    if pairs.too_long:
        number, room = pairs.too_long[0] + 1, limit - 1
        raise DataError(f"pair {number}: a text must have at most {room} tokens; got more. Split it into sentences.")
    start_ids = tokenizer.symbols.start_ids
    return in_order(pairs, SCORING_BATCH_TOKENS, pad_id=tokenizer.pad_id, start_ids=start_ids)


def target_likelihood(
    models: Sequence[PairModel],
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer,
    sources: Sequence[str],
    targets: Sequence[str],
) -> Likelihood | None:
    """The likelihood of each target, given its source, as for `pair_likelihood`; None for ensembles.

    Args:
        models: of an ensemble, or the only one.
    """
    if len(models) > 1:
        return None
    return pair_likelihood(models[0], tokenizer, source_tokenizer, sources, targets)
