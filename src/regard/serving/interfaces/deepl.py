"""DeepL's interface, version 2, as its own client and Weblate, Subtitle Edit and others use it.

Source: DeepL's documentation of its API, and requests and answers of the official Python client.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from regard.documents.markup import Outline
from regard.serving.directions import Direction, code_of, language_name
from regard.serving.endpoints.context import RequestContext
from regard.serving.endpoints.fields import Choice, Fields, Text, Texts, texts_of
from regard.serving.endpoints.routes import Interface, Route
from regard.serving.limits import ServingError
from regard.serving.translation_request import TranslationRequest

MOST_AT_ONCE = 5
"""Glossaries for one translation, as DeepL has it."""
Switch = Annotated[str, Choice("0", "1", "false", "true")]
Names = Annotated[Texts, Field(description="names of elements: a list, or with commas between them")]


class DeeplFields(Fields):
    """Fields whose errors are worded as DeepL does."""

    missing: ClassVar[str] = "Parameter '{}' not specified."
    refusal: ClassVar[str] = "Parameter '{}' must be {}; got {}."


class TranslateFields(DeeplFields):
    """Texts, their languages and markup. The last five fields change nothing: a model has one way to write; but a misspelt value
    is an error, as it is with DeepL.
    """

    text: Texts
    target_lang: Text
    source_lang: Text = ""
    tag_handling: Annotated[str, Choice("xml", "html", text="xml or html")] = ""
    ignore_tags: Names = ""
    splitting_tags: Names = ""
    non_splitting_tags: Names = ""
    outline_detection: Switch = "1"
    split_sentences: Annotated[str, Choice("0", "1", "nonewlines")] = Field(
        "", description="by default 1; in HTML nonewlines"
    )
    glossary_id: Text = ""
    glossary_ids: Names = Field(
        "", description="at most 5, in place of glossary_id: a list, or with commas between them"
    )
    formality: Annotated[str, Choice("default", "more", "less", "prefer_more", "prefer_less")] = ""
    model_type: Annotated[str, Choice("latency_optimized", "quality_optimized", "prefer_quality_optimized")] = ""
    tag_handling_version: Annotated[str, Choice("v1", "v2")] = ""
    preserve_formatting: Switch = ""
    show_billed_characters: Switch = ""


class LanguagesFields(DeeplFields):
    """The side of a translation whose languages are asked for."""

    type: Annotated[str, Choice("source", "target", text="source or target")] = "source"


class ResourceFields(DeeplFields):
    """The resource whose languages are asked for."""

    resource: Annotated[str, Choice("translate_text", "glossary")] = "translate_text"


class Translation(TypedDict):
    """A translation. The official client fails without `billed_characters`."""

    detected_source_language: str
    text: str
    billed_characters: int
    model_type_used: str


class Language(TypedDict):
    """A language; of a target, also whether it can be formal."""

    language: str
    name: str
    supports_formality: NotRequired[bool]


class LanguageUse(TypedDict):
    """A language, and its uses."""

    lang: str
    name: str
    status: str
    usable_as_source: bool
    usable_as_target: bool
    features: dict[str, dict[str, str]]


Translations = TypedDict("Translations", {"translations": list[Translation]})
Usage = TypedDict("Usage", {"character_count": int, "character_limit": int})
Failure = TypedDict("Failure", {"message": str})


def failure(error: ServingError) -> Failure:
    """The content of an error."""
    return {"message": str(error)}


async def translate(context: RequestContext, fields: TranslateFields) -> Translations:
    """DeepL: translate."""
    split, handling = fields.split_sentences, fields.tag_handling
    outline = Outline(
        splitting=_names(fields.splitting_tags),
        joined=_names(fields.non_splitting_tags),
        is_detected=fields.outline_detection not in ("0", "false"),
    )
    as_given = not split or (split == "0" and handling == "xml")
    wanted = TranslationRequest(
        texts_of(fields.text), fields.source_lang, fields.target_lang, splits=split != "0", format=handling or "text",
        ends_at_lines=None if as_given else split == "1", ignored=_names(fields.ignore_tags), outline=outline,
    )  # fmt: skip
    found, pending = await context.translate(with_glossaries(context, fields, wanted))
    return {
        "translations": [
            {
                "detected_source_language": pending.direction.source.upper(),
                "text": each.text,
                "billed_characters": len(text),
                "model_type_used": "quality_optimized",
            }
            for text, each in zip(wanted.texts, found, strict=True)
        ]
    }


def _split(given: str | list[str]) -> list[str]:
    return [each.strip() for text in texts_of(given) for each in text.split(",") if each.strip()]


def _names(given: str | list[str]) -> frozenset[str]:
    return frozenset(_split(given))


def with_glossaries(context: RequestContext, fields: TranslateFields, wanted: TranslationRequest) -> TranslationRequest:
    """A request to translate, with the glossaries that it names.

    Raises:
        ServingError: 404, no such glossary; 400, it is for other languages, or the source language is not named.
    """
    several = _split(fields.glossary_ids)
    if fields.glossary_id and several:
        raise ServingError(400, "Give one of glossary_id and glossary_ids.")
    ids: Sequence[str] = [fields.glossary_id] if fields.glossary_id else several
    if not ids:
        return wanted
    if len(ids) > MOST_AT_ONCE:
        raise ServingError(400, f"glossary_ids must be at most {MOST_AT_ONCE}; got {len(ids):,}.")
    source, target = code_of(wanted.source), code_of(wanted.target)
    if source is None or target is None:
        raise ServingError(400, "Parameter 'source_lang' not specified. A glossary needs it.")
    found = [context.server.glossaries.get(context.owner, id.strip()) for id in ids]
    try:
        return replace(wanted, glossaries=[glossary.terms(Direction(source, target)) for glossary in found])
    except ServingError as error:  # the glossary is there: what is wrong are the languages
        raise ServingError(400, str(error)) from error


async def languages(context: RequestContext, fields: LanguagesFields) -> list[Language]:
    """DeepL: the languages that are read or, with type=target, written."""
    directions = context.registry.languages()
    if fields.type == "source":
        codes = {code for code, targets in directions.items() if targets}
        return [{"language": code.upper(), "name": language_name(code)} for code in sorted(codes)]
    codes = {target for targets in directions.values() for target in targets}
    return [
        {"language": code.upper(), "name": language_name(code), "supports_formality": False} for code in sorted(codes)
    ]


async def usage(context: RequestContext) -> Usage:
    """DeepL: the characters so far. There is no limit, and DeepL's client wants one."""
    count = context.server.characters.total(context.owner)
    return {"character_count": count, "character_limit": 1_000_000_000_000}


async def all_languages(context: RequestContext, fields: ResourceFields) -> list[LanguageUse]:
    """DeepL, version 3: the languages of a resource, and whether each is read or written."""
    directions = context.registry.languages()
    written = {target for targets in directions.values() for target in targets}
    features = {"glossary": {"status": "stable"}} if fields.resource == "translate_text" else {}
    return [
        {
            "lang": code,
            "name": language_name(code),
            "status": "stable",
            "usable_as_source": bool(directions.get(code)),
            "usable_as_target": code in written,
            "features": features,
        }
        for code in sorted({*directions, *written})
    ]


INTERFACE, INTERFACE_3 = (Interface("deepl", prefix, failure) for prefix in ("/v2", "/v3"))
NO_GLOSSARY = {404: "There is no such glossary."}
ROUTES = [
    route
    for method in ("GET", "POST")
    for route in (
        Route(method, "/v2/translate", translate, INTERFACE, errors=NO_GLOSSARY),
        Route(method, "/v2/languages", languages, INTERFACE),
        Route(method, "/v2/usage", usage, INTERFACE),
    )
] + [Route("GET", "/v3/languages", all_languages, INTERFACE_3)]
