"""MarianMT, BART, M2M100 (and NLLB-200), mBART and Pegasus: encoder-decoders of one shape, under one set of names.

They differ in the place of the norms, in positions, and in whether embeddings are normalised (`FAMILIES`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.foreign import Blueprint
from regard.interop.hugging_face.bert import (
    labels_of,
    layer_names,
    plain_layers,
    refuse,
    sizes_of,
    sizes_written,
    task_of,
    written_labels,
)
from regard.interop.hugging_face.settings import start_ids
from regard.interop.mapping import TensorRef, export_tensors, modules
from regard.models.config import EncoderDecoderClassifierConfig, EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.encoder_decoder_classifier import EncoderDecoderClassifier
from regard.nn.positions import WaveLayout, sinusoidal_positions
from regard.text.tokenizer import Symbols

CLASSIFIER = "BartForSequenceClassification"
CLASS_HEAD = {"head.pooler": "classification_head.dense", "head.output_proj": "classification_head.out_proj"}
"""Its modules above the decoder, theirs by ours."""
BART_OFFSET = 2
"""Rows in front of BART's tables of positions that nothing reads."""
LAYER = {
    "self_attention.query_proj": "self_attn.q_proj",
    "self_attention.key_proj": "self_attn.k_proj",
    "self_attention.value_proj": "self_attn.v_proj",
    "self_attention.output_proj": "self_attn.out_proj",
    "self_attention_residual.norm": "self_attn_layer_norm",
    "cross_attention.query_proj": "encoder_attn.q_proj",
    "cross_attention.key_proj": "encoder_attn.k_proj",
    "cross_attention.value_proj": "encoder_attn.v_proj",
    "cross_attention.output_proj": "encoder_attn.out_proj",
    "cross_attention_residual.norm": "encoder_attn_layer_norm",
    "feed_forward.inner_proj": "fc1",
    "feed_forward.output_proj": "fc2",
    "feed_forward_residual.norm": "final_layer_norm",
}


@dataclass(frozen=True)
class Family:
    """The points in which a model type differs from the others."""

    architecture: str
    """The name of its class."""
    positions: Literal["learned", "sinusoidal_halves", "sinusoidal_fairseq"]
    norm: Literal["post", "pre"] = "post"
    has_embedding_norm: bool = False
    begins: bool = False
    """Whether a begin symbol stands before a source."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Its own defaults of settings that a configuration may leave out."""

    def id(self, config: ForeignConfig, key: str, usual: int | None = None) -> Any:
        """The id of a symbol, or its default here.

        Raises:
            ModelFolderError: it must be there and is not, or is no id.
        """
        usual = self.defaults.get(key, usual)
        return config.id(key, config.require(key) if usual is None else usual)


FAIRSEQ_IDS = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "unk_token_id": 3}
FAMILIES = {
    "marian": Family("MarianMTModel", "sinusoidal_halves"),
    "bart": Family(
        "BartForConditionalGeneration", "learned", has_embedding_norm=True, begins=True, defaults={"unk_token_id": 3}
    ),
    "m2m_100": Family(
        "M2M100ForConditionalGeneration", "sinusoidal_fairseq", "pre",
        defaults={"activation_function": "relu", "attention_dropout": 0.1, "scale_embedding": True,
                  "decoder_start_token_id": 2, **FAIRSEQ_IDS},
    ),
    "mbart": Family(
        "MBartForConditionalGeneration", "learned", "pre", has_embedding_norm=True,
        defaults={"decoder_start_token_id": 2, **FAIRSEQ_IDS},
    ),
    "pegasus": Family(
        "PegasusForConditionalGeneration", "sinusoidal_halves", "pre",
        defaults={"pad_token_id": 0, "eos_token_id": 1, "unk_token_id": 3},
    ),
}  # fmt: skip
KEYS = {
    "model_dim": "d_model", "num_encoder_layers": "encoder_layers", "num_decoder_layers": "decoder_layers",
    "dropout": "dropout", "attention_dropout": "attention_dropout", "activation": "activation_function",
    "max_positions": "max_position_embeddings", "scale_embeddings": "scale_embedding",
}  # fmt: skip
DEFAULTS = {
    "dropout": 0.1, "attention_dropout": 0.0, "activation": "gelu", "max_positions": 1024, "scale_embeddings": False,
}  # fmt: skip
LAYOUTS: dict[str, tuple[WaveLayout, int]] = {"sinusoidal_halves": ("halves", 0), "sinusoidal_fairseq": ("fairseq", 2)}
"""The layout of sinusoids, and the rows in front of a stored table that no token has."""
COUNTED_FROM_PADDING: dict[int, Literal["sinusoidal_opennmt", "sinusoidal_fairseq"]] = {
    0: "sinusoidal_opennmt",
    1: "sinusoidal_fairseq",
}
"""The positions of M2M100, whose first is the one after the id of its padding, by this id."""


def blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor]) -> Blueprint:
    """Parse the configuration of a foreign model of one of the `FAMILIES`."""
    family = FAMILIES[config.require("model_type", str)]
    if config.get("architectures") == [CLASSIFIER]:
        return _classifier_blueprint(config, tensors, family)
    if config.get("architectures") != ["BartModel"]:  # its output matrix is its embedding matrix
        config.refuse_unless("architectures", [family.architecture])
    return _pair_blueprint(config, tensors, family)


def _pair_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor], family: Family) -> Blueprint:
    """Parse the configuration of an encoder-decoder, whatever is above it."""
    config.refuse_unless("is_decoder", False)
    for key in ("normalize_before", "add_final_layer_norm"):
        config.refuse_unless(key, family.norm == "pre")
    config.get("decoder_vocab_size")  # without effect where both sides have one vocabulary
    config.refuse_unless("normalize_embedding", family.has_embedding_norm)
    prefix = "model." if any(name.startswith("model.") for name in tensors) else ""
    has_one_vocabulary = family.architecture != "MarianMTModel" or config.get("share_encoder_decoder_embeddings", True)
    tables = _tables(tensors, prefix, is_shared=has_one_vocabulary, is_tied=config.get("tie_word_embeddings", True))
    is_shared = tables["source"] == tables["target"]
    shared = (f"{prefix}encoder.embed_tokens.weight", f"{prefix}decoder.embed_tokens.weight", "lm_head.weight")
    is_tied = _is_tied(config, tensors, [f"{tables['target']}.weight", *(shared[:2] if is_shared else ())])
    vocab_size = config.require("vocab_size")
    bias = tensors.get("final_logits_bias")
    positions, symbols = _positions(config, family), _symbols(config, family)
    own = {ours_key: family.defaults[key] for ours_key, key in KEYS.items() if key in family.defaults}
    ours = EncoderDecoderConfig(
        vocab_size=vocab_size if has_one_vocabulary else config.require("decoder_vocab_size"),
        source_vocab_size=None if has_one_vocabulary else vocab_size,
        **sizes_of(config, KEYS, DEFAULTS | own),
        ff_dim=config.same("encoder_ffn_dim", "decoder_ffn_dim"),
        num_heads=config.same("encoder_attention_heads", "decoder_attention_heads"),
        norm=family.norm,
        positions=positions,
        embedding_norm="both" if family.has_embedding_norm else "none",
        tied_embeddings={(True, True): "all", (True, False): "source", (False, True): "target"}.get(
            (is_shared, is_tied), "none"
        ),
        output_bias=bias is not None and bool(bias.any()),
        pad_id=symbols.pad_id,
    )
    explained = {"final_logits_bias": "all zeros"} if not ours.output_bias else {}
    if family.positions != "learned":
        _check_sinusoids(tensors, family, config.where)
        explained |= dict.fromkeys(
            ("*embed_positions.weight", "*embed_positions.weights"), "sinusoids, which ours computes"
        )
    notes = [
        f"{key} {config.values[key]} is read only in training: left out"
        for key in ("activation_dropout", "encoder_layerdrop", "decoder_layerdrop")
        if config.get(key)
    ]
    if has_one_vocabulary and not is_shared:
        explained[f"{prefix}shared.weight"] = "nothing reads it: both sides have matrices of their own"
    return Blueprint(
        ours,
        lambda model: _refs(model, prefix, tables),
        symbols,
        aliases={f"{prefix}shared.weight": shared} if is_shared else {},
        explained=explained,
        notes=notes,
    )


