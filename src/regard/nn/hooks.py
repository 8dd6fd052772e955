"""Forward hooks that belong to a call: they run only inside the `with`.

PyTorch's own hooks are kept in the module. A module that two threads share then calls the hooks of both for each: one thread
notes the other's attention, and takes its heads away. The hooks here are kept in a context variable, so that they belong to
the thread or the asyncio task that opened the context, and to the threads that were started with a copy of its context
(`contextvars.copy_context`, `asyncio.to_thread`). The module itself is never changed.

A graph that `torch.compile` or `torch.export` has traced calls no hooks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import nn

BeforeHook = Callable[..., None]
"""Is called with a module's inputs, by position."""
AfterHook = Callable[[Any], Any]
"""Is called with a module's output; what it returns takes the output's place."""


class _Hooks(NamedTuple):
    before: Mapping[nn.Module, BeforeHook]
    after: Mapping[nn.Module, AfterHook]


_ACTIVE: ContextVar[tuple[_Hooks, ...]] = ContextVar("regard_hooks", default=())


@contextmanager
def forward_hooks(
    *, before: Mapping[nn.Module, BeforeHook] | None = None, after: Mapping[nn.Module, AfterHook] | None = None
) -> Iterator[None]:
    """While this context lasts, calls of some modules in this thread or task run these hooks.

    Modules that call them are `Attention`, `EncoderLayer` and `DecoderLayer`.

    Args:
        before: of each module, what its inputs are shown to.
        after: of each module, what may change its output. Contexts may be nested: the outer one's hook comes first.
    """
    token = _ACTIVE.set((*_ACTIVE.get(), _Hooks(before or {}, after or {})))
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def in_turn(hooks: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """A hook for a module that has several places in a model, as layers that are tied have: each call runs the next hook.

    Each thread counts for itself.
    """
    if len(hooks) == 1:
        return hooks[0]
    counts = threading.local()

    def run(*given: Any) -> Any:
        count = getattr(counts, "count", 0)
        counts.count = (count + 1) % len(hooks)
        return hooks[count](*given)

    return run


def hooks_of(places: Mapping[Any, nn.Module], hook: Callable[..., Any]) -> dict[nn.Module, Callable[..., Any]]:
    """A hook on each module that tells `hook` the place that was called, first; a module with several has its calls in turn."""
    by_module: dict[nn.Module, list[Callable[..., Any]]] = {}
    for place, module in places.items():
        by_module.setdefault(module, []).append(partial(hook, place))
    return {module: in_turn(hooks) for module, hooks in by_module.items()}


def show_inputs(module: nn.Module, *inputs: Any) -> None:
    """Call the hooks on a module's inputs."""
    if torch.compiler.is_compiling():
        return
    for hooks in _ACTIVE.get():
        hook = hooks.before.get(module)
        if hook is not None:
            hook(*inputs)


def changed_output(module: nn.Module, output: Any) -> Any:
    """The output of a module after its hooks."""
    if torch.compiler.is_compiling():
        return output
    for hooks in _ACTIVE.get():
        hook = hooks.after.get(module)
        if hook is not None:
            output = hook(output)
    return output


def hooked(*modules: nn.Module) -> bool:
    """Whether a hook is set on one of these modules by this thread or task."""
    return any(module in hooks.before or module in hooks.after for hooks in _ACTIVE.get() for module in modules)


def inputs_wanted() -> bool:
    """Whether this thread or task has a hook on inputs: then no shortcut around a module may be taken."""
    return any(hooks.before for hooks in _ACTIVE.get())


def hooks_wanted() -> bool:
    """Whether this thread or task has a hook of any kind, on whatever module."""
    return bool(_ACTIVE.get())


def is_only_forward(module: nn.Module) -> bool:
    """Whether calling a module runs the `forward` of its class and nothing else: no hook of PyTorch, and no other method in its
    place.
    """
    everywhere = nn.modules.module
    return not (
        "forward" in vars(module)
        or module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or module._backward_pre_hooks
        or everywhere._global_forward_hooks or everywhere._global_forward_pre_hooks
        or everywhere._global_backward_hooks or everywhere._global_backward_pre_hooks
    )  # fmt: skip
