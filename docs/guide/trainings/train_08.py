"""The long trainings of "What the parts are worth": `python docs/guide/trainings/train_08.py [parts] [split]`."""

from __future__ import annotations

import json
import math
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import regard
import regard.nn as rn
from regard.extending import EncoderDecoder
from stored import Options, main

SEEDS = 1, 2, 3
WORDS = 8
"""English words of a caption, at most: short ones are learnt in few steps."""
STEPS, WARMUP, BATCH = 450, 90, 512
BASE = {
    "model_dim": 64, "ff_dim": 128, "num_heads": 4, "num_encoder_layers": 2, "num_decoder_layers": 2, "norm": "pre",
    "dropout": 0.1, "max_positions": 64,
}  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "1 head of 64": {"num_heads": 1, "head_dim": 64},
    "16 heads of 4": {"num_heads": 16, "head_dim": 4},
    "1 + 1 layers": {"num_encoder_layers": 1, "num_decoder_layers": 1},
    "4 + 4 layers": {"num_encoder_layers": 4, "num_decoder_layers": 4},
    "width 32": {"model_dim": 32, "ff_dim": 64},
    "width 128": {"model_dim": 128, "ff_dim": 256},
    "dropout 0": {"dropout": 0.0},
    "dropout 0.3": {"dropout": 0.3},
    "hard labels": {"smoothing": 0.0},
    "positions learnt": {"positions": "learned"},
    "no positions": {"positions": "none"},
    "additive scores": {"additive": True},
}
"""What differs from the base."""
SHORT = {"model_dim": 16, "ff_dim": 16}


