"""GPT-NeoX and Pythia: a pre-norm decoder with rotary positions, mostly with parallel sublayers. Read in, not written."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bert import ACTIVATIONS, layer_names
from regard.interop.mapping import TensorRef, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder

NAME = "GPTNeoXForCausalLM"
LAYER = {
    "self_attention_residual.norm": "input_layernorm",
    "self_attention.output_proj": "attention.dense",
    "feed_forward_residual.norm": "post_attention_layernorm",
    "feed_forward.inner_proj": "mlp.dense_h_to_4h",
    "feed_forward.output_proj": "mlp.dense_4h_to_h",
}
NO_WEIGHTS = {"*attention.bias": "not a weight: the causal mask", "*attention.masked_bias": "not a weight"}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign GPT-NeoX."""
    decoders.check_class(config, NAME)
    model_dim, num_heads = config.require("hidden_size"), config.require("num_attention_heads")
    vocab_size, max_positions = config.require("vocab_size"), config.get("max_position_embeddings", 2048)
    prefix = "gpt_neox." if any(name.startswith("gpt_neox.") for name in tensors) else ""
    output = "lm_head" if "lm_head.weight" in tensors else "embed_out"
    embedding = f"{prefix}embed_in.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, f"{output}.weight", default=False)
    rotary = decoders.rotary(
        config, model_dim // max(num_heads, 1), max_positions,
        base_key="rotary_emb_base", share_key="rotary_pct", share=0.25,
    )  # fmt: skip
    symbols = decoders.symbols(config, vocab_size, bos_token_id=0, eos_token_id=2)
    in_attention = config.get("attention_bias", True)
    ours = DecoderConfig(
        vocab_size=vocab_size,
        model_dim=model_dim,
        ff_dim=config.require("intermediate_size"),
        num_heads=num_heads,
        num_layers=config.require("num_hidden_layers"),
        max_positions=max_positions,
        dropout=config.get("hidden_dropout", 0.0),
        attention_dropout=config.get("attention_dropout", 0.0),
        norm_epsilon=config.get("layer_norm_eps", 1e-5),
        activation=config.choose("hidden_act", ACTIVATIONS, "gelu"),
        bias=in_attention,
        feed_forward_bias=None if in_attention else True,
        positions="rotary",
        parallel_residual=config.get("use_parallel_residual", True),
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
        **rotary,
    )
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, output),
        symbols,
        aliases={embedding: (f"{output}.weight",)} if tied else {},
        explained=NO_WEIGHTS | decoders.OLD_ROTARY,
        notes=notes,
    )


def _refs(model: nn.Module, prefix: str, output: str) -> dict[str, TensorRef]:
    assert isinstance(model, Decoder)
    names = {"embedding": f"{prefix}embed_in", "norm": f"{prefix}final_layer_norm", "output_embedding": output}
    names |= layer_names("layers", f"{prefix}layers", model.config.num_layers, LAYER)
    return modules(names, model) | decoders.fused_by_head(model, f"{prefix}layers", "attention.query_key_value")
