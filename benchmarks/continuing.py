"""Training that begins with a model, beside training from nothing: the figures of docs/experiments.md.

    python benchmarks/continuing.py split ../shared/data/multi30k_ende work     # writes work/general.* and work/animals-*.*
    python benchmarks/continuing.py tune work base                             # continues `base`, a model of work/general.*
    python benchmarks/continuing.py distil work base                           # students of `base`
    python benchmarks/continuing.py guide work base                            # models that learn the alignments of `base`
    python benchmarks/continuing.py languages ../shared/data/g2p work          # words to phones: seven languages, then one
    python benchmarks/continuing.py compress ../shared/data work               # restoring sentences, then shortening them
    python benchmarks/continuing.py adapt ../shared/data/multi30k_ende work base    # `base`, of English and German, learns others
    python benchmarks/continuing.py sounds ../shared/data/g2p work             # a model of Dutch words learns Italian ones
    python benchmarks/continuing.py sentiment ../shared/data/sst2 work         # masked tokens, then sentiment

`split` divides Multi30k by topic: pairs that name a dog, a cat or a horse, and the others. A model learns the others first, and
then 1,000 of those. Each run is a command of its own on one thread; one that is done is not run again.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

TOPIC = re.compile(r"\b(dog|cat|horse)s?\b")
PARTS = {"train": 1000, "valid": 300, "test": 700}
OF_100 = ("bleu", "chrf")  # scores that `evaluate` gives as per cent
MEDIUM = ("dut", "fre", "hun", "kor", "vie_hanoi")
LOW = ("ice", "ita")
CZECH = "í,á,ž,ě,č,ř,ý,š,ů,Ž,Č,ť,ď,ó,ú,ň,Š"
"""The letters that a vocabulary of English and German lacks, as `regard train` names them for 3,000 Czech captions."""


def read_pairs(folder: Path, name: str, sides: tuple[str, str]) -> list[tuple[str, str]]:
    """The pairs of lines of two files."""
    first, second = ((folder / f"{name}.{side}").read_text(encoding="utf-8").split("\n")[:-1] for side in sides)
    return list(zip(first, second, strict=True))


def write_pairs(folder: Path, name: str, sides: tuple[str, str], pairs: list[tuple[str, str]]) -> list[Path]:
    """Write pairs of lines into two files."""
    paths = [folder / f"{name}.{side}" for side in sides]
    for number, path in enumerate(paths):
        path.write_text("".join(f"{pair[number]}\n" for pair in pairs), encoding="utf-8")
    return paths


def split(source: Path, output: Path) -> None:
    """Write the pairs that do not name the topic, and three parts of those that do."""
    pairs = read_pairs(source, "train", ("en", "de"))
    topic = [pair for pair in pairs if TOPIC.search(pair[0].lower())]
    random.Random(0).shuffle(topic)
    found, begin = {"general": [pair for pair in pairs if not TOPIC.search(pair[0].lower())]}, 0
    for name, size in PARTS.items():
        found[f"animals-{name}"] = topic[begin : begin + size]
        begin += size
    output.mkdir(parents=True, exist_ok=True)
    for name, part in found.items():
        write_pairs(output, name, ("en", "de"), part)
        print(f"{name}: {len(part):,} pairs")


def regard(*words: object) -> str:
    """What a command prints; its messages, where it prints nothing else."""
    command = [sys.executable, "-m", "regard", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout or done.stderr


def files(work: Path, name: str) -> list[Path]:
    """Source and target."""
    return [work / f"{name}.{side}" for side in ("en", "de")]


def run(
    work: Path,
    name: str,
    train: list[Path],
    valid: list[Path],
    test: list[Path],
    *options: object,
    base: Path | None = None,
    scores: tuple[str, ...] = ("bleu", "chrf"),
) -> Path:
    """Train, unless that was done, measure on the test data, and print a line. Returns the model's folder."""
    output = work / "runs" / name
    if not (output / "results.json").is_file():
        output.parent.mkdir(exist_ok=True)
        regard("train", *train, "--valid", *valid, "-o", output, "--threads", 1, "--overwrite", *options)
    is_adapter = (output / "adapter.json").is_file()
    model = [base, "--adapter", output] if is_adapter else [output]
    found = json.loads(regard("evaluate", *model, *test, "--json", "--threads", 1))
    results = json.loads((output / "results.json").read_text())
    size = max(path.stat().st_size for path in output.glob("*.safetensors"))
    columns = [
        name,
        f"{results['validation_loss']:.3f}, {results['steps']['kept']}",
        *(f"{found[score] * (1 if score in OF_100 else 100):.2f}" for score in scores),
        f"{size / 1e6:.2f} MB",
        f"{results['seconds']['training']:.0f} s",
    ]
    print(f"| {' | '.join(columns)} |", flush=True)
    return output


