"""Bounds of a server, and the errors of requests beyond them."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from regard.batching.job_errors import (
    BatchingError,
    DecodingFailedError,
    JobCancelledError,
    JobTimeoutError,
    QueueFullError,
    SchedulerClosedError,
)
from regard.errors import RegardError

LOG = logging.getLogger("regard.serving")
STATUSES: dict[type[BaseException], int] = {
    QueueFullError: 429,
    JobCancelledError: 499,
    DecodingFailedError: 500,
    SchedulerClosedError: 503,
    JobTimeoutError: 504,
}


NO_KEY = 403
"""The status without a valid key, but for interfaces with another one."""


class ServingError(RegardError):
    """A request that is not answered with a translation. Each interface writes it in its own form.

    Args:
        status: the HTTP status.
        retry_after: seconds after which the client may try again; None: it should not.
        param: the field that is wrong, if it is one.
        code: of the error, in OpenAI's words.
    """

    def __init__(
        self,
        status: int,
        message: str,
        retry_after: int | None = None,
        *,
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.retry_after, self.param, self.code = status, retry_after, param, code


class UnsupportedLanguageError(ServingError):
    """A language that is not served.

    Args:
        code: of the language.
        known: the directions that are served.
    """

    def __init__(self, code: str, known: str) -> None:
        super().__init__(400, f"{code} is not supported. This server translates {known}.")
        self.code = code


@dataclass(frozen=True)
class Limits:
    """The bounds of a server. Each has a status and a message of its own."""

    request_bytes: int = 5_000_000
    """Bytes of a body, before anything is read in it: 413."""
    dropped_bytes: int = 64_000_000
    """Bytes of a body that is too large which are read and dropped, so that the client sees the answer. If there are more, the
    connection is closed while the client sends."""
    texts: int = 1_000
    """Texts of one request: 413."""
    sentences: int = 5_000
    """Sentences of one request, after its texts are split: 413."""
    characters: int = 500_000
    """Characters of all texts of a request: 413."""
    alignment_cells: int = 4_000_000
    """Source tokens times target tokens, over the sentences of a request whose alignments are asked for: 413."""
    tokens: int = 4_096
    """Tokens that a language model writes after one prompt: 400."""
    queue: int = 20_000
    """Sentences that wait for one model: 429, with `Retry-After`."""
    beam_size: int = 16
    """Hypotheses of a sentence, and candidates of minimum Bayes risk: 400."""
    alternatives: int = 10
    """Translations of a text, or tokens of a step, that may be asked for: 400."""
    seconds: float = 300.0
    """Seconds from the arrival of a request to its answer: 504."""
    body_seconds: float = 30.0
    """Seconds for a client to send its body, and to take in each piece of a stream: 408."""
    glossaries: int = 1_000
    """Glossaries of one key: 456, DeepL's status for a quota."""
    glossary_entries: int = 10_000
    """Entries of one glossary: 413."""
    all_glossary_entries: int = 100_000
    """Entries of all glossaries of a key: 456."""
    all_glossary_bytes: int = 10_000_000
    """Bytes of all glossaries of a key, names, terms and phrases as UTF-8: 456."""
    phrase_bytes: int = 1_024
    """Bytes of the name, a term or a phrase of a glossary: 400."""
    batch_size: int = 64
    """Sentences that are decoded together."""


NO_MODEL = "model_not_found"
"""OpenAI's code for a model that is not there."""


def serving_error(error: BaseException, seconds: float = Limits.seconds) -> ServingError:
    """An error as it is answered, with its status: 400 where the request is wrong. One of the program itself is logged.

    Args:
        seconds: that a request may take.
    """
    if isinstance(error, ServingError):
        return error
    if isinstance(error, TimeoutError):
        return ServingError(504, f"A request may take {seconds:g} seconds.")
    if not isinstance(error, RegardError):
        LOG.error("a request failed", exc_info=error)
        return ServingError(500, "The server failed to answer this request. Its log says why.")
    retry_after = error.retry_after if isinstance(error, BatchingError) else None
    return ServingError(STATUSES.get(type(error), 400), str(error), retry_after)
