"""Plain defaults against recipes, on small data: the table of docs/experiments.md.

Each set of `../shared/data`, whole and cut to 3,000 and 800 examples that are drawn at random, is trained once with no
option but a seed, and once with each recipe that is named here; the test examples are at most 1,000. Prints the table.
Goes on where it was stopped: each model and each score stays in `--work`. All of it takes a day of one core; `--only`
names some sets.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from measured import ROOT, Bench

TESTED = 1_000
SIZES = (800, 3_000)


@dataclass(frozen=True)
class Data:
    """One set of examples, and what it is compared with."""

    name: str
    train: tuple[str, ...]
    """One file, or the source's and the target's."""
    test: tuple[str, ...]
    measure: str
    """A key of `regard evaluate --json`."""
    recipes: Callable[[int], tuple[str, ...]] = lambda size: ()
    """Options of `regard train` to compare with, by the number of examples."""
    options: tuple[str, ...] = ()
    """Options that any training on this set needs."""
    line: Callable[[str], str] = lambda line: line
    """Writes a line of a file as `regard train` reads it."""


def sounds(language: str, size: str) -> Data:
    """Words to phones."""
    train, test = (f"g2p/{size}/{language}_{part}.tsv" for part in ("train", "test"))
    return Data(
        f"g2p-{language}",
        (train,),
        (test,),
        "exact_match",
        lambda size: ("--arch encoder-decoder",),
    )


def captions(source: str, target: str) -> Data:
    """Translation of image captions."""
    train, test = (
        tuple(f"multi30k_ende/{part}.{language}" for language in (source, target))
        for part in ("train", "test_2016_flickr")
    )
    regular = "--set model.dropout=0.3 --set model.positions=rotary"
    return Data(
        f"multi30k-{source}-{target}",
        train,
        test,
        "bleu",
        lambda size: ("--config recipe:multi30k",) if size > 20_000 else (f"{regular} --steps 2000", "--steps 2000"),
    )


def simpler(folder: str, name: str, target: str) -> Data:
    """A sentence written shorter or in parts."""
    train, test = (tuple(f"{folder}/{name}.{part}.{side}" for side in ("orig", target)) for part in ("valid", "test"))
    return Data(folder, train, test, "bleu")


def labels(name: str, stem: str) -> Data:
    """Sentences with a label each."""
    words = "--set tokenizer.kind=words --set model.num_layers=1 --set model.dropout=0.5"
    return Data(
        name,
        (f"{name}/{stem}train.tsv",),
        (f"{name}/{stem}test.tsv",),
        "accuracy",
        lambda size: (words,),
        ("--arch", "encoder", "--task", "classify"),
    )


def lemma_tags_form(line: str) -> str:
    """A pair of two columns from one of three."""
    lemma, form, tags = line.split("\t")
    return f"{lemma} {tags}\t{form}"


def sounds_first(line: str) -> str:
    """The sounds of a word, and the word."""
    return "\t".join(line.split("\t")[::-1])


SETS = (
    *(sounds(language, "low") for language in ("ice", "ita")),
    *(sounds(language, "medium") for language in ("hun", "vie_hanoi", "kor", "fre", "dut")),
    Data("inflection", ("inflection/isl.train.tsv",), ("inflection/isl.test.tsv",), "exact_match",
         lambda size: ("--arch encoder-decoder",), line=lemma_tags_form),
    Data("spelling-hun", ("g2p/medium/hun_train.tsv",), ("g2p/medium/hun_test.tsv",), "exact_match",
         lambda size: ("--arch encoder-decoder",), line=sounds_first),
    Data("scan", ("scan/tasks_train_simple.tsv",), ("scan/tasks_test_simple.tsv",), "exact_match",
         lambda size: ("--config recipe:scan-simple",)),
    *(captions("en", language) for language in ("de", "fr", "cs")),
    simpler("compression", "googlecomp", "comp"),
    simpler("wikisplit", "wikisplit", "split"),
    labels("subj", "subj."),
    labels("sst2", "stsa.binary."),
)  # fmt: skip


def cut(bench: Bench, data: Data, part: tuple[str, ...], size: int | None, name: str) -> tuple[list[str], int]:
    """Files with some examples of a part, drawn at random by one seed, and how many these are."""
    sides = [(bench.data / file).read_text(encoding="utf-8").rstrip("\n").split("\n") for file in part]
    rows = list(zip(*sides, strict=True))
    if size is not None and size < len(rows):
        rows = random.Random(1).sample(rows, size)
    files = []
    for side, file in enumerate(part):
        written = bench.work / f"{data.name}-{name}{Path(file).suffix}"
        written.write_text("".join(f"{data.line(row[side])}\n" for row in rows), encoding="utf-8")
        files.append(str(written))
    return files, len(rows)


def compare(bench: Bench, data: Data, size: int | None) -> str | None:
    """One row: what the defaults reach, and what each recipe does. None where the set is not larger than the cut."""
    test, tested = cut(bench, data, data.test, TESTED, "test")
    train, given = cut(bench, data, data.train, size, f"train-{size or 'whole'}")
    if size is not None and given < size:
        return None
    scores = {}
    for place, recipe in enumerate(("", *data.recipes(given))):
        name = f"{data.name}-{size or 'whole'}{f'-recipe{place}' * bool(place)}"
        model = bench.train(name, *train, *data.options, *recipe.split(), "--seed", "1")
        scores[recipe] = bench.score(name, data.measure, str(model), *test)
    others = ", ".join(f"{score:.1f} (`{recipe}`)" for recipe, score in islice(scores.items(), 1, None))
    return f"| {data.name} | {given:,} | {tested:,} | {data.measure} | {scores['']:.1f} | {others} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=ROOT / "results" / "defaults")
    parser.add_argument("--only", nargs="+", choices=[data.name for data in SETS], help="by default all")
    parser.add_argument("--sizes", nargs="+", type=int, default=[*SIZES, 0], help="0 is the whole set")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.data, options.work, ("--threads", str(options.threads)) if options.threads else ())
    print("| set | examples | tested | measure | defaults | recipe |\n|---|---:|---:|---|---:|---|", flush=True)
    for data in SETS:
        if options.only and data.name not in options.only:
            continue
        for size in options.sizes:
            if row := compare(bench, data, size or None):
                print(row, flush=True)


if __name__ == "__main__":
    main()
