"""Runs whose loss is no number any more after some time: what they say, when they end, and what they leave."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.errors import TrainingError
from regard.models.encoder_decoder import EncoderDecoder
from regard.runs.progress import RunDisplay
from regard.runs.train import train

SETTINGS: dict[str, dict[str, Any]] = {
    "model": {"model_dim": 12, "ff_dim": 12, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1},
    "tokenizer": {"kind": "characters", "vocab_size": 20},
    "training": {"steps": 30, "batch_tokens": 60, "validate_every": 5, "precision": "float32", "metric": "loss"},
}
PAIRS = [("abcde"[number % 4 :] * (1 + number % 3), "edcba"[number % 4 :] * (1 + number % 3)) for number in range(40)]


class Said(RunDisplay):
    def __init__(self) -> None:
        super().__init__(is_silent=True)
        self.lines: list[str] = []

    def say(self, message: str) -> None:
        self.lines.append(message)


def change(monkeypatch: pytest.MonkeyPatch, from_step: int, how: Callable[[EncoderDecoder, int], float]) -> None:
    """Multiply the loss of each later step."""
    told, steps = EncoderDecoder.loss, itertools.count(1)

    def loss(self: EncoderDecoder, *given: Any, **named: Any) -> torch.Tensor:
        value: torch.Tensor = told(self, *given, **named)
        step = next(steps) if self.training else 0
        return value * how(self, step) if step >= from_step else value

    monkeypatch.setattr(EncoderDecoder, "loss", loss)


def kept(folder: Path) -> EncoderDecoder:
    model: EncoderDecoder = regard.load(folder, device="cpu").model
    assert all(bool(parameter.isfinite().all()) for parameter in model.parameters())
    return model


def test_a_loss_that_is_no_number_ends_the_run_and_leaves_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, 21, lambda model, step: math.nan)
    with pytest.raises(
        TrainingError, match=r"the loss must be a finite number; it was not in 5 .*up to step 25\. .*intact"
    ):
        train(PAIRS, tmp_path / "m", settings=SETTINGS, device="cpu")
    kept(tmp_path / "m")


def test_weights_that_are_no_numbers_end_the_run_and_leave_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(model: EncoderDecoder, step: int) -> float:
        with torch.no_grad():
            model.source_embedding.weight.fill_(math.nan)
        return 1.0

    change(monkeypatch, 21, damage)
    with pytest.raises(TrainingError, match=r"up to step 2[56]\. .*What was saved before is intact"):
        train(PAIRS, tmp_path / "m", settings=SETTINGS, device="cpu")
    kept(tmp_path / "m")


def test_a_run_that_skipped_steps_says_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, 11, lambda model, step: math.nan if step % 4 else 1.0)
    display = Said()
    result = train(PAIRS, tmp_path / "m", settings=SETTINGS, device="cpu", display=display)
    assert result.run.skipped_steps == 15
    assert "15 of 30 steps changed nothing, as loss or gradient was not a finite number" in display.lines
    kept(tmp_path / "m")
