"""The cost of storing a model in 8 bits, measured on pairs: `regard convert --to regard-int8 --valid`."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.data.batch import Batch
from regard.data.corpus import ParallelText
from regard.engines.engine_choice import compile_model
from regard.pipelines.target_analysis import scoring_batches
from regard.pipelines.translator import Translator


class RoundingCost(NamedTuple):
    """The difference of two models on the same targets, the end symbols included."""

    num_tokens: int
    mean_change: float
    """The mean log-probability of a token by the rounded model, minus that by the exact one, in nats."""
    mean_difference: float
    """The mean magnitude of the difference of a token's log-probability."""
    largest_difference: float

    def __str__(self) -> str:
        return (
            f"log-probability of a token changed by {self.mean_change:+.4f} nats on average over {self.num_tokens:,} tokens "
            f"(magnitude {self.mean_difference:.4f} on average, {self.largest_difference:.2f} at most)"
        )


@torch.inference_mode()
def rounding_cost(exact: Translator, rounded: Translator, pairs: ParallelText) -> RoundingCost:
    """The difference of the log-probabilities that two models give to the targets of some pairs, each decoding with its
    own engine.

    Raises:
        DataError: a text longer than the model can read.
    """
    models = [compile_model(each.model) for each in (exact, rounded)]
    batches = scoring_batches(exact.model, exact.tokenizer, exact.source_tokenizer, pairs)
    pad_id = exact.model.config.pad_id
    before, after = zip(*([_log_probs(model, batch, pad_id) for model in models] for batch in batches), strict=True)
    changes = torch.cat(after).double() - torch.cat(before).double()
    sizes = changes.abs()
    return RoundingCost(len(changes), float(changes.mean()), float(sizes.mean()), float(sizes.max()))


def _log_probs(model: Any, batch: Batch, pad_id: int) -> Tensor:
    """The log-probability of each label, from one step of a compiled model after the other."""
    state, columns = model.prefill(batch.source_ids), []
    for ids, labels in zip(batch.target_ids.mT, batch.labels.mT, strict=True):
        logits, state = model.decode_step(ids[:, None], state)
        columns.append(logits[:, 0].log_softmax(dim=-1).gather(1, labels[:, None])[:, 0])
    return torch.stack(columns, dim=1)[batch.labels != pad_id]
