"""Draws the pictures of chapter 5: `python docs/guide/pictures/draw_05.py`."""

import torch
from diagrams import FAINT, INK, LINE, Diagram
from matplotlib.figure import Figure
from plots import SERIES, plain, save
from torch import Tensor, nn

import regard.nn as rn

STEPS = 400


class Reverser(nn.Module):
    """Two blocks that write a sequence backwards, with a norm of one's choice."""

    def __init__(self, norm: type[nn.Module]) -> None:
        super().__init__()
        self.embedding, self.output = nn.Embedding(12, 32), nn.Linear(32, 12)
        self.layers = nn.ModuleList(
            rn.EncoderLayer(rn.MultiHeadAttention(32, 4), rn.FeedForward(32, 64), lambda: rn.PostNorm(32, 0.0, norm))
            for _ in range(2)
        )

    def forward(self, ids: Tensor) -> Tensor:
        """The logits of the token at each place of the sequence that is written backwards."""
        is_token = ids != 0
        x = self.embedding(ids) + rn.sinusoidal_positions(ids.shape[1], 32)
        for layer in self.layers:
            x = layer(x, mask=is_token[:, None, None], is_token=is_token)
        return self.output(x)


def examples(generator: torch.Generator, count: int = 32) -> tuple[Tensor, Tensor]:
    """Random sequences of 3 to 10 tokens, and the same backwards."""
    ids, backwards = torch.zeros(count, 10, dtype=torch.long), torch.zeros(count, 10, dtype=torch.long)
    for row, length in enumerate(torch.randint(3, 11, (count,), generator=generator).tolist()):
        ids[row, :length] = torch.randint(1, 12, (length,), generator=generator)
        backwards[row, :length] = ids[row, :length].flip(0)
    return ids, backwards


def curve(norm: type[nn.Module], seed: int) -> list[float]:
    """Validation losses while it learns, one for every 20 steps, in evaluation mode.

    The learning rate falls to 0 at the last step: with a constant one, the losses of both jump near the end.
    """
    torch.manual_seed(seed)
    model, generator = Reverser(norm), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=STEPS)
    ids, backwards = examples(torch.Generator().manual_seed(2), 200)
    losses = []
    for step in range(STEPS + 1):
        if step % 20 == 0:
            model.eval()
            with torch.no_grad():
                losses.append(nn.functional.cross_entropy(model(ids)[ids != 0], backwards[ids != 0]).item())
            model.train()
        read, wanted = examples(generator)
        loss = nn.functional.cross_entropy(model(read)[read != 0], wanted[read != 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return losses


def draw_norms() -> None:
    """The curves of three seeds for each norm."""
    torch.set_num_threads(1)
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.subplots()
    for (name, norm), colour in zip(
        {"layer norm": nn.LayerNorm, "batch norm": rn.BatchNorm}.items(), SERIES, strict=False
    ):
        for seed in (1, 2, 3):
            label = {"label": f"{name}, three seeds"} if seed == 1 else {}
            axes.plot(range(0, STEPS + 1, 20), curve(norm, seed), color=colour, linewidth=1.2, **label)
    axes.legend(fontsize=8, frameon=False)
    axes.set_ylim(bottom=0)
    plain(axes, "Writing sequences backwards: validation", "step", "loss in nats")
    save(figure, "05-norms")


def draw_stream() -> None:
    """The residual stream: each layer reads from it, and adds to it."""
    found = Diagram(380, 330, "The residual stream: each layer reads it and adds to it")
    found.text(100, 322, "x")
    found.arrow((100, 306), (100, 30), colour=INK)
    found.text(100, 20, "x + f(x) + g(x + f(x))")
    for bottom, name in ((290, "f"), (160, "g")):
        found.arrow((100, bottom - 20), (270, bottom - 20), (270, bottom - 40))
        found.text(185, bottom - 27, "reads", colour=FAINT, size=13)
        found.box(270, bottom - 70, f"layer {name}", width=120)
        found.arrow((270, bottom - 70), (270, bottom - 95), (112, bottom - 95))
        found.text(185, bottom - 102, "adds", colour=FAINT, size=13)
        _plus(found, 100, bottom - 95)
    found.save("05-stream")


def draw_block() -> None:
    """The two sublayers of a block, with the norm after the sum, and before the sublayer."""
    found = Diagram(460, 520, "A block with the norm after the sum, and one with the norm before the sublayer")
    for middle, is_pre in ((95, False), (330, True)):
        found.text(middle, 20, "pre-norm" if is_pre else "post-norm")
        found.text(middle, 512, "x")
        y = 496.0
        for name in ("attention", "feed-forward"):
            begin = y
            for part in ("norm", name) if is_pre else (name,):
                found.arrow((middle, y), (middle, y - 36))
                found.box(middle, y - 66, part, width=130, colour=INK if part == "norm" else LINE)
                y -= 66
            found.arrow((middle, y), (middle, y - 25))
            _plus(found, middle, y - 36)
            out = middle + 88
            found.arrow((middle, begin - 14), (out, begin - 14), (out, y - 36), (middle + 12, y - 36))
            y -= 47
            if not is_pre:
                found.arrow((middle, y), (middle, y - 22))
                found.box(middle, y - 52, "norm", width=130, colour=INK)
                y -= 52
        found.arrow((middle, y), (middle, 48))
    found.text(330, 40, "one more norm at the end", colour=FAINT, size=13)
    found.text(95, 40, "the next block", colour=FAINT, size=13)
    found.save("05-block")


def draw_tokens() -> None:
    """A block over three tokens: one attention for all, and the rest for each alone."""
    found = Diagram(380, 330, "A block over three tokens: attention is one box over all, the rest a box for each")
    columns = (70, 190, 310)
    for number, middle in enumerate(columns, start=1):
        found.text(middle, 322, f"token {number}")
        found.arrow((middle, 306), (middle, 278))
        found.arrow((middle, 246), (middle, 216))
        found.box(middle, 184, "sum, norm", width=100, colour=INK)
        found.arrow((middle, 184), (middle, 154))
        found.box(middle, 122, "feed-forward", width=100)
        found.arrow((middle, 122), (middle, 92))
        found.box(middle, 60, "sum, norm", width=100, colour=INK)
        found.arrow((middle, 60), (middle, 30))
    found.box(190, 247, "attention: each token looks at all", width=340)
    found.text(190, 20, "the next block", colour=FAINT, size=13)
    found.save("05-tokens")


def _plus(found: Diagram, x: float, y: float) -> None:
    """A sum: a circle with a plus."""
    found.parts.append(f'<circle cx="{x}" cy="{y}" r="11" fill="var(--paper)" stroke="{INK}" stroke-width="1.6"/>')
    found.parts.append(f'<path d="M{x - 6} {y}h12M{x} {y - 6}v12" stroke="{INK}" stroke-width="1.6"/>')


if __name__ == "__main__":
    draw_norms()
    draw_stream()
    draw_block()
    draw_tokens()
