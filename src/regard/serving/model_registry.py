"""The models of a server with their schedulers, by direction and by name: reloading, and the model for a request."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeVar

from regard.batching.metrics import Metrics
from regard.batching.scheduler import Scheduler, SharingScheduler
from regard.documents.language_detection import detect, has_letters
from regard.generation.threads import num_threads
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.directions import ANY, PRIVATE, Direction, adapter_of, code_of
from regard.serving.limits import NO_MODEL, Limits, ServingError, UnsupportedLanguageError
from regard.serving.model_folders import LoadedModels, ModelFolders
from regard.serving.snapshots import Snapshots
from regard.text.languages import Languages

Kind = TypeVar("Kind", bound=Pipeline)
CLOSING_SECONDS = 30.0
SIDES: tuple[Literal["source", "target"], ...] = ("source", "target")
MOST_LISTED = 20
"""Directions that a message lists."""
WAITING_SECONDS = 10.0
"""The time between two lines of the log that say that a reload waits."""
LEAST_LETTERS, SURE = 40, 0.95
"""The letters and the probability from which on a text is surely in a language; LibreTranslate has the same bound of letters."""
LOG = logging.getLogger("regard.serving")


class ModelRegistry:
    """The models of a server, each with its scheduler.

    Args:
        loaded: the models of the folders; None: they are loaded now.
    """

    def __init__(self, folders: ModelFolders, limits: Limits, loaded: LoadedModels | None = None) -> None:
        self.limits, self.metrics, self.is_draining = limits, Metrics(), False
        self.is_retired = False
        """Whether other processes answer new requests."""
        self._folders = folders
        self.snapshots = Snapshots(folders.device, folders.precision)
        self._num_threads = num_threads()
        self.reload_error = ""
        self._reloading = Lock()
        self._retired: list[Scheduler[Any]] = []
        """The schedulers of models that were replaced, and that may still have work."""
        self._begin(loaded or folders.load())
        self.metrics.gauge("regard_queue_depth", lambda: sum(each.queue.num_waiting for each in self.all_schedulers))
        self.metrics.gauge("regard_active_sentences", lambda: sum(each.num_active for each in self.all_schedulers))
        self.metrics.gauge("regard_models", lambda: len(self.all_schedulers))

    @property
    def all_schedulers(self) -> list[Scheduler[Any]]:
        """The schedulers of all models. Adapters use that of their model."""
        return [*self.schedulers_by_name.values()]

    @property
    def schedulers_by_name(self) -> dict[str, Scheduler[Any]]:
        """The scheduler of each model, without adapters, by its direction or name."""
        named = {str(name): each for name, each in (*self.translators.items(), *self.text_models.items())}
        return {name: each for name, each in named.items() if not isinstance(each, SharingScheduler)}

    @property
    def names(self) -> list[str]:
        """The directions and names of all models, adapters included."""
        return [*map(str, self._named), *self.text_models]

    def _begin(self, loaded: LoadedModels) -> None:
        """Answer requests with some models from now on."""

        def begin(pipeline: Any) -> Scheduler[Any]:
            return Scheduler(
                pipeline,
                self.metrics,
                queue_size=self.limits.queue,
                batch_size=self.limits.batch_size,
                threads=self._num_threads,
            )

        by_direction: dict[Direction, Scheduler[Any]] = {}
        for direction, translator in loaded.translators.items():
            scheduler = begin(translator)
            by_direction[direction or Direction(ANY, ANY)] = scheduler
            if direction is None and translator.languages is not None:
                by_direction |= _directions_of(scheduler, translator.languages)
        by_direction |= {
            replace(direction, adapter=name): SharingScheduler(scheduler, scheduler.pipeline, adapters=name)
            for direction, scheduler in by_direction.items()
            for name in getattr(scheduler.pipeline, "adapters", ())
        }
        text_models = {name: begin(pipeline) for name, pipeline in loaded.text_models.items()}
        self.translators: dict[Direction, Scheduler[Any]] = by_direction
        self.text_models: dict[str, Scheduler[Any]] = text_models
        self.models_name = loaded.name

    def reload(self) -> None:
        """Load all models anew. From then on, they answer new requests. Accepted ones end with the old models, which this waits
        for, so that no third set is in memory; if a model cannot be loaded, all old ones stay. The log says each step.
        """
        with self._reloading:
            try:
                loaded = self._folders.load()
            except Exception as error:
                self.reload_error = str(error)
                raise
            self._retired, self.reload_error = self.all_schedulers, ""
            self._begin(loaded)
            for scheduler in self._retired:
                scheduler.queue.close()
            num_left = self._num_left
            LOG.info("the models were loaded anew%s", f", {self.work_left}" if num_left else "")
            for scheduler in self._retired:
                while not scheduler.join(WAITING_SECONDS):  # its model leaves memory before another reload needs it
                    LOG.info("a reload waits: %s", self.work_left)
            self._retired = []
            if num_left:
                LOG.info("the old models have answered what they had accepted, and are gone")

    @property
    def _num_left(self) -> int:
        return sum(each.queue.num_waiting + each.num_active for each in self._retired)

    @property
    def work_left(self) -> str:
        """The work that the models which were replaced still have."""
        return f"the old ones have {self._num_left:,} sentences left"

    @property
    def is_idle(self) -> bool:
        """Whether no model has work."""
        return all(each.is_idle for each in (*self.all_schedulers, *self._retired))

    def close(self, *, at_once: bool = False) -> None:
        """End all threads when what they have accepted is done, and wait for that: a thread that computes while the process
        ends would abort it.

        Args:
            at_once: answer with an error what is not done.
        """
        schedulers = [*self.all_schedulers, *self._retired]
        for each in schedulers:
            each.queue.stop() if at_once else each.queue.close()
        for each in schedulers:
            each.join(CLOSING_SECONDS)

    def languages(self) -> dict[str, list[str]]:
        """The languages into which each language is translated."""
        found: dict[str, list[str]] = {}
        for direction in self._named:
            found.setdefault(direction.source, []).append(direction.target_code)
            if direction.target not in found:
                found[direction.target] = []
        return found

    @property
    def _named(self) -> list[Direction]:
        """The directions that requests may name: of a model of several languages, each; else those of the models."""
        several = [direction for direction in self.translators if direction.source != ANY]
        return several or list(self.translators)

    @property
    def codes(self) -> set[str]:
        """The languages that are read or written."""
        return {code for direction in self._named for code in (direction.source, direction.target)}

    def route(self, source: str | None, target: str | None) -> tuple[Direction, Scheduler[Translator]]:
        """The direction of a request, and the model for it.

        Args:
            source: None: the only one that is translated into the target.
        Raises:
            ServingError: there is none.
        """
        adapter = adapter_of(target)
        if adapter and adapter not in (names := {direction.adapter for direction in self.translators}):
            known = ", ".join(sorted(names - {""})) or "none"
            raise ServingError(400, f"{adapter} is not an adapter of this server. Adapters here: {known}.")
        source, target = (code_of(each) for each in (source, target))
        anything = Direction(ANY, ANY, adapter)
        if anything in self._named:
            return Direction(source or ANY, target or ANY, adapter), self.translators[anything]
        found = [
            direction
            for direction in self._named
            if direction.adapter == adapter
            and (source is None or direction.source == source)
            and (target is None or direction.target == target)
        ]
        if source is None and len({direction.source for direction in found}) > 1:
            sources = ", ".join(direction.source for direction in found)
            raise ServingError(400, f"The source language must be named: this server reads {sources}.")
        if found:
            return found[0], self.translators[found[0]]
        if not self.translators:
            raise ServingError(400, "This server has no model that translates.")
        known = listed(self._named)
        for code, codes in (
            (source, {d.source for d in self._named}),
            (target, {d.target for d in self._named}),
        ):
            if code is not None and code not in codes:
                raise UnsupportedLanguageError(code, known)
        raise ServingError(400, f"{source} to {target} is not supported. This server translates {known}.")

    def folder_of(self, model: Direction | str) -> Path:
        """The folder of the model of a direction, or of a name."""
        if isinstance(model, Direction):
            model = replace(model, adapter="")
            is_folders = model in self.translators and not isinstance(self.translators[model], SharingScheduler)
            model = model if is_folders else Direction(ANY, ANY)
        else:
            model = model.partition(PRIVATE)[0]
        return next(
            folder
            for folder, direction in self._folders.models
            if (folder.name if isinstance(model, str) else direction or Direction(ANY, ANY)) == model
        )

    def text_model(self, kind: type[Kind], name: str | None) -> tuple[str, Scheduler[Kind]]:
        """The text model of a name, which is none that translates.

        Args:
            name: None: the only one of its kind.
        Raises:
            ServingError: 404, there is none.
        """
        found = {
            each: scheduler for each, scheduler in self.text_models.items() if isinstance(scheduler.pipeline, kind)
        }
        if name is None and len(found) == 1:
            return next(iter(found.items()))
        if name in found:
            return str(name), found[str(name)]
        known = ", ".join(found) or "none"
        wanted = f"{kind.kind} called {name!r}" if name else f"{kind.kind} whose name is not said"
        message = f"This server has no model that is {wanted}. Such models here: {known}."
        raise ServingError(404, message, param="model", code=NO_MODEL)

    @property
    def has_one_source(self) -> bool:
        """Whether there is no language to detect."""
        return len({each.source for each in self._named}) < 2

    def detect(self, text: str, target: str | None = None) -> list[tuple[str, float]]:
        """The languages that are translated into a target, or into any, with the probability that a text is in each, from 0 to 1;
        the likeliest first. The only one has probability 1. All have 0 where a text has no letters, which says nothing, or where
        nobody said which languages the model reads.
        None, if they cannot be told apart: py3langid is not installed.
        """
        target = code_of(target)
        sources = sorted({each.source for each in self._named if target is None or each.target in (target, ANY)})
        found = [(code, 1.0) for code in sources] if len(sources) == 1 else detect(text, sources)
        return found if has_letters(text) and ANY not in sources else [(code, 0.0) for code in sources if found]

    def certainty_of(self, text: str, code: str) -> float:
        """The probability that a text is in a language, among all that are served; 0 if it is too short to be sure, or not likely
        enough.
        """
        if code not in self.codes or ANY in self.codes or sum(map(str.isalpha, text)) < LEAST_LETTERS:
            return 0.0
        ranked = detect(text, sorted(self.codes))
        return ranked[0][1] if ranked and ranked[0][0] == code and ranked[0][1] >= SURE else 0.0


def _directions_of(scheduler: Scheduler[Any], languages: Languages) -> dict[Direction, Scheduler[Any]]:
    """A scheduler for each direction of a model of several languages. Of languages that differ in their script only, the first
    one is served.
    """
    codes = {side: {code_of(each) or each: each for each in reversed(languages.codes(side))} for side in SIDES}
    return {
        Direction(source, target): SharingScheduler(
            scheduler, scheduler.pipeline.directed(ours, theirs), source=ours, target=theirs
        )
        for source, ours in sorted(codes["source"].items())
        for target, theirs in sorted(codes["target"].items())
        if source != target
    }


def listed(names: Sequence[Direction | str]) -> str:
    """Some directions or names of models, for people."""
    more = len(names) - MOST_LISTED
    return ", ".join(map(str, names[:MOST_LISTED])) + (f" and {more:,} more" if more > 0 else "")
