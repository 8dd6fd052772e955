"""A writer of CTranslate2 model folders, through the package's own specification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from regard.checkpoint import LoadedModel
from regard.errors import MissingExtraError
from regard.interop.check import Reference
from regard.interop.ctranslate2.layout import ACTIVATIONS, BUCKETS, variable_refs
from regard.interop.ctranslate2.model_file import vocabulary_tokens
from regard.interop.ctranslate2.reference import CTranslate2Reference
from regard.interop.ctranslate2.rotary import written_rotary
from regard.interop.foreign import ForeignModel
from regard.interop.hugging_face.bert import refuse
from regard.interop.hugging_face.t5 import MAX_DISTANCE, check_shared_tables
from regard.interop.mapping import Account, export_tensors
from regard.models.config import EncoderDecoderConfig
from regard.models.encoder_decoder import EncoderDecoder
from regard.text.tokenizer import Tokenizer


def write(loaded: LoadedModel, output: Path, quantization: str | None = None) -> ForeignModel:
    """Write an encoder-decoder of ours as a CTranslate2 folder, through the package's own specification writer.

    Args:
        quantization: how weights are rounded, such as int8; None: not at all.
    Raises:
        MissingExtraError: `ctranslate2` is not installed.
        ModelFolderError: the model has something that we do not write.
    """
    try:
        import ctranslate2
    except ImportError as error:
        raise MissingExtraError("writing CTranslate2 models", "convert") from error
    model = loaded.model
    if not isinstance(model, EncoderDecoder):
        refuse("ctranslate2", {"arch": (model.config.arch, "encoder-decoder")})
    assert isinstance(model, EncoderDecoder)
    config = model.config
    _refuse(model)
    spec = _specification(ctranslate2.specs, config)
    spec.encoder.scale_embeddings = spec.decoder.scale_embeddings = config.scale_embeddings
    _set_variables(spec, model)
    symbols = loaded.tokenizer.symbols
    for side, tokenizer in (("source", loaded.source_tokenizer), ("target", loaded.tokenizer)):
        size = (config.source_vocab_size if side == "source" else None) or config.vocab_size
        getattr(spec, f"register_{side}_vocabulary")(_padded(tokenizer, size))
    names: list[str | None] = [
        *loaded.tokenizer.tokens([symbols.unk_id, symbols.bos_id, symbols.eos_id, symbols.start_ids[0]])
    ]
    start, languages = None, loaded.tokenizer.languages
    if languages is not None and languages.starts:
        start, names[-1] = names[-1], None  # then it starts from the first token of the target's prefix
    for key, token in zip(("unk_token", "bos_token", "eos_token", "decoder_start_token"), names, strict=True):
        setattr(spec.config, key, token)
    frame = loaded.source_tokenizer.symbols
    added = bool(frame.source_begin_ids), bool(frame.source_end_ids)
    if frame.language_ids:  # sources come with their symbols, as from the tokenizers of `transformers`
        added = False, False
    spec.config.add_source_bos, spec.config.add_source_eos = added
    spec.config.layer_norm_epsilon = config.norm_epsilon
    spec.validate()
    spec.optimize(quantization=quantization)
    spec.save(str(output))
    loaded.source_tokenizer.save(output / "tokenizer.json")
    if loaded.tokenizer is not loaded.source_tokenizer:
        loaded.tokenizer.save(output / "target_tokenizer.json")
    vocabularies = [vocabulary_tokens(output, side) for side in ("source", "target")]
    refs = variable_refs(model)
    account = Account([(refs[name].name, name) for name, _ in model.named_parameters()])
    prefix = loaded.tokenizer.tokens(symbols.start_ids[1:])

    def reference(path: Path) -> Reference:
        return CTranslate2Reference(path, vocabularies[0], vocabularies[1], added, prefix, start, symbols.banned_ids)

    return ForeignModel(
        "CTranslate2", loaded, account, _notes(loaded.tokenizer, prefix, vocabularies[1]), reference, output
    )


def _specification(specs: Any, config: EncoderDecoderConfig) -> Any:
    """The specification of both stacks, without weights. `specs` is the module of CTranslate2."""
    activation = next(number for number, name in ACTIVATIONS.items() if name == config.activation)
    choices: dict[str, Any] = {
        "pre_norm": config.norm == "pre",
        "activation": specs.Activation(activation),
        "layernorm_embedding": config.embedding_norm == "both",
        "relative_attention_bias": config.positions == "t5",
        "ffn_glu": config.gated,
        "rms_norm": config.norm_kind == "rms",
        **written_rotary(config, specs),
    }
    return specs.TransformerSpec(
        specs.TransformerEncoderSpec(config.num_encoder_layers, config.num_heads, **choices),
        specs.TransformerDecoderSpec(config.num_decoder_layers, config.num_heads, **choices),
    )


def _refuse(model: EncoderDecoder) -> None:
    """Make sure that CTranslate2's specification has all that a model of ours has.

    Raises:
        ModelFolderError: it lacks something.
    """
    ours = model.config
    is_known = ours.positions.startswith("sinusoidal") or ours.positions in ("learned", "t5", "rotary")
    scaling = ours.rotary_scaling
    is_linear = scaling is None or scaling.training_length is None
    refuse("ctranslate2", {
        "norm": (ours.norm, ours.norm if ours.norm in ("pre", "post") else "pre or post"),
        "norm_kind": (ours.norm_kind, ours.norm_kind if ours.norm_kind in ("layer", "rms") else "layer or rms"),
        "num_kv_heads": (ours.num_kv_heads or ours.num_heads, ours.num_heads),
        "embedding_norm": (ours.embedding_norm, "none" if ours.embedding_norm == "none" else "both"),
        "output_transform": (ours.output_transform, False),
        "num_source_types": (ours.num_source_types, 0),
        "positions": (ours.positions, ours.positions if is_known else "sinusoidal, learned, t5 or rotary"),
        "rotary_scaling": (scaling, scaling if is_linear else "linear"),
    })  # fmt: skip
    if ours.positions == "t5":
        check_shared_tables(model, "ctranslate2")


def _notes(tokenizer: Tokenizer, prefix: list[str], vocabulary: list[str]) -> list[str]:
    """Notes for users of the model in CTranslate2: steps that they must do themselves."""
    notes = ["cut texts into tokens with tokenizer.json before translating: CTranslate2 reads tokens"]
    if tokenizer.symbols.language_ids:
        notes.append(_note_on_languages(tokenizer))
    elif prefix:
        notes.append(
            "CTranslate2's configuration has one token that a decoder starts from, and this one reads more before it writes: "
            f"pass target_prefix={[prefix]} for each text"
        )
    if tokenizer.symbols.banned_ids:
        banned = ", ".join(vocabulary[id] for id in tokenizer.symbols.banned_ids)
        notes.append(
            f"CTranslate2 keeps no list of tokens that are never written; pass suppress_sequences for {banned}"
        )
    return notes


def _note_on_languages(tokenizer: Tokenizer) -> str:
    """A note that shows the tokens of one direction, the usual one where there is one."""
    languages, directed = tokenizer.languages, tokenizer
    if languages is not None:
        sources, targets = languages.codes("source"), languages.codes("target")
        directed = tokenizer.directed(languages.source or sources[0], languages.target or targets[-1])
    symbols = directed.symbols
    around = [" ".join(tokenizer.tokens(ids)) for ids in (symbols.source_begin_ids, symbols.source_end_ids)]
    first = tokenizer.tokens(symbols.start_ids if languages is not None and languages.starts else symbols.start_ids[1:])
    given = f", and target_prefix={[first]} for each text" if first else ""
    return (
        f"pass sources with the tokens of languages and the end symbol, such as {' ... '.join(around).strip()}{given}"
    )


def _set_variables(spec: Any, model: EncoderDecoder) -> None:
    """Set the variables of a specification from our parameters."""
    tensors = export_tensors(model, variable_refs(model))
    for side, waves in (("encoder", model.source_positions.waves), ("decoder", model.target_positions.waves)):
        if waves is not None and model.config.positions != "sinusoidal_opennmt":
            tensors[f"{side}/position_encodings/encodings"] = waves.detach().cpu().clone()
    if (
        model.config.head_dim * model.config.num_heads != model.config.model_dim
    ):  # CTranslate2 divides by the usual width
        scale = torch.tensor(model.config.head_dim**-0.5)
        names = [name.removesuffix("linear_0/weight") for name in tensors if name.endswith("attention/linear_0/weight")]
        tensors |= {f"{name}queries_scale": scale for name in names}
    for name in [name for name in tensors if name.endswith(BUCKETS)]:
        tensors[f"{name.removesuffix(BUCKETS)}relative_attention_max_distance"] = torch.tensor(
            MAX_DISTANCE, dtype=torch.int32
        )
    tensors.setdefault("decoder/embeddings/weight", model.target_embedding.weight.detach().cpu().clone())
    tensors.setdefault("decoder/projection/weight", model.output_embedding.weight.detach().cpu().clone())
    for name, tensor in tensors.items():
        scope = spec
        *parts, last = name.split("/")
        for part in parts:
            stem, _, number = part.rpartition("_")
            is_indexed = stem in ("layer", "linear", "embeddings") and number.isdigit()
            scope = _numbered_part(scope, stem, int(number)) if is_indexed else getattr(scope, part)
        setattr(scope, last, tensor.numpy())


def _numbered_part(scope: Any, stem: str, index: int) -> Any:
    """A numbered part of a specification: an element of a list, or an attribute with the number in its name."""
    return (
        getattr(scope, stem)[index]
        if isinstance(getattr(scope, stem, None), list)
        else getattr(scope, f"{stem}_{index}")
    )


def _padded(tokenizer: Tokenizer, size: int) -> list[str]:
    tokens = tokenizer.tokens(range(len(tokenizer)))
    return tokens + [f"<unused{index}>" for index in range(size - len(tokens))]
