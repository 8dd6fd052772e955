"""The configuration of an encoder-decoder in CTranslate2's files: its numbers, the names of its variables, and their sizes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig
from regard.interop.ctranslate2.layout import ACTIVATIONS, BUCKETS, MAX_POSITIONS, POSITIONS
from regard.interop.ctranslate2.rotary import NUMBERS, OF_OTHER_SCALINGS, read_rotary
from regard.interop.hugging_face import t5
from regard.models.config import MOST_LAYERS, EncoderDecoderConfig

FIRST = "encoder/layer_0/self_attention"
SCALARS = {
    *("pre_norm", "activation", "num_heads", "head_dim", "scale_embeddings", "multiply_by_sqrt_depth"),
    *("start_from_zero_embedding", "with_source_bos", "with_source_eos", "with_target_bos"),
    *("queries_scale", "relative_attention_max_distance", "scale_outputs"),
    *NUMBERS,
    *OF_OTHER_SCALINGS,
    *(
        "alignment_layer",
        "alignment_heads",
        "embeddings_merge",
    ),  # without effect: what is shown, and for several tables
}
"""The single numbers that are understood, by the last part of their names. Others must be 0."""
OTHERWISE = ("relative_position", "relative_asymmetric", "project_in", "embeddings_1")
"""Parts of the names of variables that ours has no place for."""


def parse(
    scalars: Mapping[str, np.ndarray], tensors: Mapping[str, Tensor], settings: ForeignConfig, where: str
) -> EncoderDecoderConfig:
    """Our configuration of a model.

    Args:
        scalars: the single numbers of the file, by name.
        tensors: its weights, as float32.
        settings: its `config.json`.
        where: the file, as messages call it.
    Raises:
        ModelFolderError: the model has something that ours cannot represent.
    """

    def flag(name: str, default: int = 0) -> int:
        return int(scalars.get(name, default))

    def has(ending: str) -> bool:
        return any(name.endswith(ending) for name in tensors)

    for name, value in scalars.items():
        if name.rpartition("/")[2] not in SCALARS and not name.endswith("weight_scale") and value:
            raise ModelFolderError(f"{where}: {name} must be 0 to be represented in Regard; got {value}.")
    for name in ("pre_norm", "activation", "num_heads"):
        both = [scalars[key].item() for side in ("encoder", "decoder") if (key := f"{side}/{name}") in scalars]
        if len({*both}) > 1:
            raise ModelFolderError(
                f"{where}: {name} must be equal on both sides to be represented in Regard; got {both[0]} and {both[1]}."
            )
    if wrong := next((name for name in tensors if any(part in name for part in OTHERWISE)), None):
        raise ModelFolderError(
            f"{where}: {wrong} cannot be represented in Regard: relative positions inside attention and source factors are "
            "read from other formats only."
        )
    embedded = first(tensors, "encoder/embeddings_0/weight", "encoder/embeddings/weight", where=where)
    target, inner = tensors["decoder/embeddings/weight"], tensors["encoder/layer_0/ffn/linear_0/weight"]
    model_dim, is_pre = int(target.shape[1]), bool(flag("encoder/pre_norm", 1))
    layers = {side: len({name.split("/")[1] for name in tensors if name.startswith(f"{side}/layer_") and name.count("/") > 2})
              for side in ("encoder", "decoder")}  # fmt: skip
    output = tensors.get("decoder/projection/weight", target)
    is_shared = embedded.shape == target.shape and torch.equal(embedded, target)
    is_tied = output.shape == target.shape and torch.equal(output, target) and output_factor(scalars) == 1
    num_heads = flag("encoder/num_heads") or flag("num_heads")
    if not num_heads:
        num_heads = 8 if model_dim != 1024 else 16  # old files of TransformerBase and TransformerBig do not say it
    kind = "layer" if has("layer_norm/beta") else "rms"
    head_dim = _head_dim(scalars, where) or tensors[f"{FIRST}/linear_1/weight"].shape[1] // num_heads
    attentions = [
        f"{side}/layer_{layer}/self_attention" for side in layers for layer in range(min(layers[side], MOST_LAYERS))
    ]
    return EncoderDecoderConfig(
        vocab_size=target.shape[0],
        source_vocab_size=None if is_shared else embedded.shape[0],
        model_dim=model_dim,
        ff_dim=inner.shape[0],
        num_heads=num_heads,
        head_dim=head_dim,
        num_encoder_layers=layers["encoder"],
        num_decoder_layers=layers["decoder"],
        norm="pre" if is_pre else "post",
        norm_kind=kind,
        norm_epsilon=settings.get("layer_norm_epsilon", 1e-6 if kind == "rms" else 1e-5),
        activation=ForeignConfig({"activation": flag("encoder/activation")}, where).choose("activation", ACTIVATIONS, 0),
        gated=has("ffn/linear_0_noact/weight"),
        bias=has("self_attention/linear_0/bias"),
        attention_output_bias=has("self_attention/linear_1/bias"),
        feed_forward_bias=has("ffn/linear_0/bias"),
        scale_embeddings=_is_scaled(scalars, model_dim, where),
        embedding_norm="both" if "encoder/layernorm_embedding/gamma" in tensors else "none",
        output_bias="decoder/projection/bias" in tensors,
        tied_embeddings={(True, True): "all", (True, False): "source", (False, True): "target"}.get(
            (is_shared, is_tied), "none"
        ),
        pad_id=-1,
        **_positions(scalars, tensors, attentions, head_dim, where),
    )  # fmt: skip


def _positions(
    scalars: Mapping[str, np.ndarray],
    tensors: Mapping[str, Tensor],
    attentions: Sequence[str],
    head_dim: int,
    where: str,
) -> dict[str, Any]:
    """The positions and the longest text. CTranslate2 computes OpenNMT's sinusoids where a model brings no table."""
    if rotary := read_rotary(scalars, attentions, head_dim, where):
        return rotary | {"max_positions": MAX_POSITIONS}
    if any(name.endswith(BUCKETS) for name in tensors):
        for name, tensor in tensors.items():
            if not name.endswith(BUCKETS):
                continue
            if len(tensor) != t5.NUM_BUCKETS:
                raise ModelFolderError(f"{where}: {name} must have {t5.NUM_BUCKETS} rows; got {len(tensor)}.")
            first = tensors.get(f"{name.partition('/')[0]}/layer_0/self_attention/{BUCKETS}", tensor)
            if not torch.equal(tensor, first):  # CTranslate2 looks at that of layer 0 alone
                raise ModelFolderError(f"{where}: {name} must be that of layer 0; it is another one.")
        for name, value in scalars.items():
            if name.endswith("relative_attention_max_distance") and value != t5.MAX_DISTANCE:
                raise ModelFolderError(f"{where}: {name} must be {t5.MAX_DISTANCE}; got {value}.")
        return {"positions": "t5", "max_positions": t5.MAX_POSITIONS}
    tables = [tensors[name] for side in ("encoder", "decoder") if (name := POSITIONS.format(side)) in tensors]
    if POSITIONS.format("decoder") not in tensors:
        return {"positions": "sinusoidal_opennmt", "max_positions": 1024}
    return {"positions": "learned", "max_positions": min(map(len, tables))}


