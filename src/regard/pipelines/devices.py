"""Which device a model computes on, by its name."""

from __future__ import annotations

import torch

from regard.errors import SettingsError

APPLE = "Apple's GPUs have no float64 and were never tried with Regard"
"""Why `auto` does not choose one (docs/gpu.md)."""


def resolve_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU of NVIDIA, AMD or Intel if there is one, otherwise the CPU.

    Raises:
        SettingsError: an unknown device, or one that this machine lacks.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "xpu" if torch.xpu.is_available() else "cpu")
    if name.partition(":")[0] == "mps" and not torch.backends.mps.is_available():
        raise SettingsError(
            f"device must be auto, cpu, or a GPU of this machine such as cuda; got {name!r}, but PyTorch finds no GPU of Apple "
            f"here. ({APPLE}.) Take device=auto."
        )
    try:
        device = torch.empty(0, device=name).device
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise SettingsError(
            f"device must be auto, cpu, or a GPU of this machine such as cuda; got {name!r}."
        ) from error
    if device.type == "meta":
        raise SettingsError(f"device must be auto, cpu, or a GPU of this machine such as cuda; got {name!r}.")
    return device


def left_out(name: str, chosen: torch.device) -> str:
    """Why a GPU of this machine was not chosen, for people; empty: none was left out.

    Args:
        name: of the device that was asked for.
    """
    if name == "auto" and chosen.type == "cpu" and torch.backends.mps.is_available():
        return f"on the CPU: {APPLE}; `--device mps` takes this machine's"
    return ""
