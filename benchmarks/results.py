"""Trains and measures what `docs/results.md` reports: `make results`. Takes hours, and goes on where it was stopped.

Each run is a recipe, data and a seed; its model stands in `results/`, and what it scored beside it. The table between the
markers in `docs/results.md` is written anew after each; a line measured on another machine stays until as many seeds are
measured here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import regard as regard_package
from regard.data.corpus import read_pairs
from regard.text.lines import write_whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
METRICS = {"bleu": (1, "BLEU"), "word_error_rate": (100, "% word errors"), "exact_match": (100, "% exact")}
"""How a score is shown: times what, and its name."""
BEGIN, END = "<!-- make results -->", "<!-- end of make results -->"


@dataclass(frozen=True)
class Run:
    """One line of the table."""

    name: str
    recipe: str
    training: tuple[str, ...]
    test: tuple[str, ...]
    metric: str
    """Of `regard evaluate --json`; `word_error_rate` is the share of pairs that are not exactly right."""
    published: str
    seeds: tuple[int, ...] = (1,)
    valid: tuple[str, ...] = ()
    options: tuple[str, ...] = field(default=())
    """Of `regard evaluate`."""
    together: bool = False
    """Measure the models of all seeds as an ensemble, too."""
    lengths_told: bool = False
    """Measure, too, how many targets are right where their number of tokens is given."""

    @property
    def recipe_file(self) -> Path:
        """Where its recipe stands."""
        return ROOT / "src" / "regard" / "recipes" / f"{self.recipe}.yaml"

    @property
    def recipe_digest(self) -> str:
        """A checksum of the recipe's settings."""
        settings = yaml.safe_load(self.recipe_file.read_text(encoding="utf-8"))
        return hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:16]

    @property
    def measured(self) -> Run:
        """How to measure its models: as it says itself."""
        return self

    def models(self, work: Path) -> list[Path]:
        """The trained models, one for each seed."""
        return [place(work, self.name, seed) for seed in self.seeds]


@dataclass(frozen=True)
class Ensemble:
    """A line of the table: all models of some runs, which decide together."""

    name: str
    runs: tuple[Run, ...]
    published: str

    @property
    def recipe_digest(self) -> str:
        """The checksums of their recipes."""
        return " ".join(run.recipe_digest for run in self.runs)

    @property
    def measured(self) -> Run:
        """How to measure them: as one of them."""
        return self.runs[0]

    def models(self, work: Path) -> list[Path]:
        """Those of all runs."""
        return [model for run in self.runs for model in run.models(work)]


def place(work: Path, name: str, what: object) -> Path:
    """Where the model of a seed stands; with `.json`, what was measured."""
    return work / f"{re.sub('[^A-Za-z0-9_-]', '', name.replace(' ', '-'))}-{what}"


def scan(part: str, recipes: dict[str, str], published: str) -> Iterator[Run]:
    """Some kinds of models for a split, by the names of their recipes."""
    train, test = (f"scan/tasks_{use}_{part}.tsv" for use in ("train", "test"))
    for kind, recipe in recipes.items():
        told = part == "length" and kind != ""  # by the number of actions, so where each is a token
        yield Run(
            f"SCAN {part}{kind}",
            recipe,
            (train,),
            (test,),
            "exact_match",
            published,
            (1, 2, 3),
            lengths_told=told,
        )


def g2p(language: str, size: str, recipe: str, published: str, recurrent: str = "") -> tuple[Run | Ensemble, ...]:
    """Recurrent models, Transformers, and all of them together.

    Args:
        recurrent: the recipe of the recurrent models, where it is another.
    """
    train, valid, test = (f"g2p/{size}/{language}_{part}.tsv" for part in ("train", "dev", "test"))
    name = f"g2p {language} ({size})"
    runs = tuple(
        Run(f"{name}{kind}", file, (train,), (test,), "word_error_rate", published, (1, 2, 3), (valid,), together=True)
        for kind, file in (("", recurrent or recipe), (", Transformer", f"{recipe}-transformer"))
    )
    return *runs, Ensemble(f"{name}, both", runs, published)


def multi30k(part: str) -> tuple[str, str]:
    return f"multi30k_ende/tok_lc/{part}.lc.norm.tok.en", f"multi30k_ende/tok_lc/{part}.lc.norm.tok.de"


def raw_multi30k(part: str) -> tuple[str, str]:
    return f"multi30k_ende/{part}.en", f"multi30k_ende/{part}.de"


MULTI30K = Run("Multi30k en-de, tok_lc", "multi30k", multi30k("train"), multi30k("test_2016_flickr"), "bleu",
               "41.02 (same sizes)", seeds=(1, 2, 3), valid=multi30k("val"), options=("--tokenize", "none"))  # fmt: skip