def tune(work: Path, base: Path) -> None:
    """Full, frozen and adapter fine-tuning on 1,000 pairs, and training from nothing."""
    parts = [files(work, f"animals-{part}") for part in PARTS]
    scores = json.loads(regard("evaluate", base, *parts[2], "--json", "--threads", 1))
    print("| | validation loss, step | BLEU | chrF | stored | time |\n|---|---|---:|---:|---:|---:|")
    print(f"| before | | {scores['bleu']:.2f} | {scores['chrf']:.2f} | | |", flush=True)
    common = ["--from", base, "--steps", 300]
    for rate in (0.0005, 0.001, 0.002):
        run(work, f"full, {rate}", *parts, *common, "--set", f"training.learning_rate={rate}")
    run(work, "frozen embeddings and encoder", *parts, *common, "--set", "training.freeze=[embeddings,encoder]")
    for targets, rank, rates in (("[query_proj,value_proj]", 6, (0.01, 0.02)), ("['*_layers']", 2, (0.01,))):
        for rate in rates:
            adapter = ["--set", f"adapter.rank={rank}", "--set", f"adapter.targets={targets}"]
            run(work, f"adapter {targets} {rank}, {rate}", *parts, *common, *adapter, "--set",
                f"training.learning_rate={rate}", base=base)  # fmt: skip
    for size in (5000, 900):
        run(work, f"from nothing, vocabulary {size}", *parts, "--steps", 1000, "--set", f"tokenizer.vocab_size={size}")


def distil(work: Path, base: Path) -> None:
    """Students of a quarter of the teacher's width in its layers: alone, from probabilities, from translations, from both."""
    source, target = files(work, "general")
    valid, test = (files(work, f"animals-{part}") for part in ("valid", "test"))
    written = work / "general.teacher.de"
    if not written.is_file():
        regard("translate", base, source, "-o", written, "--beam", 3, "--threads", 1)
    sizes = ["--set", "model.model_dim=64", "--set", "model.ff_dim=128", "--set", "model.num_heads=2"]
    layers = ["--set", "model.num_encoder_layers=2", "--set", "model.num_decoder_layers=2"]
    common = [*sizes, *layers, "--steps", 1000, "--set", "training.validate_every=250"]
    teacher = ["--teacher", base]
    print("| | validation loss, step | BLEU | chrF | stored | time |\n|---|---|---:|---:|---:|---:|")
    for name, side, options in (
        ("alone", target, [*teacher, "--set", "training.teacher_weight=1e-9"]),  # with the same vocabulary
        ("probabilities", target, teacher),
        ("translations", written, [*teacher, "--set", "training.teacher_weight=1e-9"]),
        ("both", written, teacher),
    ):
        run(work, f"student, {name}", [source, side], valid, test, *common, *options)


def guide(work: Path, base: Path) -> None:
    """Error rates, against the alignments of `base`, of a model's best head and of a head that learnt them."""
    source, target = files(work, "general")
    valid, test = (files(work, f"animals-{part}") for part in ("valid", "test"))
    for name, pair in (("general", [source, target]), ("animals-test", test)):
        if not (work / f"{name}.align").is_file():
            regard("align", base, *pair, "-o", work / f"{name}.align", "--threads", 1)
    common = ["--steps", 1500, "--set", "training.validate_every=500", "--seed", 2]
    guided = ["--set", f"data.alignments=[{work / 'general.align'}]"]
    for name, options in (("unguided", []), ("guided", guided)):
        model = run(work, name, [source, target], valid, test, *common, *options)
        head = json.loads((model / "config.json").read_text())["model"].get("alignment_head")
        chosen = ["--from", head] if head else []  # without --from, the best head for these pairs
        print(
            regard(
                "align",
                model,
                *test,
                "--threads",
                1,
                "--gold",
                work / "animals-test.align",
                "-o",
                work / "found.align",
                *chosen,
            )
        )


