"""Odd but legal input, and what is refused: found by reading the library as a stranger."""

import pytest
import torch

from regard.errors import ShapeError
from regard.nn import (
    Attention,
    BucketedBias,
    ClippedRelative,
    Cosine,
    GaussianKernel,
    LinearBias,
    MultiHeadAttention,
    attention,
    attention_weights,
    length_mask,
    mask_from_hugging_face,
)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("kernel", ["matmul", "sdpa", "flex"])
@pytest.mark.parametrize("batch", [(), (3,), (2, 3), (2, 3, 2)], ids=str)
@pytest.mark.parametrize("bias_shape", [(), (7,), (5, 1)], ids=str)
def test_a_bias_of_few_axes(kernel: str, batch: tuple[int, ...], bias_shape: tuple[int, ...]) -> None:
    query, key = random(*batch, 5, 4), random(*batch, 7, 4, seed=1)
    bias = random(*bias_shape, seed=2)
    expected = ((query @ key.mT) / 2 + bias).softmax(-1) @ key
    torch.testing.assert_close(attention(query, key, key, bias=bias, kernel=kernel), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_the_cosine_of_the_vector_0_is_0(dtype: torch.dtype) -> None:
    query, key = random(1, 2, 8).to(dtype), random(1, 3, 8, seed=1).to(dtype)
    key[0, 2] = 0
    assert not Cosine()(query, key)[..., 2].any()
    assert attention(query, key, key, score=Cosine(), mask=torch.tensor([True, True, False])).isfinite().all()


def test_keys_that_are_hidden_do_not_move_the_gaussian_kernel() -> None:
    query, key = random(1, 3, 4), random(1, 5, 4, seed=1)
    key[0, 4] = 1e6
    mask = torch.tensor([True, True, True, True, False])
    hidden = attention_weights(query, key, score=GaussianKernel(), mask=mask)[..., :4]
    torch.testing.assert_close(hidden, attention_weights(query, key[:, :4], score=GaussianKernel()))


@pytest.mark.parametrize("kernel", ["matmul", "sdpa"])
def test_no_keys_at_all(kernel: str) -> None:
    context = attention(
        random(1, 1, 3, 4), random(1, 1, 0, 4), random(1, 1, 0, 4), score=GaussianKernel(), kernel=kernel
    )
    assert not context.any()


def test_arguments_that_say_nothing_are_refused() -> None:
    with pytest.raises(ShapeError, match="lengths must have the axes batch, or batch and query; got 0 axes"):
        length_mask(torch.tensor(3), 5)
    with pytest.raises(ShapeError, match="attention_mask must have 2 or 3 axes; got 1"):
        mask_from_hugging_face.__wrapped__(torch.tensor([1, 1, 0]))  # type: ignore[attr-defined]
    with pytest.raises(ShapeError, match="`value` needs `key`"):
        MultiHeadAttention(6, 2)(random(1, 3, 6), value=random(1, 3, 6))
    with pytest.raises(
        ShapeError, match=r"num_buckets must leave from 1 to max_distance - 1 buckets.*got 32 and max_distance 8"
    ):
        BucketedBias(2, num_buckets=32, max_distance=8)
    with pytest.raises(ShapeError, match="num_heads must be at least 1; got 0"):
        LinearBias(0)


def test_a_float_mask_is_refused_with_causal_too() -> None:
    x = random(1, 2, 4, 8)
    with pytest.raises(ShapeError, match="mask must be boolean"):
        attention_weights.__wrapped__(x, x, mask=torch.zeros(4, 4), causal=True)  # type: ignore[attr-defined]
    module = Attention(positions=ClippedRelative(8, 2))
    with pytest.raises(ShapeError, match="mask must be boolean"):
        Attention.weights.__wrapped__(module, x, x, torch.zeros(4, 4), None, True)  # type: ignore[attr-defined]
