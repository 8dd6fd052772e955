"""Types and shapes of arguments and results, checked at every call of our package while tests run."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Mapping

import jaxtyping
from beartype import BeartypeConf, beartype
from beartype.door import die_if_unbearable

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
    written = function.__annotations__
    hints = {name: _resolved(hint, function) for name, hint in written.items()}
    if inspect.isgeneratorfunction(function):
        return _generator(function, hints)
    function.__annotations__ = hints  # what beartype reads
    try:
        checked_types = with_types(function)
    finally:
        function.__annotations__ = written
    if "jaxtyping." not in repr(hints):
        return checked_types

    @functools.wraps(function)
    def checked_shapes(*arguments: object, **named: object) -> object:
        with one_call("context"):
            return checked_types(*arguments, **named)

    return checked_shapes


def _generator(function: Callable[..., object], hints: Mapping[str, object]) -> Callable[..., object]:
    """A generator with checks of its arguments when it is called: what it yields, it yields during other calls."""
    signature = inspect.signature(function)
    several = [
        name for name, each in signature.parameters.items() if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]

    @functools.wraps(function)
    def checked_arguments(*arguments: object, **named: object) -> object:
        with one_call("context"):
            for name, value in signature.bind(*arguments, **named).arguments.items():
                if name in hints and name not in several:
                    die_if_unbearable(value, hints[name], conf=CONF)
        return function(*arguments, **named)

    return checked_arguments


def _resolved(hint: object, function: Callable[..., object]) -> object:
    """A written annotation as an object. Any where it names what is imported for type checkers alone."""

    def annotated() -> None: ...

    annotated.__annotations__ = {"hint": hint}
    try:
        return typing.get_type_hints(annotated, function.__globals__, include_extras=True)["hint"]
    except Exception:
        return typing.Any
