import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard.errors import SettingsError, ShapeError
from regard.nn import (
    BatchNorm,
    Chunked,
    Dropout,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    MultiHeadAttention,
    PostNorm,
    PreNorm,
    SandwichNorm,
)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
def test_dropout_sets_its_share_to_0_and_keeps_the_mean(rate: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = torch.ones(1001, 333, dtype=dtype)
    y = Dropout(rate).train()(x)
    zeros = (y == 0).float().mean().item()
    # six standard deviations of a binomial share
    assert zeros == pytest.approx(rate, abs=6 * (rate * (1 - rate) / x.numel()) ** 0.5)
    kept = y[y != 0].float()
    assert kept.unique().numel() == 1
    assert kept[0].item() == pytest.approx(1 / (1 - rate), rel=0.005)
    assert y.dtype == dtype


def test_dropout_is_independent_from_place_to_place() -> None:
    torch.manual_seed(1)
    y = (Dropout(0.5).train()(torch.ones(400_000)) != 0).double() - 0.5
    for shift in (1, 2, 3, 4, 8):
        correlation = (y[shift:] * y[:-shift]).mean().item() * 4
        assert abs(correlation) < 0.01


def test_dropout_gradient_passes_where_the_number_was_kept() -> None:
    torch.manual_seed(0)
    x = torch.ones(64, requires_grad=True)
    y = Dropout(0.5).train()(x)
    y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, y.detach())


def test_dropout_does_nothing_in_evaluation() -> None:
    x = torch.ones(5)
    assert Dropout(0.5).eval()(x) is x


def test_dropout_follows_the_seed() -> None:
    drop, x = Dropout(0.5).train(), torch.ones(100)
    torch.manual_seed(9)
    first = drop(x)
    torch.manual_seed(9)
    assert torch.equal(first, drop(x))
    assert not torch.equal(first, drop(x))


def test_residuals_place_the_norm() -> None:
    x = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    post, pre = PostNorm(5, 0.0), PreNorm(5, 0.0)
    torch.testing.assert_close(post(x, lambda y: 2 * y), post.norm(3 * x))
    torch.testing.assert_close(pre(x, lambda y: 2 * y), x + 2 * pre.norm(x))


def test_the_sandwich_has_a_norm_on_both_sides() -> None:
    x = random(2, 3, 5)
    sandwich = SandwichNorm(5, 0.0)
    nn.init.normal_(sandwich.output_norm.weight)
    torch.testing.assert_close(sandwich(x, lambda y: 2 * y), x + sandwich.output_norm(2 * sandwich.norm(x)))


def test_a_residual_takes_any_norm() -> None:
    x = random(2, 3, 5)
    pre = PreNorm(5, 0.0, nn.RMSNorm)
    torch.testing.assert_close(pre(x, torch.zeros_like), x)
    expected = x / (x.square().mean(-1, keepdim=True) + torch.finfo(x.dtype).eps).sqrt()
    torch.testing.assert_close(pre(x, lambda y: y), x + expected)


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("relu", lambda x: x.clamp(min=0)),
        ("gelu", lambda x: x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))),
        ("gelu_tanh", lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("silu", lambda x: x / (1 + (-x).exp())),
        ("tanh", lambda x: 1 - 2 / (1 + (2 * x).exp())),
        ("quick_gelu", lambda x: x / (1 + (-1.702 * x).exp())),
    ],
)
def test_feed_forward_is_its_formula(name: str, formula: Callable[[torch.Tensor], torch.Tensor]) -> None:
    torch.manual_seed(0)
    x, plain, gated = random(2, 3, 5), FeedForward(5, 7, activation=name), GatedFeedForward(5, 7, activation=name)
    inner = x @ plain.inner_proj.weight.T + plain.inner_proj.bias
    torch.testing.assert_close(plain(x), formula(inner) @ plain.output_proj.weight.T + plain.output_proj.bias)
    inner = formula(x @ gated.inner_proj.weight.T) * (x @ gated.gate_proj.weight.T)
    torch.testing.assert_close(gated(x), inner @ gated.output_proj.weight.T)


