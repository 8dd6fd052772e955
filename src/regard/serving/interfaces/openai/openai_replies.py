"""The parts that OpenAI's paths share: the list of models, usage, streams, errors."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import FieldRule, Fields, shown_value
from regard.serving.endpoints.routes import Interface
from regard.serving.limits import NO_MODEL, ServingError, serving_error

ModelInfo = TypedDict("ModelInfo", {"id": str, "object": str, "created": int, "owned_by": str})
ModelList = TypedDict("ModelList", {"object": str, "data": list[ModelInfo]})
Head = TypedDict("Head", {"id": str, "object": str, "created": int, "model": str})
Usage = TypedDict("Usage", {"prompt_tokens": int, "completion_tokens": int, "total_tokens": int})
OpenAIError = TypedDict("OpenAIError", {"message": str, "type": str, "param": str | None, "code": str | None})
Failure = TypedDict("Failure", {"error": OpenAIError})


class ModelFields(Fields):
    """The name of a model."""

    id: Annotated[str, FieldRule("a string", keeps_empty=True)]


async def list_models(context: RequestContext) -> ModelList:
    """OpenAI: models."""
    return {"object": "list", "data": [_model(name) for name in context.registry.names]}


async def show_model(context: RequestContext, fields: ModelFields) -> ModelInfo:
    """OpenAI: one of the models."""
    if fields.id not in (names := context.registry.names):
        raise no_model(fields.id, names)
    return _model(fields.id)


def _model(name: str) -> ModelInfo:
    return {"id": name, "object": "model", "created": 0, "owned_by": "regard"}


def no_model(name: object, names: Iterable[str]) -> ServingError:
    """The error of a model that is not there.

    Args:
        names: of the models that are.
    """
    message = f"The model {shown_value(name, 60)} does not exist. Models here: {', '.join(names)}."
    return ServingError(404, message, param="model", code=NO_MODEL)


def head(kind: str, prefix: str, model: str) -> Head:
    """The fields that all parts of an answer have."""
    return {"id": f"{prefix}-{time.time_ns():x}", "object": kind, "created": int(time.time()), "model": model}


def usage(num_read: int, num_written: int) -> Usage:
    """The numbers of tokens that were read and written."""
    return {
        "prompt_tokens": num_read, "completion_tokens": num_written, "total_tokens": num_read + num_written,
    }  # fmt: skip


class Chunks:
    """The parts of a stream, as bytes.

    Args:
        head: the fields that all have.
    """

    def __init__(self, head: Mapping[str, Any], *, include_usage: bool) -> None:
        self._head, self._include_usage = head, include_usage

    def chunk(self, choices: Sequence[Mapping[str, Any]]) -> bytes:
        """A part with what is new of some choices."""
        more = {"usage": None} if self._include_usage else {}
        return _data({**self._head, "choices": choices, **more})

    def last(self, usage: Usage) -> bytes:
        """The end of the stream: the usage, if it is asked for."""
        told = _data({**self._head, "choices": [], "usage": usage}) if self._include_usage else b""
        return told + b"data: [DONE]\n\n"


def stream_failure(error: BaseException) -> bytes:
    """The end of a stream that failed."""
    return _data(failure(serving_error(error)))


def _data(content: Any) -> bytes:
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n".encode()


def failure(error: ServingError) -> Failure:
    """The content of an error, which names the field that is wrong, if it is one."""
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    return {"error": {"message": str(error), "type": kind, "param": error.param, "code": error.code}}


INTERFACE = Interface("openai", "/v1", failure, key_status=401, takes_forms=False)
