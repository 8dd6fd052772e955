"""OpenAI's chats, for models that translate: the last message of the user is the text, and the model's name the direction.

Source: OpenAI's documentation; what Weblate and Subtitle Edit send.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.generation.options import DecodingOptions
from regard.generation.rules.sampling import SamplingOptions
from regard.pipelines.translation import Translation
from regard.serving.answers import Answered, Asked
from regard.serving.interfaces.encoding import Answer, number_of
from regard.serving.interfaces.openai.envelope import chunk, last_chunk, no_model
from regard.serving.interfaces.openai.fields import (
    CHAT,
    StreamOptions,
    drawing_of,
    flag_of,
    options_of,
    stops_of,
    stream_of,
)
from regard.serving.limits import ServingError
from regard.serving.service import Service
from regard.text.tokenizer import Tokenizer

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
LIMITS = ("max_tokens", "max_completion_tokens")
"""The former and the present name of the most tokens of an answer."""
MOST_TOKENS = 2**31 - 1
"""Clients ask for more than any model writes; the model's own limit holds then."""
READ_ROLES, ROLES = (
    ("system", "developer", "user"),
    ("system", "developer", "user", "assistant", "tool", "function"),
)
"""Whose messages are looked at, and who may have written one."""
CUT = ("length", "prefix")
"""Why a translation ended that was cut at the allowed length."""


@dataclass(frozen=True)
class Chat:
    """What a request to `/v1/chat/completions` asks for."""

    asked: Asked
    model: str
    """Its name."""
    stream: StreamOptions | None
    """None: the answer is sent in one piece."""
    stop: tuple[str, ...]
    """Texts before the first of which the answer ends."""
    max_tokens: int
    """Of the whole answer."""
    has_log_probs: bool
    """Whether the answer has its tokens and their log-probabilities."""


def parse(fields: Mapping[str, Any], service: Service) -> Chat:
    """A request to `/v1/chat/completions`.

    Raises:
        ServingError: 400 or 404, a model that is not served, a field that it cannot follow, or a prompt for what a translation
            model cannot do.
    """
    CHAT.check(fields)
    names = {str(direction): direction for direction in service.engines}
    model = fields.get("model") or next(iter(names), "")
    if isinstance(model, str) and model in service.others:
        message = f"{model} does not chat. A language model is asked at /v1/completions."
        raise ServingError(400, message, param="model")
    if not isinstance(model, str) or model not in names:
        raise no_model(model, names)
    parts = _text(fields.get("messages")).split(WEBLATE_PART)
    number_of(fields, "n", 1, 1, least=1)
    max_tokens, has_log_probs = _max_tokens(fields), flag_of(fields, "logprobs")
    likeliest = number_of(fields, "top_logprobs", 0, service.limits.alternatives)
    if likeliest and not has_log_probs:
        raise ServingError(400, "top_logprobs needs logprobs to be true.", param="top_logprobs")
    direction = names[model]
    return Chat(
        Asked(parts, direction.source, direction.target_code, _options(fields, max_tokens, likeliest)),
        model, stream_of(fields), stops_of(fields), max_tokens or sys.maxsize, has_log_probs,
    )  # fmt: skip


def _max_tokens(fields: Mapping[str, Any]) -> int | None:
    """How many tokens an answer may have; None: as many as the model writes."""
    given = [number_of(fields, name, 1, MOST_TOKENS, least=1) for name in LIMITS if fields.get(name) is not None]
    if len(set(given)) > 1:
        values = " and ".join(map(str, given))
        raise ServingError(
            400, f"max_tokens and max_completion_tokens must be equal; got {values}. Leave one out.", param=LIMITS[0]
        )
    return given[0] if given else None


