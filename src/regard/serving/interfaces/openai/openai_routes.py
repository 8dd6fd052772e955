"""The routes of OpenAI's interface."""

from __future__ import annotations

from regard.serving.endpoints.context import ServerContext
from regard.serving.endpoints.routes import Route
from regard.serving.interfaces.openai.chat import chat
from regard.serving.interfaces.openai.completions import complete
from regard.serving.interfaces.openai.openai_replies import INTERFACE, list_models, show_model


def routes(context: ServerContext) -> list[Route]:
    """The routes of models, chats and completions."""
    no_model, events = {404: "There is no such model."}, ("text/event-stream",)
    return [
        Route("GET", "/v1/models", list_models, INTERFACE),
        Route("GET", "/v1/models/{id:path}", show_model, INTERFACE, errors=no_model),
        Route("POST", "/v1/chat/completions", chat, INTERFACE, errors=no_model, media_types=events),
        Route("POST", "/v1/completions", complete, INTERFACE, errors=no_model, media_types=events),
    ]
