"""Functions that answer rows with a model. They can be sent to another process, which loads the model at its first rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from regard.errors import DataError, SettingsError
from regard.foreign_files import find_folder, is_hub_name
from regard.generation.options import DecodingOptions, TextOptions
from regard.parts.manifest import folder_digest
from regard.parts.part_files import Row
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load_as
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.predictor import Prediction, Predictor
from regard.pipelines.translation import ForcedScore
from regard.pipelines.translator import Translator
from regard.text.wording import counted

OWN_NUMBER = re.compile(r"^(?:[^:;]*, )?(?:line|text|prompt|pair) \d+: ")
"""The number of a text among those of one call, at the beginning of a message; the number of its row is told besides."""
SPEED_ALONE = frozenset({"batch_size", "workers"})
"""Options that change how fast rows are answered, and nothing else."""


@dataclass(frozen=True)
class ModelChoice:
    """A model as a command names it."""

    path: Path
    device: str = "auto"
    precision: str = "float32"
    engine: str = "auto"
    others: tuple[Path, ...] = ()
    adapter: Path | None = None
    source_language: str | None = None
    target_language: str | None = None

    def load(self, kind: type[Pipeline]) -> Any:
        """The model, which must be of this kind.

        Raises:
            ModelFolderError, SettingsError: as for `regard.load` and `Translator.directed`.
        """
        loaded = load_as(
            self.path, kind, device=self.device, precision=self.precision, others=self.others, adapter=self.adapter,
            engine=self.engine,
        )  # fmt: skip
        is_directed = self.source_language or self.target_language
        return loaded.directed(self.source_language, self.target_language) if is_directed else loaded  # type: ignore[attr-defined]

    def absolute(self) -> ModelChoice:
        """The same model, named so that a process in another folder finds it."""
        adapter = None if self.adapter is None else _absolute(self.adapter)
        return replace(self, path=_absolute(self.path), adapter=adapter, others=tuple(map(_absolute, self.others)))

    def digests(self) -> dict[str, str]:
        """The checksum of each folder, by its use."""
        named = {"model": self.path, "adapter": self.adapter}
        named |= {f"model {number} of the ensemble": path for number, path in enumerate(self.others, start=2)}
        return {name: folder_digest(find_folder(path)) for name, path in named.items() if path is not None}

    def options(self) -> dict[str, Any]:
        """All else that answers depend on."""
        return {
            "precision": self.precision,
            "engine": self.engine,
            "--from": self.source_language,
            "--to": self.target_language,
        }


def _absolute(path: Path) -> Path:
    return path if is_hub_name(path) else path.absolute()


@dataclass
class RowAnswers:
    """A function of rows and the number of the first, from 1, that gives a line for each."""

    model: ModelChoice
    as_json: bool = False
    kind: ClassVar[type[Pipeline]]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "loaded"}

    @cached_property
    def loaded(self) -> Any:
        """The model, loaded when it is first asked for."""
        return self.model.load(self.kind)

    @property
    def is_repeatable(self) -> bool:
        """Whether equal rows have equal answers."""
        return True

    def try_out(self, num_files: int) -> None:
        """Load the model and answer a blank row, so that what is wrong with both is said before anything is written.

        Raises:
            RegardError: the model cannot be loaded, or not be used with these options.
        """
        _ = self.loaded
        with suppress(DataError):  # of the blank row
            list(self([("",) * num_files], 1))

    @property
    def notes(self) -> list[str]:
        """Further facts about the rows that were answered here."""
        return []

    @property
    def ending(self) -> str:
        """The ending of files of answers."""
        return ".jsonl" if self.as_json else ".txt"

    def options(self) -> dict[str, Any]:
        """All options that the answers depend on, for the manifest."""
        return {**self.model.options(), "--json": self.as_json}

    def __call__(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        """Answer rows.

        Raises:
            DataError: a row cannot be answered. Where it is one of several, which one is unsaid.
        """
        try:
            yield from self._lines(rows, first)
        except DataError as error:
            raise DataError(OWN_NUMBER.sub("", str(error))) from error

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        raise NotImplementedError  # each command has its own


@dataclass
class TranslatedRows(RowAnswers):
    """The translation of each row.

    Args:
        besides: what the texts after the first are: `prefixes`, `required` (phrases separated by tabs), `references` (the
            nearest hypothesis is taken).
    """

    options_of_decoding: DecodingOptions = field(default_factory=DecodingOptions)
    besides: tuple[str, ...] = ()
    kind = Translator

    @property
    def is_repeatable(self) -> bool:
        """Whether nothing is drawn at random."""
        return self.options_of_decoding.method == "beam" and not self.options_of_decoding.minimum_bayes_risk

    def options(self) -> dict[str, Any]:
        """All options that the answers depend on, for the manifest."""
        decoding = self.options_of_decoding.model_dump(mode="json", exclude=set(SPEED_ALONE))
        return {**super().options(), **decoding, "further files": ", ".join(self.besides)}

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        columns = dict(zip(("sources", *self.besides), zip(*rows, strict=True), strict=True))
        sources, references = columns.pop("sources"), columns.pop("references", None)
        if "required" in columns:
            columns["required"] = list(map(split_phrases, columns["required"]))  # type: ignore[assignment]
        options = self.options_of_decoding
        found = self.loaded.translate_lines(sources, options, first=first, **columns)
        for number, (source, translation) in enumerate(zip(sources, found, strict=True)):
            one = translation if references is None else translation.nearest_to(references[number])
            if self.as_json:
                record = one.record(source, has_n_best=references is None and options.n_best > 1)
                yield json.dumps(record, ensure_ascii=False)
            else:
                yield one.text


@dataclass
class ScoredRows(RowAnswers):
    """The log-probability of each row's target, given its source."""

    kind = Translator

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        if any(not text.strip() for row in rows for text in row):
            raise DataError("`score` needs a source and a target; got a blank one.")
        for scored in self.loaded.score(*map(list, zip(*rows, strict=True))):
            yield scored_line(scored, as_json=self.as_json)


