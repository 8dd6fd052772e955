"""Training speed beside Hugging Face's `Seq2SeqTrainer`, JoeyNMT and a plain PyTorch loop: `make bench-training`.

All systems train an encoder-decoder of the same sizes, with the same 8,000 joint subwords, on Multi30k English-German, in
one run, taking turns, so that a machine whose speed drifts is the same for all. What counts is target tokens per second:
padding is not counted, the end symbol is. Making a batch's tensors is part of the time; reading and cutting text is not.

Regard and the plain loop get the same batches: 4,096 tokens (rows times the longest side, padding included), sorted by
length. `Seq2SeqTrainer` groups by length in its own way, and has as many rows in each batch as give the same number of
target tokens on average; two rows show it with Regard's batches ("same batches"). JoeyNMT makes its batches from 4,096
tokens in its own way. Of an epoch's batches each of them is timed on a few, spread evenly over all lengths (JoeyNMT: its
first ones, in a process of its own). All have the allocator's setting that Regard's own programs make
(`keep_freed_memory`); `--default-allocator` leaves it out. A turn during which other programs used the processors is
repeated: a threaded product waits for its slowest thread.

"of matmul" is the share of the machine's measured matrix-multiply rate (4,096 x 512 x 2,048, in the numbers that the system
computes in; best of several) that useful work makes up, where useful work is counted as

    6 x (parameters of encoder layers x source tokens + (parameters of decoder layers + output projection) x target tokens)

a second: two operations for each parameter and token forward, four backward. Embedding look-ups, attention's own products,
padding, norms, loss and optimizer are no useful work by this count, and cross-attention's parameters count with target tokens.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from regard.data.batch import Batch
from regard.data.batching import make_batch, plan_batches
from regard.data.corpus import ParallelText, read_pairs
from regard.data.encoding import encode_pairs
from regard.data.sequences import EncodedPairs
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig
from regard.training.precision import keep_freed_memory, resolve_precision
from speed import BOS, PAD, PlainLoop, regard_step
from training_peers import HuggingFace, JoeyNMT, Rows, grouped_batches, missing_for_hugging_face, unsorted_batches

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "multi30k_ende"
BATCH_TOKENS = 4096
QUIET = 0.15
"""Processors that other programs may use while something is timed."""
SIZES: dict[str, dict[str, int]] = {
    "small": {"model_dim": 256, "ff_dim": 1024, "num_heads": 8, "num_encoder_layers": 3, "num_decoder_layers": 3},
    "large": {"model_dim": 512, "ff_dim": 1024, "num_heads": 8, "num_encoder_layers": 6, "num_decoder_layers": 6},
}
Result = TypeVar("Result")


@dataclass(frozen=True)
class Corpus:
    """The training text, as text and as ids."""

    text: ParallelText
    tokenizer: Tokenizer
    pairs: EncodedPairs

    @classmethod
    def read(cls, folder: Path) -> Corpus:
        text = read_pairs([folder / "train.en", folder / "train.de"])
        tokenizer = Tokenizer.train(text.sources + text.targets, TokenizerConfig(vocab_size=8000))
        return cls(text, tokenizer, encode_pairs(text, tokenizer, 1024))

    @property
    def source_tokens_per_target_token(self) -> float:
        return float(self.pairs.sources.lengths.sum() / self.pairs.targets.lengths.sum())


@dataclass(frozen=True)
class System:
    """One contestant.

    run: trains for a few steps, and returns target tokens per second.
    epoch: all its batches, for the table.
    warms_up: whether the round that is not counted does anything for it.
    """

    run: Callable[[], float]
    dtype: torch.dtype
    epoch: Rows
    warms_up: bool = True


def spread(epoch: Rows, pairs: EncodedPairs, count: int) -> list[np.ndarray]:
    """A few of an epoch's batches, spread evenly over all lengths, in random order."""
    by_length = sorted(epoch, key=lambda rows: float(pairs.targets.lengths[rows].mean()))
    places = ((np.arange(count) + 0.5) * len(by_length) / count).astype(int)
    return [by_length[place] for place in np.random.default_rng(1).permutation(places)]


def padding(epoch: Rows, lengths: np.ndarray) -> float:
    """The share of positions of one side that are padding."""
    positions = sum(len(rows) * int(lengths[rows].max()) for rows in epoch)
    return 1 - sum(int(lengths[rows].sum()) for rows in epoch) / positions


def in_process(step: Callable[[Batch], None], pairs: EncodedPairs, batches: Rows) -> Callable[[], float]:
    """A loop over batches, whose tensors are made on the way."""

    def run() -> float:
        start, num_tokens = time.perf_counter(), 0
        for rows in batches:
            batch = make_batch(pairs, rows, pad_id=PAD, start_ids=[BOS])
            step(batch)
            num_tokens += batch.num_tokens
        return num_tokens / (time.perf_counter() - start)

    return run


