"""Measuring a finished model on files, each kind of model on its own kind of data: what `regard evaluate` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from regard.data.corpus import read_pairs
from regard.data.labelled import check_labels, read_labelled
from regard.data.language import read_text
from regard.errors import SettingsError
from regard.evaluation.text_metrics import tokenization_hint
from regard.workflow.language_model import LanguageModel
from regard.workflow.loading import Loaded
from regard.workflow.translation.translator import Translator


def measure(
    loaded: Loaded,
    data: Sequence[str | os.PathLike[str]],
    *,
    tell: Callable[[str], None] = lambda hint: None,
    **options: Any,
) -> dict[str, Any]:
    """Every score of a model on some files, by name.

    Args:
        data: as for training: pairs, text files, or files of texts with labels.
        tell: is told what would measure the data better.
        options: of `Translator.evaluate`, for an encoder-decoder.
    Raises:
        DataError: files that cannot be read as what the model needs.
        SettingsError: a masked language model, whose scores are measured in training only.
    """
    if isinstance(loaded, Translator):
        pairs = read_pairs(data)
        if hint := tokenization_hint(pairs.targets, options.get("tokenize", "13a")):
            tell(hint)
        return loaded.evaluate(pairs.sources, pairs.targets, **options)
    if isinstance(loaded, LanguageModel):
        return loaded.evaluate(read_text(data))
    task = loaded.model.config.task
    if task not in ("classify", "tag"):
        raise SettingsError(
            f"evaluate must have a model with labels, a language model or a translator; got task {task}."
        )
    text = read_labelled(data, by_word=task == "tag")
    check_labels(text, loaded.model.config.labels)
    return loaded.evaluate(text.texts, text.labels)