RUNS: list[Run | Ensemble] = [
    *scan("simple", {"": "scan-simple", ", Transformer": "scan-transformer"}, "99.8 (recurrent)"),
    *scan("length", {"": "scan-length", ", single actions": "scan-length-single", ", Transformer": "scan-transformer"},
          "20.8 (recurrent)"),
    *g2p("ice", "low", "g2p-low", "12.0 (ensemble)"),
    *g2p("ita", "low", "g2p-low", "19.0 (ensemble)", recurrent="g2p-low-alone"),
    *g2p("hun", "medium", "g2p", "1.8 (ensemble)"),
    *g2p("vie_hanoi", "medium", "g2p", "2.5 (ensemble)"),
    *g2p("kor", "medium", "g2p", "16.3 (ensemble)"),
    *g2p("fre", "medium", "g2p", "8.5 (ensemble)"),
    *g2p("dut", "medium", "g2p", "14.7 (ensemble)"),
    MULTI30K,
    Run("Multi30k en-de, raw files", "multi30k", raw_multi30k("train"), raw_multi30k("test_2016_flickr"), "bleu", "",
        seeds=(1, 2, 3), valid=raw_multi30k("val")),
]  # fmt: skip


def files(data: Path, names: tuple[str, ...]) -> list[str]:
    return [str(data / name) for name in names]


