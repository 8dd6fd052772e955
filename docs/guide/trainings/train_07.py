"""The long trainings of chapter 7: `python docs/guide/trainings/train_07.py [multi30k] [split] [--data FOLDER]`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import regard
from regard.text.lines import read_lines
from stored import Options, main


def multi30k(options: Options) -> list[list[str]]:
    """English captions into German ones, with labels that are smoothed and that are not."""
    data = options.data / "multi30k_ende"
    sources, references = (
        read_lines(data / f"test_2016_flickr.{side}")[: 40 if options.short else None] for side in ("en", "de")
    )
    rows = [["label smoothing", "validation loss", "right", "mean confidence", "BLEU, greedy", "BLEU, beam 5"]]
    with tempfile.TemporaryDirectory() as folder:
        for smoothing in (0.0, 0.1):
            result = regard.train(
                read_pairs(data / "train.en", data / "train.de", options), f"{folder}/{smoothing}",
                valid=read_pairs(data / "val.en", data / "val.de", options), label_smoothing=smoothing, seed=1,
                steps=6 if options.short else 1500,
                **({"vocab_size": 300, "model_dim": 32, "ff_dim": 32, "validate_every": 3} if options.short else {}),
            )  # fmt: skip
            translator = regard.load(result.folder)
            right, confidence = top_predictions(translator, list(zip(sources, references, strict=True)))
            scores = [translator.evaluate(sources, references, beam_size=beam) for beam in (1, 5)]
            rows.append(
                [
                    f"{smoothing:g}",
                    f"{result.run.best_scores['loss']:.3f}",
                    f"{100 * right:.1f} %",
                    f"{100 * confidence:.1f} %",
                    *(f"{score['bleu']:.2f}" for score in scores),
                ]
            )
    return rows


def read_pairs(source: Path, target: Path, options: Options) -> list[tuple[str, str]]:
    """The pairs of two files; some of them for a short run."""
    pairs = zip(read_lines(source), read_lines(target), strict=True)
    return list(pairs)[: 300 if options.short else None]


def top_predictions(translator: Any, pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """How often the likeliest next token is the reference's, and its mean probability."""
    right = confidence = count = 0.0
    model = translator.model.eval()
    with torch.no_grad():
        for batch in regard.batches(translator, pairs, epochs=1):
            states, labels = model.labelled_states(batch)
            best = model.logits(states).softmax(dim=-1).max(dim=-1)
            right += (best.indices == labels).sum().item()
            confidence += best.values.sum().item()
            count += len(labels)
    return right / count, confidence / count


def split(options: Options) -> list[list[str]]:
    """Long sentences into two or more short ones: 5,000 pairs, from nothing, beside the source as it is."""
    from rouge_score.rouge_scorer import RougeScorer

    data = options.data / "wikisplit"
    sources, targets = (read_lines(data / f"wikisplit.valid.{side}") for side in ("orig", "split"))
    test, references = (
        read_lines(data / f"wikisplit.test.{side}")[: 20 if options.short else 500] for side in ("orig", "split")
    )
    with tempfile.TemporaryDirectory() as folder:
        result = regard.train(
            list(zip(sources, targets, strict=True)), f"{folder}/model", seed=1, steps=6 if options.short else 1500,
            **({"vocab_size": 300, "model_dim": 32, "ff_dim": 32, "validate_every": 3} if options.short else {}),
        )  # fmt: skip
        written = [
            found.text for found in regard.load(result.folder).translate(test, beam_size=1 if options.short else 5)
        ]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    rows = [["system", "ROUGE-1", "ROUGE-2", "ROUGE-L"]]
    for system, texts in (("the source as it is", test), ("the model", written)):
        scores = [scorer.score(reference, text) for reference, text in zip(references, texts, strict=True)]
        rows.append(
            [
                system,
                *(
                    f"{100 * sum(score[kind].fmeasure for score in scores) / len(scores):.1f}"
                    for kind in scorer.rouge_types
                ),
            ]
        )
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    main({"multi30k": multi30k, "split": split})
