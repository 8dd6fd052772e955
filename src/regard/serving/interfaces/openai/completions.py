"""OpenAI's completions, for language models: prompts in, continuations out, with log-probabilities.

Source: OpenAI's documentation of its legacy completions, and requests of its Python client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from regard.batching.jobs import Job
from regard.batching.queue import with_newest
from regard.batching.scheduler import Scheduler
from regard.generation.continuation import Continuation
from regard.generation.options import TextOptions
from regard.pipelines.language_model import LanguageModel, ScoredText
from regard.serving.endpoints.context import JobStream, RequestContext
from regard.serving.endpoints.fields import FieldRule, Flag, Whole, record_of, texts_of
from regard.serving.endpoints.replies import EventStream
from regard.serving.interfaces.openai.openai_fields import OpenAIFields, unsupported
from regard.serving.interfaces.openai.openai_replies import Chunks, Head, Usage, head, stream_failure, usage
from regard.serving.limits import Limits, ServingError

MOST_LOG_PROBS, MOST_CHOICES = 5, 16
DEFAULT_TOKENS = 16
Choices = Annotated[int, Whole(1, MOST_CHOICES)]


class CompletionFields(OpenAIFields):
    """The fields of a completion."""

    path: ClassVar[str] = "/v1/completions"
    elsewhere: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "messages": (), "max_completion_tokens": (), "top_logprobs": (0,),
    }  # fmt: skip

    prompt: Annotated[
        str | list[str], FieldRule("text, or a list of texts; token ids are not read", keeps_empty=True)
    ] = ""
    n: Choices = Field(1, description="continuations of each prompt")
    best_of: Choices | None = Field(None, description="must be equal to n")
    max_tokens: Annotated[int, Whole(0, Limits.tokens)] = Field(DEFAULT_TOKENS, description="0: the prompts are scored")
    logprobs: Annotated[int, Whole(0, MOST_LOG_PROBS)] | None = None
    echo: Flag = Field(False, description="begin with the prompt")

    @property
    def prompts(self) -> list[str]:
        """The prompt of each choice."""
        return [prompt for prompt in texts_of(self.prompt) for _ in range(self.n)]

    @property
    def options(self) -> TextOptions:
        """The options of writing.

        Raises:
            ServingError: 400, one is out of range.
        """
        given = {"temperature": 1.0, "max_tokens": max(1, self.max_tokens), "stop": tuple(self.stop)} | self.drawing
        options: TextOptions = record_of(TextOptions, **given)
        return options


class LogProbs(TypedDict):
    """The tokens of a choice with their log-probabilities, a list for each property."""

    tokens: list[str]
    token_logprobs: list[float | None]
    text_offset: list[int]
    top_logprobs: list[dict[str, float] | None]
    token_ids: list[int]


class Choice(TypedDict):
    """A continuation."""

    index: int
    text: str
    logprobs: LogProbs | None
    finish_reason: str | None


class Completion(Head):
    """The answer in one piece."""

    choices: list[Choice]
    usage: Usage


async def complete(context: RequestContext, fields: CompletionFields) -> Completion | Response:
    """OpenAI: continue prompts with a language model."""
    if fields.best_of not in (None, fields.n):
        raise unsupported("best_of", fields.best_of, (fields.n,))
    if fields.max_tokens > context.limits.tokens:
        most = context.limits.tokens
        raise ServingError(400, f"max_tokens may be at most {most:,}; got {fields.max_tokens:,}.", param="max_tokens")
    prompts, options, writes = fields.prompts, fields.options, fields.max_tokens > 0
    context.server.translations.check_texts(prompts)
    if not isinstance(fields.model, str):
        raise ServingError(400, "model must be a string.", param="model")
    name, _ = context.registry.text_model(LanguageModel, fields.model or None)
    if fields.stream:
        if fields.echo or fields.logprobs is not None or not writes:
            message = "stream does not work with echo, logprobs or max_tokens=0; leave one of them out."
            raise ServingError(400, message, param="stream")
        return await _stream(context, fields, options, name)
    found: Sequence[Continuation | None] = [None] * len(prompts)
    if writes:
        found = await continuations(context, name, prompts, options)

    def score(model: LanguageModel) -> tuple[list[ScoredText], int]:
        rows = [model.ids_of(prompt) for prompt in prompts]
        scored = [
            model.scored(
                [*row, *(() if one is None else one.ids)], fields.logprobs or 0, 0 if fields.echo else len(row)
            )
            for row, one in zip(rows, found, strict=True)
            if fields.logprobs is not None
        ]
        return scored, sum(map(len, rows))

    scored, num_read = await context.use_text_model(LanguageModel, name, score)
    choices: list[Choice] = [
        {
            "index": index,
            "text": (prompt if fields.echo else "") + ("" if one is None else one.text),
            "logprobs": _log_probs(scored[index]) if scored else None,
            "finish_reason": "length" if one is None else _reason(one),
        }
        for index, (prompt, one) in enumerate(zip(prompts, found, strict=True))
    ]
    return {**head("text_completion", "cmpl", name), "choices": choices, "usage": usage(num_read, _num_written(found))}


def _reason(found: Continuation) -> str:
    return "length" if found.finish_reason == "length" else "stop"


def _num_written(found: Sequence[Continuation | None]) -> int:
    return sum(len(one.ids) for one in found if one is not None)


def _log_probs(scored: ScoredText) -> LogProbs:
    return {
        "tokens": scored.tokens, "token_logprobs": scored.log_probs, "text_offset": scored.offsets,
        "top_logprobs": [None if each is None else dict(each) for each in scored.likeliest],
        "token_ids": scored.ids,
    }  # fmt: skip


def submit(context: RequestContext, name: str, job: Job) -> Scheduler[LanguageModel]:
    """Give a job to a language model, whose scheduler is returned.

    Raises:
        ServingError: too much waits already.
    """

    def begin(found: tuple[str, Scheduler[LanguageModel]]) -> Scheduler[LanguageModel]:
        found[1].submit(job)
        return found[1]

    return with_newest(lambda: context.registry.text_model(LanguageModel, name), begin)


async def continuations(
    context: RequestContext, name: str, prompts: Sequence[str], options: TextOptions
) -> list[Continuation]:
    """The continuation of each prompt."""
    job = Job(prompts, options, context.limits.seconds)
    scheduler = submit(context, name, job)
    results = asyncio.gather(*map(asyncio.wrap_future, job.futures))
    return list(await context.unless_gone(results, lambda: scheduler.queue.cancel(job)))


async def _stream(context: RequestContext, fields: CompletionFields, options: TextOptions, name: str) -> Response:
    """The continuations, piece by piece.

    Raises:
        ServingError: too much waits already.
    """
    pieces, prompts = JobStream(), fields.prompts
    chunks = Chunks(head("text_completion", "cmpl", name), include_usage=fields.includes_usage)
    job = Job(prompts, options, context.limits.seconds, on_progress=pieces.send)
    num_read = 0
    if fields.includes_usage:

        def count(model: LanguageModel) -> int:
            return sum(len(model.ids_of(prompt)) for prompt in prompts)

        num_read = await context.use_text_model(LanguageModel, name, count)
    scheduler = submit(context, name, job)
    pieces.follow(job)
    events = _events(pieces, chunks, num_read)
    return EventStream(events, context.limits.body_seconds, lambda: scheduler.queue.cancel(job))


async def _events(pieces: JobStream, chunks: Chunks, num_read: int) -> AsyncGenerator[bytes]:
    """The chunks of a stream.

    Args:
        num_read: tokens of all prompts.
    """
    sent = [""] * len(pieces.results)
    async for index, piece, is_last in pieces.pieces():
        if isinstance(piece, Exception):
            yield stream_failure(piece)
            return
        text, reason = (piece.text, _reason(piece)) if is_last else (piece, None)
        if is_last or (text.startswith(sent[index]) and text != sent[index]):
            added = text[len(sent[index]) :]
            yield chunks.chunk([{"index": index, "text": added, "logprobs": None, "finish_reason": reason}])
            sent[index] = text
    yield chunks.last(usage(num_read, _num_written([result.result() for result in pieces.results])))
