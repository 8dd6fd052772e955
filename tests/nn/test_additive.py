"""The memory-linear kernel: exact where it is hard, and small where the plain way is large."""

import pytest
import torch
from torch import Tensor

from largest_tensor import LargestTensor
from regard.nn import Additive, attention, causal_mask
from regard.nn.kernels import additive as kernel


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def test_neither_pass_holds_all_pairs() -> None:
    torch.manual_seed(0)
    score, x = Additive(8, 8, 64), random(1, 700, 8).requires_grad_()
    with LargestTensor() as largest:
        attention(x, x, x, score=score, causal=True, kernel="tiled").sum().backward()
    assert largest.numel <= max(kernel.TILE_NUMBERS, 700 * 700)  # a tile, or the causal mask
    with LargestTensor() as plain:
        attention(x, x, x, score=score, causal=True, kernel="matmul")
    assert plain.numel == 700 * 700 * 64


@pytest.mark.parametrize("tile", [1, 7 * 11, 3 * 7 * 11, 1 << 18])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_value_and_gradient_do_not_depend_on_the_tiles(
    tile: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "TILE_NUMBERS", tile)
    torch.manual_seed(0)
    score = Additive(4, 6, 11).to(dtype)
    query, key, value = (random(3, n, w, seed=n, dtype=dtype).requires_grad_() for n, w in ((5, 4), (7, 6), (7, 2)))
    bias = random(3, 1, 7, dtype=dtype).requires_grad_()
    inputs = (query, key, value, bias, *score.parameters())
    results = []
    for name in ("matmul", "tiled"):
        context = attention(query, key, value, mask=causal_mask(5, 7), bias=bias, score=score, kernel=name)
        results.append((context, *torch.autograd.grad(context.float().square().sum(), inputs)))
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 0.1, "atol": 0.05}
    for plain, tiled in zip(*results, strict=True):
        torch.testing.assert_close(tiled, plain, **close)


@pytest.mark.parametrize("size", [10.0, 38.0, 45.0, 1000.0])
def test_large_numbers_stay_exact(size: float) -> None:
    """exp(-2 query) exp(-2 key) must not become 0 times infinity, even where the two cancel."""
    query = torch.tensor([[[size, -size, size, 1.0]]])
    key = torch.tensor([[[-size, size, -size + 0.5, 0.3], [size, size, -size, -0.2]]])
    vector = torch.tensor([1.0, -0.5, 2.0, 0.7])
    value = torch.eye(2)[None]
    expected = (torch.tanh(query[:, :, None] + key[:, None]) @ vector).softmax(-1)
    torch.testing.assert_close(kernel.additive_attention(query, key, value, vector, None, None), expected)


def test_no_queries_and_no_keys() -> None:
    score = Additive(4, 4, 5)
    for queries, keys in ((0, 3), (2, 0)):
        context = attention(random(1, queries, 4), random(1, keys, 4), random(1, keys, 6), score=score, kernel="tiled")
        assert context.shape == (1, queries, 6)
        assert not context.any()


def test_the_operators_keep_pytorchs_rules() -> None:
    tensors = [random(2, n, 5, seed=n).requires_grad_() for n in (3, 4, 4)]
    vector, bias = random(5).requires_grad_(), random(2, 3, 4).requires_grad_()
    mask = torch.rand(2, 1, 4) < 0.7
    for given in ((None, None), (mask, bias)):
        torch.library.opcheck(kernel.additive_attention, (*tensors, vector, *given))
