"""What the attention library refuses, and rows and shapes on the edge, each in every kernel that can meet it."""

import math

import numpy
import pytest
import torch
from torch import Tensor, nn

from regard.errors import SettingsError, ShapeError, as_numbers
from regard.inspection.capture import capture
from regard.nn import (
    Additive,
    Attention,
    BatchNorm,
    Bilinear,
    BucketedBias,
    ClippedRelative,
    DecoderLayer,
    Dropout,
    FeedForward,
    GatedFeedForward,
    LinearBias,
    MultiHeadAttention,
    PostNorm,
    PreNorm,
    RelativeKey,
    Rotary,
    attention,
    attention_weights,
    masked_softmax,
)
from regard.nn.cache import NoCache
from regard.nn.dropout import dropout
from regard.nn.kernels.kernel_choice import choose_kernel
from regard.nn.masks import (
    _check_lengths,
    additive_from_mask,
    check_boolean,
    combine_masks,
    length_mask,
    mask_from_additive,
)

KERNELS = ["matmul", "sdpa", "tiled"]


def random(*shape: int, seed: int = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


# Hidden keys have no weight, whatever is added to the others


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("lowest", [torch.finfo(torch.float32).min, torch.finfo(torch.float16).min, -1e30, -500.0])
def test_a_very_low_bias_lets_nothing_through_a_mask(dtype: torch.dtype, lowest: float) -> None:
    query, key, value = (random(2, 3, n, 4, seed=n, dtype=dtype) for n in (5, 7, 7))
    value[..., 4:, :] = 1e3  # what is hidden would be seen at once
    mask = torch.arange(7) < 4
    bias = torch.full((5, 7), lowest)
    bias[2, 1] = 0.0
    weights = attention_weights(query, key, mask=mask, bias=bias)
    assert not weights[..., 4:].any()
    torch.testing.assert_close(weights.float().sum(dim=-1), torch.ones(2, 3, 5), atol=0.02, rtol=0)
    expected = attention_weights(query.float(), key.float(), mask=mask, bias=bias.clamp(min=-1e4)) @ value.float()
    for kernel in ("matmul", "sdpa"):
        context = attention(query, key, value, mask=mask, bias=bias, kernel=kernel)
        assert not context.isnan().any()
        assert (context.abs() < 10).all()
        if lowest == -500.0 and dtype == torch.float32:
            torch.testing.assert_close(context.float(), expected, atol=0.05, rtol=0.05)


@pytest.mark.parametrize("lowest", [torch.finfo(torch.float32).min, -1e30])
def test_a_very_low_bias_in_the_tiled_kernel(lowest: float) -> None:
    query, key, value, score = random(2, 3, 4), random(2, 5, 4, seed=2), random(2, 5, 4, seed=3), Additive(4, 4, 6)
    value[:, 3:] = 1e3
    mask, bias = torch.arange(5) < 3, torch.full((3, 5), lowest)
    context = attention(query, key, value, mask=mask, bias=bias, score=score, kernel="tiled")
    torch.testing.assert_close(context, value[:, :3].mean(dim=1, keepdim=True).expand(-1, 3, -1))
    torch.testing.assert_close(
        context, attention(query, key, value, mask=mask, bias=bias, score=score, kernel="matmul")
    )


def test_an_allowed_score_of_minus_infinity_is_a_weight_of_0() -> None:
    scores = torch.tensor([[-math.inf, 0.0, 5.0], [-math.inf, -math.inf, 5.0], [-math.inf] * 3], requires_grad=True)
    mask = torch.tensor([True, True, False])
    weights = masked_softmax(scores, mask=mask)
    assert weights.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    (weights * torch.arange(3)).sum().backward()
    assert scores.grad is not None
    assert not scores.grad.isnan().any()


# Dropout


@pytest.mark.parametrize("rate", [1.5, -0.1, math.nan, math.inf, 1.0000001])
def test_a_share_that_is_none_is_refused(rate: float) -> None:
    x = random(2, 3, 4)
    for make in (
        lambda: dropout(x, rate),
        lambda: Dropout(rate),
        lambda: Attention(dropout=rate),
        lambda: PostNorm(4, rate),
        lambda: attention(x, x, x, dropout=rate),
    ):
        with pytest.raises(SettingsError, match="dropout must be from 0 to 1; got"):
            make()


def test_a_share_of_1_leaves_nothing() -> None:
    x = random(5, 7).requires_grad_()
    y = dropout(torch.cat((x, torch.full((1, 7), math.inf))), 1.0)
    assert not y.any()
    y.sum().backward()
    assert x.grad is not None
    assert not x.grad.any()
    assert not Dropout(1.0)(x).any()
    assert not attention(x[None], x[None], x[None], dropout=1.0).any()
    nearly = dropout(torch.ones(100_000), 0.999999)
    assert nearly.isfinite().all()
    assert nearly.count_nonzero() < 30


# Norms over tokens


@pytest.mark.parametrize("norm", [PreNorm, PostNorm])
def test_padding_counts_for_nothing_in_a_decoder_layer_with_batch_norm(norm: type[PostNorm]) -> None:
    torch.manual_seed(1)
    layer = DecoderLayer(MultiHeadAttention(6, 2), None, FeedForward(6, 7), lambda: norm(6, 0.0, BatchNorm))
    x, is_token = random(2, 5, 6), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    moved = torch.where(is_token[..., None], x, x + 100)
    past = NoCache(is_token[:, None, None], causal=True)
    found, other = (layer(y, None, past, is_token=is_token)[is_token] for y in (x, moved))
    torch.testing.assert_close(found, other)
    assert not torch.allclose(layer(moved, None, past)[is_token], other)


# Lengths


def test_lengths_are_whole_numbers() -> None:
    scores = random(2, 3, 5)
    for lengths in (torch.tensor([2.5, 3.0]), torch.tensor([math.nan, 1.0]), torch.tensor([True, False])):
        for make in (lambda x: masked_softmax(scores, valid_lengths=x), lambda x: length_mask(x, 5)):
            with pytest.raises(ShapeError, match="lengths must be a tensor of whole numbers; got torch"):
                make(lengths)
    with pytest.raises(ShapeError, match="lengths must be a tensor of whole numbers; got list"):
        _check_lengths([2, 3])
    assert masked_softmax(scores, valid_lengths=torch.tensor([2, 0], dtype=torch.uint8))[1].count_nonzero() == 0


# Shapes


def test_a_score_of_another_shape_is_refused_by_every_way() -> None:
    x = random(2, 3, 4)
    for shape in ((1, 3, 3), (2, 3, 1), (3, 3), (2, 1, 3)):
        for look_up in (attention_weights, lambda q, k, score: attention(q, k, k, score=score)):
            with pytest.raises(ShapeError, match="score must give a number for each query and key"):
                look_up(x, x, score=lambda query, key, shape=shape: torch.zeros(shape))


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        (BucketedBias(1), "positions have 1 heads.* 3"),
        (BucketedBias(5), "positions have 5 heads.* 3"),
        (LinearBias(1), "positions have 1 heads.* 3"),
        (Rotary(4), "rotary: a query or key must have width 4; got 8"),
        (RelativeKey(4, 10), "positions: a query or key must have width 4; got 8"),
        (ClippedRelative(4, 3), "positions: a query or key must have width 4; got 8"),
    ],
)
def test_positions_of_other_heads_are_refused(positions: nn.Module, message: str) -> None:
    heads = MultiHeadAttention(24, 3, attention=Attention(positions=positions))  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=message):
        heads(random(2, 5, 24))


