"""BLOOM: a pre-norm decoder whose scores fall with distance (ALiBi), with normalised embeddings. Read in, not written."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bert import layer_names
from regard.interop.mapping import TensorRef, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder

NAME = "BloomForCausalLM"
MAX_POSITIONS = 2048
"""The longest text, where a file does not say `seq_length`: BLOOM has none, and our configuration needs one."""
LAYER = {
    "self_attention_residual.norm": "input_layernorm",
    "self_attention.output_proj": "self_attention.dense",
    "feed_forward_residual.norm": "post_attention_layernorm",
    "feed_forward.inner_proj": "mlp.dense_h_to_4h",
    "feed_forward.output_proj": "mlp.dense_4h_to_h",
}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign BLOOM."""
    decoders.check_class(config, NAME)
    config.refuse_unless("apply_residual_connection_post_layernorm", False)
    model_dim, vocab_size = config.require("hidden_size"), config.require("vocab_size")
    prefix = "transformer." if any(name.startswith("transformer.") for name in tensors) else ""
    embedding, output = f"{prefix}word_embeddings.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=True)
    symbols = decoders.symbols(config, vocab_size, bos_token_id=1, eos_token_id=2)
    ours = DecoderConfig(
        vocab_size=vocab_size,
        model_dim=model_dim,
        ff_dim=4 * model_dim,
        num_heads=config.require("n_head"),
        num_layers=config.require("n_layer"),
        max_positions=config.get("seq_length", MAX_POSITIONS),
        dropout=config.get("hidden_dropout", 0.0),
        attention_dropout=config.get("attention_dropout", 0.0),
        norm_epsilon=config.get("layer_norm_epsilon", 1e-5),
        positions="alibi",
        embedding_norm=True,
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
    )
    aliases = {embedding: (output,)} if tied else {}
    return Blueprint(ours, lambda model: _refs(model, prefix), symbols, aliases=aliases, notes=notes)


def _refs(model: nn.Module, prefix: str) -> dict[str, TensorRef]:
    assert isinstance(model, Decoder)
    names = {
        "embedding": f"{prefix}word_embeddings",
        "embedding_norm": f"{prefix}word_embeddings_layernorm",
        "norm": f"{prefix}ln_f",
        "output_embedding": "lm_head",
    }
    names |= layer_names("layers", f"{prefix}h", model.config.num_layers, LAYER)
    return modules(names, model) | decoders.fused_by_head(model, f"{prefix}h", "self_attention.query_key_value")
