"""A model folder, ready to use: texts in, translations, scores and alignments out."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar, Unpack, cast, overload

import torch

from regard.arguments import check_texts
from regard.checkpoint import LoadedModel
from regard.errors import DataError, SettingsError
from regard.evaluation.confidence import Confidence
from regard.evaluation.text_metrics import TextMetrics
from regard.generation.decoding import Decoding
from regard.generation.filters import Filter, Likeliest
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request, seed_of
from regard.generation.rules.trace import Trace, TracedCandidate
from regard.inspection.alignment import Alignment
from regard.inspection.inspection import Inspection
from regard.inspection.texts import check_heads, inspect_pair
from regard.models.adaptation import merged
from regard.models.interface import Model, PairModel, check_not_training
from regard.pipelines.adapter_set import NO_ADAPTERS, AdapterSet
from regard.pipelines.batch_decoder import BatchDecoder
from regard.pipelines.direction_set import Codes, DirectionSet
from regard.pipelines.named_options import NamedDecodingOptions
from regard.pipelines.pair_file_scores import file_scores
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.requests import check_words, encode_sources, make_requests
from regard.pipelines.running_translations import RunningTranslations, nothing
from regard.pipelines.target_analysis import (
    TargetAnalysis,
    by_coverage,
    candidates_of,
    pair_likelihood,
    target_likelihood,
)
from regard.pipelines.translation import Candidate, ForcedScore, Translation
from regard.text.encoded_sentence import EncodedSentence
from regard.text.languages import Languages
from regard.text.length_limits import to_ids
from regard.text.tokenizer import Tokenizer

WINDOW = 4096
"""Lines that are translated together, in batches of like length."""
Moved = TypeVar("Moved", bound="Translator")
Given = str | Sequence[int]  # a target: a text, which is cut into tokens, or the ids of its tokens


class Translator(Pipeline):
    """A trained model with its tokenizer.

        translator = regard.load("base", adapters={"legal": "legal", "news": "news"})
        translator.translate(["Two dogs play.", "Two dogs play."], adapters=["legal", None])

    Each text is translated with one of the adapters, or with none; all share one batch. Scores, alignments and inspections are
    those of the model without adapters; `adapted("legal").score(...)` is that of the model with one.

    Args:
        tokenizer: of the targets, and of the sources where `source_tokenizer` is not given.
        others: models of an ensemble, with the same tokenizers: their probabilities are averaged, for `alternatives`, too.
            Scores of given targets, alignments and inspections are the first model's.
        adapters: of the model, which texts name.

    Attributes:
        confidence: what the log-probabilities of a translation say about its quality; None: not calibrated.
    """

    model: PairModel
    _model: PairModel
    kind = "a model that turns one text into another"
    commands = ("translate {}", "evaluate {} SOURCE REFERENCE")

    def __init__(
        self,
        model: PairModel,
        tokenizer: Tokenizer,
        source_tokenizer: Tokenizer | None = None,
        others: Sequence[PairModel] = (),
        adapters: AdapterSet | None = None,
    ) -> None:
        super().__init__(model, tokenizer)
        if isinstance(others, torch.nn.Module):
            raise SettingsError(f"others must be several models; got one, {type(others).__name__}. Write [model].")
        self.others = [self._of_kind(other) for other in others]
        self.confidence: Confidence | None = None
        self.source_tokenizer = source_tokenizer or tokenizer
        self.max_positions = min(part.config.max_positions for part in (self._model, *self.others))
        """Tokens that a source or a target may have, symbols included."""
        self._adapters, self._merged = adapters, dict[str, tuple[int, Translator]]()
        if adapters is not None:
            adapters.follow(self._model)
        self._directions = DirectionSet(self.tokenizer, self.source_tokenizer)
        self._decoder = BatchDecoder((self._model, *self.others), tokenizer, adapters)
        self._prepared = self._decoder.prepared

    @classmethod
    def _takes(cls, model: Model) -> bool:
        """Whether a model reads a source and writes a target."""
        return isinstance(model, PairModel)

    @property
    def languages(self) -> Languages | None:
        """The languages of a model that has several, and how texts name them; None: the model has one direction."""
        return self._directions.languages

    def directed(self, source: str | None = None, target: str | None = None) -> Translator:
        """The translator of one direction of a model of several languages. Both have the same model.

        Args:
            source, target: the languages, as in `de`, `deu_Latn` or `de-AT`; None: the model's usual one.
        Raises:
            SettingsError: the model does not have a language, or needs one that is not named.
        """
        tokenizers = self._directions.tokenizers(self._directions.find(source, target))
        found = copy.copy(self)
        found.tokenizer, found.source_tokenizer = tokenizers
        found._directions = DirectionSet(*tokenizers)
        found._decoder, found._merged = self._decoder.writing_with(found.tokenizer), {}
        return found

    @property
    def in_one_direction(self) -> Translator:
        """This translator; of a model of several languages, that of its usual direction.

        Raises:
            SettingsError: it has none.
        """
        return self if self.languages is None else self.directed()

    @property
    def adapters(self) -> list[str]:
        """The names of the adapters."""
        return list(self._adapter_set.names)

    @property
    def _adapter_set(self) -> AdapterSet:
        return NO_ADAPTERS if self._adapters is None else self._adapters  # a translator without adapters can be pickled

    def adapted(self, name: str) -> Translator:
        """The translator with one adapter in its weights, decoding with the same engine. Weights that are not adapted are shared.

        It is that of the model as it is now: ask for it again after a change of the model.

        Raises:
            SettingsError: there is no such adapter; or the model was changed, and the adapter no longer fits it.
        """
        adapters = self._adapter_set
        adapters.number(name)
        with adapters.merging:
            adapters.follow(self._model)
            version, before = self._merged.get(name, (-1, None))
            if before is not None and version == adapters.version:
                return before
            found = Translator(merged(adapters.models[name]), self.tokenizer, self.source_tokenizer)
            found.use_engine(self._decoder.prepared.asked)
            found.confidence = adapters.confidences.get(name) if before is None else before.confidence
            self._merged[name] = adapters.version, found
        return found

    def refresh(self) -> None:
        """As `Pipeline.refresh`, with the adapters: their updates are put beside the weights as they are now."""
        if self._adapters is not None:
            self._adapters.renew(self._model)
        super().refresh()

    def to(self: Moved, device: str | torch.device) -> Moved:
        """As `Pipeline.to`, with the adapters."""
        super().to(device)
        if self._adapters is not None:
            self._adapters.renew(self._model)
        return self

    def _held(self) -> list[Model]:
        return [self._model, *self.others, *self._decoder.models, *self._adapter_set.models.values()]

    def _derived(self) -> list[Translator]:
        return [translator for _, translator in self._merged.values()]

    @classmethod
    def of(cls, loaded: LoadedModel) -> Translator:
        """The translator of a loaded model."""
        return cls(cast("PairModel", loaded.model), loaded.tokenizer, loaded.source_tokenizer)

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is a sequence of strings, too
        self, texts: str, options: DecodingOptions | None = None, *, source: str | None = None, target: str | None = None,
        prefixes: str | None = None, required: Sequence[str] | None = None, adapters: str | None = None,
        filters: Sequence[Filter] = (), on_done: Callable[[int], None] | None = None, **changes: Unpack[NamedDecodingOptions],
    ) -> Translation: ...  # fmt: skip

    @overload
    def translate(
        self, texts: Sequence[str], options: DecodingOptions | None = None, *, source: Codes = None, target: Codes = None,
        prefixes: Sequence[str] | None = None, required: Sequence[Sequence[str]] | None = None,
        adapters: Sequence[str | None] | None = None, filters: Sequence[Filter] = (),
        on_done: Callable[[int], None] | None = None, **changes: Unpack[NamedDecodingOptions],
    ) -> list[Translation]: ...  # fmt: skip

    def translate(
        self,
        texts: str | Sequence[str],
        options: DecodingOptions | None = None,
        *,
        source: Codes = None,
        target: Codes = None,
        prefixes: Any = None,
        required: Any = None,
        adapters: str | Sequence[str | None] | None = None,
        filters: Sequence[Filter] = (),
        on_done: Callable[[int], None] | None = None,
        **changes: Any,
    ) -> Translation | list[Translation]:
        """The translation of each text, in order; of one string, its translation. A blank text has the empty translation.

            translator.translate("Two dogs play.").text
            translator.translate(["Two dogs play."], beam_size=5, n_best=3)

        Args:
            texts: several, or one; then `prefixes`, `required` and `adapters` are those of one text, too.
            options: how to decode; None: the defaults.
            source, target: for models of several languages, their codes, such as `de`, `deu_Latn` or `zh-TW`: one for all
                texts, or one for each; None: the model's usual ones.
            prefixes: for each text, what its translation begins with.
            required: for each text, phrases that its translation must have (beam search only).
            adapters: for each text, the name of its adapter, or None for none.
            filters: of your own, such as those of `generation/filters.py`: they change log-probabilities at each step.
            on_done: called with the number of texts that were just finished.
            changes: options by name, as `DecodingOptions` lists them.
        Raises:
            DataError: a text is longer than the model can read, or not as many prefixes, lists of phrases or adapters as texts.
            SettingsError: an unknown option, a value out of range, or an adapter or a language that the translator does not
                have; or a language must be named, and is not.
        """
        of_texts: dict[str, Any] = {"prefixes": prefixes, "required": required, "adapters": adapters}
        if isinstance(texts, str):
            of_texts = {name: None if given is None else [given] for name, given in of_texts.items()}
        of_texts |= {"source": source, "target": target}
        if isinstance(texts, str):
            return self.translate([texts], options, **of_texts, filters=filters, on_done=on_done, **changes)[0]
        if adapters and not isinstance(adapters, str) and len(adapters) == len(texts) and len({*adapters}) == 1:
            of_texts["adapters"] = None
            if (name := adapters[0]) is not None:  # in the weights it is faster than beside them
                return self.adapted(name).translate(
                    texts, options, **of_texts, filters=filters, on_done=on_done, **changes
                )
        options = (options or DecodingOptions()).changed(**changes)
        return self._answers(texts, self.requests(texts, options, **of_texts), options, filters, on_done)

    def _answers(
        self,
        texts: Sequence[str],
        requests: Sequence[Request | None],
        options: DecodingOptions,
        filters: Sequence[Filter] = (),
        on_done: Callable[[int], None] | None = None,
        decoder: BatchDecoder | None = None,
    ) -> list[Translation]:
        """The translation of each text, as it was requested; the empty one where nothing was."""
        trace, decoder = Trace() if options.trace else None, decoder or self._decoder
        with_text = [index for index, request in enumerate(requests) if request is not None]
        asked = [request for request in requests if request is not None]
        found = decoder.decode(asked, options, filters, trace, on_done)
        decoding = decoder.begin([], options, filters) if options.alternatives else None
        results = [nothing()] * len(texts)
        for number, (index, hypotheses) in enumerate(zip(with_text, found, strict=True)):
            steps = trace.steps[number] if trace is not None else None
            results[index] = self._translation(texts[index], asked[number], hypotheses, options, decoding, steps)
        return results

    def _translation(
        self, text: str | EncodedSentence, request: Request | None, hypotheses: list[Hypothesis], options: DecodingOptions,
        decoding: Decoding | None, steps: list[list[TracedCandidate]] | None = None,
    ) -> Translation:  # fmt: skip
        """The translation of a text from its hypotheses, with the alternatives, alignment and trace that the options ask for."""
        if not hypotheses or request is None:
            return nothing()

        def analyze(found: Hypothesis | Candidate) -> TargetAnalysis:
            return self._analysis(
                text, found.ids, has_end=found.finish_reason == "eos", adapter=request.adapter,
                encoded_source=request.source_ids, start_ids=request.start_ids,
            )  # fmt: skip

        if options.coverage_penalty:
            hypotheses = by_coverage(hypotheses, analyze, options)
        candidates = candidates_of(hypotheses, self.tokenizer, options)
        best = candidates[0]
        analysis, alternatives = analyze(best), None
        if options.alternatives and decoding is not None:
            restricted = partial(decoding.restrict_target, ids=best.ids, request=request)
            alternatives = analysis.alternatives(options.alternatives, restricted)
        calibrated = self._confidence_with(request.adapter)
        return Translation(
            **vars(best),
            n_best=candidates,
            alternatives=alternatives,
            alignment=analysis.alignment() if options.alignment else None,
            trace=steps,
            confidence=calibrated.expect(best.token_log_probs) if calibrated else None,
        )

    def _confidence_with(self, number: int) -> Confidence | None:
        """The confidence of the model with the adapter of a number; 0: of the model without."""
        if not number:
            return self.confidence
        name = self._adapter_set.names[number - 1]
        _, alone = self._merged.get(name, (0, None))
        return self._adapter_set.confidences.get(name) if alone is None else alone.confidence

    def translate_lines(
        self, lines: Iterable[str], options: DecodingOptions | None = None, *, source: str | None = None,
        target: str | None = None, prefixes: Iterable[str] | None = None, required: Iterable[Sequence[str]] | None = None,
        adapters: Iterable[str | None] | None = None, filters: Sequence[Filter] = (), first: int = 1,
        on_done: Callable[[int], None] | None = None,
    ) -> Iterator[Translation]:  # fmt: skip
        """The translation of each line, in order, a window of lines at a time: memory does not grow with their number.

        The arguments are those of `translate`. Random choices depend on the seed and the number of the line.

        Args:
            first: the number of the first line, where others came before.
        """
        lines, start = iter(lines), first
        options = options or DecodingOptions()
        given = {"prefixes": prefixes, "required": required, "adapters": adapters}
        besides: dict[str, Iterator[Any]] = {name: iter(each) for name, each in given.items() if each is not None}
        while window := list(islice(lines, WINDOW)):
            check_texts(window, "lines", first - 1)
            entries = {name: list(islice(each, len(window))) for name, each in besides.items()}
            requests = self.requests(window, options, **entries, first=first, source=source, target=target)
            yield from self._answers(window, requests, options, filters, on_done)
            first += len(window)
        for name, more in besides.items():
            if next(more, None) is not None:
                raise DataError(
                    f"`{name}` needs one entry for each text; got more than {first - start}, for {first - start} texts."
                )

    def stream(
        self,
        text: str,
        options: DecodingOptions | None = None,
        *,
        source: str | None = None,
        target: str | None = None,
        filters: Sequence[Filter] = (),
        **changes: Unpack[NamedDecodingOptions],
    ) -> Iterator[str]:
        """The translation of a text, piece by piece: what is certain after each step. Pieces are never taken back.

        In greedy search and sampling that is each token; in beam search, what all hypotheses begin with that can still win.
        Leaving the iterator ends the computation.

        Args:
            source: the language of the text, of a model of several languages; `target` likewise, as for `translate`.
        Raises:
            SettingsError: an option that needs the whole translation: `n_best` above 1, `minimum_bayes_risk`,
                `coverage_penalty`, `alternatives`, `alignment` or `trace`.
        """
        options = (options or DecodingOptions()).changed(**changes)
        options.check_stream()
        running = self.running(options, filters)
        running.add(0, text, self.requests([text], options, source=source, target=target)[0])
        told = ""
        while len(running):
            done = running.step()
            text_so_far = done[0][1].text if done else running.so_far(0)
            if text_so_far.startswith(told) and len(text_so_far) > len(told):
                yield text_so_far[len(told) :]
                told = text_so_far

    def running(
        self,
        options: DecodingOptions | None = None,
        filters: Sequence[Filter] = (),
        **changes: Unpack[NamedDecodingOptions],
    ) -> RunningTranslations:
        """Translations that begin and end one by one, in one batch: what a server decodes with.

        Raises:
            SettingsError: `trace`, which tells the search of one text.
        """
        options = (options or DecodingOptions()).changed(**changes)
        if options.trace:
            raise SettingsError("`trace` records the search of one text; use `translate`, or remove `trace`.")
        likeliest = Likeliest()
        decoding = self._decoder.begin([], options, [*filters, likeliest])

        def finish(text: str | EncodedSentence, request: Request | None, found: list[Hypothesis]) -> Translation:
            return self._translation(text, request, found, options, decoding)

        return RunningTranslations(decoding, options, self.tokenizer, finish, likeliest)

    def score(self, sources: Sequence[str], targets: Sequence[Given], *, alternatives: int = 0) -> list[ForcedScore]:
        """The log-probability of each target, a text or the ids of its tokens, given its source.

        Args:
            alternatives: how many of the likeliest tokens that can be written in the place of each to return.
        Raises:
            DataError: a text longer than the model can read, or not as many targets as sources.
        """
        if alternatives < 0:
            raise SettingsError(f"alternatives must be at least 0; got {alternatives}.")
        one = self.in_one_direction
        model, tokenizer, reader = one._model, one.tokenizer, one.source_tokenizer
        check_not_training(model)
        texts = [each if isinstance(each, str) else "" for each in targets]
        found = pair_likelihood(model, tokenizer, reader, sources, texts).token_log_probs
        room, rows = model.config.max_positions - len(tokenizer.symbols.start_ids), list[ForcedScore]()
        for number, (source, target) in enumerate(zip(sources, targets, strict=True)):
            ids = one._given_ids(target, room, f"pair {number + 1}: a text")
            analysis = one._analysis(source, ids, has_end=True)
            values = found[number] if isinstance(target, str) else analysis.token_log_probs()
            likeliest = analysis.alternatives(alternatives, one._decoder.writable) if alternatives else None
            tokens = tokenizer.tokens([*ids, tokenizer.eos_id])
            rows.append(ForcedScore(math.fsum(values), tokens, values, likeliest, list(ids)))
        return rows

    def evaluate(
        self, sources: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False,
        calibrate: bool = False, more_references: Sequence[Sequence[str]] = (), **options: Unpack[NamedDecodingOptions],
    ) -> dict[str, Any]:  # fmt: skip
        """Every score of the model on some pairs, by name, and under `signatures` how they were counted.

        `bleu` and `chrf` from 0 to 100, `exact_match` and `token_accuracy` from 0 to 1, `perplexity` per token. Those of given
        targets, the last two, are not there for ensembles.

        Args:
            calibrate: also set `confidence`, for translations from now on. It needs 100 pairs; with fewer it is None.
            more_references: of BLEU, chrF and exact match, a list for each beside the first; a blank reference is none.
            options: of decoding, as `DecodingOptions` has them. Of a model with an adapter, evaluate `adapted(name)`.
        Raises:
            DataError: there are no pairs, or not as many references as sources.
            SettingsError: an option that is not of decoding.
        """
        if not sources:
            raise DataError("sources must be at least one; got none.")
        decoding = DecodingOptions().changed(**options)
        metrics, translator = TextMetrics(tokenize=tokenize, lowercase=lowercase), self.in_one_direction
        models = [translator._model, *translator.others]
        scored = target_likelihood(models, translator.tokenizer, translator.source_tokenizer, sources, references)
        translations = translator.translate(sources, decoding)
        texts = [translation.text for translation in translations]
        if calibrate:
            log_probs = [translation.token_log_probs for translation in translations]
            self.confidence = Confidence.calibrate(log_probs, texts, references)
        forced = scored.results() if scored else {}
        return {**metrics.score(texts, references, more_references).results(), **forced, "num_pairs": len(texts)}

    def evaluate_files(
        self, data: Sequence[str | os.PathLike[str]], *, tell: Callable[[str], None] = lambda hint: None, **options: Any
    ) -> dict[str, Any]:
        """The scores of `evaluate`, whose options it has, on files of pairs; `references` are files of more references.

        A model of several languages is measured for each direction of files that say it, under `by_direction`; `mean` is that of
        BLEU and chrF over the directions.
        """
        return file_scores(self, data, tell, options)

    def align(
        self, source: str, target: Given | None = None, *, layer: int | None = None, head: int | None = None
    ) -> Alignment:
        """Which source tokens each token of the target (by default, of the translation) was written from.

        Args:
            layer: of the decoder, from 0; None: that of `model.alignment_head`, or else the one that is sharpest on this pair.
            head: from 0; None: the mean over the heads, but for the alignment head.
        """
        translator = self.in_one_direction
        ids, has_end = translator._written(source, target)
        return translator._analysis(source, ids, has_end=has_end).alignment(layer, head)

    def inspect(
        self,
        text: str,
        target: Given | None = None,
        *,
        rank: int = 1,
        ablate: Sequence[str | Sequence[str]] = (),
        hidden_states: bool = False,
        norms: bool = False,
        prefix: str = "",
        index: int = 0,
        options: DecodingOptions | None = None,
        **changes: Unpack[NamedDecodingOptions],
    ) -> Inspection:
        """The attention of every head while a text is translated; or as if `target` were written.

        Args:
            target: a text, or the ids of its tokens: a model may write others than those that a text is cut into.
            prefix: what the translations begin with, with all heads and without some.
            index: the text's place among those that were translated with it, from 0: samples depend on it.
            rank: which of the `n_best` translations; 1 is the best.
            ablate: heads to try it without, such as "cross.2.3": all, then each alone. Those in a list, together only.
            hidden_states: also every layer's states, and what each layer would say.
            norms: how much of each token a head really moves, in place of its weights.
            options: how to decode; None: the defaults.
            changes: options by name.
        Raises:
            DataError: the text is blank.
            SettingsError: a head that the model does not have, or a rank that is not.
        """
        options = (options or DecodingOptions()).changed(**changes)
        check_heads(self._model, ablate)
        check_words(text)
        seed = seed_of(options.seed, index)
        requests = [request and replace(request, seed=seed) for request in self.requests([text], options, [prefix])]
        has_end = True
        if target is None:
            several = options.changed(n_best=max(rank, options.n_best))
            found = self._answers([text], requests, several)[0].ranked(rank)
            target, has_end = found.ids, found.finish_reason == "eos" or not found.ids
        alone = BatchDecoder((self._model,), self.tokenizer) if self.others else self._decoder

        def translate(source: str) -> str:
            return self._answers([source], requests, options, decoder=alone)[0].text

        shown: dict[str, Any] = {"hidden_states": hidden_states, "norms": norms, "ablate": ablate}
        shown |= {"translate": translate, "has_end": has_end}
        return self.inspect_ids(text, self.written_ids(text, target), **shown)

    def _analysis(
        self, source: str | EncodedSentence, target_ids: Sequence[int], *, has_end: bool, adapter: int = 0,
        encoded_source: Sequence[int] | None = None, start_ids: Sequence[int] | None = None,
    ) -> TargetAnalysis:  # fmt: skip
        """The analysis of a target, given by its ids."""
        adapters = self._adapter_set
        models = [adapters.models[adapters.names[adapter - 1]]] if adapter else [self._model, *self.others]
        tokenizers = self.tokenizer, self.source_tokenizer
        return TargetAnalysis(models, *tokenizers, source, target_ids, has_end, encoded_source, start_ids)

    def inspect_ids(self, text: str, target_ids: Sequence[int], **options: Any) -> Inspection:
        """The attention of every head while a target, given by its ids, is written. Options are those of `inspect_pair`."""
        directed = self.in_one_direction
        return inspect_pair(
            LoadedModel(self._model, directed.tokenizer, directed.source_tokenizer), text, target_ids, **options
        )

    def written_ids(
        self, source: str, target: Given | None = None, rank: int = 1, options: DecodingOptions | None = None
    ) -> list[int]:
        """The ids of a target, or of the translation of a source that has this rank, without symbols."""
        return self._written(source, target, rank, options)[0]

    def _written(
        self, source: str, target: Given | None = None, rank: int = 1, options: DecodingOptions | None = None
    ) -> tuple[list[int], bool]:
        """The ids of a target or translation, and whether the end symbol follows them."""
        check_words(source)
        if self.languages is not None:
            return self.directed()._written(source, target, rank, options)
        if target is not None:
            return self._given_ids(target, self._model.config.max_positions, "target"), True
        found = self.translate([source], options)[0].ranked(rank)
        return found.ids, found.finish_reason == "eos"

    def _given_ids(self, target: Given, room: int, what: str) -> list[int]:
        """The ids of a target that is given: `what` in the message where they are more than there is room for."""
        ids = to_ids(target, self.tokenizer, self._model.config.vocab_size)
        if len(ids) > room:
            raise DataError(f"{what} must have at most {room} tokens; got {len(ids)}.")
        return ids

    def requests(
        self,
        texts: Sequence[str | EncodedSentence],
        options: DecodingOptions,
        prefixes: Sequence[str] | None = None,
        required: Sequence[Sequence[str]] | None = None,
        first: int = 1,
        *,
        adapters: str | Sequence[str | None] | None = None,
        source: Codes = None,
        target: Codes = None,
    ) -> list[Request | None]:
        """The request for each text; None for a blank one. `first` is the number of the first line."""
        directed = self._directions.of_texts(source, target, len(texts))
        readers = None if directed is None else [each.reader for each in directed]
        sources = encode_sources(self.source_tokenizer, texts, self.max_positions, first, readers)
        starts = [tuple(each.writer.symbols.start_ids) for each in directed or ()]
        longest_start = max(map(len, starts), default=len(self.tokenizer.symbols.start_ids))
        room = self.max_positions - (longest_start - 1)
        found = make_requests(self.tokenizer, options, room, texts, sources, prefixes, required, first)
        if directed is not None:
            found = [request and replace(request, start_ids=ids) for request, ids in zip(found, starts, strict=True)]
        if adapters is None:
            return found
        numbers = self._adapter_set.numbers(adapters, len(texts))
        return [request and replace(request, adapter=number) for request, number in zip(found, numbers, strict=True)]