def test_inputs_of_another_width_are_named() -> None:
    heads = MultiHeadAttention(6, 2, key_dim=5, value_dim=7)
    query, key, value = random(2, 3, 6), random(2, 4, 5), random(2, 4, 7)
    cases = [
        (lambda: heads(value, key, value[:, :4]), "query must have width 6; got 7"),
        (lambda: heads(query, query, value[:, :3]), "key must have width 5; got 6"),
        (lambda: heads(query, key, key), "value must have width 7; got 5"),
        (lambda: FeedForward(6, 9)(key), "input must have width 6; got 5"),
        (lambda: GatedFeedForward(6, 9)(key), "input must have width 6; got 5"),
        (lambda: Additive(6, 5, 4)(key, key), "query must have width 6; got 5"),
        (lambda: Additive(6, 5, 4)(query, query), "key must have width 5; got 6"),
        (lambda: Additive(6, None, 4)(query, key), "key must have width 4; got 5"),
        (lambda: Bilinear(6, 5)(key, key), "query must have width 6; got 5"),
        (lambda: Bilinear(6, 5)(query, query), "key must have width 5; got 6"),
    ]
    for make, message in cases:
        with pytest.raises(ShapeError, match=message):
            make()


# Pruning


def test_pruning_leaves_frozen_weights_frozen_and_takes_generators() -> None:
    heads = MultiHeadAttention(12, 4).requires_grad_(False)
    heads.value_proj.requires_grad_(True)
    heads.prune_heads(head for head in range(4) if head % 2)
    assert heads.num_heads == 2
    frozen = {name for name, parameter in heads.named_parameters() if not parameter.requires_grad}
    assert frozen == {f"{part}_proj.{kind}" for part in ("query", "key", "output") for kind in ("weight", "bias")}


# Captured rows


def test_statistics_of_rows_without_keys() -> None:
    module = Attention()
    with capture(module) as seen:
        module(random(2, 3, 5, 4), random(2, 3, 0, 4), random(2, 3, 0, 4))
    (call,) = seen.values()
    found = call.row_statistics(positions=[])
    assert found.entropy.shape == (2, 3, 5)
    assert not found.entropy.any()
    assert not found.maximum.any()
    assert (found.argmax == -1).all()
    assert found.mass is not None
    assert not found.mass.any()


