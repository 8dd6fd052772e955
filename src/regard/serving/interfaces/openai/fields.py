"""The fields of OpenAI's requests: those that are read, those that say nothing, and those that are refused by their names.

A field that OpenAI does not define is ignored, and the log says so once, as with vLLM. Source: OpenAI's documentation of chats
and of its legacy completions; vLLM's `OpenAIBaseModel`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from regard.errors import SettingsError
from regard.generation.rules.sampling import SamplingOptions
from regard.serving.interfaces.encoding import texts_of, truth_of
from regard.serving.limits import ServingError

Record = TypeVar("Record", bound=SamplingOptions)
LOG = logging.getLogger("regard.serving")
MOST_STOPS = 4
MOST_NAMED = 100
"""Unknown fields that the log names; what a client sends must not fill it."""
LONGEST_SHOWN = 60
DRAWING = ("temperature", "top_p", "top_k", "min_p", "typical", "seed")
"""Fields that are options of ours by the same name; OpenAI has the first two and the last."""
KEYS = ("api_key", "auth_key", "key")
"""Where a client's key may be."""
HARMLESS = (
    *("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"),
    *("parallel_tool_calls", "prediction"),
)
"""They change nothing about a text, by OpenAI's own meaning: who asks, what is kept, what it costs, how fast it is."""
SAYS_NOTHING: Mapping[str, tuple[Any, ...]] = {
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
    "logit_bias": ({},),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "web_search_options": (),
    "suffix": ("",),
}
"""Fields that no model here can follow, with the values that ask for nothing."""


@dataclass(frozen=True)
class Interface:
    """What a path reads of the fields that OpenAI defines."""

    path: str
    read: frozenset[str]
    """What is done."""
    elsewhere: Mapping[str, tuple[Any, ...]]
    """What another path of OpenAI's has, with the values that ask for nothing."""

    def check(self, fields: Mapping[str, Any]) -> None:
        """Make sure that no field asks for what is not done. What OpenAI does not define is ignored; the log says so once.

        Raises:
            ServingError: 400, one does.
        """
        refused = {**SAYS_NOTHING, **self.elsewhere}
        unused = {tools for tools, choice in TOOLS.items() if fields.get(choice) == "none"}
        for name, nothing in refused.items():
            value = fields.get(name)
            if value is None or value == "" or name in unused:
                continue
            if not any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in nothing):
                raise refusal(name, value, nothing)
        known = {*self.read, *refused, *HARMLESS, *KEYS}
        if unknown := [name for name in fields if name not in known and (self.path, name) not in _NAMED]:
            named = unknown[: max(MOST_NAMED - len(_NAMED), 0)]
            _NAMED.update((self.path, name) for name in named)
            if named:
                shown = ", ".join(name[:LONGEST_SHOWN] for name in named)
                LOG.warning("%s: fields that OpenAI does not define are ignored: %s", self.path, shown)


TOOLS = {"tools": "tool_choice", "functions": "function_call"}
"""What a model may call, and the field that says `none` where it shall not."""
_NAMED: set[tuple[str, str]] = set()
"""The unknown fields that the log has named, by path."""
_BOTH = {"model", "n", "stop", "stream", "stream_options", "max_tokens", "logprobs", *DRAWING}
CHAT = Interface(
    "/v1/chat/completions",
    frozenset({*_BOTH, "messages", "max_completion_tokens", "top_logprobs"}),
    {"prompt": (), "echo": (False,), "best_of": (1,)},
)
COMPLETIONS = Interface(
    "/v1/completions",
    frozenset({*_BOTH, "prompt", "echo", "best_of"}),
    {"messages": (), "max_completion_tokens": (), "top_logprobs": (0,)},
)


def refusal(name: str, value: Any, nothing: tuple[Any, ...] = ()) -> ServingError:
    """What is said of a field that nothing is done with.

    Args:
        nothing: the values that ask for nothing.
    """
    but = f", but for {' or '.join(map(json.dumps, nothing))}" if nothing else ""
    message = f"{name} is not supported here{but}; got {_shown(value)}. Leave it out."
    return ServingError(400, message, param=name, code="unsupported_parameter")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def flag_of(fields: Mapping[str, Any], name: str) -> bool:
    """A field that says yes or no; not there: no.

    Raises:
        ServingError: 400, it says neither.
    """
    value = fields.get(name)
    if value not in (None, "", True, False, "true", "True", "false", "False", "1", "0", "on", "off", "yes", "no"):
        raise ServingError(400, f"{name} must be true or false; got {_shown(value)}.", param=name)
    return truth_of(fields, name)


def stops_of(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts before which an answer ends.

    Raises:
        ServingError: 400, they are no texts, too many, or one is empty.
    """
    stop = texts_of([] if fields.get("stop") is None else fields["stop"], "stop")[0]
    if len(stop) > MOST_STOPS:
        raise ServingError(400, f"stop may have at most {MOST_STOPS} texts; got {len(stop)}.", param="stop")
    if not all(stop):
        message = "stop must be texts with at least one character; got an empty one."
        raise ServingError(400, message, param="stop")
    return tuple(stop)


def drawing_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The given fields that say how tokens are drawn."""
    return {name: fields[name] for name in DRAWING if fields.get(name) is not None}


def options_of(record: type[Record], **options: Any) -> Record:
    """A record of options.

    Raises:
        ServingError: 400, one is out of range; the error names it.
    """
    try:
        return record(**options)
    except SettingsError as error:
        name = str(error).partition(" ")[0].strip("`")
        raise ServingError(400, str(error), param=name if name in options else None) from error


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
    streams, options = flag_of(fields, "stream"), fields.get("stream_options")
    if options is not None and not isinstance(options, Mapping):
        raise ServingError(400, "stream_options must be an object.", param="stream_options")
    if options is not None and not streams:
        raise ServingError(400, "stream_options needs stream to be true.", param="stream_options")
    return StreamOptions(flag_of(options or {}, "include_usage")) if streams else None
