"""The attention library: tensors in, tensors out, usable on its own.

Read the files in this order: attention, masks, multihead, positions, layers, cache.
"""

from regard.nn.attention import attention, attention_weights
from regard.nn.cache import KeysValues
from regard.nn.layers import DecoderLayer, EncoderLayer, FeedForward, PostNorm, PreNorm
from regard.nn.masks import causal_mask, padding_mask, target_mask
from regard.nn.multihead import MultiHeadAttention
from regard.nn.positions import sinusoidal_positions

__all__ = [
    "DecoderLayer",
    "EncoderLayer",
    "FeedForward",
    "KeysValues",
    "MultiHeadAttention",
    "PostNorm",
    "PreNorm",
    "attention",
    "attention_weights",
    "causal_mask",
    "padding_mask",
    "sinusoidal_positions",
    "target_mask",
]
