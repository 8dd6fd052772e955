"""The fields of OpenAI's requests: those that are read, those that change nothing, and those that are refused by their names.

A field that OpenAI does not define is ignored, and the log names it once, as with vLLM. Source: OpenAI's documentation of chats
and of its legacy completions; vLLM's `OpenAIBaseModel`.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, field_validator
from pydantic_core import CoreSchema

from regard.generation.rules.sampling import SamplingOptions
from regard.serving.endpoints.fields import FieldRule, Fields, Flag, Texts, option_schemas, texts_of
from regard.serving.limits import ServingError

Read = TypeVar("Read", bound="OpenAIFields")
LOG = logging.getLogger("regard.serving")
MOST_STOPS = 4
MOST_NAMED = 100
"""Unknown fields that the log names; a client must not fill it."""
LOGGED_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
"""Names of fields that the log may have. Others may be texts, which it must not have."""
LONGEST_SHOWN = 60
DRAWING = ("temperature", "top_p", "top_k", "min_p", "typical", "seed")
"""Fields that are options of ours by the same name; OpenAI has the first two and the last."""
MOST_SEED = 2**63
KEYS = ("api_key", "auth_key", "key")
"""Fields that may have a client's key."""
HARMLESS = (
    *("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"),
    *("parallel_tool_calls", "prediction"),
)
"""Fields that change no text, by OpenAI's own meaning: who asks, what is kept, what it costs, how fast it is."""
REFUSED: Mapping[str, tuple[Any, ...]] = {
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
TOOLS = {"tools": "tool_choice", "functions": "function_call"}
"""Functions that a model may call, and the field that says `none` where it shall not."""
_NAMED: set[tuple[str, str]] = set()
"""The unknown fields that the log has named, by path."""


class StreamOptions(BaseModel):
    """The options of a stream."""

    include_usage: Flag = False
    """Whether a last chunk, without choices, has the number of tokens that were read and written."""


class OpenAIFields(Fields):
    """The fields that chats and completions share."""

    model_config = ConfigDict(extra="allow")
    missing: ClassVar[str] = "{} must be given."
    refusal: ClassVar[str] = "{} must be {}; got {}."
    path: ClassVar[str]
    elsewhere: ClassVar[Mapping[str, tuple[Any, ...]]]
    """Fields of OpenAI's other path, with the values that ask for nothing."""

    model: Annotated[Any, FieldRule("a string", {"type": "string"})] = ""
    stop: Texts = Field([], description=f"at most {MOST_STOPS} texts, before the first of which the answer ends")
    stream: Flag = False
    stream_options: Annotated[StreamOptions, FieldRule("an object")] | None = None

    @classmethod
    def read(cls: type[Read], fields: Mapping[str, Any]) -> Read:
        """The fields that a client has sent. The log names those that OpenAI does not define, once.

        Raises:
            ServingError: 400, one asks for what is not done, or is not what it must be.
        """
        refused = {**REFUSED, **cls.elsewhere}
        unused = {tools for tools, choice in TOOLS.items() if fields.get(choice) == "none"}
        for name, nothing in refused.items():
            value = fields.get(name)
            if value is None or value == "" or name in unused:
                continue
            if not any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in nothing):
                raise unsupported(name, value, nothing)
        known = {*cls.model_fields, *DRAWING, *refused, *HARMLESS, *KEYS}
        if unknown := [name for name in fields if name not in known and (cls.path, name) not in _NAMED]:
            _note_ignored(cls.path, unknown)
        found = super().read(fields)
        if found.stream_options is not None and not found.stream:
            raise ServingError(400, "stream_options needs stream to be true.", param="stream_options")
        return found

    @property
    def drawing(self) -> dict[str, Any]:
        """The given options of drawing tokens. As in vLLM, `top_k` of -1 or 0 draws from all; a seed may be negative."""
        given = self.model_extra or {}
        found = {name: given[name] for name in DRAWING if name in given and given[name] != ""}
        if found.get("top_k") in (-1, 0):
            del found["top_k"]
        if type(seed := found.get("seed")) is int and -MOST_SEED <= seed < 0:
            found["seed"] = seed + MOST_SEED
        return found

    @field_validator("stop")
    @classmethod
    def _check_stop(cls, stop: str | list[str]) -> list[str]:
        texts = texts_of(stop)
        if len(texts) > MOST_STOPS:
            raise ServingError(400, f"stop may have at most {MOST_STOPS} texts; got {len(texts)}.", param="stop")
        if not all(texts):
            message = "stop must be texts with at least one character; got an empty one."
            raise ServingError(400, message, param="stop")
        return texts

    @property
    def includes_usage(self) -> bool:
        """Whether a last chunk of a stream has the number of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema, with the options of drawing, and the values of refused fields that ask for nothing."""
        schema = super().__get_pydantic_json_schema__(core, handler)
        options = option_schemas(SamplingOptions)
        more = {name: options[name] for name in DRAWING if name in options}
        more |= {name: {"enum": [*values, None, ""]} for name, values in {**REFUSED, **cls.elsewhere}.items()}
        for tools in TOOLS:
            del more[tools]
        schema["properties"] |= more
        schema["allOf"] = [
            {"anyOf": [{"properties": {tools: {"enum": [[], None, ""]}}},
                       {"properties": {choice: {"const": "none"}}, "required": [choice]}]}
            for tools, choice in TOOLS.items()
        ]  # fmt: skip
        schema["description"] = "Fields that OpenAI defines and that change no text are accepted, others are ignored."
        return schema


def _note_ignored(path: str, unknown: Sequence[str]) -> None:
    """Name unknown fields in the log. What does not look like a name is counted: it may be a text."""
    named = unknown[: max(MOST_NAMED - len(_NAMED), 0)]
    _NAMED.update((path, name) for name in named)
    if named:
        shown = [name for name in named if LOGGED_NAME.fullmatch(name)]
        if others := len(named) - len(shown):
            shown.append(f"{others} whose name is not shown")
        LOG.warning("%s: fields that OpenAI does not define are ignored: %s", path, ", ".join(shown))


def unsupported(name: str, value: Any, nothing: tuple[Any, ...] = ()) -> ServingError:
    """The error of a field that asks for something that is not done.

    Args:
        nothing: the values that ask for nothing.
    """
    but = f", but for {' or '.join(map(json.dumps, nothing))}" if nothing else ""
    text = json.dumps(value, ensure_ascii=False)
    shown = text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
    message = f"{name} is not supported here{but}; got {shown}. Leave it out."
    return ServingError(400, message, param=name, code="unsupported_parameter")
