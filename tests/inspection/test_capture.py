from collections.abc import Callable

import torch

from regard.inspection.capture import cross_attention, sharpest_layer
from regard.models.encoder_decoder import EncoderDecoder


def test_weights_are_those_that_made_the_context(make_model: Callable[..., EncoderDecoder]) -> None:
    model = make_model(num_decoder_layers=3)
    source, target = torch.tensor([4, 5, 6, 7, 3]), torch.tensor([2, 9, 10])
    weights = cross_attention(model, source, target)
    assert weights.shape == (3, 3, 3, 5)  # layer head target source
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 3, 3))

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
    assert sharpest_layer(torch.stack((flat, sharp))) == 1
    assert sharpest_layer(torch.stack((opposed, sharp.expand(2, 2, 2)))) == 1
