"""ModernBERT and EuroBERT: pre-norm encoders with gated feed-forward layers and rotary positions. ModernBERT has windows in two
of every three layers; EuroBERT has Llama's layers without the causal mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face import decoders, llama
from regard.interop.hugging_face.bert import (
    ACTIVATIONS,
    THEIR_ACTIVATIONS,
    labels_of,
    layer_names,
    refuse,
    sizes_of,
    sizes_written,
    symbols,
    task_of,
    written_head,
)
from regard.interop.mapping import TensorRef, add_zeros, export_tensors, modules
from regard.models.config import MOST_LAYERS, TEXT_TASKS, EncoderConfig
from regard.models.encoder import Encoder
from regard.text.tokenizer import Symbols

MODERNBERT_LAYER = {
    "self_attention_residual.norm": "attn_norm",
    "self_attention.output_proj": "attn.Wo",
    "feed_forward_residual.norm": "mlp_norm",
    "feed_forward.output_proj": "mlp.Wo",
}
MODERNBERT_HEADS = {
    "mlm": {"head.inner_proj": "head.dense", "head.norm": "head.norm", "output_embedding": "decoder"},
    "classify": {"head.pooler": "head.dense", "head.norm": "head.norm", "head.output_proj": "classifier"},
    "tag": {
        "head.transform.inner_proj": "head.dense", "head.transform.norm": "head.norm", "head.output_proj": "classifier",
    },
}  # fmt: skip
MODERNBERT_HEADS |= {"spans": MODERNBERT_HEADS["tag"], **dict.fromkeys(TEXT_TASKS, MODERNBERT_HEADS["classify"])}
"""The modules of the head of each task, theirs by ours."""
MODERNBERT_KEYS = llama.KEYS | {
    "activation": "hidden_activation", "dropout": "embedding_dropout", "norm_epsilon": "norm_eps", "norm_bias": "norm_bias",
    "bias": "attention_bias",
}  # fmt: skip
MODERNBERT_DEFAULTS = {
    "max_positions": 8192, "activation": "gelu", "dropout": 0.0, "attention_dropout": 0.0, "norm_epsilon": 1e-5,
    "norm_bias": False, "bias": False,
}  # fmt: skip
BASES = {"full_attention": ("global_rope_theta", 160_000.0), "sliding_attention": ("local_rope_theta", 10_000.0)}
MODERNBERT_POOLING = {"cls": "first", "mean": "mean"}
WITHOUT_EFFECT = (
    "layer_norm_eps", "position_embedding_type", "reference_compile", "repad_logits_with_grad", "deterministic_flash_attn",
    "sparse_prediction", "sparse_pred_ignore_index", "initializer_cutoff_factor", "mlp_dropout",
)  # fmt: skip
"""Keys of published files that have no effect, or an effect on training alone."""
EUROBERT_HEADS = {
    "mlm": {"output_embedding": "lm_head"},
    "classify": {"head.pooler": "dense", "head.output_proj": "classifier"},
    "tag": {"head.output_proj": "classifier"},
}
EUROBERT_HEADS |= dict.fromkeys(TEXT_TASKS, EUROBERT_HEADS["classify"])
"""The modules of the head of each task, theirs by ours."""
EUROBERT_DEFAULTS = {"max_positions": 8192, "attention_dropout": 0.0, "norm_epsilon": 1e-5, "activation": "silu"}
EUROBERT_POOLING = {"late": "late", "mean": "mean", "bos": "first"}


def modernbert(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign ModernBERT."""
    for key in WITHOUT_EFFECT:
        config.get(key)
    task, sizes = task_of(config), sizes_of(config, MODERNBERT_KEYS, MODERNBERT_DEFAULTS)
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding = f"{prefix}embeddings.tok_embeddings.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, "decoder.weight", default=True)
    every = max(config.get("global_attn_every_n_layers", 3), 1)
    num_layers = min(sizes["num_layers"], MOST_LAYERS)
    types = ["sliding_attention" if layer % every else "full_attention" for layer in range(num_layers)]
    reach = config.get("local_attention", 128) // 2
    settings = decoders.rotary_by_type(config, sizes["max_positions"], BASES)
    pad_id = config.id("pad_token_id", 50_283)
    activation = config.choose("classifier_activation", ACTIVATIONS, "gelu")
    ours = EncoderConfig(
        **sizes,
        num_segments=0,
        norm="pre",
        first_norm=False,
        gated=True,
        feed_forward_bias=config.get("mlp_bias", False),
        positions="rotary",
        windows=decoders.windows(config, decoders.layer_types(config, types), reach + 1),
        pad_id=pad_id,
        task=task,
        labels=labels_of(config, task),
        head_activation=None if task == "none" else activation,
        head_transform=None if task == "none" else "norm",
        pooling=config.choose("classifier_pooling", MODERNBERT_POOLING, "cls"),
        tied_embeddings=tied,
        **settings,
    )
    zeros = {}
    if task != "none" and not config.get("classifier_bias", False):
        zeros["head.dense.bias"] = ours.model_dim
    if not config.get("decoder_bias", True) and task == "mlm":
        zeros["decoder.bias"] = ours.vocab_size
    return Blueprint(
        ours,
        lambda model: _modernbert_refs(model, prefix),
        symbols(config, pad_id, bos=50_281, eos=50_282),
        aliases={embedding: ("decoder.weight",)} if tied else {},
        prepare=lambda found: add_zeros(found, zeros),
        notes=notes + [f"{name} is zeros: theirs has none" for name in zeros],
    )


