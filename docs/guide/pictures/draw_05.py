"""Draws the picture of chapter 5: `python docs/guide/pictures/draw_05.py`."""

import torch
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


if __name__ == "__main__":
    draw_norms()