# torch.func


@pytest.mark.parametrize("kernel", [None, "tiled"])
def test_additive_attention_can_be_differentiated_by_torch_func(kernel: str | None) -> None:
    score = Additive(4, 5, 6)
    query, key, value = random(2, 3, 4), random(2, 7, 5), random(2, 7, 3)

    def loss(query: Tensor, key: Tensor) -> Tensor:
        return attention(query, key, value, score=score, kernel=kernel).square().sum()

    found = torch.func.grad(loss, argnums=(0, 1))(query, key)
    parts = [x.clone().requires_grad_() for x in (query, key)]
    expected = torch.autograd.grad(loss(*parts), parts)
    torch.testing.assert_close(found, expected)
    big = random(2, 300, 4), random(2, 400, 5)
    assert choose_kernel(*big, random(2, 400, 3), score=score, dropout=0.0, kernel=None).kernel == "tiled"


# Scores that float16 cannot hold


@pytest.mark.parametrize("size", [300.0, 1000.0])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_scores_beyond_float16_are_the_same_in_every_kernel(dtype: torch.dtype, size: float) -> None:
    """A single allowed key has all the weight, however low its score is."""
    query, key = torch.full((1, 1, 2, 8), size, dtype=dtype), torch.full((1, 1, 3, 8), -size, dtype=dtype)
    key[..., 2, :] *= 0.75
    value, mask = random(1, 1, 3, 4).to(dtype), torch.tensor([[False, True, False], [True, False, True]])
    weights = attention_weights(query, key, mask=mask)
    assert weights.dtype == dtype
    torch.testing.assert_close(weights[0, 0], torch.tensor([[0, 1, 0], [0, 0, 1]]).to(dtype))
    for kernel in ("matmul", "sdpa"):
        torch.testing.assert_close(attention(query, key, value, mask=mask, kernel=kernel)[0, 0], value[0, 0, 1:])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_a_score_of_minus_infinity_hides_a_key(dtype: torch.dtype) -> None:
    """Of a function of one's own, too: a query all of whose keys are hidden by it gets context 0, as with a mask."""

    def score(query: Tensor, key: Tensor) -> Tensor:
        scores = query @ key.transpose(-2, -1)
        scores[..., 0, 1:] = -torch.inf
        scores[..., 2, :] = -torch.inf
        return scores

    query, key, value = (random(2, n, 4, seed=n, dtype=dtype).requires_grad_() for n in (3, 5, 5))
    mask = torch.tensor([[True] * 5, [True] * 5, [True] * 5])
    mask[0, 0] = False
    weights = attention_weights(query, key, mask=mask, score=score)
    context = attention(query, key, value, mask=mask, score=score)
    torch.testing.assert_close(context, weights @ value)
    assert not context[:, 0].any()
    assert not context[:, 2].any()
    assert context[:, 1].all()
    for gradient in torch.autograd.grad(context.sum(), (query, key, value)):
        assert gradient.isfinite().all()


# What is no mask, no number of a head, no width


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32])
def test_masks_are_boolean(dtype: torch.dtype) -> None:
    """`~` of whole numbers is -1 and -2, which all are true."""
    numbers = torch.tensor([1, 0]).to(dtype)
    with pytest.raises(ShapeError, match=f"hidden must be boolean, True where a key is hidden; got {dtype}"):
        check_boolean(numbers, "hidden", "True where a key is hidden")
    for make in (
        lambda: additive_from_mask.__wrapped__(numbers),
        lambda: combine_masks.__wrapped__(numbers, torch.tensor([True, False])),
    ):
        with pytest.raises(ShapeError, match=f"mask must be boolean, True where a query may attend; got {dtype}"):
            make()
    if dtype != torch.float32:
        with pytest.raises(ShapeError, match=f"an additive mask must hold floating-point numbers; got {dtype}"):
            mask_from_additive.__wrapped__(numbers)


@pytest.mark.parametrize("given", [[True, False], torch.tensor([True]), [1.0], torch.tensor([0.5]), ["1"], [None]])
def test_heads_are_whole_numbers(given: object) -> None:
    with pytest.raises(ShapeError, match="heads must be whole numbers; got"):
        as_numbers("heads", given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [[0, 2], torch.tensor([2, 0, 2]), numpy.array([0, 2]), {0, 2}, (torch.tensor(0), 2)])
def test_heads_as_they_come(given: object) -> None:
    assert as_numbers("heads", given) == {0, 2}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["model_dim", "head_dim", "key_dim", "value_dim"])
@pytest.mark.parametrize("size", [0, -4])
def test_widths_are_at_least_one(name: str, size: int) -> None:
    with pytest.raises(ShapeError, match=f"{name} must be at least 1; got {size}"):
        MultiHeadAttention(**{"model_dim": 8, "num_heads": 2, name: size})
    if name == "model_dim":
        with pytest.raises(ShapeError, match=f"ff_dim must be at least 1; got {size}"):
            FeedForward(8, size)
