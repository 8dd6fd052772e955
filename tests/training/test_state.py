"""Checkpoints of a run: whole or not there, and enough to go on as if nothing had happened."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stub_run import StubTask, StubWriter
from torch import Tensor

from regard.data.batch import Batch
from regard.data.batching import training_batches
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import SettingsError, TrainingError
from regard.models.encoder_decoder import EncoderDecoder
from regard.training.state import (
    TrainingState,
    checkpoints,
    first_difference,
    read_state,
    remove_snapshots_after,
    snapshots,
    write_state,
)
from regard.training.trainer import Trainer
from regard.training.training_config import TrainingConfig
from regard.training.training_run import Callback, Progress, SavingTimes, Scores, TrainingRun
from regard.training.updates import Updater

MakeModel = Callable[..., EncoderDecoder]


class Silent(Callback):
    def on_step(self, progress: Progress) -> None: ...
    def on_validation(self, step: int, scores: Scores, is_best: bool) -> None: ...


def pairs() -> EncodedPairs:
    rng = np.random.default_rng(0)
    rows = [[*rng.integers(4, 23, rng.integers(1, 6)).tolist(), 3] for _ in range(64)]
    return EncodedPairs(Sequences.from_lists(rows), Sequences.from_lists(rows))


def stream(start: tuple[int, int]) -> Iterator[Batch]:
    return training_batches(pairs(), 60, 1, pad_id=0, start_ids=[2], start=start)


def run_from(
    model: EncoderDecoder, state: TrainingState | None, saved: dict[int, TrainingState], steps: int, **settings: Any
) -> TrainingRun:
    """Train for so many steps in all; every step's state is noted."""
    config = TrainingConfig(
        steps=steps, validate_every=3, warmup_steps=4, learning_rate=0.01, **{"precision": "float32"} | settings
    )

    class Writer(StubWriter):
        def save(self, tensors: dict[str, Tensor], run: TrainingRun) -> None:
            copied = {name: tensor.clone() for name, tensor in tensors.items()}
            saved[run.step] = TrainingState(copied, json.loads(json.dumps(asdict(run))), {})

    losses = lambda model: {"loss": float(sum(p.detach().double().abs().sum() for p in model.parameters()))}  # noqa: E731
    trainer = Trainer(
        Updater(model, config), StubTask(lambda start, shard: stream(start), losses), Writer(), Silent(),
        saving=SavingTimes(every_steps=1), resumed=state,
    )  # fmt: skip
    return trainer.train()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("settings", [{}, {"average_decay": 0.0}, {"accumulation": 2}])
@pytest.mark.parametrize("at", [1, 4, 6])
def test_a_run_goes_on_as_if_it_had_never_stopped(
    make_model: MakeModel, precision: str, settings: dict[str, Any], at: int
) -> None:
    """Weights, averages, moments, random numbers and the record, to the bit; dropout is on."""
    whole: dict[int, TrainingState] = {}
    expected = run_from(make_model(dropout=0.2), None, whole, 8, precision=precision, **settings)
    again: dict[int, TrainingState] = {}
    other = make_model(dropout=0.2)
    for parameter in other.parameters():
        parameter.data.normal_()
    found = run_from(other, whole[at], again, 8, precision=precision, **settings)
    assert whole[8].tensors.keys() == again[8].tensors.keys()
    for name, tensor in whole[8].tensors.items():
        assert torch.equal(tensor, again[8].tensors[name]), name
    timed = {"tokens_per_second", "elapsed_seconds"}
    records = [
        [{key: v for key, v in row.items() if key not in timed} for row in run.history] for run in (expected, found)
    ]
    assert records[0] == records[1]
    assert (found.num_tokens, found.best_step, found.best_scores) == (
        expected.num_tokens,
        expected.best_step,
        expected.best_scores,
    )


def test_a_finished_run_can_be_given_more_steps(make_model: MakeModel) -> None:
    whole: dict[int, TrainingState] = {}
    run_from(make_model(dropout=0.2), None, whole, 8)
    short: dict[int, TrainingState] = {}
    run_from(make_model(dropout=0.2), None, short, 5)
    again: dict[int, TrainingState] = {}
    run_from(make_model(dropout=0.2), short[5], again, 8)
    assert torch.equal(
        whole[8].tensors["weights.source_embedding.weight"], again[8].tensors["weights.source_embedding.weight"]
    )


def state_of(step: int, number: float = 1.0) -> TrainingState:
    return TrainingState({"weights.a": torch.full((3,), number)}, asdict(TrainingRun(step=step)), {"training.seed": 1})


def test_the_newest_two_are_kept(tmp_path: Path) -> None:
    for step in (5, 900, 1000, 20000):
        write_state(tmp_path / "run", state_of(step, step))
    assert [path.name for path in checkpoints(tmp_path / "run")] == ["step-00020000", "step-00001000"]
    state, damaged = read_state(tmp_path / "run")
    assert state is not None
    assert (state.step, damaged) == (20000, [])
    assert torch.equal(state.tensors["weights.a"], torch.full((3,), 20000.0))
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["step-00001000", "step-00020000"]


