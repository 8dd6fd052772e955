"""One text with several threads: PyTorch and the layers in C, on random weights of several sizes.

    OMP_WAIT_POLICY=PASSIVE python benchmarks/one_text.py

Each line is a model: milliseconds of a text, in turns, the best of some rounds, by engine and number of threads.
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
from regard.models.config import DecoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder_decoder import EncoderDecoder

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


@torch.inference_mode()
def milliseconds(model: Any, compiled: Any, texts: int, length: int, written: int, beams: int) -> float:
    """How long some texts of random tokens take."""
    symbols = TargetSymbols([2] if model.reads_source else [], 3, 0, (0, 1, 2))
    random = torch.randint(FIRST_ID, model.config.vocab_size, (texts, length)).tolist()
    requests = [Request(ids, written) for ids in random]
    begun = time.perf_counter()
    Decoding(compiled, requests, NativeBeamSearch(BeamSettings(beams, beams), 3), symbols, batch_size=texts).run()
    return 1000 * (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a name")
    options = parser.parse_args()
    settings = [(engine, threads) for engine in ENGINES for threads in options.threads]
    print("| model | " + " | ".join(f"{engine}, {threads}" for engine, threads in settings) + " |")
    print("|---" * (1 + len(settings)) + "|")
    for name, (make, *task) in CASES.items():
        if options.only not in name:
            continue
        torch.manual_seed(1)
        model = make()
        compiled = {engine: compile_model(model, engine) for engine in ENGINES}
        best = dict.fromkeys(settings, float("inf"))
        for _ in range(options.rounds):
            for engine, threads in settings:
                torch.set_num_threads(threads)
                best[engine, threads] = min(best[engine, threads], milliseconds(model, compiled[engine], *task))
        print(f"| {name} | " + " | ".join(f"{best[each]:,.1f}" for each in settings) + " |", flush=True)


if __name__ == "__main__":
    main()
