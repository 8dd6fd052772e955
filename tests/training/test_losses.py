import pytest
import torch
import torch.nn.functional as F

from regard.data.batch import IGNORED, LabelledBatch
from regard.errors import SettingsError
from regard.models.config import EncoderConfig
from regard.models.encoder import Encoder
from regard.nn import losses
from regard.nn.losses import SoftTargets, smoothed_cross_entropy


def inputs(tokens: int = 11, vocab: int = 7, dim: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(tokens, dim, generator=generator).requires_grad_()
    weight = torch.randn(vocab, dim, generator=generator).requires_grad_()
    return states, weight, torch.randint(vocab, (tokens,), generator=generator)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("chunk_tokens", [1, 3, 1000])
@pytest.mark.parametrize("cap", [None, 0.8, 30.0])
def test_value_and_gradient_are_those_of_torch(
    smoothing: float, chunk_tokens: int, cap: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "CHUNK_LOGITS", 7 * chunk_tokens)
    states, weight, labels = inputs()
    loss = smoothed_cross_entropy(states, weight, labels, cap=cap, smoothing=smoothing)
    gradients = torch.autograd.grad(3 * loss, (states, weight))
    logits = states @ weight.T
    logits = logits if cap is None else cap * torch.tanh(logits / cap)
    expected = F.cross_entropy(logits, labels, label_smoothing=smoothing, reduction="sum")
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


@pytest.mark.parametrize("soft", [False, True])
def test_float64_stays_float64(soft: bool) -> None:
    """Gradients are those of finite differences, which float32 inside would not allow."""
    states, weight, labels = inputs()
    states, weight = (x.detach().double().requires_grad_() for x in (states, weight))
    fixed = weight.detach().clone()
    teacher = SoftTargets(states.detach() + 1, lambda x: x @ fixed.T, 0.3, 2.0) if soft else None

    def loss(states: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return smoothed_cross_entropy(states, weight, labels, smoothing=0.1, soft=teacher)

    assert loss(states, weight).dtype == torch.float64
    assert torch.autograd.gradcheck(loss, (states, weight), eps=1e-6, atol=1e-7, rtol=1e-6)


def test_extreme_logits_stay_finite() -> None:
    states = torch.tensor([[1e4], [-1e4]], requires_grad=True)
    weight = torch.tensor([[1.0], [-1.0]])
    loss = smoothed_cross_entropy(states, weight, torch.tensor([1, 1]))
    loss.backward()
    assert loss.isfinite()
    assert states.grad is not None
    assert states.grad.isfinite().all()


@pytest.mark.parametrize("with_bias", [True, False])
def test_a_bias_of_the_vocabulary_is_torchs(with_bias: bool) -> None:
    states, weight, labels = inputs()
    bias = torch.randn(7, generator=torch.Generator().manual_seed(3)).requires_grad_() if with_bias else None
    loss = smoothed_cross_entropy(states, weight, labels, bias=bias, smoothing=0.1)
    expected = F.cross_entropy(F.linear(states, weight, bias), labels, label_smoothing=0.1, reduction="sum")
    torch.testing.assert_close(loss, expected)
    wanted = [states, weight, *([bias] if bias is not None else [])]
    torch.testing.assert_close(torch.autograd.grad(loss, wanted), torch.autograd.grad(expected, wanted))


def test_smoothing_over_the_others_is_the_definition() -> None:
    """The right class has 1 - smoothing, each other smoothing / (n - 1): as fairseq and tensor2tensor have it."""
    states, weight, labels = inputs()
    logits = states @ weight.T
    wanted = torch.full((11, 7), 0.3 / 6).scatter(1, labels[:, None], 0.7)
    expected = -(wanted * logits.log_softmax(-1)).sum()
    found = smoothed_cross_entropy(states, weight, labels, smoothing=losses.spread_over_all(0.3, 7))
    torch.testing.assert_close(found, expected)
    with pytest.raises(SettingsError, match=r"label_smoothing .*2 classes.*; got 0\.6"):
        losses.spread_over_all(0.6, 2)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_hidden_words_are_scored_as_torch_does(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "CHUNK_LOGITS", 20)
    torch.manual_seed(0)
    config = EncoderConfig(vocab_size=12, model_dim=8, ff_dim=8, num_heads=2, num_layers=1, dropout=0.0)
    model = Encoder(config)
    ids, labels = torch.randint(4, 12, (3, 5)), torch.full((3, 5), IGNORED)
    labels[0, 1], labels[2, 0], labels[2, 4] = 5, 7, 11
    batch = LabelledBatch(ids, labels, 3, [0, 1, 2])
    parameters = list(model.parameters())
    loss = model.loss(batch, smoothing=smoothing)
    logits = model(ids)[labels != IGNORED]
    expected = F.cross_entropy(logits, labels[labels != IGNORED], label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(torch.autograd.grad(loss, parameters, allow_unused=True),
                               torch.autograd.grad(expected, parameters, allow_unused=True))  # fmt: skip
