"""OpenAI's chats, for models that translate: the last message of the user is the text, and the model's name the direction.

Source: OpenAI's documentation; requests of Weblate and Subtitle Edit.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.documents.sentences import Pieces
from regard.generation.options import DecodingOptions
from regard.generation.rules.sampling import SamplingOptions
from regard.pipelines.translation import Translation
from regard.serving.endpoints.context import JobStream, RequestContext
from regard.serving.endpoints.fields import FieldRule, Flag, Whole, record_of
from regard.serving.endpoints.replies import EventStream
from regard.serving.interfaces.openai.openai_fields import OpenAIFields
from regard.serving.interfaces.openai.openai_replies import Chunks, Head, Usage, head, no_model, stream_failure, usage
from regard.serving.limits import Limits, ServingError
from regard.serving.model_registry import ModelRegistry
from regard.serving.text_results import PendingTranslation, TextResult
from regard.serving.translation_request import TranslationRequest
from regard.text.tokenizer import Tokenizer

WEBLATE_PART = "\n==WEBLATE_PART==\n"
"""The line that Weblate puts between strings, and wants to find between their translations."""
INSTRUCTION = re.compile(r"^\s*(please )?translate\b[^\n]{0,300}(:|\.)?\s*$", re.IGNORECASE)
"""The prompt that Subtitle Edit puts before a blank line and the text."""
CANNOT = re.compile(
    r"\b(json|xml)\b[^.,;\n]{0,80}\b(format|object|array|schema)\b"
    r"|(?<!not )(?<!n't )(?<!never )\b(output|return|respond|reply|answer)\b[^.,;\n]{0,40}\b(json|xml)\b(?! tags?\b)",
    re.IGNORECASE,
)
"""Prompts for answers in a form, which a translation model cannot follow."""
LONGEST_PROMPT, LONGEST_SYSTEM = 400, 10_000
"""Characters in which prompts are looked for."""
MOST_TOKENS = 2**31 - 1
"""Clients ask for more than any model writes; the model's own limit holds then."""
CUT = ("length", "prefix")
"""Reasons for which a translation ended that was cut at the allowed length."""
MaxTokens = Annotated[int, Whole(1, MOST_TOKENS)]


class TextPart(BaseModel):
    """A part of a message. There are only texts: no model here reads anything else."""

    type: Literal["text"]
    text: str


class ReadMessage(BaseModel):
    """A message that is read."""

    role: Literal["system", "developer", "user"]
    content: str | list[TextPart]

    @property
    def text(self) -> str:
        """The text of the message."""
        content = self.content
        return content if isinstance(content, str) else "".join(part.text for part in content)


class OtherMessage(BaseModel):
    """A message that is not read."""

    role: Literal["assistant", "tool", "function"]


Messages = Annotated[
    list[Annotated[ReadMessage | OtherMessage, Field(discriminator="role")]],
    FieldRule("a list of messages, each with a known role, and texts alone as its content"),
]


class ChatFields(OpenAIFields):
    """The fields of a chat."""

    path: ClassVar[str] = "/v1/chat/completions"
    elsewhere: ClassVar[Mapping[str, tuple[Any, ...]]] = {"prompt": (), "echo": (False,), "best_of": (1,)}

    messages: Messages = Field(
        json_schema_extra={"contains": {"properties": {"role": {"const": "user"}}, "required": ["role"]}}
    )
    n: Annotated[int, Whole(1, 1)] = 1
    max_tokens: MaxTokens | None = None
    max_completion_tokens: MaxTokens | None = None
    logprobs: Flag = False
    top_logprobs: Annotated[int, Whole(0, Limits.alternatives)] = 0

    @property
    def most_tokens(self) -> int | None:
        """Tokens of the whole answer, at most; None: as many as the model writes.

        Raises:
            ServingError: 400, the two names of the field have different values.
        """
        given = [each for each in (self.max_tokens, self.max_completion_tokens) if each is not None]
        if len(set(given)) > 1:
            message = (
                f"max_tokens and max_completion_tokens must be equal; got {given[0]} and {given[1]}. Leave one out."
            )
            raise ServingError(400, message, param="max_tokens")
        return given[0] if given else None


def translation_of(fields: ChatFields, registry: ModelRegistry) -> tuple[str, TranslationRequest]:
    """The name of the model of a chat, and the translation that it asks for.

    Raises:
        ServingError: 400 or 404, a model that is not served, fields that do not go together, or a prompt for an answer that a
            translation model cannot give.
    """
    names = {str(direction): direction for direction in registry.translators}
    model = fields.model or next(iter(names), "")
    if isinstance(model, str) and model in registry.text_models:
        message = f"{model} does not chat. A language model is asked at /v1/completions."
        raise ServingError(400, message, param="model")
    if not isinstance(model, str) or model not in names:
        raise no_model(model, names)
    if fields.top_logprobs and not fields.logprobs:
        raise ServingError(400, "top_logprobs needs logprobs to be true.", param="top_logprobs")
    options, direction = _options(fields), names[model]
    parts = _text(fields.messages).split(WEBLATE_PART)
    return model, TranslationRequest(parts, direction.source, direction.target_code, options)


