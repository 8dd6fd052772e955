"""Filters change log-probabilities before a token is chosen, by the tokens written so far.

A filter forbids tokens (log-probability -inf; the others keep theirs, nothing is renormalised) or makes them less likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError
from regard.generation.active_batch import ActiveBatch
from regard.generation.candidates import on_cpu
from regard.generation.request import TargetSymbols

LogProbs = Float[Tensor, "slot beam vocab"]


@runtime_checkable
class Filter(Protocol):
    """Changes log-probabilities in place."""

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Change the log-probabilities of the next token of each hypothesis."""
        ...


class Constraints:
    """All that restricts the next token of each hypothesis: tokens that are never written, minimum lengths, filters, prefixes.

    Args:
        filters: change log-probabilities, in order; not those of a prefix's tokens.
        device: of the log-probabilities.
    """

    def __init__(self, symbols: TargetSymbols, filters: Sequence[Filter], device: torch.device) -> None:
        self.filters, self.device = filters, device
        self.banned_ids = torch.tensor(symbols.banned_ids, dtype=torch.long).to(device)
        self._eos_id = symbols.eos_id

    @property
    def has_filters(self) -> bool:
        """Whether a filter must see the next log-probabilities: any but a `Likeliest` that has no text to watch."""
        return any(not isinstance(each, Likeliest) or each.counts for each in self.filters)

    def apply(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Restrict the log-probabilities of the next token, in place. A prefix may have tokens that are forbidden elsewhere."""
        prefixes = [
            (slot, request.prefix_ids[length], log_probs[slot, :, request.prefix_ids[length]].clone())
            for slot, (request, length) in enumerate(zip(active.requests, active.lengths.tolist(), strict=True))
            if request is not None and length < len(request.prefix_ids)
        ]
        self.apply_without_prefix(log_probs, active)
        for slot, id, of_token in prefixes:
            log_probs[slot] = -torch.inf
            log_probs[slot, :, id] = of_token

    def apply_without_prefix(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Restrict the log-probabilities as if no target had a prefix."""
        log_probs.index_fill_(-1, self.banned_ids, -torch.inf)
        for slot in (active.lengths + 1 < active.minima).nonzero()[:, 0].tolist():
            log_probs[slot, :, self._eos_id] = -torch.inf
        for change in self.filters:
            change(log_probs, active)


class OnlyTokens:
    """Restricts the vocabulary to some tokens."""

    def __init__(self, ids: Sequence[int]) -> None:
        self.ids = sorted(set(ids))

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Forbid all other tokens."""
        is_other = torch.ones(log_probs.shape[-1], dtype=torch.bool)
        is_other[self.ids] = False
        log_probs.masked_fill_(is_other.to(log_probs.device), -torch.inf)


@runtime_checkable
class Endings(Protocol):
    """The tokens that would complete one of some phrases, such as `text.phrases.PhraseEndings`."""

    num_tokens: int
    """The number of newest tokens that decide, at most."""

    def after(self, ids: Sequence[int]) -> Sequence[int]:
        """The tokens that would complete a phrase after the newest tokens of a text."""
        ...


class BannedPhrases:
    """Keeps phrases from being written."""

    def __init__(self, endings: Endings) -> None:
        self.endings = endings

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Forbid the tokens that would complete a phrase."""
        newest = last_tokens(active, min(self.endings.num_tokens, active.ids.shape[2])).tolist()
        places = [
            (slot, beam, id)
            for slot, length in enumerate(active.lengths.tolist())
            for beam, ids in enumerate(newest[slot])
            for id in self.endings.after(ids[max(0, len(ids) - length) :])
        ]
        if places:
            slots, beams, ids = torch.tensor(places).to(log_probs.device).unbind(dim=1)
            log_probs[slots, beams, ids] = -torch.inf


class NoRepeatedNgrams:
    """Keeps any n-gram from being written twice. Source: Paulus et al. 2018, section 2.5."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise SettingsError(f"no_repeat_ngram must be at least 1; got {size}.")
        self.size = size

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Forbid what followed the last n - 1 tokens where they stood before."""
        if active.ids.shape[2] < self.size:
            return
        windows = active.ids.unfold(2, self.size, 1)
        newest = last_tokens(active, self.size - 1)
        starts = torch.arange(windows.shape[2], device=windows.device)
        is_written = (starts + self.size <= active.lengths[:, None])[:, None]
        repeats = (windows[..., :-1] == newest[:, :, None]).all(dim=-1) & is_written
        followed, repeats = windows[..., -1].to(log_probs.device), repeats.to(log_probs.device)
        forbidden = torch.zeros_like(log_probs, dtype=torch.int32).scatter_add_(2, followed, repeats.to(torch.int32))
        log_probs.masked_fill_(forbidden > 0, -torch.inf)


class RepetitionPenalty:
    """Makes tokens that were written already less likely: their log-probabilities are multiplied by a factor.

    Scores are then those of the changed distribution. Source: Keskar et al. 2019, section 4.1, as Hugging Face's beam search
    applies it.
    """

    def __init__(self, factor: float) -> None:
        if factor <= 0:
            raise SettingsError(f"repetition_penalty must be above 0; got {factor}.")
        self.factor = factor

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Multiply the log-probabilities of written tokens."""
        is_written = torch.arange(active.ids.shape[2]) < active.lengths[:, None]
        ids, counts = (x.to(log_probs.device) for x in (active.ids, is_written[:, None].to(torch.int32)))
        written = torch.zeros_like(log_probs, dtype=torch.int32)
        written.scatter_add_(2, ids, counts.expand_as(ids))
        log_probs.copy_(torch.where(written > 0, log_probs * self.factor, log_probs))


def last_tokens(active: ActiveBatch, count: int) -> Int[Tensor, "slot beam last"]:
    """The newest tokens of each hypothesis; where there are fewer, the first ones again."""
    at = active.lengths[:, None] + torch.arange(-count, 0, device=active.lengths.device)
    return active.ids.gather(2, at.clamp(min=0)[:, None].expand(-1, active.ids.shape[1], -1))


class Likeliest:
    """A filter that changes nothing: it notes the likeliest next tokens of what some texts have so far."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        """The number of tokens to note, by the number of a text."""
        self.noted: dict[int, dict[tuple[int, ...], list[tuple[int, float]]]] = {}
        """By the number of a text and the tokens before."""

    def __call__(self, log_probs: LogProbs, active: ActiveBatch) -> None:
        """Note the likeliest tokens of each active hypothesis."""
        slots = [slot for slot, _ in active.taken if active.numbers[slot] in self.counts]
        if not slots:
            return
        most = min(max(self.counts.values()), log_probs.shape[-1])
        chosen = torch.tensor(slots).to(log_probs.device, non_blocking=True)
        all_values, all_tokens = on_cpu(log_probs.index_select(0, chosen).topk(most, dim=-1))
        for row, slot in enumerate(slots):
            number = active.numbers[slot]
            count = self.counts[number]
            before = active.ids[slot, :, : int(active.lengths[slot])].tolist()
            tokens_of, values_of = (x[row, :, :count].tolist() for x in (all_tokens, all_values))
            for ids, score, tokens, values in zip(
                before, active.scores[slot].tolist(), tokens_of, values_of, strict=True
            ):
                if score > -torch.inf:
                    possible = [each for each in zip(tokens, values, strict=True) if each[1] > -torch.inf]
                    self.noted[number][tuple(ids)] = possible

    def forget(self, number: int) -> None:
        """Note nothing more of a text."""
        self.counts.pop(number, None)
        self.noted.pop(number, None)