def _options(fields: Mapping[str, Any], max_tokens: int | None, likeliest: int) -> DecodingOptions:
    """How the text is translated: by search, unless the temperature, or what else says how tokens are drawn, is neither 0 nor
    OpenAI's default.
    """
    given = drawing_of(fields)
    drawing, usual = (options_of(SamplingOptions, **each).model_dump(exclude={"seed"}) for each in (given, {}))
    draws = drawing["temperature"] > 0 and drawing != usual
    return options_of(
        DecodingOptions,
        alternatives=likeliest,
        max_length=max_tokens,
        **({"method": "sample"} | given if draws else {}),
    )


def _text(messages: Any) -> str:
    """The text to translate.

    Raises:
        ServingError: 400, there is none, or not only text.
    """
    if not isinstance(messages, list) or not all(isinstance(each, Mapping) for each in messages):
        raise ServingError(400, "messages must be a list of objects.", param="messages")
    for each in messages:
        if each.get("role") not in ROLES:
            rule = f"messages must have a role of {', '.join(ROLES)}"
            raise ServingError(400, f"{rule}; got {str(each.get('role'))[:40]!r}.", param="messages")
    said = [(each["role"], _content(each)) for each in messages if each["role"] in READ_ROLES]
    users = [content for role, content in said if role == "user"]
    if not users:
        message = "messages must have one whose role is user: the text to translate."
        raise ServingError(400, message, param="messages")
    others, text = " ".join(content for role, content in said if role != "user"), users[-1]
    before, blank, after = text.partition("\n\n")
    if blank and len(before) <= LONGEST_PROMPT and INSTRUCTION.match(before):
        others, text = f"{others} {before}", after
    if CANNOT.search(others[:LONGEST_SYSTEM]):
        message = "This is a translation model: it cannot answer in a form that a prompt asks for."
        raise ServingError(400, message, param="messages")
    return text


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(_part(each) for each in content)
    if not isinstance(content, str):
        raise ServingError(400, "messages must have text as their content.", param="messages")
    return content


def _part(part: Any) -> str:
    """The text of a part of a message."""
    kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
    if kind == "text" and isinstance(text := part.get("text"), str):
        return text
    message = f"messages must have parts of type text only; got {str(kind)[:40]!r}. No model here reads anything else."
    raise ServingError(400, message, param="messages")


@dataclass(frozen=True)
class Written:
    """A sentence of an answer."""

    begin: int
    """Its first character in the answer."""
    sentence: Translation
    ids: list[int]
    """Its tokens, as far as they are in the answer."""


@dataclass(frozen=True)
class Reply:
    """What is answered."""

    text: str
    finish_reason: str
    """`stop` or `length`."""
    written: list[Written]
    log_probs: list[dict[str, Any]] | None
    """Of each token; None: not asked for."""

    @property
    def num_tokens(self) -> int:
        """How many tokens it has."""
        return sum(len(each.ids) for each in self.written)


def reply_of(chat: Chat, found: Sequence[Answered], tokenizer: Tokenizer) -> Reply:
    """The translations of all parts, with what was between the parts; cut at the allowed length, and before the first text at
    which it stops.

    Args:
        tokenizer: of the target.
    """
    text, reason, left = "", "stop", chat.max_tokens
    written: list[Written] = []
    for before, sentence in _in_order(found):
        if sentence is None:
            text += before
            break
        if sentence.ids and not left:
            reason = "length"
            break
        ids = sentence.ids[:left]
        written.append(Written(len(text) + len(before), sentence, ids))
        is_whole, left = len(ids) == len(sentence.ids), left - len(ids)
        text += before + (sentence.text if is_whole else tokenizer.decode(ids))
        if not is_whole or sentence.finish_reason in CUT:
            reason = "length"
    if ends := [at for stop in chat.stop if (at := text.find(stop)) >= 0]:
        text, reason = text[: min(ends)], "stop"
        written = _before(min(ends), written, tokenizer)
    log_probs = [row for each in written for row in _rows(each, tokenizer)] if chat.has_log_probs else None
    return Reply(text, reason, written, log_probs)


