"""Subword regularization: a word is segmented differently each time it is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

from regard.errors import SettingsError
from regard.text.tokenizer import Tokenizer

SPACE = "▁"
Segmenter = Callable[[Sequence[int], Random], Sequence[int]]
"""A function that segments a text in another way: ids to other ids of the same text."""


class BpeDropout:
    """Segmentation by byte pair encoding with merges left out at random.

    A word (a line, where tokens reach across spaces) begins as its characters. In each round every merge that could be made is
    left out with probability `dropout`, and the first learnt of the others is made, until none is. At 0 this is byte pair
    encoding itself.

    Works on ids, so that the text is not needed: what ordinary encoding made is taken apart, and put together again.

    Args:
        max_tokens: a text that would become longer than this stays as it was.
    Source: Provilkov et al. 2020, algorithm 1.
    """

    def __init__(self, tokenizer: Tokenizer, dropout: float, max_tokens: int) -> None:
        assert merges_pairs(tokenizer)
        backend = json.loads(tokenizer.backend_json)
        model = backend["model"]
        vocabulary: dict[str, int] = model["vocab"]
        merges = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["merges"]]
        self.dropout, self.max_tokens = dropout, max_tokens
        self._merged = {
            (vocabulary[left], vocabulary[right]): (rank, vocabulary[left + right])
            for rank, (left, right) in enumerate(merges)
        }
        special = tokenizer.symbols.special_ids
        self._characters = {
            id: [id] if id in special else [vocabulary[character] for character in token]
            for token, id in vocabulary.items()
        }
        across = any(step.get("split") is False for step in backend["pre_tokenizer"]["pretokenizers"])
        self._begins_word = special | {id for token, id in vocabulary.items() if token.startswith(SPACE) and not across}

    def __call__(self, ids: Sequence[int], random: Random) -> list[int]:
        """Other ids of the same text; symbols stay what they are."""
        cut: list[int] = []
        word: list[int] = []
        for id in ids:
            if word and (id in self._begins_word or id not in self._characters):
                cut += self._merge(word, random)
                word = []
            word += self._characters.get(id, [id])  # a token that was added is never cut
        cut += self._merge(word, random)
        return cut if len(cut) <= self.max_tokens else list(ids)

    def _merge(self, symbols: list[int], random: Random) -> list[int]:
        while len(symbols) > 1:
            first, place = None, 0
            for index in range(len(symbols) - 1):
                merge = self._merged.get((symbols[index], symbols[index + 1]))
                if merge and (first is None or merge < first) and random.random() >= self.dropout:
                    first, place = merge, index
            if first is None:
                break
            symbols = [*symbols[:place], first[1], *symbols[place + 2 :]]
        return symbols


def make_segmenters(tokenizers: Sequence[Tokenizer], dropout: float, max_tokens: int) -> list[Segmenter]:
    """The functions that resample the texts of each tokenizer: those of kind bpe by `BpeDropout`, others stay as they
    are.

    Raises:
        SettingsError: none is of kind bpe.
    """
    if not any(map(merges_pairs, tokenizers)):
        kinds = " and ".join(sorted({_kind(tokenizer) for tokenizer in tokenizers}))
        raise SettingsError(f"`data.bpe_dropout` needs a tokenizer of kind bpe; got {kinds}.")
    return [BpeDropout(each, dropout, max_tokens) if merges_pairs(each) else _as_it_is for each in tokenizers]


def merges_pairs(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer is of ours, and of kind bpe."""
    return tokenizer.is_ours and _kind(tokenizer) == "bpe"


def _kind(tokenizer: Tokenizer) -> str:
    """The kind in the words of the settings; characters are BPE without merges."""
    model = json.loads(tokenizer.backend_json)["model"]
    if model["type"] == "BPE":
        return "bpe" if model["merges"] else "characters"
    return {"Unigram": "unigram", "WordLevel": "words"}.get(model["type"], model["type"])


def _as_it_is(ids: Sequence[int], random: Random) -> Sequence[int]:
    return ids