def regard(*arguments: str) -> str:
    command = [sys.executable, "-m", "regard", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def carry_out(run: Run, seed: int, data: Path, work: Path, threads: list[str]) -> None:
    """Train, measure, and write down the score; nothing, where that is done."""
    model = place(work, run.name, seed)
    outcome = model.with_suffix(".json")
    if outcome.is_file():
        if json.loads(outcome.read_text(encoding="utf-8"))["recipe"] != run.recipe_digest:
            sys.exit(
                f"{outcome} must be of {run.recipe_file} as it is now; it is of another recipe. Move it and its model away."
            )
        return
    print(f"--- {run.name}, seed {seed}", file=sys.stderr)
    valid = ["--valid", *files(data, run.valid)] if run.valid else []
    regard(
        "train", *files(data, run.training), *valid, "-o", str(model), "--seed", str(seed), "--resume", "--save-every", "5m",
        "--config", str(run.recipe_file), *threads,
    )  # fmt: skip
    average_best(model)
    results = json.loads((model / "results.json").read_text(encoding="utf-8"))
    record = {"run": run.name, "recipe": run.recipe_digest, "seed": seed, "score": score(run, [model], data, threads),
              "seconds": results["seconds"]["training"], "parameters": results["sizes"]["num_parameters"],
              "machine": results["machine"]}  # fmt: skip
    if run.lengths_told:
        record["lengths_told"] = exact_with_lengths(to_measure(model), data / run.test[0])
    outcome.write_text(json.dumps(record, indent=2), encoding="utf-8")


def carry_out_together(what: Run | Ensemble, data: Path, work: Path, threads: list[str]) -> None:
    """Measure all models as an ensemble, and write down the score; nothing, where that is done, or one is missing."""
    outcome, models = place(work, what.name, "together.json"), what.models(work)
    is_done = outcome.is_file() and is_of(what, json.loads(outcome.read_text(encoding="utf-8")))
    if not is_done and all(model.with_suffix(".json").is_file() for model in models):
        together = score(what.measured, models, data, threads)
        record = {"run": what.name, "recipe": what.recipe_digest, "together": together}
        outcome.write_text(json.dumps(record, indent=2), encoding="utf-8")


def is_of(what: Run | Ensemble, record: dict[str, Any]) -> bool:
    """Whether something was measured of a run or an ensemble, by recipes as they are now."""
    return bool(record["run"] == what.name and record.get("recipe") == what.recipe_digest)


def average_best(model: Path) -> None:
    """Write the mean of the best checkpoints; nothing, where the recipe keeps none."""
    if best_of(model).is_dir():
        regard("average", *map(str, sorted(best_of(model).iterdir())), "-o", str(to_measure(model)), "--overwrite")


def best_of(model: Path) -> Path:
    """Where the best checkpoints of a run stand."""
    return model.with_name(f"{model.name}.training") / "best"


def to_measure(model: Path) -> Path:
    """The mean of the best checkpoints, where the recipe keeps them; otherwise the model."""
    return model.with_name(f"{model.name}.mean") if best_of(model).is_dir() else model


def score(run: Run, models: list[Path], data: Path, threads: list[str]) -> float:
    """What the models score together on the test data."""
    first, *others = (str(to_measure(model)) for model in models)
    beside = [word for other in others for word in ("--ensemble", other)]
    scores = json.loads(regard("evaluate", first, *beside, *files(data, run.test), *run.options, "--json", *threads))
    return {"word_error_rate": 1 - scores["exact_match"], **scores}[run.metric]


def exact_with_lengths(model: Path, test: Path) -> float:
    """The share of pairs that greedy search gets right where it may end at the true length only.

    As Newman et al. 2020 measure it, "The EOS Decision and Length Extrapolation": what a model knows but for where to end.
    """
    translator = regard_package.load(model)
    assert isinstance(translator, regard_package.Translator)
    pairs = read_pairs([test])
    of_length: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for source, target in zip(pairs.sources, pairs.targets, strict=True):
        of_length[len(translator.tokenizer.encode(target)) + 1].append((source, target))
    right = 0
    for length, found in of_length.items():
        written = translator.translate(
            [source for source, _ in found], beam_size=1, min_length=length, max_length=length
        )
        right += sum(ours.text == target for ours, (_, target) in zip(written, found, strict=True))
    return right / len(pairs)


def table(work: Path, standing: str) -> Iterator[str]:
    """Line by line. One of the `standing` table, measured elsewhere, stays until as many seeds are measured here."""
    yield "| task | recipe | score | seeds | together | published | parameters | training, each |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(work.glob("*.json"))]
    measured = {name: line for what in RUNS for name, line in rows(what, [each for each in found if is_of(what, each)])}
    stood = {name: line for line in standing.splitlines() if (name := cells(line)[1]) not in ("task", "---")}
    for name in (name for what in RUNS for name in (what.name, told(what.name))):
        lines = [rows_of[name] for rows_of in (measured, stood) if name in rows_of]
        if lines:
            yield max(lines, key=lambda line: (int(cells(line)[4]), bool(cells(line)[5])))


def cells(line: str) -> list[str]:
    """What is between the bars; first and last nothing."""
    return [cell.strip() for cell in line.split("|")]


def told(name: str) -> str:
    """The name of the line for targets of known lengths."""
    return f"{name}, lengths told"


def rows(what: Run | Ensemble, found: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Name and line of each row that the records of a run or an ensemble make."""
    records = [record for record in found if "seed" in record]
    factor, metric = METRICS[what.measured.metric]
    together = "".join(f"{factor * record['together']:.2f}" for record in found if "together" in record)

    def row(name: str, scores: list[float], together: str, published: str) -> tuple[str, str]:
        spread = f" ± {factor * statistics.stdev(scores):.2f}" if len(scores) > 1 else ""
        score = f"{factor * statistics.mean(scores):.2f}{spread} {metric} | {len(scores)}"
        minutes = statistics.mean(record["seconds"] for record in records) / 60
        rest = f"{records[0]['parameters']:,} | {minutes:.0f} min |"
        return name, f"| {name} | `recipe:{what.measured.recipe}` | {score} | {together} | {published} | {rest}"

    if isinstance(what, Ensemble) and together:
        count = sum(len(run.seeds) for run in what.runs)
        yield what.name, f"| {what.name} | | | {count} | {together} | {what.published} | | |"
    elif isinstance(what, Run) and records:
        yield row(what.name, [record["score"] for record in records], together, what.published)
        if of_lengths := [record["lengths_told"] for record in records if "lengths_told" in record]:
            yield row(told(what.name), of_lengths, "", "60 (Newman et al. 2020)")


def write_table(work: Path) -> None:
    """Write it between the marks of the page anew."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    standing, after = rest.split(END)
    write_whole(PAGE, (before + "\n".join([BEGIN, *table(work, standing.strip()), END]) + after).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--work", type=Path, default=ROOT / "results")
    parser.add_argument(
        "--only", default="", help="the run of this name; where none has it, runs whose name has this in it"
    )
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"--data must be the folder of the data sets; got {options.data}, which is not there.")
    options.work.mkdir(exist_ok=True)
    threads = ["--threads", str(options.threads)] if options.threads else []
    named = [what for what in RUNS if what.name == options.only]
    chosen = named or [what for what in RUNS if options.only in what.name]
    if not chosen:
        sys.exit(
            f"--only must be a part of a run's name; got {options.only}. They are: {'; '.join(run.name for run in RUNS)}"
        )
    for what in chosen:
        if isinstance(what, Run):
            for seed in what.seeds:
                carry_out(what, seed, options.data, options.work, threads)
                write_table(options.work)
        if isinstance(what, Ensemble) or what.together:
            carry_out_together(what, options.data, options.work, threads)
            write_table(options.work)


if __name__ == "__main__":
    main()
