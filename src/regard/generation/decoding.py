"""The loop of decoding: sources go in, targets come out, and free slots are filled again (continuous batching).

It knows a model only as `prefill` and `decode_step`, and the search only as a `Rule`.

Hypotheses are on the CPU, wherever the model is. Each step copies from a GPU once: the candidates, which are few.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.data.batch import pad_right
from regard.generation.active_batch import ActiveBatch
from regard.generation.filters import Constraints, Filter
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.rule import Rule
from regard.generation.step_limit import MOST_STEPS, ONE_STEP, StepLimit
from regard.models.interface import SequenceToSequence

TEXTS_ON_CPU, TEXTS_ON_GPU = 64, 256
"""Sentences that are decoded together by default."""
REFILL = 8
"""Free slots that are filled together in large batches: the encoder is more efficient on several sentences."""
FEW, MOST_HELD = 16, 4
"""Fewer new sentences than `FEW` wait for others, to be encoded with them, for at most `MOST_HELD` steps. In a batch of fewer
than 64, a quarter of the batch takes the place of `FEW`.
"""


def texts_at_once(wanted: int | None, device: torch.device) -> int:
    """The number of texts that are decoded together: `wanted`, or as many as suit the device."""
    return wanted or (TEXTS_ON_CPU if device.type == "cpu" else TEXTS_ON_GPU)


class Decoding:
    """Decodes some requests; each step adds a token to every active sentence.

    Args:
        batch_size: sentences decoded at once, at least 1; None: as suits the device. The result does not depend on it.
        filters: change log-probabilities before the rule sees them, in order; not those of a prefix's tokens.
        device: where the model is.
        padding_side: of sources that are shorter than others.
    """

    def __init__(
        self,
        model: SequenceToSequence[Any],
        requests: Sequence[Request],
        rule: Rule,
        symbols: TargetSymbols,
        *,
        batch_size: int | None = None,
        filters: Sequence[Filter] = (),
        device: torch.device | None = None,
        padding_side: str = "right",
    ) -> None:
        self.model, self.rule, self.symbols = model, rule, symbols
        self.device = torch.device("cpu") if device is None else device
        self.padding_side = padding_side
        self.batch_size = texts_at_once(batch_size, self.device)
        self.constraints = Constraints(symbols, filters, self.device)
        # Long ones first, so that few are still active when no request is left to fill free slots.
        order = sorted(range(len(requests)), key=lambda i: -len(requests[i].source_ids))
        self._waiting = deque((i, requests[i]) for i in order)
        self._under_way: tuple[ActiveBatch, Any] | None = None
        self._num_held = 0
        """Steps for which a sentence has waited beside a free slot; 0: none does."""
        self.num_steps = 0
        """Steps so far: each adds a token to every active sentence."""

    def add(self, number: int, request: Request) -> None:
        """Let one more sentence wait for a slot, while others are under way.

        Args:
            number: what `step` calls it; not that of another one that is waiting or under way.
        """
        self._waiting.append((number, request))

    @torch.inference_mode()
    def cancel(self, number: int) -> None:
        """Forget a sentence, whether it is waiting, under way or done."""
        self._waiting = deque(each for each in self._waiting if each[0] != number)
        if self._under_way is None:
            return
        active, state = self._under_way
        if (slot := active.slot_of(number)) is not None:
            self.rule.results(active, slot)
            active.leave(slot)
            state = state.release(torch.tensor([slot]))
        all_free = len(active.free) == len(active.requests)
        self._under_way = None if all_free else (active, state)

    @property
    def num_open(self) -> int:
        """Sentences that are not finished: under way, or waiting."""
        active = self.active
        return len(self._waiting) + (0 if active is None else len(active.requests) - len(active.free))

    @property
    def num_free(self) -> int:
        """The number of sentences that can be added and have a slot at the next step."""
        return max(0, self.batch_size - self.num_open)

    @property
    def active(self) -> ActiveBatch | None:
        """The hypotheses under way; None before the first step and after the last."""
        return None if self._under_way is None else self._under_way[0]

    def __iter__(self) -> Iterator[tuple[int, list[Hypothesis]]]:
        """The number of each request, and its hypotheses, in the order in which they are done."""
        limit = StepLimit(MOST_STEPS)
        while self._waiting or self._under_way:
            yield from self.step(limit)

    def run(self) -> list[list[Hypothesis]]:
        """The hypotheses for each request, in order."""
        return [hypotheses for _, hypotheses in sorted(self, key=lambda found: found[0])]

    @torch.inference_mode()
    def step(self, limit: StepLimit = ONE_STEP) -> list[tuple[int, list[Hypothesis]]]:
        """Let waiting sentences take free slots, and add a token to every active sentence; returns those that this finishes.

        Args:
            limit: more tokens may be added, until a sentence is finished.
        """
        self._fill()
        if self._under_way is None:
            return []
        active, state = self._under_way
        if self._num_held:
            limit = ONE_STEP
        state, num_steps = self.rule.steps(self.model, active, state, self.constraints, limit)
        self.num_steps += num_steps
        found: list[tuple[int, list[Hypothesis]]] = []
        for slot in self.rule.done(active):
            results = self.rule.results(active, slot)
            found.append((active.leave(slot), results))
        free = active.free
        if len(free) == len(active.requests):
            self._under_way = None
            return found
        # Every free slot is released at each step: free rows are computed as well, and would exceed max_positions.
        self._under_way = active, state.release(torch.tensor(free)) if free else state
        return found

    def restrict_target(
        self, log_probs: Float[Tensor, "token vocab"], ids: Sequence[int], request: Request
    ) -> Float[Tensor, "token vocab"]:
        """The log-probabilities of a whole target after all filters, as when each of its tokens was chosen, but without the
        prefix's.

        Args:
            ids: of the target, without the end symbol; `log_probs` may have a row for that.
            request: which the target answers.
        """
        size = len(log_probs)
        if not size:  # nothing could be written
            return log_probs
        written = torch.tensor([*self._starts_of(request)[-1:], *ids], dtype=torch.long)
        active = ActiveBatch([-1] * size, [request] * size, written[-size:], 1, [0])
        active.lengths = torch.arange(size)
        active.ids[:, 0, : len(ids)] = torch.tensor(list(ids), dtype=torch.long)
        changed = log_probs[:, None].clone()
        self.constraints.apply_without_prefix(changed, active)
        return changed[:, 0]

    def _fill(self) -> None:
        """Fill free slots with waiting sentences. If none is waiting, drop free slots where they are many."""
        if self._under_way is None:
            self._under_way = self._begin(self.batch_size) if self._waiting else None
            self._num_held = 0
            return
        active, state = self._under_way
        wanted = min(self.batch_size, len(active.requests) - len(active.free) + len(self._waiting))
        if wanted > len(active.requests):
            state = self._widen(active, state, wanted)
        if self._is_worth_filling(active):
            free = active.free
            newer, newer_state = self._begin(len(free))
            slots = free[: len(newer.requests)]
            active.replace(slots, newer)
            to, of = (torch.tensor(x) for x in (slots, range(len(slots))))
            state = state.replace(to, newer_state, of)
        self._num_held = self._num_held + 1 if self._waiting and active.free else 0
        if not self._waiting and 4 * len(active.free) >= len(active.requests):
            kept = [slot for slot, _ in active.taken]
            active.keep(kept)
            beams = torch.arange(active.newest.shape[1]).expand(len(kept), -1)
            state = state.select(torch.tensor(kept), beams)
        self._under_way = active, state

    def _is_worth_filling(self, active: ActiveBatch) -> bool:
        """Whether waiting sentences take free slots now. In a large batch, several do so together."""
        size, num_waiting = len(active.requests), len(self._waiting)
        enough = max(1, min(REFILL, size // REFILL))
        waits_for_others = num_waiting < min(FEW, size // 4) and self._num_held < MOST_HELD
        return bool(num_waiting) and len(active.free) >= min(enough, num_waiting) and not waits_for_others

    def _begin(self, count: int) -> tuple[ActiveBatch, Any]:
        """The next waiting sentences before their first token, with their sources encoded."""
        numbers, requests = zip(*(self._waiting.popleft() for _ in range(min(count, len(self._waiting)))), strict=True)
        sources = [list(request.source_ids) for request in requests]
        if self.padding_side == "left":
            rows = pad_right([ids[::-1] for ids in sources], self.symbols.pad_id).flip(1)
        else:
            rows = pad_right(sources, self.symbols.pad_id)
        adapters = [request.adapter for request in requests]
        # Only a model with adapters has requests with adapters, and takes a second argument.
        chosen = [torch.tensor(adapters, device=self.device)] if any(adapters) else []
        state = self.model.prefill(rows.to(self.device), *chosen)
        starts = [self._starts_of(request) for request in requests]
        *before, newest = torch.tensor(starts).T
        for ids in before:
            _, state = self.model.decode_step(ids[:, None].to(self.device), state)
        beams = torch.zeros(len(requests), self.rule.width, dtype=torch.long)
        state = state.select(torch.arange(len(requests)), beams)
        return ActiveBatch(numbers, requests, newest, self.rule.width, self.rule.starts), state

    def _starts_of(self, request: Request) -> list[int]:
        """The tokens that a target begins with; without a source, the last one of the prompt."""
        own = request.start_ids
        return [*(self.symbols.start_ids if own is None else own)] or [request.source_ids[-1]]

    def _widen(self, active: ActiveBatch, state: Any, size: int) -> Any:
        """Add free slots to a batch, for sentences that came after it was begun."""
        before = len(active.requests)
        slots = [*range(before), *[0] * (size - before)]
        active.keep(slots)
        for slot in range(before, size):
            active.leave(slot)
        beams = torch.arange(active.newest.shape[1]).expand(size, -1)
        state = state.select(torch.tensor(slots), beams)
        return state.release(torch.arange(before, size))
