"""Operation: whether the server is alive and takes requests, and its metrics."""

from __future__ import annotations

from typing import Literal

from starlette.responses import PlainTextResponse
from typing_extensions import TypedDict

from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.replies import JSONReply
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.interfaces.libretranslate import failure
from regard.serving.process_reports import Health

NAME = "operation"


class Readiness(TypedDict):
    """Whether requests are taken; the models, or those whose queues are full."""

    status: Literal["ready", "draining", "full"]
    models: list[str]


async def health(context: RequestContext) -> Health:
    """Whether the server is alive, and what has failed."""
    return context.server.reports.health()


async def ready(context: RequestContext) -> JSONReply[Readiness]:
    """Whether requests are taken; 503 if not."""
    registry = context.registry
    full = [
        name for name, each in registry.schedulers_by_name.items() if each.queue.num_waiting >= context.limits.queue
    ]
    if registry.is_draining or full:
        return JSONReply({"status": "draining" if registry.is_draining else "full", "models": full}, 503)
    return JSONReply({"status": "ready", "models": registry.names})


async def metrics(context: RequestContext) -> PlainTextResponse:
    """The counts of all processes, in Prometheus's text format."""
    return PlainTextResponse(context.server.reports.metrics(), media_type="text/plain; version=0.0.4")


INTERFACE = Interface(NAME, "/", failure)
ROUTES = [
    Route("GET", "/health", health, INTERFACE, needs_key=False),
    Route("GET", "/ready", ready, INTERFACE, errors={503: Readiness}, needs_key=False),
    Route("GET", "/metrics", metrics, INTERFACE, media_types=("text/plain",), needs_key=False),
]
