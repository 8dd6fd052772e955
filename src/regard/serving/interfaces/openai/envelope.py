"""What OpenAI's paths have in common: the list of models, parts of streams, errors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regard.errors import RegardError
from regard.serving.interfaces.encoding import Answer
from regard.serving.interfaces.openai.fields import StreamOptions
from regard.serving.limits import NO_MODEL, ServingError
from regard.serving.service import Service


def models(service: Service) -> Answer:
    """The answer to `/v1/models`."""
    return Answer({"object": "list", "data": [_model(name) for name in _names(service)]})


def model(service: Service, name: str) -> Answer:
    """The answer to `/v1/models/{id}`.

    Raises:
        ServingError: 404, there is no such model.
    """
    if name not in (names := _names(service)):
        raise no_model(name, names)
    return Answer(_model(name))


def _names(service: Service) -> list[str]:
    return [*map(str, service.engines), *service.others]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "regard"}


def no_model(name: object, names: Iterable[str]) -> ServingError:
    """What is said of a model that is not there.

    Args:
        names: of those that are.
    """
    message = f"The model {str(name)[:60]!r} does not exist. Models here: {', '.join(names)}."
    return ServingError(404, message, param="model", code=NO_MODEL)


def chunk(head: Mapping[str, Any], choices: Sequence[Mapping[str, Any]], options: StreamOptions) -> bytes:
    """A part of a stream, of chats or completions."""
    more = {"usage": None} if options.include_usage else {}
    return f"data: {json.dumps({**head, 'choices': choices, **more}, ensure_ascii=False)}\n\n".encode()


def last_chunk(head: Mapping[str, Any], usage: Mapping[str, int], options: StreamOptions) -> bytes:
    """What ends a stream: how much was read and written, if that is asked for."""
    told = f"data: {json.dumps({**head, 'choices': [], 'usage': usage}, ensure_ascii=False)}\n\n"
    return f"{told if options.include_usage else ''}data: [DONE]\n\n".encode()


def failure(failed: BaseException) -> bytes:
    """What ends a stream that failed."""
    status = failed.status if isinstance(failed, ServingError) else 400 if isinstance(failed, RegardError) else 500
    return f"data: {json.dumps(error(status, str(failed)).content, ensure_ascii=False)}\n\n".encode()


def error(status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
    """An error.

    Args:
        param: the field that is wrong, if it is one.
        code: what is wrong, in OpenAI's word for it.
    """
    kind = "invalid_request_error" if status < 500 else "server_error"
    return Answer({"error": {"message": message, "type": kind, "param": param, "code": code}}, status)