def _classifier_blueprint(config: ForeignConfig, tensors: Mapping[str, Tensor], family: Family) -> Blueprint:
    """Parse the configuration of a BART that classifies texts."""
    below = _pair_blueprint(config, tensors, family)
    task = task_of(config)
    assert isinstance(below.config, EncoderDecoderConfig)
    if below.config.tied_embeddings != "all":
        raise ModelFolderError(
            f"{config.where}: both sides of {CLASSIFIER} must have one embedding matrix; they have two."
        )
    ours = EncoderDecoderClassifierConfig.above(
        below.config, task=task, labels=labels_of(config, task), start_id=below.symbols.start_ids[0]
    )

    def refs(model: EncoderDecoderClassifier) -> dict[str, TensorRef]:
        found = {f"transformer.{name}": ref for name, ref in below.refs(model.transformer).items()}
        return found | modules(model, CLASS_HEAD)

    return replace(below, config=ours, refs=refs)


def _tables(tensors: Mapping[str, Tensor], prefix: str, *, is_shared: bool, is_tied: bool) -> dict[str, str]:
    """The modules whose matrices embed source and target.

    Where a model with one vocabulary is untied, each side has a matrix of its own; unless the file does not have them: then
    both read the shared one, as they always did in `transformers` 4, whatever the configuration said.
    """
    own = {side: f"{prefix}{stack}.embed_tokens" for side, stack in (("source", "encoder"), ("target", "decoder"))}
    has_own = all(f"{module}.weight" in tensors for module in own.values())
    return own if not is_shared or (has_own and not is_tied) else dict.fromkeys(own, f"{prefix}shared")


def _is_tied(config: ForeignConfig, tensors: Mapping[str, Tensor], embeddings: list[str]) -> bool:
    """Whether the output matrix is the target's embedding matrix. The file decides, as versions read `tie_word_embeddings`
    in different ways: without an output matrix, or with one that is equal, they are one.
    """
    output, embedding = (
        tensors.get("lm_head.weight"),
        next((tensors[name] for name in embeddings if name in tensors), None),
    )
    is_asked = bool(config.get("tie_word_embeddings", True))
    if output is None:  # of Marian and BART, which never stored one, `transformers` would draw a new one
        return is_asked or config.require("model_type", str) not in ("marian", "bart")
    if embedding is None:
        return is_asked
    is_equal = output.shape == embedding.shape and bool((output == embedding).all())
    return is_asked and is_equal


def _positions(config: ForeignConfig, family: Family) -> Any:
    if family.positions != "sinusoidal_fairseq":
        return family.positions
    pad_id = family.id(config, "pad_token_id")
    if pad_id not in COUNTED_FROM_PADDING:
        raise ModelFolderError(
            f"{config.place('pad_token_id')}: pad_token_id must be 0 or 1, as {family.architecture} counts positions from it; "
            f"got {pad_id!r}."
        )
    return COUNTED_FROM_PADDING[pad_id]


def _symbols(config: ForeignConfig, family: Family) -> Symbols:
    """The symbols. Padding that is also a symbol around a text is an ordinary token of ours, and our padding is no token."""
    end, pad_id = family.id(config, "eos_token_id", 0), family.id(config, "pad_token_id")
    starts = start_ids(config, family.id(config, "decoder_start_token_id", pad_id))
    begin = family.id(config, "bos_token_id", end) if family.begins or "bos_token_id" in family.defaults else end
    begins = [begin] if family.begins else []
    return Symbols(
        pad_id=-1 if pad_id in (*starts, *begins, end) else pad_id, unk_id=family.id(config, "unk_token_id", 1),
        bos_id=begin, eos_id=end, start_ids=starts, source_begin_ids=begins, source_end_ids=[end], banned_ids=[pad_id],
        lines_end=False,
    )  # fmt: skip


