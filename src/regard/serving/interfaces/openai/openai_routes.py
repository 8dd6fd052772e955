"""The routes of OpenAI's interface."""

from __future__ import annotations

from regard.serving.endpoints.routes import Route
from regard.serving.interfaces.openai.chat import chat
from regard.serving.interfaces.openai.completions import complete
from regard.serving.interfaces.openai.openai_replies import INTERFACE, list_models, show_model

NO_MODEL, EVENTS = {404: "There is no such model."}, ("text/event-stream",)
ROUTES = [
    Route("GET", "/v1/models", list_models, INTERFACE),
    Route("GET", "/v1/models/{id:path}", show_model, INTERFACE, errors=NO_MODEL),
    Route("POST", "/v1/chat/completions", chat, INTERFACE, errors=NO_MODEL, media_types=EVENTS),
    Route("POST", "/v1/completions", complete, INTERFACE, errors=NO_MODEL, media_types=EVENTS),
]
