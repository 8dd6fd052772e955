"""The training loop: batches in, better weights out.

One step: forward and loss of each micro-batch, backward, clip, update. Now and then: validate, and keep the best.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor, nn

from regard.errors import SettingsError, TrainingError
from regard.training.losses import loss_function
from regard.training.optimization import TrainingConfig, WeightAverage, parameter_groups
from regard.training.precision import MasterWeights, resolve_precision
from regard.training.schedules import learning_rate, paper_peak
from regard.training.state import TrainingState, stopping_on_signals

Scores = dict[str, float]
SKIPPED_IN_A_ROW = 5
"""So many steps without a finite loss and gradient end a run."""
SECONDS = {"s": 1, "m": 60, "h": 3600}


@runtime_checkable
class Trainable(Protocol):
    """What a batch must be: on a device, and as many tokens as its loss is summed over."""

    @property
    def num_tokens(self) -> int:
        """Labels that the loss is summed over."""

    @property
    def next_place(self) -> tuple[int, int]:
        """Where the batch after this one stands: epoch, and number in it."""

    @property
    def indices(self) -> list[int]:
        """Which examples these are."""

    def to(self, device: torch.device) -> Any:
        """The batch on a device."""


AnyBatch = TypeVar("AnyBatch", bound=Trainable)
AnyModel = TypeVar("AnyModel", bound=nn.Module)


@dataclass(frozen=True)
class Progress:
    """Where a run stands after a step."""

    step: int
    num_steps: int
    loss: float
    """Nats per target token of this step, against smoothed labels."""
    learning_rate: float
    tokens_per_second: float
    """Target tokens that are not padding, since the run began, validation not counted."""
    elapsed_seconds: float
    remaining_seconds: float


@dataclass(frozen=True)
class SavingTimes:
    """When a run is written down to be resumed: every so many steps, or every so many seconds, or else at each validation."""

    every_steps: int | None = None
    every_seconds: float | None = None

    @classmethod
    def parse(cls, text: str | None) -> SavingTimes:
        """From `20` (steps), `30s`, `10m` or `2h`; None: at each validation.

        Raises:
            SettingsError: it is written otherwise.
        """
        if text is None:
            return cls()
        number, unit = text[:-1], text[-1:]
        if text.isdecimal() and int(text) > 0:
            return cls(every_steps=int(text))
        if number.isdecimal() and int(number) > 0 and unit in SECONDS:
            return cls(every_seconds=int(number) * SECONDS[unit])
        raise SettingsError(
            f"--save-every must be steps, such as 500, or a time, such as 30s, 10m or 2h; got {text!r}."
        )

    def is_due(self, step: int, seconds: float, *, validated: bool) -> bool:
        """Whether to save after this step, so many seconds after the last time."""
        if self.every_steps is not None:
            return step % self.every_steps == 0
        return validated if self.every_seconds is None else seconds >= self.every_seconds


@runtime_checkable
class Listener(Protocol):
    """Who is told how training goes."""

    def on_step(self, progress: Progress) -> None:
        """After every step."""

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        """After every validation."""


@dataclass
class TrainingRun:
    """What a run was: how far it came, what it measured, and which validation was best."""

    step: int = 0
    seconds: float = 0.0
    validation_seconds: float = 0.0
    num_tokens: int = 0
    best_step: int = 0
    best_scores: Scores = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)
    """One record for every `report_every` steps, one for every validation: what `metrics.jsonl` holds."""
    interrupted: bool = False
    skipped_steps: int = 0
    """Steps whose loss or gradient was not finite, and that moved nothing."""
    skipped_in_a_row: int = 0
    validations_since_best: int = 0
    next_place: tuple[int, int] = (0, 0)
    """Where the batch after the last one stands: epoch, and number in it."""

    @property
    def tokens_per_second(self) -> float:
        """Target tokens that are not padding, validation not counted."""
        return self.num_tokens / max(self.seconds - self.validation_seconds, 1e-9)


class Trainer(Generic[AnyModel, AnyBatch]):
    """Trains a model on batches.

    Args:
        model: on its device; its weights are moved in place, in float32.
        batches: endless, from the batch on that comes next.
        validate: scores of a model; the one with the lowest `loss` is kept.
        keep: writes a model down; called for each new best.
        save: writes down where the run stands, so that it can be resumed; called when `saving` says so, and at the end.
        resumed: where an earlier run stood; this one goes on from there as if it had never stopped.
        example: where an example stands, in words, by its index.
    """

    def __init__(
        self,
        model: AnyModel,
        batches: Iterator[AnyBatch],
        config: TrainingConfig,
        *,
        validate: Callable[[AnyModel], Scores],
        keep: Callable[[AnyModel, TrainingRun], None],
        listener: Listener,
        save: Callable[[dict[str, Tensor], TrainingRun], None] | None = None,
        saving: SavingTimes | None = None,
        resumed: TrainingState | None = None,
        example: Callable[[int], str] = "example {}".format,
    ) -> None:
        self.model, self.batches, self.config = model, batches, config
        self.loss = loss_function(model, smoothing=config.label_smoothing, smoothing_over=config.smoothing_over)
        self.validate, self.keep, self.listener = validate, keep, listener
        self.device = next(model.parameters()).device
        self.weights = MasterWeights(model, resolve_precision(config.precision, self.device))
        self.average = WeightAverage(model, config.average_decay)
        self.optimizer = torch.optim.AdamW(
            parameter_groups(model, config.weight_decay), betas=config.adam_betas, eps=config.adam_epsilon, fused=True
        )
        self.peak_rate = config.learning_rate or paper_peak(int(model.config.model_dim), config.warmup_steps)  # type: ignore[union-attr, arg-type]
        self.progress = TrainingRun()
        self.save, self.saving = save, saving or SavingTimes()
        self.example = example
        self._random: Tensor | None = None
        self._random_cuda: Tensor | None = None
        if resumed is not None:
            self._restore(resumed)

    def run(self) -> TrainingRun:
        """Train for `config.steps` steps; an interrupt (Ctrl-C) ends the run early, with what was kept intact.

        Dropout draws from torch's default generator, which is seeded here and given back as it was found. A first Ctrl-C or
        SIGTERM ends the run after the step that is under way.

        Raises:
            TrainingError: the loss or the gradient was not finite several times in a row.
        """
        run = self.progress
        start = time.perf_counter() - run.seconds
        saved_at = time.perf_counter()
        with torch.random.fork_rng([self.device] if self.device.type == "cuda" else []), stopping_on_signals() as stop:
            torch.manual_seed(self.config.seed)
            self._restore_random()
            try:
                while run.step < self.config.steps and not stop:
                    batches = [next(self.batches) for _ in range(self.config.accumulation)]
                    rate = self.learning_rate(run.step + 1)
                    loss = self.step(batches, rate)
                    run.step += 1
                    self.average.update(run.step)
                    run.num_tokens += sum(batch.num_tokens for batch in batches)
                    run.next_place = batches[-1].next_place
                    run.seconds = time.perf_counter() - start
                    self._report(loss, rate)
                    is_last = run.step == self.config.steps
                    is_due = run.step % self.config.validate_every == 0
                    if is_due or is_last:
                        self._validate()
                    has_stalled = run.validations_since_best >= (self.config.patience or math.inf)
                    is_last = is_last or has_stalled
                    seconds_since = time.perf_counter() - saved_at
                    if self.save and (is_last or stop or self.saving.is_due(run.step, seconds_since, validated=is_due)):
                        self.save(self.tensors(), run)
                        saved_at = time.perf_counter()
                    if has_stalled:
                        break
                run.interrupted = bool(stop) and run.step < self.config.steps
            except KeyboardInterrupt:
                run.interrupted = True
            if run.interrupted and run.step and not run.best_step:
                self.keep(self.average.model, run)
            run.seconds = time.perf_counter() - start
        return run

    def tensors(self) -> dict[str, Tensor]:
        """Everything that must be the same for the next step to be the same."""
        found = {f"weights.{name}": parameter.detach() for name, parameter in self.model.named_parameters()}
        if self.average.model is not self.model:
            found |= {f"average.{name}": parameter for name, parameter in self.average.model.named_parameters()}
        for name, parameter in self.model.named_parameters():
            moments = self.optimizer.state.get(parameter, {})
            found |= {f"optimizer.{name}.{key}": tensor for key, tensor in moments.items()}
        found["random.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            found["random.cuda"] = torch.cuda.get_rng_state(self.device)
        return {name: tensor.cpu().contiguous() for name, tensor in found.items()}

    def _restore(self, state: TrainingState) -> None:
        """Stand where an earlier run stood."""
        with torch.no_grad():
            for kind, model in (("weights", self.model), ("average", self.average.model)):
                for name, parameter in model.named_parameters():
                    if f"{kind}.{name}" in state.tensors:
                        parameter.copy_(state.tensors[f"{kind}.{name}"])
        self.weights.spread_weights()
        for name, parameter in self.model.named_parameters():
            for key in ("step", "exp_avg", "exp_avg_sq"):
                if (tensor := state.tensors.get(f"optimizer.{name}.{key}")) is not None:
                    self.optimizer.state[parameter][key] = tensor.clone().to(self.device)
        self.progress = TrainingRun(**{**state.progress, "next_place": state.next_place})
        self._random = state.tensors["random.cpu"]
        self._random_cuda = state.tensors.get("random.cuda")

    def _restore_random(self) -> None:
        if self._random is not None:
            torch.set_rng_state(self._random)
            if self._random_cuda is not None and self.device.type == "cuda":
                torch.cuda.set_rng_state(self._random_cuda, self.device)

    def learning_rate(self, step: int) -> float:
        """The learning rate of a step, counted from 1, on the schedule of the settings."""
        config = self.config
        return learning_rate(
            config.schedule, step, peak=self.peak_rate, warmup_steps=config.warmup_steps, steps=config.steps
        )

    def step(self, batches: Sequence[AnyBatch], learning_rate: float) -> float:
        """Move the weights once, by the gradient of the mean loss over the tokens of all batches.

        Returns:
            That loss, in nats per token.
            Where it or the gradient is not finite, the weights are left as they were, and the step is counted.
        Raises:
            TrainingError: that has happened several times in a row.
        """
        compute = self.weights.compute.train()
        num_tokens = sum(batch.num_tokens for batch in batches)
        total = torch.zeros((), device=self.device)
        for batch in batches:
            loss = self.loss(compute, batch.to(self.device))
            (loss / num_tokens).backward()
            total += loss.detach() / num_tokens
            self.weights.gather_gradients()
        mean_loss = total.item()
        gradient_norm = nn.utils.get_total_norm(
            [parameter.grad for parameter in self.model.parameters() if parameter.grad is not None]
        )
        if not (math.isfinite(mean_loss) and math.isfinite(gradient_norm.item())):
            self._skip("loss" if not math.isfinite(mean_loss) else "gradient", batches)
            return mean_loss
        self.progress.skipped_in_a_row = 0
        nn.utils.clip_grads_with_norm_(self.model.parameters(), self.config.clip_norm, gradient_norm)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.weights.spread_weights()
        return mean_loss

    def _skip(self, what: str, batches: Sequence[AnyBatch]) -> None:
        """Move nothing, and count.

        Raises:
            TrainingError: it is one of too many in a row.
        """
        run = self.progress
        self.optimizer.zero_grad()
        run.skipped_steps += 1
        run.skipped_in_a_row += 1
        if run.skipped_in_a_row >= SKIPPED_IN_A_ROW:
            rows = sorted(index for batch in batches for index in batch.indices)
            raise TrainingError(
                f"the {what} must be a finite number; it was not in {run.skipped_in_a_row} steps in a row, up to step "
                f"{run.step + 1}, whose batch holds {self._places(rows)}. A lower training.learning_rate or "
                "--precision float32 usually helps. What was kept before is whole."
            )

    def _places(self, rows: list[int]) -> str:
        """The first few of some examples, in words."""
        shown = ", ".join(map(self.example, rows[:8]))
        return shown + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")

    def _report(self, loss: float, rate: float) -> None:
        run = self.progress
        progress = Progress(
            step=run.step,
            num_steps=self.config.steps,
            loss=loss,
            learning_rate=rate,
            tokens_per_second=run.tokens_per_second,
            elapsed_seconds=run.seconds,
            remaining_seconds=run.seconds / run.step * (self.config.steps - run.step),
        )
        if run.step % self.config.report_every == 0 or run.step == self.config.steps:
            kept = ("step", "loss", "learning_rate", "tokens_per_second", "elapsed_seconds")
            run.history.append({name: getattr(progress, name) for name in kept})
        self.listener.on_step(progress)

    def _validate(self) -> None:
        run, start = self.progress, time.perf_counter()
        scores = self.validate(self.average.model.eval())
        run.history.append({"step": run.step, **{f"valid_{name}": score for name, score in scores.items()}})
        is_best = not run.best_scores or scores["loss"] < run.best_scores["loss"]
        run.validations_since_best = 0 if is_best else run.validations_since_best + 1
        if is_best:
            self.keep(self.average.model, run)
            run.best_step, run.best_scores = run.step, scores
        run.validation_seconds += time.perf_counter() - start
        self.listener.on_validation(run.step, scores, is_best)
