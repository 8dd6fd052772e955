"""Attention from one query to several heads, with `regard.nn` alone.

python examples/attention_by_hand.py
"""

import math

import torch

from regard.nn import Attention, MultiHeadAttention, Rotary, attention, attention_weights, causal_mask, padding_mask


def main() -> None:
    """Compute weights by hand and with the library, then add masks and heads."""
    # One query, two keys. The scores are 0 and log 3, so the weights are 1/4 and 3/4.
    query = torch.tensor([[1.0]])
    key = torch.tensor([[0.0], [math.log(3)]])
    value = torch.tensor([[8.0], [4.0]])
    by_hand = torch.softmax(query @ key.T, dim=-1)
    print("weights by hand:    ", by_hand.tolist())
    print("attention_weights:  ", attention_weights(query, key).tolist())
    print("context by hand:    ", (by_hand @ value).tolist())
    print("attention:          ", attention(query, key, value).tolist())

    # A causal mask: no position attends to a later one. True means "may attend".
    torch.manual_seed(0)
    states = torch.randn(1, 1, 4, 8)  # batch head position head_dim
    weights = attention_weights(states, states, mask=causal_mask(4))
    print("\ncausal weights, a row for each query:")
    for row in weights[0, 0].tolist():
        print("  " + "  ".join(f"{weight:.2f}" for weight in row))

    # A padding mask: the second text has two tokens, and 0 is padding.
    ids = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])
    mask = padding_mask(ids, pad_id=0) & causal_mask(4)
    states = torch.randn(2, 4, 64)  # batch position model_dim
    heads = MultiHeadAttention(model_dim=64, num_heads=8, attention=Attention(positions=Rotary(8)))
    output = heads(states, mask=mask)
    changed = states.clone()
    changed[1, 2:] = 0  # what is under the padding does not change the other positions
    torch.testing.assert_close(heads(changed, mask=mask)[1, :2], output[1, :2])
    print(f"\nmulti-head attention: {tuple(states.shape)} -> {tuple(output.shape)}; padding has no effect")

    # Two heads less: the matrices shrink.
    heads.prune_heads([0, 1])
    print(f"after pruning two of eight heads: query projection {tuple(heads.query_proj.weight.shape)}")


if __name__ == "__main__":
    main()