def systems(config: EncoderDecoderConfig, corpus: Corpus, options: argparse.Namespace) -> dict[str, System]:
    """All that can be had here; the first is what the others are compared with."""
    found: dict[str, System] = {}
    steps = options.steps
    pairs, dtypes = corpus.pairs, number_types(options)
    epoch = plan_batches(pairs.lengths, BATCH_TOKENS)
    if reason := missing_for_hugging_face():
        print(f"Left out: Seq2SeqTrainer ({reason}).\n")
    else:
        grouped = grouped_batches(pairs, round(len(pairs) / len(epoch)))
        ways = [(name, attention, "", grouped) for name in dtypes for attention in ("sdpa", "eager")]
        same = [("float32", "sdpa", ", same batches", epoch), ("bfloat16", "eager", ", same batches", epoch)]
        ways += [way for way in same if way[0] in dtypes]
        for name, attention, note, batches in ways:
            settings = {"attention": attention, "bf16": name == "bfloat16"}
            run = HuggingFace(config, corpus.tokenizer, pairs, spread(batches, pairs, steps), **settings)
            found[f"Seq2SeqTrainer, {name}, {attention}{note}"] = System(run, dtypes[name], batches)
    batches = spread(epoch, pairs, steps)
    for name, dtype in dtypes.items():
        loop = PlainLoop(config, dtype)
        found[f"torch.nn.Transformer, {name}"] = System(in_process(loop, pairs, batches), dtype, epoch)
    if options.joeynmt:
        keeps = {"keeps_memory": not options.default_allocator}
        joey = JoeyNMT(
            options.joeynmt, config, corpus.tokenizer, corpus.text, batch_tokens=BATCH_TOKENS, steps=steps, **keeps
        )
        unsorted = unsorted_batches(pairs.lengths, BATCH_TOKENS)
        found["JoeyNMT, float32"] = System(joey, torch.float32, unsorted, warms_up=False)
    for name, dtype in dtypes.items():
        step = regard_step(config, name)
        found[f"Regard, {name}"] = System(in_process(step, pairs, batches), dtype, epoch)
    return found


def processor_seconds() -> tuple[float, float]:
    """What all programs of the machine have used of its processors, and what this one and its children have."""
    own = sum(os.times()[:4])
    if not (counters := Path("/proc/stat")).exists():
        return own, own
    user, nice, system, _, _, interrupts, soft_interrupts, stolen = counters.read_text().split()[1:9]
    busy = sum(map(int, (user, nice, system, interrupts, soft_interrupts, stolen)))
    return busy / os.sysconf("SC_CLK_TCK"), own


def undisturbed(run: Callable[[], Result], patience: int) -> tuple[Result, float]:
    """What a run gives, and how many processors others used on average meanwhile.

    Where that is more than `QUIET`, it waits for a quiet second (at most a minute) and runs again, at most `patience`
    times; the run that was disturbed least is what counts.
    """
    tries: list[tuple[Result, float]] = []
    while not tries or (len(tries) <= patience and tries[-1][1] >= QUIET):
        for _ in range(60 if tries else 0):
            if undisturbed(lambda: time.sleep(1), 0)[1] < QUIET:
                break
        start, (all_before, own_before) = time.perf_counter(), processor_seconds()
        result = run()
        all_after, own_after = processor_seconds()
        others = (all_after - all_before - own_after + own_before) / (time.perf_counter() - start)
        tries.append((result, others))
    return min(tries, key=lambda attempt: attempt[1])


def take_turns(contestants: dict[str, System], rounds: int, patience: int) -> dict[str, list[float]]:
    """Target tokens per second of each system in each round, after one round to warm up; a system that fails is left out."""
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    disturbed = 0
    for turn in range(rounds + 1):
        for name, system in contestants.items():
            if name in rates and (turn or system.warms_up):
                try:
                    rate, others = undisturbed(system.run, patience if turn else 0)
                except RuntimeError as error:  # one of others must not cost what was measured of the rest
                    print(f"Left out: {name} ({error}).\n")
                    del rates[name]
                    continue
                print(f"round {turn}, {name}: {rate:,.0f}; others used {others:.2f} processors", file=sys.stderr)
                if turn:
                    rates[name].append(rate)
                    disturbed += others >= QUIET
    print(
        f"{disturbed} of {rounds * len(contestants)} turns were timed while other programs used more than {QUIET} "
        "processors.\n"
    )
    return rates


def operations_per_target_token(config: EncoderDecoderConfig, corpus: Corpus) -> float:
    """Of useful work, as the module's description defines it."""
    model = EncoderDecoder(config)

    def count(layers: torch.nn.Module) -> int:
        return sum(parameter.numel() for parameter in layers.parameters())

    encoder, decoder = count(model.encoder_layers), count(model.decoder_layers)
    projection = config.vocab_size * config.model_dim
    return 6 * (encoder * corpus.source_tokens_per_target_token + decoder + projection)


