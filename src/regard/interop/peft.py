"""Adapters in the format of Hugging Face's PEFT: LoRA of linear maps, read and written.

Their names are those of the modules of the Hugging Face model; which of ours these are is known from that model's folder.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import safetensors.torch
import torch
from torch import Tensor, nn

from regard.adapters import Adapter, check_shapes
from regard.checkpoint import aside, check_output
from regard.errors import ModelFolderError
from regard.foreign_files import ForeignConfig, read_json, read_safetensors
from regard.interop.foreign import ForeignModel
from regard.interop.mapping import NUMBERS, TensorRef
from regard.interop.peft_config import LoraSettings
from regard.models.adaptation import adapted
from regard.models.interface import Model
from regard.names import is_file
from regard.nn.lora import AdaptedLinear

PEFT = "peft"
"""The name of the format for `regard convert --to`."""
CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
PREFIX = "base_model.model."
TASKS = {"encoder-decoder": "SEQ_2_SEQ_LM", "decoder": "CAUSAL_LM"}


def is_peft(path: Path | str) -> bool:
    """Whether a folder holds an adapter in PEFT's format."""
    return is_file(Path(path) / CONFIG)


def read_peft(path: Path | str, base: ForeignModel) -> Adapter:
    """Read an adapter that PEFT wrote, for a model in Hugging Face's format.

    update = scale B A, with the scale that `LoraSettings` says. Of a matrix that is several of ours, such as GPT-2's `c_attn`,
    each gets the whole A and its own rows of B.

    Raises:
        ModelFolderError: it is damaged, of another kind than LoRA, or does not fit the model.
    """
    _check_layers(base)
    folder = Path(path)
    settings = LoraSettings.parse(ForeignConfig(read_json(folder / CONFIG), folder / CONFIG))
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
        maps = [
            (ours, ref, cast("nn.Linear", base.loaded.model.get_submodule(ours)))
            for ours, ref in _our_maps(module, base)
        ]
        wanted = max(ref.num_rows or ref.first_row + linear.out_features for _, ref, linear in maps)
        if len(up) != wanted:
            raise ModelFolderError(
                f"{folder / WEIGHTS}: lora_B of {module} must have {wanted} rows, as the map of the model has outputs; "
                f"got {len(up)}. It is of another model."
            )
        for ours, ref, linear in maps:
            if ours in scales:
                raise ModelFolderError(f"{folder / WEIGHTS} must hold one update of each map; got two of {ours}.")
            scales[ours] = settings.scale(module) * ref.factor
            tensors[f"{ours}.down"], tensors[f"{ours}.up"] = (
                down,
                ref.by_part(up)[ref.first_row : ref.first_row + linear.out_features],
            )
    if not scales:
        raise ModelFolderError(f"{folder / WEIGHTS} must hold low-rank matrices; got none.")
    check_shapes(
        base.loaded.model, scales, {name: tuple(each.shape) for name, each in tensors.items()}, folder / WEIGHTS
    )
    for module, pair in factors.items():
        settings.check_targeted(module)
        settings.check_rank(module, len(pair["lora_A"]))
    _check_all_there(base, settings, list(factors), folder / WEIGHTS)
    if broken := next((name for name, each in tensors.items() if not each.isfinite().all()), None):
        raise ModelFolderError(
            f"{folder / WEIGHTS}: {broken} must hold finite numbers; it does not. The file is damaged."
        )
    return Adapter(scales, folder / WEIGHTS, held=tensors)


def _check_all_there(base: ForeignModel, settings: LoraSettings, modules: Sequence[str], path: Path) -> None:
    """Make sure that each linear map which the configuration chooses has matrices.

    Args:
        modules: those that have. The model's names may have another beginning.
    Raises:
        ModelFolderError: one has none.
    """
    model, first = base.loaded.model, modules[0]
    theirs = _our_maps(first, base)[0][1].name.removesuffix(".weight")
    added, left_out = first[: -len(theirs)], theirs[: -len(first)]
    for ours, part in model.named_modules():
        ref = base.refs.get(f"{ours}.weight") if isinstance(part, nn.Linear) else None
        if ref is None or (settings.targets_all and model.part_of(ours) not in model.layer_stacks()):
            continue  # PEFT counts no map of a head among all
        name = added + ref.name.removesuffix(".weight").removeprefix(left_out)
        if name not in modules and settings.chooses(name):
            raise ModelFolderError(
                f"{path} must hold lora_A and lora_B of {name}, which target_modules of {CONFIG} choose; got neither. The "
                "file is damaged, or of another adapter."
            )


def _check_layers(base: ForeignModel) -> None:
    """Make sure that each layer has weights of its own: one update there would be one for each of our layers."""
    if getattr(base.loaded.model.config, "weights_from", []):
        raise ModelFolderError(
            f"{base.path} must have weights of its own in each layer for adapters of PEFT; it does not."
        )


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
    _check_layers(base)
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
        tensors[f"{PREFIX}{name}.lora_B.weight"] = parts[0][0].by_head(up)
    with aside(output) as new:
        safetensors.torch.save_file(tensors, new / WEIGHTS, metadata={"format": "pt"})
        config = _config(adapted_model, base, ranks, [ref.transposed for parts in groups.values() for ref, _ in parts])
        (new / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return list(groups)


def _config(model: Model, base: ForeignModel, ranks: Mapping[str, int], transposed: Sequence[bool]) -> dict[str, Any]:
    """The configuration that PEFT reads beside the matrices. The scale is 1: it is in the matrices."""
    rank = max(ranks.values())
    # PEFT takes the first name that the end of a module's name fits, so the longest stand first, and all where any is needed.
    others = dict(sorted(ranks.items(), key=lambda item: -len(item[0]))) if {*ranks.values()} != {rank} else {}
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
        "bias": "none",
        "use_dora": False,
    }


def _our_maps(module: str, base: ForeignModel) -> list[tuple[str, TensorRef]]:
    """The linear maps of ours that a module of theirs holds.

    The adapter may have been made for a class with a head and the model be stored without one, or the other way round: then one
    name has a beginning more.

    Raises:
        ModelFolderError: there are none, or several modules could be meant.
    """
    found: dict[str, list[tuple[str, TensorRef]]] = defaultdict(list)
    for name, part in base.loaded.model.named_modules():
        ref = base.refs.get(f"{name}.weight") if isinstance(part, nn.Linear) else None
        if ref is not None:
            theirs = ref.name.removesuffix(".weight")
            if _is_suffix(module, theirs) or _is_suffix(theirs, module):
                found[theirs].append((name, ref))
    if module in found:
        return found[module]
    if not found:
        raise ModelFolderError(f"{base.path} must have the linear map {module}, which is adapted; it does not.")
    if len(found) > 1:
        raise ModelFolderError(
            f"{base.path} must have one linear map {module}, which is adapted; got {', '.join(sorted(found))}."
        )
    return next(iter(found.values()))


def _is_suffix(name: str, ending: str) -> bool:
    """Whether a dotted name is equal to another one, or ends with it."""
    return name == ending or name.endswith(f".{ending}")
