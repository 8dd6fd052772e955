"""From heads to inputs, against sums done by hand."""

import dataclasses
import sys
from collections.abc import Callable

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.analysis.attribution import Flow
from regard.errors import SettingsError, ShapeError
from regard.inspection.capture import capture
from regard.inspection.flow import (
    _baseline,
    attention_flow,
    input_attribution,
    joint_layers,
    rollout,
    weighted_norms,
    with_residuals,
)
from regard.inspection.record import Tokens
from regard.models.config import DecoderConfig, EncoderConfig, RecurrentConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.registry import build
from regard.nn.lora import AdaptedLinear

SOURCE, READ, SAID = [4, 5, 6, 7, 3], [2, 9, 10, 9], [9, 10, 9, 3]


def stochastic(*shape: int, seed: int = 1) -> numpy.ndarray:
    weights = numpy.random.default_rng(seed).random(shape)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_rollout_by_hand() -> None:
    weights = numpy.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]])
    # [[1, 0], [.25, .75]], then [[.5, .5], [0, 1]] times that.
    numpy.testing.assert_allclose(rollout(with_residuals(weights)), [[0.625, 0.375], [0.25, 0.75]])
    # Nothing goes past attention: the second layer looks at position 1 alone, which looked at both alike.
    numpy.testing.assert_allclose(rollout(with_residuals(weights, residual=0)), [[0.5, 0.5], [0.5, 0.5]])


def test_rollout_of_what_is_not_square() -> None:
    with pytest.raises(ShapeError, match=r"layer, position and position; got shape \(2, 3, 4\)"):
        with_residuals(stochastic(2, 3, 4))


@given(seed=st.integers(0, 99), layers=st.integers(1, 4))
def test_the_sources_share_is_a_constant_of_depth(seed: int, layers: int) -> None:
    joint = joint_layers(
        stochastic(layers, 3, 3, seed=seed), stochastic(layers, 4, 4, seed=seed), stochastic(layers, 4, 3, seed=seed)
    )
    numpy.testing.assert_allclose(joint.sum(axis=-1), 1)
    held = rollout(joint)
    numpy.testing.assert_allclose(held[3:, :3].sum(axis=1), 1 - 0.5**layers)
    numpy.testing.assert_allclose(held[:3, 3:], 0)


def test_where_in_the_source_by_hand() -> None:
    # One layer of each, the encoder a reversal, the decoder's attention to itself the identity.
    joint = joint_layers(numpy.eye(2)[None, ::-1], numpy.eye(1)[None], numpy.array([[[1.0, 0.0]]]))
    numpy.testing.assert_allclose(rollout(joint)[2, :2], [0.25, 0.25])


def test_flow_is_as_wide_as_the_narrowest_pipe() -> None:
    layers = numpy.array([[[0.9, 0.1], [0.3, 0.7]], [[0.5, 0.5], [1.0, 0.0]]])
    numpy.testing.assert_allclose(attention_flow(layers, 0), [0.5 + 0.3, 0.1 + 0.5])
    numpy.testing.assert_allclose(attention_flow(layers, 1), [0.9, 0.1])


@pytest.mark.filterwarnings("ignore")  # torch.ao is to move to torchao
@pytest.mark.parametrize("kind", ["adapter", "quantized"])
def test_norms_count_what_a_map_does(make_model: Callable[..., EncoderDecoder], kind: str) -> None:
    """A map is what it computes: its weight may be only a part of that, or no tensor."""
    model = make_model()
    module = model.decoder_layers[1].cross_attention
    assert module is not None
    if kind == "adapter":
        adapted = AdaptedLinear(module.output_proj, rank=2)
        torch.nn.init.normal_(adapted.up)
        module.output_proj, plain = adapted, adapted.merged()
    else:
        plain = module.output_proj
        model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, inplace=False)
    with capture(model) as seen, torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([READ]))
    call = seen["decoder_layers.1.cross_attention"]
    found = weighted_norms(call, model.decoder_layers[1].cross_attention)
    weight = plain.weight.unflatten(1, (3, 4))
    expected = call.weights() * torch.einsum("bhkd,mhd->bhkm", call.value, weight).norm(dim=-1)[:, :, None]
    torch.testing.assert_close(found, expected, rtol=1e-4 if kind == "adapter" else 0.05, atol=1e-3)


