"""Translation in Ray Data: each actor holds a model, and batches of rows come out with two more columns: translations and errors.

    import ray
    from regard.ray import Translate

    rows = ray.data.read_parquet("pages/")
    translated = rows.map_batches(
        Translate,
        fn_constructor_kwargs={"model": "model", "column": "text", "beam_size": 4},
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=16),
        num_cpus=1,
        batch_size=1024,
    )
    translated.write_parquet("translated/")

Ray itself is not imported here: an actor needs the model's packages alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from regard.errors import DataError, SettingsError
from regard.generation.options import DecodingOptions
from regard.parts.answers import ModelChoice, TranslatedRows
from regard.parts.part_files import Row, answer_each


class Translate:
    """A callable for `map_batches` that adds the translation of a column. Rows and other columns stay as they are.

    A row that cannot be translated has an empty translation, and the reason in the column of errors. Equal texts of a
    batch are translated once. A missing text (None) is blank.

    Args:
        model: a folder that each node can read, or `hf:owner/name`.
        column: the column of texts.
        output: the column of translations.
        errors: the column of reasons; it is there in every batch, empty where all went well.
        source_language: for a model of several languages, as `--from`.
        target_language: as `--to`.
        device: `auto`, `cpu` or `cuda`; with `num_gpus=1`, `auto` is the actor's GPU.
        options: of decoding, as `DecodingOptions` lists them. Nothing may be drawn at random: Ray promises no order of
            batches.
    Raises:
        SettingsError: an unknown option, random choices, or columns of one name.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        column: str = "source",
        output: str = "translation",
        errors: str = "translation_error",
        source_language: str | None = None,
        target_language: str | None = None,
        adapter: str | Path | None = None,
        device: str = "auto",
        precision: str = "float32",
        engine: str = "auto",
        **options: Any,
    ) -> None:
        if len({column, output, errors}) < 3:
            raise SettingsError(f"columns must have different names; got {column}, {output}, {errors}.")
        choice = ModelChoice(
            Path(model), device, precision, engine, (), None if adapter is None else Path(adapter), source_language,
            target_language,
        )  # fmt: skip
        self._answer = TranslatedRows(choice, options_of_decoding=DecodingOptions(**options))
        if told := [name for name in ("alternatives", "alignment", "trace") if options.get(name)]:
            raise SettingsError(f"`Translate` gives texts alone; remove `{told[0]}`.")
        if options.get("n_best", 1) > 1:
            raise SettingsError("`Translate` gives one translation of each text; remove `n_best`.")
        if not self._answer.is_repeatable:
            raise SettingsError("`Translate` needs `method=beam`: Ray promises no order of rows to draw numbers by.")
        self._column, self._output, self._errors = column, output, errors
        _ = self._answer.loaded  # when the actor begins, not at its first batch

    def __call__(self, batch: Any) -> dict[str, Any]:
        """A batch with the translations.

        Raises:
            DataError: the column is missing, or holds what is no text.
        """
        if not isinstance(batch, dict):
            raise DataError(f'`Translate` needs `batch_format="numpy"`; got a batch of {type(batch).__name__}.')
        if taken := [name for name in (self._output, self._errors) if name in batch]:
            raise DataError(f"output and errors must be new columns; the rows have {taken[0]}. Choose other names.")
        if self._column not in batch:
            raise DataError(f"column must be one of the rows': {', '.join(batch)}; got {self._column}.")
        texts = [text if text is not None else "" for text in list(batch[self._column])]
        for text in texts:
            if not isinstance(text, str):
                raise DataError(f"{self._column} must be a column of texts; got {text!r}.")
        different = list(dict.fromkeys(texts))
        rows: list[Row] = [(text.replace("\n", " "),) for text in different]
        found = dict(zip(different, answer_each(self._answer, list(enumerate(rows, start=1))), strict=True))
        answers = [found[text] for text in texts]
        return {
            **batch,
            self._output: np.array(["" if isinstance(each, DataError) else each for each in answers], dtype=object),
            self._errors: np.array(
                [str(each) if isinstance(each, DataError) else "" for each in answers], dtype=object
            ),
        }
