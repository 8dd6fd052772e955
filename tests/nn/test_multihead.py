import pytest
import torch
from torch import nn

from regard.errors import ShapeError
from regard.nn import MultiHeadAttention


def test_parity_with_torch() -> None:
    torch.manual_seed(3)
    ours = MultiHeadAttention(15, 3).eval()
    theirs = nn.MultiheadAttention(15, 3, batch_first=True).eval()
    projections = (ours.query_proj, ours.key_proj, ours.value_proj)
    for projection in (*projections, ours.output_proj):
        nn.init.normal_(projection.bias)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([projection.weight for projection in projections]))
        theirs.in_proj_bias.copy_(torch.cat([projection.bias for projection in projections]))
        theirs.out_proj.load_state_dict(ours.output_proj.state_dict())
    query, key, value = torch.randn(2, 5, 15), torch.randn(2, 7, 15), torch.randn(2, 7, 15)
    hidden = torch.zeros(2, 7, dtype=torch.bool)
    hidden[1, 4:] = True  # torch's polarity: True hides
    expected, _ = theirs(query, key, value, key_padding_mask=hidden)
    torch.testing.assert_close(ours(query, key, value, mask=~hidden[:, None, None]), expected)


def test_keys_do_not_know_their_order() -> None:
    torch.manual_seed(0)
    module = MultiHeadAttention(6, 2).eval()
    query, key, value = torch.randn(1, 3, 6), torch.randn(1, 5, 6), torch.randn(1, 5, 6)
    order = torch.tensor([3, 1, 4, 0, 2])
    torch.testing.assert_close(module(query, key[:, order], value[:, order]), module(query, key, value))


def test_a_width_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(ShapeError, match="model_dim must be divisible by num_heads; got 300 and 8"):
        MultiHeadAttention(300, 8)
