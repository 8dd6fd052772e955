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
    ignored = fields.get("ignore_tags") or []
    names = ignored.split(",") if isinstance(ignored, str) else texts_of(ignored, "ignore_tags")[0]
    source, target = text_of(fields, "source_lang"), text_of(fields, "target_lang")
    split = str(fields.get("split_sentences", "1"))
    return Asked(
        texts, source, target, whole=split == "0",
        format=handling or "text", ignored=frozenset(name.strip() for name in names),
    )  # fmt: skip


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