@dataclass
class PredictedRows(RowAnswers):
    """The labels of each row."""

    names_column: bool = True
    """Whether it is said which columns of the input are the text; else it is the first."""
    num_cut: int = field(default=0, init=False)
    kind = Predictor

    @property
    def notes(self) -> list[str]:
        """The number of rows that were cut."""
        if not self.num_cut:
            return []
        return [f"of {counted(self.num_cut, 'line')} only the beginning was read: more tokens than the model can read"]

    def try_out(self, num_files: int) -> None:
        """As of all rows; and make sure that it is known whether a row is a pair of texts.

        Raises:
            SettingsError: it is not.
        """
        super().try_out(num_files)
        if self.loaded.reads_pairs and not self.names_column:
            raise SettingsError(
                "`--column` must say which columns of a .tsv are the text, as the model reads pairs; got none. Both texts of a "
                "pair: `--column 1-2`. One text: `--column 1`."
            )

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        for prediction in self.loaded.predict_lines([text for (text,) in rows]):
            self.num_cut += prediction.is_cut
            yield predicted_line(prediction, as_json=self.as_json)


@dataclass
class GeneratedRows(RowAnswers):
    """The continuation of each prompt, in which `\\n` stands for a line break."""

    options_of_text: TextOptions = field(default_factory=TextOptions)
    kind = LanguageModel

    @property
    def is_repeatable(self) -> bool:
        """Whether nothing is drawn at random."""
        return self.options_of_text.temperature == 0

    def options(self) -> dict[str, Any]:
        """All options that the answers depend on, for the manifest."""
        return {**super().options(), **self.options_of_text.model_dump(mode="json", exclude=set(SPEED_ALONE))}

    def _lines(self, rows: Sequence[Row], first: int) -> Iterator[str]:
        prompts = [text.replace("\\n", "\n") for (text,) in rows]
        found = self.loaded.continuations(prompts, self.options_of_text, first=first)
        for prompt, continuation in zip(prompts, found, strict=True):
            yield continued(prompt, continuation.text, as_json=self.as_json)


def split_phrases(line: str) -> list[str]:
    """The phrases of a line, with tabs between them."""
    return [phrase for phrase in line.split("\t") if phrase]


def scored_line(scored: ForcedScore, *, as_json: bool) -> str:
    """The line of output for the log-probability of a target."""
    return json.dumps(asdict(scored), ensure_ascii=False) if as_json else f"{scored.log_prob:.6f}"


def predicted_line(prediction: Prediction, *, as_json: bool) -> str:
    """The line of output for the labels of a text."""
    if as_json:
        return json.dumps(prediction.record(), ensure_ascii=False)
    return " ".join(f"{value:.4g}" for value in prediction.values) if prediction.values else " ".join(prediction.labels)


def continued(prompt: str, text: str, *, as_json: bool) -> str:
    """The line of output for a prompt and its continuation."""
    return json.dumps({"prompt": prompt, "text": text}, ensure_ascii=False) if as_json else prompt + text
