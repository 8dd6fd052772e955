"""What earlier versions wrote by another name is read: configurations, commands, checkpoints."""

import json
from pathlib import Path

import pytest
import torch

from regard.models.config import DecoderConfig, EncoderDecoderConfig, current
from regard.models.registry import ARCHITECTURES, architecture, parse_config
from regard.runs.settings.reading import given_arch_and_task
from regard.runs.settings.run_settings import RunSettings
from regard.training.state import RECORD, TrainingState, _digest, read_state, write_state


@pytest.mark.parametrize(("former", "name"), [("linear_bias", "alibi"), ("buckets", "t5"), ("clipped", "shaw")])
def test_positions(former: str, name: str) -> None:
    values = {"arch": "decoder", "vocab_size": 9, "positions": former}
    assert parse_config(values) == DecoderConfig(vocab_size=9, positions=name)  # type: ignore[arg-type]
    layer = {"model": {"positions": former}}
    assert RunSettings.build("tiny", layer).model.positions == name  # type: ignore[union-attr]
    assert DecoderConfig(vocab_size=9, positions=name).model_dump()["positions"] == name  # type: ignore[arg-type]


def test_arch() -> None:
    stored = {"arch": "transformer", "vocab_size": 9}
    assert parse_config(stored) == parse_config({"vocab_size": 9}) == EncoderDecoderConfig(vocab_size=9)
    assert architecture("transformer").config is EncoderDecoderConfig
    assert given_arch_and_task("transformer", None, {"model": {"arch": "encoder-decoder"}})[0] == "encoder-decoder"
    assert given_arch_and_task(None, None, {"model": {"arch": "transformer"}})[0] == "encoder-decoder"
    assert "encoder-decoder" in ARCHITECTURES
    built = RunSettings.build("small", arch="transformer"), RunSettings.build("small", arch="encoder-decoder")
    assert built[0] == built[1]


def test_other_values_stay_as_they_are() -> None:
    assert [current("positions", value) for value in ("rotary", None, 3)] == ["rotary", None, 3]
    assert current("norm", "clipped") == "clipped"


def test_the_cursor_of_a_checkpoint(tmp_path: Path) -> None:
    write_state(tmp_path, TrainingState({"weights.x": torch.ones(2)}, {"step": 3, "next_cursor": [1, 4]}, {}))
    (path,) = tmp_path.glob("*/" + RECORD)
    record = json.loads(path.read_text())
    del record["record_sha256"]
    record["progress"]["next_place"] = record["progress"].pop("next_cursor")
    path.write_text(json.dumps(record | {"record_sha256": _digest(record)}))
    state, damaged = read_state(tmp_path)
    assert state is not None
    assert (state.next_cursor, state.step, damaged) == ((1, 4), 3, [])
