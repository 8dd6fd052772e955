"""Run by test_compiling.py, without the shape checks. `--compile`: the same steps as without it, by one graph for batches of
several shapes."""

from __future__ import annotations

import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._dynamo.testing import CompileCounterWithBackend

import regard
from regard.data.batch import Batch, LabelledBatch, pad_right
from regard.data.batching import make_batch
from regard.data.sequences import EncodedPairs, Sequences
from regard.errors import SettingsError, TrainingError
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.encoder_decoder import EncoderDecoder
from regard.training.objectives.distillation import Teacher
from regard.training.training_config import TrainingConfig
from regard.training.updates import Updater

SIZES: dict[str, Any] = {"vocab_size": 50, "model_dim": 16, "ff_dim": 32, "num_heads": 2, "dropout": 0.0}
LAYERS: dict[str, Any] = {"num_encoder_layers": 1, "num_decoder_layers": 1}
MODELS: dict[str, Any] = {
    "encoder-decoder": lambda: EncoderDecoder(EncoderDecoderConfig(**SIZES, **LAYERS)),
    "t5": lambda: EncoderDecoder(EncoderDecoderConfig(positions="t5", norm_kind="rms", **SIZES, **LAYERS)),
    "decoder": lambda: Decoder(DecoderConfig(positions="rotary", num_layers=1, **SIZES)),
    "mlm": lambda: Encoder(EncoderConfig(num_layers=1, **SIZES)),
}


def pairs(count: int, longest: int) -> Batch:
    rng = np.random.default_rng(count)
    sides = [[rng.integers(4, 50, rng.integers(2, longest)).tolist() for _ in range(count)] for _ in range(2)]
    return make_batch(EncodedPairs(*map(Sequences.from_lists, sides)), np.arange(count), pad_id=0, start_ids=[2])


def texts(count: int, longest: int) -> LabelledBatch:
    rng = np.random.default_rng(count)
    ids = pad_right([rng.integers(4, 50, rng.integers(2, longest)).tolist() for _ in range(count)], 0)
    labels = torch.where(ids > 0, ids, -100)
    return LabelledBatch(ids, labels, int((labels >= 0).sum()), list(range(count)), pads_right=True)


@pytest.fixture
def counter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CompileCounterWithBackend:
    """Counts the graphs. The compiler's last part, which writes C++, is left out: it takes a minute. `aot_eager` also traces
    the backward pass, which takes 4 times as long as `eager`.
    """
    torch.compiler.reset()
    counter = CompileCounterWithBackend(getattr(request, "param", "eager"))
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=counter))
    return counter


@pytest.mark.parametrize(
    ("kind", "taught", "counter"),
    [
        ("encoder-decoder", True, "eager"),
        ("t5", False, "eager"),
        ("decoder", False, "aot_eager"),
        ("mlm", True, "eager"),
        pytest.param("encoder-decoder", True, "aot_eager", marks=pytest.mark.slow),
        pytest.param("t5", False, "aot_eager", marks=pytest.mark.slow),
        pytest.param("mlm", True, "aot_eager", marks=pytest.mark.slow),
    ],
    indirect=["counter"],
)
def test_steps_are_the_same(kind: str, taught: bool, counter: CompileCounterWithBackend) -> None:
    torch.manual_seed(3)
    model, batch = MODELS[kind](), pairs if kind in ("encoder-decoder", "t5") else texts
    teacher = Teacher(MODELS[kind](), 0.5, 1.0) if taught else None
    config = TrainingConfig(label_smoothing=0.1, precision="float32")
    plain, fast = (
        Updater(copy.deepcopy(model), config, teacher=teacher, compiles=compiles) for compiles in (False, True)
    )
    num_graphs = set()
    for count, longest in ((5, 9), (3, 12), (8, 7), (4, 20)):
        losses = [updater.step([batch(count, longest)], 1e-3).loss for updater in (plain, fast)]
        assert losses[1] == pytest.approx(losses[0], rel=1e-5)
        num_graphs.add(counter.frame_count)
    assert len(num_graphs) == 1  # no other graph for other shapes
    assert num_graphs != {0}
    assert "states" not in vars(fast.model)  # what is stored, validated and used is the plain model


def test_a_run_compiles(tmp_path: Path, counter: CompileCounterWithBackend) -> None:
    data = [(f"a {n} b", f"{n} b a") for n in range(60)]
    sizes: dict[str, Any] = {"model_dim": 16, "ff_dim": 16, "num_heads": 2, "dropout": 0.0, "steps": 6, **LAYERS}
    plain = regard.train(data, tmp_path / "plain", **sizes)
    assert not counter.frame_count
    fast = regard.train(data, tmp_path / "fast", compile=True, **sizes)
    assert counter.frame_count
    assert fast.results["validation_loss"] == pytest.approx(plain.results["validation_loss"], rel=1e-2)


def test_what_does_not_compile_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("no compiler here")

    torch.compiler.reset()
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=broken))
    updater: Any = Updater(MODELS["mlm"](), TrainingConfig(), compiles=True)
    with pytest.raises(TrainingError, match=r"--compile.*no compiler here.*Train without it"):
        updater.step([texts(3, 9)], 1e-3)


@pytest.mark.parametrize(
    "other",
    [
        {"arch": "rnn"},
        {"settings": {"model": {"decoder_past": "ssru"}}},
        {"settings": {"data": {"alignments": "links.txt"}}},
    ],
)
def test_what_cannot_be_compiled_is_refused(other: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="`--compile` works with Transformers"):
        regard.train([("a", "b")] * 40, tmp_path / "model", compile=True, **other)
