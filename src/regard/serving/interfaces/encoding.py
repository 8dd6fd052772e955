"""Bodies and answers, however a client encodes them: form, JSON or query string."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from regard.serving.limits import ServingError


@dataclass(frozen=True)
class Received:
    """A request as it came: what every interface reads."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By lower-case names."""
    body: bytes = b""

    def fields(self) -> dict[str, Any]:
        """The fields of the body, and of the query string where the body has none of that name. Repeated ones are lists.

        Raises:
            ServingError: 400, a body that is not what its type says.
        """
        return _form(self.query) | self._of_body()

    def _of_body(self) -> dict[str, Any]:
        if not self.body.strip():
            return {}
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "multipart/form-data":
            raise ServingError(400, "Send the fields as JSON or application/x-www-form-urlencoded, not as multipart.")
        try:
            text = self.body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ServingError(400, f"The body must be UTF-8; byte {error.start} is not.") from error
        if kind == "application/json" or (kind != "application/x-www-form-urlencoded" and text.lstrip()[:1] in "{["):
            try:
                content = json.loads(text, parse_constant=_refuse_constant)
            except (ValueError, RecursionError) as error:
                raise ServingError(400, f"The body must be valid JSON: {error}.") from error
            if not isinstance(content, dict):
                raise ServingError(400, f"The body must be a JSON object; got {type(content).__name__}.")
            return content
        return _form(text)


@dataclass(frozen=True)
class Answer:
    """What is sent back."""

    content: Any
    """What JSON can hold."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _form(text: str) -> dict[str, Any]:
    try:
        found = parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=20_000)
    except ValueError as error:
        raise ServingError(400, f"The form must be URL-encoded UTF-8: {error}.") from error
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def texts_of(value: Any, name: str) -> tuple[list[str], bool]:
    """The texts of a field, and whether they were a list.

    Raises:
        ServingError: 400, they are no text and no list of texts.
    """
    if isinstance(value, str):
        return [_checked(value, name)], False
    if isinstance(value, Sequence) and all(isinstance(text, str) for text in value):
        return [_checked(text, name) for text in value], True
    raise ServingError(400, f"Invalid request: {name} must be a string or a list of strings.")


def _checked(text: str, name: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ServingError(400, f"Invalid request: {name} must be valid Unicode.") from error
    return text


def text_of(fields: Mapping[str, Any], name: str, default: str | None = None) -> str | None:
    """A field that is a string; None or blank: the default.

    Raises:
        ServingError: 400, it is something else.
    """
    value = fields.get(name)
    if value is None or value == "":
        return default
    if not isinstance(value, str):
        raise ServingError(400, f"Invalid request: {name} must be a string.")
    return value


def needed_text(fields: Mapping[str, Any]) -> str:
    """The field `text`.

    Raises:
        ServingError: 400, there is none.
    """
    text = text_of(fields, "text")
    if text is None:
        raise ServingError(400, "Give a text.")
    return text


def number_of(fields: Mapping[str, Any], name: str, default: int, most: int) -> int:
    """A field that is a whole number from 0 to a bound.

    Raises:
        ServingError: 400, it is something else.
    """
    value = fields.get(name)
    if value is None or value == "":
        return default
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise ServingError(
            400, f"Invalid request: {name} must be a whole number from 0 to {most}; got {str(value)[:40]!r}."
        )
    return number


def truth_of(fields: Mapping[str, Any], name: str) -> bool:
    """A field that says yes or no; not there: no."""
    return fields.get(name) in (True, "true", "True", "1", 1, "on", "yes")
