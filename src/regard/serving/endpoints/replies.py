"""Answers: JSON in one piece, and streams of events."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, Generic, TypeVar

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

LOG = logging.getLogger("regard.serving")
Content = TypeVar("Content")


@dataclass(frozen=True)
class JSONReply(Generic[Content]):
    """An answer as JSON with its status and headers."""

    content: Content
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        """The answer as Starlette sends it."""
        text = json.dumps(self.content, ensure_ascii=False, allow_nan=False, default=asdict)
        return Response(
            text.encode("utf-8", "backslashreplace"), self.status, dict(self.headers), media_type="application/json"
        )


class EventStream(StreamingResponse):
    """A stream of server-sent events. It ends when the client goes away, or takes too long to read an event.

    Args:
        seconds: for the client to take in an event.
        cancel: called at the end, whether all was sent or not.
    """

    def __init__(self, events: AsyncGenerator[bytes], seconds: float, cancel: Callable[[], None]) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        self._events, self._seconds, self._cancel = events, seconds, cancel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""

        async def send_in_time(message: Any) -> None:
            async with asyncio.timeout(self._seconds):
                await send(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        except TimeoutError:
            LOG.info("a client took too long for a piece of a stream")
        finally:
            self._cancel()
            await self._events.aclose()


def event(name: str, content: Any) -> bytes:
    """A server-sent event."""
    return f"event: {name}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def rounded(content: Any, digits: int) -> Any:
    """The content of an answer for JSON, its numbers rounded: arrays become lists, and dataclasses objects."""
    if isinstance(content, float):
        return round(content, digits)
    if isinstance(content, Mapping):
        return {name: rounded(each, digits) for name, each in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(each, digits) for each in content]
    if hasattr(content, "tolist"):  # of NumPy or PyTorch
        return rounded(content.tolist(), digits)
    return rounded(vars(content), digits) if is_dataclass(content) else content
