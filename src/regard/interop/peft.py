"""Adapters in the format of Hugging Face's PEFT: LoRA of linear maps, read and written.

Their names are those of the modules of the Hugging Face model; which of ours these are is known from that model's folder.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor, nn

from regard.adapters import Adapter, check_shapes
from regard.checkpoint import aside, check_output
from regard.errors import ModelFolderError
from regard.interop.files import read_json, read_safetensors
from regard.interop.foreign import ForeignModel
from regard.interop.mapping import NUMBERS, TensorRef
from regard.models.interface import Model
from regard.models.learning.adapters import adapted
from regard.names import is_file
from regard.nn.adapters import AdaptedLinear

PEFT = "peft"
"""What `regard convert --to` calls the format."""
CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
PREFIX = "base_model.model."
PLAIN = {
    "bias": "none",
    "use_dora": False,
    "modules_to_save": None,
    "layer_replication": None,
    "trainable_token_indices": None,
}
"""Settings with the only values that an adapter of ours can represent."""
TASKS = {"encoder-decoder": "SEQ_2_SEQ_LM", "decoder": "CAUSAL_LM"}


def is_peft(path: Path | str) -> bool:
    """Whether a folder holds an adapter in PEFT's format."""
    return is_file(Path(path) / CONFIG)


def read_peft(path: Path | str, base: ForeignModel) -> Adapter:
    """An adapter that PEFT wrote, for a model in Hugging Face's format.

    update = scale B A, with scale = lora_alpha / r, or lora_alpha / sqrt(r) where `use_rslora` is set. Of a matrix that is
    several of ours, such as GPT-2's `c_attn`, each gets the whole A and its own rows of B.

    Raises:
        ModelFolderError: it is damaged, of another kind than LoRA, or does not fit the model.
    """
    folder = Path(path)
    config = read_json(folder / CONFIG)
    _check(folder, config)
    factors: dict[str, dict[str, Tensor]] = defaultdict(dict)
    for name, tensor in read_safetensors(folder / WEIGHTS).items():
        module, _, factor = name.removeprefix(PREFIX).removesuffix(".weight").rpartition(".")
        if factor not in ("lora_A", "lora_B") or tensor.ndim != 2 or tensor.dtype not in NUMBERS:
            raise ModelFolderError(f"{folder / WEIGHTS} must hold low-rank matrices of linear maps; got {name}.")
        factors[module][factor] = tensor.float()
    tensors: dict[str, Tensor] = {}
    scales: dict[str, float] = {}
    for module, pair in factors.items():
        if pair.keys() != {"lora_A", "lora_B"}:
            raise ModelFolderError(
                f"{folder / WEIGHTS} must hold lora_A and lora_B of {module}; got {', '.join(pair)}."
            )
        down, up = pair["lora_A"], pair["lora_B"]
        for ours, ref in _ours(module, base):
            linear = base.loaded.model.get_submodule(ours)
            assert isinstance(linear, nn.Linear)
            scales[ours] = _scale(config, module, len(down)) * ref.factor
            tensors[f"{ours}.down"], tensors[f"{ours}.up"] = (
                down,
                up[ref.first_row : ref.first_row + linear.out_features],
            )
    if not scales:
        raise ModelFolderError(f"{folder / WEIGHTS} must hold low-rank matrices; got none.")
    check_shapes(
        base.loaded.model, scales, {name: tuple(each.shape) for name, each in tensors.items()}, folder / WEIGHTS
    )
    if broken := next((name for name, each in tensors.items() if not each.isfinite().all()), None):
        raise ModelFolderError(
            f"{folder / WEIGHTS}: {broken} must hold finite numbers; it does not. The file is damaged."
        )
    return Adapter(scales, folder / WEIGHTS, held=tensors)


