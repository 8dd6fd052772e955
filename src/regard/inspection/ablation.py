"""The importance of heads, by three measures.

A gate multiplies what a head gives to its attention's output: 1 leaves it, 0 takes it away. Gates are put on while a context
lasts, for the thread that puts them on, on whatever kernel runs, with a cache or without; one row of gates for each example
lets a batch try many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.inspection.record import HeadName
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.heads import Site, multihead_attentions
from regard.models.interface import Model, one_row
from regard.nn.cache import KeysValues, Memory
from regard.nn.hooks import forward_hooks, hooked, hooks_of
from regard.nn.positions import widest_float

ROWS_AT_ONCE = 4096
"""The number of positions in a batch, padding included."""
STRETCH = (-0.1, 1.1)
"""The ends that hard concrete gates are stretched over before they are cut at 0 and 1. Source: Louizos et al. 2018,
section 4.
"""
TEMPERATURE = 0.33
OPEN_AT_FIRST = 2.0
"""The initial logarithm of a learnt gate: a gate is 1 nearly always, then."""


class Example(NamedTuple):
    """A text for a language model, or a pair of texts, as ids."""

    source_ids: list[int] | None
    """The ids of the source; None for a language model."""
    read_ids: list[int]
    """The ids that the decoder reads."""
    target_ids: list[int]
    """The expected output: the token after each of the last ids read."""


Gates = Mapping[Site, Float[Tensor, "*example head"]]
Means = Mapping[Site, Float[Tensor, "head head_dim"]]


@contextmanager
def gated(model: Model, gates: Gates, means: Means | None = None) -> Iterator[None]:
    """Multiply the output of each head by its gate, in this thread, while this context lasts.

    context[head] = gate[head] context[head] + (1 - gate[head]) mean[head]

    Args:
        gates: one number for each head that is left, or one row of them for each example of the batch.
        means: the replacement of a removed head's output; None: 0.
    """
    parts = {site: part.attention for site, part in multihead_attentions(model).items()}
    changed = {part for site, part in parts.items() if site in gates}

    def change(site: Site, context: Tensor) -> Tensor:
        if site not in gates:  # another place of a module that has several
            return context
        weight = gates[site][..., None, None].to(context.dtype)
        if means is None:
            return context * weight
        return context * weight + (1 - weight) * means[site][:, None].to(context.dtype)

    places = {site: part for site, part in parts.items() if part in changed}
    with forward_hooks(after=hooks_of(places, change)):
        yield


def ablated_gates(model: Model, heads: Iterable[HeadName]) -> dict[Site, Tensor]:
    """Gates that take some heads away.

    Raises:
        SettingsError: the model has no such head.
    """
    gates: dict[Site, Tensor] = {}
    known = dict(_indices(model))
    for name in heads:
        if name not in known:
            names = [str(head) for head in known]
            raise SettingsError(f"head must be one of the model's, {names[0]} to {names[-1]}; got {name}.")
        num_heads = multihead_attentions(model)[name.site].num_heads
        gates.setdefault(name.site, torch.ones(num_heads, device=_device(model)))[known[name]] = 0
    return gates


def head_names(model: Model) -> list[HeadName]:
    """Every remaining head, by its original number."""
    return [name for name, _ in _indices(model)]


def _indices(model: Model) -> Iterator[tuple[HeadName, int]]:
    """The name of each head, and its number among the remaining ones."""
    for site, attention in multihead_attentions(model).items():
        for index, head in enumerate(attention.kept_heads):
            yield HeadName(*site, head), index


@torch.no_grad()
def leave_one_out(
    model: Model,
    examples: Sequence[Example],
    *,
    means: Means | None = None,
    on_done: Callable[[int], None] = lambda count: None,
) -> dict[HeadName, list[float]]:
    """The importance of every head: the fall of the log-probability of each target when the head is taken away, in nats
    per target token.

    importance[head][example] = (log p(target | all heads) - log p(target | all but this one)) / tokens of the target

    Exact: each head is really taken away. All heads are tried in one batch, a row for each; those of the decoder share one
    pass of the encoder. Above 0: the model is worse without it. `importance_by_token` has it token by token.

    Args:
        means: the replacement of a head's output; None: 0.
        on_done: is called with 1 whenever one more example is done.
    Raises:
        SettingsError: the model has no heads, or does not predict tokens.
    Source: Michel et al. 2019, section 3.2 (there by BLEU).
    """
    _check(model)
    importance: dict[HeadName, list[float]] = {name: [] for name in head_names(model)}
    for example in examples:
        for name, falls in importance_by_token(model, example, means=means).items():
            importance[name].append(math.fsum(falls) / len(falls))
        on_done(1)
    return importance


@torch.no_grad()
def importance_by_token(
    model: Model, example: Example, *, means: Means | None = None, heads: Collection[HeadName] | None = None
) -> dict[HeadName, list[float]]:
    """The importance of every head for each token of a target: the fall of its log-probability when the head is taken
    away, in nats.

    importance[head][t] = log p(target[t] | all heads) - log p(target[t] | all but this one), each after the tokens before it

    Args:
        means: the replacement of a head's output; None: 0.
        heads: only these; None: all.
    Raises:
        SettingsError: the model has no heads, or not these, or does not predict tokens.
    """
    _check(model)
    ablated_gates(model, heads or ())
    names = [name for name in head_names(model) if heads is None or name in heads]
    importance: dict[HeadName, list[float]] = {}
    of_encoder = [name for name in names if name.kind == "encoder"]
    others = [name for name in names if name.kind != "encoder"]
    whole = _log_probs(model, example, [None], means)
    num_read, num_sources = len(example.read_ids), len(example.source_ids or ())
    for part, length in ((others, num_read), (of_encoder, num_read + num_sources)):
        size = max(ROWS_AT_ONCE // length, 1)
        for first in range(0, len(part), size):
            tried = part[first : first + size]
            importance |= zip(tried, (whole - _log_probs(model, example, tried, means)).tolist(), strict=True)
    return {name: importance[name] for name in names}


def _log_probs(
    model: Model, example: Example, left_out: Sequence[HeadName | None], means: Means | None
) -> Float[Tensor, "row target"]:
    """The log-probabilities of a target's tokens in a batch that leaves another head out in each row; None: leaves none out."""
    device = _device(model)
    attentions, index = multihead_attentions(model), dict(_indices(model))
    gates = {site: torch.ones(len(left_out), attentions[site].num_heads, device=device)
             for site in {name.site for name in left_out if name}}  # fmt: skip
    for row, name in enumerate(left_out):
        if name is not None:
            gates[name.site][row, index[name]] = 0
    with gated(model, gates, means):
        return _token_log_probs(model, example, len(left_out)).cpu().double()