def _options(fields: ChatFields) -> DecodingOptions:
    """The options of the translation: search, unless the temperature, or another option of drawing tokens, is neither 0 nor
    OpenAI's default.
    """
    given = fields.drawing
    drawing, default = (record_of(SamplingOptions, **each).model_dump(exclude={"seed"}) for each in (given, {}))
    draws = drawing["temperature"] > 0 and drawing != default
    more = {"method": "sample"} | given if draws else {}
    options: DecodingOptions = record_of(
        DecodingOptions, alternatives=fields.top_logprobs, max_length=fields.most_tokens, **more
    )
    return options


def _text(messages: Sequence[ReadMessage | OtherMessage]) -> str:
    """The text to translate.

    Raises:
        ServingError: 400, there is none, or a prompt asks for another form.
    """
    read = [each for each in messages if isinstance(each, ReadMessage)]
    users = [each.text for each in read if each.role == "user"]
    if not users:
        message = "messages must have one whose role is user: the text to translate."
        raise ServingError(400, message, param="messages")
    prompts, text = " ".join(each.text for each in read if each.role != "user"), users[-1]
    before, blank, after = text.partition("\n\n")
    if blank and len(before) <= LONGEST_PROMPT and INSTRUCTION.match(before):
        prompts, text = f"{prompts} {before}", after
    if CANNOT.search(prompts[:LONGEST_SYSTEM]):
        message = "This is a translation model: it cannot answer in a form that a prompt asks for."
        raise ServingError(400, message, param="messages")
    return text


TokenLogProb = TypedDict("TokenLogProb", {"token": str, "logprob": float, "bytes": list[int]})


class TokenRow(TokenLogProb):
    """A token of an answer with its log-probability, and the likeliest tokens in its place."""

    top_logprobs: list[TokenLogProb]


Message = TypedDict("Message", {"role": str, "content": str})
LogProbs = TypedDict("LogProbs", {"content": list[TokenRow], "refusal": None})


class Choice(TypedDict):
    """The answer of a model."""

    index: int
    message: Message
    finish_reason: str
    logprobs: LogProbs | None


class ChatCompletion(Head):
    """The answer to a chat in one piece."""

    choices: list[Choice]
    usage: Usage


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence of an answer."""

    begin: int
    """Its first character in the answer."""
    sentence: Translation
    ids: list[int]
    """Its tokens that are in the answer."""


@dataclass(frozen=True)
class ChatReply:
    """The text of an answer, and its tokens."""

    text: str
    finish_reason: str
    """`stop` or `length`."""
    written: list[AnswerSentence]
    log_probs: list[TokenRow] | None
    """The row of each token; None: not asked for."""

    @property
    def num_tokens(self) -> int:
        """The number of its tokens."""
        return sum(len(each.ids) for each in self.written)


def reply_of(fields: ChatFields, pending: PendingTranslation, found: Sequence[TextResult]) -> ChatReply:
    """The translations of all parts with the text between them, cut at the allowed length, and before the first stop text."""
    tokenizer, gaps = pending.scheduler.pipeline.tokenizer, gaps_of(pending.pieces)
    text, reason, left = "", "stop", fields.most_tokens or sys.maxsize
    written: list[AnswerSentence] = []
    for before, sentence in zip(gaps, [*(each for text in found for each in text.sentences), None], strict=True):
        if sentence is None:
            text += before
            break
        if sentence.ids and not left:
            reason = "length"
            break
        ids = sentence.ids[:left]
        written.append(AnswerSentence(len(text) + len(before), sentence, ids))
        is_whole, left = len(ids) == len(sentence.ids), left - len(ids)
        text += before + (sentence.text if is_whole else tokenizer.decode(ids))
        if not is_whole or sentence.finish_reason in CUT:
            reason = "length"
    if ends := [at for stop in fields.stop if (at := text.find(stop)) >= 0]:
        text, reason = text[: min(ends)], "stop"
        written = _before(min(ends), written, tokenizer)
    log_probs = [row for each in written for row in _rows(each, tokenizer)] if fields.logprobs else None
    return ChatReply(text, reason, written, log_probs)


def gaps_of(pieces: Sequence[Pieces]) -> list[str]:
    """The text before each sentence of an answer, and behind the last."""
    gaps = [""]
    for number, piece in enumerate(pieces):
        gaps[-1] += (WEBLATE_PART if number else "") + piece.between[0]
        gaps += piece.between[1:]
    return gaps


def _before(end: int, written: Sequence[AnswerSentence], tokenizer: Tokenizer) -> list[AnswerSentence]:
    """The sentences that begin before a character, and of the last its tokens that do."""
    kept = [each for each in written if each.begin < end]
    if kept:
        last = kept[-1]
        count = sum(last.begin + begin < end for begin, _ in tokenizer.spans(last.ids))
        kept[-1] = AnswerSentence(last.begin, last.sentence, last.ids[:count])
    return kept


def _rows(written: AnswerSentence, tokenizer: Tokenizer) -> Iterator[TokenRow]:
    """A row for each token of a sentence: the text that it adds, its log-probability, and the likeliest tokens in its place."""
    sentence, text, names = written.sentence, tokenizer.decode(written.ids), tokenizer.tokens(written.ids)
    for place, (name, (begin, end)) in enumerate(zip(names, tokenizer.spans(written.ids), strict=True)):
        likeliest = sentence.alternatives[place] if sentence.alternatives is not None else []
        texts = [text[begin:end] if each == name else _added(each, is_first=not place) for each, _ in likeliest]
        yield {
            **_row(text[begin:end], sentence.token_log_probs[place]),
            "top_logprobs": [_row(each, value) for each, (_, value) in zip(texts, likeliest, strict=True)],
        }


def _added(token: str, *, is_first: bool) -> str:
    """The text that a token would add, by its spelling."""
    text = token.replace("▁", " ")
    return text.removeprefix(" ") if is_first else text


def _row(token: str, log_prob: float) -> TokenLogProb:
    return {"token": token, "logprob": log_prob, "bytes": list(token.encode("utf-8", "replace"))}


def _log_probs(rows: Sequence[TokenRow] | None) -> LogProbs | None:
    return None if rows is None else {"content": list(rows), "refusal": None}


def _num_read(pending: PendingTranslation) -> int:
    return sum(len(getattr(sentence, "ids", ())) for sentence in pending.job.sentences)


async def chat(context: RequestContext, fields: ChatFields) -> ChatCompletion | Response:
    """OpenAI: the last message of the user is translated; the model's name is the direction."""
    model, wanted = translation_of(fields, context.registry)
    if fields.stream:
        pending, pieces = await context.stream(wanted)
        chunks = Chunks(head("chat.completion.chunk", "chatcmpl", model), include_usage=fields.includes_usage)
        events = ChatStream(fields, pending, pieces, chunks).events()
        return EventStream(events, context.limits.body_seconds, pending.cancel)
    found, pending = await context.translate(wanted)
    reply = await asyncio.to_thread(reply_of, fields, pending, found)
    choice: Choice = {
        "index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.finish_reason,
        "logprobs": _log_probs(reply.log_probs),
    }  # fmt: skip
    begun = head("chat.completion", "chatcmpl", model)
    return {**begun, "choices": [choice], "usage": usage(_num_read(pending), reply.num_tokens)}


