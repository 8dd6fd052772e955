"""Whether translations depend on their batch: the share of Multi30k's 1,000 test sentences whose n-best list changes.

`python benchmarks/invariance.py --model FOLDER [--precision bfloat16]` decodes them with a beam of 5, the 5 best of each, one
by one, and again in batches of other sizes, shuffled, padded on the left, and without a cache. It counts sentences whose
token ids or order of hypotheses differ from those decoded alone, and the largest difference of scores among the others.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import regard
from regard.engines.engine_choice import compile_model
from regard.generation.decoding import Decoding
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.pipelines.translator import Translator
from regard.text.lines import read_lines

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "multi30k_ende" / "test_2016_flickr.en"


@dataclass
class Written:
    """The state of a model that remembers nothing but what was written."""

    source_ids: Tensor
    ids: Tensor

    def select(self, sentences: Tensor, parents: Tensor) -> Written:
        return Written(self.source_ids[sentences], self.ids[sentences[:, None], parents])

    def replace(self, slots: Tensor, other: Written, sentences: Tensor) -> Written:
        raise NotImplementedError  # no sentence takes the place of another where all fit into one batch

    def release(self, slots: Tensor) -> Written:
        return self


class Uncached:
    """A model that reads everything anew at each step."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def prefill(self, source_ids: Tensor) -> Written:
        return Written(source_ids, source_ids.new_zeros(len(source_ids), 1, 0))

    def decode_step(self, ids: Tensor, state: Written) -> tuple[Tensor, Written]:
        state = Written(state.source_ids, torch.cat((state.ids, ids[..., None]), dim=2))
        sources = state.source_ids.repeat_interleave(ids.shape[1], dim=0)
        states = self.model.states(sources, state.ids.flatten(0, 1))[:, -1]
        return self.model.logits(states).view(*ids.shape, -1), state


def compare(name: str, found: list[list[Hypothesis]], alone: list[list[Hypothesis]]) -> None:
    differ, largest = 0, 0.0
    for mine, theirs in zip(found, alone, strict=True):
        if [h.ids for h in mine] != [h.ids for h in theirs]:
            differ += 1
        else:
            largest = max(largest, *(abs(a.score - b.score) for a, b in zip(mine, theirs, strict=True)))
    best = sum(mine[0].ids != theirs[0].ids for mine, theirs in zip(found, alone, strict=True))
    print(f"| {name} | {differ} | {best} | {largest:.1e} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--source", type=Path, default=DATA)
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--sentences", type=int, default=1000)
    options = parser.parse_args()
    translator = regard.load(options.model, precision=options.precision)
    assert isinstance(translator, Translator)
    tokenizer, own = translator.tokenizer, translator.tokenizer.symbols
    symbols = TargetSymbols(own.start_ids, own.eos_id, own.pad_id, tuple(own.banned_ids))
    texts = read_lines(options.source)[: options.sentences]
    requests = [Request(tokenizer.frame_source(ids), 60) for ids in tokenizer.encode_batch(texts)]
    fast: Any = compile_model(translator.model, options.engine)

    def search(model: Any, asked: list[Request], **how: Any) -> list[list[Hypothesis]]:
        return Decoding(model, asked, BeamSearch(BeamSettings(5, 5), own.eos_id), symbols, **how).run()

    print(f"{len(requests)} sentences, {options.precision}, engine {options.engine}, against each decoded alone\n")
    print(
        "| how | n-best lists that differ | best ones that differ | largest difference of scores |\n|---|---:|---:|---:|"
    )
    alone = [search(fast, [request])[0] for request in requests]
    for size in (1, 2, 7, 64, len(requests)):
        compare(f"batches of {size}", search(fast, requests, batch_size=size), alone)
    order = list(range(len(requests)))
    random.Random(1).shuffle(order)
    shuffled = search(fast, [requests[i] for i in order], batch_size=64)
    back = dict(zip(order, shuffled, strict=True))
    compare("shuffled, batches of 64", [back[i] for i in range(len(requests))], alone)
    compare("padding on the left, batches of 64", search(fast, requests, batch_size=64, padding_side="left"), alone)
    compare("without an engine, batches of 64", search(translator.model, requests, batch_size=64), alone)
    parts = [
        search(Uncached(translator.model), requests[i : i + 50], batch_size=50) for i in range(0, len(requests), 50)
    ]
    compare("without a cache, batches of 50", [found for part in parts for found in part], alone)


if __name__ == "__main__":
    main()
