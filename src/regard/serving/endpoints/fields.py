"""The fields of requests as pydantic models: what is read is what the OpenAPI document describes.

Fields are read as clients write them, in JSON and in forms: a number may be text; null says nothing, and so does an empty text,
but where a text is what is asked about.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema

from regard.errors import SettingsError, nearest_hint
from regard.generation.option_record import Options
from regard.generation.options import DecodingOptions, TextOptions
from regard.serving.limits import ServingError

Read = TypeVar("Read", bound="Fields")
ReadOptions = TypeVar("ReadOptions", bound="OptionFields")
TRUE, FALSE = ("true", "True", "1", "on", "yes"), ("false", "False", "0", "off", "no")
NOTHING = {"enum": [None, ""]}
"""The values by which a field in JSON is as if it were not there."""
LONGEST_SHOWN = 40


class FieldRule:
    """A rule that the values of a field follow, as metadata of its type.

    Args:
        text: of the rule, for messages: *name must be* ... .
        schema: in JSON; None: that of the type.
        keeps_empty: whether an empty text is a value.
    """

    def __init__(self, text: str, schema: Mapping[str, Any] | None = None, *, keeps_empty: bool = False) -> None:
        self.text, self.schema, self.keeps_empty = text, schema, keeps_empty

    def read(self, value: Any) -> Any:
        """A value of the field's type, of one as clients write it.

        Raises:
            ValueError: it is none.
        """
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.read, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return dict(handler(core) if self.schema is None else self.schema)


class Truth(FieldRule):
    """Truth values, which forms write as words."""

    def read(self, value: Any) -> bool:
        """Whether a word means yes."""
        if value in TRUE or value in FALSE:
            return value in TRUE
        if not isinstance(value, int) or value not in (0, 1):
            raise ValueError
        return bool(value)


WRITTEN_WHOLE = re.compile(r"\s*([+-]?\d+)(?:\.0*)?\s*")


class Whole(FieldRule):
    """Whole numbers from a bound to another. The document has texts of one digit fewer, which surely fit."""

    def __init__(self, least: int, most: int) -> None:
        number: dict[str, Any] = {"type": "integer", "minimum": least, "maximum": most}
        digits = {"type": "string", "pattern": f"^[1-9][0-9]{{0,{max(len(str(most)) - 2, 0)}}}$"}
        schema = {"anyOf": [number, digits]} if most > 9 else number
        super().__init__(f"a whole number from {least} to {most}", schema)
        self.least, self.most = least, most

    def read(self, value: Any) -> int:
        """A number, of itself or its digits."""
        number = whole(value)
        if not self.least <= number <= self.most:
            raise ValueError
        return number


def whole(value: Any) -> int:
    """A whole number of JSON, where 10.0 is one, too; or what forms have of it: `10` or `10.0`.

    Raises:
        ValueError: anything else.
    """
    if isinstance(value, str) and (digits := WRITTEN_WHOLE.fullmatch(value)):
        return int(digits[1])
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


class Real(FieldRule):
    """Numbers from a bound to another, both included."""

    def __init__(self, least: float, most: float) -> None:
        number: dict[str, Any] = {"type": "number", "minimum": least, "maximum": most}
        super().__init__(f"a number from {least:g} to {most:g}", number)
        self.least, self.most = least, most

    def read(self, value: Any) -> float:
        """A number, of itself or as it is written."""
        number = float(value) if isinstance(value, str | float | int) and not isinstance(value, bool) else math.nan
        if not self.least <= number <= self.most:
            raise ValueError
        return number


class Choice(FieldRule):
    """Words. Those for a number or a truth value may be written as such."""

    def __init__(self, *words: str, text: str = "") -> None:
        values = [value for value in (0, 1, False, True) if str(value).lower() in words]
        super().__init__(text or f"one of {', '.join(words)}", {"enum": [*words, *values]})
        self.words = words

    def read(self, value: Any) -> str:
        """A word, of itself or its number or truth value."""
        found = str(value).lower() if isinstance(value, bool | int) else value
        if not isinstance(found, str) or found not in self.words:
            raise ValueError
        return found


Text = Annotated[str, FieldRule("a string")]
EmptyText = Annotated[str, FieldRule("a string", keeps_empty=True)]
"""A text that may be empty: then it is given, too."""
Texts = Annotated[str | list[str], FieldRule("a string or a list of strings", keeps_empty=True)]
"""A text, or several: the answer is a list for a list."""
FLAG_SCHEMA = {"anyOf": [{"type": "boolean"}, {"enum": [*TRUE, *FALSE, 0, 1]}]}
Flag = Annotated[bool, Truth("true or false", FLAG_SCHEMA)]


def texts_of(value: str | list[str]) -> list[str]:
    """The texts of a field that has one or several."""
    return [value] if isinstance(value, str) else value


def shown_value(value: Any, most: int = LONGEST_SHOWN) -> str:
    """A value of a request as messages have it: a text in quotes, anything else in JSON.

    Args:
        most: characters that are shown.
    """
    return repr(value[:most]) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:most]


def _path(loc: Sequence[int | str]) -> str:
    """The place of a value in a request, such as `messages[0].content`."""
    first, *within = loc
    places = "".join(f"[{each}]" for each in within if isinstance(each, int))
    return f"{first}{places}.{within[-1]}" if within and isinstance(within[-1], str) else f"{first}{places}"


class Fields(BaseModel):
    """The fields of a request. Unknown ones are ignored, unless a class forbids them."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)
    missing: ClassVar[str] = "Invalid request: missing {} parameter"
    refusal: ClassVar[str] = "Invalid request: {} must be {}; got {}."
    """Messages of an interface: with the name of a field; and with the rule and what was given."""

    @classmethod
    def applies(cls, fields: Mapping[str, Any]) -> bool:
        """Whether a request is of this kind, where a path takes several."""
        return True

    @classmethod
    def read(cls: type[Read], fields: Mapping[str, Any]) -> Read:
        """The fields that a client has sent.

        Raises:
            ServingError: 400, one is missing or not what it must be; the message is worded as the interface does.
        """
        rules = _rules(cls)
        given = {
            name: value
            for name, value in fields.items()
            if value is not None and (value != "" or (name in rules and rules[name].keeps_empty))
        }
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            name = str(problem["loc"][0])
            if problem["type"] == "missing":
                raise ServingError(400, cls.missing.format(_path(problem["loc"])), param=name) from error
            if problem["type"] == "extra_forbidden":
                raise cls._unknown(name) from error
            shown = shown_value(problem["input"] if len(problem["loc"]) > 1 else given.get(name))
            raise ServingError(400, cls.refusal.format(name, rules[name].text, shown), param=name) from error

    @classmethod
    def _unknown(cls, name: str, more: Collection[str] = ()) -> ServingError:
        hint = nearest_hint(name, {*(field.alias or each for each, field in cls.model_fields.items()), *more})
        shown = name[:LONGEST_SHOWN]
        return ServingError(400, f"a field must be a known one; got {shown!r}. {hint}", param=shown)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema, in which a field that may be left out may also be null or, if it says nothing then, an empty text."""
        schema = handler.resolve_ref_schema(handler(core))
        schema.pop("title", None)
        schema["properties"] = {
            name: needed(field) if name in schema.get("required", ()) else optional(field)
            for name, field in schema.get("properties", {}).items()
        }
        return schema


def needed(field: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a field that must be there: a text that is not empty."""
    return {"minLength": 1, **field} if field.get("type") == "string" else dict(field)


