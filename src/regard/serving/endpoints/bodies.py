"""Fields of requests from bodies, however a client encodes them: form, multipart form, JSON or query string."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl

from regard.serving.endpoints.multipart import multipart_fields
from regard.serving.limits import ServingError

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""The way in which JSON writes what may be half of a surrogate pair: UTF-8 itself cannot."""
FORM = "application/x-www-form-urlencoded"
"""The type of forms; `curl -d` says it of every body, of JSON, too."""
ELEMENT = re.compile(r"(.+?)\[(\d{0,4})\]", re.ASCII)
"""The name of an element of a list in a form."""


def fields_of(query: str, body: bytes, content_type: str) -> dict[str, Any]:
    """The fields of a body, and of the query string where the body has none of that name. Repeated ones are lists.

    Raises:
        ServingError: 400, a body that is not what its type says.
    """
    return _form(query) | _fields_of_body(body, content_type)


def _fields_of_body(body: bytes, content_type: str) -> dict[str, Any]:
    if not body.strip():
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return _collected(multipart_fields(body, content_type))
    try:
        text = body.decode("utf-8-sig")  # a byte order mark is no part of the text
    except UnicodeDecodeError as error:
        raise ServingError(400, f"The body must be UTF-8; byte {error.start} is not.") from error
    begins = "{" if kind == FORM else "{["
    if kind != "application/json" and text.lstrip()[:1] not in begins:
        return _form(text)
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
        if SURROGATE.search(text):
            _check_unicode(content, "the body")
    except (ValueError, RecursionError) as error:
        raise ServingError(400, f"The body must be valid JSON: {error}.") from error
    if not isinstance(content, dict):
        raise ServingError(400, f"The body must be a JSON object; got {type(content).__name__}.")
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _form(text: str) -> dict[str, Any]:
    try:
        return _collected(parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=20_000))
    except ValueError as error:
        raise ServingError(400, f"The form must be URL-encoded UTF-8: {error}.") from error


def _collected(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The fields of a form. One that is there several times is a list, as is `text[]`, or `text[0]` and `text[1]`, which is how
    PHP and others write the elements of `text`.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    lists: set[str] = set()
    for name, value in pairs:
        place = 0
        if match := ELEMENT.fullmatch(name):
            name, place = match[1], int(match[2] or 0)
            lists.add(name)
        found.setdefault(name, []).append((place, value))
    in_order = {name: [value for _, value in sorted(values, key=itemgetter(0))] for name, values in found.items()}
    return {name: values if name in lists or len(values) > 1 else values[0] for name, values in in_order.items()}


def _check_unicode(value: Any, name: str) -> None:
    """Make sure that no text of a field, however deep, has half of a surrogate pair.

    Args:
        name: of the field; of one within it, its own.
    Raises:
        ServingError: 400, one has.
    """
    if isinstance(value, dict):
        for key, each in value.items():
            _check_unicode(key, name)
            _check_unicode(each, key)
    elif isinstance(value, list):
        for each in value:
            _check_unicode(each, name)
    elif isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ServingError(400, f"Invalid request: {name} must be valid Unicode.") from error
