"""A sentence with its tokens, so that it is encoded once on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class EncodedSentence:
    """A sentence with its tokens, as `Tokenizer.encode_sentence` makes it."""

    text: str
    ids: Sequence[int]
    """The ids of its tokens, without symbols."""
    offsets: Sequence[tuple[int, int]]
    """For each token, its first character and the one after its last."""


def text_of(sentence: str | EncodedSentence) -> str:
    """The text of a sentence."""
    return sentence if isinstance(sentence, str) else sentence.text
