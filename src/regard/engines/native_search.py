"""Beam search in C: log-probabilities, the best candidates, and whole steps."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.compiled import library as c
from regard.compiled.library import INTEGERS, NUMBERS, address
from regard.errors import ShapeError
from regard.generation.active_batch import SearchTensors
from regard.generation.request import Hypothesis
from regard.generation.rules.beam import BeamSettings
from regard.generation.rules.repetition_loops import LONGEST_BLOCK, LOOP_TOKENS
from regard.generation.step_limit import StepLimit

SPARE_ENDED = 32
"""Finished hypotheses of a call, beyond those of one step: with more, it ends."""

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
        settings: BeamSettings,
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
        most_ended = num_sentences * beams + SPARE_ENDED
        self._ended = torch.empty(most_ended, 3, **INTEGERS), torch.empty(most_ended, 2, **NUMBERS)
        self._ended_tokens, self._old = (
            (torch.empty(size, room, **INTEGERS), torch.empty(size, room, **NUMBERS)) for size in (most_ended, beams)
        )
        self._num_best = settings.n_best
        self._is_open = (ctypes.c_uint8 * num_sentences)()
        self._num_finished = (ctypes.c_int64 * num_sentences)()
        self._best_finished = (ctypes.c_double * (num_sentences * settings.n_best))()
        self._normalizers = _normalizers(settings, room)
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
            old_ids=integers(self._old[0]), old_log_probs=numbers(self._old[1]), loop_tokens=LOOP_TOKENS,
            longest_block=LONGEST_BLOCK, most_ended=most_ended, is_open=ctypes.addressof(self._is_open),
            num_best=settings.n_best, stops_early=settings.early_stopping,
            normalizers=ctypes.addressof(self._normalizers), num_finished=ctypes.addressof(self._num_finished),
            best_finished=ctypes.addressof(self._best_finished),
        )  # fmt: skip

    def begin(self, most_steps: int, limit: StepLimit) -> None:
        """Set how many whole steps the next call may take, and the flag that ends it earlier."""
        self.structure.most_steps, self.structure.interrupt = most_steps, limit.address

    def note_finished(self, finished: Sequence[Sequence[Hypothesis]]) -> None:
        """Note the hypotheses of each sentence that have finished, where they are not those that this search has finished."""
        for sentence, hypotheses in enumerate(finished):
            if self._num_finished[sentence] != len(hypotheses):
                best = sorted((each.score for each in hypotheses), reverse=True)[: self._num_best]
                self._num_finished[sentence] = len(hypotheses)
                for place, score in enumerate(best, start=sentence * self._num_best):
                    self._best_finished[place] = score

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
    def repeats_anywhere(self) -> bool:
        """Whether there is a hypothesis, after the last step, that only repeats itself."""
        return bool(self.structure.num_repeating)

    @property
    def is_undefined_anywhere(self) -> bool:
        """Whether there is a hypothesis after which no token has a probability, after whole steps."""
        return bool(self.structure.num_undefined)

    @property
    def num_steps(self) -> int:
        """The number of steps of the last call."""
        return int(self.structure.num_steps)

    def ended(self) -> list[FinishedHypothesis]:
        """The hypotheses that the last call has finished."""
        count = self.structure.num_ended
        ended, scores = (each[:count].tolist() for each in self._ended)
        tokens = (each.numpy() for each in self._ended_tokens)  # NumPy's rows are made ten times as fast
        return [
            FinishedHypothesis(sentence, id, score, ids[:length].tolist(), [*log_probs[:length].tolist(), log_prob])
            for (sentence, id, length), (score, log_prob), ids, log_probs in zip(ended, scores, *tokens, strict=False)
        ]


@lru_cache(maxsize=64)
def _normalizers(settings: BeamSettings, room: int) -> Any:
    """The divisor of the score of a hypothesis, by its length."""
    return (ctypes.c_double * (room + 2))(*(settings.normalizer(max(length, 1)) for length in range(room + 2)))


def _empty_candidates(size: tuple[int, int]) -> CandidateTensors:
    best, added = (torch.empty(size, **NUMBERS) for _ in range(2))
    parents, ids = (torch.empty(size, **INTEGERS) for _ in range(2))
    return best, parents, ids, added


def _pointers(found: CandidateTensors) -> c.Candidates:
    best, parents, ids, added = found
    return c.Candidates(address(best), address(parents, torch.long), address(ids, torch.long), address(added))
