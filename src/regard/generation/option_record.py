"""Records of options: names, ranges and defaults in one place, and errors in our own words."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from regard.errors import SettingsError, UnknownOptionError, short_repr

Record = TypeVar("Record", bound="Options")
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which no tokenizer reads."""


class Options(BaseModel):
    """Options by name. Those that are not given have their defaults.

    Raises:
        SettingsError: an unknown name, a value out of range, or an option that would have no effect.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    former_names: ClassVar[Mapping[str, str]] = {}
    """The names of options in earlier versions, with their names now."""

    def __init__(self, **options: Any) -> None:
        fields = type(self).model_fields
        options = self._renamed(options)
        for name, value in options.items():  # YAML's `yes` and `on` would be numbers to Python
            if isinstance(value, bool) and name in fields and not isinstance(fields[name].default, bool):
                raise SettingsError(f"{name} must be a number or text; got the truth value {value}.")
        try:
            super().__init__(**options)
        except ValidationError as error:
            raise self._first_problem(error) from error
        for name, value in self:
            halves = (each for each in value if SURROGATE.search(each)) if isinstance(value, tuple) else iter(())
            if (half := next(halves, None)) is not None:
                raise SettingsError(f"{name} must be valid Unicode; got {short_repr(half)}.")
        self.check()

    def check(self) -> None:
        """Make sure that the options make sense together.

        Raises:
            SettingsError: they do not.
        """

    def changed(self: Record, **changes: Any) -> Record:
        """These options but for some.

        Raises:
            SettingsError: as for the record itself.
        """
        if not changes:
            return self
        return type(self)(**(self.model_dump() | self._renamed(changes)))

    @classmethod
    def with_present_names(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options by their present names."""
        return {cls.former_names.get(name, name): value for name, value in options.items()}

    @classmethod
    def _renamed(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """The same, with a warning for each former name."""
        for name in cls.former_names.keys() & options.keys():
            warnings.warn(f"the option {name} is now {cls.former_names[name]}", DeprecationWarning, stacklevel=4)
        return cls.with_present_names(options)

    @classmethod
    def _first_problem(cls, error: ValidationError) -> SettingsError:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            return UnknownOptionError(name, cls.model_fields)
        if problem["type"] == "tuple_type":
            hint = f" Write {_as_list(text)}." if isinstance(text := problem["input"], str) else ""
            return SettingsError(f"{name} must be a list; got {short_repr(text)}.{hint}")
        message = problem["msg"].removeprefix("Input ").removeprefix("should be").strip()
        message = message.replace("greater than or equal to", "at least").replace("less than or equal to", "at most")
        return SettingsError(f"{name} must be {message}; got {short_repr(problem['input'])}.")


def _as_list(text: str) -> str:
    """A list of one text in YAML, which needs quotation marks around signs alone."""
    return f"[{text}]" if re.fullmatch(r"[^\W\d]+", text) else json.dumps([text], ensure_ascii=False)
