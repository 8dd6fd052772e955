"""HTTP as the load of `soak.py` speaks it: connections that can be slow, half done or broken off, and a record of the answers."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
SMALL_BUFFER = 4096
"""Bytes that a slow reader's socket takes in before it is read."""
MOST_FAILURES = 20
"""Failures that are kept word for word; more are counted."""


@dataclass(frozen=True)
class Reply:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    """By lower-case names."""
    body: bytes

    def content(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def events(self) -> list[tuple[str, Any]]:
        """The server-sent events of a stream."""
        found = []
        for block in self.body.decode().split("\n\n"):
            if block:
                name, data = block.split("\n", 1)
                found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        return found


@dataclass(frozen=True)
class Pace:
    """How a slow client reads: so many bytes, then a pause."""

    size: int
    seconds: float


class Connection:
    """A connection to the server on 127.0.0.1. `open` makes one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer
        self.opened = time.monotonic()

    @classmethod
    async def open(cls, port: int, *, is_slow: bool = False) -> Connection:
        """A new connection.

        Args:
            is_slow: take in few bytes before they are read, so that the server has to wait.
        """
        if not is_slow:
            return cls(*await asyncio.open_connection("127.0.0.1", port))
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", port))
        return cls(*await asyncio.open_connection(sock=sock, limit=SMALL_BUFFER))

    @property
    def is_ended(self) -> bool:
        """Whether the server has closed it, and all that it sent has been read."""
        return self.reader.at_eof()

    def send(
        self, path: str, body: bytes = b"", kind: str = JSON, *, method: str = "POST", length: int | None = None
    ) -> None:
        """Send a request.

        Args:
            length: what the header `Content-Length` says; None: the truth.
        """
        size = len(body) if length is None else length
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
        self._writer.write(head.encode() + body)

    def send_raw(self, data: bytes) -> None:
        """Send some bytes as they are."""
        self._writer.write(data)

    async def reply(self, pace: Pace | None = None) -> Reply:
        """The answer to the oldest request without one.

        Raises:
            OSError, asyncio.IncompleteReadError: the connection ended before.
        """
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)
        }
        if headers.get("transfer-encoding") == "chunked":
            parts = []
            while size := int((await self.reader.readuntil(b"\r\n")).strip(), 16):
                parts.append((await self._read(size + 2, pace))[:-2])
            await self.reader.readuntil(b"\r\n")
            body = b"".join(parts)
        elif "content-length" in headers:
            body = await self._read(int(headers["content-length"]), pace)
        else:
            body = await self.reader.read()
        return Reply(int(lines[0].split()[1]), headers, body)

    async def _read(self, size: int, pace: Pace | None) -> bytes:
        if pace is None:
            return await self.reader.readexactly(size)
        parts: list[bytes] = []
        while size:
            part = await self.reader.read(min(size, pace.size))
            if not part:
                raise asyncio.IncompleteReadError(b"".join(parts), size)
            parts.append(part)
            size -= len(part)
            await asyncio.sleep(pace.seconds)
        return b"".join(parts)

    async def ask(
        self, path: str, body: bytes = b"", kind: str = JSON, *, method: str = "POST", pace: Pace | None = None
    ) -> Reply:
        """Send a request, and wait for its answer."""
        self.send(path, body, kind, method=method)
        return await self.reply(pace)

    def end_sending(self) -> None:
        """Close the sending side alone."""
        self._writer.write_eof()

    def close(self) -> None:
        """Close in order."""
        self._writer.close()

    def reset(self) -> None:
        """Break off: the server gets a TCP reset, and what was not yet sent is lost."""
        sock = self._writer.get_extra_info("socket")
        if sock is not None and not self._writer.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


@dataclass
class Tally:
    """What came of the requests."""

    statuses: Counter[str] = field(default_factory=Counter)
    """Answers, by kind of client and HTTP status: `steady 200`."""
    events: Counter[str] = field(default_factory=Counter)
    """Other things that were done, such as bursts and broken connections."""
    seconds: array[float] = field(default_factory=lambda: array("d"))
    """From request to answer, of the steady clients."""
    num_requests: int = 0
    """Requests that were answered."""
    num_failures: int = 0
    failures: list[str] = field(default_factory=list)

    def answered(self, kind: str, status: int, seconds: float | None = None) -> None:
        """Note an answer; one of 5xx is a failure."""
        self.num_requests += 1
        self.statuses[f"{kind} {status}"] += 1
        if seconds is not None:
            self.seconds.append(seconds)
        if status >= 500:
            self.fail(f"{kind}: the server answered {status}")

    def fail(self, message: str) -> None:
        """Note what must not happen."""
        self.num_failures += 1
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(message)

    def by_status(self) -> dict[str, int]:
        """How many answers had each status."""
        found: Counter[str] = Counter()
        for name, number in self.statuses.items():
            found[name.rsplit(" ", 1)[1]] += number
        return dict(sorted(found.items()))

    def rank(self, share: float) -> float:
        """The time, in milliseconds, within which this share of the steady clients' requests was answered."""
        ranked = sorted(self.seconds)
        return 1000 * ranked[min(int(share * len(ranked)), len(ranked) - 1)] if ranked else 0.0
