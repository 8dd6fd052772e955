"""Attention beside PyTorch's own, forward and training, over shapes from 64 x 20 to 1 x 8,192: part of `make bench`.

All systems take turns in every round, so that a machine whose speed drifts is the same for all. Times are medians of the
rounds, in milliseconds; the ratio is the time of the best of PyTorch's own divided by ours: above 1 we are faster.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.inspection.capture import capture
from regard.nn import Additive, MultiHeadAttention, attention, causal_mask, explain_kernel
from regard.training.precision import keep_freed_memory

SHAPES = [(64, 20, 8, 64), (256, 16, 4, 32), (32, 64, 8, 64), (16, 128, 8, 64), (8, 256, 8, 64),
          (4, 512, 8, 64), (2, 1024, 8, 64), (1, 2048, 8, 64), (1, 8192, 4, 64)]  # fmt: skip
Run = Callable[[], object]


def medians(systems: dict[str, Run], rounds: int, at_least_seconds: float = 0.02) -> dict[str, float]:
    """Milliseconds of one call of each system."""
    repeats = {}
    for name, run in systems.items():
        run()
        start = time.perf_counter()
        run()
        repeats[name] = max(1, int(at_least_seconds / max(time.perf_counter() - start, 1e-6)))
    times: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(rounds):
        for name, run in systems.items():
            start = time.perf_counter()
            for _ in range(repeats[name]):
                run()
            times[name].append((time.perf_counter() - start) / repeats[name] * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def row(cells: Sequence[str], times: dict[str, float], ours: str) -> None:
    best = min(value for name, value in times.items() if name != ours)
    print(
        f"| {' | '.join(cells)} | {' | '.join(f'{x:.2f}' for x in times.values())} | {best / times[ours]:.2f} |",
        flush=True,
    )


def training(function: Callable[..., Tensor], inputs: Sequence[Tensor]) -> Run:
    leaves = [x.clone().requires_grad_() for x in inputs]
    target = torch.ones_like(function(*leaves))

    def run() -> None:
        for leaf in leaves:
            leaf.grad = None
        function(*leaves).backward(target)

    return run


def forward(function: Callable[..., Tensor], inputs: Sequence[Tensor]) -> Run:
    def run() -> None:
        with torch.no_grad():
            function(*inputs)

    return run


def functions(rounds: int, dtypes: Sequence[torch.dtype], shapes: Sequence[tuple[int, ...]]) -> None:
    """`attention` beside `F.scaled_dot_product_attention`, without a mask, causal, and with padding."""
    print("\n| batch x length, heads x width | dtype | pass | mask | SDPA | Regard | ratio | kernel |")
    print("|---|---|---|---|---:|---:|---:|---|")
    for batch, length, heads, width in shapes:
        for dtype in dtypes:
            x = [torch.randn(batch, heads, length, width, dtype=dtype) for _ in range(3)]
            padding = torch.arange(length) < torch.linspace(length / 2, length, batch).long()[:, None, None, None]
            for mask in ("none", "causal", "padding"):
                options = {"none": {}, "causal": {"is_causal": True}, "padding": {"attn_mask": padding}}[mask]
                own = {"none": {}, "causal": {"causal": True}, "padding": {"mask": padding}}[mask]

                def theirs(q: Tensor, k: Tensor, v: Tensor, options: dict[str, Any] = options) -> Tensor:
                    return F.scaled_dot_product_attention(q, k, v, **options)

                def ours(q: Tensor, k: Tensor, v: Tensor, own: dict[str, Any] = own) -> Tensor:
                    return attention(q, k, v, **own)

                for name, way in (("forward", forward), ("training", training)):
                    times = medians({"SDPA": way(theirs, x), "Regard": way(ours, x)}, rounds)
                    grad = name == "training"
                    kernel = explain_kernel(*(y.clone().requires_grad_(grad) for y in x)).kernel
                    label = f"{batch} x {length}, {heads} x {width}"
                    best = times["SDPA"] / times["Regard"]
                    print(
                        f"| {label} | {str(dtype)[6:]} | {name} | {mask} | {times['SDPA']:.2f} | {times['Regard']:.2f} | "
                        f"{best:.2f} | {kernel} |",
                        flush=True,
                    )


def modules(rounds: int, dtypes: Sequence[torch.dtype], shapes: Sequence[tuple[int, ...]]) -> None:
    """`MultiHeadAttention` beside `nn.MultiheadAttention`, self-attention with a causal mask."""
    print("\n| batch x length, heads x width | dtype | pass | nn.MultiheadAttention | Regard | ratio |")
    print("|---|---|---|---:|---:|---:|")
    for batch, length, heads, width in shapes:
        for dtype in dtypes:
            dim = heads * width
            theirs = nn.MultiheadAttention(dim, heads, batch_first=True).to(dtype)
            ours = MultiHeadAttention(dim, heads).to(dtype)
            x = torch.randn(batch, length, dim, dtype=dtype)
            hidden = ~causal_mask(length)

            def run_theirs(y: Tensor, module: nn.Module = theirs, hidden: Tensor = hidden) -> Tensor:
                return module(y, y, y, need_weights=False, attn_mask=hidden, is_causal=True)[0]

            def run_ours(y: Tensor, module: nn.Module = ours) -> Tensor:
                return module(y, causal=True)

            for name, way in (("forward", forward), ("training", training)):
                for module in (theirs, ours):
                    module.train(name == "training")
                times = medians({"theirs": way(run_theirs, [x]), "Regard": way(run_ours, [x])}, rounds)
                row([f"{batch} x {length}, {heads} x {width}", str(dtype)[6:], name], times, "Regard")


def additive(rounds: int) -> None:
    """The tiled kernel beside the plain way."""
    print("\n| queries x keys x hidden, batch | pass | plain | tiled | ratio |\n|---|---|---:|---:|---:|")
    for batch, queries, keys, hidden in [(64, 20, 20, 64), (64, 20, 20, 256), (8, 100, 100, 128), (1, 1000, 1000, 64)]:
        score = Additive(64, 64, hidden)
        x = [torch.randn(batch, n, 64) for n in (queries, keys, keys)]

        def run(q: Tensor, k: Tensor, v: Tensor, kernel: str, score: Additive = score) -> Tensor:
            return attention(q, k, v, score=score, kernel=kernel)

        for name, way in (("forward", forward), ("training", training)):
            systems = {
                kernel: way(lambda q, k, v, kernel=kernel, run=run: run(q, k, v, kernel), x)
                for kernel in ("matmul", "tiled")
            }
            row([f"{queries} x {keys} x {hidden}, {batch}", name], medians(systems, rounds), "tiled")


def capturing(rounds: int) -> None:
    """A forward pass of six layers with one head of each captured, and without."""
    print("\n| six layers, 512 tokens | milliseconds | of the plain pass |\n|---|---:|---:|")
    layers = nn.ModuleList(MultiHeadAttention(512, 8) for _ in range(6)).eval()
    x = torch.randn(4, 512, 512)

    def plain() -> None:
        y = x
        for layer in layers:
            y = y + layer(y)

    def captured() -> None:
        with capture(layers, heads=[3]):
            plain()

    with torch.no_grad():
        times = medians({"plain": plain, "one head of each captured": captured}, rounds)
    for name, value in times.items():
        print(f"| {name} | {value:.1f} | {value / times['plain']:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=["functions", "modules", "additive", "capture"])
    parser.add_argument("--dtype", choices=["float32", "bfloat16"])
    parser.add_argument("--shapes", type=int, nargs="*", help="rows of the table, from 0")
    options = parser.parse_args()
    keep_freed_memory()
    torch.manual_seed(1)
    dtypes = [torch.float32, torch.bfloat16] if options.dtype is None else [getattr(torch, options.dtype)]
    shapes = SHAPES if options.shapes is None else [SHAPES[i] for i in options.shapes]
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {platform.machine()}")
    if options.only in (None, "functions"):
        functions(options.rounds, dtypes, shapes)
    if options.only in (None, "modules"):
        modules(options.rounds, dtypes, shapes)
    if options.only in (None, "additive"):
        additive(options.rounds)
    if options.only in (None, "capture"):
        capturing(options.rounds)


if __name__ == "__main__":
    main()
