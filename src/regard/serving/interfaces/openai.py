"""OpenAI's interface, for clients that can have nothing else: a chat whose last message is the text.

The direction is the model's name, not the prompt. Source: OpenAI's documentation; what Weblate and Subtitle Edit send.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from regard.serving.answers import Answered, Asked
from regard.serving.interfaces.encoding import Answer
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
    names = [*map(str, service.engines), *service.others]
    rows = [{"id": name, "object": "model", "created": 0, "owned_by": "regard"} for name in names]
    return Answer({"object": "list", "data": rows})


def parse(fields: Mapping[str, Any], service: Service) -> tuple[Asked, bool, str]:
    """A request to `/v1/chat/completions`: what it asks for, whether as a stream, and the model's name.

    Raises:
        ServingError: 400 or 404, a model that is not served, or a prompt for what a translation model cannot do.
    """
    names = {str(direction): direction for direction in service.engines}
    model = fields.get("model") or next(iter(names), "")
    if isinstance(model, str) and model in service.others:
        raise ServingError(400, f"{model} does not chat. A language model is asked at /v1/completions.")
    if not isinstance(model, str) or model not in names:
        raise ServingError(404, f"The model {str(model)[:60]!r} does not exist. Models here: {', '.join(names)}.")
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
    if (count := fields.get("n") or 1) != 1:
        raise ServingError(400, f"n must be 1; got {count}.")
    direction = names[model]
    return Asked(parts, direction.source, direction.target_code), bool(fields.get("stream")), model


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
    tokens = sum(len(sentence.ids) for each in found for sentence in each.sentences)
    read = sum(len(part.split()) for part in asked.texts)
    return Answer(
        {
            "id": f"chatcmpl-{time.time_ns():x}", "object": "chat.completion", "created": int(time.time()), "model": model,
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": None}
            ],
            "usage": {"prompt_tokens": read, "completion_tokens": tokens, "total_tokens": read + tokens},
        }
    )  # fmt: skip


def chunk(piece: str | None, model: str, *, first: bool = False) -> bytes:
    """A part of a stream; None: its end."""
    delta = {} if piece is None else ({"role": "assistant"} if first else {}) | {"content": piece}
    content = {
        "id": "chatcmpl-stream", "object": "chat.completion.chunk", "created": int(time.time()), "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": "stop" if piece is None else None}],
    }  # fmt: skip
    end = "data: [DONE]\n\n" if piece is None else ""
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n{end}".encode()


def failure(message: str) -> bytes:
    """What ends a stream that failed."""
    return f"data: {json.dumps({'error': {'message': message}}, ensure_ascii=False)}\n\n".encode()


def error(status: int, message: str) -> Answer:
    """An error."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return Answer({"error": {"message": message, "type": kind, "param": None, "code": None}}, status)
