"""The kinds of modules in layers that are written in C: a layer may have others, which were put in by hand."""

from __future__ import annotations

from torch import nn

from regard.nn.attention import Attention
from regard.nn.dropout import Dropout
from regard.nn.layers import DecoderLayer, EncoderLayer, FeedForward, GatedFeedForward, PostNorm, PreNorm, SandwichNorm
from regard.nn.lora import without_updates
from regard.nn.multihead import MultiHeadAttention
from regard.nn.ssru import SSRU

Kinds = tuple[type[nn.Module], ...]
NORMS: dict[type[nn.Module], int] = {nn.Identity: 0, nn.LayerNorm: 1, nn.RMSNorm: 2}
"""The norms, with their numbers in C."""
DROPOUTS: Kinds = (Dropout, nn.Dropout, nn.Identity)
LAYERS: Kinds = (DecoderLayer, EncoderLayer)
KINDS: dict[str, Kinds] = {
    "self_attention": (MultiHeadAttention,),
    "cross_attention": (MultiHeadAttention,),
    "attention": (Attention,),
    "recurrence": (SSRU,),
    "feed_forward": (FeedForward, GatedFeedForward),
    "residual": (PreNorm, PostNorm, SandwichNorm),
    "norm": tuple(NORMS),
    "dropout": DROPOUTS,
    "proj": (nn.Linear,),
    "table": (nn.Embedding,),
}
"""The kinds of a part, by its name or the last word of its name. Scores and positions are looked at elsewhere."""


def has_half_of_cross_attention(layer: nn.Module) -> bool:
    """Whether one of the two parts of a layer's cross-attention was taken away."""
    parts = (getattr(layer, name, None) for name in ("cross_attention", "cross_attention_residual"))
    return len({part is None for part in parts}) == 2


def not_written(layer: nn.Module) -> str:
    """The first part of a layer that is of no kind that is written in C, as a phrase in the plural; empty: there is none."""
    if type(layer) not in LAYERS:
        return f"layers of kind {type(layer).__name__}"
    if has_half_of_cross_attention(layer):
        return "layers with half of cross-attention"
    for path, part in layer.named_modules():
        name, plain = path.rpartition(".")[2], without_updates(part)
        kinds = KINDS.get(name) or KINDS.get(name.rpartition("_")[2])
        if kinds is not None and type(plain) not in kinds:
            return f"modules `{name}` of kind {type(plain).__name__}"
    return ""
