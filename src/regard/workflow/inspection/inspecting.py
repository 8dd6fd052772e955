"""A model and a text to an inspection: for every family of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from regard.data.labelled import encode_words
from regard.errors import DataError, SettingsError
from regard.inspection.ablation import gated, without
from regard.inspection.record import HeadName, Record, Tokens, logit_lens, record
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.families import AnyModel, PairModel
from regard.text.limits import check_lengths
from regard.text.tokenizer import Tokenizer
from regard.workflow.inspection.inspection import Ablation, Inspection, lens_of


def inspect_pair(
    model: PairModel,
    tokenizer: Tokenizer,
    source_tokenizer: Tokenizer,
    source: str,
    target_ids: Sequence[int],
    *,
    hidden_states: bool = False,
    norms: bool = False,
    ablate: Sequence[str] = (),
    translate: Callable[[str], str] = str,
) -> Inspection:
    """What a model saw while it wrote a target.

    Args:
        target_ids: what it wrote, or is to write, without symbols.
        hidden_states: record every layer's states, and what each would say.
        norms: how much of each token a head really moves, in place of its weights.
        ablate: heads to take away, `cross.2.3`; one ablation of all of them, and where there are several, one of each.
        translate: how a source is translated by the model as it is then, for what it writes without heads; asked only where
            heads are taken away.
    Raises:
        SettingsError: a head that the model does not have, or hidden states of a recurrent model.
        DataError: the source is blank, or a text too long.
    """
    if not source.strip():
        raise DataError("text must have words to be inspected; got a blank one.")
    start_ids, eos = list(tokenizer.symbols.start_ids), tokenizer.eos_id
    check_lengths([source], source_tokenizer, model.config.max_positions, what="text")
    source_ids = source_tokenizer.frame_source(source_tokenizer.encode(source))
    room = model.config.max_positions
    for name, length in (("text", len(source_ids)), ("target", len(target_ids))):
        if length > room:
            raise DataError(f"{name} must have at most {room} tokens, symbols among them; got {length}.")
    # A target as long as the model can read was cut, and has no row for its end.
    read_ids, written_ids = [*start_ids, *target_ids][:room], [*target_ids, eos][: room - len(start_ids) + 1]
    target = tokenizer.decode(target_ids)
    of_source = Tokens.of(source_tokenizer.tokens(source_ids), framed_spans(source_tokenizer, source), source)
    spans: list[tuple[int, int] | None] = list(tokenizer.spans(target_ids))
    written = Tokens.of(tokenizer.tokens(written_ids), [*spans, None][: len(written_ids)], target)
    read = Tokens.of(tokenizer.tokens(read_ids), [*[None] * len(start_ids), *spans][: len(read_ids)], target)
    device = next(model.parameters()).device
    ids = torch.tensor([source_ids], device=device), torch.tensor([read_ids], device=device)
    found = record(
        model,
        *ids,
        row_tokens=_kinds(model, encoder=of_source, decoder=written, cross=written),
        key_tokens=_kinds(model, encoder=of_source, decoder=read, cross=of_source),
        hidden_states=hidden_states,
        norms=norms,
    )

    def log_probs() -> list[float]:
        with torch.no_grad():
            predicted = model(*ids)[0, len(start_ids) - 1 :].float().log_softmax(dim=-1)
        return predicted.gather(-1, torch.tensor(written_ids, device=device)[:, None])[:, 0].tolist()

    whole = log_probs()
    ablations = []
    for names in _ablated(ablate):
        with gated(model, without(model, [HeadName.parse(name) for name in names])):
            changes = [after - before for after, before in zip(log_probs(), whole, strict=True)]
            ablations.append(Ablation(names, sum(changes) / len(changes), changes, translate(source)))
    lens, show = _lens(model, found, tokenizer), "norms" if norms else "weights"
    return Inspection(source, target, found, model.config.arch, whole, lens, ablations, show)


def inspect_text(
    model: Decoder | Encoder,
    tokenizer: Tokenizer,
    text: str,
    ids: Sequence[int],
    tokens: Tokens,
    *,
    hidden_states: bool,
    norms: bool,
) -> Inspection:
    """What a model that reads one text saw in it.

    Args:
        ids: what it reads, symbols among them.
        tokens: the same, spelled.
        norms: how much of each token a head really moves, in place of its weights.
    """
    row = torch.tensor([list(ids)], device=next(model.parameters()).device)
    kind = "decoder" if isinstance(model, Decoder) else "encoder"
    found = record(
        model, row, row_tokens={kind: tokens}, key_tokens={kind: tokens}, hidden_states=hidden_states, norms=norms
    )
    log_probs: list[float] = []
    if isinstance(model, Decoder):
        with torch.no_grad():
            predicted = model(row)[0, :-1].float().log_softmax(dim=-1)
        log_probs = predicted.gather(-1, row[0, 1:, None])[:, 0].tolist()
    show = "norms" if norms else "weights"
    return Inspection(text, None, found, model.config.arch, log_probs, _lens(model, found, tokenizer), shows=show)


def words_as_tokens(words: Sequence[str], text: str, tokenizer: Tokenizer) -> tuple[list[int], Tokens]:
    """The ids of words of a text between begin and end symbol, and where each stands."""
    no_limit = sum(len(tokenizer.encode(word)) for word in words) + 2
    ids = encode_words([words], tokenizer, no_limit)[0][0].tolist()
    spans: list[tuple[int, int] | None] = [None]
    found = 0
    for word in words:
        found = text.index(word, found)
        spans += [(found + first, found + last) for first, last in tokenizer.offsets(word)]
        found += len(word)
    return ids, Tokens.of(tokenizer.tokens(ids), [*spans, None], text)


def lines_as_tokens(ids: Sequence[int], text: str, tokenizer: Tokenizer) -> Tokens:
    """Where each token of a running text stands, whose lines are parted by a symbol; one more such symbol is in front."""
    spans: list[tuple[int, int] | None] = []
    begin = 0
    if tokenizer.symbols.lines_end:
        for line in text.split("\n"):
            spans.append(None)
            spans += [(begin + first, begin + last) for first, last in tokenizer.offsets(line)]
            begin += len(line) + 1
    else:
        spans += tokenizer.offsets(text) or [None]
    return Tokens.of(tokenizer.tokens(ids), spans, text)


def framed_spans(tokenizer: Tokenizer, text: str) -> list[tuple[int, int] | None]:
    """Where each token of a source stands, the symbols around it standing nowhere."""
    symbols = tokenizer.symbols
    return [*[None] * len(symbols.source_begin_ids), *tokenizer.offsets(text), *[None] * len(symbols.source_end_ids)]


def _kinds(model: PairModel, **tokens: Tokens) -> dict[str, Tokens]:
    """The kinds of attention that a model has."""
    return {kind: of_kind for kind, of_kind in tokens.items() if kind == "cross" or model.config.arch != "rnn"}


def _ablated(heads: Sequence[str]) -> list[list[str]]:
    """Which heads are taken away together: all of them; then each, where they are several."""
    together = [list(heads)] if heads else []
    return [*together, *([head] for head in heads)] if len(heads) > 1 else together


def _lens(model: AnyModel, found: Record, tokenizer: Tokenizer) -> list[list[tuple[str, float]]]:
    if not found.hidden_states:
        return []
    if isinstance(model, Encoder) and model.config.task not in ("mlm", "tag"):
        return []
    labels = model.config.labels if isinstance(model, Encoder) and model.config.task == "tag" else None
    spell = (lambda ids: [labels[id] for id in ids]) if labels else tokenizer.tokens
    return lens_of(logit_lens(model, found), spell)


def check_heads(model: AnyModel, ablate: Sequence[str]) -> None:
    """Make sure that a model has heads that can be taken away, before anything is computed.

    Raises:
        SettingsError: it has not, or not these.
    """
    if ablate and model.config.arch == "rnn":
        raise SettingsError(
            "ablate must name heads of a Transformer; got a recurrent model, whose one attention has no heads."
        )
    without(model, [HeadName.parse(name) for name in ablate])
