"""Decoders of Hugging Face: what Llama, OPT, BLOOM and GPT-NeoX have in common, as ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.mapping import TensorRef
from regard.models.config import RotaryScalingConfig, TransformerConfig
from regard.text.tokenizer import Symbols

LAYER_TYPES = ("full_attention", "sliding_attention")
"""Types of layers, by whether they have a window. Rotary settings may be given for each."""
ROTARY_TYPES = ("default", "linear", "llama3")
ROTARY_BASE = 10_000.0
OLD_ROTARY = {"*rotary_emb.inv_freq": "not a weight: the frequencies of rotary positions"}


def check_class(config: ForeignConfig, name: str) -> None:
    """Make sure that a model is a language model, or one without the output matrix, whose name ends with `Model`.

    Args:
        name: of the class with the output matrix, such as `LlamaForCausalLM`.
    Raises:
        ModelFolderError: it has another head.
    """
    if config.get("architectures") != [name.replace("ForCausalLM", "Model")]:
        config.refuse_unless("architectures", [name])


def is_tied(
    config: ForeignConfig, tensors: Mapping[str, Tensor], embedding: str, output: str, *, default: bool
) -> tuple[bool, list[str]]:
    """Whether the output is the embedding matrix, and notes for the user. Two matrices that differ are two, whatever the
    configuration says.

    Args:
        embedding: the name of the embedding matrix.
        output: that of the output matrix.
        default: where the configuration does not say.
    """
    says = config.get("tie_word_embeddings", default)
    both = tensors.get(embedding), tensors.get(output)
    if says and both[0] is not None and both[1] is not None and not torch.equal(both[0], both[1]):
        return False, [f"{output} differs from {embedding}: it is read, though tie_word_embeddings is true"]
    return says, []


def stored_or(config: ForeignConfig, key: str, default: int | None) -> int | None:
    """A number that may be null, which is another value than the default of a key that is missing."""
    if key not in config.values:
        return default
    return None if config.get(key) is None else int(config.require(key))


def symbols(config: ForeignConfig, vocab_size: int, **defaults: int | None) -> Symbols:
    """The symbols of a decoder. Padding that also begins or ends a text, or is none of the vocabulary, is no token of ours.

    Args:
        defaults: of `bos_token_id`, `eos_token_id` and `pad_token_id`, where the configuration does not say; None: there is none.
    """
    begin, end = (
        config.id(key) if key in config.values else defaults.get(key) for key in ("bos_token_id", "eos_token_id")
    )
    pad = stored_or(config, "pad_token_id", defaults.get("pad_token_id"))
    end = config.require("eos_token_id") if end is None else end
    begin = end if begin is None else begin
    pad_id = -1 if pad is None or pad in (begin, end) or not 0 <= pad < vocab_size else pad
    return Symbols(
        pad_id=pad_id, unk_id=config.id("unk_token_id", end), bos_id=begin, eos_id=end, start_ids=[begin], source_end_ids=[],
        banned_ids=[] if pad_id < 0 else [pad_id], lines_end=False,
    )  # fmt: skip


def layer_types(config: ForeignConfig, default: list[str]) -> list[str]:
    """The type of each layer, one of `LAYER_TYPES`.

    Args:
        default: where `layer_types` does not say.
    Raises:
        ModelFolderError: an unknown type, or not one for each layer.
    """
    types = config.get("layer_types", []) or default
    for kind in types:
        if kind not in LAYER_TYPES:
            raise ModelFolderError(
                f"{config.where}: layer_types must be {' or '.join(LAYER_TYPES)} to be represented in Regard; got {kind!r}."
            )
    if len(types) != len(default):
        raise ModelFolderError(
            f"{config.where}: layer_types must be {len(default)}, one for each layer; got {len(types)}."
        )
    return types


def windows(
    config: ForeignConfig, types: list[str], window: int | None, max_positions: int | None = None
) -> list[int | None]:
    """The window of each layer; empty where none hides anything.

    Args:
        types: of each layer, one of `LAYER_TYPES`.
        window: of layers that slide, in positions; None: of none.
        max_positions: a window as long as the longest text is none; None: it is one, as other settings depend on it.
    Raises:
        ModelFolderError: a layer that slides without window.
    """
    if "sliding_attention" not in types:
        return []
    if window is None:
        raise ModelFolderError(
            f"{config.where}: sliding_window must be given and in use, as layer_types has sliding_attention; it is not."
        )
    if max_positions is not None and window >= max_positions:
        return []
    return [window if kind == "sliding_attention" else None for kind in types]


def rotary(
    config: ForeignConfig,
    head_dim: int,
    max_positions: int,
    *,
    base_key: str = "rope_theta",
    share_key: str = "partial_rotary_factor",
    share: float = 1.0,
) -> dict[str, Any]:
    """Our settings of rotary positions, from `rope_parameters`, or from the keys of older files: `rope_theta`, `rope_scaling`.

    Args:
        base_key: the older key of the base.
        share_key: the older key of the share of each head's dimensions that turn.
        share: that share, where no key says it.
    Raises:
        ModelFolderError: a type that ours does not have, or settings that differ by type of layer.
    """
    newer, older = config.get("rope_parameters", {}), config.get("rope_scaling", {})
    key, given = ("rope_scaling", older) if older else ("rope_parameters", newer)
    by_type = [given[name] for name in LAYER_TYPES if name in given]
    if by_type and (len(by_type) < len(given) or not all(part == by_type[0] for part in by_type)):
        raise ModelFolderError(
            f"{config.where}: {key} must be equal for all layers to be represented in Regard; got {given!r}."
        )
    found = by_type[0] if by_type else given
    if not isinstance(found, dict):
        raise ModelFolderError(f"{config.where}: {key} must be of type dict; got {found!r}.")
    rope = ForeignConfig(_named(found), f"{config.where}: {key}")
    settings = _base_and_scaling(rope, float(config.get(base_key, ROTARY_BASE)), max_positions)
    turning = int(head_dim * rope.get("partial_rotary_factor", float(config.get(share_key, share))))
    if turning != head_dim:
        settings["rotary_dim"] = turning
    rope.refuse_others(())
    return settings


def rotary_by_type(
    config: ForeignConfig, max_positions: int, bases: Mapping[str, tuple[str, float]], *, scaled: bool = False
) -> dict[str, Any]:
    """Our settings of rotary positions that differ by type of layer, from `rope_parameters`, or from older keys.

    Args:
        bases: for each of `LAYER_TYPES`, the older key of the base, and the base where no key says it.
        scaled: whether the older key `rope_scaling` is that of layers that see everything; else it is not read.
    Raises:
        ModelFolderError: a type that ours does not have, or one other than `default` for layers that slide.
    """
    given, found = config.get("rope_parameters", {}), {}
    older = {LAYER_TYPES[0]: config.get("rope_scaling", {})} if scaled else {}
    if not given.keys() <= bases.keys():
        raise ModelFolderError(
            f"{config.where}: rope_parameters must be given for {' and '.join(bases)}; got {given!r}."
        )
    for kind, (key, base) in bases.items():
        values, base = given.get(kind) or {}, float(config.get(key, base))
        if not isinstance(values, dict):
            raise ModelFolderError(f"{config.where}: rope_parameters of {kind} must be of type dict; got {values!r}.")
        rope = ForeignConfig(_named(values | older.get(kind, {})), f"{config.where}: rope_parameters of {kind}")
        found[kind] = _base_and_scaling(rope, base, max_positions)
        rope.refuse_unless("partial_rotary_factor", 1.0)
        rope.refuse_others(())
    everywhere, local = (found[kind] for kind in LAYER_TYPES)
    if "rotary_scaling" in local:
        raise ModelFolderError(
            f"{config.where}: rope_type of sliding_attention must be default to be represented in Regard; got another."
        )
    return everywhere | {"local_rotary_base": local["rotary_base"]}


def _named(values: dict[str, Any]) -> dict[str, Any]:
    """Settings of rotary positions, whose type has its newer name."""
    kind = values.get("rope_type", values.get("type"))
    return {key: value for key, value in values.items() if key != "type"} | (
        {} if kind is None else {"rope_type": kind}
    )


def _base_and_scaling(rope: ForeignConfig, base: float, max_positions: int) -> dict[str, Any]:
    kind = rope.choose("rope_type", dict(zip(ROTARY_TYPES, ROTARY_TYPES, strict=True)), "default")
    settings: dict[str, Any] = {"rotary_base": rope.get("rope_theta", base)}
    return settings if kind == "default" else settings | {"rotary_scaling": _scaling(rope, kind, max_positions)}


def _scaling(rope: ForeignConfig, kind: str, max_positions: int) -> RotaryScalingConfig:
    factor = rope.require("factor", float)
    if kind == "linear":
        return RotaryScalingConfig(factor=factor)
    return RotaryScalingConfig(
        factor=factor,
        training_length=rope.get("original_max_position_embeddings", max_positions),
        low_factor=rope.require("low_freq_factor", float),
        high_factor=rope.require("high_freq_factor", float),
    )


def gated_layers(ours: TransformerConfig, norm: str, norm_kind: str = "rms") -> dict[str, tuple[Any, Any]]:
    """The settings that layers with gates and rotary positions have one value of, for `refuse`: ours, and theirs."""
    return {
        "positions": (ours.positions, "rotary"),
        "rotary_dim": (ours.rotary_dim or ours.head_dim, ours.head_dim),
        "norm": (ours.norm, norm),
        "norm_kind": (ours.norm_kind, norm_kind),
        "gated": (ours.gated, True),
        "attention_output_bias": (ours.has_attention_output_bias, ours.bias),
    }


def rotary_written(ours: TransformerConfig) -> dict[str, Any]:
    """Their settings of our rotary positions, by keys that all versions of `transformers` read."""
    scaling = ours.rotary_scaling
    if scaling is None:
        return {"rope_theta": ours.rotary_base, "rope_scaling": None}
    if scaling.training_length is None:
        return {"rope_theta": ours.rotary_base, "rope_scaling": {"rope_type": "linear", "factor": scaling.factor}}
    return {
        "rope_theta": ours.rotary_base,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": scaling.factor,
            "original_max_position_embeddings": scaling.training_length,
            "low_freq_factor": scaling.low_factor,
            "high_freq_factor": scaling.high_factor,
        },
    }


def rotary_parameters(ours: TransformerConfig) -> dict[str, Any]:
    """Their newer settings of our rotary positions: `rope_parameters`, of one type of layer."""
    written = rotary_written(ours)
    return {"rope_type": "default", "rope_theta": written["rope_theta"]} | (written["rope_scaling"] or {})


def symbols_written(symbols: Symbols) -> dict[str, Any]:
    """Their settings of our symbols. Where the line break ends our texts, it stands before them, too."""
    written = {
        "bos_token_id": symbols.eos_id if symbols.lines_end else symbols.start_ids[-1],
        "eos_token_id": symbols.eos_id,
    }
    return written | ({"pad_token_id": symbols.pad_id} if symbols.pad_id >= 0 else {})


def fused_by_head(ours: TransformerConfig, module: str) -> dict[str, TensorRef]:
    """The places of a layer's queries, keys and values in one matrix, which holds them head by head.

    Args:
        module: the name of the matrix in a layer.
    """
    width = ours.num_heads * ours.head_dim
    return {
        f"self_attention.{projection}": TensorRef(module, first_row=part * width, num_heads=ours.num_heads)
        for part, projection in enumerate(("query_proj", "key_proj", "value_proj"))
    }


def window_sizes(windows: Sequence[int | None]) -> list[int]:
    """The sizes of the windows of a stack, without repetitions; layers without one are left out."""
    return sorted({window for window in windows if window is not None})
