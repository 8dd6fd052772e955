"""Beam search in C: log-probabilities, the best candidates, and whole steps."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.engines import library as c
from regard.engines.library import INTEGERS, NUMBERS, address
from regard.errors import ShapeError
from regard.generation.active_batch import SearchTensors

CandidateTensors = tuple[
    Float[Tensor, "sentence candidate"],
    Int[Tensor, "sentence candidate"],
    Int[Tensor, "sentence candidate"],
    Float[Tensor, "sentence candidate"],
]
"""The scores of candidates, the hypotheses that they continue, their tokens, and the log-probabilities of these alone.
"""


def library_for(*tensors: Tensor) -> c.Library | None:
    """The library, where it can compute with some tensors."""
    if all(x.dtype == torch.float32 and x.device.type == "cpu" for x in tensors):
        return c.find().library
    return None


def log_softmax(library: c.Library, logits: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:
    """Log-probabilities. Each row's do not depend on the others."""
    logits = logits.contiguous()
    found = torch.empty_like(logits)
    size = logits.shape[-1]
    library.functions.regard_log_softmax(logits.numel() // size, size, address(logits), address(found))
    return found


def best_candidates(
    library: c.Library,
    scores: Float[Tensor, "sentence beam"],
    log_probs: Float[Tensor, "sentence beam vocab"],
    count: int,
) -> CandidateTensors:
    """The `count` continuations of each sentence with the highest scores, best first; of equal ones, the last."""
    given = scores.contiguous(), log_probs.contiguous()
    found = _empty_candidates((len(scores), count))
    library.functions.regard_candidates(*log_probs.shape, count, *map(address, given), _pointers(found))
    return found


class FinishedHypothesis(NamedTuple):
    """A hypothesis that has finished."""

    sentence: int
    id: int
    """The last token."""
    score: float
    """The sum of the log-probabilities of all tokens."""
    ids: list[int]
    """The tokens before the last."""
    log_probs: list[float]
    """The log-probabilities of all tokens."""


class NativeSearch:
    """Steps of beam search in C, without groups and phrases.

    Args:
        tensors: are changed in place, and must not be replaced.
        banned_ids: tokens that are never chosen. They matter to whole steps only.
    """

    def __init__(
        self,
        library: c.Library,
        tensors: SearchTensors,
        vocab_size: int,
        end_id: int,
        banned_ids: Int[Tensor, " banned"],
    ) -> None:
        self.library, self.tensors, self.banned_ids = library, tensors, banned_ids
        num_sentences, beams = tensors.newest.shape
        room, prefix_room = tensors.ids.shape[2], tensors.prefixes.shape[1]
        self.kept: Any = None
        """The arguments that the layers of a model keep between whole steps."""
        self.parents = torch.zeros(num_sentences, beams, **INTEGERS)
        """The hypothesis that each one continues, after a step."""
        self.is_blocked = torch.zeros(num_sentences, dtype=torch.bool, device="cpu")
        """The sentences for which no token may be written."""
        most = num_sentences * beams
        self._ended, self._ended_tokens, self._old = (
            (torch.empty(size, **INTEGERS), torch.empty(size, **NUMBERS))
            for size in ((most, 2), (most, room), (beams, room))
        )
        self._candidates = _empty_candidates((1, 2 * beams))
        if tensors.prefixes.numel() and (largest := int(tensors.prefixes.max())) >= vocab_size:
            raise ShapeError(f"the tokens of a prefix must be below {vocab_size}; got {largest}.")
        integers, numbers = partial(address, dtype=torch.long), address
        self.structure = c.Search(
            num_sentences=num_sentences, beams=beams, vocab_size=vocab_size, room=room, end_id=end_id,
            lengths=integers(tensors.lengths), limits=integers(tensors.limits), minima=integers(tensors.minima),
            prefix_room=prefix_room, prefixes=integers(tensors.prefixes), num_banned=len(banned_ids),
            banned=integers(banned_ids), newest=integers(tensors.newest), scores=numbers(tensors.scores),
            ids=integers(tensors.ids), token_log_probs=numbers(tensors.token_log_probs), parents=integers(self.parents),
            ended=integers(self._ended[0]), ended_scores=numbers(self._ended[1]),
            ended_ids=integers(self._ended_tokens[0]), ended_log_probs=numbers(self._ended_tokens[1]),
            is_blocked=address(self.is_blocked, torch.bool), candidates=_pointers(self._candidates),
            old_ids=integers(self._old[0]), old_log_probs=numbers(self._old[1]),
        )  # fmt: skip

    def advance(self, log_probs: Float[Tensor, "sentence beam vocab"]) -> None:
        """Take a step, from the log-probabilities of the next token."""
        log_probs = log_probs.contiguous()
        self.structure.logits, self.structure.totals = address(log_probs), None
        self.library.functions.regard_advance(ctypes.byref(self.structure))

    @property
    def is_blocked_anywhere(self) -> bool:
        """Whether there is a sentence, after the last step, for which no token may be written."""
        return bool(self.structure.num_blocked)

    @property
    def longest(self) -> int:
        """The largest number of tokens of a hypothesis after the last step."""
        return int(self.structure.longest)

    def ended(self) -> list[FinishedHypothesis]:
        """The hypotheses that the last step has finished."""
        found = []
        for index in range(self.structure.num_ended):
            (sentence, id), (score, log_prob) = (each[index].tolist() for each in self._ended)
            length = int(self.tensors.lengths[sentence]) - 1
            ids, log_probs = (each[index, :length].tolist() for each in self._ended_tokens)
            found.append(FinishedHypothesis(sentence, id, score, ids, [*log_probs, log_prob]))
        return found


def _empty_candidates(size: tuple[int, int]) -> CandidateTensors:
    best, added = (torch.empty(size, **NUMBERS) for _ in range(2))
    parents, ids = (torch.empty(size, **INTEGERS) for _ in range(2))
    return best, parents, ids, added


def _pointers(found: CandidateTensors) -> c.Candidates:
    best, parents, ids, added = found
    return c.Candidates(address(best), address(parents, torch.long), address(ids, torch.long), address(added))
