"""What follows a model's logits, in C: their log-probabilities, the best candidates, and a step of beam search."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.engines import library as c

Found = tuple[
    Float[Tensor, "sentence candidate"],
    Int[Tensor, "sentence candidate"],
    Int[Tensor, "sentence candidate"],
    Float[Tensor, "sentence candidate"],
]
"""Of candidates: the scores of the whole, what they continue, the tokens, and the log-probabilities of these alone."""


def library_for(*tensors: Tensor) -> c.Library | None:
    """The library, where it can compute with some tensors."""
    if all(x.dtype == torch.float32 and x.device.type == "cpu" for x in tensors):
        return c.find().library
    return None


def log_softmax(logits: Float[Tensor, "*batch vocab"]) -> Float[Tensor, "*batch vocab"]:
    """Log-probabilities, in float32 at least. Each row's do not depend on the others."""
    library = library_for(logits)
    if library is None:
        return logits.log_softmax(dim=-1, dtype=torch.promote_types(logits.dtype, torch.float32))
    logits = logits.contiguous()
    found = torch.empty_like(logits)
    size = logits.shape[-1]
    library.functions.regard_log_softmax(logits.numel() // size, size, logits.data_ptr(), found.data_ptr())
    return found


def best_candidates(
    library: c.Library,
    scores: Float[Tensor, "sentence beam"],
    log_probs: Float[Tensor, "sentence beam vocab"],
    count: int,
) -> Found:
    """The `count` continuations of each sentence with the highest scores, best first; of equal ones, the last."""
    given = scores.contiguous(), log_probs.contiguous()
    found = _room_for((len(scores), count))
    library.functions.regard_candidates(*log_probs.shape, count, *(x.data_ptr() for x in given), _pointers(found))
    return found


class SearchTensors(NamedTuple):
    """The hypotheses of a search. Those that are not said to stay change in place with each step."""

    newest: Int[Tensor, "sentence beam"]
    """The newest tokens."""
    scores: Float[Tensor, "sentence beam"]
    """Sums of log-probabilities; -inf where there is no hypothesis."""
    lengths: Int[Tensor, " sentence"]
    """Tokens written."""
    ids: Int[Tensor, "sentence beam room"]
    token_log_probs: Float[Tensor, "sentence beam room"]
    limits: Int[Tensor, " sentence"]
    """Tokens that may be written, the end symbol counted. It stays."""
    minima: Int[Tensor, " sentence"]
    """Tokens that must be written, the end symbol counted. It stays."""
    prefixes: Int[Tensor, "sentence prefix"]
    """What a target must begin with, then -1. It stays."""


class Ended(NamedTuple):
    """A hypothesis that has finished."""

    sentence: int
    id: int
    """Its newest token."""
    score: float
    """The sum of its log-probabilities."""
    ids: list[int]
    """Its tokens before the newest."""
    log_probs: list[float]
    """Of all its tokens."""


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
        """What the layers of a model keep between whole steps."""
        self.parents = torch.zeros(num_sentences, beams, dtype=torch.long)
        """What each hypothesis continues, after a step."""
        self.is_blocked = torch.zeros(num_sentences, dtype=torch.bool)
        """The sentences for which no token may be written."""
        most = num_sentences * beams
        self._ended = torch.empty(most, 2, dtype=torch.long), torch.empty(most, 2)
        self._ended_tokens = torch.empty(most, room, dtype=torch.long), torch.empty(most, room)
        self._candidates = _room_for((1, 2 * beams))
        self._old = torch.empty(beams, room, dtype=torch.long), torch.empty(beams, room)
        assert all(each.is_contiguous() for each in (*tensors, banned_ids))
        of = Tensor.data_ptr
        self.structure = c.Search(
            num_sentences=num_sentences, beams=beams, vocab_size=vocab_size, room=room, end_id=end_id,
            lengths=of(tensors.lengths), limits=of(tensors.limits), minima=of(tensors.minima), prefix_room=prefix_room,
            prefixes=of(tensors.prefixes), num_banned=len(banned_ids), banned=of(banned_ids), newest=of(tensors.newest),
            scores=of(tensors.scores), ids=of(tensors.ids), token_log_probs=of(tensors.token_log_probs),
            parents=of(self.parents), ended=of(self._ended[0]), ended_scores=of(self._ended[1]),
            ended_ids=of(self._ended_tokens[0]), ended_log_probs=of(self._ended_tokens[1]),
            is_blocked=of(self.is_blocked), candidates=_pointers(self._candidates), old_ids=of(self._old[0]),
            old_log_probs=of(self._old[1]),
        )  # fmt: skip

    def advance(self, log_probs: Float[Tensor, "sentence beam vocab"]) -> None:
        """One step, from the log-probabilities of the next token."""
        log_probs = log_probs.contiguous()
        self.structure.logits, self.structure.totals = log_probs.data_ptr(), None
        self.library.functions.regard_advance(ctypes.byref(self.structure))

    @property
    def is_blocked_anywhere(self) -> bool:
        """Whether there is a sentence, after the last step, for which no token may be written."""
        return bool(self.structure.num_blocked)

    @property
    def longest(self) -> int:
        """The most tokens that any hypothesis has after the last step."""
        return int(self.structure.longest)

    def ended(self) -> list[Ended]:
        """The hypotheses that the last step has finished."""
        found = []
        for index in range(self.structure.num_ended):
            (sentence, id), (score, log_prob) = (each[index].tolist() for each in self._ended)
            length = int(self.tensors.lengths[sentence]) - 1
            ids, log_probs = (each[index, :length].tolist() for each in self._ended_tokens)
            found.append(Ended(sentence, id, score, ids, [*log_probs, log_prob]))
        return found


def _room_for(size: tuple[int, int]) -> Found:
    return torch.empty(size), *(torch.empty(size, dtype=torch.long) for _ in range(2)), torch.empty(size)  # type: ignore[return-value]


def _pointers(found: Found) -> c.Candidates:
    return c.Candidates(*(x.data_ptr() for x in found))