def _modernbert_refs(model: Encoder, prefix: str) -> dict[str, TensorRef]:
    ours = model.config
    names = {"embedding": "embeddings.tok_embeddings", "embedding_norm": "embeddings.norm", "norm": "final_norm"}
    names = {key: prefix + name for key, name in names.items()} | MODERNBERT_HEADS.get(ours.task, {})
    width = ours.num_heads * ours.head_dim
    layer = MODERNBERT_LAYER | {
        "self_attention.query_proj": TensorRef("attn.Wqkv"),
        "self_attention.key_proj": TensorRef("attn.Wqkv", first_row=width),
        "self_attention.value_proj": TensorRef("attn.Wqkv", first_row=2 * width),
        "feed_forward.inner_proj": TensorRef("mlp.Wi"),
        "feed_forward.gate_proj": TensorRef("mlp.Wi", first_row=ours.ff_dim),
    }
    refs = modules(model, names, layer_names("layers", f"{prefix}layers", ours.num_layers, layer))
    return refs | ({"head.bias": TensorRef("decoder.bias")} if ours.task == "mlm" else {})


def export_modernbert(model: Encoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours as ModernBERT."""
    ours = model.config
    sliding = decoders.window_sizes(ours.windows)
    refuse(kind, decoders.gated_layers(ours, "pre", "layer") | {
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "head_dim": (ours.head_dim * ours.num_heads, ours.model_dim),
        "query_key_norm": (ours.query_key_norm, False),
        "embedding_norm": (ours.embedding_norm, True),
        "first_norm": (ours.first_norm, False),
        "num_segments": (ours.num_segments, 0),
        "pooler": (ours.pooler, False),
        "pooling": (ours.pooling, ours.pooling if ours.pooling in MODERNBERT_POOLING.values() else "first or mean"),
        "windows": (ours.windows, ours.windows if len(sliding) < 2 else "of one size"),
        "pad_id": (ours.pad_id, ours.pad_id if ours.pad_id >= 0 else "an id of the vocabulary"),
    })  # fmt: skip
    if ours.task != "none":
        refuse(kind, {"head_transform": (ours.head_transform or ("norm" if ours.task == "mlm" else None), "norm")})
    local = ours.rotary_base if ours.local_rotary_base is None else ours.local_rotary_base
    everywhere = decoders.rotary_parameters(ours)
    config = written_head(ours, symbols, "ModernBert") | {
        **sizes_written(ours, MODERNBERT_KEYS),
        "mlp_bias": ours.has_feed_forward_bias,
        "mlp_dropout": ours.dropout,
        "layer_types": llama.types_of_windows(ours.windows, ours.num_layers),
        "local_attention": 2 * (sliding[0] - 1) if sliding else 128,
        "global_rope_theta": ours.rotary_base,
        "local_rope_theta": local,
        "rope_parameters": {
            "full_attention": everywhere,
            "sliding_attention": {"rope_type": "default", "rope_theta": local},
        },
        "classifier_activation": THEIR_ACTIVATIONS[ours.head_activation or ("gelu" if ours.task == "mlm" else "tanh")],
        "classifier_pooling": next(theirs for theirs, name in MODERNBERT_POOLING.items() if name == ours.pooling),
        "classifier_bias": ours.task != "none",
        "decoder_bias": True,
    }
    return config, export_tensors(model, _modernbert_refs(model, "" if ours.task == "none" else "model."))


def eurobert(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign EuroBERT."""
    task = task_of(config)
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    embedding, output = f"{prefix}embed_tokens.weight", "lm_head.weight"
    tied, notes = decoders.is_tied(config, tensors, embedding, output, default=False)
    sizes = sizes_of(config, llama.KEYS, EUROBERT_DEFAULTS)
    head_dim = config.get("head_dim", sizes["model_dim"] // max(sizes["num_heads"], 1))
    settings = decoders.rotary(config, head_dim, sizes["max_positions"])
    if "rotary_dim" in settings:
        raise ModelFolderError(f"{config.where}: partial_rotary_factor must be 1.0; got another.")
    pad_id = config.id("pad_token_id", 128_001)
    has_bias = config.get("mlp_bias", False)
    ours = EncoderConfig(
        **sizes,
        num_kv_heads=config.get("num_key_value_heads"),
        head_dim=head_dim,
        num_segments=0,
        dropout=0.0,
        norm="pre",
        norm_kind="rms",
        embedding_norm=False,
        gated=True,
        bias=config.get("attention_bias", False),
        feed_forward_bias=has_bias,
        positions="rotary",
        pad_id=pad_id,
        task=task,
        labels=labels_of(config, task),
        head_activation="gelu" if task in TEXT_TASKS else None,
        head_transform="none" if task == "mlm" else None,
        pooling=config.choose("classifier_pooling", EUROBERT_POOLING, "late"),
        tied_embeddings=tied,
        **settings,
    )
    zeros = {"lm_head.bias": ours.vocab_size} if task == "mlm" and not has_bias else {}
    return Blueprint(
        ours,
        lambda model: _eurobert_refs(model, prefix),
        symbols(config, pad_id, bos=128_000, eos=128_001),
        aliases={embedding: (output,)} if tied else {},
        prepare=lambda found: add_zeros(found, zeros),
        explained=decoders.OLD_ROTARY,
        notes=notes + [f"{name} is zeros: theirs has none" for name in zeros],
    )


def _eurobert_refs(model: Encoder, prefix: str) -> dict[str, TensorRef]:
    ours = model.config
    names = {"embedding": f"{prefix}embed_tokens", "norm": f"{prefix}norm"} | EUROBERT_HEADS.get(ours.task, {})
    refs = modules(model, names, layer_names("layers", f"{prefix}layers", ours.num_layers, llama.LAYER))
    return refs | ({"head.bias": TensorRef("lm_head.bias")} if ours.task == "mlm" else {})


def export_eurobert(model: Encoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder of ours as EuroBERT."""
    ours = model.config
    transform = {"mlm": "none", **dict.fromkeys(TEXT_TASKS, "dense")}.get(ours.task)
    refuse(kind, decoders.gated_layers(ours, "pre") | {
        "query_key_norm": (ours.query_key_norm, False),
        "pooling": (ours.pooling, ours.pooling if ours.pooling in EUROBERT_POOLING.values() else "first, mean or late"),
        "windows": (ours.windows, []),
        "embedding_norm": (ours.embedding_norm, False),
        "first_norm": (ours.first_norm, True),
        "num_segments": (ours.num_segments, 0),
        "pooler": (ours.pooler, False),
        "task": (ours.task, ours.task if ours.task != "spans" else "mlm, classes, tags or none"),
        "head_transform": (ours.head_transform or ("norm" if ours.task == "mlm" else transform), transform),
        "pad_id": (ours.pad_id, ours.pad_id if ours.pad_id >= 0 else "an id of the vocabulary"),
    })  # fmt: skip
    if ours.task in TEXT_TASKS:
        refuse(kind, {"head_activation": (ours.head_activation or "tanh", "gelu")})
    config = written_head(ours, symbols, "EuroBert") | decoders.rotary_written(ours) | sizes_written(ours, llama.KEYS) | {
        "num_key_value_heads": ours.num_kv_heads or ours.num_heads,
        "head_dim": ours.head_dim,
        "attention_bias": ours.bias,
        "mlp_bias": ours.has_feed_forward_bias,
        "classifier_pooling": next(theirs for theirs, name in EUROBERT_POOLING.items() if name == ours.pooling),
    }  # fmt: skip
    tensors = export_tensors(model, _eurobert_refs(model, "" if ours.task == "none" else "model."))
    if not ours.has_feed_forward_bias and (bias := tensors.pop("lm_head.bias", None)) is not None and bias.any():
        refuse(kind, {"head.bias": ("other numbers", "zeros, as feed_forward_bias is false,")})
    return config, tensors
