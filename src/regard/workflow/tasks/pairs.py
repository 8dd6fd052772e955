"""What pairs of texts bring to a run: vocabularies, ids, batches, validation, and the scores at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from regard.checkpoint import LoadedModel
from regard.data.batching import POOL, in_order, training_batches
from regard.data.corpus import Corpus, Pairs, ParallelText, Part, no_pairs
from regard.data.encoding import encode_corpora, encode_pairs, learn_tokenizer
from regard.data.joining import Joining
from regard.data.selection import Selection, select_pairs
from regard.data.sequences import EncodedPairs
from regard.errors import DataError
from regard.evaluation.likelihood import likelihood
from regard.evaluation.text_metrics import tokenization_hint
from regard.text.segmentation import sampled
from regard.text.tokenizer import Tokenizer
from regard.text.wording import counted
from regard.training.optimization import DECODED
from regard.training.run import Scores
from regard.workflow.progress import RunDisplay
from regard.workflow.settings import RunSettings
from regard.workflow.tasks.task import (
    VALID_BATCH_TOKENS,
    Task,
    check_metric,
    digests,
    held_out,
    planned,
    with_model,
)
from regard.workflow.translation.translator import Translator

NUM_SAMPLES = 3
LARGEST_DRAWN = 40
"""Tokens on a side of an alignment that is noted while training."""


def hold_out_pairs(corpora: Sequence[Corpus | ParallelText], seed: int = 1) -> tuple[list[Pairs], ParallelText]:
    """Corpora in two: for training, and at random one line in twenty, at most 1,000, for validation.

    Runs with other seeds hold out the same, so that their scores can be compared, and their models decide together.

    Raises:
        DataError: fewer than two lines, none with text among those held out, or none left of a corpus.
    """
    name = " + ".join(corpus.name for corpus in corpora)
    if not any(corpus.num_lines for corpus in corpora):
        raise no_pairs(name)
    chosen = held_out(corpora, [corpus.num_lines for corpus in corpora], "pairs", seed)
    lines = {digest: frozenset(index + 1 for index in indices) for digest, indices in chosen.items()}
    different = {corpus.digest: corpus for corpus in corpora}
    found = [
        pair
        for digest, corpus in different.items()
        if lines[digest]
        for pair in corpus.numbered(lines[digest] | {1})  # a file that is wrong altogether is so from its first line on
        if pair.line in lines[digest]
    ]
    if not found:
        if not any(True for corpus in corpora for _ in corpus.numbered()):
            raise no_pairs(name)
        raise DataError(f"{name} must have text in the lines held out for validation; got none. Give --valid a file.")
    rest: list[Pairs] = [Part(corpus, lines[corpus.digest]) for corpus in corpora]
    return rest, ParallelText.of(found, f"{name} (held out at random)", sum(map(len, lines.values())))


def translation_task(
    corpora: Sequence[Pairs],
    valid: ParallelText,
    settings: RunSettings,
    display: RunDisplay,
    initial: LoadedModel | None = None,
) -> Task:
    """Pairs of texts, for an encoder-decoder.

    Args:
        initial: the model to go on from, with its tokenizers; None: a new one, with vocabularies learnt from the texts.
    """
    check_metric(settings, ["loss", "token_accuracy", *DECODED])
    settings, tokenizer, source_tokenizer = _vocabularies(corpora, settings, display, initial)
    encoded = encode_corpora(corpora, tokenizer, source_tokenizer, display.on_progress)
    for corpus, size in zip(corpora, encoded.part_sizes, strict=True):
        if not size:
            raise no_pairs(corpus.name)
        num_blank = corpus.num_lines - size
        display.say(f"{counted(size, 'pair')} from {corpus.name}{_blank(num_blank)}")
    display.say(f"{counted(len(valid), 'pair')} from {valid.name}{_blank(valid.num_blank)}")
    names, limit = [corpus.name for corpus in corpora], settings.model.max_positions
    selection, notes = select_pairs(encoded.pairs, encoded.part_sizes, names, settings.data, limit)
    valid_pairs, valid = _within(valid, tokenizer, source_tokenizer, limit, notes)
    notes += _hints(valid, settings.training.metric)
    symbols: dict[str, Any] = {"pad_id": tokenizer.pad_id, "start_ids": tokenizer.symbols.start_ids}
    batch_tokens, dropout = settings.training.batch_tokens, settings.data.bpe_dropout
    joined, cuts = None, None
    if share := settings.data.concatenation:
        frame = (source_tokenizer or tokenizer).symbols
        num_symbols = len(frame.source_begin_ids), len(frame.source_end_ids)
        joined = Joining(encoded.pairs, share, min(limit, settings.data.max_tokens or limit), *num_symbols)
    if dropout:
        cuts = sampled([source_tokenizer or tokenizer, tokenizer], dropout, limit)

    def validate(model: Any) -> Scores:
        scored = likelihood(model, in_order(valid_pairs, min(batch_tokens, VALID_BATCH_TOKENS), **symbols))
        scores = {"loss": scored.loss, "token_accuracy": scored.token_accuracy}
        if (metric := settings.training.metric) in DECODED:
            scores[metric] = math.nan
            if math.isfinite(scored.loss):  # else there is nothing to search in
                translator = Translator(model, tokenizer, source_tokenizer)
                scores[metric] = translator.evaluate(valid.sources, valid.targets, beam_size=1)[metric]
        return scores

    measured, epoch = (encoded.pairs, selection) if joined is None else (joined, joined.order(selection))
    pool = epoch(np.random.default_rng(0))[:POOL].copy()  # a part of it would hold all of it
    sources, targets = measured.lengths_of(pool)
    return Task(
        tokenizer,
        settings,
        partial(
            training_batches,
            encoded.pairs,
            batch_tokens,
            settings.training.seed,
            order=selection,
            joined=joined,
            cuts=cuts,
            **symbols,
        ),
        validate,
        lambda translator: translator.evaluate(valid.sources, valid.targets),
        {
            "name": " + ".join(names),
            "num_pairs": _num_kept(selection),
            "num_target_tokens": _num_target_tokens(encoded.pairs, selection),
        },
        {"name": valid.name, "num_pairs": len(valid)},
        *planned((sources, targets), targets, settings.training, _num_kept(selection)),
        notes,
        source_tokenizer,
        None if initial is None else initial.model,
        {"data.training": encoded.digest}
        | digests(validation_sources=valid_pairs.sources, validation_targets=valid_pairs.targets),
        _sampler(valid, tokenizer, source_tokenizer),
        lambda index: encoded.location(index, names),
    )


def _sampler(
    valid: ParallelText, tokenizer: Tokenizer, source_tokenizer: Tokenizer | None
) -> Callable[[Any], dict[str, Any]]:
    """Looks at some pairs of the validation text as it is learnt: what is written, and how the first is aligned."""
    chosen = range(0, len(valid), max(1, len(valid) // NUM_SAMPLES))[:NUM_SAMPLES]
    sources, references = ([side[index] for index in chosen] for side in (valid.sources, valid.targets))

    def sample(model: Any) -> dict[str, Any]:
        translator = Translator(model, tokenizer, source_tokenizer)
        written = [translation.text for translation in translator.translate(sources, beam_size=1)]
        alignment = asdict(translator.align(sources[0], references[0]))
        if max(len(alignment["source_tokens"]), len(alignment["target_tokens"])) > LARGEST_DRAWN:
            return {"texts": list(zip(sources, written, references, strict=True))}
        alignment["weights"] = [[round(weight, 3) for weight in row] for row in alignment["weights"]]
        return {"texts": list(zip(sources, written, references, strict=True)), "alignment": alignment}

    return sample


def _vocabularies(
    corpora: Sequence[Pairs], settings: RunSettings, display: RunDisplay, initial: LoadedModel | None
) -> tuple[RunSettings, Tokenizer, Tokenizer | None]:
    """The settings with what the vocabularies decide, the targets' vocabulary, and the sources' where it is another."""
    if initial is not None:
        settings = settings.model_copy(update={"model": initial.model.config})
        return settings, initial.tokenizer, initial.source_tokenizer
    learn, config = partial(learn_tokenizer, corpora, report=display.on_progress), settings.tokenizer
    if config.shared:
        tokenizer = learn(["source", "target"], config)
        return with_model(settings, tokenizer), tokenizer, None
    tokenizer, source_tokenizer = learn(["target"], config.of_targets), learn(["source"], config)
    return with_model(settings, tokenizer, source_vocab_size=len(source_tokenizer)), tokenizer, source_tokenizer


def _within(
    text: ParallelText, tokenizer: Tokenizer, source_tokenizer: Tokenizer | None, limit: int, notes: list[str]
) -> tuple[EncodedPairs, ParallelText]:
    """The ids of a text that is held, and the text; what does not fit the model is left out of both, and said."""
    pairs = encode_pairs(text, tokenizer, limit, source_tokenizer=source_tokenizer)
    if not len(pairs):
        raise DataError(f"{text.name} must have pairs of at most {limit} tokens; got none.")
    if not pairs.too_long:
        return pairs, text
    count = len(pairs.too_long)
    notes.append(
        f"{counted(count, 'pair')} of {text.name} {'is' if count == 1 else 'are'} over {counted(limit, 'token')}: left out"
    )
    out = set(pairs.too_long)
    kept = [pair for pair in text.numbered() if pair.line - 1 not in out]
    return pairs, ParallelText.of(kept, text.name, len(kept))


def _hints(valid: ParallelText, metric: str) -> list[str]:
    """What to say where BLEU, which is measured in the end and may decide, counts other words than the targets have."""
    hint = tokenization_hint(valid.targets)
    choose = ". To choose the best model, training.metric=chrf" if metric == "bleu" else ""
    return [f"{hint}, in `regard evaluate`{choose}"] if hint else []


def _num_kept(selection: Selection) -> int:
    return sum(len(part) for part in selection.kept)


def _num_target_tokens(pairs: EncodedPairs, selection: Selection) -> int:
    parts = (part[begin : begin + POOL] for part in selection.kept for begin in range(0, len(part), POOL))
    return sum(int(pairs.targets.lengths_of(part).sum()) for part in parts)


def _blank(count: int) -> str:
    return f" ({count:,} blank on both sides left out)" if count else ""
