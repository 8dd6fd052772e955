"""Sampling: the next token drawn from the model's distribution, or from its likelier part."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from pydantic import Field
from torch import Tensor

from regard.errors import SettingsError
from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import on_cpu
from regard.generation.option_record import Options
from regard.generation.request import Hypothesis
from regard.generation.rules.repetition_loops import end_repetition_loops
from regard.generation.rules.rule import Rule
from regard.nn.positions import widest_float


class SamplingOptions(Options):
    """The options of drawing tokens. Tokens are cut off in the order of these options.

    Source: Fan et al. 2018 (top-k); Holtzman et al. 2020, section 3.1 (top-p, "nucleus"); Nguyen et al. 2024 (min-p); Meister
        et al. 2023, section 4 (typical: the tokens whose surprise is nearest to the mean surprise).
    """

    temperature: float = Field(
        default=1.0, ge=0, description="of samples; divides the logits; 0 takes the likeliest token"
    )
    top_k: int | None = Field(default=None, ge=1, description="draw from so many of the likeliest tokens only")
    top_p: float = Field(default=1.0, gt=0, le=1, description="draw from the likeliest tokens of this probability only")
    min_p: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="draw from tokens with at least this share of the likeliest one's probability",
    )
    typical: float = Field(
        default=1.0, gt=0, le=1, description="draw from the most typical tokens of this probability only"
    )
    seed: int = Field(default=1, ge=0, lt=2**63, description="number that all random choices come from")


def filtered_logits(logits: Float[Tensor, "*row vocab"], settings: SamplingOptions) -> Float[Tensor, "*row vocab"]:
    """The logits divided by the temperature, -inf for tokens that cannot be drawn."""
    range_of = torch.finfo(logits.dtype)
    if settings.temperature < range_of.tiny:  # 0, or what the logits cannot be divided by
        best = logits.argmax(dim=-1, keepdim=True)
        return torch.full_like(logits, -torch.inf).scatter(-1, best, 0.0)
    highest = logits.amax(dim=-1, keepdim=True)
    logits = (logits - highest.masked_fill(highest == -torch.inf, 0)) / min(settings.temperature, range_of.max)
    if settings.top_k is not None and settings.top_k < logits.shape[-1]:
        likeliest = logits.topk(settings.top_k, dim=-1)
        logits = torch.full_like(logits, -torch.inf).scatter(-1, likeliest.indices, likeliest.values)
    if settings.top_p < 1:
        logits = _first_of_mass(logits, -logits, settings.top_p)
    if settings.min_p > 0:
        logits = logits.masked_fill(logits < math.log(settings.min_p), -torch.inf)  # the likeliest has 0
    if settings.typical < 1:
        surprise = -logits.log_softmax(dim=-1)
        mean = torch.special.entr(logits.softmax(dim=-1)).sum(dim=-1, keepdim=True)
        logits = _first_of_mass(logits, (surprise - mean).abs(), settings.typical)
    return logits


def _first_of_mass(logits: Tensor, rank: Tensor, mass: float) -> Tensor:
    """The logits of the tokens that come first by rank, the lowest first, and together have some probability; of one at least."""
    order = rank.argsort(dim=-1, stable=True)
    probs = logits.softmax(dim=-1).gather(-1, order)
    is_beyond = probs.cumsum(dim=-1) - probs >= mass  # the tokens before it have the mass already
    is_beyond[..., 0] = False  # the mass may be 0 in the precision of the logits
    return logits.masked_fill(torch.zeros_like(is_beyond).scatter(-1, order, is_beyond), -torch.inf)


def draw(logits: Float[Tensor, "*row vocab"], uniform: Float[Tensor, "*row"]) -> Int[Tensor, "*row"]:
    """For each row the token in whose share of the probability a uniform random number from 0 to 1 falls; any, where no token
    has one.
    """
    is_empty = ~(logits > -torch.inf).any(dim=-1, keepdim=True)  # all are -inf, or NaN
    reached = logits.to(widest_float(logits.device)).masked_fill(is_empty, 0).softmax(dim=-1).cumsum(dim=-1)
    wanted = (uniform.to(reached.dtype) * reached[..., -1])[..., None].contiguous()
    drawn = torch.searchsorted(reached, wanted, right=True)[..., 0]
    # Rounding must not lead to a token that cannot be drawn: after the last one that can, the sums stay as they are.
    last = torch.searchsorted(reached, reached[..., -1:].contiguous())[..., 0]
    return drawn.minimum(last)


class Sampling(Rule):
    """A rule: each hypothesis of a sentence is a sample of its own, which ends when it draws an end symbol.

    A sentence's random numbers come from the seed of its request alone, so that its samples do not depend on what else is
    decoded with it.

    Args:
        num_samples: for each sentence.
        end_ids: tokens that end a sample.
    """

    def __init__(self, settings: SamplingOptions, end_ids: tuple[int, ...], num_samples: int = 1) -> None:
        if num_samples < 1:
            raise SettingsError(f"num_samples must be at least 1; got {num_samples}.")
        self.settings, self.end_ids, self.width = settings, end_ids, num_samples
        self.starts: Sequence[int] = range(num_samples)
        self._uniform: dict[int, Float[Tensor, "length sample"]] = {}
        self._ended: dict[int, list[int]] = {}

    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """Draw a token for each sample; which hypothesis each continues: itself."""
        parents = torch.arange(self.width).expand(len(active.requests), -1)
        uniform = self._numbers(active)
        uniform = uniform.to(widest_float(log_probs.device)).to(log_probs.device)
        drawn = draw(filtered_logits(log_probs, self.settings), uniform)
        ids, added = on_cpu([drawn, log_probs.gather(-1, drawn[..., None])[..., 0]])
        before = active.scores
        scores = before + added
        for slot, sample in ((scores == -torch.inf) & (before > -torch.inf)).nonzero().tolist():
            self._ended.setdefault(active.numbers[slot], []).append(sample)
            active.finish_as_it_stands(slot, sample, float(before[slot, sample]), "blocked")
        ends = torch.isin(ids, torch.tensor(self.end_ids, dtype=torch.long, device=ids.device))
        at_limit = (active.lengths + 1 >= active.limits)[:, None]
        stops = (ends | at_limit) & (scores > -torch.inf)
        for slot, sample in stops.nonzero().tolist():
            self._ended.setdefault(active.numbers[slot], []).append(sample)
            id, log_prob, score = int(ids[slot, sample]), float(added[slot, sample]), float(scores[slot, sample])
            active.finish_with(slot, sample, id, log_prob, score, at_end=bool(ends[slot, sample]))
        active.grow(parents, ids, added, scores.masked_fill(stops, -torch.inf))
        for slot, sample in end_repetition_loops(active, lambda log_prob, _: log_prob):
            self._ended.setdefault(active.numbers[slot], []).append(sample)
        return parents

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        """The samples, in the order of their random numbers; their scores are sums of log-probabilities."""
        number = active.numbers[slot]
        self._uniform.pop(number, None)
        by_sample = sorted(
            zip(self._ended.pop(number, ()), active.finished[slot], strict=True), key=lambda pair: pair[0]
        )
        return [hypothesis for _, hypothesis in by_sample]

    def _numbers(self, active: ActiveBatch) -> Float[Tensor, "slot sample"]:
        """The random numbers of this step."""
        numbers = torch.zeros(len(active.requests), self.width, dtype=torch.float64)
        for slot, request in active.taken:
            if (number := active.numbers[slot]) not in self._uniform:
                generator = torch.Generator().manual_seed(request.seed % 2**63)
                size = (request.max_length, self.width)
                self._uniform[number] = torch.rand(size, generator=generator, dtype=torch.float64)
            numbers[slot] = self._uniform[number][int(active.lengths[slot])]
        return numbers
