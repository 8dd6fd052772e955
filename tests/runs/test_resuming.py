"""What a run must have kept to be gone on with."""

from pathlib import Path
from typing import Any

import pytest

import regard
from regard.extending import Callback, Progress
from regard.runs.resuming import _is_default
from regard.runs.settings.run_settings import RunSettings


def test_a_setting_that_an_earlier_version_had_not_may_be_as_nothing_is_said() -> None:
    settings = RunSettings.build("tiny")
    assert _is_default(settings, "model.pruned_heads", {})
    assert _is_default(settings, "tokenizer.normalization", "NFC")
    assert not _is_default(settings, "model.pruned_heads", {"cross.0": [1]})
    assert not _is_default(settings, "tokenizer.normalization", "NFD")
    assert not _is_default(settings, "model.vocab_size", 8000)  # must always be given
    assert not _is_default(settings, "model.head_dim", 32)  # depends on others
    assert not _is_default(settings, "train.en", "0" * 64)  # a file


def test_with_no_step_left_the_last_is_measured_and_no_learning_rate_is_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopping(Callback):
        def on_step(self, progress: Progress) -> None:
            if progress.step == 5:
                raise LookupError

    pairs = [("a b", "b a"), ("c b a", "a b c"), ("b", "b"), ("a c", "c a")] * 3
    given: dict[str, Any] = {
        "valid": pairs, "model_dim": 12, "ff_dim": 16, "num_heads": 2, "num_encoder_layers": 1, "num_decoder_layers": 1,
        "kind": "words", "batch_tokens": 20, "validate_every": 2, "schedule": "linear",
    }  # fmt: skip
    with pytest.raises(LookupError):
        regard.train(pairs, tmp_path / "m", steps=9, callbacks=[Stopping()], **given)
    for steps, measured in ((5, [2, 4, 5]), (6, [2, 4, 5, 6])):
        capsys.readouterr()
        run = regard.train(pairs, tmp_path / "m", steps=steps, resume=True, **given).run
        assert [row["step"] for row in run.history if "valid_loss" in row] == measured
        assert ("from here on, the learning rate" in capsys.readouterr().err) == (steps == 6)
