"""A request that is being answered, and the parts of the server that handlers use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from regard.batching.job_errors import SHUTTING_DOWN
from regard.batching.jobs import Job
from regard.batching.queue import with_newest
from regard.batching.scheduler import Scheduler
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.character_counts import CharacterCounts
from regard.serving.directions import Direction
from regard.serving.endpoints.bodies import fields_of
from regard.serving.glossaries import Glossaries
from regard.serving.inspection_cache import InspectionCache
from regard.serving.keys import Keys
from regard.serving.limits import Limits, ServingError
from regard.serving.model_registry import ModelRegistry
from regard.serving.process_reports import ProcessReports
from regard.serving.shared_state import SharedState
from regard.serving.text_results import PendingTranslation, TextResult
from regard.serving.translation_request import TranslationRequest
from regard.serving.translation_service import TranslationService

Kind = TypeVar("Kind", bound=Pipeline)
Result = TypeVar("Result")


class ServerContext:
    """The parts of a server, for handlers."""

    def __init__(self, registry: ModelRegistry, keys: Keys, state: SharedState) -> None:
        self.registry, self.keys, self.limits = registry, keys, registry.limits
        self.characters = CharacterCounts(state)
        self.translations = TranslationService(registry, self.characters)
        self.inspections = InspectionCache(state)
        self.glossaries = Glossaries(registry.limits, state)
        self.reports = ProcessReports(state, registry, self.characters)
        self.document: Mapping[str, Any] = {}
        """The OpenAPI document of all routes."""


async def read_fields(request: Request, limits: Limits) -> dict[str, Any]:
    """The fields of a request, in its body and its query string.

    Raises:
        ServingError: 415, the body is compressed; 413, it is too large; 408, it did not come in time; 400, it is not
            what its type says.
    """
    if (encoding := request.headers.get("content-encoding", "identity")).lower() != "identity":
        raise ServingError(415, f"A body must not be compressed; got Content-Encoding {encoding[:40]}.")
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
    if len(query := request.url.query) > limits.request_bytes:
        raise too_large
    return fields_of(query, b"".join(parts), request.headers.get("content-type", ""))


async def until_disconnect(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


class RequestContext:
    """A request that is being answered.

    Args:
        fields: as they were sent.
        owner: the client's key, where keys are needed.
    """

    def __init__(
        self, server: ServerContext, request: Request, fields: Mapping[str, Any], owner: bytes | None = None
    ) -> None:
        self.server, self.request, self.fields, self.owner = server, request, fields, owner
        self.registry, self.limits = server.registry, server.limits

    async def translate(self, wanted: TranslationRequest) -> tuple[list[TextResult], PendingTranslation]:
        """The translations of some texts, and the request that they came of.

        Raises:
            ServingError: no such direction, or too much to do; or a text that cannot be translated.
        """
        found, pending = await self.outcomes(wanted)
        for each in found:
            if isinstance(each, Exception):
                raise each
        return [each for each in found if isinstance(each, TextResult)], pending

    async def outcomes(self, wanted: TranslationRequest) -> tuple[list[TextResult | Exception], PendingTranslation]:
        """The translation of each text, or the reason why it has none."""
        translations = self.server.translations
        submit = partial(translations.submit, wanted, owner=self.owner)
        pending = submit() if translations.is_short(wanted) else await asyncio.to_thread(submit)
        return await self.unless_gone(pending.results(), pending.cancel), pending

    async def unless_gone(self, result: Awaitable[Result], cancel: Callable[[], None]) -> Result:
        """A result, for which the client waits.

        Args:
            cancel: called if the client goes away.
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

    async def use_translator(self, direction: Direction, function: Callable[[Translator], Result]) -> Result:
        """The result of a function of the model of a direction, called between two steps of decoding.

        Raises:
            ServingError: no such direction, or too much to do.
        """
        if self.registry.is_draining:
            raise ServingError(503, SHUTTING_DOWN, 5)
        source, target = direction.source, direction.target
        return await self.use(lambda: self.registry.route(source, target)[1], function)

    async def use_text_model(self, kind: type[Kind], name: str | None, function: Callable[[Kind], Result]) -> Result:
        """The result of a function of a text model, called between two steps of decoding."""
        return await self.use(lambda: self.registry.text_model(kind, name)[1], function)

    async def use(self, find: Callable[[], Scheduler[Kind]], function: Callable[[Kind], Result]) -> Result:
        """The result of a function of a model, called between two steps of decoding.

        Args:
            find: the model's scheduler, as it is now.
        """
        future = with_newest(find, lambda scheduler: scheduler.call(function))
        return await asyncio.wait_for(asyncio.wrap_future(future), self.limits.seconds)

    async def stream(
        self, wanted: TranslationRequest, *, watches: bool = False
    ) -> tuple[PendingTranslation, JobStream]:
        """A translation under way, and its pieces as they become certain.

        Raises:
            ServingError: as for `translate`: before anything is sent.
        """
        pieces = JobStream()
        submit = self.server.translations.submit
        pending = await asyncio.to_thread(submit, wanted, pieces.send, watches=watches, owner=self.owner)
        pieces.follow(pending.job)
        return pending, pieces


class JobStream:
    """The pieces of a job's results, as they become certain."""

    def __init__(self) -> None:
        self._loop, self._queue = asyncio.get_running_loop(), asyncio.Queue[tuple[int, Any, bool]]()
        self.results: list[asyncio.Future[Any]] = []

    def send(self, index: int, piece: Any) -> None:
        """Note a piece; called in a thread of the scheduler."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, (index, piece, False))

    def follow(self, job: Job) -> None:
        """Note the result of each sentence when it is there."""
        self.results = [asyncio.wrap_future(future) for future in job.futures]
        for index, result in enumerate(self.results):
            result.add_done_callback(partial(self._end, index))

    def _end(self, index: int, result: asyncio.Future[Any]) -> None:
        if not result.cancelled():
            self._queue.put_nowait((index, result.exception() or result.result(), True))

    async def pieces(self) -> AsyncGenerator[tuple[int, Any, bool]]:
        """For each sentence by its index: a piece that is certain, or the result or error, which is the last of it."""
        num_left = len(self.results)
        while num_left:
            index, piece, is_last = await self._queue.get()
            num_left -= is_last
            yield index, piece, is_last
