"""A loaded model is looked at before each text only once a program has asked for it, as it cannot be changed before."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from torch import nn

import regard
from random_models import save_models
from regard.adapters import Base, save_adapter, weights_digest
from regard.checkpoint import load_model
from regard.engines.model_changes import Snapshot
from regard.models.adaptation import AdapterConfig, add_adapter
from regard.pipelines.language_model import LanguageModel
from regard.pipelines.loading import load_with_adapters
from regard.pipelines.translator import Translator


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("changes"))


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """One entry for each look: whether it was at everything."""
    found: list[bool] = []
    has_changed = Snapshot.has_changed

    def noted(self: Snapshot, *, only_globally: bool = False) -> bool:
        found.append(not only_globally)
        return has_changed(self, only_globally=only_globally)

    monkeypatch.setattr(Snapshot, "has_changed", noted)
    return found


def translated(pipeline: Any) -> Any:
    found = pipeline.translate("abc", beam_size=2)
    return found.text, found.score


def generated(pipeline: Any) -> Any:
    found = pipeline.continuations(["ab"], max_tokens=5, temperature=0.0)[0]
    return found.text, *found.token_log_probs


CALLS: dict[str, tuple[Callable[[Any], Any], Any]] = {"m": (translated, Translator), "lm": (generated, LanguageModel)}


@pytest.mark.parametrize("name", CALLS)
def test_a_model_is_looked_at_once_somebody_has_it(folder: Path, name: str, looks: list[bool]) -> None:
    call, kind = CALLS[name]
    pipeline = regard.load(folder / name)
    call(pipeline)  # copies the weights
    looks.clear()
    before = call(pipeline)
    again: Any = pickle.loads(pickle.dumps(pipeline))
    assert call(again) == before
    assert not any(looks)
    model = pipeline.model
    assert model is pipeline.model
    looks.clear()
    assert call(pipeline) == before
    assert all(looks)
    assert looks
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.data *= 0.5
    changed = call(pipeline)
    assert changed != before
    assert call(kind(model, pipeline.tokenizer)) == pytest.approx(changed)


@pytest.mark.parametrize("name", CALLS)
def test_who_made_a_pipeline_has_its_model(folder: Path, name: str, looks: list[bool]) -> None:
    call, kind = CALLS[name]
    parts = load_model(folder / name)
    pipeline = kind(parts.model, parts.tokenizer)
    call(pipeline)
    call(pipeline)
    assert looks
    assert all(looks)


def test_a_hook_of_all_modules_is_seen_though_nobody_has_the_model(folder: Path) -> None:
    pipeline = regard.load(folder / "m")
    before = translated(pipeline)
    handle = nn.modules.module.register_module_forward_hook(
        lambda module, args, output: -output if isinstance(module, nn.Linear) else None
    )
    try:
        assert translated(pipeline) != before
    finally:
        handle.remove()
    assert translated(pipeline) == before


def test_another_attribute_is_missing(folder: Path) -> None:
    with pytest.raises(AttributeError, match="'Translator' object has no attribute 'modle'"):
        regard.load(folder / "m").modle  # type: ignore[attr-defined]  # noqa: B018


def test_what_an_adapted_model_shares_with_its_base_is_seen_by_both(folder: Path, tmp_path: Path) -> None:
    model = load_model(folder / "lm").model
    digest = weights_digest(model)
    add_adapter(model, AdapterConfig(rank=1, targets=["query_proj"]))
    save_adapter(tmp_path / "a", model, Base(name="lm", sha256=digest))
    base, adapted = load_with_adapters(folder / "lm", {"a": tmp_path / "a"}, device="cpu")
    before = generated(base)
    with torch.no_grad():
        for parameter in adapted["a"].model.parameters():
            parameter.data *= 0.5
    assert generated(base) == pytest.approx(generated(LanguageModel(base.model, base.tokenizer)))
    assert generated(base) != before
