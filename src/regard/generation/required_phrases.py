"""Phrases that a target must contain: beam search with hypotheses grouped by how much of the phrases is written.

Source: Post and Vilar 2018, section 3, "dynamic beam allocation". There a phrase begins anew where it breaks off; here every
phrase is searched for in what is written as Knuth, Morris and Pratt 1977 do, so that "a a a b" has the phrase "a a b", and
phrases may overlap. What a translation must begin with, as a word that is forced on the page, is a prefix: `filters.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

MOST_STATES = 256
"""Sets of phrases that may be missing, up to which the shortest way to write them is searched for."""


class Phrases:
    """The phrases that a target must contain; one that is given twice must occur twice."""

    def __init__(self, phrases: Sequence[Sequence[int]]) -> None:
        counted = Counter(tuple(phrase) for phrase in phrases)
        self.phrases = list(counted)
        self.counts = tuple(counted.values())
        self.fallbacks = [_fallbacks(phrase) for phrase in self.phrases]
        """The failure function of each phrase: the tokens that still match at the end when the next one is not written."""
        self._shortest: dict[Progress, int] = {}

    def begin(self) -> Progress:
        """The progress of a target of which nothing is written."""
        return Progress(self, self.counts, (0,) * len(self.phrases))

    def shortest(self, progress: Progress) -> int:
        """The fewest tokens in which the missing phrases can be written, which may overlap; of many phrases, no more than an
        upper bound: one after the other.
        """
        if math.prod(count + 1 for count in self.counts) > MOST_STATES:
            return progress.num_missing
        open_states = [progress]
        while open_states:
            state = open_states[-1]
            ways = [] if state in self._shortest else self._ways(state)
            if unknown := [after for _, after in ways if after not in self._shortest]:
                open_states += unknown
                continue
            if state not in self._shortest:
                self._shortest[state] = min((length + self._shortest[after] for length, after in ways), default=0)
            open_states.pop()
        return self._shortest[progress]

    def _ways(self, progress: Progress) -> list[tuple[int, Progress]]:
        """For each missing phrase: how many tokens finish it, and the progress after them. What is written before a phrase is
        finished belongs to it, so the shortest way to write all of them consists of such steps.
        """
        found = []
        for phrase, missing, written in zip(self.phrases, progress.missing, progress.written, strict=True):
            if missing:
                after = progress
                for id in phrase[written:]:
                    after = after.after(id)
                found.append((len(phrase) - written, after))
        return found


class Progress(NamedTuple):
    """The parts of its phrases that a hypothesis has written."""

    of: Phrases
    missing: tuple[int, ...]
    """The number of times that each phrase is still to be written."""
    written: tuple[int, ...]
    """The number of tokens of each phrase that the hypothesis ends with."""

    @property
    def is_done(self) -> bool:
        """Whether all phrases are written."""
        return not any(self.missing)

    @property
    def num_missing(self) -> int:
        """Tokens that are still to be written, if the phrase of which most is written is finished, and then the others follow."""
        lengths = map(len, self.of.phrases)
        whole = sum(count * length for count, length in zip(self.missing, lengths, strict=True))
        return whole - max(self.written, default=0)

    @property
    def wanted(self) -> set[int]:
        """The first tokens of phrases, and the next tokens of phrases that are partly written."""
        found = zip(self.of.phrases, self.missing, self.written, strict=True)
        return {phrase[at] for phrase, missing, written in found if missing for at in (0, written)}

    def after(self, id: int) -> Progress:
        """The progress after one more token."""
        all_missing, all_written = list(self.missing), list(self.written)
        for index, (phrase, fallbacks) in enumerate(zip(self.of.phrases, self.of.fallbacks, strict=True)):
            if not all_missing[index]:
                continue
            written = all_written[index]
            while written and phrase[written] != id:
                written = fallbacks[written - 1]
            written += phrase[written] == id
            if written == len(phrase):
                all_missing[index], written = all_missing[index] - 1, 0
            all_written[index] = written
        return Progress(self.of, tuple(all_missing), tuple(all_written))


def _fallbacks(phrase: Sequence[int]) -> list[int]:
    """For each beginning of a phrase, the length of its longest proper beginning that it also ends with."""
    found, length = [0], 0
    for id in phrase[1:]:
        while length and phrase[length] != id:
            length = found[length - 1]
        length += phrase[length] == id
        found.append(length)
    return found


class Continuation(NamedTuple):
    """A candidate: a hypothesis and its next token."""

    rank: float
    """The score by which it is chosen."""
    parent: int
    id: int
    progress: Progress


def continuations(
    scores: Float[Tensor, " beam"],
    log_probs: Float[Tensor, "beam vocab"],
    progress: Sequence[Progress],
    width: int,
    eos_id: int,
    room: int,
) -> list[Continuation]:
    """The continuations of one sentence among which `allocate` chooses: the best `width` tokens of each hypothesis, all that
    a phrase wants, and the end symbol where all phrases are written. Best first.

    Args:
        room: tokens that may follow; a continuation that cannot write its phrases in them is left out.
    """
    found: list[Continuation] = []
    best = log_probs.topk(min(width, log_probs.shape[1]), dim=1).indices.tolist()
    for parent, (ids, state) in enumerate(zip(best, progress, strict=True)):
        of_hypothesis = float(scores[parent])
        for id in {*ids, *state.wanted} | ({eos_id} if state.is_done else set()):
            rank = of_hypothesis + float(log_probs[parent, id])
            if rank == -math.inf or (id == eos_id and not state.is_done):
                continue
            after = state if id == eos_id else state.after(id)
            if after.of.shortest(after) <= room:
                found.append(Continuation(rank, parent, id, after))
    return sorted(found, key=lambda continuation: -continuation.rank)


def allocate(found: Sequence[Continuation], width: int) -> list[Continuation]:
    """The continuations that take part in a search, at most `width`, best first.

    Those with equally many missing tokens form a bank. Banks have equal shares of the width; what a bank cannot fill goes to
    those with fewer missing tokens.

    Args:
        found: best first.
    """
    banks: dict[int, list[Continuation]] = {}
    for continuation in found:
        banks.setdefault(continuation.progress.num_missing, []).append(continuation)
    fullest_first = sorted(banks)  # the fewest tokens missing
    share = dict.fromkeys(fullest_first, 0)
    for turn in range(width if banks else 0):
        share[fullest_first[turn % len(banks)]] += 1
    chosen: list[Continuation] = []
    left = 0
    for missing in reversed(fullest_first):
        take = banks[missing][: share[missing] + left]
        left += share[missing] - len(take)
        chosen += take
    if left:
        rest = [candidate for missing in fullest_first for candidate in banks[missing] if candidate not in chosen]
        chosen += rest[:left]
    return sorted(chosen, key=lambda continuation: -continuation.rank)