def languages(source: Path, work: Path) -> None:
    """Italian and Icelandic words to phones, 800 pairs each, from a model of seven languages; per cent that are right."""
    found = {name: source / ("low" if name in LOW else "medium") / name for name in (*LOW, *MEDIUM)}

    def tagged(name: str, part: str) -> Path:
        output = work / f"{name}-{part}.tsv"
        lines = Path(f"{found[name]}_{part}.tsv").read_text(encoding="utf-8").split("\n")[:-1]
        output.write_text("".join(f"<{name}> {line}\n" for line in lines), encoding="utf-8")
        return output

    work.mkdir(exist_ok=True)
    common = ["--config", "recipe:g2p", "--set", "training.metric=exact_match"]
    base = run(
        work, "seven languages", [Path(f"{path}_train.tsv") for path in found.values()],
        [tagged(name, "dev") for name in LOW], [tagged("ita", "test")], *common, "--steps", 6000,
        "--set", "tokenizer.vocab_size=1000", "--set", "training.validate_every=500",
        "--set", f"data.tags=[{','.join(f'<{name}>' for name in found)}]", scores=("exact_match",),
    )  # fmt: skip
    settings = {
        "600 steps": [600, "model.dropout=0.3"],
        "600 steps, dropout 0.4": [600, "model.dropout=0.4"],
        "1,000 steps, rate 0.002": [1000, "model.dropout=0.4", "training.learning_rate=0.002"],
        "2,000 steps, rate 0.002, half joined": [
            2000, "model.dropout=0.4", "training.learning_rate=0.002", "data.concatenation=0.5",
        ],
    }  # fmt: skip
    for name in LOW:
        for what, (steps, *changes) in settings.items():
            changes += ["training.metric=exact_match", "training.validate_every=100", "training.batch_tokens=1024"]
            sets = [word for change in changes for word in ("--set", change)]
            for seed in (1, 2, 3):
                run(
                    work, f"{name}, {what}, seed {seed}", [Path(f"{found[name]}_train.tsv")], [tagged(name, "dev")],
                    [tagged(name, "test")], "--from", base, "--steps", steps, "--seed", seed,
                    "--set", f"data.tags=[<{name}>]", *sets, scores=("exact_match",),
                )  # fmt: skip


def rouge(written: str, references: Path) -> float:
    """Mean ROUGE-L (F1, in per cent) of lines, by Google's `rouge-score`."""
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True)
    pairs = list(zip(references.read_text(encoding="utf-8").split("\n")[:-1], written.split("\n"), strict=False))
    return 100 * sum(scorer.score(*pair)["rougeL"].fmeasure for pair in pairs) / len(pairs)


def compress(source: Path, work: Path) -> None:
    """Sentences to shorter ones, 900 pairs, from a model that restores noised sentences, and from nothing."""
    work.mkdir(exist_ok=True)
    parts: dict[str, list[Path]] = {"train": [], "valid": []}
    for side in ("orig", "comp"):
        lines = (source / f"compression/googlecomp.valid.{side}").read_text(encoding="utf-8").split("\n")[:-1]
        for part, chosen in (("train", lines[:900]), ("valid", lines[900:])):
            parts[part].append(work / f"compression-{part}.{side}")
            parts[part][-1].write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
    test = [source / f"compression/googlecomp.test.{side}" for side in ("orig", "comp")]
    texts = [source / f"wikisplit/wikisplit.{part}.orig" for part in ("valid", "test")] + [parts["train"][0]]
    held = [parts["valid"][0], parts["valid"][0]]
    base = run(
        work, "restores sentences", [text for text in texts for _ in (0, 1)], held, test,
        "--steps", 3000, "--set", "data.noise=[0.1,0.1,0.1]", "--set", "training.validate_every=500",
    )  # fmt: skip
    for seed in (1, 2, 3):
        for name, options in (
            ("it", ["--from", base, "--steps", 500]),
            ("nothing", ["--steps", 1000, "--set", "tokenizer.vocab_size=2000"]),
        ):
            model = run(
                work,
                f"compression from {name}, seed {seed}",
                parts["train"],
                parts["valid"],
                test,
                "--seed",
                seed,
                *options,
            )
            print(f"ROUGE-L {rouge(regard('translate', model, test[0], '--threads', 1), test[1]):.2f}", flush=True)


