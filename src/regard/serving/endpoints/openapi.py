"""The description of all paths, as an OpenAPI document and as a page that needs neither scripts nor a network.

Source: the OpenAPI specification 3.1.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from regard.serving.endpoints.fields import NOTHING
from regard.serving.endpoints.routes import Route
from regard.version import __version__

REFERENCE = "#/components/schemas/"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
DESCRIPTION = (
    "Translation, language models, and a look inside. Fields are read from JSON, forms, multipart forms and the query string. "
    "In forms, text[]= is an element of a list."
)
KEY_MISSING, TOO_MANY = "The API key is missing or not known.", "Too many requests; wait for Retry-After seconds."
UNREADABLE = {
    400: "A field is missing or not what it must be.", 408: "The body did not come in time.", 413: "The request is too large.",
    415: "The body is compressed.",
}  # fmt: skip
FAILURES = {
    500: "The server failed to answer.", 503: "The server is shutting down, or a model is being replaced.",
    504: "The answer took too long.",
}  # fmt: skip


class Schemas:
    """The JSON schemas of all fields and answers."""

    def __init__(self, routes: Iterable[Route]) -> None:
        adapters: dict[int, tuple[Any, JsonSchemaMode, TypeAdapter[Any]]] = {}
        for route in routes:
            of_statuses = (each for each in route.errors.values() if not isinstance(each, str))
            for kind in (*route.replies, _error_type(route), *of_statuses):
                adapters[id(kind)] = (id(kind), "serialization", TypeAdapter(kind))
            for model in route.fields:
                adapters[id(model)] = (id(model), "validation", TypeAdapter(model))
        found, shared = TypeAdapter.json_schemas(adapters.values(), ref_template=REFERENCE + "{model}")
        self._found = {id: schema for (id, _), schema in found.items()}
        self.shared: dict[str, Any] = {name: _without_titles(each) for name, each in shared.get("$defs", {}).items()}

    def of(self, *kinds: Any) -> dict[str, Any]:
        """The schema of a value that is of one of some types."""
        schemas = [_without_titles(self._found[id(kind)]) for kind in kinds]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def resolved(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A schema without a reference at its top."""
        reference = schema.get("$ref", "")
        return dict(self.shared[reference.removeprefix(REFERENCE)] if reference else schema)


def _error_type(route: Route) -> Any:
    return get_type_hints(route.interface.error)["return"]


