import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pytest
import torch
from stub_run import StubTask, StubWriter

from regard.data.batch import Batch
from regard.data.batching import make_batch, training_batches
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import TrainingError
from regard.models.encoder_decoder import EncoderDecoder
from regard.training.state import TrainingState
from regard.training.trainer import Trainer
from regard.training.training_config import TrainingConfig
from regard.training.training_run import Callback, Progress, SavingTimes, Scores, TrainingRun
from regard.training.updates import Updater

MakeModel = Callable[..., EncoderDecoder]


@dataclass
class Recorder(Callback):
    steps: list[Progress] = field(default_factory=list)
    validations: list[tuple[int, Scores, bool]] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)

    def on_step(self, progress: Progress) -> None:
        self.steps.append(progress)

    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None:
        self.validations.append((step, scores, is_best))


def copy_pairs(num_pairs: int = 64) -> EncodedPairs:
    rng = np.random.default_rng(0)
    rows = [[*rng.integers(4, 23, rng.integers(1, 6)).tolist(), 3] for _ in range(num_pairs)]
    return EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))


def batch_of(*rows: int) -> Batch:
    return make_batch(copy_pairs(), np.array(rows), pad_id=0, start_ids=[2])


def trainer_of(
    model: EncoderDecoder,
    recorder: Recorder,
    batches: Iterator[Batch] | None = None,
    losses: Iterator[float] | None = None,
    resumed: TrainingState | None = None,
    **settings: object,
) -> Trainer:
    defaults: dict[str, object] = {"steps": 6, "validate_every": 2, "report_every": 1, "precision": "float32"}
    config = TrainingConfig(**(defaults | settings))

    class Writer(StubWriter):
        def keep(self, model: EncoderDecoder, run: TrainingRun) -> None:
            recorder.kept.append(run.step)

    task = StubTask(
        lambda start, shard: batches or training_batches(copy_pairs(), 60, 1, pad_id=0, start_ids=[2], start=start),
        lambda model: {"loss": next(losses) if losses else 1.0},
    )
    return Trainer(Updater(model, config), task, Writer(), recorder, resumed=resumed)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_step_is_the_same_however_the_batch_is_cut(make_model: MakeModel, smoothing: float) -> None:
    rows = tuple(range(12))
    cuts = [[rows], [rows[:1], rows[1:]], [rows[i : i + 2] for i in range(0, 12, 2)]]
    after = []
    for cut in cuts:
        model = make_model(dropout=0.0)
        trainer = trainer_of(model, Recorder(), label_smoothing=smoothing, clip_norm=1e9)
        # Plain gradient descent: Adam would hide a gradient of the wrong length.
        trainer.updater.optimizer = torch.optim.SGD(model.parameters(), fused=True)
        loss = trainer.updater.step([batch_of(*part) for part in cut], learning_rate=0.5).loss
        after.append((loss, [parameter.detach().clone() for parameter in model.parameters()]))
    for loss, parameters in after[1:]:
        assert loss == pytest.approx(after[0][0], rel=1e-5)
        torch.testing.assert_close(parameters, after[0][1], rtol=1e-4, atol=1e-5)


def test_the_best_validation_is_kept(make_model: MakeModel) -> None:
    recorder = Recorder()
    run = trainer_of(make_model(), recorder, losses=iter([3.0, 1.0, 2.0])).train()
    assert recorder.kept == [2, 4]
    assert [(step, best) for step, _, best in recorder.validations] == [(2, True), (4, True), (6, False)]
    assert (run.best_step, run.best_scores, run.step, run.interrupted) == (4, {"loss": 1.0}, 6, False)
    assert [record["valid_loss"] for record in run.history if "valid_loss" in record] == [3.0, 1.0, 2.0]


def test_progress_counts_steps_and_tokens(make_model: MakeModel) -> None:
    recorder = Recorder()
    run = trainer_of(make_model(), recorder, accumulation=2).train()
    assert [progress.step for progress in recorder.steps] == [1, 2, 3, 4, 5, 6]
    expected = training_batches(copy_pairs(), 60, 1, pad_id=0, start_ids=[2])
    assert run.num_tokens == sum(next(expected).num_tokens for _ in range(12))
    assert recorder.steps[-1].remaining_seconds == 0


