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
from regard.errors import SettingsError
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


class Negated(nn.Module):
    """A layer whose output has the other sign."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return -self.inner(x)


def first_layer(model: Any) -> Any:
    return model.decoder_layers[0]


def output_proj(model: Any) -> Any:
    return first_layer(model).feed_forward.output_proj


def other_module(model: Any) -> None:
    first_layer(model).feed_forward_residual.norm = Negated(first_layer(model).feed_forward_residual.norm)


def other_parameter(model: Any) -> None:
    output_proj(model).weight = nn.Parameter(-3 * output_proj(model).weight.detach())


def other_method(model: Any) -> None:
    layer = first_layer(model).feed_forward
    forward = layer.forward
    layer.forward = lambda x: -forward(x)


def other_epsilon(model: Any) -> None:
    for module in model.modules():
        if hasattr(module, "eps"):
            module.eps = 10.0


BY_HAND: dict[str, Callable[[Any], Any]] = {
    "a hook": lambda model: first_layer(model).feed_forward.register_forward_hook(lambda *given: -given[-1]),
    "a hook on an adapted map": lambda model: output_proj(model).register_forward_hook(lambda *given: -given[-1]),
    "a hook with keywords": lambda model: output_proj(model).register_forward_hook(
        lambda module, args, kwargs, output: -output, with_kwargs=True
    ),
    "a module": other_module,
    "a parameter": other_parameter,
    "a method": other_method,
    "an epsilon": other_epsilon,
    "numbers": lambda model: output_proj(model).weight.data.mul_(-3),
    "a type": lambda model: model.bfloat16(),
}


def stored_adapter(base: Path, folder: Path) -> Path:
    """A random adapter of feed-forward layers that changes what is written."""
    model = load_model(base).model
    digest = weights_digest(model)
    add_adapter(model, AdapterConfig(rank=2, targets=["output_proj"]))
    torch.manual_seed(5)
    for name, parameter in model.named_parameters():
        if name.endswith(".up"):
            nn.init.normal_(parameter, std=0.5)
    save_adapter(folder, model, Base(name=base.name, sha256=digest))
    return folder


@pytest.mark.parametrize("kind", BY_HAND)
def test_with_adapters_a_change_is_seen_in_every_batch(folder: Path, tmp_path: Path, kind: str) -> None:
    """One text with its adapter becomes the same beside the weights and in them, before a change and after it."""
    found: Any = regard.load(folder / "m", adapters={"a": stored_adapter(folder / "m", tmp_path / "a")})

    def scores() -> list[float]:
        mixed = found.translate(["abc", "abc"], adapters=["a", None], beam_size=2, max_length=6)
        merged = found.translate(["abc", "abc"], adapters=["a", "a"], beam_size=2, max_length=6)
        assert mixed[0].score == pytest.approx(merged[0].score, rel=0.05 if kind == "a type" else 1e-4)
        assert merged[0].text == mixed[0].text or kind == "a type"
        return [each.score for each in mixed]

    before = scores()
    learns = [parameter.requires_grad for parameter in found.model.parameters()]
    handle = BY_HAND[kind](found.model)
    after = scores()
    assert all(x != y for x, y in zip(before, after, strict=True))
    alone = Translator(found.model, found.tokenizer).translate("abc", beam_size=2, max_length=6)
    assert after[1] == pytest.approx(alone.score, rel=1e-4)
    if kind not in ("a parameter", "a module"):
        assert learns == [parameter.requires_grad for parameter in found.model.parameters()]
    if "hook" in kind:
        handle.remove()
        assert scores() == pytest.approx(before)


@pytest.mark.parametrize("kind", ["a hook", "a hook with keywords", "a method"])
def test_a_model_with_a_change_that_no_file_holds_is_not_saved(folder: Path, tmp_path: Path, kind: str) -> None:
    found = regard.load(folder / "m", kind=Translator)
    handle = BY_HAND[kind](found.model)
    with pytest.raises(SettingsError, match=r"to be saved; got one in which .*(a PyTorch hook is set on|was replaced)"):
        found.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
    if "hook" in kind:
        handle.remove()
        found.save(tmp_path / "saved")


def test_with_adapters_a_refresh_takes_over_single_numbers(folder: Path, tmp_path: Path) -> None:
    found: Any = regard.load(folder / "m", adapters={"a": stored_adapter(folder / "m", tmp_path / "a")})
    several = [["a", "a"], ["a", None]]
    before = [found.translate(["abc"] * 2, adapters=names)[0].score for names in several]
    output_proj(found.model).weight.data[:, 1::2] *= -3
    found.refresh()
    after = [found.translate(["abc"] * 2, adapters=names)[0].score for names in several]
    assert after[0] == pytest.approx(after[1])
    assert after[0] != pytest.approx(before[0])
    assert found.adapted("a") is found.adapted("a")
    found.adapted("a").confidence = "measured"
    found.refresh()
    assert found.adapted("a").confidence == "measured"


def test_with_adapters_a_map_that_is_none_any_more_is_refused(folder: Path, tmp_path: Path) -> None:
    found: Any = regard.load(folder / "m", adapters={"a": stored_adapter(folder / "m", tmp_path / "a")})
    first_layer(found.model).feed_forward.output_proj = Negated(output_proj(found.model))
    for names in (["a", "a"], ["a", None]):
        with pytest.raises(
            SettingsError, match=r"feed_forward\.output_proj must be Linear\(in_features=.*; got Negated"
        ):
            found.translate(["abc"] * 2, adapters=names)
    found.model.train()
    for names in (["a", "a"], ["a", None]):
        with pytest.raises(SettingsError, match="must be in evaluation mode"):
            found.translate(["abc"] * 2, adapters=names)


@pytest.mark.parametrize("name", ["m", "rnn"])
def test_a_translator_in_float64(name: str, folder: Path) -> None:
    """A search keeps its numbers in float32, whatever the model computes in."""
    translator: Any = regard.load(folder / name)
    before = translated(translator)
    translator.model.double()
    text, score = translated(translator)
    assert (text, score) == (before[0], pytest.approx(before[1], abs=1e-4))
    list(translator.stream("abc"))


def test_a_language_model_in_float64(folder: Path) -> None:
    model: Any = regard.load(folder / "lm")
    before = generated(model)
    model.model.double()
    assert model.continuations(["ab"], max_tokens=5, temperature=1.0)
    assert generated(model)[0] == before[0]


class OwnParameter(nn.Parameter):
    """A subclass, as libraries of quantized weights have."""


@pytest.mark.parametrize("kind", ["a subclass", "a plain tensor"])
def test_weights_of_another_class_are_watched(kind: str, folder: Path) -> None:
    translator: Any = regard.load(folder / "m")
    linear = output_proj(translator.model)
    weight = linear.weight.detach().clone()
    if kind == "a plain tensor":
        del linear.weight
    linear.weight = OwnParameter(weight) if kind == "a subclass" else weight
    before = translated(translator)
    with torch.no_grad():
        linear.weight.mul_(-20)
    assert translated(translator)[1] != before[1]
    with torch.no_grad():
        linear.weight.div_(-20)
    assert translated(translator)[1] == pytest.approx(before[1], abs=1e-5)
    linear.weight = OwnParameter(weight * 0) if kind == "a subclass" else weight * 0
    changed = translated(translator)
    translator.refresh()
    assert translated(translator) == changed != before
