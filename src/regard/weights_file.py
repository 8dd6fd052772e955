"""The weights of a model folder, `model.safetensors`: float32, or matrices of 8 bits with a scale for each row.

A matrix NAME of 8 bits is stored as two tensors: NAME, its bytes, and NAME.scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from regard.errors import ModelFolderError, SettingsError
from regard.memory import lack_of_memory, meta_model, meta_model_for
from regard.models.config import ModelConfig
from regard.models.deviation import deviation
from regard.models.interface import Model, stored_tensors
from regard.nn.quantization import dequantized, quantized
from regard.text.lines import write_whole

NUMBERS = ("F32", "F16", "BF16", "F64")
"""The dtypes that weights are read from, in the names of safetensors."""
BYTES, SCALE_NUMBERS = "I8", "F32"
SCALE = ".scale"
"""The end of the name of the scales of a matrix of 8 bits."""
FEWEST_COLUMNS = 64
"""The length of a row from which its numbers are stored in 8 bits. Short rows save little, and hold biases."""


def save_weights(path: Path, model: Model, dtype: torch.dtype = torch.float32) -> None:
    """Write the weights of a model, in one rename; matrices that the configuration ties are written once.

    Args:
        dtype: float32: as they are; int8: the matrices of `eight_bit_names` in 8 bits.
    Raises:
        SettingsError: the model was changed by hand into another than its configuration describes, so that what is written
            could not be loaded.
    """
    parameters: dict[str, Tensor] = dict(model.named_parameters(remove_duplicate=False))
    wanted = meta_model(model.config)
    if problem := deviation(model, wanted):
        raise SettingsError(
            f"a model must be what its configuration describes to be saved; got one in which {problem}."
        )
    tensors: dict[str, Tensor] = {}
    parameters |= dict(model.named_buffers())
    rounded = eight_bit_names(wanted) if dtype == torch.int8 else set()
    for name in stored_tensors(wanted):
        x = parameters[name].detach().cpu().contiguous()
        if not bool(x.isfinite().all()):
            raise SettingsError(f"{name} must hold finite numbers to be saved; it does not.")
        if name in rounded:
            tensors[name + SCALE], tensors[name] = quantized(x.float())
            continue
        is_shared = any(x.data_ptr() == other.data_ptr() for other in tensors.values())  # layers that were tied by hand
        tensors[name] = x.clone() if is_shared else x
    write_whole(path, safetensors.torch.save(tensors, metadata={"format": "pt"}))


def eight_bit_names(model: nn.Module) -> set[str]:
    """The names of the matrices of a model that a file of 8 bits rounds: of linear maps and of embeddings."""
    return {
        f"{name}.weight"
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear | nn.Embedding) and module.weight.shape[1] >= FEWEST_COLUMNS
    }


class WeightsSummary(NamedTuple):
    """The kinds of numbers in a file of weights."""

    num_rounded: int
    """The number of matrices of 8 bits."""
    num_others: int
    """The number of other tensors, scales not counted."""
    num_bytes: int

    def __str__(self) -> str:
        rounded = f"{self.num_rounded} matrices in 8 bits, " if self.num_rounded else ""
        return f"{rounded}{self.num_others} tensors in float32 or as wide, {self.num_bytes / 1e6:,.1f} MB"


def summarize_weights(path: Path) -> WeightsSummary:
    """The kinds of numbers in a file of weights, from its header.

    Raises:
        ModelFolderError: it is no safetensors file.
    """
    with _opened(path) as file:
        kinds = {name: file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118  # it is no dictionary
    num_rounded = sum(kind == BYTES for kind in kinds.values())
    return WeightsSummary(num_rounded, len(kinds) - 2 * num_rounded, path.stat().st_size)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file of weights, of which only the header has been read."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            yield file
    except (SafetensorError, OSError) as error:
        raise ModelFolderError(f"{path} must be a whole safetensors file; got: {error}.") from error


def check_weights(path: Path, config: ModelConfig) -> None:
    """Make sure that the tensors of a file are those of a configuration, before memory for them is allocated.

    Raises:
        ModelFolderError: one is missing, does not belong, or has another shape or kind; or there is no room for them.
    """
    with _opened(path) as file:
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # it is no dictionary
        found = {name: (tuple(part.get_shape()), part.get_dtype()) for name, part in parts.items()}
    shapes = stored_tensors(meta_model_for(config, found, path))
    wanted = {name: tuple(tensor.shape) for name, tensor in shapes.items()}
    scales = {
        name + SCALE: shape[:1]
        for name, shape in wanted.items()
        if len(shape) == 2 and found.get(name, ("", ""))[1] == BYTES  # rows and columns
    }
    for name in sorted((wanted | scales).keys() ^ found.keys()):
        problem = "is not one of them" if name in found else "is missing"
        raise ModelFolderError(f"{path} must hold the tensors of the model in config.json; {name} {problem}.")
    for name, shape in (wanted | scales).items():
        given, kind = found[name]
        if given != shape:
            raise ModelFolderError(f"{path}: {name} must have shape {shape}; got {given}.")
        if name in scales and kind != SCALE_NUMBERS:
            raise ModelFolderError(f"{path}: {name} must hold numbers of kind {SCALE_NUMBERS}; got {kind}.")
        allowed = (*NUMBERS, BYTES) if len(shape) == 2 else NUMBERS  # rows and columns
        if kind not in allowed:
            raise ModelFolderError(f"{path}: {name} must hold numbers of kind {', '.join(allowed)}; got {kind}.")
    if lack := lack_of_memory(config, torch.device("cpu")):
        raise ModelFolderError(f"{path.parent} must fit into memory; got {lack}.")


def load_weights(path: Path, model: Model) -> None:
    """Fill a model from a file that `check_weights` has found right.

    Raises:
        ModelFolderError: the file is damaged: a number is not finite, or a scale is negative.
    """
    with _opened(path) as file, torch.no_grad():
        for name, parameter in stored_tensors(model).items():
            found = file.get_tensor(name)
            if found.dtype == torch.int8:
                scales = file.get_tensor(name + SCALE)
                _check_scales(scales, found, f"{path}: {name}{SCALE}")
                found, model.weights_dtype = dequantized(scales, found), torch.int8
            parameter.copy_(found)
            if not parameter.isfinite().all():
                raise ModelFolderError(
                    f"{path}: {name} must hold finite numbers, as float32; it does not. The file is damaged."
                )


def _check_scales(scales: Tensor, rounded: Tensor, name: str) -> None:
    is_wrong = ~scales.isfinite() | (scales < 0) | ((scales == 0) & (rounded != 0).any(dim=1))
    if is_wrong.any():
        raise ModelFolderError(
            f"{name} must hold finite numbers above 0, or 0 for a row of zeros; got {scales[is_wrong][0]:g}. The file is "
            "damaged."
        )
