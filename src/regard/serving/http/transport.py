"""Between HTTP and the interfaces: bodies within their bounds, answers in one piece or in many, errors that are never pages."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.answers import Answered, Asked, Pending
from regard.serving.batching.engine import Engine
from regard.serving.batching.queue import with_newest
from regard.serving.directions import Direction
from regard.serving.interfaces.encoding import Answer, Received, text_of
from regard.serving.limits import DRAINING, Limits, ServingError
from regard.serving.service import Service

LOG = logging.getLogger("regard.serving")


async def receive(request: Request, limits: Limits) -> Received:
    """The request with its body.

    Raises:
        ServingError: 413, the body is too large; 408, it did not come in time.
    """
    too_large = ServingError(413, f"A request may have at most {limits.request_bytes:,} bytes.")
    size, length = 0, request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > limits.request_bytes:
        raise too_large
    parts = []
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for part in request.stream():
                size += len(part)
                if size > limits.request_bytes:
                    raise too_large
                parts.append(part)
    except TimeoutError as error:
        message = f"The body did not come within {limits.body_seconds:g} seconds."
        raise ServingError(408, message) from error
    query = request.url.query
    if len(query) > limits.request_bytes:
        raise too_large
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Received(request.method, request.url.path, query, headers, b"".join(parts))


class Stream(Response):
    """A response in pieces. A client that takes too long for a piece, or goes away, ends it.

    Args:
        seconds: for the client to take in a piece.
        cancel: is called at the end, whether all was sent or not.
    """

    def __init__(self, pieces: AsyncGenerator[bytes], seconds: float, cancel: Callable[[], None]) -> None:
        super().__init__(media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._pieces, self._seconds, self._cancel = pieces, seconds, cancel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the pieces."""
        sending = asyncio.ensure_future(self._send(send))
        gone = asyncio.ensure_future(until_disconnect(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not sending.cancelled():
                sending.result()
        finally:
            self._cancel()
            for task in (sending, gone):
                task.cancel()
            await asyncio.gather(sending, gone, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        try:
            async for piece in self._pieces:
                async with asyncio.timeout(self._seconds):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            LOG.info("a client took too long for a piece of a stream")
        finally:
            await self._pieces.aclose()


async def until_disconnect(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def event(name: str, content: Any) -> bytes:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def response_of(answer: Answer) -> Response:
    """An answer as JSON."""
    body = json.dumps(answer.content, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    return Response(body, answer.status, dict(answer.headers), media_type="application/json")


async def http_error(request: Request, error: Exception) -> Response:
    """Unknown paths and methods, as JSON."""
    if not isinstance(error, HTTPException):
        LOG.error("a request failed", exc_info=error)
        return response_of(Answer({"error": "The server failed to answer this request."}, 500))
    words = {
        404: f"There is nothing at {request.url.path}.",
        405: f"{request.url.path} does not take {request.method}.",
    }
    answer = Answer({"error": words.get(error.status_code, error.detail)}, error.status_code, error.headers or {})
    return response_of(answer)


Kind = TypeVar("Kind", bound=Pipeline)
Result = TypeVar("Result")


class Source(NamedTuple):
    """The direction of some translations."""

    direction: Direction
    confidence: float
    """The probability that the texts are in the language that it names, if that was detected."""


Read = Callable[["Call"], Awaitable[Answer | Response]]


class Call:
    """One request, read within its bounds."""

    def __init__(self, service: Service, request: Request, received: Received) -> None:
        self.service, self.request, self.received = service, request, received
        self.fields = received.fields()
        self.owner: bytes | None = None
        """The client's key, where keys are needed."""

    async def answered(self, asked: Asked) -> tuple[list[Answered], Source]:
        """The translations of a request, and in which direction.

        Raises:
            ServingError: no such direction, or too much to do; or a text that cannot be translated.
        """
        found, pending = await self.each(asked)
        for one in found:
            if isinstance(one, Exception):
                raise one
        return [one for one in found if isinstance(one, Answered)], Source(pending.direction, pending.confidence)

    async def each(self, asked: Asked) -> tuple[list[Answered | Exception], Pending]:
        """The translation of each text, or why it has none."""
        pending = await self._submit(asked)
        return await self.unless_gone(pending.answers(), pending.cancel), pending

    async def unless_gone(self, result: Awaitable[Result], cancel: Callable[[], None]) -> Result:
        """A result, for which the client waits.

        Args:
            cancel: is called if the client goes away.
        Raises:
            ClientDisconnect: it did.
        """
        waited = asyncio.ensure_future(result)
        gone = asyncio.ensure_future(until_disconnect(self.request.receive))
        try:
            await asyncio.wait({waited, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not waited.done():
                cancel()
                raise ClientDisconnect
            return waited.result()
        finally:
            gone.cancel()
            waited.cancel()

    @property
    def direction(self) -> Direction:
        """The direction that the fields name.

        Raises:
            ServingError: none that is served.
        """
        return self.service.engine_for(text_of(self.fields, "source"), text_of(self.fields, "target"))[0]

    async def ask(self, function: Callable[[Translator], Result], direction: Direction | None = None) -> Result:
        """Something else that is done with a model.

        Args:
            direction: of the model; None: what the fields name.
        Raises:
            ServingError: no such direction, or too much to do.
        """
        if self.service.is_draining:
            raise ServingError(503, DRAINING, 5)
        source, target = (direction or self.direction).source, (direction or self.direction).target

        return await self.use(lambda: self.service.engine_for(source, target)[1], function)

    async def use(self, find: Callable[[], Engine[Kind]], function: Callable[[Kind], Result]) -> Result:
        """What a function makes of a model, between two steps of decoding.

        Args:
            find: its engine, as it is now.
        """
        future = with_newest(find, lambda engine: engine.call(function))
        return await asyncio.wait_for(asyncio.wrap_future(future), self.service.limits.seconds)

    async def begin(self, asked: Asked, *, watches: bool = False) -> Progress:
        """Begin to translate something whose progress is told.

        Raises:
            ServingError: as for `answered`: before anything is sent.
        """
        loop, told = asyncio.get_running_loop(), asyncio.Queue[tuple[int, Any] | None]()

        def tell(index: int, found: Any) -> None:
            loop.call_soon_threadsafe(told.put_nowait, (index, found))

        return Progress(await self._submit(asked, tell, watches=watches), told)

    async def _submit(
        self, asked: Asked, tell: Callable[[int, Any], None] | None = None, *, watches: bool = False
    ) -> Pending:
        """Begin to translate, in another thread, as splitting long texts takes a while."""
        pending = await asyncio.to_thread(self.service.submit, asked, tell, watches=watches)
        self.service.num_characters[self.owner] += sum(map(len, asked.texts))
        return pending


class Progress:
    """A request whose progress is told."""

    def __init__(self, pending: Pending, told: asyncio.Queue[tuple[int, Any] | None]) -> None:
        self.pending, self._told = pending, told
        self._ends = asyncio.gather(*map(asyncio.wrap_future, pending.job.futures), return_exceptions=True)
        self._ends.add_done_callback(lambda _: told.put_nowait(None))

    async def pieces(self) -> AsyncGenerator[tuple[int, Any] | list[Answered | Exception]]:
        """What is certain by and by, with the index of its sentence; in the end, the list of the texts, or of what is wrong with
        them.
        """
        while (piece := await self._told.get()) is not None:
            yield piece
        outcomes: list[Any] = list(self._ends.result())
        yield await asyncio.to_thread(self.pending.joined, outcomes)
