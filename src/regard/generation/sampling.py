"""Sampling: the next token drawn from the model's distribution, or from its likelier part. Pure functions of logits."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError
from regard.models.interface import SequenceToSequence, State


@dataclass(frozen=True)
class SamplingSettings:
    """How a token is drawn.

    Args:
        temperature: divides the logits; 0 takes the likeliest token.
        top_k: only so many of the likeliest tokens can be drawn; None: all.
        top_p: only the likeliest tokens that together have this probability can be drawn; 1: all.
    Source: Fan et al. 2018 (top-k); Holtzman et al. 2020, section 3.1 (top-p, "nucleus").
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < float("inf"):
            raise SettingsError(f"temperature must be at least 0, and finite; got {self.temperature}.")
        if self.top_k is not None and self.top_k < 1:
            raise SettingsError(f"top_k must be at least 1; got {self.top_k}.")
        if not 0 < self.top_p <= 1:
            raise SettingsError(f"top_p must be above 0 and at most 1; got {self.top_p}.")


def filtered_logits(logits: Float[Tensor, "row vocab"], settings: SamplingSettings) -> Float[Tensor, "row vocab"]:
    """The logits divided by the temperature, -inf for tokens that cannot be drawn. The likeliest always can."""
    if settings.temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.full_like(logits, -torch.inf).scatter(-1, best, 0.0)
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / settings.temperature
    if settings.top_k is not None and settings.top_k < logits.shape[-1]:
        likeliest = logits.topk(settings.top_k, dim=-1)
        logits = torch.full_like(logits, -torch.inf).scatter(-1, likeliest.indices, likeliest.values)
    if settings.top_p < 1:
        ordered, order = logits.sort(dim=-1, descending=True)
        probs = ordered.softmax(dim=-1)
        is_beyond = probs.cumsum(dim=-1) - probs >= settings.top_p  # what stands before it has the mass already
        logits = logits.masked_fill(torch.zeros_like(is_beyond).scatter(-1, order, is_beyond), -torch.inf)
    return logits


def draw(logits: Float[Tensor, "row vocab"], generator: torch.Generator) -> Int[Tensor, " row"]:
    """One token for each row, by its probability: the largest of logits and Gumbel noise, drawn on the CPU."""
    uniform = torch.rand(logits.shape, generator=generator, dtype=torch.float64)
    gumbel = -(-uniform.clamp(min=1e-300).log()).log()
    return (logits.double() + gumbel.to(logits.device)).argmax(dim=-1)


@torch.inference_mode()
def sample(
    model: SequenceToSequence[State],
    prompt_ids: Int[Tensor, "row position"],
    settings: SamplingSettings,
    *,
    max_tokens: int,
    generators: list[torch.Generator],
    banned_ids: tuple[int, ...] = (),
    end_ids: tuple[int, ...] = (),
) -> list[list[int]]:
    """What follows each prompt, token by token.

    Args:
        prompt_ids: padding on the left.
        generators: one for each row, so that a row's tokens do not depend on the other rows.
        banned_ids: tokens that are never drawn.
        end_ids: tokens that end a row; they are not returned.
    """
    state = model.prefill(prompt_ids)
    newest, rows = prompt_ids[:, -1:], list(range(len(prompt_ids)))
    written: list[list[int]] = [[] for _ in rows]
    for _ in range(max_tokens):
        logits, state = model.decode_step(newest, state)
        logits = logits[:, 0].float()
        for id in banned_ids:
            logits[:, id] = -torch.inf
        logits = filtered_logits(logits, settings)
        drawn = [int(draw(logits[i : i + 1], generators[row])) for i, row in enumerate(rows)]
        going_on = [i for i, id in enumerate(drawn) if id not in end_ids]
        for i in going_on:
            written[rows[i]].append(drawn[i])
        if not going_on:
            break
        newest = torch.tensor([[drawn[i]] for i in going_on], device=prompt_ids.device)
        if len(going_on) < len(rows):
            keep = torch.tensor(going_on, device=prompt_ids.device)
            state = state.select(keep, torch.zeros(len(keep), 1, dtype=torch.long, device=prompt_ids.device))
            rows = [rows[i] for i in going_on]
    return written
