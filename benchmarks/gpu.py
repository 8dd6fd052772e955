"""What a GPU is worth here: `make bench-gpu`. Each part takes at most ten minutes, and writes a table.

    python benchmarks/gpu.py                      # all parts that results/bench-gpu does not have
    python benchmarks/gpu.py --parts training     # one of them, again
    python benchmarks/gpu.py --device cpu --tiny  # whether it runs

- training: target tokens a second of presets in bfloat16, beside `torch.nn.Transformer` in a plain loop, with the share of
  the device's matrix-multiply rate that useful work makes up (6 x parameters x tokens), and the peak of memory.
- steps: the times of single steps, with cuDNN's attention and without, compiled, and with a mask for the decoder.
- kernels: what `explain_kernel` says of a GPU's attention beside what PyTorch's own rules allow.
- padding: attention of an encoder with a mask, beside packed tokens (`torch.nn.attention.varlen`), packing included.
- loss: time of the loss for several numbers of logits at once.
- waits: 20 steps in which PyTorch raises an error where Python would wait for the GPU.
- decoding: sentences a second at several batch sizes, in float32 and bfloat16.

Batches are random ids in pairs as long as sentences of news.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.data.batch import Batch
from regard.data.batching import training_batches
from regard.data.prefetching import pinned
from regard.data.sequences import EncodedPairs, Sequences
from regard.generation.decoding import Decoding
from regard.generation.request import Request, TargetSymbols
from regard.generation.rules.beam import BeamSearch, BeamSettings
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.presets import ENCODER_DECODER
from regard.nn import attention, explain_kernel, losses
from regard.nn.losses import smoothed_cross_entropy
from regard.training.precision import prepare_gpu
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater
from speed import BOS, EOS, PAD, SMOOTHING, PlainLoop

TINY: dict[str, int] = {"model_dim": 16, "ff_dim": 32, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1}
Row = dict[str, Any]


class Bench:
    """A device, and how much is measured on it."""

    def __init__(self, device: torch.device, *, tiny: bool) -> None:
        self.device, self.tiny = device, tiny
        self.count, self.vocab = (200, 100) if tiny else (300_000, 37_000)
        self.steps, self.warm = (3, 1) if tiny else (60, 10)

    def config(self, preset: str) -> EncoderDecoderConfig:
        """The sizes of a preset, or such as need no time."""
        sizes = ENCODER_DECODER[preset]["model"] | (TINY if self.tiny else {})
        return EncoderDecoderConfig(vocab_size=self.vocab, **sizes)

    def batches(self, tokens: int) -> Iterator[Batch]:
        """Pairs as long as sentences of news: 27 tokens on the mean, from a log-normal distribution."""
        rng = np.random.default_rng(1)
        lengths = np.clip(np.exp(rng.normal(3.1, 0.6, self.count)).round(), 3, 200).astype(int)
        rows = [rng.integers(4, self.vocab, length).tolist() for length in lengths]
        pairs = EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))
        tokens = 200 if self.tiny else tokens
        stream = training_batches(pairs, tokens, 1, pad_id=PAD, start_ids=[BOS])
        return map(pinned, stream) if self.device.type == "cuda" else stream

    def updater(self, preset: str, *, compiles: bool = False) -> Updater[EncoderDecoder, Batch]:
        """A model that learns."""
        torch.manual_seed(1)
        settings = TrainingConfig(precision="bfloat16", label_smoothing=SMOOTHING)
        return Updater(EncoderDecoder(self.config(preset)).to(self.device), settings, compiles=compiles)

    def wait(self) -> float:
        """The time when all work of the device is done."""
        if self.device.type != "cpu":
            torch.accelerator.synchronize(self.device)
        return time.perf_counter()

    def rate(self, step: Callable[[Batch], object], tokens: int) -> float:
        """Target tokens a second."""
        stream = self.batches(tokens)
        for _ in range(self.warm):
            step(next(stream))
        counted, start = 0, self.wait()
        for _ in range(self.steps):
            batch = next(stream)
            step(batch)
            counted += batch.num_tokens
        return counted / (self.wait() - start)

    def peak(self) -> float:
        """The device's operations a second in a large product in bfloat16, the best of several."""
        size = 64 if self.tiny else 8192
        a, b = (torch.randn(size, size, device=self.device).bfloat16() for _ in range(2))
        best = float("inf")
        for _ in range(10):
            start = self.wait()
            a @ b
            best = min(best, self.wait() - start)
        return 2 * size**3 / best


