"""Adapter folders: `adapter.safetensors` and `adapter.json`, all that a run has learnt beside a model that stays as it
is.

An adapter belongs to one model, whose checksum it records. With another one it is refused.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from torch import Tensor, nn

from regard.checkpoint import (
    ADAPTER_CONFIG,
    ADAPTER_PARTS,
    ADAPTER_WEIGHTS,
    LoadedModel,
    aside,
    sizes_of_vocabulary,
    with_tokens,
)
from regard.errors import ModelFolderError, SettingsError, first_problem
from regard.models.adaptation import LARGEST, adapted, merged, overflowing, put_adapter, put_parameters, sharing
from regard.models.config import SAME_WEIGHTS, ModelConfig
from regard.models.interface import Model
from regard.models.registry import build_from, changed_head, parse_config
from regard.names import is_file, is_folder
from regard.text.file_changes import Stamp, stamp
from regard.text.lines import write_whole

FORMAT_VERSION = 1
FACTORS = ("down", "up")
"""The names of an update's two matrices."""
HEAD = ("task", "labels")
CHANGES = (*HEAD, *SAME_WEIGHTS, "separator_id")
"""The settings of a model that an adapter may change."""
MOST_TRIED = 16
"""The number of tokens that a model with an adapter is tried with."""
LARGEST_NUMBER = 1e15
"""The largest number of a parameter that an adapter has as a whole: norms square vectors of such numbers, and add them up."""
NUMBERS = ("F32", "F16", "BF16")
"""The dtypes that adapters are read from, in the names of safetensors."""


class Base(BaseModel):
    """The model that an adapter belongs to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """The name of the folder, for messages."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """The checksum of its weights, as `weights_digest` computes it."""


class _Record(BaseModel):
    """The content of `adapter.json`."""

    model_config = ConfigDict(extra="forbid")

    format_version: int
    base: Base
    scales: dict[str, float] = Field(min_length=1)
    """The factor of the update of each adapted map."""
    model: dict[str, Any]
    """The configuration of the adapted model. It differs from the base's in its task and its labels, if at all."""
    whole: list[str] = []
    """The names of the base's parameters that it learnt as a whole."""
    tokens: list[str] = []
    """The tokens that its vocabulary has beside the base's."""


@dataclass(frozen=True)
class Adapter:
    """An adapter that was read. Its weights are read when the model is known that they must fit."""

    scales: Mapping[str, float]
    """The factor of the update of each adapted map."""
    weights: Path
    """The file of its weights."""
    base: Base | None = None
    """The model that the adapter belongs to; None: the file does not say."""
    config: ModelConfig | None = None
    """The configuration of the adapted model; None: the base's."""
    held: Mapping[str, Tensor] | None = None
    """The adapter's weights by our names, where they have been read from a file of another format."""
    whole: Sequence[str] = ()
    """The names of the base's parameters that it has in the place of the base's."""
    tokens: Sequence[str] = ()
    """The tokens that its vocabulary has beside the base's."""
    stamp: Stamp | None = None
    """The stamp of the files when the record was read; None: nobody compares it."""


