"""The trainings of "Scaling": `python docs/guide/trainings/train_15.py [sizes] [schedules] [widths] [--data FOLDER]`.

All train small decoders on the characters of tinyshakespeare. The last tenth of the text is for validation.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from stored import Options, main

CONTEXT, BATCH, DEPTH, WARM_UP = 64, 16, 3, 0.1
SEEDS = (1, 2)


class Layer(nn.Module):
    """Causal attention and a feed-forward network, each after a norm and added to its input."""

    def __init__(self, dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.norm, self.other_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.to_heads = nn.Linear(dim, 3 * dim, bias=False)
        self.output_proj = nn.Linear(dim, dim, bias=False)
        self.inner = nn.Linear(dim, 4 * dim, bias=False)
        self.outer = nn.Linear(4 * dim, dim, bias=False)
        for linear in (self.to_heads, self.output_proj, self.inner, self.outer):
            is_last = linear in (self.output_proj, self.outer)
            nn.init.normal_(linear.weight, std=(linear.in_features * (2 * depth if is_last else 1)) ** -0.5)

    def forward(self, x: Tensor) -> Tensor:
        """The states after the layer."""
        heads = self.to_heads(self.norm(x)).unflatten(-1, (3, self.num_heads, -1))
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.output_proj(seen.transpose(1, 2).flatten(2))
        return x + self.outer(nn.functional.gelu(self.inner(self.other_norm(x))))


class Model(nn.Module):
    """Ids to the logits of each next one."""

    def __init__(self, vocab_size: int, dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim)
        self.positions = nn.Parameter(torch.randn(CONTEXT, dim) / 10)
        self.layers = nn.ModuleList(Layer(dim, num_heads, depth) for _ in range(depth))
        self.norm, self.output = nn.LayerNorm(dim), nn.Linear(dim, vocab_size, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.1)
        nn.init.zeros_(self.output.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits of the character that follows each position."""
        x = self.embedding(ids) + self.positions[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


class Text:
    """The characters as numbers: random windows to train on, and the loss of a model on the rest."""

    def __init__(self, options: Options) -> None:
        text = (options.data / "tinyshakespeare" / "input.txt").read_text()
        numbers = {character: number for number, character in enumerate(sorted(set(text)))}
        ids = torch.tensor([numbers[character] for character in text])
        self.vocab_size, cut = len(numbers), len(ids) * 9 // 10
        self.learnt, self.held = ids[:cut], ids[cut:][: 2_000 if options.short else None]

    def batch(self, draw: torch.Generator) -> tuple[Tensor, Tensor]:
        """Random windows, and the characters that follow in them."""
        start = torch.randint(len(self.learnt) - CONTEXT, (BATCH, 1), generator=draw)
        windows = self.learnt[start + torch.arange(CONTEXT + 1)]
        return windows[:, :-1], windows[:, 1:]

    @torch.no_grad()
    def validation_loss(self, model: Model) -> float:
        """Nats per character, in windows that follow one another."""
        whole = (len(self.held) - 1) // CONTEXT * CONTEXT
        inputs, labels = (part.view(-1, CONTEXT) for part in (self.held[:whole], self.held[1 : whole + 1]))
        total = 0.0
        for ids, right in zip(inputs.split(256), labels.split(256), strict=True):
            total += nn.functional.cross_entropy(model(ids).flatten(0, 1), right.flatten(), reduction="sum").item()
        return total / whole


Schedule = Callable[[float], float]
"""From the share of the steps that are done, 0 to 1, to the share of the peak."""
SCHEDULES: dict[str, Schedule] = {
    "constant": lambda done: 1.0,
    "inverse root": lambda done: (WARM_UP / max(done, WARM_UP)) ** 0.5,
    "linear": lambda done: (1 - done) / (1 - WARM_UP),
    "cosine": lambda done: 0.5 + 0.5 * math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)),
    "WSD": lambda done: min(1.0, (1 - done) / 0.2),
}


def train(
    text: Text, dim: int, rate: float, steps: int, seed: int, *, schedule: str = "cosine", base_dim: int = 0
) -> float:
    """The validation loss of a new model.

    Args:
        base_dim: not 0: matrices learn at a rate times base_dim / dim.
    """
    torch.manual_seed(seed)
    model, draw = Model(text.vocab_size, dim, max(1, dim // 16), DEPTH), torch.Generator().manual_seed(seed)
    matrices = [linear.weight for linear in model.modules() if isinstance(linear, nn.Linear)]
    known = {id(matrix) for matrix in matrices}
    others = [parameter for parameter in model.parameters() if id(parameter) not in known]
    factor = base_dim / dim if base_dim else 1.0
    groups = [{"params": matrices, "peak": rate * factor}, {"params": others, "peak": rate}]
    adam = torch.optim.Adam(groups, lr=rate, betas=(0.9, 0.99))
    for step in range(steps):
        done = step / steps
        share = min((step + 1) / (steps * WARM_UP), 1.0) * (SCHEDULES[schedule](done) if done > WARM_UP else 1.0)
        for group in adam.param_groups:
            group["lr"] = group["peak"] * share
        ids, labels = text.batch(draw)
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), labels.flatten())
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    return text.validation_loss(model)


def sizes(options: Options) -> list[list[str]]:
    """Six widths, each read the same 1.2 million characters."""
    text, steps = Text(options), 3 if options.short else 1200
    rows = [["width", "N", *(f"loss, seed {seed}" for seed in SEEDS)]]
    for dim in (8, 16, 32, 48, 64, 96):
        rate = RATES[dim]
        losses = [train(text, dim, rate, steps, seed) for seed in SEEDS]
        size = DEPTH * 12 * dim**2 + text.vocab_size * dim
        rows.append([str(dim), f"{size:,}", *(f"{loss:.3f}" for loss in losses)])
        print(rows[-1], flush=True)
    return rows


RATES = {8: 0.02, 16: 0.015, 32: 0.01, 48: 0.008, 64: 0.006, 96: 0.004}
"""The peak of each width, found in short trials."""


def schedules(options: Options) -> list[list[str]]:
    """Each schedule with three peaks, for 600 steps; means of two seeds."""
    text, steps, peaks = Text(options), 3 if options.short else 600, (0.005, 0.01, 0.02)
    rows = [["schedule", *(f"peak {peak:g}" for peak in peaks)]]
    for name in SCHEDULES:
        losses = [[train(text, 16, peak, steps, seed, schedule=name) for seed in SEEDS] for peak in peaks]
        rows.append([name, *(f"{sum(pair) / len(pair):.3f}" for pair in losses)])
        print(rows[-1], flush=True)
    return rows


def widths(options: Options) -> list[list[str]]:
    """Rates of three widths: one rate for all parameters, and one that falls with the width for matrices."""
    text, steps = Text(options), 3 if options.short else 300
    rates = (0.0025, 0.005, 0.01, 0.02, 0.04)
    rows = [["width", *(f"rate {rate:g}" for rate in rates)]]
    for name, base_dim, dims in (("one rate", 0, (16, 32, 96)), ("rate × 16 / width", 16, (32, 96))):
        for dim in dims:
            losses = [train(text, dim, rate, steps, 1, base_dim=base_dim) for rate in rates]
            rows.append([f"{dim}, {name}", *(f"{loss:.2f}" for loss in losses)])
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    main({"sizes": sizes, "schedules": schedules, "widths": widths})
