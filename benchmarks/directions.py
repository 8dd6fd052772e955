"""One model of many directions against one model for each: the tables of docs/results.md.

`--set captions`: English, German, French and Czech (Multi30k). The directions from and to English are trained; the six
others are not (zero-shot), and are also translated by way of English. `--set g2p`: words to phones in seven languages.
Goes on where it was stopped: each model and each score stays in `--work`. Prints the tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from measured import ROOT, Bench, regard

CAPTIONS = ("en", "de", "fr", "cs")
WORDS = {"ice": "low", "ita": "low"} | dict.fromkeys(("hun", "vie_hanoi", "kor", "fre", "dut"), "medium")


def captions(bench: Bench, steps: int, more_steps: int) -> Iterator[str]:
    """BLEU of each direction, line by line: a model of its own, one of all, and one of all with more steps."""
    trained = [(a, b) for a, b in permutations(CAPTIONS, 2) if "en" in (a, b)]

    def settings(steps: int) -> list[str]:
        return ["--config", "recipe:multi30k", "--steps", str(steps), "--seed", "1",
                "--set", "tokenizer.vocab_size=6000", "--set", "training.keep_best=1"]  # fmt: skip

    def files(part: str, source: str, target: str) -> list[str]:
        return [str(bench.data / "multi30k_ende" / f"{part}.{language}") for language in (source, target)]

    directions = [word for a, b in trained for word in ("--direction", f"{a}-{b}={','.join(files('train', a, b))}")]
    valid = ["--valid", *(file for a, b in trained for file in files("val", a, b))]
    many = {
        f"all-{each}": bench.train(f"all-{each}", *directions, *valid, *settings(each)) for each in (steps, more_steps)
    }
    yield f"| direction | one model each, {steps:,} steps | one of all, {steps:,} | one of all, {more_steps:,} |"
    yield "|---|---:|---:|---:|"
    for source, target in trained:
        name, test = f"{source}-{target}", files("test_2016_flickr", source, target)
        own = bench.train(
            name, *files("train", source, target), "--valid", *files("val", source, target), *settings(steps)
        )
        scores = [bench.score(f"{name}.own", "bleu", str(own), *test)]
        scores += [bench.score(f"{name}.{of}", "bleu", str(model), *test, "--from", source, "--to", target)
                   for of, model in many.items()]  # fmt: skip
        yield f"| {name} | " + " | ".join(f"{score:.1f}" for score in scores) + " |"
    for source, target in permutations(CAPTIONS[1:], 2):
        name, (text, references) = f"{source}-{target}", files("test_2016_flickr", source, target)
        cells = []
        english = translated(bench, f"{name}.english", bench.work / f"{source}-en", text)
        written = translated(bench, f"{name}.own", bench.work / f"en-{target}", english)
        cells.append(f"{score_of(written, references):.1f} (by English)")
        for of, model in many.items():
            direct = bench.score(f"{name}.{of}", "bleu", str(model), text, references, "--from", source, "--to", target)
            english = translated(bench, f"{name}.{of}.english", model, text, "--from", source, "--to", "en")
            written = translated(bench, f"{name}.{of}.by", model, english, "--from", "en", "--to", target)
            cells.append(f"{direct:.1f} ({score_of(written, references):.1f} by English)")
        yield f"| {name}, not trained | " + " | ".join(cells) + " |"


def translated(bench: Bench, name: str, model: Path, text: str, *arguments: str) -> str:
    """The file of a text's translation."""
    file = bench.work / f"{name}.txt"
    if not file.is_file():
        regard("translate", str(model), text, "-o", str(file), *arguments, *bench.threads)
    return str(file)


def score_of(written: str, references: str) -> float:
    """BLEU of a translation in a file."""
    from sacrebleu import corpus_bleu

    ours, theirs = (Path(file).read_text(encoding="utf-8").rstrip("\n").split("\n") for file in (written, references))
    return float(corpus_bleu(ours, [theirs]).score)


def g2p(bench: Bench, steps: int, more_steps: int) -> Iterator[str]:
    """Word errors of each language, line by line: a model of its own, one of all, and one of all with more steps."""

    def file(part: str, language: str) -> str:
        return str(bench.data / "g2p" / WORDS[language] / f"{language}_{part}.tsv")

    def settings(steps: int) -> list[str]:
        return ["--config", "recipe:g2p", "--steps", str(steps), "--seed", "1"]

    codes = {language: (language[:3], f"{language[:3]}_fonipa") for language in WORDS}
    directions = [word for language, (source, target) in codes.items()
                  for word in ("--direction", f"{source}-{target}={file('train', language)}")]  # fmt: skip
    valid = ["--valid", *(file("dev", language) for language in WORDS)]
    many = {
        f"g2p-{each}": bench.train(f"g2p-{each}", *directions, *valid, *settings(each)) for each in (steps, more_steps)
    }
    yield f"| language | pairs | one model each, {steps:,} steps | one of all, {steps:,} | one of all, {more_steps:,} |"
    yield "|---|---:|---:|---:|---:|"
    for language, (source, target) in codes.items():
        own = bench.train(
            f"g2p-{language}", file("train", language), "--valid", file("dev", language), *settings(steps)
        )
        scores = [bench.score(f"g2p-{language}.own", "exact_match", str(own), file("test", language))]
        scores += [bench.score(f"g2p-{language}.{of}", "exact_match", str(model), file("test", language),
                               "--from", source, "--to", target) for of, model in many.items()]  # fmt: skip
        pairs = 8_000 if WORDS[language] == "medium" else 800
        yield f"| {language} | {pairs:,} | " + " | ".join(f"{100 - score:.1f} %" for score in scores) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=ROOT / "results" / "directions")
    parser.add_argument("--set", choices=("captions", "g2p"), required=True)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--steps", type=int, help="default: 1,500 for captions, 2,000 for words")
    parser.add_argument("--more-steps", type=int, help="default: 4,500 for captions, 8,000 for words")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.data, options.work, ("--threads", str(options.threads)) if options.threads else ())
    lines, usual = {"captions": (captions, (1_500, 4_500)), "g2p": (g2p, (2_000, 8_000))}[options.set]
    for line in lines(bench, options.steps or usual[0], options.more_steps or usual[1]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
