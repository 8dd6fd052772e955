"""Dropout and the loss in C: PyTorch's numbers, one mask in both directions, and the same bits with any threads and processor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from regard.compiled import library as library_module
from regard.compiled.library import CPU_VARIABLE, FoundLibrary, find, find_in
from regard.errors import SettingsError
from regard.nn import losses, native_training
from regard.nn.dropout import Dropout, add_dropped, dropout
from regard.nn.layers import PostNorm, PreNorm, SandwichNorm
from regard.nn.losses import smoothed_cross_entropy

FOUND = find()
pytestmark = pytest.mark.skipif(FOUND.library is None, reason=f"compiled library: {FOUND.reason}")
DTYPES = (torch.float32, torch.bfloat16)
SIZES = ((0,), (1,), (255,), (257,), (7, 64), (130, 300))


@pytest.fixture
def set_threads() -> Iterator[Any]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_training, "find", lambda: FoundLibrary(None, "taken away"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", [0.1, 0.37, 0.9])
def test_what_is_kept_is_scaled_and_so_is_its_gradient(dtype: torch.dtype, size: tuple[int, ...], rate: float) -> None:
    torch.manual_seed(1)
    x, residual = (torch.randn(size, dtype=dtype, requires_grad=True) for _ in range(2))
    y = add_dropped(residual, x, Dropout(rate))
    y.sum().backward()
    assert x.grad is not None
    assert residual.grad is not None
    assert torch.equal(residual.grad, torch.ones_like(residual))
    factors = x.grad.unique().tolist()
    assert all(each == 0 or abs(each * (1 - rate) - 1) < 0.01 for each in factors)
    expected = residual.double() + x.double() * x.grad.double()
    torch.testing.assert_close(y.double(), expected, rtol=0.01, atol=0.01 if dtype == torch.bfloat16 else 1e-6)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.8])
def test_the_rate_is_met_in_all_places_and_pairs_of_places(rate: float) -> None:
    """Of many drawings: each place, each pair of neighbours, and places that share 64 bits."""
    torch.manual_seed(2)
    kept = torch.stack([dropout(torch.ones(512), rate) != 0 for _ in range(4000)]).double()
    bound = 5 * (rate * (1 - rate) / 4000) ** 0.5
    assert (kept.mean(dim=0) - (1 - rate)).abs().max() < bound
    away = kept - (1 - rate)
    correlations = away.T @ away / 4000 / (rate * (1 - rate)) - torch.eye(512, dtype=torch.double)
    assert correlations.abs().max() < 6 / 4000**0.5 + 0.05
    assert abs(correlations.mean()) < 0.001


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_seed_gives_the_same_bits_with_any_number_of_threads(set_threads: Any, dtype: torch.dtype) -> None:
    x, found = torch.randn(300, 257, dtype=dtype), []
    states, labels = torch.randn(70, 33).to(dtype), torch.randint(5001, (70,))
    weight = torch.randn(5001, 33).to(dtype)
    for number in (1, 2, 3, 7):
        set_threads(number)
        torch.manual_seed(3)
        logits = weight.float() @ states[0].float()
        rows = logits.to(dtype).expand(70, -1).contiguous()
        library = FOUND.library
        assert library is not None
        loss = native_training.cross_entropy(library, rows, labels, None, 0.1, wants_gradient=True)
        found.append((dropout(x, 0.3), loss, rows))
    for others in zip(*found, strict=True):
        assert all(torch.equal(each, others[0]) for each in others)
    torch.manual_seed(4)
    assert not torch.equal(dropout(x, 0.3), found[0][0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_processor_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype) -> None:
    found, libraries = [], []
    x, bias = torch.randn(40, 77, dtype=dtype), torch.randn(333)
    logits, labels = 5 * torch.randn(20, 333).to(dtype), torch.randint(333, (20,))
    folder = Path(library_module.__file__).parent
    for kind in sorted(path.stem.removeprefix("layers-") for path in folder.glob("layers-*")):
        monkeypatch.setenv(CPU_VARIABLE, kind)
        with suppress(SettingsError):  # this processor is older
            libraries.append(find_in(folder).library)
    for library in libraries:
        assert library is not None
        torch.manual_seed(5)
        rows = logits.clone()
        loss = native_training.cross_entropy(library, rows, labels, bias, 0.2, wants_gradient=True)
        found.append((native_training.drop(library, x, 0.25, x), loss, rows))
    for others in zip(*found, strict=True):
        assert all(torch.equal(each, others[0]) for each in others)


def test_what_is_no_number_is_not_hidden() -> None:
    """As PyTorch's own dropout, which multiplies."""
    for number in (torch.nan, torch.inf):
        y = dropout(torch.full((1000,), number), 0.5)
        assert bool(y.isnan().any())
        assert not y.isfinite().any()


