"""Jobs: the sentences of a request that are decoded with the same options, and the jobs that share a batch."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from regard.generation.rules.sampling import SamplingOptions
from regard.generation.running_batch import RunningBatch
from regard.generation.step_limit import ONE_STEP, StepLimit
from regard.pipelines.running_translations import RunningTranslations


@dataclass(eq=False)
class Job:
    """Sentences of one request, with the same options."""

    sentences: Sequence[Any]
    """Encoded sentences, or the prompts of a language model."""
    options: SamplingOptions
    seconds: float
    """The time that it may take."""
    constraints: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Constraints on the result of each sentence, by name: `prefixes`, `required`."""
    on_progress: Callable[[int, Any], None] | None = None
    """Called in a thread of the scheduler with a sentence's index and the part of its result that is certain: text, or where
    `watches`, what `partial` returns."""
    watches: bool = False
    futures: list[Future[Any]] = field(default_factory=list)
    """The result of each sentence; or why there is none: a sentence that is too long fails alone."""
    waiting: deque[int] = field(default_factory=deque)
    requests: list[Any] = field(default_factory=list)
    num_active: int = 0
    """Sentences that have a slot."""
    reported: dict[int, Any] = field(default_factory=dict)
    arrived: float = 0.0
    is_cancelled: bool = False
    is_over: bool = False
    """Whether it was answered with an error: its sentences leave their slots."""

    @property
    def deadline(self) -> float:
        """The end of its time, on the clock of `time.monotonic`."""
        return self.arrived + self.seconds

    def resolve(self, index: int, outcome: Any) -> None:
        """Answer a sentence with its result or error, unless it has an answer."""
        future = self.futures[index]
        if future.done() or not future.set_running_or_notify_cancel():
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


class BatchGroup:
    """The jobs that can share a batch, as their options agree.

    Args:
        options: of the batch: those that each sentence has for itself are left at their defaults.
    """

    def __init__(self, options: SamplingOptions) -> None:
        self.options = options
        self.jobs: OrderedDict[int, Job] = OrderedDict()
        """The jobs that are not done, the one that is served next in front."""

    @property
    def has_waiting(self) -> bool:
        """Whether a sentence waits for a slot."""
        return any(job.waiting for job in self.jobs.values())

    def next_sentence(self) -> tuple[Job, int] | None:
        """The sentence that gets the next slot: jobs take turns, so that a long list does not keep a short one waiting."""
        for key, job in self.jobs.items():
            if job.waiting:
                self.jobs.move_to_end(key)
                return job, job.waiting.popleft()
        return None

    def forget_done(self) -> None:
        """Drop the jobs without sentences that wait or have a slot."""
        for key, job in list(self.jobs.items()):
            if not job.waiting and not job.num_active:
                del self.jobs[key]


class Batch:
    """The sentences that one worker decodes together.

    Args:
        group: the jobs that they belong to.
    """

    def __init__(self, group: BatchGroup, running: RunningBatch) -> None:
        self.group, self.running = group, running
        self.owners: dict[int, tuple[Job, int]] = {}
        """The job and index of each sentence, by its number."""
        self._next_number = 0

    def add(self, job: Job, index: int) -> None:
        """Take in one more sentence."""
        self._next_number += 1
        self.owners[self._next_number] = job, index  # even if what follows fails: then its job is over
        self.running.add(self._next_number, job.sentences[index], job.requests[index])
        if job.watches and isinstance(self.running, RunningTranslations):
            self.running.watch(self._next_number)

    def drop_over(self) -> list[Job]:
        """Forget the sentences of jobs that have been answered; the job of each."""
        over = [(number, job) for number, (job, _) in self.owners.items() if job.is_over]
        for number, _ in over:
            self.running.cancel(number)
            del self.owners[number]
        return [job for _, job in over]

    def step(self, limit: StepLimit) -> list[tuple[Job, int, Any]]:
        """Write a token of each sentence; or several, where nobody listens. The job, index and result of those that are done.

        Args:
            limit: of the tokens of each.
        """
        is_heard = any(job.on_progress is not None for job, _ in self.owners.values())
        found = self.running.step(ONE_STEP if is_heard else limit)
        return [(*self.owners.pop(number), result) for number, result in found]

    def report(self) -> None:
        """Report the parts of results that have become certain, to those who listen."""
        for number, (job, index) in self.owners.items():
            if job.on_progress is not None:
                running = self.running
                watched = running if job.watches and isinstance(running, RunningTranslations) else None
                found = running.so_far(number) if watched is None else watched.partial(number)
                if found != job.reported.get(index, ""):
                    job.reported[index] = found
                    job.on_progress(index, found)
