"""How likely a model finds given translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regard.data.batching import in_order
from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.errors import DataError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.generation.threads import check_after_fork
from regard.models.interface import PairModel
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