def optional(field: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a field that may be left out."""
    besides = {name: field[name] for name in ("default", "description", "deprecated") if field.get(name) is not None}
    kind = {name: value for name, value in field.items() if name not in ("title", *besides, "default")}
    kinds = [each for each in kind.get("anyOf", [kind]) if each != {"type": "null"}]
    return {"anyOf": [*kinds, NOTHING], **besides}


@cache
def _rules(model: type[Fields]) -> dict[str, FieldRule]:
    """The rule of each field, or of the type that it has where it is not None."""
    return {field.alias or name: _rule(field) for name, field in model.model_fields.items()}


def _rule(field: FieldInfo) -> FieldRule:
    nested = (each for part in get_args(field.annotation) for each in get_args(part))
    return next(each for each in (*field.metadata, *nested) if isinstance(each, FieldRule))


class OptionFields(Fields):
    """Fields beside the options of a record, each by its name; there are no others."""

    model_config = ConfigDict(extra="allow")
    record: ClassVar[type[DecodingOptions | TextOptions]] = DecodingOptions
    not_served: ClassVar[Collection[str]] = ()
    """Options that clients cannot choose."""

    @classmethod
    def read(cls: type[ReadOptions], fields: Mapping[str, Any]) -> ReadOptions:
        """The fields that a client has sent.

        Raises:
            ServingError: 400, one is not known, missing or not what it must be.
        """
        own = {field.alias or name for name, field in cls.model_fields.items()}
        known = own | ({*cls.record.model_fields, *cls.record.former_names} - set(cls.not_served))
        for name in fields:
            if name not in known:
                raise cls._unknown(name, known)
        return super().read(fields)

    def options(self, **defaults: Any) -> Any:
        """The record of options, with some defaults of the interface.

        Raises:
            ServingError: 400, one is out of range, or they do not go together.
        """
        return record_of(self.record, **defaults | (self.model_extra or {}))

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema of the fields, and of the options as pydantic reads them: numbers may be text."""
        schema = super().__get_pydantic_json_schema__(core, handler)
        schema["properties"] = option_schemas(cls.record, cls.not_served) | schema["properties"]
        schema["additionalProperties"] = False
        return schema


def option_schemas(record: type[Options], without: Collection[str] = ()) -> dict[str, Any]:
    """The schemas of the options of a record, by name, those by former names included.

    Args:
        without: options to leave out.
    """
    options = record.model_json_schema()["properties"]
    found = {name: optional(_lax(field)) for name, field in options.items() if name not in without}
    former = {old: {**found[new], "deprecated": True} for old, new in record.former_names.items() if new in found}
    return found | former


def _lax(field: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an option whose numbers may be written as text."""
    kinds: list[dict[str, Any]] = [dict(each) for each in field.get("anyOf", [field])]
    kind, most = kinds[0].get("type"), kinds[0].get("maximum", kinds[0].get("exclusiveMaximum", 100))
    if kind in ("integer", "number"):
        digits = "[1-9][0-9]?" if most >= 100 else "[1-9]" if most > 9 else r"0\.[0-9]*[1-9]"
        kinds.append({"type": "string", "pattern": f"^{digits}$"})
    elif kind == "boolean":
        kinds.append(FLAG_SCHEMA)
    besides = {name: field[name] for name in ("default", "description") if name in field}
    return {"anyOf": [{n: v for n, v in each.items() if n not in ("title", *besides)} for each in kinds], **besides}


def record_of(record: type[Any], **options: Any) -> Any:
    """A record of options.

    Raises:
        ServingError: 400, one is out of range; the error names it.
    """
    try:
        return record(**record.with_present_names(options))
    except SettingsError as error:
        name = str(error).partition(" ")[0].strip("`")
        raise ServingError(400, str(error), param=name if name in options else None) from error
