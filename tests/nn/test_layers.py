import pytest
import torch

from regard.errors import ShapeError
from regard.nn import sinusoidal_positions
from regard.nn.layers import Dropout, PostNorm, PreNorm


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


def test_sinusoidal_positions_by_hand() -> None:
    encoding = sinusoidal_positions(3, 4)
    expected = [
        [0, 1, 0, 1],
        [0.8414710, 0.5403023, 0.0099998, 0.9999500],
        [0.9092974, -0.4161468, 0.0199987, 0.9998000],
    ]
    torch.testing.assert_close(encoding, torch.tensor(expected))


def test_sinusoidal_positions_need_an_even_width() -> None:
    with pytest.raises(ShapeError, match="model_dim must be even for sinusoidal positions; got 5"):
        sinusoidal_positions(3, 5)