def _in_order(found: Sequence[Answered]) -> Iterator[tuple[str, Translation | None]]:
    """Each sentence, and what stands before it; in the end, what stands behind the last, and None."""
    before = ""
    for place, each in enumerate(found):
        assert each.pieces is not None, "a chat has no markup"
        before += (WEBLATE_PART if place else "") + each.pieces.between[0]
        for sentence, after in zip(each.sentences, each.pieces.between[1:], strict=True):
            yield before, sentence
            before = after
    yield before, None


def _before(end: int, written: Sequence[Written], tokenizer: Tokenizer) -> list[Written]:
    """The sentences that begin before a character, and of the last its tokens that do."""
    kept = [each for each in written if each.begin < end]
    if kept:
        last = kept[-1]
        count = sum(last.begin + begin < end for begin, _ in tokenizer.spans(last.ids))
        kept[-1] = Written(last.begin, last.sentence, last.ids[:count])
    return kept


def _rows(written: Written, tokenizer: Tokenizer) -> Iterator[dict[str, Any]]:
    """What is told of each token of a sentence: what it adds to the text, its log-probability, and the likeliest in its place."""
    sentence, text, names = written.sentence, tokenizer.decode(written.ids), tokenizer.tokens(written.ids)
    for place, (name, (begin, end)) in enumerate(zip(names, tokenizer.spans(written.ids), strict=True)):
        likeliest = sentence.alternatives[place] if sentence.alternatives is not None else []
        texts = [text[begin:end] if each == name else _added(each, is_first=not place) for each, _ in likeliest]
        yield {
            **_row(text[begin:end], sentence.token_log_probs[place]),
            "top_logprobs": [_row(each, value) for each, (_, value) in zip(texts, likeliest, strict=True)],
        }


def _added(token: str, *, is_first: bool) -> str:
    """What a token would add to a text, by its spelling."""
    text = token.replace("▁", " ")
    return text.removeprefix(" ") if is_first else text


def _row(token: str, log_prob: float) -> dict[str, Any]:
    return {"token": token, "logprob": log_prob, "bytes": list(token.encode("utf-8", "replace"))}


def answer(chat: Chat, reply: Reply) -> Answer:
    """The answer in one piece."""
    choice = {
        "index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.finish_reason,
        "logprobs": _log_probs(reply),
    }  # fmt: skip
    head = {
        "id": f"chatcmpl-{time.time_ns():x}", "object": "chat.completion", "created": int(time.time()), "model": chat.model,
    }  # fmt: skip
    return Answer(head | {"choices": [choice], "usage": usage(chat, reply)})


def _log_probs(reply: Reply) -> dict[str, Any] | None:
    return None if reply.log_probs is None else {"content": reply.log_probs, "refusal": None}


def usage(chat: Chat, reply: Reply) -> dict[str, int]:
    """How much was read, in words, and written, in tokens."""
    written, read = reply.num_tokens, sum(len(part.split()) for part in chat.asked.texts)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class Chunks:
    """The parts of a stream."""

    def __init__(self, chat: Chat, options: StreamOptions) -> None:
        self._chat, self._options = chat, options
        self._head = {
            "id": f"chatcmpl-{time.time_ns():x}", "object": "chat.completion.chunk", "created": int(time.time()),
            "model": chat.model,
        }  # fmt: skip

    def first(self) -> bytes:
        """What begins it."""
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, reply: Reply) -> bytes:
        """The text."""
        return self._chunk({"content": reply.text}, log_probs=_log_probs(reply))

    def end(self, reply: Reply) -> bytes:
        """What ends it."""
        ended = self._chunk({}, reply.finish_reason)
        return ended + last_chunk(self._head, usage(self._chat, reply), self._options)

    def _chunk(
        self, delta: Mapping[str, str], reason: str | None = None, log_probs: Mapping[str, Any] | None = None
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": log_probs, "finish_reason": reason}
        return chunk(self._head, [choice], self._options)
