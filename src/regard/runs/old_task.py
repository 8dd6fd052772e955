"""The scores of a model on what it was trained for before a run: fine-tuning on new data loses a part of that."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.data.corpus import divided_name
from regard.data.directions_of_corpora import by_direction
from regard.errors import RegardError, SettingsError
from regard.pipelines.loading import load
from regard.pipelines.pipeline import Pipeline
from regard.text.file_changes import Stamp, stamp


@dataclass(frozen=True)
class OldTask:
    """Data of the task that the model in `--from` was trained for, and that model's scores on them."""

    data: Sequence[str | os.PathLike[str]]
    before: Mapping[str, Any]
    stamp: Stamp
    """The stamp of the files when they were read."""

    @classmethod
    def measured(
        cls, data: Sequence[str | os.PathLike[str]], model: Path | str, device: str, *, with_languages: bool
    ) -> OldTask:
        """Measure the model that a run begins with.

        Args:
            with_languages: whether the new model will translate several languages. Then the data must say their direction, and
                only one if the old model does not know languages.
        Raises:
            SettingsError: these data cannot be measured with both models.
        """
        loaded, read = load(model, device=device), _stamp(data)
        try:
            directions = by_direction([os.fspath(name) for name in data])[1] if with_languages else []
            before = loaded.evaluate_files(data)
        except RegardError as error:
            raise SettingsError(f"`--old-valid` must be data that {model} can be measured on: {error}") from error
        if with_languages and (not directions or (len(directions) > 1 and "by_direction" not in before)):
            raise SettingsError(
                f"`--old-valid` must say its direction, as the new model has several languages; got "
                f"{', '.join(directions) or 'none'}. Give rows with source_lang and target_lang, such as old.jsonl#en-de."
            )
        return cls(data, before, read)

    def after(self, trained: Pipeline) -> dict[str, Any]:
        """The scores of both models, for `results.json`; and under `error` why the new one has none."""
        found: dict[str, Any] = {"data": " + ".join(map(str, self.data)), "before": dict(self.before)}
        if _stamp(self.data) != self.stamp:
            return found | {"error": "the files are others than before the run."}
        try:
            return found | {"after": trained.evaluate_files(self.data)}
        except RegardError as error:  # such as labels that the new model does not have; the run is not lost by it
            return found | {"error": str(error)}


def _stamp(data: Sequence[str | os.PathLike[str]]) -> Stamp:
    return stamp(divided_name(os.fspath(name))[0] for name in data)