def test_an_unknown_activation_is_answered_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"activation .*got 'glue'.*'gelu'"):
        FeedForward(5, 7, activation="glue")


@pytest.mark.parametrize("positions", [1, 2, 3, 100])
def test_chunks_change_nothing(positions: int) -> None:
    torch.manual_seed(0)
    whole = GatedFeedForward(5, 7)
    x = random(2, 7, 5)
    torch.testing.assert_close(Chunked(whole, positions)(x), whole(x))
    with pytest.raises(ShapeError, match="positions must be at least 1; got 0"):
        Chunked(whole, 0)


def test_batch_norm_without_padding_is_torchs() -> None:
    x, ours, theirs = random(2, 3, 5), BatchNorm(5), nn.BatchNorm1d(5)
    torch.testing.assert_close(ours(x), theirs(x.transpose(1, 2)).transpose(1, 2))
    torch.testing.assert_close(ours.norm.running_var, theirs.running_var)
    torch.testing.assert_close(ours.eval()(x), theirs.eval()(x.transpose(1, 2)).transpose(1, 2))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_batch_norm_computes_in_float32(dtype: torch.dtype) -> None:
    x, norm = random(4, 7, 5).to(dtype), BatchNorm(5).to(dtype)
    other = BatchNorm(5)
    torch.testing.assert_close(norm(x), other(x.float()).to(dtype), rtol=0, atol=0)
    means = [(each.norm.running_mean, each.norm.running_var) for each in (norm, other)]
    for mean, wanted in zip(*means, strict=True):
        assert mean is not None
        assert wanted is not None
        torch.testing.assert_close(mean, wanted.to(dtype), rtol=0, atol=0)
    found, wanted = norm.eval()(x), other.to(dtype).float().eval()(x.float())
    torch.testing.assert_close(found, wanted.to(dtype), rtol=0, atol=0)


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_does_not_see_padding(training: bool) -> None:
    x, is_token = random(2, 4, 5), torch.tensor([[1, 1, 1, 0], [0, 1, 1, 0]], dtype=torch.bool)
    norm, other = BatchNorm(5).train(training), BatchNorm(5).train(training)
    changed = x.masked_fill(~is_token[..., None], 1000.0)
    y, z = norm(x, is_token), other(changed, is_token)
    assert torch.equal(y, z)
    assert torch.equal(norm.norm.running_mean, other.norm.running_mean)  # type: ignore[arg-type]
    assert not y[~is_token].any()
    if training:
        torch.testing.assert_close(y[is_token].mean(dim=0), torch.zeros(5), atol=1e-6, rtol=0)


def test_an_encoder_layer_with_batch_norm_ignores_padding() -> None:
    torch.manual_seed(0)
    layer = EncoderLayer(MultiHeadAttention(6, 2), FeedForward(6, 7), lambda: PreNorm(6, 0.0, BatchNorm))
    x, is_token = random(2, 4, 6), torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]], dtype=torch.bool)
    mask = is_token[:, None, None]
    changed = x.masked_fill(~is_token[..., None], 9.0)
    y, z = (layer(a, mask=mask, is_token=is_token) for a in (x, changed))
    torch.testing.assert_close(y[is_token], z[is_token])


@pytest.mark.parametrize("residual", [PostNorm, PreNorm, SandwichNorm])
@pytest.mark.parametrize("norm", [nn.LayerNorm, nn.RMSNorm, BatchNorm])
def test_every_residual_learns_through_every_norm(residual: type[PostNorm], norm: type[nn.Module]) -> None:
    torch.manual_seed(0)
    layer = EncoderLayer(MultiHeadAttention(6, 2), GatedFeedForward(6, 7), lambda: residual(6, 0.1, norm))
    layer(random(2, 4, 6), mask=None).square().sum().backward()
    assert all(parameter.grad is not None and parameter.grad.isfinite().all() for parameter in layer.parameters())
