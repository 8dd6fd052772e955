"""Scores for display: their titles, and their formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCORES = {
    "bleu": ("BLEU", ".2f", "BLEU", ""),
    "chrf": ("chrF", ".2f", "chrF", ""),
    "exact_match": ("exact match", ".2%", "exact match", ""),
    "accuracy": ("accuracy", ".2%", "accuracy", ""),
    "macro_f1": ("macro F1", ".2%", "macro F1", "the mean of the labels' F1"),
    "token_accuracy": ("token accuracy", ".2%", "token accuracy", "each token after the right ones"),
    "nats_per_token": ("nats per token", ".4f", "loss", "nats per token, line breaks included"),
    "perplexity": ("perplexity per token", ".3f", "perplexity", "per token, end symbol included"),
    "nats_per_character": ("nats per character", ".4f", "nats", "per character"),
    "bits_per_byte": ("bits per byte", ".4f", "bits", "per byte of UTF-8"),
}
"""The title of each score and its format; and where a note stands behind it, a shorter title, and the note."""

OLD_TASK = "old_task"
"""The key, in the results of a run, of the scores on data of an older task."""
NO_BLEU = "no reference has the 4 tokens that BLEU counts by"


def shown_score(results: Mapping[str, Any], key: str, form: str, *, with_signature: bool = False) -> str:
    """Format a score for display, and say how it was counted; or why it is meaningless."""
    if key == "bleu" and not results.get("bleu_counts", True):
        return f"- ({NO_BLEU})"
    signature = results.get("signatures", {}).get(key) if with_signature else None
    return f"{results[key]:{form}}" + (f" (`{signature}`)" if signature else "")


def shown_scores(results: Mapping[str, Any]) -> dict[str, str]:
    """The scores that some results have, by their titles."""
    return {title: shown_score(results, key, form) for key, (title, form, *_) in SCORES.items() if key in results}


def changes(old_task: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The title of each score, with its value before the run and after it.

    Args:
        old_task: the scores `before` and `after`.
    """
    then, now = (_by_direction(old_task.get(when, {})) for when in ("before", "after"))
    if [*then] == [""] and len(now) == 1:  # the older model knew one direction, and no name of it
        then = dict(zip(now, then.values(), strict=True))
    return [
        (
            ", ".join(filter(None, (direction, title))),
            shown_score(before, key, form),
            shown_score(now[direction], key, form),
        )
        for direction, before in then.items()
        if direction in now
        for key, (title, form, *_) in SCORES.items()
        if key in before and key in now[direction] and (key != "bleu" or before.get("bleu_counts", True))
    ]


def _by_direction(scores: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The scores of each direction; under an empty name, those of a model without languages."""
    return dict(scores.get("by_direction", {"": scores}))
