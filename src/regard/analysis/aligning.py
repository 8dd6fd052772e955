"""Word alignments from cross-attention, the best head to read them from, and their error rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import torch
from torch import Tensor

from regard.errors import DataError, SettingsError
from regard.evaluation.alignment_error import GoldAlignment, Link, alignment_error_rate
from regard.inspection.alignment import AttentionReadout, cross_attention, likenesses, readouts, word_links
from regard.inspection.record import HeadName, Tokens
from regard.inspection.texts import framed_spans
from regard.models.heads import alignment_head, cross_heads
from regard.pipelines.translator import Translator
from regard.text.length_limits import beginning, check_lengths
from regard.text.words import Separators, split_words

CHOSEN_ON = 500
"""The number of pairs on which the layer and head are chosen without a gold standard."""
FOUND_ON = 100
"""The number of validation pairs on which a model's alignment head is found."""


@dataclass(frozen=True)
class Looked:
    """The cross-attention of a model over a given pair."""

    weights: list[Tensor]
    """The weights of each layer, `head target source`; the last row is the end symbol's."""
    heads: list[list[int]]
    """The numbers of each layer's heads."""
    source_words: list[int | None]
    target_words: list[int | None]
    """The ids of the target's tokens, without the end symbol."""

    def seen_by(self, readout: AttentionReadout) -> Tensor:
        """The rows of the target's tokens: those in which they are written, or in which they have been read."""
        weights = readout.read(self.weights, self.heads)
        return weights[1:] if readout.shifted else weights[:-1]

    def likeness(self, readout: AttentionReadout) -> float:
        """The similarity of its weights to an alignment, without a gold standard."""
        ordinary = [word is not None for word in self.source_words]
        return float(likenesses(self.seen_by(readout)[None, :, ordinary])[0])

    def links(self, readout: AttentionReadout) -> list[Link]:
        """The source word of each target word."""
        return word_links(self.seen_by(readout), self.target_words, self.source_words)


def look(
    translator: Translator, sources: Sequence[str], targets: Sequence[str], separators: Separators = "spaces"
) -> Iterator[Looked]:
    """The cross-attention of a model over pairs of texts, one pair after the other.

    Args:
        separators: what separates words.

    Raises:
        DataError: not as many targets as sources, a blank text, or one that is too long.
        SettingsError: a model whose tokens hold several words.
    """
    if len(sources) != len(targets):
        raise DataError(f"each source needs one target; got {len(sources)} sources and {len(targets)} targets.")
    translator = translator.in_one_direction
    reader, writer = translator.source_tokenizer, translator.tokenizer
    limit = translator.model.config.max_positions
    for line, (source, target) in enumerate(zip(sources, targets, strict=True), start=1):
        if not source.strip() or not target.strip():
            raise DataError(f"line {line}: a pair must have words on both sides; one side is blank.")
        for text, tokenizer in ((source, reader), (target, writer)):
            check_lengths([text], tokenizer, limit, first=line)
        source_ids, target_ids = reader.frame_source(reader.encode(source)), writer.encode(target)
        if (weights := _weights(translator, source_ids, target_ids)) is None:
            raise DataError(f"line {line}: a text must have at most {limit - 1} tokens; got more.")
        yield Looked(
            weights,
            cross_heads(translator.model),
            words_of_tokens(reader.tokens(source_ids), framed_spans(reader, source), source, separators),
            words_of_tokens(writer.tokens(target_ids), list(writer.offsets(target)), target, separators),
        )


def _weights(translator: Translator, source_ids: list[int], target_ids: list[int]) -> list[Tensor] | None:
    """The cross-attention of each layer, `head target source`, the last row the end symbol's; None: the pair is too long."""
    read_ids, device = [*translator.tokenizer.symbols.start_ids, *target_ids], translator.device
    if max(len(source_ids), len(read_ids)) > translator.model.config.max_positions:
        return None
    ids = torch.tensor(source_ids, device=device), torch.tensor(read_ids, device=device)
    first = len(read_ids) - len(target_ids) - 1
    return [of_layer[:, first:].float().cpu() for of_layer in cross_attention(translator.model, *ids)]


def words_of_tokens(
    spelled: list[str], offsets: list[tuple[int, int] | None], text: str, separators: Separators = "spaces"
) -> list[int | None]:
    """The word of each token.

    Args:
        offsets: where each token begins and ends in the text; None for symbols.
        separators: what separates words.
    Raises:
        SettingsError: a token holds several words.
    """
    for begin, end in filter(None, offsets):
        found = text[begin:end]
        if len(split_words(found, separators)) > 1:
            if " " in found.strip(" "):
                hint = "It was trained with tokenizer.across_spaces."
            elif separators == "spaces":
                hint = "Replace tabs by spaces."
            else:
                hint = "Words are separated by spaces alone with `--word-separators spaces`."
            raise SettingsError(
                f"word alignment needs a model whose tokens hold one word; got the token {found!r}. {hint}"
            )
    return Tokens.from_offsets(spelled, offsets, text, separators).words


