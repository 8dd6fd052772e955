"""The queue of one model, shared by the threads that decode with it."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from regard.batching.job_errors import (
    SHUTTING_DOWN,
    DecodingFailedError,
    JobCancelledError,
    JobTimeoutError,
    QueueFullError,
    SchedulerClosedError,
)
from regard.batching.jobs import BatchGroup, Job
from regard.batching.metrics import Metrics
from regard.errors import RegardError
from regard.generation.request import seed_of
from regard.generation.rules.sampling import SamplingOptions
from regard.generation.step_limit import MOST_STEPS, StepLimit
from regard.pipelines.pipeline import Pipeline

Answer = TypeVar("Answer")
Found = TypeVar("Found")
Call = tuple[Callable[[], Any], Future[Any]]
LOG = logging.getLogger("regard.serving")
PER_SENTENCE = ("seed", "max_length", "max_ratio", "min_length", "min_ratio", "max_tokens", "stop")
"""Options that each sentence has for itself: they do not keep it from the batch of another."""
MOST_GROUPS = 256
"""Groups of jobs with different options at once."""
MOST_CALLS = 200
"""Other uses of the model that may wait."""


def with_newest(find: Callable[[], Found], begin: Callable[[Found], Answer]) -> Answer:
    """The result of beginning something with a scheduler; with the one in its place, if it was replaced meanwhile.

    Args:
        find: the scheduler, as it is now.
    """
    try:
        return begin(find())
    except SchedulerClosedError:
        return begin(find())


def _closed() -> SchedulerClosedError:
    return SchedulerClosedError("The model is being replaced; try again.", 1)


class Queue:
    """Jobs by the batch that they can share, and other uses of the model.

    Whatever changes it holds `condition`, and nothing computes while it is held.

    Args:
        pipeline: a `Translator` or a `LanguageModel`.
        size: the number of sentences that may wait.
        batch_size: the number of sentences that are decoded together.
    """

    def __init__(self, pipeline: Pipeline, metrics: Metrics, size: int, batch_size: int) -> None:
        self.pipeline: Any = pipeline
        self.metrics, self._size, self._batch_size = metrics, size, batch_size
        self.num_crashes, self.last_crash = 0, ""
        self.condition = threading.Condition()
        self.groups: OrderedDict[SamplingOptions, BatchGroup] = OrderedDict()
        self.is_closed = self.is_stopped = False
        self.num_waiting = 0
        """Sentences that wait for a slot."""
        self._arrived: deque[Job] = deque()
        self._calls: deque[Call] = deque()
        self._limits: list[StepLimit] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits, and nothing has a slot."""
        return not (self.groups or self.has_arrivals)

    def new_limit(self) -> StepLimit:
        """A limit of the steps that a thread takes at a time, which ends them when something comes."""
        self._limits.append(StepLimit(MOST_STEPS))
        return self._limits[-1]

    def wake(self) -> None:
        """Have all threads look what there is to do, after the step under way. `condition` must be held."""
        for limit in self._limits:
            limit.interrupt()
        self.condition.notify_all()

    def submit(self, job: Job) -> None:
        """Let a job's sentences be decoded; its futures are there when this returns.

        Raises:
            QueueFullError: too many sentences wait.
            SchedulerClosedError: nothing is taken any more.
        """
        job.futures = [Future() for _ in job.sentences]
        job.waiting = deque(range(len(job.sentences)))
        job.arrived = time.monotonic()
        with self.condition:
            if self.is_closed:
                raise _closed()
            if self.num_waiting and self.num_waiting + len(job.sentences) > self._size:
                self.metrics.count("regard_rejected_total", reason="queue")
                seconds = max(1, round(self.num_waiting * self.metrics.mean("regard_sentence_seconds")))
                message = (
                    f"{self.num_waiting:,} sentences are waiting, and at most {self._size:,} may; try again later."
                )
                raise QueueFullError(message, min(seconds, 60))
            self.num_waiting += len(job.sentences)
            self._arrived.append(job)
            self.wake()

    def call(self, function: Callable[[], Answer]) -> Future[Answer]:
        """Have something else done with the model, between two steps of decoding."""
        future: Future[Answer] = Future()
        with self.condition:
            if self.is_closed:
                raise _closed()
            if len(self._calls) >= MOST_CALLS:
                raise QueueFullError("Too many requests to score and inspect are waiting; try again later.", 5)
            self._calls.append((function, future))
            self.wake()
        return future

    def cancel(self, job: Job) -> None:
        """Forget a job whose client is gone."""
        with self.condition:
            job.is_cancelled = True
            self.wake()

    def close(self) -> None:
        """End the threads when all that was accepted is done."""
        with self.condition:
            self.is_closed = True
            self.wake()

    def stop(self) -> None:
        """End the threads after the steps under way; what was accepted is answered with an error."""
        with self.condition:
            self.is_closed = self.is_stopped = True
            self.wake()

    def arrivals(self) -> tuple[list[Job], Call | None]:
        """The jobs that came since this was called last, and one call, so that decoding goes on between two."""
        arrived = list(self._arrived)
        self._arrived.clear()
        return arrived, self._calls.popleft() if self._calls else None

    @property
    def has_arrivals(self) -> bool:
        """Whether something came since `arrivals` was called."""
        return bool(self._arrived or self._calls)

    @property
    def has_waiting(self) -> bool:
        """Whether a sentence that can be decoded waits for a slot."""
        return any(group.has_waiting for group in self.groups.values())

    def accept(self, job: Job) -> None:
        """Encode a job's sentences, and let them wait in the group of their options. One that cannot be read fails alone."""
        try:
            job.requests = self.pipeline.requests(job.sentences, job.options, **job.constraints)
        except RegardError:
            for index in range(len(job.sentences)):
                self._accept_alone(job, index)
        if not job.waiting:
            return
        fields = type(job.options).model_fields
        shared = job.options.model_copy(
            update={name: fields[name].default for name in PER_SENTENCE if name in fields}
            | {"batch_size": self._batch_size}
        )
        with self.condition:
            if shared not in self.groups and len(self.groups) >= MOST_GROUPS:
                busy = "Too many different options are asked for at once; try again later."
                self.refuse(job, QueueFullError(busy, 5))
                return
            self.groups.setdefault(shared, BatchGroup(shared)).jobs[id(job)] = job
            self.wake()

    def _accept_alone(self, job: Job, index: int) -> None:
        """Encode one sentence, and note its error if there is one."""
        constraints = {name: [of_each[index]] for name, of_each in job.constraints.items()}
        request = None
        try:
            (request,) = self.pipeline.requests([job.sentences[index]], job.options, **constraints)
        except RegardError as error:
            with self.condition:
                job.resolve(index, error)
                job.waiting.remove(index)
                self.num_waiting -= 1
        job.requests.append(request and replace(request, seed=seed_of(job.options.seed, index)))

    def take(self, group: BatchGroup, most: int) -> list[tuple[Job, int]]:
        """Sentences that get a slot now."""
        taken: list[tuple[Job, int]] = []
        while len(taken) < most and (found := group.next_sentence()) is not None:
            job, _ = found
            job.num_active += 1
            self.num_waiting -= 1
            self.metrics.observe("regard_queue_seconds", time.monotonic() - job.arrived)
            taken.append(found)
        return taken

    def refuse_over(self) -> None:
        """Answer the jobs whose clients are gone or whose time is over."""
        now = time.monotonic()
        for group in list(self.groups.values()):
            for job in list(group.jobs.values()):
                if job.is_over or not (job.is_cancelled or now >= job.deadline):
                    continue
                self.metrics.count("regard_rejected_total", reason="cancelled" if job.is_cancelled else "deadline")
                late = f"A request may take at most {job.seconds:g} seconds, and this one took longer."
                gone = JobCancelledError("The client closed the connection.")
                self.refuse(job, gone if job.is_cancelled else JobTimeoutError(late))

    def forget_done(self) -> None:
        """Drop the jobs and groups that are done."""
        for options, group in list(self.groups.items()):
            group.forget_done()
            if not group.jobs:
                del self.groups[options]

    def give_up(self, jobs: Iterable[Job], error: Exception) -> None:
        """Answer some jobs with an error; the next request has a new batch."""
        self.metrics.count("regard_crashes_total")
        LOG.error("decoding failed; its requests are answered with 500, and decoding begins anew", exc_info=error)
        answer = DecodingFailedError("Decoding failed; the server has begun anew. The same request may work again.")
        with self.condition:
            self.num_crashes += 1
            self.last_crash = f"{type(error).__name__}: {error}"[:300]
            for job in jobs:
                self.refuse(job, answer)

    def refuse(self, job: Job, error: Exception) -> None:
        """Answer with an error what of a job has no answer yet."""
        job.is_over = True
        self.num_waiting -= len(job.waiting)
        job.waiting.clear()
        for index in range(len(job.futures)):
            job.resolve(index, error)

    def end(self) -> None:
        """Answer all that is left with an error."""
        error = SchedulerClosedError(SHUTTING_DOWN)
        for job in [*self._arrived, *(job for group in self.groups.values() for job in group.jobs.values())]:
            self.refuse(job, error)
        for _, future in self._calls:
            if not future.done() and future.set_running_or_notify_cancel():
                future.set_exception(error)
        self._arrived.clear()
        self._calls.clear()
        self.groups.clear()
