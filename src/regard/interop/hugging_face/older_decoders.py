"""OPT, BLOOM and GPT-NeoX (of which Pythia is one): pre-norm decoders from before Llama. They are read, and not written."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import bart, decoders, llama
from regard.interop.hugging_face.bert import ACTIVATIONS, layer_names, sizes_of
from regard.interop.mapping import TensorRef, modules
from regard.models.config import DecoderConfig

OPT, BLOOM, GPT_NEOX = "OPTForCausalLM", "BloomForCausalLM", "GPTNeoXForCausalLM"
BLOOM_POSITIONS = 2048
"""The longest text, where a file does not say `seq_length`: BLOOM has none, and our configuration needs one."""
BLOOM_LAYER = {
    "self_attention_residual.norm": "input_layernorm",
    "self_attention.output_proj": "self_attention.dense",
    "feed_forward_residual.norm": "post_attention_layernorm",
    "feed_forward.inner_proj": "mlp.dense_h_to_4h",
    "feed_forward.output_proj": "mlp.dense_4h_to_h",
}
GPT_NEOX_LAYER = BLOOM_LAYER | {"self_attention.output_proj": "attention.dense"}
GPT_NEOX_KEYS = llama.KEYS | {"dropout": "hidden_dropout", "norm_epsilon": "layer_norm_eps"}
GPT_NEOX_DEFAULTS = {
    "max_positions": 2048, "dropout": 0.0, "attention_dropout": 0.0, "norm_epsilon": 1e-5, "activation": "gelu",
}  # fmt: skip
NO_WEIGHTS = {"*attention.bias": "not a weight: the causal mask", "*attention.masked_bias": "not a weight"}


def opt(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign OPT: learned positions and ReLU. The 350M model, with norms after the residual sum, is
    refused.
    """
    decoders.check_class(config, OPT)
    model_dim, vocab_size = config.require("hidden_size"), config.require("vocab_size")
    config.refuse_unless("do_layer_norm_before", True)
    config.refuse_unless("_remove_final_layer_norm", False)
    config.refuse_unless("layer_norm_elementwise_affine", True)
    config.refuse_unless("word_embed_proj_dim", model_dim)
    table = "decoder.embed_tokens.weight"
    prefix = "decoder." if table in tensors else "model.decoder."
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=True)
    symbols = decoders.symbols(config, vocab_size, bos_token_id=2, eos_token_id=2, pad_token_id=1)
    ours = DecoderConfig(
        vocab_size=vocab_size,
        model_dim=model_dim,
        ff_dim=config.require("ffn_dim"),
        num_heads=config.require("num_attention_heads"),
        num_layers=config.require("num_hidden_layers"),
        max_positions=config.get("max_position_embeddings", 2048),
        dropout=config.get("dropout", 0.1),
        attention_dropout=config.get("attention_dropout", 0.0),
        activation=config.choose("activation_function", ACTIVATIONS, "relu"),
        bias=config.get("enable_bias", True),
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
    )
    aliases = {embedding: (output,)} if tied else {}
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}final_layer_norm", "output_embedding": "lm_head"}
    places = layer_names("layers", f"{prefix}layers", ours.num_layers, bart.LAYER)
    places["positions.learned.table"] = TensorRef(f"{prefix}embed_positions", first_row=bart.BART_OFFSET)
    return Blueprint(ours, lambda model: modules(model, names, places), symbols, aliases=aliases, notes=notes)


def bloom(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign BLOOM: scores fall with distance (ALiBi), and embeddings are normalised."""
    decoders.check_class(config, BLOOM)
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
        max_positions=config.get("seq_length", BLOOM_POSITIONS),
        dropout=config.get("hidden_dropout", 0.0),
        attention_dropout=config.get("attention_dropout", 0.0),
        norm_epsilon=config.get("layer_norm_epsilon", 1e-5),
        positions="alibi",
        embedding_norm=True,
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
    )
    aliases = {embedding: (output,)} if tied else {}
    names = {
        "embedding": f"{prefix}word_embeddings",
        "embedding_norm": f"{prefix}word_embeddings_layernorm",
        "norm": f"{prefix}ln_f",
        "output_embedding": "lm_head",
    }
    layer = BLOOM_LAYER | decoders.fused_by_head(ours, "self_attention.query_key_value")
    layers = layer_names("layers", f"{prefix}h", ours.num_layers, layer)
    return Blueprint(ours, lambda model: modules(model, names, layers), symbols, aliases=aliases, notes=notes)


def gpt_neox(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign GPT-NeoX: rotary positions, and mostly parallel sublayers."""
    decoders.check_class(config, GPT_NEOX)
    sizes = sizes_of(config, GPT_NEOX_KEYS, GPT_NEOX_DEFAULTS)
    prefix = "gpt_neox." if any(name.startswith("gpt_neox.") for name in tensors) else ""
    output = "lm_head" if "lm_head.weight" in tensors else "embed_out"
    embedding = f"{prefix}embed_in.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, f"{output}.weight", default=False)
    rotary = decoders.rotary(
        config, sizes["model_dim"] // max(sizes["num_heads"], 1), sizes["max_positions"],
        base_key="rotary_emb_base", share_key="rotary_pct", share=0.25,
    )  # fmt: skip
    symbols = decoders.symbols(config, sizes["vocab_size"], bos_token_id=0, eos_token_id=2)
    in_attention = config.get("attention_bias", True)
    ours = DecoderConfig(
        **sizes,
        bias=in_attention,
        feed_forward_bias=None if in_attention else True,
        positions="rotary",
        parallel_residual=config.get("use_parallel_residual", True),
        tied_embeddings=tied,
        pad_id=symbols.pad_id,
        **rotary,
    )
    names = {"embedding": f"{prefix}embed_in", "norm": f"{prefix}final_layer_norm", "output_embedding": output}
    layer = GPT_NEOX_LAYER | decoders.fused_by_head(ours, "attention.query_key_value")
    layers = layer_names("layers", f"{prefix}layers", ours.num_layers, layer)
    return Blueprint(
        ours,
        lambda model: modules(model, names, layers),
        symbols,
        aliases={embedding: (f"{output}.weight",)} if tied else {},
        explained=NO_WEIGHTS | decoders.OLD_ROTARY,
        notes=notes,
    )
