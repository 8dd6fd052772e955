"""The hypotheses that go on: a table of places, in each of which stands a sentence that is being decoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.generation.request import FinishReason, Hypothesis, Request


class Live:
    """Place x beam: what has been written so far, and what it scores. The best hypothesis of a place stands first.

    A hypothesis that is not there (fewer have been found than the beam is wide; the place is free) has the score -inf.
    """

    def __init__(self, numbers: Sequence[int], requests: Sequence[Request], newest: Int[Tensor, "place 1"]) -> None:
        """Sentences of which nothing is written yet; `newest` is what each begins with."""
        size, device = len(requests), newest.device
        self.numbers = list(numbers)
        """Of the request in each place, among all that were made."""
        self.requests: list[Request | None] = list(requests)
        """Of each place; None where it is free."""
        self.finished: list[list[Hypothesis]] = [[] for _ in requests]
        self.newest: Int[Tensor, "place beam"] = newest
        self.scores: Float[Tensor, "place beam"] = torch.zeros(size, 1, device=device)
        """Sums of log-probabilities."""
        self.lengths: Int[Tensor, " place"] = torch.zeros(size, dtype=torch.long, device=device)
        """Tokens written, which are as many for each hypothesis of a place."""
        self.limits = torch.tensor([request.max_length for request in requests], device=device)
        room = max((request.max_length for request in requests), default=1)
        self.ids: Int[Tensor, "place beam room"] = torch.zeros(size, 1, room, dtype=torch.long, device=device)
        self.token_log_probs: Float[Tensor, "place beam room"] = torch.zeros(size, 1, room, device=device)

    @property
    def free(self) -> list[int]:
        """The places where no sentence stands."""
        return [place for place, request in enumerate(self.requests) if request is None]

    def grow(
        self,
        parents: Int[Tensor, "place beam"],
        ids: Int[Tensor, "place beam"],
        log_probs: Float[Tensor, "place beam"],
        scores: Float[Tensor, "place beam"],
    ) -> None:
        """Let hypotheses continue present ones with a token each."""
        at = self.lengths.clamp(max=self.ids.shape[2] - 1)[:, None, None].expand(-1, parents.shape[1], 1)
        follow = parents[:, :, None].expand(-1, -1, self.ids.shape[2])
        self.ids = self.ids.gather(1, follow).scatter_(2, at, ids[:, :, None])
        self.token_log_probs = self.token_log_probs.gather(1, follow).scatter_(2, at, log_probs[:, :, None])
        self.newest, self.scores = ids, scores
        self.lengths = self.lengths + 1

    def finish(
        self, place: int, parent: int, id: int | None, log_prob: float, score: float, reason: FinishReason
    ) -> None:
        """Note a finished hypothesis: a present one, a token more (None: the end symbol), and its score."""
        length = int(self.lengths[place])
        ids = self.ids[place, parent, :length].tolist()
        log_probs = self.token_log_probs[place, parent, :length].tolist()
        self.finished[place].append(
            Hypothesis(ids if id is None else [*ids, id], [*log_probs, log_prob], score, reason)
        )

    def finish_as_it_stands(self, place: int, beam: int, score: float, reason: FinishReason) -> None:
        """Note a present hypothesis as finished."""
        length = int(self.lengths[place])
        ids, log_probs = (x[place, beam, :length].tolist() for x in (self.ids, self.token_log_probs))
        self.finished[place].append(Hypothesis(ids, log_probs, score, reason))

    def end(self, place: int, beam: int, score: float, reason: FinishReason) -> None:
        """Finish a live hypothesis as it stands."""
        self.finish_as_it_stands(place, beam, score, reason)
        self.scores[place, beam] = -torch.inf

    def end_blocked(
        self, is_blocked: Bool[Tensor, " place"], score: Callable[[float, int], float]
    ) -> list[tuple[int, int]]:
        """Finish the live hypotheses of sentences for which no token may be written, unless others have finished before. The
        places and beams of those that are finished.

        Args:
            score: of a log-probability and a number of tokens: what hypotheses are compared by.
        """
        ended = []
        for place in is_blocked.nonzero()[:, 0].tolist():
            if self.requests[place] is None or self.finished[place]:
                continue
            length = int(self.lengths[place])
            for beam, log_prob in enumerate(self.scores[place].tolist()):
                if log_prob > -torch.inf:
                    self.end(place, beam, score(log_prob, length), "blocked")
                    ended.append((place, beam))
        return ended

    def leave(self, place: int) -> int:
        """Free a place: the number of the request that stood there. It goes on, counting from 0, but nothing comes of it."""
        self.requests[place], self.finished[place] = None, []
        self.scores[place] = -torch.inf
        self.lengths[place] = 0
        return self.numbers[place]

    def replace(self, places: list[int], other: Live, rows: list[int]) -> None:
        """Let sentences of another table take free places of this one."""
        to, of = (torch.tensor(x, device=self.limits.device) for x in (places, rows))
        for place, row in zip(places, rows, strict=True):
            self.numbers[place], self.requests[place] = other.numbers[row], other.requests[row]
            self.finished[place] = other.finished[row]
        for ours, theirs in (
            (self.newest, other.newest),
            (self.scores, other.scores),
            (self.lengths, other.lengths),
            (self.limits, other.limits),
        ):
            ours[to] = theirs[of]
        room = max(self.ids.shape[2], other.ids.shape[2])
        self.ids, self.token_log_probs = (_with_room(x, room) for x in (self.ids, self.token_log_probs))
        self.ids[to] = _with_room(other.ids, room)[of]
        self.token_log_probs[to] = _with_room(other.token_log_probs, room)[of]

    def keep(self, places: list[int]) -> None:
        """Drop all other places."""
        kept = torch.tensor(places, device=self.limits.device)
        self.numbers, self.requests = (
            [self.numbers[place] for place in places],
            [self.requests[place] for place in places],
        )
        self.finished = [self.finished[place] for place in places]
        self.newest, self.scores, self.lengths = self.newest[kept], self.scores[kept], self.lengths[kept]
        self.limits, self.ids, self.token_log_probs = self.limits[kept], self.ids[kept], self.token_log_probs[kept]


def _with_room(x: Tensor, room: int) -> Tensor:
    return torch.nn.functional.pad(x, (0, room - x.shape[2]))
