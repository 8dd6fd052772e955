"""The lines of the server's log, as text or as JSON."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, Literal

LogFormat = Literal["text", "json"]


WITHOUT_TEXTS = (MemoryError, RuntimeError, TypeError, AttributeError, NameError, IndexError, ArithmeticError)
"""Errors whose messages quote no values, so that the log may have them. Others may quote a text of a request."""


class _Lines(logging.Formatter):
    """Events whose tracebacks have no texts of requests."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - the name is logging's
        """The traceback of an error and of those that it came of, with only those messages that quote nothing."""
        return traceback_without_texts(ei[1])


class TextLines(_Lines):
    """A line of text for each event, which nothing that a client sends can break or colour."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of an event. The traceback of an error follows on indented lines."""
        lines = [f"{self.formatTime(record, '%H:%M:%S')} {escaped(record.getMessage())}"]
        if record.exc_info:
            lines += [f"    {escaped(line)}" for line in self.formatException(record.exc_info).split("\n")]
        return "\n".join(lines)


class JsonLines(_Lines):
    """A JSON object on a line for each event: `time`, `level`, `message`, `error` with the traceback; of a request also
    `request_id`, `method`, `path`, `status`, `ms`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of an event."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        row = {"time": time, "level": record.levelname.lower(), "message": record.getMessage()}
        row |= getattr(record, "fields", {})
        if record.exc_info:
            row["error"] = self.formatException(record.exc_info)
        return json.dumps(row, ensure_ascii=True, default=str)


def traceback_without_texts(error: BaseException | None) -> str:
    """The tracebacks of an error and of those that it came of, the first one first, as Python writes them, but without messages
    that may quote a text of a request: of such errors, there is the type alone.
    """
    parts, seen = list[str](), set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        kind = type(error)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        message = f": {error}" if isinstance(error, WITHOUT_TEXTS) else ""
        frames = "".join(traceback.format_tb(error.__traceback__))
        parts.append(f"Traceback (most recent call last):\n{frames}{name}{message}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\nThis led to:\n\n".join(reversed(parts))


def begin_log(form: LogFormat) -> None:
    """Write the log of this process to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def escaped(text: str) -> str:
    """A text in which control characters, line breaks and what else cannot be printed are written as in Python: `\\n`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
