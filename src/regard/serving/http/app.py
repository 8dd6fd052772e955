"""The server as an application: the routes of all interfaces, keys, errors in the form of each, and counts of requests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as Path

from regard.serving.endpoints.context import RequestContext, ServerContext, read_fields
from regard.serving.endpoints.openapi import document
from regard.serving.endpoints.replies import JSONReply
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.http import page
from regard.serving.http.access import GONE, Access
from regard.serving.interfaces import deepl, deepl_glossaries, google, libretranslate, operations, small_clients
from regard.serving.interfaces.native import native_routes
from regard.serving.interfaces.openai import openai_routes
from regard.serving.keys import Keys
from regard.serving.limits import NO_KEY, ServingError, serving_error
from regard.serving.model_registry import ModelRegistry
from regard.serving.shared_state import SharedState

INTERFACES = (
    page,
    native_routes,
    libretranslate,
    small_clients,
    deepl,
    deepl_glossaries,
    openai_routes,
    google,
    operations,
)
"""The modules of all interfaces: each lists its `ROUTES`."""
UNCOUNTED = (page.NAME, operations.NAME)
"""Interfaces whose requests are not counted."""
EXPOSED = ("X-Shape", "X-Scale", "X-Heads", "X-Request-ID", "Retry-After", "ETag")
"""Headers of answers that pages of other origins may read, beside those that they always may."""


class App:
    """The server as a Starlette application.

    Args:
        cors: origins whose pages may send requests; none: this server's alone.
        state: that the processes of a server share; None: there is one process.
    """

    def __init__(
        self, registry: ModelRegistry, keys: Keys, *, cors: Sequence[str] = (), state: SharedState | None = None
    ) -> None:
        self.context = ServerContext(registry, keys, state or SharedState())
        self.routes = [route for interface in INTERFACES for route in interface.ROUTES]
        self.context.document = document(self.routes)
        by_path: dict[str, dict[str, Route]] = {}
        for route in self.routes:
            by_path.setdefault(route.path, {})[route.method] = route
        self._by_endpoint: dict[Any, Interface] = {}
        self._interfaces = sorted({route.interface for route in self.routes}, key=lambda each: -len(each.prefix))
        options: Any = {
            "allow_origins": list(cors),
            "allow_methods": ["*"],
            "allow_headers": ["*"],
            "expose_headers": EXPOSED,
        }
        app = Starlette(
            routes=[self._path(path, methods) for path, methods in by_path.items()],
            middleware=[Middleware(CORSMiddleware, **options)] if cors else [],
            exception_handlers={HTTPException: self._http_error, Exception: self._http_error},
        )
        self.asgi = Access(app, registry)

    def _path(self, path: str, methods: dict[str, Route]) -> Path:
        """The routes of a path, one for each method."""

        async def endpoint(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            return await self._answer(methods[method], request)

        self._by_endpoint[endpoint] = next(iter(methods.values())).interface
        return Path(path, endpoint, methods=list(methods))

    async def _answer(self, route: Route, request: Request) -> Response:
        """The answer of a route, whatever happens, and its count."""
        started, interface = time.perf_counter(), route.interface
        try:
            response = await self._handled(route, request)
        except ClientDisconnect:
            response = Response(status_code=GONE)
        except Exception as error:
            response = _failure(interface, serving_error(error, self.context.limits.seconds))
        if interface.name not in UNCOUNTED:
            metrics = self.context.registry.metrics
            metrics.count("regard_requests_total", interface=interface.name, status=str(response.status_code))
            metrics.observe("regard_request_seconds", time.perf_counter() - started)
        return response

    async def _handled(self, route: Route, request: Request) -> Response:
        fields: dict[str, Any] = {}
        owner = None
        if route.fields or route.needs_key:
            fields = await read_fields(request, self.context.limits)
        if route.needs_key:
            owner = self.context.keys.check(request.headers, fields)
        content = await route.handler(
            RequestContext(self.context, request, fields, owner), *route.read(fields | request.path_params)
        )
        if isinstance(content, Response):
            return content
        return (content if isinstance(content, JSONReply) else JSONReply(content, route.status)).response()

    async def _http_error(self, request: Request, error: Exception) -> Response:
        """The answer for unknown paths and methods: of a path that exists, in the form of its interface; otherwise, of the
        interface whose paths begin so.
        """
        path = request.url.path
        interface = self._by_endpoint.get(request.scope.get("endpoint"))
        interface = interface or next(each for each in self._interfaces if each.has(path))
        if not isinstance(error, HTTPException):
            return _failure(interface, serving_error(error))
        messages = {404: f"There is nothing at {path}.", 405: f"{path} does not take {request.method}."}
        message = messages.get(error.status_code, str(error.detail))
        response = _failure(interface, ServingError(error.status_code, message))
        response.headers.update(error.headers or {})
        return response


def _failure(interface: Interface, error: ServingError) -> Response:
    """An error in the form of an interface."""
    wait = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    status = interface.key_status if error.status == NO_KEY else error.status
    return JSONReply(interface.error(error), status, wait).response()