def training(bench: Bench) -> Iterator[Row]:
    """Presets, and the plain loop."""
    peak = bench.peak()
    for preset in ("base", "big"):
        tokens = ENCODER_DECODER[preset]["training"]["batch_tokens"]
        updater = bench.updater(preset)
        layers = [*updater.model.encoder_layers, *updater.model.decoder_layers, updater.model.output_embedding]
        work = 6 * sum(parameter.numel() for layer in layers for parameter in layer.parameters())
        plain = PlainLoop(bench.config(preset), torch.bfloat16, bench.device)
        ways: dict[str, Callable[[Batch], object]] = {
            "Regard": lambda batch, updater=updater: updater.step([batch], 1e-4),
            "torch.nn.Transformer": lambda batch, plain=plain: plain(batch.to(bench.device)),
        }
        for name, step in ways.items():
            if bench.device.type == "cuda":
                torch.cuda.reset_peak_memory_stats()
            rate = bench.rate(step, tokens)
            row: Row = {"system": f"{name}, {preset}", "tokens/s": round(rate), "of peak": f"{rate * work / peak:.0%}"}
            if bench.device.type == "cuda":
                row["peak GB"] = round(torch.cuda.max_memory_allocated() / 1e9, 1)
            yield row


def steps(bench: Bench) -> Iterator[Row]:
    """Percentiles of single steps."""

    @contextmanager
    def cudnn(on: bool) -> Iterator[None]:
        before = torch.backends.cuda.cudnn_sdp_enabled()
        torch.backends.cuda.enable_cudnn_sdp(on)
        yield
        torch.backends.cuda.enable_cudnn_sdp(before)

    def masked(batch: Batch) -> Batch:
        return replace(batch, pads_right=False)

    def same(batch: Batch) -> Batch:
        return batch

    ways = {
        "as it is": (False, False, same),
        "cuDNN": (True, False, same),
        "mask": (False, False, masked),
        "compiled": (False, True, same),
    }
    for name, (with_cudnn, is_compiled, change) in ways.items():
        if is_compiled and bench.device.type == "cpu":
            continue  # it takes minutes
        updater, stream = bench.updater("base", compiles=is_compiled), bench.batches(25_000)
        times: list[float] = []
        with cudnn(with_cudnn):
            for _ in range(bench.warm + 2 * bench.steps):
                batch, start = change(next(stream)), bench.wait()
                updater.step([batch], 1e-4)
                times.append(1000 * (bench.wait() - start))
        found = statistics.quantiles(times[bench.warm :], n=100)
        yield {
            "steps": name,
            **{f"{part} %": round(found[part - 1], 1) for part in (50, 90, 99)},
            "first": round(times[0]),
        }


def kernels(bench: Bench) -> Iterator[Row]:
    """What we say, and what PyTorch says."""
    for dtype in (torch.float32, torch.bfloat16):
        for head_dim, is_masked in ((64, False), (64, True), (512, False)):
            heads = torch.randn(4, 8, 32, head_dim, device=bench.device, dtype=dtype)
            mask = torch.ones(4, 1, 1, 32, device=bench.device, dtype=torch.bool) if is_masked else None
            row: Row = {"dtype": str(dtype)[6:], "head_dim": head_dim, "mask": is_masked}
            row["explain_kernel"] = str(explain_kernel(heads, heads, heads))
            if bench.device.type == "cuda":
                asked = torch.backends.cuda.SDPAParams(heads, heads, heads, mask, 0.0, False, False)
                row["flash"] = torch.backends.cuda.can_use_flash_attention(asked)
                row["efficient"] = torch.backends.cuda.can_use_efficient_attention(asked)
            yield row


def padding(bench: Bench) -> Iterator[Row]:
    """One attention, forwards and backwards, over batches of text."""
    sizes = bench.config("base")
    width, num_heads = sizes.model_dim, sizes.num_heads

    def masked(x: Tensor, mask: Tensor, _: Any) -> Tensor:
        q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for _ in range(3))
        return attention(q, k, v, mask=mask)

    def packed(x: Tensor, _: Tensor, known: tuple[Tensor, Tensor, int]) -> Tensor:
        from torch.nn.attention.varlen import varlen_attn

        places, ends, longest = known
        tokens = x.flatten(0, 1).index_select(0, places).unflatten(-1, (num_heads, -1))
        found = varlen_attn(tokens, tokens, tokens, ends, ends, longest, longest)
        return torch.zeros_like(x).flatten(0, 1).index_copy(0, places, found.flatten(1))

    ways: dict[str, Callable[..., Tensor]] = {"mask": masked}
    if bench.device.type == "cuda":  # PyTorch has no other kernel for packed tokens
        ways["packed"] = packed
    stream = bench.batches(25_000)
    batches = [next(stream) for _ in range(bench.steps)]
    for name, way in ways.items():
        seconds = 0.0
        for batch in batches:
            is_token = batch.source_ids != PAD
            lengths = is_token.sum(dim=1)
            ends = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(bench.device, torch.int32)
            known = is_token.flatten().nonzero()[:, 0].to(bench.device), ends, int(lengths.max())
            mask = is_token[:, None, None].to(bench.device)
            x = torch.randn(
                *batch.source_ids.shape, width, device=bench.device, dtype=torch.bfloat16, requires_grad=True
            )
            start = bench.wait()
            way(x, mask, known).sum().backward()
            seconds += (bench.wait() - start) * (batch is not batches[0])
        yield {"padding": name, "ms a batch": round(1000 * seconds / (len(batches) - 1), 2)}