def test_tensors_that_do_not_lie_one_after_the_other() -> None:
    x = torch.randn(30, 40, requires_grad=True)
    y = add_dropped(torch.ones(1, 30).expand(40, 30), x.T, Dropout(0.5))
    y.backward(torch.ones(1, 1).expand(40, 30))
    assert x.grad is not None
    torch.testing.assert_close(y, 1 + x.detach().T * x.grad.T)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16])
def test_other_numbers_are_left_to_pytorch(dtype: torch.dtype) -> None:
    x = torch.ones(64, 64, dtype=dtype, requires_grad=True)
    y = add_dropped(x, x, Dropout(0.5))
    y.sum().backward()
    assert y.dtype == dtype
    assert set(y.unique().tolist()) == {1.0, 3.0}


def test_second_derivatives_and_many_gradients_at_once() -> None:
    x = torch.randn(6, 5, requires_grad=True)
    y = dropout(x, 0.5) ** 2
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    kept = y.detach() != 0
    torch.testing.assert_close(second, torch.where(kept, 8.0, 0.0))
    y = dropout(x, 0.5)
    (each,) = torch.autograd.grad(y, x, torch.eye(30).view(30, 6, 5), is_grads_batched=True)
    torch.testing.assert_close(each.view(30, 30).sum(0).view(6, 5), torch.where(y != 0, 2.0, 0.0))


def test_torch_func_still_maps_and_differentiates() -> None:
    def total(x: Tensor) -> Tensor:
        return add_dropped(x, x, Dropout(0.5)).sum()

    gradient = torch.func.grad(total)(torch.ones(50))
    assert set(gradient.unique().tolist()) <= {1.0, 3.0}
    mapped = torch.func.vmap(lambda x: dropout(x, 0.5), randomness="same")(torch.ones(20, 50))
    assert set(mapped.unique().tolist()) == {0.0, 2.0}


def test_torch_func_around_tensors_that_it_does_not_map() -> None:
    weight, x = torch.randn(5, 64), torch.ones(64)
    gradient = torch.func.grad(lambda weight: F.linear(dropout(x, 0.5), weight).sum())(weight)
    assert set(gradient.unique().tolist()) == {0.0, 2.0}
    gradient = torch.func.grad(lambda x: (add_dropped(weight, weight, Dropout(0.5)) * x).sum())(x)
    assert gradient.isfinite().all()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own
def test_forward_mode() -> None:
    x = torch.ones(200)
    with forward_ad.dual_level():
        for residual, other in ((None, 0.0), (torch.ones(200), 0.0), (forward_ad.make_dual(x, 3 * x), 3.0)):
            dual = forward_ad.make_dual(x, 2 * x)
            y = dropout(dual, 0.5) if residual is None else add_dropped(residual, dual, Dropout(0.5))
            value, tangent = forward_ad.unpack_dual(y)
            kept = value != (0.0 if residual is None else 1.0)
            torch.testing.assert_close(tangent, torch.where(kept, 4.0, 0.0) + other)
        _, tangent = forward_ad.unpack_dual(add_dropped(forward_ad.make_dual(x, 3 * x), x, Dropout(0.5)))
        torch.testing.assert_close(tangent, 3 * x)


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("watched", ["forward", "backward"])
def test_a_part_that_is_computed_twice_drops_the_same(reentrant: bool, watched: str) -> None:
    """Also where operations are counted in one of the two passes only."""
    x, module = torch.randn(100, 64, requires_grad=True), Dropout(0.5)
    watch: dict[str, Any] = {"forward": nullcontext(), "backward": nullcontext()}
    watch[watched] = FlopCounterMode(display=False)
    with watch["forward"]:
        y = checkpoint(lambda v: module(v) * 3, x, use_reentrant=reentrant)
    with watch["backward"]:
        y.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad != 0, y != 0)


