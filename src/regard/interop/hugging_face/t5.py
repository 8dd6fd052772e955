"""T5: pre-norm without biases, distances in buckets, scores that are not scaled. Read in, not written."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from regard.interop.files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.settings import start_ids
from regard.interop.mapping import TensorRef, modules
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Symbols

MAX_POSITIONS = 4096
"""The longest text: T5 has none, and our configuration needs one."""
FEED_FORWARD = {
    "relu": ("relu", False),
    "gelu": ("gelu", False),
    "silu": ("silu", False),
    "gated-relu": ("relu", True),
    "gated-gelu": ("gelu_tanh", True),
    "gated-silu": ("silu", True),
}
"""The meaning of `feed_forward_proj`; gated-gelu is T5's name for the approximated one."""
ACTIVATION_NAMES = {"gelu_tanh": "gelu_new"}


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign T5.

    T5's scores are not divided by sqrt(head_dim), ours are: its query projections are multiplied by it. The states of a
    tied T5 are divided by sqrt(model_dim) before the output; ours has an output matrix that is.
    """
    if config.get("architectures") != ["T5WithLMHeadModel"]:  # its old name
        config.refuse_unless("architectures", ["T5ForConditionalGeneration"])
    config.refuse_unless("relative_attention_num_buckets", 32)
    config.refuse_unless("relative_attention_max_distance", 128)
    activation, gated = config.choose("feed_forward_proj", FEED_FORWARD, "relu")
    config.refuse_unless("is_decoder", False)
    config.refuse_unless("is_gated_act", gated)  # the same again, as newer files say it
    config.refuse_unless("dense_act_fn", ACTIVATION_NAMES.get(activation, activation))
    num_layers = config.get("num_layers", 6)
    pad_id = config.get("pad_token_id", 0)
    start = config.get("decoder_start_token_id", pad_id)
    end = config.get("eos_token_id", 1)
    ours = EncoderDecoderConfig(
        vocab_size=config.require("vocab_size"),
        model_dim=config.get("d_model", 512),
        ff_dim=config.get("d_ff", 2048),
        num_heads=config.get("num_heads", 8),
        head_dim=config.get("d_kv", 64),
        num_encoder_layers=num_layers,
        num_decoder_layers=config.get("num_decoder_layers", num_layers),
        dropout=config.get("dropout_rate", 0.1),
        norm="pre",
        norm_kind="rms",
        norm_epsilon=config.get("layer_norm_epsilon", 1e-6),
        activation=activation,
        gated=gated,
        bias=False,
        positions="t5",
        max_positions=MAX_POSITIONS,
        scale_embeddings=False,
        tied_embeddings="source",
        pad_id=-1 if pad_id in (*start_ids(config, start), end) else pad_id,
    )
    is_scaled = config.get("scale_decoder_outputs", config.get("tie_word_embeddings") is not False)
    output = "lm_head.weight" if "lm_head.weight" in tensors else "shared.weight"
    # Transformers 4 says by tie_word_embeddings that the head is the embeddings, whatever else a file holds.
    if config.get("tie_word_embeddings") is not False and "scale_decoder_outputs" not in config.values:
        output = "shared.weight"
    factor = ours.model_dim**-0.5 if is_scaled else 1.0
    return Blueprint(
        ours,
        lambda model: _refs(model, TensorRef(output, factor=factor)),
        Symbols(
            pad_id=ours.pad_id, unk_id=2, bos_id=pad_id, eos_id=end, start_ids=start_ids(config, start), source_end_ids=[end],
            banned_ids=[], lines_end=False,
        ),
        aliases={"shared.weight": ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")},
        explained={
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": "of old checkpoints; nothing reads it"
        },
        notes=[f"T5 knows no longest text; ours is {MAX_POSITIONS:,} tokens",
               "the table of distances, which T5's layers share, is copied into each layer"],
    )  # fmt: skip


def _refs(model: nn.Module, output: TensorRef) -> dict[str, TensorRef]:
    assert isinstance(model, EncoderDecoder)
    config = model.config
    names = {"source_embedding": "shared", "encoder_norm": "encoder.final_layer_norm"}
    names["decoder_norm"] = "decoder.final_layer_norm"
    for stack, num_layers in (("encoder", config.num_encoder_layers), ("decoder", config.num_decoder_layers)):
        for index in range(num_layers):
            names |= _layer_names(f"{stack}_layers.{index}", f"{stack}.block.{index}.layer", stack, gated=config.gated)
    refs = modules(names, model) | {"output_embedding.weight": output}
    for name, ref in refs.items():
        if name.endswith("query_proj.weight"):
            refs[name] = TensorRef(ref.name, factor=config.head_dim**0.5)
    return refs


def _layer_names(ours: str, theirs: str, stack: str, *, gated: bool) -> dict[str, str]:
    """The modules of a layer. All layers read the table of distances of the first."""
    names = {
        f"{ours}.self_attention.attention.positions.table": f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias"
    }
    sublayers = [("self_attention", "0.SelfAttention")]
    if stack == "decoder":
        sublayers.append(("cross_attention", "1.EncDecAttention"))
    for ours_attention, place in sublayers:
        for our_module, letter in (("query_proj", "q"), ("key_proj", "k"), ("value_proj", "v"), ("output_proj", "o")):
            names[f"{ours}.{ours_attention}.{our_module}"] = f"{theirs}.{place}.{letter}"
        names[f"{ours}.{ours_attention}_residual.norm"] = f"{theirs}.{place[0]}.layer_norm"
    last = f"{theirs}.{len(sublayers)}"
    names |= {
        f"{ours}.feed_forward.inner_proj": f"{last}.DenseReluDense.{'wi_0' if gated else 'wi'}",
        f"{ours}.feed_forward.gate_proj": f"{last}.DenseReluDense.wi_1",
        f"{ours}.feed_forward.output_proj": f"{last}.DenseReluDense.wo",
        f"{ours}.feed_forward_residual.norm": f"{last}.layer_norm",
    }
    return names
