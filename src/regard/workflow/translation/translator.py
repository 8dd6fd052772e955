"""A model folder, ready to use: texts in, translations, scores and alignments out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from typing import Any, overload

import torch

from regard.data.batching import in_order
from regard.data.corpus import ParallelText
from regard.data.encoding import encode_pairs
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import Likelihood, likelihood
from regard.evaluation.text_metrics import TextMetrics, sentence_utility
from regard.generation.minimum_bayes_risk import expected_utilities
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.trace import Trace
from regard.generation.threads import check_after_fork
from regard.inspection.alignment import Alignment
from regard.models.families import PairModel
from regard.text.tokenizer import Tokenizer
from regard.workflow.card import in_brief
from regard.workflow.inspection.inspecting import check_heads, inspect_pair
from regard.workflow.inspection.inspection import Inspection
from regard.workflow.translation.describing import Described, by_coverage
from regard.workflow.translation.requests import Wishes, encode_sources
from regard.workflow.translation.results import Candidate, ForcedScore, Translation, common_prefix
from regard.workflow.translation.workers import Workers

SCORING_BATCH_TOKENS = 4096
WINDOW = 4096
"""Lines that are translated together, in batches of like length."""


class Translator:
    """A trained model with its tokenizer.

    Args:
        tokenizer: of the targets, and of the sources where `source_tokenizer` is not given.
        others: models of an ensemble, with the same tokenizers: their probabilities are averaged, for `alternatives`, too.
            Scores of given targets, alignments and inspections are the first model's.
    """

    def __init__(
        self,
        model: PairModel,
        tokenizer: Tokenizer,
        source_tokenizer: Tokenizer | None = None,
        others: Sequence[PairModel] = (),
    ) -> None:
        self.model = model.eval()
        self.others = [other.eval() for other in others]
        self.tokenizer = tokenizer
        """Of the targets."""
        self.source_tokenizer = source_tokenizer or tokenizer
        self.device = next(model.parameters()).device
        sizes = {part.config.vocab_size for part in (self.model, *self.others)}
        if len(sizes) > 1:
            listed = " and ".join(map(str, sorted(sizes)))
            raise SettingsError(f"models of an ensemble must have as many output tokens each; got {listed}.")
        self.max_positions = min(part.config.max_positions for part in (self.model, *self.others))
        """Tokens that a source or a target may have, symbols included."""
        banned_ids = {*tokenizer.symbols.banned_ids, *tokenizer.ids_without_token(model.config.vocab_size)}
        symbols = TargetSymbols(
            tokenizer.symbols.start_ids, tokenizer.eos_id, tokenizer.pad_id, tuple(sorted(banned_ids))
        )
        self._workers = Workers((self.model, *self.others), symbols, tokenizer.encode)

    def __repr__(self) -> str:
        return in_brief(self)

    @overload
    def translate(
        self, texts: str, options: DecodingOptions | None = None, *, prefixes: str | None = None,
        required: Sequence[str] | None = None, on_done: Callable[[int], None] | None = None, **changes: Any,
    ) -> Translation: ...  # fmt: skip

    @overload
    def translate(
        self, texts: Sequence[str], options: DecodingOptions | None = None, *, prefixes: Sequence[str] | None = None,
        required: Sequence[Sequence[str]] | None = None, on_done: Callable[[int], None] | None = None, **changes: Any,
    ) -> list[Translation]: ...  # fmt: skip

    def translate(
        self,
        texts: str | Sequence[str],
        options: DecodingOptions | None = None,
        *,
        prefixes: Any = None,
        required: Any = None,
        on_done: Callable[[int], None] | None = None,
        **changes: Any,
    ) -> Translation | list[Translation]:
        """The translation of each text, in order; of one string, its translation. A blank text has the empty translation.

            translator.translate("Two dogs play.").text
            translator.translate(["Two dogs play."], beam_size=5, n_best=3)

        Args:
            texts: several, or one; then `prefixes` and `required` are those of one text, too.
            options: how to decode; None: the defaults.
            prefixes: for each text, what its translation begins with.
            required: for each text, phrases that its translation must have (beam search only).
            on_done: is called with a number of texts whenever so many more are done.
            changes: options by name, as `DecodingOptions` lists them.
        Raises:
            DataError: a text is longer than the model can read, or not as many prefixes as texts.
            SettingsError: an unknown option, or a value out of range.
        """
        if isinstance(texts, str):
            one_each = {name: None if given is None else [given]
                        for name, given in (("prefixes", prefixes), ("required", required))}  # fmt: skip
            return self.translate([texts], options, **one_each, on_done=on_done, **changes)[0]
        options = (options or DecodingOptions()).changed(**changes)
        return self._answers(texts, self._requests(texts, options, prefixes, required), options, on_done)

    def _answers(
        self,
        texts: Sequence[str],
        requests: Sequence[Request | None],
        options: DecodingOptions,
        on_done: Callable[[int], None] | None = None,
        workers: Workers | None = None,
    ) -> list[Translation]:
        """The translation of each text, as it was requested; the empty one where nothing was."""
        trace = Trace() if options.trace else None
        with_text = [index for index, request in enumerate(requests) if request is not None]
        asked = [request for request in requests if request is not None]
        found = (workers or self._workers).decode(asked, options, trace, on_done)
        nothing = Candidate("", 0.0, [], [], "eos", [])
        results = [Translation(**vars(nothing), n_best=[nothing])] * len(texts)
        for number, (index, hypotheses) in enumerate(zip(with_text, found, strict=True)):
            if options.coverage_penalty:
                hypotheses = by_coverage(hypotheses, partial(self._description, texts[index]), options)
            candidates = self._candidates(hypotheses, options)
            results[index] = self._described(
                Translation(**vars(candidates[0]), n_best=candidates), texts[index], options, trace, number
            )
        return results

    def translate_lines(
        self,
        lines: Iterable[str],
        options: DecodingOptions | None = None,
        *,
        prefixes: Iterable[str] | None = None,
        required: Iterable[Sequence[str]] | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> Iterator[Translation]:
        """The translation of each line, in order, a window of lines at a time: memory does not grow with their number.

        The arguments are those of `translate`. Random choices depend on the seed and the line.
        """
        lines, first = iter(lines), 1
        options = options or DecodingOptions()
        beginnings = None if prefixes is None else iter(prefixes)
        phrases = None if required is None else iter(required)
        while window := list(islice(lines, WINDOW)):
            of_window = options.seeded(options.seed + first - 1)
            requests = self._requests(
                window,
                of_window,
                None if beginnings is None else list(islice(beginnings, len(window))),
                None if phrases is None else list(islice(phrases, len(window))),
                first,
            )
            yield from self._answers(window, requests, of_window, on_done)
            first += len(window)
        rest: tuple[tuple[str, Iterator[Any] | None], ...] = (("prefixes", beginnings), ("required", phrases))
        for name, more in rest:
            if more is not None and next(more, None) is not None:
                raise DataError(f"{name} must be as many as the texts; got more than {first - 1}.")

    def stream(self, text: str, options: DecodingOptions | None = None, **changes: Any) -> Iterator[str]:
        """The translation of a text, piece by piece: what is certain after each step. Pieces are never taken back.

        In greedy search and sampling that is each token; in beam search, what all hypotheses begin with that can still win.
        Leaving the iterator ends the computation.

        Raises:
            SettingsError: an option that needs the whole translation: `n_best` above 1, `risk`, `coverage_penalty`, or what
                is told beside the text.
        """
        options = (options or DecodingOptions()).changed(**changes)
        options.check_stream()
        (request,) = self._requests([text], options)
        if request is None:
            return
        decoding = self._workers.begin([request], options)
        told = ""
        while True:
            found = decoding.step()
            if found:
                yield self.tokenizer.decode(found[0][1][0].ids)[len(told) :]
                return
            active = decoding.active
            assert active is not None
            length = int(active.lengths[0])
            going_on = (active.scores[0] > -torch.inf).nonzero()[:, 0].tolist()
            certain = common_prefix([*active.ids[0, going_on, :length].tolist(), *(h.ids for h in active.finished[0])])
            text_so_far = self.tokenizer.decode_so_far(certain)
            if text_so_far.startswith(told) and len(text_so_far) > len(told):
                yield text_so_far[len(told) :]
                told = text_so_far

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[ForcedScore]:
        """How likely the model finds each target, given its source.

        Raises:
            DataError: a text longer than the model can read, or not as many targets as sources.
        """
        scored = self._likelihood(sources, targets)
        eos = [self.tokenizer.tokens([self.tokenizer.eos_id])[0]]
        return [
            ForcedScore(
                math.fsum(scored.token_log_probs[index]),
                self.tokenizer.tokens(ids) + eos,
                scored.token_log_probs[index],
            )
            for index, ids in enumerate(self.tokenizer.encode_batch(list(targets)))
        ]

    def evaluate(
        self,
        sources: Sequence[str],
        references: Sequence[str],
        *,
        tokenize: str = "13a",
        lowercase: bool = False,
        **options: Any,
    ) -> dict[str, Any]:
        """Every score of the model on some pairs, by name, and under `signatures` how they were counted.

        `bleu` and `chrf` from 0 to 100, `exact_match` and `token_accuracy` from 0 to 1, `perplexity` per token. Those of given
        targets, the last two, are not there for ensembles.

        Args:
            options: of decoding, as for `translate`.
        """
        metrics = TextMetrics(tokenize=tokenize, lowercase=lowercase)
        forced: dict[str, float] = {}
        if not self.others:
            scored = self._likelihood(sources, references)
            forced = {"token_accuracy": scored.token_accuracy, "perplexity": scored.perplexity}
        texts = [translation.text for translation in self.translate(sources, **options)]
        counted = asdict(metrics.score(texts, references))
        signatures = counted.pop("signatures")
        return {**counted, **forced, "num_pairs": len(texts), "signatures": signatures}

    def align(
        self, source: str, target: str | None = None, *, layer: int | None = None, head: int | None = None
    ) -> Alignment:
        """Which source tokens each token of the target (by default, of the translation) was written from.

        Args:
            layer: of the decoder, from 0; None: the one whose weights are sharpest on this pair.
            head: from 0; None: the mean over the heads.
        """
        ids, has_end = self._written(source, target)
        return self._description(source, ids, has_end=has_end).alignment(layer, head)

    def inspect(
        self,
        text: str,
        target: str | None = None,
        *,
        rank: int = 1,
        ablate: Sequence[str] = (),
        hidden_states: bool = False,
        norms: bool = False,
        options: DecodingOptions | None = None,
        **changes: Any,
    ) -> Inspection:
        """What every head looked at while a text was translated; or would have, had `target` been written.

        Args:
            rank: which of the `n_best` translations; 1 is the best.
            ablate: heads to try it without, such as "cross.2.3".
            hidden_states: also every layer's states, and what each layer would say.
            norms: how much of each token a head really moves, in place of its weights.
            options: how to decode; None: the defaults.
            changes: options by name.
        Raises:
            DataError: the text is blank.
            SettingsError: a head that the model does not have, or a rank that is not.
        """
        options = (options or DecodingOptions()).changed(**changes)
        check_heads(self.model, ablate)
        ids = self.written_ids(text, target, rank, options.changed(n_best=max(rank, options.n_best)))
        alone = Workers((self.model,), self._workers.symbols, self.tokenizer.encode) if self.others else self._workers

        def translate(source: str) -> str:
            return self._answers([source], self._requests([source], options), options, workers=alone)[0].text

        return inspect_pair(
            self.model, self.tokenizer, self.source_tokenizer, text, ids,
            hidden_states=hidden_states, norms=norms, ablate=ablate, translate=translate,
        )  # fmt: skip

    def _description(self, source: str, target_ids: Sequence[int], *, has_end: bool) -> Described:
        """What there is to say of a target, given by its ids."""
        models = (self.model, *self.others)
        return Described(models, self.tokenizer, self.source_tokenizer, source, target_ids, has_end)

    def inspect_ids(self, text: str, target_ids: Sequence[int]) -> Inspection:
        """What every head looked at while a target, given by its ids, was written."""
        return inspect_pair(self.model, self.tokenizer, self.source_tokenizer, text, target_ids)

    def written_ids(
        self, source: str, target: str | None = None, rank: int = 1, options: DecodingOptions | None = None
    ) -> list[int]:
        """The ids of a target, or of the translation of a source that has this rank, without symbols."""
        return self._written(source, target, rank, options)[0]

    def _written(
        self, source: str, target: str | None = None, rank: int = 1, options: DecodingOptions | None = None
    ) -> tuple[list[int], bool]:
        """The ids of a target or translation, and whether the end symbol follows them."""
        if not source.strip():
            raise DataError("text must have words to be looked at; got a blank one.")
        if target is not None:
            return self.tokenizer.encode(target), True
        candidates = self.translate([source], options)[0].n_best
        if not 1 <= rank <= len(candidates):
            raise SettingsError(f"rank must be from 1 to {len(candidates)}, as many as were found; got {rank}.")
        return candidates[rank - 1].ids, candidates[rank - 1].finish_reason == "eos"

    def _requests(
        self,
        texts: Sequence[str],
        options: DecodingOptions,
        prefixes: Sequence[str] | None = None,
        required: Sequence[Sequence[str]] | None = None,
        first: int = 1,
    ) -> list[Request | None]:
        """What decoding is asked for each text; None for a blank one. `first` is the number of the first line."""
        sources = encode_sources(self.source_tokenizer, texts, self.max_positions, first)
        wishes = Wishes(self.tokenizer, options, self.max_positions)
        return wishes.requests(texts, sources, prefixes, required, first)

    def _candidates(self, hypotheses: list[Hypothesis], options: DecodingOptions) -> list[Candidate]:
        """The hypotheses as texts; where risk chooses, those of least risk."""
        tokenizer = self.tokenizer
        made = [
            Candidate(
                tokenizer.decode(found.ids),
                found.score,
                tokenizer.tokens(found.ids),
                found.token_log_probs,
                found.finish_reason,
                found.ids,
            )
            for found in hypotheses
        ]
        if options.risk is None:
            return made
        expected = expected_utilities([candidate.text for candidate in made], sentence_utility(options.risk))
        ranked = sorted(zip(expected, made, strict=True), key=lambda pair: -pair[0])
        apart = {candidate.text: replace(candidate, score=utility) for utility, candidate in reversed(ranked)}
        return sorted(apart.values(), key=lambda candidate: -candidate.score)[: options.n_best]

    def _described(
        self, translation: Translation, source: str, options: DecodingOptions, trace: Trace | None, number: int
    ) -> Translation:
        """The translation with what else was asked for."""
        described = self._description(source, translation.ids, has_end=translation.finish_reason == "eos")
        if options.alternatives:
            translation = replace(translation, alternatives=described.alternatives(options.alternatives))
        if options.alignment:
            translation = replace(translation, alignment=described.alignment())
        return translation if trace is None else replace(translation, trace=trace.steps[number])

    def _likelihood(self, sources: Sequence[str], targets: Sequence[str]) -> Likelihood:
        if len(sources) != len(targets):
            raise DataError(f"sources and targets must be as many; got {len(sources)} and {len(targets)}.")
        check_after_fork()
        text = ParallelText(list(sources), list(targets), "pairs")
        limit = self.model.config.max_positions
        pairs = encode_pairs(text, self.tokenizer, limit, source_tokenizer=self.source_tokenizer)
        if pairs.too_long:
            number, room = pairs.too_long[0] + 1, limit - 1
            raise DataError(
                f"pair {number}: a text must have at most {room} tokens; got more. Split it into sentences."
            )
        start_ids = self.tokenizer.symbols.start_ids
        batches = in_order(pairs, SCORING_BATCH_TOKENS, pad_id=self.tokenizer.pad_id, start_ids=start_ids)
        return likelihood(self.model, batches)
