"""One system of `generation.py`, in a process of its own: reads what to do as JSON, answers with times as JSON.

A system is given sources as token ids and answers with target texts; cutting text into tokens is not timed.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Decode = Callable[[list[list[int]]], list[list[int]]]
"""Source ids, with the end symbol, to target ids, without."""


def regard(task: dict[str, Any]) -> Decode:
    import torch

    import regard
    from regard.generation.options import DecodingOptions
    from regard.generation.request import Request
    from regard.training.precision import keep_freed_memory

    keep_freed_memory()
    torch.set_num_threads(task["threads"])
    translator = regard.load(task["folder"], precision=task["precision"], device="cpu", engine=task["engine"])
    options = DecodingOptions(
        beam_size=task["beam"], length_norm="average", batch_size=task["batch_size"], workers=task["workers"]
    )

    def run(sources: list[list[int]]) -> list[list[int]]:
        requests = [Request(ids, task["max_length"]) for ids in sources]
        return [hypotheses[0].ids for hypotheses in translator._decoder.decode(requests, options)]

    return run


def hugging_face(task: dict[str, Any]) -> Decode:
    import torch
    from transformers import MarianMTModel

    from regard.training.precision import keep_freed_memory

    keep_freed_memory()
    torch.set_num_threads(task["threads"])
    model = MarianMTModel.from_pretrained(task["folder"], dtype=getattr(torch, task["precision"])).eval()
    pad, eos = model.config.pad_token_id, model.config.eos_token_id

    @torch.inference_mode()
    def run(sources: list[list[int]]) -> list[list[int]]:
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        found: list[list[int]] = [[] for _ in sources]
        for first in range(0, len(order), task["batch_size"]):
            rows = order[first : first + task["batch_size"]]
            longest = max(len(sources[i]) for i in rows)
            ids = torch.tensor([sources[i] + [pad] * (longest - len(sources[i])) for i in rows])
            out = model.generate(
                ids, attention_mask=(ids != pad).long(), num_beams=task["beam"], max_length=task["max_length"],
                length_penalty=1.0, do_sample=False,
            )  # fmt: skip
            for i, row in zip(rows, out.tolist(), strict=True):
                found[i] = [id for id in row[1:] if id not in (pad, eos)]
        return found

    return run


def ctranslate2(task: dict[str, Any]) -> Decode:
    import ctranslate2 as package

    workers = task["workers"]
    translator = package.Translator(
        task["folder"], compute_type=task["precision"], inter_threads=workers, intra_threads=task["threads"] // workers
    )
    vocabulary = json.loads((Path(task["folder"]) / "shared_vocabulary.json").read_text(encoding="utf-8"))
    number = {token: id for id, token in enumerate(vocabulary)}

    def run(sources: list[list[int]]) -> list[list[int]]:
        tokens = [[vocabulary[id] for id in ids[:-1]] for ids in sources]  # it adds the end symbol itself
        results = translator.translate_batch(
            tokens, beam_size=task["beam"], max_batch_size=task["batch_size"], batch_type="examples",
            length_penalty=1.0, max_decoding_length=task["max_length"],
        )  # fmt: skip
        return [[number[token] for token in result.hypotheses[0]] for result in results]

    return run


SYSTEMS = {"regard": regard, "hugging_face": hugging_face, "ctranslate2": ctranslate2}


def main() -> None:
    task = json.loads(sys.stdin.read())
    run = SYSTEMS[task["system"]](task)
    sources = task["sources"]
    run(sources[:64])
    run(sources[:1])
    answer: dict[str, Any] = {"seconds": [], "latencies": []}
    for _ in range(task["rounds"]):
        start = time.perf_counter()
        answer["targets"] = run(sources)
        answer["seconds"].append(time.perf_counter() - start)
    for ids in sources[: task["singles"]]:
        start = time.perf_counter()
        run([ids])
        answer["latencies"].append(time.perf_counter() - start)
    answer["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
