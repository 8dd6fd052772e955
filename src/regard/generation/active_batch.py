"""The active hypotheses: a table of slots, each with a sentence that is being decoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.data.batch import pad_right
from regard.errors import SettingsError
from regard.generation.request import FinishReason, Hypothesis, Request


class SearchTensors(NamedTuple):
    """The tensors of a search. A step changes them in place, but for `limits`, `minima` and `prefixes`."""

    newest: Int[Tensor, "sentence beam"]
    """The newest tokens."""
    scores: Float[Tensor, "sentence beam"]
    """Sums of log-probabilities; -inf where there is no hypothesis."""
    lengths: Int[Tensor, " sentence"]
    """Tokens written."""
    ids: Int[Tensor, "sentence beam room"]
    token_log_probs: Float[Tensor, "sentence beam room"]
    limits: Int[Tensor, " sentence"]
    """Tokens that may be written, the end symbol counted."""
    minima: Int[Tensor, " sentence"]
    """Tokens that must be written, the end symbol counted."""
    prefixes: Int[Tensor, "sentence prefix"]
    """The tokens that a target must begin with, then -1."""


class ActiveBatch:
    """Tokens and scores by slot and beam, on the CPU. The best hypothesis of a slot comes first.

    A missing hypothesis (fewer than `beam_size` were found, or the slot is free) has the score -inf.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        requests: Sequence[Request],
        newest: Int[Tensor, " slot"],
        width: int,
        starts: Sequence[int],
    ) -> None:
        """New sentences without tokens.

        Args:
            newest: the first input of each.
            width: hypotheses for each.
            starts: which of them a sentence begins with; the others are missing.
        """
        size = len(requests)
        self.numbers = list(numbers)
        """The number of the request in each slot."""
        self.requests: list[Request | None] = list(requests)
        """The request of each slot; None where it is free."""
        self.finished: list[list[Hypothesis]] = [[] for _ in requests]
        self.newest: Int[Tensor, "slot beam"] = newest[:, None].repeat(1, width)
        self.scores: Float[Tensor, "slot beam"] = torch.full((size, width), -torch.inf, dtype=torch.float32)
        self.scores[:, list(starts)] = 0
        """Sums of log-probabilities."""
        self.lengths: Int[Tensor, " slot"] = torch.zeros(size, dtype=torch.long)
        """Tokens written, which are as many for each hypothesis of a slot."""
        self.limits = torch.tensor([request.max_length for request in requests])
        self.minima = torch.tensor([request.min_length for request in requests])
        prefixes = [list(request.prefix_ids) for request in requests]
        self.prefixes: Int[Tensor, "slot prefix"] = pad_right(prefixes, -1)
        """The tokens that each target must begin with, then -1."""
        room = max((request.max_length for request in requests), default=1)
        self.ids: Int[Tensor, "slot beam room"] = torch.zeros(size, width, room, dtype=torch.long)
        self.token_log_probs: Float[Tensor, "slot beam room"] = torch.zeros(size, width, room, dtype=torch.float32)

    @property
    def free(self) -> list[int]:
        """The free slots."""
        return [slot for slot, request in enumerate(self.requests) if request is None]

    @property
    def taken(self) -> list[tuple[int, Request]]:
        """The slots that are not free, and their requests."""
        return [(slot, request) for slot, request in enumerate(self.requests) if request is not None]

    def slot_of(self, number: int) -> int | None:
        """The slot of the request of this number; None: it has none."""
        return next((slot for slot, _ in self.taken if self.numbers[slot] == number), None)

    @property
    def tensors(self) -> SearchTensors:
        """The present tensors."""
        return SearchTensors(
            self.newest, self.scores, self.lengths, self.ids, self.token_log_probs, self.limits, self.minima, self.prefixes
        )  # fmt: skip

    def check_limits(self) -> None:
        """Make sure that no sentence has as many tokens as it may have, and still goes on.

        Raises:
            SettingsError: one has, as its decoding rule did not end it.
        """
        for slot in (self.lengths >= self.limits).nonzero()[:, 0].tolist():
            if self.requests[slot] is not None:
                raise SettingsError(
                    f"a decoding rule must end a sentence at its limit; got one that goes on after {self.limits[slot]} tokens. "
                    "Finish its hypotheses in `advance`, and name its slot in `done`."
                )

    def grow(
        self,
        parents: Int[Tensor, "slot beam"],
        ids: Int[Tensor, "slot beam"],
        log_probs: Float[Tensor, "slot beam"],
        scores: Float[Tensor, "slot beam"],
    ) -> None:
        """Extend present hypotheses by a token each."""
        at = self.lengths.clamp(max=self.ids.shape[2] - 1)[:, None, None].expand(-1, parents.shape[1], 1)
        follow = parents[:, :, None].expand(-1, -1, self.ids.shape[2])
        self.ids = self.ids.gather(1, follow).scatter_(2, at, ids[:, :, None])
        self.token_log_probs = self.token_log_probs.gather(1, follow).scatter_(2, at, log_probs[:, :, None])
        self.newest, self.scores = ids, scores
        self.lengths = self.lengths + 1

    def finish(
        self, slot: int, parent: int, id: int | None, log_prob: float, score: float, reason: FinishReason
    ) -> None:
        """Record a finished hypothesis: a present one, one more token (None: the end symbol), and its score."""
        ids, log_probs = self.written(slot, parent)
        self.finished[slot].append(Hypothesis(ids if id is None else [*ids, id], [*log_probs, log_prob], score, reason))

    def finish_with(self, slot: int, parent: int, id: int, log_prob: float, score: float, *, at_end: bool) -> None:
        """Record a hypothesis that ends with a token: the end symbol, or the last one that there is room for."""
        request = self.requests[slot]
        assert request is not None
        reason = request.finish_reason(at_end=at_end)
        self.finish(slot, parent, None if at_end else id, log_prob, score, reason)

    def finish_as_it_stands(self, slot: int, beam: int, score: float, reason: FinishReason) -> None:
        """Note a present hypothesis as finished."""
        self.finished[slot].append(Hypothesis(*self.written(slot, beam), score, reason))

    def end(self, slot: int, beam: int, score: float, reason: FinishReason) -> None:
        """Finish an active hypothesis as it stands."""
        self.finish_as_it_stands(slot, beam, score, reason)
        self.scores[slot, beam] = -torch.inf

    def written(self, slot: int, beam: int) -> tuple[list[int], list[float]]:
        """The tokens of a present hypothesis, and their log-probabilities."""
        length = int(self.lengths[slot])
        return self.ids[slot, beam, :length].tolist(), self.token_log_probs[slot, beam, :length].tolist()

    def end_blocked(
        self, is_blocked: Bool[Tensor, " slot"], score: Callable[[float, int], float]
    ) -> list[tuple[int, int]]:
        """Finish the active hypotheses of sentences for which no token may be written, unless others have finished before. The
        slots and beams of those that are finished.

        Args:
            score: of a log-probability and a number of tokens: what hypotheses are compared by.
        """
        ended = []
        for slot in is_blocked.nonzero()[:, 0].tolist():
            if self.requests[slot] is None or self.finished[slot]:
                continue
            length = int(self.lengths[slot])
            for beam, log_prob in enumerate(self.scores[slot].tolist()):
                if log_prob > -torch.inf:
                    self.end(slot, beam, score(log_prob, length), "blocked")
                    ended.append((slot, beam))
                    if not length:  # all hypotheses are still the same
                        break
        return ended

    def leave(self, slot: int) -> int:
        """Free a slot and return the number of its request. The slot is still decoded, and its output is ignored."""
        self.requests[slot], self.finished[slot] = None, []
        self.scores[slot] = -torch.inf
        self.lengths[slot] = 0
        return self.numbers[slot]

    def replace(self, slots: list[int], other: ActiveBatch) -> None:
        """Let the sentences of another table, which are as many, take free slots of this one."""
        to = torch.tensor(slots)
        for row, slot in enumerate(slots):
            self.numbers[slot], self.requests[slot] = other.numbers[row], other.requests[row]
            self.finished[slot] = other.finished[row]
        for name in ("newest", "scores", "lengths", "limits", "minima"):
            getattr(self, name)[to] = getattr(other, name)
        self.ids = _replaced(self.ids, to, other.ids)
        self.token_log_probs = _replaced(self.token_log_probs, to, other.token_log_probs)
        self.prefixes = _replaced(self.prefixes, to, other.prefixes, fill=-1)

    def keep(self, slots: list[int]) -> None:
        """Drop all other slots."""
        kept = torch.tensor(slots)
        self.numbers = [self.numbers[slot] for slot in slots]
        self.requests = [self.requests[slot] for slot in slots]
        self.finished = [self.finished[slot] for slot in slots]
        self.newest, self.scores, self.lengths = self.newest[kept], self.scores[kept], self.lengths[kept]
        self.limits, self.minima, self.prefixes = self.limits[kept], self.minima[kept], self.prefixes[kept]
        self.ids, self.token_log_probs = self.ids[kept], self.token_log_probs[kept]


def _replaced(x: Tensor, to: Tensor, other: Tensor, fill: int = 0) -> Tensor:
    """Rows of x replaced by others, in place where they are not longer; the shorter ones are filled up at the end."""
    room = max(x.shape[-1], other.shape[-1])
    x, other = (_as_long(each, room, fill) for each in (x, other))
    x[to] = other
    return x


def _as_long(x: Tensor, room: int, fill: int) -> Tensor:
    """Rows filled up at the end; themselves where they have this length. (`pad` would copy them.)"""
    return x if x.shape[-1] == room else torch.nn.functional.pad(x, (0, room - x.shape[-1]), value=fill)
