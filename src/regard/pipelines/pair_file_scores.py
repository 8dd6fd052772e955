"""Scores of a translator on files of pairs: what `Translator.evaluate_files` does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from regard.data.corpus import Corpus, find_corpora, read_beside, read_pairs
from regard.data.directions_of_corpora import by_direction
from regard.errors import SettingsError
from regard.evaluation.text_metrics import tokenization_hint
from regard.pipelines.direction_set import direction_results
from regard.text.unknown_tokens import count_unknown, unknown_notes


def file_scores(
    translator: Any, data: Sequence[str | os.PathLike[str]], tell: Callable[[str], None], options: dict[str, Any]
) -> dict[str, Any]:
    """The scores of `Translator.evaluate` on files, or of each direction that they say. The arguments are those of
    `Translator.evaluate_files`.
    """
    if translator.languages is not None:
        corpora = find_corpora(by_direction([os.fspath(name) for name in data])[0])
        if corpora[0].direction:
            return _direction_scores(translator, corpora, tell, options)
    pairs = read_pairs(data)
    options["more_references"] = [read_beside(path, pairs) for path in options.pop("references", ())]
    if hint := tokenization_hint(pairs.targets, options.get("tokenize", "13a")):
        tell(hint)
    found: dict[str, Any] = translator.evaluate(pairs.sources, pairs.targets, **options)
    for note in unknown_in_pairs(translator, pairs.sources, pairs.targets):  # now that none is known to be far too long
        tell(note)
    return found


def unknown_in_pairs(translator: Any, sources: Sequence[str], targets: Sequence[str]) -> list[str]:
    """Sentences about the tokens of some pairs that the vocabularies of a translator lack."""
    return unknown_notes(
        source=count_unknown(sources, translator.source_tokenizer), target=count_unknown(targets, translator.tokenizer)
    )


def _direction_scores(
    translator: Any, corpora: Sequence[Corpus], tell: Callable[[str], None], options: dict[str, Any]
) -> dict[str, Any]:
    """The scores of each direction.

    Raises:
        SettingsError: an option that is for one direction.
    """
    if asked := [name for name in ("references", "calibrate") if options.get(name)]:
        raise SettingsError(f"`{asked[0]}` is for one direction; got {len(corpora)}. Name it: {corpora[0].name}.")
    found: dict[str, Any] = {}
    for corpus in corpora:
        source, target = corpus.direction.split("-")
        found[corpus.direction] = translator.directed(source, target).evaluate_files(
            [corpus.name], tell=tell, **options
        )
    return direction_results(found, translator.languages)
