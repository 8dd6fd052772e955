"""A device that computes on the CPU and behaves like a GPU: whoever wants to know a value of it must wait, which is counted.

Its tensors say that they are on `meta`, so that code takes the branches of a GPU. An operation on tensors of it and of the
CPU together fails, but for single numbers and indices, as on a GPU. A copy that is not waited for (`non_blocking`) holds ones
until something else is waited for.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

META, CPU = torch.device("meta"), torch.device("cpu")
WAITS = {
    "_local_scalar_dense",
    "nonzero",
    "equal",
    "is_nonzero",
    "masked_select",
    "_unique2",
    "unique_dim",
    "repeat_interleave.Tensor",
}
MIXES = {
    "index",
    "index_put",
    "index_put_",
    "_index_put_impl_",
    "copy_",
    "_pack_padded_sequence",
    "_pad_packed_sequence",
    "gru",
    "lstm",
}


class OnDevice(Tensor):
    """A tensor of the device; its values are in `values`, on the CPU."""

    values: Tensor

    @staticmethod
    def __new__(cls, values: Tensor) -> OnDevice:
        made = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            values.shape,
            strides=values.stride(),
            storage_offset=values.storage_offset(),
            dtype=values.dtype,
            device=META,
        )
        made.values = values
        return made

    def __repr__(self, **settings: Any) -> str:
        return f"OnDevice({self.values!r})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("the device is not running")


class SimulatedDevice(TorchDispatchMode):
    """While this is on, `meta` is the device. `waits` counts by what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: Counter[str] = Counter()
        self._late: list[tuple[Tensor, Tensor]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        given = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, Tensor)]
        ours = [x for x in given if isinstance(x, OnDevice)]
        name = func.name().removeprefix("aten::")
        short = name.partition(".")[0]
        to_cpu = kwargs.get("device") == CPU and bool(ours)
        is_ours = bool(ours) or kwargs.get("device") == META
        if short in MIXES and not isinstance(args[0], OnDevice):
            is_ours, to_cpu = False, short == "copy_" and bool(ours)
        if kwargs.get("device") == META:
            kwargs["device"] = CPU
        is_late = to_cpu and short in ("to", "_to_copy") and bool(kwargs.get("non_blocking"))
        if is_late:
            is_ours = False
        elif ours and (to_cpu or short in WAITS or name in WAITS or _indexed_by_mask(short, args)):
            self.waits[name] += 1
            self._arrive()
            is_ours = is_ours and not to_cpu
        elif ours and short not in (*MIXES, "_to_copy"):
            mixed = [x for x in given if not isinstance(x, OnDevice) and x.ndim]
            assert not mixed, f"{name}: tensors on the device and on the CPU"
        with torch.utils._python_dispatch._disable_current_modes():
            found = func(*_opened(args), **_opened(kwargs))
        if is_late:
            found = self._not_yet(found)
        if func._schema.is_mutable and isinstance(args[0], OnDevice):
            return args[0]
        if short == "_pack_padded_sequence":  # how many rows there are at each place stays on the CPU
            return OnDevice(found[0]), found[1]
        return tree_map(lambda x: OnDevice(x) if isinstance(x, Tensor) else x, found) if is_ours else found

    def _not_yet(self, copied: Tensor) -> Tensor:
        with torch.utils._python_dispatch._disable_current_modes():
            shown = torch.ones_like(copied)
        self._late.append((shown, copied))
        return shown

    def _arrive(self) -> None:
        with torch.utils._python_dispatch._disable_current_modes():
            for shown, copied in self._late:
                shown.copy_(copied)
        self._late.clear()


def _indexed_by_mask(short: str, args: Any) -> bool:
    """Whether indices are a mask, whose True values must be counted first."""
    return (
        len(args) > 1
        and isinstance(args[1], list | tuple)
        and "index" in short
        and any(isinstance(x, Tensor) and x.dtype == torch.bool for x in args[1])
    )


def _opened(given: Any) -> Any:
    return tree_map(lambda x: x.values if isinstance(x, OnDevice) else x, given)


def moved(model: nn.Module) -> nn.Module:
    """A model on the device, in place."""
    for module in model.modules():
        for name, parameter in list(module._parameters.items()):
            if parameter is not None:
                module._parameters[name] = nn.Parameter(OnDevice(parameter.detach()), requires_grad=False)
        for name, buffer in list(module._buffers.items()):
            if buffer is not None:
                module._buffers[name] = OnDevice(buffer)
    return model
