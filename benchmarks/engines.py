"""PyTorch and the layers in C on random weights: sizes of models by number of threads, or families of models.

    OMP_WAIT_POLICY=PASSIVE python benchmarks/engines.py
    OMP_WAIT_POLICY=PASSIVE python benchmarks/engines.py --families --threads 1

Each line is a model: milliseconds by engine, in turns, the best of some rounds; of families, shares of the time of `torch`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

from regard.engines.engine_choice import compile_model
from regard.engines.native_beam import NativeBeamSearch
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSettings
from regard.models.config import DecoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.recurrent import Recurrent

ENGINES = ("torch", "native", "native-int8")
FIRST_ID = 4


def translator(vocab_size: int, dim: int, num_layers: int) -> Any:
    """An encoder-decoder."""
    sizes = {"model_dim": dim, "num_heads": dim // 64 or 1, "ff_dim": 4 * dim, "max_positions": 600}
    return EncoderDecoder(
        EncoderDecoderConfig(
            vocab_size=vocab_size, num_encoder_layers=num_layers, num_decoder_layers=num_layers, **sizes
        )
    ).eval()


def gpt2() -> Any:
    """A language model of GPT-2's size."""
    sizes = {"model_dim": 768, "num_heads": 12, "ff_dim": 3072, "max_positions": 1024}
    return Decoder(DecoderConfig(vocab_size=50_257, num_layers=12, positions="learned", **sizes)).eval()


CASES: dict[str, tuple[Callable[[], Any], int, int, int, int]] = {
    "translation, tiny (4+4, width 128)": (lambda: translator(5_000, 128, 4), 1, 20, 20, 5),
    "translation, small (3+3, width 256)": (lambda: translator(8_000, 256, 3), 1, 20, 20, 5),
    "translation, as Marian (6+6, width 512)": (lambda: translator(58_000, 512, 6), 1, 20, 20, 5),
    "translation, 16 texts at once, as Marian": (lambda: translator(58_000, 512, 6), 16, 20, 10, 5),
    "translation, wide (6+6, width 1024)": (lambda: translator(64_000, 1024, 6), 1, 20, 20, 5),
    "GPT-2's size, prompt 20, 30 tokens": (gpt2, 1, 20, 30, 1),
    "GPT-2's size, prompt 800, 2 tokens": (gpt2, 1, 800, 2, 1),
}
"""For each name: a model, texts, tokens of a text, tokens to write, and hypotheses."""


def pairs_family(**settings: Any) -> Callable[[], Any]:
    """An encoder-decoder of 6 layers of width 256."""
    sizes = {"vocab_size": 8_000, "model_dim": 256, "num_heads": 8, "ff_dim": 1024, "max_positions": 600}
    layers = {"num_encoder_layers": 6, "num_decoder_layers": 6}
    return lambda: EncoderDecoder(EncoderDecoderConfig(**sizes | layers | settings)).eval()


def text_family(**settings: Any) -> Callable[[], Any]:
    """A language model of 6 layers of width 256, as Llama's but for some settings."""
    sizes = {"vocab_size": 8_000, "model_dim": 256, "num_heads": 8, "ff_dim": 1024, "max_positions": 600}
    kind = {"norm_kind": "rms", "positions": "rotary", "gated": True, "activation": "silu", "num_kv_heads": 2}
    return lambda: Decoder(DecoderConfig(num_layers=6, **sizes | kind | settings)).eval()


def recurrent(dim: int, cell: str = "gru") -> Callable[[], Any]:
    """A recurrent encoder-decoder."""
    return lambda: Recurrent(RecurrentConfig(vocab_size=8_000, model_dim=dim, cell=cell, max_positions=600)).eval()


FAMILIES: dict[str, Callable[[], Any]] = {
    "T5": pairs_family(positions="t5", norm_kind="rms"),
    "student (SSRU, 6 and 2 layers)": pairs_family(decoder_past="ssru", num_decoder_layers=2),
    "positions of Shaw et al.": pairs_family(positions="shaw"),
    "Mistral (windows)": text_family(windows=[8] * 6),
    "Qwen 3 (normalised queries and keys)": text_family(query_key_norm=True),
    "Gemma 2 (bounded scores and logits)": text_family(score_cap=50.0, logit_cap=30.0),
    "Pythia (parallel sublayers)": text_family(parallel_residual=True, norm="pre"),
    "recurrent, GRU": recurrent(256),
    "recurrent, LSTM": recurrent(256, "lstm"),
}


@torch.inference_mode()
def milliseconds(model: Any, compiled: Any, texts: int, length: int, written: int, beams: int) -> float:
    """How long some texts of random tokens take."""
    symbols = TargetSymbols([2] if model.reads_source else [], 3, 0, (0, 1, 2))
    random = torch.randint(FIRST_ID, model.config.vocab_size, (texts, length)).tolist()
    requests = [Request(ids, written) for ids in random]
    begun = time.perf_counter()
    Decoding(compiled, requests, NativeBeamSearch(BeamSettings(beams, beams), 3), symbols, batch_size=texts).run()
    return 1000 * (time.perf_counter() - begun)


def best_times(make: Callable[[], Any], settings: list[tuple[str, int]], rounds: int, *task: int) -> list[float]:
    """The least milliseconds of a task, for each engine and number of threads, which take turns."""
    torch.manual_seed(1)
    model = make()
    compiled = {engine: compile_model(model, engine) for engine in ENGINES}
    best = dict.fromkeys(settings, float("inf"))
    for _ in range(rounds):
        for engine, threads in settings:
            torch.set_num_threads(threads)
            best[engine, threads] = min(best[engine, threads], milliseconds(model, compiled[engine], *task))
    return list(best.values())


def families(threads: int, rounds: int, only: str) -> None:
    """Print the shares of PyTorch's time that families of models take: 14 tokens to read, 20 to write, a beam of 5."""
    print("| model | one text: `native`, `native-int8` | 64 texts: `native`, `native-int8` |\n|---|---|---|")
    for name, make in FAMILIES.items():
        if only in name:
            columns = []
            for texts in (1, 64):
                plain, *ours = best_times(make, [(engine, threads) for engine in ENGINES], rounds, texts, 14, 20, 5)
                columns.append(", ".join(f"{each / plain:.2f}" for each in ours))
            print(f"| {name} | {columns[0]} | {columns[1]} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--families", action="store_true", help="families of models, with the first number of threads")
    options = parser.parse_args()
    if options.families:
        families(options.threads[0], options.rounds, options.only)
        return
    settings = [(engine, threads) for engine in ENGINES for threads in options.threads]
    print("| model | " + " | ".join(f"{engine}, {threads}" for engine, threads in settings) + " |")
    print("|---" * (1 + len(settings)) + "|")
    for name, (make, *task) in CASES.items():
        if options.only in name:
            best = best_times(make, settings, options.rounds, *task)
            print(f"| {name} | " + " | ".join(f"{each:,.1f}" for each in best) + " |", flush=True)


if __name__ == "__main__":
    main()
