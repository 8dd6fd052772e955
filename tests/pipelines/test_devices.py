"""On which device a pipeline computes: chosen by name, and changed afterwards."""

from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.adapters import Base, save_adapter, weights_digest
from regard.checkpoint import load_model
from regard.errors import SettingsError
from regard.models.adaptation import AdapterConfig, add_adapter
from regard.pipelines import pipeline as pipelines
from regard.pipelines.devices import left_out, resolve_device
from regard.pipelines.pipeline import Pipeline

PAIRS = [("ab", "ba"), ("abc", "cba"), ("cab", "bac")] * 5
SIZES: dict[str, Any] = {"model_dim": 8, "ff_dim": 8, "num_heads": 2, "kind": "characters", "vocab_size": 20}
KINDS = ("translator", "recurrent", "language model", "predictor", "ensemble", "adapted")


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """A small pipeline of each kind, by name."""

    def make(kind: str) -> Any:
        if kind == "recurrent":
            return regard.new(PAIRS, arch="rnn", model_dim=8, kind="characters", vocab_size=20)
        if kind == "language model":
            (tmp_path / "text.txt").write_text("ab abc cab\n" * 20)
            return regard.new(str(tmp_path / "text.txt"), arch="decoder", num_layers=1, **SIZES)
        if kind == "predictor":
            return regard.new(PAIRS, arch="encoder", task="classify", num_layers=1, **SIZES)
        translator = regard.new(PAIRS, num_encoder_layers=1, num_decoder_layers=1, **SIZES)
        if kind == "translator":
            return translator
        translator.save(tmp_path / "m")
        if kind == "ensemble":
            return regard.load(tmp_path / "m", others=[tmp_path / "m"])
        model = load_model(tmp_path / "m").model
        digest = weights_digest(model)
        add_adapter(model, AdapterConfig(rank=2))
        save_adapter(tmp_path / "a", model, Base(name="m", sha256=digest))
        found = regard.load(tmp_path / "m", adapters={"a": tmp_path / "a"})
        found.adapted("a")
        return found

    return make


def told(pipeline: Any) -> Any:
    """Something that it computes."""
    if isinstance(pipeline, regard.Translator):
        return pipeline.translate(["ab", "cab"], beam_size=2), pipeline.score(["ab"], ["ba"])
    return pipeline.generate("ab", max_tokens=5) if hasattr(pipeline, "generate") else pipeline.predict(["ab"])


def places(pipeline: Any) -> set[str]:
    """Where all tensors are that a pipeline has in any of its attributes."""
    seen: set[int] = set()
    found: set[str] = set()

    def look(held: Any) -> None:
        if id(held) in seen or isinstance(held, type):
            return
        seen.add(id(held))
        if isinstance(held, torch.Tensor):
            found.add(held.device.type)
        elif isinstance(held, dict):
            [look(each) for each in held.values()]
        elif isinstance(held, list | tuple):
            [look(each) for each in held]
        elif type(held).__module__.startswith(("regard.", "torch.nn")) and hasattr(held, "__dict__"):
            look(vars(held))

    look(pipeline)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_pipeline_moves_with_all_its_models_and_is_itself(
    made: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = made(kind)
    before = told(pipeline)
    assert pipeline.to("cpu") is pipeline
    assert pipeline.to(torch.device("cpu")).device.type == "cpu"
    assert told(pipeline) == before
    assert places(pipeline) == {"cpu"}
    with monkeypatch.context() as here:  # there is no other device in tests: tensors without values stand for it
        here.setattr(pipelines, "resolve_device", torch.device)
        assert pipeline.to("meta") is pipeline
    assert pipeline.device.type == "meta"
    assert "on meta" in repr(pipeline)
    assert places(pipeline) == {"meta"}


def test_a_model_that_is_moved_by_hand_is_where_its_pipeline_says(made: Any) -> None:
    pipeline = made("translator")
    pipeline.model.to("meta")
    assert pipeline.device.type == "meta"


@pytest.mark.parametrize("name", ["cuda:99", "gpu", "meta"])
def test_a_device_that_is_not_there_leaves_the_pipeline_as_it_is(made: Any, name: str) -> None:
    pipeline: Pipeline = made("translator")
    with pytest.raises(SettingsError, match=rf"device must be auto, cpu.*got '{name}'"):
        pipeline.to(name)
    assert pipeline.device.type == "cpu"


def test_apples_gpu_is_refused_with_a_reason_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    for name in ("mps", "mps:0"):
        with pytest.raises(SettingsError, match=rf"got '{name}'.*no GPU of Apple.*float64.*device=auto"):
            resolve_device(name)
    assert left_out("auto", torch.device("cpu")) == ""


def test_auto_says_why_it_does_not_take_apples_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    chosen = resolve_device("auto")
    assert chosen.type != "mps"
    assert "never tried" in left_out("auto", torch.device("cpu"))
    assert "mps" in left_out("auto", torch.device("cpu"))
    assert left_out("cpu", torch.device("cpu")) == ""
    assert left_out("auto", torch.device("cuda")) == ""


def test_the_kind_of_a_model_may_be_required(made: Any, tmp_path: Path) -> None:
    made("translator").save(tmp_path / "t")
    assert isinstance(regard.load(tmp_path / "t", kind=regard.Translator), regard.Translator)
    with pytest.raises(SettingsError, match=r"kind must be Translator.*got Predictor"):
        regard.load(tmp_path / "t", kind=regard.Predictor)
