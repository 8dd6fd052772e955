"""The reasons why a job was not decoded."""

from __future__ import annotations

from regard.errors import RegardError

SHUTTING_DOWN = "The server is shutting down; it answers what it has accepted."


class BatchingError(RegardError):
    """A job, or a part of it, that was not decoded.

    Args:
        retry_after: seconds after which the same job may be accepted; None: it is not to be sent again.
    """

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class QueueFullError(BatchingError):
    """Too much waits already."""


class SchedulerClosedError(BatchingError):
    """A scheduler that takes nothing any more: its model is being replaced, or the program ends."""


class JobCancelledError(BatchingError):
    """A job that was cancelled."""


class JobTimeoutError(BatchingError):
    """A job that took longer than it may."""


class DecodingFailedError(BatchingError):
    """A batch whose decoding failed."""
