"""Types and shapes of arguments and results, checked at every call of our package while tests run."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping

import jaxtyping
from beartype import BeartypeConf, beartype
from beartype.door import die_if_unbearable
from torch import Tensor, nn

one_call = jaxtyping.jaxtyped
"""`with one_call("context")`: inside, each name of a dimension is one size. `install` replaces the name in jaxtyping."""

CONF = BeartypeConf(is_pep484_tower=True)
"""An int stands for a float, as in Python."""
with_types = beartype(conf=CONF)
"""Checks types."""


def install() -> None:
    """Check every function and data class of our package that is imported from now on.

    The import hook is jaxtyping's. The decorator that it writes into a module is ours: jaxtyping's own checks arguments twice,
    and notes sizes where there is no tensor, too. That took more than half of the time of the tests.
    """
    jaxtyping.jaxtyped = _as_the_hook_calls_it  # type: ignore[assignment]
    jaxtyping.install_import_hook("regard", "shape_checks.with_types")


def _as_the_hook_calls_it(*, typechecker: object) -> Callable[[object], object]:
    return checked


def checked(definition: typing.Any) -> typing.Any:
    """A function, method, property or data class with its checks."""
    if inspect.isclass(definition):
        if dataclasses.is_dataclass(definition) and "__init__" in vars(definition):
            definition.__init__ = _function(definition.__init__)  # type: ignore[misc]
        return definition
    if isinstance(definition, (classmethod, staticmethod)):
        return type(definition)(_function(definition.__func__))
    if isinstance(definition, property):
        return property(*(part and _function(part) for part in (definition.fget, definition.fset, definition.fdel)))
    return _function(definition)


def _function(function: Callable[..., object]) -> Callable[..., object]:
    """Beartype writes and compiles a check for each function. One within another is new at each call: its checks are kept."""
    checks = _CHECKS.get(function.__code__) or Checks(function)
    if inspect.isgeneratorfunction(function):  # what it yields, it yields during other calls
        return checks.of_arguments(function)
    within = "<locals>" in function.__qualname__
    if within:
        _CHECKS[function.__code__] = checks
    if within or "jaxtyping." in repr(checks.hints):
        return checks.of_arguments(function) if inspect.iscoroutinefunction(function) else checks.of_calls(function)
    written = function.__annotations__
    function.__annotations__ = checks.hints  # what beartype reads
    try:
        return with_types(function)
    finally:
        function.__annotations__ = written


class Checks:
    """The checks of one function. They are made once for all calls whose arguments and result have the same kinds."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.hints = {name: _resolved(hint, function) for name, hint in function.__annotations__.items()}
        self.signature = inspect.signature(function)
        self.passed: dict[object, set[object]] = {}

    def of_calls(self, function: Callable[..., object]) -> Callable[..., object]:
        """The function, with checks of its arguments and its result."""

        @functools.wraps(function)
        def checked_call(*arguments: object, **named: object) -> object:
            given = _kinds(arguments), _kinds(named.values()), *named
            if passed := self.passed.get(given):
                result = function(*arguments, **named)
                if _kinds((result,)) in passed:
                    return result
                with one_call("context"):
                    self.check_arguments(arguments, named)
                    self.check_result(result)
            else:
                with one_call("context"):
                    self.check_arguments(arguments, named)
                    result = function(*arguments, **named)
                    self.check_result(result)
            found = _kinds((result,))
            if None not in given and found is not None:
                self.passed.setdefault(given, set()).add(found)
            return result

        return checked_call

    def of_arguments(self, function: Callable[..., object]) -> Callable[..., object]:
        """The function, with checks of its arguments when it is called."""

        @functools.wraps(function)
        def checked_arguments(*arguments: object, **named: object) -> object:
            with one_call("context"):
                self.check_arguments(arguments, named)
            return function(*arguments, **named)

        return checked_arguments

    def check_arguments(self, arguments: tuple[object, ...], named: Mapping[str, object]) -> None:
        """Compare arguments with what is written."""
        try:
            bound = self.signature.bind(*arguments, **named).arguments
        except TypeError:  # the call itself says it better
            return
        for name, value in bound.items():
            if name in self.hints:
                kind = self.signature.parameters[name].kind
                for each in value if kind is _ALL else value.values() if kind is _NAMED else (value,):
                    die_if_unbearable(each, self.hints[name], conf=CONF)

    def check_result(self, result: object) -> None:
        """Compare a result with what is written."""
        if "return" in self.hints:
            die_if_unbearable(result, self.hints["return"], conf=CONF)


_ALL, _NAMED = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_CHECKS: dict[types.CodeType, Checks] = {}
"""Those of functions within functions."""


def _kinds(values: Iterable[object]) -> tuple[object, ...] | None:
    """What a check reads of values: of a tensor its type and shape, of an object its class. None if it reads what is inside."""
    kinds: list[object] = []
    for value in values:
        kind = type(value)
        if isinstance(value, Tensor):
            kinds.append((kind, value.dtype, value.shape))
        elif value is None or kind is str or kind is bool:  # Literal names values
            kinds.append((kind, value))
        elif isinstance(value, tuple):
            parts = _kinds(value)
            if parts is None:
                return None
            kinds.append((kind, parts))
        elif isinstance(value, Iterable) and not isinstance(value, nn.Module):
            return None
        else:
            kinds.append(kind)
    return tuple(kinds)


def _resolved(hint: object, function: Callable[..., object]) -> object:
    """A written annotation as an object. Any where it names what only type checkers import, or options by their names."""

    def annotated() -> None: ...

    annotated.__annotations__ = {"hint": hint}
    try:
        found = typing.get_type_hints(annotated, function.__globals__, include_extras=True)["hint"]
    except Exception:
        return typing.Any
    return typing.Any if typing.get_origin(found) is typing.Unpack else found
