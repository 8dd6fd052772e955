"""The routes of our own interface."""

from __future__ import annotations

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
API, ONE = "/api/v1", "/api/v1/inspect/{id}"
ROUTES = [
    Route("POST", f"{API}/translate", translation.translate, INTERFACE),
    Route("POST", f"{API}/stream", translation.stream, INTERFACE, media_types=EVENTS),
    Route("POST", f"{API}/tokenize", translation.tokenize, INTERFACE),
    Route("POST", f"{API}/score", translation.score, INTERFACE),
    Route("POST", f"{API}/align", translation.align, INTERFACE),
    Route("POST", f"{API}/generate", text_models.generate, INTERFACE, errors=NO_MODEL),
    Route("POST", f"{API}/predict", text_models.predict, INTERFACE, errors=NO_MODEL),
    Route("GET", f"{API}/models", translation.list_models, INTERFACE),
    Route("POST", f"{API}/inspect", inspection.inspect, INTERFACE, errors=NO_MODEL),
    Route("GET", ONE, inspection.inspected, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/attention/{{kind}}", inspection.attentions, INTERFACE, 200, GONE, BYTES),
    Route("GET", f"{ONE}/attention/{{kind}}/{{layer}}/{{head}}", inspection.attention, INTERFACE, 200, GONE, BYTES),
    Route("GET", f"{ONE}/lookup/{{head}}/{{row}}/{{key}}", inspection.lookup, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/writes/{{head}}/{{row}}", inspection.writes, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/stream/{{row}}", inspection.stream, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/flow/{{method}}", inspection.flow, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/next/{{row}}", experiments.next_token, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/experiment/{{change}}", experiments.try_change, INTERFACE, errors=GONE),
    Route("GET", f"{ONE}/patch", experiments.patch_states, INTERFACE, 200, GONE, EVENTS),
    Route("POST", f"{API}/ablate", inspection.ablate, INTERFACE, errors=NO_MODEL),
]
