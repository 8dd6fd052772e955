"""Beam search: the likeliest target, sought among the few best beginnings of each length.

The search knows a model only as `prefill` and `decode_step`. Every sentence of a batch is searched on its own; those that
are done leave the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Int
from torch import Tensor

from regard.errors import SettingsError, nearest_hint
from regard.models.interface import SequenceToSequence, State


@dataclass(frozen=True)
class BeamSettings:
    """What to search for.

    Args:
        beam_size: hypotheses that go on at each step, for each sentence; 1 is greedy search.
        n_best: hypotheses returned for each sentence, at most `beam_size`.
        length_penalty: the exponent alpha; 0 favours short targets, 1 is the mean per token, or about it.
        length_norm: what a log-probability is divided by: `wu`, ((5 + length) / 6)^alpha as in Wu et al. 2016, equation 14;
            `average`, length^alpha as in Hugging Face, fairseq and CTranslate2.
    """

    beam_size: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    length_norm: Literal["wu", "average"] = "wu"

    def __post_init__(self) -> None:
        if not 1 <= self.n_best <= self.beam_size:
            raise SettingsError(
                f"n_best must be from 1 to beam_size; got n_best {self.n_best} and beam_size {self.beam_size}."
            )
        if self.length_penalty < 0:
            raise SettingsError(f"length_penalty must be at least 0; got {self.length_penalty}.")
        if self.length_norm not in ("wu", "average"):
            hint = nearest_hint(self.length_norm, ("wu", "average"))
            raise SettingsError(f"length_norm must be wu or average; got {self.length_norm!r}. {hint}")

    def normalizer(self, length: int) -> float:
        """What a log-probability is divided by to compare targets of several lengths, the end symbol counted."""
        ratio = length if self.length_norm == "average" else (5 + length) / 6
        return float(ratio**self.length_penalty)


@dataclass(frozen=True)
class Hypothesis:
    """One target that was found."""

    ids: list[int]
    """Its tokens, the end symbol left out."""
    token_log_probs: list[float]
    """The natural log-probability of each token, and then of the end symbol where `finish_reason` is `eos`."""
    score: float
    """The sum of `token_log_probs`, divided by the length penalty: what the n-best list is sorted by."""
    finish_reason: Literal["eos", "length"]


@torch.inference_mode()
def beam_search(
    model: SequenceToSequence[State],
    source_ids: Int[Tensor, "sentence source"],
    settings: BeamSettings,
    *,
    max_lengths: list[int],
    start_ids: Sequence[int],
    eos_id: int,
    banned_ids: tuple[int, ...] = (),
) -> list[list[Hypothesis]]:
    """The best targets of each source, best first.

    At each step the `beam_size` best candidates count: those of them that end are finished, and the best candidates that go
    on take their places. A search ends when `beam_size` hypotheses have finished, so a beam of 1 is greedy search; or when
    `n_best` have and no live one can become better: for log-probabilities only fall, a live hypothesis can at best reach its
    present sum / normalizer(max_length). These are the rules of fairseq and CTranslate2.

    Args:
        start_ids: what a target begins with, unscored: a begin symbol, and what else the model has been given to begin with.
        max_lengths: for each sentence, how many tokens a target may have, the end symbol included; at least 1.
        banned_ids: tokens that are never chosen. Scores are not renormalised for them.
    """
    device = source_ids.device
    finished: list[list[Hypothesis]] = [[] for _ in max_lengths]
    state = model.prefill(source_ids)
    # The live hypotheses: sentence x beam, the best first. Places that are not taken have the score -inf.
    sentences = list(range(len(max_lengths)))
    scores = torch.zeros(len(sentences), 1, device=device)
    for id in start_ids[:-1]:
        _, state = model.decode_step(torch.full((len(sentences), 1), id, device=device), state)
    ids = torch.full((len(sentences), 1, 1), start_ids[-1], device=device)
    token_log_probs = torch.zeros(len(sentences), 1, 0, device=device)
    for length in range(1, max(max_lengths, default=0) + 1):
        logits, state = model.decode_step(ids[:, :, -1], state)
        log_probs = logits.float().log_softmax(dim=-1)
        chosen = log_probs.clone() if banned_ids else log_probs
        for id in banned_ids:
            chosen[..., id] = -torch.inf
        vocab = log_probs.shape[-1]
        # As many again as the beam is wide: if all of the best end, the beam is still full.
        width = min(2 * settings.beam_size, ids.shape[1] * vocab)
        scores, flat = (scores[:, :, None] + chosen).flatten(1).topk(width, dim=1)
        parents, newest = flat // vocab, flat % vocab
        added = log_probs.flatten(1).gather(1, flat)
        ids = torch.cat((_follow(ids, parents), newest[:, :, None]), dim=2)
        token_log_probs = torch.cat((_follow(token_log_probs, parents), added[:, :, None]), dim=2)

        limits = torch.tensor([max_lengths[s] for s in sentences], device=device)
        at_limit = (limits <= length)[:, None]
        is_eos = newest == eos_id
        counts = (scores > -torch.inf) & (torch.arange(width, device=device) < settings.beam_size)
        ends = counts & (is_eos | at_limit)
        for row, beam in ends.nonzero().tolist():
            at_end = bool(is_eos[row, beam])
            finished[sentences[row]].append(
                Hypothesis(
                    ids=ids[row, beam, 1 : -1 if at_end else None].tolist(),
                    token_log_probs=token_log_probs[row, beam].tolist(),
                    score=scores[row, beam].item() / settings.normalizer(length),
                    finish_reason="eos" if at_end else "length",
                )
            )
        scores, order = scores.masked_fill(is_eos | at_limit, -torch.inf).sort(dim=1, descending=True, stable=True)
        scores, order = scores[:, : settings.beam_size], order[:, : settings.beam_size]
        parents, ids, token_log_probs = parents.gather(1, order), _follow(ids, order), _follow(token_log_probs, order)

        best_live = scores.max(dim=1).values.tolist()
        going_on = [
            row
            for row, sentence in enumerate(sentences)
            if _can_improve(finished[sentence], best_live[row], max_lengths[sentence], settings)
        ]
        if not going_on:
            break
        keep = torch.tensor(going_on, device=device)
        state = state.select(keep, parents[keep])
        sentences = [sentences[row] for row in going_on]
        ids, scores, token_log_probs = ids[keep], scores[keep], token_log_probs[keep]
    by_score = [sorted(hypotheses, key=lambda h: -h.score) for hypotheses in finished]
    return [hypotheses[: settings.n_best] for hypotheses in by_score]


def _follow(history: Tensor, parents: Int[Tensor, "sentence beam"]) -> Tensor:
    """For each new hypothesis, the history of the one it continues."""
    return history.gather(1, parents[:, :, None].expand(-1, -1, history.shape[2]))


def _can_improve(finished: list[Hypothesis], best_live: float, max_length: int, settings: BeamSettings) -> bool:
    """Whether a live hypothesis of a sentence can still enter its n-best list."""
    if best_live == -torch.inf or len(finished) >= settings.beam_size:
        return False
    if len(finished) < settings.n_best:
        return True
    worst_kept = sorted((h.score for h in finished), reverse=True)[settings.n_best - 1]
    return best_live / settings.normalizer(max_length) > worst_kept
