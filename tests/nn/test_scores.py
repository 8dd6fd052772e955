"""Each score against its formula, written as plain loops in float64; and the masked softmax."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError
from regard.nn import (
    Additive,
    Bilinear,
    Cosine,
    DotProduct,
    GaussianKernel,
    ScaledDotProduct,
    attention,
    attention_weights,
    masked_softmax,
)


def random(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape)), dtype=torch.float64)


def by_loops(formula: Callable[[Tensor, Tensor], Tensor], query: Tensor, key: Tensor) -> Tensor:
    scores = torch.empty(query.shape[0], query.shape[1], key.shape[1], dtype=torch.float64)
    for b in range(query.shape[0]):
        for q in range(query.shape[1]):
            for k in range(key.shape[1]):
                scores[b, q, k] = formula(query[b, q], key[b, k])
    return scores


CASES: dict[str, tuple[Callable[[], nn.Module], Callable[[nn.Module, Tensor, Tensor], Tensor]]] = {
    "dot": (DotProduct, lambda _, q, k: q @ k),
    "scaled": (ScaledDotProduct, lambda _, q, k: q @ k / math.sqrt(5)),
    "cosine": (lambda: Cosine(3.0), lambda _, q, k: 3 * (q @ k) / (q.norm() * k.norm())),
    "gaussian": (lambda: GaussianKernel(0.7), lambda _, q, k: -((q - k) ** 2).sum() / (2 * 0.7**2)),
    "bilinear": (lambda: Bilinear(5, 5), lambda s, q, k: q @ (s.key_proj.weight @ k)),
    "additive": (
        lambda: Additive(5, 5, 11),
        lambda s, q, k: s.vector @ torch.tanh(s.query_proj.weight @ q + s.key_proj.weight @ k),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_score_is_its_formula(name: str) -> None:
    make, formula = CASES[name]
    torch.manual_seed(0)
    score = make().double()
    query, key = random(2, 3, 5), random(2, 7, 5)
    torch.testing.assert_close(score(query, key), by_loops(lambda q, k: formula(score, q, k), query, key))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kernel", ["matmul", "sdpa", "tiled"])
def test_every_kernel_gives_the_context_of_the_formula(name: str, kernel: str) -> None:
    if (kernel == "tiled") != (name == "additive") and kernel != "matmul":
        pytest.skip("not a kernel of this score")
    make, formula = CASES[name]
    torch.manual_seed(0)
    score = make().double()
    query, key, value = random(2, 3, 5), random(2, 7, 5), random(2, 7, 13)
    mask = torch.rand(2, 3, 7, generator=torch.Generator().manual_seed(3)) < 0.6
    scores = by_loops(lambda q, k: formula(score, q, k), query, key)
    expected = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ value
    context = attention(query, key, value, mask=mask, score=score, kernel=kernel)
    torch.testing.assert_close(context, expected)


@pytest.mark.parametrize("score", [Bilinear(3, 5), Additive(3, 5, 7)], ids=["bilinear", "additive"])
def test_queries_and_keys_of_different_width(score: nn.Module) -> None:
    query, key, value = random(2, 3).float(), random(7, 5).float(), random(7, 2).float()
    context = attention(query, key, value, score=score)
    torch.testing.assert_close(context, score(query, key).softmax(-1) @ value)


@pytest.mark.parametrize("kernel", ["matmul", "tiled"])
def test_keys_may_be_projected_before(kernel: str) -> None:
    score, of_projected = Additive(3, 5, 7), Additive(3, None, 7)
    of_projected.load_state_dict(
        {name: tensor for name, tensor in score.state_dict().items() if name != "key_proj.weight"}
    )
    query, key, value = random(2, 4, 3).float(), random(2, 6, 5).float(), random(2, 6, 2).float()
    torch.testing.assert_close(
        attention(query, score.key_proj(key), value, score=of_projected, kernel=kernel),
        attention(query, key, value, score=score, kernel=kernel),
    )


def test_the_gaussian_kernel_is_the_dot_product_when_keys_have_one_length() -> None:
    query, key = random(2, 3, 5), torch.nn.functional.normalize(random(2, 7, 5), dim=-1)
    torch.testing.assert_close(
        attention_weights(query, key, score=GaussianKernel()), attention_weights(query, key, score=DotProduct())
    )
    unequal = key * torch.arange(1, 8)[:, None]
    assert not torch.allclose(
        attention_weights(query, unequal, score=GaussianKernel()), attention_weights(query, unequal, score=DotProduct())
    )


def test_the_gaussian_kernel_keeps_its_precision_far_from_the_origin() -> None:
    query, key = random(1, 3, 5).float() + 1000, random(1, 7, 5).float() + 1000
    expected = (-(query[:, :, None].double() - key[:, None].double()).square().sum(-1) / 2).softmax(-1)
    torch.testing.assert_close(
        attention_weights(query, key, score=GaussianKernel()).double(), expected, atol=1e-5, rtol=1e-4
    )


def test_a_function_is_a_score() -> None:
    query, key, value = random(2, 3, 5), random(2, 7, 5), random(2, 7, 2)

    def manhattan(q: Tensor, k: Tensor) -> Tensor:
        return -torch.cdist(q, k, p=1)

    expected = (-(query[:, :, None] - key[:, None]).abs().sum(-1)).softmax(-1) @ value
    torch.testing.assert_close(attention(query, key, value, score=manhattan), expected)


def test_a_function_that_gives_no_number_for_each_pair_is_refused() -> None:
    query, key = random(2, 3, 5), random(2, 7, 5)
    with pytest.raises(
        ShapeError, match=r"score must give a number for each query and key, \(2, 3, 7\); got \(2, 3, 5\)"
    ):
        attention_weights(query, key, score=lambda q, k: q)


def test_widths_that_differ_are_refused_where_the_score_needs_one() -> None:
    with pytest.raises(ShapeError, match=r"query and key .*width; got 5 and 7\. The scores Bilinear and"):
        attention_weights(random(2, 5), random(3, 7))


def test_a_bandwidth_of_0_is_refused() -> None:
    with pytest.raises(SettingsError, match="bandwidth must be a finite number above 0; got 0"):
        GaussianKernel(0)


# masked_softmax


def test_masked_softmax_by_hand() -> None:
    scores = torch.tensor([[[0.0, math.log(3), 50.0]]])
    weights = masked_softmax(scores, valid_lengths=torch.tensor([2]))
    torch.testing.assert_close(weights, torch.tensor([[[0.25, 0.75, 0.0]]]))


def test_lengths_for_each_query_and_lengths_of_0() -> None:
    scores = random(2, 3, 5)
    lengths = torch.tensor([[1, 3, 5], [0, 2, 4]])
    weights = masked_softmax(scores, valid_lengths=lengths)
    for b in range(2):
        for q in range(3):
            n = int(lengths[b, q])
            torch.testing.assert_close(weights[b, q, :n], scores[b, q, :n].softmax(-1))
            assert not weights[b, q, n:].any()


def test_lengths_hold_for_every_head_and_join_a_mask() -> None:
    scores, lengths = random(2, 7, 3, 5), torch.tensor([2, 4])
    weights = masked_softmax(scores, valid_lengths=lengths)
    for head in range(7):
        torch.testing.assert_close(weights[:, head], masked_softmax(scores[:, head], valid_lengths=lengths))
    mask = torch.tensor([True, False, True, True, True])
    both = masked_softmax(scores, valid_lengths=lengths, mask=mask)
    assert not both[..., 1].any()
    assert not both[0, ..., 2:].any()
    torch.testing.assert_close(both.sum(-1), torch.ones(2, 7, 3, dtype=torch.float64))


def test_masked_softmax_leaves_its_input_alone() -> None:
    scores = random(2, 3, 5)
    copy = scores.clone()
    masked_softmax(scores, valid_lengths=torch.tensor([2, 0]), mask=torch.ones(3, 5, dtype=torch.bool))
    assert torch.equal(scores, copy)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([-1, 2], r"lengths must be from 0 to the number of keys, 5; got -1 to 2"),
        ([2, 6], r"lengths must be from 0 to the number of keys, 5; got 2 to 6"),
        ([2], r"valid_lengths must have shape \(2,\) or \(2, 3\), one for each example or query; got \(1,\)"),
        ([[1, 2], [1, 2]], r"valid_lengths must have shape \(2,\) or \(2, 3\), .* got \(2, 2\)"),
    ],
)
def test_lengths_that_say_nothing_are_refused(lengths: list[int], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        masked_softmax(random(2, 3, 5), valid_lengths=torch.tensor(lengths))


def test_lengths_need_a_batch() -> None:
    with pytest.raises(ShapeError, match="valid_lengths need scores with the axes batch, query and key; got 2 axes"):
        masked_softmax(random(3, 5), valid_lengths=torch.tensor([1, 2, 3]))


def test_a_mask_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ShapeError, match=r"mask must broadcast to the scores' shape \(2, 3, 5\); got \(3, 3\)"):
        masked_softmax(random(2, 3, 5), mask=torch.ones(3, 3, dtype=torch.bool))
