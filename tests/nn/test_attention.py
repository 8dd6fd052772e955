import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError
from regard.nn import Additive, Attention, ScaledDotProduct, attention, attention_weights, causal_mask, explain_kernel
from regard.nn.kernels import softmax

KERNELS = ["matmul", "sdpa", "flex", "tiled"]
TRAINABLE = ["matmul", "sdpa", "tiled"]
DTYPES = [torch.float32, torch.bfloat16, torch.float16]


def random(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    generator = torch.Generator().manual_seed(math.prod(shape))
    return torch.randn(shape, generator=generator).to(dtype)


def score_for(kernel: str, width: int, dtype: torch.dtype = torch.float32) -> nn.Module:
    """The score that a kernel computes."""
    with torch.random.fork_rng():
        torch.manual_seed(7)
        return Additive(width, width, 11).to(dtype) if kernel == "tiled" else ScaledDotProduct()


def some_mask() -> Tensor:
    """A mask with one closed row in the first example, and nothing but closed rows in the second."""
    mask = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    mask[0, 0, 2] = False
    mask[0, 0, 3, 1:] = False
    mask[1] = False
    return mask


def test_one_query_by_hand() -> None:
    # scores 1/sqrt(1) * (0, log 3), so weights 1/4 and 3/4; context 1/4 * 8 + 3/4 * 4 = 5
    query, key = torch.tensor([[1.0]]), torch.tensor([[0.0], [math.log(3)]])
    value = torch.tensor([[8.0], [4.0]])
    assert attention_weights(query, key).tolist() == [[pytest.approx(0.25), pytest.approx(0.75)]]
    for kernel in ("matmul", "sdpa"):
        assert attention(query, key, value, kernel=kernel).tolist() == [[pytest.approx(5.0)]]


def test_scores_are_scaled_by_the_root_of_the_key_width() -> None:
    query, key = random(2, 3, 7), random(2, 5, 7)
    plain = torch.einsum("bqd,bkd->bqk", query, key) / math.sqrt(7)
    torch.testing.assert_close(attention_weights(query, key), plain.softmax(-1))


@pytest.mark.parametrize("kernel", ["matmul", "sdpa", "flex"])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (2, 3, 2)], ids=str)
def test_parity_with_torch(kernel: str, batch: tuple[int, ...]) -> None:
    query, key, value = random(*batch, 5, 7), random(*batch, 11, 7), random(*batch, 11, 13)
    mask = torch.rand(*batch, 5, 11, generator=torch.Generator().manual_seed(0)) < 0.7
    mask[..., 0] = True
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(attention(query, key, value, mask=mask, kernel=kernel), expected)
    bias = random(*batch, 5, 11)
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=bias.masked_fill(~mask, -torch.inf))
    torch.testing.assert_close(attention(query, key, value, mask=mask, bias=bias, kernel=kernel), expected)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("mask_shape", [None, (7,), (2, 1, 1, 7), (1, 3, 5, 1), (3, 1, 7), (2, 3, 5, 7)], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_kernels_agree_with_the_definition(kernel: str, mask_shape: tuple[int, ...] | None, causal: bool) -> None:
    query, key, value = random(2, 3, 5, 4), random(2, 3, 7, 4), random(2, 3, 7, 6)
    score = score_for(kernel, 4)
    bias = random(3, 5, 7)
    mask = None
    if mask_shape is not None:
        mask = torch.rand(mask_shape, generator=torch.Generator().manual_seed(1)) < 0.6
    weights = attention_weights(query, key, mask=mask, bias=bias, causal=causal, score=score)
    allowed = torch.ones(5, 7, dtype=torch.bool) if mask is None else mask
    scores = (score(query, key) + bias).masked_fill(~(allowed & causal_mask(5, 7)) if causal else ~allowed, -torch.inf)
    torch.testing.assert_close(weights, scores.softmax(-1).nan_to_num(0))
    context = attention(query, key, value, mask=mask, bias=bias, causal=causal, score=score, kernel=kernel)
    torch.testing.assert_close(context, weights @ value, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", TRAINABLE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_query_that_may_attend_to_nothing_gets_0_and_gradient_0(kernel: str, dtype: torch.dtype) -> None:
    tensors = [random(2, 3, 5, 7, dtype=dtype).requires_grad_() for _ in range(3)]
    score = score_for(kernel, 7, dtype)
    context = attention(*tensors, mask=some_mask(), score=score, kernel=kernel)
    assert context.isfinite().all()
    assert not context[0, :, 2].any()
    assert not context[1].any()
    assert context[0, :, 0].all()
    context.float().square().sum().backward()
    for tensor in tensors:
        assert tensor.grad is not None
        assert tensor.grad.isfinite().all()
        assert not tensor.grad[1].any()
    assert not tensors[0].grad[0, :, 2].any()  # type: ignore[index]
    for parameter in score.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_flex_gives_0_to_a_query_that_may_attend_to_nothing(dtype: torch.dtype) -> None:
    context = attention(*(random(2, 3, 5, 7, dtype=dtype) for _ in range(3)), mask=some_mask(), kernel="flex")
    assert context.isfinite().all()
    assert not context[0, :, 2].any()
    assert not context[1].any()
    assert context[0, :, 0].all()


@pytest.mark.parametrize("kernel", ["matmul", "sdpa"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_keys_get_exactly_no_weight_however_large_their_scores(kernel: str, dtype: torch.dtype) -> None:
    query, value = random(1, 1, 2, 4, dtype=dtype), random(1, 1, 3, 4, dtype=dtype)
    key = torch.full((1, 1, 3, 4), -200.0, dtype=dtype)  # allowed keys have very negative scores
    key[:, :, 0] = 200.0
    query = query.abs()
    mask = torch.tensor([False, True, True])
    weights = attention_weights(query, key, mask=mask)
    assert not weights[..., 0].any()
    changed = value.clone()
    changed[:, :, 0] = 1000.0
    before, after = (attention(query, key, x, mask=mask, kernel=kernel) for x in (value, changed))
    assert torch.equal(before, after)


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


@given(kernel=st.sampled_from(KERNELS), seed=st.integers(0, 100), keys=st.integers(1, 7))
def test_keys_do_not_know_their_order(kernel: str, seed: int, keys: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(1, 1, n, 4, generator=generator) for n in (3, keys, keys))
    order = torch.randperm(keys, generator=generator)
    score = score_for(kernel, 4)
    mixed = attention(query, key[..., order, :], value[..., order, :], score=score, kernel=kernel)
    torch.testing.assert_close(mixed, attention(query, key, value, score=score, kernel=kernel), rtol=1e-5, atol=1e-5)


@given(kernel=st.sampled_from(KERNELS), seed=st.integers(0, 100), length=st.integers(2, 40), data=st.data())
def test_a_later_input_changes_no_earlier_output(kernel: str, seed: int, length: int, data: st.DataObject) -> None:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, 2, length, 4, generator=generator)
    at = data.draw(st.integers(1, length - 1))
    changed = x.clone()
    changed[:, :, at:] = torch.randn(1, 2, length - at, 4, generator=generator)
    score = score_for(kernel, 4)
    before, after = (attention(y, y, y, causal=True, score=score, kernel=kernel) for y in (x, changed))
    assert torch.equal(before[:, :, :at], after[:, :, :at])
    assert not torch.equal(before[:, :, at:], after[:, :, at:])


@given(kernel=st.sampled_from(KERNELS), seed=st.integers(0, 100), left=st.integers(0, 5), right=st.integers(0, 5))
def test_padding_on_either_side_does_not_matter(kernel: str, seed: int, left: int, right: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(1, 1, n, 4, generator=generator) for n in (3, 5, 5))
    junk = [[torch.randn(1, 1, n, 4, generator=generator) for n in (left, right)] for _ in range(2)]
    padded = [torch.cat((before, x, after), dim=2) for x, (before, after) in zip((key, value), junk, strict=True)]
    mask = F.pad(torch.ones(5, dtype=torch.bool), (left, right))
    score = score_for(kernel, 4)
    context = attention(query, *padded, mask=mask, score=score, kernel=kernel)
    torch.testing.assert_close(context, attention(query, key, value, score=score, kernel=kernel), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", TRAINABLE)
def test_gradients_agree_with_finite_differences(kernel: str) -> None:
    tensors = [random(1, 2, n, 3).double().requires_grad_() for n in (3, 5, 5)]
    bias = random(2, 3, 5).double().requires_grad_()
    mask = torch.tensor([[1, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    score = score_for(kernel, 3, torch.float64)
    parameters = list(score.parameters())

    def run(q: Tensor, k: Tensor, v: Tensor, b: Tensor, *_: Tensor) -> Tensor:
        return attention(q, k, v, mask=mask, bias=b, score=score, kernel=kernel)

    assert torch.autograd.gradcheck(run, (*tensors, bias, *parameters))


@pytest.mark.parametrize("kernel", KERNELS)
def test_inputs_are_left_alone(kernel: str) -> None:
    tensors, bias = [random(1, 1, 3, 5) for _ in range(3)], random(3, 3)
    copies, mask = [tensor.clone() for tensor in (*tensors, bias)], causal_mask(3)
    attention(*tensors, mask=mask, bias=bias, score=score_for(kernel, 5), kernel=kernel)
    assert all(map(torch.equal, (*tensors, bias), copies))
    assert torch.equal(mask, causal_mask(3))


def test_dropout_drops_weights_and_keeps_their_mean() -> None:
    torch.manual_seed(0)
    query, key, value = random(1, 1, 400, 4), random(1, 1, 50, 4), torch.eye(50)[None, None]
    dropped = attention(query, key, value, dropout=0.4)
    weights = attention_weights(query, key)
    assert (dropped == 0).float().mean().item() == pytest.approx(0.4, abs=0.02)
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], weights[kept] / 0.6, rtol=1e-4, atol=1e-6)


def test_a_module_drops_in_training_only() -> None:
    module, x = Attention(dropout=0.5), random(1, 2, 5, 4)
    torch.testing.assert_close(module.eval()(x, x, x), attention(x, x, x))
    assert not torch.allclose(module.train()(x, x, x), attention(x, x, x))


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_causal_mask_holds_in_training_and_evaluation(grad: bool, dtype: torch.dtype) -> None:
    x = random(1, 2, 9, 4, dtype=dtype).requires_grad_(grad)
    for module in (Attention().train(), Attention().eval()):
        expected = attention_weights(x, x, mask=causal_mask(9)) @ x
        torch.testing.assert_close(module(x, x, x, causal=True), expected)
        assert not module.weights(x, x, causal=True).triu(1).any()


# the choice of the kernel


@pytest.mark.parametrize(
    ("size", "dtype", "grad", "options", "kernel", "reason"),
    [
        (16, torch.float32, False, {}, "matmul", "in float32 without gradients, plain is faster up to 16 queries"),
        (17, torch.float32, False, {}, "sdpa", "in float32 without gradients, fused is faster above 16 queries"),
        (512, torch.float32, True, {}, "matmul", "in float32 with gradients, plain is faster up to 512 queries"),
        (513, torch.float32, True, {}, "sdpa", "in float32 with gradients, fused is faster above 512 queries"),
        (1024, torch.bfloat16, True, {}, "matmul", "in bfloat16 with gradients, plain is faster up to 1024 queries"),
        (1025, torch.bfloat16, True, {}, "sdpa", "fused is faster above 1024 queries"),
        (8, torch.float32, True, {"dropout": 0.1}, "matmul", "cannot drop weights"),
        (8, torch.float32, True, {"kernel": "sdpa"}, "sdpa", "asked for"),
        (8, torch.float32, True, {"score": lambda q, k: q @ k.mT}, "matmul", "a score of one's own"),
        (8, torch.float32, True, {"score": Additive(4, 4, 5)}, "matmul", "small enough"),
        (2048, torch.float32, True, {"score": Additive(4, 4, 5)}, "tiled", "would need query x key x hidden"),
        (2048, torch.float32, True, {"score": Additive(4, 4, 5), "dropout": 0.1}, "matmul", "cannot drop weights"),
    ],
)
def test_the_choice_of_a_kernel_has_a_reason(
    size: int, dtype: torch.dtype, grad: bool, options: dict[str, object], kernel: str, reason: str
) -> None:
    x = torch.zeros(1, 1, size, 4, dtype=dtype, requires_grad=grad)
    choice = explain_kernel(x, x, x, **options)  # type: ignore[arg-type]
    assert choice.kernel == kernel
    assert reason in choice.reason
    assert str(choice) == f"{choice.kernel}: {choice.reason}"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kernel": "spda"}, SettingsError, "kernel .*got 'spda'.*'sdpa'"),
        (
            {"kernel": "sdpa", "score": Additive(4, 4, 5)},
            ShapeError,
            "'sdpa' .*InnerProduct only; got .*Additive",
        ),
        ({"kernel": "tiled"}, ShapeError, "'tiled' .*Additive only; got ScaledDotProduct"),
        ({"kernel": "flex", "dropout": 0.1}, ShapeError, "'flex' .*dropout 0.1"),
    ],
)
def test_a_kernel_that_cannot_is_refused(options: dict[str, object], error: type[Exception], message: str) -> None:
    x = random(3, 4)
    with pytest.raises(error, match=message):
        attention(x, x, x, **options)  # type: ignore[arg-type]


# shapes that do not fit: the messages, behind the tests' own shape checks


@pytest.mark.parametrize(
    ("shapes", "options", "message"),
    [
        (((2, 5), (3, 5), (4, 5)), {}, "key and value .*positions; got 3 and 4"),
        (((2, 5), (3, 7), (3, 5)), {}, "query and key .*width; got 5 and 7"),
        (((2, 3, 5), (3, 3, 5), (3, 3, 5)), {}, r"query and key .*; got \(2, 3, 5\) and \(3, 3, 5\)"),
        (((2, 3, 5), (2, 3, 5), (1, 3, 5)), {}, r"the same batch axes; got \(2, 3, 5\) and \(1, 3, 5\)"),
        (
            ((2, 5), (3, 5), (3, 5)),
            {"mask": torch.ones(3, 2, dtype=torch.bool)},
            r"mask must broadcast .*\(2, 3\); got \(3, 2\)",
        ),
        (((2, 5), (3, 5), (3, 5)), {"bias": torch.ones(2, 2)}, r"bias must broadcast .*\(2, 3\); got \(2, 2\)"),
        (
            ((2, 5), (3, 5), (3, 5)),
            {"bias": torch.ones(2, 3, dtype=torch.bool)},
            "bias must hold floating-point numbers",
        ),
        (((2, 5), (3, 5), (3, 5)), {"mask": torch.ones(2, 3)}, "mask must be boolean"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    shapes: tuple[tuple[int, ...], ...], options: dict[str, Tensor], message: str
) -> None:
    with pytest.raises(ShapeError, match=message):
        attention.__wrapped__(*(random(*shape) for shape in shapes), **options)  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_softmax_of_any_number_of_keys(dtype: torch.dtype) -> None:
    """Short rows, and rows that do not fill a vector register, take a way of their own: same values, same gradients."""
    for num_keys in (1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70):
        scores = torch.randn(2, 3, num_keys, dtype=dtype, requires_grad=True)
        reference = scores.detach().double().requires_grad_()
        weights, expected = softmax(scores), reference.softmax(dim=-1)
        tolerance = {"atol": 1e-6, "rtol": 1e-5} if dtype == torch.float32 else {"atol": 1e-2, "rtol": 2e-2}
        torch.testing.assert_close(weights.double(), expected, **tolerance)
        outward = torch.randn(2, 3, num_keys)
        (weights.float() * outward).sum().backward()
        (expected * outward.double()).sum().backward()
        assert scores.grad is not None
        assert reference.grad is not None
        torch.testing.assert_close(scores.grad.double(), reference.grad, **tolerance)


@pytest.mark.parametrize(
    ("dtype", "width", "value_width", "expected"),
    [
        (torch.bfloat16, 64, 64, "flash without a mask"),
        (torch.float32, 64, 64, "memory-efficient, as flash needs 16 bits"),
        (torch.float16, 64, 32, "one width, at most 256"),
        (torch.bfloat16, 288, 288, "one width, at most 256"),
    ],
)
def test_what_a_gpu_may_take_is_said(dtype: torch.dtype, width: int, value_width: int, expected: str) -> None:
    query, value = (torch.empty(2, 3, 5, dim, dtype=dtype, device="meta") for dim in (width, value_width))
    choice = explain_kernel(query, query, value)
    assert choice.kernel == "sdpa"
    assert expected in choice.reason