def parts(options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """One thing at a time is changed in a small model that learns short captions, English to French."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) if options.models is None else options.models / "parts"
        kept.mkdir(parents=True, exist_ok=True)
        found = {name: [] for name in VARIANTS}
        for seed in SEEDS[:2] if options.short else SEEDS:
            for name in VARIANTS:
                found[name].append(once(name, seed, kept, options))
    rows = [["model", "parameters", "time", "loss", "perplexity", "right"]]
    for name, runs in found.items():
        loss, right = ([run[key] for run in runs] for key in ("loss", "right"))
        seconds = statistics.mean(run["seconds"] for run in runs) / statistics.mean(
            run["seconds"] for run in found["base"]
        )
        rows.append(
            [
                name,
                f"{runs[0]['parameters']:,}",
                f"{seconds:.1f}",
                f"{statistics.mean(loss):.3f} ± {statistics.stdev(loss):.3f}",
                f"{statistics.mean(map(math.exp, loss)):.1f}",
                f"{100 * statistics.mean(right):.1f} ± {100 * statistics.stdev(right):.1f} %",
            ]
        )
    return rows, {"losses": {name: [round(run["loss"], 3) for run in runs] for name, runs in found.items()}}


def once(name: str, seed: int, kept: Path, options: Options) -> dict[str, float]:
    """A variant, trained with one seed: its loss and the share of right tokens on validation captions."""
    path = kept / f"{name}, seed {seed}.json"
    if path.exists():
        return json.loads(path.read_text())
    train, valid = captions("train", options), captions("val", options)
    if options.short:
        train, valid = train[:100], valid[:20]
    changed = dict(VARIANTS[name])
    smoothing, additive = changed.pop("smoothing", 0.1), changed.pop("additive", False)
    sizes = BASE | changed | (SHORT if options.short else {})
    translator = regard.new(train, vocab_size=300 if options.short else 1000, seed=seed, **sizes)
    model = translator.model
    torch.manual_seed(seed)
    if additive:
        give_additive_scores(model)
    seconds = learn(translator, train, 2 if options.short else STEPS, smoothing, seed)
    loss, right = measure(translator, valid)
    count = sum(weight.numel() for weight in model.parameters())
    found = {"loss": loss, "right": right, "seconds": seconds, "parameters": count}
    path.write_text(json.dumps(found))
    return found


def give_additive_scores(model: EncoderDecoder) -> None:
    """Let each attention compare queries and keys as Bahdanau et al. 2015 do, in place of their product."""
    for module in list(model.modules()):
        if isinstance(module, rn.MultiHeadAttention):
            width = module.head_dim
            module.attention = rn.Attention(rn.Additive(width, width, width))


def learn(
    translator: regard.Translator, pairs: Sequence[tuple[str, str]], steps: int, smoothing: float, seed: int
) -> float:
    """The loop of training; how much time of the processor a step took, in seconds.

    The highest rate falls with the root of the width, as in the paper: 0.01 at width 64.
    """
    model = translator.model.train()
    peak = 0.08 * translator.model.config.model_dim**-0.5
    adam = torch.optim.Adam(model.parameters(), lr=peak, betas=(0.9, 0.98), eps=1e-9, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / WARMUP, (steps - step) / max(1, steps - WARMUP))
    )
    batches = regard.batches(translator, pairs, batch_tokens=BATCH, seed=seed)
    times = []
    for _ in range(steps):
        begun = time.process_time()
        batch = next(batches)
        loss = model.loss(batch, smoothing=smoothing) / batch.num_tokens
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        schedule.step()
        times.append(time.process_time() - begun)
    model.eval()
    return statistics.median(times)


@torch.no_grad()
def measure(translator: regard.Translator, pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """The mean loss of a token, without smoothing, and how often the likeliest token is the right one."""
    model = translator.model.eval()
    loss = right = count = 0.0
    for batch in regard.batches(translator, pairs, epochs=1):
        states, labels = model.labelled_states(batch)
        logits = model.logits(states)
        loss += torch.nn.functional.cross_entropy(logits, labels, reduction="sum").item()
        right += (logits.argmax(dim=-1) == labels).sum().item()
        count += len(labels)
    return loss / count, right / count


def captions(part: str, options: Options) -> list[tuple[str, str]]:
    """The short captions of a part of Multi30k, in English and in French."""
    texts = [lines(options.data / "multi30k_ende" / f"{part}.{side}") for side in ("en", "fr")]
    return [pair for pair in zip(*texts, strict=True) if len(pair[0].split()) <= WORDS]


def split(options: Options) -> list[list[str]]:
    """Long sentences into two or more short ones: 5,000 pairs, from nothing, beside the source as it is."""
    from rouge_score.rouge_scorer import RougeScorer

    data = options.data / "wikisplit"
    sources, targets = (lines(data / f"wikisplit.valid.{side}") for side in ("orig", "split"))
    test, references = (
        lines(data / f"wikisplit.test.{side}")[: 10 if options.short else 500] for side in ("orig", "split")
    )
    settings: dict[str, Any] = {"steps": 600, "num_encoder_layers": 2, "num_decoder_layers": 2}
    if options.short:
        sources, targets = sources[:200], targets[:200]
        settings |= {"steps": 4, "vocab_size": 300, "model_dim": 16, "ff_dim": 16, "validate_every": 4}
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "split" if options.models is None else options.models / "split"
        if not (kept / "results.json").exists():
            regard.train(list(zip(sources, targets, strict=True)), kept, seed=1, overwrite=True, **settings)
        translator = regard.load(kept, kind=regard.Translator)
        written = [found.text for found in translator.translate(test, beam_size=1 if options.short else 5)]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    rows = [["system", "ROUGE-1", "ROUGE-2", "ROUGE-L", "more than one sentence"]]
    for system, texts in (("the source as it is", test), ("the model", written), ("the references", references)):
        scores = [scorer.score(reference, text) for reference, text in zip(references, texts, strict=True)]
        means = (100 * statistics.mean(score[kind].fmeasure for score in scores) for kind in scorer.rouge_types)
        several = statistics.mean(re.search(r"[.!?]['\")]* +\S", text) is not None for text in texts)
        rows.append([system, *(f"{mean:.1f}" for mean in means), f"{100 * several:.0f} %"])
    return rows


def lines(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main({"parts": parts, "split": split})
