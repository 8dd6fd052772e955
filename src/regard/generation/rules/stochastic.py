"""Stochastic beam search: samples without replacement, as many as the beam is wide."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import top_candidates
from regard.generation.request import Hypothesis
from regard.generation.rules.repetition_loops import end_repetition_loops
from regard.generation.rules.rule import Rule


class StochasticBeam(Rule):
    """A rule: the targets whose log-probability plus Gumbel noise is highest, which are a sample without replacement.

    The noise of a hypothesis is the highest among all its continuations, so that it is enough to follow the highest few. A
    target that has ended keeps its slot as long as its noisy log-probability is among the highest. Where tokens are forbidden,
    the others share their probability: the samples are those of the model restricted to what may be written.

    Args:
        num_samples: for each sentence.
    Source: Kool et al. 2019, algorithm 1.
    """

    def __init__(self, num_samples: int, eos_id: int) -> None:
        self.width, self.eos_id = num_samples, eos_id
        self.starts: Sequence[int] = (0,)
        self._generators: dict[int, torch.Generator] = {}
        self._noisy: dict[int, list[float]] = {}
        """The noisy log-probability of each active hypothesis, by request; -inf where it has ended since."""
        self._restricted: dict[int, list[float]] = {}
        """And its log-probability among what may be written."""
        self._ended: dict[int, list[float]] = {}
        """And the noisy log-probabilities of those that have ended, in their order."""

    def advance(self, active: ActiveBatch, log_probs: Float[Tensor, "slot beam vocab"]) -> Int[Tensor, "slot width"]:
        """The highest continuations of each sentence; which hypothesis each continues."""
        num_slots, log_probs = len(active.requests), log_probs.cpu()
        parents = torch.zeros(num_slots, self.width, dtype=torch.long)
        ids, added = torch.zeros_like(parents), torch.zeros_like(parents, dtype=log_probs.dtype)
        scores = torch.full_like(added, -torch.inf)
        for slot, request in active.taken:
            number, length = active.numbers[slot], int(active.lengths[slot]) + 1
            generator = self._generators.setdefault(number, torch.Generator().manual_seed(request.seed % 2**63))
            above = torch.tensor(self._noisy.get(number, [0.0]), dtype=torch.float64)
            before = torch.tensor(self._restricted.get(number, [0.0]), dtype=torch.float64)
            allowed = log_probs[slot, : len(above)].double()
            allowed = allowed - allowed.logsumexp(dim=-1, keepdim=True)  # NaN where nothing is allowed
            totals = before[:, None] + allowed.nan_to_num(nan=-torch.inf, neginf=-torch.inf)
            ended = self._ended.setdefault(number, [])
            for beam, is_blocked in enumerate((totals == -torch.inf).all(dim=-1).tolist()):
                if is_blocked and float(active.scores[slot, beam]) > -torch.inf:
                    active.end(slot, beam, float(active.scores[slot, beam]), "blocked")
                    ended.append(float(above[beam]))
            noisy = _below(totals, above, generator)
            best = top_candidates(torch.zeros(1, len(above), dtype=torch.float64), noisy[None], self.width)
            going_on: list[tuple[float, float]] = []
            enough = sorted([*ended, *best.scores[0].tolist()], reverse=True)[: self.width][-1]
            self._drop(active, slot, enough)
            for value, parent, id in zip(*(x[0].tolist() for x in best[:3]), strict=True):
                if value == -torch.inf or value < enough:
                    continue
                log_prob = float(log_probs[slot, parent, id])
                total = float(active.scores[slot, parent]) + log_prob
                if id == self.eos_id or length >= request.max_length:
                    active.finish_with(slot, parent, id, log_prob, total, at_end=id == self.eos_id)
                    ended.append(value)
                else:
                    index = len(going_on)
                    parents[slot, index], ids[slot, index] = parent, id
                    added[slot, index], scores[slot, index] = log_prob, total
                    going_on.append((value, float(totals[parent, id])))
            self._noisy[number], self._restricted[number] = [value for value, _ in going_on], [x for _, x in going_on]
        active.grow(parents, ids, added, scores)
        for slot, beam in end_repetition_loops(active, lambda log_prob, _: log_prob):
            of_request = self._noisy[active.numbers[slot]]
            self._ended[active.numbers[slot]].append(of_request[beam])
            of_request[beam] = -torch.inf
        return parents

    def results(self, active: ActiveBatch, slot: int) -> list[Hypothesis]:
        """The samples, in the order in which drawing them one after the other would give them."""
        number = active.numbers[slot]
        self._generators.pop(number)
        self._noisy.pop(number)
        self._restricted.pop(number)
        order = sorted(zip(self._ended.pop(number), active.finished[slot], strict=True), key=lambda pair: -pair[0])
        return [hypothesis for _, hypothesis in order]

    def _drop(self, active: ActiveBatch, slot: int, enough: float) -> None:
        """Forget what has ended and is not among the highest any more."""
        ended = self._ended[active.numbers[slot]]
        kept = [index for index, value in enumerate(ended) if value >= enough]
        active.finished[slot] = [active.finished[slot][index] for index in kept]
        ended[:] = [ended[index] for index in kept]


def _below(
    totals: Float[Tensor, "beam vocab"], above: Float[Tensor, " beam"], generator: torch.Generator
) -> Float[Tensor, "beam vocab"]:
    """The noisy log-probabilities of all continuations, the highest of each hypothesis being the hypothesis's own.

    Args:
        totals: the log-probability of each continuation; -inf where it may not be written.
        above: the noisy log-probability of each hypothesis.
    Source: Kool et al. 2019, equation 23, and appendix B.3 for the stable form.
    """
    uniform = torch.rand(totals.shape, generator=generator, dtype=torch.float64).clamp(min=1e-300)
    free = totals - (-uniform.log()).log()
    highest = free.amax(dim=1, keepdim=True)
    v = above[:, None] - free + torch.log1p(-(free - highest).exp().clamp(max=1 - 1e-16))
    noisy = above[:, None] - v.clamp(min=0) - torch.log1p((-v.abs()).exp())
    noisy = torch.where(free == highest, above[:, None], noisy)
    return noisy.masked_fill(totals == -torch.inf, -torch.inf)