def _without_titles(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names."""
    if isinstance(schema, list):
        return [_without_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without_titles(each) for key, each in schema.items() if key != "title" or isinstance(each, dict)}


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The OpenAPI document of some routes."""
    routes = [route for route in routes if route.in_document]
    schemas, paths = Schemas(routes), dict[str, Any]()
    for route in routes:
        path = re.sub(r":\w+\}", "}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return _with_short_names(
        {
            "openapi": "3.1.0",
            "info": {"title": "Regard", "version": __version__, "description": DESCRIPTION},
            "paths": paths,
            "components": {"schemas": schemas.shared},
        }
    )


def _with_short_names(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document, in which types of one name in several modules have the interface's name before it, such as
    `NativeFailure`; pydantic writes the whole path of the module. Two of one interface have their module's.
    """
    paths = {name: name.split("__") for name in document["components"]["schemas"] if "__" in name}
    short = {name: _pascal(path[3]) + path[-1] for name, path in paths.items()}
    count = Counter(short.values())
    short |= {name: _pascal(path[-2]) + path[-1] for name, path in paths.items() if count[short[name]] > 1}
    text = re.sub(r"\w+__\w+", lambda found: short.get(found[0], found[0]), json.dumps(document))
    renamed: dict[str, Any] = json.loads(text)
    return renamed


def _pascal(name: str) -> str:
    return name.title().replace("_", "")


def _operation(route: Route, schemas: Schemas) -> dict[str, Any]:
    """The description of a path with a method."""
    found: dict[str, Any] = {"summary": route.summary}
    models = [schemas.resolved(schemas.of(model)) for model in route.fields]
    parameters = [_parameter(name, "path", models) for name in route.parameters]
    if route.method in ("GET", "DELETE"):
        names = dict.fromkeys(name for model in models for name in model.get("properties", {}))
        parameters += [_parameter(name, "query", models) for name in names if name not in route.parameters]
    elif models:
        bodies = [_without(model, route.parameters) for model in models] if route.parameters else None
        whole = schemas.of(*route.fields) if bodies is None else bodies[0]
        content = {"application/json": {"schema": whole}}
        if route.interface.takes_forms:
            flat = [_for_form(schemas.resolved(each)) for each in whole.get("anyOf", [whole])]
            content |= {form: {"schema": flat[0] if len(flat) == 1 else {"anyOf": flat}} for form in FORMS}
        found["requestBody"] = {
            "content": content,
            "required": any(model.get("required") or "oneOf" in model for model in models),
        }
    if parameters:
        found["parameters"] = parameters
    return found | {"responses": _responses(route, schemas)}


def _responses(route: Route, schemas: Schemas) -> dict[str, Any]:
    content = {"application/json": {"schema": schemas.of(*route.replies)}} if route.replies else {}
    content |= {kind: {} for kind in route.media_types}
    found: dict[str, Any] = {str(route.status): {"description": "Done.", **({"content": content} if content else {})}}
    if "application/octet-stream" in route.media_types:
        found["304"] = {"description": "The client has this already."}
    statuses = dict(FAILURES)
    if route.needs_key:
        statuses |= {**UNREADABLE, route.interface.key_status: KEY_MISSING, 429: TOO_MANY}
    for status, reason in sorted((statuses | dict(route.errors)).items()):
        kind, text = (
            (_error_type(route), reason) if isinstance(reason, str) else (reason, statuses.get(status, "Not now."))
        )
        found[str(status)] = {"description": text, "content": {"application/json": {"schema": schemas.of(kind)}}}
    return found


def _parameter(name: str, place: str, models: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A parameter in the path or the query string."""
    model = next(model for model in models if name in model.get("properties", {}))
    found = {"name": name, "in": place, "schema": _for_form(model["properties"][name])}
    return found | ({"required": True} if place == "path" or name in model.get("required", ()) else {})


def _without(model: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The schema of an object without some properties."""
    properties = {name: each for name, each in model["properties"].items() if name not in names}
    return {**model, "properties": properties, "required": [each for each in model["required"] if each not in names]}


def _for_form(schema: Any) -> Any:
    """A schema as forms can follow it: without null, and with at least one element in each list."""
    if schema == NOTHING:
        return {"enum": [""]}
    if isinstance(schema, list):
        return [_for_form(each) for each in schema if each != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    found = {key: _for_form(each) for key, each in schema.items()}
    return found | {"minItems": 1} if found.get("type") == "array" else found


STYLE = """:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1rem/1.5 ui-monospace,monospace;margin:2rem 0 0;overflow-wrap:anywhere}
p{margin:.25rem 0}table{border-collapse:collapse;width:100%}
td{border-top:1px solid color-mix(in srgb,currentColor 20%,transparent);padding:.25rem .5rem .25rem 0;vertical-align:top}
td:first-child{font-family:ui-monospace,monospace;overflow-wrap:anywhere}summary{cursor:pointer}"""


def page(document: Mapping[str, Any]) -> str:
    """The document as a page in HTML."""
    shared, parts = document["components"]["schemas"], []
    for path, operations in document["paths"].items():
        methods = " ".join(method.upper() for method in operations)
        operation = next(iter(operations.values()))
        parts.append(f"<h2>{methods} {escape(path)}</h2>\n<p>{escape(operation['summary'])}</p>")
        bodies = [each["requestBody"]["content"] for each in operations.values() if "requestBody" in each]
        schema = bodies[0]["application/json"]["schema"] if bodies else {}
        for model in schema.get("anyOf", [schema]) if schema else ():
            model = shared[model["$ref"].removeprefix(REFERENCE)] if "$ref" in model else model
            rows = "\n".join(
                _row(name, field, name in model.get("required", ())) for name, field in model["properties"].items()
            )
            count = len(model["properties"])
            parts.append(f"<details><summary>{count} fields</summary><table>\n{rows}\n</table></details>")
    info = document["info"]
    title = f"{info['title']} {info['version']}"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    about = f'{info["description"]} The same as OpenAPI: <a href="spec">spec</a>.'
    body = "\n".join([f"<h1>{title}</h1>\n<p>{about}</p>", *parts])
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>{body}\n</body></html>\n'


def _row(name: str, field: Mapping[str, Any], is_needed: bool) -> str:
    cells = [_kind(field), "required" if is_needed else ""]
    if field.get("default") not in (None, [], ""):
        cells.append(f"default {field['default']}")
    text = field.get("description", "")
    kind = escape(", ".join(each for each in cells if each))
    return f"<tr><td>{escape(name)}</td><td>{kind}</td><td>{escape(text)}</td></tr>"


def _kind(field: Mapping[str, Any]) -> str:
    """The type of a field, in words."""
    if "enum" in field:
        return " or ".join(str(each) for each in field["enum"] if each not in (None, ""))
    if several := field.get("oneOf", field.get("anyOf")):
        return " or ".join(dict.fromkeys(filter(None, map(_kind, several))))
    kind = str(field.get("type", "object" if "$ref" in field else "string"))
    return f"list of {_kind(field.get('items', {}))}" if kind == "array" else kind
