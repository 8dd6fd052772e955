"""Measures systems on one test set, and how each differs from the first, the baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regard.analysis.comparison.comparison_result import Compared, Comparison, Texts
from regard.analysis.comparison.systems import Given, Name, System, check_runs, find_systems, translations
from regard.arguments import checked
from regard.data.corpus import ParallelText, read_beside, read_pairs
from regard.errors import SettingsError
from regard.evaluation.comet import Comet, load_comet
from regard.evaluation.significance import (
    Row,
    mean_score,
    mean_statistics,
    paired_bootstrap,
    score_statistics,
    sentence_statistics,
    untested_scores,
)
from regard.evaluation.text_metrics import (
    ADDED,
    Column,
    TextMetrics,
    added_scores,
    exact_matches,
    reference_columns,
    tokenization_hint,
)
from regard.generation.options import DecodingOptions
from regard.pipelines.devices import resolve_device


@checked
def compare(
    systems: Sequence[Given],
    data: Name | Sequence[Name],
    *,
    references: Name | Sequence[Name] = (),
    comet: Name | None = None,
    tokenize: str = "13a",
    lowercase: bool = False,
    device: str = "auto",
    precision: str = "float32",
    tell: Callable[[str], None] = lambda hint: None,
    on_items: Callable[[str, int, int], None] = lambda what, done, total: None,
    **options: Any,
) -> Comparison:
    """Translates a test set with several systems, and measures how each differs from the first, the baseline.

        regard.compare(["base", "new"], ["test.en", "test.de"]).save("compare.html")
        regard.compare([["base-1", "base-2"], ["new-1", "new-2"]], "pairs.tsv").systems[1].scores["bleu"].p

    Args:
        systems: at least two: model folders, or text files with a translation for each line of the sources. A list of names
            are runs of one system, such as models of several seeds: scores are means over them.
        data: a source file and a reference file, or one file of pairs.
        references: a file of more references, or several; a blank line is none.
        comet: a checkpoint of COMET on this machine. It reads the first reference.
        tokenize: sacrebleu's name of a tokenisation for BLEU.
        lowercase: whether BLEU and chrF ignore case.
        device: `auto`, `cpu`, `cuda`.
        precision: `float32`, `bfloat16` or `auto`.
        tell: is called with advice on how to measure the data better.
        on_items: is called while a model translates: what is done, how many are done, and of how many.
        options: of decoding, as for `Translator.translate`.
    Raises:
        DataError: a file that cannot be read, or that has more or fewer lines than the sources.
        MissingExtraError: COMET, and its library is not installed.
        ModelFolderError: a model that cannot be loaded.
        SettingsError: fewer than two systems, a model that does not turn one text into another, or an unknown option.
    """
    found, metrics = find_systems(systems), TextMetrics(tokenize=tokenize, lowercase=lowercase)
    _check_options(found, options)
    pairs = read_pairs(_names(data))
    more = [read_beside(path, pairs) for path in _names(references)]
    runs = list(dict.fromkeys(run for system in found for run in system.runs))
    check_runs(runs, pairs)
    network = None if comet is None else load_comet(comet, uses_gpu=resolve_device(device).type == "cuda")
    if hint := tokenization_hint(pairs.targets, tokenize):
        tell(hint)
    written = {
        run: translations(run, pairs, on_items, device=device, precision=precision, options=options) for run in runs
    }
    texts = [[written[run] for run in system.runs] for system in found]
    return measured(found, texts, pairs, reference_columns(pairs.targets, more), metrics, network)


def measured(
    systems: Sequence[System],
    texts: Sequence[Texts],
    pairs: ParallelText,
    columns: Sequence[Column],
    metrics: TextMetrics,
    network: Comet | None,
) -> Comparison:
    """The comparison of some translations.

    Args:
        texts: of each system.
        columns: all references, as sacrebleu takes them.
    """

    def over_runs(count: Callable[[list[str]], Row]) -> list[Row]:
        """The statistics of every system, of shape (sentence, run, statistic)."""
        return [np.stack([count(run) for run in of_system], axis=1) for of_system in texts]

    chrf = over_runs(lambda run: sentence_statistics(metrics.chrf, run, columns))
    scores = {
        "bleu": paired_bootstrap(
            over_runs(lambda run: sentence_statistics(metrics.bleu, run, columns)), score_statistics(metrics.bleu)
        ),
        "chrf": paired_bootstrap(chrf, score_statistics(metrics.chrf)),
        "exact_match": paired_bootstrap(
            over_runs(lambda run: mean_statistics(exact_matches(run, columns))), mean_score
        ),
    }
    if network is not None:
        by_network = over_runs(lambda run: mean_statistics(network(pairs.sources, run, pairs.targets)))
        scores["comet"] = paired_bootstrap(by_network, mean_score)
    added = [[added_scores(run, pairs.targets) for run in of_system] for of_system in texts]
    for name in ADDED:
        scores[name] = untested_scores([[of_run[name] for of_run in of_system] for of_system in added])
    of_sentences = [
        [sum(map(score_statistics(metrics.chrf), runs)) / len(runs) for runs in of_system] for of_system in chrf
    ]
    compared = [
        Compared(system.name, system.runs, of_system, {name: found[number] for name, found in scores.items()}, sentences)
        for number, (system, of_system, sentences) in enumerate(zip(systems, texts, of_sentences, strict=True))
    ]  # fmt: skip
    return Comparison(
        pairs.name,
        list(pairs.lines),
        pairs.sources,
        [[text for text in row if text is not None] for row in zip(*columns, strict=True)],
        compared,
        metrics.signatures(),
        metrics.bleu_counts(columns),
    )


def _names(given: Name | Sequence[Name]) -> Sequence[Name]:
    return [given] if isinstance(given, (str, os.PathLike)) else given


def _check_options(systems: Sequence[System], options: dict[str, Any]) -> None:
    """Make sure, before anything is translated, that the options of decoding are right, and have an effect.

    Raises:
        SettingsError: they are not, or no system is a model.
    """
    DecodingOptions(**options)
    if options and not any(system.models for system in systems):
        raise SettingsError(f"{', '.join(options)} must be left out: all systems are files of translations.")
