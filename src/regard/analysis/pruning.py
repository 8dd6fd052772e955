"""Which heads a model needs: a ranking, what removing more and more of them costs, and a smaller model."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random

from regard.analysis.aligning import find_alignment_head
from regard.errors import DataError, SettingsError, check_known
from regard.evaluation.text_metrics import TextMetrics
from regard.generation.options import DecodingOptions
from regard.inspection.ablation import (
    Example,
    ablated_gates,
    gated,
    gradient_importance,
    head_names,
    learnt_gates,
    leave_one_out,
    mean_contexts,
)
from regard.inspection.head_statistics import HeadStatistics, head_statistics
from regard.inspection.record import HeadName, Record
from regard.models.heads import Site, alignment_head, multihead_attentions, prune_heads
from regard.models.interface import PairModel
from regard.pipelines.translator import Translator
from regard.text.length_limits import check_lengths

MEASURES: dict[str, str] = {
    "leave-one-out": "fall of the log-probability without the head, nats per target token",
    "gradient": "mean |d loss / d gate|, nats per target token",
    "gates": "probability that a learnt gate stays open",
}
SHARES = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75)
GATE_STEPS = 300
SPEED_ROUNDS = 3
NOTE = "A head's worth is what is lost without it alone: others may do its work, or fail with it."

ProgressCallback = Callable[[str, int, int], None]
"""Called with the name of the work, how much is done, and of how much."""


@dataclass(frozen=True, repr=False)
class Ranking:
    """The importance of each head of a model, the least important first."""

    measure: str
    worth: dict[HeadName, float]
    spread: dict[HeadName, float] = field(default_factory=dict)
    """The standard error of the mean over texts, where each text has a value."""

    def __repr__(self) -> str:
        best = f", most {self.order[-1]}" if self.worth else ""
        return f"Ranking({self.measure}, {len(self.worth)} heads{best})"

    @property
    def order(self) -> list[HeadName]:
        """The heads, the least important first."""
        return sorted(self.worth, key=self.worth.__getitem__)


def examples_of(
    translator: Translator, sources: Sequence[str], targets: Sequence[str], *, first: int = 1
) -> list[Example]:
    """Pairs of texts as ids.

    Args:
        first: the number of the first pair, for messages.
    Raises:
        DataError: there is none, or a text is too long.
        SettingsError: the model has no heads.
    """
    translator = translator.in_one_direction
    _check_heads(translator)
    if not sources:
        raise DataError("pairs must be at least one; got none.")
    reader, writer, limit = translator.source_tokenizer, translator.tokenizer, translator.model.config.max_positions
    for texts, by in ((sources, reader), (targets, writer)):
        check_lengths(texts, by, limit, first=first, what="pair {}")
    encoded = zip(reader.encode_batch(list(sources)), writer.encode_batch(list(targets)), strict=True)
    return [_example(translator, *ids, f"pair {line}") for line, ids in enumerate(encoded, start=first)]


def example_of(translator: Translator, source: str, target_ids: Sequence[int]) -> Example:
    """A text and what was written from it, as ids: the tokens that were written are not always those that a text is cut into.

    Raises:
        DataError: a text is too long.
        SettingsError: the model has no heads.
    """
    _check_heads(translator)
    check_lengths([source], translator.source_tokenizer, translator.model.config.max_positions, what="text")
    return _example(translator, translator.source_tokenizer.encode(source), list(target_ids), "text")


def _example(translator: Translator, source_ids: list[int], target_ids: list[int], what: str) -> Example:
    tokenizer, limit = translator.tokenizer, translator.model.config.max_positions
    read_ids = [*tokenizer.symbols.start_ids, *target_ids]
    example = Example(translator.source_tokenizer.frame_source(source_ids), read_ids, [*target_ids, tokenizer.eos_id])
    if max(len(example.source_ids or ()), len(read_ids)) > limit:
        raise DataError(f"{what}: a text must have at most {limit - 1} tokens; got more. Leave it out.")
    return example


def _check_heads(translator: Translator) -> None:
    if not multihead_attentions(translator.model):
        raise SettingsError("ranking heads needs a Transformer; got a recurrent model, whose attention has no heads.")


def rank_heads(
    translator: Translator,
    examples: Sequence[Example],
    measure: str,
    *,
    to_mean: bool = False,
    tell: ProgressCallback = lambda *_: None,
) -> Ranking:
    """The importance of each head.

    Args:
        measure: `leave-one-out`, exact; `gradient`, an approximation that is fast for any number of heads; `gates`, learnt.
        to_mean: leave-one-out: put a head's mean in its place, not 0.
    Raises:
        SettingsError: an unknown measure.
    """
    check_known("--by", measure, MEASURES, "a known measure")
    total = GATE_STEPS if measure == "gates" else len(examples)
    done = 0

    def on_done(count: int) -> None:
        nonlocal done
        done += count
        tell(f"heads, {measure}", done, total)

    model = translator.model
    if measure == "gradient":
        return Ranking(measure, gradient_importance(model, examples, on_done=on_done))
    if measure == "gates":
        return Ranking(measure, learnt_gates(model, examples, steps=GATE_STEPS, on_done=on_done))
    means = mean_contexts(model, examples) if to_mean else None
    values = leave_one_out(model, examples, means=means, on_done=on_done)
    spread = {head: statistics.stdev(found) / len(found) ** 0.5 for head, found in values.items() if len(found) > 1}
    return Ranking(measure, {head: statistics.fmean(found) for head, found in values.items()}, spread)


def sentence_statistics(
    translator: Translator, sources: Sequence[str], targets: Sequence[str], *, tell: ProgressCallback = lambda *_: None
) -> dict[HeadName, HeadStatistics]:
    """The kinds of tokens that each head attends to, on average over pairs of texts."""

    def records() -> Iterator[Record]:
        for done, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
            yield translator.inspect(source, target).record
            tell("what heads look at", done, len(sources))

    return {found.name: found for found in head_statistics(records())}


def removable(order: Sequence[HeadName], count: int) -> list[HeadName]:
    """The first `count` heads of an order, without the last one of each attention, which stays."""
    left: dict[Site, int] = {}
    for head in order:
        left[head.site] = left.get(head.site, 0) + 1
    chosen: list[HeadName] = []
    for head in order:
        if len(chosen) < count and left[head.site] > 1:
            left[head.site] -= 1
            chosen.append(head)
    return chosen


def removal_curves(
    translator: Translator,
    orders: Mapping[str, Sequence[HeadName]],
    sources: Sequence[str],
    references: Sequence[str],
    *,
    options: DecodingOptions,
    metrics: TextMetrics,
    tell: ProgressCallback = lambda *_: None,
) -> dict[str, list[tuple[float, float]]]:
    """For each order, the share of heads that is removed and the BLEU that is left, in per cent and points.

    Args:
        metrics: counts BLEU.
    """
    model, curves = translator.model, {}
    num_heads = len(head_names(model))
    whole = _bleu(translator, sources, references, options, metrics)
    for done, (name, order) in enumerate(orders.items()):
        curves[name] = [(0.0, whole)]
        for index, share in enumerate(SHARES, start=1):
            heads = removable(order, round(share * num_heads))
            with gated(model, ablated_gates(model, heads)):
                left = _bleu(translator, sources, references, options, metrics)
            curves[name].append((100 * len(heads) / num_heads, left))
            tell("BLEU without heads", done * len(SHARES) + index, len(orders) * len(SHARES))
    return curves


def _bleu(
    translator: Translator,
    sources: Sequence[str],
    references: Sequence[str],
    options: DecodingOptions,
    metrics: TextMetrics,
) -> float:
    return metrics.score([found.text for found in translator.translate(sources, options)], references).bleu


def orders_of(rankings: Sequence[Ranking], model: PairModel) -> dict[str, list[HeadName]]:
    """Orders of removal: least important first by each measure, most important first by the first one, and random."""
    orders = {f"least worth first, {ranking.measure}": ranking.order for ranking in rankings}
    orders[f"most worth first, {rankings[0].measure}"] = rankings[0].order[::-1]
    by_chance = head_names(model)
    Random(1).shuffle(by_chance)
    return orders | {"by chance": by_chance}


def check_prunable(model: PairModel) -> None:
    """Make sure that single heads of a model can be removed.

    Raises:
        SettingsError: heads share keys and values.
    """
    if getattr(model.config, "num_kv_heads", None) not in (None, getattr(model.config, "num_heads", None)):
        raise SettingsError(
            "`--prune` needs a model whose heads have their own keys and values; in this one, heads share them (num_kv_heads)."
        )


def without_heads(
    translator: Translator, heads: Sequence[HeadName], sources: Sequence[str], targets: Sequence[str]
) -> Translator:
    """The same model without some heads, for good: smaller, and with the output that gates of 0 would give.

    Args:
        heads: to remove.
        sources: of pairs on which another alignment head is found, where the model's is removed.
        targets: of these pairs.
    Raises:
        SettingsError: heads that share keys and values.
    """
    check_prunable(translator.model)
    model = deepcopy(translator.model)
    by_site: dict[Site, list[int]] = {}
    for head in heads:
        by_site.setdefault(head.site, []).append(head.head)
    prune_heads(model, by_site)
    smaller = Translator(model, translator.tokenizer, translator.source_tokenizer)
    if getattr(translator.model.config, "alignment_head", None) is not None and alignment_head(model) is None:
        found = find_alignment_head(smaller, sources, targets)
        model.config = model.config.model_copy(update={"alignment_head": found})
    return smaller


@dataclass(frozen=True)
class Measured:
    """A model's score, size and speed."""

    bleu: float
    num_parameters: int
    num_heads: int
    sentences_per_second: float


def measure_both(
    before: Translator,
    after: Translator,
    sources: Sequence[str],
    references: Sequence[str],
    *,
    options: DecodingOptions,
    metrics: TextMetrics,
) -> tuple[Measured, Measured]:
    """Both models on the same pairs, taking turns: the median of some rounds is the speed."""
    seconds: tuple[list[float], list[float]] = ([], [])
    bleu = [0.0, 0.0]
    for _ in range(SPEED_ROUNDS):
        for which, translator in enumerate((before, after)):
            started = time.perf_counter()
            texts = [found.text for found in translator.translate(sources, options)]
            seconds[which].append(time.perf_counter() - started)
            bleu[which] = metrics.score(texts, references).bleu
    first, second = (
        Measured(
            bleu[which],
            sum(parameter.numel() for parameter in translator.model.parameters()),
            len(head_names(translator.model)),
            len(sources) / statistics.median(seconds[which]),
        )
        for which, translator in enumerate((before, after))
    )
    return first, second
