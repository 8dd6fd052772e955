import dataclasses
import math
import sys
from collections.abc import Callable

import pytest
import torch

from largest_tensor import LargestTensor
from regard.errors import SettingsError, ShapeError
from regard.inspection.alignment import cross_attention, sharpest_layer
from regard.inspection.capture import TILE_NUMBERS, capture
from regard.models.encoder_decoder import EncoderDecoder
from regard.nn import (
    Attention,
    AttentionPositions,
    BucketedBias,
    ClippedRelative,
    LinearBias,
    MultiHeadAttention,
    RelativeKeyQuery,
    Rotary,
    length_mask,
)
from regard.nn.masks import distances


def test_weights_are_those_that_made_the_context(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model(num_decoder_layers=3)
    source, target = torch.tensor([4, 5, 6, 7, 3]), torch.tensor([2, 9, 10])
    weights = cross_attention(model, source, target)
    assert [of_layer.shape for of_layer in weights] == [(3, 3, 5)] * 3  # head target source
    torch.testing.assert_close(torch.stack(weights).sum(-1), torch.ones(3, 3, 3))

    # The context that the last layer's attention really put out, against weights times values.
    seen: dict[str, tuple[torch.Tensor, ...]] = {}
    module = model.decoder_layers[2].cross_attention.attention
    hook = module.register_forward_hook(lambda _, inputs, output: seen.update(inputs=inputs, output=(output,)))
    model(source[None], target[None])
    hook.remove()
    torch.testing.assert_close(weights[2] @ seen["inputs"][2][0], seen["output"][0][0])


def test_looking_changes_nothing_and_leaves_no_hook(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    source, target = torch.tensor([4, 5, 3]), torch.tensor([2, 9])
    before = model(source[None], target[None])
    cross_attention(model, source, target)
    assert torch.equal(model(source[None], target[None]), before)
    assert not any(module._forward_pre_hooks for module in model.modules())


def test_the_sharpest_layer_puts_most_weight_on_one_token() -> None:
    flat = torch.full((1, 2, 2), 0.5)
    sharp = torch.eye(2)[None]
    opposed = torch.stack((torch.eye(2), 1 - torch.eye(2)))  # sharp heads that disagree: flat on average
    assert sharpest_layer([flat, sharp]) == 1
    assert sharpest_layer([opposed, sharp.expand(2, 2, 2)]) == 1


# capture, on any module


POSITIONS: dict[str, Callable[[], AttentionPositions | None]] = {
    "none": lambda: None,
    "rotary": lambda: Rotary(4),
    "linear bias": lambda: LinearBias(3),
    "buckets": lambda: BucketedBias(3),
    "relative": lambda: RelativeKeyQuery(4, 16),
    "clipped": lambda: ClippedRelative(4, 2),
}


def multihead(positions: str = "none", **options: object) -> MultiHeadAttention:
    torch.manual_seed(0)
    attention = Attention(positions=POSITIONS[positions](), **options)  # type: ignore[arg-type]
    return MultiHeadAttention(12, 3, attention=attention).eval()


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("causal", [False, True])
def test_captured_weights_make_the_context(positions: str, causal: bool) -> None:
    module, x = multihead(positions), torch.randn(2, 7, 12)
    mask, bias = length_mask(torch.tensor([4, 7]), 7), torch.randn(3, 7, 7)
    contexts: list[torch.Tensor] = []
    hook = module.attention.register_forward_hook(lambda _, inputs, output: contexts.extend((inputs[2], output)))
    plain = module(x, mask=mask, bias=bias, causal=causal)
    with capture(module) as seen:
        output = module(x, mask=mask, bias=bias, causal=causal)
    hook.remove()
    assert torch.equal(output, plain)
    weights = seen["attention"].weights()
    context = weights @ contexts[0]
    if positions == "clipped":
        context = context + module.attention.positions.values(weights, distances(7))  # type: ignore[union-attr]
    torch.testing.assert_close(context, contexts[1])
    if causal:
        assert not weights.triu(1).any()
    assert not weights[0, :, :, 4:].any()

    # rows and heads are parts of the whole
    with capture(module, heads=[2, 0], rows=slice(2, 6)) as part:
        module(x, mask=mask, bias=bias, causal=causal)
    torch.testing.assert_close(part["attention"].weights(), weights[:, [2, 0], 2:6])
    torch.testing.assert_close(part["attention"].weights(slice(1, 3)), weights[:, [2, 0], 3:5])


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_captured_head_is_the_same_head_after_pruning(positions: str) -> None:
    module, x = multihead(positions), torch.randn(1, 5, 12)
    with capture(module, heads=[2]) as before:
        module(x)
    module.prune_heads([0])
    with capture(module, heads=[1]) as after:
        module(x)
    torch.testing.assert_close(after["attention"].weights(), before["attention"].weights())


@pytest.mark.parametrize("tile", [1, 50, 1 << 22])
def test_row_statistics_are_those_of_the_rows(tile: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["regard.inspection.capture"], "TILE_NUMBERS", tile)
    module, x = multihead("rotary"), torch.randn(2, 7, 12) * 3
    mask = length_mask(torch.tensor([0, 6]), 7)
    with capture(module, rows=slice(1, None)) as seen:
        module(x, mask=mask, causal=True)
    call = seen["attention"]
    weights, statistics = call.weights(), call.row_statistics(positions=[0, 3])
    assert statistics.mass is not None
    torch.testing.assert_close(statistics.mass, weights[..., 0] + weights[..., 3])
    torch.testing.assert_close(statistics.entropy, -(weights * weights.clamp(min=1e-30).log()).sum(-1))
    torch.testing.assert_close(statistics.maximum, weights.amax(-1))
    assert torch.equal(statistics.argmax, weights.argmax(-1))
    assert not statistics.entropy[0].any()  # nothing to attend to
    assert call.row_statistics().mass is None


def test_the_square_matrix_is_never_held() -> None:
    length = 16_384
    torch.manual_seed(0)
    module, x = Attention(), torch.randn(1, 2, length, 8)
    with torch.no_grad(), capture(module, heads=[1]) as seen:
        module(x[:, :, -64:], x, x, causal=True)  # the layer itself is not what is measured here
    last = seen[""]
    assert last.query.shape == (1, 1, 64, 8)
    whole = dataclasses.replace(last, query=x[:, 1:], key=x[:, 1:], first=0)
    with LargestTensor() as largest:
        statistics = whole.row_statistics(positions=[0])
    assert largest.numel <= TILE_NUMBERS
    assert statistics.mass is not None
    for row in (0, 1, 5000, length - 1):
        scores = (x[0, 1, row] @ x[0, 1, : row + 1].T) / math.sqrt(8)
        weights = scores.softmax(-1)
        torch.testing.assert_close(
            statistics.entropy[0, 0, row], torch.special.entr(weights).sum(), rtol=1e-4, atol=1e-5
        )
        torch.testing.assert_close(statistics.mass[0, 0, row], weights[0], rtol=1e-4, atol=1e-6)


def test_memory_is_that_of_what_was_asked() -> None:
    module, x = multihead(), torch.randn(1, 7, 12)
    with capture(module, heads=[1], rows=slice(3, 5)) as seen:
        module(x)
    call = seen["attention"]
    assert call.query.untyped_storage().nbytes() == 2 * 4 * 4  # two rows of four float32
    assert call.key.untyped_storage().nbytes() == 7 * 4 * 4


def test_weights_of_a_bfloat16_model_are_computed_in_float32() -> None:
    module, x = multihead().bfloat16(), torch.randn(1, 5, 12, dtype=torch.bfloat16)
    with capture(module) as seen:
        module(x)
    weights = seen["attention"].weights()
    assert weights.dtype == torch.float32
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 3, 5))


