"""From texts to translations: which model, which sentences, and how its answers become one text again."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from regard.errors import SettingsError
from regard.generation.threads import num_threads
from regard.pipelines.loading import load_with_adapters
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.answers import Asked, Pending
from regard.serving.batching.engine import AdapterEngine, Engine
from regard.serving.batching.jobs import Job
from regard.serving.batching.queue import with_newest
from regard.serving.directions import ANY, PRIVATE, Direction, adapter_of, code_of
from regard.serving.documents import documents_of, pieces_of
from regard.serving.limits import DRAINING, NO_MODEL, Limits, ServingError, UnsupportedLanguageError
from regard.serving.metrics import Metrics
from regard.serving.snapshots import Snapshots
from regard.serving.texts.glossaries import required_phrases
from regard.serving.texts.language import detect, has_letters
from regard.serving.texts.markup import Block, Document
from regard.serving.texts.sentences import Pieces

Kind = TypeVar("Kind", bound=Pipeline)
CLOSING_SECONDS = 30.0
WAITING_SECONDS = 10.0
"""How often it is said that a reload waits."""
LOG = logging.getLogger("regard.serving")


class Service:
    """Models by direction, each with its engine.

    Args:
        models: folders, each with its direction; one whose direction is None serves all.
        adapters: of these models, by name. A request names one in its target: `de-x-legal`.
    """

    def __init__(
        self,
        models: Sequence[tuple[Path, Direction | None]],
        limits: Limits,
        *,
        adapters: Mapping[str, Path] | None = None,
        device: str = "auto",
        precision: str = "float32",
        engine: str = "auto",
    ) -> None:
        self.limits, self.metrics, self.is_draining = limits, Metrics(), False
        self.num_characters = Counter[bytes | None]()
        """Of all texts so far, by the key of the client; None: no keys are needed."""
        self._adapters = dict(adapters or {})
        self._folders = list(models)
        self._loading = {"device": device, "precision": precision, "engine": engine}
        self.snapshots = Snapshots(device, precision)
        self._num_threads = num_threads()
        self.reload_error = ""
        self._reloading = Lock()
        self._retired: list[Engine[Any]] = []
        """Engines of models that were replaced, and that may still have work."""
        self.engines, self.others = self._load()
        self.metrics.gauge("regard_queue_depth", lambda: sum(engine.queue_depth for engine in self.all_engines))
        self.metrics.gauge("regard_active_sentences", lambda: sum(engine.num_active for engine in self.all_engines))
        self.metrics.gauge("regard_models", lambda: len(self.all_engines))

    @property
    def all_engines(self) -> list[Engine[Any]]:
        """Those of all models. Adapters use that of their model."""
        own = [engine for engine in self.engines.values() if not isinstance(engine, AdapterEngine)]
        return [*own, *self.others.values()]

    def _load(self) -> tuple[dict[Direction, Engine[Translator]], dict[str, Engine[Any]]]:
        """The engines of models that translate, by direction, and of others, by the names of their folders.

        Raises:
            SettingsError: several models that translate, of which one says no direction; or two of others of one name.
        """
        translators: dict[Direction | None, tuple[Path, Translator]] = {}
        others: dict[str, Pipeline] = {}
        left = set(self._adapters)
        for folder, direction in self._folders:
            pipeline, with_adapters = load_with_adapters(folder, self._adapters, **self._loading)
            left -= {*with_adapters, *getattr(pipeline, "adapters", ())}
            if isinstance(pipeline, Translator):
                if translators and None in (direction, *translators):
                    unsaid = folder if direction is None else translators[None][0]
                    raise SettingsError(
                        f"{unsaid} does not say its languages, and there are several models. Write, for example, "
                        f"`en-de={unsaid}`."
                    )
                translators[direction] = folder, pipeline
            elif folder.name in others:
                raise SettingsError(f"each model must have a name of its own; got {folder.name} twice.")
            else:
                others[folder.name] = pipeline
                others |= {f"{folder.name}{PRIVATE}{name}": each for name, each in with_adapters.items()}
        if left:
            name = min(left)
            raise SettingsError(
                f"an adapter must belong to one of the models; {self._adapters[name]} belongs to none of them."
            )

        def begin(pipeline: Any) -> Engine[Any]:
            return Engine(pipeline, self.limits, self.metrics, self._num_threads)

        engines: dict[Direction, Engine[Any]] = {
            direction or Direction(ANY, ANY): begin(translator) for direction, (_, translator) in translators.items()
        }
        engines |= {
            replace(direction, adapter=name): AdapterEngine(engine, name)
            for direction, engine in engines.items()
            for name in getattr(engine.pipeline, "adapters", ())
        }
        return engines, {name: begin(pipeline) for name, pipeline in others.items()}

    def reload(self) -> None:
        """Load all models anew. From then on, they answer new requests. Accepted ones end with the old models, which this waits
        for, so that no third set is in memory; if a model cannot be loaded, all old ones stay. The log says each step.
        """
        with self._reloading:
            self._replace()

    def _replace(self) -> None:
        try:
            newer = self._load()
        except Exception as error:
            self.reload_error = str(error)
            raise
        self._retired = self.all_engines
        (self.engines, self.others), self.reload_error = newer, ""
        for engine in self._retired:
            engine.close()
        num_left = self._num_left
        LOG.info("the models were loaded anew%s", f", {self.left_to_do}" if num_left else "")
        for engine in self._retired:
            while not engine.join(WAITING_SECONDS):  # its model leaves memory before another reload needs it
                LOG.info("a reload waits: %s", self.left_to_do)
        self._retired = []
        if num_left:
            LOG.info("the old models have answered what they had accepted, and are gone")

    @property
    def _num_left(self) -> int:
        return sum(engine.queue_depth + engine.num_active for engine in self._retired)

    @property
    def left_to_do(self) -> str:
        """What the models that were replaced still do."""
        return f"the old ones have {self._num_left:,} sentences left"

    @property
    def is_idle(self) -> bool:
        """Whether no engine has work."""
        return all(engine.is_idle for engine in (*self.all_engines, *self._retired))

    def close(self, *, at_once: bool = False) -> None:
        """End all engines when what they have accepted is done, and wait for that: a thread that computes while the process
        ends would abort it.

        Args:
            at_once: answer with an error what is not done.
        """
        engines = [*self.all_engines, *self._retired]
        for engine in engines:
            engine.stop() if at_once else engine.close()
        for engine in engines:
            engine.join(CLOSING_SECONDS)

    def languages(self) -> dict[str, list[str]]:
        """Into which languages each language is translated."""
        found: dict[str, list[str]] = {}
        for direction in self.engines:
            found.setdefault(direction.source, []).append(direction.target_code)
            if direction.target not in found:
                found[direction.target] = []
        return found

    @property
    def codes(self) -> set[str]:
        """The languages that are read or written."""
        return {code for direction in self.engines for code in (direction.source, direction.target)}

    def engine_for(self, source: str | None, target: str | None) -> tuple[Direction, Engine[Translator]]:
        """The model of a direction.

        Args:
            source: None: the only one that is translated into the target.
        Raises:
            ServingError: there is none.
        """
        adapter = adapter_of(target)
        if adapter and adapter not in (names := {direction.adapter for direction in self.engines}):
            known = ", ".join(sorted(names - {""})) or "none"
            raise ServingError(400, f"{adapter} is not an adapter of this server. Adapters here: {known}.")
        source, target = (code_of(each) for each in (source, target))
        anything = Direction(ANY, ANY, adapter)
        if anything in self.engines:
            return Direction(source or ANY, target or ANY, adapter), self.engines[anything]
        found = [
            direction
            for direction in self.engines
            if direction.adapter == adapter
            and (source is None or direction.source == source)
            and (target is None or direction.target == target)
        ]
        if source is None and len({direction.source for direction in found}) > 1:
            sources = ", ".join(direction.source for direction in found)
            raise ServingError(400, f"The source language must be named: this server reads {sources}.")
        if found:
            return found[0], self.engines[found[0]]
        if not self.engines:
            raise ServingError(400, "This server has no model that translates.")
        known = ", ".join(map(str, self.engines))
        for code, codes in ((source, {d.source for d in self.engines}), (target, {d.target for d in self.engines})):
            if code is not None and code not in codes:
                raise UnsupportedLanguageError(code, known)
        raise ServingError(400, f"{source} to {target} is not supported. This server translates {known}.")

    def folder_of(self, model: Direction | str) -> Path:
        """The folder of the model of a direction, or of a name."""
        if isinstance(model, Direction):
            model = replace(model, adapter="") if model in self.engines else Direction(ANY, ANY)
        else:
            model = model.partition(PRIVATE)[0]
        return next(
            folder
            for folder, direction in self._folders
            if (folder.name if isinstance(model, str) else direction or Direction(ANY, ANY)) == model
        )

    def other(self, kind: type[Kind], name: str | None) -> tuple[str, Engine[Kind]]:
        """The model of a name that does not translate.

        Args:
            name: None: the only one of its kind.
        Raises:
            ServingError: 404, there is none.
        """
        found = {each: engine for each, engine in self.others.items() if isinstance(engine.pipeline, kind)}
        if name is None and len(found) == 1:
            return next(iter(found.items()))
        if name in found:
            return str(name), found[str(name)]
        known = ", ".join(found) or "none"
        what = f"{kind.kind} called {name!r}" if name else f"{kind.kind} whose name is not said"
        message = f"This server has no model that is {what}. Such models here: {known}."
        raise ServingError(404, message, param="model", code=NO_MODEL)

    def detect(self, text: str, target: str | None = None) -> list[tuple[str, float]]:
        """The languages that are translated into a target, or into any, with the probability that a text is in each, from 0 to 1;
        the likeliest first. The only one has probability 1. All have 0 where a text has no letters, which says nothing, or where
        nobody said which languages the model reads.
        None, if they cannot be told apart: py3langid is not installed.
        """
        target = code_of(target)
        sources = sorted({each.source for each in self.engines if target in (None, each.target)})
        found = [(code, 1.0) for code in sources] if len(sources) == 1 else detect(text, sources)
        return found if has_letters(text) and ANY not in sources else [(code, 0.0) for code in sources if found]

    def check_texts(self, texts: Sequence[str]) -> None:
        """Make sure that texts are taken, and that they are not too many.

        Raises:
            ServingError: they are not.
        """
        if self.is_draining:
            raise ServingError(503, DRAINING, 5)
        if len(texts) > self.limits.texts:
            raise ServingError(413, f"A request may have at most {self.limits.texts:,} texts; got {len(texts):,}.")
        if (size := sum(map(len, texts))) > self.limits.characters:
            raise ServingError(413, f"A request may have at most {self.limits.characters:,} characters; got {size:,}.")

    def check(self, asked: Asked) -> None:
        """Make sure that a request is within the bounds.

        Raises:
            ServingError: it is not.
        """
        limits, options = self.limits, asked.options
        self.check_texts(asked.texts)
        wide = max(options.beam_size, options.n_best, options.num_candidates if options.minimum_bayes_risk else 0)
        if wide > max(limits.beam_size, 32 if options.minimum_bayes_risk else 0):
            raise ServingError(400, f"beam_size and n_best may be at most {limits.beam_size}; got {wide:,}.")
        if options.alternatives > limits.alternatives:
            raise ServingError(400, f"alternatives may be at most {limits.alternatives}; got {options.alternatives:,}.")

    def submit(
        self, asked: Asked, on_progress: Callable[[int, Any], None] | None = None, *, watches: bool = False
    ) -> Pending:
        """Begin to translate.

        Args:
            on_progress: is told, in another thread, the index of a sentence and what is certain of its translation.
            watches: it is told a `Seen` instead: hypotheses and alternatives, too.
        Raises:
            ServingError: out of bounds, no such direction, or too much to do.
        """
        self.check(asked)
        confidence = 1.0
        if code_of(asked.source) is None and (likely := self.detect("\n".join(asked.texts), asked.target)):
            asked, confidence = replace(asked, source=likely[0][0]), likely[0][1]
        if (same := self._same_language(asked)) is not None:
            return self._untranslated(asked, same, confidence)
        direction, engine = self.engine_for(asked.source, asked.target)
        translator = engine.pipeline
        room = translator.max_positions - len(translator.source_tokenizer.frame_source([]))

        def fits(text: str) -> bool:
            return len(text) <= 16 * room and len(translator.source_tokenizer.encode(text)) <= room

        documents = documents_of(asked)
        blocks = [block for document in documents for block in document.blocks]
        pieces = pieces_of(asked, blocks, None if direction.source == ANY else direction.source, fits)
        sentences = [sentence for piece in pieces for sentence in piece.sentences]
        if len(sentences) > self.limits.sentences:
            message = f"A request may have at most {self.limits.sentences:,} sentences; got {len(sentences):,}."
            raise ServingError(413, message)
        options = asked.options
        if asked.format != "text":
            options = options.changed(alignment=True)
        if options.alignment:
            self._check_alignments(translator, sentences)
        with_text = [index for index, piece in enumerate(pieces) if piece.sentences]
        of_texts: dict[str, Sequence[Any] | None] = {"prefixes": asked.prefixes, "required": asked.required}
        wishes = {name: [each[index] for index in with_text] for name, each in of_texts.items() if each is not None}
        if asked.glossaries:
            wishes["required"] = required_phrases(asked.glossaries, translator, sentences, options)
        job = Job(sentences, options, time.monotonic() + self.limits.seconds, wishes, on_progress, watches)

        def begin(found: tuple[Direction, Engine[Translator]]) -> tuple[Direction, Engine[Translator]]:
            found[1].submit(job)
            return found

        direction, engine = with_newest(lambda: self.engine_for(asked.source, asked.target), begin)
        return Pending(
            direction, engine, job, documents, pieces,
            confidence=confidence, num_ranks=options.n_best, has_markup=asked.format != "text",
        )  # fmt: skip

    def _same_language(self, asked: Asked) -> str | None:
        """The language of a request whose source and target are the same, if it is served otherwise, and no model is for that."""
        source, target = code_of(asked.source), code_of(asked.target)
        if source is None or source != target or source not in self.codes or adapter_of(asked.target):
            return None
        return None if any((each.source, each.target) == (source, target) for each in self.engines) else source

    def _untranslated(self, asked: Asked, code: str, confidence: float) -> Pending:
        """Texts as they are: they are in the language that they should be in."""
        documents = [Document(["", ""], [Block(text)]) for text in asked.texts]
        pieces = [Pieces([], [text]) for text in asked.texts]
        nothing = Job([], asked.options, time.monotonic())
        engine = next(iter(self.engines.values()))
        return Pending(Direction(code, code), engine, nothing, documents, pieces, confidence=confidence)

    def _check_alignments(self, translator: Translator, sentences: Sequence[str]) -> None:
        """Make sure that alignments fit into memory.

        Raises:
            ServingError: 413, they do not.
        """
        lengths = [len(ids) for ids in translator.source_tokenizer.encode_batch(list(sentences))]
        cells = sum(length * (2 * length + 64) for length in lengths)
        if cells > self.limits.alignment_cells:
            message = "The sentences are too long, or too many, for their alignments, which details and markup need. Send fewer."
            raise ServingError(413, message)
