"""The attention library: tensors in, tensors out, usable on its own.

Read the files in this order: scores, masks, attention, multihead, positions, layers, cache; then kernels and additive
for how it becomes fast. `docs/attention.md` tells the same from the beginning.
"""

from regard.nn.attention import Attention, attention, attention_weights, explain_kernel
from regard.nn.cache import KeysValues, LearnedPrefix
from regard.nn.dropout import Dropout
from regard.nn.layers import (
    BatchNorm,
    Chunked,
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    PostNorm,
    PreNorm,
    SandwichNorm,
)
from regard.nn.masks import (
    additive_from_mask,
    causal_mask,
    combine_masks,
    length_mask,
    mask_from_additive,
    mask_from_hidden,
    mask_from_hugging_face,
    mask_with_prefix,
    padding_mask,
    prefix_mask,
    segment_mask,
    target_mask,
    window_mask,
)
from regard.nn.multihead import MultiHeadAttention
from regard.nn.positions import (
    AttentionPositions,
    BucketedBias,
    ClippedRelative,
    LearnedPositions,
    LinearBias,
    RelativeKey,
    RelativeKeyQuery,
    Rotary,
    RotaryScaling,
    sinusoidal_positions,
)
from regard.nn.scores import (
    Additive,
    Bilinear,
    Cosine,
    DotProduct,
    GaussianKernel,
    InnerProduct,
    ScaledDotProduct,
    SoftCappedDotProduct,
    masked_softmax,
)
from regard.nn.ssru import SSRU

__all__ = [
    "SSRU",
    "Additive",
    "Attention",
    "AttentionPositions",
    "BatchNorm",
    "Bilinear",
    "BucketedBias",
    "Chunked",
    "ClippedRelative",
    "Cosine",
    "DecoderLayer",
    "DotProduct",
    "Dropout",
    "EncoderLayer",
    "FeedForward",
    "GatedFeedForward",
    "GaussianKernel",
    "InnerProduct",
    "KeysValues",
    "LearnedPositions",
    "LearnedPrefix",
    "LinearBias",
    "MultiHeadAttention",
    "PostNorm",
    "PreNorm",
    "RelativeKey",
    "RelativeKeyQuery",
    "Rotary",
    "RotaryScaling",
    "SandwichNorm",
    "ScaledDotProduct",
    "SoftCappedDotProduct",
    "additive_from_mask",
    "attention",
    "attention_weights",
    "causal_mask",
    "combine_masks",
    "explain_kernel",
    "length_mask",
    "mask_from_additive",
    "mask_from_hidden",
    "mask_from_hugging_face",
    "mask_with_prefix",
    "masked_softmax",
    "padding_mask",
    "prefix_mask",
    "segment_mask",
    "sinusoidal_positions",
    "target_mask",
    "window_mask",
]
