"""The paths at which models are asked by name: those of OpenAI, and those of language models and predictors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from functools import partial

from starlette.responses import Response

from regard.errors import SettingsError
from regard.generation.continuation import Continuation
from regard.generation.options import TextOptions
from regard.pipelines.language_model import LanguageModel, ScoredText
from regard.pipelines.predictor import Predictor
from regard.serving.answers import Answered, Pending
from regard.serving.batching.engine import Engine
from regard.serving.batching.jobs import Job
from regard.serving.batching.queue import with_newest
from regard.serving.http.transport import Call, Stream
from regard.serving.interfaces.encoding import Answer, text_of, texts_of
from regard.serving.interfaces.openai import chat as chats
from regard.serving.interfaces.openai import completions, envelope
from regard.serving.interfaces.openai.chat import Chat, Reply
from regard.serving.interfaces.openai.completions import Wanted
from regard.serving.interfaces.openai.fields import StreamOptions
from regard.serving.limits import ServingError

NOT_OPTIONS = ("prompt", "prompts", "model", "api_key")


async def list_models(call: Call) -> Answer:
    """`/v1/models`."""
    return envelope.models(call.service)


async def show_model(call: Call) -> Answer:
    """`/v1/models/{id}`."""
    return envelope.model(call.service, call.request.path_params["id"])


async def chat(call: Call) -> Answer | Response:
    """`/v1/chat/completions`."""
    wanted = chats.parse(call.fields, call.service)
    if wanted.stream is None:
        found, pending = await call.each(wanted.asked)
        for one in found:
            if isinstance(one, Exception):
                raise one
        return chats.answer(wanted, await _reply(wanted, found, pending))

    progress = await call.begin(wanted.asked)
    chunks = chats.Chunks(wanted, wanted.stream)

    async def pieces() -> AsyncGenerator[bytes]:
        yield chunks.first()
        async for found in progress.pieces():
            if isinstance(found, tuple):
                continue
            failed = next((each for each in found if isinstance(each, Exception)), None)
            if failed is not None:
                yield envelope.failure(failed)
                return
            reply = await _reply(wanted, found, progress.pending)
            yield chunks.text(reply)
            yield chunks.end(reply)

    return Stream(pieces(), call.service.limits.body_seconds, progress.pending.cancel)


async def _reply(wanted: Chat, found: Sequence[Answered | Exception], pending: Pending) -> Reply:
    """The answer, made in another thread: many tokens take a while to put together."""
    texts = [each for each in found if isinstance(each, Answered)]
    return await asyncio.to_thread(chats.reply_of, wanted, texts, pending.engine.pipeline.tokenizer)


async def complete(call: Call) -> Answer | Response:
    """`/v1/completions`."""
    wanted = completions.parse(call.fields, call.service.limits)
    call.service.check_texts(wanted.repeated)
    name, _ = call.service.other(LanguageModel, text_of(call.fields, "model"))
    if wanted.stream is not None:
        if wanted.echo or wanted.log_probs is not None or not wanted.writes:
            message = "stream does not work with echo, logprobs or max_tokens=0; leave one of them out."
            raise ServingError(400, message, param="stream")
        return await _streamed(call, wanted, wanted.stream, name)
    found: list[Continuation | None] = [None] * len(wanted.repeated)
    if wanted.writes:
        found = list(await _continued(call, name, wanted.repeated, wanted.options))

    def score(model: LanguageModel) -> tuple[list[ScoredText], int]:
        rows = [model.ids_of(prompt) for prompt in wanted.repeated]
        scored = [
            model.scored(
                [*row, *(() if one is None else one.ids)], wanted.log_probs or 0, 0 if wanted.echo else len(row)
            )
            for row, one in zip(rows, found, strict=True)
            if wanted.log_probs is not None
        ]
        return scored, sum(map(len, rows))

    scored, num_read = await call.use(lambda: call.service.other(LanguageModel, name)[1], score)
    return completions.answer(wanted, found, scored, num_read, name)


def _submitted(call: Call, name: str, job: Job) -> Engine[LanguageModel]:
    """The engine that a job was given to.

    Raises:
        ServingError: too much is asked for already.
    """

    def begin(found: tuple[str, Engine[LanguageModel]]) -> Engine[LanguageModel]:
        found[1].submit(job)
        return found[1]

    return with_newest(lambda: call.service.other(LanguageModel, name), begin)


async def _continued(call: Call, name: str, prompts: list[str], options: TextOptions) -> list[Continuation]:
    """The continuation of each prompt."""
    job = Job(prompts, options, time.monotonic() + call.service.limits.seconds)
    engine = _submitted(call, name, job)
    return list(
        await call.unless_gone(asyncio.gather(*map(asyncio.wrap_future, job.futures)), lambda: engine.cancel(job))
    )


async def _streamed(call: Call, wanted: Wanted, options: StreamOptions, name: str) -> Response:
    """The continuations, piece by piece.

    Raises:
        ServingError: too much is asked for already.
    """
    loop, told, num_read = asyncio.get_running_loop(), asyncio.Queue[tuple[int, str | None]](), 0
    if options.include_usage:
        num_read = await call.use(
            lambda: call.service.other(LanguageModel, name)[1], partial(_num_read, wanted.repeated)
        )

    def tell(index: int, text: str) -> None:
        loop.call_soon_threadsafe(told.put_nowait, (index, text))

    job = Job(wanted.repeated, wanted.options, time.monotonic() + call.service.limits.seconds, on_progress=tell)
    engine = _submitted(call, name, job)
    ends = [asyncio.wrap_future(future) for future in job.futures]
    for index, end in enumerate(ends):
        end.add_done_callback(partial(_tell_end, told, index))
    return Stream(
        _pieces(told, ends, name, options, num_read), call.service.limits.body_seconds, lambda: engine.cancel(job)
    )


def _num_read(prompts: Sequence[str], model: LanguageModel) -> int:
    """The tokens of some prompts."""
    return sum(len(model.ids_of(prompt)) for prompt in prompts)


def _tell_end(told: asyncio.Queue[tuple[int, str | None]], index: int, end: asyncio.Future[Continuation]) -> None:
    if not end.cancelled():
        end.exception()  # asyncio would complain of one that nobody has looked at, as the client is gone
    told.put_nowait((index, None))


async def _pieces(
    told: asyncio.Queue[tuple[int, str | None]], ends: Sequence[asyncio.Future[Continuation]], name: str,
    options: StreamOptions, num_read: int,
) -> AsyncGenerator[bytes]:  # fmt: skip
    """The parts of a stream.

    Args:
        told: for each choice, by its index, what is certain of it; None: it has ended.
        num_read: tokens of all prompts.
    """
    written, num_open, head = [""] * len(ends), len(ends), completions.head(name)
    while num_open:
        index, text = await told.get()
        reason = None
        if text is None:
            if (error := ends[index].exception()) is not None:
                yield envelope.failure(error)
                return
            text, reason = ends[index].result().text, ends[index].result().finish_reason
            num_open -= 1
        if reason is not None or (text.startswith(written[index]) and text != written[index]):
            yield envelope.chunk(head, [completions.choice(index, text[len(written[index]) :], reason)], options)
            written[index] = text
    yield envelope.last_chunk(head, completions.usage(num_read, [end.result() for end in ends]), options)


async def generate(call: Call) -> Answer:
    """`/api/v1/generate`: what follows prompts, with the options of Python by name."""
    prompts, is_list = texts_of(call.fields.get("prompts", call.fields.get("prompt", "")), "prompts")
    call.service.check_texts(prompts)
    try:
        options = TextOptions(**{key: value for key, value in call.fields.items() if key not in NOT_OPTIONS})
    except SettingsError as error:
        raise ServingError(400, str(error)) from error
    if options.max_tokens > call.service.limits.tokens:
        raise ServingError(
            400, f"max_tokens may be at most {call.service.limits.tokens:,}; got {options.max_tokens:,}."
        )
    name, _ = call.service.other(LanguageModel, text_of(call.fields, "model"))
    rows = [
        {"text": each.text, "token_log_probs": each.token_log_probs, "finish_reason": each.finish_reason}
        for each in await _continued(call, name, prompts, options)
    ]
    return Answer({"model": name} | ({"continuations": rows} if is_list else rows[0]))


async def predict(call: Call) -> Answer:
    """`/api/v1/predict`: classes of texts, tags of words, or what masks hide."""
    texts, is_list = texts_of(call.fields.get("texts", call.fields.get("text")), "texts")
    call.service.check_texts(texts)
    name, _ = call.service.other(Predictor, text_of(call.fields, "model"))
    found = await call.use(lambda: call.service.other(Predictor, name)[1], lambda predictor: predictor.predict(texts))
    rows = [{"labels": each.labels, "probs": each.probs, "is_cut": each.is_cut} for each in found]
    return Answer({"model": name} | ({"predictions": rows} if is_list else rows[0]))
