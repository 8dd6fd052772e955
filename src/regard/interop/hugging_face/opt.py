"""OPT: a pre-norm decoder with learned positions and ReLU. Read in, not written."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders
from regard.interop.hugging_face.bart import BART_OFFSET, LAYER
from regard.interop.hugging_face.bert import ACTIVATIONS, layer_names
from regard.interop.mapping import TensorRef, modules
from regard.models.config import DecoderConfig
from regard.models.decoder import Decoder

NAME = "OPTForCausalLM"


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign OPT. The 350M model, with norms after its sums, is refused."""
    decoders.check_class(config, NAME)
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
    return Blueprint(ours, lambda model: _refs(model, prefix), symbols, aliases=aliases, notes=notes)


def _refs(model: nn.Module, prefix: str) -> dict[str, TensorRef]:
    assert isinstance(model, Decoder)
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}final_layer_norm", "output_embedding": "lm_head"}
    names |= layer_names("layers", f"{prefix}layers", model.config.num_layers, LAYER)
    positions = TensorRef(f"{prefix}embed_positions.weight", first_row=BART_OFFSET)
    return modules(names, model) | {"positions.learned.table.weight": positions}
