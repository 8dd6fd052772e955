"""Log-probabilities of given translations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from regard.data.batching import in_order
from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.errors import DataError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.generation.threads import check_after_fork
from regard.models.interface import PairModel
from regard.pipelines.target_analysis import Described
from regard.pipelines.translation import ForcedScore
from regard.text.length_limits import to_ids
from regard.text.tokenizer import Tokenizer

SCORING_BATCH_TOKENS = 4096


def forced_scores(*pairs: Any) -> dict[str, float]:
    """Two scores of given targets, by name; the arguments are those of `pair_likelihood`."""
    scored = pair_likelihood(*pairs)
    return {"token_accuracy": scored.token_accuracy, "perplexity": scored.perplexity}


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
    """
    if len(sources) != len(targets):
        raise DataError(f"each source needs one target; got {len(sources)} sources and {len(targets)} targets.")
    check_after_fork()
    text = ParallelText(list(sources), list(targets), "pairs")
    limit = model.config.max_positions
    pairs = encode_pairs(text, tokenizer, limit, source_tokenizer=source_tokenizer)
    if pairs.too_long:
        number, room = pairs.too_long[0] + 1, limit - 1
        raise DataError(f"pair {number}: a text must have at most {room} tokens; got more. Split it into sentences.")
    start_ids = tokenizer.symbols.start_ids
    batches = in_order(pairs, SCORING_BATCH_TOKENS, pad_id=tokenizer.pad_id, start_ids=start_ids)
    return likelihood(model, batches)


def pair_scores(
    describe: Callable[[str, Sequence[int]], Described],
    sources: Sequence[str],
    targets: Sequence[str | Sequence[int]],
    alternatives: int,
    writable: Callable[[Tensor], Tensor],
) -> list[ForcedScore]:
    """The log-probability of each target, given its source.

    Args:
        targets: texts, or the ids of their tokens: a model may write a text in other tokens than those it is cut into.
        alternatives: how many of the likeliest tokens in the place of each to return, of those that `writable` leaves.
    Raises:
        DataError: a text longer than the model can read, or not as many targets as sources.
    """
    of_model = describe("", [])
    model, tokenizer, reader = of_model.models[0], of_model.tokenizer, of_model.source_tokenizer
    texts = [each if isinstance(each, str) else "" for each in targets]
    found = pair_likelihood(model, tokenizer, reader, sources, texts)
    room, rows = model.config.max_positions - len(tokenizer.symbols.start_ids), []
    for number, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
        ids = to_ids(target, tokenizer, model.config.vocab_size)
        if len(ids) > room:
            raise DataError(f"pair {number}: a text must have at most {room} tokens; got {len(ids)}.")
        described = describe(source, ids)
        values = found.token_log_probs[number - 1] if isinstance(target, str) else described.token_log_probs()
        likeliest = described.alternatives(alternatives, writable) if alternatives else None
        rows.append(
            ForcedScore(math.fsum(values), tokenizer.tokens([*ids, tokenizer.eos_id]), values, likeliest, list(ids))
        )
    return rows
