"""Tokens of texts that a vocabulary lacks. A model reads and scores all of them as one symbol, whatever they spell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from regard.text.tokenizer import Tokenizer
from regard.text.wording import counted

MOST_LOOKED_AT = 1000
"""Texts whose unknown letters are looked for."""


def count_unknown(texts: Sequence[str], tokenizer: Tokenizer) -> int:
    """The number of tokens of some texts that are unknown to a vocabulary."""
    return sum(row.count(tokenizer.unk_id) for row in tokenizer.encode_batch(list(texts)))


def unknown_tokens(texts: Sequence[str], tokenizer: Tokenizer) -> tuple[float, list[str]]:
    """The share of the tokens of some texts that are unknown to a vocabulary, and the letters that it lacks, the most frequent
    first; where its tokens are words, the words.
    """
    texts = texts[:MOST_LOOKED_AT]
    ids = [each for text in texts for each in tokenizer.encode(text)]
    share = ids.count(tokenizer.unk_id) / max(len(ids), 1)
    if not share:
        return 0.0, []
    parts = Counter(part for text in texts for part in (text.split() if tokenizer.has_words else "".join(text.split())))
    return share, [part for part, _ in parts.most_common() if tokenizer.unk_id in tokenizer.encode(part)]


def unknown_notes(**counts: int) -> list[str]:
    """The sentences that tell users of such tokens; none, where there is no such token.

    Args:
        counts: of unknown tokens, by a word for their texts, such as `source`.
    """
    return [
        f"{counted(count, 'token')} of the {what}s {'is' if count == 1 else 'are'} unknown to the model's vocabulary"
        for what, count in counts.items()
        if count
    ]