def _check_sinusoids(tensors: Mapping[str, Tensor], family: Family, where: object) -> None:
    layout, unread = LAYOUTS[family.positions]
    for name, tensor in tensors.items():
        if name.endswith(("embed_positions.weight", "embed_positions.weights")):
            is_table = tensor.ndim == 2 and len(tensor) > unread and tensor.shape[1] % 2 == 0
            waves = sinusoidal_positions(len(tensor) - unread, tensor.shape[1], layout=layout) if is_table else None
            if waves is None or not torch.allclose(tensor[unread:].float(), waves, atol=1e-3):
                raise ModelFolderError(
                    f"{where}: {name} must be the sinusoids of {family.architecture}; it holds other numbers."
                )


def _refs(model: EncoderDecoder, prefix: str, tables: Mapping[str, str]) -> dict[str, TensorRef]:
    config = model.config
    names = {
        "source_embedding": tables["source"],
        "target_embedding": tables["target"],
        "output_embedding": "lm_head",
        "source_norm": f"{prefix}encoder.layernorm_embedding",
        "target_norm": f"{prefix}decoder.layernorm_embedding",
        "encoder_norm": f"{prefix}encoder.layer_norm",
        "decoder_norm": f"{prefix}decoder.layer_norm",
    }
    parts = layer_names("encoder_layers", f"{prefix}encoder.layers", config.num_encoder_layers, LAYER)
    parts |= layer_names("decoder_layers", f"{prefix}decoder.layers", config.num_decoder_layers, LAYER)
    for side, stack in (("source", "encoder"), ("target", "decoder")):
        table = TensorRef(f"{prefix}{stack}.embed_positions", first_row=BART_OFFSET)
        parts[f"{side}_positions.learned.table"] = table
    refs = modules(model, names, parts)
    if config.output_bias:
        refs["output_bias"] = TensorRef("final_logits_bias", unsqueezed=True)
    return refs


