"""The lines of the server's log, as text or as JSON."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

LogFormat = Literal["text", "json"]


class TextLines(logging.Formatter):
    """A line of text for each event, which nothing that a client sends can break or colour."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of an event. The traceback of an error follows on indented lines."""
        lines = [f"{self.formatTime(record, '%H:%M:%S')} {escaped(record.getMessage())}"]
        if record.exc_info:
            lines += [f"    {escaped(line)}" for line in self.formatException(record.exc_info).split("\n")]
        return "\n".join(lines)


class JsonLines(logging.Formatter):
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
