"""What there is to say of a translation beside its text: from one pass over the source and what was written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch

from regard.errors import SettingsError
from regard.generation.request import Hypothesis
from regard.inspection.alignment import Alignment, Looker, cross_attention, sharpest_layer
from regard.models.families import PairModel, cross_heads
from regard.text.tokenizer import Tokenizer
from regard.workflow.translation.options import DecodingOptions


@dataclass(frozen=True)
class Described:
    """A source and what was written from it."""

    model: PairModel
    tokenizer: Tokenizer
    source_tokenizer: Tokenizer
    source: str
    target_ids: Sequence[int]
    """Without symbols. One as long as the model can read was cut, and there is nothing to say of its end."""

    def alignment(self, layer: int | None = None, head: int | None = None) -> Alignment:
        """Which source tokens each target token was written from.

        Args:
            layer: of the decoder, from 0; None: the one whose weights are sharpest.
            head: by its first number, from 0; None: the mean over the heads.
        Raises:
            SettingsError: there is no such layer or head.
        """
        weights = [of_layer[:, len(self._start_ids) - 1 :] for of_layer in self._weights()]
        if layer is not None and not 0 <= layer < len(weights):
            raise SettingsError(f"layer must be from 0 to {len(weights) - 1}; got {layer}.")
        chosen, heads = sharpest_layer(weights) if layer is None else layer, cross_heads(self.model)
        if head is not None and head not in heads[chosen]:
            raise SettingsError(f"head must be one that the layer has, of {heads[chosen]}; got {head}.")
        return Alignment(
            self.source_tokenizer.tokens(self._source_ids),
            self.tokenizer.tokens([*self.target_ids, self.tokenizer.eos_id][: weights[0].shape[1]]),
            Looker(chosen, head).of(weights, heads).tolist(),
            chosen,
            self.source_tokenizer.offsets(self.source),
        )

    def coverage(self) -> float:
        """sum over source tokens i of log(min(sum over target tokens j of weights[j, i], 1))

        with the weights of the last decoder layer, the mean over its heads. Source: Wu et al. 2016, equation 14.
        """
        weights = self._weights()[-1].mean(dim=0)
        return float(weights.sum(dim=0).clamp(min=1e-9, max=1).log().sum())

    @torch.inference_mode()
    def alternatives(self, count: int) -> list[list[tuple[str, float]]]:
        """The likeliest tokens at each step, and their log-probabilities."""
        log_probs = self.model(self._row(self._source_ids), self._row(self._read_ids))[0, len(self._start_ids) - 1 :]
        best = log_probs.float().log_softmax(dim=-1).topk(min(count, log_probs.shape[-1]), dim=-1)
        return [
            list(zip(self.tokenizer.tokens(ids), values, strict=True))
            for ids, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    @property
    def _start_ids(self) -> list[int]:
        return list(self.tokenizer.symbols.start_ids)

    @property
    def _read_ids(self) -> list[int]:
        return [*self._start_ids, *self.target_ids][: self.model.config.max_positions]

    @property
    def _source_ids(self) -> list[int]:
        return self.source_tokenizer.frame_source(self.source_tokenizer.encode(self.source))

    def _row(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.tensor([list(ids)], device=next(self.model.parameters()).device)

    def _weights(self) -> list[torch.Tensor]:
        return cross_attention(self.model, self._row(self._source_ids)[0], self._row(self._read_ids)[0])


def by_coverage(
    hypotheses: Sequence[Hypothesis], described: Callable[[Sequence[int]], Described], options: DecodingOptions
) -> list[Hypothesis]:
    """The best hypotheses when their coverage, times the penalty that was asked for, is added to their scores."""
    ranked = [
        replace(found, score=found.score + options.coverage_penalty * described(found.ids).coverage())
        for found in hypotheses
    ]
    return sorted(ranked, key=lambda found: -found.score)[: options.n_best]
