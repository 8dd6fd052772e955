"""The progress of one long piece of work, as server-sent events."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect

from regard.serving.endpoints.replies import EventStream, event
from regard.serving.limits import Limits, ServingError, serving_error

Tell = Callable[[str, int, int], None]
"""Called with a name of the work, the number that is done, and that of all."""


async def progress_stream(
    work: Callable[[Tell], Awaitable[Any]], failed: Callable[[ServingError], Mapping[str, Any]], limits: Limits
) -> EventStream:
    """A stream of events progress, then done or error. The work ends early if the client goes away.

    Args:
        work: called once; what it gives is the content of the last event.
        failed: an error as the interface answers it.
        limits: of the time for the work, and for the client to take in an event.
    Raises:
        Exception: that of work that failed before it told anything.
    """
    loop, events, is_gone = asyncio.get_running_loop(), asyncio.Queue[bytes | None](), threading.Event()

    def tell(_: str, done: int, total: int) -> None:
        if is_gone.is_set():
            raise ClientDisconnect
        loop.call_soon_threadsafe(events.put_nowait, event("progress", {"done": done, "total": total}))

    task = asyncio.ensure_future(work(tell))
    task.add_done_callback(lambda _: events.put_nowait(None))
    first = await events.get()
    if first is None:
        task.result()

    async def pieces() -> AsyncGenerator[bytes]:
        piece = first
        while piece is not None:
            yield piece
            piece = await events.get()
        try:
            outcome = event("done", task.result())
        except Exception as error:
            outcome = event("error", failed(serving_error(error, limits.seconds))["error"])
        yield outcome

    def leave() -> None:
        is_gone.set()
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody asks for it any more

    return EventStream(pieces(), limits.body_seconds, leave)