def best_readout(
    looked: Sequence[Looked], gold: Sequence[GoldAlignment] | None = None
) -> tuple[AttentionReadout, float]:
    """Where alignments are best read: the layer, and head or mean, with the lowest error rate; without a gold standard, the
    one whose weights look most like an alignment. With that error rate, or likeness.
    """
    if not looked:
        raise DataError("pairs must be at least one; got none.")
    scored = []
    for readout in readouts(looked[0].heads):
        if gold is None:
            scored.append((sum(one.likeness(readout) for one in looked) / len(looked), readout))
        else:
            scored.append((-alignment_error_rate([one.links(readout) for one in looked], gold), readout))
    score, readout = max(scored, key=lambda pair: pair[0])
    return readout, abs(score)


def aligned(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    gold: Sequence[GoldAlignment] | None = None,
    readout: AttentionReadout | None = None,
    separators: Separators = "spaces",
    *,
    report: Callable[[str], None],
) -> list[list[Link]]:
    """The links of each pair.

    Args:
        gold: what the best readout is chosen by, where none is given.
        readout: where alignments are read; None: where they are read best.
        separators: what separates words.
        report: is told which is best.
    """
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    looked, sample = look(translator, sources, targets, separators), list[Looked]()
    if readout is None:
        sample = list(islice(looked, CHOSEN_ON if gold is None else None))
        readout, score = best_readout(sample, gold)
        report(f"read from {readout}: {'similarity to an alignment' if gold is None else 'error rate'} {score:.3f}")
    return [one.links(readout) for one in chain(sample, looked)]


def find_alignment_head(translator: Translator, sources: Sequence[str], targets: Sequence[str]) -> str | None:
    """The head of cross-attention whose weights look most like an alignment, over some pairs, `cross.2.3`; None: the model has no
    heads of cross-attention, or no pair can be read.

    Blank pairs, and those that are too long for the model, are left out. Of heads that are equal, the first.
    """
    model, reader, writer = translator.model, translator.source_tokenizer, translator.tokenizer
    if not hasattr(model.config, "alignment_head"):
        return None
    heads = cross_heads(model)
    totals: dict[HeadName, float] = {}
    for source, target in islice(_readable(translator, sources, targets), FOUND_ON):
        source_ids, target_ids = reader.frame_source(reader.encode(source)), writer.encode(target)
        if not target_ids or (found := _weights(translator, source_ids, target_ids)) is None:
            continue
        ordinary = torch.tensor([span is not None for span in framed_spans(reader, source)])
        for layer, weights in enumerate(found):
            for head, value in zip(heads[layer], likenesses(weights[:, :-1, ordinary]).tolist(), strict=True):
                name = HeadName("cross", layer, head)
                totals[name] = totals.get(name, 0.0) + value
    return str(max(totals, key=lambda name: totals[name])) if totals else None


def _readable(translator: Translator, sources: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs with words on both sides, and not much too long."""
    limit = translator.model.config.max_positions
    for source, target in zip(sources, targets, strict=True):
        sides = ((source, translator.source_tokenizer), (target, translator.tokenizer))
        if all(text.strip() and len(beginning(text, by, limit)) == len(text) for text, by in sides):
            yield source, target


def own_readout(translator: Translator) -> AttentionReadout | None:
    """The alignment head of a model, as the place where alignments are read; None: it has none."""
    head = alignment_head(translator.model)
    return None if head is None else AttentionReadout(*head)


def named_readout(name: str, translator: Translator, *, shifted: bool) -> AttentionReadout:
    """Where to read, by name: `cross.2` for a layer's mean, `cross.2.3` for a head.

    Raises:
        SettingsError: another kind of attention, or no such layer or head.
    """
    layer_only = name.count(".") == 1
    head = HeadName.parse(f"{name}.0" if layer_only else name)
    heads = cross_heads(translator.model)
    if head.kind != "cross" or head.layer >= len(heads):
        raise SettingsError(f"--from must name cross-attention, cross.0 to cross.{len(heads) - 1}; got {name}.")
    if not layer_only and head.head not in heads[head.layer]:
        raise SettingsError(f"--from must name one of the heads {heads[head.layer]} of that layer; got {name}.")
    return AttentionReadout(head.layer, None if layer_only else head.head, shifted)
