"""Detection of changes of models since an engine copied their weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int64, c_void_p
from operator import attrgetter, is_
from typing import Any

import torch
from torch import Tensor, nn

from regard.compiled.library import Library, find

WHOLE_MODEL = 65_536
"""The number of parameters up to which all numbers of a model are compared."""
WHOLE_TENSOR = 4_096
"""The size up to which tensors of larger models are compared whole; of others, some numbers of each row and column."""
NOT_OURS = frozenset(vars(nn.Module())) - {"training"}
"""The attributes that every module has. Parameters, buffers, modules and hooks are looked at apart."""
PLAIN = (nn.Linear, nn.Identity, nn.ModuleList)
"""Modules that compute from their tensors and modules alone."""
HOOKS = ("_forward_hooks", "_forward_pre_hooks")
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""The types in which numbers of so many bytes are compared, so that NaN equals itself."""


class Snapshot:
    """A snapshot of all that some models compute from: tensors, modules and their classes, hooks, methods that were replaced,
    and numbers such as a norm's epsilon.

    Three things are compared: which objects there are; where their tensors lie, and how often PyTorch has written to them; and
    what is in the tensors, as PyTorch does not count what is written through `.data` or NumPy. Of large tensors only a few
    numbers of each row and each column are compared, each time the same ones. So a training step, a merged adapter, an
    average, a row, a column, the first or the last number of a tensor is seen. Other single numbers of a large tensor are not.

    It is made once and looked at before each translation, so that it must take little time.
    """

    def __init__(self, models: Sequence[nn.Module]) -> None:
        modules = list({id(module): module for model in models for module in model.modules()}.values())
        self._global = [getattr(torch.nn.modules.module, f"_global{kind}") for kind in HOOKS]
        hooks = [getattr(module, kind) for module in modules for kind in HOOKS]
        children = [module._modules for module in modules if module._modules]
        self._lists = [*map(vars, modules), *children, *hooks, *self._global]
        objects = [
            (part, name)
            for module in modules
            for part in (module._parameters, module._buffers, module._modules)
            for name in part
        ]
        settings = [
            (vars(module), name)
            for module in modules
            for name, value in vars(module).items()
            if name not in NOT_OURS and (type(module) not in PLAIN or isinstance(value, Tensor))
        ]
        objects += [slot for slot in settings if isinstance(slot[0][slot[1]], Tensor)]
        settings = [slot for slot in settings if not isinstance(slot[0][slot[1]], Tensor)]
        self._objects, self._settings = _Slots(objects), _Slots(settings)
        self._kept = list(self._objects.values())  # so that no new object gets the identity of one of these
        self._values = [
            value.copy() if isinstance(value, list | dict | set) else value for value in self._settings.values()
        ]
        tensors = {id(value): value for value in self._kept if isinstance(value, Tensor)}
        self._tensors = [x for x in tensors.values() if _is_plain(x)]
        self._places = [
            x.detach() for x in self._tensors
        ]  # they keep the memory, so that no new tensor gets its address
        # Tensors of inference mode, such as a divided model's while it is put together, count no versions.
        self._counted = [x for x in self._tensors if not x.is_inference()]
        self._modules, self._types = modules, list(map(type, modules))
        self._sizes = list(map(len, self._lists))
        self._versions = list(map(_version, self._counted))
        self._contents = _Contents(self._places)

    def has_changed(self, *, only_globally: bool = False) -> bool:
        """Whether anything has changed since the snapshot.

        Args:
            only_globally: look only at the hooks that all modules have.
        """
        if only_globally:
            return list(map(len, self._global)) != self._sizes[-len(self._global) :]
        try:
            return (
                list(map(len, self._lists)) != self._sizes
                or not all(map(is_, self._objects.values(), self._kept))
                or list(map(type, self._modules)) != self._types
                or list(map(_version, self._counted)) != self._versions
                or not all(map(Tensor.is_set_to, self._tensors, self._places))
                or list(self._settings.values()) != self._values
                or self._contents.have_changed()
            )
        except (
            RuntimeError,
            TypeError,
            ValueError,
        ):  # tensors of another dtype or device, or settings that cannot be compared
            return True


_version = attrgetter("_version")


def _is_plain(x: Tensor) -> bool:
    """Whether a tensor has its numbers in memory of its own; one of FSDP has a part of them."""
    return type(x).__torch_dispatch__ is Tensor.__torch_dispatch__


class _Slots:
    """Entries of dictionaries."""

    def __init__(self, slots: Sequence[tuple[dict[str, Any], str]]) -> None:
        self._dicts, self._names = [part for part, _ in slots], [name for _, name in slots]

    def values(self) -> Iterator[Any]:
        """The present values; None for one that is gone."""
        return map(dict.get, self._dicts, self._names)


class _Contents:
    """The numbers in some tensors on the CPU, and a test whether they are still the same.

    Args:
        tensors: stay where they are.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors = [x for x in tensors if x.device.type == "cpu" and x.layout == torch.strided and x.numel()]
        is_small = sum(map(Tensor.numel, self._tensors)) <= WHOLE_MODEL
        self._steps = [1 if is_small or x.numel() <= WHOLE_TENSOR else _step(x) for x in self._tensors]
        library = find().library
        same = self._by_library(library) if library is not None else self._by_torch()
        self.have_changed: Callable[[], bool] = lambda: not same()

    def _by_library(self, library: Library) -> Callable[[], bool]:
        found: list[tuple[int, int, int]] = []
        for x, step in zip(self._tensors, self._steps, strict=True):
            start, size = x.data_ptr(), _num_spanned(x) * x.element_size()
            found.append((start, size, 0 if step == 1 else step * x.element_size()))
            if step > 1:  # C leaves out what is shorter than eight bytes at the end
                found.append((start + size - 8, 8, 0))
        starts, sizes, steps = zip(*found, strict=True) if found else ((), (), ())
        count = len(found)
        areas = count, (c_void_p * count)(*starts), (c_int64 * count)(*sizes), (c_int64 * count)(*steps)
        kept = torch.empty(library.functions.regard_sample(*areas, None), dtype=torch.uint8, device="cpu")
        library.functions.regard_sample(*areas, kept.data_ptr())
        return lambda: bool(library.functions.regard_is_sample(*areas, kept.data_ptr()))

    def _by_torch(self) -> Callable[[], bool]:
        by_size: dict[torch.dtype, list[Tensor]] = {}
        for x, step in zip(self._tensors, self._steps, strict=True):
            if (bits := BITS.get(x.element_size())) is not None:
                whole = x.view(bits).as_strided((_num_spanned(x),), (1,))
                by_size.setdefault(bits, []).extend([whole[::step], whole[-1:]])
        before = {bits: torch.cat(numbers) for bits, numbers in by_size.items()}
        return lambda: all(torch.equal(torch.cat(numbers), before[bits]) for bits, numbers in by_size.items())


def _step(x: Tensor) -> int:
    """The number of elements from one that is compared to the next, so that each row and each column of a matrix has one.

    It is below the number of columns, so that no row is left out; it has no divisor in common with that number, and is at most
    the number of rows, so that there are as many steps as columns, and each ends in another one.
    """
    columns = min((stride for stride in x.stride() if stride > 1), default=1)  # of the matrix as it lies in memory
    step = min(_num_spanned(x) // columns, columns - 1)
    while step > 1 and math.gcd(step, columns) > 1:
        step -= 1
    return max(step, 1)


def _num_spanned(x: Tensor) -> int:
    """The number of elements from the first of a tensor to its last in memory."""
    return 1 + sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