def loss(bench: Bench) -> Iterator[Row]:
    """The loss alone."""
    labels = torch.randint(0, bench.vocab, (300 if bench.tiny else 25_000,), device=bench.device)
    dim = 16 if bench.tiny else 512
    states = torch.randn(len(labels), dim, device=bench.device).bfloat16().requires_grad_()
    weight = torch.randn(bench.vocab, dim, device=bench.device).bfloat16().requires_grad_()
    before = losses.CHUNK_LOGITS_ON_GPU
    try:
        for power in (22, 24, 26, 27, 28):
            losses.CHUNK_LOGITS_ON_GPU, best = 1 << power, float("inf")
            for _ in range(5):
                start = bench.wait()
                smoothed_cross_entropy(states, weight, labels, smoothing=SMOOTHING).backward()
                best = min(best, bench.wait() - start)
            yield {"logits at once": f"2^{power}", "ms": round(1000 * best, 2)}
    finally:
        losses.CHUNK_LOGITS_ON_GPU = before


def waits(bench: Bench) -> Iterator[Row]:
    """Steps that may not wait."""
    updater, stream = bench.updater("base"), bench.batches(25_000)
    updater.step([next(stream)], 1e-4)
    outcomes = []
    if bench.device.type == "cuda":
        torch.cuda.set_sync_debug_mode("error")
    try:
        outcomes += [updater.step([next(stream)], 1e-4) for _ in range(20)]
    finally:
        if bench.device.type == "cuda":
            torch.cuda.set_sync_debug_mode("default")
    yield {"steps without waiting": len(outcomes), "loss": round(outcomes[-1].loss, 3)}


def decoding(bench: Bench) -> Iterator[Row]:
    """Random models never end a target: each has as many tokens as its source."""
    batch = next(bench.batches(25_000))
    rows = [row[row != PAD].tolist() for row in batch.source_ids][: 8 if bench.tiny else 1024]
    for dtype in (torch.float32, torch.bfloat16):
        torch.manual_seed(1)
        model = EncoderDecoder(bench.config("base")).eval().to(bench.device, dtype)
        for size in (4,) if bench.tiny else (64, 256, 1024):
            for beam in (1, 5):
                requests = [Request(row, min(30, 5 + len(row))) for row in rows]
                symbols = TargetSymbols([BOS], EOS, PAD, (EOS,))
                start = bench.wait()
                rule = BeamSearch(BeamSettings(beam), EOS)
                Decoding(model, requests, rule, symbols, batch_size=size, device=bench.device).run()
                rate = len(rows) / (bench.wait() - start)
                yield {"dtype": str(dtype)[6:], "batch": size, "beam": beam, "sentences/s": round(rate, 1)}


PARTS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    part.__name__: part for part in (training, steps, kernels, padding, loss, waits, decoding)
}


def table(rows: list[Row]) -> str:
    """Rows as Markdown."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, ["---"] * len(names), *([str(row.get(name, "")) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--parts", nargs="+", choices=PARTS, help="measured again, even if they are there")
    parser.add_argument("--output", type=Path, default=Path("results") / "bench-gpu")
    parser.add_argument("--tiny", action="store_true", help="models and data that need no time: whether it runs")
    options = parser.parse_args()
    prepare_gpu()
    bench = Bench(torch.device(options.device), tiny=options.tiny)
    name = torch.cuda.get_device_name() if bench.device.type == "cuda" else platform.machine()
    print(f"{name}; torch {torch.__version__}, Python {platform.python_version()}\n", flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    for part in options.parts or PARTS:
        path = options.output / f"{part}.json"
        if path.is_file() and not options.parts:
            rows = json.loads(path.read_text(encoding="utf-8"))
        else:
            rows = list(PARTS[part](bench))
            path.write_text(json.dumps(rows), encoding="utf-8")
        print(f"{part}\n\n{table(rows)}\n", flush=True)


if __name__ == "__main__":
    main()