def _token_log_probs(model: Model, example: Example, num_rows: int = 1) -> Float[Tensor, "row target"]:
    """The log-probability of each target token, row by row. Where no row's gates touch the encoder, it runs once for all rows."""
    read = one_row(model, example.read_ids).expand(num_rows, -1)
    if example.source_ids is None:
        states = model.states(read)
    elif not isinstance(model, EncoderDecoder):  # which can encode once for all rows
        states = model.states(one_row(model, example.source_ids).expand(num_rows, -1), read)
    else:
        attentions = multihead_attentions(model)
        gates_encoder = hooked(*(part.attention for site, part in attentions.items() if site.kind == "encoder"))
        source = one_row(model, example.source_ids).expand(num_rows if gates_encoder else 1, -1)
        memory = [
            Memory(KeysValues(*(x.expand(num_rows, -1, -1, -1) for x in layer)), mask.expand(num_rows, -1, -1, -1))
            for layer, mask in model.read_source(source)
        ]
        states = model.decode(read, memory)
    logits = model.logits(states[:, -len(example.target_ids) :]).float()
    target = one_row(model, example.target_ids).expand(num_rows, -1)
    return logits.log_softmax(dim=-1).gather(-1, target[..., None])[..., 0]


def gradient_importance(
    model: Model, examples: Sequence[Example], *, on_done: Callable[[int], None] = lambda count: None
) -> dict[HeadName, float]:
    """The importance of every head by the slope of the loss at its gate: the mean over texts of |d loss / d gate|, per
    token.

    One pass forwards and backwards for each text, whatever the number of heads; an approximation to leaving heads out.

    Source: Michel et al. 2019, section 4.1; not normalised by layer.
    """
    _check(model)
    totals = dict.fromkeys(head_names(model), 0.0)
    attentions = multihead_attentions(model)
    for example in examples:
        gates = {site: torch.ones(part.num_heads, device=_device(model), requires_grad=True)
                 for site, part in attentions.items()}  # fmt: skip
        with gated(model, gates), torch.enable_grad():
            loss = -_token_log_probs(model, example).sum() / len(example.target_ids)
            slopes = torch.autograd.grad(loss, list(gates.values()))
        for site, slope in zip(gates, slopes, strict=True):
            for head, value in zip(attentions[site].kept_heads, slope.abs().tolist(), strict=True):
                totals[HeadName(*site, head)] += value / len(examples)
        on_done(1)
    return totals


