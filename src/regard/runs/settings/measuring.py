"""Measurements of pairs of texts: the length of their lines, the frequency of their words and letters."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from regard.data.corpus import NumberedPair, Pairs
from regard.data.encoding import is_large
from regard.text.words import split_words

FEW = 10
"""A word or token that is seen less often is rare: its embedding hardly learns."""
MEASURED_PAIRS = 20_000
"""The most pairs that are looked at."""


@dataclass(frozen=True)
class Side:
    """A side of some pairs. A word is what stands between spaces; spaces are no letters."""

    words_of_a_line: float
    """On average, as the two below."""
    letters_of_a_line: float
    letters_of_a_word: float
    different_words: int
    rare_words: float
    """The share of words that are seen under ten times, 0 to 1."""
    new_words: float
    """The probability that the next word was never seen: the share of words that are seen once. Source: Good 1953."""
    rare_letters: float
    """The share of letters that are seen under ten times, 0 to 1."""
    rare_parts: float
    """The same after normal form D, which takes accents off letters and Hangul apart."""


def measured(texts: Iterable[str]) -> Side:
    """The measurements of some lines."""
    words, lines = Counter[str](), 0
    for text in texts:
        words.update(split_words(normalize("NFC", text)))
        lines += 1
    letters, parts = Counter[str](), Counter[str]()
    for word, count in words.items():
        for letter in word:
            letters[letter] += count
        for part in normalize("NFD", word):
            parts[part] += count
    once = sum(1 for count in words.values() if count == 1)
    lines, num_words, num_letters = max(lines, 1), max(words.total(), 1), letters.total()
    return Side(
        words.total() / lines, num_letters / lines, num_letters / num_words, len(words),
        rare_share(words), once / num_words, rare_share(letters), rare_share(parts),
    )  # fmt: skip


def rare_share(counts: Counter[str] | Counter[int]) -> float:
    """The share, of all that was counted, of things that are seen under ten times."""
    return sum(count for count in counts.values() if count < FEW) / max(counts.total(), 1)


def some_pairs(corpora: Sequence[Pairs]) -> Iterator[NumberedPair]:
    """At most `MEASURED_PAIRS` pairs: evenly spread, or of large corpora, which take minutes to read, the first of each."""
    if is_large(corpora):
        share = max(MEASURED_PAIRS // len(corpora), 1)
        yield from itertools.chain.from_iterable(itertools.islice(corpus.numbered(), share) for corpus in corpora)
        return
    every = max(-(-sum(corpus.num_lines for corpus in corpora) // MEASURED_PAIRS), 1)
    pairs = itertools.chain.from_iterable(corpus.numbered() for corpus in corpora)
    yield from itertools.islice(pairs, 0, None, every)
