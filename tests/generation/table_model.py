"""An oracle for decoding: a model in which each beginning of a target has random logits of its own."""

import itertools
import math
from dataclasses import dataclass

import torch

from regard.generation.filters import BannedPhrases
from regard.generation.request import Hypothesis, TargetSymbols
from regard.text.phrases import PhraseEndings, Surfaces

BOS, EOS, VOCAB = 2, 3, 6
SYMBOLS = TargetSymbols([BOS], EOS)


def without(*phrases: tuple[int, ...], vocab: int = VOCAB) -> BannedPhrases:
    """A filter that forbids phrases of ids: each token writes a Chinese character, which may stand anywhere."""
    surfaces = Surfaces([chr(0x4E00 + id).encode() for id in range(vocab)])
    return BannedPhrases(PhraseEndings([surfaces.written(phrase) for phrase in phrases], surfaces))


@dataclass(frozen=True)
class TableState:
    prefixes: list[list[tuple[int, ...]]]

    def select(self, sentences: torch.Tensor, parents: torch.Tensor) -> "TableState":
        rows = zip(sentences.tolist(), parents.tolist(), strict=True)
        return TableState([[self.prefixes[sentence][parent] for parent in kept] for sentence, kept in rows])

    def release(self, slots: torch.Tensor) -> "TableState":
        return self

    def replace(self, slots: torch.Tensor, other: "TableState", sentences: torch.Tensor) -> "TableState":
        for slot, sentence in zip(slots.tolist(), sentences.tolist(), strict=True):
            self.prefixes[slot] = other.prefixes[sentence]
        return self


class TableModel:
    """Logits are drawn from the source's number and the prefix."""

    def __init__(self, vocab: int = VOCAB, spread: float = 2.0) -> None:
        self.vocab, self.spread = vocab, spread

    def logits(self, source: int, prefix: tuple[int, ...]) -> torch.Tensor:
        seed = hash((source, *prefix)) % 2**31
        return self.spread * torch.randn(self.vocab, generator=torch.Generator().manual_seed(seed))

    def log_probs(self, source: int, prefix: tuple[int, ...]) -> list[float]:
        """Of each token after a prefix, the begin symbol left out."""
        return self.logits(source, (BOS, *prefix)).log_softmax(0).tolist()

    def prefill(self, source_ids: torch.Tensor) -> TableState:
        return TableState([[(source,)] for source in source_ids[:, 0].tolist()])

    def decode_step(self, ids: torch.Tensor, state: TableState) -> tuple[torch.Tensor, TableState]:
        grown = [
            [(*prefix, id) for prefix, id in zip(prefixes, row, strict=True)]
            for prefixes, row in zip(state.prefixes, ids.tolist(), strict=True)
        ]
        logits = [[self.logits(prefix[0], prefix[1:]) for prefix in prefixes] for prefixes in grown]
        return torch.stack([torch.stack(row) for row in logits]), TableState(grown)


def all_targets(source: int, max_length: int) -> list[Hypothesis]:
    """Every target there is, with its log-probability as its score."""
    model, found = TableModel(), []
    for length in range(1, max_length + 1):
        for ids in itertools.product(range(VOCAB), repeat=length):
            ends = ids[-1] == EOS
            if EOS in ids[:-1] or (not ends and length < max_length):
                continue
            log_probs = [model.log_probs(source, ids[:i])[id] for i, id in enumerate(ids)]
            body = list(ids[:-1] if ends else ids)
            found.append(Hypothesis(body, log_probs, math.fsum(log_probs), "eos" if ends else "length"))
    return found
