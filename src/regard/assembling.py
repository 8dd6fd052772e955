"""An encoder-decoder from a pretrained encoder and a pretrained decoder: all weights but the cross-attention's are theirs.

The decoder may be a decoder, or an encoder such as BERT: its layers look back only, and what predicted hidden tokens predicts
the next one. Source: Rothe et al. 2020, "Leveraging pre-trained checkpoints for sequence generation tasks", section 2.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from regard.checkpoint import LoadedModel
from regard.errors import SettingsError
from regard.models.config import DecoderConfig, EncoderConfig, EncoderDecoderConfig
from regard.models.interface import Model, stored_tensors
from regard.models.registry import build

SHARED_KEYS = (
    "model_dim", "ff_dim", "num_heads", "num_kv_heads", "head_dim", "norm", "norm_kind", "norm_epsilon", "activation",
    "gated", "bias", "positions", "value_head_dim", "attention_output_bias", "feed_forward_chunk",
    "feed_forward_bias", "query_key_norm", "rotary_base", "local_rotary_base", "rotary_dim", "rotary_scaling", "windows",
    "norm_bias", "score_cap",
)  # fmt: skip
"""Settings that must be equal in both, because they become one model."""
OF_ENCODERS_ALONE: dict[str, Any] = {"first_norm": True, "embedding_dim": None, "weights_from": []}
"""Settings that an encoder-decoder does not have, and the value that an encoder must have."""
SOURCE_MODULES = {
    "embedding": "source_embedding", "segment_embedding": "source_type_embedding", "positions": "source_positions",
    "embedding_norm": "source_norm", "layers": "encoder_layers", "norm": "encoder_norm",
}  # fmt: skip
TARGET_MODULES = {
    "embedding": "target_embedding", "positions": "target_positions", "embedding_norm": "target_norm",
    "layers": "decoder_layers", "norm": "decoder_norm", "output_embedding": "output_embedding",
    "output_bias": "output_bias", "output_transform": "output_transform", "head": "output_transform",
}  # fmt: skip
"""The modules of an encoder and of a decoder, with their names in the whole."""
EMBEDDED = (
    "learned",
    "sinusoidal",
    "sinusoidal_halves",
    "sinusoidal_opennmt",
    "sinusoidal_fairseq",
    "sinusoidal_marian",
    "rotary",
    "alibi",
    "none",
)
"""The position schemes that do not depend on a longest text, and learned positions, of which the first rows are used.
"""


def assemble(encoder: LoadedModel, decoder: LoadedModel) -> LoadedModel:
    """Assemble a model that reads as the encoder does and writes as the decoder does, with their tokenizers.

    Cross-attention is new, drawn from torch's default generator.

    Raises:
        SettingsError: they are not an encoder and a decoder, or differ in a setting of `SHARED_KEYS`.
    """
    if encoder.model.config.arch != "encoder":
        raise SettingsError(f"`--encoder` needs a model of arch encoder; got {encoder.model.config.arch}.")
    arch, what = decoder.model.config.arch, getattr(decoder.model.config, "task", "")
    if (arch, what) not in (("decoder", ""), ("encoder", "mlm")):
        raise SettingsError(
            f"`--decoder` needs arch decoder, or arch encoder with task mlm; got {arch} {what}".rstrip() + "."
        )
    config = _config(encoder.model.config, decoder.model.config)
    model = build(config)
    weights = _renamed(encoder.model, SOURCE_MODULES) | _target_weights(decoder.model)
    with torch.no_grad():
        for name, parameter in stored_tensors(model).items():
            if name in weights:
                parameter.copy_(weights[name][: parameter.shape[0]])
            else:
                assert ".cross_attention" in name, name
    bos, eos = encoder.tokenizer.bos_id, encoder.tokenizer.eos_id
    # A source has the symbols around it that an encoder's texts have.
    framed = {"pad_id": config.pad_id, "source_begin_ids": [bos], "source_end_ids": [eos]}
    source = encoder.tokenizer.with_symbols(encoder.tokenizer.symbols.model_copy(update=framed))
    target = decoder.tokenizer.with_symbols(decoder.tokenizer.symbols.model_copy(update={"pad_id": config.pad_id}))
    return LoadedModel(model.eval(), target, source)


def _config(encoder: EncoderConfig, decoder: EncoderConfig | DecoderConfig) -> EncoderDecoderConfig:
    for key in SHARED_KEYS:
        if getattr(encoder, key) != getattr(decoder, key):
            raise SettingsError(
                f"{key} must be the same in `--encoder` and `--decoder`; got {getattr(encoder, key)} and {getattr(decoder, key)}."
            )
    for part in (encoder, decoder):
        for key, usual in OF_ENCODERS_ALONE.items():
            if isinstance(part, EncoderConfig) and getattr(part, key) != usual:
                raise SettingsError(f"{key} must be {usual} in `--encoder` and `--decoder`; got {getattr(part, key)}.")
    if isinstance(decoder, DecoderConfig) and decoder.parallel_residual:
        raise SettingsError("parallel_residual of `--decoder` must be false, as cross-attention is added; got true.")
    if isinstance(decoder, DecoderConfig) and decoder.scale_embeddings:
        raise SettingsError("scale_embeddings of `--decoder` must be false; got true.")
    if isinstance(decoder, EncoderConfig) and decoder.head_transform not in (None, "norm"):
        raise SettingsError(f"head_transform of `--decoder` must be norm; got {decoder.head_transform}.")
    lengths = encoder.max_positions, decoder.max_positions
    if decoder.positions not in EMBEDDED and (lengths[0] != lengths[1] or decoder.arch == "encoder"):
        raise SettingsError(f"`--decoder` needs positions of kind {', '.join(EMBEDDED)}; got {decoder.positions}.")
    norms = {(True, True): "both", (True, False): "source", (False, False): "none"}.get(
        (encoder.embedding_norm, decoder.embedding_norm)
    )
    if norms is None:
        raise SettingsError(
            "embedding_norm of `--decoder` must be false where that of `--encoder` is; got true and false."
        )
    extra: dict[str, Any] = {"output_transform": True, "output_bias": True}
    if decoder.arch == "decoder":
        extra = {key: getattr(decoder, key) for key in ("output_transform", "output_bias", "logit_cap")}
    elif (decoder.head_activation or "gelu") != decoder.activation:
        raise SettingsError(
            f"`--decoder` needs one activation in its head and its layers; got {decoder.head_activation or 'gelu'} "
            f"and {decoder.activation}."
        )
    shared: dict[str, Any] = {key: getattr(decoder, key) for key in SHARED_KEYS}
    return EncoderDecoderConfig(
        **shared,
        **extra,
        vocab_size=decoder.vocab_size,
        source_vocab_size=encoder.vocab_size,
        num_source_types=encoder.num_segments,
        num_encoder_layers=encoder.num_layers,
        num_decoder_layers=decoder.num_layers,
        dropout=decoder.dropout,
        attention_dropout=decoder.attention_dropout,
        max_positions=min(lengths),
        scale_embeddings=False,
        embedding_norm=norms,
        tied_embeddings="target" if decoder.tied_embeddings else "none",
        pad_id=decoder.pad_id if decoder.pad_id == encoder.pad_id else -1,
    )


def _target_weights(decoder: Model) -> dict[str, Tensor]:
    weights = _renamed(decoder, TARGET_MODULES)
    if decoder.config.arch == "encoder":
        weights["output_bias"] = weights.pop("output_transform.bias")
        segments = dict(decoder.named_parameters()).get("segment_embedding.weight")
        if segments is not None:
            # Every token of a decoder is of kind 0, whose vector goes into what is added to every token.
            table = "target_positions.learned.table.weight"
            if table not in weights:
                raise SettingsError(
                    f"a `--decoder` with num_segments needs learned positions; got {decoder.config.positions}."
                )
            weights[table] = weights[table] + segments.detach()[0]
    return weights


def _renamed(model: Model, modules: dict[str, str]) -> dict[str, Tensor]:
    found = {}
    for name, parameter in stored_tensors(model).items():
        first, dot, rest = name.partition(".")
        if first in modules:
            found[modules[first] + dot + rest] = parameter.detach()
    return found
