"""The task of pairs of texts: vocabularies, ids, batches, validation, and the scores at the end."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from regard.analysis.aligning import find_alignment_head
from regard.data.augmentation.concatenation import Concatenation
from regard.data.augmentation.noise import Noise
from regard.data.batching import POOL, Epochs, in_order, training_batches
from regard.data.corpus import (
    AlignedCorpus,
    Corpus,
    CorpusPart,
    Pairs,
    ParallelText,
    TaggedCorpus,
    find_corpora,
    no_pairs,
    read_pairs,
)
from regard.data.directions_of_corpora import by_direction, rule_of, target_tags
from regard.data.encoding import encode_corpora, encode_pairs, learn_tokenizer
from regard.data.selection import Selection, per_corpus, select_pairs, with_end
from regard.data.sequences import EncodedPairs
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.evaluation.text_metrics import ADDED, OF_TEXTS, TextMetrics, tokenization_hint
from regard.models.config import EncoderDecoderConfig
from regard.models.heads import alignment_head
from regard.pipelines.translator import Translator
from regard.runs.progress import RunDisplay
from regard.runs.settings.choosing import chosen_by_data
from regard.runs.settings.run_settings import RunSettings
from regard.runs.tasks.in_memory import is_in_memory, names_of, pairs_of
from regard.runs.tasks.initial_model import InitialModel
from regard.runs.tasks.task import VALID_BATCH_TOKENS, Inputs, Task, digests, held_out, planned
from regard.text.segmentation import make_segmenters
from regard.text.tokenizer import Tokenizer
from regard.text.wording import counted
from regard.training.training_run import Scores

NUM_SAMPLES = 3
LOOKED_AT, LONGEST_EXAMPLE = 200, 200
"""Validation sources among which examples are chosen, and the characters that one may have."""
LARGEST_DRAWN = 40
"""Tokens on a side of an alignment that is noted while training."""


def hold_out_pairs(
    corpora: Sequence[Corpus | ParallelText],
    seed: int = 1,
    *,
    less: bool = True,
    tags: Mapping[str, str] = MappingProxyType({}),
) -> tuple[list[Pairs], ParallelText]:
    """Corpora in two: for training, and at random one line in twenty, at most 1,000, for validation; of fewer than 2,000, one in
    forty, where `less`.

    Runs with other seeds hold out the same, so that their scores can be compared, and their models decide together.

    Args:
        tags: of corpora, by their checksums: what the sources held out begin with.
    Raises:
        DataError: fewer than two lines, none with text among those held out, or none left of a corpus.
    """
    name = " + ".join(corpus.name for corpus in corpora)
    if not any(corpus.num_lines for corpus in corpora):
        raise no_pairs(name)
    chosen = held_out(corpora, [corpus.num_lines for corpus in corpora], "pairs", seed, less=less)
    lines = {digest: frozenset(index + 1 for index in indices) for digest, indices in chosen.items()}
    different = {corpus.digest: corpus for corpus in corpora}
    found = [
        pair._replace(source=f"{tags[digest]} {pair.source}") if digest in tags else pair
        for digest, corpus in different.items()
        if lines[digest]
        for pair in corpus.numbered(lines[digest] | {1})  # a file that is wrong altogether is so from its first line on
        if pair.line in lines[digest]
    ]
    if not found:
        if not any(True for corpus in corpora for _ in corpus.numbered()):
            raise no_pairs(name)
        raise DataError(f"{name} must have text in the lines held out for validation; got none. Give --valid a file.")
    rest: list[Pairs] = [CorpusPart(corpus, lines[corpus.digest]) for corpus in corpora]
    return rest, ParallelText.from_pairs(found, f"{name} (held out at random)", sum(map(len, lines.values())))


def with_directions(data: Any, changes: dict[str, dict[str, Any]]) -> tuple[Any, dict[str, dict[str, Any]]]:
    """The names of corpora, one for each direction where files say their languages, and settings that name these.

    Raises:
        SettingsError: the settings name other directions; or some corpora say them, and others do not.
    """
    if is_in_memory(data):
        return data, changes
    names, found = by_direction([os.fspath(name) for name in names_of(data)])
    given = (changes.get("data") or {}).get("directions")
    if not found or given == found:
        return data if not found else names, changes
    if given is not None:
        raise SettingsError(
            f"`data.directions` must be those that the files say, {', '.join(found)}; got {', '.join(given)}. Remove it."
        )
    return names, {**changes, "data": {**(changes.get("data") or {}), "directions": found}}


class PairsTask(Task):
    """Pairs of texts, for a model that reads a source and writes a target."""

    metrics: tuple[str, ...] = ("loss", "token_accuracy", *OF_TEXTS)

    def __init__(
        self,
        corpora: Sequence[Pairs],
        valid: ParallelText,
        settings: RunSettings,
        display: RunDisplay,
        initial: InitialModel | None = None,
    ) -> None:
        """Learn the vocabularies, encode the pairs, and choose those to train on.

        Args:
            initial: what to begin with; None: a new model, with vocabularies learnt from the texts.
        """
        self.metrics = (*self.metrics, *ADDED)
        super().__init__(settings)
        known = None if initial is None else initial.loaded.source_tokenizer.languages
        self._earlier_directions = [] if known is None else known.trained
        self._take_vocabularies(corpora, display, initial, len(valid))
        corpora = self._with_further(corpora)
        settings, tokenizer, source_tokenizer = self.settings, self.tokenizer, self.source_tokenizer
        is_aligned = settings.data.alignments is not None
        self._encoded = encode_corpora(corpora, tokenizer, source_tokenizer, display.on_progress, with_links=is_aligned)
        for corpus, size in zip(corpora, self._encoded.part_sizes, strict=True):
            if not size:
                raise no_pairs(corpus.name)
            display.say(f"{counted(size, 'pair')} from {corpus.name}{_blank(corpus.num_lines - size)}")
        display.say(f"{counted(len(valid), 'pair')} from {valid.name}{_blank(valid.num_blank)}")
        self._names, limit = [corpus.name for corpus in corpora], settings.model.max_positions
        pairs = self._encoded.pairs
        num_added = [(sum(self._num_symbols) + len(self._tag_ids(corpus)), 1) for corpus in corpora]
        sizes = self._encoded.part_sizes
        self._selection, notes = select_pairs(pairs, sizes, self._names, settings.data, limit, num_added)
        self.notes += notes
        self._valid_pairs, self.valid = _within(valid, tokenizer, source_tokenizer, limit, self.notes)
        self.notes += _hints(self.valid, settings.training.metric)
        read, written = (self._sources_without_tags, source_tokenizer or tokenizer), (self.valid.targets, tokenizer)
        self.warn_of_unknown_tokens(initial, source=read, target=written)
        self._concatenation = self._make_concatenation(limit)
        self._segmenters = None
        if dropout := settings.data.bpe_dropout:
            self._segmenters = make_segmenters([source_tokenizer or tokenizer, tokenizer], dropout, limit)
        self._noise = self._noise_of(corpora)
        self.are_examples_fixed = self._concatenation is None and self._segmenters is None and self._noise is None
        num_kept = sum(map(len, self._selection.kept))
        joined, selection = self._concatenation, self._selection
        epoch = selection if joined is None else joined.order(selection)
        pool = epoch(np.random.default_rng(0))[:POOL].copy()  # a part of it would hold all of it
        sources, targets = (pairs if joined is None else joined).lengths_of(pool)
        self.padding, self.epoch_steps = planned((sources, targets), targets, settings.training, num_kept)
        self.training_facts = {
            "name": " + ".join(self._names),
            "num_pairs": num_kept,
            "num_target_tokens": _num_target_tokens(pairs, self._selection),
        }
        self.validation_facts = {"name": self.valid.name, "num_pairs": len(self.valid)}
        held = {"validation_sources": self._valid_pairs.sources, "validation_targets": self._valid_pairs.targets}
        self.data_digests = {"data.training": self._encoded.digest} | digests(**held)

    @classmethod
    def read(cls, inputs: Inputs, settings: RunSettings, display: RunDisplay) -> PairsTask:
        """The task of files, rows or a table of pairs."""
        data, valid, columns = inputs.training, inputs.valid, inputs.columns
        whole = [pairs_of(data, columns)] if is_in_memory(data) else find_corpora(names_of(data))
        corpora: list[Pairs] = [*whole]
        if inputs.for_own_loop:
            valid_text = ParallelText([], [], "no validation")
        elif valid is None:
            names = per_corpus("directions", settings.data.directions, len(whole), "")
            tags = [] if settings.data.directions is None else target_tags(names)
            by_digest = dict(zip((corpus.digest for corpus in whole), tags, strict=False))
            corpora, valid_text = hold_out_pairs(whole, less=settings.holds_out_less, tags=by_digest)
        elif settings.data.directions is not None:
            valid_text = tagged_pairs(valid, columns, settings.data.directions)
        elif is_in_memory(valid):
            valid_text = pairs_of(valid, columns, validates=True)
        else:
            valid_text = read_pairs(names_of(valid, "valid"))
        return cls(corpora, valid_text, settings, display, inputs.initial)

    def batches(self, start: tuple[int, int] = (0, 0), shard: tuple[int, int] = (0, 1)) -> Iterator[Any]:
        """Pairs of similar length together."""
        training = self.settings.training
        return training_batches(
            self._encoded.pairs,
            training.batch_tokens,
            training.seed,
            Epochs(self._selection, self._concatenation, self._segmenters, self._noise),
            start=start,
            shard=shard,
            num_processes=self.num_processes,
            **self._symbols,
        )

    def validate(self, model: Any) -> Scores:
        """Nats per target token, the share of tokens that are right, and what greedy search writes by `training.metric`."""
        scored = self._likelihood(model)
        scores = {"loss": scored.loss, "token_accuracy": scored.token_accuracy}
        if (metric := self.settings.training.metric) not in ("loss", "token_accuracy"):
            scores[metric] = math.nan
            if math.isfinite(scored.loss):  # else there is nothing to search in
                texts = self._greedy(model, self.valid.sources)
                scores[metric] = TextMetrics().score_by(metric, texts, self.valid.targets)
        return scores

    def loss(self, model: Any) -> float:
        """Nats per target token."""
        return self._likelihood(model).loss

    def _likelihood(self, model: Any) -> Likelihood:
        batch_tokens = min(self.settings.training.batch_tokens, VALID_BATCH_TOKENS)
        return likelihood(model, in_order(self._valid_pairs, batch_tokens, **self._symbols))

    def evaluate(self, loaded: Any) -> dict[str, Any]:
        """The scores of a `Translator`. Its alignment head is found on the validation pairs, unless it has one."""
        config = loaded.model.config
        if hasattr(config, "alignment_head") and alignment_head(loaded.model) is None:
            head = find_alignment_head(self._as_trained(loaded), self.valid.sources, self.valid.targets)
            loaded.model.config = config.model_copy(update={"alignment_head": head})
        asked = self._as_trained(loaded)
        scores = asked.evaluate(self.valid.sources, self.valid.targets, calibrate=True)
        loaded.confidence = asked.confidence
        if self.settings.data.directions is None:
            return {**scores, "examples": few_examples(self.valid.sources, loaded.source_tokenizer)}
        by_target = scores_by_target(asked, self.valid)
        examples = few_examples(self._sources_without_tags, loaded.source_tokenizer)
        return {**scores, "by_target": by_target, "examples": examples}

    @property
    def _sources_without_tags(self) -> list[str]:
        """The validation sources, without the tags that they have where there are several directions."""
        if self.settings.data.directions is None:
            return self.valid.sources
        return [source.partition(" ")[2] for source in self.valid.sources]

    def _as_trained(self, loaded: Translator) -> Translator:
        """A translator that reads sources as they are trained on: of several directions, with their tags as text."""
        if self.settings.data.directions is None:
            return loaded
        return Translator(loaded.model, self.tokenizer, self.source_tokenizer)

    def _greedy(self, model: Any, sources: Sequence[str]) -> list[str]:
        """The texts that greedy search writes."""
        translator = Translator(model, self.tokenizer, self.source_tokenizer)
        return [translation.text for translation in translator.translate(sources, beam_size=1)]

    def sample(self, model: Any) -> dict[str, Any]:
        """The translations of a few pairs of the validation text, and the alignment of the first, if the model has any."""
        chosen = range(0, len(self.valid), max(1, len(self.valid) // NUM_SAMPLES))[:NUM_SAMPLES]
        sources, references = ([side[index] for index in chosen] for side in (self.valid.sources, self.valid.targets))
        written = self._greedy(model, sources)
        found: dict[str, Any] = {"texts": list(zip(sources, written, references, strict=True))}
        if not model.attention_names.get("cross"):
            return found
        translator = Translator(model, self.tokenizer, self.source_tokenizer)
        alignment = asdict(translator.align(sources[0], references[0]))
        if max(len(alignment["source_tokens"]), len(alignment["target_tokens"])) <= LARGEST_DRAWN:
            alignment["weights"] = [[round(weight, 3) for weight in row] for row in alignment["weights"]]
            found["alignment"] = alignment
        return found

    def example(self, index: int) -> str:
        """The file and line of a pair."""
        return self._encoded.location(index, self._names)

    @property
    def stored_tokenizers(self) -> tuple[Tokenizer, Tokenizer | None]:
        """As `Task`; of several directions, with the rule that says where the tokens of languages stand."""
        if (directions := self.settings.data.directions) is None:
            return super().stored_tokenizers
        reader, rule = self.source_tokenizer or self.tokenizer, rule_of([*self._earlier_directions, *directions])
        if self.source_tokenizer is None or self.source_tokenizer is self.tokenizer:
            return (self.tokenizer.with_languages(rule), None)
        return self.tokenizer, reader.with_languages(rule)

    @property
    def _symbols(self) -> dict[str, Any]:
        return {"pad_id": self.tokenizer.pad_id, "start_ids": self.tokenizer.symbols.start_ids}

    def _take_vocabularies(
        self, corpora: Sequence[Pairs], display: RunDisplay, initial: InitialModel | None, num_valid: int
    ) -> None:
        """Choose vocabularies and learn them, or take those of the model to begin with; and what they decide of the settings."""
        if initial is not None:
            self.initialize_from(initial)
            return
        self.settings, notes = chosen_by_data(self.settings, corpora, num_valid)
        self.notes += notes
        learn, config = partial(learn_tokenizer, corpora, report=display.on_progress), self.settings.tokenizer
        if config.shared:
            self.tokenizer = learn(["source", "target"], config)
            self.learn_sizes()
        else:
            self.tokenizer, self.source_tokenizer = learn(["target"], config.for_targets), learn(["source"], config)
            self.learn_sizes(source_vocab_size=len(self.source_tokenizer))

    def _with_further(self, corpora: Sequence[Pairs]) -> list[Pairs]:
        """The corpora with their alignments and tags, where the settings name them.

        Raises:
            SettingsError: not as many as corpora; or alignments of a model or of data that have no use for them.
        """
        data, config = self.settings.data, self.settings.model
        if data.alignments is not None:
            if not isinstance(config, EncoderDecoderConfig):
                raise SettingsError(f"`data.alignments` needs `--arch encoder-decoder`; got {config.arch}. Remove it.")
            for key in ("bpe_dropout", "concatenation", "noise"):
                if getattr(data, key):
                    raise SettingsError(
                        f"`data.{key}` moves tokens, and `data.alignments` counts them. Remove one of them."
                    )
            if config.alignment_head is None or not config.is_kept(config.alignment_head):
                layer = max(config.num_decoder_layers - 2, 0)
                head = f"cross.{layer}.{config.kept_cross_heads(layer)[0]}"
                changed = config.model_copy(update={"alignment_head": head})
                self.settings = self.settings.model_copy(update={"model": changed})
                if self.initial is not None:
                    self.initial.config = changed
                self.notes.append(f"the head that learns the alignments: {head}")
        files = per_corpus("alignments", data.alignments, len(corpora), None)
        directions = self._directions_of(corpora)
        tags = per_corpus("tags", data.tags, len(corpora), None) if data.directions is None else target_tags(directions)
        further: list[Pairs] = []
        for corpus, file, tag in zip(corpora, files, tags, strict=True):
            assert not isinstance(corpus, AlignedCorpus | TaggedCorpus)
            aligned = corpus if file is None else AlignedCorpus(corpus, file, data.first_word, data.word_separators)
            further.append(aligned if tag is None else TaggedCorpus(aligned, tag))
        return further

    def _directions_of(self, corpora: Sequence[Any]) -> list[str]:
        """The direction of each corpus; empty, where there is one for all."""
        return per_corpus("directions", self.settings.data.directions, len(corpora), "")

    def _noise_of(self, corpora: Sequence[Pairs]) -> Noise | None:
        """The noise in sources, where the settings ask for it."""
        shares = per_corpus("noise", self.settings.data.noise, len(corpora), 0.0)
        if not any(shares):
            return None
        tags = {id for corpus in corpora for id in self._tag_ids(corpus)}
        ends, unk_id = np.cumsum(self._encoded.part_sizes), (self.source_tokenizer or self.tokenizer).unk_id
        return Noise(tuple(shares), ends, unk_id, *self._num_symbols, tags)

    @property
    def _num_symbols(self) -> tuple[int, int]:
        """The numbers of symbols before and after each source."""
        symbols = (self.source_tokenizer or self.tokenizer).symbols
        return len(symbols.source_begin_ids), len(symbols.source_end_ids)

    def _tag_ids(self, corpus: Pairs) -> list[int]:
        """The ids that the sources of a corpus begin with, where they have a tag."""
        tag = corpus.tag if isinstance(corpus, TaggedCorpus) else ""
        return (self.source_tokenizer or self.tokenizer).encode(tag) if tag else []

    def _make_concatenation(self, limit: int) -> Concatenation | None:
        """The rule that joins pairs to longer ones, where the settings ask for it."""
        data = self.settings.data
        if not data.concatenation:
            return None
        longest = min(limit, data.max_tokens or limit)
        ends, directions = np.cumsum(self._encoded.part_sizes).tolist(), self._directions_of(self._names)
        return Concatenation(self._encoded.pairs, data.concatenation, longest, *self._num_symbols, ends, directions)


def tagged_pairs(valid: Any, columns: Sequence[str] | None, directions: Sequence[str]) -> ParallelText:
    """The pairs of validation corpora, which say their languages, or are one for each direction, with the tags of their targets.

    Args:
        valid: names of files; or rows or a table, which are one corpus.
        columns: of a table, those of source and target.
    Raises:
        SettingsError: there are not as many corpora as directions; or a corpus says a target that is not learnt.
    """
    corpora: Sequence[Corpus | ParallelText]
    if is_in_memory(valid):
        corpora, found = [pairs_of(valid, columns, validates=True)], list[str]()
    else:
        said, found = by_direction([os.fspath(name) for name in names_of(valid, "valid")])
        corpora = find_corpora(said)
    if not found and len(corpora) != len(directions):
        raise SettingsError(
            f"`--valid` needs a corpus for each of {len(directions)} directions, in their order; got {len(corpora)}: "
            f"{', '.join(corpus.name for corpus in corpora)}. Or write all pairs to a file with source_lang and target_lang in "
            "each row."
        )
    tags = target_tags(found or directions)
    if unknown := [
        corpus.name for corpus, tag in zip(corpora, tags, strict=True) if tag not in target_tags(directions)
    ]:
        learnt = ", ".join(dict.fromkeys(directions))
        raise SettingsError(f"`--valid` must have targets that are learnt ({learnt}); got {unknown[0]}. Remove it.")
    pairs = [pair for corpus in map(TaggedCorpus, corpora, tags) for pair in corpus.numbered()]
    name = " + ".join(corpus.name for corpus in corpora)
    if not pairs:
        raise no_pairs(name)
    return ParallelText.from_pairs(pairs, name, sum(corpus.num_lines for corpus in corpora))


def scores_by_target(translator: Translator, valid: ParallelText) -> dict[str, dict[str, float]]:
    """BLEU and chrF of the validation pairs of each target, by its tag."""
    rows: dict[str, list[int]] = {}
    for index, source in enumerate(valid.sources):
        rows.setdefault(source.partition(" ")[0], []).append(index)
    found = {}
    for tag, chosen in sorted(rows.items()):
        sources, targets = ([side[index] for index in chosen] for side in (valid.sources, valid.targets))
        scores = translator.evaluate(sources, targets)
        found[tag] = {name: scores[name] for name in ("bleu", "chrf", "num_pairs")}
    return found


def few_examples(sources: Sequence[str], tokenizer: Tokenizer) -> list[str]:
    """A few sources for people to try a model with: different ones of usual length, which the model reads without an unknown
    token where there are such; in their order.
    """
    found = [each for each in dict.fromkeys(sources[:LOOKED_AT]) if each.strip() and len(each) <= LONGEST_EXAMPLE]
    middle = sorted(map(len, found))[len(found) // 2] if found else 0

    def strangeness(place: int) -> tuple[bool, int, int]:
        return tokenizer.unk_id in tokenizer.encode(found[place]), abs(len(found[place]) - middle), place

    return [found[place] for place in sorted(sorted(range(len(found)), key=strangeness)[:NUM_SAMPLES])]


def _within(
    text: ParallelText, tokenizer: Tokenizer, source_tokenizer: Tokenizer | None, limit: int, notes: list[str]
) -> tuple[EncodedPairs, ParallelText]:
    """The ids of a text that is held, and the text; what does not fit the model is left out of both, and said."""
    pairs = encode_pairs(text, tokenizer, limit, source_tokenizer=source_tokenizer)
    if len(text) and not len(pairs):
        raise DataError(f"{text.name} must have pairs of at most {with_end(limit)}; got none.")
    if not pairs.too_long:
        return pairs, text
    count = len(pairs.too_long)
    notes.append(
        f"{counted(count, 'pair')} of {text.name} {'is' if count == 1 else 'are'} over {with_end(limit)}: left out"
    )
    out = set(pairs.too_long)
    kept = [pair for pair in text.numbered() if pair.line - 1 not in out]
    return pairs, ParallelText.from_pairs(kept, text.name, len(kept))


def _hints(valid: ParallelText, metric: str) -> list[str]:
    """Hints for the user where BLEU, which is measured in the end and may decide, counts other words than the targets have."""
    hint = tokenization_hint(valid.targets)
    choose = ". To choose the best model, training.metric=chrf" if metric == "bleu" else ""
    return [f"{hint}, in `regard evaluate`{choose}"] if hint else []


def _num_target_tokens(pairs: EncodedPairs, selection: Selection) -> int:
    parts = (part[begin : begin + POOL] for part in selection.kept for begin in range(0, len(part), POOL))
    return sum(int(pairs.targets.lengths_of(part).sum()) for part in parts)


def _blank(count: int) -> str:
    return f" ({count:,} blank on both sides left out)" if count else ""