def export_classifier(
    model: EncoderDecoderClassifier, symbols: Symbols, kind: str
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of a classifier of ours as BART."""
    ours = model.config
    refuse(kind, {
        "pooling": (ours.pooling, "last"),
        "head_activation": (ours.head_activation or "tanh", "tanh"),
        "head_transform": (ours.head_transform or "dense", "dense"),
    })  # fmt: skip
    around = {"source_begin_ids": [symbols.bos_id], "source_end_ids": [symbols.eos_id], "start_ids": [ours.start_id]}
    config, tensors = export(model.transformer, symbols.model_copy(update=around), kind)
    del tensors["final_logits_bias"]
    for name, ref in modules(model, CLASS_HEAD).items():
        tensors[ref.name] = model.get_parameter(name).detach().cpu().float().clone()
    return config | {"architectures": [CLASSIFIER], **written_labels(ours)}, tensors


def export(model: EncoderDecoder, symbols: Symbols, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the tensors of an encoder-decoder of ours as MarianMT, BART, M2M100, mBART or Pegasus.

    Sinusoids that are interleaved become Marian's, all sines first, by an exact change of basis (`with_halved_sinusoids`).
    """
    ours, family = model.config, FAMILIES[kind]
    refuse(kind, plain_layers(ours, family.norm) | {
        "norm_epsilon": (ours.norm_epsilon, 1e-5),
        "embedding_norm": (ours.embedding_norm, "both" if family.has_embedding_norm else "none"),
        "output_transform": (ours.output_transform, False),
        "num_source_types": (ours.num_source_types, 0),
    })  # fmt: skip
    if kind != "marian":
        _refuse_for_fairseq(ours, symbols, kind)
    if family.positions == "sinusoidal_halves" and ours.positions == "sinusoidal":
        model = with_halved_sinusoids(model)
    elif family.positions == "sinusoidal_halves" != ours.positions:
        refuse(kind, {"positions": (ours.positions, "sinusoidal")})
    is_shared, is_tied = (ours.tied_embeddings in ("all", side) for side in ("source", "target"))
    tables = _tables({}, "model.", is_shared=is_shared, is_tied=is_tied)
    pad_id = symbols.pad_id if symbols.pad_id >= 0 else symbols.start_ids[0]
    config: dict[str, Any] = {
        **sizes_written(ours, KEYS),
        "architectures": [family.architecture],
        "vocab_size": ours.source_vocab_size or ours.vocab_size,
        "decoder_vocab_size": ours.vocab_size,
        "encoder_ffn_dim": ours.ff_dim,
        "decoder_ffn_dim": ours.ff_dim,
        "encoder_attention_heads": ours.num_heads,
        "decoder_attention_heads": ours.num_heads,
        "activation_dropout": 0.0,
        "share_encoder_decoder_embeddings": is_shared,
        "tie_word_embeddings": is_tied,
        "is_encoder_decoder": True,
        "pad_token_id": pad_id,
        "eos_token_id": symbols.eos_id,
        "forced_eos_token_id": symbols.eos_id,
        "decoder_start_token_id": symbols.start_ids[0],
    }
    if len(symbols.start_ids) > 1:
        config["forced_bos_token_id"] = symbols.start_ids[1]
    if kind != "marian":
        config["bos_token_id"] = symbols.source_begin_ids[0] if family.begins else symbols.bos_id
        config |= {"encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
        for key in ("decoder_vocab_size", "share_encoder_decoder_embeddings"):
            del config[key]
    tensors = export_tensors(model, _refs(model, "model.", tables))
    if is_shared and not is_tied:  # `transformers` 5 then reads each side's own, `transformers` 4 the shared one
        for module in _tables({}, "model.", is_shared=False, is_tied=False).values():
            tensors[f"{module}.weight"] = tensors["model.shared.weight"].clone()
    if kind != "marian" and not is_shared:  # nothing reads it, but `transformers` looks for it
        tensors["model.shared.weight"] = tensors[f"{tables['source']}.weight"].clone()
    if kind == "m2m_100":
        del config["forced_eos_token_id"]  # its class has none
    else:
        tensors.setdefault("final_logits_bias", torch.zeros(1, ours.vocab_size))
    return config, tensors


def _refuse_for_fairseq(ours: EncoderDecoderConfig, symbols: Symbols, kind: str) -> None:
    """Make sure that BART, M2M100, mBART or Pegasus has what a model of ours has."""
    family = FAMILIES[kind]
    positions: str = family.positions
    if symbols.pad_id < 0 and kind != "pegasus":  # its padding is never written: no other symbol can stand for it
        refuse(kind, {"pad_id": (symbols.pad_id, "an id of the vocabulary")})
    if positions == "sinusoidal_fairseq":
        if symbols.pad_id not in COUNTED_FROM_PADDING:
            refuse(kind, {"pad_id": (symbols.pad_id, "0 or 1")})
        positions = COUNTED_FROM_PADDING[symbols.pad_id]
        refuse(kind, {"output_bias": (ours.output_bias, False)})
    if positions != "sinusoidal_halves":
        refuse(kind, {"positions": (ours.positions, positions)})
    refuse(kind, {
        "source_vocab_size": (ours.source_vocab_size, None),
        "start_ids": (symbols.start_ids, symbols.start_ids[:2]),
    })  # fmt: skip
    if family.begins:
        refuse(kind, {"source_begin_ids": (symbols.source_begin_ids, symbols.source_begin_ids[:1] or "one symbol")})
    if ours.tied_embeddings == "target":
        refuse(kind, {"tied_embeddings": ("target", "all, source or none")})


def with_halved_sinusoids(model: EncoderDecoder) -> EncoderDecoder:
    """A model of the same function with all sines first: every vector of the residual stream in another order of its
    axes.
    """
    order = torch.cat((torch.arange(0, model.config.model_dim, 2), torch.arange(1, model.config.model_dim, 2)))
    config = model.config.model_copy(update={"positions": "sinusoidal_halves"})
    with torch.random.fork_rng(devices=[]):
        turned = EncoderDecoder(config).eval()
    theirs = dict(model.named_parameters())
    with torch.no_grad():
        for name, parameter in turned.named_parameters():
            parameter.copy_(_reordered(name, theirs[name].detach().cpu(), order))
    return turned


def _reordered(name: str, tensor: Tensor, order: Tensor) -> Tensor:
    """A parameter for a residual stream whose axes stand in another order: those axes that touch the stream follow."""
    if name.endswith(("output_proj.weight", "output_proj.bias")) or "norm" in name:
        return tensor[order]
    return tensor[:, order] if name.endswith(("embedding.weight", "_proj.weight")) else tensor