def test_modes_of_pytorch_see_its_operations() -> None:
    with FlopCounterMode(display=False) as counted:
        states, weight = torch.randn(9, 8, requires_grad=True), torch.randn(20, 8, requires_grad=True)
        smoothed_cross_entropy(dropout(states, 0.1), weight, torch.arange(9)).backward()
    assert counted.get_total_flops() == 3 * 2 * 9 * 8 * 20


@pytest.mark.parametrize("kind", [PreNorm, PostNorm, SandwichNorm])
@pytest.mark.parametrize("way", ["hook", "pre-hook", "backward hook", "forward", "identity", "of PyTorch"])
def test_a_dropout_that_somebody_changed_is_called(kind: type[PostNorm], way: str) -> None:
    residual, x, called = kind(8, 0.5), torch.randn(2, 3, 8, requires_grad=True), []
    if way == "hook":
        residual.dropout.register_forward_hook(lambda *_: called.append(1))
    elif way == "pre-hook":
        residual.dropout.register_forward_pre_hook(lambda *_: called.append(1))
    elif way == "backward hook":
        residual.dropout.register_full_backward_hook(lambda *_: called.append(1))
    elif way == "forward":
        residual.dropout.forward = lambda y: (called.append(1), y)[1]  # type: ignore[method-assign]
    else:
        residual.dropout = nn.Identity() if way == "identity" else nn.Dropout(1.0)  # type: ignore[assignment]
    y = residual(x, lambda x: x + 1)
    y.sum().backward()
    if way == "identity":
        residual.eval()
        assert torch.equal(y, residual(x, lambda x: x + 1))
    elif way == "of PyTorch":
        assert torch.equal(y, x if kind is not PostNorm else residual.norm(x))
    else:
        assert called


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("vocab", [1, 2, 15, 16, 17, 100, 5001])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("has_bias", [False, True])
def test_the_loss_is_pytorchs(dtype: torch.dtype, vocab: int, smoothing: float, has_bias: bool) -> None:
    torch.manual_seed(vocab)
    states, weight = torch.randn(37, 24).to(dtype), torch.randn(vocab, 24).to(dtype)
    bias, labels = (torch.randn(vocab).to(dtype) if has_bias else None), torch.randint(vocab, (37,))
    given = [each.requires_grad_() for each in (states, weight, bias) if each is not None]
    loss = smoothed_cross_entropy(states, weight, labels, bias=bias, smoothing=smoothing)
    (3 * loss).backward()
    found = [each.grad for each in given]
    exact = [each.detach().double().requires_grad_() for each in given]
    logits = exact[0] @ exact[1].T
    expected = F.cross_entropy(
        logits if bias is None else logits + exact[2], labels, reduction="sum", label_smoothing=smoothing
    )
    (3 * expected).backward()
    is_narrow = dtype == torch.bfloat16
    torch.testing.assert_close(
        loss.double(), expected, rtol=0.01 if is_narrow else 1e-5, atol=0.1 if is_narrow else 1e-4
    )
    for ours, theirs in zip(found, exact, strict=True):
        assert ours is not None
        assert theirs.grad is not None
        assert ours.dtype == dtype
        error = (ours.double() - theirs.grad).norm() / theirs.grad.norm().clamp(min=1)
        assert error < (0.03 if is_narrow else 1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_with_and_without_c(monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype) -> None:
    """Masked, huge and equal logits, through the bias: a loss and a gradient as PyTorch's, also where they are infinite."""
    states, weight = torch.zeros(3, 4, dtype=dtype, requires_grad=True), torch.randn(6, 4).to(dtype)
    labels = torch.tensor([1, 3, 5])
    for row in ([0.0, 0, -torch.inf, 0, 0, 0], [1e4, -1e4, 0, 9e3, 1, 1], [-torch.inf] * 6, [torch.nan, 0, 0, 0, 0, 0],
                [torch.inf, 0, 0, 0, 0, 0], [0.0, -torch.inf, 0, 0, 0, 0]):  # fmt: skip
        for smoothing in (0.0, 0.1):
            found = []
            for has_c in (True, False):
                with monkeypatch.context() as patch:
                    if not has_c:
                        without_library(patch)
                    states.grad = None
                    loss = smoothed_cross_entropy(
                        states, weight, labels, bias=torch.tensor(row).to(dtype), smoothing=smoothing
                    )
                    loss.backward()
                    found.append((loss.detach(), states.grad))
            torch.testing.assert_close(*found, rtol=0.02, atol=1e-4, equal_nan=True)


@pytest.mark.parametrize("make", [lambda x: x[:, 0], lambda x: x[::1, 1].int(), lambda x: x[0, :1].expand(300)])
def test_labels_may_lie_anywhere_and_be_narrow(make: Any) -> None:
    states, weight, labels = torch.randn(300, 4), torch.randn(9, 4), make(torch.randint(9, (300, 2)))
    for _ in range(20):
        loss = smoothed_cross_entropy(states, weight, labels)
        torch.testing.assert_close(loss, F.cross_entropy(states @ weight.T, labels.long(), reduction="sum"))


def test_what_does_not_fit_never_reaches_c() -> None:
    """PyTorch says what is wrong; a bias of one number is for all tokens."""
    states, weight, labels = torch.randn(10, 4), torch.randn(1000, 4), torch.randint(1000, (300,))
    loss = losses._ProjectedCrossEntropy.apply  # as without the checks of shapes, which are for tests
    for bad in (labels, labels[:20].view(10, 2)):
        with pytest.raises(RuntimeError, match=r"Size does not match|dimension"):
            loss(states.requires_grad_(), weight, None, bad, None, 0.1, None)
    with pytest.raises(RuntimeError, match="must match"):
        loss(states, weight, torch.zeros(20), labels[:10], None, 0.0, None)
    alone = states.detach()
    with_bias = loss(alone, weight, torch.ones(1), labels[:10], None, 0.0, None)
    torch.testing.assert_close(with_bias, loss(alone, weight, None, labels[:10], None, 0.0, None))


def test_a_step_takes_c_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """And PyTorch where it is not: the rate is met, and residuals are added, either way."""
    called = []
    for name in ("regard_drop", "regard_loss"):
        function = getattr(FOUND.library.functions, name)  # type: ignore[union-attr]
        monkeypatch.setattr(
            FOUND.library.functions, name, partial(lambda f, n, *a: called.append(n) or f(*a), function, name)
        )  # type: ignore[union-attr]
    weight, labels = torch.randn(20, 8), torch.randint(20, (500,))
    for has_c in (True, False):
        if not has_c:
            without_library(monkeypatch)
        called.clear()
        y = add_dropped(torch.ones(500, 8), torch.ones(500, 8, requires_grad=True), Dropout(0.25))
        smoothed_cross_entropy(y, weight, labels).backward()
        assert called == (["regard_drop", "regard_loss", "regard_drop"] if has_c else [])
        assert abs(float((y == 1).float().mean()) - 0.25) < 0.04
        torch.testing.assert_close(y[y != 1], torch.full_like(y[y != 1], 1 + 4 / 3))


def test_labels_that_are_no_tokens_are_refused() -> None:
    states, weight = torch.randn(3, 4), torch.randn(6, 4)
    for labels in ([0, 6, 1], [-1, 0, 0]):
        with pytest.raises(IndexError, match=r"labels must be from 0 to 5; got"):
            smoothed_cross_entropy(states, weight, torch.tensor(labels))


def test_nothing_is_drawn_without_dropout() -> None:
    before = torch.get_rng_state()
    x = torch.randn(0) + dropout(torch.ones(0), 0.0)
    module = Dropout(0.5).eval()
    assert torch.equal(add_dropped(torch.ones(3), torch.ones(3), module), torch.full((3,), 2.0))
    assert len(x) == 0
    assert torch.equal(torch.get_rng_state(), before)
    for rate, expected in ((0.0, 2.0), (1.0, 1.0)):
        assert torch.equal(add_dropped(torch.ones(3), torch.ones(3), Dropout(rate)), torch.full((3,), expected))
