"""Texts to try a model with: those of its validation data that its folder names; of older folders, some that it can read."""

from __future__ import annotations

import json
from pathlib import Path

from regard.checkpoint import RESULTS
from regard.text.tokenizer import Tokenizer

MOST_EXAMPLES, LONGEST = 3, 400
USUAL = {
    "en": ("Two dogs play in the snow.", "two dogs are playing in the snow ."),
    "de": ("Zwei Hunde spielen im Schnee.", "zwei hunde spielen im schnee ."),
    "fr": ("Deux chiens jouent dans la neige.", "deux chiens jouent dans la neige ."),
}
"""By language, for models whose folder names none: the one is offered of which a model knows the most."""


def examples_of(folder: Path, language: str, tokenizer: Tokenizer) -> list[str]:
    """A few texts for a model.

    Args:
        language: of its sources.
        tokenizer: of its sources.
    """
    try:
        found = json.loads((folder / RESULTS).read_text(encoding="utf-8")).get("examples")
    except (OSError, ValueError, AttributeError, RecursionError):  # it was converted, or its file is not what it was
        found = None
    if isinstance(found, list):
        texts = [each for each in found if isinstance(each, str) and each.strip() and len(each) <= LONGEST]
        if texts:
            return texts[:MOST_EXAMPLES]
    usual = USUAL.get(language, ())
    return [min(usual, key=lambda each: tokenizer.encode(each).count(tokenizer.unk_id))] if usual else []
