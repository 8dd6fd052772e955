"""OpenAI's completions, for language models: prompts in, continuations out, with log-probabilities.

Source: OpenAI's documentation of its legacy completions, and what its Python client sends.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from regard.generation.continuation import Continuation
from regard.generation.options import TextOptions
from regard.pipelines.language_model import ScoredText
from regard.serving.interfaces.encoding import Answer, number_of, texts_of
from regard.serving.interfaces.openai.fields import (
    COMPLETIONS,
    StreamOptions,
    drawing_of,
    flag_of,
    options_of,
    refusal,
    stops_of,
    stream_of,
)
from regard.serving.limits import Limits, ServingError

MOST_LOG_PROBS, MOST_CHOICES = 5, 16
DEFAULT_TOKENS = 16
REASONS = {"length": "length"}
"""Why a text ended, where it is not `stop`."""


@dataclass(frozen=True)
class Wanted:
    """What a request to `/v1/completions` asks for."""

    prompts: list[str]
    options: TextOptions
    num_choices: int
    """Continuations of each prompt."""
    log_probs: int | None
    """The likeliest tokens at each token; None: no log-probabilities."""
    writes: bool
    """Whether anything is to be written: without it, the prompts are scored."""
    echo: bool
    stream: StreamOptions | None
    """None: the answer is sent in one piece."""

    @property
    def repeated(self) -> list[str]:
        """The prompt of each choice."""
        return [prompt for prompt in self.prompts for _ in range(self.num_choices)]


def parse(fields: Mapping[str, Any], limits: Limits) -> Wanted:
    """A request to `/v1/completions`.

    Raises:
        ServingError: 400, fields that are not what they must be, or that this server does not have.
    """
    COMPLETIONS.check(fields)
    given = fields.get("prompt")
    if isinstance(given, list) and given and not all(isinstance(each, str) for each in given):
        raise ServingError(400, "prompt must be text, or a list of texts; token ids are not read.", param="prompt")
    prompts, _ = texts_of("" if given is None else given, "prompt")
    num_choices = number_of(fields, "n", 1, MOST_CHOICES, least=1)
    if number_of(fields, "best_of", num_choices, MOST_CHOICES, least=1) != num_choices:
        raise refusal("best_of", fields["best_of"], (num_choices,))
    max_tokens = number_of(fields, "max_tokens", DEFAULT_TOKENS, limits.tokens)
    log_probs = None if fields.get("logprobs") is None else number_of(fields, "logprobs", 0, MOST_LOG_PROBS)
    options = {"temperature": 1.0, "max_tokens": max(1, max_tokens), "stop": stops_of(fields)} | drawing_of(fields)
    return Wanted(
        prompts, options_of(TextOptions, **options), num_choices, log_probs, writes=max_tokens > 0,
        echo=flag_of(fields, "echo"), stream=stream_of(fields),
    )  # fmt: skip


def answer(
    wanted: Wanted, found: Sequence[Continuation | None], scored: Sequence[ScoredText], num_read: int, model: str
) -> Answer:
    """The answer in one piece.

    Args:
        found: the continuation of each choice; None: nothing was to be written.
        scored: the log-probabilities of each choice, if they are wanted.
        num_read: tokens of all prompts.
    """
    choices = []
    for index, (prompt, one) in enumerate(zip(wanted.repeated, found, strict=True)):
        text = (prompt if wanted.echo else "") + ("" if one is None else one.text)
        choices.append(
            {
                "index": index, "text": text, "logprobs": _log_probs(scored[index]) if scored else None,
                "finish_reason": "length" if one is None else REASONS.get(one.finish_reason, "stop"),
            }
        )  # fmt: skip
    return Answer(head(model) | {"choices": choices, "usage": usage(num_read, found)})


def usage(num_read: int, found: Sequence[Continuation | None]) -> dict[str, int]:
    """How many tokens were read and written.

    Args:
        num_read: tokens of all prompts.
    """
    written = sum(len(one.ids) for one in found if one is not None)
    return {"prompt_tokens": num_read, "completion_tokens": written, "total_tokens": num_read + written}


def _log_probs(scored: ScoredText) -> dict[str, Any]:
    return {
        "tokens": scored.tokens, "token_logprobs": scored.log_probs, "text_offset": scored.offsets,
        "top_logprobs": [None if each is None else dict(each) for each in scored.likeliest],
        "token_ids": scored.ids,
    }  # fmt: skip


def head(model: str) -> dict[str, Any]:
    """What is the same in all parts of an answer."""
    return {"id": f"cmpl-{time.time_ns():x}", "object": "text_completion", "created": int(time.time()), "model": model}


def choice(index: int, text: str, reason: str | None = None) -> dict[str, Any]:
    """What a part of a stream says: what is new of a choice, and why it ended, if it did."""
    ended = None if reason is None else REASONS.get(reason, "stop")
    return {"index": index, "text": text, "logprobs": None, "finish_reason": ended}
