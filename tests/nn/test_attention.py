import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ShapeError
from regard.nn import attention, attention_weights, causal_mask
from regard.nn import attention as attention_function

KERNELS = [False, True]


@pytest.fixture(params=KERNELS, ids=["matmul", "fused"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of computing the same thing."""
    module = __import__("sys").modules["regard.nn.attention"]
    monkeypatch.setattr(module, "_fused_is_faster", lambda query: request.param)


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(math.prod(shape))
    return torch.randn(shape, generator=generator).to(dtype)


def test_one_query_by_hand() -> None:
    # scores 1/sqrt(1) * (0, log 3), so weights 1/4 and 3/4; context 1/4 * 8 + 3/4 * 4 = 5
    query, key = torch.tensor([[1.0]]), torch.tensor([[0.0], [math.log(3)]])
    value = torch.tensor([[8.0], [4.0]])
    assert attention_weights(query, key).tolist() == [[pytest.approx(0.25), pytest.approx(0.75)]]
    assert attention(query, key, value).tolist() == [[pytest.approx(5.0)]]


def test_scores_are_scaled_by_the_root_of_the_key_width() -> None:
    query, key = random(2, 3, 7), random(2, 5, 7)
    plain = torch.einsum("bqd,bkd->bqk", query, key) / math.sqrt(7)
    torch.testing.assert_close(attention_weights(query, key), plain.softmax(-1))


def test_parity_with_torch(kernel: None) -> None:
    query, key, value = random(2, 3, 5, 7), random(2, 3, 11, 7), random(2, 3, 11, 13)
    mask = torch.rand(2, 1, 5, 11, generator=torch.Generator().manual_seed(0)) < 0.7
    mask[..., 0] = True
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(attention(query, key, value, mask=mask), expected)
    torch.testing.assert_close(attention_weights(query, key, mask=mask) @ value, expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_query_that_may_attend_to_nothing_gets_0_and_gradient_0(kernel: None, dtype: torch.dtype) -> None:
    tensors = [random(2, 3, 5, 7, dtype=dtype).requires_grad_() for _ in range(3)]
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[0, 0, 2] = False  # one query of the first example
    mask[1] = False  # all of the second
    context = attention(*tensors, mask=mask)
    assert not context[0, :, 2].any()
    assert not context[1].any()
    assert context[0, :, 0].all()
    context.float().square().sum().backward()
    for tensor in tensors:
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
        assert not tensor.grad[1].any()
    assert not tensors[0].grad[0, :, 2].any()  # type: ignore[index]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_masked_keys_get_exactly_no_weight_however_large_their_scores(kernel: None, dtype: torch.dtype) -> None:
    query, value = random(1, 1, 2, 4, dtype=dtype), random(1, 1, 3, 4, dtype=dtype)
    key = torch.full((1, 1, 3, 4), -200.0, dtype=dtype)  # allowed keys have very negative scores
    key[:, :, 0] = 200.0
    query = query.abs()
    mask = torch.tensor([False, True, True])
    weights = attention_weights(query, key, mask=mask)
    assert not weights[..., 0].any()
    changed = value.clone()
    changed[:, :, 0] = 1000.0
    assert torch.equal(attention(query, key, value, mask=mask), attention(query, key, changed, mask=mask))


@given(
    queries=st.integers(1, 5),
    keys=st.integers(1, 6),
    seed=st.integers(0, 100),
    share=st.floats(0, 1),
    wide=st.booleans(),
)
def test_weights_are_a_distribution_over_the_allowed_keys(
    queries: int, keys: int, seed: int, share: float, wide: bool
) -> None:
    generator = torch.Generator().manual_seed(seed)
    query, key = (torch.randn(2, n, 3, generator=generator) * (100 if wide else 1) for n in (queries, keys))
    mask = torch.rand(2, queries, keys, generator=generator) < share
    weights = attention_weights(query, key, mask=mask)
    assert (weights >= 0).all()
    assert not weights[~mask].any()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())


def test_gradients_agree_with_finite_differences(kernel: None) -> None:
    tensors = [random(1, 2, n, 3, dtype=torch.float64).requires_grad_() for n in (3, 5, 5)]
    mask = torch.tensor([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    assert torch.autograd.gradcheck(lambda q, k, v: attention_function(q, k, v, mask=mask), tensors)


def test_inputs_are_left_alone(kernel: None) -> None:
    tensors = [random(1, 1, 3, 5) for _ in range(3)]
    copies = [tensor.clone() for tensor in tensors]
    mask = causal_mask(3)
    attention(*tensors, mask=mask)
    assert all(map(torch.equal, tensors, copies))
    assert torch.equal(mask, causal_mask(3))


def test_keys_and_values_of_different_number_are_refused() -> None:
    with pytest.raises(ShapeError, match="key and value must have one number of positions; got 3 and 4"):
        attention_function.__wrapped__(random(2, 5), random(3, 5), random(4, 5))  # type: ignore[attr-defined]


def test_queries_and_keys_of_different_width_are_refused() -> None:
    with pytest.raises(ShapeError, match="query and key must have one width; got 5 and 7"):
        attention_weights.__wrapped__(random(2, 5), random(3, 7))  # type: ignore[attr-defined]