def adapt(source: Path, work: Path, base: Path) -> None:
    """English to French and to Czech, 3,000 pairs, from a model of English to German."""
    work.mkdir(exist_ok=True)
    print("| | validation loss, step | BLEU | chrF | stored | time |\n|---|---|---:|---:|---:|---:|")
    for language in ("fr", "cs"):
        sizes, sides = {"train": 3000, "val": 300, "test_2016_flickr": 1000}, ("en", language)
        pairs = [random.Random(1).sample(read_pairs(source, part, sides), size) for part, size in sizes.items()]
        parts = [
            write_pairs(work, f"{language}-{name}", sides, found)
            for name, found in zip(("train", "valid", "test"), pairs, strict=True)
        ]
        lacking = "" if language == "fr" else CZECH
        begin(work, language, parts, base, ["--steps", 600], lacking=lacking)


def sounds(source: Path, work: Path) -> None:
    """Italian words to phones, 800 pairs, from a model of 8,000 Dutch words, which have 96 % of these phones."""
    work.mkdir(exist_ok=True)
    italian = [[source / "low" / f"ita_{part}.tsv"] for part in ("train", "dev", "test")]
    dutch = [[source / "medium" / f"dut_{part}.tsv"] for part in ("train", "dev", "test")]
    scores = ("exact_match",)
    print("| | validation loss, step | exact match | stored | time |\n|---|---|---:|---:|---:|")
    base = run(work, "Dutch", *dutch, "--arch", "encoder-decoder", "--steps", 2000, scores=scores)
    options = ["--steps", 1000, "--set", "training.batch_tokens=1024", "--set", "training.metric=exact_match"]
    lacking = "t͡s,ɲ,d͡ʒ,ʎ,t͡ʃ,w"  # as `train` names them; 32 of 100 words for the test have one
    begin(work, "Italian", italian, base, options, ["--arch", "encoder-decoder"], scores, lacking)


def begin(
    work: Path,
    name: str,
    parts: list[list[Path]],
    base: Path,
    options: list[object],
    new: Sequence[object] = (),
    scores: tuple[str, ...] = ("bleu", "chrf"),
    lacking: str = "",
) -> None:
    """From a model of something else, all weights and two kinds of adapters, beside from nothing; three seeds each.

    Args:
        options: of all trainings.
        new: of those that begin with nothing.
        lacking: tokens that the vocabulary of the base does not have, for one more way.
    """
    adapter = ["--from", base, "--set", "adapter.rank=16"]
    ways: dict[str, Sequence[object]] = {
        "all weights": ["--from", base],
        "adapter of rank 16": adapter,
        "the same, and embeddings": [*adapter, "--set", "adapter.whole=[embeddings]"],
        "from nothing": new,
    }
    if lacking:
        added = ["--set", f"tokenizer.add=[{lacking}]"]
        ways["all weights, and tokens added"] = ["--from", base, *added]
        ways["adapter of rank 16, and tokens added"] = [*adapter, *added]
    for seed in (1, 2, 3):
        for way, its_own in ways.items():
            run(
                work,
                f"{name}, {way}, seed {seed}",
                *parts,
                *options,
                "--seed",
                seed,
                *its_own,
                base=base,
                scores=scores,
            )


def sentiment(source: Path, work: Path) -> None:
    """Reviews to their sentiment, from an encoder that learnt to predict their masked tokens, and from nothing."""
    work.mkdir(exist_ok=True)
    train, valid, test = (source / f"stsa.binary.{part}.tsv" for part in ("train", "dev", "test"))
    texts = work / "reviews.txt"
    lines = train.read_text(encoding="utf-8").split("\n")[:-1]
    texts.write_text("".join(line.split("\t", 1)[1] + "\n" for line in lines), encoding="utf-8")
    base = work / "runs" / "masked tokens"
    if not (base / "results.json").is_file():
        base.parent.mkdir(exist_ok=True)
        regard(
            "train",
            texts,
            "--arch",
            "encoder",
            "--task",
            "mlm",
            "-o",
            base,
            "--steps",
            3000,
            "--threads",
            1,
            "--overwrite",
        )
    for seed in (1, 2, 3):
        for name, options in (("masked tokens", ["--from", base]), ("nothing", ["--arch", "encoder"])):
            run(work, f"sentiment from {name}, seed {seed}", [train], [valid], [test], "--task", "classify", "--seed", seed,
                *options, scores=("accuracy",))  # fmt: skip


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    commands = (split, tune, distil, guide, languages, compress, adapt, sounds, sentiment)
    {each.__name__: each for each in commands}[command](*map(Path, rest))
