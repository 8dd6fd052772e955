"""Beam search: the likeliest target, sought among the few best beginnings of each length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.errors import SettingsError, nearest_hint
from regard.generation.candidates import top_candidates
from regard.generation.live import Live
from regard.generation.request import Hypothesis, Request


@dataclass(frozen=True)
class BeamSettings:
    """What to search for.

    Args:
        beam_size: hypotheses that go on at each step, for each sentence; 1 is greedy search.
        n_best: hypotheses returned for each sentence, at most `beam_size`.
        length_penalty: the exponent alpha; 0 favours short targets, 1 is the mean per token, or about it.
        length_norm: what a log-probability is divided by: `wu`, ((5 + length) / 6)^alpha as in Wu et al. 2016, equation 14;
            `average`, length^alpha as in Hugging Face, fairseq and CTranslate2; `none`, 1.
        early_stopping: end a sentence's search when `beam_size` hypotheses have finished, as fairseq and CTranslate2 do: an
            approximation. False: only when no live hypothesis can become one of the `n_best`, which is exact for the beam,
            and slow where `max_length` is far off.
    """

    beam_size: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    length_norm: Literal["wu", "average", "none"] = "wu"
    early_stopping: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.n_best <= self.beam_size:
            raise SettingsError(
                f"n_best must be from 1 to beam_size; got n_best {self.n_best} and beam_size {self.beam_size}."
            )
        if self.length_penalty < 0:
            raise SettingsError(f"length_penalty must be at least 0; got {self.length_penalty}.")
        if self.length_norm not in ("wu", "average", "none"):
            hint = nearest_hint(self.length_norm, ("wu", "average", "none"))
            raise SettingsError(f"length_norm must be wu, average or none; got {self.length_norm!r}. {hint}")

    def normalizer(self, length: int) -> float:
        """What a log-probability is divided by to compare targets of several lengths, the end symbol counted."""
        if self.length_norm == "none":
            return 1.0
        ratio = length if self.length_norm == "average" else (5 + length) / 6
        return float(ratio**self.length_penalty)


class BeamSearch:
    """The rules of a search: which hypotheses go on, which are finished, and when a sentence is done.

    At each step the `beam_size` best candidates count: those of them that end are finished, and the best candidates that go
    on take their places; so a beam of 1 is greedy search. A sentence is done when `n_best` have finished and no live one can
    become better: log-probabilities only fall, so that a live hypothesis can at best reach its present sum /
    normalizer(max_length); or earlier, see `early_stopping`. These are the rules of fairseq and CTranslate2.
    """

    def __init__(self, settings: BeamSettings, eos_id: int) -> None:
        self.settings = settings
        self.width = settings.beam_size
        self.eos_id = eos_id

    def advance(self, live: Live, log_probs: Float[Tensor, "place beam vocab"]) -> Int[Tensor, "place width"]:
        """One token more for each sentence; which hypothesis each new one continues."""
        settings, width = self.settings, self.width
        # As many again as the beam is wide: if all of the best end, the beam is still full.
        scores, parents, ids, added = top_candidates(live.scores, log_probs, 2 * width).filled(width)
        length = live.lengths + 1
        is_eos, at_limit = ids == self.eos_id, (length >= live.limits)[:, None]
        stops = is_eos | at_limit
        ends = stops[:, :width] & (scores[:, :width] > -torch.inf)
        if bool(ends.any()):
            lengths = length.tolist()
            for place, candidate in ends.nonzero().tolist():
                at_end = bool(is_eos[place, candidate])
                live.finish(
                    place,
                    int(parents[place, candidate]),
                    None if at_end else int(ids[place, candidate]),
                    float(added[place, candidate]),
                    float(scores[place, candidate]) / settings.normalizer(lengths[place]),
                    "eos" if at_end else "length",
                )
        scores, order = scores.masked_fill(stops, -torch.inf).sort(dim=1, descending=True, stable=True)
        parents, ids, added = (x.gather(1, order[:, :width]) for x in (parents, ids, added))
        live.grow(parents, ids, added, scores[:, :width])
        return parents

    def done(self, live: Live) -> list[int]:
        """The places whose search has ended."""
        best = live.scores[:, 0].tolist()
        return [
            place
            for place, request in enumerate(live.requests)
            if request is not None and not self._can_improve(live, place, request, best[place])
        ]

    def results(self, live: Live, place: int) -> list[Hypothesis]:
        """The best that was found for the sentence in a place."""
        return sorted(live.finished[place], key=lambda h: -h.score)[: self.settings.n_best]

    def _can_improve(self, live: Live, place: int, request: Request, best_live: float) -> bool:
        """Whether a live hypothesis of a sentence can still enter its n-best list."""
        finished, settings = live.finished[place], self.settings
        if best_live == -torch.inf or (settings.early_stopping and len(finished) >= settings.beam_size):
            return False
        if len(finished) < settings.n_best:
            return True
        worst_kept = sorted((h.score for h in finished), reverse=True)[settings.n_best - 1]
        return best_live / settings.normalizer(request.max_length) > worst_kept
