"""Training and decoding speed of a preset, beside `torch.nn.Transformer` in a plain loop: `make bench`.

All systems have the same sizes, see the same batches and take turns in one run, so that a machine whose speed drifts is the
same for all. What is printed is the median of the rounds, the spread, and the ratio to the first plain loop.
"""

from __future__ import annotations

import argparse
import math
import platform
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.data.batch import Batch, pad_right
from regard.data.batching import training_batches
from regard.data.sequences import EncodedPairs, Sequences
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.presets import ENCODER_DECODER
from regard.nn.positions import sinusoidal_positions
from regard.training.precision import keep_freed_memory
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater

PAD, BOS, EOS, SMOOTHING = 0, 2, 3, 0.1


class PlainTransformer(nn.Module):
    """What a tutorial builds: `torch.nn.Transformer`, one embedding matrix, sinusoids."""

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.model_dim)
        nn.init.normal_(self.embedding.weight, std=config.model_dim**-0.5)
        self.transformer = nn.Transformer(
            config.model_dim, config.num_heads, config.num_encoder_layers, config.num_decoder_layers, config.ff_dim,
            dropout=config.dropout, batch_first=True, norm_first=config.norm == "pre",
        )  # fmt: skip
        self.register_buffer("positions", sinusoidal_positions(config.max_positions, config.model_dim))

    def embed(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * math.sqrt(self.config.model_dim) + self.positions[: ids.shape[1]]
        return F.dropout(x, self.config.dropout, self.training)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        ahead = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool, device=target.device).triu(1)
        states = self.transformer(
            self.embed(source), self.embed(target), tgt_mask=ahead, tgt_is_causal=True,
            src_key_padding_mask=source == PAD, memory_key_padding_mask=source == PAD, tgt_key_padding_mask=target == PAD,
        )  # fmt: skip
        return states @ self.embedding.weight.T


class PlainLoop:
    """The usual training loop around it."""

    def __init__(self, config: EncoderDecoderConfig, dtype: torch.dtype, device: torch.device | None = None) -> None:
        torch.manual_seed(1)
        self.model, self.dtype = PlainTransformer(config).to(device or "cpu").train(), dtype
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98))

    def __call__(self, batch: Batch) -> None:
        with torch.autocast(batch.labels.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            logits = self.model(batch.source_ids, batch.target_ids)
        loss = F.cross_entropy(
            logits.float().flatten(0, 1), batch.labels.flatten(), ignore_index=PAD, label_smoothing=SMOOTHING
        )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def regard_step(config: EncoderDecoderConfig, precision: str) -> Callable[[Batch], None]:
    torch.manual_seed(1)
    updater: Updater[EncoderDecoder, Batch] = Updater(
        EncoderDecoder(config), TrainingConfig(precision=precision, label_smoothing=SMOOTHING)
    )

    def step(batch: Batch) -> None:
        updater.step([batch], learning_rate=1e-4)
        updater.average.update(1)

    return step


@torch.inference_mode()
def plain_greedy(model: PlainTransformer, source: Tensor, length: int) -> Tensor:
    """Greedy search as a tutorial writes it: the whole prefix again at each step."""
    target = torch.full((len(source), 1), BOS)
    for _ in range(length):
        newest = model(source, target)[:, -1].argmax(-1, keepdim=True)
        target = torch.cat((target, newest), dim=1)
    return target


def caption_like_pairs(count: int, vocab: int) -> EncodedPairs:
    """Random ids in pairs as long as those of Multi30k in subwords: 14 tokens, give or take 5."""
    rng = np.random.default_rng(1)
    lengths = np.clip(rng.normal(14, 5, count).round(), 4, 40).astype(int)
    sides = [[rng.integers(4, vocab, max(3, n + rng.integers(-2, 3))).tolist() for n in lengths] for _ in range(2)]
    return EncodedPairs(*map(Sequences.from_lists, sides))


def take_turns(systems: dict[str, Callable[[], float]], rounds: int, unit: str) -> None:
    """Run all systems in turn, and print amounts per second."""
    rates: dict[str, list[float]] = {name: [] for name in systems}
    for turn in range(rounds + 1):
        for name, run in systems.items():
            start = time.perf_counter()
            amount = run()
            if turn:  # the first round warms up
                rates[name].append(amount / (time.perf_counter() - start))
    first = statistics.median(next(iter(rates.values())))
    print(f"| {unit:<38} | median | lowest | highest | ratio |\n|---|---:|---:|---:|---:|")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"| {name:<38} | {median:,.0f} | {min(values):,.0f} | {max(values):,.0f} | {median / first:.2f} |")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=sorted(ENCODER_DECODER), default="tiny")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=6, help="training steps in a round")
    parser.add_argument("--sentences", type=int, default=128, help="sentences decoded in a round")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="enable_nested_tensor")  # torch, of its own pre-norm layers
    keep_freed_memory()
    if options.threads:
        torch.set_num_threads(options.threads)
    preset = ENCODER_DECODER[options.preset]
    config = EncoderDecoderConfig(vocab_size=preset["tokenizer"]["vocab_size"], **preset["model"])
    pairs = caption_like_pairs(6000, config.vocab_size)
    stream = training_batches(pairs, preset["training"]["batch_tokens"], 1, pad_id=PAD, start_ids=[BOS])
    batches = [next(stream) for _ in range(options.steps)]
    print(
        f"preset {options.preset}, {config.vocab_size:,} tokens, batches of {preset['training']['batch_tokens']:,} tokens; "
        f"torch {torch.__version__}, {torch.get_num_threads()} threads, {platform.machine()}, "
        f"{torch.backends.cpu.get_cpu_capability()}\n"
    )

    def training(step: Callable[[Batch], None]) -> Callable[[], float]:
        def run() -> float:
            for batch in batches:
                step(batch)
            return float(sum(batch.num_tokens for batch in batches))

        return run

    take_turns(
        {
            "torch.nn.Transformer, float32": training(PlainLoop(config, torch.float32)),
            "torch.nn.Transformer, bfloat16 autocast": training(PlainLoop(config, torch.bfloat16)),
            "Regard, float32": training(regard_step(config, "float32")),
            "Regard, bfloat16": training(regard_step(config, "bfloat16")),
        },
        options.rounds,
        "training: target tokens/s",
    )

    length, size = 16, 64
    rows = [pairs.sources[i] for i in range(options.sentences)]
    chunks = [pad_right(rows[start : start + size], PAD) for start in range(0, len(rows), size)]
    torch.manual_seed(1)
    plain, ours = PlainTransformer(config).eval(), EncoderDecoder(config).eval()

    def plain_decoding() -> float:
        for chunk in chunks:
            plain_greedy(plain, chunk, length)
        return float(len(rows))

    def our_decoding(beam: int) -> Callable[[], float]:
        def run() -> float:
            # The end symbol is banned, as the plain loop does not stop at it: equal work.
            requests = [Request(row, length) for row in rows]
            rule, symbols = BeamSearch(BeamSettings(beam), EOS), TargetSymbols([BOS], EOS, PAD, (EOS,))
            Decoding(ours, requests, rule, symbols, batch_size=size).run()
            return float(len(rows))

        return run

    take_turns(
        {
            "torch.nn.Transformer, greedy, no cache": plain_decoding,
            "Regard, greedy": our_decoding(1),
            "Regard, beam 5": our_decoding(5),
        },
        options.rounds,
        f"decoding: sentences/s, {length} tokens each",
    )


if __name__ == "__main__":
    main()
