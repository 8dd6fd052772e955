"""Changes by hand that a model's configuration does not describe."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import torch
from torch import nn

from regard.models.interface import Model
from regard.models.parts import EmbeddedPositions
from regard.nn.positions import LinearBias

RATES = ("dropout", "rate", "momentum", "is_frozen")
"""Settings of modules that matter in training only, and may be changed for it."""
ROUNDING = 0.01
"""The largest share by which numbers differ that were rounded to 16 bits meanwhile."""
OF_HEADS = ("num_heads", "num_kv_heads", "head_indices", "in_features", "out_features")
"""Settings that differ from the configuration where heads were removed; the shapes of their weights are compared."""


def deviation(model: Model, wanted: Model) -> str:
    """The parts of a model that its configuration does not describe; empty: none."""
    unlike = {*RATES, "training", *(OF_HEADS if getattr(model.config, "pruned_heads", None) else ())}
    ours, theirs = dict(model.named_modules(remove_duplicate=False)), dict(wanted.named_modules(remove_duplicate=False))
    for name in sorted(ours.keys() ^ theirs.keys()):
        return f"{name} is {'added' if name in ours else 'missing'}"
    for name, module in theirs.items():
        if type(ours[name]) is not type(module):
            return f"{name} is a {type(ours[name]).__name__}, not a {type(module).__name__}"
        given, expected = (dict(each.named_parameters(recurse=False)) for each in (ours[name], module))
        for key in sorted(given.keys() | expected.keys()):
            sizes = [tuple(each[key].shape) if key in each else None for each in (given, expected)]
            if sizes[0] != sizes[1]:
                return f"{name}.{key} has shape {sizes[0]}, not {sizes[1]}"
        for key, value in vars(module).items():
            is_plain = isinstance(value, float | int | str | tuple | None)  # int: of truth values, too
            is_setting = is_plain or is_dataclass(value)
            if not is_setting or key.startswith("_") or key in unlike:
                continue
            if (found := getattr(ours[name], key, None)) != value:
                return f"{name}.{key} is {found!r}, not {value!r}"
        for key, buffer in _as_made(ours[name], model.config):
            found = getattr(ours[name], key).float()
            if found.shape != buffer.shape or not torch.allclose(found, buffer, rtol=ROUNDING, atol=1e-5):
                return f"{name}.{key} has other numbers"
    shared: dict[int, str] = {}
    tied = dict(model.named_parameters(remove_duplicate=False))
    for name, parameter in wanted.named_parameters(remove_duplicate=False):
        first = shared.setdefault(id(parameter), name)
        if tied[first] is not tied[name]:
            return f"{name} is not tied to {first}"
    return ""


def changed_call(model: nn.Module) -> str:
    """A hook or a replaced method of one of a model's modules, as a sentence; empty: none. No file holds either."""
    for module in model.modules():
        name = type(module).__name__
        if module._forward_hooks or module._forward_pre_hooks:
            return f"a PyTorch hook is set on {name}"
        if replaced := [each for each in vars(module) if callable(getattr(type(module), each, None))]:
            return f"{name}.{replaced[0]} was replaced"
    return ""


def _as_made(module: nn.Module, config: Any) -> list[tuple[str, torch.Tensor]]:
    """The names of the buffers of a module that no file holds, with what they are when it is made."""
    if type(module) is LinearBias:
        return [("slopes", LinearBias(len(module.slopes)).slopes.to(module.slopes.device))]
    if type(module) is EmbeddedPositions and (waves := module.waves) is not None:
        made = EmbeddedPositions(config, waves.shape[-1]).waves
        assert made is not None
        return [("waves", made.to(waves.device))]
    return []
