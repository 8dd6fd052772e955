"""The distribution of the next token at a place of a text, and what sampling makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.analysis.patching import spelled
from regard.errors import SettingsError
from regard.generation.rules.sampling import SamplingOptions, filtered_logits
from regard.inspection.inspection import Inspection
from regard.models.interface import PairModel, TokenModel, one_row
from regard.pipelines.pipeline import Pipeline


@dataclass(frozen=True)
class NextToken:
    """A token that may be written next."""

    token: str
    prob: float
    """The probability that the model gives it."""
    drawn: float
    """The probability that sampling draws it."""


@dataclass(frozen=True)
class NextTokens:
    """The likeliest next tokens, the likeliest first, and all others together."""

    tokens: list[NextToken]
    num_others: int
    """The number of other tokens that can be written."""
    others: float
    """The probability of all others together."""
    others_drawn: float
    """The probability that sampling draws one of them."""
    num_drawable: int
    """The number of tokens that sampling can draw."""


@torch.no_grad()
def next_log_probs(pipeline: Pipeline, seen: Inspection, row: int) -> Tensor:
    """The log-probability of each token at a place; -inf for those that are never written.

    Args:
        seen: an inspection by this model.
        row: from 0: of a translation, the token that is written there; of a text, the token that was read last.
    Raises:
        SettingsError: a row that is not, or a model that writes no tokens.
    """
    model = pipeline.model
    if not isinstance(model, PairModel | TokenModel):
        raise SettingsError("The next token needs a model that writes; got one that labels texts.")
    logits = model.logits(model.states(*(one_row(model, ids) for ids in seen.read_ids)))[0]
    num_rows = len(logits) if seen.target is None else len(seen.token_log_probs)
    if not 0 <= row < num_rows:
        raise SettingsError(f"row must be from 0 to {num_rows - 1}; got {row}.")
    log_probs = logits[len(logits) - num_rows + row].float().log_softmax(dim=-1)
    banned = torch.tensor([id for id in pipeline.tokenizer.symbols.banned_ids if id >= 0], dtype=torch.long)
    return log_probs.index_fill(0, banned.to(log_probs.device), -torch.inf)


@torch.no_grad()
def next_tokens(
    pipeline: Pipeline, seen: Inspection, row: int, settings: SamplingOptions | None = None, *, count: int = 8
) -> NextTokens:
    """The likeliest tokens at a place, and the probability with which sampling draws each.

    Args:
        seen: an inspection by this model.
        row: as for `next_log_probs`.
        settings: of sampling; None: at temperature 1, from all tokens.
        count: how many tokens are named.
    Raises:
        SettingsError: as for `next_log_probs`.
    """
    log_probs = next_log_probs(pipeline, seen, row)
    logits = filtered_logits(log_probs, settings or SamplingOptions())
    drawn = logits.softmax(dim=-1)
    best = log_probs.topk(min(count, int((log_probs > -torch.inf).sum())))
    probs, drawn_best = best.values.exp().tolist(), drawn[best.indices].tolist()
    return NextTokens(
        [NextToken(*each) for each in zip(spelled(pipeline, best.indices.tolist()), probs, drawn_best, strict=True)],
        int((log_probs > -torch.inf).sum()) - len(probs),
        max(0.0, float(log_probs.exp().sum()) - sum(probs)),
        max(0.0, 1.0 - sum(drawn_best)),
        int((logits > -torch.inf).sum()),
    )