def learnt_gates(
    model: Model,
    examples: Sequence[Example],
    *,
    penalty: float = 0.02,
    steps: int = 300,
    batch_size: int = 8,
    learning_rate: float = 0.1,
    seed: int = 1,
    on_done: Callable[[int], None] = lambda count: None,
) -> dict[HeadName, float]:
    """The probability that each head stays, when gates learn to be 0 where the loss allows it.

    loss = -log p(target) per token + penalty sum over heads of p(gate > 0);  gate = hard concrete(log_alpha[head], noise)

    The model's weights stay as they are: Voita et al. train them along with the gates.

    Args:
        penalty: nats per token that a head must be worth to stay.
        steps: updates of the gates, each on `batch_size` texts.
    Source: Voita et al. 2019, section 5; Louizos et al. 2018, equations 10 to 12.
    """
    _check(model)
    attentions, device = multihead_attentions(model), _device(model)
    random = torch.Generator().manual_seed(seed)
    low, high = STRETCH
    log_alphas = {site: torch.full((part.num_heads,), OPEN_AT_FIRST, device=device, requires_grad=True)
                  for site, part in attentions.items()}  # fmt: skip
    optimizer = torch.optim.Adam(log_alphas.values(), lr=learning_rate)
    closed = TEMPERATURE * torch.tensor(-low / high).log().item()
    for _ in range(steps):
        drawn = torch.randint(len(examples), (min(batch_size, len(examples)),), generator=random).tolist()
        optimizer.zero_grad()
        with torch.enable_grad():
            for index in drawn:
                example = examples[index]
                gates = {}
                for site, log_alpha in log_alphas.items():
                    noise = torch.rand(log_alpha.shape, generator=random).clamp(1e-6, 1 - 1e-6).to(device)
                    open_to = torch.sigmoid((noise.log() - (-noise).log1p() + log_alpha) / TEMPERATURE)
                    gates[site] = (open_to * (high - low) + low).clamp(0, 1)
                with gated(model, gates):
                    loss = -_token_log_probs(model, example).sum() / len(example.target_ids) / len(drawn)
                loss.backward(inputs=list(log_alphas.values()))
            stay = penalty * sum(torch.sigmoid(log_alpha - closed).sum() for log_alpha in log_alphas.values())
            assert isinstance(stay, Tensor)
            stay.backward()
        optimizer.step()
        on_done(1)
    return {
        HeadName(*site, head): value
        for site, log_alpha in log_alphas.items()
        for head, value in zip(
            attentions[site].kept_heads, torch.sigmoid(log_alpha.detach() - closed).tolist(), strict=True
        )
    }


@torch.no_grad()
def mean_contexts(model: Model, examples: Sequence[Example]) -> dict[Site, Tensor]:
    """The mean output of each head over all positions of some texts: `head head_dim` of each attention."""
    _check(model)
    totals: dict[Site, Tensor] = {}
    counts: dict[Site, int] = {}

    def note(site: Site, context: Tensor) -> Tensor:
        totals[site] = totals.get(site, 0) + context.to(widest_float(context.device)).sum(dim=(0, 2))
        counts[site] = counts.get(site, 0) + context.shape[0] * context.shape[2]
        return context

    parts = {site: part.attention for site, part in multihead_attentions(model).items()}
    with forward_hooks(after=hooks_of(parts, note)):
        for example in examples:
            _token_log_probs(model, example)
    return {site: (total / counts[site]).float() for site, total in totals.items()}


def _check(model: Model) -> None:
    if not multihead_attentions(model) or not (model.reads_source or model.predicts_next):
        raise SettingsError(
            f"the importance of heads needs a Transformer of arch encoder-decoder or decoder; got {model.config.arch}."
        )


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device
