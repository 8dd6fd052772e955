"""The long training of "Train it": `python docs/guide/trainings/train_07.py [french] [translations] [--data FOLDER]`.

Both are of one model, which is trained once. `french` also stores what the pictures of the chapter are drawn from, and
writes 07-french.html, the page of one sentence.
"""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import Any

import sacrebleu
import torch

import regard
from stored import Options, main

SENTENCE = "The white dog is running in the shallow water."
"""Of the test set: where attention is looked at."""
DECODERS: dict[str, dict[str, Any]] = {
    "greedy": {"beam_size": 1},
    "beam of 5": {"beam_size": 5},
    "beam of 5, no length penalty": {"beam_size": 5, "length_penalty": 0.0},
    "beam of 20, no length penalty": {"beam_size": 20, "length_penalty": 0.0},
}
SHORT = {"steps": 6, "vocab_size": 300, "model_dim": 32, "ff_dim": 32, "validate_every": 3, "report_every": 3}


@functools.cache
def trained(options: Options) -> tuple[regard.Translator, list[dict[str, float]]]:
    """The model, and the lines of its metrics.jsonl."""
    with tempfile.TemporaryDirectory() as folder:
        kept = (Path(folder) if options.models is None else options.models) / "french"
        if not (kept / "results.json").exists():
            settings: dict[str, Any] = {"steps": 1500, "report_every": 20}
            regard.train(
                pairs("train", options)[: 300 if options.short else None], kept,
                valid=pairs("val", options)[: 20 if options.short else None],
                num_encoder_layers=3, num_decoder_layers=3, label_smoothing=0.1, seed=1, overwrite=True,
                **(SHORT if options.short else settings),
            )  # fmt: skip
        lines = (kept / "metrics.jsonl").read_text().splitlines()
        return regard.load(kept, kind=regard.Translator), [json.loads(line) for line in lines]


def french(options: Options) -> tuple[list[list[str]], dict[str, Any]]:
    """English captions into French ones: the scores of each way to decode; losses, and the weights of one sentence."""
    translator, metrics = trained(options)
    test = pairs("test_2016_flickr", options)[: 10 if options.short else None]
    sources, references = zip(*test, strict=True)
    rows = [["decoding", "BLEU", "words for 100 of the references", "equal to the reference", "log-probability"]]
    for name, how in DECODERS.items():
        written = translator.translate(list(sources), **how)
        texts = [found.text for found in written]
        score = sacrebleu.corpus_bleu(texts, [list(references)])
        same = sum(text == reference for text, reference in zip(texts, references, strict=True))
        log_prob = sum(sum(found.token_log_probs) for found in written) / len(written)
        share = 100 * score.sys_len / score.ref_len
        rows.append([name, f"{score.score:.1f}", f"{share:.1f}", str(same), f"{log_prob:.2f}"])
    seen = translator.inspect(SENTENCE, beam_size=5)
    seen.save(options.out / "07-french.html")
    return rows, {
        "sizes": {
            "parameters": sum(weight.numel() for weight in translator.model.parameters()),
            "tokens": len(translator.tokenizer),
            "test loss": round(mean_loss(translator, test), 3),
        },
        "losses": [[line["step"], round(line["loss"], 3)] for line in metrics if "loss" in line],
        "validation": [[line["step"], round(line["valid_loss"], 3)] for line in metrics if "valid_loss" in line],
        "read": list(seen.keys("cross").spelled),
        "written": list(seen.rows("cross").spelled),
        "attention": {
            name: [[round(weight, 3) for weight in row] for row in seen[name].filled(0).tolist()]
            for name in seen.head_names
        },
    }


def translations(options: Options) -> list[list[str]]:
    """The first ten captions of the test set, as a beam of 5 translates them."""
    translator, _ = trained(options)
    first = pairs("test_2016_flickr", options)[:10]
    written = translator.translate([source for source, _ in first], beam_size=5)
    rows = [["", "caption"]]
    for number, ((source, reference), found) in enumerate(zip(first, written, strict=True), start=1):
        rows += [[f"**{number}.** English", source], ["reference", reference], ["the model", found.text]]
    return rows


@torch.no_grad()
def mean_loss(translator: regard.Translator, some: list[tuple[str, str]]) -> float:
    """The mean loss of a token, in nats, without smoothing."""
    batches = list(regard.batches(translator, some, epochs=1))
    total = sum(translator.model.eval().loss(batch).item() for batch in batches)
    return total / sum(batch.num_tokens for batch in batches)


def pairs(part: str, options: Options) -> list[tuple[str, str]]:
    """The captions of a part of Multi30k, in English and in French."""
    texts = [lines(options.data / "multi30k_ende" / f"{part}.{side}") for side in ("en", "fr")]
    return list(zip(*texts, strict=True))


def lines(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main({"french": french, "translations": translations})
