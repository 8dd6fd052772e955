"""The training loop: batches in, better weights out.

One step (`updates.py`), then now and then: validate, keep the best, save so that the run can be resumed.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from typing import Generic

import torch

from regard.data.prefetching import pinned, prefetch
from regard.errors import RegardError, TrainingError
from regard.training.distributed import reporting_lost_process
from regard.training.process import device_with_randomness, random_numbers_kept, stopping_on_signals
from regard.training.schedules import learning_rate, paper_peak
from regard.training.state import TrainingState
from regard.training.training_run import (
    AnyBatch,
    Callback,
    Progress,
    RunWriter,
    SavingTimes,
    Scores,
    TrainingRun,
    TrainingTask,
)
from regard.training.updates import AnyModel, Outcome, Updater

SKIPPED_IN_A_ROW = 5
"""The number of steps in a row without a finite loss and gradient after which a run ends."""
REMEDY = "A lower training.learning_rate or --precision float32 usually helps, in a new run."
RANK_STRIDE = 0x9E3779B1
"""The difference of two processes' seeds: odd and large, as the CPU generator uses only the lowest 32 bits of a seed."""


class Trainer(Generic[AnyModel, AnyBatch]):
    """A trainer of a model on batches.

    On several processes, each has a trainer of its own, and its own rows of each batch; the main one validates and writes.

    Args:
        updater: the model on its device, and how its weights are moved.
        task: the batches, and how a model is measured.
        saving: when a checkpoint is written, beside the end of the run; None: never.
        resumed: the state of an earlier run; this one continues it as if it had never stopped.
        validates_first: whether the model has learnt already, and is measured before it learns more.
    """

    def __init__(
        self,
        updater: Updater[AnyModel, AnyBatch],
        task: TrainingTask,
        writer: RunWriter,
        callback: Callback,
        *,
        saving: SavingTimes | None = None,
        resumed: TrainingState | None = None,
        validates_first: bool = False,
    ) -> None:
        self._validates_first = validates_first
        self.updater, self.task, self.writer, self.callback = updater, task, writer, callback
        self._raised: Exception | None = None
        self.config, self.world, self.device = updater.config, updater.world, updater.device
        self.saving = saving
        self.peak_rate = self.config.learning_rate or paper_peak(
            updater.model.config.model_dim, self.config.warmup_steps
        )
        self.progress = TrainingRun()
        self._unread: deque[tuple[int, Outcome, float, list[int]]] = deque()
        self._has_forgotten = resumed is not None
        self._resumed, self._saved_step = resumed, 0 if resumed is None else resumed.step
        if resumed is not None:
            self.updater.restore(resumed.tensors)
            changed = {"next_cursor": resumed.next_cursor, "interrupted": False, "is_scheduled_stop": False}
            self.progress = TrainingRun(**(resumed.progress | changed))
        left = max(self.config.steps - self.progress.step, 0) * self.config.accumulation
        cursor = (0, 0) if resumed is None else resumed.next_cursor
        batches: Iterator[AnyBatch] = task.batches(cursor, (self.world.rank, self.world.size))
        wanted = itertools.islice(batches, left)
        self.batches = prefetch(map(pinned, wanted) if self.device.type == "cuda" else wanted)
        self._source = batches

    def train(self) -> TrainingRun:
        """Train for `config.steps` steps; an interrupt (Ctrl-C) ends the run early, with what was kept intact.

        Dropout draws from torch's default generator, which is seeded here and given back as it was found. A first Ctrl-C or
        SIGTERM ends the run after the step that is under way.

        Raises:
            TrainingError: the loss or the gradient was not finite several times in a row, no validation had a finite score,
                memory is used up, or another process of the run has ended.
            Exception: what a callback raised; the run can be resumed.
        """
        run = self.progress
        self._start = time.perf_counter() - run.seconds
        self._saved_at = time.perf_counter()
        with (
            random_numbers_kept(self.device),
            stopping_on_signals() as stop,
            reporting_lost_process(self.world, lambda: run.step),
        ):
            self._seed()
            try:
                if self._resumed is not None and run.step in self._best_steps:
                    self._keep()  # the run may have been killed between the checkpoint and the model
                if not run.step:
                    self._keep_snapshot()  # of the model before it learns
                    if self._validates_first:
                        self._measure()
                if run.step == self.config.steps and not run.is_measured:  # stopped there, as a step of a longer run
                    self._saved_step = 0  # the checkpoint is to know of the validation
                    self._validate()
                    self._save()
                while run.step < self.config.steps and not run.interrupted and not self._has_stalled:
                    self._advance(stop=bool(stop) or self._raised is not None)
                asked, scheduled = self.world.sums(bool(stop), stop.by_scheduler)  # also in the last step, and saved
                run.interrupted, run.is_scheduled_stop = run.interrupted or bool(asked), bool(scheduled)
                self._check_any_best()
            except KeyboardInterrupt:
                run.interrupted = True
            except BaseException:
                with suppress(RegardError):  # what ended the run is what must be said
                    self._record(run)
                raise
            finally:
                self._end_batches()
            run.seconds = time.perf_counter() - self._start
            if run.interrupted and run.step and not run.best_step and not run.validations_since_best:
                self._keep()  # before the first validation
            self._record(run)
        if self._raised is not None:
            raise self._raised
        return run

    def _end_batches(self) -> None:
        """End the thread and the processes that make batches."""
        self.batches.close()
        if isinstance(self._source, Generator):
            self._source.close()

    @property
    def _randomness(self) -> str:
        return device_with_randomness(self.device)

    @property
    def _has_stalled(self) -> bool:
        """Whether validation has been no better for so long that the run ends."""
        return self.progress.validations_since_best >= (self.config.patience or math.inf)

    def _check_any_best(self) -> None:
        """Make sure that a run has a best model.

        Raises:
            TrainingError: no validation had a finite score.
        """
        run, metric = self.progress, self.config.metric
        if not run.best_step and not run.interrupted:
            has_loss = bool(run.best_steps("loss", 1))
            hint = "The loss was a number: mend this metric, or choose another training.metric." if has_loss else REMEDY
            raise TrainingError(
                f"the validation {metric} must be a number; it was NaN or infinite up to step {run.step:,}. {hint} "
                "No model was written."
            )

    def _advance(self, *, stop: bool) -> None:
        """Take a step and do what is due after it; or end the run, if a process was asked to stop."""
        run, config = self.progress, self.config
        if stop and self.world.size == 1:
            self._stop()
            return
        batches = [next(self.batches) for _ in range(config.accumulation)]
        # What all processes must agree on: how many labels there are, whether somebody was asked to stop, the main clock.
        seconds = time.perf_counter() - self._saved_at
        is_time = self.world.is_main and self._saves_at(0, seconds, validated=False)
        sizes = sum(batch.num_tokens for batch in batches), sum(batch.num_counted for batch in batches)
        num_tokens, num_counted, stops, times = self.world.sums(*sizes, stop, is_time)
        if stops:
            self._stop()
            return
        if self._has_forgotten and batches[-1].next_cursor[0] > 0:  # from here on, examples come again
            self._remember()
        rate = self.learning_rate(run.step + 1)
        outcome = self.updater.step(batches, rate, int(num_tokens))
        run.step += 1
        self.updater.average.update(run.step)
        run.num_tokens += int(num_counted)
        run.next_cursor = batches[-1].next_cursor
        rows = [index for batch in batches for index in batch.indices]
        self._unread.append((run.step, outcome, rate, rows))
        is_last, is_due = run.step == config.steps, run.step % config.validate_every == 0
        is_saved = bool(times) if self._saves_by_time else self._saves_at(run.step, 0.0, validated=is_due)
        self._read_outcomes(all_of_them=is_last or is_due or is_saved)
        self._keep_snapshot()  # before a checkpoint of this step, so that a run resumed there has it
        if is_due or is_last:
            self._validate()
        if is_last or self._has_stalled or is_saved:
            self._save()

    def _remember(self) -> None:
        """Let the teacher keep the states that it had kept before the run was stopped, so that the run goes on to the
        bit.
        """
        self._has_forgotten = False
        teacher, world = self.updater.teacher, self.world
        if teacher is None or not teacher.is_cached:
            return
        reached = tuple(self.progress.next_cursor)
        if world.size == 1:
            reached = min(
                reached, (1, 0)
            )  # all examples are known by then; of several processes, each sees others each time
        source: Iterator[AnyBatch] = self.task.batches((0, 0), (world.rank, world.size))
        before = itertools.takewhile(lambda batch: tuple(batch.next_cursor) <= reached, source)
        teacher.remember(batch.to(self.device) for batch in before)
        if isinstance(source, Generator):
            source.close()

    def _read_outcomes(self, *, all_of_them: bool) -> None:
        """Read the losses of steps, report them, and count steps that were skipped.

        Of a GPU, the last step's is read when the next step has begun, so that it never waits for Python; before anything is
        written down, all are.

        Raises:
            TrainingError: too many steps in a row were skipped.
        """
        waiting = 0 if all_of_them or self.device.type == "cpu" else 1
        while len(self._unread) > waiting:
            step, outcome, rate, rows = self._unread.popleft()
            self._count(step, outcome, rows)
            self.progress.seconds = time.perf_counter() - self._start
            self._report(step, outcome.loss, rate)

    @property
    def _saves_by_time(self) -> bool:
        return self.saving is not None and self.saving.every_seconds is not None

    def _saves_at(self, step: int, seconds: float, *, validated: bool) -> bool:
        return self.saving is not None and self.saving.is_due(step, seconds, validated=validated)

    def _record(self, run: TrainingRun) -> None:
        if self.world.is_main:
            self.writer.record(run)

    def _stop(self) -> None:
        """End early, so that the run can be resumed from here."""
        self._read_outcomes(all_of_them=True)
        self.progress.interrupted = True
        if self.progress.step:
            self._save()

    def _save(self) -> None:
        if self.saving is None or self._saved_step == self.progress.step:
            return
        tensors = self.updater.tensors()
        randoms = self.world.gather(torch.get_rng_state())
        tensors |= {f"random.cpu.{rank}": state for rank, state in enumerate(randoms)}
        if self._randomness:
            states = self.world.gather(torch.get_device_module(self.device).get_rng_state(self.device))
            tensors |= {f"random.{self._randomness}.{rank}": state for rank, state in enumerate(states)}
        if self.world.is_main:
            self.writer.save(tensors, self.progress)
        self.world.wait()
        self._saved_at, self._saved_step = time.perf_counter(), self.progress.step

    def _seed(self) -> None:
        """Set the random generators: from the seed, or from the checkpoint of a resumed run.

        With another number of processes than before, they are set from the seed.
        """
        rank, size = self.world.rank, self.world.size
        before = {} if self._resumed is None else self._resumed.tensors
        if not before or f"random.cpu.{size}" in before or f"random.cpu.{size - 1}" not in before:
            torch.manual_seed(self.config.seed + rank * RANK_STRIDE + self.progress.step * 1_000_003)
            return
        torch.set_rng_state(before[f"random.cpu.{rank}"])
        if self._randomness and (state := before.get(f"random.{self._randomness}.{rank}")) is not None:
            torch.get_device_module(self.device).set_rng_state(state, self.device)

    def learning_rate(self, step: int) -> float:
        """The learning rate of a step, counted from 1, on the schedule of the settings."""
        config = self.config
        return learning_rate(
            config.schedule, step, peak=self.peak_rate, warmup_steps=config.warmup_steps, steps=config.steps
        )

    def _count(self, step: int, outcome: Outcome, rows: Sequence[int]) -> None:
        """Count skipped steps.

        Args:
            rows: which examples the step learnt from.
        Raises:
            TrainingError: this is one of too many in a row.
        """
        run = self.progress
        if not outcome.problem:
            run.skipped_in_a_row = 0
            return
        run.skipped_steps += 1
        run.skipped_in_a_row += 1
        if run.skipped_in_a_row >= SKIPPED_IN_A_ROW:
            raise TrainingError(
                f"the {outcome.problem} must be a finite number; it was not in {run.skipped_in_a_row} steps in a row, up to "
                f"step {step}. The batch of that step holds {self._example_places(sorted(rows))}. {REMEDY} What was "
                "saved before is intact."
            )

    def _example_places(self, rows: list[int]) -> str:
        """The places of the first few of some examples in the data, as text."""
        shown = ", ".join(map(self.task.example, rows[:8]))
        return shown + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")

    def _report(self, step: int, loss: float, rate: float) -> None:
        run = self.progress
        progress = Progress(
            step=step,
            num_steps=self.config.steps,
            loss=loss,
            learning_rate=rate,
            tokens_per_second=run.tokens_per_second,
            elapsed_seconds=run.seconds,
            remaining_seconds=run.seconds / step * (self.config.steps - step),
        )
        if step % self.config.report_every == 0 or step == self.config.steps:
            kept = ("step", "loss", "learning_rate", "tokens_per_second", "elapsed_seconds")
            run.history.append({name: getattr(progress, name) for name in kept})
        self._notify(lambda: self.callback.on_step(progress))

    def _notify(self, call: Callable[[], None]) -> None:
        """Call the callback. An exception from it ends the run after this step, with a checkpoint, on all processes."""
        try:
            call()
        except Exception as error:
            self._raised = self._raised or error

    def _validate(self) -> None:
        """Measure the averaged weights, and keep the best."""
        run = self.progress
        scores = self._measure()
        is_best = self._best_steps[:1] == [run.step]
        run.validations_since_best = 0 if is_best else run.validations_since_best + 1
        if is_best:
            run.best_step, run.best_scores = run.step, scores
        if run.step in self._best_steps:
            self._save()  # first, so that no checkpoint is older than the model, which a resumed run keeps again
            self._keep()
        self._record(run)
        self._notify(lambda: self.callback.on_validation(run.step, scores, is_best))

    def _measure(self) -> Scores:
        """The scores of the averaged weights, and their output for some examples; both are noted. What is drawn at random, as by
        metrics of the user's, changes no step.
        """
        run, start = self.progress, time.perf_counter()
        with random_numbers_kept(self.device):
            scores = self.updater.measure(self.task.validate)
            run.history.append({"step": run.step, **{f"valid_{name}": score for name, score in scores.items()}})
            if math.isfinite(scores["loss"]) and (sample := self.updater.measure(self.task.sample)):
                run.snapshots.append({"step": run.step, **sample})
        seconds = time.perf_counter() - start
        run.validation_seconds, run.seconds = run.validation_seconds + seconds, run.seconds + seconds
        if not run.step:
            self._notify(lambda: self.callback.on_validation(0, scores, False))
        return scores

    @property
    def _best_steps(self) -> list[int]:
        return self.progress.best_steps(self.config.metric, self.config.keep_best)

    def _keep_snapshot(self) -> None:
        """Write the model as it is validated, if this step is one of those that are asked for."""
        every = self.config.keep_every
        if every and self.progress.step % every == 0:
            model = self.updater.whole_model()
            if self.world.is_main:
                self.writer.keep_snapshot(model, self.progress)

    def _keep(self) -> None:
        model = self.updater.whole_model()
        if self.world.is_main:
            self.writer.keep(model, self.progress)
        self.world.wait()
