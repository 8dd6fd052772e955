"""The CTranslate2 variable of each tensor of an encoder-decoder: projections are fused."""

from __future__ import annotations

from collections.abc import Mapping

from torch import nn

from regard.interop.mapping import TensorRef
from regard.models.encoder_decoder import EncoderDecoder

MODEL = "model.bin"
POSITIONS = "{}/position_encodings/encodings"
"""The name of the position table of `encoder` or `decoder`."""
ACTIVATIONS = {0: "relu", 1: "gelu_tanh", 2: "silu", 3: "gelu", 4: "quick_gelu", 5: "tanh"}
"""The activations, by CTranslate2's codes."""


def variable_refs(model: nn.Module, lengths: Mapping[str, int] | None = None) -> dict[str, TensorRef]:
    """The place of each parameter.

    Args:
        lengths: how many positions the tables of `encoder` and `decoder` have, where they may have more than ours.
    """
    assert isinstance(model, EncoderDecoder)
    config = model.config
    names = {
        "source_embedding": "encoder/embeddings_0",
        "target_embedding": "decoder/embeddings",
        "output_embedding": "decoder/projection",
    }
    refs = {f"{ours}.weight": TensorRef(f"{theirs}/weight") for ours, theirs in names.items()}
    for side, theirs in (("source", "encoder"), ("target", "decoder")):
        refs[f"{side}_positions.learned.table.weight"] = TensorRef(
            POSITIONS.format(theirs), num_rows=(lengths or {}).get(theirs)
        )
        refs |= _norm(f"{side}_norm", f"{theirs}/layernorm_embedding")
        refs |= _norm(f"{theirs}_norm", f"{theirs}/layer_norm")
    refs["output_bias"] = TensorRef("decoder/projection/bias")
    width = config.num_heads * config.head_dim
    for side, num_layers in (("encoder", config.num_encoder_layers), ("decoder", config.num_decoder_layers)):
        for index in range(num_layers):
            ours, theirs = f"{side}_layers.{index}", f"{side}/layer_{index}"
            refs |= _attention(
                f"{ours}.self_attention", f"{theirs}/self_attention", [(0, 0), (0, 1), (0, 2), (1, 0)], width
            )
            if side == "decoder":
                refs |= _attention(
                    f"{ours}.cross_attention", f"{theirs}/attention", [(0, 0), (1, 0), (1, 1), (2, 0)], width
                )
            refs |= _norm(f"{ours}.feed_forward_residual.norm", f"{theirs}/ffn/layer_norm")
            for kind in ("weight", "bias"):
                refs[f"{ours}.feed_forward.inner_proj.{kind}"] = TensorRef(f"{theirs}/ffn/linear_0/{kind}")
                refs[f"{ours}.feed_forward.output_proj.{kind}"] = TensorRef(f"{theirs}/ffn/linear_1/{kind}")
    return refs


def _attention(ours: str, theirs: str, blocks: list[tuple[int, int]], width: int) -> dict[str, TensorRef]:
    """The variables of query, key, value and output projections: the linear map that each is in, and its block there."""
    refs = _norm(f"{ours}_residual.norm", f"{theirs}/layer_norm")
    for projection, (linear, block) in zip(("query", "key", "value", "output"), blocks, strict=True):
        for kind in ("weight", "bias"):
            refs[f"{ours}.{projection}_proj.{kind}"] = TensorRef(
                f"{theirs}/linear_{linear}/{kind}", first_row=block * width
            )
    return refs


def _norm(ours: str, theirs: str) -> dict[str, TensorRef]:
    return {f"{ours}.weight": TensorRef(f"{theirs}/gamma"), f"{ours}.bias": TensorRef(f"{theirs}/beta")}
