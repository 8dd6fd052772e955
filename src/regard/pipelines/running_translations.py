"""Texts that come and go while others are translated: one batch, in which a text takes a slot as soon as one is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.generation.decoding import Decoding
from regard.generation.filters import Likeliest
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request
from regard.generation.step_limit import ONE_STEP, StepLimit
from regard.pipelines.translation import Candidate, Translation, common_prefix
from regard.text.encoded_sentence import EncodedSentence
from regard.text.tokenizer import Tokenizer

MakeTranslation = Callable[[str | EncodedSentence, Request | None, list[Hypothesis]], Translation]
"""Makes the translation of a text from its request (None: it is blank) and its hypotheses."""


@dataclass(frozen=True)
class PartialTranslation:
    """A translation under way."""

    text: str
    """The certain part of the text."""
    tokens: list[str]
    """The tokens of the certain part."""
    token_log_probs: list[float]
    alternatives: list[list[tuple[str, float]]]
    """In place of each token, the likeliest ones and their log-probabilities."""
    beams: list[tuple[str, float]]
    """The hypotheses that go on, and their log-probabilities; the best first."""


class RunningTranslations:
    """Translations under way, all by the same options. What a text becomes does not depend on the others.

    `Translator.running` makes one. It is for one thread at a time.

    Args:
        likeliest: one of the decoding's filters.
    """

    def __init__(
        self,
        decoding: Decoding,
        options: DecodingOptions,
        tokenizer: Tokenizer,
        finish: MakeTranslation,
        likeliest: Likeliest,
    ) -> None:
        self.options = options
        self._decoding, self._tokenizer, self._finish, self._likeliest = decoding, tokenizer, finish, likeliest
        self._texts: dict[int, tuple[str | EncodedSentence, Request | None]] = {}
        """Each with its request; None: it is blank."""
        self._blank: list[int] = []

    def __len__(self) -> int:
        """Texts that are waiting or under way."""
        return len(self._texts)

    @property
    def num_free(self) -> int:
        """The number of texts that can be added and have a slot at once."""
        return self._decoding.num_free

    def add(self, number: int, text: str | EncodedSentence, request: Request | None) -> None:
        """Take in one more text.

        Args:
            number: what `step` calls it; another one for each text.
            request: what `Translator.requests` has made of the text; None: it is blank.
        """
        self._texts[number] = text, request
        if request is None:
            self._blank.append(number)
        else:
            self._decoding.add(number, request)

    def cancel(self, number: int) -> None:
        """Forget a text, wherever it is."""
        self._likeliest.forget(number)
        if self._texts.pop(number, None) is not None:
            self._decoding.cancel(number)

    def watch(self, number: int) -> None:
        """Note the likeliest tokens of a text from now on, `alternatives` of them, for `partial`."""
        self._likeliest.counts[number], self._likeliest.noted[number] = max(1, self.options.alternatives), {}

    @property
    def num_steps(self) -> int:
        """Steps so far."""
        return self._decoding.num_steps

    def step(self, limit: StepLimit = ONE_STEP) -> list[tuple[int, Translation]]:
        """Write a token of each text that has a slot; return the numbers and translations of those that this finishes.

        Args:
            limit: more tokens may be written, until a text is finished.
        """
        blank, self._blank = [number for number in self._blank if number in self._texts], []
        found: Sequence[tuple[int, list[Hypothesis]]] = self._decoding.step(limit)
        done: list[tuple[int, list[Hypothesis]]] = [(number, []) for number in blank]
        for number, _ in found:
            self._likeliest.forget(number)
        return [(number, self._finish(*self._texts.pop(number), hypotheses)) for number, hypotheses in [*done, *found]]

    def so_far(self, number: int) -> str:
        """The certain part of a translation by now: the beginning of all its hypotheses that can still win."""
        if (found := self._hypotheses(number)) is None:
            return ""
        slot, going_on = found
        return self._tokenizer.decode_so_far(self._certain(slot, [ids for ids, _, _ in going_on]))

    def partial(self, number: int) -> PartialTranslation:
        """The state of a translation that is watched, and its alternatives."""
        if (found := self._hypotheses(number)) is None:
            return PartialTranslation("", [], [], [], [])
        slot, going_on = found
        certain = self._certain(slot, [ids for ids, _, _ in going_on])
        noted, tokens = self._likeliest.noted[number], self._tokenizer.tokens
        likeliest = [noted.get(tuple(certain[:at]), []) for at in range(len(certain))]
        return PartialTranslation(
            self._tokenizer.decode_so_far(certain),
            tokens(certain),
            going_on[0][1][: len(certain)] if going_on else [],
            [[(tokens([id])[0], value) for id, value in each] for each in likeliest],
            [(self._tokenizer.decode_so_far(ids), score) for ids, _, score in going_on],
        )

    def _hypotheses(self, number: int) -> tuple[int, list[tuple[list[int], list[float], float]]] | None:
        """The slot of a text, and of the hypotheses that go on, the best first, ids, log-probabilities and score; None: it
        has no slot.
        """
        active = self._decoding.active
        if active is None or (slot := active.slot_of(number)) is None:
            return None
        length = int(active.lengths[slot])
        columns = active.ids[slot, :, :length], active.token_log_probs[slot, :, :length], active.scores[slot]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return slot, sorted((row for row in rows if row[2] > float("-inf")), key=lambda row: -row[2])

    def _certain(self, slot: int, going_on: list[list[int]]) -> list[int]:
        """The beginning of all hypotheses that can still win."""
        active = self._decoding.active
        return common_prefix([*going_on, *(done.ids for done in active.finished[slot])]) if active is not None else []


def nothing() -> Translation:
    """The translation of a blank text."""
    empty = Candidate("", 0.0, [], [], "eos", [])
    return Translation(**vars(empty), n_best=[empty])