def test_norms_of_weighted_values(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    module = model.decoder_layers[1].cross_attention
    assert module is not None
    with capture(model) as seen, torch.no_grad():
        model(torch.tensor([SOURCE]), torch.tensor([READ]))
    call = seen["decoder_layers.1.cross_attention"]
    norms, weights = weighted_norms(call, module), call.weights()
    head, row, key = 2, 3, 1
    moved = module.output_proj.weight[:, 8:12] @ (weights[0, head, row, key] * call.value[0, head, key])
    torch.testing.assert_close(norms[0, head, row, key], moved.norm())
    # Put together, heads and keys are the attention's output, but for its bias.
    by_head = module.output_proj.weight.unflatten(1, (3, 4))
    whole = torch.einsum("bhqk,bhkd,mhd->bqm", weights, call.value, by_head) + module.output_proj.bias
    context = torch.einsum("bhqk,bhkd->bqhd", weights, call.value).flatten(2)
    torch.testing.assert_close(whole, module.output_proj(context))


def log_probs(model: EncoderDecoder, embedded: torch.Tensor | None = None) -> torch.Tensor:
    hook = model.source_embedding.register_forward_hook(lambda *_: embedded) if embedded is not None else None
    found = model(torch.tensor([SOURCE]), torch.tensor([READ]))[0].log_softmax(dim=-1)
    if hook:
        hook.remove()
    return found.gather(-1, torch.tensor(SAID)[:, None])[:, 0]


MODERN = {"positions": "rotary", "norm": "pre", "norm_kind": "rms", "gated": True, "activation": "silu"}
"""A norm before everything, and nothing added to embeddings: at the embedding 0 a gradient has no bound."""


@pytest.mark.parametrize("settings", [{}, {"norm": "pre"}, MODERN, MODERN | {"positions": "alibi", "norm": "sandwich"}])
@pytest.mark.parametrize("tied", ["all", "none"])
def test_integrated_gradients_sum_to_what_padding_in_place_of_all_tokens_changes(
    make_model: Callable[..., EncoderDecoder], tied: str, settings: dict[str, object]
) -> None:
    model = make_model(tied_embeddings=tied, **settings)
    with torch.no_grad():
        model.source_embedding.weight *= 3  # as far from 0 as training takes them
    ids, read = torch.tensor([SOURCE]), torch.tensor([READ])
    before = model.source_embedding.weight.clone()
    found = input_attribution(model, ids, read, SAID)
    assert found.matrix.shape == (4, 5)
    if tied == "none":  # elsewhere the hook of this test would blank the target, too
        changed = (log_probs(model) - log_probs(model, before[0].expand(1, 5, 12))).detach().numpy()
        assert abs(changed).sum() > 0.5
        numpy.testing.assert_allclose(found.matrix.sum(axis=1), changed, rtol=0.05, atol=0.011)
        assert found.gap == pytest.approx(abs(found.matrix.sum(axis=1) - changed).sum() / abs(changed).sum(), abs=1e-4)
    assert found.gap < 0.05
    assert torch.equal(model.source_embedding.weight, before)


def test_a_sum_that_is_far_off_is_told(
    make_model: Callable[..., EncoderDecoder], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model(**MODERN, tied_embeddings="none")
    monkeypatch.setattr(sys.modules["regard.inspection.flow"], "MOST_STEPS", 1)
    found = input_attribution(model, torch.tensor([SOURCE]), torch.tensor([READ]), SAID, steps=1)
    assert found.gap > 0.05
    tokens = Tokens(["a"], [None], [None])
    flow = Flow("integrated-gradients", numpy.ma.MaskedArray(found.matrix), tokens, tokens, found.gap)
    assert flow.caveat.endswith(f"The sums miss the changes that they explain by {found.gap:.0%}.")
    assert "miss" not in dataclasses.replace(flow, gap=0.01).caveat


@pytest.mark.parametrize("pad_id", [0, -1])
def test_the_baseline_is_a_token_of_a_usual_length(pad_id: int) -> None:
    table = torch.nn.Embedding(5, 2)
    table.weight.data = torch.tensor(
        [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [2.0, 2.0], [-9.0, 0.0]]
    )  # as Marian's padding
    assert _baseline(table, pad_id).tolist() == [
        0.0,
        3.0,
    ]  # the nearest to the mean, (-0.8, 1), but for the embedding 0
    table.weight.data[0] = torch.tensor([1.0, 1.0])
    assert _baseline(table, 0).tolist() == [1.0, 1.0]


def test_gradient_times_input(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model(tied_embeddings="none").double()
    found = input_attribution(model, torch.tensor([SOURCE]), torch.tensor([READ]), SAID, method="gradient").matrix
    embedded = model.source_embedding(torch.tensor([SOURCE])).detach()
    step = 1e-6
    for key in (0, 3):
        moved = [embedded.clone() for _ in range(2)]
        moved[0][0, key] *= 1 + step
        moved[1][0, key] *= 1 - step
        slope = (log_probs(model, moved[0]) - log_probs(model, moved[1])) / (2 * step)
        numpy.testing.assert_allclose(found[:, key], slope.detach().numpy(), rtol=1e-3, atol=1e-5)


def test_families_that_read_one_text_and_the_recurrent_one(make_model: Callable[..., EncoderDecoder]) -> None:
    torch.manual_seed(1)
    sizes = {"vocab_size": 23, "model_dim": 12, "ff_dim": 20, "num_heads": 3, "num_layers": 2}
    text = torch.tensor([SOURCE])
    causal = input_attribution(build(DecoderConfig(**sizes)).eval(), text, None, SOURCE[1:]).matrix
    assert causal.shape == (4, 5)
    assert not causal[~numpy.tri(4, 5, dtype=bool)].any()  # what comes later has no say
    assert causal[3, :4].all()
    labels = build(EncoderConfig(**sizes, task="classify", labels=["a", "b"])).eval()
    assert input_attribution(labels, text, None, [1]).matrix.shape == (1, 5)
    recurrent = build(RecurrentConfig(vocab_size=23, model_dim=12)).eval()
    assert input_attribution(recurrent, text, torch.tensor([READ]), SAID, steps=4).matrix.shape == (4, 5)
    with pytest.raises(SettingsError, match=r"method .*got 'gradients'.*'gradient'"):
        input_attribution(recurrent, text, None, SAID, method="gradients")
