"""One model and the thread that decodes with it: sentences of all requests share batches, and none waits for a batch to end."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from regard.errors import RegardError
from regard.generation.options import DecodingOptions
from regard.generation.request import Request
from regard.serving.limits import DRAINING, Limits, ServingError
from regard.serving.metrics import Metrics
from regard.workflow.translation.requests import seed_of
from regard.workflow.translation.results import Translation
from regard.workflow.translation.running import RunningTranslations
from regard.workflow.translation.translator import Translator

Answer = TypeVar("Answer")
LOG = logging.getLogger("regard.serving")
OF_REQUEST = ("seed", "max_length", "max_ratio", "min_length", "min_ratio")
"""Options that each sentence has for itself: they do not keep it from the batch of another."""
MOST_LANES, MOST_WAITING_LANES = 8, 256
"""Kinds of options that are decoded in one round, and that may be asked for at once."""
MOST_CALLS = 200
"""Other uses of the model that may wait."""


class EngineClosedError(ServingError):
    """The engine takes nothing any more: its model is being replaced, or the server ends."""

    def __init__(self) -> None:
        super().__init__(503, "The model is being replaced; try again.", 1)


@dataclass(eq=False)
class Job:
    """Sentences of one request, with the same options."""

    sentences: Sequence[str]
    options: DecodingOptions
    deadline: float
    """On the clock of `time.monotonic`."""
    prefixes: Sequence[str] | None = None
    required: Sequence[Sequence[str]] | None = None
    on_progress: Callable[[int, str], None] | None = None
    """Is called in the engine's thread with a sentence's index and what is certain of its translation."""
    futures: list[Future[Translation]] = field(default_factory=list)
    """The translation of each sentence; or why there is none: a sentence that is too long fails alone."""
    waiting: deque[int] = field(default_factory=deque)
    numbers: dict[int, int] = field(default_factory=dict)
    """Of each sentence under way, by its index: what its lane calls it."""
    requests: list[Request | None] = field(default_factory=list)
    told: dict[int, str] = field(default_factory=dict)
    arrived: float = 0.0
    is_cancelled: bool = False


class _Lane:
    """The jobs that can share a batch, as their options agree."""

    def __init__(self, running: RunningTranslations) -> None:
        self.running = running
        self.jobs: OrderedDict[int, Job] = OrderedDict()
        """Those that are not done, the one that is served next in front."""
        self.owners: dict[int, tuple[Job, int]] = {}
        """The job and index of each sentence under way, by its number."""

    def forget_done(self) -> None:
        """Drop the jobs of which nothing is left."""
        for key, job in list(self.jobs.items()):
            if not job.waiting and not job.numbers:
                del self.jobs[key]

    def next_sentence(self) -> tuple[Job, int] | None:
        """The sentence that gets the next slot: jobs take turns, so that a long list does not keep a short one waiting."""
        for key, job in list(self.jobs.items()):
            if job.waiting:
                self.jobs.move_to_end(key)
                return job, job.waiting.popleft()
        return None


class Engine:
    """Translates the sentences of many requests with one model, in one thread.

    A sentence takes a slot as soon as one is free; there is no window in which requests are collected. What a sentence
    becomes does not depend on the others. Different options have batches of their own, which take turns step by step.
    """

    def __init__(self, translator: Translator, limits: Limits, metrics: Metrics) -> None:
        self.translator, self.limits, self.metrics = translator, limits, metrics
        self.num_crashes, self.last_crash = 0, ""
        self._lanes: OrderedDict[DecodingOptions, _Lane] = OrderedDict()
        self._arrived: deque[Job] = deque()
        self._calls: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._condition = threading.Condition()
        self._num_waiting = 0
        self._next_number = 0
        self._is_closed = self._is_stopped = self._is_busy = False
        self._thread = threading.Thread(target=self._run, name="regard-decoding", daemon=True)
        self._thread.start()

    @property
    def queue_depth(self) -> int:
        """Sentences that wait for a slot."""
        return self._num_waiting

    @property
    def num_active(self) -> int:
        """Sentences that have a slot."""
        return sum(len(lane.owners) for lane in list(self._lanes.values()))

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked of the engine."""
        return not (self._is_busy or self._lanes or self._arrived or self._calls)

    def submit(self, job: Job) -> None:
        """Let a job's sentences be translated; its futures are there when this returns.

        Raises:
            ServingError: too many sentences wait.
        """
        job.futures = [Future() for _ in job.sentences]
        job.waiting = deque(range(len(job.sentences)))
        job.arrived = time.monotonic()
        with self._condition:
            if self._is_closed:
                raise EngineClosedError
            if self._num_waiting and self._num_waiting + len(job.sentences) > self.limits.queue:
                self.metrics.count("regard_rejected_total", reason="queue")
                seconds = max(1, round(self._num_waiting * self.metrics.mean("regard_sentence_seconds")))
                message = f"{self._num_waiting:,} sentences are waiting, and at most {self.limits.queue:,} may; try again later."
                raise ServingError(429, message, min(seconds, 60))
            self._num_waiting += len(job.sentences)
            self._arrived.append(job)
            self._condition.notify()

    def call(self, function: Callable[[], Answer]) -> Future[Answer]:
        """Have something else done with the model, between two steps of decoding."""
        future: Future[Answer] = Future()
        with self._condition:
            if self._is_closed:
                raise EngineClosedError
            if len(self._calls) >= MOST_CALLS:
                raise ServingError(429, "Too many requests to score and inspect are waiting; try again later.", 5)
            self._calls.append((function, future))
            self._condition.notify()
        return future

    def cancel(self, job: Job) -> None:
        """Forget a job whose client is gone."""
        with self._condition:
            job.is_cancelled = True
            self._condition.notify()

    def close(self) -> None:
        """End the thread when all that was accepted is done."""
        with self._condition:
            self._is_closed = True
            self._condition.notify()

    def stop(self) -> None:
        """End the thread after the step under way; what was accepted is answered with an error."""
        with self._condition:
            self._is_closed = self._is_stopped = True
            self._condition.notify()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; whether it has."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._is_busy = False
                while self.is_idle and not self._is_closed:
                    self._condition.wait()
                if self.is_idle:
                    return
                self._is_busy = True
                arrived = list(self._arrived)
                self._arrived.clear()
                call = self._calls.popleft() if self._calls else None
            for job in arrived:
                try:
                    self._accept(job)
                except Exception as error:  # whatever a request asks, the server goes on
                    self._give_up([job], error)
            if self._is_stopped:
                self._end(call)
                return
            if call is not None:  # one, so that decoding goes on between two
                _answer(call[1], call[0])
            self._round()

    def _round(self) -> None:
        """One step of each of some lanes, which take turns; late and cancelled jobs leave all of them."""
        for options, lane in list(self._lanes.items()):
            try:
                self._drop(lane)
            except Exception as error:
                self._give_up(lane.jobs.values(), error)
                del self._lanes[options]
        for options, lane in list(self._lanes.items())[:MOST_LANES]:
            self._lanes.move_to_end(options)  # behind the others
            try:
                self._advance(lane)
            except Exception as error:  # whatever the model does, the server goes on
                self._give_up(lane.jobs.values(), error)
                del self._lanes[options]
            else:
                if not lane.jobs:
                    del self._lanes[options]

    def _end(self, call: tuple[Callable[[], Any], Future[Any]] | None) -> None:
        """Answer all that is left with an error."""
        error = ServingError(503, DRAINING)
        jobs = [job for lane in self._lanes.values() for job in lane.jobs.values()]
        self._lanes.clear()
        for job in jobs:
            self._refuse(job, error)
        for _, future in [*self._calls, *([call] if call else [])]:
            _fail(future, error)
        self._calls.clear()

    def _accept(self, job: Job) -> None:
        """Encode a job's sentences, and let them wait in the lane of their options. What cannot be translated fails alone."""
        try:
            job.requests = self.translator.requests(job.sentences, job.options, job.prefixes, job.required)
        except RegardError:
            for index in range(len(job.sentences)):
                self._accept_alone(job, index)
        if not job.waiting:
            return
        fields = type(job.options).model_fields
        shared = job.options.model_copy(
            update={name: fields[name].default for name in OF_REQUEST} | {"batch_size": self.limits.batch_size}
        )
        if shared not in self._lanes:
            if len(self._lanes) >= MOST_WAITING_LANES:
                busy = "Too many different options are asked for at once; try again later."
                self._refuse(job, ServingError(429, busy, 5))
                return
            try:
                self._lanes[shared] = _Lane(self.translator.running(shared))
            except Exception as error:  # such as options that are refused
                self._refuse(job, error)
                return
        self._lanes[shared].jobs[id(job)] = job

    def _accept_alone(self, job: Job, index: int) -> None:
        """Encode one sentence, and note what is wrong with it."""
        prefixes = None if job.prefixes is None else [job.prefixes[index]]
        required = None if job.required is None else [job.required[index]]
        request = None
        try:
            (request,) = self.translator.requests([job.sentences[index]], job.options, prefixes, required)
        except RegardError as error:
            self._resolve(job, index, error)
            job.waiting.remove(index)
            self._num_waiting -= 1
        job.requests.append(request and replace(request, seed=seed_of(job.options, index)))

    def _advance(self, lane: _Lane) -> None:
        """Fill the free slots of a lane, and make one step."""
        for _ in range(lane.running.num_free):
            if (found := lane.next_sentence()) is None:
                break
            job, index = found
            self._num_waiting -= 1
            self._next_number += 1
            job.numbers[index] = self._next_number
            lane.owners[self._next_number] = job, index
            lane.running.add(self._next_number, job.sentences[index], job.requests[index])
            self.metrics.observe("regard_queue_seconds", time.monotonic() - job.arrived)
        started, size = time.perf_counter(), len(lane.owners)
        for number, translation in lane.running.step():
            job, index = lane.owners.pop(number)
            del job.numbers[index]
            self.metrics.count("regard_tokens_total", len(translation.ids))
            self._resolve(job, index, translation)
        if size:
            seconds = time.perf_counter() - started
            self.metrics.count("regard_decode_seconds_total", seconds)
            self.metrics.count("regard_steps_total")
            self.metrics.count("regard_step_sentences_total", size)
        for number, (job, index) in lane.owners.items():
            if job.on_progress is not None:
                text = lane.running.so_far(number)
                if text != job.told.get(index, ""):
                    job.told[index] = text
                    job.on_progress(index, text)
        lane.forget_done()

    def _drop(self, lane: _Lane) -> None:
        """Forget the jobs whose clients are gone or whose time is over."""
        now = time.monotonic()
        for job in list(lane.jobs.values()):
            if not job.is_cancelled and now < job.deadline:
                continue
            gone = job.is_cancelled
            reason = "cancelled" if gone else "deadline"
            self.metrics.count("regard_rejected_total", reason=reason)
            seconds = f"{self.limits.seconds:g} seconds"
            late = f"A request may take at most {seconds}, and this one took longer."
            error = ServingError(499, "The client closed the connection.") if gone else ServingError(504, late)
            numbers = list(job.numbers.values())
            job.numbers.clear()
            self._refuse(job, error)
            for number in numbers:
                lane.owners.pop(number, None)
                lane.running.cancel(number)
        lane.forget_done()

    def _give_up(self, jobs: Iterable[Job], error: Exception) -> None:
        """Answer some jobs with an error; the next request has a new lane."""
        self.num_crashes += 1
        self.last_crash = f"{type(error).__name__}: {error}"[:300]
        self.metrics.count("regard_crashes_total")
        LOG.exception("decoding failed; its requests are answered with 500, and decoding begins anew")
        answer = ServingError(500, "Decoding failed; the server has begun anew. The same request may work again.")
        for job in jobs:
            self._refuse(job, answer)

    def _refuse(self, job: Job, error: Exception) -> None:
        """Answer with an error what of a job has no answer yet."""
        self._num_waiting -= len(job.waiting)
        job.waiting.clear()
        for future in job.futures:
            _fail(future, error)

    def _resolve(self, job: Job, index: int, outcome: Translation | Exception) -> None:
        future = job.futures[index]
        if future.done() or not future.set_running_or_notify_cancel():
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            self.metrics.observe("regard_sentence_seconds", time.monotonic() - job.arrived)
            future.set_result(outcome)


def _fail(future: Future[Any], error: Exception) -> None:
    """Answer with an error what has no answer yet."""
    if not future.done() and future.set_running_or_notify_cancel():
        future.set_exception(error)


def _answer(future: Future[Answer], function: Callable[[], Answer]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function())
    except Exception as error:  # it is told to who asked
        future.set_exception(error)
