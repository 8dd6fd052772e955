"""Texts that come and go while others are translated: one batch, in which a text takes a slot as soon as one is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from regard.generation.decoding import Decoding
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request
from regard.text.tokenizer import Tokenizer
from regard.workflow.translation.results import Candidate, Translation, common_prefix

MakeTranslation = Callable[[str, list[Hypothesis]], Translation]


class RunningTranslations:
    """Translations under way, all by the same options. What a text becomes does not depend on the others.

    `Translator.running` makes one. It is for one thread at a time.
    """

    def __init__(
        self, decoding: Decoding, options: DecodingOptions, tokenizer: Tokenizer, finish: MakeTranslation
    ) -> None:
        self.options = options
        self._decoding, self._tokenizer, self._finish = decoding, tokenizer, finish
        self._texts: dict[int, str] = {}
        self._blank: list[int] = []

    def __len__(self) -> int:
        """Texts that are waiting or under way."""
        return len(self._texts)

    @property
    def num_free(self) -> int:
        """How many texts can be added and have a slot at once."""
        return max(0, self._decoding.batch_size - self._decoding.num_open)

    def add(self, number: int, text: str, request: Request | None) -> None:
        """Take in one more text.

        Args:
            number: what `step` calls it; another one for each text.
            request: what `Translator.requests` has made of the text; None: it is blank.
        """
        self._texts[number] = text
        if request is None:
            self._blank.append(number)
        else:
            self._decoding.add(number, request)

    def cancel(self, number: int) -> None:
        """Forget a text, wherever it is."""
        if self._texts.pop(number, None) is not None:
            self._decoding.cancel(number)

    def step(self) -> list[tuple[int, Translation]]:
        """One token more for each text that has a slot: the numbers and translations of those that are done by it."""
        blank, self._blank = [number for number in self._blank if number in self._texts], []
        found: Sequence[tuple[int, list[Hypothesis]]] = self._decoding.step()
        done: list[tuple[int, list[Hypothesis]]] = [(number, []) for number in blank]
        return [(number, self._finish(self._texts.pop(number), hypotheses)) for number, hypotheses in [*done, *found]]

    def so_far(self, number: int) -> str:
        """What is certain of a translation by now: what all its hypotheses begin with that can still win."""
        active = self._decoding.active
        if active is None:
            return ""
        for slot, request in enumerate(active.requests):
            if request is not None and active.numbers[slot] == number:
                going_on = (active.scores[slot] > float("-inf")).nonzero()[:, 0].tolist()
                written = active.ids[slot, going_on, : int(active.lengths[slot])].tolist()
                certain = common_prefix([*written, *(done.ids for done in active.finished[slot])])
                return self._tokenizer.decode_so_far(certain)
        return ""


def nothing() -> Translation:
    """The translation of a blank text."""
    empty = Candidate("", 0.0, [], [], "eos", [])
    return Translation(**vars(empty), n_best=[empty])