def matmul_rate(dtype: torch.dtype, repeats: int = 60, seconds: float = 10.0) -> float:
    """Operations per second of a product of matrices, the best of several, but of no more than a time allows."""
    a, b = torch.randn(4096, 512).to(dtype), torch.randn(512, 2048).to(dtype)
    best, begun = float("inf"), time.perf_counter()
    for _ in range(repeats):
        start = time.perf_counter()
        a @ b
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > seconds:
            break
    return 2 * 4096 * 512 * 2048 / best


def number_types(options: argparse.Namespace) -> dict[str, torch.dtype]:
    """In what is trained: bfloat16 only where the processor multiplies it, as one product takes a minute elsewhere."""
    found = {"float32": torch.float32}
    if options.bfloat16 or resolve_precision("auto", torch.device("cpu")) == torch.bfloat16:
        found["bfloat16"] = torch.bfloat16
    return found


def print_table(
    contestants: dict[str, System],
    rates: dict[str, list[float]],
    pairs: EncodedPairs,
    operations: float,
    peaks: dict[torch.dtype, float],
) -> None:
    first = statistics.median(next(iter(rates.values())))
    print(
        f"| {'training: target tokens/s':<45} | median | lowest | highest | ratio | of matmul | tokens/batch | padding |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    for name, values in rates.items():
        system, median = contestants[name], statistics.median(values)
        lengths = pairs.targets.lengths
        tokens = sum(int(lengths[rows].sum()) for rows in system.epoch) / len(system.epoch)
        print(
            f"| {name:<45} | {median:,.0f} | {min(values):,.0f} | {max(values):,.0f} | {median / first:.2f} | "
            f"{median * operations / peaks[system.dtype]:.0%} | {tokens:,.0f} | {padding(system.epoch, lengths):.1%} |"
        )
    print(flush=True)


def machine() -> str:
    """The processor's name, where Linux tells it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({len(names)} cores seen)" if names else platform.processor() or platform.machine()


def versions() -> str:
    found = [f"Python {platform.python_version()}", f"torch {torch.__version__}"]
    for name in ("transformers", "accelerate"):
        module: Any = sys.modules.get(name)
        found += [f"{name} {module.__version__}"] if module else []
    return ", ".join(found)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", choices=sorted(SIZES), default=["small", "large"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4, help="training steps in a round")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of train.en and train.de")
    parser.add_argument("--joeynmt", metavar="PYTHON", help="the interpreter that has JoeyNMT 2.3 installed")
    parser.add_argument("--patience", type=int, default=3, help="how often to repeat a turn that others disturbed")
    parser.add_argument("--bfloat16", action="store_true", help="also where the processor has no products of it")
    parser.add_argument("--default-allocator", action="store_true", help="without keep_freed_memory")
    return parser.parse_args()


def main() -> None:
    options = parse()
    warnings.filterwarnings("ignore", message="enable_nested_tensor")  # torch, of its own pre-norm layers
    if not options.default_allocator:
        keep_freed_memory()
    if options.threads:
        torch.set_num_threads(options.threads)
    corpus = Corpus.read(options.data)
    lengths = corpus.pairs.lengths
    missing_for_hugging_face()  # imports what `versions` names
    peaks = {
        dtype: undisturbed(lambda dtype=dtype: matmul_rate(dtype), options.patience)[0]
        for dtype in number_types(options).values()
    }
    measured = ", ".join(f"{rate / 1e9:,.0f} in {str(dtype).removeprefix('torch.')}" for dtype, rate in peaks.items())
    print(
        f"`{shlex.join(['python', *sys.argv])}`\n\n"
        f"{machine()}, {torch.backends.cpu.get_cpu_capability()}, {torch.get_num_threads()} threads; {versions()}\n\n"
        f"matrix product 4,096 x 512 x 2,048, GFLOP/s: {measured}\n\n"
        f"{len(corpus.pairs):,} pairs, {lengths[0].mean():.1f} source and {lengths[1].mean():.1f} target tokens each, "
        f"{len(corpus.tokenizer):,} subwords; {options.rounds} rounds of {options.steps} steps\n"
    )
    if torch.bfloat16 not in peaks:
        print("Left out: bfloat16, which this processor does not multiply (--bfloat16 measures it all the same).\n")
    if not options.joeynmt:
        print("Left out: JoeyNMT (--joeynmt PYTHON was not given).\n")
    for size in options.sizes:
        config = EncoderDecoderConfig(vocab_size=len(corpus.tokenizer), dropout=0.1, **SIZES[size])
        contestants = systems(config, corpus, options)
        operations = operations_per_target_token(config, corpus)
        num_parameters = sum(parameter.numel() for parameter in EncoderDecoder(config).parameters())
        print(
            f"### {size}: {config.num_encoder_layers}+{config.num_decoder_layers} layers, width {config.model_dim}, "
            f"ff {config.ff_dim}, {config.num_heads} heads, {num_parameters / 1e6:.1f} M parameters, "
            f"{operations / 1e6:.1f} MFLOP a target token\n",
            flush=True,
        )
        rates = take_turns(contestants, options.rounds, options.patience)
        print_table(contestants, rates, corpus.pairs, operations, peaks)


if __name__ == "__main__":
    main()
