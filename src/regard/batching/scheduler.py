"""A model and the threads that decode with it: sentences of all requests share batches, and none waits for a batch to end."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from regard.batching.jobs import Job
from regard.batching.metrics import Metrics
from regard.batching.queue import Queue
from regard.batching.worker import Worker
from regard.engines.engine_choice import MOST_NATIVE_WORKERS, NATIVE
from regard.engines.packed import is_divided
from regard.generation.threads import num_threads, starting
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator

Kind = TypeVar("Kind", bound=Pipeline)
Answer = TypeVar("Answer")


class Scheduler(Generic[Kind]):
    """Decodes the sentences of many requests with one model.

    A sentence takes a slot as soon as one is free, or in large batches within four steps; there is no window in which requests
    are collected. What a sentence becomes does not depend on the others. Different options have batches of their own, which
    take turns step by step. On a CPU with several cores, several threads decode a batch each. With layers in C, there are as
    many as PyTorch has, and those that are idle help the others; else two: the Python of one runs while the other multiplies
    matrices.

    Args:
        queue_size: the number of sentences that may wait.
        batch_size: the number of sentences that are decoded together.
        threads: of PyTorch, for all of them; None: as many as the caller has.
    """

    def __init__(
        self,
        pipeline: Kind,
        metrics: Metrics,
        *,
        queue_size: int = 20_000,
        batch_size: int = 64,
        threads: int | None = None,
    ) -> None:
        self.pipeline, self.queue = pipeline, Queue(pipeline, metrics, queue_size, batch_size)
        threads = threads or num_threads()
        several = threads > 1 and pipeline.device.type == "cpu" and not is_divided(pipeline.model)
        self._workers: list[Worker] = []
        most = min(threads, MOST_NATIVE_WORKERS) if pipeline.engine in NATIVE else 2
        self._workers += [Worker(self.queue, self._workers) for _ in range(most if several else 1)]
        with starting(len(self._workers), threads) as begin:
            for worker in self._workers:
                worker.start(begin)

    @property
    def num_active(self) -> int:
        """Sentences that have a slot."""
        return sum(worker.num_active for worker in self._workers)

    @property
    def is_idle(self) -> bool:
        """Whether it has no work."""
        return self.queue.is_empty and not any(worker.has_batches for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Let a job's sentences be decoded, as `Queue.submit`."""
        self.queue.submit(job)

    def call(self, function: Callable[[Kind], Answer]) -> Future[Answer]:
        """Call a function of the model between two steps of decoding.

        Raises:
            QueueFullError: too many such uses wait.
            SchedulerClosedError: nothing is taken any more.
        """
        return self.queue.call(lambda: function(self.pipeline))

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the threads to end; whether they have."""
        ended = [worker.join(timeout) for worker in self._workers]
        return all(ended)


class SharingScheduler(Scheduler[Translator]):
    """A scheduler whose sentences are decoded in the batches of another one, each with something of its own.

    Args:
        scheduler: the other one.
        pipeline: of these sentences.
        own: the arguments of `Translator.requests` that each sentence has, by name: its adapter, or its languages.
    """

    def __init__(self, scheduler: Scheduler[Translator], pipeline: Translator, **own: str) -> None:
        self.pipeline, self._scheduler, self._own = pipeline, scheduler, own
        self.queue, self._workers = scheduler.queue, scheduler._workers

    def submit(self, job: Job) -> None:
        """Let a job's sentences be decoded, each with what is its own."""
        own = {name: [value] * len(job.sentences) for name, value in self._own.items()}
        job.constraints = {**job.constraints, **own}
        self._scheduler.submit(job)

    def call(self, function: Callable[[Translator], Answer]) -> Future[Answer]:
        """Call a function of the model, with its adapter if there is one, between two steps of decoding."""
        adapter = self._own.get("adapters")
        return self.queue.call(lambda: function(self.pipeline.adapted(adapter) if adapter else self.pipeline))
