"""Parts that several layers are given, layers that are tied by hand, and weights that are tied: each place is its own."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.func import functional_call

from regard.checkpoint import load_model, save_new
from regard.errors import SettingsError
from regard.inspection.ablation import Example, gated, mean_contexts
from regard.inspection.capture import capture
from regard.inspection.record import _states
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig, RecurrentConfig
from regard.models.heads import Site
from regard.models.registry import build
from regard.nn import Attention, Bilinear, BucketedBias, LinearBias, MultiHeadAttention, RotaryScaling
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_config import TokenizerConfig

SIZES = {"vocab_size": 20, "model_dim": 12, "num_heads": 3, "ff_dim": 16, "max_positions": 20}


@pytest.mark.parametrize("positions", [LinearBias(4), BucketedBias(4), None])
def test_one_attention_in_two_layers(positions: Any) -> None:
    torch.manual_seed(0)
    shared = Attention(positions=positions)
    layers = nn.ModuleList(MultiHeadAttention(16, 4, attention=shared) for _ in range(3))
    x = torch.randn(2, 5, 16)
    with capture(layers) as seen:
        for layer in layers:
            layer(x)
    assert list(seen) == ["0", "1", "2"]
    assert not torch.allclose(seen["0"].weights(), seen["1"].weights())
    before = layers[1](x)
    layers[0].prune_heads([1])
    torch.testing.assert_close(layers[1](x), before, rtol=0, atol=0)
    gates = torch.tensor([1.0, 0.0, 1.0, 1.0])
    fresh = MultiHeadAttention(16, 4, attention=Attention(positions=positions))
    fresh.load_state_dict({name: value for name, value in layers[2].state_dict().items() if name in fresh.state_dict()})
    torch.testing.assert_close(layers[2](x), fresh(x))
    expected = layers[2](x, gates=gates)
    layers[2].prune_heads(torch.tensor([1]))
    torch.testing.assert_close(layers[2](x), expected)


def test_what_two_layers_share() -> None:
    shared = Attention(score=Bilinear(4, 4))
    first, second = (MultiHeadAttention(16, 4, attention=shared) for _ in range(2))
    assert first.attention is shared
    assert second.attention is not shared
    assert second.attention.score is shared.score
    second.attention.register_forward_hook(lambda *given: None)
    assert not shared._forward_hooks


def decoder() -> Any:
    model: Any = build(DecoderConfig(num_layers=2, **SIZES)).eval()
    model.layers[1] = model.layers[0]
    return model


def test_layers_that_are_tied_are_seen_in_each_place() -> None:
    torch.manual_seed(1)
    model, ids = decoder(), torch.randint(4, 20, (2, 7))
    apart: Any = build(model.config).eval()
    apart.load_state_dict(model.state_dict())
    seen: list[Any] = []
    for each in (model, apart):
        with capture(each) as captured:
            each(ids)
            each(ids)
        seen.append(captured)
    assert list(seen[0]) == list(seen[1]) == ["layers.0.self_attention", "layers.1.self_attention"]
    for name in seen[0]:
        assert [len(captured.calls(name)) for captured in seen] == [2, 2]
        torch.testing.assert_close(seen[0][name].weights(), seen[1][name].weights())
    with capture(model, layers=["layers.1.*"]) as captured:
        model(ids)
    assert list(captured) == ["layers.1.self_attention"]
    torch.testing.assert_close(
        captured["layers.1.self_attention"].weights(), seen[1]["layers.1.self_attention"].weights()
    )
    for site in (Site("decoder", 0), Site("decoder", 1)):
        results = []
        for each in (model, apart):
            with gated(each, {site: torch.tensor([1.0, 0.0, 0.5])}):
                results.append(each(ids))
        torch.testing.assert_close(*results)
    for found, wanted in zip(*(means_and_states(each, ids[0]) for each in (model, apart)), strict=True):
        torch.testing.assert_close(found, wanted)


def means_and_states(model: Any, ids: torch.Tensor) -> tuple[Any, Any]:
    """The mean output of each head in each layer, and the states before the first layer and after each."""
    means = mean_contexts(model, [Example(None, ids[:-1].tolist(), ids[1:].tolist())])
    with _states(model, wanted=True) as states, torch.no_grad():
        model(ids[None])
    assert (list(means), len(states["decoder"])) == ([Site("decoder", 0), Site("decoder", 1)], 3)
    return means, states["decoder"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["abcdefghijklmnop"], TokenizerConfig(kind="characters", vocab_size=20))


def test_layers_that_are_tied_are_saved_as_they_load(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model, ids = decoder(), torch.randint(4, 20, (2, 7))
    save_new(tmp_path / "m", model, tokenizer)
    torch.testing.assert_close(load_model(tmp_path / "m").model(ids), model(ids))


def untie(model: Any) -> None:
    model.output_embedding.weight = nn.Parameter(model.output_embedding.weight.clone())


def set_epsilon(model: Any) -> None:
    model.layers[1].feed_forward_residual.norm.eps = 0.5


def set_activation(model: Any) -> None:
    model.layers[0].feed_forward.activation = "relu"


def replace_norm(model: Any) -> None:
    model.norm = nn.Identity()


def remove_layer(model: Any) -> None:
    del model.layers[1]


def add_layer(model: Any) -> None:
    model.layers.append(model.layers[0])


def widen(model: Any) -> None:
    model.layers[0].feed_forward.inner_proj.weight = nn.Parameter(torch.zeros(17, 12))


@pytest.mark.parametrize(
    ("positions", "name"),
    [
        ("sinusoidal", "positions.waves has other numbers"),
        ("sinusoidal_marian", "positions.waves has other numbers"),
        ("alibi", "layers.1.self_attention.attention.positions.slopes has other numbers"),
        (
            "rotary",
            r"layers.1.self_attention.attention.positions.scaling is RotaryScaling\(factor=3.0, .*\), not RotaryScaling",
        ),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_positions_that_no_file_holds_are_as_they_were_made(
    positions: str, name: str, dtype: torch.dtype, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    scaling = {"rotary_scaling": {"factor": 2.0}} if positions == "rotary" else {}
    model: Any = build(DecoderConfig(num_layers=2, positions=positions, **SIZES, **scaling)).to(dtype)
    save_new(tmp_path / "m", model, tokenizer)
    save_new(tmp_path / "rounded", model.bfloat16().float(), tokenizer)
    inside = model.layers[1].self_attention.attention.positions
    if positions == "rotary":
        inside.scaling = RotaryScaling(3.0)
    elif positions == "alibi":
        inside.slopes[1] *= 2
    else:
        model.positions.waves *= 0.5
    with pytest.raises(SettingsError, match=f"must be what its configuration describes to be saved; .*{name}"):
        save_new(tmp_path / "n", model, tokenizer)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (untie, "output_embedding.weight is not tied to embedding.weight"),
        (set_epsilon, "layers.1.feed_forward_residual.norm.eps is 0.5, not 1e-05"),
        (set_activation, "layers.0.feed_forward.activation is 'relu', not 'gelu_tanh'"),
        (replace_norm, "norm is a Identity, not a LayerNorm"),
        (remove_layer, "layers.1 is missing"),
        (add_layer, "layers.2 is added"),
        (widen, r"layers.0.feed_forward.inner_proj.weight has shape \(17, 12\), not \(16, 12\)"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(change: Any, name: str, tokenizer: Tokenizer, tmp_path: Path) -> None:
    model: Any = build(DecoderConfig(num_layers=2, **SIZES))
    change(model)
    with pytest.raises(SettingsError, match=f"must be what its configuration describes to be saved; .*{name}"):
        save_new(tmp_path / "m", model, tokenizer)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "config",
    [
        EncoderDecoderConfig(num_encoder_layers=1, num_decoder_layers=1, tied_embeddings="all", **SIZES),
        EncoderDecoderConfig(num_encoder_layers=1, num_decoder_layers=1, tied_embeddings="target", **SIZES),
        DecoderConfig(num_layers=1, **SIZES),
        EncoderConfig(num_layers=1, task="mlm", **SIZES),
        RecurrentConfig(vocab_size=20, model_dim=12),
    ],
)
def test_a_functional_call_leaves_a_model_as_it_was(config: Any) -> None:
    torch.manual_seed(2)
    model = build(config).eval()
    ids = torch.randint(4, 20, (2, 6))
    given = (ids, ids) if model.reads_source else (ids,)
    before = model(*given)
    doubled = {name: 2 * value for name, value in model.named_parameters()}
    changed = functional_call(model, doubled, given)
    assert not torch.allclose(changed, before, atol=1e-3)
    torch.testing.assert_close(model(*given), before, rtol=0, atol=0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(doubled[name])
    torch.testing.assert_close(model(*given), changed)


def test_a_hook_of_the_first_layer_is_not_that_of_the_next() -> None:
    first, calls = Attention().for_layer(), list[int]()
    handle = first.register_forward_hook(lambda *_: calls.append(1))
    first.register_forward_pre_hook(lambda *_: calls.append(2))
    second, x = first.for_layer(), torch.ones(1, 1, 2, 3)
    second(x, x, x)
    assert not calls
    first(x, x, x)
    assert calls == [2, 1]
    handle.remove()
    second.register_forward_hook(lambda *_: calls.append(3))
    first(x, x, x)
    assert calls == [2, 1, 2]
