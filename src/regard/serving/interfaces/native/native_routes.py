"""The routes of our own interface."""

from __future__ import annotations

from regard.serving.endpoints.context import ServerContext
from regard.serving.endpoints.routes import Route
from regard.serving.interfaces.native import native_experiments as experiments
from regard.serving.interfaces.native import native_inspection as inspection
from regard.serving.interfaces.native import native_translation as translation
from regard.serving.interfaces.native import text_models
from regard.serving.interfaces.native.native_fields import INTERFACE

GONE = {410: "The inspection is gone."}
NO_MODEL = {404: "There is no such model."}
BYTES = ("application/octet-stream",)
EVENTS = ("text/event-stream",)


def routes(context: ServerContext) -> list[Route]:
    """The routes of translations, text models and inspections."""
    api, one = "/api/v1", "/api/v1/inspect/{id}"
    return [
        Route("POST", f"{api}/translate", translation.translate, INTERFACE),
        Route("POST", f"{api}/stream", translation.stream, INTERFACE, media_types=EVENTS),
        Route("POST", f"{api}/tokenize", translation.tokenize, INTERFACE),
        Route("POST", f"{api}/score", translation.score, INTERFACE),
        Route("POST", f"{api}/align", translation.align, INTERFACE),
        Route("POST", f"{api}/generate", text_models.generate, INTERFACE, errors=NO_MODEL),
        Route("POST", f"{api}/predict", text_models.predict, INTERFACE, errors=NO_MODEL),
        Route("GET", f"{api}/models", translation.list_models, INTERFACE),
        Route("POST", f"{api}/inspect", inspection.inspect, INTERFACE, errors=NO_MODEL),
        Route("GET", one, inspection.inspected, INTERFACE, errors=GONE),
        Route("GET", f"{one}/attention/{{kind}}", inspection.attentions, INTERFACE, 200, GONE, BYTES),
        Route("GET", f"{one}/attention/{{kind}}/{{layer}}/{{head}}", inspection.attention, INTERFACE, 200, GONE, BYTES),
        Route("GET", f"{one}/lookup/{{head}}/{{row}}/{{key}}", inspection.lookup, INTERFACE, errors=GONE),
        Route("GET", f"{one}/writes/{{head}}/{{row}}", inspection.writes, INTERFACE, errors=GONE),
        Route("GET", f"{one}/stream/{{row}}", inspection.stream, INTERFACE, errors=GONE),
        Route("GET", f"{one}/flow/{{method}}", inspection.flow, INTERFACE, errors=GONE),
        Route("GET", f"{one}/next/{{row}}", experiments.next_token, INTERFACE, errors=GONE),
        Route("GET", f"{one}/experiment/{{change}}", experiments.try_change, INTERFACE, errors=GONE),
        Route("GET", f"{one}/patch", experiments.patch_states, INTERFACE, 200, GONE, EVENTS),
        Route("POST", f"{api}/ablate", inspection.ablate, INTERFACE, errors=NO_MODEL),
    ]