def write_peft(adapted_model: Model, base: ForeignModel, output: Path) -> list[str]:
    """Write the adapters of a model in PEFT's format, into a new folder; returns the names of the modules that they are of.

    Several maps of ours that are one matrix of theirs become one update, whose rank is the sum of theirs: A has theirs one
    below the other, B has theirs in blocks.

    Args:
        adapted_model: the model of `base` with adapters.
    Raises:
        ModelFolderError: the folder cannot be written.
    """
    check_output(output, overwrite=False)
    groups: dict[str, list[tuple[TensorRef, AdaptedLinear]]] = defaultdict(list)
    for name, module in adapted(adapted_model).items():
        ref = base.refs[f"{name}.weight"]
        groups[ref.name.removesuffix(".weight")].append((ref, module))
    tensors: dict[str, Tensor] = {}
    ranks: dict[str, int] = {}
    for name, parts in groups.items():
        num_rows = sum(
            base.loaded.model.get_parameter(ours).shape[0]
            for ours, ref in base.refs.items()
            if ref.name == f"{name}.weight"
        )
        ranks[name] = sum(module.rank for _, module in parts)
        up, first = torch.zeros(num_rows, ranks[name]), 0
        for ref, module in parts:
            rows = slice(ref.first_row, ref.first_row + module.out_features)
            up[rows, first : first + module.rank] = module.up.detach() * (module.scale / ref.factor)
            first += module.rank
        tensors[f"{PREFIX}{name}.lora_A.weight"] = torch.cat([module.down.detach() for _, module in parts])
        tensors[f"{PREFIX}{name}.lora_B.weight"] = up
    with aside(output) as new:
        safetensors.torch.save_file(tensors, new / WEIGHTS, metadata={"format": "pt"})
        config = _config(adapted_model, base, ranks, [ref.transposed for parts in groups.values() for ref, _ in parts])
        (new / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return list(groups)


def _config(model: Model, base: ForeignModel, ranks: Mapping[str, int], transposed: Sequence[bool]) -> dict[str, Any]:
    """What PEFT reads beside the matrices. The scale is 1: it is in the matrices."""
    rank = max(ranks.values())
    others = {name: each for name, each in ranks.items() if each != rank}
    return {
        "peft_type": "LORA",
        "task_type": TASKS.get(model.config.arch),
        "base_model_name_or_path": base.path.name,
        "r": rank,
        "lora_alpha": rank,
        "rank_pattern": others,
        "alpha_pattern": others,
        "target_modules": sorted(ranks),
        "fan_in_fan_out": any(transposed),
        "lora_dropout": 0.0,
        "inference_mode": True,
        **{key: value for key, value in PLAIN.items() if value is not None},
    }


def _check(folder: Path, config: Mapping[str, Any]) -> None:
    """Make sure that an adapter is one that ours can represent.

    Raises:
        ModelFolderError: it is not.
    """
    if (kind := config.get("peft_type")) != "LORA":
        raise ModelFolderError(f"{folder / CONFIG}: peft_type must be LORA; got {kind!r}.")
    for key, allowed in PLAIN.items():
        if (value := config.get(key)) not in (allowed, None, [], False):
            raise ModelFolderError(f"{folder / CONFIG}: {key} must be {json.dumps(allowed)}; got {json.dumps(value)}.")


def _scale(config: Mapping[str, Any], module: str, rank: int) -> float:
    """What the product of an adapter's matrices is multiplied by."""
    patterns = config.get("alpha_pattern") or {}
    alpha = next((value for key, value in patterns.items() if _ends(module, key)), config.get("lora_alpha", 8))
    return float(alpha) / (math.sqrt(rank) if config.get("use_rslora") else rank)


def _ours(module: str, base: ForeignModel) -> list[tuple[str, TensorRef]]:
    """The linear maps of ours that are in a module of theirs.

    Raises:
        ModelFolderError: there are none.
    """
    found = []
    for name, part in base.loaded.model.named_modules():
        ref = base.refs.get(f"{name}.weight") if isinstance(part, nn.Linear) else None
        if ref is not None:
            theirs = ref.name.removesuffix(".weight")
            if _ends(module, theirs) or _ends(theirs, module):
                found.append((name, ref))
    if not found:
        raise ModelFolderError(f"{base.path} must have the linear map {module}, which is adapted; it does not.")
    return found


def _ends(name: str, ending: str) -> bool:
    """Whether a dotted name is another one, or ends with it."""
    return name == ending or name.endswith(f".{ending}")
