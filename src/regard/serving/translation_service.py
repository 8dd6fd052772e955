"""Texts become jobs of encoded sentences: documents, sentences, constraints, and the scheduler that takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from regard.batching.job_errors import SHUTTING_DOWN
from regard.batching.jobs import Job
from regard.batching.queue import with_newest
from regard.batching.scheduler import Scheduler
from regard.documents.markup import Block, Document
from regard.documents.sentences import Pieces
from regard.pipelines.translator import Translator
from regard.serving.character_counts import CharacterCounts
from regard.serving.directions import ANY, Direction, adapter_of, code_of
from regard.serving.documents import documents_of, pieces_of
from regard.serving.glossaries import required_phrases
from regard.serving.limits import ServingError
from regard.serving.model_registry import LEAST_LETTERS, ModelRegistry
from regard.serving.text_results import PendingTranslation
from regard.serving.translation_request import TranslationRequest
from regard.text.encoded_sentence import EncodedSentence

MOST_CANDIDATES = 32
"""Candidates of minimum Bayes risk."""
WORTH_A_THREAD = 1_000
"""Characters from which texts are encoded in a thread, so that other requests are answered meanwhile."""


class SentenceEncoder:
    """Encodes the sentences of a request, each once.

    Attributes:
        most_tokens: that a sentence may have.
    """

    def __init__(self, translator: Translator) -> None:
        tokenizer = translator.source_tokenizer
        self.most_tokens = translator.max_positions - len(tokenizer.frame_source([]))
        self.encode = cache(tokenizer.encode_sentence)
        """The sentence of a text, with its tokens."""

    def fits(self, text: str) -> bool:
        """Whether the model can read a sentence."""
        return len(text) <= 16 * self.most_tokens and len(self.encode(text).ids) <= self.most_tokens


class TranslationService:
    """Translates texts with the models of a registry."""

    def __init__(self, registry: ModelRegistry, characters: CharacterCounts) -> None:
        self.registry, self.limits = registry, registry.limits
        self._characters = characters

    def check_texts(self, texts: Sequence[str]) -> None:
        """Make sure that texts are taken, and that they are not too many.

        Raises:
            ServingError: they are not.
        """
        if self.registry.is_draining:
            raise ServingError(503, SHUTTING_DOWN, 5)
        if len(texts) > self.limits.texts:
            raise ServingError(413, f"A request may have at most {self.limits.texts:,} texts; got {len(texts):,}.")
        if (size := sum(map(len, texts))) > self.limits.characters:
            raise ServingError(413, f"A request may have at most {self.limits.characters:,} characters; got {size:,}.")

    def check(self, wanted: TranslationRequest) -> None:
        """Make sure that a request is within the bounds.

        Raises:
            ServingError: it is not.
        """
        limits, options = self.limits, wanted.options
        self.check_texts(wanted.texts)
        by_risk = options.minimum_bayes_risk is not None
        wide = max(options.beam_size, options.n_best, options.num_candidates if by_risk else 0)
        widest = max(limits.beam_size, MOST_CANDIDATES) if by_risk else limits.beam_size
        if wide > widest:
            names = "beam_size, n_best and num_candidates" if by_risk else "beam_size and n_best"
            raise ServingError(400, f"{names} may be at most {widest}; got {wide:,}.")
        if options.alternatives > limits.alternatives:
            raise ServingError(400, f"alternatives may be at most {limits.alternatives}; got {options.alternatives:,}.")

    def is_short(self, wanted: TranslationRequest) -> bool:
        """Whether a request is begun, and its answer put together, in less time than a thread takes to be woken."""
        plain = wanted.format == "text" and not wanted.glossaries
        size = sum(map(len, wanted.texts))
        is_detected = code_of(wanted.source) is None and (size >= LEAST_LETTERS or not self.registry.has_one_source)
        return plain and not is_detected and size < WORTH_A_THREAD

    def submit(
        self,
        wanted: TranslationRequest,
        on_progress: Callable[[int, Any], None] | None = None,
        *,
        watches: bool = False,
        owner: bytes | None = None,
    ) -> PendingTranslation:
        """Begin to translate.

        Args:
            on_progress: called in another thread with the index of a sentence and the part of its translation that is certain.
            watches: it gets a `PartialTranslation` instead: hypotheses and alternatives, too.
            owner: the key of the client, whose characters are counted.
        Raises:
            ServingError: out of bounds, no such direction, or too much to do.
        """
        self.check(wanted)
        confidence, documents = 1.0, documents_of(wanted)
        if code_of(wanted.source) is None:
            source, confidence = self._detected(wanted, documents)
            wanted = replace(wanted, source=source)
        if (same := self._same_language(wanted)) is not None:
            pending = self._untranslated(wanted, same, confidence)
        else:
            direction, scheduler = self.registry.route(wanted.source, wanted.target)
            pieces, job = self.prepare(wanted, documents, direction, scheduler.pipeline)
            job.on_progress, job.watches = on_progress, watches

            def begin(found: tuple[Direction, Scheduler[Translator]]) -> tuple[Direction, Scheduler[Translator]]:
                found[1].submit(job)
                return found

            pending = PendingTranslation(
                *with_newest(lambda: self.registry.route(wanted.source, wanted.target), begin),
                job, documents, pieces,
                confidence=confidence, num_ranks=wanted.options.n_best, has_markup=wanted.format != "text",
                is_short=self.is_short(wanted),
            )  # fmt: skip
        self._characters.add(owner, sum(map(len, wanted.texts)))
        return pending

    def prepare(
        self, wanted: TranslationRequest, documents: Sequence[Document], direction: Direction, translator: Translator
    ) -> tuple[list[Pieces], Job]:
        """The sentences of the blocks of some documents, and the job that these are, encoded for a model.

        Raises:
            ServingError: 400, constraints that the texts cannot have; 413, too many sentences, or too long ones.
        """
        encoder = SentenceEncoder(translator)
        blocks = [block for document in documents for block in document.blocks]
        pieces = pieces_of(wanted, blocks, None if direction.source == ANY else direction.source, encoder.fits)
        texts = [sentence for piece in pieces for sentence in piece.sentences]
        if len(texts) > self.limits.sentences:
            message = f"A request may have at most {self.limits.sentences:,} sentences; got {len(texts):,}."
            raise ServingError(413, message)
        readable = 16 * translator.max_positions  # a longer one is refused by its beginning, and not encoded
        sentences = [encoder.encode(text) if len(text) <= readable else text for text in texts]
        options = wanted.options if wanted.format == "text" else wanted.options.changed(alignment=True)
        if options.alignment:
            self._check_alignments([each for each in sentences if isinstance(each, EncodedSentence)])
        with_text = [index for index, piece in enumerate(pieces) if piece.sentences]
        given: dict[str, Sequence[Any] | None] = {"prefixes": wanted.prefixes, "required": wanted.required}
        constraints = {name: [each[index] for index in with_text] for name, each in given.items() if each is not None}
        if wanted.glossaries:
            constraints["required"] = required_phrases(wanted.glossaries, translator, sentences, options)
        job = Job(sentences, options, self.limits.seconds, constraints)
        return pieces, job

    def _detected(self, wanted: TranslationRequest, documents: Sequence[Document]) -> tuple[str | None, float]:
        """The language of texts whose language was not named, and its probability: the target's if they surely are in it already,
        else one that is translated into it. Markup says nothing about it.
        """
        text = "\n".join(block.text for document in documents for block in document.blocks)
        if (target := code_of(wanted.target)) is not None and (certainty := self.registry.certainty_of(text, target)):
            return target, certainty
        likely = self.registry.detect(text, wanted.target)
        return likely[0] if likely else (wanted.source, 1.0)

    def _same_language(self, wanted: TranslationRequest) -> str | None:
        """The language of a request whose source and target are the same, if it is served otherwise, and no model is for that."""
        source, target = code_of(wanted.source), code_of(wanted.target)
        if source is None or source != target or source not in self.registry.codes or adapter_of(wanted.target):
            return None
        translators = self.registry.translators
        return None if any((each.source, each.target) == (source, target) for each in translators) else source

    def _untranslated(self, wanted: TranslationRequest, code: str, confidence: float) -> PendingTranslation:
        """The texts as they are: they are in the language that they should be in."""
        documents = [Document(["", ""], [Block(text)]) for text in wanted.texts]
        pieces = [Pieces([], [text]) for text in wanted.texts]
        nothing = Job([], wanted.options, 0.0)
        scheduler = next(iter(self.registry.translators.values()))
        return PendingTranslation(Direction(code, code), scheduler, nothing, documents, pieces, confidence=confidence)

    def _check_alignments(self, sentences: Sequence[EncodedSentence]) -> None:
        """Make sure that alignments fit into memory.

        Raises:
            ServingError: 413, they do not.
        """
        lengths = [len(sentence.ids) for sentence in sentences]
        if sum(length * (2 * length + 64) for length in lengths) > self.limits.alignment_cells:
            message = "The sentences are too long, or too many, for their alignments, which details and markup need. Send fewer."
            raise ServingError(413, message)
