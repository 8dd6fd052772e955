"""DeepL's interface, version 2, as its own client and Weblate, Subtitle Edit and others use it.

Source: DeepL's documentation of its API, and what the official Python client sends and reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regard.serving.answers import Answered, Asked
from regard.serving.interfaces.encoding import Answer, Received, text_of, texts_of
from regard.serving.interfaces.libretranslate import NAMES
from regard.serving.limits import ServingError
from regard.serving.texts.markup import Outline

SWITCH = ("0", "1", "false", "true")
CHOICES = {
    "formality": ("default", "more", "less", "prefer_more", "prefer_less"),
    "model_type": ("latency_optimized", "quality_optimized", "prefer_quality_optimized"),
    "tag_handling_version": ("v1", "v2"),
    "preserve_formatting": SWITCH,
    "show_billed_characters": SWITCH,
}
"""What clients may send, though a model has one way to write: a misspelt value is an error, as it is with DeepL."""


def parse(received: Received) -> Asked:
    """A request to `/v2/translate`.

    Raises:
        ServingError: 400, as DeepL words it.
    """
    fields = received.fields()
    for name in ("text", "target_lang"):
        if fields.get(name) is None:
            raise ServingError(400, f"Parameter '{name}' not specified.")
    texts, _ = texts_of(fields["text"], "text")
    handling = text_of(fields, "tag_handling")
    if handling not in (None, "xml", "html"):
        raise ServingError(400, f"Parameter 'tag_handling' must be xml or html; got {handling}.")
    for name, values in CHOICES.items():
        _choice(fields, name, values)
    split = _choice(fields, "split_sentences", ("0", "1", "nonewlines"))
    outline = Outline(
        splitting=_names(fields, "splitting_tags"),
        joined=_names(fields, "non_splitting_tags"),
        is_detected=_choice(fields, "outline_detection", SWITCH) not in ("0", "false"),
    )
    return Asked(
        texts, text_of(fields, "source_lang"), text_of(fields, "target_lang"), whole=split == "0", format=handling or "text",
        ends_at_lines=None if split is None else split == "1", ignored=_names(fields, "ignore_tags"), outline=outline,
    )  # fmt: skip


def _choice(fields: Mapping[str, Any], name: str, values: Sequence[str]) -> str | None:
    """A field that is one of some words, or a number or truth that stands for one of them; None: it is not there.

    Raises:
        ServingError: 400, it is something else.
    """
    given = fields.get(name)
    if given is None or given == "":
        return None
    word = str(given).lower() if isinstance(given, (bool, int)) else given
    if word not in values:
        raise ServingError(400, f"Parameter '{name}' must be one of {', '.join(values)}; got {str(given)[:40]!r}.")
    return str(word)


def _names(fields: Mapping[str, Any], name: str) -> frozenset[str]:
    """Names of elements: a list of them, or one text with commas between them, or several such.

    Raises:
        ServingError: 400, it is something else.
    """
    given = fields.get(name)
    texts = [] if given is None else texts_of(given, name)[0]
    return frozenset(each.strip() for text in texts for each in text.split(",") if each.strip())


def answer(asked: Asked, found: Sequence[Answered], source: str) -> Answer:
    """The answer. The official client fails without `billed_characters`."""
    return Answer(
        {
            "translations": [
                {
                    "detected_source_language": source.upper(),
                    "text": each.text,
                    "billed_characters": len(text),
                    "model_type_used": "quality_optimized",
                }
                for text, each in zip(asked.texts, found, strict=True)
            ]
        }
    )


def languages(received: Received, directions: Mapping[str, Sequence[str]]) -> Answer:
    """The answer to `/v2/languages`, whose type may come in the query, or in the body of a GET."""
    kind = text_of(received.fields(), "type", "source")
    if kind not in ("source", "target"):
        raise ServingError(400, f"Parameter 'type' must be source or target; got {kind}.")
    codes = {code for code, targets in directions.items() if targets}
    if kind == "target":
        codes = {target for targets in directions.values() for target in targets}
    more: dict[str, Any] = {"supports_formality": False} if kind == "target" else {}
    return Answer([{"language": code.upper(), "name": NAMES.get(code, code), **more} for code in sorted(codes)])


def usage(characters: int) -> Answer:
    """The answer to `/v2/usage`: there is no limit, and DeepL's client wants one."""
    return Answer({"character_count": characters, "character_limit": 1_000_000_000_000})


def error(status: int, message: str) -> Answer:
    """An error."""
    return Answer({"message": message}, status)
