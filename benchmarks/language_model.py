"""Tokens a second of a language model of GPT-2's shape beside Hugging Face's `generate`: greedy, from a prompt of 16 tokens.

    python benchmarks/language_model.py --size small --threads 1

Weights are random, as speed does not depend on them; nothing ends before the last token. All take turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

from regard.engines.engine_choice import compile_model
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder
from regard.training.precision import keep_freed_memory

SIZES = {"tiny": (4, 4, 128, 5000), "distil": (6, 12, 768, 50257), "small": (12, 12, 768, 50257)}
"""Layers, heads, width, vocabulary."""


def ours(size: str, engine: str, batch: int, tokens: int) -> Callable[[], None]:
    """Decoding with a model of ours."""
    num_layers, num_heads, width, vocab_size = SIZES[size]
    config = DecoderConfig(
        vocab_size=vocab_size, num_layers=num_layers, num_heads=num_heads, model_dim=width, ff_dim=4 * width,
        positions="learned", max_positions=256, norm="pre", activation="gelu_tanh",
    )  # fmt: skip
    model = compile_model(Decoder(config).eval(), engine)
    prompts = torch.randint(4, vocab_size, (batch, 16)).tolist()

    def run() -> None:
        requests = [Request(prompt, tokens, tokens) for prompt in prompts]
        rule = BeamSearch(BeamSettings(1), 3)
        symbols = TargetSymbols([], 3, 0, ())
        found = Decoding(model, requests, rule, symbols, batch_size=batch, padding_side="left").run()
        assert all(len(hypotheses[0].token_log_probs) in (tokens, 64) for hypotheses in found)  # 64: one token repeated

    return run


def hugging_face(size: str, dtype: torch.dtype, batch: int, tokens: int) -> Callable[[], None]:
    """`generate` of transformers."""
    from transformers import GPT2Config, GPT2LMHeadModel

    num_layers, num_heads, width, vocab_size = SIZES[size]
    config: Any = GPT2Config(n_layer=num_layers, n_head=num_heads, n_embd=width, vocab_size=vocab_size, n_positions=256)
    model: Any = GPT2LMHeadModel(config).eval().to(dtype)
    prompts = torch.randint(4, vocab_size, (batch, 16))
    mask = torch.ones_like(prompts)

    def run() -> None:
        with torch.inference_mode():
            model.generate(
                prompts,
                attention_mask=mask,
                min_new_tokens=tokens,
                max_new_tokens=tokens,
                do_sample=False,
                pad_token_id=0,
            )

    return run


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    torch.manual_seed(1)
    systems = {
        "Hugging Face, float32": hugging_face(options.size, torch.float32, options.batch, options.tokens),
        "Hugging Face, bfloat16": hugging_face(options.size, torch.bfloat16, options.batch, options.tokens),
        **{f"Regard, {engine}": ours(options.size, engine, options.batch, options.tokens)
           for engine in ("torch", "native", "native-bfloat16", "native-int8")},
    }  # fmt: skip
    rates: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(options.rounds):
        for name, run in systems.items():
            start = time.perf_counter()
            run()
            rates[name].append(options.batch * options.tokens / (time.perf_counter() - start))
    print(
        f"{options.size}, {options.batch} texts, {options.tokens} tokens, {options.threads} threads, torch {torch.__version__}"
    )
    print("| system | tokens a second, median | lowest to highest |\n|---|---:|---:|")
    for name, found in rates.items():
        print(f"| {name} | {statistics.median(found):.1f} | {min(found):.1f} to {max(found):.1f} |")


if __name__ == "__main__":
    main()
