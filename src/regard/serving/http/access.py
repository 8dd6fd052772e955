"""Every request, whatever its path, has an id, a line in the log, and a body that is read to its end."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.errors import shown
from regard.serving.limits import Limits
from regard.serving.model_registry import ModelRegistry

ACCESS = logging.getLogger("regard.serving.access")
LOG = logging.getLogger("regard.serving")
ID = re.compile(r"[\w.:/+=-]{1,128}", re.ASCII)
"""The ids that a client may give its request."""
PATH_BEGIN, PATH_END = 300, 100
"""The numbers of characters of a longer path that the log has."""
GONE = 499
"""The status of a request whose client is gone before it is answered. Source: nginx."""


class Access:
    """An application whose requests each have a line in the log and an id, `X-Request-ID`: the client's, or one of ours.

    A path may end with slashes, or have several in a row, as clients join it to an address that ends with one.

    A body is read to its end before the answer is sent, up to a bound, even where nobody wants it: a client that still
    sends when the connection is closed sees no answer, but an error of the network.

    Requests that are cut off, as the server was told twice to end, are answered 503, and not logged as errors of the program.
    """

    def __init__(self, app: ASGIApp, registry: ModelRegistry) -> None:
        self._app, self._registry = app, registry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, started = Headers(scope=scope), time.perf_counter()
        given = headers.get("x-request-id", "")
        name = given if ID.fullmatch(given) else secrets.token_hex(8)
        body = _Body(headers, receive, self._registry.limits)
        status: int | None = None
        trace = headers.get("traceparent", "")[:60]

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                answered["X-Request-ID"] = name
                if trace:
                    answered["traceparent"] = trace
                if not await body.is_dropped() or self._registry.is_retired:  # another process has the next request
                    answered["Connection"] = "close"
                status = message["status"]
            await send(message)

        try:
            await self._app({**scope, "path": known_path(scope["path"])}, body.receive, answer)
        except asyncio.CancelledError:
            if not self._registry.is_draining:
                raise
            LOG.info("cut off: %s %s", *_method_and_path(scope))
            if status is None:
                await Response(status_code=503, headers={"Connection": "close"})(scope, receive, send)
        finally:
            _note(scope, name, GONE if body.is_gone or status is None else status, time.perf_counter() - started, trace)


def known_path(path: str) -> str:
    """A path without slashes at its end, with one where there are several, and without the host that a proxy's clients send."""
    return re.sub("/{2,}", "/", re.sub("^https?://[^/]*", "", path)).rstrip("/") or "/"


def _note(scope: MutableMapping[str, Any], name: str, status: int, seconds: float, trace: str) -> None:
    """Write the line of a request into the log."""
    method, path = _method_and_path(scope)
    fields = {"request_id": name, "method": method, "path": path, "status": status}
    fields |= {"ms": round(1000 * seconds, 1)} | ({"traceparent": trace} if trace else {})
    ACCESS.info(
        "%s %s %d %.0f ms id=%s%s", method, path, status, 1000 * seconds, name,
        f" traceparent={trace}" if trace else "", extra={"fields": fields},
    )  # fmt: skip


def _method_and_path(scope: MutableMapping[str, Any]) -> tuple[str, str]:
    """The method and the path of a request, as the log has them: a client may send any length of each."""
    method, path = (
        text if len(text) <= PATH_BEGIN + PATH_END else shown(text, PATH_BEGIN, PATH_END)
        for text in (scope["method"], scope["path"])
    )
    return method, path


class _Body:
    """The body of a request, and how much of it has come."""

    def __init__(self, headers: Headers, receive: Receive, limits: Limits) -> None:
        self._receive, self._limits = receive, limits
        self._until = asyncio.get_running_loop().time() + limits.body_seconds
        length = headers.get("content-length", "0")
        self._length = int(length) if length.isascii() and length.isdigit() else 0
        self._is_whole = not self._length and "transfer-encoding" not in headers
        self._asks_first = "100-continue" in headers.get("expect", "").lower()
        self._size = 0
        self.is_gone = False
        """Whether the client has left before the answer."""

    async def receive(self) -> Message:
        """The next message."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self._is_whole = self._is_whole or not message.get("more_body", False)
        elif not self._is_whole:
            self.is_gone = True
        return message

    async def is_dropped(self) -> bool:
        """Read the rest of the body. Whether all of it has come: not if it is too much, does not come in time, or if the
        client only sends it when it is asked to.
        """
        most = self._limits.dropped_bytes
        if (self._asks_first and not self._size) or self._length > most:
            return self._is_whole
        try:
            async with asyncio.timeout_at(self._until):
                while not self._is_whole and not self.is_gone and self._size <= most:
                    await self.receive()
        except TimeoutError:
            LOG.info("a client took too long to send the body of a request; its connection is closed")
        return self._is_whole