def weights_digest(model: nn.Module) -> str:
    """A checksum of a model's parameters in float32, their names and shapes. It does not depend on the format of its folder."""
    digest = hashlib.sha256()
    for name, parameter in sorted(model.named_parameters()):
        digest.update(f"{name} {tuple(parameter.shape)}\n".encode())
        digest.update(parameter.detach().float().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def save_adapter(
    path: Path,
    model: Model,
    base: Base,
    new: Collection[str] = (),
    whole: Collection[str] = (),
    tokens: Sequence[str] = (),
) -> None:
    """Write the part of a model that was learnt beside its base, whole or not at all; an existing folder is replaced
    last.

    Args:
        new: parameters that learn beside the adapters: those of another head.
        whole: parameters of the base that learn as a whole.
        tokens: those that the model's vocabulary has beside the base's; then `whole` has their embeddings.
    Raises:
        ModelFolderError: the disk is full or the folder cannot be written. Nothing was changed.
    """
    with aside(path) as folder:
        scales = {name: module.scale for name, module in adapted(model).items()}
        _write_record(
            folder,
            _Record(
                format_version=FORMAT_VERSION, base=base, scales=scales, model=model.config.model_dump(mode="json"),
                whole=sorted(whole), tokens=list(tokens),
            ),
        )  # fmt: skip
        save_adapter_weights(folder, model, new, whole)


def change_adapter_config(path: Path, config: ModelConfig) -> None:
    """Replace the configuration of the model in an adapter folder, in one rename; all else that it records stays."""
    record = _Record.model_validate_json((path / ADAPTER_CONFIG).read_bytes())
    _write_record(path, record.model_copy(update={"model": config.model_dump(mode="json")}))


def _write_record(path: Path, record: _Record) -> None:
    content = record.model_dump_json(indent=2, exclude_defaults=True)  # older versions know no other keys
    write_whole(path / ADAPTER_CONFIG, f"{content}\n".encode())


def save_adapter_weights(path: Path, model: Model, new: Collection[str] = (), whole: Collection[str] = ()) -> None:
    """Replace the weights of an adapter folder, in one rename. The arguments are those of `save_adapter`."""
    kept = {*new, *whole, *(f"{name}.{factor}" for name in adapted(model) for factor in FACTORS)}
    tensors = {
        name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters() if name in kept
    }
    write_whole(path / ADAPTER_WEIGHTS, safetensors.torch.save(tensors, metadata={"format": "pt"}))


def is_adapter(path: Path | str) -> bool:
    """Whether a folder holds an adapter."""
    return all(is_file(Path(path) / part) for part in ADAPTER_PARTS)


def read_adapter(path: Path | str) -> Adapter:
    """Read the adapter of a folder, on the CPU.

    Raises:
        ModelFolderError: a part is missing or damaged, or of a later format.
    """
    folder = Path(path)
    if not is_adapter(folder):
        what = "an existing folder" if not is_folder(folder) else "an adapter folder"
        raise ModelFolderError(f"{folder} must be {what}. An adapter folder holds {' and '.join(ADAPTER_PARTS)}.")
    file, before = folder / ADAPTER_CONFIG, stamp(folder / part for part in ADAPTER_PARTS)
    try:
        record = _Record.model_validate_json(file.read_bytes())
        config = parse_config(record.model)
    except SettingsError as error:
        raise ModelFolderError(f"{file}: {error}") from error
    except ValidationError as error:
        raise ModelFolderError(f"{file}: {first_problem(error)}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelFolderError(f"{file} must be an adapter's record; got {error!r}. Is it whole?") from error
    if record.format_version != FORMAT_VERSION:
        raise ModelFolderError(
            f"{file}: format_version must be {FORMAT_VERSION}; got {record.format_version}. A newer Regard wrote it: "
            "pip install -U regard"
        )
    return Adapter(
        record.scales, folder / ADAPTER_WEIGHTS, record.base, config, None, record.whole, record.tokens, before
    )


def with_adapter(loaded: LoadedModel, adapter: Adapter, sha256: str | None = None) -> LoadedModel:
    """Add an adapter to the weights of a model, which gives a plain model. The arguments and errors are those of
    `adapt`.
    """
    model = merged(adapt(loaded, adapter, sha256)).eval()
    return with_tokens(loaded, adapter.tokens)._replace(model=model)


def adapt(loaded: LoadedModel, adapter: Adapter, sha256: str | None = None) -> Model:
    """Put an adapter beside the weights of a model. The result shares them with the model that is given.

    Args:
        sha256: the checksum of the model; None: it is computed.
    Raises:
        ModelFolderError: the adapter belongs to another model, its tensors do not fit, or its numbers are too large.
    """
    where = adapter.weights.parent
    if adapter.base is not None and (sha256 or weights_digest(loaded.model)) != adapter.base.sha256:
        raise ModelFolderError(
            f"{where} must be used with the model that it was trained with, {adapter.base.name}; this is another one."
        )
    model, new = _with_head(loaded, adapter, where)
    if unknown := sorted({*adapter.whole} - {name for name, _ in model.named_parameters()}):
        raise ModelFolderError(
            f"{where / ADAPTER_CONFIG}: `whole` must name parameters of the model; got {unknown[0]}."
        )
    own = [*new, *adapter.whole]
    tensors = dict(adapter.held) if adapter.held is not None else _tensors(model, adapter, own)
    if adapter.stamp is not None and stamp(where / part for part in ADAPTER_PARTS) != adapter.stamp:
        raise ModelFolderError(f"{where} must not change while it is read; it did. Load it again later.")
    with torch.no_grad():
        for name in new:
            model.get_parameter(name).copy_(tensors[name])
    if large := next((name for name in own if not bool((tensors[name].abs() <= LARGEST_NUMBER).all())), None):
        raise ModelFolderError(
            f"{adapter.weights}: {large} must hold numbers of at most {LARGEST_NUMBER:g}; it does not. "
            "The squares of larger ones, of whole vectors, are not finite."
        )
    put_parameters(model, {name: tensors[name] for name in adapter.whole})
    put_adapter(model, tensors, adapter.scales)
    if (broken := overflowing(model) or _overflowing_states(model.eval())) is not None:
        raise ModelFolderError(
            f"{adapter.weights}: {broken} with its update must be finite in float32 and bfloat16; it is not. "
            "The scale or the matrices are too large."
        )
    return model.eval()


@torch.no_grad()
def _overflowing_states(model: Model) -> str | None:
    """The first linear map of a model that makes of a few tokens numbers whose squares overflow, as norms square them.

    None: none does.
    """
    config, device, found = model.config, next(model.parameters()).device, list[str]()

    def look(name: str, output: Tensor) -> None:
        if not bool((output.float().abs() <= LARGEST**0.5).all()):
            found.append(name)

    hooks = [
        module.register_forward_hook(lambda _module, _inputs, output, name=name: look(name, output))
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear)
    ]
    most = min(config.max_positions, MOST_TRIED)
    ids = [torch.arange(min(size, most), device=device)[None] for size in model.vocabulary_sizes]
    try:
        model.logits(model.states(*ids))
    finally:
        for hook in hooks:
            hook.remove()
    return found[0] if found else None


def _with_head(loaded: LoadedModel, adapter: Adapter, where: Path) -> tuple[Model, list[str]]:
    """The base as a model of its own, whose weights are shared; or one with another head or more tokens. And the names of the
    parameters of another head.

    Raises:
        ModelFolderError: the configuration differs in more than that.
    """
    base = loaded.model
    config = adapter.config or base.config
    changes = {name: getattr(config, name) for name in CHANGES if name in type(config).model_fields}
    if getattr(base.config, "pooler", False):
        changes["pooler"] = changes["task"] == "none"  # the head of a task takes its place
    if adapter.tokens:
        try:
            changes |= sizes_of_vocabulary(base.config, with_tokens(loaded, adapter.tokens))
        except SettingsError as error:
            raise ModelFolderError(f"{where / ADAPTER_CONFIG}: `tokens` must be tokens to add; {error}") from error
    if type(config) is not type(base.config) or base.config.model_copy(update=changes) != config:
        raise ModelFolderError(f"{where / ADAPTER_CONFIG}: `model` must be the base's, but for its head; it differs.")
    if any(getattr(config, name, None) != getattr(base.config, name, None) for name in HEAD):
        model, _ = build_from(config, base)
        return model, changed_head(model, base.config)
    model = build_from(config, base)[0] if adapter.tokens else sharing(base)
    model.config = config
    return model, []


def _tensors(model: Model, adapter: Adapter, new: Collection[str]) -> dict[str, Tensor]:
    """Read the tensors of an adapter's file: the updates, and the parameters that are not the base's.

    Their names and shapes are compared with the model before they are read.

    Raises:
        ModelFolderError: they do not fit.
    """
    path = adapter.weights
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118  # it is no dictionary
            shapes = {name: tuple(part.get_shape()) for name, part in parts.items()}
            if wrong := next((name for name, part in parts.items() if part.get_dtype() not in NUMBERS), None):
                raise ModelFolderError(f"{path}: {wrong} must hold numbers of kind {', '.join(NUMBERS)}.")
            check_shapes(model, adapter.scales, shapes, path, new)
            tensors = {name: file.get_tensor(name).float() for name in shapes}
    except (SafetensorError, OSError) as error:
        raise ModelFolderError(f"{path} must be a whole safetensors file; got: {error}.") from error
    if broken := next((name for name, tensor in tensors.items() if not tensor.isfinite().all()), None):
        raise ModelFolderError(f"{path}: {broken} must hold finite numbers; it does not. The file is damaged.")
    return tensors


def check_shapes(
    model: Model,
    scales: Mapping[str, float],
    shapes: Mapping[str, tuple[int, ...]],
    path: Path,
    new: Collection[str] = (),
) -> None:
    """Make sure that an adapter's tensors fit a model: two for each adapted map, and those of its own parameters.

    Raises:
        ModelFolderError: one is missing, belongs to nothing or has another shape; or what is adapted is no linear map.
    """
    maps = dict(model.named_modules())
    wanted = {name: tuple(model.get_parameter(name).shape) for name in new}
    for name, scale in scales.items():
        linear, rank = maps.get(name), (shapes.get(f"{name}.down") or (0,))[0]
        if not isinstance(linear, nn.Linear) or not math.isfinite(scale):
            raise ModelFolderError(f"{path.parent}: {name} must be a linear map, with a finite scale; it is not.")
        wanted |= {f"{name}.down": (rank, linear.in_features), f"{name}.up": (linear.out_features, rank)}
    for name in sorted(wanted.keys() | shapes.keys()):
        if wanted.get(name) != shapes.get(name):
            raise ModelFolderError(
                f"{path}: {name} must have shape {wanted.get(name, 'of no tensor')}; got {shapes.get(name, 'none')}."
            )
