"""Connections whose clients send nothing, or read nothing: they are closed, so that they take no room from others."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

LOG = logging.getLogger("regard.serving")
SPARE_FILES = 1024
"""Open files that are kept for other things than connections, and for those that are turned away; of few, half of them."""
ROUNDS = 8
"""Rounds of the event loop, more than the closing of a connection that is turned away takes; in each, others are accepted."""
FIRST_REQUEST_SECONDS = 1.0
"""The time for which a process that ends waits for the request of a connection that has been opened: no other process has it."""
ACCEPTED_AT_ONCE = 128
"""Connections that wait and are accepted before others are served, at most."""


def allow_many_files() -> int | None:
    """Let the process have as many open files as it may. Their number; None: not known on this system."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return None if soft == resource.RLIM_INFINITY else soft


def places(files: int | None) -> tuple[int | None, int]:
    """The number of connections at once, None: any; and the number that are accepted before others are served.

    Those are open for a moment, even where they are too many: there must be files for all of them, or none can be opened at all,
    and what says so needs some, too.

    Args:
        files: that the process may have open; None: any number.
    """
    if files is None:
        return None, ACCEPTED_AT_ONCE
    spare = min(SPARE_FILES, files // 2)
    return max(files - spare, 1), max(min(spare // ROUNDS, ACCEPTED_AT_ONCE), 1)


def protocol(seconds: float, most: int | None) -> type[H11Protocol]:
    """The protocol of each connection, as uvicorn makes it.

    Args:
        seconds: for a client to send the head of a request, and to go on reading an answer.
        most: connections at once; more are closed as they come; None: any number.
    """

    class Bounded(H11Protocol):
        """A connection with bounds."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._for_head: asyncio.TimerHandle | None = None
            self._for_reading: asyncio.TimerHandle | None = None
            self._for_first: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if most is not None and len(self.connections) > most:
                LOG.warning("a connection was closed, as there are %d already", most)
                transport.abort()
                return
            self._wait_for_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._for_first is not None and self.cycle is not None:  # the process ends: this is the last request
                self._for_first = _cancelled(self._for_first)
                super().shutdown()
            if self._has_head:
                self._for_head = _cancelled(self._for_head)
            elif self._for_head is None:
                self._wait_for_head()

        def shutdown(self) -> None:
            """End the connection when its request is answered; without one, at once, but for a new connection."""
            if self.cycle is not None or self._for_first is not None:
                super().shutdown()
            else:
                self._for_first = self.loop.call_later(FIRST_REQUEST_SECONDS, super().shutdown)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._for_reading = self.loop.call_later(seconds, self._give_up, "took too long to read an answer")

        def resume_writing(self) -> None:
            super().resume_writing()
            self._for_reading = _cancelled(self._for_reading)

        def connection_lost(self, exc: Exception | None) -> None:
            self._for_head, self._for_reading = _cancelled(self._for_head), _cancelled(self._for_reading)
            self._for_first = _cancelled(self._for_first)
            super().connection_lost(exc)

        @property
        def _has_head(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _wait_for_head(self) -> None:
            self._for_head = self.loop.call_later(seconds, self._check_head)

        def _check_head(self) -> None:
            self._for_head = None
            if not self._has_head:
                self._give_up("took too long to send a request")

        def _give_up(self, why: str) -> None:
            LOG.info("a client %s; its connection is closed", why)
            self.transport.abort()

    return Bounded


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer; None, to take its place."""
    if timer is not None:
        timer.cancel()
    return None
