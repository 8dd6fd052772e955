"""The type of a pipeline whose family is only known when the program runs, as after `load("folder")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

from regard.models.interface import Model
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Predictor
from regard.pipelines.translator import Translator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from regard.pipelines.named_options import NamedDecodingOptions

    class AnyPipeline(Translator, LanguageModel, Predictor):  # type: ignore[misc]  # their attributes differ
        """A pipeline of any family: it may be used as each of the three, and is one of them.

        `load("folder", kind=Translator)` says which one, and is checked when the program runs.
        """

        model: Model  # type: ignore[assignment]
        running: Any
        requests: Any

        @overload
        def evaluate(
            self, sources: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False,
            calibrate: bool = False, more_references: Sequence[Sequence[str]] = (),
            **options: Unpack[NamedDecodingOptions],
        ) -> dict[str, Any]: ...  # fmt: skip

        @overload
        def evaluate(self, lines: Sequence[str]) -> dict[str, Any]: ...

        @overload
        def evaluate(self, texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> dict[str, Any]: ...

        def evaluate(self, *args: Any, **options: Any) -> dict[str, Any]: ...  # noqa: D102

else:
    AnyPipeline = Pipeline
