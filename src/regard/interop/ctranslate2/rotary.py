"""Rotary positions in CTranslate2's files: numbers that each self-attention has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regard.errors import ModelFolderError
from regard.models.config import EncoderDecoderConfig, RotaryScalingConfig

NUMBERS = ("rotary_dim", "rotary_base", "rotary_interleave", "rotary_scaling_type", "rotary_scaling_factor")
OF_OTHER_SCALINGS = ("rotary_low_freq_factor", "rotary_high_freq_factor")
"""Numbers that are read with a kind of scaling which is refused."""
LINEAR = 0
"""CTranslate2's code of a scaling that divides all frequencies by one factor."""


def number_of_all(scalars: Mapping[str, np.ndarray], attentions: Sequence[str], name: str, where: str) -> float | None:
    """A number that all of some attentions have; None: none has it.

    Raises:
        ModelFolderError: attentions differ.
    """
    keys = [f"{attention}/{name}" for attention in attentions]
    found = {float(scalars[key]) if key in scalars else None for key in keys}
    if len(found) > 1:
        raise ModelFolderError(f"{where}: {name} must be equal in all layers to be represented in Regard; got {found}.")
    return found.pop()


def read_rotary(
    scalars: Mapping[str, np.ndarray], attentions: Sequence[str], head_dim: int, where: str
) -> dict[str, Any]:
    """Our settings of rotary positions; none, if a file has no rotary positions.

    Args:
        scalars: the single numbers of the file, by name.
        attentions: the names of its self-attentions.
        where: the file, as messages call it.
    Raises:
        ModelFolderError: attentions differ, or have what ours cannot represent.
    """
    numbers = {name: number_of_all(scalars, attentions, name, where) for name in NUMBERS}
    if numbers["rotary_dim"] is None or numbers["rotary_dim"] < 0:
        return {}
    if numbers["rotary_interleave"] != 0:  # without this number, too, CTranslate2 turns neighbours
        raise ModelFolderError(
            f"{where}: rotary_interleave must be 0 to be represented in Regard; got "
            f"{'none' if numbers['rotary_interleave'] is None else 1}."
        )
    base = numbers["rotary_base"]
    settings: dict[str, Any] = {"positions": "rotary", "rotary_base": 10_000.0 if base is None else base}
    if (rotated := int(numbers["rotary_dim"])) not in (0, head_dim):
        settings["rotary_dim"] = rotated
    if (kind := numbers["rotary_scaling_type"]) == LINEAR:
        factor = numbers["rotary_scaling_factor"]
        settings["rotary_scaling"] = RotaryScalingConfig(factor=1.0 if factor is None else factor)
    elif kind is not None and kind >= 0:
        raise ModelFolderError(
            f"{where}: rotary_scaling_type must be 0, linear, to be represented in Regard; got {int(kind)}."
        )
    return settings


def written_rotary(config: EncoderDecoderConfig, specs: Any) -> dict[str, Any]:
    """The arguments of CTranslate2's specifications of a stack. `specs` is its module."""
    if config.positions != "rotary":
        return {}
    arguments = {
        "rotary_dim": config.rotary_dim or config.head_dim,
        "rotary_base": config.rotary_base,
        "rotary_interleave": False,
    }
    if config.rotary_scaling is not None:
        arguments["rotary_scaling_type"] = specs.attention_spec.RotaryScalingType.Linear
        arguments["rotary_scaling_factor"] = config.rotary_scaling.factor
    return arguments
