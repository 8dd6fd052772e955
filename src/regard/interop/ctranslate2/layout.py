"""The CTranslate2 variable of each tensor of an encoder-decoder: projections are fused."""

from __future__ import annotations

from collections.abc import Mapping

from regard.interop.mapping import TensorRef
from regard.models.encoder_decoder import EncoderDecoder

MODEL = "model.bin"
POSITIONS = "{}/position_encodings/encodings"
"""The name of the position table of `encoder` or `decoder`."""
MAX_POSITIONS = 32_768
"""The longest text of models whose positions have no table: CTranslate2 knows none."""
BUCKETS = "relative_attention_bias"
"""The name of T5's table of distances in buckets, in a self-attention."""
ACTIVATIONS = {0: "relu", 1: "gelu_tanh", 2: "silu", 3: "gelu", 4: "quick_gelu", 5: "tanh"}
"""The activations, by CTranslate2's codes."""


SELF = [(0, 0), (0, 1), (0, 2), (1, 0)]
"""The linear map that query, key, value and output projection of self-attention are in, and the block of each there."""
CROSS = [(0, 0), (1, 0), (1, 1), (2, 0)]
"""The same of cross-attention."""
FEED_FORWARD = {"inner_proj": "linear_0", "gate_proj": "linear_0_noact", "output_proj": "linear_1"}


def variable_refs(
    model: EncoderDecoder,
    lengths: Mapping[str, int] | None = None,
    *,
    query_factor: float = 1.0,
    output_factor: float = 1.0,
) -> dict[str, TensorRef]:
    """The place of each parameter.

    Args:
        lengths: how many positions the tables of `encoder` and `decoder` have, where they may have more than ours.
        query_factor: what queries are multiplied by besides 1 / sqrt(head_dim).
        output_factor: what the last states are multiplied by before the output.
    """
    config = model.config
    names = {
        "source_embedding": "encoder/embeddings_0",
        "target_embedding": "decoder/embeddings",
        "output_embedding": "decoder/projection",
    }
    refs = {f"{ours}.weight": TensorRef(f"{theirs}/weight") for ours, theirs in names.items()}
    refs["output_embedding.weight"] = TensorRef("decoder/projection/weight", factor=output_factor)
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
            attentions = [("self_attention", "self_attention", SELF)]
            if side == "decoder":
                attentions.append(("cross_attention", "attention", CROSS))
            for our_name, name, blocks in attentions:
                refs |= _attention(f"{ours}.{our_name}", f"{theirs}/{name}", blocks, width, query_factor)
            table = f"{ours}.self_attention.attention.positions.table.weight"
            refs[table] = TensorRef(f"{theirs}/self_attention/{BUCKETS}")
            refs |= _norm(f"{ours}.feed_forward_residual.norm", f"{theirs}/ffn/layer_norm")
            for module, linear in FEED_FORWARD.items():
                for kind in ("weight", "bias"):
                    refs[f"{ours}.feed_forward.{module}.{kind}"] = TensorRef(f"{theirs}/ffn/{linear}/{kind}")
    return refs


def _attention(
    ours: str, theirs: str, blocks: list[tuple[int, int]], width: int, query_factor: float
) -> dict[str, TensorRef]:
    """The variables of query, key, value and output projections, each in its block of a linear map."""
    refs = _norm(f"{ours}_residual.norm", f"{theirs}/layer_norm")
    for projection, (linear, block) in zip(("query", "key", "value", "output"), blocks, strict=True):
        for kind in ("weight", "bias"):
            factor = query_factor if projection == "query" else 1.0
            refs[f"{ours}.{projection}_proj.{kind}"] = TensorRef(
                f"{theirs}/linear_{linear}/{kind}", first_row=block * width, factor=factor
            )
    return refs


def _norm(ours: str, theirs: str) -> dict[str, TensorRef]:
    return {f"{ours}.weight": TensorRef(f"{theirs}/gamma"), f"{ours}.bias": TensorRef(f"{theirs}/beta")}
