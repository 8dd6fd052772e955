"""Checks of the arguments of public functions: a value of the wrong type is refused by the name of its argument.

What an argument may be is what its annotation says. Ranges are the functions' own business.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from inspect import Parameter, isgenerator, signature
from itertools import chain
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from regard.errors import DataError, RegardError, SettingsError, UnknownOptionError

Function = TypeVar("Function", bound=Callable[..., Any])
HOLD_DATA = {
    *("text", "texts", "line", "lines", "prompts", "sources", "source", "targets", "target", "references", "reference"),
    *("more_references", "prefixes", "required", "labels", "data", "valid"),
}
"""The arguments whose errors are about data, and not about settings."""
SEVERAL = (Sequence, Collection, Iterable, Iterator, list, tuple)
NAMES: dict[Any, str] = {
    str: "a string", int: "a whole number", float: "a number", bool: "True or False", NoneType: "None",
    os.PathLike: "a path", Callable: "a function",
}  # fmt: skip


class Mismatch(NamedTuple):
    """A part of an argument that is not as it must be."""

    path: str
    expected: Any
    """The annotation that the value does not fit."""
    got: Any


def checked(function: Function) -> Function:
    """Let a function refuse arguments of the wrong type before it begins.

    Raises:
        DataError: texts, or other data, of the wrong type.
        SettingsError: any other argument of the wrong type.
    """
    parameters = list(signature(function).parameters.values())
    by_place = [each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    by_name = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    given_so = {each.name: each.default for each in parameters if each.default is not Parameter.empty}

    @cache
    def expected() -> dict[str, Any]:
        """The annotations. They are read at the first call, when all that they name is there; or else they are unknown."""
        try:
            hints = get_type_hints(function)
        except NameError:  # imported for type checkers alone
            return {}
        return {each.name: hints[each.name] for each in parameters if each.name in hints and _is_one(each)}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        hints = expected()
        for name, value in chain(zip(by_place, args, strict=False), kwargs.items()):
            if name not in hints or value is given_so.get(name, Parameter.empty):
                continue
            if mismatch := _mismatch(name, value, hints[name]):
                raise _error(name, mismatch)
        with _allowing(by_name):
            found = function(*args, **kwargs)
        return _iterated(found, by_name) if isgenerator(found) else found

    return call  # type: ignore[return-value]  # it has the signature of `function`


@contextmanager
def _allowing(names: Collection[str]) -> Iterator[None]:
    """Let an unknown option be told that a function has arguments of its own, too."""
    try:
        yield
    except UnknownOptionError as error:
        raise UnknownOptionError(error.name, {*error.allowed, *names}) from error.__cause__


def _iterated(items: Iterable[Any], names: Collection[str]) -> Iterator[Any]:
    with _allowing(names):
        yield from items


def check_texts(texts: Iterable[Any], name: str = "texts", first: int = 0) -> None:
    """Make sure that texts are strings, where they come one after the other.

    Args:
        first: the index of the first.
    Raises:
        DataError: one is not.
    """
    for index, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise _error(name, Mismatch(f"{name}[{index}]", str, text))


def _is_one(parameter: Parameter) -> bool:
    return parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def _error(name: str, mismatch: Mismatch) -> RegardError:
    kind = DataError if name in HOLD_DATA else SettingsError
    got = f"{reprlib.repr(mismatch.got)} ({type(mismatch.got).__name__})"
    hint = (
        f" Write [{reprlib.repr(mismatch.got)}]."
        if isinstance(mismatch.got, str) and _takes_several(mismatch.expected)
        else ""
    )
    return kind(f"{mismatch.path} must be {_describe(mismatch.expected)}; got {got}.{hint}")


def _takes_several(hint: Any) -> bool:
    return any(get_origin(each) in SEVERAL for each in _alternatives(hint))


def _mismatch(path: str, value: Any, hint: Any) -> Mismatch | None:
    """The part of a value that does not fit an annotation; None: all fits."""
    if type(value) in _classes(hint):
        return None
    found = None
    for each in _alternatives(hint):
        mismatch = _mismatch_in_element(path, value, each)
        if mismatch is None:
            return None
        if len(mismatch.path) > len(path):  # the whole is right, and a part of it is not
            found = mismatch
    return found or Mismatch(path, hint, value)


def _alternatives(hint: Any) -> Sequence[Any]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@cache
def _classes(hint: Any) -> frozenset[type]:
    """The classes among the alternatives of an annotation: what is of one of them fits, whatever is in it."""
    return frozenset(each for each in _alternatives(hint) if isinstance(each, type) and not get_args(each))


def _mismatch_in_element(path: str, value: Any, hint: Any) -> Mismatch | None:
    origin, inner = get_origin(hint) or hint, get_args(hint)
    whole = Mismatch(path, hint, value)
    if origin in (Any, object) or isinstance(origin, TypeVar):
        return None
    if origin is Literal:
        return None if value in inner else whole
    if origin is Mapping or origin is dict:
        if not isinstance(value, Mapping):
            return whole
        parts = ((f"{path}[{key!r}]", part) for key, part in value.items())
        return _first_mismatch(parts, inner[1] if inner else Any)
    if origin is Callable:
        return None if callable(value) else whole
    if _is_record(hint):
        return _mismatch_in_record(whole, inner)
    if origin in SEVERAL:
        return _mismatch_in_list(whole, inner[0] if inner else Any)
    return None if _is_a(value, origin) else whole


def _mismatch_in_list(whole: Mismatch, inner: Any) -> Mismatch | None:
    """The part of a list that does not fit an annotation. Arrays and columns of tables are lists. A string is no list,
    and neither is a set.
    """
    path, hint, value = whole
    classes = _classes(inner)
    if isinstance(value, str | bytes | bytearray) or not hasattr(value, "__iter__"):
        return whole
    is_list = hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, Mapping)
    if not is_list:  # what is read one by one is checked when it is read
        is_read = get_origin(hint) in (Iterable, Iterator) and (inner is Any or not isinstance(value, Mapping))
        return None if is_read else whole
    if inner is Any or all(type(part) in classes for part in value):
        return None
    return _first_mismatch(((f"{path}[{index}]", part) for index, part in enumerate(value)), inner)


def _is_record(hint: Any) -> bool:
    """Whether an annotation is of a tuple with a kind for each of its places."""
    inner = get_args(hint)
    return get_origin(hint) is tuple and inner[1:] != (...,)


def _mismatch_in_record(whole: Mismatch, kinds: Sequence[Any]) -> Mismatch | None:
    """The part that does not fit of a tuple or list that has a kind for each of its places."""
    path, _, value = whole
    if not isinstance(value, tuple | list) or len(value) != len(kinds):
        return whole
    parts = (
        _mismatch(f"{path}[{index}]", part, kind) for index, (part, kind) in enumerate(zip(value, kinds, strict=True))
    )
    return next((mismatch for mismatch in parts if mismatch), None)


def _first_mismatch(parts: Iterable[tuple[str, Any]], hint: Any) -> Mismatch | None:
    return next((mismatch for path, part in parts if (mismatch := _mismatch(path, part, hint))), None)


def _is_a(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind. Numbers of other libraries are numbers; truth values are none."""
    if kind is int or kind is float:
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if kind is bool:
        return type(value).__name__ in ("bool", "bool_") or (isinstance(value, Integral) and value in (0, 1))
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False) > getattr(
        kind, "_is_runtime_protocol", False
    ):
        return True  # no class that can be asked for
    return isinstance(value, kind)


def _describe(hint: Any) -> str:
    """A description of an annotation, in words."""
    words = dict.fromkeys(_described_one(each) for each in _alternatives(hint))
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _described_one(hint: Any) -> str:
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if hint in NAMES or origin in NAMES:
        return NAMES.get(hint) or NAMES[origin]
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin is Mapping or origin is dict:
        return "a dictionary"
    if _is_record(hint):
        return f"a tuple of {', '.join(map(_describe, inner))}"
    if origin in SEVERAL:
        of = inner[0] if inner else Any
        return "a list of strings" if of is str else "a list of lists" if get_origin(of) in SEVERAL else "a list"
    name = getattr(origin, "__name__", str(origin))
    return "a path" if name == "Path" else f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
