"""Decoding speed beside Hugging Face's `generate` and CTranslate2: `make bench-generation`.

All systems have the same weights, a model that Regard trained (`--model`) and `regard convert` wrote for the others, and
translate the 1,000 sentences of Multi30k's test_2016_flickr with a beam of 5, scores divided by the length, and at most 60
tokens. They run one after the other, in turns, each in a process of its own, so that a machine whose speed drifts is the
same for all and peak memory is each one's own. Each is first tried once in every setting listed for it; its
fastest setting is then measured. Sentences come as token ids, sorted in each system's own way.

Single sentences (latency): each of the first sentences alone, with one thread or with all, whichever is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.errors import ModelFolderError
from regard.evaluation.text_metrics import TextMetrics
from regard.interop.convert import convert
from regard.pipelines.loading import load_any
from regard.text.lines import read_lines

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "multi30k_ende"
WORKER = Path(__file__).with_name("generation_peers.py")


@dataclass(frozen=True)
class System:
    """One row of the table, and the settings that are tried for it."""

    name: str
    kind: str
    precision: str
    batch_sizes: tuple[int, ...]
    workers: tuple[int, ...] = (1,)
    engine: str = "torch"
    """Of Regard."""


SYSTEMS = [
    System("Hugging Face, float32", "hugging_face", "float32", (32, 64, 128)),
    System("Hugging Face, bfloat16", "hugging_face", "bfloat16", (32, 64, 128)),
    System("CTranslate2, float32", "ctranslate2", "float32", (16, 32, 64), (1, 2)),
    System("CTranslate2, int8", "ctranslate2", "int8", (16, 32, 64), (1, 2)),
    System("CTranslate2, auto", "ctranslate2", "auto", (16, 32, 64), (1, 2)),
    System("Regard, torch, float32", "regard", "float32", (64, 128), (1, 2)),
    System("Regard, torch, bfloat16", "regard", "bfloat16", (64, 128), (1, 2)),
    System("Regard, native", "regard", "float32", (32, 64), (1, 2), "native"),
    System("Regard, native-bfloat16", "regard", "float32", (32, 64), (1, 2), "native-bfloat16"),
    System("Regard, native-int8", "regard", "float32", (32, 64), (1, 2), "native-int8"),
]


def run(system: System, folders: dict[str, str], sources: list[list[int]], **task: Any) -> dict[str, Any]:
    """What the worker answers."""
    given = {
        "system": system.kind, "folder": folders[system.kind], "precision": system.precision, "sources": sources,
        "beam": 5, "max_length": 60, "rounds": 1, "singles": 0, "workers": 1,
        "engine": system.engine, **task,
    }  # fmt: skip
    environment = os.environ | {"OMP_NUM_THREADS": str(task["threads"])}
    done = subprocess.run(
        [sys.executable, str(WORKER)],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=environment,
    )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True, help="a model folder, trained on Multi30k en-de")
    parser.add_argument("--work", type=Path, default=Path("results") / "bench-generation", help="for converted models")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--singles", type=int, default=100)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="systems whose name has this in it")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    folders = {"regard": str(options.model)}
    for kind, form in (("hugging_face", "marian"), ("ctranslate2", "ctranslate2")):
        folders[kind] = str(options.work / form)
        if not Path(folders[kind]).is_dir():
            try:
                convert(options.model, Path(folders[kind]), format=form)
            except ModelFolderError as error:
                print(f"{kind} is left out: {error}", flush=True)
                del folders[kind]
    _, tokenizer, _ = load_any(options.model)
    texts, references = (read_lines(options.data / f"test_2016_flickr.{side}") for side in ("en", "de"))
    sources = [tokenizer.frame_source(ids) for ids in tokenizer.encode_batch(texts)]
    metrics = TextMetrics()
    print(
        f"torch {torch.__version__}, {platform.machine()}, {options.threads} threads; {len(sources)} sentences, beam 5",
        flush=True,
    )
    chosen: list[tuple[System, dict[str, int]]] = []
    for system in (system for system in SYSTEMS if options.only in system.name and system.kind in folders):
        tried = {
            (size, workers): run(system, folders, sources, threads=options.threads, batch_size=size, workers=workers)[
                "seconds"
            ][0]
            for size in system.batch_sizes
            for workers in system.workers
        }
        size, workers = min(tried, key=lambda setting: tried[setting])
        print(
            f"  {system.name}: " + ", ".join(f"{s}x{w} {len(sources) / t:.0f}/s" for (s, w), t in tried.items()),
            flush=True,
        )
        chosen.append((system, {"batch_size": size, "workers": workers}))
    seconds: dict[str, list[float]] = {system.name: [] for system, _ in chosen}
    answers: dict[str, dict[str, Any]] = {}
    for turn in range(options.rounds):
        for system, setting in chosen:
            answer = run(system, folders, sources, threads=options.threads, **setting)
            seconds[system.name] += answer["seconds"]
            answers[system.name] = answer
            print(f"  round {turn + 1}, {system.name}: {len(sources) / answer['seconds'][0]:.1f}/s", flush=True)
    print(
        "\n| system | batch x workers | sentences/s | lowest to highest | ratio | target tokens/s | peak MB | BLEU | "
        "one sentence, median | 95th percentile |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    first = statistics.median(seconds[chosen[0][0].name])
    for system, setting in chosen:
        times, answer = sorted(seconds[system.name]), answers[system.name]
        median = statistics.median(times)
        written = answer["targets"]
        bleu = metrics.score([tokenizer.decode(ids) for ids in written], references).bleu
        few = sources[: options.singles]
        singles = [
            sorted(run(system, folders, few, threads=threads, batch_size=1, singles=len(few))["latencies"])
            for threads in sorted({1, options.threads})
        ]
        latencies = min(singles, key=statistics.median)
        tokens = sum(len(ids) + 1 for ids in written)
        print(
            f"| {system.name} | {setting['batch_size']} x {setting['workers']} | {len(sources) / median:.0f} | "
            f"{len(sources) / times[-1]:.0f} to {len(sources) / times[0]:.0f} | {first / median:.2f} | {tokens / median:,.0f} | "
            f"{answer['peak_megabytes']:.0f} | {bleu:.2f} | {1000 * statistics.median(latencies):.1f} ms | "
            f"{1000 * latencies[int(0.95 * len(latencies))]:.1f} ms |",
            flush=True,
        )


if __name__ == "__main__":
    main()