@pytest.mark.parametrize("file", ["state.safetensors", "state.json"])
def test_a_checkpoint_with_one_byte_changed_is_passed_over(file: str, tmp_path: Path) -> None:
    write_state(tmp_path, state_of(1))
    write_state(tmp_path, state_of(2))
    path = tmp_path / "step-00000002" / file
    content = bytearray(path.read_bytes())
    for place in range(0, len(content), max(len(content) // 40, 1)):
        changed = content.copy()
        changed[place] ^= 0x04
        path.write_bytes(changed)
        state, damaged = read_state(tmp_path)
        assert state is not None
        if state.step == 2:  # a change that says the same, as of a space
            assert json.loads(changed) == json.loads(content)
        else:
            assert "step-00000002 is damaged" in damaged[0]


def test_only_damaged_ones_is_an_error_and_none_is_not(tmp_path: Path) -> None:
    assert read_state(tmp_path / "nothing") == (None, [])
    write_state(tmp_path, state_of(1))
    (tmp_path / "step-00000001" / "state.safetensors").unlink()
    with pytest.raises(TrainingError, match="checkpoint to resume from; all are damaged"):
        read_state(tmp_path)


def test_what_an_interrupted_save_left_is_no_checkpoint(tmp_path: Path) -> None:
    write_state(tmp_path, state_of(1))
    (tmp_path / ".step-00000002.part").mkdir()
    (tmp_path / ".step-00000002.part" / "state.safetensors").write_bytes(b"half")
    state, damaged = read_state(tmp_path)
    assert state is not None
    assert (state.step, damaged) == (1, [])
    write_state(tmp_path, state_of(3))
    assert not (tmp_path / ".step-00000002.part").exists()


def test_a_disk_that_cannot_be_written_is_an_error_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_state(tmp_path, state_of(1))

    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TrainingError, match=r"must be writable, with room for a checkpoint; got: .*No space left"):
        write_state(tmp_path, state_of(2))
    monkeypatch.undo()
    state, _ = read_state(tmp_path)
    assert state is not None
    assert state.step == 1
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]


def test_the_first_difference_is_named() -> None:
    then = {"training.seed": 1, "model.model_dim": 64}
    assert first_difference(then, then) is None
    assert first_difference(then, then | {"training.seed": 2}) == "training.seed was 1 and is 2"
    assert first_difference(then, {"training.seed": 1}) == "model.model_dim was 64 and is None"


def test_times_to_save() -> None:
    assert SavingTimes.parse(None) == SavingTimes()
    assert SavingTimes.parse("20") == SavingTimes(every_steps=20)
    assert [SavingTimes.parse(text).every_seconds for text in ("30s", "10m", "2h")] == [30, 600, 7200]
    for text in ("", "0", "10 m", "m", "-5", "1.5h", "0m", "10d"):
        with pytest.raises(SettingsError, match=r"--save-every .*500.*10m"):
            SavingTimes.parse(text)
    assert SavingTimes(every_steps=20).is_due(40, 0.0, validated=False)
    assert not SavingTimes(every_steps=20).is_due(41, 9.0, validated=True)
    assert SavingTimes(every_seconds=10).is_due(3, 10.5, validated=False)
    assert not SavingTimes(every_seconds=10).is_due(3, 9.5, validated=True)
    assert SavingTimes().is_due(3, 0.0, validated=True)
    assert not SavingTimes().is_due(3, 1e9, validated=False)


def test_a_newest_record_that_is_nested_too_deeply_is_passed_over(tmp_path: Path) -> None:
    for step in (1, 2):
        write_state(tmp_path, state_of(step))
    (tmp_path / "step-00000002" / "state.json").write_text("[" * 200_000)
    state, damaged = read_state(tmp_path)
    assert state is not None
    assert state.step == 1
    assert len(damaged) == 1
    assert "step-00000002 is damaged (maximum recursion depth" in damaged[0]


def test_snapshots_are_whole_models_in_the_order_of_their_steps(tmp_path: Path) -> None:
    folder = tmp_path / "model.training" / "snapshots"
    (tmp_path / "link").symlink_to(tmp_path / "model")
    assert snapshots(tmp_path / "model") == {}
    parts = ("model.safetensors", "config.json", "tokenizer.json")
    for name in ("step-1000000000", "step-00000500", "step-00001000", "step-500", "step-00000700x", ".step-00000600"):
        (folder / name).mkdir(parents=True)
        for part in parts:
            (folder / name / part).touch()
    for number, missing in enumerate(parts, start=1):
        (folder / f"step-0000000{number}").mkdir()
        for part in parts:
            if part != missing:
                (folder / f"step-0000000{number}" / part).touch()
    (folder / "step-00000800").touch()
    found = snapshots(tmp_path / "model")
    assert list(found.items()) == [
        (500, folder / "step-00000500"), (1000, folder / "step-00001000"), (1_000_000_000, folder / "step-1000000000")
    ]  # fmt: skip
    assert snapshots(tmp_path / "link") == found
    remove_snapshots_after(tmp_path / "model", 1000)
    assert {path.name for path in folder.iterdir()} == {"step-00000500", "step-00001000", "step-00000800"}
