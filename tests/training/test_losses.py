import pytest
import torch
import torch.nn.functional as F

from regard.training import losses
from regard.training.losses import smoothed_cross_entropy


def inputs(tokens: int = 11, vocab: int = 7, dim: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(tokens, dim, generator=generator).requires_grad_()
    weight = torch.randn(vocab, dim, generator=generator).requires_grad_()
    return states, weight, torch.randint(vocab, (tokens,), generator=generator)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("chunk_tokens", [1, 3, 1000])
def test_value_and_gradient_are_those_of_torch(
    smoothing: float, chunk_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "CHUNK_LOGITS", 7 * chunk_tokens)
    states, weight, labels = inputs()
    loss = smoothed_cross_entropy(states, weight, labels, smoothing=smoothing)
    gradients = torch.autograd.grad(3 * loss, (states, weight))
    expected = F.cross_entropy(states @ weight.T, labels, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(gradients, torch.autograd.grad(3 * expected, (states, weight)))


def test_by_hand() -> None:
    # two classes, logits (0, 0): both have probability 1/2, whatever the smoothing
    loss = smoothed_cross_entropy(torch.zeros(3, 2), torch.ones(2, 2), torch.tensor([0, 1, 1]), smoothing=0.3)
    assert loss.item() == pytest.approx(3 * 0.6931472)


def test_bfloat16_loss_is_computed_in_float32() -> None:
    states, weight, labels = (x.detach() for x in inputs(64, 50, 16))
    expected = smoothed_cross_entropy(states, weight, labels)
    rounded = smoothed_cross_entropy(states.bfloat16(), weight.bfloat16(), labels)
    assert rounded.dtype == torch.float32
    assert rounded.item() == pytest.approx(expected.item(), rel=0.01)


def test_extreme_logits_stay_finite() -> None:
    states = torch.tensor([[1e4], [-1e4]], requires_grad=True)
    weight = torch.tensor([[1.0], [-1.0]])
    loss = smoothed_cross_entropy(states, weight, torch.tensor([1, 1]))
    loss.backward()
    assert loss.isfinite()
    assert states.grad is not None
    assert states.grad.isfinite().all()
