"""The long training of chapter 9: `python docs/guide/trainings/train_09.py [models] [translations] [--data FOLDER]`."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

import regard
from stored import Options, main

MODELS = {
    "GRU, additive score": {"cell": "gru", "score": "additive"},
    "LSTM, additive score": {"cell": "lstm", "score": "additive"},
    "GRU, dot product": {"cell": "gru", "score": "dot"},
    "GRU, scaled dot product": {"cell": "gru", "score": "scaled_dot"},
}
LONGEST, EPOCHS, RATE = 12, 6, 0.003
SHOWN = (0, 100, 200, 300, 400, 500)
"""Test pairs whose translations are on the page, whatever became of them."""
ALIGNED = "a guy wearing a white shirt is playing a white guitar ."


@dataclass(frozen=True)
class Trained:
    """A model, and its perplexity on the validation pairs after each pass over the data."""

    translator: Any
    perplexities: list[float]


def words(text: str) -> str:
    """Words and punctuation in lower case, with spaces between them; an apostrophe ends a word."""
    return " ".join(re.findall(r"\w+['\u2019]|\w+|[^\w\s]", text.lower()))


def pairs_of(split: str, options: Options) -> list[tuple[str, str]]:
    """English and French captions whose English has at most twelve words."""
    folder = options.data / "multi30k_ende"
    english, french = (
        (folder / f"{split}.{side}").read_text(encoding="utf-8").split("\n")[:-1] for side in ("en", "fr")
    )
    pairs = [(words(source), words(target)) for source, target in zip(english, french, strict=True)]
    return [(source, target) for source, target in pairs if len(source.split()) <= LONGEST]


@functools.cache
def trained(name: str, options: Options) -> Trained:
    """A model of that name."""
    pairs, valid = pairs_of("train", options), pairs_of("val", options)
    epochs = EPOCHS
    if options.short:
        pairs, valid, epochs = pairs[:100], valid[:20], 1
    translator = regard.new(
        pairs, arch="rnn", model_dim=128, dropout=0.2, kind="words", vocab_size=3000, seed=1,
        settings={"model": dict(MODELS[name]), "tokenizer": {"shared": False}},
    )  # fmt: skip
    model = translator.model
    torch.manual_seed(1)  # of dropout
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    order = [
        list(regard.batches(translator, pairs, batch_tokens=1000, epochs=1, seed=epoch)) for epoch in range(epochs)
    ]
    schedule = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.05, total_iters=sum(map(len, order)))
    held_out = list(regard.batches(translator, valid, epochs=1))
    perplexities = []
    for batches in order:
        model.train()
        for batch in batches:
            loss = model.loss(batch) / batch.num_tokens
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            schedule.step()
        model.eval()
        with torch.no_grad():
            nats = sum(model.loss(batch) for batch in held_out) / sum(batch.num_tokens for batch in held_out)
        perplexities.append(float(nats.exp()))
        print(name, f"perplexity {perplexities[-1]:.2f}", flush=True)
    return Trained(translator, perplexities)


def models(options: Options) -> list[list[str]]:
    """Each model: its size, its perplexity as it learns, and its BLEU."""
    test = pairs_of("test_2016_flickr", options)[: 5 if options.short else None]
    rows = [["model", "parameters", "perplexity after 1 pass", "after 3", "after 6", "BLEU, greedy", "BLEU, beam 5"]]
    for name in MODELS:
        found = trained(name, options)
        shown = [found.perplexities[min(epoch, len(found.perplexities)) - 1] for epoch in (1, 3, 6)]
        sources, references = [source for source, _ in test], [target for _, target in test]
        scores = [found.translator.evaluate(sources, references, beam_size=size)["bleu"] for size in (1, 5)]
        rows.append(
            [
                name,
                f"{sum(p.numel() for p in found.translator.model.parameters()):,}",
                *(f"{value:.2f}" for value in shown),
                *(f"{score:.1f}" for score in scores),
            ]
        )
    return rows


def translations(options: Options) -> list[list[str]]:
    """What the first model writes for some test captions; and, in a file, how two models align another one."""
    test = pairs_of("test_2016_flickr", options)
    translator = trained("GRU, additive score", options).translator
    rows = [["source", "written", "reference"]]
    for place in SHOWN:
        source, reference = test[place]
        (found,) = translator.translate([source], beam_size=5)
        rows.append([source, found.text, reference])
    write_alignments(options)
    return rows


def write_alignments(options: Options) -> None:
    """What two models write for a caption, and the weight of each word that was read: lines separated by tabs."""
    lines: list[str] = []
    for name in ("GRU, additive score", "GRU, dot product"):
        lines += [name, *alignment_lines(trained(name, options).translator), ""]
    Path(options.out / "09-alignments.txt").write_text("\n".join(lines), encoding="utf-8")


def alignment_lines(translator: Any) -> Iterator[str]:
    """The words read, and then each word written with its weights."""
    (found,) = translator.translate([ALIGNED], beam_size=5)
    alignment = translator.align(ALIGNED, found.text)
    yield "\t".join(["", *(word.strip("\u2581") for word in alignment.source_tokens)])
    for word, row in zip(alignment.target_tokens, alignment.weights, strict=True):
        yield "\t".join([word.strip("\u2581"), *(f"{weight:.3f}" for weight in row)])


if __name__ == "__main__":
    torch.set_num_threads(1)
    main({"models": models, "translations": translations})