class ChatStream:
    """The answer to a chat, piece by piece: a piece is sent when no later token, stop text or limit can change it."""

    def __init__(self, fields: ChatFields, pending: PendingTranslation, pieces: JobStream, chunks: Chunks) -> None:
        self._fields, self._pending, self._pieces, self._chunks = fields, pending, pieces, chunks
        self._stops = fields.stop
        self._held = max(map(len, self._stops), default=1) - 1
        """Characters that may be the beginning of a stop text."""
        self._gaps = gaps_of(pending.pieces)
        self._sentences: dict[int, str] = {}
        """The part of each sentence that is certain."""
        self._done: set[int] = set()
        self._whole, self._next = self._gaps[0], 0
        """The text before the first sentence that is not done, and the index of that."""

    async def events(self) -> AsyncGenerator[bytes]:
        """The chunks."""
        yield self._chunk({"role": "assistant", "content": ""})
        sent = ""
        async for index, piece, is_last in self._pieces.pieces():
            if is_last and isinstance(piece, Exception):
                continue  # the end of the stream says so
            if is_last:
                self._done.add(index)
            self._sentences[index] = piece.text if is_last else piece
            certain = "" if self._fields.logprobs else self._certain()
            if len(certain) > len(sent) and certain.startswith(sent):
                yield self._chunk({"content": certain[len(sent) :]})
                sent = certain
        found = await self._pending.results()
        failed = next((each for each in found if isinstance(each, Exception)), None)
        if failed is not None:
            yield stream_failure(failed)
            return
        texts = [each for each in found if isinstance(each, TextResult)]
        reply = await asyncio.to_thread(reply_of, self._fields, self._pending, texts)
        if reply.text != sent or reply.log_probs:
            yield self._chunk({"content": reply.text.removeprefix(sent)}, log_probs=_log_probs(reply.log_probs))
        yield self._chunk({}, reply.finish_reason)
        yield self._chunks.last(usage(_num_read(self._pending), reply.num_tokens))

    def _certain(self) -> str:
        """The beginning of the answer that is certain. Where its tokens are limited, that is in the first sentence."""
        while self._next in self._done and self._fields.most_tokens is None:
            self._whole += self._sentences[self._next] + self._gaps[self._next + 1]
            self._next += 1
        text = self._whole + self._sentences.get(self._next, "")
        ends = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        return text[: min(ends)] if ends else text[: max(len(text) - self._held, 0)]

    def _chunk(self, delta: Mapping[str, str], reason: str | None = None, log_probs: LogProbs | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": log_probs, "finish_reason": reason}
        return self._chunks.chunk([choice])
