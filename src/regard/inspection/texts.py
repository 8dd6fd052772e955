"""Inspection of a model on a text, for every family of models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

import torch

from regard.checkpoint import LoadedModel
from regard.data.labelled import encode_whole, encode_words
from regard.errors import DataError, SettingsError
from regard.inspection.ablation import ablated_gates, gated
from regard.inspection.alignment import sharpest_layer
from regard.inspection.inspection import Ablation, Inspection, lens_predictions
from regard.inspection.record import HeadName, Record, Tokens, logit_lens, record
from regard.models.heads import alignment_head, multihead_attentions
from regard.models.interface import Model, one_row
from regard.text.length_limits import check_lengths
from regard.text.tokenizer import Tokenizer


def inspect_pair(
    loaded: LoadedModel,
    source: str,
    target_ids: Sequence[int],
    *,
    hidden_states: bool = False,
    norms: bool = False,
    ablate: Sequence[str | Sequence[str]] = (),
    translate: Callable[[str], str] = str,
    has_end: bool = True,
) -> Inspection:
    """Inspect a pair of texts.

    Args:
        loaded: a model that reads a source and writes a target, and its tokenizers.
        target_ids: what it wrote, or is to write, without symbols.
        hidden_states: record every layer's states, and what each would say.
        norms: how much of each token a head really moves, in place of its weights.
        ablate: heads to take away, `cross.2.3`; one ablation of all of them, and where there are several, one of each. Heads
            in a list are taken away together only.
        translate: how a source is translated by the model as it is then, for what it writes without heads; asked only where
            heads are taken away.
        has_end: whether the end symbol is written after the target; False: the target was cut.
    Raises:
        SettingsError: a head that the model does not have, or hidden states of a recurrent model.
        DataError: the source is blank, or a text too long.
    """
    model, tokenizer, source_tokenizer = loaded
    if not source.strip():
        raise DataError("text must have words to be inspected; got a blank text.")
    _first_kind(model)
    start_ids, eos = list(tokenizer.symbols.start_ids), tokenizer.eos_id
    check_lengths([source], source_tokenizer, model.config.max_positions, what="text")
    source_ids = source_tokenizer.frame_source(source_tokenizer.encode(source))
    room = model.config.max_positions
    for name, length in (("text", len(source_ids)), ("target", len(target_ids))):
        if length > room:
            raise DataError(f"{name} must have at most {room} tokens, special tokens included; got {length}.")
    if not has_end:
        room = min(room, len(start_ids) + len(target_ids) - 1)
    # A target that was cut, as one that is as long as the model can read, has no row for its end.
    read_ids, written_ids = [*start_ids, *target_ids][:room], [*target_ids, eos][: room - len(start_ids) + 1]
    target = tokenizer.decode(target_ids)
    of_source = Tokens.from_offsets(source_tokenizer.tokens(source_ids), framed_spans(source_tokenizer, source), source)
    spans: list[tuple[int, int] | None] = list(tokenizer.spans(target_ids))
    written = Tokens.from_offsets(tokenizer.tokens(written_ids), [*spans, None][: len(written_ids)], target)
    read = Tokens.from_offsets(tokenizer.tokens(read_ids), [*[None] * len(start_ids), *spans][: len(read_ids)], target)
    found = record(
        model,
        one_row(model, source_ids),
        one_row(model, read_ids),
        row_tokens=_kinds(model, encoder=of_source, decoder=written, cross=written),
        key_tokens=_kinds(model, encoder=of_source, decoder=read, cross=of_source),
        hidden_states=hidden_states,
        norms=norms,
    )

    of_written = partial(written_log_probs, model, [source_ids, read_ids], written_ids)
    whole = of_written()
    ablations = []
    for names in _ablation_groups(ablate):
        with gated(model, ablated_gates(model, [HeadName.parse(name) for name in names])):
            changes = [after - before for after, before in zip(of_written(), whole, strict=True)]
            ablations.append(Ablation(names, sum(changes) / len(changes), changes, translate(source)))
    lens, show = _lens(model, found, tokenizer), "norms" if norms else "weights"
    return Inspection(
        source, target, found, model.config.arch, whole, lens, ablations, show,
        read_ids=[source_ids, read_ids], target_ids=list(target_ids), alignment=_alignment(model, found),
    )  # fmt: skip


def inspect_text(
    model: Model,
    tokenizer: Tokenizer,
    text: str,
    ids: Sequence[int],
    tokens: Tokens,
    *,
    hidden_states: bool,
    norms: bool,
) -> Inspection:
    """Inspect a text, for a model that reads one text.

    Args:
        ids: what it reads, symbols among them.
        tokens: the same, spelled.
        norms: how much of each token a head really moves, in place of its weights.
    """
    _first_kind(model)
    of_kinds = model.ids_by_kind(ids)
    rows, keys = (
        {kind: _tokens_of(read[side], ids, tokens, tokenizer) for kind, read in of_kinds.items()} for side in (0, 1)
    )
    found = record(
        model, one_row(model, ids), row_tokens=rows, key_tokens=keys, hidden_states=hidden_states, norms=norms
    )
    log_probs = written_log_probs(model, [ids], ids[1:]) if model.predicts_next else []
    show = "norms" if norms else "weights"
    lens = _lens(model, found, tokenizer)
    return Inspection(text, None, found, model.config.arch, log_probs, lens, shows=show, read_ids=[list(ids)])


@torch.no_grad()
def written_log_probs(model: Model, read_ids: Sequence[Sequence[int]], written: Sequence[int]) -> list[float]:
    """The log-probability of each token that was written, after what the model read."""
    states = model.states(*(one_row(model, ids) for ids in read_ids))[0]
    # a text's last state predicts what comes after it; a target's last one its end
    rows = states[len(states) - len(written) :] if model.reads_source else states[: len(written)]
    log_probs = model.logits(rows).float().log_softmax(dim=-1)
    return log_probs.gather(-1, one_row(model, written).T)[:, 0].tolist()


def _tokens_of(read: Sequence[int], ids: Sequence[int], tokens: Tokens, tokenizer: Tokenizer) -> Tokens:
    """The tokens along one side of a matrix: those of a text, or the same one place later, behind a symbol."""
    if list(read) == list(ids):
        return tokens
    earlier = tokens.part(slice(0, len(ids) - 1))
    return Tokens([*tokenizer.tokens(read[:1]), *earlier.spelled], [None, *earlier.offsets], [None, *earlier.words])


def _alignment(model: Model, found: Record) -> str:
    """The place that alignments are read from, as in `TargetAnalysis.alignment`."""
    if (head := alignment_head(model)) is not None:
        return str(HeadName("cross", *head))
    layers = [torch.from_numpy(cells.filled(0)) for site, cells in found.weights.items() if site.kind == "cross"]
    return f"cross.{sharpest_layer(layers)}" if layers else ""


def words_as_tokens(words: Sequence[str], text: str, tokenizer: Tokenizer) -> tuple[list[int], Tokens]:
    """The ids of words of a text between begin and end symbol, and the character offsets of each."""
    ids = encode_words([words], tokenizer, max_positions=sys.maxsize)[0][0]
    spans: list[tuple[int, int] | None] = [None]
    found = 0
    for word in words:
        found = text.index(word, found)
        spans += [(found + first, found + last) for first, last in tokenizer.offsets(word)]
        found += len(word)
    return ids, Tokens.from_offsets(tokenizer.tokens(ids), [*spans, None], text)


def texts_as_tokens(texts: Sequence[str], text: str, tokenizer: Tokenizer, separators: int) -> tuple[list[int], Tokens]:
    """The ids of a text, or of the two texts of a pair, with their symbols; and the character offsets of each.

    Args:
        text: the whole, in which a pair has a tab.
        separators: how many end symbols stand between the texts of a pair.
    """
    rows, _ = encode_whole([texts], tokenizer, max_positions=sys.maxsize, separators=separators)
    spans, begin = list[tuple[int, int] | None](), 0
    for each in texts:
        spans += [None] * (separators if spans else 1)
        spans += [(begin + first, begin + last) for first, last in tokenizer.offsets(each)]
        begin += len(each) + 1
    return rows[0], Tokens.from_offsets(tokenizer.tokens(rows[0]), [*spans, None], text)


def lines_as_tokens(ids: Sequence[int], text: str, tokenizer: Tokenizer) -> Tokens:
    """The character offsets of each token of a running text; a symbol separates its lines, and comes first.

    Args:
        ids: of the text; a model may have written it in other tokens than those it is cut into.
    """
    if not tokenizer.symbols.lines_end:
        return Tokens.from_offsets(tokenizer.tokens(ids), _spans(ids, text, tokenizer), text)
    rows: list[list[int]] = []
    for id in ids:
        if id == tokenizer.eos_id or not rows:
            rows.append([])
        else:
            rows[-1].append(id)
    lines = text.split("\n")
    spans: list[tuple[int, int] | None] = []
    begin = 0
    for number, row in enumerate(rows):
        line = lines[number] if number < len(lines) else ""
        of_line = _spans(row, line, tokenizer) if row else []
        spans += [None, *(span and (begin + span[0], begin + span[1]) for span in of_line)]
        begin += len(line) + 1
    return Tokens.from_offsets(tokenizer.tokens(ids), spans, text)


def _spans(ids: Sequence[int], text: str, tokenizer: Tokenizer) -> list[tuple[int, int] | None]:
    """The character offsets of each token of a text, in these tokens."""
    encoded = tokenizer.encode(text)
    for before in ([], tokenizer.symbols.source_begin_ids):
        if [*before, *encoded] == list(ids):
            return [*[None] * len(before), *tokenizer.offsets(text)]
    symbols = {tokenizer.eos_id, tokenizer.pad_id, *tokenizer.symbols.start_ids}
    return [None if id in symbols else span for id, span in zip(ids, tokenizer.spans(ids), strict=True)]


def framed_spans(tokenizer: Tokenizer, text: str) -> list[tuple[int, int] | None]:
    """The character offsets of each source token; None for special tokens."""
    symbols = tokenizer.symbols
    return [*[None] * len(symbols.source_begin_ids), *tokenizer.offsets(text), *[None] * len(symbols.source_end_ids)]


def _first_kind(model: Model) -> str:
    """The first kind of attention that a model has.

    Raises:
        SettingsError: it has none.
    """
    for kind in model.attention_names:
        return kind
    raise SettingsError("an inspection needs a model with attention; got one without.")


def _kinds(model: Model, **tokens: Tokens) -> dict[str, Tokens]:
    """The kinds of attention that a model has."""
    return {kind: of_kind for kind, of_kind in tokens.items() if kind in model.attention_names}


def _ablation_groups(heads: Sequence[str | Sequence[str]]) -> list[list[str]]:
    """The groups of heads to ablate: all of them; then, if there are several, each alone."""
    groups = [[group] if isinstance(group, str) else list(group) for group in heads]
    return [[name for group in groups for name in group], *groups] if len(groups) > 1 else groups


def _lens(model: Model, found: Record, tokenizer: Tokenizer) -> list[list[tuple[str, float]]]:
    if not found.hidden_states or not model.predicts_each_position:
        return []
    names = model.class_names
    spell = (lambda ids: [names[id] for id in ids]) if names else tokenizer.tokens
    return lens_predictions(logit_lens(model, found), spell)


def check_heads(model: Model, ablate: Sequence[str | Sequence[str]]) -> None:
    """Make sure, before anything is computed, that a model has these heads.

    Raises:
        SettingsError: it has not, or not these.
    """
    if ablate and not multihead_attentions(model):
        raise SettingsError("`ablate` needs a Transformer; got a recurrent model, whose attention has no heads.")
    ablated_gates(model, [HeadName.parse(name) for group in _ablation_groups(ablate) for name in group])
