"""A translator with several adapters, which are chosen for each text and share one batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, TypeVar, Unpack, overload

import torch

from regard.checkpoint import LoadedModel
from regard.errors import DataError, SettingsError, nearest_hint
from regard.evaluation.confidence import Confidence
from regard.generation.filters import Filter
from regard.generation.options import DecodingOptions
from regard.generation.request import Request
from regard.models.interface import Model, PairModel
from regard.models.learning.adapters import merged, with_choice
from regard.nn.adapters import AdapterChoice
from regard.pipelines.batch_decoder import Workers
from regard.pipelines.named_options import NamedDecodingOptions
from regard.pipelines.translation import Translation
from regard.pipelines.translator import Translator
from regard.text.encoded_sentence import EncodedSentence

Moved = TypeVar("Moved", bound="AdaptedTranslator")


class AdaptedTranslator(Translator):
    """A model with several adapters. Each text is translated with one of them, or with none; all share one batch.

        translator = regard.load("base", adapters={"legal": "legal", "news": "news"})
        translator.translate(["Two dogs play.", "Two dogs play."], adapters=["legal", None])

    What needs one model, such as `score` or `inspect`, is that of the model without adapters; `adapted("legal").score(...)` is
    that of the model with one.

    Args:
        loaded: the model without adapters, and its tokenizers.
        adapters: by name, the same model with each adapter beside its weights, as `adapt` makes it.
        confidences: what is known of the confidence of each, by name.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        adapters: Mapping[str, PairModel],
        confidences: Mapping[str, Confidence | None] | None = None,
    ) -> None:
        model: Any = loaded.model
        super().__init__(model, loaded.tokenizer, loaded.source_tokenizer)
        self.adapters = list(adapters)
        """Their names."""
        self._numbers = {None: 0} | {name: number for number, name in enumerate(adapters, start=1)}
        self._adapted, choice = dict(adapters), AdapterChoice()
        self._confidences = dict(confidences or {})
        self._merged: dict[str, Translator] = {}
        self._merging = Lock()
        several = with_choice(self._model, list(adapters.values()), choice)
        self._decode_with(Workers((several,), self.tokenizer, choice))

    def to(self: Moved, device: str | torch.device) -> Moved:
        """As `Pipeline.to`, with the translators of `adapted`."""
        super().to(device)
        for translator in self._merged.values():
            translator.to(device)
        return self

    def _held(self) -> list[Model]:
        return [*super()._held(), *self._adapted.values()]

    def adapted(self, name: str) -> Translator:
        """The translator with one adapter. Its weights that are not adapted are shared.

        Raises:
            SettingsError: there is no such adapter.
        """
        self._number(name)
        with self._merging:
            if name not in self._merged:
                model = merged(self._adapted[name])
                self._merged[name] = Translator(model, self.tokenizer, self.source_tokenizer)
                self._merged[name].confidence = self._confidences.get(name)
        return self._merged[name]

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is a sequence of strings, too
        self, texts: str, options: DecodingOptions | None = None, *, adapters: str | None = None,
        prefixes: str | None = None, required: Sequence[str] | None = None, filters: Sequence[Filter] = (),
        on_done: Callable[[int], None] | None = None, **changes: Unpack[NamedDecodingOptions],
    ) -> Translation: ...  # fmt: skip

    @overload
    def translate(
        self, texts: Sequence[str], options: DecodingOptions | None = None, *,
        adapters: Sequence[str | None] | None = None, prefixes: Sequence[str] | None = None,
        required: Sequence[Sequence[str]] | None = None, filters: Sequence[Filter] = (),
        on_done: Callable[[int], None] | None = None, **changes: Unpack[NamedDecodingOptions],
    ) -> list[Translation]: ...  # fmt: skip

    def translate(
        self,
        texts: str | Sequence[str],
        options: DecodingOptions | None = None,
        *,
        adapters: str | Sequence[str | None] | None = None,
        prefixes: Any = None,
        required: Any = None,
        filters: Any = (),
        on_done: Any = None,
        **changes: Any,
    ) -> Any:
        """As `Translator.translate`.

        Args:
            adapters: the name of each text's adapter, or None for none; of one text, one name. None: no text has one.
        Raises:
            DataError: not as many as texts.
            SettingsError: there is no such adapter.
        """
        others: dict[str, Any] = {"filters": filters, "on_done": on_done, **changes}
        if isinstance(texts, str):
            given: dict[str, Any] = {"adapters": adapters, "prefixes": prefixes, "required": required}
            one_each: dict[str, Any] = {name: None if each is None else [each] for name, each in given.items()}
            return self.translate([texts], options, **one_each, **others)[0]
        if adapters and not isinstance(adapters, str) and len(adapters) == len(texts) and len({*adapters}) == 1:
            name = adapters[0]  # of all: then it is faster in the weights than beside them
            translate = super().translate if name is None else self.adapted(name).translate
            return translate(texts, options, prefixes=prefixes, required=required, **others)
        options = (options or DecodingOptions()).changed(**changes)
        requests = self.requests(texts, options, prefixes, required, adapters=adapters)
        found: list[Translation] = self._answers(texts, requests, options, filters, on_done)
        return found

    def requests(
        self,
        texts: Sequence[str | EncodedSentence],
        options: DecodingOptions,
        prefixes: Sequence[str] | None = None,
        required: Sequence[Sequence[str]] | None = None,
        first: int = 1,
        *,
        adapters: str | Sequence[str | None] | None = None,
    ) -> list[Request | None]:
        """As `Translator.requests`. `adapters` has a name for each text, or None."""
        found = super().requests(texts, options, prefixes, required, first)
        if adapters is None:
            return found
        if isinstance(adapters, str) or len(adapters) != len(texts):
            got = "one name" if isinstance(adapters, str) else f"{len(adapters)}"
            raise DataError(f"`adapters` needs one entry for each text; got {got} for {len(texts)} texts.")
        numbers = [self._number(name) for name in adapters]
        return [request and replace(request, adapter=number) for request, number in zip(found, numbers, strict=True)]

    def _number(self, name: str | None) -> int:
        if name not in self._numbers:
            raise SettingsError(
                f"adapter must be one of {', '.join(self.adapters)}; got {name!r}. {nearest_hint(str(name), self.adapters)}"
            )
        return self._numbers[name]

    def _models(self, adapter: int) -> Sequence[PairModel]:
        return [self._adapted[self.adapters[adapter - 1]]] if adapter else super()._models(0)

    def _confidence(self, adapter: int) -> Confidence | None:
        return self._confidences.get(self.adapters[adapter - 1]) if adapter else self.confidence
