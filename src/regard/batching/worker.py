"""A thread that decodes sentences of many requests, a batch for each kind of options."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from regard.batching.jobs import Batch, BatchGroup, Job
from regard.batching.queue import Queue
from regard.generation.rules.sampling import SamplingOptions
from regard.generation.step_limit import ONE_STEP

Answer = TypeVar("Answer")
MOST_GROUPS = 8
"""Groups of jobs that are decoded in one round."""
WORTH_A_BATCH = 16
"""Sentences from which a second batch beside the first is faster: with fewer, a step takes as long with half of them."""


class Worker:
    """A thread that decodes: a batch for each kind of options, which take turns.

    Args:
        team: the workers of one queue, itself included when it starts; those before it fill their batches first.
    """

    def __init__(self, queue: Queue, team: Sequence[Worker]) -> None:
        self.queue, self._team = queue, team
        self.batches: OrderedDict[SamplingOptions, Batch] = OrderedDict()
        self.num_active, self.is_busy = 0, False
        self._limit = queue.new_limit()

    def start(self, begin: Callable[[], None]) -> None:
        """Start the thread, which calls `begin` first."""
        self._thread = threading.Thread(target=self._run, args=(begin,), name="regard-decoding", daemon=True)
        self._thread.start()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; whether it has."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self, begin: Callable[[], None]) -> None:
        begin()
        queue = self.queue
        while True:
            with queue.condition:
                self.is_busy = False
                while not (queue.has_arrivals or self._has_work or self._is_last or queue.is_stopped):
                    queue.condition.wait()
                if queue.is_stopped:
                    queue.end()
                    self.batches.clear()
                if queue.is_stopped or self._is_last:
                    queue.wake()
                    return
                self.is_busy = True
                arrived, call = queue.arrivals()
            for job in arrived:
                try:
                    queue.accept(job)
                except Exception as error:  # whatever a request asks, the server goes on
                    queue.give_up([job], error)
            if call is not None:
                _answer(*call)
            self._round()

    @property
    def has_batches(self) -> bool:
        """Whether the thread has something to do."""
        return self.is_busy or bool(self.batches)

    @property
    def _has_work(self) -> bool:
        return bool(self.batches) or (self.queue.has_waiting and self._share > 0)

    @property
    def _is_last(self) -> bool:
        """Whether all is done, and nothing more comes."""
        return self.queue.is_closed and self.queue.is_empty and not any(worker.has_batches for worker in self._team)

    @property
    def _share(self) -> int:
        """Sentences that this worker may have besides its own: all of few, an equal part of many."""
        if any(worker.num_active < WORTH_A_BATCH for worker in self._team[: self._team.index(self)]):
            return 0
        num_sentences = sum(worker.num_active for worker in self._team) + self.queue.num_waiting
        of_each = -(-num_sentences // len(self._team))
        return max(WORTH_A_BATCH, of_each) - self.num_active

    def _round(self) -> None:
        """Sentences for the free slots, and one step of some batches, which take turns; of an only one, perhaps several."""
        with self.queue.condition:
            if not self.queue.has_arrivals:
                self._limit.clear()
            self.queue.refuse_over()
            waiting = [group for group in self.queue.groups.values() if group.has_waiting]
        for options, batch in list(self.batches.items()):
            try:
                self._left(batch.drop_over())
            except Exception as error:  # whatever a request asks, the server goes on
                self._give_up(options, error)
        for group in waiting:
            self._fill(group)
        for options, batch in list(self.batches.items())[:MOST_GROUPS]:
            self.batches.move_to_end(options)  # behind the others
            try:
                self._step(batch)
            except Exception as error:  # whatever the model does, the server goes on
                self._give_up(options, error)
            else:
                if not batch.owners:
                    del self.batches[options]
        with self.queue.condition:
            self.queue.forget_done()
            if self.queue.has_waiting or self.queue.is_closed:
                self.queue.wake()

    def _fill(self, group: BatchGroup) -> None:
        """Take sentences of a group into this worker's batch, if it may have more."""
        queue = self.queue
        if self._share <= 0:
            return
        if (batch := self.batches.get(group.options)) is None:
            try:
                batch = Batch(group, queue.pipeline.running(group.options))
            except Exception as error:  # such as options that are refused
                with queue.condition:
                    for job in list(group.jobs.values()):
                        queue.refuse(job, error)
                return
        with queue.condition:
            taken = queue.take(group, min(self._share, batch.running.num_free))
            self.num_active += len(taken)
        if taken:
            self.batches[group.options] = batch
        for job, index in taken:
            try:
                batch.add(job, index)
            except Exception as error:
                queue.give_up([job], error)

    def _step(self, batch: Batch) -> None:
        started, size, before = time.perf_counter(), len(batch.owners), batch.running.num_steps
        found = batch.step(self._limit if len(self.batches) == 1 else ONE_STEP)
        metrics, num_steps = self.queue.metrics, batch.running.num_steps - before
        if size:
            metrics.count("regard_decode_seconds_total", time.perf_counter() - started)
            metrics.count("regard_steps_total", num_steps)
            metrics.count("regard_step_sentences_total", num_steps * size)
        for job, _, result in found:
            metrics.count("regard_tokens_total", len(result.ids))
            metrics.observe("regard_sentence_seconds", time.monotonic() - job.arrived)
        self._left([job for job, _, _ in found])
        with self.queue.condition:
            for job, index, result in found:
                job.resolve(index, result)
        batch.report()

    def _left(self, jobs: list[Job]) -> None:
        """Count the sentences that have left their slots, by the job of each."""
        with self.queue.condition:
            self.num_active -= len(jobs)
            for job in jobs:
                job.num_active -= 1

    def _give_up(self, options: SamplingOptions, error: Exception) -> None:
        """Answer the jobs of a batch with an error, and forget the batch."""
        jobs = [job for job, _ in self.batches.pop(options).owners.values()]
        self._left(jobs)
        self.queue.give_up(dict.fromkeys(jobs), error)


def _answer(function: Callable[[], Answer], future: Future[Answer]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function())
    except Exception as error:  # its caller gets it
        future.set_exception(error)