def _head_dim(scalars: Mapping[str, np.ndarray], where: str) -> int:
    """The width of a head that a file names; 0: it names none.

    Raises:
        ModelFolderError: it names several.
    """
    found = {int(value) for name, value in scalars.items() if name.endswith("/head_dim")}
    if len(found) > 1:
        raise ModelFolderError(
            f"{where}: head_dim must be equal in all layers to be represented in Regard; got {found}."
        )
    return found.pop() if found else 0


def query_factor(scalars: Mapping[str, np.ndarray], config: EncoderDecoderConfig) -> float:
    """The factor of queries besides 1 / sqrt(head_dim): CTranslate2's scale of them, where a file has one, replaces that.

    Raises:
        ModelFolderError: attentions have different ones.
    """
    sites = [f"encoder/layer_{layer}/self_attention" for layer in range(config.num_encoder_layers)]
    sites += [
        f"decoder/layer_{layer}/{name}"
        for layer in range(config.num_decoder_layers)
        for name in ("self_attention", "attention")
    ]
    own = config.head_dim**-0.5
    usual = (_head_dim(scalars, "") or config.model_dim // config.num_heads) ** -0.5
    found = {_factor(scalars, f"{site}/queries_scale", usual) for site in sites}
    if len(found) != 1:
        raise ModelFolderError(
            f"queries_scale must be equal in all attentions to be represented in Regard; got {found}."
        )
    return found.pop() / own


def output_factor(scalars: Mapping[str, np.ndarray]) -> float:
    """The factor of the last states before the output."""
    return _factor(scalars, "decoder/scale_outputs", 1.0)


def _factor(scalars: Mapping[str, np.ndarray], name: str, usual: float) -> float:
    """A factor; `usual` where the file has none.

    Raises:
        ModelFolderError: it is no number to multiply by.
    """
    factor = float(scalars[name]) if name in scalars else usual
    if not 0 < factor < math.inf:
        raise ModelFolderError(f"{name} must be a finite number above 0; got {factor:g}.")
    return factor


def _is_scaled(scalars: Mapping[str, np.ndarray], model_dim: int, where: str) -> bool:
    """Whether embeddings are multiplied by sqrt(model_dim), as a flag says, or the factor itself as a float."""
    answers = set()
    for side, table in (("encoder", "embeddings_0"), ("decoder", "embeddings")):
        names = (f"{side}/scale_embeddings", f"{side}/{table}/multiply_by_sqrt_depth")
        said = next((scalars[name] for name in names if name in scalars), np.int8(1))
        if said.dtype.kind != "f":
            answers.add(bool(said))
        elif float(said) == 1 or abs(float(said) - model_dim**0.5) < 1e-3:
            answers.add(float(said) != 1)
        else:
            answers |= {True, False}
    if len(answers) > 1:
        raise ModelFolderError(
            f"{where}: scale_embeddings must be the same on both sides, 1 or sqrt({model_dim}), to be represented in Regard."
        )
    return answers.pop()


def first(tensors: Mapping[str, Tensor], *names: str, where: str) -> Tensor:
    """The first tensor that there is.

    Raises:
        ModelFolderError: there is none of these names.
    """
    found = next((tensors[name] for name in names if name in tensors), None)
    if found is None:
        raise ModelFolderError(f"{where} must hold {names[0]}; it does not.")
    return found
