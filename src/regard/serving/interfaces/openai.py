"""OpenAI's interface, for clients that can have nothing else: a chat whose last message is the text.

The direction is the model's name, not the prompt. Source: OpenAI's documentation; what Weblate and Subtitle Edit send.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.serving.answers import Answered, Asked
from regard.serving.interfaces.encoding import Answer, number_of, truth_of
from regard.serving.limits import ServingError
from regard.serving.service import Service

WEBLATE_PART = "\n==WEBLATE_PART==\n"
"""What Weblate puts between strings, and wants to find between their translations."""
INSTRUCTION = re.compile(r"^\s*(please )?translate\b[^\n]{0,300}(:|\.)?\s*$", re.IGNORECASE)
"""The prompt that Subtitle Edit puts before a blank line and the text."""
CANNOT = re.compile(
    r"\b(json|xml)\b.{0,80}\b(format|object|array|schema|output|return|respond)", re.IGNORECASE | re.DOTALL
)
"""Prompts for answers in a form, which a translation model cannot follow."""


LONGEST_PROMPT, LONGEST_SYSTEM = 400, 10_000
"""Characters in which prompts are looked for."""


def models(service: Service) -> Answer:
    """The answer to `/v1/models`."""
    return Answer({"object": "list", "data": [_model(name) for name in _names(service)]})


def model(service: Service, name: str) -> Answer:
    """The answer to `/v1/models/{id}`.

    Raises:
        ServingError: 404, there is no such model.
    """
    if name not in (names := _names(service)):
        raise _no_model(name, names)
    return Answer(_model(name))


def _names(service: Service) -> list[str]:
    return [*map(str, service.engines), *service.others]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "regard"}


def _no_model(name: object, names: Iterable[str]) -> ServingError:
    return ServingError(404, f"The model {str(name)[:60]!r} does not exist. Models here: {', '.join(names)}.")


@dataclass(frozen=True)
class StreamOptions:
    """How an answer is streamed."""

    include_usage: bool = False
    """Whether a last chunk, without choices, says how many tokens were read and written."""


def stream_of(fields: Mapping[str, Any]) -> StreamOptions | None:
    """How the answer to a request is streamed; None: it is sent in one piece.

    Raises:
        ServingError: 400, options that are no object, or without a stream.
    """
    streams, options = truth_of(fields, "stream"), fields.get("stream_options")
    if options is not None and not isinstance(options, Mapping):
        raise ServingError(400, "stream_options must be an object.")
    if options is not None and not streams:
        raise ServingError(400, "stream_options needs stream to be true.")
    return StreamOptions(truth_of(options or {}, "include_usage")) if streams else None


def parse(fields: Mapping[str, Any], service: Service) -> tuple[Asked, StreamOptions | None, str]:
    """A request to `/v1/chat/completions`: what it asks for, how it is streamed, and the model's name.

    Raises:
        ServingError: 400 or 404, a model that is not served, or a prompt for what a translation model cannot do.
    """
    names = {str(direction): direction for direction in service.engines}
    model = fields.get("model") or next(iter(names), "")
    if isinstance(model, str) and model in service.others:
        raise ServingError(400, f"{model} does not chat. A language model is asked at /v1/completions.")
    if not isinstance(model, str) or model not in names:
        raise _no_model(model, names)
    messages = fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(each, Mapping) for each in messages):
        raise ServingError(400, "messages must be a list of objects.")
    users = [_content(each) for each in messages if each.get("role") == "user"]
    if not users:
        raise ServingError(400, "messages must have one whose role is user: the text to translate.")
    others = " ".join(_content(each) for each in messages if each.get("role") in ("system", "developer"))
    text = users[-1]
    before, blank, after = text.partition("\n\n")
    if blank and len(before) <= LONGEST_PROMPT and INSTRUCTION.match(before):
        others, text = f"{others} {before}", after
    if CANNOT.search(others[:LONGEST_SYSTEM]):
        raise ServingError(400, "This is a translation model: it cannot answer in a form that a prompt asks for.")
    parts = text.split(WEBLATE_PART)
    number_of(fields, "n", 1, 1, least=1)
    direction = names[model]
    return Asked(parts, direction.source, direction.target_code), stream_of(fields), model


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(
            str(part.get("text", "")) for part in content if isinstance(part, Mapping) and part.get("type") == "text"
        )
    if not isinstance(content, str):
        raise ServingError(400, "a message's content must be text.")
    return content


def joined(found: Sequence[Answered]) -> str:
    """The translation of all parts, between them what was between the parts."""
    return WEBLATE_PART.join(each.text for each in found)


def answer(text: str, asked: Asked, found: Sequence[Answered], model: str) -> Answer:
    """The answer in one piece."""
    return Answer(
        {
            "id": f"chatcmpl-{time.time_ns():x}", "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": None}
            ],
            "usage": usage(asked, found),
        }
    )  # fmt: skip


def usage(asked: Asked, found: Sequence[Answered]) -> dict[str, int]:
    """How much was read, in words, and written, in tokens."""
    written = sum(len(sentence.ids) for each in found for sentence in each.sentences)
    read = sum(len(part.split()) for part in asked.texts)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class Chunks:
    """The parts of a stream."""

    def __init__(self, model: str, options: StreamOptions) -> None:
        self._options = options
        self._head = {
            "id": f"chatcmpl-{time.time_ns():x}", "object": "chat.completion.chunk", "created": int(time.time()), "model": model,
        }  # fmt: skip

    def first(self) -> bytes:
        """What begins it."""
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, piece: str) -> bytes:
        """A piece of the text."""
        return self._chunk({"content": piece})

    def end(self, usage: Mapping[str, int]) -> bytes:
        """What ends it."""
        return self._chunk({}, "stop") + last_chunk(self._head, usage, self._options)

    def _chunk(self, delta: Mapping[str, str], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return chunk(self._head, [choice], self._options)


def chunk(head: Mapping[str, Any], choices: Sequence[Mapping[str, Any]], options: StreamOptions) -> bytes:
    """A part of a stream, of chats or completions."""
    more = {"usage": None} if options.include_usage else {}
    return f"data: {json.dumps({**head, 'choices': choices, **more}, ensure_ascii=False)}\n\n".encode()


def last_chunk(head: Mapping[str, Any], usage: Mapping[str, int], options: StreamOptions) -> bytes:
    """What ends a stream: how much was read and written, if that is asked for."""
    told = f"data: {json.dumps({**head, 'choices': [], 'usage': usage}, ensure_ascii=False)}\n\n"
    return f"{told if options.include_usage else ''}data: [DONE]\n\n".encode()


def failure(message: str) -> bytes:
    """What ends a stream that failed."""
    return f"data: {json.dumps({'error': {'message': message}}, ensure_ascii=False)}\n\n".encode()


def error(status: int, message: str) -> Answer:
    """An error."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return Answer({"error": {"message": message, "type": kind, "param": None, "code": None}}, status)
