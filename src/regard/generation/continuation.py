"""Continuations of prompts that come and go while others are written: one batch, in which a prompt takes a slot as soon as one
is free.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from regard.generation.decoding import Decoding
from regard.generation.request import Request, seed_of
from regard.generation.running_batch import RunningBatch
from regard.generation.step_limit import ONE_STEP, StepLimit

Decode = Callable[[Sequence[int], Sequence[int]], str]
"""A function that gives the text that ids add to that of the ids before them, its second argument."""


@dataclass(frozen=True, repr=False)
class Continuation:
    """The continuation of a prompt."""

    text: str
    ids: list[int]
    """With the end symbol, if that ended the text, left out; where a stop text ended it, with the tokens of that."""
    token_log_probs: list[float]
    """The natural log-probability of each token, and then of the end symbol where `finish_reason` is `eos`."""
    finish_reason: str
    """`eos`: the model ended the text; `stop`: a text at which it should stop; `length`: the limit; `blocked`: no token may be
    written after it; `repetition_loop`: it repeated itself without end."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text[:60]!r}, {len(self.ids)} tokens, {self.finish_reason})"


@dataclass(frozen=True)
class TextRequest:
    """A prompt, and how much may be written after it."""

    prompt_ids: Sequence[int]
    max_tokens: int
    seed: int = 0
    stop: tuple[str, ...] = ()
    """Texts at which writing stops; they are left out."""


@dataclass
class _Written:
    """A prompt and what has been written after it."""

    request: TextRequest
    ids: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    num_windows: int = 0
    """The number of times that the prompt, or the newer half of the text, was read."""


class RunningTexts(RunningBatch):
    """Continuations under way.

    `LanguageModel.running` makes one. When a text is as long as the model can read, it goes on
    from the newer half of it.

    Args:
        decoding: without requests.
        limit: tokens that the model can read.
    """

    def __init__(self, decoding: Decoding, decode: Decode, limit: int) -> None:
        super().__init__(decoding)
        self._decode, self._limit = decode, limit
        self._texts: dict[int, _Written] = {}

    def add(self, number: int, text: str, request: TextRequest) -> None:
        """Take in one more prompt."""
        self._texts[number] = _Written(request)
        self._read(number)

    def step(self, limit: StepLimit = ONE_STEP) -> list[tuple[int, Continuation]]:
        """Write a token of each text that has a slot; return the numbers and continuations of those that this finishes.

        Args:
            limit: more tokens may be written, until a text is finished; where one has texts that end it, one is.
        """
        done: list[tuple[int, Continuation]] = []
        has_stops = any(written.request.stop for written in self._texts.values())
        for number, (sample,) in self._decoding.step(ONE_STEP if has_stops else limit):
            written = self._texts[number]
            written.ids += sample.ids
            written.log_probs += sample.token_log_probs
            if sample.finish_reason == "length" and len(written.ids) < written.request.max_tokens:
                self._read(number)
            else:
                done.append((number, self._finished(number, sample.finish_reason)))
        for number in [number for number, written in self._texts.items() if written.request.stop]:
            text = self._decode(self._all_ids(number), self._texts[number].request.prompt_ids)
            if any(stop in text for stop in self._texts[number].request.stop):
                written = self._texts[number]
                ids, log_probs = self._newest(number)
                written.ids, written.log_probs = written.ids + ids, written.log_probs + log_probs
                self._decoding.cancel(number)
                done.append((number, self._finished(number, "stop")))
        return done

    def so_far(self, number: int) -> str:
        """The certain part of a continuation by now: without half a character at its end, or the beginning of a stop text."""
        text = self._decode(self._all_ids(number), self._texts[number].request.prompt_ids).rstrip("\ufffd")
        beginnings = [stop[:size] for stop in self._texts[number].request.stop for size in range(1, len(stop))]
        held = max((len(each) for each in beginnings if text.endswith(each)), default=0)
        return text[: len(text) - held]

    def _all_ids(self, number: int) -> list[int]:
        return [*self._texts[number].ids, *self._newest(number)[0]]

    def _newest(self, number: int) -> tuple[list[int], list[float]]:
        """The tokens written since the text was read last, and their log-probabilities."""
        active = self._decoding.active
        if active is None or (slot := active.slot_of(number)) is None:
            return [], []
        return active.written(slot, 0)

    def _read(self, number: int) -> None:
        """Let a text wait for a slot: the prompt and what was written, or the newer half of it."""
        written = self._texts[number]
        request = written.request
        context = [*request.prompt_ids, *written.ids][-self._limit :]
        if len(context) == self._limit:
            context = context[-max(self._limit // 2, 1) :]
        room = min(request.max_tokens - len(written.ids), self._limit - len(context) + 1)
        seed = seed_of(request.seed, written.num_windows)
        written.num_windows += 1
        self._decoding.add(number, Request(context, room, seed=seed))

    def _finished(self, number: int, reason: str) -> Continuation:
        written = self._texts.pop(number)
        text = self._decode(written.ids, written.request.prompt_ids)
        ends = [at for stop in written.request.stop if (at := text.find(stop)) >= 0]
        if ends:
            text, reason = text[: min(ends)], "stop"
        return Continuation(text, written.ids, written.log_probs, reason)