def test_layers_are_chosen_by_name(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model()
    source, target = torch.tensor([[4, 5, 3]]), torch.tensor([[2, 9]])
    with capture(model, layers=["encoder_layers.*", "decoder_layers.1.self_attention"]) as seen:
        model(source, target)
        model(source, target)
    names = [f"encoder_layers.{i}.self_attention" for i in range(2)]
    assert list(seen) == [*names, "decoder_layers.1.self_attention"]
    assert len(seen.calls(names[0])) == 2
    assert not seen["decoder_layers.1.self_attention"].weights().triu(1).any()
    with pytest.raises(
        SettingsError, match=r"layer must be one that was captured; got 'encoder_layers.2.self_attention'. Did"
    ):
        seen["encoder_layers.2.self_attention"]
    with (
        pytest.raises(
            SettingsError, match=r"layers must name attention modules; got 'encoder_layer.0.self_attention'. Did you"
        ),
        capture(model, layers=["encoder_layer.0.self_attention"]),
    ):
        pass


def test_what_cannot_be_captured_is_refused() -> None:
    module, x = multihead(), torch.randn(1, 5, 12)
    with pytest.raises(ShapeError, match=r"heads must be from 0 to 2; got \[3\]"), capture(module, heads=[3]):
        module(x)
    assert not module.attention._forward_pre_hooks
    with pytest.raises(ShapeError, match="rows must be a slice without a step"), capture(module, rows=slice(0, 5, 2)):
        module(x)


def test_steps_of_decoding_see_the_rows_of_the_whole() -> None:
    module, x = multihead("rotary"), torch.randn(1, 4, 12)
    with capture(module) as whole:
        module(x, causal=True)
    past = None
    with capture(module) as steps:
        for t in range(4):
            module(x[:, t : t + 1], past=past, causal=True)
            newer = module.project(x[:, t : t + 1], x[:, t : t + 1], first=t)
            past = newer if past is None else past.append(newer)
    for t, call in enumerate(steps.calls("attention")):
        torch.testing.assert_close(call.weights()[:, :, 0], whole["attention"].weights()[:, :, t, : t + 1])


def test_a_capture_is_a_mapping() -> None:
    module = multihead()
    with capture(module, rows=slice(0, 0)) as seen:
        module(torch.randn(1, 5, 12))
    assert "attention" in seen
    assert "foo" not in seen
    assert seen.get("foo") is None
    assert seen["attention"].row_statistics().entropy.shape == (1, 3, 0)
    with (
        pytest.raises(SettingsError, match=r"layers must be a list of names; got one string. Write \['attention'\]"),
        capture(module, layers="attention"),
    ):
        pass
