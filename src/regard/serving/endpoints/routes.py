"""Routes: a path, the function that answers it, and with them everything that the OpenAPI document says of it.

A handler takes a `RequestContext`, and `Fields` if it has any. It returns the content of its answer, typed; a `JSONReply`, where
that has another status; or a `Response`, where it is no JSON.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from starlette.responses import Response

from regard.serving.endpoints.fields import Fields
from regard.serving.endpoints.replies import JSONReply
from regard.serving.limits import ServingError

Handler = Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Interface:
    """An interface of the server: its name in the metrics, and how it writes errors."""

    name: str
    prefix: str
    """The first segments of its paths, by which the errors of paths that do not exist are written."""
    error: Callable[[ServingError], Any]
    """The content of an error: its return type is the schema of all."""
    key_status: int = 403
    """The status without a valid key."""
    takes_forms: bool = True
    """Whether its requests can be forms, as all their fields are texts or lists of texts."""

    def has(self, path: str) -> bool:
        """Whether a path begins with the segments of the prefix: `/v10` is no path of `/v1`."""
        return f"{path}/".startswith(f"{self.prefix.rstrip('/')}/")


@dataclass(frozen=True)
class Route:
    """A path with a method, and its handler: fields, answer and summary are read off its signature and docstring."""

    method: str
    path: str
    handler: Handler
    interface: Interface
    status: int = 200
    """The status of an answer that is no error."""
    errors: Mapping[int, Any] = field(default_factory=dict)
    """Further statuses, with the reason for each; or the type of its content, where that is none of an error."""
    media_types: tuple[str, ...] = ()
    """The types of answers that are no JSON."""
    needs_key: bool = True
    in_document: bool = True

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.handler, include_extras=True)

    @cached_property
    def fields(self) -> list[type[Fields]]:
        """The models of the fields that it reads, of which the first one that applies counts."""
        found = self._hints.get("fields")
        return [] if found is None else list(get_args(found) or (found,))

    def read(self, fields: Mapping[str, Any]) -> list[Fields]:
        """The fields of a request, as the handler takes them.

        Raises:
            ServingError: 400, one is missing or not what it must be.
        """
        model = next((each for each in self.fields if each.applies(fields)), None)
        return [] if model is None else [model.read(fields)]

    @property
    def summary(self) -> str:
        """The first paragraph of the handler's docstring."""
        return " ".join((getdoc(self.handler) or "").partition("\n\n")[0].split())

    @property
    def parameters(self) -> list[str]:
        """The names in its path."""
        return re.findall(r"\{(\w+)(?::\w+)?\}", self.path)

    @property
    def replies(self) -> list[Any]:
        """The types of JSON that it answers with."""
        found = self._hints["return"]
        kinds = get_args(found) if get_origin(found) in (Union, UnionType) else (found,)
        kinds = tuple(get_args(each)[0] if get_origin(each) is JSONReply else each for each in kinds)
        return [each for each in kinds if not (isinstance(each, type) and issubclass(each, Response))]