def test_on_a_gpu_losses_are_read_a_step_later(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the next step, only what is written down or validated is read; all is told, in the same order."""
    told: dict[str, list[tuple[str, int, float]]] = {"cpu": [], "cuda": []}
    for kind, events in told.items():
        torch.manual_seed(1)
        recorder = Recorder()
        trainer = trainer_of(make_model(dropout=0.0), recorder, steps=6, validate_every=4)
        begin = trainer.updater.step

        def step(*args: Any, events: Any = events, begin: Any = begin) -> Any:
            events.append(("begun", 0, 0.0))
            return begin(*args)

        monkeypatch.setattr(trainer.updater, "step", step)
        monkeypatch.setattr(recorder, "on_step", lambda at, events=events: events.append(("told", at.step, at.loss)))
        trainer.device = torch.device("meta" if kind == "cuda" else "cpu")
        run = trainer.train()
        assert [record["step"] for record in run.history if "loss" in record] == [1, 2, 3, 4, 5, 6]
    told_of = {kind: [event for event in events if event[0] == "told"] for kind, events in told.items()}
    assert told_of["cuda"] == told_of["cpu"]
    order = "".join(event[0][0] for event in told["cuda"])
    assert order == "b" + "bt" * 3 + "t" + "bbtt"  # all of step 4 before it is validated
    assert "".join(event[0][0] for event in told["cpu"]) == "bt" * 6


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_training_learns_and_repeats(make_model: MakeModel, precision: str) -> None:
    def train() -> tuple[EncoderDecoder, list[Progress]]:
        recorder, model = Recorder(), make_model(dropout=0.1)
        state = torch.get_rng_state()
        settings = {"steps": 60, "learning_rate": 0.01, "warmup_steps": 10, "validate_every": 100}
        trainer_of(model, recorder, precision=precision, **settings).train()
        assert torch.equal(torch.get_rng_state(), state), "the caller's random numbers were touched"
        return model, recorder.steps

    model, steps = train()
    assert steps[-1].loss < 0.8 * steps[0].loss
    again, _ = train()
    assert all(map(torch.equal, model.parameters(), again.parameters()))


def test_a_loss_that_is_no_number_ends_the_run_and_changes_nothing(make_model: MakeModel) -> None:
    model = make_model()
    model.source_embedding.weight.data[5] = float("nan")
    before = [parameter.detach().clone() for parameter in model.encoder_layers[0].parameters()]  # type: ignore[attr-defined]
    with pytest.raises(TrainingError, match=r"the loss must be a finite number; .*5 steps in a row, up to step 5"):
        trainer_of(model, Recorder()).train()
    assert all(map(torch.equal, before, model.encoder_layers[0].parameters()))  # type: ignore[attr-defined]


def interrupted_after(num_batches: int) -> Iterator[Batch]:
    stream = training_batches(copy_pairs(), 60, 1, pad_id=0, start_ids=[2])
    for _ in range(num_batches):
        yield next(stream)
    raise KeyboardInterrupt


@pytest.mark.parametrize(("num_batches", "kept"), [(0, []), (1, [1]), (5, [2])])
def test_an_interrupt_keeps_the_best_or_what_there_is(make_model: MakeModel, num_batches: int, kept: list[int]) -> None:
    recorder = Recorder()
    run = trainer_of(make_model(), recorder, batches=interrupted_after(num_batches), losses=iter([1.0, 2.0])).train()
    assert isinstance(run, TrainingRun)
    assert run.interrupted
    assert run.step == num_batches
    assert recorder.kept == kept


def test_a_gradient_that_is_no_number_ends_the_run(make_model: MakeModel) -> None:
    model = make_model()
    model.encoder_layers[0].feed_forward.inner_proj.weight.register_hook(lambda gradient: gradient * float("inf"))
    before = [parameter.detach().clone() for parameter in model.parameters()]
    with pytest.raises(TrainingError, match=r"the gradient must be a finite number; .*5 steps in a row"):
        trainer_of(model, Recorder()).train()
    assert all(map(torch.equal, before, model.parameters()))


def test_long_gradients_are_clipped(make_model: MakeModel) -> None:
    moved = []
    for clip_norm in (1e-3, 1e9):
        model = make_model(dropout=0.0)
        before = torch.cat([parameter.detach().flatten().clone() for parameter in model.parameters()])
        trainer = trainer_of(model, Recorder(), clip_norm=clip_norm)
        trainer.updater.optimizer = torch.optim.SGD(model.parameters(), fused=True)
        trainer.updater.step([batch_of(*range(12))], learning_rate=1.0)
        moved.append((torch.cat([p.detach().flatten() for p in model.parameters()]) - before).norm().item())
    assert moved[0] == pytest.approx(1e-3, rel=0.01)
    assert moved[1] > 0.1


def test_speed_leaves_validation_out(make_model: MakeModel) -> None:
    run = trainer_of(make_model(), Recorder()).train()
    assert 0 < run.validation_seconds < run.seconds
    assert run.tokens_per_second == pytest.approx(run.num_tokens / (run.seconds - run.validation_seconds))


def test_a_step_that_is_no_number_is_skipped_and_counted(make_model: MakeModel) -> None:
    """A bad batch in six: the weights do not move by it, and the run goes on."""
    model, recorder = make_model(dropout=0.0), Recorder()
    bad_step = 3

    before: list[list[torch.Tensor]] = []
    trainer = trainer_of(model, recorder, learning_rate=0.01, warmup_steps=1)
    step = trainer.updater.step

    def watched(*arguments: Any) -> Any:
        before.append([parameter.detach().clone() for parameter in model.parameters()])
        weight = model.encoder_layers[0].feed_forward.inner_proj.weight
        handle = weight.register_hook(lambda g: g * float("nan")) if len(before) == bad_step else None
        outcome = step(*arguments)
        if handle:
            handle.remove()
        return outcome

    trainer.updater.step = watched
    run = trainer.train()
    assert (run.step, run.skipped_steps, run.skipped_in_a_row, run.interrupted) == (6, 1, 0, False)
    for index in range(5):
        is_same = all(map(torch.equal, before[index], before[index + 1]))
        assert is_same == (index + 1 == bad_step)


def test_a_run_without_progress_ends_early(make_model: MakeModel) -> None:
    recorder = Recorder()
    losses = iter([3.0, 2.0, 2.5, 2.1, 1.0])
    run = trainer_of(make_model(), recorder, losses=losses, steps=20, patience=2).train()
    assert (run.step, run.best_step, run.interrupted) == (8, 4, False)


def test_a_run_that_ended_early_makes_no_step_when_it_is_resumed(make_model: MakeModel) -> None:
    model, saved = make_model(), {}
    trainer = trainer_of(model, Recorder(), losses=iter([3.0, 2.0, 2.5, 2.1, 1.0]), steps=20, patience=2)
    trainer.saving = SavingTimes()
    trainer.writer.save = lambda tensors, run: saved.update(tensors=tensors, progress=asdict(run))
    trainer.train()
    state = TrainingState(saved["tensors"], saved["progress"], {})
    assert trainer_of(model, Recorder(), steps=20, patience=2, resumed=state).train().step == 8
    assert (
        trainer_of(model, Recorder(), losses=iter([1.0, 9, 9]), steps=10, patience=3, resumed=state).train().step == 10
    )


@pytest.mark.parametrize("stopped_at", [1, 5])
def test_a_run_that_is_resumed_with_no_step_left_measures_its_last(make_model: MakeModel, stopped_at: int) -> None:
    saved: dict[str, Any] = {}

    def save(tensors: Any, run: TrainingRun) -> None:
        saved["state"] = TrainingState(tensors, asdict(run), {})

    stopped = trainer_of(make_model(), Recorder(), batches=interrupted_after(stopped_at))
    stopped.saving, stopped.writer.save = SavingTimes(every_steps=1), save
    stopped.train()
    for expected in ([stopped_at], []):  # the checkpoint knows of it then
        recorder = Recorder()
        resumed = trainer_of(make_model(), recorder, losses=iter([0.5]), steps=stopped_at, resumed=saved["state"])
        resumed.saving, resumed.writer.save = SavingTimes(), save
        run = resumed.train()
        assert (run.step, run.best_step, run.best_scores) == (stopped_at, stopped_at, {"loss": 0.5})
        assert [step for step, _, _ in recorder.validations] == expected


def test_what_scores_no_number_is_not_kept(make_model: MakeModel) -> None:
    recorder, looks = Recorder(), []
    trainer = trainer_of(make_model(), recorder, losses=iter([math.nan, 3.0, math.inf, 2.0]), steps=8, keep_best=3)
    trainer.task.sample = lambda model: looks.append(model) or {}
    run = trainer.train()
    assert run.best_step == 8
    assert recorder.kept == [4, 8]
    assert run.best_steps("loss", 4) == [8, 4]
    assert len(looks) == 2  # nothing can be searched for in a model whose scores are no numbers


def test_snapshots_begin_with_the_untrained_model_and_come_before_checkpoints(make_model: MakeModel) -> None:
    written: list[tuple[str, int]] = []
    trainer = trainer_of(make_model(), Recorder(), steps=5, validate_every=2, keep_every=2)
    trainer.saving = SavingTimes()
    trainer.writer.keep_snapshot = lambda model, run: written.append(("snapshot", run.step))
    trainer.writer.save = lambda tensors, run: written.append(("checkpoint", run.step))
    trainer.train()
    assert written == [
        ("snapshot", 0), ("snapshot", 2), ("checkpoint", 2), ("snapshot", 4), ("checkpoint", 4), ("checkpoint", 5)
    ]  # fmt: skip


def test_a_run_without_any_score_keeps_nothing(make_model: MakeModel) -> None:
    recorder = Recorder()
    with pytest.raises(TrainingError, match=r"validation loss must be a number; .* up to step 4\."):
        trainer_of(make_model(), recorder, losses=iter([math.nan] * 2), steps=4).train()
    interrupted = trainer_of(make_model(), recorder, batches=interrupted_after(3), losses=iter([math.nan])).train()
    assert (interrupted.interrupted, interrupted.step) == (True, 3)
    assert recorder.kept == []


def test_what_was_measured_is_written_down_at_each_validation_and_when_a_run_fails(make_model: MakeModel) -> None:
    recorder, records = Recorder(), []
    trainer = trainer_of(make_model(), recorder, losses=iter([3.0, 4.0, 5.0]), steps=7)
    trainer.writer.record = lambda run: records.append(len(run.history))
    trainer.updater.step = failing_at(6, trainer.updater.step)
    with pytest.raises(TrainingError, match="of step 6"):
        trainer.train()
    assert records == [3, 6, 7]  # two steps and a validation, twice; then one step more


def failing_at(number: int, step: Callable[..., object]) -> Callable[..., object]:
    count = itertools.count(1)

    def failing(*arguments: object) -> object:
        if next(count) == number:
            raise TrainingError(f"of step {number}")
        return step(*arguments)

    return failing


def test_only_matrices_decay(make_model: MakeModel) -> None:
    """With a gradient of zero, AdamW moves a weight by its decay alone: weight (1 - rate decay)."""
    model = make_model()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    trainer = trainer_of(model, Recorder(), weight_decay=0.1)
    module = trainer.updater.module.model
    module.loss = lambda batch, smoothing: sum(parameter.sum() * 0 for parameter in module.parameters())
    trainer.updater.step([batch_of(0, 1)], learning_rate=0.5)
    for name, parameter in model.named_parameters():
        factor = 0.95 if parameter.ndim >= 2 else 1.0
        torch.testing.assert_close(parameter.detach(), before[name] * factor)


def test_a_batch_that_does_not_fit_into_memory_is_named_with_what_to_change(make_model: MakeModel) -> None:
    trainer = trainer_of(make_model(), Recorder(), batch_tokens=4096)
    trainer.updater.module.model.loss = lambda batch, smoothing: torch.empty(1 << 50).sum()
    message = (
        r"a batch must fit into memory; got source_ids 3 x \d+, target_ids 3 x \d+, labels 3 x \d+\. "
        r"In a new run, lower training.batch_tokens, now 4,096, and raise training.accumulation, now 1"
    )
    with pytest.raises(TrainingError, match=message):
        trainer.updater.step([batch_of(0, 1), batch_of(0, 1, 2)], learning_rate=0.5)
    trainer.updater.module.model.loss = lambda batch, smoothing: torch.zeros(3) @ torch.zeros(4)
    with pytest.raises(RuntimeError, match=r"inconsistent tensor size|size mismatch"):
        trainer.updater.step([batch_of(0, 1, 2)], learning_rate=0.5)


@pytest.mark.parametrize("where", ["optimizer", "validation"])
def test_memory_that_ends_elsewhere_is_said_as_well(make_model: MakeModel, where: str) -> None:
    def too_large(*_: object) -> None:
        torch.empty(1 << 50)

    trainer = trainer_of(make_model(), Recorder())
    if where == "optimizer":
        trainer.updater.optimizer.step = too_large
    else:
        trainer.task.measured = too_large
    what = "source_ids" if where == "optimizer" else "the validation text, in batches"
    with pytest.raises(TrainingError, match=rf"a batch must fit into memory; got {what}"):
        trainer.train()


def test_a_metric_that_is_no_number_is_named(make_model: MakeModel) -> None:
    trainer = trainer_of(make_model(), Recorder(), metric="mine")
    trainer.task.measured = lambda _: {"loss": 1.0, "mine": math.nan}
    with pytest.raises(TrainingError, match=r"the validation mine must be a number; .* mend this metric") as caught:
        trainer.train()
    assert "learning_rate" not in str(caught.value)


@pytest.mark.parametrize(("metric", "best"), [("loss", [4, 6]), ("token_accuracy", [8, 2])])
def test_a_metric_decides_which_models_stay(make_model: MakeModel, metric: str, best: list[int]) -> None:
    measured = iter([(3.0, 0.5), (1.0, 0.1), (2.0, 0.3), (2.5, 0.6)])
    recorder = Recorder()
    trainer = trainer_of(make_model(), recorder, steps=8, metric=metric, keep_best=2)
    trainer.task.measured = lambda _: dict(zip(("loss", "token_accuracy"), next(measured), strict=True))
    run = trainer.train()
    assert run.best_steps(metric, 2) == best
    assert run.best_step == best[0]
    assert set(best) <= set(recorder.kept)


def test_of_two_equal_validations_the_earlier_is_better() -> None:
    history = [{"step": 2, "valid_bleu": 3.0}, {"step": 3, "loss": 1.0}, {"step": 4, "valid_bleu": 3.0}]
    assert TrainingRun(history=history).best_steps("bleu", 5) == [2, 4]
