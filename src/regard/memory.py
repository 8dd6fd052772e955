"""The memory that a model needs and that is free: checked before anything is allocated.

A model on the device `meta` has shapes but no numbers. It is what a file of weights is compared with, and what is counted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.errors import ModelFolderError, SettingsError
from regard.models.config import ModelConfig
from regard.models.heads import multihead_attentions
from regard.models.interface import Model
from regard.models.parts import EmbeddedPositions
from regard.models.registry import build
from regard.nn.multihead import MultiHeadAttention

TABLE_PREFIX = "sinusoidal"
"""The names of the tables of positions that are computed begin with this."""
WEIGHT_BYTES = 4
"""The bytes of a parameter in float32."""
CONTROL_GROUPS = (
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""The files in which Linux describes a container's memory: the folder, the limit, what is used, and what of that can be
given back.
"""


class Size(NamedTuple):
    """The number of parameters of a model, and of other numbers it holds."""

    num_parameters: int
    fixed_bytes: int
    """The bytes of tables that are computed and not learnt, such as sinusoids."""


class _NoInitialization(TorchFunctionMode):
    """A context in which parameters are not initialized."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in (Tensor.normal_, Tensor.uniform_, Tensor.mul) or getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def meta_model(config: ModelConfig) -> Model:
    """A model on the device `meta`: its parameters have shapes, and no memory. Sinusoids are left out.

    Drawing numbers or computing sinusoids on `meta` gives nothing, and takes seconds, in which torch imports its own compiler.
    """
    pruned = getattr(config, "pruned_heads", {})
    left_out: dict[str, Any] = {"pruned_heads": {}} if pruned else {}
    if getattr(config, "positions", "").startswith(TABLE_PREFIX):
        left_out["positions"] = "none"
    with torch.device("meta"), _NoInitialization():
        model = build(config.model_copy(update=left_out))
        for site, attention in multihead_attentions(model).items() if pruned else ():
            _prune_shapes(attention, len(pruned.get(str(site), ())))
    model.config = config
    return model


def _prune_shapes(attention: MultiHeadAttention, num_pruned: int) -> None:
    """Give an attention the shapes that it has after this many heads are pruned."""
    num_kept = attention.num_heads - num_pruned
    num_groups = num_kept * attention.num_kv_heads // attention.num_heads
    projections = attention.query_proj, attention.key_proj, attention.value_proj
    widths = num_kept * attention.head_dim, num_groups * attention.head_dim, num_groups * attention.value_head_dim
    for projection, width in zip(projections, widths, strict=True):
        for name, parameter in list(projection.named_parameters()):
            setattr(projection, name, nn.Parameter(parameter[:width]))
    output = attention.output_proj.weight
    attention.output_proj.weight = nn.Parameter(output[:, : num_kept * attention.value_head_dim])


def meta_model_for(config: ModelConfig, tensors: Collection[str], where: Path | str) -> Model:
    """A model on the device `meta`, to compare with a file's tensors; never one of more layers than they can fill.

    Raises:
        ModelFolderError: there are fewer tensors than the configuration has attentions.
    """
    num_attentions = len(set(getattr(config, "weights_from", []))) or sum(getattr(config, "attentions", {}).values())
    if num_attentions > len(tensors):
        raise ModelFolderError(
            f"{where} must hold the tensors of the model in its configuration; got {len(tensors):,}, and it has "
            f"{num_attentions:,} attentions."
        )
    return meta_model(config)


def model_size(config: ModelConfig) -> Size:
    """Count the numbers that a model would hold, pruned heads included, however many layers it has.

    Layers are alike: what the second one adds, all others do.
    """
    stacks = [name for name in type(config).model_fields if name.startswith("num_") and name.endswith("layers")]
    by_layer: dict[str, Any] = {"pruned_heads": {}, "weights_from": [], "windows": [], "encoder_windows": None}
    shallow = {
        **dict.fromkeys(stacks, 1),
        **{name: value for name, value in by_layer.items() if name in type(config).model_fields},
    }
    num_own = len(set(getattr(config, "weights_from", [])))
    least = _counted(config.model_copy(update=shallow))
    num_parameters = least.num_parameters
    for stack in stacks:
        added = _counted(config.model_copy(update=shallow | {stack: 2})).num_parameters - least.num_parameters
        num_parameters += ((num_own or getattr(config, stack)) - 1) * added
    return Size(num_parameters, least.fixed_bytes)


def _counted(config: ModelConfig) -> Size:
    model, fixed = meta_model(config), 0
    if getattr(config, "positions", "").startswith(TABLE_PREFIX):
        num_tables = sum(isinstance(module, EmbeddedPositions) for module in model.modules())
        fixed = num_tables * config.max_positions * config.model_dim * WEIGHT_BYTES
    return Size(sum(parameter.numel() for parameter in model.parameters()), fixed)


def lack_of_memory(
    config: ModelConfig, device: torch.device, *, bytes_per_parameter: float = WEIGHT_BYTES
) -> str | None:
    """A text with the memory that a model needs and that a device has; None: it is enough, or unknown.

    Args:
        bytes_per_parameter: 4 for the weights alone; more to train.
    """
    free = free_bytes(device)
    if free is None:
        return None
    size = model_size(config)
    needed = size.num_parameters * bytes_per_parameter + size.fixed_bytes
    if needed <= free:
        return None
    return (
        f"{size.num_parameters:,} parameters, which need at least {needed / 1e9:,.1f} GB, of which {free / 1e9:,.1f} GB are "
        f"free on {device}"
    )


def check_room_to_train(config: ModelConfig, device: torch.device, *, bytes_per_parameter: float) -> None:
    """Make sure that a model that is about to be trained has room.

    Raises:
        SettingsError: it has none; the message says how much it needs.
    """
    host = torch.device("cpu")  # where it is made
    lack = lack_of_memory(config, device, bytes_per_parameter=bytes_per_parameter)
    if lack is None and device != host:
        lack = lack_of_memory(config, host)
    if lack is not None:
        raise SettingsError(
            f"the model must fit into memory, with its gradients and what the optimizer keeps; got {lack}. Make it smaller: "
            "model.model_dim, the number of layers, the vocabulary, or another preset."
        )


def free_bytes(device: torch.device, root: Path = Path("/")) -> int | None:
    """The free memory of a device; None: unknown.

    Args:
        root: of the file system that Linux describes itself in.
    """
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if device.type != "cpu":
        return None
    known = [bytes for bytes in (_machine_free_bytes(root), *_container_free_bytes(root)) if bytes is not None]
    return max(min(known), 0) if known else None


def _machine_free_bytes(root: Path) -> int | None:
    """The memory that Linux says can be had without writing anybody else's to the disk, and the room on the disk for
    that; on other systems, all that there is.
    """
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        found = {line.partition(":")[0]: int(line.split()[1]) << 10 for line in lines if line.endswith("kB")}
        return found["MemAvailable"] + found.get("SwapFree", 0)
    except (OSError, ValueError, KeyError, IndexError):
        names = getattr(os, "sysconf_names", {})
        pages, size = ("SC_PHYS_PAGES", "SC_PAGE_SIZE")
        return os.sysconf(pages) * os.sysconf(size) if pages in names and size in names else None


def _container_free_bytes(root: Path) -> list[int]:
    """The free memory within the limit of a container, if there is one."""
    found = []
    for folder, limit, used, unneeded in CONTROL_GROUPS:
        try:
            least, now = (int((root / folder / name).read_text()) for name in (limit, used))
            stat = dict(line.split() for line in (root / folder / "memory.stat").read_text().splitlines())
            found.append(least - now + int(stat.get(unneeded, 0)))
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
    return found
