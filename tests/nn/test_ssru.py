"""The SSRU beside its equations, one position after the other, and the states that a beam keeps of it."""

import math

import pytest
import torch
from torch import Tensor

from regard.errors import ShapeError
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn import SSRU, DecoderLayer, FeedForward, PostNorm
from regard.nn.cache import AfterPast, BeamCache, ContiguousCache, KeysValues
from regard.nn.ssru import running_states

CPU = torch.device("cpu")


def by_steps(keep: Tensor, new: Tensor) -> Tensor:
    state, found = torch.zeros_like(new[:, 0]), []
    for position in range(new.shape[1]):
        state = keep[:, position] * state + new[:, position]
        found.append(state)
    return torch.stack(found, dim=1)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 9, 33])
def test_all_states_at_once_are_those_of_single_steps(length: int) -> None:
    torch.manual_seed(length)
    keep = torch.rand(2, length, 3, dtype=torch.float64, requires_grad=True)
    new = torch.randn(2, length, 3, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(2, length, 3, dtype=torch.float64)
    found, expected = running_states(keep, new), by_steps(keep, new)
    torch.testing.assert_close(found, expected)
    for mine, other in zip(
        torch.autograd.grad((found * weight).sum(), (keep, new), allow_unused=True, materialize_grads=True),
        torch.autograd.grad((expected * weight).sum(), (keep, new)), strict=True,
    ):  # fmt: skip
        torch.testing.assert_close(mine, other)


def test_gates_of_0_and_1() -> None:
    """A gate of 0 forgets everything, one of 1 forgets nothing, and numbers as large as float32 has stay finite."""
    new = torch.tensor([[[1.0], [2.0], [3.0], [3e38], [5.0]]])
    keep = torch.tensor([[[1.0], [1.0], [0.0], [0.0], [0.0]]])
    assert running_states(keep, new)[0, :, 0].tolist() == [1.0, 3.0, 3.0, torch.tensor(3e38).item(), 5.0]


def test_one_dimension_by_hand() -> None:
    ssru = SSRU(1)
    with torch.no_grad():
        ssru.new_proj.weight.fill_(2.0)
        ssru.keep_proj.weight.fill_(0.0)
        assert ssru.keep_proj.bias is not None
        ssru.keep_proj.bias.fill_(math.log(3))  # keeps 3/4
    found = ssru(torch.tensor([[[4.0], [-8.0], [1.0]]]))
    # states: 2, then 3/4 2 - 1/4 16 = -2.5, then 3/4 (-2.5) + 1/4 2 = -1.375
    torch.testing.assert_close(found, torch.tensor([[[2.0], [0.0], [0.0]]]))
    assert ssru.new_proj.bias is None
    assert SSRU(3, bias=False).keep_proj.bias is None


def test_padding_on_either_side_leaves_the_state() -> None:
    ssru, x = SSRU(4), torch.randn(1, 5, 4)
    is_token = torch.tensor([[False, True, False, True, True]])
    found = ssru(x, is_token=is_token)
    torch.testing.assert_close(found[is_token], ssru(x[is_token][None])[0])


def test_states_follow_hypotheses() -> None:
    """Branching, dropping, refilling and releasing, beside a plain state for each hypothesis."""
    torch.manual_seed(3)
    ssru, cache = SSRU(3), BeamCache(1, 3, CPU)
    pasts: list[list[list[Tensor]]] = [[[]] for _ in range(3)]
    generator = torch.Generator().manual_seed(1)

    def step(cache: BeamCache, pasts: list[list[list[Tensor]]]) -> None:
        x = torch.randn(len(pasts), len(pasts[0]), 3)
        cache.begin_step(x.shape[1])
        found = ssru(x, cache.layers[0])
        for row, (sentence, new) in enumerate(zip(pasts, x, strict=True)):
            for beam, (past, vector) in enumerate(zip(sentence, new, strict=True)):
                past.append(vector)
                torch.testing.assert_close(found[row, beam], ssru(torch.stack(past)[None])[0, -1])

    def select(kept: list[int], parents: Tensor) -> None:
        nonlocal cache, pasts
        cache = cache.select(torch.tensor(kept), parents)
        pasts = [
            [list(pasts[sentence][beam]) for beam in row] for sentence, row in zip(kept, parents.tolist(), strict=True)
        ]

    with torch.inference_mode():
        step(cache, pasts)
        select([0, 1, 2], torch.zeros(3, 4, dtype=torch.long))
        for _ in range(6):
            step(cache, pasts)
            select([0, 1, 2], torch.randint(0, 4, (3, 4), generator=generator))
        select([2, 0], torch.tensor([[3, 1, 1, 0], [0, 0, 2, 3]]))
        step(cache, pasts)
        cache = cache.release(torch.tensor([1]))
        pasts[1] = [[] for _ in range(4)]
        step(cache, pasts)
        other = BeamCache(1, 2, CPU).select(torch.arange(2), torch.zeros(2, 4, dtype=torch.long))
        fresh = other.select(torch.arange(2), torch.zeros(2, 4, dtype=torch.long))
        cache = cache.replace(torch.tensor([0]), fresh, torch.tensor([1]))
        pasts[0] = [[] for _ in range(4)]
        step(cache, pasts)
        others: list[list[list[Tensor]]] = [[[] for _ in range(4)] for _ in range(2)]
        step(fresh, others)
        cache = cache.replace(torch.tensor([1]), fresh, torch.tensor([0]))
        pasts[1] = [list(past) for past in others[0]]
        step(cache, pasts)


def test_a_past_without_a_state_is_refused() -> None:
    ssru, x = SSRU(4), torch.randn(1, 2, 4)
    keys = KeysValues(torch.randn(1, 1, 3, 4), torch.randn(1, 1, 3, 4))
    for past in (AfterPast(keys), ContiguousCache([keys]).layers[0]):
        with pytest.raises(ShapeError, match="the past of an SSRU must be a state; got"):
            ssru(x, past)
    with pytest.raises(ShapeError, match="width"):
        ssru(torch.randn(1, 2, 5))


def test_gates_of_heads_are_refused() -> None:
    layer = DecoderLayer(SSRU(4), None, FeedForward(4, 6), lambda: PostNorm(4, 0.0))
    assert layer(torch.randn(1, 2, 4)).shape == (1, 2, 4)
    with pytest.raises(ShapeError, match="gates"):
        layer(torch.randn(1, 2, 4), gates=torch.ones(2))
    config = EncoderDecoderConfig(
        vocab_size=9,
        model_dim=8,
        ff_dim=8,
        num_heads=2,
        num_encoder_layers=1,
        num_decoder_layers=1,
        decoder_past="ssru",
    )
    model = EncoderDecoder(config)
    assert list(model.attention_names) == ["encoder", "cross"]
    with pytest.raises(ValueError, match=r"pruned_heads must name attentions of the model; got 'decoder\.0'"):
        EncoderDecoderConfig.model_validate(config.model_dump() | {"pruned_heads": {"decoder.0": [0]}})


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_other_types(dtype: torch.dtype) -> None:
    ssru, x = SSRU(4), torch.randn(2, 200, 4)
    found = ssru.to(dtype)(x.to(dtype))
    assert found.dtype == dtype
    expected = ssru.double()(x.to(dtype).double())
    torch.testing.assert_close(found.double(), expected, rtol=0.02, atol=0.02)
