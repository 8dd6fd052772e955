"""Adapters of whole models: which linear maps get one, and the plain model of the same function."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn

from regard.errors import SettingsError
from regard.models.interface import Model
from regard.models.parameter_names import linears_named, parameters_named
from regard.nn.layers import BatchNorm
from regard.nn.lora import AdaptedLinear, AdapterChoice, ChosenAdapter

AnyModel = TypeVar("AnyModel", bound=Model)
AnyModule = TypeVar("AnyModule", bound=nn.Module)
LARGEST = torch.finfo(torch.bfloat16).max
"""The largest number of bfloat16, a little below that of float32."""
HOOKS = (
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
)  # fmt: skip
"""The dictionaries in which PyTorch keeps a module's forward hooks."""


class AdapterConfig(BaseModel):
    """The settings of an adapter."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    rank: int | None = Field(
        default=None, ge=1, le=65536, description="of each update; null: no adapter, all weights learn"
    )
    alpha: float | None = Field(
        default=None, gt=0, le=1e6, description="the update is multiplied by alpha / rank; null: twice the rank"
    )
    targets: list[Annotated[str, Field(min_length=1)]] | None = Field(
        default=None,
        min_length=1,
        description="parts or linear maps that are adapted, such as encoder or query_proj; null: all linear maps but the head's",
    )
    dropout: float = Field(default=0.0, ge=0, lt=1, description="of what the update reads, in training")
    whole: list[Annotated[str, Field(min_length=1)]] | None = Field(
        default=None,
        min_length=1,
        description="parts that learn as a whole beside the updates, and are stored with them, such as embeddings; null: none",
    )

    @property
    def scale(self) -> float:
        """The factor of the update."""
        assert self.rank is not None
        return 2.0 if self.alpha is None else self.alpha / self.rank


def add_adapter(model: Model, config: AdapterConfig) -> list[str]:
    """Put adapters beside some linear maps of a model, in place, and freeze its other parameters, but for those that learn as
    a whole. Returns the names of these. Batch norms use the running means of the base, as these are not stored with an adapter.

    Updates begin at 0: the model computes what it did. Their other factors are drawn from torch's default generator.

    Raises:
        SettingsError: `config.targets` or `config.whole` names a part that the model does not have, both name one, or nothing is
            left to adapt.
        ShapeError: the rank is larger than a map.
    """
    assert config.rank is not None
    whole = parameters_named(model, config.whole or [], "adapter.whole")
    if config.targets is None:
        names = [name for name in linears_named(model, ["*"], "adapter.targets") if model.part_of(name) != "output"]
    else:
        names = linears_named(model, config.targets, "adapter.targets")
        if both := next((name for name in names if f"{name}.weight" in whole), None):
            raise SettingsError(
                f"adapter.whole must name other parts than adapter.targets; both name {both}. Remove it from one of them."
            )
    names = [name for name in names if f"{name}.weight" not in whole]
    if not names:
        raise SettingsError(
            "adapter.whole must leave linear maps to adapt; got all of them. Remove some, or `adapter.rank`: then all weights "
            "learn."
        )
    model.requires_grad_(False)
    for module in model.modules():
        if isinstance(module, BatchNorm):
            module.is_frozen = True
    for name in names:
        _replace(model, name, AdaptedLinear(_linear(model, name), config.rank, config.scale, config.dropout))
    for name in whole:
        model.get_parameter(name).requires_grad_(True)
    return whole


def adapted(model: nn.Module) -> dict[str, AdaptedLinear]:
    """The adapted maps of a model, by name."""
    return {name: module for name, module in model.named_modules() if isinstance(module, AdaptedLinear)}


def put_adapter(model: Model, tensors: Mapping[str, Tensor], scales: Mapping[str, float]) -> None:
    """Put trained adapters beside some linear maps of a model, in place.

    Args:
        tensors: `down` and `up` of each map, as `query_proj.down`.
        scales: of each map, by name.
    """
    for name, scale in scales.items():
        down, up = tensors[f"{name}.down"], tensors[f"{name}.up"]
        module = AdaptedLinear(_linear(model, name), down.shape[0], scale)
        with torch.no_grad():
            module.down.copy_(down)
            module.up.copy_(up)
        _replace(model, name, module)


def put_parameters(model: Model, tensors: Mapping[str, Tensor]) -> None:
    """Give a model other parameters of the same shapes, in place, wherever it has them; the old ones stay as they are."""
    for name, tensor in tensors.items():
        old = model.get_parameter(name)
        new = nn.Parameter(tensor.to(old), requires_grad=old.requires_grad)
        for module in model.modules():  # tied ones stand in several
            for key, parameter in module.named_parameters(recurse=False):
                if parameter is old:
                    setattr(module, key, new)


@torch.no_grad()
def overflowing(model: nn.Module) -> str | None:
    """The first adapted map whose update cannot be computed: its numbers, or a product of them, are beyond what the types hold
    that models compute in. None: all can.
    """
    for name, module in adapted(model).items():
        down, up = module.down.float(), module.up.float()
        product = up @ down
        updated = module.weight.float() + module.scale * product
        for numbers in (down.abs().sum(dim=1), module.scale * up, product, updated):
            if not bool((numbers.abs() <= LARGEST).all()):
                return name
    return None


def merged(model: AnyModel) -> AnyModel:
    """A plain model of the same function: every update is added to the weight of its map.

    What is not adapted is shared with the model that is given, which stays as it is.
    """
    if not (maps := adapted(model)):
        return model
    plain = sharing(model)
    for name, module in maps.items():
        _replace(plain, name, module.merged())
    return plain


def with_same_updates(model: AnyModel, other: Model) -> AnyModel:
    """A model with the adapters of another one beside its weights, which it shares with the model that is given.

    Args:
        model: of the same architecture, without adapters.
        other: has the adapters, and the configuration of the result.
    Raises:
        SettingsError: a map that is adapted is not a linear map of the same sizes in `model`.
    """
    copied = sharing(model)
    copied.config = other.config
    for name, module in adapted(other).items():
        linear, new = _plain_linear(copied, name, module), sharing(module)
        new.weight, new.bias = linear.weight, linear.bias
        new.down, new.up = (nn.Parameter(each.detach().to(linear.weight)) for each in (module.down, module.up))
        _replace(copied, name, new)
    return copied.eval()


def _plain_linear(model: nn.Module, name: str, like: nn.Linear) -> nn.Linear:
    """The linear map of a name.

    Raises:
        SettingsError: there is none, it has other sizes than `like`, or it computes something else.
    """
    part = dict(model.named_modules()).get(name)
    is_linear = isinstance(part, nn.Linear) and type(part).forward is nn.Linear.forward and "forward" not in vars(part)
    if not isinstance(part, nn.Linear) or not is_linear or part.weight.shape != like.weight.shape:
        got = "none" if part is None else f"{part} with forward replaced" if "forward" in vars(part) else f"{part}"
        raise SettingsError(
            f"{name} must be Linear(in_features={like.in_features}, out_features={like.out_features}), as an adapter has "
            f"an update of it; got {got}. Load the model without this adapter."
        )
    return part


def with_choice(model: AnyModel, adapters: Sequence[Model], choice: AdapterChoice) -> AnyModel:
    """A model with several adapters, of which each example of a batch has one. All weights are shared.

    Args:
        adapters: the same model with each adapter beside its weights. They are numbered from 1.
        choice: what tells the model which example has which.
    """
    copied, maps = sharing(model), [adapted(each) for each in adapters]
    for name in sorted({name for each in maps for name in each}):
        updates = {number: each[name] for number, each in enumerate(maps, start=1) if name in each}
        _replace(copied, name, ChosenAdapter(_linear(copied, name), updates, choice))
    return copied


def sharing(model: AnyModule, modules: Sequence[nn.Module] = ()) -> AnyModule:
    """A model of the same weights and hooks, whose modules can be replaced, but for some that it shares."""
    hooks = [hook for module in model.modules() for kind in HOOKS for hook in getattr(module, kind).values()]
    return copy.deepcopy(model, {id(each): each for each in (*model.parameters(), *model.buffers(), *modules, *hooks)})


def _linear(model: nn.Module, name: str) -> nn.Linear:
    module = model.get_submodule(name)
    assert isinstance(module, nn.Linear), name
    return module


def _replace(model: nn.Module, name: str, module: nn.Module) -> None:
    """Put a module into the place of another one, whose hooks it gets."""
    outer, _, last = name.rpartition(".")
    old = model.get_submodule(name)
    for kind in HOOKS:
        setattr(module, kind, getattr(old, kind))
        setattr(old, kind, OrderedDict())
    setattr(model.get_submodule(outer), last, module)
