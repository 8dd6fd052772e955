# # Attention from nothing
#
# From one query and two keys to a layer of several heads, with `regard.nn` alone. It is a library of its own: tensors in,
# tensors out.

# %pip install --quiet regard

# ## One query, two keys
#
# Attention looks something up, and every key fits a little. A score is the product of a query and a key. The softmax makes
# weights of the scores, and the result is the mean of the values under these weights. Here the scores are 0 and log 3, so
# the weights are 1/4 and 3/4.

# +
import math

import torch

from regard.nn import Attention, MultiHeadAttention, Rotary, attention, attention_weights, causal_mask, padding_mask

query = torch.tensor([[1.0]])
key = torch.tensor([[0.0], [math.log(3)]])
value = torch.tensor([[8.0], [4.0]])

weights = torch.softmax(query @ key.T, dim=-1)
print("weights by hand:  ", weights.tolist())
print("attention_weights:", attention_weights(query, key).tolist())
print("context by hand:  ", (weights @ value).tolist())
print("attention:        ", attention(query, key, value).tolist())
# -

# ## Nobody sees the future
#
# A mask says who may look at whom; True means "may". Under a causal mask, no position looks at a later one.

# +
torch.manual_seed(0)
states = torch.randn(1, 1, 4, 8)  # batch head position head_dim
for row in attention_weights(states, states, mask=causal_mask(4))[0, 0].tolist():
    print("  ".join(f"{weight:.2f}" for weight in row))
# -

# ## Padding has no effect
#
# Texts of one batch are filled up to one length. A second mask hides the filling: whatever stands there, the other
# positions stay the same.

# +
ids = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0]])  # 0 is padding
mask = padding_mask(ids, pad_id=0) & causal_mask(4)
states = torch.randn(2, 4, 64)  # batch position model_dim
heads = MultiHeadAttention(model_dim=64, num_heads=8, attention=Attention(positions=Rotary(8)))
output = heads(states, mask=mask)

changed = states.clone()
changed[1, 2:] = 0
torch.testing.assert_close(heads(changed, mask=mask)[1, :2], output[1, :2])
print(tuple(states.shape), "->", tuple(output.shape))
# -

# ## Heads can be removed
#
# Each head has rows of the matrices for itself. Without two of eight, they are smaller.

# +
heads.prune_heads([0, 1])
print("query projection:", tuple(heads.query_proj.weight.shape))
# -

# [The tutorial](../docs/attention.md) goes on from here, with an equation beside the code, and [the
# guide](../docs/guide/README.md) goes on to a whole Transformer.
