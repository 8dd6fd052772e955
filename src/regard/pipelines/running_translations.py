"""Texts that come and go while others are translated: one batch, in which a text takes a slot as soon as one is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.errors import SettingsError
from regard.generation.decoding import Decoding
from regard.generation.filters import Likeliest
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request
from regard.generation.running_batch import RunningBatch
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


class RunningTranslations(RunningBatch):
    """Translations under way. `Translator.running` makes one.

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
        super().__init__(decoding)
        self.options, self._tokenizer, self._finish, self._likeliest = options, tokenizer, finish, likeliest
        self._texts: dict[int, tuple[str | EncodedSentence, Request | None]] = {}
        """Each with its request; None: it is blank."""
        self._blank: list[int] = []

    def add(self, number: int, text: str | EncodedSentence, request: Request | None) -> None:
        """Take in one more text; without a request: it is blank."""
        self._texts[number] = text, request
        if request is None:
            self._blank.append(number)
        else:
            self._decoding.add(number, request)

    def cancel(self, number: int) -> None:
        """Forget a text, wherever it is."""
        self._likeliest.forget(number)
        super().cancel(number)

    def watch(self, number: int) -> None:
        """Note the likeliest tokens of a text from now on, `alternatives` of them, for `partial`."""
        self._likeliest.counts[number], self._likeliest.noted[number] = max(1, self.options.alternatives), {}

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
        return self._tokenizer.decode_so_far(self._state(number)[0])

    def partial(self, number: int) -> PartialTranslation:
        """The state of a translation that is watched, and its alternatives.

        Raises:
            SettingsError: there is no such translation under way, or it is not watched.
        """
        if number not in self._likeliest.noted:
            raise SettingsError(f"number must be that of a translation that is watched; got {number}.")
        certain, going_on = self._state(number)
        noted, tokens = self._likeliest.noted[number], self._tokenizer.tokens
        likeliest = [noted.get(tuple(certain[:at]), []) for at in range(len(certain))]
        return PartialTranslation(
            self._tokenizer.decode_so_far(certain),
            tokens(certain),
            going_on[0][1][: len(certain)] if going_on else [],
            [[(tokens([id])[0], value) for id, value in each] for each in likeliest],
            [(self._tokenizer.decode_so_far(ids), score) for ids, _, score in going_on],
        )

    def _state(self, number: int) -> tuple[list[int], list[tuple[list[int], list[float], float]]]:
        """The ids of the certain part of a text; and of the hypotheses that go on, the best first, ids, log-probabilities and
        score. Nothing where it has no slot.
        """
        active = self._decoding.active
        if active is None or (slot := active.slot_of(number)) is None:
            return [], []
        length = int(active.lengths[slot])
        columns = active.ids[slot, :, :length], active.token_log_probs[slot, :, :length], active.scores[slot]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        going_on = sorted((row for row in rows if row[2] > float("-inf")), key=lambda row: -row[2])
        return common_prefix([row[0] for row in going_on] + [done.ids for done in active.finished[slot]]), going_on


def nothing() -> Translation:
    """The translation of a blank text."""
    empty = Candidate("", 0.0, [], [], "eos", [])
    return Translation(**vars(empty), n_best=[empty])
